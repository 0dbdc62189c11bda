package analysis

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/gate"
)

// The metrics of gates are shown next to those that are asked for, once, and are not among the others.
func TestChooseMetrics(t *testing.T) {
	there := []string{"aa", "ex_bird", "hybrid_ex", "zz"}
	for _, tc := range []struct{ asked, gates, chosen, more string }{
		{"zz", "", "zz", "aa ex_bird hybrid_ex"},
		{"zz", "zz", "zz", "aa ex_bird hybrid_ex"},
		{"zz aa", "hybrid_ex", "aa hybrid_ex zz", "ex_bird"},
		{"all", "zz", "aa ex_bird hybrid_ex zz", ""},
	} {
		var gates []gate.Drop
		for _, g := range strings.Fields(tc.gates) {
			gates = append(gates, gate.Drop{Metric: g})
		}
		asked := strings.Fields(tc.asked)
		chosen, more := ChooseMetrics(there, asked, gates)
		want := strings.Fields(tc.chosen)
		sortMetrics(want)
		if strings.Join(chosen, " ") != strings.Join(want, " ") || strings.Join(asked, " ") != tc.asked {
			t.Errorf("%s with gates of %q: %v of %v, want %v", tc.asked, tc.gates, chosen, asked, want)
		}
		if rest := strings.Fields(tc.more); len(more) != len(rest) {
			t.Errorf("%s with gates of %q: others %v, want %v", tc.asked, tc.gates, more, rest)
		}
	}
}
