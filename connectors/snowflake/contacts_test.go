package snowflake_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	fakesnowflake "github.com/badger-eval/badger/connectors/fake/snowflake"
	"github.com/badger-eval/badger/connectors/snowflake"
)

func TestContacts(t *testing.T) {
	clearEnvironment(t)
	t.Setenv("SNOWFLAKE_ACCOUNT", "inside")
	t.Setenv("SNOWFLAKE_HOST", "stranger.test")
	for _, tc := range []struct{ why, url, want string }{
		{"an account", "snowflake://me@Org-Acme/DB?token_file=t", "org-acme.snowflakecomputing.com:443 :443"},
		{"with its region", "snowflake://me@acme.eu-central-1/DB?token_file=t", "acme.eu-central-1.snowflakecomputing.com:443 :443"},
		{"of the region that has no name in hosts", "snowflake://me@acme.us-west-2/DB?token_file=t", "acme.snowflakecomputing.com:443 :443"},
		{"in China", "snowflake://me@acme.cn-northwest-1/DB?token_file=t", "acme.cn-northwest-1.snowflakecomputing.cn:443 :443"},
		{"a host", "snowflake://me@acme/DB?token_file=t&host=acme.privatelink.snowflakecomputing.com&port=8443", "acme.privatelink.snowflakecomputing.com:8443 :443"},
		{"an emulator", "snowflake://me@acme/DB?token_file=t&protocol=http&host=127.0.0.1", "127.0.0.1:80 :443"},
		{"revocation lists", "snowflake://me@acme/DB?token_file=t&revocation=crl", "acme.snowflakecomputing.com:443 :443 :80"},
		{"a proxy", "snowflake://me@acme/DB?token_file=t&proxy=http://proxy.corp:3128", "proxy.corp:3128 acme.snowflakecomputing.com:443@proxy.corp:3128 :443@proxy.corp:3128"},
		{"no account: the environment's, with its host", "snowflake:///DB?token_file=t", "stranger.test:443 :443"},
		{"a container's token, at its host", "snowflake://acme/DB?auth=container&token_file=t", "stranger.test:443 :443"},
	} {
		list, err := snowflake.Contacts(tc.url)
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
	for _, options := range []string{"proxy=proxy.corp:3128", "revocation=ocsp"} {
		if _, err := snowflake.Contacts("snowflake://me@acme/DB?token_file=t&" + options); err == nil {
			t.Errorf("%s: expected an error", options)
		}
	}
}

// The driver's log, with SQL text, is switched on by a file in the home directory, or one that a
// variable names. Neither counts.
func TestDriverKeepsNoLog(t *testing.T) {
	home := t.TempDir()
	logs := filepath.Join(home, "logs")
	if err := os.Mkdir(logs, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, "sf_client_config.json")
	if err := os.WriteFile(file, []byte(`{"common": {"log_level": "TRACE", "log_path": "`+logs+`"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	for _, variable := range []string{"", file} {
		t.Setenv("SF_CLIENT_CONFIG_FILE", variable)
		c := open(t, urlOf(fakesnowflake.New(t)), driver.Options{})
		if err := c.Exec(ctx, "SELECT 1"); err != nil {
			t.Error(err)
		}
		c.Close() //nolint:errcheck // nothing follows
		if made, err := os.ReadDir(logs); err != nil || len(made) > 0 {
			t.Errorf("SF_CLIENT_CONFIG_FILE=%q: the driver made %v, %v", variable, made, err)
		}
	}
}
