package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"os/signal"
	"slices"
	"syscall"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

type judgeBiasCommand struct {
	Cases  string `placeholder:"FILE" xor:"input" required:"" help:"Case file in JSON Lines."`
	Source string `placeholder:"URL" xor:"input" required:"" help:"Warehouse to read, such as duckdb:FILE."`
	answerFlags
	Metrics    []string `placeholder:"A,B" help:"Metrics, such as hybrid_ex,verdict (default all that have a judge and a verdict)."`
	Probes     []string `placeholder:"A,B" enum:"repeat,position,length,style" default:"repeat,position,length,style" help:"Changes that should not change a verdict: repeat, position, length, style (default all)."`
	Preference bool     `help:"Compare preferences: if answer and gold change places, the verdict should be the opposite (not the same)."`
	Limit      int      `least:"1" placeholder:"N" help:"Use only the first N cases."`
	FailOnBias bool     `help:"Exit with 1 if a bias is found."`
	Estimate   bool     `help:"Print the estimated judge calls and exit."`
	Yes        bool     `help:"Make the judge calls without a budget."`
	Config     string   `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`
	Judges     []string `placeholder:"FILE" help:"Judge files to load, in addition to promoted or configured judges."`
	Quiet      bool     `short:"q" help:"Print no progress."`
	JSON       bool     `help:"Print one JSON document."`
	judgeFlags
	terminalFlags
}

// Run asks judges about cases and about changed copies of them, and compares the verdicts.
func (c *judgeBiasCommand) Run(ctx context.Context, p process) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	config, err := readConfig(c.Config, p)
	if err != nil {
		return err
	}
	if config.Judge, err = c.judged(config.Judge); err != nil {
		return err
	}
	if err := config.Judge.CheckLive(); err != nil {
		return err
	}
	in, err := openCases(ctx, p, cases.Place{Flag: "--cases", File: c.Cases, URL: c.Source}, c.answerFlags, openToRead)
	if err != nil {
		return err
	}
	defer in.Close()
	in.Snapshots.Allow(config.Results.Files)
	// the first ask of a case and each probe are occasions of one asking, so that nothing is answered by earlier replies
	s := sentinelWork{process: p, source: in.Source, snapshots: in.Snapshots, judge: config.Judge, names: c.Metrics,
		repeat: 1, asking: evaluation.NewID(p.now()), at: p.now(), quiet: c.Quiet || c.JSON && !isTerminal(p.stderr)}
	if s.config, err = config.Metrics.engineConfig(); err != nil {
		return err
	}
	if s.metrics, err = withJudges(ctx, append(config.Judges, c.Judges...), in.Warehouses()...); err != nil {
		return err
	}
	if c.Limit > 0 {
		s.source = cases.First(s.source, c.Limit)
	}
	if err := s.distinct(ctx); err != nil {
		return err
	}
	originals, err := loaded(ctx, s.source)
	if err != nil {
		return err
	}
	estimate, err := c.estimate(ctx, &s, originals)
	if err != nil {
		return err
	}
	if made, err := (callFlags{c.Estimate, c.JSON, c.Yes}).allow(p, estimate, &config.Judge); !made {
		return err
	}
	judges, err := config.Judge.Open(ctx, p.judging())
	if err != nil {
		return err
	}
	defer judges.Close()
	verdicts, unmeasured, err := c.ask(judgebackend.WithPayer(ctx, "bias:"+s.asking), &s, judges, originals)
	judges.PrintUsage(p.stderr)
	if err != nil {
		return err
	}
	b := analysis.NewBias(verdicts, 0.05)
	b.Unmeasured = unmeasured
	if c.JSON {
		err = writeJSON(p, b)
	} else {
		err = report.RenderBias(p.stdout, b, c.options(p))
	}
	if err != nil || !c.FailOnBias {
		return err
	}
	var said []string
	for i := range b.Rows {
		if r := &b.Rows[i]; r.Biased {
			said = append(said, fmt.Sprintf("gate failed: %s is biased by %s: %s (p %s)", r.Metric, r.Probe, report.Points(r.Change),
				analysis.PValue(r.Adjusted)))
		}
	}
	for _, of := range b.Unmeasured {
		said = append(said, "gate failed: "+of)
	}
	switch {
	case len(said) > 0:
	case len(b.Rows) == 0:
		said = []string{"gate failed: bias cannot be tested: no answer has a verdict"}
	default:
		return printGates(p.stderr, []string{"gate passed: no bias is shown"}, true)
	}
	return printGates(p.stderr, said, false)
}

