package judgebackend_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

func TestRetryAfterHeader(t *testing.T) {
	clock := &backendtest.Clock{}
	for _, tc := range []struct {
		why, name, value string
		want             time.Duration
	}{
		{"seconds", "Retry-After", "20", 20 * time.Second},
		{"a fraction", "Retry-After", "0.25", 250 * time.Millisecond},
		{"a date", "Retry-After", clock.Now().Add(90 * time.Second).Format(http.TimeFormat), 90 * time.Second},
		{"a date in the old form", "Retry-After", clock.Now().Add(time.Hour).Format("Monday, 02-Jan-06 15:04:05 GMT"), time.Hour},
		{"milliseconds", "Retry-After-Ms", "1500", 1500 * time.Millisecond},
		{"a date that has passed", "Retry-After", clock.Now().Add(-time.Hour).Format(http.TimeFormat), 0},
		{"less than nothing", "Retry-After", "-5", 0},
		{"beyond all patience", "Retry-After", "1e300", 0},
		{"not a number", "Retry-After", "NaN", 0},
		{"a word", "Retry-After", "soon", 0},
		{"nothing", "Retry-After", "", 0},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(tc.name, tc.value)
			w.WriteHeader(http.StatusTooManyRequests)
		}))
		b := open(t, "openai:m", &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{strings.TrimPrefix(s.URL, "http://")}, Clock: clock})
		_, err := b.Complete(t.Context(), backendtest.Question())
		var e *judgebackend.Error
		if !errors.As(err, &e) || e.Kind != judgebackend.KindRateLimited || e.RetryAfter != tc.want {
			t.Errorf("%s: %v, want to wait %v", tc.why, err, tc.want)
		}
		s.Close()
	}
}

// coded is a warehouse that fails with an error of the caller's making.
type coded struct{ err error }

func (c coded) QueryText(context.Context, string, ...any) (string, error) { return "", c.err }

// A connection's code survives, its text does not.
func TestConnectionErrors(t *testing.T) {
	for c := errcode.Cancelled; c <= errcode.Unauthenticated; c++ {
		if strings.HasPrefix(c.String(), "code(") {
			continue // not one of ours
		}
		for _, spec := range []string{"cortex:m", "bigqueryai:m", "aiquery:m"} {
			b := open(t, spec, &judgebackend.OpenOptions{Queryer: coded{errcode.New(c, "while running %s", backendtest.Canary)}})
			_, err := b.Complete(t.Context(), backendtest.Question())
			want := c
			switch c {
			case errcode.Unknown: // worth another attempt
				want = errcode.Unavailable
			case errcode.AlreadyExists: // asking makes nothing
				want = errcode.Internal
			}
			if got := errcode.Of(err); got != want || strings.Contains(fmt.Sprintf("%+v", err), backendtest.Canary) {
				t.Errorf("%s: %v (%v), want %v without the connection's text", spec, err, got, want)
			}
		}
	}
	for text, want := range map[string]judgebackend.Kind{
		"Request was throttled: " + backendtest.Canary:           judgebackend.KindRateLimited,
		"HTTP 503 from the endpoint":                             judgebackend.KindServer,
		backendtest.Canary:                                       judgebackend.KindInternal,
		strings.Repeat(" ", 300) + "budget limit of the account": judgebackend.KindInternal,
	} {
		b := open(t, "aiquery:m", &judgebackend.OpenOptions{Queryer: coded{errors.New(text)}})
		if _, err := b.Complete(t.Context(), backendtest.Question()); judgebackend.KindOf(err) != want {
			t.Errorf("an uncoded error: %v, want kind %q", err, want)
		}
	}
}

// A certificate from an authority that nobody trusts is told as that, not tried again; with the
// authority it works.
func TestCertificates(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, completion) }))
	defer s.Close()
	s.Config.ErrorLog = nil
	o := judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{strings.TrimPrefix(s.URL, "https://")}}
	stack := stack(t, open(t, "openai:m", &o), judgebackend.StackOptions{})
	_, err := stack.Complete(t.Context(), backendtest.Question())
	if judgebackend.KindOf(err) != judgebackend.KindUntrusted || stack.Stats().Calls != 1 {
		t.Errorf("%v after %d calls", err, stack.Stats().Calls)
	}
	o.CAFile = filepath.Join(t.TempDir(), "ca.pem")
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(o.CAFile, cert, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, "openai:m", &o).Complete(t.Context(), backendtest.Question()); err != nil {
		t.Error(err)
	}
	o.CAFile = o.CAFile + ".missing"
	if _, err := providers.Open(t.Context(), "openai:m", &o); errcode.Of(err) != errcode.InvalidArgument {
		t.Errorf("a CA file that is not there: %v", err)
	}
}

// FuzzAnswers: whatever an endpoint says, each call ends with a response or a coded error, and
// nothing panics.
func FuzzAnswers(f *testing.F) {
	f.Add(200, completion)
	f.Add(200, message)
	f.Add(200, `null`)
	f.Add(200, `{"error":{"message":"Rate limit","code":429}}`)
	f.Add(429, `{"error":{"type":"insufficient_quota"}}`)
	f.Add(400, `{"error":{"param":"temperature","message":"unsupported"}}`)
	var status atomic.Int64
	var body atomic.Value
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(int(status.Load()))
		_, _ = io.WriteString(w, body.Load().(string))
	}))
	s.Config.SetKeepAlivesEnabled(false) // each round opens its own connections
	f.Cleanup(s.Close)
	f.Fuzz(func(t *testing.T, code int, text string) {
		status.Store(int64(200 + uint(code)%400))
		body.Store(text)
		for _, spec := range []string{"openai:m", "anthropic:m"} {
			b := open(t, spec, &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{strings.TrimPrefix(s.URL, "http://")}})
			r := withSchema()
			r.TopLogProbs = 1
			resp, err := b.Complete(t.Context(), r)
			var e *judgebackend.Error
			switch {
			case err != nil && (!errors.As(err, &e) || e.Kind == judgebackend.KindInternal):
				t.Errorf("%s, %d: %v", spec, status.Load(), err)
			case err == nil && (resp.FinishReason != judgebackend.FinishStop || resp.TokensIn < judgebackend.TokensUnknown):
				t.Errorf("%s, %d: finish %q, %d tokens", spec, status.Load(), resp.FinishReason, resp.TokensIn)
			}
		}
	})
}
