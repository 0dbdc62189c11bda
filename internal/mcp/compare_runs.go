package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf/identity"
)

var compareRuns = tool{
	name: "compare_runs", title: "Compare two runs", role: identity.Read,
	doc: "Tests whether a stored batch is better or worse than another, on the cases that both answered. It counts as if both answers to each of " +
		"them were checked; the same answer again counts once. If the limit of a case is reached, nothing is compared and nothing counts. " +
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
		batches, err := s.batches(ctx)
		if err != nil {
			return err
		}
		names := analysis.Named{From: in.From, FromBatch: in.FromBatch, To: in.To, ToBatch: in.ToBatch}
		if names.Accepted, err = analysis.AcceptedFrom(ctx, s.o.Scores, s.o.Set, batches, decides); err != nil {
			return err
		}
		from, to, err := names.Sides(batches)
		if err != nil {
			return plainFlags(err)
		}
		defer startPace().wait(ctx)
		reply, err = s.compare(ctx, who, from, to)
		return err
	})
	return reply, err
}

// compare compares two sides by the verdicts on their answers. Each verdict is counted, so that the reply follows from
// verdicts that the caller might as well have asked for.
func (s *Server) compare(ctx context.Context, who *call, from, to []analysis.Batch) (*comparison, error) {
	before, err := s.judgeSide(ctx, from, s.within(who))
	if err != nil {
		return nil, err
	}
	after, err := s.judgeSide(ctx, to, s.within(who))
	if err != nil {
		return nil, err
	}
	a, b := s.o.Set.Answers(from[len(from)-1]), s.o.Set.Answers(to[len(to)-1])
	var requests []Request
	for _, id := range slices.Sorted(maps.Keys(before)) {
		x, y := before[id], after[id]
		if y.Verdict == "" {
			continue
		}
		requests = append(requests, x.Request, y.Request)
		a.Add(scoreOf(id, x.Outcome))
		b.Add(scoreOf(id, y.Outcome))
	}
	out := &comparison{From: sideOf(&a.Batch), To: sideOf(&b.Batch), Metric: s.metric.Name, Outcome: "not_compared"}
	if s.o.ShowGold {
		out.Detail, err = analysis.CompareSides(ctx, s.o.Scores, s.o.Set, from, to,
			analysis.CompareOptions{Primary: decides, Metrics: []string{decides}})
		if err != nil {
			return nil, err
		}
	}
	if len(requests) < 2*leastCases && !s.o.ShowGold {
		return out, nil
	}
	grants, err := s.ledger.TakeAll(who.caller, "compare_runs", requests)
	switch {
	case err != nil:
		return nil, err
	case slices.ContainsFunc(grants, func(g Grant) bool { return g.Refused }):
		out.Outcome = limitReached.Reason
		return out, nil
	}
	who.shown += len(grants)
	out.tell(analysis.Compare(a, b, analysis.CompareOptions{Primary: decides, Metrics: []string{decides}}).Main)
	return out, nil
}

// judgeSide judges the latest answer to each case of a side.
func (s *Server) judgeSide(ctx context.Context, batches []analysis.Batch, want wanted) (map[string]judged, error) {
	out := map[string]judged{}
	for _, b := range batches {
		all, err := s.judgeCases(ctx, b.By, nil, want)
		if err != nil {
			return nil, err
		}
		maps.Copy(out, all)
	}
	if len(out) == 0 {
		return nil, errNoAnswers(&batches[len(batches)-1])
	}
	return out, nil
}

// scoreOf returns an outcome as a score of the metric that decides.
func scoreOf(id string, o Outcome) *analysis.Score {
	x := &analysis.Score{CaseID: id, Metric: decides, Status: scoring.StatusOK}
	switch passed := o == accepted; o {
	case notDecided:
		x.Status = scoring.StatusAbstained
	case noAnswer:
		x.Status, x.Reason = scoring.StatusNotApplicable, scoring.NoPred
	default:
		x.Passed = &passed
		if passed {
			x.Value = 1
		}
	}
	return x
}

// tell adds what a comparison shows.
func (c *comparison) tell(m *analysis.Change) {
	if m == nil || m.Rated < leastCases {
		return
	}
	switch m.Outcome {
	case analysis.Improved:
		c.Outcome = "better"
	case analysis.Degraded:
		c.Outcome = "worse"
	case analysis.NotCompared:
		return
	default:
		c.Outcome = "no_difference_shown"
	}
	before, after := m.Shares()
	for _, x := range []struct {
		share float64
		into  **int
	}{{before, &c.FromPasses}, {after, &c.ToPasses}} {
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
