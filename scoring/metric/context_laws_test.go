package metric_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// contextFact is a passage with one figure, and the words in which a response states it.
type contextFact struct {
	id, title, text  string
	said             string // with %s for the figure
	figure, other    string // as written, and a wrong one
	rounded, rewrote string // rounded with a word for it; in another spelling
	quote, misquote  string
}

// The second set was held out until the metric was written.
var contextSets = [][]contextFact{
	{
		{"doc-1", "Refund policy", "Customers may return unworn shoes within 30 days of delivery. Opened packages are accepted.", "Unworn shoes can be returned within %s days of delivery.", "30", "45", "", "30",
			"return unworn shoes within 30 days", "return worn shoes within 30 days"},
		{"doc-2", "Annual report", "Net revenue of the northern region reached $1,234,500 in the last fiscal year, driven by online orders.", "The northern region had net revenue of %s in the fiscal year.", "$1,234,500", "$1,324,500", "about $1.2 million", "$1.2345 million",
			"driven by online orders", "driven by store orders"},
		{"doc-3", "Service levels", "Support answers 92.5% of critical tickets in the first hour.", "Support answers %s of critical tickets in the first hour.", "92.5%", "29.5%", "about 92%", "92.5 percent",
			"critical tickets in the first hour", "critical tickets in the first day"},
		{"doc-4", "Warehouse", "The Rotterdam warehouse employs 418 people and ships four times a day.", "The Rotterdam warehouse employs %s people.", "418", "481", "", "418",
			"ships four times a day", "ships three times a day"},
		{"doc-5", "Churn", "Monthly churn of premium subscribers fell to 2.31% after the price change.", "Monthly churn of premium subscribers fell to %s.", "2.31%", "3.21%", "roughly 2.3%", "2.31 percent",
			"churn of premium subscribers fell", "churn of premium subscribers rose"},
	},
	{
		{"k7", "Energy audit", "According to the energy audit, the data centre consumed 8,640 megawatt hours during winter.", "During winter the data centre consumed %s megawatt hours.", "8,640", "6,840", "", "8640",
			"the data centre consumed 8,640 megawatt hours", "the data centre produced 8,640 megawatt hours"},
		{"k8", "Loan book", "Outstanding mortgage loans stood at €4.75 billion at the end of June; arrears stayed low.", "Outstanding mortgage loans were %s at the end of June.", "€4.75 billion", "€5.47 billion", "about €4.8 billion", "€4,750 million",
			"arrears stayed low", "arrears stayed high"},
		{"k9", "Survey", "Among surveyed nurses, 61 % preferred fixed rosters over flexible ones.", "%s of surveyed nurses preferred fixed rosters.", "61%", "16%", "about 61%", "61 percent",
			"preferred fixed rosters over flexible ones", "preferred flexible rosters over fixed ones"},
		{"k10", "Fleet", "The ferry operator retired 17 vessels and ordered 9 hybrid replacements from the shipyard.", "The operator ordered %s hybrid replacements from the shipyard.", "9", "6", "", "9",
			"ordered 9 hybrid replacements from the shipyard", "ordered 9 diesel replacements from the shipyard"},
		{"k11", "Yield", "Average wheat yield in the valley was 7.42 tonnes per hectare, a record.", "Wheat yield in the valley averaged %s tonnes per hectare.", "7.42", "4.72", "around 7.4", "7.42",
			"tonnes per hectare, a record", "tonnes per acre, a record"},
	},
}

type contextLaw struct {
	name  string
	right bool
	say   func(f, other contextFact, cite func(k int) string, at int) string
}

// contextLaws were written before the metric. at is the position of the fact, from 0; the next passage is another's.
var contextLaws = []contextLaw{
	{"stated, without a citation", true, func(f, _ contextFact, _ func(int) string, _ int) string { return fmt.Sprintf(f.said, f.figure) }},
	{"stated, with its citation", true, func(f, _ contextFact, cite func(int) string, at int) string {
		return strings.TrimSuffix(fmt.Sprintf(f.said, f.figure), ".") + " " + cite(at) + "."
	}},
	{"another spelling", true, func(f, _ contextFact, _ func(int) string, _ int) string { return fmt.Sprintf(f.said, f.rewrote) }},
	{"rounded", true, func(f, _ contextFact, _ func(int) string, _ int) string {
		if f.rounded == "" {
			return fmt.Sprintf(f.said, f.figure)
		}
		return strings.ToUpper(fmt.Sprintf(f.said, f.rounded)[:1]) + fmt.Sprintf(f.said, f.rounded)[1:]
	}},
	{"quoted", true, func(f, _ contextFact, cite func(int) string, at int) string {
		return "The document says “" + f.quote + "” " + cite(at) + "."
	}},
	{"another figure", false, func(f, _ contextFact, _ func(int) string, _ int) string { return fmt.Sprintf(f.said, f.other) }},
	{"another figure, with a citation", false, func(f, _ contextFact, cite func(int) string, at int) string {
		return strings.TrimSuffix(fmt.Sprintf(f.said, f.other), ".") + " " + cite(at) + "."
	}},
	{"the figure of another passage", false, func(f, o contextFact, _ func(int) string, _ int) string { return fmt.Sprintf(f.said, o.figure) }},
	{"the citation of another passage", false, func(f, _ contextFact, cite func(int) string, at int) string {
		return strings.TrimSuffix(fmt.Sprintf(f.said, f.figure), ".") + " " + cite((at+1)%5) + "."
	}},
	{"an unknown citation", false, func(f, _ contextFact, cite func(int) string, _ int) string {
		return strings.TrimSuffix(fmt.Sprintf(f.said, f.figure), ".") + " " + cite(-1) + "."
	}},
	{"a wrong quotation", false, func(f, _ contextFact, _ func(int) string, _ int) string {
		return "The document says \"" + f.misquote + "\"."
	}},
}

