package driver_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
)

func TestParseProxy(t *testing.T) {
	for text, want := range map[string]string{
		"http://proxy.corp:3128": "http://proxy.corp:3128", "https://PROXY.corp": "https://proxy.corp:443", "http://[::1]/": "http://[::1]:80",
		"proxy.corp:3128": "", "socks5://proxy.corp": "", "http://me:secret@proxy.corp": "", "http://proxy.corp/path": "", "http://": "", "http://proxy.corp?a=b": "",
	} {
		u, err := driver.ParseProxy(text)
		if (err == nil) != (want != "") || err == nil && u.String() != want {
			t.Errorf("%s: %v, %v; want %q", text, u, err, want)
		}
	}
}

// A proxy that only the environment names is not used, a named one is.
func TestTransport(t *testing.T) {
	asked := 0
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer proxy.Close()
	u, err := driver.ParseProxy(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodGet, "http://warehouse.invalid/", nil)
	request.RequestURI = ""
	if driver.Transport(nil).Proxy != nil {
		t.Error("without a proxy, one would be looked for")
	}
	resp, err := driver.Transport(u).RoundTrip(request)
	if err != nil || asked != 1 {
		t.Fatalf("%v, the proxy was asked %d times, want once", err, asked)
	}
	resp.Body.Close() //nolint:errcheck // empty
}
