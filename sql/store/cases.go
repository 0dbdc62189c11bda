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
	Err        error         // why the row is no case; other rows continue
	Question   *scoring.Case // what can be read of a row that is no case; nil if that is nothing
}

const readingCases = "reading cases"

// query finds out which columns users' tables have and in which order the versions of the golden
// set are.
func (w *Store) query(ctx context.Context) (Answers, error) {
	q := Answers{Reader: Reader{Dialect: w.SQL(), Missing: map[string]bool{}}}
	for _, name := range []string{"agent_runs", "golden_set", "human_labels"} {
		t := TableNamed(name)
		there, err := w.columns(ctx, t)
		if errcode.Of(err) == errcode.NotFound && name == "human_labels" {
			continue
		}
		if errcode.Of(err) == errcode.NotFound {
			return q, errcode.New(errcode.NotFound, "%s: there is no table or view %s; docs/reference/tables.md says what is in it, and how to make it from tables of your own: %w", readingCases, t.FullName(), err)
		}
		if err != nil {
			return q, err
		}
		q.Labelled = name == "human_labels"
		for _, c := range t.Columns {
			if there[c.Name] {
				continue
			}
			q.Missing[name+"."+c.Name] = true
			if c.Required {
				return q, errcode.New(errcode.FailedPrecondition, "%s: %s has no column %s (%s); docs/reference/tables.md describes the table", readingCases, t.FullName(), c.Name, c.Type)
			}
		}
	}
	if q.Labelled {
		_, err := w.columns(ctx, TableNamed("label_log"))
		if q.NoLog = errcode.Of(err) == errcode.NotFound; err != nil && !q.NoLog {
			return q, err
		}
	}
	sets, err := w.setVersions(ctx, &q)
	for _, s := range sets {
		q.Versions = append(q.Versions, s.Version)
	}
	return q, err
}

