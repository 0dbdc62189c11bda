//go:build !no_duckdb

package caseview_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// TestSameNumbersAsTheScore holds that every case of the demonstration is shown under the mapping
// that is stored with its score, with the same counts; that all cells and rows are accounted for;
// and that every recorded question of a judge can be put again to the byte. It looks at one case in five, or where tests
// are thorough at all.
func TestSameNumbersAsTheScore(t *testing.T) {
	w := sitetest.Open(t, sitetest.Small(t))
	pages, err := w.Pages(t.Context(), metric.All())
	if err != nil {
		t.Fatal(err)
	}
	const share = 5
	compared, asked := 0, 0
	for _, run := range []scoring.RunID{
		{ID: "night-1.0", By: scoring.By{Agent: "atlas", Version: "1.0", Batch: "atlas-1.0"}}, {ID: "night-2.0", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: "atlas-2.0"}}, {ID: "judged", By: scoring.By{Agent: "atlas", Version: "2.0", Batch: sitetest.Rerun}},
	} {
		list, err := pages.List(t.Context(), store.State{RunID: run, Mode: store.All, Page: 1, Size: store.MaxSize})
		if err != nil {
			t.Fatal(err)
		}
		i := -1
		for id, err := range list.IDs(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if i++; !sample.Takes(i, store.MaxSize, share) {
				continue
			}
			d, err := pages.Case(t.Context(), run, id)
			if err != nil {
				t.Fatal(err)
			}
			in, err := caseview.Stored(t.Context(), w, d, run)
			if err != nil {
				t.Fatal(err)
			}
			recorded := withoutRequests(in.Assessments)
			v, err := caseview.Build(t.Context(), in, caseview.Options{Cells: caseview.CellOptions{Show: caseview.All, Rows: 1 << 20}})
			if err != nil {
				t.Fatalf("%s %s: %v", run.ID, id, err)
			}
			if compareStored(t, run.ID+" "+id, &in, v) {
				compared++
			}
			if v.Judge == nil {
				continue
			}
			for _, vote := range v.Judge.Asked {
				asked++
				if diff := cmp.Diff(recorded[vote.ID], vote.Question); diff != "" || !vote.Rebuilt {
					t.Errorf("%s %s: the question %s (%s) was put again: %t\n%s", run.ID, id, vote.Kind, vote.RequestHash, vote.Rebuilt, diff)
				}
			}
		}
	}
	if compared < sample.Count(100, 2*share) || asked < sample.Count(100, 2*share) {
		t.Errorf("only %d cases were compared and %d questions put again", compared, asked)
	}
}

// withoutRequests takes the recorded questions from assessments, so that they must be put again.
func withoutRequests(list []judgebackend.Assessment) map[string][]caseview.Message {
	out := map[string][]caseview.Message{}
	for i := range list {
		for _, m := range list[i].Request.Messages {
			out[list[i].ID] = append(out[list[i].ID], caseview.Message{Role: string(m.Role), Text: m.Content})
		}
		list[i].Request = nil
	}
	return out
}

// compareStored compares a view with the detail of the score of hybrid_ex.
func compareStored(t *testing.T, name string, in *caseview.Input, v *caseview.View) bool {
	t.Helper()
	var stored metric.Hybrid
	for _, s := range in.Scores {
		if s.Metric != "hybrid_ex" || s.Status != scoring.StatusOK {
			continue
		}
		raw, ok := s.Detail.(json.RawMessage)
		if !ok || json.Unmarshal(raw, &stored) != nil {
			return false // a query that failed has no detail
		}
		if v.Cells == nil || v.Mapping == nil {
			t.Errorf("%s: no comparison: %v", name, v.Notes)
			return false
		}
		c, r := &stored.Counts, v.Cells.Rows
		if !v.Stored || *v.Score != s.Value || v.Mapping.Method != c.Method || r.Matched != c.Matched || r.Gold != c.GoldRows || r.Agent != c.PredRows {
			t.Errorf("%s: stored %t, score %v of %v, %s %+v, want %+v", name, v.Stored, *v.Score, s.Value, v.Mapping.Method, r, c)
		}
		if len(stored.Alignment.Missing) == 0 && c.Method != cell.MethodTrivial && r.Equal != c.Equal {
			t.Errorf("%s: %d rows agree, the score counts %d", name, r.Equal, c.Equal)
		}
		for i, col := range v.Mapping.Columns {
			if col.Agent != nil && c.ColumnEqual != nil && col.Equal != c.ColumnEqual[i] {
				t.Errorf("%s: column %s: %d cells are equal, the score counts %d", name, col.Name, col.Equal, c.ColumnEqual[i])
			}
		}
		checkCells(t, name, v.Cells)
		return true
	}
	return false
}
