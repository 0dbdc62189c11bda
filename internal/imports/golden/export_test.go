package golden

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// linesOf returns the lines of a text as those of a case file.
func linesOf(text string) Lines {
	return func(context.Context) iter.Seq2[Line, error] {
		return func(yield func(Line, error) bool) {
			n := 0
			for line := range strings.Lines(text) {
				n++
				if !yield(Line{fmt.Sprintf("cases.jsonl:%d", n), []byte(strings.TrimSuffix(line, "\n"))}, nil) {
					return
				}
			}
		}
	}
}

// words of random texts: what CSV, YAML and JSON quote, what looks like another type, and letters beyond ASCII.
var odd = []string{"how", "many", "'", `"`, "\n", "\t", ": ", "- ", "#", "é", "数", "😀", "\\", ",", "|", "12", "true", "null", "~", "%", "@", "&", "*x", "\u2028", "<", ">", "\r\n"}

func oddText(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("x")
	for range r.IntN(6) {
		b.WriteString(odd[r.IntN(len(odd))])
	}
	b.WriteString("y")
	return b.String()
}

// anyCase returns a case with random values in the keys that the kind has.
func anyCase(r *rand.Rand, k *Kind, n int) *Case {
	c := &Case{ID: fmt.Sprint(n), Dialect: k.dialect}
	some := func(key string) bool { return k.has(key) && r.IntN(3) > 0 }
	if r.IntN(2) > 0 {
		c.ID = oddText(r) + c.ID
	}
	c.Question = oddText(r)
	if some("evidence") {
		c.Evidence = oddText(r)
	}
	if some("database") || k.Name == "spider" {
		c.Database = oddText(r)
	}
	if some("tags") {
		c.Tags = []string{"moderate"}
		if k.Name != "bird" && k.Name != "defog" {
			c.Tags = append(c.Tags, oddText(r))
		}
	}
	for range 1 + r.IntN(3) {
		c.addGolds("SELECT " + oddText(r))
		if k.oneGold() {
			break
		}
	}
	if some("gold.result") && len(c.Golds) == 1 {
		c.Golds[0].Result = quoted("file:" + oddText(r))
	}
	if some("expected.tools") {
		c.Tools = json.RawMessage(`[{"name":"a","arguments":{"b":1}}]`)
	}
	if some("agent.sql") {
		c.Answer.SQL = "SELECT " + oddText(r)
	}
	if some("human.label") {
		c.Label = "fail"
	}
	if some("dialect") {
		c.Dialect = "duckdb"
	}
	if r.IntN(2) > 0 {
		c.Meta = jsonscan.Object{{Name: []byte("further " + oddText(r)), Value: quoted(oddText(r))}}
	}
	return c
}

func lineOf(c *Case) string {
	m := members{[]byte{'{'}}
	m.text("case_id", c.ID)
	if text := c.text(); len(text) > 0 {
		m.to = append(append(m.to, ','), text...)
	}
	if !c.Answer.empty() {
		m.raw("agent", append(append([]byte{'{'}, c.Answer.text()...), '}'))
	}
	return string(append(m.to, "}\n"...))
}

// What is exported is imported as it was, for the keys that the form has.
func TestImportOfExport(t *testing.T) {
	t.Parallel()
	if got := strings.Join(Written(), " "); got != "bird cortex-analyst csv defog evalbench genie langfuse langsmith mlflow spider" {
		t.Errorf("written are %s", got)
	}
	for _, k := range kinds {
		if k.write == nil {
			continue
		}
		r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test
		var want strings.Builder
		for n := range 60 {
			want.WriteString(lineOf(anyCase(r, k, n)))
		}
		var out bytes.Buffer
		lost, err := Export(t.Context(), k, linesOf(want.String()), kept, &out)
		if err != nil || lost.Written != 60 || len(lost.What) > 0 {
			t.Errorf("%s: %v, %v", k.Name, lost, err)
			continue
		}
		dir := t.TempDir()
		file := filepath.Join(dir, "set")
		if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		got, reports, _ := imported(t, k, Options{Dir: dir}, []string{file}, "")
		a, b := strings.Split(want.String(), "\n"), strings.Split(got, "\n")
		for i := range a {
			if i >= len(b) || a[i] != b[i] {
				t.Errorf("%s: case %d of %d and %d\nwant %s\ngot  %s\n%d reports", k.Name, i, len(a), len(b), a[i], b[min(i, len(b)-1)], len(reports))
				break
			}
		}
	}
}

