package scoring_test

import (
	"encoding/json"
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
		`{"cost_usd": -0.5}`:                                                        `case "q": agent.cost_usd is -0.5, expected US dollars from 0 to 1000000, such as 0.0021`,
		`{"cost_usd": 2000000}`:                                                     `agent.cost_usd is 2000000, expected`,
		`{"cost_usd": "free"}`:                                                      `agent.cost_usd is free, expected`,
		`{"cost_usd": NaN}`:                                                         `agent.cost_usd is NaN, expected`,
		`{"cost_usd": true}`:                                                        `agent.cost_usd: expected a number of US dollars`,
		`{"tokens_in": -1}`:                                                         `agent.tokens_in is -1, expected a whole number of tokens from 0 to 1000000000000`,
		`{"tokens_out": 1000000000001}`:                                             `agent.tokens_out is 1000000000001, expected`,
		`{"tokens_in": 1.5}`:                                                        `expected a whole number`,
	} {
		c, err := scoring.DecodeCase([]byte(`{"case_id": "q", "agent": ` + agent + `}`))
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", agent, err, want)
			}
			continue
		}
		if got := shown(c.Spent()); got != want {
			t.Errorf("%s: %s, want %s", agent, got, want)
		}
	}
	// The columns of agent_runs are other names of the keys.
	c, err := scoring.DecodeCase([]byte(`{"case_id": "q", "cost_usd": "0.5", "tokens_in": 7, "agent_tokens_out": 8}`))
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
	if err == nil || !strings.Contains(err.Error(), "cost_usd cannot be read: expected US dollars") ||
		strings.Contains(err.Error(), "secret") || shown(s) != "- - 3 -" {
		t.Errorf("%s, %v", shown(s), err)
	}
	run := cells(map[string]string{"case_id": "q", "tokens_in": "-5"})
	if _, err := scoring.CaseOfRows(run, run, 1); err == nil || !strings.Contains(err.Error(), "tokens_in cannot be read") {
		t.Errorf("a row with negative tokens: %v", err)
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
