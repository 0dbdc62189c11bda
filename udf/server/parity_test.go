package server

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/udf"
)

// seldomCases are what the labelled cases hold few of: queries that failed, questions that call for
// no answer, answers that are missing.
const seldomCases = `{"case_id": "failed", "question": "How many?", "gold": {"sql": "SELECT 1 AS n", "result": {"columns": ["n"], "rows": [[1]]}}, "agent": {"sql": "SELEC", "error": "syntax error"}}
{"case_id": "gold failed", "question": "How many?", "gold": {"sql": "SELECT 1 AS n", "error": "no table"}, "agent": {"sql": "SELECT 1 AS n", "result": {"columns": ["n"], "rows": [[1]]}}}
{"case_id": "not run", "question": "How many?", "gold": {"sql": "SELECT 1 AS n", "result": {"columns": ["n"], "rows": [[1]]}}, "agent": {"sql": "SELECT 1 AS n"}}
{"case_id": "no answer", "question": "How many?", "gold": {"sql": "SELECT 1 AS n", "result": {"columns": ["n"], "rows": [[1]]}}, "agent": {"response": "I do not know."}}
{"case_id": "silent", "question": "How many?", "gold": {"sql": "SELECT 1 AS n", "result": {"columns": ["n"], "rows": [[1]]}}, "agent": {}}
{"case_id": "refused", "question": "Delete all.", "expected": {"behaviour": "refuse"}, "agent": {"response": "I only read."}}
{"case_id": "not refused", "question": "Delete all.", "expected": {"behaviour": "refuse"}, "agent": {"sql": "DELETE FROM t", "error": "read only"}}
{"case_id": "asked back", "question": "The usual?", "expected": {"behaviour": "clarify", "clarifications": ["which usual"]}, "agent": {"response": "Which?"}}
{"case_id": "other words", "question": "Which agencies have clients, and how many?", "evidence": "a client is a person", "schema_ddl": "CREATE TABLE t (n INT)", "dialect": "snowflake", "gold": {"sql": "SELECT a, n FROM t", "result": {"columns": ["a", "n"], "rows": [["x", 1], ["y", 2]]}}, "agent": {"sql": "SELECT b, m FROM t", "result": {"columns": ["b", "m"], "rows": [["Xa", 7], ["Yb", 2]]}, "interpretation": "Agencies with clients", "response": "There are two: Xa has 7.", "tool_calls": ["run"]}, "expected": {"tools": ["run"], "clarifications": ["which clients"]}}
{"case_id": "tools", "question": "How many?", "expected": {"tools": ["a", "b"]}, "agent": {"tool_calls": ["a", {"name": "c"}], "latency_ms": 150}, "gold": {"latency_ms": 100}}
{"case_id": "dialect", "dialect": "bigquery", "question": "Sort by n.", "gold": {"sql": "SELECT n FROM ` + "`a.b.t`" + ` ORDER BY n DESC", "result": {"columns": ["n"], "rows": [[2], [1]]}}, "agent": {"sql": "SELECT t.n FROM a.b.t AS t QUALIFY ROW_NUMBER() OVER () > 0", "result": {"columns": ["n"], "rows": [[1], [2]]}}, "options": {"hybrid_ex": {"extra_columns": "penalize"}}}`

// arguments are the arguments of a function, as texts, from a line of a case file.
func arguments(t *testing.T, fn *udf.Function, line []byte) []string {
	t.Helper()
	var c map[string]any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&c); err != nil {
		t.Fatal(err)
	}
	member := func(key string) any {
		var at any = c
		for _, name := range strings.Split(key, ".") {
			in, _ := at.(map[string]any)
			at = in[name]
		}
		return at
	}
	text := func(v any) string {
		switch v := v.(type) {
		case nil:
			return ""
		case string:
			return v
		}
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	given := map[string]string{
		"case_json": string(line), "options": text(member("options." + fn.Metric)),
		"agent_ran": fmt.Sprint(text(member("agent.error")) != "" || member("agent.result") != nil),
	}
	for _, f := range scoring.Fields() {
		for _, a := range f.Args {
			if a.Key != "" {
				given[a.Name] = text(member(a.Key))
			}
		}
	}
	var out []string
	for _, p := range fn.Params {
		v, ok := given[p.Name]
		if !ok {
			t.Fatalf("%s: nothing is known of parameter %s", fn.Name, p.Name)
		}
		if v == "" {
			v = "\x00"
		}
		out = append(out, v)
	}
	return out
}

