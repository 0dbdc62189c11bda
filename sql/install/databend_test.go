package install_test

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/demo"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/install"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/identity"
	"github.com/badger-eval/badger/udf/server"
)

// engine is Databend in a process of its own.
type engine struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

// databends are the versions that the tests run: the environment variable names a Python that has the package databend.
var databends = []struct {
	name, variable string
	headers        bool // its functions may send a header with a token
}{
	{"1.2.453, the oldest", "BADGER_DATABEND_OLDEST_PYTHON", false},
	{"the newest that can be configured", "BADGER_DATABEND_PYTHON", true},
}

// eachDatabend runs a test in each version that is installed.
func eachDatabend(t *testing.T, f func(t *testing.T, variable string, headers bool)) {
	for _, d := range databends {
		t.Run(d.name, func(t *testing.T) { f(t, d.variable, d.headers) })
	}
}

// databend starts the engine, with settings of its configuration that let it call a server.
func databend(t *testing.T, variable, settings string) *engine {
	t.Helper()
	python := os.Getenv(variable)
	if python == "" {
		t.Skip(variable + " does not name a python3 that has databend")
	}
	dir := t.TempDir()
	script, err := filepath.Abs("testdata/engine.py")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, script)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), "BADGER_DATABEND_SETTINGS="+settings), os.Stderr
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
	return &engine{t, in, bufio.NewReaderSize(out, 1<<20)}
}

