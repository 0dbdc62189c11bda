package calibration_test

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/policy"
)

// A policy that nobody labelled keeps its rows, and the labels of the other make its own.
func TestMake(t *testing.T) {
	none := []calibration.PolicyPart{{Policy: policy.Answer}, {Policy: policy.Logic}}
	made, err := calibration.MakePolicies(none, "", nil)
	if err != nil || string(made.Table.Format()) != string(policy.Default().Format()) || made.Tried != nil || made.Counted != nil {
		t.Errorf("without sources: %+v, %v; want the delivered table", made, err)
	}

	var asked []string
	label := func(which policy.Policy, from calibration.LabelSource) ([]policy.Labelled, error) {
		asked = append(asked, string(which)+" "+from.Option)
		return slices.Repeat([]policy.Labelled{{Relation: "same_result", Class: "equal", Group: from.Option, Accepted: true}}, 3), nil
	}
	parts := []calibration.PolicyPart{{Policy: policy.Answer}, {Policy: policy.Logic, From: []calibration.LabelSource{{Option: "--logic", Where: "duckdb:secret", Warehouse: true}, {Option: "--chosen", Where: calibration.Laws}}}}
	if made, err = calibration.MakePolicies(parts, "rose@o3", label); err != nil {
		t.Fatal(err)
	}
	if want := []string{"logic --logic", "logic --chosen"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	of := func(rows []policy.Row, which policy.Policy) (out []policy.Row) {
		for _, r := range rows {
			if r.Policy == which {
				out = append(out, r)
			}
		}
		return out
	}
	if before, after := of(policy.Default().Rows(), policy.Answer), of(made.Table.Rows(), policy.Answer); len(before) == 0 || len(before) != len(after) {
		t.Errorf("%d rows of answer, want the %d that were there", len(after), len(before))
	}
	if len(made.Counted) != 1 || len(made.Tried) != 2 || made.Tried[0].Judge != "rose@o3" {
		t.Errorf("counted %d, tried %+v; want one and two", len(made.Counted), made.Tried)
	}
	for _, r := range of(made.Table.Rows(), policy.Logic) {
		if r.Relation == "same_result" && (r.Cases != 3 || r.Shown != 3) {
			t.Errorf("same_result: %d cases and %d that were built, want 3 and 3: what is chosen is no share of people", r.Cases, r.Shown)
		}
	}
	lines := strings.Join(made.Table.Sources, "\n")
	if strings.Contains(lines, "secret") || !strings.Contains(lines, "answer: as before") || !strings.Contains(lines, "--logic") {
		t.Errorf("sources %q", lines)
	}

	gone := errors.New("gone")
	if _, err := calibration.MakePolicies(parts, "", func(policy.Policy, calibration.LabelSource) ([]policy.Labelled, error) { return nil, gone }); !errors.Is(err, gone) {
		t.Errorf("error %v, want %v", err, gone)
	}
}

// Cases without a label say nothing; an error names where its case was read; without both results a
// case counts only where all are asked for.
func TestLabel(t *testing.T) {
	yes := true
	const query = "SELECT n FROM t"
	same := func(human *bool) *scoring.Case {
		return &scoring.Case{ID: "c1", Human: human, Golds: []scoring.Query{{SQL: query}}, Pred: scoring.Query{SQL: query}}
	}
	of := func(cases ...*scoring.Case) iter.Seq2[calibration.Placed, error] {
		return func(yield func(calibration.Placed, error) bool) {
			for _, c := range cases {
				if !yield(calibration.Placed{Case: c, Place: "line 7"}, nil) {
					return
				}
			}
		}
	}
	for _, tc := range []struct {
		why   string
		all   bool
		cases iter.Seq2[calibration.Placed, error]
		want  int
	}{
		{"no label", true, of(same(nil)), 0},
		{"no results", false, of(same(&yes)), 0},
		{"no results, and all are asked for", true, of(same(&yes)), 1},
	} {
		l := calibration.PolicyLabelling{Policy: policy.Answer, Metrics: metric.All(), Judge: "rose", All: tc.all}
		got, err := l.Label(t.Context(), tc.cases)
		if err != nil || len(got) != tc.want {
			t.Errorf("%s: %+v, %v; want %d", tc.why, got, err, tc.want)
		}
		for _, g := range got {
			if !g.Accepted || g.Group != "case c1" || g.Judge != nil {
				t.Errorf("%s: %+v", tc.why, g)
			}
		}
	}
	l := calibration.PolicyLabelling{Policy: policy.Answer, Metrics: metric.All()}
	laws, err := l.Label(t.Context(), calibration.PairsOfLaws)
	if err != nil || len(laws) < 10 {
		t.Errorf("%d pairs of laws, %v", len(laws), err)
	}
	broken := func(yield func(calibration.Placed, error) bool) {
		yield(calibration.Placed{}, errors.New("line 8: broken"))
	}
	if _, err := l.Label(t.Context(), broken); err == nil || !strings.Contains(err.Error(), "line 8") {
		t.Errorf("error %v, want that of the line", err)
	}
}
