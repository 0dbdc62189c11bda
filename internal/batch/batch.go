package batch

import (
	"context"
	"iter"
	"time"

	"github.com/badger-eval/badger/scoring"
)

// Key identifies a score within a run.
type Key struct {
	scoring.AnswerID
	Metric        string
	MetricVersion int
}

// Item is one case of a source that is not loaded yet.
type Item struct {
	scoring.AnswerID
	Place string        // its position, such as cases.jsonl:17; unique within the source
	Bytes int64         // estimated memory of the case while it is scored; 0 if that is small
	RanAt time.Time     // when the agent answered; zero if unknown
	Spent scoring.Spent // what the answer took, used if Load fails
	// Offset and Length are the place of the case's text in a case file, in bytes.
	Offset int64
	Length int
	// Load reads the case. It is called at most once, from any goroutine, and not at all if all scores of the case
	// are stored. Its error becomes the reason of the case's failed scores.
	Load func(ctx context.Context) (*scoring.Case, error)
	// Question returns what is known of a case that Load cannot read: the case without an answer, which gets the
	// scores that describe the question. It returns nil if nothing is known. Question may be nil.
	Question func(ctx context.Context) *scoring.Case
}

// Source yields cases in a fixed order. An error means that the source failed, and stops the run; for a single
// unreadable case, the Load function of its [Item] returns an error. After ctx ends, a source yields at most one
// error.
type Source interface {
	Cases(ctx context.Context) iter.Seq2[Item, error]
}

// Counter is implemented by sources that can cheaply count their items, for showing progress.
type Counter interface {
	Count(ctx context.Context) (int64, error)
}

// KeyOf returns the key of a score within its run.
func KeyOf(r *scoring.Row) Key {
	return Key{AnswerID: r.AnswerID, Metric: r.Score.Metric, MetricVersion: r.Score.Version}
}

// Ledger stores the scores of runs.
type Ledger interface {
	// Held yields the stored scores of a run, each key once, those of an answer together if possible. It may omit
	// details, warnings and assessments.
	Held(ctx context.Context, run string) iter.Seq2[scoring.Row, error]
	// Append stores all rows, or returns an error and stores none. A row replaces a stored one with the same key. A
	// runner calls it from one goroutine at a time.
	Append(ctx context.Context, run string, rows []scoring.Row) error
	// Remove deletes all scores of the answers. After an error it may have deleted some, and can be repeated.
	Remove(ctx context.Context, run string, answers []scoring.AnswerID) error
}

// SourceOf returns a source of the cases that the function yields. Their places are "case 1", "case 2" and so on.
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

// ItemOf returns an item of a case that is already loaded.
func ItemOf(c *scoring.Case, place string) Item {
	size := int64(len(c.Question) + len(c.Schema) + len(c.Agent.Response))
	for i := range c.Golds {
		size += queryBytes(&c.Golds[i])
	}
	return Item{
		AnswerID: c.AnswerID(), Place: place, Bytes: size + queryBytes(&c.Pred), RanAt: c.Agent.RanAt, Spent: c.Spent(),
		Load:     func(context.Context) (*scoring.Case, error) { return c, nil },
		Question: func(context.Context) *scoring.Case { return questionOf(c) },
	}
}

// questionOf returns a copy of a case without its answer.
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

// Discard is a ledger that stores nothing, for runs whose scores need not be stored.
var Discard Ledger = discard{}

type discard struct{}

func (discard) Held(context.Context, string) iter.Seq2[scoring.Row, error] {
	return func(func(scoring.Row, error) bool) {}
}
func (discard) Append(context.Context, string, []scoring.Row) error      { return nil }
func (discard) Remove(context.Context, string, []scoring.AnswerID) error { return nil }
