//go:build !no_duckdb

package site

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
)

func TestHowTested(t *testing.T) {
	t.Parallel()
	number := func(v float64) *float64 { return &v }
	c := &analysis.Comparison{Alpha: 0.05, Primary: "hybrid_ex", Changes: []analysis.Change{
		{Metric: "hybrid_ex", Rated: 44, NBroken: 21, NFixed: 6, P: number(0.0059), PAdjusted: number(0.0059),
			RateP: number(0.0059), Family: 1, To: analysis.Figures{Abstained: 23, NotApplicable: 12}},
		{Metric: "verdict", P: number(0.01), PAdjusted: number(0.03), Family: 9},
		{Metric: "row_f1", Compared: 40, P: number(0.2), PAdjusted: number(1), Family: 9},
	}}
	for _, tt := range []struct {
		primary   string
		has, lack []string
	}{
		{"hybrid_ex", []string{
			"Right result is tested on the 44 questions", "McNemar's exact test of 21 broken against 6 fixed: p 0.006",
			"Wilson", "Tango", "p of Right result is not adjusted.", "among 9 metrics (Holm); of the 2 here, 1 is below 0.05.",
			"23 undecided, 12 where no result is expected"}, []string{"Sign-flip", "failed"}},
		{"row_f1", []string{"Whole rows in common is tested on the 40 questions", "Sign-flip test", "p 0.200"},
			[]string{"McNemar", "Tango", "not adjusted"}},
		{"refusal", nil, nil},
	} {
		got := strings.Join(howTested(c, tt.primary), " ")
		for _, text := range tt.has {
			if !strings.Contains(got, text) {
				t.Errorf("%s: %q lacks %q", tt.primary, got, text)
			}
		}
		for _, text := range tt.lack {
			if strings.Contains(got, text) {
				t.Errorf("%s: %q has %q", tt.primary, got, text)
			}
		}
		if tt.has == nil && got != "" {
			t.Errorf("%s: %q, want nothing", tt.primary, got)
		}
	}
}

// The fold is on both pages that show a change, and has the p-value of the headline's test.
func TestTestedOnPages(t *testing.T) {
	s := siteOf(t, sitetest.Small(t))
	for _, at := range []string{runAddress(night2), compareAddress(sides{From: night1, To: []scoring.RunID{night2}})} {
		doc := shows(t, s, at)
		fold := doc.Find("details.fold").FilterFunction(func(_ int, d *goquery.Selection) bool {
			return strings.HasPrefix(d.Find("summary").Text(), "How this was tested")
		})
		if fold.Length() != 1 || !strings.Contains(fold.Text(), "McNemar's exact test of") {
			t.Errorf("%s: %d folds: %q", at, fold.Length(), fold.Text())
		}
	}
}

// The largest steps are compared as a comparison of the same two batches is, the newest first. A step within the usual
// range is left out.
func TestMoves(t *testing.T) {
	s := siteOf(t, sitetest.Small(t))
	share := func(right int) *float64 { v := float64(right) / 44; return &v }
	of := func(run int, right, outside int) night {
		n := night{Name: "n", Right: right, Asked: 44, Share: share(right), Outside: outside}
		n.Of.By, n.Run.RunID = night1.By, night1
		if run == 2 {
			n.Of.By, n.Run.RunID = night2.By, night2
		}
		return n
	}
	nights := []night{of(1, 40, 0), of(2, 20, -1), of(2, 21, 0), of(2, 19, 0)}
	moves := func(limits bool) []moved {
		t.Helper()
		got, err := s.movesOf(t.Context(), nights, []usual{{From: 0, To: 4, Limits: limits}}, "hybrid_ex")
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := moves(false)
	if len(got) != 3 || got[0].Name != "n, 2.0: −5 points" || got[1].Name != "n, 2.0: +2 points" ||
		got[2].Name != "n, 2.0: −45 points" || got[2].Class != "" && got[2].Class != "down" {
		t.Fatalf("%+v", got)
	}
	if usual := moves(true); len(usual) != 1 || usual[0] != got[2] {
		t.Errorf("within the usual range: %+v", usual)
	}
	nights[1].Part = true // without all answers
	if got := moves(false); len(got) != 1 {
		t.Errorf("%+v", got)
	}
	last := got[len(got)-1]
	set := analysis.NewSet(s.o.Metrics)
	src, err := s.scores()
	if err != nil {
		t.Fatal(err)
	}
	c, err := src.Compare(t.Context(), set, sideOf(night1), sideOf(night2), analysis.Batch{By: night1.By}, analysis.Batch{By: night2.By},
		analysis.CompareOptions{Metrics: []string{"hybrid_ex"}, Primary: "hybrid_ex"})
	if err != nil {
		t.Fatal(err)
	}
	want := count(c.Changes[0].NBroken) + " broke, " + count(c.Changes[0].NFixed) + " fixed of "
	if !strings.HasPrefix(last.Text, want) {
		t.Errorf("%q, want %q", last.Text, want)
	}
}

func TestKeyName(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"hybrid_ex": "Right result", "verdict@o3": "Verdict, judge o3", "mine": "mine", "mine@o3": "mine, judge o3", "": "",
	} {
		if got := keyName(key); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}
