package site

import (
	"context"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/caselist"
	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/scoring"
)

// held is what the pages of a static report share, so that each need not read it again: a page for
// each of thousands of cases may not take a dozen statements.
type held struct {
	pages   *connectors.Pages
	configs map[caselist.Run]scoring.Config
	shown   *heldCase // what the page is about; nil: no case
}

// heldCase is a case that was read together with others, and where it stands among those that have
// pages.
type heldCase struct {
	detail     *connectors.CaseDetail
	neighbours connectors.Neighbours
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
func detailOf(ctx context.Context, p *connectors.Pages, s *caseState) (*connectors.CaseDetail, error) {
	if h := heldIn(ctx); h != nil && h.shown != nil {
		return h.shown.detail, nil
	}
	return p.Case(ctx, s.List.Run, s.Case)
}

// storedOf is what the view of a case is built from.
func (s *Site) storedOf(ctx context.Context, d *connectors.CaseDetail, run caselist.Run) (caseview.Input, error) {
	if h := heldIn(ctx); h != nil {
		if config, there := h.configs[run]; there {
			return caseview.StoredUnder(ctx, s.o.Warehouse, d, run, config)
		}
	}
	return caseview.Stored(ctx, s.o.Warehouse, d, run)
}

// neighboursOf finds where the case of a page is in the list that it was opened from.
func neighboursOf(ctx context.Context, p *connectors.Pages, s *caseState) (n connectors.Neighbours, err error) {
	if h := heldIn(ctx); h != nil && h.shown != nil {
		return h.shown.neighbours, nil
	}
	l, err := p.List(ctx, s.List)
	if err != nil {
		return n, err
	}
	return l.Neighbours(ctx, s.Case)
}
