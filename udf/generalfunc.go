package udf

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// generalFunctions returns the functions that belong to no metric, such as score_case.
func generalFunctions(c *Catalogue, engine *scoring.Engine, version string) []Function {
	constant := func(text func(ctx context.Context) string) func(context.Context, *Batch, *Column) {
		return func(ctx context.Context, in *Batch, out *Column) {
			v := text(ctx)
			for i := range in.Rows {
				out.SetText(i, v)
			}
		}
	}
	return []Function{
		{
			Name: "score_case", Group: "general", Result: JSON, Version: 1, Volatile: true, Waits: true, Once: true,
			Cost: scoring.CostJudged,
			Doc:  "Scores one case and returns a JSON array of scores.",
			Params: []Param{
				{"case_json", JSON, false, "the case, as in case files"},
				{"metrics", VARCHAR, true, listedMetrics},
			},
			Row: func(ctx context.Context, in *Batch, i int, out *Column) error {
				scores, err := scoreCase(ctx, engine, bytesOf(in.Text(0, i)), MetricNames(in.Text(1, i)))
				if err != nil {
					return err
				}
				out.SetText(i, ScoresJSON(scores))
				in.scores = scores
				return nil
			},
			Envelope: func(err error) string { return ScoresJSON([]scoring.Row{{Score: scoring.Fail(err)}}) },
		},
		{
			Name: "badger_functions", Group: "general", Result: JSON, Version: 1,
			Doc: "The catalogue of functions, a JSON array.",
			Columns: constant(func(context.Context) string {
				b, _ := json.Marshal(c.Functions()) // plain data
				return string(b)
			}),
		},
		{
			Name: "badger_version", Group: "general", Result: VARCHAR, Version: 1,
			Doc:     "The version of badger that answers.",
			Columns: constant(func(context.Context) string { return version }),
		},
		{
			Name: "badger_whoami", Group: "general", Result: VARCHAR, Version: 1, Volatile: true,
			Doc:     "The name under which the server knows the caller; empty without authentication.",
			Columns: constant(callerName),
		},
		{
			Name: "badger_echo", Group: "general", Result: VARCHAR, Version: 1,
			Doc:     "Returns its argument, to check a connection.",
			Params:  []Param{{"text", VARCHAR, false, "any text"}},
			Columns: echo,
		},
	}
}

func echo(_ context.Context, in *Batch, out *Column) {
	copy(out.Texts, in.Args[0].Texts)
	copy(out.Nulls, in.Args[0].Nulls)
}

// listedMetrics describes a parameter that [MetricNames] reads.
const listedMetrics = "names of metrics, separated by commas; empty or default: those that can be computed here, except those computed on request only; all: with these"

// MetricNames parses a list of names separated by commas. It skips empty ones.
func MetricNames(list string) (names []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// ScoresJSON returns the scores as a JSON array, the result of score_case.
func ScoresJSON(rows []scoring.Row) string {
	b := []byte{'['}
	for i := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, envelope(rows[i])...)
	}
	return textOf(append(b, ']'))
}
