package metric

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

func TestVersionTag(t *testing.T) {
	for _, tc := range []struct{ why, model, released, backend, want string }{
		{"the paper's own example", "o3", "2504", "", "rose_o3-2504"},
		{"options go before the backend", "o3", "2504", "gpt-4o-2024-08-06", "rose_o3-2504"},
		{"a date at the end of a model's name is its release", "", "", "gpt-4o-2024-08-06", "rose_gpt-4o-2408"},
		{"also without hyphens", "", "", "claude-x-20250514", "rose_claude-x-2505"},
		{"a date is not taken from a model that was not named", "mine", "", "gpt-4o-2024-08-06", "rose_mine"},
		{"a name without a date has no month", "", "", "o3", "rose_o3"},
		{"a month alone names no model", "", "2504", "", ""},
		{"the month may be told of the backend's model", "", "2504", "o3", "rose_o3-2504"},
		{"digits that are no date are part of the name", "", "", "llama-20251399", "rose_llama-20251399"},
	} {
		if got := versionTag("rose", tc.model, tc.released, tc.backend); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.why, got, tc.want)
		}
	}
}

func TestRemarkTakesAnyJSON(t *testing.T) {
	for in, want := range map[string]remark{`" a "`: "a", `null`: "", `{"b": [1, 2]}`: `{"b":[1,2]}`, `[ ]`: "[]", `12`: "12"} {
		var got remark
		if err := json.Unmarshal([]byte(in), &got); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", in, got, err, want)
		}
	}
}

// asked is a judge that keeps what it was asked and gives the reply for a purpose, with the
// one-time word that the question wants.
type asked struct {
	replies map[string]string // without the closing brace
	got     []judgebackend.Request
}

func (a *asked) Identity() judgebackend.Identity {
	return judgebackend.Identity{Backend: "test", Model: "m-2025-04-16"}
}

func (a *asked) Complete(_ context.Context, r judgebackend.Request) (judgebackend.Response, error) {
	a.got = append(a.got, r)
	_, word, _ := strings.Cut(r.Messages[len(r.Messages)-1].Content, "Set the field nonce of your answer to ")
	word, _, _ = strings.Cut(word, ".")
	return judgebackend.Response{Reply: a.replies[r.Purpose] + `, "nonce": "` + word + `"}`, FinishReason: judgebackend.FinishStop}, nil
}

const judgedCase = `{"case_id": "1", "question": "Q-text", "evidence": "E-text", "schema_ddl": "S-text", "dialect": "duckdb",
	"gold": {"sql": "SELECT gold", "result": {"columns": [{"name": "c"}], "rows": [["gold-cell"]]}},
	"agent": {"sql": "SELECT pred", "result": {"columns": [{"name": "c"}], "rows": [["%"]]}}}`

// What each judge may see, and what must be kept from it, is what makes these metrics work.
func TestJudgesSeeWhatThePapersSay(t *testing.T) {
	for _, tc := range []struct {
		why, metric, cell string
		replies           map[string]string
		sees, misses      map[string][]string // by purpose
		value             float64
	}{
		{
			"the results differ: the Prover sees no reference, the Refuter everything and the Prover's reason (4.1, 4.2.2)", "rose", "pred-cell",
			map[string]string{"rose/prover": `{"reason": "R-text", "verdict": true`, "rose/refuter": `{"judgement": "", "verdict": false, "ambiguity": "na", "gold_correct": true`},
			map[string][]string{
				"rose/prover":  {"Q-text", "E-text", "S-text", "duckdb", "SELECT pred", "pred-cell"},
				"rose/refuter": {"Q-text", "E-text", "S-text", "SELECT pred", "pred-cell", "SELECT gold", "gold-cell", "R-text"},
			},
			map[string][]string{"rose/prover": {"gold"}}, 1,
		},
		{
			"the results are the same: the Refuter alone is asked and sees none (4.2.1)", "rose", "gold-cell",
			map[string]string{"rose/refuter": `{"judgement": "", "verdict": false, "ambiguity": "na", "gold_correct": true`},
			map[string][]string{"rose/refuter": {"Q-text", "E-text", "S-text", "SELECT pred", "SELECT gold"}},
			map[string][]string{"rose/refuter": {"gold-cell"}}, 1,
		},
		{
			"equal results are kept from the judge, who would take them for proof (FLEX, 5.2)", "flex", "gold-cell",
			map[string]string{"flex": `{"analysis": "A-text", "correct": true`},
			map[string][]string{"flex": {"Q-text", "E-text", "S-text", "SELECT pred", "SELECT gold"}},
			map[string][]string{"flex": {"gold-cell"}}, 1,
		},
		{
			"different results are shown, and a difference is explained in a second call", "flex", "pred-cell",
			map[string]string{
				"flex":             `{"analysis": "A-text", "correct": true`,
				"flex/differences": `{"different_output_structure": {"issued": false, "explanation": ""}, "different_output_value_representation": {"issued": true, "explanation": "x"}, "incorrect_ground_truth_query": {"issued": false, "explanation": ""}, "multiple_answers_available": {"issued": false, "explanation": ""}, "other_minor_issues": {"issued": false, "explanation": ""}`,
			},
			map[string][]string{
				"flex":             {"Q-text", "E-text", "S-text", "SELECT pred", "pred-cell", "SELECT gold", "gold-cell"},
				"flex/differences": {"A-text", "pred-cell", "gold-cell"},
			},
			nil, 1,
		},
	} {
		t.Run(tc.why, func(t *testing.T) {
			c, err := scoring.DecodeCase([]byte(strings.Replace(judgedCase, "%", tc.cell, 1)))
			if err != nil {
				t.Fatal(err)
			}
			judge := &asked{replies: tc.replies}
			engine, err := scoring.NewEngine(All(), &scoring.EngineOptions{Judge: judge})
			if err != nil {
				t.Fatal(err)
			}
			scores, err := engine.Score(t.Context(), c, tc.metric)
			if err != nil {
				t.Fatal(err)
			}
			s := scores[0]
			if s.Status != scoring.StatusOK || s.Value != tc.value || len(s.Warnings) > 0 {
				t.Fatalf("%s %v: %s %v", s.Status, s.Value, s.Reason, s.Warnings)
			}
			if d, ok := s.Detail.(roseDetail); ok && d.Judge != "rose_m-2504" {
				t.Errorf("tag %q", d.Judge)
			}
			if len(judge.got) != len(tc.replies) || s.Usage == nil || s.Usage.Calls != len(tc.replies) {
				t.Errorf("%d calls, usage %+v, want %d", len(judge.got), s.Usage, len(tc.replies))
			}
			for _, r := range judge.got {
				text := r.Messages[len(r.Messages)-1].Content
				for _, part := range tc.sees[r.Purpose] {
					if !strings.Contains(text, part) {
						t.Errorf("%s does not see %s", r.Purpose, part)
					}
				}
				for _, part := range tc.misses[r.Purpose] {
					if strings.Contains(text, part) {
						t.Errorf("%s sees %s", r.Purpose, part)
					}
				}
				if r.Temperature != scoring.JudgeTemperature {
					t.Errorf("temperature %v", r.Temperature)
				}
			}
		})
	}
}
