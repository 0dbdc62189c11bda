package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/badger-eval/badger/internal/fake/metrics"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf"
)

// sameText is the trivial function of the benchmarks: two texts in, a number out.
func sameText() udf.Function {
	return udf.Function{
		Name: "same_text", Group: "test", Result: udf.DOUBLE, Version: 1, Params: []udf.Param{{Name: "a"}, {Name: "b"}},
		Columns: func(_ context.Context, in *udf.Batch, out *udf.Column) {
			a, b := &in.Args[0], &in.Args[1]
			for i := range in.Rows {
				switch {
				case a.Nulls[i] || b.Nulls[i]:
					out.SetNull(i)
				case a.Texts[i] == b.Texts[i]:
					out.SetFloat(i, 1)
				}
			}
		},
	}
}

// show returns its arguments as JSON, NULL and all, to see what a wire made of them.
func show() udf.Function {
	return udf.Function{
		Name: "show", Group: "test", Result: udf.JSON, Version: 2,
		Params: []udf.Param{{Name: "text"}, {Name: "doc", Type: udf.JSON}, {Name: "num", Type: udf.DOUBLE, Optional: true}, {Name: "whole", Type: udf.BIGINT, Optional: true}, {Name: "flag", Type: udf.BOOLEAN, Optional: true}},
		Row: func(_ context.Context, in *udf.Batch, i int, out *udf.Column) error {
			if in.Text(0, i) == "panic" {
				panic("secret value")
			}
			var m [5]any
			for k := range m {
				if in.IsNull(k, i) {
					continue
				}
				switch a := &in.Args[k]; a.Type {
				case udf.DOUBLE:
					m[k] = udf.FormatFloat(a.Floats[i])
				case udf.BIGINT:
					m[k] = fmt.Sprint(a.Ints[i])
				case udf.BOOLEAN:
					m[k] = a.Bools[i]
				default:
					m[k] = a.Texts[i]
				}
			}
			b, err := json.Marshal(m)
			out.SetText(i, string(b))
			return err
		},
	}
}

// half returns half of an integer, and NULL for an odd one.
func half() udf.Function {
	return udf.Function{
		Name: "half", Group: "test", Result: udf.BIGINT, Version: 1, Params: []udf.Param{{Name: "n", Type: udf.BIGINT}},
		Columns: func(_ context.Context, in *udf.Batch, out *udf.Column) {
			for i, n := range in.Args[0].Ints {
				if out.SetInt(i, n/2); n%2 != 0 || in.Args[0].Nulls[i] {
					out.SetNull(i)
				}
			}
		},
	}
}

// isJSON is a BOOLEAN.
func isJSON() udf.Function {
	return udf.Function{
		Name: "is_json", Group: "test", Result: udf.BOOLEAN, Version: 1, Params: []udf.Param{{Name: "text"}},
		Row: func(_ context.Context, in *udf.Batch, i int, out *udf.Column) error {
			out.SetBool(i, json.Valid([]byte(in.Text(0, i))))
			return nil
		},
	}
}

func newCatalogue(t testing.TB, extra ...udf.Function) *udf.Catalogue {
	t.Helper()
	return catalogueWith(t, udf.CatalogueOptions{Version: "1.2.3", Extra: append(extra, sameText(), show(), half(), isJSON())})
}

// catalogueWith is a catalogue of the fake metrics, with a judge, and of the functions of o.
func catalogueWith(t testing.TB, o udf.CatalogueOptions) *udf.Catalogue {
	t.Helper()
	engine, err := scoring.NewEngine(metrics.All(), &scoring.EngineOptions{Replies: metrics.NoReplies{}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := udf.NewCatalogue(engine, &o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// running is a server on loopback, stopped at the end of the test.
type running struct {
	*Server
	url  string // of HTTP
	addr string // of gRPC
	stop func() error
}

func start(t testing.TB, c *udf.Catalogue, o *Options) *running {
	t.Helper()
	s, err := New(c, o)
	if err != nil {
		t.Fatal(err)
	}
	g, h := listen(t), listen(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, g, h) }()
	var stopped error
	once := false
	r := &running{Server: s, url: "http://" + h.Addr().String(), addr: g.Addr().String()}
	r.stop = func() error {
		if !once {
			once = true
			cancel()
			stopped = <-done
		}
		return stopped
	}
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return r
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func dial(t testing.TB, addr string, opts ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	if len(opts) == 0 {
		opts = []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	}
	conn, err := grpc.NewClient(addr, append(opts, grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// post sends a body and returns the status and the reply.
func post(t testing.TB, url, body string, headers ...string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b), resp.Header
}

// cutOff ends the rows that continue without a caller.
func cutOff(c *udf.Catalogue) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	c.Drain(over, lastWords)
}
