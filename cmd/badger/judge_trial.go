package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/badger-eval/badger/internal/amount"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/casesource"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/scoring/custom"
)

type judgeTestCommand struct {
	File   string `arg:"" placeholder:"FILE" help:"The judge file."`
	Cases  string `placeholder:"FILE" xor:"input" required:"" help:"Cases in JSON Lines, one a line; human.label is what people said of the answer."`
	Source string `placeholder:"URL" xor:"input" required:"" help:"A warehouse with golden_set and agent_runs, such as duckdb:FILE."`
	answerFlags
	Limit  int    `placeholder:"N" help:"Only the first N cases."`
	Config string `placeholder:"FILE" help:"Options and thresholds of metrics, and the judge backend, in YAML."`

	Assessments string   `placeholder:"FILE" help:"Recorded assessments (JSON Lines): their replies answer in place of the judge."`
	Backend     string   `placeholder:"NAME" help:"Whose assessments, where the file holds several backends'."`
	FailUnder   []string `placeholder:"F=V" help:"Exit with 1 if accuracy or kappa is below V. May be given several times."`
	Print       bool     `help:"Show what the script prints, on standard error. It may hold data."`
	All         bool     `help:"Show every case, not the first 50."`
	JSON        bool     `help:"Print one JSON document."`
	judgeFlags
}

// Run scores the cases with the judge and shows what came out, and how far it agrees with people.
func (c *judgeTestCommand) Run(ctx context.Context, p process) error {
	gates, err := (&gateFlags{FailUnder: c.FailUnder}).gates(gatesConfig{}, []string{"accuracy", "kappa"}, "a trial: expected accuracy=V or kappa=V")
	if err != nil {
		return err
	}
	trial, err := c.trial(ctx, p)
	if err != nil {
		return err
	}
	if c.JSON {
		err = writeJSON(p, trial.json())
	} else {
		err = trial.render(p, c.All)
	}
	if err != nil {
		return err
	}
	return trial.check(p, gates)
}

// trial runs the judge on the cases.
func (c *judgeTestCommand) trial(ctx context.Context, p process) (*judgeTrial, error) {
	var print func(string)
	if c.Print {
		print = func(msg string) { fmt.Fprintln(p.stderr, "print:", msg) }
	}
	j, err := loadJudge(ctx, c.File, print)
	if err != nil {
		return nil, err
	}
	trial := &judgeTrial{judge: j}
	in, err := openCases(ctx, p, "--cases", c.Cases, c.Source, c.answerFlags)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	source := in.Source
	if c.Limit > 0 {
		source = casesource.First(source, c.Limit)
	}
	engine, closeJudge, err := c.engine(ctx, p, j, in.Snapshots)
	if err != nil {
		return nil, err
	}
	defer closeJudge()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	bar := newProgressBar(p.stderr, c.JSON)
	outcome, err := batch.Runner{
		Engine: engine, Metrics: []string{j.Name}, Ordered: true, Now: p.now, Progress: bar.update, Scored: trial.add,
	}.Run(ctx, "judge test", source, batch.Discard)
	bar.finish()
	if err != nil {
		return nil, err
	}
	if outcome.Done == 0 {
		return nil, errcode.New(errcode.NotFound, "there are no cases")
	}
	trial.sum()
	return trial, nil
}

// engine makes an engine of the standard metrics and the judge, with whoever answers its questions.
func (c *judgeTestCommand) engine(ctx context.Context, p process, j *custom.Judge, snaps snapshots) (*scoring.Engine, func(), error) {
	config, err := readConfig(c.Config, p)
	if err != nil {
		return nil, nil, err
	}
	if config.Judge, err = c.over(config.Judge); err != nil {
		return nil, nil, err
	}
	snaps.Allow(config.Results.Files)
	o := scoring.EngineOptions{Counterexamples: smallDatabases, Snapshots: snaps}
	if o.Config, err = config.Metrics.engineConfig(); err != nil {
		return nil, nil, err
	}
	recorded, err := evaluation.OpenRecorded(ctx, c.Assessments, c.Backend)
	if err != nil {
		return nil, nil, err
	}
	if recorded != nil {
		o.Replies = recorded.Replies
	}
	if j.Asks() && recorded == nil && !config.Judge.Asked() {
		return nil, nil, usage("%s asks a model: name one with --judge, or recorded replies with --assessments", j.Name)
	}
	metrics, err := withJudges(ctx, config.Judges)
	if err != nil {
		return nil, nil, err
	}
	metrics = slices.DeleteFunc(metrics, func(m scoring.Metric) bool { return m.Name == j.Name && m.Group == custom.Group })
	if err := nameFree(ctx, j.Name); err != nil {
		return nil, nil, err
	}
	judge, err := config.Judge.Open(ctx, p.judging())
	if err != nil {
		return nil, nil, err
	}
	o.Judge, o.Judges = judge.Backend(), judge.ByMetric()
	engine, err := scoring.NewEngine(append(metrics, j.Metric()), &o)
	if err != nil {
		_ = judge.Close()
		return nil, nil, errcode.AsUsage(err)
	}
	return engine, func() { _ = judge.Close() }, nil
}

