package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
)

// pool starts PgBouncer in front of the tests' server, with few sessions, so that callers have to
// share them.
func pool(t testing.TB, s *server, mode string, settings ...string) *fakepostgres.PgBouncer {
	t.Helper()
	b, err := s.Pool(mode, 2, settings...)
	if err != nil {
		t.Skipf("there is no PgBouncer to test with: %v", err)
	}
	t.Cleanup(b.Stop)
	return b
}

// Many callers share few sessions of the server, whose settings somebody else has changed. Every
// read is the asked one's, exactly as without a pooler, and every write happens once. One mode and one way are tested,
// by many callers; where tests are thorough, all.
func TestBehindPgBouncer(t *testing.T) {
	t.Parallel()
	s := running(t)
	ctx := context.Background()
	drawn := sample.One("mode and way", 4)
	for i, mode := range []string{"session", "transaction"} {
		for j, way := range []string{"postgres", "redshift"} {
			if !sample.Thorough() && 2*i+j != drawn {
				continue
			}
			t.Run(mode+"/"+way, func(t *testing.T) {
				const callers = 8
				calls := sample.Count(25, 3)
				b, name := pool(t, s, mode), s.database(t)
				direct := s.open(t, name, driver.Options{})
				defer direct.Close()
				mustExec(t, direct, "CREATE TABLE counted (n bigint)", "INSERT INTO counted VALUES (0)", "CREATE TABLE t (k text, n bigint)", "CREATE UNIQUE INDEX ON t (k)",
					"CREATE TYPE pair AS (a int, at timestamptz)")
				open := func(o driver.Options) driver.Conn {
					url, sessions := b.URL(name), ""
					if mode == "session" { // more of them would wait for one another
						sessions = "&pool_max_conns=1"
					}
					if way == "redshift" {
						c, err := postgres.OpenAsRedshift(ctx, url+sessions, o)
						if err != nil {
							t.Fatal(err)
						}
						return c
					}
					return openURL(t, url+sessions, o)
				}
				if mode == "transaction" { // the pooler keeps these settings in its sessions, for whoever gets them next
					other := open(driver.Options{})
					mustExec(t, other, "SELECT set_config('extra_float_digits', '-15', false)")
					if way == "postgres" { // which has these, too
						mustExec(t, other, "SELECT set_config('intervalstyle', 'iso_8601', false), set_config('bytea_output', 'escape', false)")
					}
					other.Close()
				}
				var written atomic.Int64
				for _, o := range []driver.Options{{}, {ReadOnly: true}} {
					c := open(o)
					var group sync.WaitGroup
					for caller := range callers {
						group.Go(func() {
							for call := range calls {
								n := caller*calls + call
								got, err := drivertest.Read(ctx, c, "SELECT $1::bigint AS a, 0.1234567890123456::float8 AS b, INTERVAL '1 day 2 hours' AS c, ROW($1, TIMESTAMPTZ '2024-02-29 12:00+02')::pair AS d, ARRAY['\\x00ff'::bytea] AS e", int64(n))
								if want := fmt.Sprintf(`%d|0.1234567890123456|1 day 02:00:00|{"a":%d,"at":"2024-02-29 10:00:00+00"}|["00ff"]`, n, n); err != nil || row(got) != want {
									t.Errorf("got %s, %v; want %s", row(got), err, want)
								}
								if o.ReadOnly {
									continue
								}
								if err := c.Exec(ctx, "UPDATE counted SET n = n + $1", int64(1)); err != nil {
									t.Error(err)
								}
							}
							if o.ReadOnly {
								return
							}
							n, err := merge(c, []string{"k"}, numbered(caller*10, 30)) // some of the next caller's rows
							if refused := errcode.Of(err) == errcode.FailedPrecondition && strings.Contains(err.Error(), "pool_mode"); way == "redshift" && mode == "transaction" && refused {
								return // what is staged there outlives a transaction
							}
							if n != 30 || err != nil {
								t.Errorf("%d rows merged, %v", n, err)
							}
							written.Add(1)
						})
					}
					group.Wait()
					c.Close()
				}
				if got := one(t, direct, "SELECT count(*) || ' ' || count(DISTINCT k) FROM t"); written.Load() == callers && got != "100 100" {
					t.Errorf("%s rows and keys, want 100 of both", got)
				}
				if got := one(t, direct, "SELECT n FROM counted"); got != fmt.Sprint(callers*calls) {
					t.Errorf("%s updates were done of %d that returned without an error", got, callers*calls)
				}
			})
		}
	}
}

// row is the one row of a table, its values joined by |.
func row(t *scoring.Table) string {
	if t == nil || t.Rows() != 1 {
		return "not one row"
	}
	values := make([]string, len(t.Columns))
	for i := range values {
		values[i] = t.Columns[i].Value(0).String()
	}
	return strings.Join(values, "|")
}

// The whole suite, with every statement of it in another session of the server than the last.
func TestConformanceBehindPgBouncer(t *testing.T) {
	t.Parallel()
	s := running(t)
	b := pool(t, s, "transaction", "server_round_robin = 1", "server_idle_timeout = 1")
	open := func(t *testing.T, database string, o driver.Options) driver.Conn {
		return openURL(t, b.URL(database), o)
	}
	drivertest.Run(t, drivertest.Harness{
		Name: "postgres", Dialect: postgres.Dialect, Features: postgres.Features,
		Open: func(t *testing.T, mem memory.Allocator) driver.Conn {
			return open(t, s.database(t), driver.Options{Mem: mem})
		},
		OpenReadOnly: func(t *testing.T, mem memory.Allocator) driver.Conn {
			name := s.database(t)
			c := s.open(t, name, driver.Options{})
			mustExec(t, c, "CREATE TABLE present AS SELECT 1 AS a")
			c.Close()
			return open(t, name, driver.Options{ReadOnly: true, Mem: mem})
		},
		Slow: slow,
	})
}

// A pooler that keeps no transaction together is refused when it is opened, with what to do.
func TestStatementModeIsRefused(t *testing.T) {
	s := running(t)
	b := pool(t, s, "statement")
	_, _, err := postgres.Open(context.Background(), b.URL(s.database(t)), driver.Options{})
	if errcode.Of(err) != errcode.FailedPrecondition || !strings.Contains(err.Error(), "pool_mode") {
		t.Errorf("%v, want failed_precondition with the setting to change", err)
	}
}
