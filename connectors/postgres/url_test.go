package postgres_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/errcode"
)

func TestURLs(t *testing.T) {
	for _, name := range os.Environ() {
		if len(name) > 2 && name[:2] == "PG" {
			t.Skip("this machine's own PG variables would count")
		}
	}
	dir := t.TempDir()
	service := filepath.Join(dir, "services")
	if err := os.WriteFile(service, []byte("[eval]\nhost=from.service\nport=6000\ndbname=scores\nuser=kim\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PGUSER", "envuser")
	t.Setenv("PGHOST", "env.host")
	for _, tc := range []struct {
		why, url, host, database, user string
		port                           uint16
		tls, redshift                  bool
	}{
		{"all of it", "postgres://ana@db.example:6543/eval?sslmode=disable", "db.example", "eval", "ana", 6543, false, false},
		{"the long scheme", "postgresql://ana@db.example/eval?sslmode=require", "db.example", "eval", "ana", 5432, true, false},
		{"from the environment", "postgres:///eval?sslmode=disable", "env.host", "eval", "envuser", 5432, false, false},
		{"Redshift's port, encrypted", "redshift://ana@c.r.redshift.example/eval", "c.r.redshift.example", "eval", "ana", 5439, true, true},
		{"Redshift's port may be another", "redshift://ana@c.example:6000/eval?sslmode=disable", "c.example", "eval", "ana", 6000, false, true},
		{"a service", "postgres://?service=eval&sslmode=disable&servicefile=" + service, "from.service", "scores", "kim", 6000, false, false},
	} {
		host, port, database, user, tls, redshift, err := postgres.ParseURL(tc.url)
		if err != nil || host != tc.host || port != tc.port || database != tc.database || user != tc.user || tls != tc.tls || redshift != tc.redshift {
			t.Errorf("%s: %s:%d/%s as %s, tls %v, redshift %v, %v", tc.why, host, port, database, user, tls, redshift, err)
		}
	}
	for why, url := range map[string]string{
		"no URL": "postgres:eval", "a password": "postgres://ana:hunter2@db.example/eval", "a password as a setting": "postgres://ana@db.example/eval?password=hunter2",
		"no port": "postgres://db.example:hunter2x/eval", "settings that are none": "postgres://db.example/eval?%zz=hunter2", "no such mode": "postgres://db.example/eval?sslmode=hunter2",
	} {
		_, _, _, _, _, _, err := postgres.ParseURL(url)
		if errcode.Of(err) != errcode.InvalidArgument || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want invalid_argument, without what stands there", why, err)
		}
	}
}
