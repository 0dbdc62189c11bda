package caseview_test

import (
	"testing"

	"github.com/badger-eval/badger/internal/caseview"
)

// checkCells holds that cells that show all rows on one page account for every cell and row of both
// results, once.
func checkCells(t *testing.T, name string, c *caseview.Cells) {
	t.Helper()
	r := c.Rows
	if r.Equal+r.Differing != r.Matched || r.Matched+r.Missing != r.Gold || r.Matched+r.Extra != r.Agent {
		t.Errorf("%s: the rows do not add up: %+v", name, r)
	}
	cells, rows := map[caseview.State]int{}, map[caseview.State]int{}
	golds, agents := map[int]bool{}, map[int]bool{}
	kinds := map[caseview.RowKind]int{}
	for _, row := range c.Page {
		kinds[row.Kind]++
		has := map[caseview.State]bool{}
		if row.GoldRow > 0 && golds[row.GoldRow] || row.AgentRow > 0 && agents[row.AgentRow] {
			t.Errorf("%s: row %d ↔ %d is shown twice", name, row.GoldRow, row.AgentRow)
		}
		golds[row.GoldRow], agents[row.AgentRow] = true, true
		for _, x := range row.Cells {
			if x.Gold == nil && x.Agent == nil {
				continue
			}
			cells[x.State]++
			has[x.State] = true
			if (x.Gold == nil) != (x.State == caseview.OnlyAgent) || (x.Agent == nil) != (x.State == caseview.OnlyGold) {
				t.Errorf("%s: a cell that is %s has gold %v and answer %v", name, x.State, x.Gold, x.Agent)
			}
		}
		for s := range has {
			rows[s]++
		}
	}
	if len(c.Page) != c.Total || kinds[caseview.MatchedRow] != r.Matched || kinds[caseview.MissingRow] != r.Missing || kinds[caseview.ExtraRow] != r.Extra {
		t.Errorf("%s: %d rows of %d are shown, %v of %+v", name, len(c.Page), c.Total, kinds, r)
	}
	for _, n := range c.Counts {
		if n.Cells != cells[n.State] || n.Rows != rows[n.State] {
			t.Errorf("%s: %d cells in %d rows are counted as %s, %d in %d are shown so", name, n.Cells, n.Rows, n.State, cells[n.State], rows[n.State])
		}
	}
}