// judgeTrial is what came out of a judge on cases.
type judgeTrial struct {
	judge  *custom.Judge
	scores []scoring.Score
	human  []*bool

	statuses  map[scoring.Status]int
	mean      float64
	confusion agreement.Confusion
	interval  agreement.Interval // of kappa
	labels    []labelTally
}

// labelTally is how often a label was given, and what people said of those answers.
type labelTally struct {
	Label      string `json:"label"`
	N          int    `json:"n"`
	PeoplePass int    `json:"people_pass"`
	PeopleFail int    `json:"people_fail"`
}

func (t *judgeTrial) add(c *scoring.Case, rows []batch.Row) {
	for i := range rows {
		t.scores = append(t.scores, rows[i].Score)
		var human *bool
		if c != nil {
			human = c.Human
		}
		t.human = append(t.human, human)
	}
}

// sum works out the figures.
func (t *judgeTrial) sum() {
	t.statuses = map[scoring.Status]int{}
	var said, people []agreement.Vote
	for i := range t.scores {
		s := &t.scores[i]
		t.statuses[s.Status]++
		if s.Status == scoring.StatusOK {
			t.mean += s.Value
		}
		said, people = append(said, agreement.VoteOf(s.Passed)), append(people, agreement.VoteOf(t.human[i]))
		if s.Status != scoring.StatusOK || s.Label == "" {
			continue
		}
		at := slices.IndexFunc(t.labels, func(l labelTally) bool { return l.Label == s.Label })
		if at < 0 {
			at = len(t.labels)
			t.labels = append(t.labels, labelTally{Label: s.Label})
		}
		t.labels[at].N++
		if h := t.human[i]; h != nil && *h {
			t.labels[at].PeoplePass++
		} else if h != nil {
			t.labels[at].PeopleFail++
		}
	}
	if n := t.statuses[scoring.StatusOK]; n > 0 {
		t.mean /= float64(n)
	}
	slices.SortFunc(t.labels, func(a, b labelTally) int { return strings.Compare(a.Label, b.Label) })
	t.confusion = agreement.Tally(people, said)
	t.interval = agreement.Bootstrap(t.confusion, agreement.Confusion.Kappa, agreement.Resampling{})
}

// json is the document of --json.
func (t *judgeTrial) json() any {
	stat := func(s agreement.Stat) *float64 {
		if !s.Defined {
			return nil
		}
		return &s.Value
	}
	c := t.confusion
	var ci []float64
	if t.interval.Defined {
		ci = []float64{t.interval.Lo, t.interval.Hi}
	}
	var mean *float64
	if t.statuses[scoring.StatusOK] > 0 {
		mean = &t.mean
	}
	return map[string]any{
		"judge": map[string]any{"name": t.judge.Name, "version": t.judge.Version, "kind": t.judge.Kind, "hash": t.judge.Hash},
		"cases": len(t.scores), "statuses": t.statuses, "mean": mean,
		"agreement": map[string]any{
			"n": c.N(), "tp": c.TP, "fp": c.FP, "tn": c.TN, "fn": c.FN,
			"accuracy": stat(c.Accuracy()), "kappa": stat(c.Kappa()), "kappa_ci": ci, "balanced_accuracy": stat(c.BalancedAccuracy()),
		},
		"labels": t.labels, "scores": t.scores,
	}
}

const casesShown = 50

