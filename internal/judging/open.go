package judging

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/telemetry"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Env holds the dependencies of Open.
type Env struct {
	Providers judgebackend.Providers // the available judge providers
	Getenv    func(string) string    // reads environment variables, which may have keys
	Now       func() time.Time       // the clock of the ledger
	Open      OpenWarehouse          // opens judge.warehouse
	Scores    *store.Store           // where replies are stored by default; nil: no writable warehouse
	Log       *slog.Logger           // problems that fail no call; nil: no log
	Audit     *slog.Logger           // audit log if Config.Audit is empty; nil: none
	Tracer    trace.Tracer           // traces each call; nil: none
	Vague     func(judge string)     // called once per judge whose replies omit the model version; may be nil
	Opened    func(error)            // called when the judge's circuit opens; may be nil
	Later     Later                  // registers parts that are missing at start; nil: a missing part is an error
	ShowWords bool                   // errors contain the endpoint's words: for commands, not for servers

	// Missed is called with each request without a stored reply if Config.Offline is set, possibly concurrently; may be
	// nil.
	Missed func(judgebackend.Identity, judgebackend.Request)
}

// OpenWarehouse opens a warehouse for reading.
type OpenWarehouse func(ctx context.Context, url string) (*store.Store, error)

// Later registers the parts of a server that may be missing when it starts. key is the part's key in the
// configuration.
type Later interface {
	// Warehouse returns a warehouse that is connected later. prepare is called after connecting and before other
	// uses, then after prepare; either may be nil.
	Warehouse(key, url string, readOnly bool, prepare, then func(context.Context, *store.Store) error) (*store.Store,
		error)
	// File registers a file with a secret, which is read at each use.
	File(key, path string)
}

// Open opens the judges, or returns nil if no judge is configured. It makes no judge calls. An invalid value in the
// configuration or in a file that it names is a usage error that names the key. An error of a ledger file is that of
// [judgebackend.OpenFileStore].
func (c *Config) Open(ctx context.Context, s Env) (_ *Judges, err error) {
	entries, err := c.entries() // validated even if no judge is called
	if err != nil {
		return nil, err
	}
	if !c.Asked() {
		return nil, nil //nolint:nilnil // no judge is a valid judge
	}
	j := &Judges{byMetric: map[string]scoring.Judge{}, others: map[string]*judgebackend.Stack{},
		panels: map[string]*scoring.Panel{}}
	defer func() {
		if err != nil {
			_ = j.Close()
		}
	}()
	o, err := c.stackOptions(s, j)
	if err != nil {
		return nil, err
	}
	if name, ok := panelOf(c.Backend); ok {
		if j.panel, err = c.panel(ctx, s, j, o, name); err != nil {
			return nil, err
		}
	} else if c.set() {
		if j.stack, err = c.Endpoint.open(ctx, s, j, o, c.Offline); err != nil {
			return nil, err
		}
	}
	for _, e := range entries {
		judge := scoring.Judge{Temperature: e.temperature}
		switch {
		case e.panel != "":
			if judge.Backend, err = c.panel(ctx, s, j, o, e.panel); err != nil {
				return nil, err
			}
		case e.own:
			if judge.Backend, err = c.share(ctx, s, j, o, e.endpoint); err != nil {
				return nil, fmt.Errorf("%s: %w", e.key, err)
			}
		}
		if e.metric != "" {
			j.byMetric[e.metric] = judge
			continue
		}
		if !e.own && !e.none && e.panel == "" {
			judge.Backend = j.stack
		}
		j.byTag = append(j.byTag, scoring.TagJudge{Tag: e.tag, Judge: judge})
	}
	return j, nil
}

// share opens the judge of an endpoint, unless a judge with the same endpoint is open.
func (c *Config) share(ctx context.Context, s Env, j *Judges, o judgebackend.StackOptions,
	e Endpoint) (_ *judgebackend.Stack, err error) {
	text, _ := json.Marshal(e) // a body that cannot be written is an error of open
	key := string(text)
	if j.others[key] == nil {
		if j.others[key], err = e.open(ctx, s, j, o, c.Offline); err != nil {
			delete(j.others, key)
			return nil, err
		}
	}
	return j.others[key], nil
}

