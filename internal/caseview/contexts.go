package caseview

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// contexts returns the passages that the agent retrieved: the elements of a list, else the whole as one.
func (b *builder) contexts() (out []string) {
	raw := b.Case.Agent.Contexts
	if len(raw) == 0 {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	for _, passage := range list {
		var text string
		if json.Unmarshal(passage, &text) != nil {
			text = indented(passage)
		}
		out = append(out, b.foreign(text))
	}
	return out
}

// Statement is a statement of a response about retrieved passages, with its verdict.
type Statement struct {
	Text     string   `json:"statement"`
	Verdict  string   `json:"verdict"` // supported, contradicted, unsupported or undecided
	Why      string   `json:"why"`
	Figure   string   `json:"figure,omitempty"`
	Expected string   `json:"expected,omitempty"` // the figure of the passage
	Passage  string   `json:"passage,omitempty"`  // the id or the number of the passage
	Cites    []string `json:"cites,omitempty"`
	Unknown  []string `json:"unknown,omitempty"` // citations of no passage
	Judge    string   `json:"judge,omitempty"`   // the verdict of the judge
	Quote    string   `json:"quote,omitempty"`   // the judge's quotation of a passage
}

// aboutPassages are the metrics with statements in their detail. The first two may have verdicts of a judge.
var aboutPassages = []string{"context_faithfulness", "citation_recall", "citation_precision"}

// AboutPassages reports whether a metric compares the response with retrieved passages.
func AboutPassages(metric string) bool { return slices.Contains(aboutPassages, metric) }

// statements returns the statements of the response with the verdicts of the first metric that has them. It returns nil
// under a mask.
func (b *builder) statements() []Statement {
	for _, name := range aboutPassages {
		var d struct {
			Statements []Statement `json:"statements"`
		}
		if b.Mask.None() && b.detail(name, &d) {
			return d.Statements
		}
	}
	return nil
}

// Reason returns the reason for the verdict in words.
func (s *Statement) Reason() string {
	passage := "passage " + s.Passage
	quoted := "“" + s.Quote + "”"
	said := "the judge calls it " + strings.ReplaceAll(s.Judge, "_", " ") + ", but "
	switch s.Why {
	case "in_passage":
		return passage + " says so"
	case "other_passage":
		return passage + " says so, but is not cited"
	case "other_figure":
		return passage + " has " + s.Expected + " instead of " + s.Figure
	case "opposite_words":
		return passage + " says the opposite"
	case "nowhere":
		return "no passage has " + s.Figure
	case "misquoted":
		return "no passage has the quotation"
	case "unknown_citation":
		return "it cites " + strings.Join(s.Unknown, ", ") + ", which names no passage"
	case "not_decided":
		return "figures and quotations do not decide it"
	case "quoted":
		return "the judge, who quotes passage " + s.Passage + ": " + quoted
	case "not_found":
		return "the judge did not find it in the passages"
	case "not_asked":
		return "the judge was not asked, because there are too many statements"
	case "not_shown":
		return "the judge did not find it, but was not shown all of the passages"
	case "not_answered":
		return "the judge's reply has no verdict on it"
	case "answered_twice":
		return "the judge's reply has more than one verdict on it"
	case "quote_too_short":
		return said + "the quotation has fewer than three words: " + quoted
	case "quote_not_found":
		return said + "the passage does not have the quotation: " + quoted
	case "quote_elsewhere":
		return said + "quotes no passage that it may rest on: " + quoted
	}
	return cmp.Or(s.Why, "no reason is recorded")
}
