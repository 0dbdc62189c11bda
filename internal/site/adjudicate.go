package site

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/badger-eval/badger/internal/caselist"
	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf/identity"
)

// adjudicatePage lists the answers of a queue of which people say different things, with what they
// say and a control that settles it.
var adjudicatePage = &page{name: "adjudicate", pattern: "GET /adjudicate", role: identity.Label, show: (*Site).adjudicate}

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
	Address string // of the page of the case
	Control *labelControl
}

// conflictsOnPage is how many a page shows.
const conflictsOnPage = 20

func (s *Site) adjudicate(r *http.Request) (content, error) {
	if _, err := s.writing(); err != nil {
		return content{}, err
	}
	v := r.URL.Query()
	store, q, err := queueOf(s, r, v.Get("queue"))
	if err != nil {
		return content{}, err
	}
	from := int64(1)
	if text := v.Get("from"); text != "" {
		if from, err = strconv.ParseInt(text, 10, 64); err != nil || from < 1 {
			return content{}, errcode.New(errcode.InvalidArgument, "from: %.40q, expected a whole number from 1", text)
		}
	}
	out := adjudication{Queue: queueRowOf(q), Name: annotator(r)}
	here := func(from int64) string {
		return address("/adjudicate", url.Values{"queue": {q.ID}, "from": {strconv.FormatInt(from, 10)}})
	}
	out.NameBack = here(from)
	conflicts, err := store.Conflicts(r.Context(), q, out.Name, from, conflictsOnPage)
	if err != nil {
		return content{}, err
	}
	for i, c := range conflicts {
		if err := s.withhold(r.Context(), q.Answer(c.CaseID), c); err != nil {
			return content{}, err
		}
		x := conflictView{Conflict: c, Address: caseAddress(caselist.State{Run: out.Queue.Run, Mode: caselist.All}, c.CaseID)}
		if x.Control, err = s.newLabelControl(r, q, q.Answer(c.CaseID), seenLast(c.Labels), here(from)); err != nil {
			return content{}, err
		}
		x.Control.settle(c.Decision)
		out.Conflicts = append(out.Conflicts, x)
		if i == conflictsOnPage-1 {
			out.After = here(c.Position + 1)
		}
	}
	if from > 1 {
		out.Before = here(1)
	}
	return content{Title: "Where people differ · " + q.Name, Page: out}, nil
}

// withhold takes the notes away where columns of the case are masked: they are free text, and may
// quote what is hidden.
func (s *Site) withhold(ctx context.Context, of scoring.AnswerID, c labelling.Conflict) error {
	if s.mask.None() {
		return nil
	}
	one, err := s.o.Warehouse.LabelledCase(ctx, of)
	if err == nil {
		v, err := caseview.Build(ctx, caseview.Input{Case: one, Snapshots: s.o.Warehouse, Mask: s.mask}, caseview.Options{})
		if err != nil || !v.Masked {
			return err
		}
	} else if ctx.Err() != nil {
		return err
	} // what cannot be read may be masked
	for i := range c.Labels {
		if c.Labels[i].Note != "" {
			c.Labels[i].Note = caseview.Withheld
		}
	}
	if c.Decision != nil && c.Decision.Note != "" {
		c.Decision.Note = caseview.Withheld
	}
	return nil
}

// seenLast is the answer that whoever labelled last saw.
func seenLast(labels []labelling.Label) string {
	last := labelling.Label{}
	for _, l := range labels {
		if !l.At.Before(last.At) {
			last = l
		}
	}
	return last.AnswerHash
}

// settle makes the control one that settles a disagreement.
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
