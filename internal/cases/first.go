package cases

import (
	"context"
	"iter"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/scoring"
)

// First returns a source of the first n cases of s.
func First(s batch.Source, n int) batch.Source { return firstCases{s, n} }

// firstCases yields the first n cases of a source.
type firstCases struct {
	batch.Source
	n int
}

// Cases yields the first n cases.
func (f firstCases) Cases(ctx context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		n := 0
		for item, err := range f.Source.Cases(ctx) {
			if n++; !yield(item, err) || n == f.n {
				return
			}
		}
	}
}

// Copies returns the duplicate answers of the whole source.
func (f firstCases) Copies(ctx context.Context) (map[scoring.AnswerID]batch.Copies, error) {
	return batch.FindCopies(ctx, f.Source)
}

// Every returns a source of the first of each step cases of s.
func Every(s batch.Source, step int64) batch.Source { return everyCase{s, step} }

// everyCase yields the first of each step cases of a source.
type everyCase struct {
	batch.Source
	step int64
}

// Cases yields the first of each step cases.
func (e everyCase) Cases(ctx context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		n := int64(0)
		for item, err := range e.Source.Cases(ctx) {
			if n++; err == nil && (n-1)%e.step != 0 {
				continue
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// Copies returns the duplicate answers of the whole source.
func (e everyCase) Copies(ctx context.Context) (map[scoring.AnswerID]batch.Copies, error) {
	return batch.FindCopies(ctx, e.Source)
}
