package scoring_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/scoring"
)

func TestParseCost(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0.00", "0.0021": "0.0021", "2.1e-3": "0.0021", "1E3": "1000.00", "+7.5": "7.50", "1000000": "1000000.00",
		"0.000000000001":         "0.000000000001",
		"0.00021000000000000003": "0.00021",             // noise of a double
		"123456.789012345678":    "123456.789012345678", // a double has 17 digits
		"0.0000000000005":        "0.000000000001",      // half up
		"0.0000000000014":        "0.000000000001",      // and down
		"0.1234567890125000":     "0.123456789013",      // the thirteenth digit is 5
		"-1":                     "", "-0.0000001": "", "x": "", "": "", "NaN": "", "Infinity": "", "1,5": "", " 1": "",
		"1000000.000000000001": "", "1e300": "", "-1e-13": "", // absurd
		"4e-13": "0.00", "0.00000000000049999": "0.00", "5e-13": "0.000000000001", "1e-300": "0.00",
	} {
		got, err := scoring.ParseCost(text)
		if want == "" {
			if err == nil || !strings.Contains(err.Error(), "US dollars from 0 to 1000000") {
				t.Errorf("%q: %v, %v; want an error with the range", text, got, err)
			}
			continue
		}
		if err != nil || got.String() != want {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
}

func TestSpentOfCells_tokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"0": 0, "17": 17, "120.000": 120, "1.2e3": 1200, "1000000000000": 1e12, "0.0": 0,
		"-1": -1, "1.5": -1, "x": -1, "": -1, "1000000000001": -1, "99999999999999999999": -1, "NaN": -1} {
		s, err := scoring.SpentOfCells(func(c string) string { return map[string]string{"tokens_in": text}[c] })
		switch {
		case text == "" && (err != nil || s.TokensIn != nil), text != "" && want < 0 != (err != nil),
			err == nil && text != "" && *s.TokensIn != want:
			t.Errorf("%q: %v, %v; want %d", text, s.TokensIn, err, want)
		}
	}
}

func TestCaseSpent(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		`{"cost_usd": 0.0021, "tokens_in": 12, "tokens_out": 3, "latency_ms": 2.5}`: "0.0021 12 3 2.5ms",
		`{"cost_usd": "0.0021", "tokens_in": 0}`:                                    "0.0021 0 - -",
		`{"cost_usd": 123456.789012345678}`:                                         "123456.789012345678 - - -",
		`{"cost_usd": null, "tokens_in": null}`:                                     "- - - -",
		`{"cost_usd": ""}`:                                                          "- - - -",
		`{}`:                                                                        "- - - -",
		`{"cost_usd": 1000000, "tokens_in": 1e12, "tokens_out": "7.0", "latency_ms": "1e12"}`: "1000000.00 1000000000000 7 277777h46m40s",
	} {
		c, err := scoring.DecodeCase([]byte(`{"case_id": "q", "agent": ` + agent + `}`))
		if err != nil || len(c.Invalid) > 0 || shown(c.Spent()) != want {
			t.Errorf("%s: %+v, %v; want %s", agent, c, err, want)
		}
	}
	// An invalid value is unknown, and described; the other values and the answer are read.
	known := []string{`"cost_usd": 1, `, `"tokens_in": 2, `, `"tokens_out": 3, `, `"latency_ms": 4, `}
	const usd, tokens, ms = "expected US dollars from 0 to 1000000, such as 0.0021", "expected a whole number of tokens from 0 to 1000000000000",
		"expected milliseconds from 0 to 1000000000000"
	for member, want := range map[string][2]string{
		`"cost_usd": -0.5`: {"- 2 3 4ms", usd}, `"cost_usd": 1000000.01`: {"- 2 3 4ms", usd}, `"cost_usd": "free"`: {"- 2 3 4ms", usd},
		`"cost_usd": NaN`: {"- 2 3 4ms", usd}, `"cost_usd": true`: {"- 2 3 4ms", usd}, `"cost_usd": {"usd": 1}`: {"- 2 3 4ms", usd},
		`"tokens_in": -1`: {"1.00 - 3 4ms", tokens}, `"tokens_in": 1.5`: {"1.00 - 3 4ms", tokens}, `"tokens_in": [1]`: {"1.00 - 3 4ms", tokens},
		`"tokens_out": 1000000000001`: {"1.00 2 - 4ms", tokens}, `"tokens_out": "many"`: {"1.00 2 - 4ms", tokens},
		`"latency_ms": -1`: {"1.00 2 3 -", ms}, `"latency_ms": "soon"`: {"1.00 2 3 -", ms}, `"latency_ms": Infinity`: {"1.00 2 3 -", ms},
		`"latency_ms": 1000000000001`: {"1.00 2 3 -", ms}, `"latency_ms": false`: {"1.00 2 3 -", ms},
	} {
		name, _, _ := strings.Cut(strings.TrimPrefix(member, `"`), `"`)
		others := strings.Join(slices.DeleteFunc(slices.Clone(known), func(k string) bool { return strings.Contains(k, name) }), "")
		c, err := scoring.DecodeCase([]byte(`{"case_id": "q", "agent": {` + others + member + `, "sql": "SELECT 1"}}`))
		if err != nil || c.Pred.SQL != "SELECT 1" || shown(c.Spent()) != want[0] || len(c.Invalid) != 1 ||
			c.Invalid[0] != "agent."+name+" cannot be read, and counts as unknown: "+want[1] || !slices.Equal(c.Unread(), c.Invalid) {
			t.Errorf("%s: %+v, %v; want %q", member, c, err, want)
		}
	}
	c, err := scoring.DecodeCase([]byte(`{"case_id": "q", "gold": [{"sql": "SELECT 1", "latency_ms": -1}], "agent": {"latency_ms": 5}}`))
	if err != nil || c.Golds[0].Latency != nil || len(c.Invalid) != 1 || !strings.HasPrefix(c.Invalid[0], "gold.latency_ms cannot") {
		t.Errorf("the latency of gold: %+v, %v", c, err)
	}
	// The columns of agent_runs are other names of the keys.
	c, err = scoring.DecodeCase([]byte(`{"case_id": "q", "cost_usd": "0.5", "tokens_in": 7, "agent_tokens_out": 8}`))
	if err != nil || shown(c.Spent()) != "0.50 7 8 -" {
		t.Errorf("%v, %v", c, err)
	}
}