// columns are the names of a table's columns, in lower case.
func (w *Store) columns(ctx context.Context, t *Table) (there map[string]bool, err error) {
	err = w.Use("looking at "+t.FullName(), func(conn driver.Conn) error {
		rows, err := conn.Query(ctx, t.Look())
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

func (w *Store) setVersions(ctx context.Context, q *Answers) ([]SetVersion, error) {
	var out []SetVersion
	err := w.Each(ctx, readingCases, q.SetVersions(), nil, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		out = append(out, SetVersion{r.text(0), r.count(1)})
		return true
	})
	slices.SortFunc(out, func(a, b SetVersion) int { return printable.CompareVersions(a.Version, b.Version) })
	return out, err
}

// Cases streams the answers with their questions, in the order of agent, version, batch and case, holding few of
// them at a time. An error comes from the warehouse and ends the stream; an answer that cannot be read is an
// [Answer] with the reason.
func (w *Store) Cases(ctx context.Context, f Filter) iter.Seq2[Answer, error] {
	return func(yield func(Answer, error) bool) {
		layout, err := w.query(ctx)
		ranges := []*Range{nil}
		if err == nil && w.SQL().Embedded { // sorting and joining all results at once would take the memory of all
			layout.Plain = w.comparesPlainly(ctx, &layout)
			ranges, err = w.keyRanges(ctx, layout, f)
		}
		if err != nil {
			yield(Answer{}, err)
			return
		}
		for _, r := range ranges {
			q := layout
			query := q.Cases(f, r)
			more := true
			err := w.Each(ctx, readingCases, query, q.Args, func(t *scoring.Table, row int) bool {
				more = yield(answer(t, row), nil)
				return more
			})
			if !more {
				return
			}
			if err != nil {
				yield(Answer{}, err)
				return
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
func (w *Store) keyRanges(ctx context.Context, q Answers, f Filter) ([]*Range, error) {
	var out []*Range
	var r *Range
	n, bytes := int64(0), int64(0)
	query := q.Keys(f)
	err := w.Each(ctx, readingCases, query, q.Args, func(t *scoring.Table, row int) bool {
		k := record{t: t, row: row}
		by, id := scoring.By{Agent: k.text(0), Version: k.text(1), Batch: k.text(2)}, k.text(3)
		same := r != nil && r.By == by
		switch {
		case same && id == r.Last:
			// another answer of the same key, which must not be cut off
		case same && n < rangeCases && bytes < rangeBytes:
			r.Last = id
		default:
			r, n, bytes = &Range{By: by, First: id, Last: id}, 0, 0
			out = append(out, r)
		}
		n++
		bytes += k.count(4)
		return true
	})
	return out, err
}

// Questions lists the ids of the questions of the golden set, or of one version where the filter
// names one.
func (w *Store) Questions(ctx context.Context, f Filter) (ids []string, err error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	query := q.Questions(f)
	err = w.Each(ctx, "reading golden_set", query, q.Args, func(t *scoring.Table, row int) bool {
		r := &record{t: t, row: row}
		ids = append(ids, r.text(0))
		return true
	})
	return ids, err
}

// comparesPlainly reports whether the case ids are text without a collation: the engine is asked what
// it makes of letters under the columns' own. Letters are an error under columns of another type.
func (w *Store) comparesPlainly(ctx context.Context, q *Answers) bool {
	tables := []string{"agent_runs", "golden_set"}
	if q.Labelled {
		tables = append(tables, "human_labels")
	}
	for _, table := range tables {
		t, err := w.Query(ctx, Folding(table))
		if err != nil || t.Columns[0].Value(0).IsNull() || t.Columns[0].Value(0).Bool() {
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
	query := q.Count(f)
	n := int64(0)
	err = w.Each(ctx, readingCases, query, q.Args, func(t *scoring.Table, row int) bool {
		n = (&record{t: t, row: row}).count(0)
		return true
	})
	return n, err
}

// Copies finds the answers that several rows of agent_runs give, and how many do.
func (w *Store) Copies(ctx context.Context, f Filter) (map[scoring.AnswerID]int64, error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	out := map[scoring.AnswerID]int64{}
	query := q.Copies(f)
	err = w.Each(ctx, readingCases, query, q.Args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		out[scoring.AnswerID{By: scoring.By{Agent: r.text(0), Version: r.text(1), Batch: r.text(2)}, CaseID: r.text(3)}] = r.count(4)
		return true
	})
	return out, err
}

// record reads the cells of one row by position.
type record struct {
	t   *scoring.Table
	row int
	err error
}

// textIn is a value's text, a copy: the table it came from is not kept. It is empty for NULL.
func textIn(v scoring.Value) string {
	switch v.Type {
	case scoring.Null:
		return ""
	case scoring.String, scoring.JSON:
		return strings.Clone(v.Text())
	}
	return v.String()
}

// text is a cell's text, a copy: the table it came from is not kept.
func (r *record) text(c int) string {
	return textIn(r.t.Columns[c].Value(r.row))
}

func (r *record) json(c int, what string, into any) {
	if r.err == nil {
		r.err = readJSON(what, r.t.Columns[c].Value(r.row), into)
	}
}

// count returns a cell's whole number, 0 for NULL. Each engine has its own types of counts.
func (r *record) count(c int) int64 {
	return wholeNumber(r.t.Columns[c].Value(r.row))
}

func answer(t *scoring.Table, i int) Answer {
	r := &record{t: t, row: i}
	cells := func(first int, columns []string) scoring.Cells {
		return func(column string) string {
			if k := slices.Index(columns, column); k >= 0 {
				return r.text(first + k)
			}
			return ""
		}
	}
	of, golden := len(AnswerKey), len(AnswerKey)+len(RunColumns)
	ofRun, ofKey, ofGolden := cells(of, RunColumns), cells(0, AnswerKey), cells(golden, GoldenColumns)
	either := func(a, b scoring.Cells) scoring.Cells {
		return func(column string) string { return a(column) + b(column) }
	} // they share no column
	a := Answer{
		AnswerID:   scoring.AnswerID{CaseID: r.text(0), By: scoring.By{Agent: r.text(1), Version: r.text(2), Batch: r.text(3)}},
		SetVersion: r.text(4), InSet: r.count(5) > 0,
	}
	if a.Case, a.Err = scoring.CaseOfRows(either(ofKey, ofRun), either(ofKey, ofGolden), r.count(5)); a.Err != nil {
		if q, err := scoring.CaseOfRows(ofKey, either(ofKey, ofGolden), r.count(5)); err == nil && a.InSet {
			a.Question = q
		}
		return a
	}
	if passes := r.text(golden + len(GoldenColumns)); passes != "" {
		human := passes == "1"
		a.Case.Human = &human
	}
	return a
}
