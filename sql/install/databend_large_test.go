package install_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/badger-eval/badger/sql/install"
	"github.com/badger-eval/badger/udf/server"
)

// scoresOf are the rows, scores and sum of hybrid_ex over a table of results, or the problem.
func (e *engine) scoresOf(table string) (string, string) {
	e.t.Helper()
	cells, problem := e.ask("SELECT concat(to_string(count(*)), ' ', to_string(count(v)), ' ', to_string(sum(v))) FROM (SELECT hybrid_ex(g, g) AS v FROM " + table + ")")
	return strings.Trim(strings.Join(cells, ""), "'"), problem
}

// results makes a table of results of the given size, each with a text of its own.
func (e *engine) results(table string, rows, bytes int) {
	e.t.Helper()
	e.must(fmt.Sprintf(`CREATE OR REPLACE TABLE %s AS SELECT number AS n, concat('{"columns":["n","s"],"rows":[[', to_string(number), ',"', repeat(to_string(number %% 10), %d), '"]]}') AS g FROM numbers(%d)`, table, bytes, rows))
}

// Rows of 20 KB and more are scored with what the plan sets. Rows that are longer than it allows for end in an error that
// names both settings, and with fewer rows a request they are scored, too.
func TestDatabendLargeRows(t *testing.T) {
	eachDatabend(t, func(t *testing.T, variable string, headers bool) {
		at, _ := serveWith(t, catalogue(t), "127.0.0.1:0", false, &server.Options{Limits: server.Limits{InFlight: 96 << 20, Message: 24 << 20}})
		v := plain("databend", "flight")
		v.Endpoint, v.Rows = "http://"+at, install.Rows{Large: 100} // of two texts of 21 KB: 17 MB at most
		p := plan(t, v, catalogue(t).Functions())
		e := databend(t, variable, settingsOf(t, p))
		for _, s := range p.Steps {
			if s.By == install.Hand || s.Function != nil && s.Function.Name != "hybrid_ex" || strings.HasPrefix(s.SQL, "GRANT") {
				continue
			}
			if _, problem := e.ask(s.SQL); problem != "" && (headers || !strings.HasPrefix(s.SQL, "SET GLOBAL")) {
				t.Fatalf("%s\n%s", problem, s.SQL)
			}
		}
		e.results("fit", 1000, 21_000)
		e.results("too_long", 150, 130_000) // 26 MB a hundred
		if headers {
			e.must("SET external_server_request_retry_times = 0") // a message that is too large is sent again as others are
		}
		got, problem := e.scoresOf("fit")
		switch {
		case headers && (problem != "" || !strings.HasPrefix(got, "1000 1000 1000")):
			t.Errorf("rows of 21 KB: %s %.400s", got, problem)
		case !headers && !strings.Contains(problem, "limits.message_bytes"):
			t.Errorf("rows of 21 KB without the setting: %s %.400s", got, problem)
		}
		got, problem = e.scoresOf("too_long")
		if !strings.Contains(problem, "limits.message_bytes") || !strings.Contains(problem, "external_server_request_batch_rows") {
			t.Errorf("rows of 130 KB: %s %.400s", got, problem)
		}
		if !headers {
			return
		}
		e.must("SET external_server_request_batch_rows = 20")
		if got, problem := e.scoresOf("too_long"); problem != "" || !strings.HasPrefix(got, "150 150 150") {
			t.Errorf("rows of 130 KB, 20 at a time: %s %.400s", got, problem)
		}
	})
}

// The newest package runs no functions of other servers, because nothing configures its engine. It reads the statements, and
// refuses the functions for that alone.
func TestDatabendNewestReadsTheStatements(t *testing.T) {
	const variable = "BADGER_DATABEND_NEWEST_PYTHON"
	if os.Getenv(variable) == "" {
		t.Skip(variable + " does not name a python3 that has databend")
	}
	v := plain("databend", "flight")
	v.TokenFile = "/etc/badger/token"
	p := plan(t, v, few)
	e := databend(t, variable, "")
	functions := 0
	for _, s := range p.Steps {
		if s.By == install.Hand {
			continue
		}
		_, problem := e.ask(s.SQL)
		switch {
		case s.Function != nil:
			if functions++; !strings.Contains(problem, "enable_udf_server = true") {
				t.Errorf("%.300s\n%s", problem, s.SQL)
			}
		case strings.HasPrefix(s.SQL, "GRANT USAGE ON UDF"):
			if problem == "" || strings.Contains(problem, "SyntaxException") {
				t.Errorf("%.300s\n%s", problem, s.SQL)
			}
		case problem != "":
			t.Errorf("%.300s\n%s", problem, s.SQL)
		}
	}
	if _, problem := e.ask("CREATE FUNCTION x (VARCHAR NULL) RETURNS DOUBLE NULL LANGUAGE python HEADERS ('a' = 'b') HANDLER = 'x' ADDRESS = 'http://x'"); !strings.Contains(problem, "SyntaxException") {
		t.Errorf("a statement that is none: %q", problem)
	}
	if functions < 4 {
		t.Errorf("%d functions", functions)
	}
}
