package metric

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
	cex "github.com/badger-eval/badger/scoring/counterexample"
)

// finder finds a given counterexample, and counts how often it is called.
type finder struct {
	outcome cex.Outcome
	asked   int
}

func (f *finder) Find(context.Context, *cex.Problem) (*cex.Outcome, error) {
	f.asked++
	return &f.outcome, nil
}

// Under the policy logic the same result passes if no counterexample is found. One that is found is shown to the
// judge, whose prompt is otherwise unchanged. Under answer it decides nothing.
func TestVerdictMindsCounterexamples(t *testing.T) {
	text := `{"case_id": "1", "question": "Q", "dialect": "sqlite",
		"gold": {"sql": "SELECT max(n) FROM t", "result": {"columns": ["n"], "rows": [[71]]}},
		"agent": {"sql": "SELECT n FROM t ORDER BY n DESC LIMIT 1", "result": {"columns": ["n"], "rows": [[71]]}}}`
	found := cex.Outcome{Found: true, Realistic: true, Tries: 3, Sentence: "where t has no rows, gold returns NULL", Tables: []cex.SmallTable{{Name: "t", Columns: []string{"n"}, Rows: [][]cex.Value{}}}}
	odd := found
	odd.Realistic, odd.Breaks = false, []string{"t has rows"}
	for _, tc := range []struct {
		why, options string
		outcome      cex.Outcome
		decidedBy    string
		searched     int
		prompt       string // empty: no judge is asked
		told         []string
	}{
		{"it is off", `{"policy": "logic", "judge": "flex"}`, found, "judge", 0, "flex_same/1", nil},
		{"none is found", `{"policy": "logic", "judge": "flex", "counterexample": true}`, cex.Outcome{Tries: 150}, "evidence", 1, "", nil},
		{"one is found", `{"policy": "logic", "judge": "flex", "counterexample": true}`, found, "judge", 1, "flex_same-counterexample/1", []string{found.Sentence, "t (n): no rows"}},
		{"an unrealistic one is found", `{"policy": "logic", "judge": "flex", "counterexample": true}`, odd, "judge", 1, "flex_same-counterexample/1", []string{"No realistic database that was tried shows a difference\nt ("}},
		{"nothing could be searched", `{"policy": "logic", "judge": "flex", "counterexample": true}`, cex.Outcome{Why: "PIVOT"}, "judge", 1, "flex_same/1", nil},
		{"the Refuter is told", `{"policy": "logic", "counterexample": true}`, found, "judge", 1, "rose_refuter_same-counterexample/1", []string{found.Sentence}},
		{"the data that was delivered answers", `{"policy": "answer", "counterexample": true}`, found, "evidence", 1, "", nil},
	} {
		t.Run(tc.why, func(t *testing.T) {
			judge := &asked{replies: map[string]string{
				"flex": `{"analysis": "", "correct": true`, "rose/refuter": `{"judgement": "", "verdict": false, "ambiguity": "na", "gold_correct": true`,
			}}
			f := &finder{outcome: tc.outcome}
			e, err := scoring.NewEngine(With(Tools{Counterexamples: f}), &scoring.EngineOptions{Judge: judge})
			if err != nil {
				t.Fatal(err)
			}
			c, err := scoring.DecodeCase([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			c.Options = map[string]json.RawMessage{"verdict": json.RawMessage(tc.options)}
			scores, err := e.Score(t.Context(), c, "verdict")
			if err != nil {
				t.Fatal(err)
			}
			s := scores[0]
			d, ok := s.Detail.(verdictDetail)
			if !ok || s.Value != 1 || d.DecidedBy != tc.decidedBy || f.asked != tc.searched {
				t.Errorf("%v by %s (%s) after %d searches, want 1 by %s after %d", s.Value, d.DecidedBy, s.Reason, f.asked, tc.decidedBy, tc.searched)
			}
			if (d.Counterexample != nil) != (tc.searched > 0) {
				t.Errorf("the detail has %+v", d.Counterexample)
			}
			if tc.prompt == "" {
				if len(judge.got) > 0 {
					t.Errorf("the judge was asked %s", judge.got[0].PromptVersion)
				}
				return
			}
			if len(judge.got) != 1 || judge.got[0].PromptVersion != tc.prompt {
				t.Fatalf("the judge was asked %+v, want %s once", judge.got, tc.prompt)
			}
			for _, want := range tc.told {
				if !strings.Contains(judge.got[0].Messages[1].Content, want) {
					t.Errorf("the judge is not told %q:\n%s", want, judge.got[0].Messages[1].Content)
				}
			}
		})
	}
}

// A counterexample invalidates a proof, in whatever order the metrics are computed: the proof is a bug, and both
// scores have a warning.
func TestCounterexampleOfWhatIsProven(t *testing.T) {
	found := cex.Outcome{Found: true, Realistic: true, Tries: 3, Sentence: "they differ"}
	for _, tc := range []struct {
		pred   string
		proven bool
	}{
		{"SELECT b, a FROM t WHERE 1 < a", true}, // columns in another order are not a difference
		{"SELECT a, b FROM t WHERE 1 < a", true},
		{"SELECT a, b FROM t WHERE 1 <= a", false},
	} {
		for _, asked := range [][]string{{"verdict", "counterexample"}, {"counterexample", "verdict"}, {"verdict"}} {
			e, err := scoring.NewEngine(With(Tools{Counterexamples: &finder{outcome: found}}), nil)
			if err != nil {
				t.Fatal(err)
			}
			c := &scoring.Case{
				ID: "1", Dialect: "sqlite", Golds: []scoring.Query{{SQL: "SELECT a, b FROM t WHERE a > 1"}}, Pred: scoring.Query{SQL: tc.pred},
				Options: map[string]json.RawMessage{"verdict": json.RawMessage(`{"without_judge": "abstain"}`)},
			}
			scores, err := e.Score(t.Context(), c, asked...)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range scores {
				void := strings.Contains(strings.Join(s.Warnings, " "), "bug of badger")
				if want := tc.proven && len(asked) == 2; void != want {
					t.Errorf("%s of %s: warnings %q, want a void proof: %v", s.Metric, tc.pred, s.Warnings, want)
				}
				if rests := s.Metric == "verdict" && s.Value == 1; rests != (s.Metric == "verdict" && tc.proven && len(asked) == 1) {
					t.Errorf("%v, %s of %s: %s %v, %s", asked, s.Metric, tc.pred, s.Status, s.Value, s.Reason)
				}
			}
		}
	}
}
