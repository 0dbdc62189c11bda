package site

import (
	"context"
	"sync"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// held caches the data that the pages of a static report share: a page for each of thousands of cases must not need
// a dozen statements.
type held struct {
	pages *store.Pages
	runs  map[scoring.RunID]*heldRun
	brief bool      // pages of cases are short
	note  string    // what is left out of the report
	shown *heldCase // what the page is about; nil: no case
	lists *heldLists
}

// heldRun caches the data that the pages of a run share.
type heldRun struct {
	config  scoring.Config
	ids     map[store.Mode][]string // the cases of a list, in its order
	metrics []string                // whose scores short pages show
	of      int                     // metrics that the run has scores of
}

// heldLists caches the counts of lists, and the rows read last: those of a run, or of several pages of a list, are
// read in one call. It is safe for concurrent use.
type heldLists struct {
	mu     sync.Mutex
	counts map[string]map[store.Mode]int64 // by address of the list of all cases
	block  string                          // what the rows are of
	rows   map[string]store.CaseRow        // by case
}

const (
	rowsHeld      = 20_000 // up to how many cases of a run are held
	pagesTogether = 5      // pages of a list of a larger run that are read in one go
)

// countsOf are how many cases each mode of a list has.
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

// rowsOfPage are the cases of a page of a list with the scores of some metrics, which are the same
// for all pages of a list.
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

// part is at most n of a list, from a place on.
func part(list []string, from, n int) []string {
	from = min(from, len(list))
	return list[from:min(from+n, len(list))]
}

// heldCase is a case that was read together with others, and where it stands among those that have
// pages.
type heldCase struct {
	detail     *store.CaseDetail
	neighbours store.Neighbours
}

type heldKey struct{}

// holding is a context in which pages find what they share.
func holding(ctx context.Context, h *held) context.Context {
	return context.WithValue(ctx, heldKey{}, h)
}

func heldIn(ctx context.Context) *held {
	h, _ := ctx.Value(heldKey{}).(*held)
	return h
}

// detailOf is all that is known of the case of a page.
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

// neighboursOf finds where the case of a page is in the list that it was opened from.
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

// briefMetrics are those whose scores are on a short page, in addition to the metric that is explained at its top.
var briefMetrics = map[string]bool{"hybrid_ex": true, "verdict": true, "ex_bird": true, "component_f1": true,
	"refusal": true, "rose": true, "flex": true, "llm_ex": true}

// briefRows is how many rows a short page shows.
const briefRows = 25

// rowsOf is how many rows the page of a case shows; 0: as many as pages do.
func rowsOf(ctx context.Context) int {
	if h := heldIn(ctx); h != nil && h.brief {
		return briefRows
	}
	return 0
}

// abridge leaves out what a short page does not show, for a run with scores of the given number of metrics.
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
