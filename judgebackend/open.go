package judgebackend

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
)

// OpenOptions holds the options of a backend. It contains no secrets, only where they are.
type OpenOptions struct {
	BaseURL         string   // of the endpoint; the provider's own where empty
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

// filled returns o with defaults for missing values. Providers receive the result.
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

// String shows the addresses without what they may carry in front of an @.
func (o OpenOptions) String() string {
	return fmt.Sprintf("judge options: base URL %q, allowed hosts %q, proxy %q", redactURL(o.BaseURL), o.AllowHosts,
		redactURL(o.Proxy))
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

// checked is the part common to all backends: it validates requests, maps errors and measures latency.
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
