package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/submission"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/custom"
	"github.com/badger-eval/badger/sql/store"
)

type judgeImproveCommand struct {
	File   string `arg:"" placeholder:"FILE" help:"Judge file."`
	Cases  string `placeholder:"FILE" xor:"input" required:"" help:"Case file in JSON Lines."`
	Source string `placeholder:"URL" xor:"input" required:"" help:"Warehouse to read, such as duckdb:FILE."`
	answerFlags
	Examples     *int   `least:"0" placeholder:"N" help:"Propose a judge with at most N labelled examples (default 8; 0 for none)."`
	ExampleBytes int    `least:"1" placeholder:"N" default:"16000" help:"Maximum size of all examples, in bytes (default ${default})."`
	Rewrite      *bool  `negatable:"" help:"Propose a prompt that the judge's model rewrites (default yes, unless --examples is set)."`
	Seed         uint64 `placeholder:"N" default:"1" help:"Seed of the split of the labels and of the choice of examples (default ${default})."`
	Split        string `default:"question" enum:"question,database" help:"Unit that is in one part of the labels only: question or database (default ${default})."`
	Out          string `placeholder:"NEWFILE" help:"File to write the improved judge to (default NAME.improved.yaml next to the judge file)."`
	WriteAnyway  bool   `help:"Write the best proposal even if no improvement is shown."`
	Estimate     bool   `help:"Print the estimated judge calls and exit."`
	Yes          bool   `help:"Make the judge calls without a budget."`
	Config       string `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`
	Quiet        bool   `short:"q" help:"Print no progress."`
	JSON         bool   `help:"Print one JSON document."`
	judgeFlags
}

const defaultExamples = 8

// Run proposes better judges, measures them on labels that were held out, and writes the best if it is better.
func (c *judgeImproveCommand) Run(ctx context.Context, p process) error {
	j, err := loadJudge(ctx, c.File, nil)
	if err != nil {
		return err
	}
	if j.Kind != custom.Prompt {
		return usage("%s is a judge of kind %s, which has no key prompt; expected kind prompt", j.Name, j.Kind)
	}
	if err := nameFree(ctx, j.Name); err != nil {
		return err
	}
	out, err := c.free(j)
	if err != nil {
		return err
	}
	config, err := readConfig(c.Config, p)
	if err != nil {
		return err
	}
	if config.Judge, err = c.judged(config.Judge); err != nil {
		return err
	}
	if !config.Judge.Asked() {
		return usage("no judge is configured; name one with --judge")
	}
	in, err := openCases(ctx, p, cases.Place{Flag: "--cases", File: c.Cases, URL: c.Source}, c.answerFlags, openToRead)
	if err != nil {
		return err
	}
	defer in.Close()
	in.Snapshots.Allow(config.Results.Files)
	x, err := c.split(ctx, p, j, in)
	if err != nil {
		return err
	}
	a := &improveAsker{process: p, judge: j, config: &config.Judge, snapshots: in.Snapshots,
		quiet: c.Quiet || c.JSON && !isTerminal(p.stderr)}
	if a.options.Config, err = config.Metrics.engineConfig(); err != nil {
		return err
	}
	if a.metrics, err = withJudges(ctx, config.Judges, in.Warehouses()...); err != nil {
		return err
	}
	a.metrics = slices.DeleteFunc(a.metrics,
		func(m scoring.Metric) bool { return m.Name == j.Name && m.Group == custom.Group })
	if !config.Judge.Offline {
		estimate, err := c.estimate(ctx, x, *a)
		if err != nil {
			return err
		}
		if made, err := (callFlags{c.Estimate, c.JSON, c.Yes}).allow(p, estimate, &config.Judge); !made {
			return err
		}
	} else if c.Estimate {
		return usage("--estimate: no calls are made with --offline")
	}
	r, err := c.measure(ctx, x, a)
	if err != nil {
		return err
	}
	return c.finish(ctx, p, r, out)
}

