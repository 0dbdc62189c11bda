package calibration

import (
	"fmt"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/assessfile"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

// A backend that recorded replies about some cases only: what the evidence decides of the others
// would stand for all of them.
func TestCasesThatABackendWasNotAskedAbout(t *testing.T) {
	const yes, no = agreement.Pass, agreement.Fail
	ok := func(v agreement.Vote, calls int) Score {
		return Score{Status: scoring.StatusOK, Verdict: v, Calls: calls}
	}
	failed := Score{Status: scoring.StatusFailed}
	for _, c := range []struct {
		why      string
		recorded string // cases with a reply to the metric
		others   string // with a reply to another metric
		scores   []Score
		want     []agreement.Vote
	}{
		{"everything was asked, or is decided", "a", "", []Score{ok(yes, 1), ok(yes, 0), ok(no, 0)}, []agreement.Vote{yes, yes, no}},
		{"c would have been asked: b, which the evidence decides, does not count either", "a", "", []Score{ok(yes, 1), ok(yes, 0), failed}, []agreement.Vote{yes, agreement.Missing, agreement.Missing}},
		{"b was assessed", "ab", "", []Score{ok(yes, 1), ok(yes, 0), failed}, []agreement.Vote{yes, yes, agreement.Missing}},
		{"replies to other metrics do not make it assessed", "a", "abc", []Score{ok(yes, 1), ok(yes, 0), failed}, []agreement.Vote{yes, agreement.Missing, agreement.Missing}},
		{"the backend was never asked", "", "abc", []Score{ok(yes, 0), ok(yes, 0), failed}, []agreement.Vote{agreement.Missing, agreement.Missing, agreement.Missing}},
	} {
		var file strings.Builder
		for method, ids := range map[string]string{"m": c.recorded, "other": c.others} {
			for _, id := range ids {
				fmt.Fprintf(&file, `{"case_id": "%c", "backend": "x", "method": %q, "reply_text": "{}"}`+"\n", id, method)
			}
		}
		f, err := assessfile.Read(t.Context(), "a", strings.NewReader(file.String()), assessfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var done []assessed
		for i, s := range c.scores {
			done = append(done, assessed{c: Case{ID: string(rune('a' + i)), Label: yes}, scores: []Score{s}})
		}
		m := scored{metric: &scoring.Metric{Name: "m"}, by: &backend{name: "x", runs: f.Runs()}}
		m.leaveOut(done, 0)
		for i, want := range c.want {
			if got := done[i].scores[0].Verdict; got != want {
				t.Errorf("%s: verdict on %s is %v, want %v", c.why, done[i].c.ID, got, want)
			}
		}
	}
}
