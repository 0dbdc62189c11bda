package endpoint

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"testing"

	"github.com/badger-eval/badger/judgebackend"
)

// The two lines of the guard hold by themselves: neither relies on redirects being refused above
// it.
func TestGuard(t *testing.T) {
	base, _ := url.Parse("https://judge.example/v1")
	g, err := NewGuard(judgebackend.Identity{Backend: "openai"}, base, &judgebackend.OpenOptions{AllowHosts: []string{"judge.example"}})
	if err != nil {
		t.Fatal(err)
	}
	dial := g.base.DialContext
	g.base.DialContext = func(context.Context, string, string) (net.Conn, error) {
		t.Error("it came to a connection")
		return nil, net.ErrClosed
	}
	for _, address := range []string{
		"https://elsewhere.example/", "https://judge.example:8443/", "http://judge.example/", "https://judge.example.evil.test/",
		"https://x@elsewhere.example/judge.example", "https://127.0.0.1/",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := g.RoundTrip(req); judgebackend.KindOf(err) != judgebackend.KindEgress {
			t.Errorf("%s: %v, %v; want kind egress", address, res, err)
		}
	}
	for _, addr := range []string{"elsewhere.example:443", "judge.example:80", "127.0.0.1:443", "[::1]:443"} {
		if c, err := dial(context.Background(), "tcp", addr); judgebackend.KindOf(err) != judgebackend.KindEgress {
			t.Errorf("dial %s: %v, %v; want kind egress", addr, c, err)
		}
	}
	if g.base.Proxy != nil {
		t.Error("a proxy is used though none is configured")
	}
	for address, want := range map[string]string{
		"https://Judge.Example/v1": "judge.example:443", "http://[::1]": "[::1]:80", "http://a:8080": "a:8080",
	} {
		u, _ := url.Parse(address)
		if got := HostPort(u); got != want {
			t.Errorf("%s goes to %s, want %s", address, got, want)
		}
	}
}
