package labelling

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// visit returns the part of a label's ID before the first hyphen, which identifies the visit of a page. A verdict and
// a note that is typed after it are two labels of one visit.
func visit(id string) string {
	v, _, _ := strings.Cut(id, "-")
	return v
}

// Undo withdraws the last label of an annotator in a queue, also an adjudication, and all labels of the same visit.
// It writes a new label, with the given id, that restores the previous verdict on that answer or withdraws it. In
// other queues, the annotator's label of the answer then counts as if the withdrawn one did not exist. Another Undo
// reverts it. Without a label it returns NotFound.
func (s *Store) Undo(ctx context.Context, q *Queue, me, id string) (Label, error) {
	return s.undo(ctx, store.LabelFilter{Queue: q.ID, Annotator: me, NewestFirst: true}, q, id,
		func(Label) bool { return true })
}

// UndoDecision is [Store.Undo] for an annotator's adjudication of one case.
func (s *Store) UndoDecision(ctx context.Context, q *Queue, me, caseID, id string) (Label, error) {
	f := store.LabelFilter{Queue: q.ID, Annotator: me, NewestFirst: true, Cases: []string{caseID}}
	return s.undo(ctx, f, q, id, func(l Label) bool { return l.Decides })
}

// UndoCase is [Store.Undo] for an annotator's label of one case, except an adjudication.
func (s *Store) UndoCase(ctx context.Context, q *Queue, me, caseID, id string) (Label, error) {
	f := store.LabelFilter{Queue: q.ID, Annotator: me, NewestFirst: true, Cases: []string{caseID}}
	return s.undo(ctx, f, q, id, func(l Label) bool { return !l.Decides })
}

// UndoAnswer is [Store.Undo] for an annotator's label of an answer outside of queues.
func (s *Store) UndoAnswer(ctx context.Context, of scoring.AnswerID, me, id string) (Label, error) {
	f := store.LabelFilter{Cases: []string{of.CaseID}, By: of.By, OfAnswer: true, Annotator: me, NewestFirst: true}
	return s.undo(ctx, f, nil, id, func(l Label) bool { return !l.Decides && l.Queue == "" })
}

// undo withdraws the latest label that matches f and chosen.
func (s *Store) undo(ctx context.Context, f store.LabelFilter, q *Queue, id string,
	chosen func(Label) bool) (Label, error) {
	if !isID(id) {
		return Label{}, errcode.New(errcode.InvalidArgument,
			"label: the id is %.40q, expected 1 to %d letters, digits and hyphens", id, maxID)
	}
	sent, err := s.Warehouse.LoggedLabels(ctx, store.LabelFilter{ID: id, Queue: f.Queue, Annotator: f.Annotator}, 1)
	if err != nil {
		return Label{}, err
	}
	if len(sent) == 1 { // this was sent before
		return sent[0], nil
	}
	rows, err := s.Warehouse.LoggedLabels(ctx, f, 0)
	if err != nil {
		return Label{}, err
	}
	at := slices.IndexFunc(rows, chosen)
	if at < 0 {
		return Label{}, errcode.New(errcode.NotFound, "label: there is nothing to undo here")
	}
	last := rows[at]
	all, err := s.newest(ctx, &last, 0)
	if err != nil {
		return Label{}, err
	}
	back := Label{AnswerID: last.AnswerID, Annotator: last.Annotator, Verdict: Withdrawn, Queue: last.Queue,
		AnswerHash: last.AnswerHash, Decides: last.Decides}
	left := slices.DeleteFunc(slices.Clone(all), func(l Label) bool {
		return l.Decides != last.Decides || l.Queue == last.Queue && visit(l.ID) == visit(last.ID) ||
			repeatedBy(l.ID) == visit(last.ID)
	})
	if i := slices.IndexFunc(left, func(l Label) bool { return l.Queue == last.Queue }); i >= 0 {
		back = left[i]
	}
	if last.Decides && back.Verdict != Withdrawn {
		overruled, err := s.overruled(ctx, &back)
		if err != nil {
			return Label{}, err
		}
		if overruled {
			back.Verdict = Withdrawn
		}
	}
	back.ID = id
	now := s.after(all)
	if stands := counting(left); stands != nil && answered(stands.Verdict) && answered(back.Verdict) &&
		stands.Queue != back.Queue {
		if err := s.repeat(ctx, *stands, id, now.Add(time.Microsecond)); err != nil {
			return Label{}, err
		}
	}
	return s.save(ctx, q, back, now)
}

// overruled reports whether another annotator adjudicated after the adjudication l: the later one counts, and
// restoring l would give it precedence.
func (s *Store) overruled(ctx context.Context, l *Label) (bool, error) {
	rows, err := s.Warehouse.LoggedLabels(ctx,
		store.LabelFilter{Cases: []string{l.CaseID}, By: l.By, OfAnswer: true, Newest: true}, 0)
	return slices.ContainsFunc(rows, func(r Label) bool {
		return r.Decides && r.Annotator != l.Annotator && answered(r.Verdict) && newer(&r, l)
	}), err
}

// repeat writes a copy of l, so that l remains the latest although an undo, with the label id by, restores an older
// label of another queue. The copy is written before that: if the undo is interrupted in between and sent again, it
// writes another copy.
func (s *Store) repeat(ctx context.Context, l Label, by string, at time.Time) error {
	of := visit(l.ID)
	if len(of) > maxID/3 { // from a file; a page cannot undo it
		of = of[:maxID/3]
	}
	by = visit(by)
	l.ID, l.At = of+"-"+by[:min(len(by), maxID/3)]+"-"+strings.ToLower(rand.Text()[:10]), at
	return s.Warehouse.AddLabel(ctx, &l)
}

// repeatedBy returns the visit of the undo that wrote a label as a copy by repeat; "" for other labels. A copy has
// the same visit as the label that it copies.
func repeatedBy(id string) string {
	parts := strings.Split(id, "-")
	if len(parts) != 3 {
		return ""
	}
	return parts[1]
}
