package caseview_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/caseview"
)

// TestChart holds that a view has the chart as data, with what was found in it, the passages, and what the answer took,
// and that a mask of any column withholds the chart and the passages.
func TestChart(t *testing.T) {
	c := pairOf(table(t, `{"columns":["region","n"],"rows":[["North",5],["South",3]]}`),
		table(t, `{"columns":["region","n"],"rows":[["North",5],["South",3]]}`))
	c.Pred.Chart = json.RawMessage(
		`{"mark":"bar","x":"region","y":"n","data":{"values":[{"region":"North","n":5},{"region":"South","n":8}]}}`)
	c.Agent.Contexts = json.RawMessage(`["a <b>passage</b>", {"text": "another"}]`)
	tokens := int64(0)
	c.Agent.TokensIn = &tokens
	in := caseview.Input{Case: c, Scores: scored(t, c, "chart_match")}
	v := build(t, in, caseview.Options{})
	if v.Chart == nil || !strings.Contains(v.Chart.JSON, `"mark": "bar"`) || len(v.Chart.Findings) != 1 ||
		v.Chart.Findings[0].Expected != "3" || v.Chart.Findings[0].Got != "8" {
		t.Errorf("chart %+v", v.Chart)
	}
	if !slices.Equal(v.Contexts, []string{"a <b>passage</b>", "{\n  \"text\": \"another\"\n}"}) {
		t.Errorf("passages %q", v.Contexts)
	}
	if v.TokensIn == nil || *v.TokensIn != 0 || v.TokensOut != nil || v.CostUSD != nil {
		t.Errorf("tokens %v in, %v out, cost %v", v.TokensIn, v.TokensOut, v.CostUSD)
	}
	mask, err := caseview.NewMask([]string{"elsewhere"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	in.Mask = mask
	v = build(t, in, caseview.Options{})
	if v.Chart == nil || v.Chart.JSON != caseview.Withheld || v.Chart.Findings != nil ||
		!slices.Equal(v.Contexts, []string{caseview.Withheld, caseview.Withheld}) {
		t.Errorf("under a mask: %+v, %q", v.Chart, v.Contexts)
	}
}
