package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/badger-eval/badger/internal/amount"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/telemetry"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// judgeEndpoint is one model and the way to it.
type judgeEndpoint struct {
	Backend    string `yaml:"backend,omitempty"`    // openai:MODEL, anthropic:MODEL, cortex:MODEL, bigqueryai:MODEL, aiquery:MODEL, replay:FILE or none
	BaseURL    string `yaml:"base_url,omitempty"`   // of the endpoint; its host may be contacted, and no other
	KeyFile    string `yaml:"key_file,omitempty"`   // file with the key
	KeyEnv     string `yaml:"key_env,omitempty"`    // or the environment variable that holds it
	Warehouse  string `yaml:"warehouse,omitempty"`  // cortex, bigqueryai, aiquery: URL of the warehouse that is asked through; by default that of the scores
	Connection string `yaml:"connection,omitempty"` // bigqueryai: project.location.connection

	AzureAPIVersion string   `yaml:"azure_api_version,omitempty"`
	AllowHosts      []string `yaml:"allow_hosts,omitempty"` // further hosts that may be contacted: a vendor's own, where there is no base_url
	AllowPlainHTTP  bool     `yaml:"allow_plain_http,omitempty"`
	Proxy           string   `yaml:"proxy,omitempty"`
	CAFile          string   `yaml:"ca_file,omitempty"`

	Concurrency       int           `yaml:"concurrency,omitempty"` // calls in flight; 64 by default
	RequestsPerMinute int           `yaml:"requests_per_minute,omitempty"`
	TokensPerMinute   int           `yaml:"tokens_per_minute,omitempty"`
	Timeout           time.Duration `yaml:"timeout,omitempty"` // of one attempt; 3m by default
}

// metricJudge is the judge of one metric. What it does not set is as for all metrics.
type metricJudge struct {
	judgeEndpoint `yaml:",inline"`

	Temperature *float64 `yaml:"temperature,omitempty"` // of its questions, from 0 to 2; by default that of the prompt
}

// set tells whether an endpoint names somebody.
func (c *judgeEndpoint) set() bool { return c.Backend != "" && c.Backend != "none" }

// asked tells whether a judge is configured, for all metrics or for some.
func (c *judgeConfig) asked() bool {
	for _, m := range c.Metrics {
		if m.set() {
			return true
		}
	}
	return c.set()
}

// endpointOf is the endpoint of a metric's judge; none where the judge of all metrics answers. The
// way to the model is taken from the latter where both have the same kind of backend and the metric
// names no way of its own. It is taken as a whole: a key is never sent to another address.
func (c *judgeConfig) endpointOf(name string) (e judgeEndpoint, ok bool, err error) {
	m := c.Metrics[name]
	e = m.judgeEndpoint
	switch {
	case e.Backend == "none":
		return e, false, usage("judge.metrics.%s: expected a backend other than none; leave the metric out with --metrics", name)
	case e.Backend == "" && (e.ownWay() || e.paced()):
		return e, false, usage("judge.metrics.%s: expected a backend with the other settings, such as openai:MODEL", name)
	case e.Backend == "" && m.Temperature == nil:
		return e, false, usage("judge.metrics.%s: expected a backend or a temperature", name)
	case e.Backend == "" && !c.set():
		return e, false, usage("judge.metrics.%s: expected a backend, since judge.backend names none", name)
	case e.Backend == "":
		return e, false, nil
	}
	kind, _, _ := strings.Cut(e.Backend, ":")
	if common, _, _ := strings.Cut(c.Backend, ":"); kind == common && !e.ownWay() {
		own := e
		e = c.judgeEndpoint
		e.Backend, e.Concurrency, e.RequestsPerMinute, e.TokensPerMinute, e.Timeout = own.Backend, own.Concurrency, own.RequestsPerMinute, own.TokensPerMinute, own.Timeout
	}
	e.Concurrency, e.Timeout = cmp.Or(e.Concurrency, c.Concurrency), cmp.Or(e.Timeout, c.Timeout)
	e.RequestsPerMinute, e.TokensPerMinute = cmp.Or(e.RequestsPerMinute, c.RequestsPerMinute), cmp.Or(e.TokensPerMinute, c.TokensPerMinute)
	return e, true, nil
}

// ownWay tells whether anything is set of the way to the model.
func (c *judgeEndpoint) ownWay() bool {
	return cmp.Or(c.BaseURL, c.KeyFile, c.KeyEnv, c.Warehouse, c.Connection, c.AzureAPIVersion, c.Proxy, c.CAFile) != "" || len(c.AllowHosts) > 0 || c.AllowPlainHTTP
}

func (c *judgeEndpoint) paced() bool {
	return c.Concurrency != 0 || c.RequestsPerMinute != 0 || c.TokensPerMinute != 0 || c.Timeout != 0
}

