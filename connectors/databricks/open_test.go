package databricks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors/databricks"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

const secret = "dapi-hunter2"

// What is wrong with a URL is said by the option's name; values, which may be secrets, are not
// repeated.
func TestWhatIsMissing(t *testing.T) {
	for _, v := range []string{"DATABRICKS_TOKEN", "DATABRICKS_CLIENT_ID", "DATABRICKS_CLIENT_SECRET", "DATABRICKS_HTTP_PATH", "DATABRICKS_HOST"} {
		t.Setenv(v, "")
	}
	t.Setenv("BADGER_TEST_TOKEN", secret)
	dir := t.TempDir()
	empty, lines := filepath.Join(dir, "empty"), filepath.Join(dir, "lines")
	for path, text := range map[string]string{empty: " \n", lines: secret + "\nmore\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const path = "?http_path=/sql/1.0/warehouses/x"
	for _, tc := range []struct {
		why, url string
		want     errcode.Code
		says     string
	}{
		{"no URL", "databricks:x", errcode.InvalidArgument, "http_path=/sql/1.0/warehouses/ID"},
		{"no host", "databricks:///main" + path, errcode.InvalidArgument, "no host"},
		{"no warehouse", "databricks://dbc-1.cloud.databricks.com/main?token_env=X", errcode.InvalidArgument, "no warehouse"},
		{"no credentials", "databricks://dbc-1.cloud.databricks.com" + path, errcode.InvalidArgument, "DATABRICKS_TOKEN"},
		{"a token in the URL", "databricks://token:" + secret + "@h" + path, errcode.InvalidArgument, "token_file"},
		{"a token as an option", "databricks://h" + path + "&token=" + secret, errcode.InvalidArgument, "must not contain token"},
		{"a secret as an option", "databricks://h" + path + "&client_secret=" + secret, errcode.InvalidArgument, "must not contain client_secret"},
		{"an unknown option", "databricks://h" + path + "&acces_token=" + secret, errcode.InvalidArgument, "acces_token"},
		{"an option twice", "databricks://h" + path + "&token_env=A&token_env=B", errcode.InvalidArgument, "2 times"},
		{"too long a path", "databricks://h/a/b/c" + path, errcode.InvalidArgument, "/CATALOG/SCHEMA"},
		{"a client without a secret", "databricks://h" + path + "&client_id=a", errcode.InvalidArgument, "client_secret_file"},
		{"a secret without a client", "databricks://h" + path + "&client_secret_env=A", errcode.InvalidArgument, "client_id"},
		{"two credentials", "databricks://h" + path + "&client_id=a&client_secret_env=A&token_env=B", errcode.InvalidArgument, "more than one kind"},
		{"plain http beyond this machine", "databricks://h" + path + "&token_env=A&protocol=http", errcode.InvalidArgument, "insecure=true"},
		{"no number", "databricks://h" + path + "&retries=" + secret, errcode.InvalidArgument, "retries"},
		{"a variable that is empty", "databricks://127.0.0.1:1" + path + "&protocol=http&token_env=DATABRICKS_TOKEN", errcode.Unauthenticated, "DATABRICKS_TOKEN"},
		{"a file that is not there", "databricks://127.0.0.1:1" + path + "&protocol=http&token_file=" + dir + "/none", errcode.Unauthenticated, `"none"`},
		{"an empty file", "databricks://127.0.0.1:1" + path + "&protocol=http&token_file=" + empty, errcode.Unauthenticated, "one line"},
		{"a file of two lines", "databricks://127.0.0.1:1" + path + "&protocol=http&token_file=" + lines, errcode.Unauthenticated, "one line"},
		{"nobody answers", "databricks://127.0.0.1:1" + path + "&protocol=http&retries=1", errcode.Unavailable, "127.0.0.1"},
		{"somebody else's host gets no token of the environment", "databricks://databricks.com.example.org" + path, errcode.InvalidArgument, "no credentials"},
	} {
		_, _, err := databricks.Open(ctx, tc.url, driver.Options{})
		if errcode.Of(err) != tc.want || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v (%v), want %v with %q", tc.why, err, errcode.Of(err), tc.want, tc.says)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v shows a secret or a path", tc.why, err)
		}
	}
}

