package install_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/sql/install"
)

// snow runs statements in fakesnow. BADGER_FAKESNOW_PYTHON is a Python that has it.
func snow(t *testing.T) func(sql string) (rows [][]*string, problem string) {
	t.Helper()
	python := os.Getenv("BADGER_FAKESNOW_PYTHON")
	if python == "" {
		t.Skip("BADGER_FAKESNOW_PYTHON does not name a python3 that has fakesnow")
	}
	cmd := exec.Command(python, "testdata/snow.py")
	in, err := cmd.StdinPipe()
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
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	lines := bufio.NewReaderSize(out, 1<<20)
	return func(sql string) ([][]*string, string) {
		t.Helper()
		if err := json.NewEncoder(in).Encode(sql); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatalf("the emulator ended: %v", err)
		}
		var answer struct {
			Rows  [][]*string `json:"rows"`
			Error string      `json:"error"`
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatal(err)
		}
		return answer.Rows, answer.Error
	}
}

var (
	snowStatement = regexp.MustCompile(`(?m)^ *(UPDATE|SELECT|INSERT|DELETE|CREATE|MERGE|BEGIN TRANSACTION|COMMIT)\b`)
	snowInto      = regexp.MustCompile(` INTO (:\w+(?:, :\w+)*)`)
	snowBind      = regexp.MustCompile(`([\s(,=]):(\w+)`)
	snowSettings  = regexp.MustCompile(`[\w.]+run_settings\(:asked\)`)
	snowScore     = regexp.MustCompile(`[\w.]+score_row\(row_json, missing\)`)
)

// What the emulator does not read, and what is there instead: it keeps temporary tables in no
// schema, and runs MERGE in no transaction.
var snowGaps = strings.NewReplacer("TEMPORARY TABLE", "TABLE", "BEGIN TRANSACTION", "SELECT 1", "COMMIT", "SELECT 1")

