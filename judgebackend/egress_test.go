package judgebackend_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

func TestOpenRefusesWhatIsNotAllowed(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for _, tc := range []struct {
		why, spec string
		o         judgebackend.OpenOptions
		want      errcode.Code
	}{
		{"no such backend", "gpt-4o", judgebackend.OpenOptions{}, errcode.InvalidArgument},
		{"no model", "openai", judgebackend.OpenOptions{}, errcode.InvalidArgument},
		{"no model behind the colon", "anthropic:", judgebackend.OpenOptions{}, errcode.InvalidArgument},
		{"the vendor's own host must be named as well", "openai:m", judgebackend.OpenOptions{}, errcode.PermissionDenied},
		{"naming the address does not allow it", "openai:m", judgebackend.OpenOptions{BaseURL: "https://judge.example"}, errcode.PermissionDenied},
		{"another port is another host", "openai:m", judgebackend.OpenOptions{BaseURL: "https://judge.example:8443", AllowHosts: []string{"judge.example"}}, errcode.PermissionDenied},
		{"a longer name is another host", "openai:m", judgebackend.OpenOptions{BaseURL: "https://judge.example.evil.test", AllowHosts: []string{"judge.example"}}, errcode.PermissionDenied},
		{"plain HTTP off this machine", "openai:m", judgebackend.OpenOptions{BaseURL: "http://judge.example", AllowHosts: []string{"judge.example:80"}}, errcode.PermissionDenied},
		{"patterns are not offered", "openai:m", judgebackend.OpenOptions{BaseURL: "https://a.example", AllowHosts: []string{"*.example"}}, errcode.InvalidArgument},
		{"credentials in the address", "openai:m", judgebackend.OpenOptions{BaseURL: "https://u:p@judge.example", AllowHosts: []string{"judge.example"}}, errcode.InvalidArgument},
		{"another scheme", "openai:m", judgebackend.OpenOptions{BaseURL: "ftp://judge.example", AllowHosts: []string{"judge.example"}}, errcode.InvalidArgument},
		{"no key for the vendor", "openai:m", judgebackend.OpenOptions{AllowHosts: []string{"api.openai.com"}, Getenv: env}, errcode.Unauthenticated},
		{"no key for the other vendor", "anthropic:m", judgebackend.OpenOptions{AllowHosts: []string{"api.anthropic.com"}, Getenv: env}, errcode.Unauthenticated},
		{"a key file that is not there", "openai:m", judgebackend.OpenOptions{AllowHosts: []string{"api.openai.com"}, KeyFile: missing}, errcode.Unauthenticated},
		{"two sources of a key", "openai:m", judgebackend.OpenOptions{AllowHosts: []string{"api.openai.com"}, KeyFile: missing, KeyEnv: "A"}, errcode.InvalidArgument},
		{"the key where a variable's name belongs", "openai:m", judgebackend.OpenOptions{AllowHosts: []string{"api.openai.com"}, KeyEnv: backendtest.Secret}, errcode.InvalidArgument},
		{"Azure without an address", "openai:m", judgebackend.OpenOptions{AzureAPIVersion: "2024-10-21"}, errcode.InvalidArgument},
		{"a proxy that is no address", "openai:m", judgebackend.OpenOptions{BaseURL: "https://a.example", AllowHosts: []string{"a.example"}, Proxy: backendtest.Secret}, errcode.InvalidArgument},
		{"no warehouse", "cortex:m", judgebackend.OpenOptions{}, errcode.FailedPrecondition},
		{"a model that would end a literal", "bigqueryai:m'x", judgebackend.OpenOptions{Queryer: queryer{}}, errcode.InvalidArgument},
		{"no recording", "replay:" + missing, judgebackend.OpenOptions{}, errcode.NotFound},
	} {
		_, err := providers.Open(t.Context(), tc.spec, &tc.o)
		if errcode.Of(err) != tc.want {
			t.Errorf("%s: %v, want %v", tc.why, err, tc.want)
		}
		if text := fmt.Sprintf("%v %#v", err, err); strings.Contains(text, backendtest.Secret) {
			t.Errorf("%s: the error shows a secret", tc.why)
		}
	}
}

func TestOpenAllows(t *testing.T) {
	for _, o := range []judgebackend.OpenOptions{
		{AllowHosts: []string{"API.openai.com"}, KeyEnv: "THE_KEY", Getenv: env},
		{BaseURL: "https://judge.example/v1", AllowHosts: []string{"judge.example:443"}},
		{BaseURL: "http://judge.example/v1", AllowHosts: []string{"judge.example:80"}, AllowPlainHTTP: true},
		{BaseURL: "https://[::1]/v1", AllowHosts: []string{"::1"}},
		{BaseURL: "http://[::1]:9999/v1", AllowHosts: []string{"[::1]:9999"}},
	} {
		if _, err := providers.Open(t.Context(), "openai:m", &o); err != nil {
			t.Errorf("%s: %v", o.String(), err)
		}
	}
}

