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

	mu  sync.Mutex
	bad []error // by row: why its arguments cannot be read; nil: all can

	scores []scoring.Row // of score_case, in a batch of one row
}

// Problem says why one row has no value.
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

// spoil marks row i as one whose arguments cannot be read.
func (b *Batch) spoil(i int, err error) {
	for len(b.bad) <= i {
		b.bad = append(b.bad, nil)
	}
	if b.bad[i] == nil {
		b.bad[i] = err
	}
}

// badArgument returns the error for argument k of fn, without its value.
func badArgument(fn *Function, k int, wrong string) error {
	return errcode.New(errcode.InvalidArgument, "argument %d (%s): %s", k+1, fn.Params[k].Name, wrong)
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

// reset empties the batch for the first arity arguments of fn.
func (b *Batch) reset(fn *Function, arity int) {
	b.Rows, b.Explain, b.Problems, b.bad = 0, false, nil, nil
	b.Args = slices.Grow(b.Args[:0], arity)[:arity]
	for k := range b.Args {
		b.Args[k].Reset(fn.Params[k].Type)
	}
}
