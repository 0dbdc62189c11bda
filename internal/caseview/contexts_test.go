package caseview_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/scoring"
)

// The statements of a response have their verdicts and reasons, and a mask withholds them.
func TestStatementsAboutPassages(t *testing.T) {
	c := pairOf(table(t, `{"columns":["n"],"rows":[[5]]}`), table(t, `{"columns":["n"],"rows":[[5]]}`))
	c.Agent.Response = "The depot employs 481 people [d1]. Trains leave the yard before sunrise."
	c.Agent.Contexts = json.RawMessage(`[{"id": "d1", "text": "The depot employs 418 people."}]`)
	in := caseview.Input{Case: c, Scores: scored(t, c, "context_faithfulness")}
	v := build(t, in, caseview.Options{})
	var got []string
	for i := range v.Statements {
		got = append(got, v.Statements[i].Verdict+": "+v.Statements[i].Reason())
	}
	if want := "contradicted: passage d1 has 418 instead of 481\nundecided: figures and quotations do not decide it"; strings.Join(got, "\n") != want {
		t.Errorf("%q, want %q", got, want)
	}
	mask, err := caseview.NewMask([]string{"elsewhere"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	in.Mask = mask
	if v := build(t, in, caseview.Options{}); v.Statements != nil {
		t.Errorf("under a mask: %+v", v.Statements)
	}
	in = caseview.Input{Case: c, Scores: []scoring.Score{{Metric: "context_faithfulness", Status: scoring.StatusOK, Detail: json.RawMessage(
		`{"statements": [{"statement": "s", "verdict": "supported", "why": "quoted", "passage": "d1", "quote": "three small words", "judge": "supported"},
		{"statement": "s", "verdict": "undecided", "why": "quote_not_found", "quote": "x <b>", "judge": "contradicted"}]}`)}}}
	v = build(t, in, caseview.Options{})
	if len(v.Statements) != 2 || v.Statements[0].Reason() != "the judge, who quotes passage d1: “three small words”" ||
		v.Statements[1].Reason() != "the judge calls it contradicted, but the passage does not have the quotation: “x <b>”" {
		t.Errorf("%+v", v.Statements)
	}
}

// Every reason of the metric has words.
func TestReasonsOfStatements(t *testing.T) {
	for why := range strings.FieldsSeq("in_passage other_passage other_figure opposite_words nowhere misquoted unknown_citation not_decided " +
		"quoted not_found not_asked not_shown not_answered answered_twice quote_too_short quote_not_found quote_elsewhere") {
		s := caseview.Statement{Why: why}
		if text := s.Reason(); text == why || strings.Contains(text, "_") {
			t.Errorf("%s: %q", why, text)
		}
	}
}
