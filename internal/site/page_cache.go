package site

import (
	"context"
	"sync"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// held caches the data that the pages of a static report share, so that each of thousands of pages does not need a
// dozen SQL statements.
type held struct {
	pages *store.Pages
	runs  map[scoring.RunID]*heldRun
	brief bool      // pages of cases are shortened
	note  string    // what the report omits
	shown *heldCase // the case that the page shows; nil: none
	lists *heldLists
	// withPage holds the IDs of the cases that have pages, by run.
	withPage map[scoring.RunID]map[string]bool
}

// heldRun caches the data that the pages of a run share.
type heldRun struct {
	config  scoring.Config
	ids     map[store.Mode][]string // case IDs of the list in each mode, in its order
	metrics []string                // metrics whose scores shortened pages show
	of      int                     // number of metrics that the run has scores of
}

// heldLists caches the counts of lists, and the last block of rows that was read: all cases of a run, or several pages
// of a list. It is safe for concurrent use.
type heldLists struct {
	mu     sync.Mutex
	counts map[string]map[store.Mode]int64 // by address of the list of all cases
	block  string                          // address of the list whose rows are cached
	rows   map[string]store.CaseRow        // by case
}

const (
	rowsHeld      = 20_000 // maximum number of cases of a run that are cached
	pagesTogether = 5      // pages that are read in one call, for a larger run
)

// countsOf returns the number of cases in each mode of a list, cached in a static report.
func countsOf(ctx context.Context, l *store.List) (map[store.Mode]int64, error) {
	h := heldIn(ctx)
	if h == nil {
		return l.Counts(ctx)
	}
	h.lists.mu.Lock()
	defer h.lists.mu.Unlock()
	key := casesAddress(l.State.In(store.All))
	if counts, there := h.lists.counts[key]; there {
		return counts, nil
	}
	counts, err := l.Counts(ctx)
	if err == nil {
		h.lists.counts[key] = counts
	}
	return counts, err
}

// rowsOfPage returns the cases of a list's page with their scores of metrics. In a static report rows are cached, so
// metrics must be the same for all pages of a list.
func rowsOfPage(ctx context.Context, l *store.List, metrics []string) ([]store.CaseRow, error) {
	h := heldIn(ctx)
	if h == nil || h.runs[l.State.RunID] == nil {
		return l.Page(ctx, metrics)
	}
	h.lists.mu.Lock()
	defer h.lists.mu.Unlock()
	ids := h.runs[l.State.RunID].ids
	list, together := *l, l.State.Size*pagesTogether
	at := (l.State.Page - 1) * l.State.Size / together
	if len(ids[store.All]) <= rowsHeld { // every list of the run is a part of that of all cases
		list.State, at, together = l.State.In(store.All), 0, rowsHeld
	}
	list.State.Page, list.State.Size = at+1, together
	if key := casesAddress(list.State); h.lists.block != key {
		rows, err := list.Rows(ctx, part(ids[list.State.Mode], at*together, together), metrics)
		if err != nil {
			return nil, err
		}
		h.lists.block, h.lists.rows = key, make(map[string]store.CaseRow, len(rows))
		for i := range rows {
			h.lists.rows[rows[i].ID] = rows[i]
		}
	}
	rows := make([]store.CaseRow, 0, l.State.Size)
	for _, id := range part(ids[l.State.Mode], (l.State.Page-1)*l.State.Size, l.State.Size) {
		rows = append(rows, h.lists.rows[id])
	}
	return rows, nil
}

// part returns at most n elements of list, from index from on.
func part(list []string, from, n int) []string {
	from = min(from, len(list))
	return list[from:min(from+n, len(list))]
}

// heldCase is a case of a static report that was read in a batch, with its neighbors among the cases with pages.
type heldCase struct {
	detail     *store.CaseDetail
	neighbours store.Neighbours
	earlier    *heldAnswers // nil if the page shows none
}

// heldAnswers caches the answers of a baseline run.
type heldAnswers struct {
	cases  map[string]*store.CaseDetail // by case; without those that the run has no scores of
	config scoring.Config
}

type heldKey struct{}

// holding returns a context that provides the cache h to pages.
func holding(ctx context.Context, h *held) context.Context {
	return context.WithValue(ctx, heldKey{}, h)
}

func heldIn(ctx context.Context) *held {
	h, _ := ctx.Value(heldKey{}).(*held)
	return h
}

// detailOf returns the case of a page with its scores, labels and answer, from the cache if it holds the case.
func detailOf(ctx context.Context, p *store.Pages, s *caseState) (*store.CaseDetail, error) {
	if h := heldIn(ctx); h != nil && h.shown != nil {
		return h.shown.detail, nil
	}
	return p.Case(ctx, s.List.RunID, s.Case)
}

// storedOf returns the data from which the view of a case is built.
func (s *Site) storedOf(ctx context.Context, d *store.CaseDetail, run scoring.RunID) (caseview.Input, error) {
	if h := heldIn(ctx); h != nil {
		if of := h.runs[run]; of != nil {
			return caseview.StoredUnder(ctx, s.o.Warehouse, d, run, of.config)
		}
	}
	return caseview.Stored(ctx, s.o.Warehouse, d, run)
}

// neighboursOf returns the neighbors of the page's case: in a static report among the cases with pages, else in the
// list that it was opened from.
func neighboursOf(ctx context.Context, p *store.Pages, s *caseState) (n store.Neighbours, err error) {
	if h := heldIn(ctx); h != nil && h.shown != nil {
		return h.shown.neighbours, nil
	}
	l, err := p.List(ctx, s.List)
	if err != nil {
		return n, err
	}
	return l.Neighbours(ctx, s.Case)
}

// briefMetrics are the metrics whose scores a shortened page shows, in addition to the one explained at its top.
var briefMetrics = map[string]bool{"hybrid_ex": true, "verdict": true, "ex_bird": true, "component_f1": true,
	"refusal": true, "rose": true, "flex": true, "llm_ex": true}

// abridge removes from the page what a shortened one omits: relations that do not hold, and most metrics' scores unless
// they failed. metrics is the number of metrics that the run has scores of.
func (c *onecase) abridge(metrics int) {
	if c.View.Relations != nil {
		short := *c.View.Relations
		short.Tried = nil
		c.View.Relations = &short
	}
	c.LeftOut = metrics
	var groups []metricScores
	for _, g := range c.Metrics {
		kept := metricScores{Group: g.Group}
		for _, s := range g.Scores {
			switch {
			case s.Here: // is at the top
				c.LeftOut--
			case briefMetrics[s.Metric] || s.Status == scoring.StatusFailed:
				c.LeftOut--
				kept.Scores = append(kept.Scores, s)
			}
		}
		if kept.Scores != nil {
			groups = append(groups, kept)
		}
	}
	c.Metrics = groups
	c.Brief = c.briefly()
}
