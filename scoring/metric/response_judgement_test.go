package metric

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

var responseMetrics = []string{
	"faithfulness", "faithfulness_verdict", "geval_coherence", "geval_consistency", "geval_fluency", "geval_relevance", "intent_resolution", "intent_resolution_category",
}

const responseCase = `{"case_id": "1", "question": "Q-text", "evidence": "E-text", "schema_ddl": "S-text", "expected": {"behaviour": "clarify", "clarifications": ["C-text"]},
	"gold": {"sql": "SELECT gold", "result": {"columns": [{"name": "c"}], "rows": [["gold-cell"]]}},
	"agent": {"sql": "SELECT pred", "result": {"columns": [{"name": "c"}], "rows": [["pred-cell"]]}, "response": "R-text", "interpretation": "I-text"}}`

const responseJudged = `{"claims": [{"claim": "x", "figures": [], "support": "y", "verdict": "supported"}], "coherence": {"reasoning": "a", "score": 4}, "consistency": {"reasoning": "b", "score": 5}, ` +
	`"fluency": {"reasoning": "has 3 slips", "score": 3}, "relevance": {"reasoning": "d", "score": 2}, "intent": {"intents": [], "reasoning": "e", "category": "none", "score": 8}, "nonce": "%"}`

// tokenJudge gives the tokens of its reply: one for each character but those that hold a score,
// whose alternatives are given by dimension.
type tokenJudge struct {
	reply        string
	alternatives map[string]map[string]float64 // probability of a token, by dimension
	silent       bool                          // no log-probabilities
	got          []judgebackend.Request
}

func (j *tokenJudge) Identity() judgebackend.Identity {
	return judgebackend.Identity{Backend: "test", Model: "m"}
}

func (j *tokenJudge) Complete(_ context.Context, r judgebackend.Request) (judgebackend.Response, error) {
	j.got = append(j.got, r)
	_, word, _ := strings.Cut(r.Messages[len(r.Messages)-1].Content, "Set the field nonce of your answer to ")
	word, _, _ = strings.Cut(word, ".")
	resp := judgebackend.Response{Reply: strings.Replace(j.reply, "%", word, 1), FinishReason: judgebackend.FinishStop, TokensIn: 100, TokensOut: 10, Model: "m"}
	if j.silent {
		return resp, nil
	}
	rest := resp.Reply
	for dimension := range strings.SplitSeq("coherence consistency fluency relevance", " ") {
		from := strings.Index(rest, `"`+dimension+`"`)
		from += strings.Index(rest[from:], `"score":`) + len(`"score":`)
		for _, c := range rest[:from] {
			resp.LogProbs = append(resp.LogProbs, judgebackend.TokenLogProb{Token: string(c), LogProb: -0.1})
		}
		token := judgebackend.TokenLogProb{Token: rest[from : from+2], LogProb: -9}
		for _, text := range []string{" 1", " 2", " 3", " 4", " 5", "5", "6", "four"} {
			if p, ok := j.alternatives[dimension][text]; ok {
				token.Top = append(token.Top, judgebackend.TokenLogProb{Token: text, LogProb: math.Log(p)})
			}
		}
		resp.LogProbs = append(resp.LogProbs, token)
		rest = rest[from+2:]
	}
	resp.LogProbs = append(resp.LogProbs, judgebackend.TokenLogProb{Token: rest})
	return resp, nil
}