// The input of a chat comes back as it was imported.
func TestChatOfLangfuseComesBack(t *testing.T) {
	t.Parallel()
	item := `{"id":"i1","expectedOutput":{"gold_sql":"SELECT 1"},"input":[{"role":"user","content":"How many?"}]}` + "\n"
	file := filepath.Join(t.TempDir(), "items.jsonl")
	if err := os.WriteFile(file, []byte(item), 0o600); err != nil {
		t.Fatal(err)
	}
	cases, _, _ := imported(t, KindNamed("langfuse"), Options{}, []string{file}, "")
	var out bytes.Buffer
	if _, err := Export(t.Context(), KindNamed("langfuse"), linesOf(cases), kept, &out); err != nil || out.String() != item {
		t.Errorf("%v, got %s", err, out.String())
	}
}

// What a form has no field for is counted.
func TestExportCountsWhatIsLost(t *testing.T) {
	t.Parallel()
	line := `{"case_id": "a", "question": "Q?", "tags": ["x"], "gold": [{"sql": "SELECT 1; SELECT 2", "result": {"columns": ["n"], "rows": [[1]]}}, {"sql": "SELECT 3"}], "agent": {"sql": "SELECT 4"}, "human": {"label": true}, "evidence": "e"}` + "\n"
	for kind, want := range map[string]string{
		"spider": "map[answers:1 further golds:1 hints:1 labels:1 results of gold:1 tags:1]",
		"defog":  "map[golds that would be split:1 labels:1 results of gold:1]",
		"csv":    "map[further results:1]",
	} {
		var out bytes.Buffer
		lost, err := Export(t.Context(), KindNamed(kind), linesOf(line), kept, &out)
		if got := fmt.Sprint(lost.What); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", kind, got, err, want)
		}
	}
	if _, err := Export(t.Context(), KindNamed("bird"), linesOf(`{"question": "no ID"}`), kept, &bytes.Buffer{}); err == nil || !strings.HasPrefix(err.Error(), "cases.jsonl:1: ") {
		t.Errorf("a line without an ID: %v", err)
	}
}

// The forms are those of the products: what is written by hand here is what is exported.
func TestExportedForms(t *testing.T) {
	t.Parallel()
	line := `{"case_id": "7", "question": "How many?", "database": "shop", "gold": {"sql": "SELECT 1\nFROM t"}, "meta": {"owner": "ann"}}`
	for kind, want := range map[string]string{
		"bird":           "[\n" + `{"question_id":7,"db_id":"shop","question":"How many?","evidence":"","SQL":"SELECT 1\nFROM t","owner":"ann"}` + "\n]\n",
		"spider":         "[\n" + `{"db_id":"shop","question":"How many?","query":"SELECT 1\nFROM t","id":"7","owner":"ann"}` + "\n]\n",
		"defog":          "db_name,query_category,question,instructions,query,id,owner\nshop,,How many?,,\"SELECT 1\nFROM t\",7,ann\n",
		"csv":            "case_id,question,gold_sql,database,owner\n7,How many?,\"SELECT 1\nFROM t\",shop,ann\n",
		"genie":          `{"version": 2, "benchmarks": {"questions": [` + "\n" + `{"id":"7","question":["How many?"],"answer":[{"format":"SQL","content":["SELECT 1\n","FROM t"]}],"owner":"ann"}` + "\n]}}\n",
		"mlflow":         `{"dataset_record_id":"7","inputs":{"question":"How many?","database":"shop"},"expectations":{"gold_sql":"SELECT 1\nFROM t"},"owner":"ann"}` + "\n",
		"langsmith":      `{"id":"7","inputs":{"question":"How many?","database":"shop"},"outputs":{"gold_sql":"SELECT 1\nFROM t"},"owner":"ann"}` + "\n",
		"langfuse":       `{"id":"7","input":{"question":"How many?","database":"shop"},"expectedOutput":{"gold_sql":"SELECT 1\nFROM t"},"owner":"ann"}` + "\n",
		"cortex-analyst": "verified_queries:\n- name: \"7\"\n  question: \"How many?\"\n  sql: \"SELECT 1\\nFROM t\"\n  owner: \"ann\"\n",
	} {
		var out bytes.Buffer
		if _, err := Export(t.Context(), KindNamed(kind), linesOf(line), kept, &out); err != nil || out.String() != want {
			t.Errorf("%s, %v:\n%s\nwant\n%s", kind, err, out.String(), want)
		}
	}
}

// kept keeps the references of a case file.
func kept(ref string) string { return ref }
