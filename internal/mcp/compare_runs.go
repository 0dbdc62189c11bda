package mcp

import (
	"context"
	"encoding/json"
	"math"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf/identity"
)

var compareRuns = tool{
	name: "compare_runs", title: "Compare two runs", role: identity.Read,
	doc: "Tests whether a stored batch is better or worse than another, on the cases that both answered. Shares of accepted answers are rounded to " +
		"5 %, and batches with few common cases are not compared, so that the reply is not a verdict on a single case.",
	input: `{"type":"object","additionalProperties":false,"properties":{` +
		`"from":{"type":"string","description":"Baseline: AGENT@VERSION, an agent or a version (default the accepted batch before to, or the version's first)."},` +
		`"from_batch":{"type":"string","description":"Batch of from (default the latest)."},` +
		`"to":{"type":"string","description":"AGENT@VERSION, an agent or a version to compare with it (default those of the latest batch)."},` +
		`"to_batch":{"type":"string","description":"Batch of to (default the latest)."}}}`,
	call: (*Server).compareRuns,
}

type compareInput struct {
	From      string `json:"from"`
	FromBatch string `json:"from_batch"`
	To        string `json:"to"`
	ToBatch   string `json:"to_batch"`
}

// comparison is the reply of compare_runs.
type comparison struct {
	From    side   `json:"from"`
	To      side   `json:"to"`
	Metric  string `json:"metric"`
	Outcome string `json:"outcome"` // better, worse, no_difference_shown or not_compared
	// Percent of the compared cases that pass, rounded to 5; null if they are not compared.
	FromPasses *int `json:"from_passes_percent"`
	ToPasses   *int `json:"to_passes_percent"`

	Detail *analysis.Comparison `json:"detail,omitempty"` // only with show_gold
}

// leastCases is the number of cases below which figures of several cases are not shown.
const leastCases = 20

func (s *Server) compareRuns(ctx context.Context, _ *call, arguments json.RawMessage) (reply any, err error) {
	var in compareInput
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	err = s.reading(ctx, func() error {
		metric, err := s.primary(ctx)
		if err != nil {
			return err
		}
		batches, err := s.batches(ctx)
		if err != nil {
			return err
		}
		names := analysis.Named{From: in.From, FromBatch: in.FromBatch, To: in.To, ToBatch: in.ToBatch}
		if names.Accepted, err = analysis.AcceptedFrom(ctx, s.o.Scores, s.o.Set, batches, metric); err != nil {
			return err
		}
		from, to, err := names.Sides(batches)
		if err != nil {
			return plainFlags(err)
		}
		c, err := analysis.CompareSides(ctx, s.o.Scores, s.o.Set, from, to,
			analysis.CompareOptions{Primary: metric, Metrics: []string{metric}})
		if err != nil {
			return err
		}
		reply = s.comparison(c, metric)
		return nil
	})
	return reply, err
}

func (s *Server) comparison(c *analysis.Comparison, metric string) *comparison {
	out := &comparison{From: sideOf(&c.From), To: sideOf(&c.To), Metric: metric, Outcome: "not_compared"}
	if s.o.ShowGold {
		out.Detail = c
	}
	m := c.Main
	if m == nil || m.Rated < leastCases {
		return out
	}
	switch m.Outcome {
	case analysis.Improved:
		out.Outcome = "better"
	case analysis.Degraded:
		out.Outcome = "worse"
	case analysis.NotCompared:
		return out
	default:
		out.Outcome = "no_difference_shown"
	}
	before, after := m.Shares()
	for _, x := range []struct {
		share float64
		into  **int
	}{{before, &out.FromPasses}, {after, &out.ToPasses}} {
		percent := 5 * int(math.Round(x.share*20))
		*x.into = &percent
	}
	return out
}

// plainFlags returns an error of a command with the names of arguments in place of flags.
func plainFlags(err error) error {
	if errcode.IsUsage(err) {
		r := strings.NewReplacer("--from-batch", "from_batch", "--to-batch", "to_batch", "--agent-version", "version",
			"--", "")
		return errcode.Usage("%s", r.Replace(err.Error()))
	}
	return err
}