func scoreResponse(t *testing.T, judge judgebackend.Backend, text string, names ...string) []scoring.Score {
	t.Helper()
	c, err := scoring.DecodeCase([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	engine, err := scoring.NewEngine(All(), &scoring.EngineOptions{Judge: judge})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := engine.Score(t.Context(), c, names...)
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

// BADGER, section 7.5: all of them are one call, which is counted once.
func TestOneCallForAResponse(t *testing.T) {
	for _, order := range [][]string{responseMetrics, {"geval_fluency", "faithfulness_verdict", "intent_resolution"}, {"faithfulness_verdict", "faithfulness", "geval_relevance"}} {
		judge := &tokenJudge{reply: responseJudged, silent: true}
		scores := scoreResponse(t, judge, responseCase, order...)
		calls, in := 0, judgebackend.TokenCount(0)
		for _, s := range scores {
			if s.Status != scoring.StatusOK {
				t.Fatalf("%s: %s %s", s.Metric, s.Status, s.Reason)
			}
			if s.Usage != nil {
				calls += s.Usage.Calls
				in += s.Usage.TokensIn
			}
		}
		if len(judge.got) != 1 || calls != 1 || in != 100 {
			t.Errorf("%v: %d calls, %d counted, %d tokens; want 1, 1, 100", order, len(judge.got), calls, in)
		}
	}
	// Asked for one by one, as functions of SQL are, they put the same question: a ledger answers
	// all but the first.
	judge := &tokenJudge{reply: responseJudged, silent: true}
	for _, name := range responseMetrics {
		scoreResponse(t, judge, responseCase, name)
	}
	for _, r := range judge.got {
		if r.Hash(judge.Identity()) != judge.got[0].Hash(judge.Identity()) {
			t.Error("two metrics of the same response put different questions")
		}
	}
}

func TestWhatResponseJudgesSee(t *testing.T) {
	for _, tc := range []struct {
		why, metric, text string
		reply             string
		sees, misses      []string
	}{
		{
			"the response is held against the agent's own result and what the question calls for, never against the reference", "faithfulness", responseCase, responseJudged,
			[]string{"Q-text", "E-text", "SELECT pred", "pred-cell", "R-text", "C-text", "To be asked back"}, []string{"gold", "S-text", "I-text"},
		},
		{
			"a query that failed is said to have failed", "geval_fluency", strings.Replace(responseCase, `"result": {"columns": [{"name": "c"}], "rows": [["pred-cell"]]}`, `"error": "boom"`, 1), responseJudged,
			[]string{"The query failed when it ran"}, []string{"pred-cell", "boom"},
		},
		{
			"the interpretation is compared with the question in the light of hint and schema, and of nothing that came after", "intent_similarity", responseCase, `{"differences": [], "reasoning": "", "score": 8, "nonce": "%"}`,
			[]string{"Q-text", "E-text", "S-text", "I-text"}, []string{"SELECT", "R-text", "cell"},
		},
		{
			"what a response is follows from its words and the request alone", "refusal", strings.Replace(strings.Replace(responseCase, `"sql": "SELECT pred", `, "", 1), `"result": {"columns": [{"name": "c"}], "rows": [["pred-cell"]]}, "response"`, `"response"`, 1),
			`{"reasoning": "", "kind": "clarification", "nonce": "%"}`, []string{"Q-text", "R-text"}, []string{"SELECT", "E-text", "C-text", "cell"},
		},
	} {
		judge := &tokenJudge{reply: tc.reply, silent: true}
		s := scoreResponse(t, judge, tc.text, tc.metric)[0]
		if s.Status != scoring.StatusOK || len(judge.got) != 1 {
			t.Errorf("%s: %s %s, %d calls", tc.why, s.Status, s.Reason, len(judge.got))
			continue
		}
		r := judge.got[0]
		said := r.Messages[len(r.Messages)-1].Content
		for _, part := range tc.sees {
			if !strings.Contains(said, part) {
				t.Errorf("%s: %s is not shown", tc.why, part)
			}
		}
		for _, part := range tc.misses {
			if strings.Contains(said, part) {
				t.Errorf("%s: %s is shown", tc.why, part)
			}
		}
		if r.Temperature != scoring.JudgeTemperature {
			t.Errorf("%s: temperature %v", tc.why, r.Temperature)
		}
	}
}

// G-Eval, equation 1: the score is the mean of the scores, weighted by their probabilities.
func TestScoresAreWeightedByTheirProbabilities(t *testing.T) {
	for _, tc := range []struct {
		why          string
		alternatives map[string]float64 // of the token of fluency, written 3
		score, value float64
		weighted     bool
	}{
		{"0.6·5 + 0.3·4 + 0.1·3 = 4.5", map[string]float64{" 5": 0.6, " 4": 0.3, " 3": 0.1}, 4.5, 0.875, true},
		{"what is no score does not count: (0.4·3 + 0.4·4) / 0.8 = 3.5", map[string]float64{" 3": 0.4, " 4": 0.4, "6": 0.1, "four": 0.1}, 3.5, 0.625, true},
		{"one score in two tokens is one score: 0.5·3 + (0.25 + 0.25)·5 = 4", map[string]float64{" 3": 0.5, " 5": 0.25, "5": 0.25}, 4, 0.75, true},
		{"one certain score is itself", map[string]float64{" 3": 1}, 3, 0.5, true},
		{"no alternatives: as written", nil, 3, 0.5, false},
	} {
		judge := &tokenJudge{reply: responseJudged, alternatives: map[string]map[string]float64{"fluency": tc.alternatives, "relevance": {" 2": 1}}}
		scores := scoreResponse(t, judge, responseCase, "geval_fluency", "geval_relevance", "geval_coherence")
		fluency, relevance, coherence := scores[0], scores[1], scores[2]
		d, ok := fluency.Detail.(gevalDetail)
		if !ok || math.Abs(fluency.Value-tc.value) > 1e-6 || math.Abs(d.Score-tc.score) > 1e-6 || d.Judge != 3 || (d.Probabilities != nil) != tc.weighted {
			t.Errorf("%s: %v, detail %+v", tc.why, fluency.Value, fluency.Detail)
		}
		if relevance.Value != 0.25 || coherence.Value != 0.75 {
			t.Errorf("%s: the other dimensions are %v and %v, want 0.25 by one certain score, and 0.75 as written", tc.why, relevance.Value, coherence.Value)
		}
		if judge.got[0].TopLogProbs == 0 {
			t.Error("no log-probabilities are asked for")
		}
	}
}

// A score that was weighted comes out of the ledger, and of a recording of it, as it went in.
func TestWeightedScoresReplay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ledger.jsonl")
	store, err := judgebackend.OpenFileStore(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	judge := &tokenJudge{reply: responseJudged, alternatives: map[string]map[string]float64{"fluency": {" 5": 0.6, " 4": 0.3, " 3": 0.1}, "coherence": {" 4": 0.7, " 1": 0.01}}}
	stack, err := judgebackend.NewStack(judge, &judgebackend.StackOptions{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	bytesOf := func(b judgebackend.Backend) (out []string) {
		for _, s := range scoreResponse(t, b, responseCase, responseMetrics...) {
			s.Usage = nil // says who was asked
			line, err := json.Marshal(scoring.Row{Score: s})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(line))
		}
		return out
	}
	fresh := bytesOf(stack)
	if !strings.Contains(fmt.Sprint(fresh), `"probabilities":[0,0,0.1,0.3,0.6]`) {
		t.Fatalf("not weighted: %s", fresh)
	}
	if diff := cmp.Diff(fresh, bytesOf(stack)); diff != "" || len(judge.got) != 1 {
		t.Errorf("from the ledger, after %d calls (-fresh +again):\n%s", len(judge.got), diff)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	replay, err := judgebackend.Providers(nil).Open(t.Context(), "replay:"+file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fresh, bytesOf(replay)); diff != "" {
		t.Errorf("from the recording (-fresh +again):\n%s", diff)
	}
}

func TestWhereAScoreIsWritten(t *testing.T) {
	response := func(reply string, tokens ...string) judgebackend.Response {
		r := judgebackend.Response{Reply: reply}
		for _, token := range tokens {
			r.LogProbs = append(r.LogProbs, judgebackend.TokenLogProb{Token: token, LogProb: -0.1, Top: []judgebackend.TokenLogProb{{Token: token, LogProb: -0.1}}})
		}
		return r
	}
	for _, tc := range []struct {
		why  string
		r    judgebackend.Response
		want []float64
	}{
		{"the score of the member that is asked for, not one before it", response(`{"b":{"score":2},"a":{"x":[{"score":5}],"score":4}}`, `{"b":{"score":`, "2", `},"a":{"x":[{"score":`, "5", `}],"score":`, "4", "}}"), []float64{0, 0, 0, 1, 0}},
		{"a word of the reply is no member", response(`{"a":{"why":"\"score\":5","score": 4}}`, `{"a":{"why":"\"score\":`, "5", `","score":`, " 4", "}}"), []float64{0, 0, 0, 1, 0}},
		{"text around the object", response("Here:\n```\n{\"a\":{\"score\":4}}\n```", "Here:\n```\n{\"a\":{\"score\":", "4", "}}\n```"), []float64{0, 0, 0, 1, 0}},
		{"tokens that are not the reply's tell nothing", response(`{"a":{"score":4}}`, `{"A":{"score":`, "4", "}}"), nil},
		{"tokens that end early", response(`{"a":{"score":4}}`, `{"a":{`), nil},
		{"no tokens", response(`{"a":{"score":4}}`), nil},
		{"two objects: which one counts is not known here", response(`{"a":{"score":4}} {"a":{"score":4}}`, `{"a":{"score":`, "4", `}} {"a":{"score":`, "4", "}}"), nil},
		{"another score than was decoded", response(`{"a":{"score":5}}`, `{"a":{"score":`, "5", "}}"), nil},
		{"no such member", response(`{"a":{"scores":4}}`, `{"a":{"scores":`, "4", "}}"), nil},
		{"no number", response(`{"a":{"score":"4"}}`, `{"a":{"score":`, `"4"`, "}}"), nil},
		{"a token that holds more than the score", response(`{"a":{"score":45}}`, `{"a":{"score":`, "45", "}}"), nil},
	} {
		if diff := cmp.Diff(tc.want, scoreProbabilities(tc.r, []string{"a", "score"}, 4)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.why, diff)
		}
	}
}

func FuzzScoreProbabilities(f *testing.F) {
	f.Add(`{"a":{"score":4}}`, "4", -0.5, "5", -1.0)
	f.Add(`{"a":{"score":4}}`, " 4", math.Inf(-1), "4", math.NaN())
	f.Fuzz(func(t *testing.T, reply, token string, p float64, other string, q float64) {
		at, _ := locate(reply, []string{"a", "score"})
		r := judgebackend.Response{Reply: reply}
		if at >= 0 && at+len(token) <= len(reply) {
			r.LogProbs = []judgebackend.TokenLogProb{{Token: reply[:at]}, {Token: token, LogProb: p, Top: []judgebackend.TokenLogProb{{Token: token, LogProb: p}, {Token: other, LogProb: q}}}}
		}
		got := scoreProbabilities(r, []string{"a", "score"}, 4)
		if got == nil {
			return
		}
		sum := 0.0
		for _, v := range got {
			if !(v >= 0 && v <= 1) {
				t.Fatalf("%v", got)
			}
			sum += v
		}
		if s := expectedScore(got); math.Abs(sum-1) > 1e-5 || !(s >= 1 && s <= 5) {
			t.Errorf("%v add up to %v, mean %v", got, sum, s)
		}
	})
}

// What all eight metrics take next to the judge's own time.
func BenchmarkResponseMetrics(b *testing.B) {
	c, err := scoring.DecodeCase([]byte(responseCase))
	if err != nil {
		b.Fatal(err)
	}
	judge := &tokenJudge{reply: responseJudged, silent: true}
	engine, err := scoring.NewEngine(All(), &scoring.EngineOptions{Judge: judge})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		judge.got = judge.got[:0]
		if _, err := engine.Score(b.Context(), c, responseMetrics...); err != nil {
			b.Fatal(err)
		}
	}
}
