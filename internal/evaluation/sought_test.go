package evaluation_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// answers is a source of answers: each is the case, the agent and the line.
type answers []string

func (a answers) Cases(context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for _, s := range a {
			f := strings.Split(s, "|")
			if f[0] == "broken" {
				yield(batch.Item{}, errors.New("line 9 is broken"))
				return
			}
			id := scoring.AnswerID{CaseID: f[0], By: scoring.By{Agent: f[1]}}
			cs := &scoring.Case{ID: f[0]}
			cs.Agent.Name = f[1]
			if !yield(batch.Item{AnswerID: id, Place: f[2], Load: func(context.Context) (*scoring.Case, error) { return cs, nil }}, nil) {
				return
			}
		}
	}
}

// One answer is the case; of several the error says how to choose, and of copies where they stand.
func TestInFile(t *testing.T) {
	for _, tc := range []struct {
		why   string
		of    answers
		agent string
		says  []string // of the error; none: the answer is found
	}{
		{"the one", answers{"c0|nova|1", "c1|nova|2", "c2|nova|3"}, "nova", nil},
		{"none", answers{"c0|nova|1"}, "", []string{"--case:", "cases.jsonl has no case", "c1"}},
		{"several agents", answers{"c1|nova|1", "c1|atlas|2", "c1||3"}, "", []string{"3 answers", "agent nova; agent atlas; agent (no name)", "--agent, --agent-version and --batch"}},
		{"twice the same", answers{"c1|nova|line 4", "c1|nova|line 7"}, "", []string{"2 lines with the same answer to the case c1 by agent nova", "line 4, line 7"}},
		{"many", answers{"c1|a|1", "c1|b|2", "c1|c|3", "c1|d|4", "c1|e|5", "c1|f|6"}, "", []string{"6 answers", "agent e; …"}},
		{"a line that cannot be read", answers{"c1|nova|1", "broken||"}, "", []string{"line 9"}},
	} {
		sought := evaluation.Sought{Case: "c1"}
		cs, err := sought.InFile(t.Context(), tc.of, "/secret/place/cases.jsonl")
		if len(tc.says) == 0 {
			if err != nil || cs.ID != "c1" || cs.Agent.Name != tc.agent {
				t.Errorf("%s: %+v, %v", tc.why, cs, err)
			}
			continue
		}
		for _, says := range tc.says {
			if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: %v, want %q", tc.why, err, says)
			}
		}
		if tc.says[0] != "line 9" && !errcode.IsUsage(err) {
			t.Errorf("%s: %v is none of usage", tc.why, err)
		}
	}
}

// The scores are those of this answer, and not of another one to the same case.
func TestScores(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scores.jsonl")
	if err := os.WriteFile(file, []byte(`{"case_id":"c1","agent_name":"nova","metric":"ex_bird","status":"ok","value":1,"gold_hash":"g1"}
{"case_id":"c1","agent_name":"atlas","metric":"ex_bird","status":"ok","value":0,"gold_hash":"g2"}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	cs := &scoring.Case{ID: "c1"}
	cs.Agent.Name = "atlas"
	scores, hash, err := evaluation.Scores(t.Context(), file, cs)
	if err != nil || len(scores) != 1 || scores[0].Value != 0 || hash != "g2" {
		t.Errorf("%+v, %q, %v; want the score 0 of atlas and g2", scores, hash, err)
	}
	cs.Agent.Name = "kim"
	if _, _, err := evaluation.Scores(t.Context(), file, cs); !errcode.IsUsage(err) || !strings.Contains(err.Error(), "has no scores of the case") || !strings.Contains(err.Error(), "(agent kim)") {
		t.Errorf("of another agent: %v", err)
	}
	if _, _, err := evaluation.Scores(t.Context(), file+"x", cs); !errcode.IsUsage(err) || !strings.Contains(err.Error(), file+"x") {
		t.Errorf("no file: %v", err)
	}
}

func TestCompute(t *testing.T) {
	cs := &scoring.Case{ID: "c1", Golds: []scoring.Query{{SQL: "SELECT 1"}}, Pred: scoring.Query{SQL: "SELECT 1"}}
	scores, err := evaluation.Compute(t.Context(), metric.All(), scoring.EngineOptions{}, cs, "tree_match")
	if err != nil || len(scores) != 5 {
		t.Errorf("%d scores, %v; want the four that explain, and the one asked for", len(scores), err)
	}
	if scores, err = evaluation.Compute(t.Context(), metric.All(), scoring.EngineOptions{}, cs, "verdict"); err != nil || len(scores) != 4 {
		t.Errorf("%d scores, %v; want four", len(scores), err)
	}
	if _, err := evaluation.Compute(t.Context(), metric.All(), scoring.EngineOptions{}, cs, "no_such"); !errcode.IsUsage(err) {
		t.Errorf("a metric that there is not: %v", err)
	}
}
