package postgres_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/postgres"
)

func TestContacts(t *testing.T) {
	services := filepath.Join(t.TempDir(), "services")
	if err := os.WriteFile(services, []byte("[elsewhere]\nhost=stranger.test\nport=1234\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ why, url, variables, want string }{
		{"a host", "postgres://me@DB.corp/d", "", "db.corp:5432"},
		{"a host, whatever the environment says", "postgres://me@db.corp:5432/d", "PGHOST=stranger.test PGPORT=1234 PGSERVICE=elsewhere PGSERVICEFILE=" + services, "db.corp:5432"},
		{"what the URL leaves out", "postgres:///d", "PGHOST=db.corp PGPORT=1234", "db.corp:1234"},
		{"a service that the URL names", "postgres:///d?service=elsewhere", "PGSERVICEFILE=" + services, "stranger.test:1234"},
		{"several", "postgres://me@a.corp:1,b.corp:2/d", "", "a.corp:1 b.corp:2"},
		{"a socket", "postgres:///d?host=/run/postgresql", "", ""},
		{"Redshift", "redshift://me@cluster.corp/d", "", "cluster.corp:5439"},
	} {
		t.Run(tc.why, func(t *testing.T) {
			for _, name := range []string{"PGHOST", "PGPORT", "PGSERVICE", "PGSERVICEFILE"} {
				t.Setenv(name, "")
				os.Unsetenv(name) //nolint:errcheck,usetesting // taken back by Setenv's own cleanup
			}
			for _, v := range strings.Fields(tc.variables) {
				name, value, _ := strings.Cut(v, "=")
				t.Setenv(name, value)
			}
			list, err := postgres.Contacts(tc.url)
			var got []string
			for _, c := range list {
				got = append(got, net.JoinHostPort(c.Host, strconv.Itoa(c.Port)))
			}
			if want := strings.Fields(tc.want); err != nil || !slices.Equal(got, want) {
				t.Errorf("%q, %v; want %q", got, err, want)
			}
		})
	}
}
