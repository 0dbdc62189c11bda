package chartspec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/chartspec"
)

func sales() *chartspec.Frame {
	d := func(s string) scoring.Value { v, _ := scoring.ParseDecimal(s); return v }
	return &chartspec.Frame{Names: []string{"region", "year", "amount"}, Rows: 4, Columns: [][]scoring.Value{
		{scoring.StringValue("North"), scoring.StringValue("North"), scoring.StringValue("South"), scoring.StringValue("O'Hara")},
		{scoring.IntValue(2023), scoring.IntValue(2024), scoring.IntValue(2024), scoring.IntValue(2025)},
		{d("0.1"), d("0.2"), d("4"), scoring.NullValue},
	}}
}

// shown returns the points of the only view as text.
func shown(t *testing.T, chart string) string {
	t.Helper()
	c, err := chartspec.Read([]byte(chart))
	if err != nil {
		t.Fatalf("%s: %v", chart, err)
	}
	v := &c.Views[0]
	if len(v.Undecided)+len(c.Undecided) > 0 {
		return "undecided"
	}
	p, what := v.Points(sales(), true)
	if what != "" {
		return "undecided"
	}
	var b strings.Builder
	for r := range p.Rows {
		for k := range p.Columns {
			fmt.Fprintf(&b, "%s ", p.Columns[k][r])
		}
	}
	return strings.TrimSpace(b.String())
}

// Filters keep the rows for which a comparison holds, in the spelling of Vega, of SQL and as objects. What is not a
// comparison with a literal is not decided.
func TestFilters(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ filter, want string }{
		{`"datum.year > 2023"`, "North 2024 South 2024 O'Hara 2025"},
		{`"2023 < datum['year'] && datum.region === 'North'"`, "North 2024"},
		{`"!(datum.year == 2024) || datum[\"region\"] == 'South'"`, "North 2023 South 2024 O'Hara 2025"},
		{`"year BETWEEN 2023 AND 2024 AND NOT region IN ('South', 'West')"`, "North 2023 North 2024"},
		{`"region = 'O''Hara'"`, "O'Hara 2025"},
		{`"amount IS NOT NULL and year <> 2024"`, "North 2023"},
		{`"amount is null"`, "O'Hara 2025"},
		{`"datum.amount != null"`, "North 2023 North 2024 South 2024"},
		{`{"field": "year", "range": [2024, null]}`, "North 2024 South 2024 O'Hara 2025"},
		{`{"field": "region", "oneOf": ["South", "West"]}`, "South 2024"},
		{`{"and": [{"field": "year", "gte": 2024}, {"not": {"field": "region", "equal": "North"}}]}`, "South 2024 O'Hara 2025"},
		{`{"field": "amount", "valid": true}`, "North 2023 North 2024 South 2024"},
		{`{"field": "year", "op": "<", "value": 2024}`, "North 2023"},
		{`"datum.region == 'north'"`, ""},
		// not decided
		{`"datum.amount > 1"`, "undecided"}, // a NULL
		{`"datum.year > datum.amount"`, "undecided"},
		{`"datum.year + 1 > 2024"`, "undecided"},
		{`"year(datum.day) == 2024"`, "undecided"},
		{`"datum.year > 2023 ? true : false"`, "undecided"},
		{`"datum.region < 7"`, "undecided"},
		{`"datum.a.b == 1"`, "undecided"},
		{`"datum.region.length > 4"`, "undecided"},
		{`"region LIKE 'N%'"`, "undecided"},
		{`"datum.region == '\\x41'"`, "undecided"},
		{`"datum.year >"`, "undecided"},
		{`{"field": "year", "timeUnit": "year", "equal": 2024}`, "undecided"},
		{`{"field": "year", "near": 2024}`, "undecided"},
	} {
		chart := `{"mark": "point", "transform": [{"filter": ` + x.filter + `}], "encoding": {"x": {"field": "region"}, "y": {"field": "year", "type": "ordinal"}}}`
		if got := shown(t, chart); got != x.want {
			t.Errorf("%s: got %q, want %q", x.filter, got, x.want)
		}
	}
}

