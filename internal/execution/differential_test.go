//go:build !no_duckdb

package execution_test

import (
	"bufio"
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/jackc/pgx/v5/pgconn"

	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// fragments are what texts are put together from: all that opens or closes a string, a name or a
// comment in some dialect, and calls of a function that an engine really runs.
var fragments = []string{
	"'", "'", "''", `"`, `""`, `\`, `\'`, `\\`, "$$", "$a$", "--", "-- ", "---", "/*", "*/", "/*!", "/*+", "/**", "\n", "\r", "\r\n", "\t", "\f", "\v", "\u00a0", "\u2028", "\ufeff",
	"E'", "e'", "U&'", "B'", "x'", "N'", "r'", `U&"`, " ", ", ", ",", "a", "1", "||", "#", "`", "[", "]", "{", "}", "{{ a }}", "{# a #}", "//", "\n'", "'\n'", "' -- x\n'", "\\\n",
	"$a(", ":a(", "@", "$1", "?", ")", "(", ":", "::text", "AS a", " AS b ", "+-", "|/", "@-", "<->", "#-", "; ", ";",
	"boom()", ", boom()", ", boom() ", "+boom()", "; SELECT boom()", ", boom(/**/)", ", \"boom\"()", ", boom ()",
}

// randomText is a query of random fragments, with a call that runs unless something hides it.
func randomText(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("SELECT 1")
	some := func(most int) {
		for range r.IntN(most + 1) {
			b.WriteString(fragments[r.IntN(len(fragments))])
		}
	}
	some(5)
	if r.IntN(2) == 0 { // a string or comment, so that more texts are ones that an engine runs
		pair := [][2]string{{", '", "'"}, {", E'", "'"}, {"/*", "*/"}, {"--", "\n"}, {"--", "\r"}, {` AS "`, `"`}, {", $$", "$$"}, {", $a$", "$a$"}, {" AS [", "]"}, {" AS `", "`"}}[r.IntN(10)]
		b.WriteString(pair[0])
		some(4)
		b.WriteString(pair[1])
	}
	some(2)
	b.WriteString([]string{", boom()", "+boom()", "; SELECT boom()", ", boom() AS c"}[r.IntN(4)])
	b.WriteString([]string{"", "", " --", " -- '", "--'", " /*", " --\"", ", '", ", ''", " AS \"", "\n", " -- */", ", $$"}[r.IntN(13)])
	some(2)
	return b.String()
}

// An engine runs a text; what it called is compared with what the text was said to do. No text in
// which boom ran is called one that only reads. BADGER_FUZZ_TEXTS is the number of texts an engine;
// unless it is set, 10,000 where tests are thorough, else 1,000.
func TestNothingThatRanIsCalledSafe(t *testing.T) {
	texts := sample.Count(10_000, 10)
	if s := os.Getenv("BADGER_FUZZ_TEXTS"); s != "" {
		var err error
		if texts, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	for _, engine := range []struct {
		dialect sqlparts.Dialect
		open    func(t *testing.T) (ran func(text string) bool)
	}{
		{sqlparts.Postgres, openPostgres}, {sqlparts.DuckDB, openDuckDB}, {sqlparts.SQLite, openSQLite}, {sqlparts.MySQL, openMariaDB},
	} {
		t.Run(engine.dialect.String(), func(t *testing.T) {
			ran := engine.open(t)
			r := rand.New(rand.NewPCG(35, uint64(texts)))
			calls, alarms := 0, 0
			for range texts {
				text := randomText(r)
				own, any := metric.ReadQuery(text, engine.dialect), metric.ReadQuery(text, sqlparts.Generic)
				if called := ran(text); !called {
					if own.Reads() {
						alarms++
					}
					continue
				}
				calls++
				for dialect, reading := range map[sqlparts.Dialect]metric.QueryReading{engine.dialect: own, sqlparts.Generic: any} {
					if reading.Reads() {
						t.Errorf("%q calls boom, and is said to only read in the dialect %s", text, dialect)
					}
				}
			}
			t.Logf("%d texts, %d called the function; %d others are said to only read", texts, calls, alarms)
			if calls < texts/50 {
				t.Errorf("only %d of %d texts called the function: the test says nothing", calls, texts)
			}
		})
	}
}

// openPostgres starts a server. Texts are sent by the simple protocol, which runs several statements
// of one text.
func openPostgres(t *testing.T) func(string) bool {
	s, err := fakepostgres.Start(nil)
	if err != nil {
		t.Skipf("there is no PostgreSQL server to test with: %v", err)
	}
	t.Cleanup(s.Remove)
	c, err := pgconn.Connect(t.Context(), fmt.Sprintf("host=127.0.0.1 port=%d user=owner dbname=postgres sslmode=disable", s.Port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.WithoutCancel(t.Context())) })
	if _, err := c.Exec(t.Context(), "CREATE FUNCTION boom() RETURNS text LANGUAGE plpgsql AS $f$ BEGIN RAISE EXCEPTION 'the function ran'; END $f$").ReadAll(); err != nil {
		t.Fatal(err)
	}
	return func(text string) bool {
		_, err := c.Exec(t.Context(), text).ReadAll()
		return err != nil && strings.Contains(err.Error(), "the function ran")
	}
}

// openMariaDB starts a server. A text may have several statements.
func openMariaDB(t *testing.T) func(string) bool {
	m := startMariaDB(t)
	for _, s := range []string{"CREATE DATABASE d", "USE d", "CREATE FUNCTION boom() RETURNS TEXT NOT DETERMINISTIC BEGIN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'the function ran'; RETURN 'z'; END"} {
		if _, err := m.query(s); err != nil {
			t.Fatal(err)
		}
	}
	return func(text string) bool {
		_, err := m.query(text)
		if err != nil && !errors.Is(err, errStatement) {
			t.Fatalf("%q: %v", text, err)
		}
		return err != nil && strings.Contains(err.Error(), "the function ran")
	}
}

// boomFunc counts its calls.
type boomFunc struct{ calls *int }

func (f boomFunc) Config() duckdb.ScalarFuncConfig {
	text, _ := duckdb.NewTypeInfo(duckdb.TYPE_VARCHAR)
	return duckdb.ScalarFuncConfig{ResultTypeInfo: text, Volatile: true}
}

func (f boomFunc) Executor() duckdb.ScalarFuncExecutor {
	return duckdb.ScalarFuncExecutor{RowExecutor: func([]sqldriver.Value) (any, error) {
		*f.calls++
		return "z", nil
	}}
}

func openDuckDB(t *testing.T) func(string) bool {
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := c.ExecContext(t.Context(), "SET threads = 1; SET enable_external_access = false"); err != nil {
		t.Fatal(err)
	}
	calls := 0
	if err := duckdb.RegisterScalarUDF(c, "boom", boomFunc{&calls}); err != nil {
		t.Fatal(err)
	}
	return func(text string) bool {
		before := calls
		_, _ = c.ExecContext(t.Context(), text)
		return calls > before
	}
}

// sqliteProgram runs each text that it is sent and answers how often the function was called.
const sqliteProgram = `
import json, sqlite3, sys
c = sqlite3.connect(":memory:", isolation_level=None)
calls = 0
def boom():
    global calls
    calls += 1
    return "z"
c.create_function("boom", 0, boom)
for line in sys.stdin:
    calls = 0
    try:
        c.executescript(json.loads(line))
    except Exception:
        pass
    print(calls, flush=True)
`

// pythonProgram starts a Python program that runs until the test ends, and returns what asks it: it
// reads a text as a line of JSON and answers with a line.
func pythonProgram(t *testing.T, program string) (ask func(text string) string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 with SQLite to test with")
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", program)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stdin.Close(); _ = cmd.Wait() })
	lines := bufio.NewScanner(out)
	return func(text string) string {
		line, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stdin.Write(append(line, '\n')); err != nil {
			t.Fatal(err)
		}
		if !lines.Scan() {
			t.Fatalf("SQLite does not answer: %v", lines.Err())
		}
		return lines.Text()
	}
}

func openSQLite(t *testing.T) func(string) bool {
	program := pythonProgram(t, sqliteProgram)
	return func(text string) bool { return program(text) != "0" }
}
