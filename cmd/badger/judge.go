package main

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"strings"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/judging"
)

// judgeFlags are the same on the command line; they win over a configuration file.
type judgeFlags struct {
	Judge        string   `placeholder:"BACKEND:MODEL" help:"Who answers the questions of judge metrics: openai:MODEL, anthropic:MODEL, cortex:MODEL, bigqueryai:MODEL, aiquery:MODEL, replay:FILE or none (the default)."`
	JudgeFor     []string `name:"judge-for" placeholder:"METRIC=BACKEND:MODEL" help:"Who answers the questions of one metric, in place of --judge, such as rose=openai:o3. May be given several times."`
	JudgeURL     string   `name:"judge-url" placeholder:"URL" help:"The judge's endpoint, such as http://127.0.0.1:8000/v1. Its host is contacted and no other."`
	JudgeHost    []string `name:"judge-host" placeholder:"HOST" help:"A host the judge may be asked at where there is no --judge-url, such as api.openai.com."`
	JudgeKeyFile string   `name:"judge-key-file" placeholder:"FILE" help:"File with the judge's key."`
	JudgeKeyEnv  string   `name:"judge-key-env" placeholder:"NAME" help:"Environment variable with the judge's key."`
	Ledger       string   `placeholder:"FILE" help:"Where the judge's answers are kept and looked up: a file, warehouse or none. By default the database of the scores."`
	Offline      bool     `help:"Answer from the ledger alone: nobody is asked."`
	Budget       string   `placeholder:"LIMIT" help:"The most the judge may cost: tokens such as 2M, or money such as 5.00USD. Calls that would pass it are not made."`
	Audit        string   `placeholder:"FILE" help:"Add a line for each call of the judge to this file: hashes and sizes, no content."`
}

// over puts the flags that are given over a configuration.
func (f *judgeFlags) over(c judging.Config) (judging.Config, error) {
	c.Backend, c.KeyFile, c.KeyEnv = cmp.Or(f.Judge, c.Backend), cmp.Or(f.JudgeKeyFile, c.KeyFile), cmp.Or(f.JudgeKeyEnv, c.KeyEnv)
	c.Ledger, c.Audit, c.Offline = cmp.Or(f.Ledger, c.Ledger), cmp.Or(f.Audit, c.Audit), c.Offline || f.Offline
	c.BaseURL, c.AllowHosts = cmp.Or(f.JudgeURL, c.BaseURL), append(c.AllowHosts, f.JudgeHost...)
	if f.Judge == "none" {
		c.Metrics = nil // nobody is asked, for no metric
	}
	for _, text := range f.JudgeFor {
		name, backend, ok := strings.Cut(text, "=")
		if !ok || name == "" || backend == "" {
			return c, usage("--judge-for: expected METRIC=BACKEND:MODEL, such as rose=openai:o3")
		}
		of := c.Metrics[name]
		of.Backend = backend
		c.Metrics = maps.Clone(c.Metrics)
		if c.Metrics == nil {
			c.Metrics = map[string]judging.Metric{}
		}
		c.Metrics[name] = of
	}
	if f.Budget != "" {
		tokens, money, err := judging.ParseBudget(f.Budget)
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

// judging is what judges take from the process: the log of a command is its standard error.
func (p process) judging() judging.Surroundings {
	return judging.Surroundings{
		Providers: providers, Getenv: p.getenv, Now: p.now, Log: slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Open: func(ctx context.Context, url string) (*connectors.Warehouse, error) {
			return openWarehouse(ctx, url, readOnly)
		},
	}
}
