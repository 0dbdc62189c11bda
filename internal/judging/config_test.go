package judging

import (
	"reflect"
	"testing"
)

// The way to a model is that of the common judge, or the metric's own as a whole: a key never goes
// to another address.
func TestWayToTheJudgeOfAMetric(t *testing.T) {
	common := Endpoint{Backend: "openai:gpt-4o", BaseURL: "https://one.example/v1", KeyEnv: "K1", Concurrency: 8}
	for _, tc := range []struct {
		why  string
		own  Endpoint
		want Endpoint
	}{
		{"another model at the same endpoint", Endpoint{Backend: "openai:o3"}, Endpoint{Backend: "openai:o3", BaseURL: "https://one.example/v1", KeyEnv: "K1", Concurrency: 8}},
		{"another endpoint without a key gets none", Endpoint{Backend: "openai:o3", BaseURL: "https://two.example/v1"}, Endpoint{Backend: "openai:o3", BaseURL: "https://two.example/v1", Concurrency: 8}},
		{"another model has the common settings", Endpoint{Backend: "openai:o3", MaxTokens: 9000}, Endpoint{Backend: "openai:o3", BaseURL: "https://one.example/v1", KeyEnv: "K1", Concurrency: 8, MaxTokens: 9000}},
		{"other settings of the common judge", Endpoint{ReasoningEffort: "low"}, Endpoint{Backend: "openai:gpt-4o", BaseURL: "https://one.example/v1", KeyEnv: "K1", Concurrency: 8, ReasoningEffort: "low"}},
		{"headers are part of the way", Endpoint{Backend: "openai:o3", Headers: map[string]string{"X-A": "b"}}, Endpoint{Backend: "openai:o3", Headers: map[string]string{"X-A": "b"}, Concurrency: 8}},
		{"another vendor gets neither", Endpoint{Backend: "anthropic:claude-x", KeyEnv: "K2", Concurrency: 2}, Endpoint{Backend: "anthropic:claude-x", KeyEnv: "K2", Concurrency: 2}},
	} {
		c := Config{Endpoint: common, Metrics: map[string]Metric{"rose": {Endpoint: tc.own}}}
		got, ok, err := c.endpointOf("judge.metrics.rose", c.Metrics["rose"])
		if err != nil || !ok || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %+v %v %v, want %+v", tc.why, got, ok, err, tc.want)
		}
	}
}

// A ledger in the warehouse is meant where the configuration names none, and only where somebody is asked.
func TestKeepsInWarehouse(t *testing.T) {
	for _, tc := range []struct {
		backend, ledger string
		want            bool
	}{
		{"openai:m", "", true}, {"openai:m", "warehouse", true}, {"openai:m", "none", false}, {"openai:m", "answers.jsonl", false}, {"none", "", false}, {"", "warehouse", false},
	} {
		c := Config{Endpoint: Endpoint{Backend: tc.backend}, Ledger: tc.ledger}
		if got := c.KeepsInWarehouse(); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
}

// Settings of the common judge are those of other judges at its address, and of no others.
func TestSettingsOfTheJudgeOfAMetric(t *testing.T) {
	seed, zero := int64(7), int64(0)
	common := Endpoint{Backend: "openai:gpt-4o", MaxTokens: 9000, ReasoningEffort: "low", Seed: &seed, Body: map[string]any{"top_k": 5}, Headers: map[string]string{"X-A": "b"}}
	c := Config{Endpoint: common}
	for _, tc := range []struct {
		why  string
		own  Endpoint
		want Endpoint
	}{
		{"all of them", Endpoint{Backend: "openai:o3"}, Endpoint{Backend: "openai:o3", MaxTokens: 9000, ReasoningEffort: "low", Seed: &seed, Body: common.Body, Headers: common.Headers}},
		{"one is its own", Endpoint{Seed: &zero}, Endpoint{Backend: "openai:gpt-4o", MaxTokens: 9000, ReasoningEffort: "low", Seed: &zero, Body: common.Body, Headers: common.Headers}},
		{"no body", Endpoint{Body: map[string]any{}}, Endpoint{Backend: "openai:gpt-4o", MaxTokens: 9000, ReasoningEffort: "low", Seed: &seed, Body: map[string]any{}, Headers: common.Headers}},
		{"another address", Endpoint{Backend: "openai:o3", BaseURL: "https://two.example"}, Endpoint{Backend: "openai:o3", BaseURL: "https://two.example"}},
		{"another vendor", Endpoint{Backend: "anthropic:claude-x"}, Endpoint{Backend: "anthropic:claude-x"}},
	} {
		got, ok, err := c.endpointOf("judge.metrics.rose", Metric{Endpoint: tc.own})
		if err != nil || !ok || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %+v %v %v, want %+v", tc.why, got, ok, err, tc.want)
		}
	}
}
