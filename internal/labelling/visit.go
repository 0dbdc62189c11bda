package labelling

import (
	"context"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// visit is the visit of a page that a label was given on: what stands before the first hyphen of its
// ID. A verdict and the note that is typed after it are two labels of one visit.
func visit(id string) string {
	v, _, _ := strings.Cut(id, "-")
	return v
}

// UndoAnswer takes back what an annotator said of an answer outside of queues, as [Store.Undo] does in
// a queue. NotFound where they have said nothing.
func (s *Store) UndoAnswer(ctx context.Context, of scoring.AnswerID, me, id string) (Label, error) {
	rows, err := s.newest(ctx, &Label{AnswerID: of, Annotator: me}, 0)
	if err != nil {
		return Label{}, err
	}
	if i := slices.IndexFunc(rows, func(l Label) bool { return l.ID == id }); i >= 0 { // this was sent before
		return rows[i], nil
	}
	rows = slices.DeleteFunc(rows, func(l Label) bool { return l.Decides || l.Queue != "" })
	if len(rows) == 0 {
		return Label{}, errcode.New(errcode.NotFound, "label: there is nothing to undo here")
	}
	back := Label{AnswerID: of, Annotator: me, Verdict: Withdrawn, AnswerHash: rows[0].AnswerHash}
	if i := slices.IndexFunc(rows, func(l Label) bool { return visit(l.ID) != visit(rows[0].ID) }); i >= 0 {
		back = rows[i]
	}
	back.ID = id
	return s.Save(ctx, nil, back)
}
