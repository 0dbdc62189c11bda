package batch

import (
	"context"
	"iter"

	"github.com/badger-eval/badger/scoring"
)

// Key identifies a score within a run.
type Key struct {
	scoring.AnswerID
	Metric        string
	MetricVersion int
}

// Item is one case of a source before it is read.
type Item struct {
	scoring.AnswerID
	Place string // where it stands, such as cases.jsonl:17; unique within the source
	Bytes int64  // about how much memory the case takes while it is scored; 0 if that is little
	// Load reads the case. It is called at most once, from any goroutine, and not at all for a case
	// that is done. Its error is the reason why the scores of the case are failed.
	Load func(ctx context.Context) (*scoring.Case, error)
	// Question returns the known part of a case that Load cannot read: the case without an answer, which still gets
	// the scores that describe the question; nil if nothing is known. It may be nil.
	Question func(ctx context.Context) *scoring.Case
}

// Source yields cases in a fixed order. An error is one of the source itself and stops the run; a single case that
// cannot be read is an [Item] whose Load returns the reason. After the context is done a source yields at most an
// error.
type Source interface {
	Cases(ctx context.Context) iter.Seq2[Item, error]
}

// Counter is a source that can cheaply count the items it will yield, for showing progress.
type Counter interface {
	Count(ctx context.Context) (int64, error)
}

// KeyOf is the key of a score within its run.
func KeyOf(r *scoring.Row) Key {
	return Key{AnswerID: r.AnswerID, Metric: r.Score.Metric, MetricVersion: r.Score.Version}
}

// Ledger keeps the scores of runs.
type Ledger interface {
	// Held yields the scores that the run holds, each key once, those of an answer preferably
	// together. Details, warnings and assessments may be left out.
	Held(ctx context.Context, run string) iter.Seq2[scoring.Row, error]
	// Append stores rows: all of them, or none and an error. A row whose key the run holds takes
	// the place of the old one. A runner calls it from one goroutine at a time.
	Append(ctx context.Context, run string, rows []scoring.Row) error
}

// SourceOf makes a source of cases that are in memory or made one by one. Places count from 1:
// "case 17".
func SourceOf(cases func(ctx context.Context) iter.Seq2[*scoring.Case, error]) Source {
	return caseSource(cases)
}

type caseSource func(ctx context.Context) iter.Seq2[*scoring.Case, error]

func (s caseSource) Cases(ctx context.Context) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		n := 0
		for c, err := range s(ctx) {
			if err != nil {
				yield(Item{}, err)
				return
			}
			n++
			if !yield(ItemOf(c, placeOf("case ", n)), nil) {
				return
			}
		}
	}
}

// ItemOf returns an item of a case that was read already.
func ItemOf(c *scoring.Case, place string) Item {
	size := int64(len(c.Question) + len(c.Schema) + len(c.Agent.Response))
	for i := range c.Golds {
		size += queryBytes(&c.Golds[i])
	}
	return Item{
		AnswerID: c.AnswerID(), Place: place, Bytes: size + queryBytes(&c.Pred),
		Load:     func(context.Context) (*scoring.Case, error) { return c, nil },
		Question: func(context.Context) *scoring.Case { return questionOf(c) },
	}
}

// questionOf is a case without its answer.
func questionOf(c *scoring.Case) *scoring.Case {
	q := *c
	q.Human = nil
	q.Pred, q.Agent = scoring.Query{},
		scoring.Agent{Name: c.Agent.Name, Version: c.Agent.Version, BatchID: c.Agent.BatchID}
	return &q
}

func queryBytes(q *scoring.Query) int64 {
	size := int64(len(q.SQL))
	if q.Result.Table != nil {
		size += q.Result.Table.MemoryBytes()
	}
	return size
}

// Discard is a ledger that keeps nothing, for runs whose scores are only looked at.
var Discard Ledger = discard{}

type discard struct{}

func (discard) Held(context.Context, string) iter.Seq2[scoring.Row, error] {
	return func(func(scoring.Row, error) bool) {}
}
func (discard) Append(context.Context, string, []scoring.Row) error { return nil }
