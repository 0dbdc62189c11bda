package docs_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// Every option of every metric is on the published page, with its default and range.
func TestEveryOptionIsOnThePublishedPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range metric.All() {
		heading := m.Name
		if strings.HasPrefix(heading, "component_") {
			heading = "component_*" // one section for all
		}
		_, section, found := strings.Cut(string(text), "\n### `"+heading+"`\n")
		if !found {
			t.Errorf("metric %s is not on the page", m.Name)
			continue
		}
		section, _, _ = strings.Cut(section, "\n### ")
		for i := range m.Options.List {
			o := &m.Options.List[i]
			_, line, found := strings.Cut(section, "\n  - `"+o.Name+"` (")
			line, _, _ = strings.Cut(line, "\n")
			if !found || !strings.Contains(line, o.Range()) || !strings.Contains(line, "default: ") {
				t.Errorf("metric %s: option %s is not on the page with its range and default; run make generate", m.Name, o.Name)
			}
		}
		if strings.Contains(section, "- Options:") != (len(m.Options.List) > 0) {
			t.Errorf("metric %s: the page speaks of options that it does not have", m.Name)
		}
	}
}

// An option that a metric does not have is an error, in the configuration and in a case, for every
// metric.
func TestUnknownOptionIsAnErrorForEveryMetric(t *testing.T) {
	const raw = `{"no_such_option": 1}`
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range metric.All() {
		o := scoring.EngineOptions{Config: scoring.Config{Options: map[string]json.RawMessage{m.Name: json.RawMessage(raw)}}}
		if _, err := scoring.NewEngine(metric.All(), &o); err == nil || !strings.Contains(err.Error(), m.Name) {
			t.Errorf("configuration of %s: got %v, want an error that names the metric", m.Name, err)
		}
		c := &scoring.Case{ID: "c", Options: map[string]json.RawMessage{m.Name: json.RawMessage(raw)}}
		scores, err := engine.Score(t.Context(), c, m.Name)
		if err != nil {
			t.Fatal(err)
		}
		if scores[0].Status != scoring.StatusFailed || !strings.Contains(scores[0].Reason, "option") {
			t.Errorf("case with an option unknown to %s: %s (%s), want a failed score that says so", m.Name, scores[0].Status, scores[0].Reason)
		}
	}
}