// The emulator knows no procedures: the statements of Snowflake's run one by one, in the order of a
// call that finds something to score, with values in place of the variables and of the server's
// functions.
func TestSnowflakeStatements(t *testing.T) {
	run := snow(t)
	must := func(sql string) [][]*string {
		t.Helper()
		rows, problem := run(sql)
		if problem != "" {
			t.Fatalf("%s\n%s", problem, sql)
		}
		return rows
	}
	v := plain("snowflake", "spcs")
	v.Schedule = install.Schedule{Metrics: []string{"hybrid_ex", "row_f1"}, Since: "2025-01-01", Alert: install.Alert{EmailIntegration: "mail", Email: "kim@example.com"}}
	p := plan(t, v, functions(t))
	bodies := map[string]string{}
	must("CREATE SCHEMA IF NOT EXISTS lake.badger")
	for i := range p.Steps {
		switch s := &p.Steps[i]; {
		case s.Table || strings.HasPrefix(s.SQL, "INSERT INTO") || strings.HasPrefix(s.SQL, "MERGE INTO"):
			must(s.SQL)
		case strings.HasPrefix(s.SQL, "CREATE OR REPLACE PROCEDURE"):
			head, body, _ := strings.Cut(s.SQL, "\nBEGIN\n")
			if strings.Contains(head, "send_alerts") {
				bodies["send_alerts"] = body
			} else {
				bodies["evaluate"] = body
			}
		}
	}
	must("INSERT INTO lake.badger.golden_set (case_id, set_version, question) VALUES ('c1', 'v9', 'old'), ('c1', 'v10', 'new'), ('c2', 'v10', 'new')")
	must("INSERT INTO lake.badger.agent_runs (agent_name, agent_version, batch_id, case_id, sql, ran_at) VALUES ('a', '1', 'old', 'c1', 'x', '2024-12-31 12:00:00'), ('a', '1', 'new', 'c1', 'x', '2025-01-01'), ('a', '1', 'undated', 'c2', 'y', NULL)")
	backlog := func() string {
		return cells(must("SELECT batch_id, answers, waiting_since, last_attempt_at IS NOT NULL, last_error FROM lake.badger.backlog ORDER BY 1"))
	}
	if got := backlog(); got != "new 1 2025-01-01 False NULL\nundated 1 NULL False NULL\n" {
		t.Errorf("the backlog is\n%s", got)
	}

	const settings = `PARSE_JSON('{"versions":{"badger":"t"},"metrics":["hybrid_ex","row_f1"],"config":{},"judge":"none"}')`
	const scored = `PARSE_JSON('[{"metric":"hybrid_ex","metric_version":1,"status":"ok","value":1,"passed":true,"detail":{"a":1},"usage":{"calls":2,"tokens_in":-1,"tokens_out":3}},{"metric":"row_f1","metric_version":2,"status":"failed","reason":"it''s so","detail":null}]')`
	values := map[string]string{
		"me": "'me'", "wanted": "NULL", "run_id": "'evaluate-1'", "event": "'began'", "last_key": "''", "size": "10", "started": "'2025-01-03'::TIMESTAMP_LTZ", "done": "2", "fatal": "NULL",
	}
	ran := 0
	// one runs the statement in a piece of a procedure, if it has one.
	one := func(text string) {
		t.Helper()
		at := snowStatement.FindStringIndex(text)
		if at == nil {
			return
		}
		sql := strings.TrimSpace(text[at[0]:])
		var into []string
		if m := snowInto.FindStringSubmatch(sql); m != nil {
			into = strings.Split(strings.ReplaceAll(m[1], ":", ""), ", ")
			sql = strings.Replace(sql, m[0], "", 1)
		}
		sql = snowScore.ReplaceAllLiteralString(snowSettings.ReplaceAllLiteralString(sql, settings), scored)
		sql = snowBind.ReplaceAllStringFunc(sql, func(bind string) string {
			m := snowBind.FindStringSubmatch(bind)
			value, ok := values[m[2]]
			if !ok {
				t.Fatalf("the variable %s has no value yet in\n%s", m[2], sql)
			}
			return m[1] + value
		})
		rows := must(snowGaps.Replace(sql))
		ran++
		for i, name := range into {
			if len(rows) != 1 || len(rows[0]) != len(into) {
				t.Fatalf("%d rows for %v of\n%s", len(rows), into, sql)
			}
			values[name] = "NULL"
			if cell := rows[0][i]; cell != nil {
				values[name] = dialects["snowflake"].Literal(*cell)
			}
		}
		if into != nil && into[0] == "run_id" { // no run was left
			if values["run_id"] != "NULL" {
				t.Errorf("the run %s goes on, and there is none", values["run_id"])
			}
			values["run_id"] = "'evaluate-1'"
		}
		if strings.Contains(sql, "_slice (k, agent_name") && strings.HasPrefix(sql, "INSERT") {
			slice := must("SELECT case_id, batch_id, missing, row_json:golden:QUESTION::VARCHAR, row_json:copies::VARCHAR FROM lake.badger._slice ORDER BY 1")
			if got := cells(slice); got != "c1 new hybrid_ex,row_f1 new 1\nc2 undated hybrid_ex,row_f1 new 1\n" {
				t.Errorf("the slice is\n%s", got)
			}
		}
	}
	// What a call does that finds a lock, an error, or a run that was left.
	failing := func(sql string) bool {
		return slices.ContainsFunc([]string{"'refused'", "'slice failed'", "'answer failed', case_id", "'stopped'", "'not retried'", "'batch failed'"}, func(s string) bool { return strings.Contains(sql, s) })
	}
	for text := range strings.SplitSeq(bodies["evaluate"], ";\n") {
		if !failing(text) {
			one(text)
		}
	}
	if ran < 20 || values["n"] != "'2'" {
		t.Errorf("%d statements ran, and %s answers were found", ran, values["n"])
	}
	for query, want := range map[string]string{
		"SELECT case_id, batch_id, metric, metric_version, status, value, reason, detail IS NULL FROM lake.badger.scores ORDER BY 1, 3":                                                                             "c1 new hybrid_ex 1 ok 1.0 NULL False\nc1 new row_f1 2 failed NULL it's so True\nc2 undated hybrid_ex 1 ok 1.0 NULL False\nc2 undated row_f1 2 failed NULL it's so True\n",
		"SELECT eval_run_id, agent_name, batch_id, status, counts:ok::VARCHAR, counts:failed::VARCHAR, tokens:calls::INTEGER, tokens:in::INTEGER, tokens:out::INTEGER FROM lake.badger.eval_runs ORDER BY batch_id": "evaluate-1 a new done 1 1 2 0 3\nevaluate-1 a undated done 1 1 2 0 3\n",
		"SELECT metric FROM lake.badger.schedule ORDER BY 1":                                          "\nhybrid_ex\nrow_f1\n",
		"SELECT event, batch_id, answers FROM lake.badger.run_log ORDER BY 1, 2":                      "batch began new 1\nbatch began undated 1\nbegan NULL NULL\nbegan NULL 2\n",
		"SELECT since_day > '2025-01-01', pass_rate_drop FROM lake.badger.schedule WHERE metric = ''": "False 0.05\n",
		"SELECT COUNT(*), COUNT(holder) FROM lake.badger.run_locks":                                   "1 0\n",
	} {
		if got := cells(must(query)); got != want {
			t.Errorf("%s\n%swant\n%s", query, got, want)
		}
	}
	if got := backlog(); got != "" {
		t.Errorf("after a call the backlog is\n%s", got)
	}

	// Two answers come late: one fails for the third time, another cannot be scored.
	must("INSERT INTO lake.badger.agent_runs (agent_name, agent_version, batch_id, case_id, sql, ran_at) VALUES ('a', '1', 'new', 'c2', 'y', '2025-01-01'), ('a', '1', 'new', 'c3', 'z', '2025-01-01')")
	for range 3 {
		must("INSERT INTO lake.badger.run_log (entry_id, logged_at, event, case_id, message, agent_name, agent_version, batch_id) SELECT UUID_STRING(), CURRENT_TIMESTAMP(), 'answer failed', 'c2', 'no such thing', 'a', '1', 'new'")
	}
	values["fatal"] = "'it is away'"
	for text := range strings.SplitSeq(bodies["evaluate"], ";\n") {
		if strings.Contains(text, "'not retried'") || strings.Contains(text, "'batch failed'") {
			one(text)
		}
	}
	if got := cells(must("SELECT case_id, metric, status, code, reason FROM lake.badger.scores WHERE batch_id = 'new' AND case_id <> 'c1' ORDER BY 2")); got != "c2 hybrid_ex failed unknown no such thing\nc2 row_f1 failed unknown no such thing\n" || values["given_up"] != "'1'" {
		t.Errorf("the scores of an answer that fails are\n%s%s answers are given up", got, values["given_up"])
	}
	if got := backlog(); got != "new 1 2025-01-01 True it is away\n" {
		t.Errorf("after a call that failed the backlog is\n%s", got)
	}
	alerts := func() string {
		t.Helper()
		for text := range strings.SplitSeq(bodies["send_alerts"], ";\n") {
			if !strings.Contains(text, "'alert failed'") {
				one(text)
			}
		}
		return cells(must("SELECT kind, batch_id, message, resolved_at IS NULL FROM lake.badger.alerts ORDER BY raised_at, metric"))
	}
	const raised = "backlog new a 1, batch new: 1 answers have no scores: it is away "
	// A batch with a backlog is not compared with the one before.
	const degraded = "degraded new a, hybrid_ex, batch new: pass rate 100 %, before 100 %; 1 scores failed, before 0 True\ndegraded new a, row_f1, batch new: pass rate none, before none; 2 scores failed, before 1 True\n"
	if got := alerts(); got != raised+"True\n" || values["unsent"] != "'1'" {
		t.Errorf("the alerts are\n%s%s are not sent", got, values["unsent"])
	}
	if got := alerts(); got != raised+"True\n" || values["unsent"] != "'0'" {
		t.Errorf("the second time the alerts are\n%s%s are not sent", got, values["unsent"])
	}
	must("DELETE FROM lake.badger.agent_runs WHERE case_id = 'c3'")
	if got := alerts(); got != raised+"False\n"+degraded {
		t.Errorf("after the answers went the alerts are\n%s", got)
	}
}

// cells are rows, a line each.
func cells(rows [][]*string) string {
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(show(cell))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