// If the URL names no host, the platform does: apps and jobs know their workspace by a variable.
func TestHostOfTheWorkspace(t *testing.T) {
	const path = "/main/badger?http_path=/sql/1.0/warehouses/x"
	for _, tc := range []struct {
		variable, url, host string
		port                int
		says                string
	}{
		{"dbc-1.cloud.databricks.com", "databricks://" + path, "dbc-1.cloud.databricks.com", 0, ""},
		{"https://adb-1.2.azuredatabricks.net/", "databricks://" + path, "adb-1.2.azuredatabricks.net", 0, ""},
		{"127.0.0.1:8443", "databricks://" + path, "127.0.0.1", 8443, ""},
		{"dbc-1.cloud.databricks.com", "databricks://h" + path, "h", 0, ""},
		{"", "databricks://" + path, "", 0, ""},
		{"https://h/path", "databricks://" + path, "", 0, "DATABRICKS_HOST"},
		{"u:hunter2@h", "databricks://" + path, "", 0, "DATABRICKS_HOST"},
		{"h:99999", "databricks://" + path, "", 0, "DATABRICKS_HOST: expected a port"},
		{"http://h", "databricks://" + path, "", 0, "DATABRICKS_HOST"},
	} {
		t.Setenv("DATABRICKS_HOST", tc.variable)
		c, err := databricks.ParseURL(tc.url)
		if tc.says != "" {
			if err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s, %s: %v, want an error with %q", tc.variable, tc.url, err, tc.says)
			}
			continue
		}
		if err != nil || c.Host != tc.host || c.Port != tc.port {
			t.Errorf("%s, %s: host %q, port %d, %v; want %q, %d", tc.variable, tc.url, c.Host, c.Port, err, tc.host, tc.port)
		}
	}
}

func TestSigningIn(t *testing.T) {
	t.Setenv("BADGER_TEST_TOKEN", secret)
	t.Setenv("BADGER_TEST_WRONG", "dapi-wrong")
	s := start(t)
	s.Token = secret
	t.Run("a token of a variable", func(t *testing.T) {
		c := open(t, s.URL("token_env=BADGER_TEST_TOKEN"), options)
		defer c.Close() //nolint:errcheck // nothing follows
		if err := numbers(c, 3000); err != nil {
			t.Error(err)
		}
	})
	t.Run("a wrong token", func(t *testing.T) {
		_, _, err := databricks.Open(ctx, s.URL("token_env=BADGER_TEST_WRONG"), options)
		if errcode.Of(err) != errcode.Unauthenticated || strings.Contains(err.Error(), "dapi") {
			t.Errorf("%v, want unauthenticated and no token", err)
		}
	})
	t.Run("a token that is rotated", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "token")
		write := func(text string) {
			if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(secret)
		c := open(t, s.URL("token_file="+path), options)
		defer c.Close() //nolint:errcheck // nothing follows
		s.SetToken("dapi-rotated", 0)
		if err := c.Exec(ctx, "SELECT 1"); c.ErrorCode(err) != errcode.Unauthenticated {
			t.Errorf("with the old token: %v", err)
		}
		write("dapi-rotated")
		if err := c.Exec(ctx, "SELECT 1"); err != nil {
			t.Errorf("with the new one: %v", err)
		}
		s.SetToken(secret, 0)
	})
}

func TestServicePrincipals(t *testing.T) {
	t.Setenv("BADGER_TEST_SECRET", "dose-hunter2+/=")
	s := start(t)
	s.ClientID, s.ClientSecret, s.Token = "3b-app", "dose-hunter2+/=", "nobody's"
	c := open(t, s.URL("client_id=3b-app", "client_secret_env=BADGER_TEST_SECRET"), options)
	defer c.Close() //nolint:errcheck // nothing follows
	if err := numbers(c, 3000); err != nil {
		t.Fatal(err)
	}
	if n := s.Count("token"); n != 1 {
		t.Errorf("%d tokens, want one for all requests", n)
	}
	s.SetToken("revoked", 0)
	if err := numbers(c, 3000); err != nil || s.Count("token") != 2 {
		t.Errorf("after the token was revoked: %v, %d tokens, want a new one", err, s.Count("token"))
	}
	s.SetToken("revoked", time.Minute) // less than how early one is renewed
	for range 2 {
		if err := c.Exec(ctx, "SELECT 1"); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.Count("token"); n < 4 {
		t.Errorf("%d tokens: one that is about to expire must be renewed before it does", n)
	}
	t.Setenv("BADGER_TEST_SECRET", "dose-wrong")
	_, _, err := databricks.Open(ctx, s.URL("client_id=3b-app", "client_secret_env=BADGER_TEST_SECRET"), options)
	if errcode.Of(err) != errcode.Unauthenticated || !strings.Contains(err.Error(), "invalid_client") || strings.Contains(err.Error(), "dose") {
		t.Errorf("%v, want unauthenticated, why, and no secret", err)
	}
	s.Script("token", step{Status: 503}, step{Status: 429})
	t.Setenv("BADGER_TEST_SECRET", "dose-hunter2+/=")
	if err := open(t, s.URL("client_id=3b-app", "client_secret_env=BADGER_TEST_SECRET"), options).Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenSaysWhatIsNotThere(t *testing.T) {
	s := start(t)
	for _, tc := range []struct {
		why, url string
		want     errcode.Code
		says     string
	}{
		{"a catalog", strings.Replace(s.URL(), "?", "/nowhere?", 1), errcode.NotFound, "`nowhere`"},
		{"a warehouse", strings.Replace(s.URL(), "0123456789abcdef", "none", 1), errcode.NotFound, `"none"`},
	} {
		if _, _, err := databricks.Open(ctx, tc.url, options); errcode.Of(err) != tc.want || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %v with %s", tc.why, err, tc.want, tc.says)
		}
	}
}
