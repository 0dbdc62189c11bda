package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/trace"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/hosting"
	"github.com/badger-eval/badger/internal/judgeledger"
	"github.com/badger-eval/badger/judgebackend"
)

// judgeConfig says who answers the questions of judge metrics, under what limits, and where the
// answers are kept. It holds no secrets, only where they are.
type judgeConfig struct {
	judgeEndpoint `yaml:",inline"`

	Metrics map[string]metricJudge `yaml:"metrics"` // judges of single metrics, by name

	Ledger       string `yaml:"ledger"`        // where answers are kept: warehouse, none, or a file; by default the warehouse where there is one
	Offline      bool   `yaml:"offline"`       // answer from the ledger alone
	AskAgain     bool   `yaml:"ask_again"`     // do not take refused and cut answers from the ledger
	KeepRequests bool   `yaml:"keep_requests"` // keep the questions beside the answers

	Budget struct {
		Tokens int64                   `yaml:"tokens"` // in and out together
		Money  string                  `yaml:"money"`  // such as 5.00, in the currency of the prices
		Prices judgebackend.PriceTable `yaml:"prices"` // of a million tokens, by model
	} `yaml:"budget"`

	// CallerBudget bounds what each caller of badger serve may spend on a day of UTC.
	CallerBudget struct {
		Tokens int64  `yaml:"tokens"`
		Money  string `yaml:"money"`
	} `yaml:"caller_budget"`

	Audit string `yaml:"audit"` // file to which a line for each call is added: hashes and sizes, no content
}

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
func (f *judgeFlags) over(c judgeConfig) (judgeConfig, error) {
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
			c.Metrics = map[string]metricJudge{}
		}
		c.Metrics[name] = of
	}
	if f.Budget != "" {
		tokens, money, err := parseBudget(f.Budget)
		if err != nil {
			return c, err
		}
		if tokens > 0 {
			c.Budget.Tokens = tokens
		} else {
			c.Budget.Money = money
		}
	}
	return c, nil
}

// parseBudget reads 200000, 200k, 2M (tokens), or 5.00USD and $5 (money).
func parseBudget(s string) (tokens int64, money string, err error) {
	s = strings.TrimSpace(s)
	if m, ok := strings.CutSuffix(strings.ToUpper(s), "USD"); ok {
		money = strings.TrimSpace(m)
	} else if m, ok := strings.CutPrefix(s, "$"); ok {
		money = strings.TrimSpace(m)
	}
	if money != "" {
		if m, err := judgebackend.ParseMoney(money); err != nil || m == 0 {
			return 0, "", usage("--budget: expected an amount above 0 such as 5.00USD")
		}
		return 0, money, nil
	}
	digits, unit := s, int64(1)
	for suffix, n := range map[string]int64{"k": 1e3, "K": 1e3, "M": 1e6, "m": 1e6} {
		if d, ok := strings.CutSuffix(s, suffix); ok {
			digits, unit = d, n
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || n > (1<<62)/unit {
		return 0, "", usage("--budget: expected a number of tokens such as 200000, 500k or 2M, or money such as 5.00USD")
	}
	return n * unit, "", nil
}

// judgeSurroundings is what a judge needs of the command that opens it.
type judgeSurroundings struct {
	process
	scores *connectors.Warehouse // where answers are kept by default; nil: there is none that can be written
	log    *slog.Logger          // what goes wrong without failing a call; nil: nowhere
	audit  *slog.Logger          // where audit lines go if no file is named; nil: nowhere
	tracer trace.Tracer          // of a span for each call; nil: none
	vague  func(judge string)    // told once of a judge whose replies do not name the version of its model; nil: nobody
	opened func(error)           // told when the judge cannot be asked any more
	later  *hosting.Parts        // takes what is missing now; nil: that is an error
}

// backend opens who is asked.
func (c *judgeEndpoint) backend(ctx context.Context, s judgeSurroundings, j *judging, isOffline bool) (judgebackend.Backend, error) {
	name, model, _ := strings.Cut(c.Backend, ":")
	if isOffline && name != "replay" {
		return offline{judgebackend.Identity{Backend: name, Model: model}}, nil
	}
	o := judgebackend.OpenOptions{
		BaseURL: c.BaseURL, KeyFile: c.KeyFile, KeyEnv: c.KeyEnv, AzureAPIVersion: c.AzureAPIVersion, AllowHosts: c.AllowHosts,
		AllowPlainHTTP: c.AllowPlainHTTP, Proxy: c.Proxy, CAFile: c.CAFile, Connection: c.Connection, Log: s.log, Getenv: s.getenv,
		KeyLater: s.later != nil,
	}
	if u, err := url.Parse(c.BaseURL); err == nil && u.Host != "" { // naming the endpoint is allowing it
		host := u.Host
		if u.Port() == "" && u.Scheme == "http" {
			host += ":80"
		}
		o.AllowHosts = append([]string{host}, o.AllowHosts...)
	}
	switch name {
	case "cortex", "bigqueryai", "aiquery":
		w := s.scores
		if c.Warehouse != "" {
			var err error
			if s.later != nil {
				w, err = s.later.Warehouse("judge.warehouse", c.Warehouse, readOnly, nil, nil)
			} else {
				w, err = openWarehouse(ctx, c.Warehouse, readOnly)
			}
			if err != nil {
				return nil, fmt.Errorf("judge.warehouse: %w", err)
			}
			j.close = append(j.close, w.Close)
		}
		if w != nil && w.HostsModels() {
			o.Queryer = w
		}
	}
	backend, err := judgebackend.Open(ctx, c.Backend, &o)
	if err == nil && s.later != nil && c.KeyFile != "" && (name == "openai" || name == "anthropic") {
		s.later.File("judge.key_file", c.KeyFile)
	}
	if errcode.Of(err) == errcode.PermissionDenied {
		err = errcode.New(errcode.PermissionDenied, "%w; --judge-host HOST or judge.allow_hosts in the configuration allows a host", err)
	}
	return backend, err
}

// store opens where answers are kept.
func (c *judgeConfig) store(s judgeSurroundings, j *judging) (judgebackend.Store, error) {
	where := c.Ledger
	if where == "" && s.scores != nil {
		where = "warehouse"
	}
	switch where {
	case "":
		return &judgebackend.MemoryStore{}, nil
	case "none":
		return nil, nil //nolint:nilnil // no ledger
	case "warehouse":
		if s.scores == nil {
			return nil, usage("ledger: there is no database here that answers could be kept in; name a file")
		}
		return judgeledger.New(s.scores, s.now, s.log), nil
	}
	f, err := judgebackend.OpenFileStore(where, s.log)
	if err != nil {
		return nil, err
	}
	j.close = append(j.close, f.Close)
	return f, nil
}

// offline is a judge that is not there: the ledger before it answers, or nobody does.
type offline struct{ id judgebackend.Identity }

func (o offline) Identity() judgebackend.Identity { return o.id }

func (o offline) Complete(context.Context, judgebackend.Request) (judgebackend.Response, error) {
	return judgebackend.Response{}, &judgebackend.Error{Kind: judgebackend.KindReplayMiss, Backend: o.id.Backend}
}
