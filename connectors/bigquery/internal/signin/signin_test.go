package signin

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/auth"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	user     = `{"type": "authorized_user", "client_id": "i", "client_secret": "hunter2", "refresh_token": "hunter2"}`
	external = `{"type": "external_account", "audience": "a", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "token_url": "https://sts.example/v1/token", "credential_source": {"url": "http://127.0.0.1:8181/subject"}}`
)

// Errors name the file and what is expected, and show nothing of what it holds.
func TestSign(t *testing.T) {
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "")
	t.Setenv("HOME", t.TempDir())
	missing := filepath.Join(t.TempDir(), "gone.json")
	for _, tc := range []struct {
		why  string
		a    Account
		code errcode.Code
		says string
	}{
		{"nothing is named", Account{}, errcode.Unauthenticated, "no credentials are named; expected credentials_file=FILE"},
		{"a user", Account{CredentialsFile: write(t, "user.json", user)}, errcode.OK, ""},
		{"an external account", Account{CredentialsFile: write(t, "external.json", external)}, errcode.OK, ""},
		{"Google's defaults, where there is no file", Account{Credentials: Default}, errcode.OK, ""},
		{"the metadata server", Account{Credentials: Metadata}, errcode.OK, ""},
		{"a file that is not there", Account{CredentialsFile: missing}, errcode.Unauthenticated, "gone.json"},
		{"a file of another type", Account{CredentialsFile: write(t, "other.json", `{"type": "hunter2"}`)}, errcode.Unauthenticated, `credentials file "other.json": expected the JSON of a service account`},
		{"a file that is no JSON", Account{CredentialsFile: write(t, "text.json", "hunter2")}, errcode.Unauthenticated, `credentials file "text.json": expected the JSON`},
		{"a service account whose key is none", Account{CredentialsFile: write(t, "key.json", `{"type": "service_account", "private_key": "hunter2"}`)}, errcode.Unauthenticated, `credentials file "key.json"`},
		{"a token", Account{TokenFile: write(t, "token", "ya29.hunter2\n")}, errcode.OK, ""},
		{"two tokens", Account{TokenFile: write(t, "tokens", "hunter2 hunter2")}, errcode.Unauthenticated, `token file "tokens": expected one access token and nothing else`},
		{"no token", Account{TokenFile: write(t, "empty", "\n")}, errcode.Unauthenticated, `token file "empty"`},
		{"JSON in place of a token", Account{TokenFile: write(t, "user.json", user)}, errcode.Unauthenticated, `token file "user.json"`},
		{"another account that acts", Account{TokenFile: write(t, "token", "hunter2"), Impersonate: []string{"b@p.iam.gserviceaccount.com"}}, errcode.OK, ""},
	} {
		creds, err := tc.a.Sign()
		if errcode.Of(err) != tc.code || (creds == nil) != (err != nil) || err != nil && (!strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), os.TempDir())) {
			t.Errorf("%s: %v (%v), want %v and %q", tc.why, err, errcode.Of(err), tc.code, tc.says)
		}
	}
}

// A token that something else renews is read again.
func TestTokensAreReadAgain(t *testing.T) {
	path := write(t, "token", "first")
	creds, err := (&Account{TokenFile: path}).Sign()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"first", "second"} {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := creds.Token(t.Context()); err != nil || got.Value != want {
			t.Errorf("%+v, %v, want %s", got, err, want)
		}
	}
}

// project is a token, and the project that its quota is taken from.
type project string

func (project) Token(context.Context) (*auth.Token, error) {
	return &auth.Token{Value: "t0ken", Expiry: time.Now().Add(time.Hour)}, nil
}

func (p project) GetProperty(context.Context) (string, error) { return string(p), nil }

// Token and project go along with each request, and to no other host that an answer names.
func TestClient(t *testing.T) {
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	var got http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		http.Redirect(w, r, other.URL, http.StatusFound)
	}))
	defer server.Close()
	creds := auth.NewCredentials(&auth.CredentialsOptions{TokenProvider: project(""), QuotaProjectIDProvider: project("payer")})
	resp, err := Client(nil, creds).Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusFound || elsewhere != 0 || got.Get("Authorization") != "Bearer t0ken" || got.Get("X-Goog-User-Project") != "payer" {
		t.Errorf("status %d, %d requests elsewhere, headers %v", resp.StatusCode, elsewhere, got)
	}
	if resp, err = Client(nil, nil).Get(server.URL); err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if got.Get("Authorization") != "" {
		t.Errorf("without credentials: %v", got)
	}
	h, err := PerRPC(creds, true).GetRequestMetadata(t.Context())
	if err != nil || h["authorization"] != "Bearer t0ken" || h["x-goog-user-project"] != "payer" || !PerRPC(creds, true).RequireTransportSecurity() || PerRPC(creds, false).RequireTransportSecurity() {
		t.Errorf("of gRPC: %v, %v", h, err)
	}
	lost := auth.NewCredentials(&auth.CredentialsOptions{TokenProvider: tokenFile(filepath.Join(t.TempDir(), "gone"))})
	if _, err := Client(nil, lost).Get(server.URL); errcode.Of(errors.Unwrap(err)) != errcode.Unauthenticated { //nolint:bodyclose // there is none
		t.Errorf("a token that is gone: %v", err)
	}
}

// The hosts of sign-in are those that the credentials name.
func TestContacts(t *testing.T) {
	for _, tc := range []struct {
		why  string
		a    Account
		want string // hosts and ports
	}{
		{"a token", Account{TokenFile: "x"}, ""},
		{"the metadata server", Account{Credentials: Metadata}, "169.254.169.254:80"},
		{"a user", Account{CredentialsFile: write(t, "u", user)}, "oauth2.googleapis.com:443"},
		{"an external account", Account{CredentialsFile: write(t, "e", external)}, "127.0.0.1:8181 sts.example:443"},
		{"an account that acts as another", Account{TokenFile: "x", Impersonate: []string{"b"}}, "iamcredentials.googleapis.com:443"},
		{"in another universe", Account{CredentialsFile: write(t, "s", `{"type": "service_account", "token_uri": "https://t.example/x", "universe_domain": "u.example"}`), Impersonate: []string{"b"}}, "t.example:443 iamcredentials.u.example:443"},
		{"a file that is not there", Account{CredentialsFile: filepath.Join(t.TempDir(), "gone")}, ":443"},
	} {
		got, err := tc.a.Contacts()
		var hosts []string
		for _, c := range got {
			hosts = append(hosts, contact(c))
		}
		if text := strings.Join(hosts, " "); err != nil || text != tc.want {
			t.Errorf("%s: %s, %v, want %s", tc.why, text, err, tc.want)
		}
	}
	if _, err := (&Account{CredentialsFile: write(t, "wrong.json", `{"type": "external_account", "token_url": "hunter2"}`)}).Contacts(); errcode.Of(err) != errcode.Unauthenticated || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("an address that is none: %v", err)
	}
}

func contact(c driver.Contact) string {
	return c.Host + ":" + map[int]string{80: "80", 443: "443", 8181: "8181"}[c.Port]
}
