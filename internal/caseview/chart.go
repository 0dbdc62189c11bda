package caseview

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Chart is the chart that the agent shows, described as data, with what metrics found in it.
type Chart struct {
	JSON     string         `json:"specification,omitempty"` // of the agent's chart, indented; "" if it shows none
	Gold     string         `json:"gold_specification,omitempty"`
	Form     string         `json:"form,omitempty"` // vega-lite, plotly or plain; "" if unknown
	Marks    []string       `json:"marks,omitempty"`
	Points   int            `json:"points,omitempty"` // of the chart and of what it should show, together
	Right    int            `json:"right,omitempty"`  // those that agree
	Findings []chartFinding `json:"findings,omitempty"`
	Unread   []string       `json:"undecided,omitempty"` // parts of the chart that are not read
}

// chartFinding is a fault of a chart, or a warning.
type chartFinding struct {
	Display  string `json:"display"`
	Warning  bool   `json:"warning,omitempty"` // it does not change the score
	Channel  string `json:"channel,omitempty"` // x, y, color, …
	Field    string `json:"field,omitempty"`
	Point    string `json:"point,omitempty"` // the category of an example
	Expected string `json:"expected,omitempty"`
	Got      string `json:"got,omitempty"`
	Count    int    `json:"count,omitempty"` // the number of points
	Text     string `json:"text"`
}

// chart returns the chart of the case, masked, or nil. The details are those of chart_match, else of
// chart_match_category.
func (b *builder) chart() *Chart {
	out := &Chart{}
	for _, name := range []string{"chart_match", "chart_match_category"} {
		if b.Mask.None() && b.detail(name, out) {
			break
		}
	}
	out.JSON, out.Gold = b.foreign(indented(b.Case.Pred.Chart)), ""
	if b.gold != nil {
		out.Gold = b.foreign(indented(b.gold.Chart))
	}
	if out.JSON == "" && out.Gold == "" {
		return nil
	}
	return out
}

// foreign returns s, a document that may hold data of any column, or Withheld if the mask has any.
func (b *builder) foreign(s string) string {
	if b.Mask.None() || s == "" {
		return s
	}
	return Withheld
}

// indented returns a JSON document with a member a line, or the text unchanged if it is not JSON. A string that holds a
// document is read as one.
func indented(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return strings.TrimSpace(string(raw))
	}
	return out.String()
}
