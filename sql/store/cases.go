package store

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// Answer is one row of Cases: a case, or the reason why it cannot be read, with whose it is.
type Answer struct {
	scoring.AnswerID
	SetVersion string // of the golden set that the question was taken from
	InSet      bool   // whether the golden set has the question
	Case       *scoring.Case
	Err        error         // why the row is not a valid case; other rows are still read
	Question   *scoring.Case // the question of a row with Err, if it can be read
}

const (
	readingCases     = "reading cases"
	readingQuestions = "reading golden_set"
)

// query finds out which columns users' tables have and in which order the versions of the golden
// set are.
func (w *Store) query(ctx context.Context) (inputs, error) {
	q := inputs{Reader: Reader{Dialect: w.SQL(), Missing: map[string]bool{}}}
	for _, name := range []string{"agent_runs", "golden_set", "human_labels"} {
		t := TableNamed(name)
		there, err := w.columns(ctx, t)
		if errcode.Of(err) == errcode.NotFound && name == "human_labels" {
			continue
		}
		if errcode.Of(err) == errcode.NotFound {
			return q, errcode.New(errcode.NotFound, "%s: there is no table or view %s; docs/reference/tables.md describes its columns and how to create it from your own tables: %w", readingCases, t.FullName(), err)
		}
		if err != nil {
			return q, err
		}
		q.labelled = name == "human_labels"
		for _, c := range t.Columns {
			if there[c.Name] {
				continue
			}
			q.Missing[name+"."+c.Name] = true
			if c.Required {
				return q, errcode.New(errcode.FailedPrecondition,
					"%s: %s has no column %s (%s); docs/reference/tables.md describes the table", readingCases, t.FullName(), c.Name,
					c.Type)
			}
		}
	}
	if q.labelled {
		_, err := w.columns(ctx, TableNamed("label_log"))
		if q.NoLog = errcode.Of(err) == errcode.NotFound; err != nil && !q.NoLog {
			return q, err
		}
	}
	sets, err := w.setVersions(ctx, &q)
	for _, s := range sets {
		q.versions = append(q.versions, s.Version)
	}
	return q, err
}

// columns are the names of a table's columns, in lower case.
func (w *Store) columns(ctx context.Context, t *Table) (there map[string]bool, err error) {
	err = w.Use("looking at "+t.FullName(), func(conn driver.Conn) error {
		rows, err := conn.Query(ctx, t.look())
		if err != nil {
			return err
		}
		defer rows.Release()
		there = map[string]bool{}
		for _, f := range rows.Schema().Fields() {
			there[strings.ToLower(f.Name)] = true
		}
		return nil
	})
	return there, err
}

// Missing lists the columns that the tables of answers, questions and labels do not have, such as
// agent_runs.turn. They are read as NULL.
func (w *Store) Missing(ctx context.Context) ([]string, error) {
	q, err := w.query(ctx)
	return slices.Sorted(maps.Keys(q.Missing)), err
}

// SetVersion is a version of the golden set.
type SetVersion struct {
	Version   string
	Questions int64
}

// SetVersions lists the versions of the golden set, the lowest first. They are ordered as people
// order them: runs of digits count as numbers, so that v9 comes before v10 and 2024-9 before
// 2024-10. A version without a name comes first.
func (w *Store) SetVersions(ctx context.Context) ([]SetVersion, error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	return w.setVersions(ctx, &q)
}

func (w *Store) setVersions(ctx context.Context, q *inputs) ([]SetVersion, error) {
	out, err := all(ctx, w, q.setVersions())
	slices.SortFunc(out, func(a, b SetVersion) int { return printable.CompareVersions(a.Version, b.Version) })
	return out, err
}

// Cases streams the answers with their questions, in the order of agent, version, batch and case, holding few of
// them at a time. An error comes from the warehouse and ends the stream; an answer that cannot be read is an
// [Answer] with the reason.
func (w *Store) Cases(ctx context.Context, f Filter) iter.Seq2[Answer, error] {
	return func(yield func(Answer, error) bool) {
		layout, err := w.query(ctx)
		ranges := []*keyRange{nil}
		if err == nil && w.SQL().Embedded { // sorting and joining all results at once would take the memory of all
			layout.plain = w.comparesPlainly(ctx, &layout)
			ranges, err = w.keyRanges(ctx, layout, f)
		}
		if err != nil {
			yield(Answer{}, err)
			return
		}
		for _, r := range ranges {
			for a, err := range w.answers(ctx, layout.cases(f, r)) {
				if !yield(a, err) || err != nil {
					return
				}
			}
		}
	}
}

// rangeCases is the number of answers in one read from an embedded engine, and rangeBytes the maximal length of
// their results.
const (
	rangeCases = 5000
	rangeBytes = 16 << 20
)

// keyRanges cuts the answers into ranges of about so many, from their keys alone. Keys are text
// that compares by its bytes, whatever the type of the user's column is, so that the ranges are the
// same here and in the engine.
func (w *Store) keyRanges(ctx context.Context, q inputs, f Filter) ([]*keyRange, error) {
	var out []*keyRange
	var r *keyRange
	n, bytes := int64(0), int64(0)
	for k, err := range Rows(ctx, w, q.keys(f)) {
		if err != nil {
			return out, err
		}
		same := r != nil && r.By == k.By
		switch {
		case same && k.CaseID == r.last:
			// another answer of the same key, which must not be cut off
		case same && n < rangeCases && bytes < rangeBytes:
			r.last = k.CaseID
		default:
			r, n, bytes = &keyRange{By: k.By, first: k.CaseID, last: k.CaseID}, 0, 0
			out = append(out, r)
		}
		n++
		bytes += k.n
	}
	return out, nil
}

// Questions lists the ids of the questions of the golden set, or of one version where the filter
// names one.
func (w *Store) Questions(ctx context.Context, f Filter) (ids []string, err error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	return all(ctx, w, q.questions(f))
}

// comparesPlainly reports whether the case ids are text without a collation: the engine is asked what
// it makes of letters under the columns' own. Letters are an error under columns of another type.
func (w *Store) comparesPlainly(ctx context.Context, q *inputs) bool {
	tables := []string{"agent_runs", "golden_set"}
	if q.labelled {
		tables = append(tables, "human_labels")
	}
	for _, table := range tables {
		if folds, err := first(ctx, w, folding(table)); err != nil || folds == nil || *folds {
			return false
		}
	}
	return true
}

// Count is the number of answers that a filter chooses. It is counted from agent_runs alone, so
// that it reports whether [Store.Cases] read them all.
func (w *Store) Count(ctx context.Context, f Filter) (int64, error) {
	q, err := w.query(ctx)
	if err != nil {
		return 0, err
	}
	return first(ctx, w, q.count(f))
}

// Copies finds the answers that several rows of agent_runs give, and how many do.
func (w *Store) Copies(ctx context.Context, f Filter) (map[scoring.AnswerID]int64, error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	out := map[scoring.AnswerID]int64{}
	for c, err := range Rows(ctx, w, q.copies(f)) {
		if err != nil {
			return out, err
		}
		out[c.AnswerID] = c.n
	}
	return out, nil
}
