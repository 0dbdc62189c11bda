package labelling

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Plan configures a new queue.
type Plan struct {
	Name           string // empty: made from the list's mode and the order; for a blind queue its ID
	List           store.State
	Order          Order
	Seed           int64
	Annotators     int      // per answer; 0: 1
	Most           int      // maximum number of answers; 0: all
	Options        []string // nil: [DefaultOptions]
	Guideline      string
	Blind          bool
	ReasonRequired bool
	By             string // name of the creator
}

// Limits of a queue.
const (
	maxName       = 200
	maxAnnotators = 20
	maxOptions    = 9 // as many as there are digit keys
)

// Make creates a queue of cases of the run in p.List, in the order of p.
func (s *Store) Make(ctx context.Context, p Plan, cases []string) (*Queue, error) {
	q, err := p.queue()
	if err != nil {
		return nil, err
	}
	var known signals
	if p.Order != Listed && p.Order != Random {
		rows, err := s.Warehouse.CaseSignals(ctx, q.RunID)
		if err != nil {
			return nil, err
		}
		known = signals{}
		for _, r := range rows {
			known[r.CaseID] = r
		}
	}
	cases = arrange(distinct(cases), p.Order, p.Seed, known)
	if p.Most > 0 && len(cases) > p.Most {
		cases = cases[:p.Most]
	}
	if len(cases) == 0 {
		return nil, errcode.New(errcode.FailedPrecondition, "queue: no case of the run is chosen")
	}
	for _, id := range cases { // it could be shown and not be labelled
		if strings.ContainsRune(id, 0) {
			return nil, errcode.New(errcode.InvalidArgument,
				"queue: the id of case %.80q holds the character NUL, expected text without it; leave the case out", id)
		}
	}
	q.ID, q.Cases, q.CreatedAt = strings.ToLower(rand.Text()[:10]), int64(len(cases)),
		s.now().UTC().Truncate(time.Microsecond)
	if q.Name == "" {
		q.Name = "blind " + q.ID
	}
	return q, s.Warehouse.WriteQueue(ctx, q, cases)
}

// queue returns the queue without an id, or an error if the plan is invalid.
func (p *Plan) queue() (*Queue, error) {
	q := &Queue{
		Name: strings.TrimSpace(p.Name), RunID: scoring.RunID{ID: p.List.ID, By: p.List.By}, Ordering: string(p.Order),
		Seed:       p.Seed,
		Annotators: int64(p.Annotators), Guideline: strings.TrimSpace(p.Guideline), Options: p.Options, Blind: p.Blind,
		ReasonRequired: p.ReasonRequired, CreatedBy: p.By,
	}
	list := p.List
	list.Page, list.Size, list.Columns, list.Tall = 1, 0, nil, false
	q.Filter = list.Values().Encode()
	if q.Name == "" && !p.Blind { // a blind annotator must not know why these cases were chosen
		q.Name = strings.Join(
			slices.DeleteFunc([]string{string(p.List.Mode), string(p.Order)}, func(s string) bool { return s == "" }), ", ")
	}
	if q.Annotators == 0 {
		q.Annotators = 1
	}
	if q.Options == nil {
		q.Options = DefaultOptions
	}
	if q.RunID.ID == "" {
		return nil, errcode.New(errcode.InvalidArgument, "queue: the run is missing")
	}
	if q.Annotators < 1 || q.Annotators > maxAnnotators {
		return nil, errcode.New(errcode.InvalidArgument, "annotators: %d, expected a whole number from 1 to %d", q.Annotators,
			maxAnnotators)
	}
	if p.Most < 0 {
		return nil, errcode.New(errcode.InvalidArgument, "cases: %d, expected a whole number from 0, which is all", p.Most)
	}
	if _, err := ParseOrder(string(p.Order)); err != nil {
		return nil, err
	}
	if len(q.Options) < 2 || len(q.Options) > maxOptions || len(distinct(q.Options)) != len(q.Options) {
		return nil, errcode.New(errcode.InvalidArgument,
			"options: expected 2 to %d different verdicts, such as pass, fail, unsure", maxOptions)
	}
	for _, o := range q.Options {
		if o == "" || o != strings.TrimSpace(o) || o == Skip || o == Withdrawn {
			return nil, errcode.New(errcode.InvalidArgument, "options: %.40q, expected a word other than %s and %s", o, Skip,
				Withdrawn)
		}
		if err := plain("options", o, 40); err != nil {
			return nil, err
		}
	}
	for _, text := range []struct {
		what, text string
		longest    int
	}{{"name", q.Name, maxName}, {"guideline", q.Guideline, 50_000}} {
		if err := plain(text.what, text.text, text.longest); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// distinct returns list without duplicates, in order.
func distinct(list []string) []string {
	seen := make(map[string]bool, len(list))
	out := make([]string, 0, len(list))
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// Cases returns the ids of all cases that list selects, in its order. metrics are the known metrics, which determine
// the primary one of the run.
func Cases(ctx context.Context, w *store.Store, metrics []scoring.Metric, list store.State) ([]string, error) {
	return (&Store{Warehouse: w}).cases(ctx, metrics, list)
}

func (s *Store) cases(ctx context.Context, metrics []scoring.Metric, list store.State) ([]string, error) {
	p, err := s.Warehouse.Pages(ctx, metrics)
	if err != nil {
		return nil, err
	}
	l, err := p.Deciding(s.Primary).List(ctx, list)
	if err != nil {
		return nil, err
	}
	var ids []string
	for id, err := range l.IDs(ctx) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// Choose returns the cases of a list whose answers can be shown, in order, and the number of cases in the list.
func (s *Store) Choose(ctx context.Context, metrics []scoring.Metric,
	list store.State) (ids []string, of int, err error) {
	all, err := s.cases(ctx, metrics, list)
	if err != nil {
		return nil, 0, err
	}
	ids, err = s.Shown(ctx, scoring.AnswerID{By: list.By}, all)
	return ids, len(all), err
}

// MakeListed creates a queue of the cases in p.List whose answers can be shown. of is the number of cases in the
// list, left the number of omitted ones.
func (s *Store) MakeListed(ctx context.Context, metrics []scoring.Metric, p Plan) (q *Queue, left, of int, err error) {
	ids, of, err := s.Choose(ctx, metrics, p.List)
	if err != nil {
		return nil, 0, of, err
	}
	if of > 0 && len(ids) == 0 {
		return nil, 0, of, errcode.New(errcode.FailedPrecondition, "queue: badger.agent_runs has no row of any of the answers of the %s, or several of each; write one row of each answer to badger.agent_runs and start a new run, see docs/reference/tables.md", printable.Count(of, "case"))
	}
	q, err = s.Make(ctx, p, ids)
	return q, of - len(ids), of, err
}
