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
				want := scoring.JudgeTemperature
				if tc.metric == "flex" {
					want = 0 // FLEX, appendix A.2
				}
				if r.Temperature != want {
					t.Errorf("%s: temperature %v, want %v", r.Purpose, r.Temperature, want)
				}
			}
		})
	}
}

const accepting = `{"judgement": "", "verdict": false, "ambiguity": "na", "gold_correct": true`

// scoreJudged scores judgedCase, whose results differ, by one metric.
func scoreJudged(t *testing.T, metric, options string, o scoring.EngineOptions) scoring.Score {
	t.Helper()
	c, err := scoring.DecodeCase([]byte(strings.Replace(judgedCase, "%", "pred-cell", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if options != "" {
		o.Config.Options = map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(options), &o.Config.Options); err != nil {
			t.Fatal(err)
		}
	}
	engine, err := scoring.NewEngine(All(), &o)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := engine.Score(t.Context(), c, metric)
	if err != nil {
		t.Fatal(err)
	}
	if scores[0].Status != scoring.StatusOK {
		t.Fatalf("%s: %s", scores[0].Status, scores[0].Reason)
	}
	return scores[0]
}

// The prompt version and the score name the form of a question; the paper's form contains none of badger's
// findings. The metric verdict asks in the form that rose and flex are configured for.
func TestForms(t *testing.T) {
	const note = "What a comparison of the two results found"
	replies := map[string]string{"rose/prover": `{"reason": "", "verdict": true`, "rose/refuter": accepting, "flex": `{"analysis": "", "correct": true`}
	for _, tc := range []struct {
		metric, options, purpose, version, form string
		noted                                   bool
	}{
		{"rose", ``, "rose/refuter", "rose_refuter/2", "own", true},
		{"rose", `{"rose": {"form": "paper"}}`, "rose/refuter", "rose_refuter-paper/2", "paper", false},
		{"flex", `{"flex": {"categories": false}}`, "flex", "flex_differ/2", "own", true},
		{"flex", `{"flex": {"form": "paper", "categories": false}}`, "flex", "flex_differ-paper/2", "paper", false},
		{"verdict", ``, "rose/refuter", "rose_refuter/2", "own", true},
		{"verdict", `{"rose": {"form": "paper"}}`, "rose/refuter", "rose_refuter-paper/2", "paper", false},
		{"verdict", `{"verdict": {"judge": "flex"}, "flex": {"form": "paper"}}`, "flex", "flex_differ-paper/2", "paper", false},
	} {
		judge := &asked{replies: replies}
		s := scoreJudged(t, tc.metric, tc.options, scoring.EngineOptions{Judge: judge})
		detail, err := json.Marshal(s.Detail)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(detail), `"form":"`+tc.form+`"`) {
			t.Errorf("%s %s: the score does not name its form: %s", tc.metric, tc.options, detail)
		}
		seen := false
		for _, r := range judge.got {
			if r.Purpose != tc.purpose {
				continue
			}
			seen = true
			if has := strings.Contains(r.Messages[1].Content, note); r.PromptVersion != tc.version || has != tc.noted {
				t.Errorf("%s %s: prompt version %s, with a note: %v; want %s, %v", tc.metric, tc.options, r.PromptVersion, has, tc.version, tc.noted)
			}
		}
		if !seen {
			t.Errorf("%s %s: %s was not asked", tc.metric, tc.options, tc.purpose)
		}
	}
}

func TestCriteria(t *testing.T) {
	judge := &asked{replies: map[string]string{"rose/prover": `{"reason": "", "verdict": true`, "rose/refuter": accepting}}
	s := scoreJudged(t, "rose", `{"rose": {"criteria": {"ties": "all"}, "rules": ["Amounts are net."]}}`, scoring.EngineOptions{Judge: judge})
	if len(judge.got) != 2 {
		t.Fatalf("%d calls", len(judge.got))
	}
	for _, r := range judge.got {
		if text := r.Messages[1].Content; !strings.Contains(text, "all of them must be in the answer") || !strings.Contains(text, "Amounts are net.") || !strings.Contains(r.PromptVersion, "-criteria/") {
			t.Errorf("%s %s is not told the criteria", r.Purpose, r.PromptVersion)
		}
	}
	if d := s.Detail.(roseDetail); !strings.Contains(d.Criteria, "Amounts are net.") {
		t.Errorf("the score does not name the criteria: %q", d.Criteria)
	}
	for options, wrong := range map[string]string{
		`{"criteria": {"duplicate": "allowed"}}`: `unknown criterion "duplicate"; there are duplicates, nulls, ties, extra_columns, readings; did you mean duplicates?`,
		`{"criteria": {"ties": "some"}}`:         `option criteria.ties is "some", expected any or all`,
		`{"rules": ["a", " "]}`:                  `rules[1] is empty`,
		`{"form": "papers"}`:                     `expected own or paper`,
	} {
		if err := roseDeclared.Check(json.RawMessage(options)); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v, want %q", options, err, wrong)
		}
	}
}

