package scoring_test

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

func TestPrimary(t *testing.T) {
	t.Parallel()
	half := 0.5
	known := []scoring.Metric{{Name: "share"}, {Name: "late"}, {Name: "pass", Threshold: &half}, {Name: "hybrid_ex", Threshold: &half}, {Name: "verdict", Threshold: &half}}
	for _, tc := range []struct{ why, declared, names, want string }{
		{"the default", "", "verdict hybrid_ex", "hybrid_ex"},
		{"the declared one", "verdict", "hybrid_ex verdict", "verdict"},
		{"a declared one that gives no verdict", "share", "share hybrid_ex", "share"},
		{"a declared one that is not known", "mine", "mine hybrid_ex", "mine"},
		{"a declared one without scores", "verdict", "share hybrid_ex", "hybrid_ex"},
		{"the first with verdicts", "", "verdict pass late", "pass"},
		{"none with verdicts: the order of known", "", "late zz share", "share"},
		{"none known: by name", "", "zz mine", "mine"},
		{"nothing", "verdict", "", ""},
	} {
		if got := scoring.Primary(tc.declared, strings.Fields(tc.names), known); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.why, got, tc.want)
		}
	}
}
