//go:build !no_duckdb && !no_sqlite

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// What people write by mistake is answered with what to write instead.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const answer = `{"case_id": "a", "database": "shop", "gold": {"sql": "SELECT 1"}, "agent": {"sql": "SELECT 1"}}` + "\n"
	cases := write("cases.jsonl", answer)
	run := func(more ...string) []string { return append([]string{"run", "--cases", cases}, more...) }
	file := func(flag, name, text string, more ...string) []string {
		return append([]string{"run", "--no-to", flag, write(name, text)}, more...)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"a flag twice", run("--cases", cases, "--no-to"), exitUsage, "--cases is specified more than once; it takes one value. Join the files first"},
		{"another flag twice", run("--no-to", "--concurrency", "1", "--concurrency", "2"), exitUsage, "--concurrency is specified more than once; it takes one value"},
		{"a list twice", run("--no-to", "--quiet", "--metrics", "tree_match", "--metrics", "stef"), exitDone, ""},
		{"a list with blanks", run("--no-to", "--quiet", "--metrics", "tree_match, syntactic_accuracy,"), exitDone, ""},
		{"a file without its flag", []string{"run", cases, "--no-to"}, exitUsage, "write --cases " + cases},
		{"a list with a blank", run("--metrics", "hybrid_ex,", "verdict"), exitUsage, "unexpected argument verdict after --metrics hybrid_ex,; write lists without blanks: --metrics hybrid_ex,verdict"},
		{"a name with a blank", []string{"run", "--no-to", "--cases", "my", "cases.jsonl"}, exitUsage, "unexpected argument cases.jsonl after --cases my; quote a value with blanks: --cases 'my cases.jsonl'"},
		{"a member with a blank", []string{"import", "bird", "dev.json", "--check", "--map", "gold_sql=Gold", "SQL"}, exitUsage, "quote a value with blanks: --map 'gold_sql=Gold SQL'"},
		{"a name after a name that exists", run("q1"), exitUsage, "write --run-id q1"},
		{"a name without cases", []string{"run", "foo"}, exitUsage, "unexpected argument foo; write --cases FILE or --source URL"},
		{"a negative number", run("--no-to", "--concurrency", "-1"), exitUsage, "--concurrency: expected a whole number of at least 1, found -1"},
		{"a negative number and =", run("--no-to", "--concurrency=-1"), exitUsage, "--concurrency: expected a whole number of at least 1, found -1"},
		{"help with one dash", []string{"run", "-help"}, exitDone, ""},
		{"the version with one dash", []string{"-version"}, exitDone, ""},
		{"the version in short", []string{"-v"}, exitDone, ""},
		{"an encoding", []string{"import", "csv", "x.csv", "--check", "--encoding", "latin9000"}, exitUsage, "--encoding: expected the name of an encoding such as utf-8, windows-1252, latin1 or shift_jis, found"},
		{"no encoding of text", []string{"import", "csv", "x.csv", "--check", "--encoding", "replacement"}, exitUsage, "--encoding: expected the name"},
		{"a judge for no metric", run("--no-to", "--judge-for", "rosee=replay:"+cases), exitUsage, `--judge-for: unknown metric "rosee"; did you mean rose?`},
		{"a placeholder of --run", []string{"import", "csv", write("set.csv", "id,question,sql\n1,q,SELECT 1\n"), "--check", "--run", "sqlite:{db}"}, exitUsage, "--run: unknown placeholder {db}"},
		{"CSV for traces", []string{"import", "traces", write("traces.csv", "a,b\n1,2\n3,4\n"), "--check"}, exitFail, "!! traces.csv: expected JSON or JSON Lines, found other text; docs/eval/traces.md lists the forms of traces\n"},
		{"one dash", []string{"run", "-cases", "x.jsonl"}, exitUsage, "unknown flag -cases; write --cases"},
		{"one dash and =", []string{"run", "-cases=x.jsonl"}, exitUsage, "unknown flag -cases; write --cases"},
		{"a quoted tilde", []string{"run", "--no-to", "--cases", "~/none.jsonl"}, exitUsage, `--cases: file "~/none.jsonl" does not exist; a shell replaces ~ outside of quotes only, write $HOME`},
		{"a relative name", []string{"run", "--no-to", "--cases", "none/none.jsonl"}, exitUsage, `--cases: file "none/none.jsonl" does not exist (/`},
		{"an absolute name", []string{"run", "--no-to", "--cases", "/none/none.jsonl"}, exitUsage, `--cases: file "/none/none.jsonl" does not exist` + "\n"},
		{"cases for scores", []string{"trend", "--scores", cases}, exitFail, "cases.jsonl:1: expected a score, as badger run --scores writes them, found a case"},
		{"another file for scores", []string{"trend", "--scores", write("other.jsonl", "{\"a\": 1}\n")}, exitFail, "other.jsonl:1: expected a score: "},
		{"an object over lines", file("--cases", "pretty.jsonl", "{\n  \"case_id\": \"a\"\n}\n"), exitFail, "pretty.jsonl: expected one JSON object a line (JSON Lines), found an object over several lines; jq -c ."},
		{"an object over lines that begins a list", file("--cases", "pretty2.jsonl", "{\"turns\": [\n  1]}\n"), exitFail, "found an object over several lines"},
		{"no value", run("--no-to", "--quiet", "--metrics", "hybrid_ex"), exitFail, "no score of the 1 answer has a value; the summary says why; if the cases have queries and no results, --execute URL runs the queries"},
		{"one value", run("--no-to", "--quiet", "--metrics", "hybrid_ex,tree_match"), exitDone, ""},
		{"an empty gate", run("--no-to", "--fail-under", ""), exitUsage, "--fail-under: the value is empty; expected METRIC=NUMBER"},
		{"an output that is read", run("--no-to", "--jsonl", cases), exitUsage, "is read by this command, and would be replaced; name another file"},
		{"a URL without its flag", []string{"report", "duckdb:x.duckdb"}, exitUsage, "write --db duckdb:x.duckdb"},
		{"a database without its flag", []string{"view", "x.duckdb"}, exitUsage, "write --db duckdb:x.duckdb"},
		{"two results without flags", []string{"score", "gold.csv", "answer.csv"}, exitUsage, "write --gold FILE --pred FILE"},
		{"a case without its flag", []string{"explain", "q1"}, exitUsage, "write --case q1"},
		{"a warehouse without its flag", []string{"install", "snowflake", "--print"}, exitUsage, "write --warehouse snowflake"},
		{"no warehouse", []string{"install", "--print"}, exitUsage, "expected --warehouse NAME"},
		{"a file for a URL", run("--to", "scores.duckdb"), exitUsage, "; write duckdb:scores.duckdb"},
		{"a file of either engine", run("--to", "scores.db"), exitUsage, "; write duckdb:scores.db or sqlite:scores.db"},
		{"a file of SQLite", []string{"run", "--source", "dir/s.sqlite3", "--no-to"}, exitUsage, "; write sqlite:dir/s.sqlite3"},
		{"none", run("--to", "none"), exitUsage, "--no-to keeps no scores"},
		{"a misspelt scheme", run("--to", "duckbd:x"), exitUsage, "found duckbd:; did you mean duckdb?"},
		{"a scheme in capitals", run("--to", "DuckDB:x"), exitUsage, "found DuckDB:; write duckdb:"},
		{"a URL of JDBC", run("--to", "jdbc:postgresql://h/d"), exitUsage, "; URLs of JDBC are not read, write postgresql:"},
		{"a URL of JDBC for another engine", run("--to", "jdbc:oracle:thin:@h"), exitUsage, "found jdbc:oracle:"},
		{"a URL of SQLAlchemy", run("--to", "postgresql+psycopg2://h/d"), exitUsage, "; write postgresql:"},
		{"an unknown scheme for queries", run("--no-to", "--snapshots", "none", "--execute", "oracle:{database}"), exitUsage, "--execute: expected a URL that begins with"},
		{"no database", run("--no-to", "--quiet", "--snapshots", "none", "--metrics", "ex_bird,tree_match", "--execute", "sqlite:"+dir+"/{database}.sqlite"), exitGate, "!! no query ran"},
		{"a gate with >=", run("--no-to", "--fail-under", "tree_match>=0.9"), exitUsage, "expected METRIC=NUMBER, such as hybrid_ex=0.9; found >="},
		{"a gate in percent", run("--no-to", "--fail-under", "tree_match=90%"), exitUsage, "write a percentage as a fraction, such as 0.9 for 90 %"},
		{"a misspelt gate", run("--no-to", "--metrics", "tree_match", "--fail-under", "tree_mach=0.9"), exitUsage, "did you mean tree_match?"},
		{"a gate on broken cases in percent", run("--to", "duckdb:"+filepath.Join(dir, "s.duckdb"), "--max-broken", "ex_bird=0.1"), exitUsage, "--max-broken: expected METRIC=N with a whole number of cases"},
		{"a gate on broken cases of all metrics", run("--to", "duckdb:"+filepath.Join(dir, "s.duckdb"), "--max-broken", "1"), exitUsage, "--max-broken: expected METRIC=N"},
		{"a gate on broken cases of a metric that no case passes", run("--to", "duckdb:"+filepath.Join(dir, "s.duckdb"), "--max-broken", "latency_overhead=1"), exitUsage, "latency_overhead has no threshold"},
		{"a gate on a baseline that is nowhere", run("--no-to", "--max-broken", "ex_bird=1"), exitUsage, "leave --no-to out"},
		{"a directory", []string{"run", "--no-to", "--cases", dir}, exitUsage, "is a directory, expected a file in JSON Lines"},
		{"standard input", []string{"run", "--no-to", "--cases", "-"}, exitUsage, "write standard input to a file first"},
		{"a port without a host", []string{"serve", "--http", "21742", "--grpc", "127.0.0.1:0"}, exitUsage, `HTTP: "21742" is not an address; expected HOST:PORT`},
		{"a port without a host for agents", []string{"mcp", "--cases", cases, "--config", write("mcp.yaml", "mcp: {ledger: '"+dir+"/ledger'}\n"), "--http", "21744"}, exitUsage, `--http: "21744" is not an address; expected HOST:PORT`},
		{"text for a section", file("--config", "a.yaml", "judge: {budget: 5USD}\n", "--cases", cases), exitUsage, "a.yaml: line 1: judge.budget: expected a mapping with the keys money, prices, tokens, found text"},
		{"text for numbers", file("--config", "b.yaml", "metrics: {thresholds: 'ex_bird:0.9'}\n", "--cases", cases), exitUsage, "metrics.thresholds: expected a mapping from a name to a number, found text"},
		{"a tab in YAML", file("--config", "c.yaml", "judge:\n\tmodel: x\n", "--cases", cases), exitUsage, "c.yaml: line 2: the line is indented by a tab; YAML expects spaces"},
		{"an unknown command", []string{"evaluate", "x"}, exitUsage, "unknown command evaluate; write badger run"},
		{"a misspelt command", []string{"rum"}, exitUsage, "unknown command rum; did you mean run?"},
		{"a command of another program", []string{"gate"}, exitUsage, "unknown command gate; write badger run --fail-under METRIC=V"},
		{"no command", nil, exitUsage, "expected a command after badger: one of demo, score, run,"},
		{"no kind", []string{"import"}, exitUsage, "expected a command after badger import: one of bird, spider, spider2,"},
		{"a misspelt kind", []string{"import", "brid", "x"}, exitUsage, "unknown command import brid; did you mean bird? the commands are bird, spider,"},
		{"an unknown kind", []string{"import", "excel"}, exitUsage, "unknown command import excel; the commands are bird, spider,"},
		{"a flag before the command", []string{"--cases", cases, "run"}, exitUsage, "unknown flag --cases before the command; write the command first: badger run --cases"},
		{"a short flag before the command", []string{"-q", "run"}, exitUsage, "write the command first: badger run -q"},
		{"a misspelt flag", run("--metric", "verdict"), exitUsage, "unknown flag --metric; did you mean --metrics"},
		{"an unknown flag", run("--zzzz"), exitUsage, "unknown flag --zzzz; badger run --help lists those of this command"},
		{"a misspelt choice", run("--mode", "agentic"), exitUsage, "--mode: expected one of text2sql_only, agentic_only, both, found agentic; did you mean agentic_only?"},
		{"a fraction of a worker", run("--concurrency", "1.5"), exitUsage, "--concurrency: expected a whole number, found 1.5"},
		{"no worker", run("--concurrency", "0"), exitUsage, "--concurrency: expected a whole number of at least 1, found 0"},
		{"fewer than no rows", []string{"score", "--gold", "g", "--pred", "p", "--rows=-1"}, exitUsage, "--rows: expected a whole number of at least 0, found -1"},
		{"no time", run("--execute", "duckdb:x", "--execute-timeout", "0s"), exitUsage, "--execute-timeout: expected a duration above 0, such as 30s or 5m, found 0s"},
		{"a time without a unit", run("--execute", "duckdb:x", "--execute-timeout", "5"), exitUsage, "--execute-timeout: expected a duration such as 30s or 5m, found 5"},
		{"a level that is not a number", []string{"trend", "--scores", cases, "--min-drop", "NaN"}, exitUsage, "--min-drop: expected a number of at least 0, found NaN"},
		{"a level without end", []string{"trend", "--scores", cases, "--min-drop", "Inf"}, exitUsage, "--min-drop: expected a number of at least 0, found +Inf"},
		{"a budget without a judge", run("--no-to", "--budget", "5USD"), exitUsage, "--budget has no effect without a judge; expected --judge BACKEND:MODEL"},
		{"a budget for no judge", run("--no-to", "--quiet", "--metrics", "tree_match", "--judge", "none", "--budget", "5USD"), exitDone, ""},
		{"a key without a judge", run("--no-to", "--judge-key-env", "HOME"), exitUsage, "--judge-key-env has no effect without a judge"},
		{"a day without sentinels", run("--since", "2025-01-31"), exitUsage, "--since has no effect without --sentinels FILE or --fail-on-drift"},
		{"a judge without its backend", run("--no-to", "--judge", "gpt-4o"), exitUsage, `found "gpt-4o" without a backend before it, write openai:gpt-4o`},
		{"a misspelt backend", run("--no-to", "--judge", "opnai:m"), exitUsage, `found "opnai" before the colon`},
		{"a judge's address without its scheme", run("--no-to", "--judge", "openai:m", "--judge-url", "127.0.0.1:8000/v1"), exitUsage, "(--judge-url or judge.base_url): expected http(s)://HOST[:PORT]/PATH, such as http://127.0.0.1:8000/v1"},
		{"a key file that is missing", run("--no-to", "--judge", "openai:m", "--judge-url", "http://127.0.0.1:1/v1", "--judge-key-file", dir+"/none.key"), exitUsage, "--judge-key-file or judge.key_file cannot be read: no such file or directory"},
		{"several metrics in one", run("--no-to", "--metrics", "hybrid_ex verdict"), exitUsage, `unknown metric "hybrid_ex verdict"; separate names by commas`},
		{"an agent that is not there", run("--no-to", "--agent", "atlsa"), exitFail, "its answers have no names"},
		{"a misspelt placeholder", run("--no-to", "--snapshots", "none", "--execute", "duckdb:{databse}.duckdb"), exitUsage, "--execute: unknown placeholder {databse}; the only one is {database}"},
		{"a URL for a file", []string{"run", "--no-to", "--cases", "duckdb:x.duckdb"}, exitUsage, "--cases: expected a file, found a URL; write --source duckdb:x.duckdb"},
		{"cases for a warehouse", []string{"run", "--no-to", "--source", "x.jsonl"}, exitUsage, "found a file; write --cases x.jsonl"},
		{"a path for a URL", []string{"report", "--db", "./x"}, exitUsage, "--db: expected a URL that begins with"},
		{"the form of a path", []string{"report", "--db", "./x"}, exitUsage, "; a file of DuckDB is written duckdb:FILE"},
		{"a database that is missing", []string{"report", "--db", "duckdb:" + dir + "/none.duckdb"}, exitFail, `--db: duckdb: database "none.duckdb" does not exist (` + dir + "/none.duckdb)"},
		{"a database of SQL that is missing", []string{"sql", "--db", dir + "/none.duckdb", "SELECT 1"}, exitFail, dir + "/none.duckdb)"},
		{"a file for SQL", []string{"sql", "x.sql"}, exitUsage, "write badger sql < x.sql"},
		{"a database for SQL", []string{"sql", "x.duckdb"}, exitUsage, "write --db x.duckdb"},
		{"another warehouse for SQL", []string{"sql", "--db", "postgres://h/d", "SELECT 1"}, exitUsage, "--db: expected a file of DuckDB, found the URL of another warehouse (postgres:)"},
		{"writing to nowhere", []string{"sql", "--write", "CREATE TABLE t (a INT)"}, exitUsage, "--write has no effect on a database in memory"},
		{"two versions without flags", []string{"compare", "--db", "duckdb:x", "a@1", "a@2"}, exitUsage, "write --from AGENT@VERSION --to AGENT@VERSION"},
		{"a form without its flag", []string{"export", "bird", "--to", "csv"}, exitUsage, "write --to bird"},
		{"text for cases", []string{"run", "--no-to", "--cases", write("notes.txt", "hello world\n")}, exitFail, "notes.txt: expected one JSON object a line (JSON Lines), found text; a case is such as"},
		{"YAML for cases", []string{"run", "--no-to", "--cases", write("cases.yaml", "cases:\n  - a\n")}, exitFail, "cases.yaml: expected one JSON object a line (JSON Lines), found YAML"},
		{"SQL for cases", []string{"run", "--no-to", "--cases", write("cases.sql", "SELECT 1\n")}, exitFail, "found SQL; badger import sql converts"},
		{"a database for cases", []string{"run", "--no-to", "--cases", write("c.duckdb", "12345678DUCK\n")}, exitFail, "found a DuckDB database; --source duckdb:FILE reads"},
		{"a judge file that is a folder", run("--no-to", "--judges", dir), exitUsage, "is a folder; expected a file in YAML or Starlark"},
		{"an unknown function without rows", []string{"pipe", "hybridex"}, exitUsage, "hybridex"},
		{"a known function without rows", []string{"pipe", "hybrid_ex"}, exitDone, ""},
		{"a kappa above 1", []string{"calibrate", "--cases", cases, "--fail-under", "hybrid_ex=1.5"}, exitUsage, "--fail-under: hybrid_ex=1.5: expected at most 1, the greatest kappa"},
		{"values that are missing", []string{"install", "--warehouse", "duckdb", "--print", "--values", "/none/v.yaml"}, exitUsage, `--values: file "/none/v.yaml" does not exist`},
		{"replies that are missing", run("--no-to", "--assessments", "/none/r.jsonl"), exitUsage, `--assessments: file "/none/r.jsonl" does not exist`},
		{"CSV for replies", run("--no-to", "--assessments", write("r.csv", "case,verdict\n")), exitUsage, "malformed JSON at byte 1; expected an object a line (JSON Lines)"},
		{"CSV for scores", []string{"trend", "--scores", write("s.csv", "case,metric\n")}, exitFail, "expected a score: malformed JSON at byte 1; expected an object a line (JSON Lines)"},
		{"a number for a case", []string{"trend", "--scores", write("n.jsonl", `{"case_id": 5}`+"\n")}, exitFail, "expected a score: case_id is a JSON number, which is not allowed there"},
		{"a misspelt primary metric", file("--config", "p.yaml", "metrics: {primary: hybrid_x}\n", "--cases", cases), exitUsage, `metrics.primary: unknown metric "hybrid_x"; did you mean hybrid_ex?`},
		{"a file of SQLite with three slashes", []string{"run", "--source", "sqlite://" + filepath.Join(dir, "none.sqlite"), "--no-to"}, exitFail, `database "none.sqlite": file not found (` + dir + "/none.sqlite)"},
		{"a misspelt section", file("--config", "d.yaml", "judg: {}\n", "--cases", cases), exitUsage, `unknown key "judg"; did you mean judge, judges?`},
	} {
		code, out, log := badger(t, c.args...)
		if code != c.code || !strings.Contains(log, c.says) {
			t.Errorf("%s: exit %d, want %d with %q:\n%s%s", c.name, code, c.code, c.says, out, log)
		}
	}
}