// A redirect to a host that is not on the list is not followed: not with the body, not with the
// key, not at all.
func TestRedirectsAreRefused(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the redirect was followed")
	}))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, status)
		}))
		defer s.Close()
		for _, spec := range []string{"openai:m", "anthropic:m"} {
			b := open(t, spec, &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{strings.TrimPrefix(s.URL, "http://")}, KeyEnv: "THE_KEY", Getenv: env})
			_, err := b.Complete(t.Context(), backendtest.Question())
			if judgebackend.KindOf(err) != judgebackend.KindEgress || errcode.Of(err) != errcode.PermissionDenied {
				t.Errorf("%s, %d: %v, want kind egress", spec, status, err)
			}
		}
	}
}

// A redirect to another path of the same host is not followed either: the prompt may go only to the configured address.
func TestRedirectOnTheSameHost(t *testing.T) {
	calls := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		http.Redirect(w, r, "/moved"+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	for _, spec := range []string{"openai:m", "anthropic:m"} {
		calls = 0
		b := open(t, spec, &judgebackend.OpenOptions{BaseURL: s.URL, KeyEnv: "THE_KEY", Getenv: env,
			AllowHosts: []string{strings.TrimPrefix(s.URL, "http://")}})
		_, err := b.Complete(t.Context(), backendtest.Question())
		if judgebackend.KindOf(err) != judgebackend.KindNotFound || !strings.Contains(err.Error(), "set base_url") || calls != 1 {
			t.Errorf("%s: %v after %d calls, want kind not_found and 1 call", spec, err, calls)
		}
	}
}

// A proxy is used if it is configured, and counts as allowed by that.
func TestConfiguredProxy(t *testing.T) {
	proxied := 0
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxied++
		if r.URL.Host != "judge.internal:80" && r.URL.Host != "judge.internal" {
			t.Errorf("the proxy was asked for %q", r.URL.Host)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, completion)
	}))
	defer proxy.Close()
	b := open(t, "openai:m", &judgebackend.OpenOptions{
		BaseURL: "http://judge.internal", AllowHosts: []string{"judge.internal:80"}, AllowPlainHTTP: true, Proxy: proxy.URL,
	})
	if _, err := b.Complete(t.Context(), backendtest.Question()); err != nil || proxied != 1 {
		t.Errorf("%v after %d calls through the proxy", err, proxied)
	}
}

// Backends that must not use the network have nothing to use it with.
func TestOfflineBackendsHaveNoHost(t *testing.T) {
	for _, spec := range []string{"none", "cortex:m", "bigqueryai:m", "aiquery:m"} {
		b, err := providers.Open(t.Context(), spec, &judgebackend.OpenOptions{Queryer: queryer{}})
		if err != nil {
			t.Fatal(err)
		}
		if id := b.(judgebackend.Identified).Identity(); id.Host != "" {
			t.Errorf("%s contacts %q", spec, id.Host)
		}
	}
}

