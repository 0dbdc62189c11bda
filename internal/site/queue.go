package site

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/udf/identity"
)

// The page shows the progress of a queue, with its answers.
var _ = register(&page{name: "queue", pattern: "GET /queue", role: identity.Read, show: (*Site).queue})

type queueView struct {
	queueRow
	Progress   labelling.Progress
	Rate       string // labels per hour
	Others     bool   // show the work of others, which annotators of an open blind queue may not see
	Agreement  labelling.Agreement
	Width      float64
	Me         string
	Items      []queueItem
	Begin      string // address that redirects to the next case to label
	Adjudicate string
	Labels     string // address that exports all labels of the queue
	From, To   int64
	Before     string
	After      string
	Nothing    string // why no case is next: left, busy or gone, or undo if there was nothing to undo
	Verb       string // Begin or Continue
	Listed     string // address of the list that the queue was created from
}

type queueItem struct {
	labelling.Item
	Address string
	Mine    string // the annotator's verdict: pass, fail, …; "": none
}

// itemsOnPage is the maximum number of a queue's answers on a page.
const itemsOnPage = 100

// queueOf returns the store of labels and the queue with the given ID.
func queueOf(s *Site, r *http.Request, id string) (*labelling.Store, *labelling.Queue, error) {
	store, err := s.labels()
	if err != nil {
		return nil, nil, err
	}
	q, err := store.Queue(r.Context(), id)
	return store, q, err
}

// positionIn returns the first position of a queue to show: the parameter from, or 1 without it.
func positionIn(v url.Values) (int64, error) {
	text := v.Get("from")
	if text == "" {
		return 1, nil
	}
	from, err := strconv.ParseInt(text, 10, 64)
	if err != nil || from < 1 {
		return 0, errcode.New(errcode.InvalidArgument, "from: %.40q, expected a whole number from 1", text)
	}
	return from, nil
}

// seesOthers reports whether the user may see the work of others in a queue. Annotators may not while a blind queue is
// open: with few labels even a count reveals another annotator's label.
func seesOthers(r *http.Request, q *labelling.Queue) bool {
	who := caller(r.Context())
	return !q.Blind || !q.ClosedAt.IsZero() || who.May(identity.Admin) || !who.May(identity.Label)
}

func (s *Site) queue(r *http.Request) (content, error) {
	ctx, v := r.Context(), r.URL.Query()
	store, q, err := queueOf(s, r, v.Get("queue"))
	if err != nil {
		return content{}, err
	}
	from, err := positionIn(v)
	if err != nil {
		return content{}, err
	}
	out := queueView{queueRow: queueRowOf(q), Me: annotator(r), Begin: labelAddress(q.ID, ""),
		Adjudicate: adjudicateAddress(q.ID), Labels: address("/queue/labels", url.Values{"queue": {q.ID}}), From: from}
	out.Nothing = v.Get("nothing")
	out.Others = seesOthers(r, q)
	if state, err := stateOf(q.Filter); err == nil && out.Others {
		out.Listed = casesAddress(state)
	}
	if out.Progress, err = store.Progress(ctx, q, out.Me); err != nil {
		return content{}, err
	}
	if out.Verb = "Begin"; out.Progress.Mine+out.Progress.MySkipped > 0 {
		out.Verb = "Continue"
	}
	if out.Rate = dash; out.Progress.PerHour > 0 {
		out.Rate = strconv.FormatFloat(out.Progress.PerHour, 'f', 0, 64)
	}
	out.Width = labelling.KappaWidth
	if out.Others {
		if out.Agreement, err = store.Agreement(ctx, q); err != nil {
			return content{}, err
		}
	}
	items, err := store.Items(ctx, q, out.Me, from, itemsOnPage)
	if err != nil {
		return content{}, err
	}
	mine, err := store.MineIn(ctx, q, out.Me, items)
	if err != nil {
		return content{}, err
	}
	for _, item := range items {
		out.Items = append(out.Items, queueItem{item, labelAddress(q.ID, item.CaseID), mine[item.CaseID]})
		out.To = item.Position
	}
	at := func(position int64) string {
		return address("/queue", url.Values{"queue": {q.ID}, "from": {strconv.FormatInt(position, 10)}})
	}
	if from > 1 {
		out.Before = at(max(1, from-itemsOnPage))
	}
	if out.To < q.Cases && len(items) > 0 {
		out.After = at(out.To + 1)
	}
	return content{Title: q.Name, Run: &out.Run, Page: out}, nil
}

// The address exports the labels of a queue as JSON Lines. They include the labels of others, which the annotators
// of a blind queue must not see.
var _ = register(
	&page{pattern: "GET /queue/labels", role: identity.Admin,
		serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
			store, q, err := queueOf(s, r, r.URL.Query().Get("queue"))
			if err != nil {
				return err
			}
			rw.Header().Set("Content-Type", "application/jsonl")
			rw.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=\"labels-%s.jsonl\"", q.ID))
			_, err = store.Export(r.Context(), rw, q.ID)
			return err
		}})