// judging is the judges at work. They share the ledger and the budgets.
type judging struct {
	stack    *judgebackend.Stack            // of all metrics without a judge of their own; nil: there is none
	byMetric map[string]scoring.Judge       // of the others
	others   map[string]*judgebackend.Stack // by the endpoint, which several metrics may share
	budget   *judgebackend.Budget
	ledger   judgebackend.Payments // nil: it cannot tell who paid
	close    []func() error
}

// Backend is the judge of all metrics without one of their own, or nil where there is none.
func (j *judging) Backend() judgebackend.Backend {
	if j == nil || j.stack == nil {
		return nil // and not a nil *Stack
	}
	return j.stack
}

// Judges are those of single metrics.
func (j *judging) Judges() map[string]scoring.Judge {
	if j == nil {
		return nil
	}
	return j.byMetric
}

// stacks are all judges, that of all metrics first.
func (j *judging) stacks() (all []*judgebackend.Stack) {
	if j == nil {
		return nil
	}
	if j.stack != nil {
		all = append(all, j.stack)
	}
	for _, key := range slices.Sorted(maps.Keys(j.others)) {
		all = append(all, j.others[key])
	}
	return all
}

// stats is what all judges did.
func (j *judging) stats() (sum judgebackend.Stats) {
	for _, s := range j.stacks() {
		one := s.Stats()
		sum.Requests, sum.Hits, sum.Calls, sum.Retries = sum.Requests+one.Requests, sum.Hits+one.Hits, sum.Calls+one.Calls, sum.Retries+one.Retries
	}
	return sum
}

