package judging

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
)

// Config selects the judges of judge metrics, their limits, and the cache of their replies. It contains no secrets,
// only where to read them.
type Config struct {
	Endpoint `yaml:",inline"`

	Metrics map[string]Metric `yaml:"metrics"` // judges of single metrics, by the metric's name
	// judges of cases with a tag, instead of all others: the first whose tag a case has
	ByTag []Rule `yaml:"by_tag"`
	// several judges with a rule, by name: the backend panel:NAME
	Panels map[string]Panel `yaml:"panels"`

	// where replies are stored: warehouse, none or a file; default: the warehouse if there is one, or else memory
	Ledger       string `yaml:"ledger"`
	Offline      bool   `yaml:"offline"`       // use only stored replies, make no calls
	AskAgain     bool   `yaml:"ask_again"`     // call again for stored replies that are refused, truncated or invalid
	KeepRequests bool   `yaml:"keep_requests"` // store the requests with the replies

	Budget struct {
		Tokens int64                   `yaml:"tokens" least:"0"` // input and output tokens together
		Money  string                  `yaml:"money"`            // such as 5.00, in the currency of the prices
		Prices judgebackend.PriceTable `yaml:"prices"`           // of a million tokens, by model
	} `yaml:"budget"`

	// CallerBudget limits the cost of each caller of badger serve per day in UTC.
	CallerBudget struct {
		Tokens int64  `yaml:"tokens" least:"0"`
		Money  string `yaml:"money"`
	} `yaml:"caller_budget"`

	Audit string `yaml:"audit"` // file to which each call appends a line with hashes and sizes, without content
}

// Endpoint is one model and how to reach it.
type Endpoint struct {
	// openai:MODEL, anthropic:MODEL, cortex:MODEL, bigqueryai:MODEL, aiquery:MODEL, replay:FILE, panel:NAME or none
	Backend string `yaml:"backend,omitempty"`
	BaseURL string `yaml:"base_url,omitempty"` // of the endpoint; its host is allowed
	KeyFile string `yaml:"key_file,omitempty"` // file with the key
	KeyEnv  string `yaml:"key_env,omitempty"`  // or name of the environment variable with the key
	// cortex, bigqueryai, aiquery: URL of the warehouse that calls the model; by default that of the scores
	Warehouse  string `yaml:"warehouse,omitempty"`
	Connection string `yaml:"connection,omitempty"` // bigqueryai: project.location.connection

	AzureAPIVersion string `yaml:"azure_api_version,omitempty"`
	// other hosts that are allowed, such as the vendor's own if base_url is empty
	AllowHosts     []string `yaml:"allow_hosts,omitempty"`
	AllowPlainHTTP bool     `yaml:"allow_plain_http,omitempty"`
	Proxy          string   `yaml:"proxy,omitempty"`
	CAFile         string   `yaml:"ca_file,omitempty"`

	Concurrency       int           `yaml:"concurrency,omitempty" least:"0" most:"1000000"` // maximum calls in flight; default 64
	RequestsPerMinute int           `yaml:"requests_per_minute,omitempty" least:"0"`
	TokensPerMinute   int           `yaml:"tokens_per_minute,omitempty" least:"0"`
	Timeout           time.Duration `yaml:"timeout,omitempty" least:"0s"` // time limit of one attempt; default 3m

	MaxTokens       int            `yaml:"max_tokens,omitempty" least:"0"` // limit of a reply; default 4096
	ReasoningEffort string         `yaml:"reasoning_effort,omitempty"`
	TopP            *float64       `yaml:"top_p,omitempty" least:"0" most:"1"`
	Seed            *int64         `yaml:"seed,omitempty"`
	Body            map[string]any `yaml:"body,omitempty"` // further members of a request's body
	// further headers of requests: values, env:NAME or file:PATH
	Headers map[string]string `yaml:"headers,omitempty"`
}

// Metric is the judge of one metric. Unset fields are taken from the judge of all metrics; see endpointOf for the
// connection.
type Metric struct {
	Endpoint `yaml:",inline"`

	Temperature *float64 `yaml:"temperature,omitempty" least:"0" most:"2"` // of its judge calls, from 0 to 2; default: that of the prompt
}

// Rule is the judge of the cases with a tag. A rule without a backend uses the judge of all metrics with other
// settings; none makes no calls.
type Rule struct {
	Tag    string `yaml:"tag"`
	Metric `yaml:",inline"`
}

// FillDefaults sets the defaults of Concurrency and Timeout if a judge is configured.
func (c *Config) FillDefaults() {
	if c.Asked() {
		c.Concurrency, c.Timeout = cmp.Or(c.Concurrency, judgebackend.DefaultConcurrency),
			cmp.Or(c.Timeout, judgebackend.DefaultAttemptTimeout)
	}
}

// KeepsInWarehouse reports whether replies are stored in the warehouse of the scores if that exists.
func (c *Config) KeepsInWarehouse() bool {
	return c.Asked() && (c.Ledger == "" || c.Ledger == "warehouse")
}