// Claims about passages are supported if and only if a passage, and the cited one if any is, states them.
func TestContextLaws(t *testing.T) {
	t.Parallel()
	var metrics []scoring.Metric
	for _, m := range metric.All() {
		if m.Name == "context_faithfulness" {
			metrics = append(metrics, m)
		}
	}
	engine, err := scoring.NewEngine(metrics, nil)
	if err != nil {
		t.Fatal(err)
	}
	for set, facts := range contextSets {
		cite := func(k int) string {
			if k < 0 {
				return []string{"[17]", "【17】"}[set]
			}
			if set == 0 {
				return fmt.Sprintf("[%d]", k+1)
			}
			return []string{"【" + fmt.Sprint(k+1) + "】", "[" + facts[k].id + "]", "(source: " + facts[k].title + ")"}[k%3]
		}
		var contexts []map[string]string
		for _, f := range facts {
			contexts = append(contexts, map[string]string{"id": f.id, "title": f.title, "text": f.text})
		}
		right, wrong, passed, refused, open := 0, 0, 0, 0, 0
		for _, law := range contextLaws {
			for i, f := range facts {
				response := law.say(f, facts[(i+1)%len(facts)], cite, i)
				line, err := json.Marshal(map[string]any{"case_id": "x", "agent": map[string]any{"response": response, "contexts": contexts}})
				if err != nil {
					t.Fatal(err)
				}
				c, err := scoring.DecodeCase(line)
				if err != nil {
					t.Fatal(err)
				}
				scores, err := engine.Score(context.Background(), c, scoring.AllMetrics)
				if err != nil {
					t.Fatal(err)
				}
				s := scores[0]
				passes := s.Passed != nil && *s.Passed
				if law.right {
					right++
				} else {
					wrong++
				}
				switch {
				case law.right && passes:
					passed++
				case !law.right && s.Passed != nil && !passes:
					refused++
				case !law.right && s.Status == scoring.StatusAbstained:
					open++
				default:
					t.Errorf("%s: right is %v, got %s %v: %s\n%s", law.name, law.right, s.Status, s.Value, s.Reason, response)
				}
			}
		}
		if open*10 > wrong+right {
			t.Errorf("set %d: %d claims are not decided", set, open)
		}
		t.Logf("set %d: %d of %d right claims pass, %d of %d wrong ones do not, %d are not decided", set, passed, right, refused, wrong, open)
	}
}

// FuzzContexts scores any response against any passages without a panic.
func FuzzContexts(f *testing.F) {
	for _, s := range []string{"The depot employs 418 people [1].", "“a b c” 【d†1】 (source: x) 12 % [1, 2", "1億2,345万 [^1]. No! Not 3…"} {
		f.Add(s, `[{"id": 1, "text": "The depot employs 418 people."}, "x"]`)
	}
	var metrics []scoring.Metric
	for _, m := range metric.All() {
		if strings.HasPrefix(m.Name, "context_") || strings.HasPrefix(m.Name, "citation_") {
			metrics = append(metrics, m)
		}
	}
	engine, err := scoring.NewEngine(metrics, &scoring.EngineOptions{Panicked: func(name string, v any, stack []byte) { f.Errorf("%s: %v\n%s", name, v, stack) }})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, response, contexts string) {
		c := &scoring.Case{ID: "x", Agent: scoring.Agent{Response: response, Contexts: scoring.JSONOfCell(contexts)}}
		scores, err := engine.Score(context.Background(), c, scoring.AllMetrics)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range scores {
			if s.Status == scoring.StatusOK && (s.Value < 0 || s.Value > 1) {
				t.Errorf("%s is %v", s.Metric, s.Value)
			}
		}
	})
}
