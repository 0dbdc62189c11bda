package databricks_test

import (
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/databricks"
)

func TestContacts(t *testing.T) {
	t.Setenv("DATABRICKS_HOST", "https://stranger.test")
	for _, tc := range []struct{ why, url, want string }{
		{"a workspace", "databricks://DBC-1.cloud.databricks.com?http_path=/w&token_file=t", "dbc-1.cloud.databricks.com:443 :443"},
		{"with a port", "databricks://dbc-1.cloud.databricks.com:8443?http_path=/w&client_id=i&client_secret_file=s", "dbc-1.cloud.databricks.com:8443 :443"},
		{"without cloud storage", "databricks://dbc-1.cloud.databricks.com?http_path=/w&token_file=t&cloud_fetch=false", "dbc-1.cloud.databricks.com:443"},
		{"an emulator", "databricks://127.0.0.1?http_path=/w&protocol=http&cloud_fetch=false", "127.0.0.1:80"},
		{"a proxy", "databricks://dbc-1.cloud.databricks.com?http_path=/w&token_file=t&proxy=http://proxy.corp:3128", "proxy.corp:3128 dbc-1.cloud.databricks.com:443@proxy.corp:3128 :443@proxy.corp:3128"},
	} {
		list, err := databricks.Contacts(tc.url)
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
	if _, err := databricks.Contacts("databricks://dbc-1.cloud.databricks.com?http_path=/w&token_file=t&proxy=proxy"); err == nil {
		t.Error("a proxy that is no URL: expected an error")
	}
}
