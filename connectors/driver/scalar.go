package driver

import "context"

// Scalar is a Go function that SQL can call: one result for each row of arguments. Its parameters
// and its result are of the types [Text], [JSON], [BigInt], [Double] and [Boolean].
//
// The engine calls Eval with whole chunks of rows, from several goroutines at once. NULLs are
// handed to it like any value. An error ends the statement. A panic does not: the rows are tried
// one by one, so that only those that panic are lost to Panicked. Eval must therefore bear being
// called twice for a row.
type Scalar struct {
	Name     string
	Params   []Type
	Result   Type
	Volatile bool // may give another result for the same arguments: never folded into a constant, called for every row

	// Eval sets out[i] from args[…][i] for every row. Out holds NULL nowhere and zero values to
	// begin with. The context is that of the statement.
	Eval func(ctx context.Context, args []Vector, out *Vector) error

	// Panicked sets the only row of out after a panic with value v; nil makes it NULL.
	Panicked func(out *Vector, v any)
}

// Vector is one column of a chunk. The slice of its type holds the values, all of one length: Texts
// for Text and JSON, Ints for BigInt, Floats for Double, Bools for Boolean. Arguments are the
// engine's own memory: they must not be changed, nor kept when Eval returns.
type Vector struct {
	Type   Type
	Null   []bool // nil where no value is NULL
	Texts  []string
	Ints   []int64
	Floats []float64
	Bools  []bool
}

// IsNull tells whether value i is NULL.
func (v *Vector) IsNull(i int) bool { return v.Null != nil && v.Null[i] }

// SetNull makes value i of a result NULL.
func (v *Vector) SetNull(i int) { v.SetNullOf(v.Len(), i) }

// SetNullOf is SetNull for a vector that is to have n values.
func (v *Vector) SetNullOf(n, i int) {
	if v.Null == nil {
		v.Null = make([]bool, n)
	}
	v.Null[i] = true
}

// Len is the number of values.
func (v *Vector) Len() int { return max(len(v.Texts), len(v.Ints), len(v.Floats), len(v.Bools)) }

// Slice is the values from start to end.
func (v *Vector) Slice(start, end int) Vector {
	s := Vector{Type: v.Type}
	if v.Null != nil {
		s.Null = v.Null[start:end]
	}
	switch {
	case v.Texts != nil:
		s.Texts = v.Texts[start:end]
	case v.Ints != nil:
		s.Ints = v.Ints[start:end]
	case v.Floats != nil:
		s.Floats = v.Floats[start:end]
	case v.Bools != nil:
		s.Bools = v.Bools[start:end]
	}
	return s
}