// A database of a name that is none may hold a password.
func TestMistakesHideSecrets(t *testing.T) {
	for _, url := range []string{"user:s3cret@host", "user:s3cret@host/x.db", "s3cret@host.duckdb", "jdbc:s3cret@x:y", "A:s3cret"} {
		if _, out, log := badger(t, "report", "--db", url); strings.Contains(out+log, "s3cret") {
			t.Errorf("%s: %s%s", url, out, log)
		}
	}
}

// Scoring functions say why they returned NULL, once for each function.
func TestSQLSaysWhyNull(t *testing.T) {
	out, log := must(t, "sql", `SELECT ex_bird(g, p) AS ex FROM (VALUES
		('{"columns": ["n"], "rows": [[1]]}', '{"columns": ["n"], "rows": [[1]]}'), ('gold.csv', 'x'), ('gold.csv', 'y')) t(g, p)`)
	if strings.Count(out, "NULL") != 2 || strings.Count(log, "note: ") != 1 ||
		!strings.Contains(log, "note: 2 calls of ex_bird returned NULL, the first as failed: gold result: ") {
		t.Errorf("%s%s", out, log)
	}
	if _, log := must(t, "sql", `SELECT ex_bird_json('gold.csv', 'x')`); log != "" {
		t.Errorf("a score that says why itself: %s", log)
	}
}

