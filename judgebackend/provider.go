package judgebackend

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Provider is a source of models with one protocol, such as openai. Each provider has a separate package; a program
// lists those it is linked with. All differences between providers are in the fields of this struct.
type Provider struct {
	Name string // the part of a judge's name before the colon

	// Open returns a backend of one model, without contacting anything. o has its defaults set.
	Open func(ctx context.Context, model string, o *OpenOptions) (Backend, error)

	Address     string // of the provider's HTTP endpoint; "" if it has none
	InWarehouse bool   // its models are called by SQL, so that it needs OpenOptions.Queryer
	System      string // its name in traces, such as snowflake.cortex; if empty, Name

	Settings []string // which of reasoning_effort, top_p, seed, body and headers its requests can have
	Members  []string // members of a request's body that it sets, and that Settings.Body must not have

	modelless bool // its judges' names may lack a model
}

// None returns an error for every call, and Replay replies from a file. Every list of providers includes both.
var (
	None   = Provider{Name: "none", Open: openNone, modelless: true}
	Replay = Provider{Name: "replay", Open: openReplay, modelless: true,
		Settings: []string{"reasoning_effort", "top_p", "seed", "body"}} // of the recorded requests
)

// Providers lists the providers that a program can use. None and Replay are always included and need not be listed.
type Providers []Provider

// Find returns the provider of a judge's name, PROVIDER or PROVIDER:MODEL.
func (p Providers) Find(spec string) (Provider, bool) {
	name, _, _ := strings.Cut(spec, ":")
	all := p.all()
	i := slices.IndexFunc(all, func(q Provider) bool { return q.Name == name })
	if i < 0 {
		return Provider{}, false
	}
	return all[i], true
}

func (p Providers) all() []Provider { return append(slices.Clip(p), None, Replay) }

// Names returns the providers' names, sorted.
func (p Providers) Names() []string {
	var names []string
	for _, q := range p.all() {
		names = append(names, q.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Open returns the backend of a judge's name: "openai:gpt-4o", "anthropic:…", "cortex:…", "bigqueryai:…", "aiquery:…"
// if they are listed, "replay:FILE" or "none". It contacts nothing. o may be nil. Errors: InvalidArgument for a
// malformed name or option, PermissionDenied for a host that is not on the allow list, Unauthenticated for a missing
// key, NotFound for a missing replay file. The backend has no wrappers: see [NewStack].
func (p Providers) Open(ctx context.Context, spec string, o *OpenOptions) (Backend, error) {
	provider, ok := p.Find(spec)
	if !ok {
		name, _, hasModel := strings.Cut(spec, ":")
		return nil, errcode.New(errcode.InvalidArgument, "judge backend: expected one of %s, as in openai:gpt-4o%s",
			strings.Join(p.Names(), ", "), foundInstead(name, hasModel))
	}
	_, model, _ := strings.Cut(spec, ":")
	if model == "" && !provider.modelless {
		return nil, errcode.New(errcode.InvalidArgument, "judge %s: expected a model, as in %s:MODEL", provider.Name,
			provider.Name)
	}
	filled := o.filled()
	b, err := provider.Open(ctx, model, filled)
	if err != nil {
		return nil, err
	}
	c := check(b, filled.Clock)
	c.show = filled.ShowWords
	return c, nil
}

// foundInstead returns the end of an error about the name of a judge whose provider is unknown. What could be a key or
// an address is not repeated.
func foundInstead(name string, hasModel bool) string {
	switch {
	case len(name) > 40 || strings.HasPrefix(name, "sk-") || strings.ContainsAny(name, "/@ "):
		return ""
	case hasModel:
		return fmt.Sprintf("; found %q before the colon", name)
	case name == "":
		return ""
	}
	return fmt.Sprintf("; found %q without a backend before it, write openai:%[1]s if an endpoint of that form serves it", name)
}

// Address returns the URL of the judge that spec names: baseURL, or its provider's address if baseURL is empty. It is
// nil if the provider has no HTTP endpoint.
func (p Providers) Address(spec, baseURL string) (*url.URL, error) {
	provider, _ := p.Find(spec)
	switch {
	case provider.Address == "":
		return nil, nil //nolint:nilnil // there is none
	case baseURL == "":
		baseURL = provider.Address
	}
	u, _ := url.Parse(baseURL) // nil if it is malformed
	if err := CheckBaseURL(u); err != nil {
		return nil, err
	}
	return u, nil
}

// CheckBaseURL returns an error unless u is an HTTP URL with a host. nil, as [url.Parse] returns it, is malformed.
func CheckBaseURL(u *url.URL) error {
	if u == nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errcode.New(errcode.InvalidArgument, "judge base URL (--judge-url or judge.base_url): expected "+
			"http(s)://HOST[:PORT]/PATH, such as http://127.0.0.1:8000/v1")
	}
	return nil
}

// TextQueryer runs one query that returns one string. A warehouse connection satisfies it; cortex, bigqueryai and
// aiquery need nothing else. Arguments replace question marks, in order. Errors carry an errcode.
type TextQueryer interface {
	QueryText(ctx context.Context, query string, args ...any) (string, error)
}
