package site

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The page lists the answers of a queue whose annotators disagree, with their labels and a control to adjudicate.
var _ = register(&page{name: "adjudicate", pattern: "GET /adjudicate", role: identity.Label, show: (*Site).adjudicate})

type adjudication struct {
	Queue     queueRow
	Conflicts []conflictView
	After     string
	Before    string
	Name      string
	NameBack  string
}

type conflictView struct {
	labelling.Conflict
	Address string        // of the page of the case
	Control *labelControl // nil if the user may not adjudicate it, or if the answer cannot be read
	Why     string        // why Control is nil

	View    *caseview.View // the question, the answer and gold; nil if the case cannot be read
	Table   *cellTable     // compares the results of the answer and gold; nil if they cannot be compared
	Queries []query
	UndoID  string // the new label's ID that undoes the user's own adjudication; "" if it is not theirs
}

// Rater reports whether who gave one of the conflicting labels of the case.
func (c conflictView) Rater(who string) bool {
	return slices.ContainsFunc(c.Labels, func(l labelling.Label) bool { return l.Annotator == who })
}

// maySettle returns an error if the caller may not adjudicate an answer: annotators who labeled it, and annotators of
// an open blind queue, may not. An admin may always.
func maySettle(r *http.Request, q *labelling.Queue, item *labelling.Item) error {
	switch {
	case caller(r.Context()).May(identity.Admin):
		return nil
	case !seesOthers(r, q):
		return errcode.New(errcode.PermissionDenied,
			"this queue is blind: until it is closed, only an admin can see and adjudicate conflicting labels")
	case item.Mine == store.Answered:
		return errcode.New(errcode.PermissionDenied,
			"you labelled this case yourself: another annotator or an admin must adjudicate it")
	}
	return nil
}

// conflictsOnPage is the maximum number of conflicting cases on a page.
const conflictsOnPage = 10

func (s *Site) adjudicate(r *http.Request) (content, error) {
	if _, err := s.writing(); err != nil {
		return content{}, err
	}
	v := r.URL.Query()
	labels, q, err := queueOf(s, r, v.Get("queue"))
	if err != nil {
		return content{}, err
	}
	from, err := positionIn(v)
	if err != nil {
		return content{}, err
	}
	if !seesOthers(r, q) {
		return content{}, errcode.New(errcode.PermissionDenied,
			"this queue is blind: until it is closed, only an admin can see and adjudicate conflicting labels")
	}
	out := adjudication{Queue: queueRowOf(q), Name: annotator(r)}
	here := func(from int64) string {
		return address("/adjudicate", url.Values{"queue": {q.ID}, "from": {strconv.FormatInt(from, 10)}})
	}
	out.NameBack = here(from)
	conflicts, err := labels.Conflicts(r.Context(), q, out.Name, from, conflictsOnPage)
	if err != nil {
		return content{}, err
	}
	for i, c := range conflicts {
		one, err := s.withhold(r.Context(), q.Answer(c.CaseID), c)
		if err != nil {
			return content{}, err
		}
		x := conflictView{Conflict: c, Address: caseAddress(store.State{RunID: out.Queue.Run, Mode: store.All}, c.CaseID)}
		if c.Decision != nil && c.Decision.Annotator == out.Name {
			x.UndoID = newLabelID()
		}
		if err := s.showConflict(r.Context(), &x, one); err != nil {
			return content{}, err
		}
		if err := maySettle(r, q, &c.Item); err != nil {
			x.Why = err.Error()
		} else if one == nil {
			x.Why = "The answer is no longer available, so it cannot be adjudicated."
		} else {
			if x.Control, err = s.newLabelControl(r, q, q.Answer(c.CaseID), labelling.AnswerHash(one), here(from)); err != nil {
				return content{}, err
			}
			x.Control.settle(c.Decision)
		}
		out.Conflicts = append(out.Conflicts, x)
		if i == conflictsOnPage-1 {
			out.After = here(c.Position + 1)
		}
	}
	if from > 1 {
		out.Before = here(1)
	}
	return content{Title: "Conflicting labels · " + q.Name, Page: out}, nil
}

// showConflict sets x.View, x.Table and x.Queries from the case one. If one is nil, it does nothing.
func (s *Site) showConflict(ctx context.Context, x *conflictView, one *scoring.Case) error {
	if one == nil {
		return nil
	}
	v, err := caseview.Build(ctx, caseview.Input{Case: one, Snapshots: s.o.Warehouse, Mask: s.mask},
		caseview.Options{Cells: caseview.CellOptions{Some: someRows, Rest: shortRest}})
	if err != nil {
		return err
	}
	for _, text := range []*string{&v.Question, &v.Evidence, &v.Response, &v.AgentError} {
		*text = cutText(*text, shortText)
	}
	x.View = v
	if v.Cells != nil {
		x.Table = newCellTable(v)
	}
	x.Queries = []query{
		{Name: "Answer", Side: "answer", Groups: grouped(v.Queries.Agent), Text: v.Queries.RawAgent, Error: v.AgentError},
		{Name: "Gold", Side: "gold", Groups: grouped(v.Queries.Gold), Text: v.Queries.RawGold},
	}
	return nil
}

// withhold returns the case of an answer, or nil if it cannot be read. It replaces the notes of c if columns are masked
// and the case has masked columns or cannot be read: a note is free text and may quote masked values.
func (s *Site) withhold(ctx context.Context, of scoring.AnswerID, c labelling.Conflict) (*scoring.Case, error) {
	one, err := s.o.Warehouse.LabelledCase(ctx, of)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		one = nil
	}
	if s.mask.None() {
		return one, nil
	}
	if one != nil { // what cannot be read may be masked
		v, err := caseview.Build(ctx, caseview.Input{Case: one, Snapshots: s.o.Warehouse, Mask: s.mask}, caseview.Options{})
		if err != nil || !v.Masked {
			return one, err
		}
	}
	for i := range c.Labels {
		if c.Labels[i].Note != "" {
			c.Labels[i].Note = caseview.Withheld
		}
	}
	if c.Decision != nil && c.Decision.Note != "" {
		c.Decision.Note = caseview.Withheld
	}
	return one, nil
}

// settle makes c a control for adjudication: it removes the option to skip and selects the verdict of decision, if any.
func (c *labelControl) settle(decision *labelling.Label) {
	c.Decides, c.Mine = true, decision
	options := c.Options[:0:0]
	for _, o := range c.Options {
		if o.Value == labelling.Skip {
			continue
		}
		o.Chosen = decision != nil && decision.Verdict == o.Value
		options = append(options, o)
	}
	c.Options = options
}