// ask runs a statement.
func (e *engine) ask(sql string) (cells []string, problem string) {
	e.t.Helper()
	if err := json.NewEncoder(e.in).Encode(sql); err != nil {
		e.t.Fatal(err)
	}
	line, err := e.out.ReadBytes('\n')
	if err != nil {
		e.t.Fatalf("the engine ended: %v", err)
	}
	var answer struct {
		Cells []string `json:"cells"`
		Error string   `json:"error"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		e.t.Fatal(err)
	}
	return answer.Cells, answer.Error
}

func (e *engine) must(sql string) []string {
	e.t.Helper()
	cells, problem := e.ask(sql)
	if problem != "" {
		e.t.Fatalf("%s\n%s", problem, sql)
	}
	return cells
}

// texts are the values of an expression over a table, in the order of its ids; nil is NULL.
func (e *engine) texts(expression, table string) ([]*string, string) {
	e.t.Helper()
	cells, problem := e.ask("SELECT hex(to_string(" + expression + ")) FROM " + table + " ORDER BY id")
	out := make([]*string, len(cells))
	for i, c := range cells {
		if c == "NULL" {
			continue
		}
		text, err := hex.DecodeString(strings.Trim(c, "'"))
		if err != nil {
			e.t.Fatalf("%s: %q", expression, c)
		}
		s := string(text)
		out[i] = &s
	}
	return out, problem
}

// serve starts a server of Flight, or of HTTP, at an address, or at any.
func serve(t *testing.T, c *udf.Catalogue, address string, http bool) (at string, stop func()) {
	t.Helper()
	return serveWith(t, c, address, http, &server.Options{})
}

func serveWith(t *testing.T, c *udf.Catalogue, address string, http bool, o *server.Options) (at string, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	forFlight, forHTTP := l, net.Listener(nil)
	if http {
		forFlight, forHTTP = forHTTP, forFlight
	}
	s, err := server.New(c, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Serve(ctx, forFlight, forHTTP)
	}()
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			cancel()
			<-ended
		}
	}
	t.Cleanup(stop)
	return l.Addr().String(), stop
}

func catalogue(t *testing.T) *udf.Catalogue {
	t.Helper()
	e, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := udf.NewCatalogue(e, &udf.CatalogueOptions{Version: "of the test"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Which column of the answers an argument takes.
const answers = `SELECT g.question, r.interpretation, r.response, g.gold_sql, r.sql AS agent_sql, g.gold_result, r.result AS agent_result, r.sql_error,
  g.expected_tools::VARCHAR AS expected_tools, r.tool_calls::VARCHAR AS tool_calls, COALESCE(r.gold_latency_ms, g.gold_latency_ms)::VARCHAR AS gold_latency_ms,
  r.latency_ms::VARCHAR AS agent_latency_ms, g.evidence, g.schema_ddl, g.expected_behaviour, g.dialect, g.gold_error, g.expected_clarifications::VARCHAR AS expected_clarifications,
  json_object('case_id', g.case_id, 'question', g.question, 'gold', json_object('sql', g.gold_sql), 'agent', json_object('sql', r.sql))::VARCHAR AS case_json
FROM badger.agent_runs r JOIN badger.golden_set g ON g.case_id = r.case_id ORDER BY r.agent_version, r.case_id`

// demoRows are the answers of the demonstration, as texts by the name of the argument; absent is
// NULL. After them come a row of NULLs and rows that cannot be read.
func demoRows(t *testing.T) []map[string]string {
	t.Helper()
	ctx := t.Context()
	conn, err := duckdb.OpenFile(ctx, filepath.Join(t.TempDir(), "demo.duckdb"), driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := store.New(connectors.New(conn, duckdb.Dialect))
	defer w.Close()
	if err := demo.Build(ctx, conn.DB(), func(string) {}); err != nil {
		t.Fatal(err)
	}
	if err := w.Install(ctx); err != nil {
		t.Fatal(err)
	}
	if err := demo.Populate(ctx, conn.DB(), "badger"); err != nil {
		t.Fatal(err)
	}
	table, err := w.Query(ctx, answers)
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for i := range table.Rows() {
		row := map[string]string{}
		for c := range table.Columns {
			if v := table.Columns[c].Value(i); !v.IsNull() {
				row[table.Columns[c].Name] = v.String()
			}
		}
		rows = append(rows, row)
	}
	return append(rows, map[string]string{},
		map[string]string{"gold_result": `{"columns":[`, "agent_result": "nonsense", "agent_sql": "SELECT (", "gold_sql": "", "expected_behaviour": "dance"},
		map[string]string{"gold_result": `{"columns":[{"name":"ü\\\"'"}],"rows":[["a'b\\\\c😀"]]}`, "agent_result": `{"columns":[{"name":"x"}],"rows":[["a'b\\\\c😀"]]}`, "agent_sql": "SELECT 'ü\\' FROM \"t.x\" -- 😀", "gold_sql": "SELECT 'ü\\' FROM \"t.x\""},
	)
}

// called is what the catalogue itself says of the rows.
func called(t *testing.T, c *udf.Catalogue, f *install.Declared, rows []map[string]string) *udf.Column {
	t.Helper()
	b := udf.NewBatch(f.Of, len(f.Params), len(rows))
	for k, p := range f.Params {
		for i, row := range rows {
			text, ok := row[p.Name]
			switch col := &b.Args[k]; {
			case !ok:
				col.SetNull(i)
			case p.Type == udf.DOUBLE:
				v, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatal(err)
				}
				col.SetFloat(i, v)
			case p.Type == udf.VARCHAR || p.Type == udf.JSON:
				col.SetText(i, text)
			default:
				t.Fatalf("no row has an argument of type %v", p.Type)
			}
		}
	}
	out, err := c.Call(t.Context(), f.Of, b)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const databendToken = "the-token-of-databend"

// tokenOptions are those of a server that asks for databendToken, which is also in the file.
func tokenOptions(t *testing.T) (o *server.Options, file string) {
	dir := t.TempDir()
	tokens, file := filepath.Join(dir, "tokens"), filepath.Join(dir, "token")
	for name, text := range map[string]string{tokens: "databend: " + databendToken + "\n", file: databendToken + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &server.Options{GRPC: identity.Config{TokenFile: tokens}}, file
}

// settingsOf are the settings that the plan has people put into Databend's configuration.
func settingsOf(t *testing.T, p *install.Plan) string {
	t.Helper()
	for _, s := range p.Steps {
		if s.By == install.Hand && strings.Contains(s.SQL, "enable_udf_server") {
			return s.SQL + "\n"
		}
	}
	t.Fatal("the plan names no settings")
	return ""
}

// runPlan runs the statements of a plan, with the token in the place where the plan tells people to put it.
func (e *engine) runPlan(p *install.Plan, headers bool) {
	e.t.Helper()
	for _, s := range p.Steps {
		if s.By == install.Hand {
			continue
		}
		sql := strings.ReplaceAll(s.SQL, p.TokenPlaceholder(), databendToken)
		if _, problem := e.ask(sql); problem != "" && (headers || !strings.HasPrefix(sql, "SET GLOBAL")) {
			e.t.Fatalf("%s\n%s", problem, s.SQL)
		}
	}
}

func TestDatabend(t *testing.T) { eachDatabend(t, databendCallsEveryFunction) }

// Every judge-free function, called from the SQL of Databend, says of each row what the catalogue
// says of it.
func databendCallsEveryFunction(t *testing.T, variable string, headers bool) {
	c := catalogue(t)
	v := plain("databend", "flight")
	o := &server.Options{}
	if headers {
		o, v.TokenFile = tokenOptions(t)
	}
	at, stop := serveWith(t, c, "127.0.0.1:0", false, o)
	v.Endpoint = "http://" + at
	p := plan(t, v, c.Functions())
	e := databend(t, variable, settingsOf(t, p))
	for range 2 {
		e.runPlan(p, headers)
	}
	if n := e.must("SELECT count(*) FROM (" + p.Inventory + ") WHERE comment LIKE '%[badger:%'"); n[0] != strconv.Itoa(declared(p)) {
		t.Errorf("%s functions are listed, want %d", n[0], declared(p))
	}

	rows := demoRows(t)
	columns := map[string]udf.Type{}
	for _, s := range p.Steps {
		if s.Function != nil {
			for _, a := range s.Function.Params {
				columns[a.Name] = a.Type
			}
		}
	}
	names := make([]string, 0, len(columns))
	create := "CREATE TABLE answers (id INT"
	for name, typ := range columns {
		names = append(names, name)
		create += ", `" + name + "` " + typeNames["databend"][typ][0] + " NULL"
	}
	e.must(create + ")")
	for i, row := range rows {
		values := []string{strconv.Itoa(i)}
		for _, name := range names {
			text, ok := row[name]
			value := "NULL"
			switch {
			case ok && columns[name] == udf.JSON:
				value = "parse_json(" + install.Databend.Literal(text) + ")"
			case ok && columns[name] == udf.DOUBLE:
				value = text
			case ok:
				value = install.Databend.Literal(text)
			}
			values = append(values, value)
		}
		e.must("INSERT INTO answers VALUES (" + strings.Join(values, ", ") + ")")
	}

	compared, scored := 0, 0
	for i := range p.Steps {
		f := p.Steps[i].Function
		if f == nil || f.Of.Waits || strings.HasSuffix(f.Of.Name, "_submit") { // every ticket is another
			continue
		}
		got, problem := e.texts(callOf(f), "answers")
		if problem != "" {
			t.Errorf("%s: %s", f.Name, problem)
			continue
		}
		want := called(t, c, f, rows)
		if len(got) != len(rows) {
			t.Errorf("%s: %d rows, want %d", f.Name, len(got), len(rows))
			continue
		}
		for i := range rows {
			compared++
			if !want.Nulls[i] {
				scored++
			}
			if text, same := sameValue(got[i], want, i); !same {
				t.Errorf("row %d of %s is %s in Databend, want %s", i, f.Name, show(got[i]), text)
			}
		}
	}
	if compared < 10_000 || scored < compared/3 {
		t.Errorf("%d values were compared, %d of them not NULL", compared, scored)
	}

	// Without the server a statement fails and says so; with one that is there again it gives what
	// it gave.
	before, _ := e.texts("hybrid_ex(gold_result, agent_result)", "answers")
	stop()
	if got, problem := e.texts("hybrid_ex(gold_result, agent_result)", "answers"); problem == "" {
		t.Errorf("without a server %d rows were scored", len(got))
	}
	serveWith(t, c, at, false, o)
	if after, problem := e.texts("hybrid_ex(gold_result, agent_result)", "answers"); problem != "" || !reflect.DeepEqual(before, after) {
		t.Errorf("after the server is back: %s, %d rows of %d", problem, len(after), len(before))
	}
	header := ""
	if headers {
		header = " HEADERS = ('authorization' = 'Bearer " + databendToken + "')"
		if _, problem := e.ask("CREATE FUNCTION nothing (VARCHAR NULL) RETURNS DOUBLE NULL LANGUAGE python HANDLER = 'hybrid_ex' ADDRESS = 'http://" + at + "'"); !strings.Contains(problem, "a token is required") {
			t.Errorf("a function without a token: %q", problem)
		}
	}
	for sql, want := range map[string]string{
		"CREATE OR REPLACE FUNCTION nothing (VARCHAR NULL) RETURNS DOUBLE NULL LANGUAGE python HANDLER = 'hybrid_exx'" + header + " ADDRESS = 'http://" + at + "'":                          "hybrid_ex",
		"CREATE OR REPLACE FUNCTION nothing (VARCHAR NULL, VARCHAR NULL) RETURNS VARCHAR NULL LANGUAGE python HANDLER = 'hybrid_ex/2@databend'" + header + " ADDRESS = 'http://" + at + "'": "",
	} {
		if _, problem := e.ask(sql); problem == "" || !strings.Contains(problem, want) {
			t.Errorf("%q for\n%s", problem, sql)
		}
	}
	many(t, e)

	for i := len(p.Steps) - 1; i >= 0; i-- {
		if sql := p.Steps[i].Drop; sql != "" && (headers || !strings.HasPrefix(sql, "UNSET GLOBAL")) {
			e.must(sql)
		}
	}
	if n := e.must("SELECT count(*) FROM (" + p.Inventory + ") WHERE comment LIKE '%[badger:%'"); n[0] != "0" {
		t.Errorf("%s functions are left", n[0])
	}
}

// many scores many rows at once: every fourth answer is wrong. BADGER_DATABEND_ROWS says how many.
func many(t *testing.T, e *engine) {
	n := 20_000
	if s := os.Getenv("BADGER_DATABEND_ROWS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil || n%4 != 0 {
			t.Fatalf("BADGER_DATABEND_ROWS is %q, want a multiple of 4", s)
		}
	}
	sql := fmt.Sprintf(`SELECT concat(to_string(count(*)), ' ', to_string(count(v)), ' ', to_string(sum(v))) FROM (
  SELECT hybrid_ex(concat('{"columns":[{"name":"a","type":"VARCHAR"}],"rows":[["r', to_string(number), '"]]}'),
    concat('{"columns":[{"name":"b","type":"VARCHAR"}],"rows":[["r', to_string(number + if(number %% 4 = 0, 1, 0)), '"]]}')) AS v FROM numbers(%d))`, n)
	want := fmt.Sprintf("'%d %d %d", n, n, n*3/4)
	if got := e.must(sql); !strings.HasPrefix(got[0], want) {
		t.Errorf("%d rows give %s, want %s", n, got[0], want)
	}
}

// declared is how many functions a plan has.
func declared(p *install.Plan) int {
	names := map[string]bool{}
	for _, s := range p.Steps {
		if s.Function != nil {
			names[s.Function.Name] = true
		}
	}
	return len(names)
}

func callOf(f *install.Declared) string {
	args := make([]string, len(f.Params))
	for i, a := range f.Params {
		args[i] = "`" + a.Name + "`"
	}
	return f.Name + "(" + strings.Join(args, ", ") + ")"
}

// sameValue compares a value as SQL shows it with row i of what the catalogue says.
func sameValue(got *string, want *udf.Column, i int) (text string, same bool) {
	switch {
	case want.Nulls[i]:
		return "NULL", got == nil
	case want.Type == udf.DOUBLE:
		text = strconv.FormatFloat(want.Floats[i], 'g', -1, 64)
		if got == nil {
			return text, false
		}
		v, err := strconv.ParseFloat(*got, 64)
		return text, err == nil && v == want.Floats[i]
	case want.Type == udf.JSON:
		text = want.Texts[i]
		if got == nil {
			return text, false
		}
		var a, b any
		return text, json.Unmarshal([]byte(*got), &a) == nil && json.Unmarshal([]byte(text), &b) == nil && reflect.DeepEqual(a, b)
	}
	text = want.Texts[i]
	return text, got != nil && *got == text
}

func show(s *string) string {
	if s == nil {
		return "NULL"
	}
	return *s
}