// measure opens the judge and returns the outcome of the proposals.
func (c *judgeImproveCommand) measure(ctx context.Context, x *calibration.Improvement,
	a *improveAsker) (*calibration.ImproveReport, error) {
	judges, err := a.config.Open(ctx, a.judging())
	if err != nil {
		return nil, err
	}
	defer judges.Close()
	a.use(judges)
	if x.Rewrite && a.model() == nil {
		return nil, usage("%s is asked of no judge; name one with --judge", a.judge.Name)
	}
	asking, stop := signal.NotifyContext(judgebackend.WithPayer(ctx, "improve:"+a.judge.Name), syscall.SIGINT,
		syscall.SIGTERM)
	defer stop()
	r, err := x.Run(asking, a)
	judges.PrintUsage(a.stderr)
	if err != nil {
		return nil, err
	}
	r.Model = judges.ModelOf(a.judge.Name)
	return r, nil
}

// finish writes the new judge file if the proposal is better, and prints the outcome.
func (c *judgeImproveCommand) finish(ctx context.Context, p process, r *calibration.ImproveReport, out string) error {
	note := "nothing is written"
	if r.Chosen != "" && (r.Shown || c.WriteAnyway) {
		improved, err := r.Improved(ctx, judgeOptions())
		if err != nil {
			return err
		}
		if err := writeNew(out, []byte(improved.Source)); err != nil {
			return err
		}
		r.Written = filepath.Base(out)
		note = fmt.Sprintf("wrote %s, version %d; read it before you promote it", r.Written, improved.Version)
	} else if r.Chosen != "" {
		note += "; --write-anyway writes " + r.Chosen
	}
	var err error
	if c.JSON {
		err = writeJSON(p, r)
	} else {
		err = r.Render(p.stdout)
	}
	if err == nil {
		fmt.Fprintln(p.stderr, note)
	}
	return err
}

// free returns the path of the new judge file. It is an error if it exists or would not be read as a judge of its kind.
func (c *judgeImproveCommand) free(j *custom.Judge) (string, error) {
	out := c.Out
	if out == "" {
		out = filepath.Join(filepath.Dir(c.File), j.Name+".improved.yaml")
	}
	if ext := strings.ToLower(filepath.Ext(out)); ext != ".yaml" && ext != ".yml" {
		return "", usage("--out: expected a name that ends in .yaml")
	}
	if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
		return "", usage("%s already exists; name another file with --out", filepath.Base(out))
	}
	return out, nil
}

// writeNew writes a file that must not exist.
func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return usage("--out: %w", err)
	}
	if _, err = f.Write(text); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// split reads the cases and splits the labelled ones.
func (c *judgeImproveCommand) split(ctx context.Context, p process, j *custom.Judge,
	in *cases.Opened) (*calibration.Improvement, error) {
	o := &calibration.Improving{Judge: j, Options: judgeOptions(), Seed: c.Seed, ByDatabase: c.Split == "database",
		Examples: defaultExamples, ExampleBytes: c.ExampleBytes, Rewrite: c.Examples == nil}
	if c.Examples != nil {
		o.Examples = *c.Examples
	}
	if c.Rewrite != nil {
		o.Rewrite = *c.Rewrite
		if o.Rewrite && c.Examples == nil {
			o.Examples = 0
		}
	}
	switch {
	case o.Examples < 0 || o.Examples > custom.MaxExamples:
		return nil, usage("--examples: expected 0 to %d", custom.MaxExamples)
	case o.ExampleBytes < 1:
		return nil, usage("--example-bytes: expected a number above 0")
	case o.Examples == 0 && !o.Rewrite:
		return nil, usage("nothing to propose; expected --examples N or --rewrite")
	}
	if in.Tables != nil {
		var err error
		if o.Votes, err = in.Tables.Votes(ctx, p.stderr); err != nil {
			return nil, err
		}
		if o.Notes, err = labelNotes(ctx, in.Tables.Tables); err != nil {
			return nil, err
		}
	}
	var list []*scoring.Case
	var unread []string
	for item, err := range batch.Distinct(ctx, in.Source) {
		if err != nil {
			return nil, err
		}
		if x, err := item.Load(ctx); err == nil {
			list = append(list, x)
		} else {
			unread = append(unread, err.Error())
		}
	}
	if len(unread) > 0 {
		fmt.Fprintf(p.stderr, "%s cannot be read, such as: %s\n", printable.Count(len(unread), "case"),
			printable.Text(unread[0]))
	}
	x, err := calibration.NewImprovement(o, list)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	return x, nil
}

