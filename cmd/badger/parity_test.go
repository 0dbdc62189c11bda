//go:build !no_duckdb

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/udf"
)

// whose is what a score file says of a score besides the score itself.
var whose = regexp.MustCompile(`,"(?:gold|answer)_hash":"[^"]*"|"case_id":"[^"]*",|"agent_name":"[^"]*",|"agent_version":"[^"]*",|"batch_id":"[^"]*",|"ran_at":"[^"]*",|"(?:tokens_in|tokens_out|cost_usd|latency_ms)":[0-9.]+,`)

// scoreFile reads a score file into scores by answer and metric.
func scoreFile(t *testing.T, path string) map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scores := map[string]string{}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 64<<20)
	part := func(name string) string {
		m := regexp.MustCompile(`"` + name + `":"([^"]*)"`).FindStringSubmatch(in.Text())
		if m == nil {
			return ""
		}
		return m[1]
	}
	for in.Scan() {
		scores[part("case_id")+" "+part("agent_version")+" "+part("metric")] = whose.ReplaceAllString(in.Text(), "")
	}
	return scores
}

// columns are the arguments of functions, as the tables hold them: g is golden_set, r agent_runs.
var columnOf = map[string]string{
	"question": "g.question", "evidence": "g.evidence", "schema_ddl": "g.schema_ddl", "dialect": "g.dialect", "gold_sql": "g.gold_sql", "gold_result": "g.gold_result",
	"gold_error": "g.gold_error", "expected_behaviour": "g.expected_behaviour", "expected_tools": "g.expected_tools", "expected_clarifications": "g.expected_clarifications",
	"gold_latency_ms": "COALESCE(r.gold_latency_ms, g.gold_latency_ms)", "agent_sql": "r.sql", "agent_result": "r.result", "sql_error": "r.sql_error", "interpretation": "r.interpretation",
	"agent_chart": "r.chart", "contexts": "r.contexts", "gold_chart": "g.gold_chart", "response": "r.response", "tool_calls": "r.tool_calls", "agent_latency_ms": "r.latency_ms", "agent_ran": "(r.result IS NOT NULL OR r.sql_error IS NOT NULL)",
}

// A run over the tables and the functions called from SQL over the same tables give the same scores
// to the byte.
func compareWithSQL(t *testing.T, db string, ran map[string]string) {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := udf.NewCatalogue(engine, nil)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	var selects []string
	for _, m := range engine.Metrics() {
		if m.OnRequest || m.Needs&(scoring.FieldCase|scoring.FieldJudge) != 0 {
			continue
		}
		fn, err := catalogue.Function(m.Name + "_json")
		if err != nil {
			t.Fatal(err)
		}
		var args []string
		for _, p := range fn.Params {
			switch column, ok := columnOf[p.Name]; {
			case p.Name == "options":
				args = append(args, "json_extract(g.metric_options, '$."+m.Name+"')")
			case ok:
				args = append(args, column)
			default:
				t.Fatalf("%s: the tables have no column for %s", fn.Name, p.Name)
			}
		}
		selects = append(selects, fmt.Sprintf("SELECT '%s' AS metric, r.case_id, r.agent_version, %s(%s) AS score FROM badger.agent_runs r JOIN badger.golden_set g USING (case_id)", m.Name, fn.Name, strings.Join(args, ", ")))
	}
	out := filepath.Join(t.TempDir(), "sql.jsonl")
	query := fmt.Sprintf("COPY (SELECT case_id || ' ' || agent_version || ' ' || metric || chr(9) || score FROM (%s)) TO '%s' (FORMAT csv, HEADER false, DELIMITER '\x01', QUOTE '')", strings.Join(selects, " UNION ALL "), out)
	if code, _, stderr := badger(t, "sql", "--db", db, "--write", query); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		key, score, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		score = whose.ReplaceAllString(score, "")
		if want, ok := ran[key]; !ok {
			t.Errorf("%s: the run has no such score", key)
		} else if score != want {
			t.Errorf("%s:\nrun %s\nSQL %s", key, want, score)
		}
		compared++
	}
	if compared < len(selects)*50 {
		t.Errorf("%d scores compared", compared)
	}
}

func TestSQLSaysWhatARunSays(t *testing.T) {
	t.Run("demo", func(t *testing.T) {
		dir := t.TempDir()
		db, scores := copyOfDemo(t), filepath.Join(dir, "scores.jsonl")
		if code, _, stderr := badger(t, "run", "--source", "duckdb:"+db, "--no-to", "--scores", scores, "--json"); code != exitDone {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		compareWithSQL(t, db, scoreFile(t, scores))
	})
	t.Run("labelled cases, in a file and in tables", func(t *testing.T) {
		dir := t.TempDir()
		lines := slices.Collect(strings.Lines(readFile(t, referenceFile(t, "rosevec/cases.jsonl"))))
		if len(lines) != 397 {
			t.Fatalf("%d cases, want 397", len(lines))
		}
		cases := writeFile(t, "cases.jsonl", strings.Join(sample.Of(lines, 4), ""))
		db := filepath.Join(dir, "w.duckdb")
		w, err := openWarehouse(t.Context(), "duckdb:"+db, readWrite)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(cases)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var all []*scoring.Case
		in := bufio.NewScanner(f)
		in.Buffer(nil, 64<<20)
		for in.Scan() {
			c, err := scoring.DecodeCase(in.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
		}
		if err := w.WriteCases(t.Context(), "1", all); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		fromFile, fromTables := filepath.Join(dir, "file.jsonl"), filepath.Join(dir, "tables.jsonl")
		for _, args := range [][]string{{"--cases", cases, "--scores", fromFile}, {"--source", "duckdb:" + db, "--scores", fromTables}} {
			if code, _, stderr := badger(t, append([]string{"run", "--no-to", "--json"}, args...)...); code != exitDone {
				t.Fatalf("exit %d: %s", code, stderr)
			}
		}
		want, got := scoreFile(t, fromFile), scoreFile(t, fromTables)
		for key, score := range want {
			if got[key] != score {
				t.Errorf("%s:\nfile   %s\ntables %s", key, score, got[key])
			}
		}
		if len(got) != len(want) || len(want) < len(all)*40 {
			t.Errorf("%d scores from the file, %d from the tables", len(want), len(got))
		}
		compareWithSQL(t, db, got)
	})
}