// Aggregates are exact, and skip NULL.
func TestAggregates(t *testing.T) {
	t.Parallel()
	for op, want := range map[string]string{
		"sum": "North 0.30 South 4 O'Hara NULL", "mean": "North 0.15 South 4 O'Hara NULL", "count": "North 2 South 1 O'Hara 1",
		"valid": "North 2 South 1 O'Hara 0", "distinct": "North 2 South 1 O'Hara 0", "min": "North 0.1 South 4 O'Hara NULL",
		"max": "North 0.2 South 4 O'Hara NULL", "median": "North 0.15 South 4 O'Hara NULL", "stdev": "undecided",
	} {
		if got := shown(t, `{"mark": "bar", "encoding": {"x": {"field": "region"}, "y": {"field": "amount", "aggregate": "`+op+`"}}}`); got != want {
			t.Errorf("%s: got %q, want %q", op, got, want)
		}
		written := `{"mark": "bar", "transform": [{"aggregate": [{"op": "` + op + `", "field": "amount", "as": "n"}], "groupby": ["region"]}], "encoding": {"x": {"field": "region"}, "y": {"field": "n", "type": "quantitative"}}}`
		if got := shown(t, written); got != want {
			t.Errorf("transform %s: got %q, want %q", op, got, want)
		}
	}
}

// A typed array of Plotly holds the numbers of its type in little-endian order.
func TestTypedArrays(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ dtype, bdata, want string }{
		{"i1", "/wE=", "-1 1"}, {"u1", "/wE=", "255 1"}, {"i2", "/v8BAA==", "-2 1"}, {"u2", "/v8BAA==", "65534 1"},
		{"i4", "/v///wEAAAA=", "-2 1"}, {"f4", "zczMPQAAgD8=", "0.1 1"}, {"f8", "mpmZmZmZuT8AAAAAAADwPw==", "0.1 1"},
		{"u8", "//////////8BAAAAAAAAAA==", "18446744073709551615 1"},
	} {
		chart := `{"data": [{"type": "bar", "x": ["a", "b"], "y": {"dtype": "` + x.dtype + `", "bdata": "` + x.bdata + `"}}]}`
		a, b, _ := strings.Cut(x.want, " ")
		if got, want := shown(t, chart), "a "+a+" b "+b; got != want {
			t.Errorf("%s: got %q, want %q", x.dtype, got, want)
		}
	}
}

// A chart beyond a limit is an error before it is expanded, and what is not read is named.
func TestLimits(t *testing.T) {
	t.Parallel()
	field := `{"mark": "bar", "encoding": {"x": {"field": "region"}, "y": {"field": {"repeat": "repeat"}}}}`
	for name, x := range map[string]struct {
		chart string
		code  errcode.Code
	}{
		"bytes":     {`{"mark": "bar", "x": "` + strings.Repeat("a", chartspec.MaxBytes) + `"}`, errcode.ResourceExhausted},
		"depth":     {`{"x": ` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}", errcode.InvalidArgument},
		"layers":    {strings.Repeat(`{"layer": [`, 40) + `{"mark": "bar"}` + strings.Repeat("]}", 40), errcode.InvalidArgument},
		"views":     {`{"hconcat": [` + strings.TrimSuffix(strings.Repeat(`{"mark": "bar", "encoding": {}}, `, 100), ", ") + `]}`, errcode.ResourceExhausted},
		"repeat":    {`{"repeat": {"row": [` + strings.TrimSuffix(strings.Repeat(`"a", `, 50), ", ") + `], "column": ["a", "b"]}, "spec": ` + field + `}`, errcode.ResourceExhausted},
		"points":    {`{"data": [{"type": "bar", "x": [` + strings.TrimSuffix(strings.Repeat("1,", chartspec.MaxPoints+1), ",") + `]}]}`, errcode.ResourceExhausted},
		"bdata":     {`{"data": [{"type": "bar", "x": {"dtype": "u1", "bdata": "` + strings.Repeat("AAAA", chartspec.MaxPoints/2) + `"}}]}`, errcode.ResourceExhausted},
		"duplicate": {`{"mark": "bar", "x": "a", "x": "b"}`, errcode.InvalidArgument},
		"base64":    {`{"data": [{"type": "bar", "x": {"dtype": "f8", "bdata": "AAAA"}}]}`, errcode.InvalidArgument},
		"no field":  {`{"mark": "bar"}`, errcode.InvalidArgument},
		"text":      {`a chart of sales`, errcode.InvalidArgument},
	} {
		if _, err := chartspec.Read([]byte(x.chart)); errcode.Of(err) != x.code {
			t.Errorf("%s: got %v, want the code %v", name, err, x.code)
		}
	}
	for _, text := range []string{"plot.png", `"https://example.com/a/plot.svg?x=1"`, "data:image/png;base64,iVBORw0KGgo=", "![chart](sales.png)", "<svg></svg>"} {
		if !chartspec.Picture([]byte(text)) {
			t.Errorf("%s is a picture", text)
		}
	}
	if chartspec.Picture([]byte(`{"mark": "bar", "x": "a.png"}`)) {
		t.Error("a chart is not a picture")
	}
}