// entry is the judge of a metric or of the cases with a tag.
type entry struct {
	key         string // in the configuration
	metric, tag string // one of them is set
	temperature *float64
	endpoint    Endpoint
	own         bool   // endpoint is set; otherwise it is the shared judge
	panel       string // name of the panel, instead
	none        bool   // makes no calls
}

// entries returns the judges of metrics, sorted by metric, and those of tags in their order. It validates panels.
func (c *Config) entries() (all []entry, err error) {
	if err := c.checkPanels(); err != nil {
		return nil, err
	}
	common := c.common()
	_, shared := panelOf(c.Backend)
	add := func(e entry, m Metric) {
		name, isPanel := panelOf(m.Backend)
		switch {
		case err != nil || e.none:
		case isPanel && (m.ownWay() || m.tuned() || m.paced() || m.Temperature != nil), shared && m.Backend == "":
			err = errcode.Usage("%s: a panel has no settings of a model; set them at its judges, under judge.panels", e.key)
		case isPanel:
			e.panel = name
			_, err = c.seats(name)
		default:
			e.endpoint, e.own, err = common.endpointOf(e.key, m)
		}
		e.temperature = m.Temperature
		all = append(all, e)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Metrics)) {
		add(entry{key: "judge.metrics." + name, metric: name}, c.Metrics[name])
	}
	for i, r := range c.ByTag {
		key := fmt.Sprintf("judge.by_tag[%d]", i)
		before := slices.IndexFunc(c.ByTag, func(other Rule) bool { return other.Tag == r.Tag })
		switch t := r.Temperature; {
		case err != nil:
		case r.Tag == "":
			err = errcode.Usage("%s: expected a tag", key)
		case before < i:
			err = errcode.Usage("%s: duplicate tag %.60q; the first rule decides", key, r.Tag)
		case t != nil && !(*t >= 0 && *t <= 2):
			err = errcode.Usage("%s: temperature: %v; expected a number from 0 to 2", key, *t)
		}
		add(entry{key: key, tag: r.Tag, none: r.Backend == "none"}, r.Metric)
	}
	return all, err
}