// labelNotes returns the latest note on each answer in the log of labels.
func labelNotes(ctx context.Context, w *store.Store) (map[scoring.AnswerID]string, error) {
	labels, err := w.LoggedLabels(ctx, store.LabelFilter{Newest: true, InTheOrder: true}, 0)
	if err != nil {
		if errcode.Of(err) == errcode.NotFound {
			return nil, nil //nolint:nilnil // no log, no notes
		}
		return nil, err
	}
	notes := map[scoring.AnswerID]string{}
	for i := range labels {
		if l := &labels[i]; l.Note != "" {
			notes[scoring.AnswerID{CaseID: l.CaseID, By: l.By}] = l.Note
		}
	}
	return notes, nil
}

// improveEstimate is the estimated number and cost of the judge calls.
type improveEstimate struct {
	Answers   int    `json:"answers"`
	Proposals int    `json:"proposals"`
	Calls     int64  `json:"calls"` // at most, apart from repeated ones
	TokensIn  int64  `json:"tokens_in"`
	TokensOut int64  `json:"tokens_out_at_most"`
	Money     string `json:"usd_at_most,omitempty"` // "" if a price is unknown
}

// String describes the estimate in a line.
func (e *improveEstimate) String() string {
	text := fmt.Sprintf("improve: %s, %s: at most %s, about %d tokens in and at most %d out",
		printable.Count(e.Answers, "labelled answer"), printable.Count(e.Proposals, "proposal"),
		printable.Count(e.Calls, "judge call"), e.TokensIn, e.TokensOut)
	if e.Money != "" {
		text += ", at most " + e.Money + " USD"
	}
	return text + "; replies in the ledger cost nothing, and repeated calls are not counted"
}

// estimate computes the calls without making any: one for each answer by the old judge, one for each answer to measure
// on by each proposal, and one to rewrite the prompt.
func (c *judgeImproveCommand) estimate(ctx context.Context, x *calibration.Improvement,
	a improveAsker) (*improveEstimate, error) {
	config := *a.config
	config.Offline, config.Ledger, config.Audit = true, "none", ""
	a.quiet = true
	count := func(list []*scoring.Case) (sum submission.Estimate, err error) {
		missed := &missedCalls{seen: map[string]bool{}, of: map[judgebackend.Identity]*submission.Estimate{}}
		env := a.judging()
		env.Missed = missed.add
		judges, err := config.Open(ctx, env)
		if err != nil {
			return sum, err
		}
		defer judges.Close()
		a.use(judges)
		if _, err := a.Ask(ctx, a.judge, list); err != nil {
			return sum, err
		}
		return missed.total(judges, func(n int64) int64 { return n }), nil
	}
	all, measured := x.Cases()
	first, err := count(all)
	if err != nil {
		return nil, err
	}
	again, err := count(measured)
	if err != nil {
		return nil, err
	}
	e := &improveEstimate{Answers: len(all), Calls: first.Calls, TokensIn: first.TokensIn, TokensOut: first.TokensOut}
	money, err := judgebackend.ParseMoney(first.Money)
	priced := err == nil
	add := func(calls, in, out int64) {
		e.Calls, e.TokensIn, e.TokensOut = e.Calls+calls, e.TokensIn+in, e.TokensOut+out
		m, ok := a.Price(in, out)
		money, priced = money+m, priced && ok
	}
	if x.Examples > 0 {
		e.Proposals++
		add(again.Calls, again.TokensIn+again.Calls*int64(x.ExampleBytes)/bytesOfToken, again.TokensOut)
	}
	if x.Rewrite {
		e.Proposals++
		in, out := a.judge.RewriteRequest(nil).AboutTokens()
		// the rewritten prompt may have twice the length
		add(again.Calls+1, again.TokensIn+again.Calls*in+in+calibration.RewriteBytes/bytesOfToken, again.TokensOut+out)
	}
	if priced {
		e.Money = money.String()
	}
	return e, nil
}

