package site

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The page lists the labelling queues.
var _ = register(
	&page{name: "queues", pattern: "GET /queues", nav: "Labelling", place: 60, role: identity.Read, show: (*Site).queues})

type queueList struct {
	Queues []queueRow
}

type queueRow struct {
	labelling.Queue
	Address string
	Run     scoring.RunID
	RunPage string
	Closed  bool
	Done    int64 // answers with enough labels; 0 if closed, since closed queues are not counted
}

func queueRowOf(q *labelling.Queue) queueRow {
	return queueRow{*q, queueAddress(q.ID), q.RunID, runAddress(q.RunID), !q.ClosedAt.IsZero(), 0}
}

func (s *Site) queues(r *http.Request) (content, error) {
	store, err := s.labels()
	if err != nil {
		return content{}, err
	}
	all, err := store.Queues(r.Context())
	if err != nil && errcode.Of(err) != errcode.NotFound { // tables of an earlier version have none
		return content{}, err
	}
	out := queueList{}
	for i := range all {
		row := queueRowOf(&all[i])
		if !row.Closed {
			p, err := s.o.Warehouse.QueueProgress(r.Context(), &all[i], "")
			if err != nil {
				return content{}, err
			}
			row.Done = p.Done
		}
		out.Queues = append(out.Queues, row)
	}
	slices.SortStableFunc(out.Queues, func(a, b queueRow) int {
		switch {
		case a.Closed == b.Closed:
			return 0
		case a.Closed:
			return 1
		}
		return -1
	})
	return content{Title: "Labelling", Page: out}, nil
}

// The page is the form that creates a queue from the cases of a list.
var _ = register(&page{name: "newqueue", pattern: "GET /queue/new", role: identity.Admin, show: (*Site).newQueue})

type newQueue struct {
	List   string // the query of the list's address
	State  store.State
	Cases  int64
	Gone   int64  // number of the list's cases without exactly one row in agent_runs, which cannot be shown
	Listed string // address of the list
	Orders []orderText
}

type orderText struct{ Value, Text string }

var orders = []orderText{
	{string(labelling.Disagreement), "where metrics disagree first"},
	{string(labelling.Unsure), "where judges are least sure first"},
	{string(labelling.Strata), "mixed: kinds of difference, difficulties, and cases on which metrics agree or disagree take turns"},
	{string(labelling.Random), "at random"},
	{string(labelling.Listed), "in the order of the list"},
}

func (s *Site) newQueue(r *http.Request) (content, error) {
	if _, err := s.writing(); err != nil {
		return content{}, err
	}
	state, err := s.listOf(r.URL.Query())
	if err != nil {
		return content{}, err
	}
	state.Page = 1
	ids, gone, err := s.casesOf(r, state)
	if err != nil {
		return content{}, err
	}
	return content{Title: "New queue", Run: &state.RunID,
		Page: newQueue{state.Values().Encode(), state, int64(len(ids)), gone, casesAddress(state), orders}}, nil
}

// casesOf returns the IDs of the cases of a list that can be labeled, and gone, the number of the other cases.
func (s *Site) casesOf(r *http.Request, state store.State) (ids []string, gone int64, err error) {
	store, err := s.labels()
	if err != nil {
		return nil, 0, err
	}
	ids, of, err := store.Choose(r.Context(), s.o.Metrics, state)
	return ids, int64(of - len(ids)), err
}

// The address creates a queue.
var _ = register(
	&page{pattern: "POST /queue/new", role: identity.Admin,
		serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
			store, err := s.writing()
			if err != nil {
				return err
			}
			if err := readForm(rw, r); err != nil {
				return err
			}
			state, err := stateOf(r.PostFormValue("list"))
			if err != nil {
				return err
			}
			plan := labelling.Plan{
				Name: r.PostFormValue("name"), List: state, Guideline: r.PostFormValue("guideline"),
				Blind: r.PostFormValue("blind") != "", ReasonRequired: r.PostFormValue("reason") != "", By: annotator(r),
			}
			if plan.Order, err = labelling.ParseOrder(r.PostFormValue("order")); err != nil {
				return err
			}
			for _, n := range []struct {
				key string
				to  *int
			}{{"annotators", &plan.Annotators}, {"cases", &plan.Most}} {
				if text := strings.TrimSpace(r.PostFormValue(n.key)); text != "" {
					if *n.to, err = strconv.Atoi(text); err != nil {
						return errcode.New(errcode.InvalidArgument, "%s: %.40q, expected a whole number", n.key, text)
					}
				}
			}
			if text := strings.TrimSpace(r.PostFormValue("seed")); text != "" {
				if plan.Seed, err = strconv.ParseInt(text, 10, 64); err != nil {
					return errcode.New(errcode.InvalidArgument, "seed: %.40q, expected a whole number", text)
				}
			}
			if text := r.PostFormValue("options"); strings.TrimSpace(text) != "" {
				for o := range strings.SplitSeq(text, ",") {
					plan.Options = append(plan.Options, strings.TrimSpace(o))
				}
			}
			ids, gone, err := s.casesOf(r, state)
			if err != nil {
				return err
			}
			if len(ids) == 0 && gone > 0 {
				return errcode.New(errcode.FailedPrecondition, "queue: agent_runs has no row of any of these %d answers, or several of each, so that people would not know what to look at", gone)
			}
			q, err := store.Make(r.Context(), plan, ids)
			if err != nil {
				return err
			}
			return s.goTo(rw, r, queueAddress(q.ID))
		}})

// The address closes a queue.
var _ = register(
	&page{pattern: "POST /queue/close", role: identity.Admin,
		serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
			store, err := s.writing()
			if err != nil {
				return err
			}
			if err := readForm(rw, r); err != nil {
				return err
			}
			q, err := store.Queue(r.Context(), r.PostFormValue("queue"))
			if err == nil {
				err = store.Close(r.Context(), q)
			}
			if err != nil {
				return err
			}
			return s.goTo(rw, r, queueAddress(q.ID))
		}})