// loaded reads the cases of a source that can be read.
func loaded(ctx context.Context, source batch.Source) (list []*scoring.Case, err error) {
	for item, err := range source.Cases(ctx) {
		if err != nil {
			return nil, err
		}
		if c, err := item.Load(ctx); err == nil {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil, errcode.New(errcode.NotFound, "no cases found")
	}
	return list, nil
}

// estimate adds up the estimates of the cases and of all probes.
func (c *judgeBiasCommand) estimate(ctx context.Context, s *sentinelWork,
	originals []*scoring.Case) (*sentinelEstimate, error) {
	var sum *sentinelEstimate
	var money judgebackend.Money
	priced := true
	for _, probe := range append([]string{""}, c.Probes...) {
		of := *s
		of.source, _ = probedCases(ctx, originals, probe)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if of.source == nil {
			continue
		}
		e, err := of.estimate(ctx)
		if err != nil {
			return nil, err
		}
		if sum == nil {
			sum = &sentinelEstimate{What: "bias", Metrics: e.Metrics, Repeat: 1}
		}
		sum.Cases, sum.Calls = sum.Cases+e.Cases, sum.Calls+e.Calls
		sum.TokensIn, sum.TokensOut = sum.TokensIn+e.TokensIn, sum.TokensOut+e.TokensOut
		m, err := judgebackend.ParseMoney(e.Money)
		money, priced = money+m, priced && err == nil
	}
	if priced {
		sum.Money = money.String()
	}
	return sum, nil
}

// probedCases returns the source of the cases under a probe, "" for none; nil if it applies to no
// case, or if ctx is done.
func probedCases(ctx context.Context, originals []*scoring.Case, probe string) (batch.Source, int) {
	var list []*scoring.Case
	for _, c := range originals {
		if ctx.Err() != nil {
			return nil, 0
		}
		if probe == "" {
			list = append(list, c)
		} else if x, ok := analysis.Probed(c, probe); ok {
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return nil, 0
	}
	return batch.SourceOf(func(context.Context) iter.Seq2[*scoring.Case, error] {
		return func(yield func(*scoring.Case, error) bool) {
			for _, c := range list {
				if !yield(c, nil) {
					return
				}
			}
		}
	}), len(list)
}

// verdictKey identifies a verdict among those of an occasion.
type verdictKey struct {
	scoring.AnswerID
	metric string
}

// ask asks about the cases and about them under each probe. Verdicts that needed no judge on a side are left out.
func (c *judgeBiasCommand) ask(ctx context.Context, s *sentinelWork, judges *judging.Judges,
	originals []*scoring.Case) (out []analysis.ProbedVerdict, unmeasured []string, err error) {
	var before occasionVerdicts
	for n, probe := range append([]string{""}, c.Probes...) {
		source, count := probedCases(ctx, originals, probe)
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if source == nil {
			fmt.Fprintf(s.stderr, "bias: the probe %s applies to no case\n", probe)
			continue
		}
		found, err := c.verdicts(ctx, s, judges, source, n+1)
		if err != nil {
			return nil, nil, err
		}
		for metric, reason := range found.silent {
			fmt.Fprintf(s.stderr, "bias: %s by %s: no verdict: %s\n", metric, cmp.Or(probe, "the unchanged cases"),
				printable.Text(reason))
		}
		if probe == "" {
			before = found
			continue
		}
		pairs, of := 0, map[string]int{}
		for _, k := range slices.SortedFunc(maps.Keys(found.passed), func(a, b verdictKey) int {
			return cmp.Or(cmp.Compare(a.metric, b.metric), cmp.Compare(a.CaseID, b.CaseID), cmp.Compare(a.Agent, b.Agent),
				cmp.Compare(a.Version, b.Version), cmp.Compare(a.Batch, b.Batch))
		}) {
			was, is := before.passed[k]
			if !is {
				continue
			}
			pairs++
			of[k.metric]++
			v := analysis.ProbedVerdict{AnswerID: k.AnswerID, Metric: k.metric, Probe: probe, Before: was,
				After: found.passed[k]}
			if probe == analysis.ProbePosition && c.Preference {
				v.After = !v.After
			}
			out = append(out, v)
		}
		for _, metric := range found.metrics {
			if n := max(before.missing[metric], found.missing[metric]); of[metric] == 0 || of[metric] < n {
				unmeasured = append(unmeasured, fmt.Sprintf("%s is not measured for %s: %s of verdicts: %s", metric,
					probe, printable.Count(of[metric], "pair"), cmp.Or(found.silent[metric], before.silent[metric],
						"no case needed a judge on both sides")))
			}
		}
		if pairs < count {
			fmt.Fprintf(s.stderr, "bias: %s: %s of %s on both sides from a judge\n", probe, printable.Count(pairs, "verdict"),
				printable.Count(count, "case"))
		}
	}
	if len(out) == 0 && len(unmeasured) == 0 {
		unmeasured = []string{"no pair of verdicts: no probe applies to a case"}
	}
	return out, unmeasured, nil
}

// occasionVerdicts are the verdicts on an occasion. Its silent metrics have the reason of the first missing verdict.
type occasionVerdicts struct {
	passed  map[verdictKey]bool
	metrics []string
	missing map[string]int
	silent  map[string]string
}

// verdicts returns the verdicts of judges on the cases of a source, on an occasion with a number.
func (c *judgeBiasCommand) verdicts(ctx context.Context, s *sentinelWork, judges *judging.Judges, source batch.Source,
	number int) (out occasionVerdicts, err error) {
	engine, occasion, names, err := s.engine(judges, number)
	if err != nil {
		return out, err
	}
	out = occasionVerdicts{map[verdictKey]bool{}, names, map[string]int{}, map[string]string{}}
	bar := newProgressBar(s.stderr, s.quiet)
	_, err = batch.Runner{
		Engine: engine, Metrics: names, Now: s.now, Progress: bar.update, Memory: s.boundMemory,
		Concurrency: s.judge.Concurrency + s.judge.Concurrency/2,
		Scored: func(x *scoring.Case, scored []scoring.Row) {
			for i := range scored {
				row, asked := occasion.Verdict(x, &scored[i], s.config)
				switch {
				case asked && row.Passed != nil:
					out.passed[verdictKey{row.AnswerID, row.Metric}] = *row.Passed
				case asked:
					out.missing[row.Metric]++
					out.silent[row.Metric] = cmp.Or(out.silent[row.Metric], scored[i].Score.Reason, string(row.Status))
				}
			}
		},
	}.Run(ctx, "bias", source, batch.Discard)
	bar.finish()
	return out, err
}
