package driverbase_test

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
)

// driven are the rows of a driver.
type driven struct {
	values []sqldriver.Value
	fails  error // after the values
}

func (g *driven) Columns() []string { return []string{"a"} }
func (g *driven) Close() error      { return nil }
func (g *driven) Next(dest []sqldriver.Value) error {
	if len(g.values) == 0 {
		if g.fails != nil {
			return g.fails
		}
		return io.EOF
	}
	dest[0], g.values = g.values[0], g.values[1:]
	return nil
}

func drive(t *testing.T, g *driven) (records []string, err error) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	ended := ""
	r := &driverbase.Rows{
		Rows: g, Mem: mem, Columns: []driverbase.RowColumn{{Field: arrow.Field{Name: "a", Type: arrow.BinaryTypes.String, Nullable: true}, Append: driverbase.AppendText}},
		Failed: func(_ context.Context, err error) error { return errors.Join(errors.New("told"), err) },
		End:    func(all bool) { ended += map[bool]string{true: "all", false: "early"}[all] },
	}
	reader := r.Reader(t.Context())
	for reader.Next() {
		col := reader.Record().Column(0)
		texts := make([]string, col.Len())
		for i := range texts {
			texts[i] = "NULL"
			if u, ok := col.(*array.DenseUnion); ok {
				child := u.Field(u.ChildID(i))
				if at := int(u.ValueOffset(i)); !child.IsNull(at) {
					texts[i] = child.DataType().String() + " " + child.ValueStr(at)
				}
			} else if !col.IsNull(i) {
				texts[i] = col.ValueStr(i)
			}
		}
		records = append(records, strings.Join(texts, "|"))
	}
	err = reader.Err()
	reader.Release()
	if want := map[bool]string{true: "all", false: "early"}[err == nil]; ended != want {
		t.Errorf("the rows were ended %q, want %q", ended, want)
	}
	return records, err
}

// A value that the type of its column does not have keeps its own form, between NULLs and others.
func TestRowsOfTwoTypes(t *testing.T) {
	got, err := drive(t, &driven{values: []sqldriver.Value{nil, "x", []byte{0xff}, []byte("y"), nil, "\xfe"}})
	if err != nil || len(got) != 1 || got[0] != "NULL|utf8 x|binary /w==|utf8 y|NULL|binary /g==" {
		t.Errorf("%q, %v", got, err)
	}
}

// Only the records that have such values are unions, and records are ended by their rows and by their bytes.
func TestRowsInRecords(t *testing.T) {
	g := &driven{}
	for range 1024 {
		g.values = append(g.values, "x")
	}
	long := strings.Repeat("y", 1<<20)
	g.values = append(g.values, "\xff", long, "z")
	got, err := drive(t, g)
	if err != nil || len(got) != 3 || strings.Contains(got[0], "utf8") || !strings.HasPrefix(got[1], "binary /w==|utf8 yyy") || got[2] != "z" {
		t.Errorf("%d records, %v", len(got), err)
	}
}

func TestRowsThatFail(t *testing.T) {
	got, err := drive(t, &driven{values: []sqldriver.Value{"x"}, fails: errors.New("lost")})
	if len(got) != 0 || err == nil || err.Error() != "told\nlost" {
		t.Errorf("%q, %v", got, err)
	}
}
