package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// judgeFlags are the keys of [judging.Config] as flags. They override a configuration file.
type judgeFlags struct {
	Judge        string   `placeholder:"BACKEND:MODEL" help:"Judge model: openai:MODEL, anthropic:MODEL, cortex:MODEL, bigqueryai:MODEL, aiquery:MODEL, replay:FILE or none (default none)."`
	JudgeFor     []string `name:"judge-for" placeholder:"METRIC=BACKEND:MODEL" help:"Judge model for one metric, such as rose=openai:o3 (repeatable). It overrides --judge."`
	JudgePanel   []string `name:"judge-panel" sep:"none" placeholder:"NAME=RULE:A,B,…" help:"Panel of judges, such as trio=majority:openai:a,openai:b,openai:c (repeatable; rules majority, unanimity and escalation, whose last judge is the arbiter). Without --judge it is the judge."`
	JudgeURL     string   `name:"judge-url" placeholder:"URL" help:"Endpoint of the judge, such as http://127.0.0.1:8000/v1. No other host is contacted."`
	JudgeHost    []string `name:"judge-host" placeholder:"HOST" help:"Host that the judge may be called at without --judge-url, such as api.openai.com."`
	JudgeKeyFile string   `name:"judge-key-file" placeholder:"FILE" help:"File with the API key of the judge."`
	JudgeKeyEnv  string   `name:"judge-key-env" placeholder:"NAME" help:"Environment variable with the API key of the judge."`
	Ledger       string   `placeholder:"FILE" help:"Cache of judge replies: a file, warehouse or none (default the database of the scores)."`
	Offline      bool     `help:"Use cached judge replies only; make no calls."`
	Budget       string   `placeholder:"LIMIT" help:"Spending cap for judge calls, in tokens (2M) or money (5.00USD)."`
	Audit        string   `placeholder:"FILE" help:"Append a line for each judge call to this file: hashes and sizes, no content."`
}

// callFlags are the flags of commands that estimate their judge calls before they make them.
type callFlags struct{ estimate, json, yes bool }

// allow prints the estimate and reports whether the calls are to be made: not with --estimate. It returns a usage error
// if neither a budget nor --yes allows them.
func (f callFlags) allow(p process, estimate fmt.Stringer, judge *judging.Config) (bool, error) {
	if f.estimate && f.json {
		return false, writeJSON(p, estimate)
	}
	fmt.Fprintln(p.stderr, estimate)
	if !f.estimate && !f.yes && judge.Budget.Tokens == 0 && judge.Budget.Money == "" {
		return false, usage("no budget for the judge calls; expected --budget LIMIT, or --yes to make them without one")
	}
	return !f.estimate, nil
}

// namedPanel is a panel of --judge-panel.
type namedPanel struct {
	name string
	judging.Panel
}

// panelsOf parses the values of --judge-panel. It returns a usage error for a duplicate name.
func panelsOf(flags []string) (panels []namedPanel, err error) {
	for _, text := range flags {
		name, p, err := judging.ParsePanel(text)
		if err != nil {
			return nil, usage("--judge-panel: %w", err)
		}
		if slices.ContainsFunc(panels, func(o namedPanel) bool { return o.name == name }) {
			return nil, usage("--judge-panel: duplicate panel %.60q; expected different names", name)
		}
		panels = append(panels, namedPanel{name, p})
	}
	return panels, nil
}

// judged is over that returns a usage error for a flag without effect because no judge is configured. --judge none
// says that there is none.
func (f *judgeFlags) judged(c judging.Config) (judging.Config, error) {
	c, err := f.over(c)
	if err != nil || f.Judge != "" || c.Asked() {
		return c, err
	}
	for _, x := range []struct {
		name string
		set  bool
	}{{"judge-url", f.JudgeURL != ""}, {"judge-host", len(f.JudgeHost) > 0}, {"judge-key-file", f.JudgeKeyFile != ""},
		{"judge-key-env", f.JudgeKeyEnv != ""}, {"ledger", f.Ledger != ""}, {"offline", f.Offline},
		{"budget", f.Budget != ""}, {"audit", f.Audit != ""}} {
		if x.set {
			return c, usage("--%s has no effect without a judge; expected --judge BACKEND:MODEL, such as openai:gpt-4o, or judge.backend in the configuration (--judge none if there is none)",
				x.name)
		}
	}
	return c, nil
}