// A key file that may come later stops nothing but the calls until it exists, and these do not open
// the circuit.
func TestKeyFileThatComesLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	s := newServer(t, func(map[string]any) (int, string) { return 200, completion })
	b := open(t, "openai:m", &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{s.host()}, KeyFile: path, KeyLater: true})
	stack, err := judgebackend.NewStack(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "\n"} {
		for range 3 {
			if _, err := stack.Complete(t.Context(), backendtest.Question()); judgebackend.KindOf(err) != judgebackend.KindNoKey || errcode.Of(err) != errcode.Unavailable {
				t.Errorf("file %q: %v", text, err)
			}
		}
		if err := os.WriteFile(path, []byte("\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if s.calls() != 0 {
		t.Errorf("%d calls without a key", s.calls())
	}
	if err := os.WriteFile(path, []byte("key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := stack.Complete(t.Context(), backendtest.Question()); err != nil || s.calls() != 1 {
		t.Errorf("%d calls, %v", s.calls(), err)
	}
}

// A rotated key file takes effect at the next call.
func TestKeyFileIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	write := func(key string) {
		if err := os.WriteFile(path, []byte(key+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first")
	s := newServer(t, func(map[string]any) (int, string) { return 200, completion })
	b := open(t, "openai:m", &judgebackend.OpenOptions{BaseURL: s.URL, AllowHosts: []string{s.host()}, KeyFile: path})
	for _, want := range []string{"first", "second"} {
		write(want)
		if _, err := b.Complete(t.Context(), backendtest.Question()); err != nil {
			t.Fatal(err)
		}
		if got := s.reqs[len(s.reqs)-1].Header.Get("Authorization"); got != "Bearer "+want {
			t.Errorf("Authorization %q, want the key %q", got, want)
		}
	}
	// A key that is replaced while a call with the old one is on its way gets a second chance,
	// once.
	expired := newServer(t, func(map[string]any) (int, string) {
		write("new")
		return 200, `{"code":"390112","message":"Your session has expired"}`
	})
	b = open(t, "openai:m", &judgebackend.OpenOptions{BaseURL: expired.URL, AllowHosts: []string{expired.host()}, KeyFile: path})
	if _, err := b.Complete(t.Context(), backendtest.Question()); errcode.Of(err) != errcode.Unauthenticated || expired.calls() != 2 {
		t.Errorf("an expired key that was replaced: %v after %d calls, want one more call and no third", err, expired.calls())
	}
	write("")
	if _, err := b.Complete(t.Context(), backendtest.Question()); errcode.Of(err) != errcode.Unauthenticated {
		t.Errorf("an empty key file: %v", err)
	}
}

// Canaries stand in the key, the prompt, the schema and the reply; every fault, every log and every
// way of printing the values that callers hold must keep them to itself.
func TestNothingLeaks(t *testing.T) {
	const replied = "canary-reply-90b1"
	var logs bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var faults []backendtest.Fault
	faults = append(faults, backendtest.NoFault, backendtest.Unauthorized, backendtest.Billing, backendtest.NoModel, backendtest.Oversized)
	faults = append(append(faults, backendtest.Transient()...), backendtest.Answered()...)
	for _, spec := range []string{"openai:m", "anthropic:m"} {
		for _, f := range faults {
			e := backendtest.NewEndpoint(t, func(backendtest.Call) backendtest.Answer {
				return backendtest.Answer{Fault: f, Reply: `{"verdict": "` + replied + `"}`}
			})
			o := &judgebackend.OpenOptions{BaseURL: e.URL(), AllowHosts: []string{e.Host()}, KeyEnv: "THE_KEY", Getenv: env, Log: log}
			printed := judgebackend.OpenOptions{Proxy: "http://me:" + backendtest.Secret + "@proxy:1", BaseURL: "://" + backendtest.Secret}
			budget, err := judgebackend.NewBudget(judgebackend.BudgetLimits{Tokens: 1 << 40})
			if err != nil {
				t.Fatal(err)
			}
			stack, err := judgebackend.NewStack(open(t, spec, o), &judgebackend.StackOptions{
				Store: &judgebackend.MemoryStore{}, Budget: budget, Audit: log, Log: log, Clock: &backendtest.Clock{},
				Record:         func(context.Context, judgebackend.Assessment) error { return io.ErrShortWrite },
				OnOpen:         func(err error) { log.Error("open", "error", err) },
				AttemptTimeout: 100 * time.Millisecond, Retry: judgebackend.RetryPolicy{Attempts: 2},
			})
			if err != nil {
				t.Fatal(err)
			}
			r := withSchema()
			r.Schema = json.RawMessage(strings.Replace(string(verdictSchema), `"pass"`, `"`+backendtest.Canary+`"`, 1))
			var into verdict
			x, err := judgebackend.CompleteJSON(t.Context(), stack, r, &into)
			if err == nil {
				t.Errorf("%s, %s: no error, though the reply never fits", spec, f)
			}
			log.Info("printed", "error", err, "options", o, "printed", printed, "exchange", x.Response, "request", r)
			for _, v := range []any{err, o, *o, printed, x, x.Response, r, stack, stack.Identity(), budget.Spent()} {
				for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
					text := fmt.Sprintf(verb, v)
					for _, canary := range []string{backendtest.Secret, backendtest.Canary, replied} {
						if strings.Contains(text, canary) {
							t.Errorf("%s, %s: %s of a %T shows %s", spec, f, verb, v, canary)
						}
					}
				}
			}
		}
	}
	for _, canary := range []string{backendtest.Secret, backendtest.Canary, replied} {
		if i := strings.Index(logs.String(), canary); i >= 0 {
			t.Errorf("the logs show %s: …%s", canary, logs.String()[max(0, i-300):i+50])
		}
	}
	if !strings.Contains(logs.String(), "judge call") {
		t.Error("there is no audit line in the logs")
	}
}