// stackOptions returns the options that all judges share: the ledger, the budgets and the audit log. It adds what
// must be closed to j.
func (c *Config) stackOptions(s Env, j *Judges) (o judgebackend.StackOptions, err error) {
	store, err := c.store(s, j)
	if err != nil {
		return o, err
	}
	if c.Offline && store == nil && s.Missed == nil {
		return o, errcode.Usage("offline: there is no ledger to answer from; name one with --ledger")
	}
	limits := judgebackend.BudgetLimits{Tokens: c.Budget.Tokens, Prices: c.Budget.Prices}
	if c.Budget.Money != "" {
		if limits.Money, err = judgebackend.ParseMoney(c.Budget.Money); err != nil {
			return o, errcode.Usage("judge.budget.money: %w", err)
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
	audit := s.Audit
	if c.Audit != "" {
		f, err := os.OpenFile(c.Audit, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return o, errcode.Usage("audit: %w", err)
		}
		j.close = append(j.close, f.Close)
		audit = slog.New(slog.NewJSONHandler(f, nil))
	}
	return judgebackend.StackOptions{
		Store: store, AskAgain: c.AskAgain, Budget: j.budget, Quota: quota, KeepRequests: c.KeepRequests, OnOpen: s.Opened,
		Audit: audit, Log: s.Log,
	}, nil
}

// open opens the judge of the endpoint.
func (c *Endpoint) open(ctx context.Context, s Env, j *Judges, o judgebackend.StackOptions,
	isOffline bool) (*judgebackend.Stack, error) {
	backend, err := c.backend(ctx, s, j, isOffline)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	backend = telemetry.Judge(backend, s.Providers, s.Tracer)
	if s.Vague != nil {
		backend = &watched{next: backend, vague: s.Vague}
	}
	if o.Settings, err = c.settings(s.Providers); err != nil {
		return nil, err
	}
	o.Concurrency, o.RequestsPerMinute, o.TokensPerMinute, o.AttemptTimeout = c.Concurrency, c.RequestsPerMinute,
		c.TokensPerMinute, c.Timeout
	stack, err := judgebackend.NewStack(backend, &o)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	return stack, nil
}

// watched is a backend that calls vague once if the replies do not name the version of the model.
type watched struct {
	next  judgebackend.Backend
	vague func(judge string)
	once  sync.Once
}

// Identity returns the judge's identity.
func (w *watched) Identity() judgebackend.Identity {
	if i, ok := w.next.(judgebackend.Identified); ok {
		return i.Identity()
	}
	return judgebackend.Identity{Backend: "func"}
}

// Complete calls the judge.
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

// backend opens the backend of the endpoint. If isOffline is true, it is one that fails every call, except for
// replay.
func (c *Endpoint) backend(ctx context.Context, s Env, j *Judges, isOffline bool) (judgebackend.Backend, error) {
	name, model, _ := strings.Cut(c.Backend, ":")
	if isOffline && name != "replay" {
		return offline{judgebackend.Identity{Backend: name, Model: model}, s.Missed}, nil
	}
	o := judgebackend.OpenOptions{
		BaseURL: c.BaseURL, KeyFile: c.KeyFile, KeyEnv: c.KeyEnv, AzureAPIVersion: c.AzureAPIVersion,
		AllowHosts: c.AllowHosts, Headers: c.Headers,
		AllowPlainHTTP: c.AllowPlainHTTP, Proxy: c.Proxy, CAFile: c.CAFile, Connection: c.Connection, Log: s.Log,
		Getenv:   s.Getenv,
		KeyLater: s.Later != nil, ShowWords: s.ShowWords,
	}
	if u, err := url.Parse(c.BaseURL); err == nil && u.Host != "" { // naming the endpoint is allowing it
		host := u.Host
		if u.Port() == "" && u.Scheme == "http" {
			host += ":80"
		}
		o.AllowHosts = append([]string{host}, o.AllowHosts...)
	}
	provider, _ := s.Providers.Find(name)
	if provider.InWarehouse {
		w := s.Scores
		if c.Warehouse != "" {
			var err error
			if s.Later != nil {
				w, err = s.Later.Warehouse("judge.warehouse", c.Warehouse, true, nil, nil)
			} else {
				w, err = s.Open(ctx, c.Warehouse)
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
	backend, err := s.Providers.Open(ctx, c.Backend, &o)
	if err == nil && s.Later != nil && c.KeyFile != "" && provider.Address != "" {
		s.Later.File("judge.key_file", c.KeyFile)
	}
	if errcode.Of(err) == errcode.PermissionDenied {
		err = errcode.New(errcode.PermissionDenied,
			"%w; --judge-host HOST or judge.allow_hosts in the configuration allows a host", err)
	}
	return backend, err
}

// store opens the ledger, or returns nil if Ledger is none.
func (c *Config) store(s Env, j *Judges) (judgebackend.Store, error) {
	where := c.Ledger
	if where == "" && s.Scores != nil {
		where = "warehouse"
	}
	switch where {
	case "":
		return &judgebackend.MemoryStore{}, nil
	case "none":
		return nil, nil //nolint:nilnil // no ledger
	case "warehouse":
		if s.Scores == nil {
			return nil, errcode.Usage("ledger: there is no database here that answers could be kept in; name a file")
		}
		return NewLedger(s.Scores, s.Now, s.Log), nil
	}
	f, err := judgebackend.OpenFileStore(where, s.Log)
	if err != nil {
		return nil, err
	}
	j.close = append(j.close, f.Close)
	return f, nil
}

// offline is a backend that fails every call, so that only stored replies are used.
type offline struct {
	id     judgebackend.Identity
	missed func(judgebackend.Identity, judgebackend.Request) // may be nil
}

func (o offline) Identity() judgebackend.Identity { return o.id }

func (o offline) Complete(_ context.Context, r judgebackend.Request) (judgebackend.Response, error) {
	if o.missed != nil {
		o.missed(o.id, r)
	}
	return judgebackend.Response{}, &judgebackend.Error{Kind: judgebackend.KindReplayMiss, Backend: o.id.Backend}
}