func shown(s scoring.Spent) string {
	out := []string{"-", "-", "-", "-"}
	if s.CostUSD != nil {
		out[0] = s.CostUSD.String()
	}
	for i, n := range []*int64{s.TokensIn, s.TokensOut} {
		if n != nil {
			text, _ := json.Marshal(*n)
			out[1+i] = string(text)
		}
	}
	if s.Latency != nil {
		out[3] = s.Latency.String()
	}
	return strings.Join(out, " ")
}

func TestSpentOfCells(t *testing.T) {
	t.Parallel()
	cells := func(m map[string]string) scoring.Cells { return func(c string) string { return m[c] } }
	s, err := scoring.SpentOfCells(cells(map[string]string{"cost_usd": "0.002100000000", "tokens_in": "12.0", "latency_ms": "1"}))
	if err != nil || shown(s) != "0.0021 12 - 1ms" {
		t.Errorf("%s, %v", shown(s), err)
	}
	s, err = scoring.SpentOfCells(cells(map[string]string{"cost_usd": "secret", "tokens_out": "3"}))
	if err == nil || !strings.Contains(err.Error(), "cost_usd cannot be read, and counts as unknown: expected US dollars") ||
		strings.Contains(err.Error(), "secret") || shown(s) != "- - 3 -" {
		t.Errorf("%s, %v", shown(s), err)
	}
	run := cells(map[string]string{"case_id": "q", "tokens_in": "-5"})
	if c, err := scoring.CaseOfRows(run, run, 1); err != nil || c.Agent.TokensIn != nil || len(c.Invalid) != 1 ||
		!strings.Contains(c.Invalid[0], "tokens_in cannot be read") {
		t.Errorf("a row with negative tokens: %+v, %v", c, err)
	}
}

// A line of a score file keeps what the answer took, with all digits.
func TestRowSpent(t *testing.T) {
	t.Parallel()
	usd, in, took := scoring.USD(123456789012345678), int64(0), 1500*time.Microsecond
	row := scoring.Row{AnswerID: scoring.AnswerID{CaseID: "q"}, Score: scoring.Score{Metric: "m", Status: scoring.StatusOK},
		Spent: &scoring.Spent{CostUSD: &usd, TokensIn: &in, Latency: &took}}
	line, err := json.Marshal(row)
	if err != nil || !strings.Contains(string(line), `"tokens_in":0,"cost_usd":123456.789012345678,"latency_ms":1.5,`) {
		t.Fatalf("%s, %v", line, err)
	}
	for name, parse := range map[string]func(*scoring.Row) error{
		"whole": func(r *scoring.Row) error { return json.Unmarshal(line, r) },
		"key":   func(r *scoring.Row) error { return r.UnmarshalKey(line) },
	} {
		var got scoring.Row
		if err := parse(&got); err != nil || shown(*got.Spent) != "123456.789012345678 0 - 1.5ms" {
			t.Errorf("%s: %+v, %v", name, got.Spent, err)
		}
	}
	row.Spent = nil
	if line, err = json.Marshal(row); err != nil || strings.Contains(string(line), "cost") {
		t.Errorf("%s, %v", line, err)
	}
}
