package judgebackend

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Provider is a source of models with one protocol, such as openai. Each has its own package next to this one; a
// program lists those that it is linked with. All differences between providers are fields of this struct, so other
// code does not switch on names.
type Provider struct {
	Name string // what is before the colon of a judge's name

	// Open makes a backend of one model, without contacting anything. The options have their defaults.
	Open func(ctx context.Context, model string, o *OpenOptions) (Backend, error)

	Address     string // of the provider's HTTP endpoint; "" if it has none
	InWarehouse bool   // it needs OpenOptions.Queryer: its models are asked by SQL
	System      string // its name in traces, such as snowflake.cortex; Name if empty

	modelless bool // the name has no model after a colon
}

// None refuses every call, and Replay answers from a file. Every list of providers has both.
var (
	None   = Provider{Name: "none", Open: openNone, modelless: true}
	Replay = Provider{Name: "replay", Open: openReplay, modelless: true}
)

// Providers are those that a program can ask, each name once. None and Replay need not be listed.
type Providers []Provider

// Find returns the provider of a judge's name, which may have a model after a colon.
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

// Names lists the providers' names, sorted.
func (p Providers) Names() []string {
	var names []string
	for _, q := range p.all() {
		names = append(names, q.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Open makes the backend that spec names: "openai:gpt-4o", "anthropic:…", "cortex:…", "bigqueryai:…",
// "aiquery:…", as far as they are listed, "replay:FILE" or "none". It contacts nothing. o may be nil.
// Errors: InvalidArgument for a malformed spec or option, PermissionDenied for a host that is not on the
// allow list, Unauthenticated for a missing key, NotFound for a missing replay file. The backend is bare;
// [NewStack] puts the wrappers around it.
func (p Providers) Open(ctx context.Context, spec string, o *OpenOptions) (Backend, error) {
	provider, ok := p.Find(spec)
	if !ok {
		return nil, errcode.New(errcode.InvalidArgument, "judge backend: expected one of %s, as in openai:gpt-4o",
			strings.Join(p.Names(), ", "))
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
	return check(b, filled.Clock), nil
}

// Address returns the URL of the judge that spec names: baseURL, or its provider's address if that is empty. It is
// nil if the judge has no HTTP endpoint: in a warehouse, recorded, or none.
func (p Providers) Address(spec, baseURL string) (*url.URL, error) {
	provider, _ := p.Find(spec)
	switch {
	case provider.Address == "":
		return nil, nil //nolint:nilnil // there is none
	case baseURL == "":
		baseURL = provider.Address
	}
	u, err := url.Parse(baseURL)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errcode.New(errcode.InvalidArgument, "judge base URL: expected http(s)://HOST[:PORT]/PATH")
	}
	return u, nil
}

// TextQueryer runs one query that returns one string. A warehouse connection satisfies it; cortex, bigqueryai and
// aiquery need nothing else. Arguments replace question marks, in order. Errors carry an errcode.
type TextQueryer interface {
	QueryText(ctx context.Context, query string, args ...any) (string, error)
}
