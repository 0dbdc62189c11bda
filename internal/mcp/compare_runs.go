package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf/identity"
)

var compareRuns = tool{
	name: "compare_runs", title: "Compare two runs", role: identity.Read,
	doc: "Tests whether a stored batch is better or worse than another, on the cases that both answered. A comparison counts as one verdict on each of " +
		"them, as with check_answer; the same one again counts once. If the limit of a case is reached, nothing is compared and nothing counts. " +
		"Batches with fewer than 40 common cases are not compared, and shares of accepted answers are rounded to 10 %.",
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
	Outcome string `json:"outcome"` // better, worse, no_difference_shown, not_compared or limit_reached
	// Percent of the compared cases that pass, rounded to 10; null if they are not compared.
	FromPasses *int `json:"from_passes_percent"`
	ToPasses   *int `json:"to_passes_percent"`

	Detail *analysis.Comparison `json:"detail,omitempty"` // only with show_gold
}

// leastCases is the number of cases below which figures of several cases are not shown.
const leastCases = 40

func (s *Server) compareRuns(ctx context.Context, who *call, arguments json.RawMessage) (reply any, err error) {
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
		requests, err := s.common(ctx, metric, from, to)
		if err != nil {
			return err
		}
		out := &comparison{From: sideOf(&c.From), To: sideOf(&c.To), Metric: metric, Outcome: "not_compared"}
		reply = out
		if len(requests) < leastCases && !s.o.ShowGold {
			return nil
		}
		grants, err := s.ledger.TakeAll(who.caller, "compare_runs", requests)
		switch {
		case err != nil:
			return err
		case slices.ContainsFunc(grants, func(g Grant) bool { return g.Refused }):
			out.Outcome = limitReached.Reason
			return nil
		}
		who.shown += len(grants)
		s.compared(out, c)
		return nil
	})
	return reply, err
}

// common returns the requests to compare two sides: one for each case that both have, since the reply depends on the
// outcomes of all of them. Which cases these are does not depend on gold.
func (s *Server) common(ctx context.Context, metric string, from, to []analysis.Batch) (requests []Request, err error) {
	sides, key := [2]map[string]bool{{}, {}}, sha256.New()
	for side, batches := range [][]analysis.Batch{from, to} {
		for _, b := range batches {
			h, err := analysis.NewHistory(ctx, s.o.Scores, s.o.Set, []analysis.Batch{b}, metric)
			if err != nil {
				return nil, err
			}
			for _, x := range h.Cases {
				if x.Standings[0] != analysis.StandAbsent {
					sides[side][x.CaseID] = true
					fmt.Fprintf(key, "%d %q %q %d\n", side, b.Run, x.CaseID, x.Standings[0])
				}
			}
		}
	}
	answer := "compared " + string(key.Sum(nil))
	for _, id := range slices.Sorted(maps.Keys(sides[0])) {
		if sides[1][id] {
			requests = append(requests, Request{Case: id, Topic: topicOf(id, s.question(id)), Answer: answer + id})
		}
	}
	return requests, nil
}

// compared adds what a comparison shows.
func (s *Server) compared(out *comparison, c *analysis.Comparison) {
	if s.o.ShowGold {
		out.Detail = c
	}
	m := c.Main
	if m == nil || m.Rated < leastCases {
		return
	}
	switch m.Outcome {
	case analysis.Improved:
		out.Outcome = "better"
	case analysis.Degraded:
		out.Outcome = "worse"
	case analysis.NotCompared:
		return
	default:
		out.Outcome = "no_difference_shown"
	}
	before, after := m.Shares()
	for _, x := range []struct {
		share float64
		into  **int
	}{{before, &out.FromPasses}, {after, &out.ToPasses}} {
		percent := 10 * int(math.Round(x.share*10))
		*x.into = &percent
	}
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