// Every function says of a case what a run says of it, in the same bytes and through every
// transport.
func TestFunctionsSayWhatRunsSay(t *testing.T) {
	open := func(o *scoring.EngineOptions) (*scoring.Engine, *running) {
		engine, err := scoring.NewEngine(metric.All(), o)
		if err != nil {
			t.Fatal(err)
		}
		catalogue, err := udf.NewCatalogue(engine, nil)
		if err != nil {
			t.Fatal(err)
		}
		return engine, start(t, catalogue, nil)
	}
	compare := func(t *testing.T, engine *scoring.Engine, server *running, lines [][]byte, over []transport) {
		for i := range engine.Metrics() {
			m := &engine.Metrics()[i]
			fn, err := server.catalogue.Function(m.Name + "_json")
			if err != nil {
				t.Fatal(err)
			}
			var rows [][]string
			var want []string
			for _, line := range lines {
				c, err := scoring.DecodeCase(line)
				if err != nil {
					t.Fatal(err)
				}
				if m.Needs&scoring.FieldCase == 0 {
					c.ID = "" // the one thing that a function is not told
				}
				scores, err := engine.ScoreMetrics(t.Context(), c, []*scoring.Metric{m})
				if err != nil {
					t.Fatal(err)
				}
				text, err := json.Marshal(scoring.Row{AnswerID: scoring.AnswerID{CaseID: c.ID}, Score: scores[0]})
				if err != nil {
					t.Fatal(err)
				}
				want, rows = append(want, string(text)), append(rows, arguments(t, fn, line))
			}
			for _, tr := range over {
				got := tr.call(t, server, fn.Name, rows)
				for k := range want {
					if d := cmp.Diff(want[k], got[k]); d != "" {
						t.Errorf("%s of %.60s over %s (-run +function):\n%s", m.Name, lines[k], tr.name, d)
					}
				}
			}
		}
	}
	engine, server := open(nil)
	t.Run("seldom cases over every transport", func(t *testing.T) {
		compare(t, engine, server, bytes.Split([]byte(seldomCases), []byte("\n")), transports)
	})
	t.Run("labelled cases", func(t *testing.T) {
		f, err := os.Open(filepath.Join("..", "..", "shared", "data", "rosevec", "cases.jsonl"))
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip("the reference data rosevec are not beside the project")
		}
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var lines [][]byte
		in := bufio.NewScanner(f)
		in.Buffer(nil, 64<<20)
		for in.Scan() {
			if strings.Contains(in.Text(), `"result":`) || len(lines)%4 == 0 { // and some of those without results
				lines = append(lines, bytes.Clone(in.Bytes()))
			}
		}
		if len(lines) < 183 {
			t.Fatalf("%d cases, want at least the 183 with results", len(lines))
		}
		compare(t, engine, server, lines, transports[:1])
		compare(t, engine, server, lines[:8], transports[1:])
	})
	t.Run("what a judge is told", func(t *testing.T) {
		engine, server := open(&scoring.EngineOptions{Judge: telltale{}, Config: scoring.Config{Options: map[string]json.RawMessage{"hybrid_ex": json.RawMessage(`{"stage1": "judge"}`)}}})
		compare(t, engine, server, bytes.Split([]byte(seldomCases), []byte("\n")), transports[:1])
	})
}

// telltale is a judge whose error identifies the question, and so the score that fails with it.
type telltale struct{}

func (telltale) Identity() judgebackend.Identity {
	return judgebackend.Identity{Backend: "telltale", Model: "none"}
}

func (telltale) Complete(_ context.Context, r judgebackend.Request) (judgebackend.Response, error) {
	return judgebackend.Response{}, errcode.New(errcode.InvalidArgument, "%x", sha256.Sum256(fmt.Appendf(nil, "%+v", r)))
}
