package sqlparts

import "reflect"

// Clone returns a copy of a query that shares no node with it, so that the copy can be changed. Declarations and
// tables of earlier statements of the script stay shared.
func Clone(q *Query) *Query {
	if q == nil {
		return nil
	}
	return clone(reflect.ValueOf(q)).Interface().(*Query) //nolint:forcetypeassert // a copy has the type of what is copied
}

func clone(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		c := reflect.New(v.Type().Elem())
		c.Elem().Set(v.Elem())
		cloneFields(c.Elem())
		return c
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		return clone(v.Elem())
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			c.Index(i).Set(clone(v.Index(i)))
		}
		return c
	case reflect.Struct:
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		cloneFields(c)
		return c
	default:
		return v
	}
}

// cloneFields replaces the exported fields of the struct v by clones.
func cloneFields(v reflect.Value) {
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		if f := v.Field(i); f.CanSet() {
			f.Set(clone(f))
		}
	}
}