// Each metric is answered by its own judge, at its own temperature. verdict asks the judge of rose, unless verdict
// has its own.
func TestJudgeOfEachMetric(t *testing.T) {
	replies := map[string]string{"rose/prover": `{"reason": "", "verdict": true`, "rose/refuter": accepting, "flex": `{"analysis": "", "correct": true`}
	one := 1.0
	for _, tc := range []struct {
		why, metric string
		judges      map[string]int // by metric: which of the judges; 0 is the common one
		asked       int
		temperature float64
	}{
		{"the common judge", "rose", nil, 0, 0.1},
		{"its own", "rose", map[string]int{"rose": 1}, 1, 1},
		{"another's does not matter", "flex", map[string]int{"rose": 1}, 0, 0},
		{"verdict asks that of rose", "verdict", map[string]int{"rose": 1, "flex": 2}, 1, 1},
		{"verdict has its own", "verdict", map[string]int{"rose": 1, "verdict": 2}, 2, 1},
	} {
		all := []*asked{{replies: replies}, {replies: replies}, {replies: replies}}
		o := scoring.EngineOptions{Judge: all[0], Judges: map[string]scoring.Judge{}}
		for name, i := range tc.judges {
			o.Judges[name] = scoring.Judge{Backend: all[i], Temperature: &one}
		}
		scoreJudged(t, tc.metric, `{"flex": {"categories": false}}`, o)
		for i, j := range all {
			if (len(j.got) > 0) != (i == tc.asked) {
				t.Errorf("%s: judge %d was asked %d times", tc.why, i, len(j.got))
			}
			for _, r := range j.got {
				if r.Temperature != tc.temperature {
					t.Errorf("%s: temperature %v, want %v", tc.why, r.Temperature, tc.temperature)
				}
			}
		}
	}
	judge := &asked{replies: replies}
	s := scoreJudged(t, "rose", "", scoring.EngineOptions{Judges: map[string]scoring.Judge{"rose": {Backend: judge}}})
	if tag, month := Tagged(&s); tag != "rose_m-2504" || !month {
		t.Errorf("no common judge: tag %s, %v", tag, month)
	}
	stored, err := json.Marshal(s.Detail)
	if err != nil {
		t.Fatal(err)
	}
	s.Detail = json.RawMessage(stored)
	if tag, _ := Tagged(&s); tag != "rose_m-2504" {
		t.Errorf("of a stored score: tag %s", tag)
	}
	hot := 3.0
	for name, wrong := range map[string]string{"rosé": "unknown metric", "ex_bird": "asks no judge", "flex": "is 3, expected a number from 0 to 2"} {
		if _, err := scoring.NewEngine(All(), &scoring.EngineOptions{Judges: map[string]scoring.Judge{name: {Temperature: &hot}}}); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("a judge of %s: %v, want %q", name, err, wrong)
		}
	}
}

// refuterOnly are recorded replies that lack the Prover's.
type refuterOnly struct{}

func (refuterOnly) Reply(_, purpose string) (reply, id string, ok bool) {
	return accepting + "}", "file/rose/1/rose/refuter", purpose == "rose/refuter"
}

// Results that differ need the Prover: without its reply there is no score, and the reason names it. If results are
// unknown, the recorded run found them equal.
func TestPartialRecordsOfROSE(t *testing.T) {
	for _, tc := range []struct {
		why, cell string
		results   bool
		want      scoring.Status
		reason    string
	}{
		{"the results differ", "pred-cell", true, scoring.StatusFailed, "no reply is recorded for rose/prover"},
		{"the results are the same", "gold-cell", true, scoring.StatusOK, "the results are the same"},
		{"the results are not known", "pred-cell", false, scoring.StatusOK, "the run that was recorded asked no Prover"},
	} {
		c, err := scoring.DecodeCase([]byte(strings.Replace(judgedCase, "%", tc.cell, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if !tc.results {
			c.Golds[0].Result, c.Pred.Result = scoring.Result{}, scoring.Result{}
		}
		engine, err := scoring.NewEngine(All(), &scoring.EngineOptions{Replies: refuterOnly{}})
		if err != nil {
			t.Fatal(err)
		}
		scores, err := engine.Score(t.Context(), c, "rose")
		if err != nil {
			t.Fatal(err)
		}
		if s := scores[0]; s.Status != tc.want || !strings.Contains(s.Reason, tc.reason) {
			t.Errorf("%s: %s %q, want %s %q", tc.why, s.Status, s.Reason, tc.want, tc.reason)
		}
	}
}