// render shows the cases and the figures.
func (t *judgeTrial) render(p process, all bool) error {
	w := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintf(p.stdout, "%s version %d (%s): %s\n\n", t.judge.Name, t.judge.Version, t.judge.Kind, t.judge.Summary)
	fmt.Fprintln(w, "case\tscore\tpassed\tpeople\treason")
	for i := range t.scores {
		if i == casesShown && !all {
			break
		}
		s := &t.scores[i]
		score := string(s.Status)
		if s.Status == scoring.StatusOK {
			if score = strconv.FormatFloat(s.Value, 'g', 4, 64); s.Label != "" {
				score = s.Label
			}
		}
		width := 70
		if s.Status == scoring.StatusFailed {
			width = 300
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", shown(s.CaseID, 30), shown(score, 30), passedWord(s.Passed), passedWord(t.human[i]), shown(s.Reason, width))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if more := len(t.scores) - casesShown; more > 0 && !all {
		fmt.Fprintf(p.stdout, "… and %d more; --all shows them\n", more)
	}
	fmt.Fprintf(p.stdout, "\n%s", amount.Of(len(t.scores), "case"))
	for _, s := range []scoring.Status{scoring.StatusOK, scoring.StatusAbstained, scoring.StatusNotApplicable, scoring.StatusFailed} {
		if n := t.statuses[s]; n > 0 {
			fmt.Fprintf(p.stdout, ", %d %s", n, strings.ReplaceAll(string(s), "_", " "))
		}
	}
	if t.statuses[scoring.StatusOK] > 0 {
		fmt.Fprintf(p.stdout, "; mean %.4g", t.mean)
	}
	fmt.Fprintln(p.stdout)
	if len(t.labels) > 0 {
		fmt.Fprintln(w, "\nlabel\tanswers\tpeople pass\tpeople fail")
		for _, l := range t.labels {
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", l.Label, l.N, l.PeoplePass, l.PeopleFail)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return t.renderAgreement(p)
}

func (t *judgeTrial) renderAgreement(p process) error {
	c := t.confusion
	labelled := t.labelled()
	switch {
	case labelled == 0:
		_, err := fmt.Fprintln(p.stdout, "\nno case says what people think of the answer (human.label), so there is no agreement to measure")
		return err
	case c.N() == 0 && t.statuses[scoring.StatusFailed] == len(t.scores):
		_, err := fmt.Fprintln(p.stdout, "\nthe judge failed on every case, so there is no agreement to measure; the reasons stand above")
		return err
	case c.N() == 0 && t.judge.Metric().Threshold != nil:
		_, err := fmt.Fprintln(p.stdout, "\nthe judge gave none of the labelled answers a value, so there is no agreement to measure")
		return err
	case c.N() == 0:
		_, err := fmt.Fprintln(p.stdout, "\nthe judge says of none of the labelled answers whether it passes: give it a threshold, or let it return passed")
		return err
	}
	text := func(s agreement.Stat) string {
		if !s.Defined {
			return "not defined (" + s.Why + ")"
		}
		return strconv.FormatFloat(s.Value, 'f', 3, 64)
	}
	kappa := text(c.Kappa())
	if c.Kappa().Defined && t.interval.Defined {
		kappa += fmt.Sprintf(" (95 %% CI %.2f to %.2f)", t.interval.Lo, t.interval.Hi)
	}
	w := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "\nagreement with people\tpeople pass\tpeople fail\njudge passes\t%d\t%d\njudge fails\t%d\t%d\n", c.TP, c.FP, c.FN, c.TN)
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.stdout, "%d of %s: accuracy %s, kappa %s\n", c.N(), amount.Of(labelled, "labelled answer"), text(c.Accuracy()), kappa)
	return err
}

func passedWord(b *bool) string {
	switch {
	case b == nil:
		return "-"
	case *b:
		return "pass"
	}
	return "fail"
}

// check tells whether the judge did its work and the gates were reached, and prints a line for each
// gate.
func (t *judgeTrial) check(p process, gates gates) error {
	missed := false
	if n := t.statuses[scoring.StatusFailed]; n > 0 {
		missed = true
		fmt.Fprintf(p.stderr, "the judge failed on %s\n", amount.Of(n, "case"))
	}
	for _, g := range gates {
		s := t.confusion.Accuracy()
		if g.metric == "kappa" {
			s = t.confusion.Kappa()
		}
		said := fmt.Sprintf("%s is not defined (%s)", g.metric, s.Why)
		if s.Defined {
			said = fmt.Sprintf("%s is %.4f over %d of %s", g.metric, s.Value, t.confusion.N(), amount.Of(t.labelled(), "labelled case"))
		}
		reached := s.Defined && s.Value+rounding >= *g.least
		fmt.Fprintf(p.stderr, "gate %s: %s, want at least %g\n", gateWord(reached), said, *g.least)
		missed = missed || !reached
	}
	if missed {
		return errGate
	}
	return nil
}

// labelled is how many cases say what people think of the answer.
func (t *judgeTrial) labelled() int {
	n := 0
	for _, h := range t.human {
		if h != nil {
			n++
		}
	}
	return n
}
