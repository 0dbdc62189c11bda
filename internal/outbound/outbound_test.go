package outbound_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/badger-eval/badger/internal/outbound"
)

func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for text, want := range map[string]time.Duration{
			"": 0, "0": 0, "7": 7 * time.Second, "-7": 0, "1.5": 0, "soon": 0, "99999999999999": 0,
			time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat): 90 * time.Second, time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat): 0,
		} {
			h := http.Header{}
			h.Set("Retry-After", text)
			if got := outbound.RetryAfter(h); got != want {
				t.Errorf("%q: %v, want %v", text, got, want)
			}
		}
	})
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		if err := outbound.Wait(t.Context(), time.Hour); err != nil || time.Since(begin) != time.Hour {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begin = time.Now()
		if err := outbound.Wait(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	})
}

// A redirect is the reply, and is not followed; a file without a certificate is not taken for one.
func TestClient(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	c, ok := outbound.Client(nil, time.Minute)
	if !ok {
		t.Fatal("no client")
	}
	reply, err := c.Get(server.URL)
	if err != nil || reply.StatusCode != http.StatusTemporaryRedirect || asked != 1 {
		t.Fatalf("%v, %v, asked %d times", reply, err, asked)
	}
	_ = reply.Body.Close()
	for _, pem := range []string{"", "text"} {
		if _, ok := outbound.Client([]byte(pem), time.Minute); ok {
			t.Errorf("%q has a certificate", pem)
		}
	}
	for status, want := range map[int]bool{200: false, 400: false, 429: true, 500: false, 501: false, 502: true, 503: true, 504: true} {
		if outbound.Busy(status) != want {
			t.Errorf("status %d", status)
		}
	}
}
