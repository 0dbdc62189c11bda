package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// LabelledScore is a score of an answer to a question with at least one labeled answer.
type LabelledScore struct {
	CaseID, Metric string
	Status         scoring.Status
	Value          float64 // where the status is ok
	Label          string
	Passed         *bool
	Calls          int    // to a judge
	Judge          string // of the run
	Asked          bool   // whether the score rests on a reply
	RunID          string
}

// labelReader reads the tables of labels; NotFound if there is none.
func (w *Store) labelReader(ctx context.Context) (Reader, error) {
	r, err := w.reader(ctx, "human_labels")
	if err != nil {
		return r, err
	}
	_, err = w.columns(ctx, TableNamed("label_log"))
	if r.NoLog = errcode.Of(err) == errcode.NotFound; r.NoLog {
		err = nil
	}
	return r, err
}

// LabelledScores reads the scores of a batch's answers whose questions are labelled, those of later
// runs after those of earlier ones, one at a time. Without tables of labels there are none.
func (w *Store) LabelledScores(ctx context.Context, by scoring.By, each func(*LabelledScore)) error {
	r, err := w.labelReader(ctx)
	if errcode.Of(err) == errcode.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	query, args := r.LabelledScores(by)
	kept := map[string]string{} // texts occur often
	keep := func(t *scoring.Table, c, row int) string {
		v := t.Columns[c].Value(row)
		if v.IsNull() {
			return ""
		}
		text := v.String() // of memory that the next rows take
		known, is := kept[text]
		if !is {
			known = strings.Clone(text)
			kept[known] = known
		}
		return known
	}
	yes, no := true, false
	return w.Each(ctx, readingScores, query, args, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		s := LabelledScore{
			CaseID: keep(t, 0, row), Metric: keep(t, 1, row), Status: scoring.Status(keep(t, 2, row)), Label: keep(t, 4, row), Calls: int(r.count(6)), Judge: keep(t, 7, row), Asked: r.count(8) == 1, RunID: keep(t, 9, row),
		}
		if v := float(&r, 3); v != nil {
			s.Value = *v
		}
		if !t.Columns[5].Value(row).IsNull() {
			if s.Passed = &no; r.count(5) == 1 {
				s.Passed = &yes
			}
		}
		each(&s)
		return true
	})
}

// Labeller is who labelled answers.
type Labeller struct {
	Annotator   string
	Answers     int       // at most; those labelled in both tables count twice
	Since, Last time.Time // zero where it is not known
}

// Labellers returns the names of the annotators of a batch's answers.
func (w *Store) Labellers(ctx context.Context, by scoring.By) ([]Labeller, error) {
	r, err := w.labelReader(ctx)
	if errcode.Of(err) == errcode.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found := map[string]*Labeller{}
	read := func(query string, args []any) error {
		return w.Each(ctx, readingLabels, query, args, func(t *scoring.Table, row int) bool {
			r := record{t: t, row: row}
			name := r.text(0)
			l := found[name]
			if l == nil {
				l = &Labeller{Annotator: name}
				found[name] = l
			}
			l.Answers += int(r.count(1))
			if at := instant(t, 2, row); !at.IsZero() && (l.Since.IsZero() || at.Before(l.Since)) {
				l.Since = at
			}
			if at := instant(t, 3, row); at.After(l.Last) {
				l.Last = at
			}
			return true
		})
	}
	query, args := r.Labellers(by)
	if err := read(query, args); err != nil {
		return nil, err
	}
	if !r.NoLog {
		query, args = LogLabellers(w.SQL(), by)
		if err := read(query, args); err != nil {
			return nil, err
		}
	}
	out := make([]Labeller, 0, len(found))
	for _, l := range found {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b Labeller) int { return cmp.Compare(a.Annotator, b.Annotator) })
	return out, nil
}