// bytesOfToken is the number of bytes that an estimate counts as a token, as [judgebackend.Request.AboutTokens] does.
const bytesOfToken = 4

// improveAsker asks judges with the judge models of a configuration. [calibration.Improvement.Run] uses it.
type improveAsker struct {
	process
	judge     *custom.Judge
	config    *judging.Config
	snapshots snapshots
	metrics   []scoring.Metric // without the judge
	options   scoring.EngineOptions
	judges    *judging.Judges
	quiet     bool
}

// use sets the open judges.
func (a *improveAsker) use(judges *judging.Judges) {
	a.judges = judges
	a.options.Snapshots = a.snapshots
	a.options.Judge, a.options.Judges, a.options.ByTag = judges.Backend(), judges.ByMetric(), judges.ByTag()
}

// Ask returns the scores of a judge on cases, in their order, with the values that fill its prompt.
func (a *improveAsker) Ask(ctx context.Context, j *custom.Judge, list []*scoring.Case) ([]calibration.JudgeReply,
	error) {
	out := make([]calibration.JudgeReply, len(list))
	var mu sync.Mutex
	texts := map[scoring.AnswerID]map[string]string{}
	m := j.Metric()
	score := m.Score
	m.Score = func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
		if found, err := j.Texts(in); err == nil {
			mu.Lock()
			texts[in.Case.AnswerID()] = found
			mu.Unlock()
		}
		return score(ctx, in)
	}
	engine, err := scoring.NewEngine(append(slices.Clone(a.metrics), m), &a.options)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	bar := newProgressBar(a.stderr, a.quiet)
	defer bar.finish()
	progress := batch.Progress{Total: int64(len(list))}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, a.config.Concurrency+a.config.Concurrency/2))
	for i, c := range list {
		g.Go(func() error {
			scores, err := engine.Score(gctx, c, j.Name)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			out[i] = calibration.JudgeReply{Score: scores[0], Texts: texts[c.AnswerID()]}
			progress.Done++
			bar.update(progress)
			return nil
		})
	}
	return out, g.Wait()
}

// model returns the model of the judge, or of the first judge of its panel; nil if there is none.
func (a *improveAsker) model() judgebackend.Backend {
	b := a.judges.ByMetric()[a.judge.Name].Backend
	if b == nil {
		b = a.judges.Backend()
	}
	if panel, ok := b.(*scoring.Panel); ok {
		return panel.Judges()[0].Backend
	}
	return b
}

// Complete returns the reply of the judge's model to a request.
func (a *improveAsker) Complete(ctx context.Context, r judgebackend.Request, into any) (judgebackend.Exchange, error) {
	return judgebackend.CompleteJSON(ctx, a.model(), r, into)
}

// Price returns the price of tokens of the judge's model; ok is false if it is unknown.
func (a *improveAsker) Price(in, out int64) (judgebackend.Money, bool) {
	model := a.model()
	if model == nil {
		return 0, false
	}
	stack, ok := model.(*judgebackend.Stack)
	if !ok {
		return 0, false
	}
	return a.judges.Price(stack.Identity(), in, out)
}
