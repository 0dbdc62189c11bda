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
	Args []Column // the first ones of the function's parameters; optional ones may be left out

	// Explain asks for Problems, the reasons why rows have no value.
	Explain  bool
	Problems []Problem

	// Late is how many rows had no score at the deadline; [Catalogue.Run] sets it.
	Late int

	mu  sync.Mutex
	bad []error // by row: why its arguments cannot be read; nil: all can

	scores []scoring.Row // of score_case, in a batch of one row
}

// Problem is the reason why one row has no value.
type Problem struct {
	Row    int // from 0
	Status scoring.Status
	Code   errcode.Code // of a failed row
	Reason string
}

// NewBatch makes a batch for the first arity parameters of fn, its columns ready to be set.
func NewBatch(fn *Function, arity, rows int) *Batch {
	b := &Batch{Rows: rows, Args: make([]Column, arity)}
	for k := range b.Args {
		b.Args[k].Type = fn.Params[k].Type
		b.Args[k].Resize(rows)
	}
	return b
}

// IsNull reports whether argument k of row i is NULL or was not given.
func (b *Batch) IsNull(k, i int) bool { return k < 0 || k >= len(b.Args) || b.Args[k].Nulls[i] }

// Text is argument k of row i, or "" if it is NULL or was not given.
func (b *Batch) Text(k, i int) string {
	if b.IsNull(k, i) {
		return ""
	}
	return b.Args[k].Texts[i]
}

// Bool is argument k of row i; ok is false if it is NULL or was not given.
func (b *Batch) Bool(k, i int) (v, ok bool) {
	if b.IsNull(k, i) {
		return false, false
	}
	return b.Args[k].Bools[i], true
}

// Float is argument k of row i; ok is false if it is NULL or was not given.
func (b *Batch) Float(k, i int) (v float64, ok bool) {
	if b.IsNull(k, i) {
		return math.NaN(), false
	}
	return b.Args[k].Floats[i], true
}

// BadArgument makes row i fail because argument k of fn cannot be read. wrong is what [columnar.Column.AppendText]
// returned, which does not quote the value. The first bad argument of a row counts.
func (b *Batch) BadArgument(fn *Function, k, i int, wrong string) {
	for len(b.bad) <= i {
		b.bad = append(b.bad, nil)
	}
	if b.bad[i] == nil {
		b.bad[i] = errcode.New(errcode.InvalidArgument, "argument %d (%s): %s", k+1, fn.Params[k].Name, wrong)
	}
}

// explain records why a row has no value, if anyone wants to know.
func (b *Batch) explain(p Problem) {
	if !b.Explain {
		return
	}
	b.mu.Lock()
	b.Problems = append(b.Problems, p)
	b.mu.Unlock()
}

// Reset empties the batch and makes it ready for the first arity arguments of fn. It keeps the memory of the columns.
func (b *Batch) Reset(fn *Function, arity int) {
	b.Rows, b.Explain, b.Problems, b.Late, b.bad = 0, false, nil, 0, nil
	b.Args = slices.Grow(b.Args[:0], arity)[:arity]
	for k := range b.Args {
		b.Args[k].Reset(fn.Params[k].Type)
	}
}

// Clear drops all strings and problems, so that a batch in a pool keeps only the memory of its columns.
func (b *Batch) Clear() {
	for k := range b.Args {
		clear(b.Args[k].Texts)
	}
	b.Problems, b.Late, b.bad, b.Rows = nil, 0, nil, 0
}
