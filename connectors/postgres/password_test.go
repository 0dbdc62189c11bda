package postgres_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
)

// A month in which the password is another each day, and each night the server ends all sessions. A
// connection that was opened on the first day works on the last.
func TestPasswordsThatAreRotated(t *testing.T) {
	s := running(t)
	ctx := context.Background()
	name := s.database(t)
	owner := s.open(t, name, driver.Options{})
	defer owner.Close()
	mustExec(t, owner, "DROP ROLE IF EXISTS guarded", "CREATE ROLE guarded LOGIN")
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(file(name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("tool", "#!/bin/sh\n[ \"$1\" = --for ] && cat "+file("token")+"\n", 0o700)
	day := func(n int) {
		password := fmt.Sprintf("day %d", n)
		mustExec(t, owner, "ALTER ROLE guarded PASSWORD '"+password+"'",
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'guarded'")
		write("pgpass", "127.0.0.1:*:*:guarded:"+password+"\n", 0o600)
		write("services", fmt.Sprintf("[eval]\nhost=127.0.0.1\nport=%d\ndbname=%s\nuser=guarded\npassword=%s\nsslmode=disable\n", s.Port, name, password), 0o600)
		write("password", password+"\n", 0o600)
		write("token", password+"\n", 0o600)
	}
	day(0)
	url := strings.Replace(s.URL(name, s.Port), "owner", "guarded", 1)
	conns := map[string]driver.Conn{}
	for why, url := range map[string]string{
		"a password file of libpq's": url + "&passfile=" + file("pgpass"),
		"a service file":             "postgres://?service=eval&servicefile=" + file("services"),
		"a file":                     url + "&password_file=" + file("password"),
		"a program's output":         url + "&password_command=" + file("tool") + "+--for+guarded",
	} {
		conns[why] = openURL(t, url, driver.Options{})
		defer conns[why].Close()
	}
	for n := range sample.Count(30, 6) {
		day(n + 1)
		for why, c := range conns {
			if got, err := drivertest.Read(ctx, c, "SELECT current_user::text"); err != nil || row(got) != "guarded" {
				t.Fatalf("day %d, %s: %v", n+1, why, err)
			}
		}
	}
	mustExec(t, owner, "ALTER ROLE guarded PASSWORD 'hunter2'", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'guarded'")
	for why, c := range conns { // the new one is nowhere yet
		if _, err := drivertest.Read(ctx, c, "SELECT 1"); errcode.Of(err) != errcode.Unauthenticated {
			t.Errorf("%s, not yet rotated: %v (%v), want unauthenticated", why, err, errcode.Of(err))
		}
	}
}

func TestPlacesOfPasswords(t *testing.T) {
	dir := t.TempDir()
	tool := func(name, script string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const host = "postgres://u@127.0.0.1:1/d?sslmode=disable"
	for _, tc := range []struct {
		why, settings string
		want          errcode.Code
		says          string
	}{
		{"two places", "&password_env=A&password_file=b", errcode.InvalidArgument, "more than one"},
		{"an empty one", "&password_command=", errcode.InvalidArgument, "password_command"},
		{"one twice", "&password_env=A&password_env=B", errcode.InvalidArgument, "given 2 times"},
		{"a variable that is not set", "&password_env=NOT_SET_HERE", errcode.Unauthenticated, "NOT_SET_HERE"},
		{"a file that is not there", "&password_file=" + dir + "/none", errcode.Unauthenticated, `"none"`},
		{"a program that is not there", "&password_command=" + dir + "/none+x", errcode.Unauthenticated, "could not be run"},
		{"a program that fails", "&password_command=" + tool("fails", "echo hunter2; echo hunter2 >&2; exit 3"), errcode.Unauthenticated, "exit status 3"},
		{"a program that prints nothing", "&password_command=" + tool("silent", "true"), errcode.Unauthenticated, "printed none"},
		{"a program that prints two lines", "&password_command=" + tool("chatty", "echo hunter2; echo hunter2"), errcode.Unauthenticated, "printed none"},
		{"one that is there", "&password_command=" + tool("right", "echo hunter2"), errcode.Unavailable, "does not answer"},
	} {
		_, _, err := postgres.Open(context.Background(), host+tc.settings, driver.Options{})
		if errcode.Of(err) != tc.want || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v (%v), want %v with %q", tc.why, err, errcode.Of(err), tc.want, tc.says)
		}
	}
}
