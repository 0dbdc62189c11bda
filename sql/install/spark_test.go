package install_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/sql/install"
)

// spark is Apache Spark in a process of its own, with tables of Delta Lake.
type spark struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

// startSpark starts Spark. BADGER_SPARK_PYTHON is a Python that has the package pyspark, and
// BADGER_SPARK_JARS the files of Delta Lake, separated by commas.
func startSpark(t *testing.T) *spark {
	t.Helper()
	python := os.Getenv("BADGER_SPARK_PYTHON")
	if python == "" || os.Getenv("BADGER_SPARK_JARS") == "" {
		t.Skip("BADGER_SPARK_PYTHON does not name a python3 that has pyspark, or BADGER_SPARK_JARS the files of Delta Lake")
	}
	if _, err := exec.LookPath("java"); err != nil {
		t.Skip("there is no Java for Spark")
	}
	script, err := filepath.Abs("testdata/spark.py")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, script)
	cmd.Dir, cmd.Stderr = t.TempDir(), os.Stderr
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
	return &spark{t, in, bufio.NewReaderSize(out, 1<<20)}
}

// ask puts a question of testdata/spark.py.
func (s *spark) ask(question map[string]any) (rows [][]*string, problem string) {
	s.t.Helper()
	if err := json.NewEncoder(s.in).Encode(question); err != nil {
		s.t.Fatal(err)
	}
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		s.t.Fatalf("Spark ended: %v", err)
	}
	var answer struct {
		Rows  [][]*string `json:"rows"`
		Error string      `json:"error"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		s.t.Fatal(err)
	}
	return answer.Rows, answer.Error
}

func (s *spark) must(key, text string) [][]*string {
	s.t.Helper()
	rows, problem := s.ask(map[string]any{key: text})
	if problem != "" {
		s.t.Fatalf("%s\n%s", problem, text)
	}
	return rows
}

// show is a query's rows, a line each.
func (s *spark) show(sql string) string {
	s.t.Helper()
	var b strings.Builder
	for _, row := range s.must("sql", sql) {
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

// view makes a temporary view of rows; what a row lacks is NULL.
func (s *spark) view(name string, columns []string, rows []map[string]string) {
	s.t.Helper()
	cells := make([][]*string, len(rows))
	for i, row := range rows {
		for _, c := range columns {
			if text, ok := row[c]; ok {
				cells[i] = append(cells[i], &text)
			} else {
				cells[i] = append(cells[i], nil)
			}
		}
	}
	if _, problem := s.ask(map[string]any{"view": name, "columns": columns, "rows": cells}); problem != "" {
		s.t.Fatal(problem)
	}
}

// What Spark 4.0 lacks of the procedure, and what is there instead: a procedure has arguments,
// an error's text, and an error of its own.
var sparkScript = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?s)^CREATE OR REPLACE PROCEDURE .*?\nAS BEGIN\n`), "BEGIN\n  DECLARE wanted STRING DEFAULT NULL;\n  DECLARE metrics STRING DEFAULT NULL;\n"},
	{regexp.MustCompile(`GET DIAGNOSTICS CONDITION 1 (\w+) = MESSAGE_TEXT`), "SET $1 = 'a statement failed'"},
	{regexp.MustCompile(`SIGNAL SQLSTATE '\w+' SET MESSAGE_TEXT = ('[^']*'|\w+)`), "SET problem = CAST(raise_error($1) AS STRING)"},
}

