package judgebackend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
)

// OpenOptions holds the options of a backend. It contains no secrets, only where to read them.
type OpenOptions struct {
	BaseURL         string   // of the endpoint; the provider's own if empty
	KeyFile         string   // file with the key, read at every call
	KeyLater        bool     // the key file may be missing at first: calls fail with KindNoKey, but not Open
	KeyEnv          string   // name of the environment variable with the key, instead of KeyFile
	AzureAPIVersion string   // openai: the endpoint is Azure's with this API version, "2024-10-21"
	AllowHosts      []string // the only hosts that may be contacted: "host" (port 443) or "host:port"
	AllowPlainHTTP  bool     // allow plain HTTP to hosts other than this machine
	Proxy           string   // http(s)://host:port; proxies in the environment are ignored
	CAFile          string   // PEM file of the certificate authorities to trust instead of the system's
	MaxReplyBytes   int64    // limit of a response's body; 0: 2 MiB
	// further headers of requests: a value, env:NAME for that of an environment variable, or file:PATH
	Headers map[string]string
	// Errors contain the endpoint's own words, for the user of a command. They may name the account or the deployment,
	// and other callers if calls are coalesced: servers log them instead.
	ShowWords bool

	Queryer    TextQueryer // cortex, bigqueryai, aiquery: the warehouse connection
	Connection string      // bigqueryai: project.location.connection; "" for the caller's own credentials

	Log    *slog.Logger        // logs features that an endpoint does not offer; nil: no log
	Clock  Clock               // nil: SystemClock
	Getenv func(string) string // nil: os.Getenv
}

// filled returns a copy of o with defaults for missing values. Providers receive the copy.
func (o *OpenOptions) filled() *OpenOptions {
	var f OpenOptions
	if o != nil {
		f = *o
	}
	if f.Getenv == nil {
		f.Getenv = os.Getenv
	}
	if f.Clock == nil {
		f.Clock = SystemClock
	}
	if f.Log == nil {
		f.Log = slog.New(slog.DiscardHandler)
	}
	if f.MaxReplyBytes <= 0 {
		f.MaxReplyBytes = 2 << 20
	}
	return &f
}

// String shows the addresses without the credentials, paths and queries in them.
func (o OpenOptions) String() string {
	return fmt.Sprintf("judge options: base URL %q, allowed hosts %q, proxy %q", redactURL(o.BaseURL), o.AllowHosts,
		redactURL(o.Proxy))
}

// GoString returns String.
func (o OpenOptions) GoString() string { return o.String() }

// LogValue returns String.
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

// checked is the wrapper of every backend that validates requests, maps errors and measures latency.
type checked struct {
	next  Backend
	id    Identity
	clock Clock
	show  bool // whether errors contain the endpoint's words
}

// check wraps b unless it is wrapped already. A Backend without an identity gets the name "func".
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
		return Response{}, MapError(ctx, c.id, err)
	}
	start := c.clock.Now()
	resp, err := c.next.Complete(ctx, r)
	resp = resp.believed()
	resp.Latency = c.clock.Now().Sub(start)
	if resp.Model == "" {
		resp.Model = c.id.Model
	}
	if err != nil {
		e := MapError(ctx, c.id, err)
		if said := (*Error)(nil); errors.As(e, &said) { // MapError made a copy
			said.Said, said.shown = said.Said.without(r), said.shown || c.show
		}
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