// over returns c with the values of the flags that are set. Hosts are added to those of c, and --judge=none removes the
// models of single metrics.
func (f *judgeFlags) over(c judging.Config) (judging.Config, error) {
	c.Backend, c.KeyFile, c.KeyEnv = cmp.Or(f.Judge, c.Backend), cmp.Or(f.JudgeKeyFile, c.KeyFile),
		cmp.Or(f.JudgeKeyEnv, c.KeyEnv)
	c.Ledger, c.Audit, c.Offline = cmp.Or(f.Ledger, c.Ledger), cmp.Or(f.Audit, c.Audit), c.Offline || f.Offline
	c.BaseURL, c.AllowHosts = cmp.Or(f.JudgeURL, c.BaseURL), append(c.AllowHosts, f.JudgeHost...)
	panels, err := panelsOf(f.JudgePanel)
	if err != nil {
		return c, err
	}
	for i, p := range panels {
		if i == 0 {
			c.Panels = maps.Clone(c.Panels)
			c.Backend = cmp.Or(f.Judge, "panel:"+p.name)
		}
		if c.Panels == nil {
			c.Panels = map[string]judging.Panel{}
		}
		c.Panels[p.name] = p.Panel
	}
	if f.Judge == "none" {
		c.Metrics, c.ByTag = nil, nil // without them, there are no judge calls
	}
	for _, text := range f.JudgeFor {
		name, backend, ok := strings.Cut(text, "=")
		if !ok || name == "" || backend == "" {
			return c, usage("--judge-for: expected METRIC=BACKEND:MODEL, such as rose=openai:o3")
		}
		of := c.Metrics[name]
		of.Backend = backend
		if c.Backend == "" { // the flags of a connection have no other judge
			of.BaseURL, of.KeyFile, of.KeyEnv = cmp.Or(f.JudgeURL, of.BaseURL), cmp.Or(f.JudgeKeyFile, of.KeyFile),
				cmp.Or(f.JudgeKeyEnv, of.KeyEnv)
			of.AllowHosts = slices.Concat(of.AllowHosts, f.JudgeHost)
		}
		c.Metrics = maps.Clone(c.Metrics)
		if c.Metrics == nil {
			c.Metrics = map[string]judging.Metric{}
		}
		c.Metrics[name] = of
	}
	if f.Budget != "" {
		tokens, money, err := judgebackend.ParseBudget(f.Budget)
		if err != nil {
			return c, usage("--budget: %w", err)
		}
		if tokens > 0 {
			c.Budget.Tokens = tokens
		} else {
			c.Budget.Money = money
		}
	}
	return c, nil
}

// judgesMetrics returns a usage error if --judge-for names another metric than those of a run.
func (f *judgeFlags) judgesMetrics(metrics []scoring.Metric) error {
	var names []string
	for i := range metrics {
		names = append(names, metrics[i].Name)
	}
	for _, text := range f.JudgeFor {
		if name, _, _ := strings.Cut(text, "="); !slices.Contains(names, name) {
			return usage("--judge-for: unknown metric %.60q%s", name, scoring.SuggestOrList(name, names))
		}
	}
	return nil
}

// judging returns the dependencies of judges. They log warnings and errors to standard error.
func (p process) judging() judging.Env {
	return judging.Env{
		Providers: providers, Getenv: p.getenv, Now: p.now, ShowWords: true,
		Log: slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Open: func(ctx context.Context, url string) (*store.Store, error) {
			return openWarehouse(ctx, url, readOnly)
		},
	}
}