// What is installed in Databricks via python runs in Apache Spark with Delta Lake: the Python
// bodies, the functions over them, tables, views, and the text of the procedure but for what
// sparkScript replaces. Spark has no Unity Catalog: functions are temporary ones without a schema,
// and grants are refused.
func TestSpark(t *testing.T) {
	s := startSpark(t)
	c := catalogue(t)
	at, _ := serve(t, c, "127.0.0.1:0", true)
	v := plain("databricks", "python")
	v.Endpoint, v.Database = "http://"+at, "spark_catalog"
	v.Schedule = install.Schedule{Metrics: []string{"hybrid_ex", "row_f1", "sql_complexity"}, Slice: 7}
	p := plan(t, v, c.Functions())
	const schema = "`?spark_catalog`?\\.`?badger`?\\."
	unqualified := regexp.MustCompile(schema + "`?(\\w+)`?\\(")

	// Functions of one signature differ in a URL. BADGER_SPARK_ALL tries them all, which takes minutes.
	seen, left := map[string]bool{}, map[string]bool{}
	if os.Getenv("BADGER_SPARK_ALL") == "" {
		for i := range p.Steps {
			f := p.Steps[i].Function
			if f == nil || left[f.Name] || i > 0 && p.Steps[i-1].Function == f {
				continue
			}
			signature := fmt.Sprint(f.Result, f.Of.Cost)
			for _, a := range f.Params {
				signature += fmt.Sprint(" ", a.Type, a.Optional)
			}
			if seen[signature] && !slices.Contains([]string{"hybrid_ex", "row_f1", "score_row", "run_settings"}, f.Name) {
				left[f.Name] = true
			}
			seen[signature] = true
		}
	}

	s.must("sql", "CREATE TEMPORARY FUNCTION secret(scope STRING, key STRING) RETURNS STRING RETURN ''")
	var script string
	described := 0
	for i := range p.Steps {
		step := &p.Steps[i]
		switch sql := step.SQL; {
		case step.By == install.Hand || step.Function != nil && left[step.Function.Name]:
		case strings.HasPrefix(sql, "GRANT "):
			if _, problem := s.ask(map[string]any{"sql": sql}); problem == "" {
				t.Errorf("Spark has rights now, and this test does not try them: %s", sql)
			}
		case strings.HasPrefix(sql, "CREATE OR REPLACE PROCEDURE"):
			script = unqualified.ReplaceAllStringFunc(sql, func(call string) string {
				name := unqualified.FindStringSubmatch(call)[1]
				if name == "score_row" || name == "run_settings" {
					return name + "("
				}
				return call
			})
		case step.Function != nil && strings.Contains(sql, "LANGUAGE PYTHON"):
			toks, err := tokens(sql, "databricks")
			if err != nil {
				t.Fatal(err)
			}
			body := toks[slices.IndexFunc(toks, func(tok token) bool { return tok.kind == 'd' })].text
			if _, problem := s.ask(map[string]any{"define": step.Function.Name + "__rows", "source": body}); problem != "" {
				t.Fatalf("%s\n%s", problem, body)
			}
		case step.Function != nil:
			sql = unqualified.ReplaceAllString(sql, "$1(")
			s.must("sql", strings.Replace(sql, "CREATE OR REPLACE FUNCTION", "CREATE OR REPLACE TEMPORARY FUNCTION", 1))
		case strings.HasPrefix(sql, "COMMENT ON") || strings.HasPrefix(sql, "ALTER TABLE"):
			if described++; described%20 == 1 { // each is a commit, and they are alike
				s.must("sql", sql)
			} else {
				s.must("parse", sql)
			}
		default:
			s.must("sql", sql)
		}
	}
	if script == "" || described < 100 {
		t.Fatalf("the plan has a procedure of %d bytes and %d comments", len(script), described)
	}

	rows := demoRows(t)
	for i := range rows {
		rows[i]["id"] = strconv.Itoa(i)
	}
	t.Run("functions", func(t *testing.T) { s.t = t; sparkFunctions(t, s, p, left, rows) })
	t.Run("evaluate", func(t *testing.T) { s.t = t; sparkEvaluates(t, s, p, script, rows) })
}

// sparkFunctions calls every judge-free function, but for those left out, for every row, many
// functions a query.
func sparkFunctions(t *testing.T, s *spark, p *install.Plan, left map[string]bool, rows []map[string]string) {
	c := catalogue(t)
	columns := []string{"id"}
	var functions []*install.Declared
	for i := range p.Steps {
		f := p.Steps[i].Function
		if f == nil || f.Of.Waits || left[f.Name] || len(functions) > 0 && functions[len(functions)-1] == f {
			continue
		}
		functions = append(functions, f)
		for _, a := range f.Params {
			if !slices.Contains(columns, a.Name) {
				columns = append(columns, a.Name)
			}
		}
	}
	s.view("answers", columns, rows)
	compared, scored := 0, 0
	for chunk := range slices.Chunk(functions, 20) {
		var calls []string
		for _, f := range chunk {
			var args []string
			for _, a := range f.Params {
				args = append(args, fmt.Sprintf("CAST(`%s` AS %s)", a.Name, typeNames["databricks"][a.Type][0]))
			}
			calls = append(calls, f.Name+"("+strings.Join(args, ", ")+")")
		}
		got := s.must("sql", "SELECT "+strings.Join(calls, ", ")+" FROM answers ORDER BY CAST(id AS INT)")
		if len(got) != len(rows) {
			t.Fatalf("%d rows, want %d", len(got), len(rows))
		}
		for k, f := range chunk {
			want := called(t, c, f, rows)
			for i := range rows {
				compared++
				if !want.Nulls[i] {
					scored++
				}
				if text, same := sameValue(got[i][k], want, i); !same {
					t.Errorf("row %d of %s is %s in Spark, want %s", i, f.Name, show(got[i][k]), text)
				}
			}
		}
	}
	t.Logf("%d functions, %d values, %d of them not NULL", len(functions), compared, scored)
	if len(functions) < 10 || compared < len(functions)*len(rows) || scored < compared/4 {
		t.Errorf("%d functions were called, %d values compared, %d of them not NULL", len(functions), compared, scored)
	}
	if got := s.show("SELECT hybrid_ex(agent_result => gold_result, gold_result => gold_result) FROM answers WHERE id = '0'"); got != "1.0\n" {
		t.Errorf("by name: %s", got)
	}
}

