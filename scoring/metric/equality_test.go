package metric

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// Every pair of the laws of equality comes out as the law says: the same answer is accepted by
// verdict without a judge and is 1 in hybrid_ex, another answer is neither. Each law has pairs on
// both sides of its border.
func TestLawsOfEquality(t *testing.T) {
	engine, err := scoring.NewEngine(All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../cell/laws/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, law := range cell.Laws() {
		t.Run(law.Name, func(t *testing.T) {
			files = slices.DeleteFunc(files, func(f string) bool { return strings.TrimSuffix(filepath.Base(f), ".jsonl") == law.Name })
			pairs, err := cell.LawPairs(law.Name)
			if err != nil {
				t.Fatal(err)
			}
			sides := map[bool]int{}
			for _, p := range pairs {
				sides[p.Equal]++
				scores, err := engine.Score(t.Context(), p.Case, "hybrid_ex", "verdict")
				if err != nil {
					t.Fatalf("%s: %v", p.Case.ID, err)
				}
				for _, s := range scores {
					accepted := s.Status == scoring.StatusOK && s.Value == 1
					if (p.Only == "" || p.Only == s.Metric) && accepted != p.Equal {
						t.Errorf("%s: %s accepts it: %v, want %v (%s)", p.Case.ID, s.Metric, accepted, p.Equal, s.Reason)
					}
				}
			}
			if min(sides[true], sides[false]) < 5 {
				t.Errorf("%d pairs are equal and %d are not, expected at least five on each side of the border", sides[true], sides[false])
			}
		})
	}
	for _, f := range files {
		t.Errorf("%s belongs to no law", f)
	}
}
