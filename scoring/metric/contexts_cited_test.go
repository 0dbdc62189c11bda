package metric_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// contextScores returns the scores of the metrics of passages by their names.
func contextScores(t *testing.T, response string, contexts any) map[string]scoring.Score {
	t.Helper()
	var metrics []scoring.Metric
	for _, m := range metric.All() {
		if m.Name == "context_faithfulness" || strings.HasPrefix(m.Name, "citation_") {
			metrics = append(metrics, m)
		}
	}
	engine, err := scoring.NewEngine(metrics, nil)
	if err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(map[string]any{"case_id": "x", "agent": map[string]any{"response": response, "contexts": contexts}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := scoring.DecodeCase(line)
	if err != nil {
		t.Fatal(err)
	}
	list, err := engine.Score(context.Background(), c, scoring.AllMetrics)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]scoring.Score{}
	for _, s := range list {
		out[s.Metric] = s
	}
	return out
}

// A citation is resolved in the styles of models and frameworks, and text that only looks like one is not.
func TestCitationStyles(t *testing.T) {
	t.Parallel()
	contexts := []map[string]any{
		{"id": "d1", "title": "Depot", "text": "The depot employs 418 people on 900 m²."},
		{"id": "d2", "title": "Fleet", "text": "The fleet has 64 trucks.", "metadata": map[string]any{"source": `C:\docs\fleet.pdf`}},
		{"id": "d3", "title": "Leave", "source": "https://example.com/hr/leave.html", "text": "Employees receive 30 days of vacation."},
	}
	for _, x := range []struct {
		response string
		recall   float64 // 1 if the citation is of the passage that supports the statement
	}{
		{"The depot employs 418 people [Document 1].", 1},
		{"The depot employs 418 people [Source #1].", 1},
		{"The depot employs 418 people [doc:d1].", 1},
		{"The depot employs 418 people [1-2].", 1},
		{"The depot employs 418 people <cite>1</cite>.", 1},
		{"The depot employs 418 people.<sup>1</sup>", 1},
		{"The depot employs 418 people.¹", 1},
		{"The depot employs 418 people¹.", 1},
		{"The depot employs 418 people (Depot, 2023).", 1},
		{"The depot employs 418 people [1](https://example.com/a).", 1},
		{"The fleet has 64 trucks (fleet.pdf, p. 3).", 1},
		{"The fleet has 64 trucks [fleet.pdf].", 1},
		{"The fleet has 64 trucks [^7].\n\n[^7]: Fleet", 1},
		{"Employees receive 30 days of vacation ([policy](https://example.com/hr/leave.html)).", 1},
		{"The fleet has 64 trucks [Document 1].", 0},
		{"The fleet has 64 trucks.¹", 0},
		{"The fleet has 64 trucks [3-9].", 0},
		{"The fleet has 64 trucks [^2].\n\n[^2]: Depot", 0},
		{"The fleet has 64 [trucks](https://example.com/b).", 0},
		{"The depot employs 418 people on 900 m².", 0}, // a unit
		{"The fleet has 64 trucks (Fleet).", 0},        // a remark
	} {
		s := contextScores(t, x.response, contexts)
		if got := s["citation_recall"]; got.Status != scoring.StatusOK || got.Value != x.recall {
			t.Errorf("%s: recall is %s %v %s, want %v", x.response, got.Status, got.Value, got.Reason, x.recall)
		}
	}
	for _, response := range []string{ // the list of sources is not a statement
		"The fleet has 64 trucks [1].\n\nSources:\n[1] Fleet",
		"The depot employs 418 people [1].\n\nReferences\n- [1]: Depot.\n- [2]: Fleet",
	} {
		if s := contextScores(t, response, contexts)["citation_precision"]; s.Status != scoring.StatusOK || s.Value != 1 {
			t.Errorf("%s: precision is %s %v %s", response, s.Status, s.Value, s.Reason)
		}
	}
}

// A figure is not contradicted by a sentence of which one is negated: 44 of 64 are the others of 20.
func TestContextsNegatedFigure(t *testing.T) {
	t.Parallel()
	contexts := []string{"The fleet has 64 trucks, of which 20 are electric."}
	if s := contextScores(t, "In the fleet, 44 trucks are not electric.", contexts)["context_faithfulness"]; s.Status != scoring.StatusAbstained {
		t.Errorf("got %s %v", s.Status, s.Value)
	}
	if s := contextScores(t, "In the fleet, 44 trucks are electric.", contexts)["context_faithfulness"]; s.Status != scoring.StatusOK || s.Value != 0 {
		t.Errorf("got %s %v", s.Status, s.Value)
	}
}

// Passages in the form of LangChain, LlamaIndex and Haystack are read.
func TestContextForms(t *testing.T) {
	t.Parallel()
	for _, one := range []string{
		`{"page_content": "The depot employs 418 people.", "metadata": {"source": "a/depot.md", "page": 3}}`,
		`{"node": {"id_": "x", "text": "The depot employs 418 people.", "metadata": {"source": "depot.md"}}, "score": 0.8}`,
		`{"content": "The depot employs 418 people.", "meta": {"title": "depot.md"}, "score": 0.8}`,
	} {
		s := contextScores(t, "The depot employs 418 people [depot.md].", json.RawMessage("["+one+"]"))["citation_recall"]
		if s.Status != scoring.StatusOK || s.Value != 1 {
			t.Errorf("%s: %s %v %s", one, s.Status, s.Value, s.Reason)
		}
	}
}

// Beyond a limit the metrics abstain before the work is done: nothing is cut off and scored.
func TestContextLimits(t *testing.T) {
	t.Parallel()
	numbered := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	one := []string{"The depot employs 418 people."}
	limits := map[string]struct {
		response string
		contexts []string
	}{
		"statements":  {strings.Repeat("The depot employs 418 people. ", 501), one},
		"figures":     {numbered("depot %d ", 2001), one},
		"sentences":   {"The depot employs 418 people.", []string{strings.Repeat("No. ", 10_001), strings.Repeat("Yes. ", 10_001)}},
		"all figures": {"The depot employs 418 people.", []string{numbered("depot %d ", 20_001)}},
		"comparisons": {numbered("The depot number %d employs many people. ", 490), []string{numbered("The depot number %d employs people. ", 19_000)}},
		"passages":    {"The depot employs 418 people.", make([]string, 1001)},
	}
	for _, name := range sample.Of(slices.Sorted(maps.Keys(limits)), 6) { // one limit, or where tests are thorough each
		x := limits[name]
		for _, s := range contextScores(t, x.response, x.contexts) {
			if s.Status != scoring.StatusAbstained {
				t.Errorf("%s: %s is %s %v %s", name, s.Metric, s.Status, s.Value, s.Reason)
			}
		}
	}
	// below: the last statement of many is not lost
	response := strings.Repeat("The depot employs 418 people. ", 499) + "The depot employs 481 people."
	if s := contextScores(t, response, one)["context_faithfulness"]; s.Status != scoring.StatusOK || s.Value != 499.0/500 {
		t.Errorf("500 statements: %s %v %s", s.Status, s.Value, s.Reason)
	}
}