// Close ends the ledger and the audit, once nobody asks any more.
func (j *judging) Close() error {
	if j == nil {
		return nil
	}
	var errs []error
	for _, f := range j.close {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// Name is who answers, as scores and runs record it: openai:gpt-4o, or
// openai:gpt-4o, rose=openai:o3 (temperature 1).
func (j *judging) Name() string {
	if j == nil {
		return "none"
	}
	var parts []string
	if j.stack != nil {
		parts = append(parts, nameOf(j.stack))
	}
	for _, metric := range slices.Sorted(maps.Keys(j.byMetric)) {
		parts = append(parts, j.named(metric))
	}
	return strings.Join(parts, ", ")
}

func nameOf(s *judgebackend.Stack) string {
	id := s.Identity()
	return id.Backend + ":" + id.Model
}

// open opens the judges, or returns nil where none is configured.
func (c *judgeConfig) open(ctx context.Context, s judgeSurroundings) (_ *judging, err error) {
	endpoints := map[string]judgeEndpoint{}
	for _, name := range slices.Sorted(maps.Keys(c.Metrics)) { // also where nobody is asked: what is wrong is said
		e, own, err := c.endpointOf(name)
		if err != nil {
			return nil, err
		}
		if own {
			endpoints[name] = e
		}
	}
	if !c.asked() {
		return nil, nil //nolint:nilnil // no judge is a valid judge
	}
	j := &judging{byMetric: map[string]scoring.Judge{}, others: map[string]*judgebackend.Stack{}}
	defer func() {
		if err != nil {
			_ = j.Close()
		}
	}()
	o, err := c.stackOptions(s, j)
	if err != nil {
		return nil, err
	}
	if c.set() {
		if j.stack, err = c.judgeEndpoint.open(ctx, s, j, o, c.Offline); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Metrics)) {
		e, own := endpoints[name]
		judge := scoring.Judge{Temperature: c.Metrics[name].Temperature}
		if own {
			key := toJSON(e)
			if j.others[key] == nil {
				if j.others[key], err = e.open(ctx, s, j, o, c.Offline); err != nil {
					return nil, fmt.Errorf("judge.metrics.%s: %w", name, err)
				}
			}
			judge.Backend = j.others[key]
		}
		j.byMetric[name] = judge
	}
	return j, nil
}

// stackOptions are what all judges share: the ledger, the budgets and the audit.
func (c *judgeConfig) stackOptions(s judgeSurroundings, j *judging) (o judgebackend.StackOptions, err error) {
	store, err := c.store(s, j)
	if err != nil {
		return o, err
	}
	if c.Offline && store == nil {
		return o, usage("offline: there is no ledger to answer from; name one with --ledger")
	}
	limits := judgebackend.BudgetLimits{Tokens: c.Budget.Tokens, Prices: c.Budget.Prices}
	if c.Budget.Money != "" {
		if limits.Money, err = judgebackend.ParseMoney(c.Budget.Money); err != nil {
			return o, usage("judge.budget.money: %w", err)
		}
	}
	if j.budget, err = judgebackend.NewBudget(limits); err != nil {
		return o, errcode.AsUsage(err)
	}
	j.ledger, _ = store.(judgebackend.Payments)
	quota, err := c.quota(j.ledger)
	if err != nil {
		return o, err
	}
	audit := s.audit
	if c.Audit != "" {
		f, err := os.OpenFile(c.Audit, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return o, usage("audit: %w", err)
		}
		j.close = append(j.close, f.Close)
		audit = slog.New(slog.NewJSONHandler(f, nil))
	}
	return judgebackend.StackOptions{
		Store: store, AskAgain: c.AskAgain, Budget: j.budget, Quota: quota, KeepRequests: c.KeepRequests, OnOpen: s.opened, Audit: audit, Log: s.log,
	}, nil
}

// open opens one judge.
func (c *judgeEndpoint) open(ctx context.Context, s judgeSurroundings, j *judging, o judgebackend.StackOptions, isOffline bool) (*judgebackend.Stack, error) {
	backend, err := c.backend(ctx, s, j, isOffline)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	backend = telemetry.Judge(backend, s.tracer)
	if s.vague != nil {
		backend = &watched{next: backend, vague: s.vague}
	}
	o.Concurrency, o.RequestsPerMinute, o.TokensPerMinute, o.AttemptTimeout = c.Concurrency, c.RequestsPerMinute, c.TokensPerMinute, c.Timeout
	stack, err := judgebackend.NewStack(backend, &o)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	return stack, nil
}

// watched tells of a judge whose replies do not name the version of its model, once.
type watched struct {
	next  judgebackend.Backend
	vague func(judge string)
	once  sync.Once
}

// Identity is that of the judge.
func (w *watched) Identity() judgebackend.Identity {
	if i, ok := w.next.(judgebackend.Identified); ok {
		return i.Identity()
	}
	return judgebackend.Identity{Backend: "func"}
}

// Complete asks the judge.
func (w *watched) Complete(ctx context.Context, r judgebackend.Request) (judgebackend.Response, error) {
	resp, err := w.next.Complete(ctx, r)
	id := w.Identity()
	if _, dated := judgebackend.Released(cmp.Or(resp.Model, id.Model)); err == nil && !dated {
		if _, dated := judgebackend.Released(id.Model); !dated {
			w.once.Do(func() { w.vague(id.Backend + ":" + id.Model) })
		}
	}
	return resp, err
}

// named is a metric with the judge of its own: rose=openai:o3 (temperature 1).
func (j *judging) named(metric string) string {
	of := j.byMetric[metric]
	stack, ok := of.Backend.(*judgebackend.Stack)
	if !ok {
		stack = j.stack
	}
	name := metric + "=" + nameOf(stack)
	if of.Temperature != nil {
		name += " (temperature " + strconv.FormatFloat(*of.Temperature, 'g', -1, 64) + ")"
	}
	return name
}

// modelOf is the model that answers a metric's questions; empty where nobody does.
func (j *judging) modelOf(metric string) string {
	if s, ok := j.byMetric[metric].Backend.(*judgebackend.Stack); ok {
		return cmp.Or(s.Identity().Model, nameOf(s))
	}
	if j.stack == nil {
		return ""
	}
	return cmp.Or(j.stack.Identity().Model, nameOf(j.stack))
}

// Say tells what the judges were asked and what they took, a line each, and the cost of all.
func (j *judging) Say(w io.Writer) {
	if j == nil {
		return
	}
	all := j.stacks()
	spent := j.budget.Spent()
	for _, s := range all {
		stats := s.Stats()
		if len(all) > 1 && stats.Requests == 0 {
			continue
		}
		fmt.Fprintf(w, "judge %s: %s", nameOf(s), amount.Of(stats.Requests, "question"))
		if stats.Hits > 0 {
			fmt.Fprintf(w, ", %d of them answered by the ledger", stats.Hits)
		}
		fmt.Fprintf(w, "; %s", amount.Of(stats.Calls, "call"))
		if stats.Retries > 0 {
			fmt.Fprintf(w, " (%d again)", stats.Retries)
		}
		if len(all) > 1 {
			fmt.Fprintln(w)
		}
	}
	if len(all) > 1 {
		fmt.Fprintf(w, "all judges: %s", amount.Of(j.stats().Calls, "call"))
	}
	fmt.Fprintf(w, ", %d tokens in, %d out", spent.TokensIn, spent.TokensOut)
	if spent.Money > 0 {
		fmt.Fprintf(w, ", %s USD", spent.Money)
	}
	if spent.Refused > 0 {
		fmt.Fprintf(w, "; %s not made, for the budget did not allow it", amount.Of(int64(spent.Refused), "call"))
	}
	fmt.Fprintln(w)
}