// A gate on broken cases fails for one more than it allows, whether or not the change can be chance.
func TestMaxBroken(t *testing.T) {
	dir := t.TempDir()
	text := ""
	for i := range 8 {
		for version, n := range map[string]int{"1": i, "2": i} {
			if version == "2" && i < 3 {
				n += 100 // breaks
			}
			text += fmt.Sprintf(`{"case_id": "q%d", "question": "?", "gold": {"result": {"columns": ["n"], "rows": [[%d]]}}, "agent": {"name": "a", "version": %q, "result": {"columns": ["n"], "rows": [[%d]]}}}`+"\n", i, i, version, n)
		}
	}
	cases, db := filepath.Join(dir, "cases.jsonl"), "duckdb:"+filepath.Join(dir, "s.duckdb")
	if err := os.WriteFile(cases, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, log := badger(t, "run", "--quiet", "--cases", cases, "--to", db, "--metrics", "ex_bird", "--max-broken", "ex_bird=2", "--fail-on-drop", "ex_bird=0")
	if code != exitGate || !strings.Contains(log, "gate failed: ex_bird: 3 of the 8 cases that passed in the baseline broke") ||
		!strings.Contains(log, "gate passed: ex_bird passed on 100.0%") || !strings.Contains(log, "3 changed cases can always be chance, and --max-broken ex_bird=N limits") {
		t.Errorf("exit %d: %s", code, log)
	}
	for _, command := range []string{"report", "compare", "trend"} {
		for most, want := range map[string]int{"ex_bird=2": exitGate, "ex_bird=3": exitDone} {
			if code, _, log := badger(t, command, "--db", db, "--max-broken", most); code != want || !strings.Contains(log, "ex_bird: 3 of the 8 cases that passed in the baseline broke") {
				t.Errorf("%s, %s: exit %d, want %d: %s", command, most, code, want, log)
			}
		}
	}
}

// An agent, version or batch without scores is an error that names those that have some, also where a gate would pass.
// A run is not compared with itself.
func TestMistakesInNames(t *testing.T) {
	dir := t.TempDir()
	cases, db, scores := filepath.Join(dir, "cases.jsonl"), "duckdb:"+filepath.Join(dir, "s.duckdb"), filepath.Join(dir, "scores.jsonl")
	text := ""
	for _, batch := range []string{"b1", "b2"} {
		text += fmt.Sprintf(`{"case_id": "q", "question": "?", "gold": {"result": {"columns": ["n"], "rows": [[1]]}}, "agent": {"name": "atlas", "version": "1", "batch_id": %q, "result": {"columns": ["n"], "rows": [[1]]}}}`+"\n", batch)
	}
	if err := os.WriteFile(cases, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, "run", "--quiet", "--cases", cases, "--to", db, "--metrics", "ex_bird", "--run-id", "r", "--scores", scores)
	for _, from := range [][]string{{"--db", db}, {"--scores", scores}} {
		for _, c := range []struct {
			args []string
			says string // "": no error
		}{
			{[]string{"trend", "--agent", "nope"}, "--agent nope: no such answers; the scores are of "},
			{[]string{"trend", "--batch", "nope", "--max-broken", "ex_bird=0"}, "--batch nope: no such answers; the scores are of "},
			{[]string{"failures", "--agent", "atlas", "--agent-version", "2"}, "--agent atlas, --agent-version 2: no such answers"},
			{[]string{"audit", "--agent", ""}, "--agent '': no such answers"},
			{[]string{"rank", "--batch", "b3"}, "--batch b3: no such answers"},
			{[]string{"compare", "--from", "nope"}, "--from: no scores of \"nope\"; there are "},
			{[]string{"trend", "--agent", "atlas", "--batch", "b2"}, ""},
			{[]string{"failures", "--batch", "b1"}, ""},
		} {
			code, _, log := badger(t, append(c.args, from...)...)
			if c.says == "" && code != exitDone || c.says != "" && (code != exitUsage || !strings.Contains(log, c.says) || !strings.Contains(log, "b2")) {
				t.Errorf("%q: exit %d: %s", c.args, code, log)
			}
		}
	}
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"--against", "r"}, exitUsage}, {[]string{"--agent", "atlas", "--against", "r"}, exitUsage},
		{[]string{"--batch", "b2", "--against", "atlas@1"}, exitUsage}, {[]string{"--batch", "b2", "--against", "b2"}, exitUsage},
		{[]string{"--batch", "b2", "--against", "b1"}, exitDone},
	} {
		if code, _, log := badger(t, append([]string{"report", "--db", db}, c.args...)...); code != c.code || code != exitDone && !strings.Contains(log, "is the run that is reported on") {
			t.Errorf("%q: exit %d, want %d: %s", c.args, code, c.code, log)
		}
	}
}

// Every number of the command line has a least value, so that one that has no meaning is an error.
func TestNumbersHaveLeastValues(t *testing.T) {
	parser, err := kong.New(&commands{}, kong.Vars{"version": ""})
	if err != nil {
		t.Fatal(err)
	}
	var look func(n *kong.Node)
	look = func(n *kong.Node) {
		for _, f := range n.Flags {
			of := f.Target.Type()
			if of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
			switch of.Kind() {
			case reflect.Int, reflect.Int64, reflect.Float64:
				if of != reflect.TypeFor[time.Duration]() && !f.Tag.Has("least") && f.Name != "seed" {
					t.Errorf("%s --%s: no least value", n.FullPath(), f.Name)
				}
			}
		}
		for _, c := range n.Children {
			look(c)
		}
	}
	look(parser.Model.Node)
}
