package judgebackend

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// OpenOptions is what backends need beyond a name. It holds no secrets, only where they are.
type OpenOptions struct {
	BaseURL         string   // of the endpoint; the vendor's own where empty
	KeyFile         string   // file with the key, read again at every call
	KeyLater        bool     // the key file may come later: until then calls fail with KindNoKey, and Open does not
	KeyEnv          string   // or the environment variable that holds it
	AzureAPIVersion string   // openai: the endpoint is Azure's and speaks this version, "2024-10-21"
	AllowHosts      []string // the only hosts ever contacted: "host" (port 443) or "host:port"
	AllowPlainHTTP  bool     // plain HTTP to hosts other than this machine
	Proxy           string   // http(s)://host:port; proxies named by the environment are not used
	CAFile          string   // PEM file with the authorities to trust instead of the system's
	MaxReplyBytes   int64    // bound of an answer's body; 0 for 2 MiB

	Queryer    TextQueryer // cortex, bigqueryai, aiquery: the connection to ask through
	Connection string      // bigqueryai: project.location.connection, "" for the caller's own credentials

	Log    *slog.Logger        // what an endpoint turned out not to offer; nil for nowhere
	Clock  Clock               // nil for SystemClock
	Getenv func(string) string // nil for os.Getenv
}

func (o *OpenOptions) getenv() func(string) string {
	if o.Getenv == nil {
		return os.Getenv
	}
	return o.Getenv
}

func (o *OpenOptions) clock() Clock {
	if o.Clock == nil {
		return SystemClock
	}
	return o.Clock
}

func (o *OpenOptions) log() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}

func (o *OpenOptions) maxReplyBytes() int64 {
	if o.MaxReplyBytes <= 0 {
		return 2 << 20
	}
	return o.MaxReplyBytes
}

// String shows the addresses without what they may carry in front of an @.
func (o OpenOptions) String() string {
	return fmt.Sprintf("judge options: base URL %q, allowed hosts %q, proxy %q", redactURL(o.BaseURL), o.AllowHosts, redactURL(o.Proxy))
}

// GoString is String.
func (o OpenOptions) GoString() string { return o.String() }

// LogValue is String.
func (o OpenOptions) LogValue() slog.Value { return slog.StringValue(o.String()) }

func redactURL(s string) string {
	if s == "" {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil {
		return "[malformed]"
	}
	return u.Scheme + "://" + u.Host
}

// opener makes one kind of backend. arg is what follows the colon in a spec: a model, a file.
type opener func(ctx context.Context, arg string, o *OpenOptions) (Backend, error)

var openers = map[string]opener{}

// register is called by each backend's file. A name can be taken once.
func register(name string, open opener) {
	if _, taken := openers[name]; taken {
		panic("judgebackend: two backends are called " + name)
	}
	openers[name] = open
}

// Names lists the backends that Open knows, sorted.
func Names() []string {
	names := make([]string, 0, len(openers))
	for n := range openers {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Open makes the backend that spec names: "openai:gpt-4o", "anthropic:…", "cortex:…",
// "bigqueryai:…", "aiquery:…", "replay:FILE" or "none". It contacts nothing. Errors:
// InvalidArgument for a malformed spec or option, PermissionDenied for a host that is not on the
// allow list, Unauthenticated for a missing key, NotFound for a missing replay file. The backend is
// bare; [NewStack] puts the wrappers around it.
func Open(ctx context.Context, spec string, o *OpenOptions) (Backend, error) {
	if o == nil {
		o = &OpenOptions{}
	}
	name, arg, _ := strings.Cut(spec, ":")
	open, ok := openers[name]
	if !ok {
		return nil, errcode.New(errcode.InvalidArgument, "judge backend: want one of %s, as in openai:gpt-4o", strings.Join(Names(), ", "))
	}
	b, err := open(ctx, arg, o)
	if err != nil {
		return nil, err
	}
	return check(b, o.clock()), nil
}

// wantModel is the check that backends with a model share.
func wantModel(backend, model string) error {
	if model == "" {
		return errcode.New(errcode.InvalidArgument, "judge %s: want a model, as in %s:MODEL", backend, backend)
	}
	return nil
}

// checked is what every backend has in common: requests are validated, errors mapped, latency
// measured.
type checked struct {
	next  Backend
	id    Identity
	clock Clock
}

// check wraps b unless that was done. A Backend that does not say who it is is called "func".
func check(b Backend, clock Clock) checked {
	if c, ok := b.(checked); ok {
		return c
	}
	id := Identity{Backend: "func"}
	if i, ok := b.(Identified); ok {
		id = i.Identity()
	}
	return checked{next: b, id: id, clock: clock}
}

func (c checked) Identity() Identity { return c.id }

func (c checked) Complete(ctx context.Context, r Request) (Response, error) {
	if err := r.validate(); err != nil {
		return Response{}, err
	}
	if err := ctx.Err(); err != nil {
		return Response{}, mapError(ctx, c.id, err)
	}
	start := c.clock.Now()
	resp, err := c.next.Complete(ctx, r)
	resp.Latency = c.clock.Now().Sub(start)
	if resp.Model == "" {
		resp.Model = c.id.Model
	}
	if err != nil {
		e := mapError(ctx, c.id, err)
		switch KindOf(e) { // these are answers too
		case KindRefused:
			resp.FinishReason = FinishRefusal
		case KindLength:
			resp.FinishReason = FinishLength
		case KindOversized:
			resp.FinishReason = FinishOversized
			resp.TokensIn, resp.TokensOut = TokensUnknown, TokensUnknown
		default:
			return Response{}, e
		}
		return resp, e
	}
	if resp.FinishReason == "" {
		resp.FinishReason = FinishStop
	}
	return resp, resp.finishError(c.id)
}
