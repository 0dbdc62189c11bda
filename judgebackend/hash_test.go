package judgebackend_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

func TestHash(t *testing.T) {
	id := judgebackend.Identity{Backend: "openai", Model: "m"}
	base := withSchema()
	want := base.Hash(id)
	for _, tc := range []struct {
		why  string
		same bool
		r    func(*judgebackend.Request)
	}{
		{"nothing changed", true, func(*judgebackend.Request) {}},
		{"members of the schema in another order", true, func(r *judgebackend.Request) {
			r.Schema = json.RawMessage(`{"required":["verdict"],"properties":{"why":{"type":"string"},"score":{"maximum":10,"minimum":0,"type":"integer"},"verdict":{"enum":["pass","fail"],"type":"string"}},"type":"object"}`)
		}},
		{"a longer reply allowed", true, func(r *judgebackend.Request) { r.MaxTokens *= 2 }},
		{"another purpose", false, func(r *judgebackend.Request) { r.Purpose = "other" }},
		{"another prompt version", false, func(r *judgebackend.Request) { r.PromptVersion = "v2" }},
		{"another text", false, func(r *judgebackend.Request) { r.Messages[1].Content += " " }},
		{"another role", false, func(r *judgebackend.Request) { r.Messages[0].Role = judgebackend.User }},
		{"text moved from one message to the next", false, func(r *judgebackend.Request) {
			r.Messages[1].Content = "." + r.Messages[1].Content
			r.Messages[0].Content = strings.TrimSuffix(r.Messages[0].Content, ".")
		}},
		{"another schema", false, func(r *judgebackend.Request) { r.Schema = json.RawMessage(`{"type":"object"}`) }},
		{"no schema", false, func(r *judgebackend.Request) { r.Schema = nil }},
		{"another temperature", false, func(r *judgebackend.Request) { r.Temperature = 0.2 }},
		{"log-probabilities", false, func(r *judgebackend.Request) { r.TopLogProbs = 1 }},
		{"another sample", false, func(r *judgebackend.Request) { r.Sample = 1 }},
	} {
		r := withSchema()
		tc.r(&r)
		if got := r.Hash(id); (got == want) != tc.same {
			t.Errorf("%s: same hash %v, want %v", tc.why, got == want, tc.same)
		}
	}
	for _, other := range []judgebackend.Identity{{Backend: "anthropic", Model: "m"}, {Backend: "openai", Model: "m2"}, {Backend: "openaim"}} {
		if base.Hash(other) == want {
			t.Errorf("%+v gives the same hash", other)
		}
	}
	if elsewhere := (judgebackend.Identity{Backend: "openai", Model: "m", Host: "h"}); base.Hash(elsewhere) != want {
		t.Error("a model is the same wherever it runs")
	}
}

// Ledgers outlive versions: the hash of a request may never change. The value was computed by hand
// with Python's hashlib over the lengths (8 bytes, big endian) and texts in the order that Hash
// documents.
func TestHashIsStable(t *testing.T) {
	got := backendtest.Question().Hash(judgebackend.Identity{Backend: "openai", Model: "m"})
	if want := "219aeba3f67d54907d7d5b735ceb74e6ac289baab82656e0751937745af82535"; got != want {
		t.Errorf("hash %s, want %s: every ledger and every recording would be lost", got, want)
	}
}

func TestNonce(t *testing.T) {
	r := withSchema()
	r.NonceField = "mark"
	changed, nonce, err := r.WithNonce()
	if err != nil {
		t.Fatal(err)
	}
	again, nonce2, _ := r.WithNonce()
	if nonce != nonce2 || changed.Hash(judgebackend.Identity{}) != again.Hash(judgebackend.Identity{}) {
		t.Error("the same request must have the same nonce, or the ledger would never know it")
	}
	r.Messages[1].Content += "x"
	if _, other, _ := r.WithNonce(); other == nonce {
		t.Error("another text must have another nonce, or its author could know it")
	}
	if len(nonce) != 24 || !strings.Contains(changed.Messages[1].Content, nonce) {
		t.Errorf("nonce %q (want 24 characters, 120 bits) must be told to the model", nonce)
	}
	var schema struct {
		Properties map[string]any
		Required   []string
	}
	if err := json.Unmarshal(changed.Schema, &schema); err != nil || schema.Properties["mark"] == nil || strings.Join(schema.Required, " ") != "verdict mark" {
		t.Errorf("schema %s must require the field", changed.Schema)
	}
	if strings.Contains(string(changed.Schema), nonce) {
		t.Error("vendors compile each new schema: it must not change with the nonce")
	}
	for _, tc := range []struct {
		why    string
		change func(*judgebackend.Request)
	}{
		{"no schema to put it in", func(r *judgebackend.Request) { r.Schema = nil }},
		{"a field that is there", func(r *judgebackend.Request) { r.NonceField = "verdict" }},
		{"a field with a strange name", func(r *judgebackend.Request) { r.NonceField = "the mark" }},
	} {
		r := withSchema()
		r.NonceField = "mark"
		tc.change(&r)
		if _, _, err := r.WithNonce(); err == nil {
			t.Errorf("%s: no error", tc.why)
		}
	}
}

// The month of a model's release is read off the end of its name, and nothing else is taken for it.
func TestReleased(t *testing.T) {
	for model, want := range map[string][2]string{
		"gpt-4o-2024-08-06": {"gpt-4o", "2408"}, "claude-x-20250514": {"claude-x", "2505"}, "claude-x@20250514": {"claude-x", "2505"}, "o3-2504": {"o3", "2504"},
		"Qwen3-235B-A22B-Thinking-2507": {"Qwen3-235B-A22B-Thinking", "2507"},
		"o3":                            {"o3", ""}, "": {"", ""}, "gpt-4o-latest": {"gpt-4o-latest", ""}, "gpt-4-0613": {"gpt-4-0613", ""}, "gpt-4-1106": {"gpt-4-1106", ""},
		"llama-20251399": {"llama-20251399", ""}, "m-4096": {"m-4096", ""}, "-2504": {"-2504", ""},
	} {
		month, ok := judgebackend.Released(model)
		if base := judgebackend.Undated(model); base != want[0] || month != want[1] || ok != (want[1] != "") {
			t.Errorf("%q: %q %q %v, want %q", model, base, month, ok, want)
		}
	}
}
