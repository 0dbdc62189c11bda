package main

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
)

type compareCommand struct {
	scoresFlags
	From      chosen   `placeholder:"AGENT@VERSION" help:"The side that is compared with: an agent and version, or one of both where that is only one; '' or '(no name)' for an agent without a name. By default the batch before that of --to."`
	FromBatch chosen   `placeholder:"ID" help:"Only this batch of it."`
	To        chosen   `placeholder:"AGENT@VERSION" help:"The other side; the newest batch by default."`
	ToBatch   chosen   `placeholder:"ID" help:"Only this batch of it."`
	Metrics   []string `placeholder:"A,B" help:"Metrics to compare, or all. By default those that say most."`
	By        string   `placeholder:"GROUP" enum:",tier" default:"" help:"Also by tier."`
	Cases     bool     `help:"List the cases that pass on one side only."`
	dropFlags
	JSON bool `help:"Print one JSON document."`
	terminalFlags
}

// Run compares two sides.
func (c *compareCommand) Run(ctx context.Context, p process) error {
	if err := c.check(); err != nil {
		return err
	}
	src, err := c.open(ctx, "")
	if err != nil {
		return err
	}
	defer src.close()
	there, gates, err := c.gates(ctx, src, c.Metrics)
	if err != nil {
		return err
	}
	o := c.tests()
	o.ByTier = c.By == "tier"
	var more []string
	o.Metrics, more = analysis.ChooseMetrics(there, c.Metrics)
	for _, g := range gates {
		if !slices.Contains(o.Metrics, g.Metric) {
			o.Metrics = append(o.Metrics, g.Metric)
		}
	}
	batches, err := src.Batches(ctx)
	if err != nil {
		return err
	}
	analysis.Sort(batches)
	from, to, err := c.sides(batches)
	if err != nil {
		return err
	}
	for _, b := range from {
		if slices.Contains(to, b) {
			return usage("--from and --to: %s is on both sides, expected two that differ; choose others with --from, --from-batch, --to and --to-batch", printable.Short(b.Name()))
		}
	}
	load := append(slices.Clone(o.Metrics), "sql_complexity")
	sides := make([]*analysis.Answers, 2)
	var notes []string
	for i, side := range [][]analysis.Batch{from, to} {
		whole := side[len(side)-1]
		if len(side) > 1 {
			whole.ID = ""
			notes = append(notes, strconv.Itoa(len(side))+" batches of "+whole.System()+" are taken together: of a question that several have, the newest answer counts")
		}
		for _, b := range side {
			whole.Unfinished = cmp.Or(b.Unfinished, whole.Unfinished)
		}
		sides[i] = src.set.Answers(whole)
		for _, b := range side {
			if err := src.Load(ctx, b, load, sides[i]); err != nil {
				return err
			}
		}
	}
	result := analysis.Compare(sides[0], sides[1], o)
	result.Notes = append(notes, result.Notes...)
	if c.JSON {
		err = writeJSON(p, result)
	} else {
		err = report.RenderComparison(p.stdout, result, more, c.Cases, c.options(p))
	}
	if err != nil || len(gates) == 0 {
		return err
	}
	return checkDrops(p.stderr, result, gates)
}

// sides finds the batches of both sides, each in the order of time.
func (c *compareCommand) sides(batches []analysis.Batch) (from, to []analysis.Batch, err error) {
	if len(c.Scores) == 2 && c.From == "" && c.To == "" { // one file each
		for i := range c.Scores {
			var side []analysis.Batch
			for _, b := range batches {
				if b.Origin == originOf(c.Scores, i) {
					side = append(side, b)
				}
			}
			if len(side) > 0 && len(side) < len(batches) {
				if i == 0 {
					from = side
				} else {
					to = side
				}
			}
		}
		if from != nil && to != nil {
			return from, to, nil
		}
	}
	if len(batches) == 0 {
		return nil, nil, usage("there are no scores to compare")
	}
	named := func(flag string, name, batch chosen) ([]analysis.Batch, error) {
		var out []analysis.Batch
		systems := map[string]bool{}
		for _, b := range batches {
			if !called(&b, name) || !(scoring.AnswerID{Batch: b.ID}).Matches(scoring.AnswerID{Batch: string(batch)}) {
				continue
			}
			out = append(out, b)
			systems[b.System()] = true
		}
		if len(systems) != 1 {
			var known []string
			for _, b := range batches {
				if what := printable.Short(sideName(&b) + batchOf(&b)); !slices.Contains(known, what) {
					known = append(known, what)
				}
			}
			if len(known) > 8 {
				known = append(known[:8], "…")
			}
			return nil, usage("%s: %.60q names %d of the agents and versions that have scores; there are %s", flag, strings.TrimSpace(strings.ReplaceAll(string(name+" "+batch), scoring.Unnamed, "")), len(systems), strings.Join(known, ", "))
		}
		return out, nil
	}
	if c.To == "" && c.ToBatch == "" {
		to = batches[len(batches)-1:]
	} else if to, err = named("--to", c.To, c.ToBatch); err != nil {
		return nil, nil, err
	}
	if c.From != "" || c.FromBatch != "" {
		from, err = named("--from", c.From, c.FromBatch)
		return from, to, err
	}
	first := to[0]
	at := slices.Index(batches, first)
	i := analysis.Before(batches, at)
	if i < 0 {
		return nil, nil, usage("there is no batch of %s before %s; name a side with --from", agentOf(&first), printable.Short(first.Name()))
	}
	return batches[i : i+1], to, nil
}

// agentOf names the agent of a batch in a message.
func agentOf(b *analysis.Batch) string {
	if b.Agent == "" {
		return "an agent without a name"
	}
	return "agent " + strconv.Quote(printable.Short(b.Agent))
}

// sideName is what chooses the agent and version of a batch: @ chooses those without either.
func sideName(b *analysis.Batch) string {
	if b.Agent == "" || b.Version != "" {
		return b.Agent + "@" + b.Version
	}
	return b.Agent
}

func batchOf(b *analysis.Batch) string {
	if b.ID == "" {
		return ""
	}
	return " batch " + b.ID
}

// called tells whether a batch is of an agent and version, by the name of both or of one.
func called(b *analysis.Batch, side chosen) bool {
	name := string(side)
	if name == scoring.Unnamed || name == scoring.NoName {
		return b.Agent == "" || name == b.Agent
	}
	return name == "" || name == b.Agent || name == b.Version || name == b.Agent+"@"+b.Version || name == b.Agent+" "+b.Version || name == b.System() || name == b.Origin
}
