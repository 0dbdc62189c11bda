package columnar_test

import (
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/badger-eval/badger/internal/columnar"
)

var types = []columnar.Type{columnar.VARCHAR, columnar.JSON, columnar.DOUBLE, columnar.BIGINT, columnar.BOOLEAN}

// A text is read as the column's type, exactly; one that cannot be read is NULL, and said.
func TestAppendText(t *testing.T) {
	for _, tc := range []struct {
		typ  columnar.Type
		text string
		want any // nil: NULL
	}{
		{columnar.VARCHAR, "", ""},
		{columnar.JSON, `{"a":1}`, `{"a":1}`},
		{columnar.DOUBLE, "0.1", 0.1},
		{columnar.DOUBLE, "1e999", nil},
		{columnar.DOUBLE, "one", nil},
		{columnar.BIGINT, "9007199254740993", int64(9007199254740993)}, // 2^53 + 1
		{columnar.BIGINT, "9223372036854775808", nil},
		{columnar.BIGINT, "1.0", nil},
		{columnar.BOOLEAN, "true", true},
		{columnar.BOOLEAN, "yes", nil},
	} {
		c := columnar.Column{Type: tc.typ}
		wrong := c.AppendText(tc.text)
		if c.Len() != 1 || c.IsNull(0) != (tc.want == nil) || (wrong == "") != (tc.want != nil) {
			t.Errorf("%v %q: %d rows, NULL %v, %q", tc.typ, tc.text, c.Len(), c.IsNull(0), wrong)
		} else if got := value(&c, 0); tc.want != nil && got != tc.want {
			t.Errorf("%v %q: got %v", tc.typ, tc.text, got)
		}
	}
}

func value(c *columnar.Column, i int) any {
	switch c.Type {
	case columnar.DOUBLE:
		return c.Floats[i]
	case columnar.BIGINT:
		return c.Ints[i]
	case columnar.BOOLEAN:
		return c.Bools[i]
	default:
		return c.Texts[i]
	}
}

// Rows are the same however they are taken: one by one, all at once, or as columns of their own.
func TestRows(t *testing.T) {
	for _, typ := range types {
		c := columnar.New(typ, 3)
		switch typ {
		case columnar.DOUBLE:
			c.SetFloat(2, 2.5)
		case columnar.BIGINT:
			c.SetInt(2, 1<<62+1)
		case columnar.BOOLEAN:
			c.SetBool(2, true)
		default:
			c.SetText(2, "two")
		}
		c.SetNull(1)
		all, each := columnar.New(typ, 3), columnar.New(typ, 3)
		all.CopyFrom(c)
		for i := range c.Len() {
			each.CopyRow(i, c, i)
			row := c.Row(i)
			if row.Len() != 1 || row.IsNull(0) != (i == 1) || value(&row, 0) != value(c, i) {
				t.Errorf("%v: row %d is %+v", typ, i, row)
			}
		}
		if kept := c.KeepTexts(); !reflect.DeepEqual(all, c) || !reflect.DeepEqual(each, c) || value(&kept, 2) != value(c, 2) || !slices.Equal(kept.Nulls, c.Nulls) {
			t.Errorf("%v: %+v, copied %+v, row by row %+v, kept %+v", typ, c, all, each, kept)
		}
		if c.CountNulls() != 1 {
			t.Errorf("%v: %d NULLs, want 1", typ, c.CountNulls())
		}
		row := c.Row(2)
		row.SetNull(0)
		if !c.IsNull(2) {
			t.Errorf("%v: a row has memory of its own", typ)
		}
		if c.Resize(3); c.CountNulls() != 0 || value(c, 2) != value(columnar.New(typ, 1), 0) {
			t.Errorf("%v: after Resize %+v, want zero values and no NULL", typ, c)
		}
		c.AppendNull()
		if c.Len() != 4 || !c.IsNull(3) {
			t.Errorf("%v: a NULL was appended: %+v", typ, c)
		}
	}
}

// Texts that are kept do not change with the memory that they were read from.
func TestKeepTexts(t *testing.T) {
	memory := []byte("abcdé")
	read := unsafe.String(unsafe.SliceData(memory), len(memory))
	c := columnar.Column{Type: columnar.VARCHAR, Texts: []string{read[:2], "", read[2:]}, Nulls: make([]bool, 3)}
	kept := c.KeepTexts()
	clear(memory)
	if want := []string{"ab", "", "cdé"}; !slices.Equal(kept.Texts, want) || c.Texts[0] == "ab" {
		t.Errorf("kept %q of %q, want %q", kept.Texts, c.Texts, want)
	}
}
