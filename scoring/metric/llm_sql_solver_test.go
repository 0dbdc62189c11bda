package metric

import (
	"bufio"
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// The judge sees the schema and the queries; each strategy asks a different question (Zhao et al. 2023; FLEX,
// section 4.3: without question, knowledge and results).
func TestSQLSolverSeesQueriesAlone(t *testing.T) {
	for strategy, version := range map[string]string{"semantic": "llm_sql_solver_semantic/1", "relaxed": "llm_sql_solver_relaxed/1"} {
		c, err := scoring.DecodeCase([]byte(strings.Replace(judgedCase, "%", "pred-cell", 1)))
		if err != nil {
			t.Fatal(err)
		}
		c.Options = map[string]json.RawMessage{"llm_sql_solver": json.RawMessage(`{"strategy": "` + strategy + `"}`)}
		judge := &asked{replies: map[string]string{"llm_sql_solver": `{"analysis": "", "equivalent": true`}}
		engine, err := scoring.NewEngine(All(), &scoring.EngineOptions{Judge: judge})
		if err != nil {
			t.Fatal(err)
		}
		scores, err := engine.Score(t.Context(), c, "llm_sql_solver")
		if err != nil {
			t.Fatal(err)
		}
		if s := scores[0]; s.Value != 1 || s.Usage == nil || s.Usage.Calls != 1 || len(judge.got) != 1 {
			t.Fatalf("%s: %s %v %s, %d calls", strategy, s.Status, s.Value, s.Reason, len(judge.got))
		}
		r := judge.got[0]
		text := r.Messages[len(r.Messages)-1].Content
		for _, part := range []string{"S-text", "duckdb", "SELECT gold", "SELECT pred"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s does not see %s", strategy, part)
			}
		}
		for _, part := range []string{"Q-text", "E-text", "gold-cell", "pred-cell"} {
			if strings.Contains(text, part) {
				t.Errorf("%s sees %s", strategy, part)
			}
		}
		if r.PromptVersion != version || r.Temperature != scoring.JudgeTemperature {
			t.Errorf("%s: prompt %s, temperature %v", strategy, r.PromptVersion, r.Temperature)
		}
	}
}

// agreementOf is Cohen's kappa of verdicts with labels.
func agreementOf(verdicts, labels map[string]bool) float64 {
	var n [2][2]int
	at := map[bool]int{true: 1}
	for id, verdict := range verdicts {
		n[at[verdict]][at[labels[id]]]++
	}
	return kappaOf(n[1][1], n[1][0], n[0][1], n[0][0])
}

// A proof that the queries are the same brings the recorded verdicts of LLM-SQL-Solver nearer to
// those of experts with each judge model, and saves calls.
func TestProofsHelpRecordedSolvers(t *testing.T) {
	f, err := os.Open(referenceData(t, "rosevec/assessments.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	proved, labels := map[string]bool{}, map[string]bool{}
	for _, c := range recordedCases(t, "rosevec/cases.jsonl") {
		if c.Human != nil {
			proved[c.ID] = proofOf(&scoring.Input{Case: c.Case, Gold: &c.Golds[0], Pred: &c.Pred}) != nil
			labels[c.ID] = *c.Human
		}
	}
	recorded, helped, saved := map[string]map[string]bool{}, map[string]map[string]bool{}, map[string]int{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var a struct {
			CaseID  string  `json:"case_id"`
			Backend string  `json:"backend"`
			Method  string  `json:"method"`
			Score   float64 `json:"score"`
		}
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		if _, labelled := labels[a.CaseID]; a.Method != "llm_sql_solver" || !labelled {
			continue
		}
		if recorded[a.Backend] == nil {
			recorded[a.Backend], helped[a.Backend] = map[string]bool{}, map[string]bool{}
		}
		recorded[a.Backend][a.CaseID] = a.Score == 1
		helped[a.Backend][a.CaseID] = a.Score == 1 || proved[a.CaseID]
		if proved[a.CaseID] {
			saved[a.Backend]++
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for _, b := range slices.Sorted(maps.Keys(recorded)) {
		before, after := 100*agreementOf(recorded[b], labels), 100*agreementOf(helped[b], labels)
		t.Logf("%-16s n %d  kappa %.2f -> %.2f  %d calls saved", b, len(recorded[b]), before, after, saved[b])
		if math.IsNaN(before) || after < before {
			t.Errorf("%s: kappa %.2f becomes %.2f", b, before, after)
		}
	}
	if len(recorded) != 3 {
		t.Errorf("%d judges with recorded verdicts, want 3", len(recorded))
	}
}