// A chart is found in its wrappers, and a chart in a form that is not read is an error that differs from a text that
// is not a chart.
func TestWrappers(t *testing.T) {
	t.Parallel()
	const chart = `{"mark": "point", "x": "region", "y": "year"}`
	quoted := fmt.Sprintf("%q", chart)
	for _, text := range []string{
		"Here is the chart:\n```json\n" + chart + "\n```\nIt shows all regions.",
		"```python\nprint(1)\n```\nand\n```\n" + chart + "\n```",
		"[" + chart + "]", "[" + quoted + "]", `{"chart_spec": ` + quoted + `}`, `{"spec": ` + chart + `, "explanation": "x"}`,
		`{"charts": [` + quoted + `]}`,
	} {
		if got, want := shown(t, text), shown(t, chart); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	fence := "```json\n" + chart + "\n```\n"
	for text, code := range map[string]errcode.Code{
		fence + fence:                   errcode.InvalidArgument, // which of the two is unknown
		"[" + chart + "," + chart + "]": errcode.Unimplemented,
		`{"type": "bar", "data": {"labels": ["a"], "datasets": [{"data": [1]}]}}`:                errcode.Unimplemented,
		`{"xAxis": {"data": ["a"]}, "yAxis": {}, "series": [{"type": "bar", "data": [1]}]}`:      errcode.Unimplemented,
		`{"$schema": "https://vega.github.io/schema/vega/v5.json", "marks": [{"type": "rect"}]}`: errcode.Unimplemented,
		`{"chart_type": "bar"}`:     errcode.InvalidArgument,
		`[[[[[[` + chart + `]]]]]]`: errcode.InvalidArgument,
		`{}`:                        errcode.InvalidArgument,
	} {
		if _, err := chartspec.Read([]byte(text)); errcode.Of(err) != code {
			t.Errorf("%s: got %v, want the code %v", text, err, code)
		}
	}
	for _, text := range []string{ // read, without points
		`{"chart_type": "table"}`, `{"type": "kpi", "value": "revenue"}`,
		`{"data": [{"type": "indicator", "value": 42}], "layout": {}}`,
		`{"data": [{"type": "table", "cells": {"values": [[1]]}}], "layout": {}}`,
	} {
		if got := shown(t, text); got != "undecided" {
			t.Errorf("%s: got %q", text, got)
		}
	}
}

// FuzzRead reads any text without a panic, and computes points of what was read.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"mark": "bar", "x": "region", "y": "SUM(amount)", "filter": "year > 2023", "sort": "-y", "y_min": 3}`,
		`{"repeat": ["a", "amount"], "spec": {"layer": [{"mark": "line", "encoding": {"x": {"field": "year", "timeUnit": "yearmonth"}, "y": {"field": {"repeat": "repeat"}, "aggregate": "mean"}}}]}}`,
		`{"data": {"values": [{"region": "a", "amount": 1.5}]}, "transform": [{"fold": ["region"]}, {"filter": {"field": "key", "oneOf": ["region"]}}], "mark": {"type": "arc"}, "encoding": {"theta": {"field": "amount"}, "color": {"field": "value"}}}`,
		`{"data": [{"type": "histogram", "x": ["a", "b"], "y": {"dtype": "f4", "bdata": "zczMPQAAgD8="}, "histfunc": "avg"}, {"type": "pie", "labels": ["a"], "values": [1]}], "layout": {"yaxis": {"type": "log", "range": [0, 3]}}}`,
		"```json\n{\"mark\": \"bar\", \"x\": \"a\", \"y\": \"b\"}\n```",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_ = chartspec.Picture(b)
		c, err := chartspec.Read(b)
		if err != nil {
			if c != nil {
				t.Error("an error with a chart")
			}
			return
		}
		if len(c.Views) == 0 || len(c.Views) > chartspec.MaxViews {
			t.Errorf("%d views", len(c.Views))
		}
		_ = c.Joined()
		for i := range c.Views {
			v := &c.Views[i]
			_ = v.Missing(sales())
			p, what := v.Points(sales(), true)
			if (p == nil) == (what == "") {
				t.Errorf("points %v, undecided %q", p, what)
			}
			if p != nil && len(p.Columns) != len(v.Encodings) {
				t.Errorf("%d columns for %d encodings", len(p.Columns), len(v.Encodings))
			}
			for k := range v.Encodings {
				_ = v.Raw(sales(), k)
			}
		}
	})
}