// sparkEvaluates runs the procedure's text over some answers, twice, and reads every view.
func sparkEvaluates(t *testing.T, s *spark, p *install.Plan, script string, rows []map[string]string) {
	for _, gap := range sparkScript {
		if !gap.pattern.MatchString(script) {
			t.Errorf("the procedure has no %v", gap.pattern)
		}
		script = gap.pattern.ReplaceAllString(script, gap.instead)
	}
	rows = rows[:16]
	s.view("some", []string{"id", "question", "gold_sql", "gold_result", "agent_sql", "agent_result"}, rows)
	const schema = "spark_catalog.badger."
	s.must("sql", "INSERT INTO "+schema+"golden_set (case_id, set_version, question, gold_sql, gold_result) SELECT concat('c', id), v, question, gold_sql, IF(v = 'v9', 'an old one', gold_result) FROM some CROSS JOIN (VALUES ('v9'), ('v10')) AS versions(v)")
	s.must("sql", "INSERT INTO "+schema+"agent_runs (agent_name, agent_version, batch_id, case_id, sql, result, ran_at) SELECT 'a', '1', batch, concat('c', id), agent_sql, agent_result, at FROM some CROSS JOIN (VALUES ('old', TIMESTAMP '2025-01-01'), ('new', TIMESTAMP '2025-01-02')) AS batches(batch, at)")
	s.must("sql", script)

	c := catalogue(t)
	for i := range p.Steps {
		f := p.Steps[i].Function
		if f == nil || f.Name != "hybrid_ex" && f.Name != "row_f1" || p.Steps[i-1].Function == f {
			continue
		}
		want := called(t, c, f, rows)
		got := s.must("sql", "SELECT value, batch_id, status FROM "+schema+"scores WHERE metric = '"+f.Name+"' ORDER BY CAST(substring(case_id, 2) AS INT)")
		if len(got) != len(rows) {
			t.Fatalf("%s has %d scores, want %d", f.Name, len(got), len(rows))
		}
		for i := range rows {
			if text, same := sameValue(got[i][0], want, i); !same || *got[i][1] != "new" {
				t.Errorf("%s of c%d is %s, %s of batch %s in Spark, want %s of the new one", f.Name, i, show(got[i][0]), *got[i][2], *got[i][1], text)
			}
		}
	}
	first := s.show("SELECT eval_run_id, agent_name, agent_version, batch_id, status FROM " + schema + "eval_runs")
	if !regexp.MustCompile(`^evaluate-\d{8}T\d{6}-\w{6} a 1 new done\n$`).MatchString(first) {
		t.Errorf("the run is %q", first)
	}
	scores := s.show("SELECT COUNT(*), COUNT(DISTINCT metric), COUNT(DISTINCT eval_run_id) FROM " + schema + "scores")
	if want := fmt.Sprintf("%d 3 1\n", 3*len(rows)); scores != want {
		t.Errorf("scores, metrics, runs are %q, want %q", scores, want)
	}
	s.must("sql", script)
	if got := s.show("SELECT event, answers FROM " + schema + "run_log ORDER BY logged_at"); got != fmt.Sprintf("began NULL\ndone %d\nbegan NULL\nidle 0\n", len(rows)) {
		t.Errorf("the log says\n%s", got)
	}

	// Whoever holds the lock keeps others out.
	s.must("sql", "UPDATE "+schema+"run_locks SET holder = 'somebody', beat_at = current_timestamp()")
	if _, problem := s.ask(map[string]any{"sql": script}); !strings.Contains(problem, "another evaluation is running") {
		t.Errorf("with a lock: %q", problem)
	}
	for i := range p.Steps {
		if sql := p.Steps[i].SQL; strings.HasPrefix(sql, "CREATE OR REPLACE VIEW ") {
			name, _, _ := strings.Cut(strings.TrimPrefix(sql, "CREATE OR REPLACE VIEW "), " ")
			s.must("sql", "SELECT * FROM "+name)
		}
	}
	if got := s.show("SELECT COUNT(*) FROM " + schema + "latest_scores"); got != fmt.Sprintln(3*len(rows)) {
		t.Errorf("latest_scores has %s", got)
	}
}
