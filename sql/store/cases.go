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

// Answer is one answer in [Store.Cases]: a case, or the reason why it is invalid, with its key.
type Answer struct {
	scoring.AnswerID
	SetVersion string // version of the golden set that contains the question
	InSet      bool   // whether the golden set has the question
	Case       *scoring.Case
	Err        error         // why the row is not a valid case; later rows are still read
	Question   *scoring.Case // the question of an invalid row, if it is valid
	Spent      scoring.Spent // what the answer of an invalid row took; invalid values are unknown
}

const (
	readingCases     = "reading cases"
	readingQuestions = "reading golden_set"
)

// query reads which columns the users' tables have, and the versions of the golden set in order. It returns an error if
// agent_runs or golden_set, or a required column, is missing.
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

// columns returns the set of the names of a table's columns, in lower case.
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

// Missing lists the columns that agent_runs, golden_set and human_labels lack, such as agent_runs.turn. They are read
// as NULL.
func (w *Store) Missing(ctx context.Context) ([]string, error) {
	q, err := w.query(ctx)
	return slices.Sorted(maps.Keys(q.Missing)), err
}

// SetVersion is a version of the golden set.
type SetVersion struct {
	Version   string
	Questions int64
}

// SetVersions lists the versions of the golden set in natural sort order, the lowest first: v9 is before v10, and
// 2024-9 before 2024-10. A version without a name comes first.
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

// Cases streams the answers with their questions, ordered by agent, version, batch and case. It holds few of them in
// memory. An error is from the warehouse and ends the stream; an invalid row is an [Answer] with Err.
func (w *Store) Cases(ctx context.Context, f Filter) iter.Seq2[Answer, error] {
	return func(yield func(Answer, error) bool) {
		layout, err := w.query(ctx)
		ranges := []*keyRange{nil}
		if err == nil && w.SQL().Embedded { // one query would hold all results in memory
			layout.plain = w.comparesPlainly(ctx, &layout)
			ranges, err = w.keyRanges(ctx, layout, f)
		}
		if err != nil {
			yield(Answer{}, err)
			return
		}
		for _, r := range ranges {
			for a, err := range w.casesWithin(ctx, layout, f, r) {
				if !yield(a, err) || err != nil {
					return
				}
			}
		}
	}
}

// rangeCases is the number of answers in one query of an embedded engine, and rangeBytes the maximum length of their
// results.
const (
	rangeCases = 5000
	rangeBytes = 16 << 20
)

// keyRanges splits the answers into ranges of about rangeCases answers or rangeBytes. Keys are compared as strings by
// their bytes, whatever the column's type, so that Go and the engine order them alike.
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
			// another answer with the same key, which belongs to the same range
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

// Golden streams the questions of the golden set without answers, of the version f.SetVersion, or of the highest
// version that has each question. An invalid row is an [Answer] with Err.
func (w *Store) Golden(ctx context.Context, f Filter) iter.Seq2[Answer, error] {
	return func(yield func(Answer, error) bool) {
		layout, err := w.query(ctx)
		if err != nil {
			yield(Answer{}, err)
			return
		}
		for a, err := range w.answers(ctx, layout.questionsWithin(f, nil)) {
			if !yield(a, err) {
				return
			}
		}
	}
}

// AnswersByCase returns the number of answers in agent_runs by the ID of their question, which the golden set may lack.
func (w *Store) AnswersByCase(ctx context.Context) (map[string]int64, error) {
	layout, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for k, err := range Rows(ctx, w, layout.byCase()) {
		if err != nil {
			return nil, err
		}
		out[strings.Clone(k.CaseID)] = k.n
	}
	return out, nil
}

// Questions lists the IDs of the questions in the golden set, or in the version f.SetVersion if that is set.
func (w *Store) Questions(ctx context.Context, f Filter) (ids []string, err error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	return all(ctx, w, q.questions(f))
}

// comparesPlainly reports whether the case IDs are strings without a collation. It queries how the engine compares
// letters in these columns; for other types that is an error.
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

// Count returns the number of answers that a filter selects, counted from agent_runs alone, so that the caller can
// check that [Store.Cases] read them all.
func (w *Store) Count(ctx context.Context, f Filter) (int64, error) {
	q, err := w.query(ctx)
	if err != nil {
		return 0, err
	}
	return first(ctx, w, q.count(f))
}

// Copies returns the answers that have several rows in agent_runs, with the number of rows.
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
