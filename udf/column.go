package udf

import (
	"math"
	"slices"
	"sync"

	"github.com/badger-eval/badger/internal/columnar"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Type and Column are the declared types and the results of functions, in every wire and in the embedded engine.
// Strings may alias the request they came from; they remain valid as long as they are referenced.
type (
	Type   = columnar.Type
	Column = columnar.Column
)

// The types of parameters and results.
const (
	VARCHAR = columnar.VARCHAR
	JSON    = columnar.JSON
	DOUBLE  = columnar.DOUBLE
	BIGINT  = columnar.BIGINT
	BOOLEAN = columnar.BOOLEAN
)

// Batch is the rows of one call: the arguments of a function, column by column.
type Batch struct {
	Rows int
	Args []Column // for the first parameters of the function; optional ones at the end may be missing

	// Explain makes a call record in Problems why rows have no value.
	Explain  bool
	Problems []Problem

	// Late is the number of rows that had no score at the deadline; [Catalogue.Run] sets it.
	Late int

	mu  sync.Mutex
	bad []error // by row: why an argument cannot be read, or nil; shorter than Rows if the last rows have no error

	scores []scoring.Row // the result of score_case as values; only in a batch of one row
}

// Problem is the reason why one row has no value.
type Problem struct {
	Row    int // from 0
	Status scoring.Status
	Code   errcode.Code // if Status is failed
	Reason string
}

// NewBatch returns a batch of so many rows for the first arity parameters of fn. Its columns have to be filled.
func NewBatch(fn *Function, arity, rows int) *Batch {
	b := &Batch{Rows: rows, Args: make([]Column, arity)}
	for k := range b.Args {
		b.Args[k].Type = fn.Params[k].Type
		b.Args[k].Resize(rows)
	}
	return b
}

// IsNull reports whether argument k of row i is NULL or was omitted. It is true for a negative k.
func (b *Batch) IsNull(k, i int) bool { return k < 0 || k >= len(b.Args) || b.Args[k].Nulls[i] }

// Text returns argument k of row i, or "" if it is NULL or was omitted.
func (b *Batch) Text(k, i int) string {
	if b.IsNull(k, i) {
		return ""
	}
	return b.Args[k].Texts[i]
}

// Bool returns argument k of row i; ok is false if it is NULL or was omitted.
func (b *Batch) Bool(k, i int) (v, ok bool) {
	if b.IsNull(k, i) {
		return false, false
	}
	return b.Args[k].Bools[i], true
}

// Float returns argument k of row i; ok is false if it is NULL or was omitted.
func (b *Batch) Float(k, i int) (v float64, ok bool) {
	if b.IsNull(k, i) {
		return math.NaN(), false
	}
	return b.Args[k].Floats[i], true
}

// BadArgument makes row i fail because argument k of fn cannot be read. wrong is what [columnar.Column.AppendText]
// returned, which does not quote the value. Only the first bad argument of a row is recorded.
func (b *Batch) BadArgument(fn *Function, k, i int, wrong string) {
	for len(b.bad) <= i {
		b.bad = append(b.bad, nil)
	}
	if b.bad[i] == nil {
		b.bad[i] = errcode.New(errcode.InvalidArgument, "argument %d (%s): %s", k+1, fn.Params[k].Name, wrong)
	}
}

// explain records why a row has no value, if b.Explain is set.
func (b *Batch) explain(p Problem) {
	if !b.Explain {
		return
	}
	b.mu.Lock()
	b.Problems = append(b.Problems, p)
	b.mu.Unlock()
}

// Reset empties the batch and prepares it for the first arity arguments of fn. It reuses the memory of the columns.
func (b *Batch) Reset(fn *Function, arity int) {
	b.Rows, b.Explain, b.Problems, b.Late, b.bad = 0, false, nil, 0, nil
	b.Args = slices.Grow(b.Args[:0], arity)[:arity]
	for k := range b.Args {
		b.Args[k].Reset(fn.Params[k].Type)
	}
}

// Clear removes all strings and problems, so that a batch in a pool does not keep their memory.
func (b *Batch) Clear() {
	for k := range b.Args {
		clear(b.Args[k].Texts)
	}
	b.Problems, b.Late, b.bad, b.Rows = nil, 0, nil, 0
}
