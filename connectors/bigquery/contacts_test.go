package bigquery_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/bigquery"
	"github.com/badger-eval/badger/internal/errcode"
)

func TestContacts(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const own = "bigquery.googleapis.com:443 bigquerystorage.googleapis.com:443"
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file("env.json", `{"type": "service_account", "token_uri": "https://stranger.test/token"}`))
	t.Setenv("GOOGLE_CLOUD_UNIVERSE_DOMAIN", "stranger.test")
	t.Setenv("GCE_METADATA_HOST", "stranger.test")
	for _, tc := range []struct{ why, options, want string }{
		{"a token", "token_file=t", own},
		{"without the Storage API", "token_file=t&storage=off", "bigquery.googleapis.com:443"},
		{"the machine's account", "credentials=metadata", own + " 169.254.169.254:80"},
		{"the default, of the environment", "credentials=default", own + " stranger.test:443"},
		{"a service account", "credentials_file=" + file("sa.json", `{"type": "service_account", "token_uri": "https://OAUTH2.googleapis.com/token"}`), own + " oauth2.googleapis.com:443"},
		{"one without an address", "credentials_file=" + file("plain.json", `{"type": "service_account"}`), own + " oauth2.googleapis.com:443"},
		{"a user, whose file's address does not count", "credentials_file=" + file("user.json", `{"type": "authorized_user", "token_uri": "https://stranger.test/token"}`), own + " oauth2.googleapis.com:443"},
		{"workload identity", "credentials_file=" + file("external.json", `{"type": "external_account", "token_url": "https://sts.googleapis.com/v1/token", "service_account_impersonation_url": "https://iamcredentials.googleapis.com/v1/x",
			"credential_source": {"url": "http://169.254.169.254/a", "region_url": "http://169.254.169.254/b", "imdsv2_session_token_url": "http://169.254.169.254/c"}}`), own + " 169.254.169.254:80 iamcredentials.googleapis.com:443 sts.googleapis.com:443"},
		{"a file that acts as another account", "credentials_file=" + file("acts.json", `{"type": "impersonated_service_account", "service_account_impersonation_url": "https://iamcredentials.googleapis.com/v1/x", "source_credentials": {"type": "authorized_user"}}`), own + " iamcredentials.googleapis.com:443 oauth2.googleapis.com:443"},
		{"another account", "token_file=t&impersonate=a@b", own + " iamcredentials.googleapis.com:443"},
		{"a file that is not there", "credentials_file=" + filepath.Join(dir, "nothing.json"), own + " :443"},
		{"an emulator", "endpoint=http://127.0.0.1:9050&storage_endpoint=127.0.0.1:9060", "127.0.0.1:9050 127.0.0.1:9060"},
		{"a proxy, but not for the metadata server", "credentials=metadata&proxy=http://proxy.corp:3128", "proxy.corp:3128 bigquery.googleapis.com:443@proxy.corp:3128 bigquerystorage.googleapis.com:443@proxy.corp:3128 169.254.169.254:80"},
	} {
		list, err := bigquery.Contacts("bigquery://p/d?" + tc.options)
		var got []string
		for _, c := range list {
			name := net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
			if c.Via != "" {
				name += "@" + c.Via
			}
			if got = append(got, name); c.Why == "" || (c.Host == "") != (c.Learn != "") {
				t.Errorf("%s: %+v", tc.why, c)
			}
		}
		if want := strings.Fields(tc.want); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", tc.why, got, err, want)
		}
	}
	for options, want := range map[string]errcode.Code{"": errcode.Unauthenticated, "proxy=socks5://p": errcode.InvalidArgument, "credentials=elsewhere": errcode.InvalidArgument, "credentials=metadata&token_file=t": errcode.InvalidArgument, "credentials_file=" + file("odd.json", `{"type": "odd"}`): errcode.Unauthenticated} {
		if _, err := bigquery.Contacts("bigquery://p/d?" + options); errcode.Of(err) != want {
			t.Errorf("%s: %v, want %v", options, err, want)
		}
	}
}