// set reports whether an endpoint names a judge.
func (c *Endpoint) set() bool { return c.Backend != "" && c.Backend != "none" }

// Others returns the endpoints of the judges of single metrics and of tags that have their own, and of the judges of
// panels that are used, by their keys.
func (c *Config) Others() (map[string]Endpoint, error) {
	entries, err := c.entries()
	out := map[string]Endpoint{}
	for _, e := range entries {
		if e.own {
			out[e.key] = e.endpoint
		}
	}
	for _, name := range c.used() {
		all, err := c.seats(name)
		if err != nil {
			return out, err
		}
		for _, s := range all {
			out[s.key] = s.endpoint
		}
	}
	return out, err
}

// Asked reports whether a judge is configured, for all metrics or for some.
func (c *Config) Asked() bool {
	for _, m := range c.Metrics {
		if m.set() {
			return true
		}
	}
	return c.set() || slices.ContainsFunc(c.ByTag, func(r Rule) bool { return r.set() })
}

// endpointOf returns the endpoint of the judge m at a key of the configuration; ok is false if m uses the shared one.
// If both have the same kind of backend and m sets no connection, it uses the whole connection and the settings of the
// shared judge, so that a key is never sent to another address.
func (c *Config) endpointOf(key string, m Metric) (e Endpoint, ok bool, err error) {
	e = m.Endpoint
	switch {
	case e.Backend == "none":
		return e, false, errcode.Usage("%s: expected a backend other than none; leave the metric out with --metrics", key)
	case e.Backend == "" && (e.ownWay() || e.paced()):
		return e, false, errcode.Usage("%s: expected a backend with the other settings, such as openai:MODEL", key)
	case e.Backend == "" && m.Temperature == nil && !e.tuned():
		return e, false, errcode.Usage("%s: expected a backend, a temperature or other settings of the model", key)
	case e.Backend == "" && !c.set():
		return e, false, errcode.Usage("%s: expected a backend, since judge.backend names none", key)
	case e.Backend == "" && !e.tuned():
		return e, false, nil
	}
	own := e
	kind, _, _ := strings.Cut(cmp.Or(own.Backend, c.Backend), ":")
	if common, _, _ := strings.Cut(c.Backend, ":"); kind == common && !own.ownWay() {
		e = c.Endpoint
		e.Backend = cmp.Or(own.Backend, c.Backend)
		e.MaxTokens, e.ReasoningEffort = cmp.Or(own.MaxTokens, c.MaxTokens), cmp.Or(own.ReasoningEffort, c.ReasoningEffort)
		e.TopP, e.Seed = cmp.Or(own.TopP, c.TopP), cmp.Or(own.Seed, c.Seed)
		if own.Body != nil {
			e.Body = own.Body
		}
	}
	e.Concurrency, e.Timeout = cmp.Or(own.Concurrency, c.Concurrency), cmp.Or(own.Timeout, c.Timeout)
	e.RequestsPerMinute, e.TokensPerMinute = cmp.Or(own.RequestsPerMinute, c.RequestsPerMinute),
		cmp.Or(own.TokensPerMinute, c.TokensPerMinute)
	return e, true, nil
}

// ownWay reports whether any field of the connection to the model is set.
func (c *Endpoint) ownWay() bool {
	return cmp.Or(c.BaseURL, c.KeyFile, c.KeyEnv, c.Warehouse, c.Connection, c.AzureAPIVersion, c.Proxy, c.CAFile) != "" ||
		len(c.AllowHosts) > 0 || c.AllowPlainHTTP || len(c.Headers) > 0
}

// tuned reports whether any setting of the model is set.
func (c *Endpoint) tuned() bool {
	return c.MaxTokens != 0 || c.ReasoningEffort != "" || c.TopP != nil || c.Seed != nil || c.Body != nil
}

// settings returns the settings of the model. It returns an error if its backend does not take one of them.
func (c *Endpoint) settings(providers judgebackend.Providers) (s judgebackend.Settings, err error) {
	s = judgebackend.Settings{MaxTokens: c.MaxTokens, Sampling: judgebackend.Sampling{ReasoningEffort: c.ReasoningEffort,
		TopP: c.TopP, Seed: c.Seed}}
	if len(c.Body) > 0 {
		if s.Body, err = json.Marshal(c.Body); err != nil {
			return s, errcode.Usage("body: expected an object of JSON")
		}
	}
	if p, _ := providers.Find(c.Backend); len(c.Headers) > 0 && !slices.Contains(p.Settings, "headers") {
		return s, errcode.Usage("headers: unsupported by %s", p.Name)
	}
	if err := providers.CheckSettings(c.Backend, s); err != nil {
		return s, errcode.AsUsage(err)
	}
	return s, nil
}

func (c *Endpoint) paced() bool {
	return c.Concurrency != 0 || c.RequestsPerMinute != 0 || c.TokensPerMinute != 0 || c.Timeout != 0
}
