package custom

import (
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// record is a value with named fields, which scripts read as record.name or record["name"], such as the row, the
// configuration or a score.
type record struct {
	name    string
	fields  starlark.StringDict
	missing func(name string) error // returns the error for a missing field
}

var (
	_ starlark.HasAttrs = (*record)(nil)
	_ starlark.Mapping  = (*record)(nil)
)

func (r *record) String() string       { return r.name }
func (r *record) Type() string         { return r.name }
func (r *record) Freeze()              { r.fields.Freeze() }
func (r *record) Truth() starlark.Bool { return true }
func (r *record) Hash() (uint32, error) {
	return 0, errcode.New(errcode.InvalidArgument, "%s cannot be a key", r.name)
}

// AttrNames returns the names of the fields, sorted.
func (r *record) AttrNames() []string { return slices.Sorted(maps.Keys(r.fields)) }

// Attr returns a field. An unknown name is an error.
func (r *record) Attr(name string) (starlark.Value, error) {
	if v, ok := r.fields[name]; ok {
		return v, nil
	}
	if r.missing != nil {
		return nil, r.missing(name)
	}
	return nil, errcode.New(errcode.InvalidArgument, "%s has no field %.40q%s", r.name, name,
		scoring.Suggest(name, r.AttrNames()))
}

// Get returns the field with the name k. An unknown name is an error.
func (r *record) Get(k starlark.Value) (starlark.Value, bool, error) {
	name, ok := starlark.AsString(k)
	if !ok {
		return nil, false, errcode.New(errcode.InvalidArgument, "%s[…]: got %s, expected the name of a field", r.name,
			k.Type())
	}
	if v, ok := r.fields[name]; ok {
		return v, true, nil
	}
	// The message omits the name, which may be data.
	return nil, false, errcode.New(errcode.InvalidArgument, "%s[…]: there is no such field; there are %s", r.name,
		strings.Join(r.AttrNames(), ", "))
}
