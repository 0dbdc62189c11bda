package custom

import (
	"math/big"

	"go.starlark.net/starlark"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// valueOf converts a cell to a script value: None, bool, int, float, decimal, bytes or str. Dates and times become
// ISO 8601 strings. JSON becomes a string, for json.decode, and so does a decimal with more digits than a script's
// decimals may have.
func valueOf(v scoring.Value) starlark.Value {
	switch v.Type {
	case scoring.Null:
		return starlark.None
	case scoring.Bool:
		return starlark.Bool(v.Bool())
	case scoring.Int64:
		return starlark.MakeInt64(v.Int())
	case scoring.Float64:
		return starlark.Float(v.Float())
	case scoring.Decimal:
		n, wide, scale := v.Decimal()
		if wide == nil {
			wide = big.NewInt(n)
		}
		if d, err := newDecimal(wide, scale); err == nil {
			return d
		}
	case scoring.Bytes:
		return starlark.Bytes(v.Text())
	case scoring.String, scoring.JSON:
		return starlark.String(v.Text())
	}
	return starlark.String(v.String())
}

// table is a result in a script. Row and cell values are created only when the script accesses them.
type table struct {
	t     *scoring.Table
	index map[string]int // index of the first column with each name
}

var (
	_ starlark.Sequence  = (*table)(nil)
	_ starlark.Indexable = (*table)(nil)
	_ starlark.HasAttrs  = (*table)(nil)
	_ starlark.Mapping   = (*tableRow)(nil)
	_ starlark.Sequence  = (*tableRow)(nil)
)

func newTable(t *scoring.Table) *table {
	out := &table{t: t, index: make(map[string]int, len(t.Columns))}
	for i := len(t.Columns) - 1; i >= 0; i-- {
		out.index[t.Columns[i].Name] = i
	}
	return out
}

func (t *table) String() string       { return "table" }
func (t *table) Type() string         { return "table" }
func (t *table) Freeze()              {}
func (t *table) Truth() starlark.Bool { return t.t.Rows() > 0 }
func (t *table) Hash() (uint32, error) {
	return 0, errcode.New(errcode.InvalidArgument, "a table cannot be a key")
}
func (t *table) Len() int { return t.t.Rows() }

// Index returns row i.
func (t *table) Index(i int) starlark.Value { return &tableRow{t, i} }

// Iterate returns an iterator over the rows.
func (t *table) Iterate() starlark.Iterator { return &rowIterator{t: t} }

// AttrNames returns the names of the attributes of a table.
func (t *table) AttrNames() []string { return []string{"column", "columns", "types"} }

// Attr returns the attribute columns (the names), types, or column, a function that returns the values of a column
// given by name or index. It returns nil for another name.
func (t *table) Attr(name string) (starlark.Value, error) {
	switch name {
	case "columns", "types":
		out := make(starlark.Tuple, len(t.t.Columns))
		for i := range out {
			c := &t.t.Columns[i]
			out[i] = starlark.String(c.Name)
			if name == "types" {
				out[i] = starlark.String(c.Type.String())
			}
		}
		return out, nil
	case "column":
		return starlark.NewBuiltin(name,
			func(th *starlark.Thread, fn *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value,
				error) {
				var k starlark.Value
				if err := starlark.UnpackPositionalArgs(fn.Name(), args, kwargs, 1, &k); err != nil {
					return nil, err
				}
				c, err := t.find(k)
				if err != nil {
					return nil, err
				}
				if err := budgetOf(th).alloc(4 * wordBytes * int64(t.Len())); err != nil {
					return nil, err
				}
				out := make([]starlark.Value, t.Len())
				for i := range out {
					out[i] = valueOf(t.t.Columns[c].Value(i))
				}
				return starlark.NewList(out), nil
			}), nil
	}
	return nil, nil
}

func (t *table) find(k starlark.Value) (int, error) {
	switch k := k.(type) {
	case starlark.String:
		if i, ok := t.index[string(k)]; ok {
			return i, nil
		}
		return 0, errcode.New(errcode.InvalidArgument, "the result has no column of that name")
	case starlark.Int:
		i, err := starlark.AsInt32(k)
		n := len(t.t.Columns)
		if i < 0 {
			i += n
		}
		if err != nil || i < 0 || i >= n {
			return 0, errcode.New(errcode.InvalidArgument, "column out of range: the result has %d", n)
		}
		return i, nil
	}
	return 0, errcode.New(errcode.InvalidArgument, "column: got %s, expected a name or a number", k.Type())
}

type rowIterator struct {
	t *table
	i int
}

func (it *rowIterator) Next(p *starlark.Value) bool {
	if it.i == it.t.Len() {
		return false
	}
	*p = it.t.Index(it.i)
	it.i++
	return true
}

func (it *rowIterator) Done() {}

// tableRow is one row of a table. row["name"] and row[0] are cells, and iteration yields the cells in order.
type tableRow struct {
	t *table
	i int
}

func (r *tableRow) String() string       { return "row" }
func (r *tableRow) Type() string         { return "table row" }
func (r *tableRow) Freeze()              {}
func (r *tableRow) Truth() starlark.Bool { return true }
func (r *tableRow) Hash() (uint32, error) {
	return 0, errcode.New(errcode.InvalidArgument, "a row cannot be a key; use tuple(row)")
}
func (r *tableRow) Len() int { return len(r.t.t.Columns) }

func (r *tableRow) cell(c int) starlark.Value { return valueOf(r.t.t.Columns[c].Value(r.i)) }

// Get returns the cell in the column with a name or an index.
func (r *tableRow) Get(k starlark.Value) (starlark.Value, bool, error) {
	c, err := r.t.find(k)
	if err != nil {
		return nil, false, err
	}
	return r.cell(c), true, nil
}

// Iterate returns an iterator over the cells.
func (r *tableRow) Iterate() starlark.Iterator { return &cellIterator{r: r} }

type cellIterator struct {
	r *tableRow
	i int
}

func (it *cellIterator) Next(p *starlark.Value) bool {
	if it.i == it.r.Len() {
		return false
	}
	*p = it.r.cell(it.i)
	it.i++
	return true
}

func (it *cellIterator) Done() {}
