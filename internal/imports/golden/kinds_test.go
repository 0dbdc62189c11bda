package golden

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/relation"
)

// The reasons of ScoreReason in the SDK of Databricks, and the relations they stand for, exist.
func TestReasonsOfGenie(t *testing.T) {
	t.Parallel()
	known := map[string]bool{relation.QueryFailed: true}
	for _, k := range relation.Kinds() {
		known[k.Name] = true
	}
	reasons := strings.Fields(`COLUMN_TYPE_DIFFERENCE EMPTY_GOOD_SQL EMPTY_RESULT LLM_JUDGE_FORMATTING_ERROR LLM_JUDGE_INCOMPLETE_OR_PARTIAL_OUTPUT
		LLM_JUDGE_INCORRECT_FUNCTION_USAGE LLM_JUDGE_INCORRECT_METRIC_CALCULATION LLM_JUDGE_INCORRECT_TABLE_OR_FIELD_USAGE
		LLM_JUDGE_INSTRUCTION_COMPLIANCE_OR_MISSING_BUSINESS_LOGIC LLM_JUDGE_MISINTERPRETATION_OF_USER_REQUEST LLM_JUDGE_MISSING_JOIN
		LLM_JUDGE_MISSING_OR_INCORRECT_AGGREGATION LLM_JUDGE_MISSING_OR_INCORRECT_FILTER LLM_JUDGE_MISSING_OR_INCORRECT_JOIN LLM_JUDGE_OTHER
		LLM_JUDGE_SEMANTIC_ERROR LLM_JUDGE_SYNTAX_ERROR LLM_JUDGE_WRONG_AGGREGATION LLM_JUDGE_WRONG_COLUMNS LLM_JUDGE_WRONG_FILTER
		RESULT_EXTRA_COLUMNS RESULT_EXTRA_ROWS RESULT_MISSING_COLUMNS RESULT_MISSING_ROWS SINGLE_CELL_DIFFERENCE`)
	for _, reason := range reasons {
		names, ok := genieRelations[reason]
		if !ok {
			t.Errorf("%s is not in the table", reason)
		}
		for _, name := range names {
			if !known[name] {
				t.Errorf("%s: no relation %s", reason, name)
			}
		}
	}
	if len(reasons) != len(genieRelations) {
		t.Errorf("%d reasons, %d in the table", len(reasons), len(genieRelations))
	}
}

// Text in UTF-8 with a byte order mark, in UTF-16 and, if it is named, in Windows-1252 is read as the same; other text is an error.
func TestEncodings(t *testing.T) {
	t.Parallel()
	text := "id;question;gold_sql\n1;Wie viele Läden für 5 €?;SELECT 1\n"
	units := utf16.Encode([]rune("\ufeff" + text))
	var little, big bytes.Buffer
	for _, u := range units {
		_ = binary.Write(&little, binary.LittleEndian, u)
		_ = binary.Write(&big, binary.BigEndian, u)
	}
	old, err := charmap.Windows1252.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"case_id":"1","question":"Wie viele Läden für 5 €?","gold":{"sql":"SELECT 1"}}` + "\n"
	for name, x := range map[string]struct{ text, encoding, report string }{
		"UTF-8":             {text, "", ""},
		"with a mark":       {"\ufeff" + text, "", ""},
		"UTF-16LE":          {little.String(), "", ""},
		"UTF-16BE":          {big.String(), "", ""},
		"Windows-1252":      {old, "windows-1252", ""},
		"not named":         {old, "", "set.csv:2: not UTF-8: expected UTF-8 or UTF-16; name another encoding, such as --encoding windows-1252, or save the file as UTF-8; the rest of the file is not read"},
		"without a mark":    {little.String()[2:], "", "set.csv:1: UTF-16 without a byte order mark: save the file as UTF-8, or convert it by iconv -f UTF-16LE -t UTF-8; the rest of the file is not read"},
		"a spreadsheet":     {"PK\x03\x04\x14\x00", "", "set.csv: the file is a spreadsheet or a ZIP archive: save the sheet as CSV, or unpack the archive"},
		"a DuckDB database": {"\x01\x02\x03\x04\x05\x06\x07\x08DUCK\x40\x00", "", "set.csv: the file is a DuckDB database: export it as JSON Lines or CSV"},
		"named UTF-8":       {text, "UTF-8", ""},
		"latin1":            {old, "latin1", ""},
		"cp1252":            {old, "CP1252", ""},
		"named UTF-16":      {little.String()[2:], "utf-16le", ""},
		"UTF-16BE, named":   {big.String()[2:], "utf-16be", ""},
		"a mark decides":    {big.String(), "utf-16le", ""},
		"sep, tabs, quotes": {"sep=\t\nid\tquestion\tgold_sql\n1\t\"Wie viele Läden für 5 €?\"\tSELECT 1\n", "", ""},
		"a quote is open":   {"id,question\n1,\"a\n2,b\n", "", "set.csv:2: ends inside a quoted cell: the file is truncated, or a quote is missing; the rest of the file is not read"},
		"a name twice":      {"id,id\n", "", "set.csv: column 2: the header has \"id\" twice; rename one"},
	} {
		file := filepath.Join(t.TempDir(), "set.csv")
		if err := os.WriteFile(file, []byte(x.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, reports, _ := imported(t, KindNamed("csv"), Options{Encoding: x.encoding}, []string{file}, "")
		if report := strings.Join(reports, "\n"); report != x.report || x.report == "" && got != want {
			t.Errorf("%s: %q\n%s", name, report, got)
		}
	}
}

// IDs do not depend on the order of records, also of those that ask the same with other golds.
func TestIDsDoNotDependOnPosition(t *testing.T) {
	t.Parallel()
	records := []string{
		`{"db_id": "a", "question": "How many?", "query": "SELECT 1"}`, `{"db_id": "a", "question": "how  many?", "query": "SELECT 2"}`,
		`{"db_id": "b", "question": "How many?", "query": "SELECT 1"}`, `{"db_id": "a", "question": "How few?", "query": "SELECT 1"}`,
	}
	ids := func(order ...int) map[string]string {
		var list []string
		for _, i := range order {
			list = append(list, records[i])
		}
		file := filepath.Join(t.TempDir(), "dev.json")
		if err := os.WriteFile(file, []byte("["+strings.Join(list, ",\n")+"]"), 0o600); err != nil {
			t.Fatal(err)
		}
		got, _, _ := imported(t, KindNamed("spider"), Options{}, []string{file}, "")
		out := map[string]string{}
		for line := range strings.Lines(got) {
			c, err := scoring.DecodeCase([]byte(line))
			if err != nil {
				t.Fatal(err)
			}
			out[c.Database+c.Question+c.Golds[0].SQL] = c.ID
		}
		return out
	}
	first := ids(0, 1, 2, 3)
	if len(first) != 4 {
		t.Fatal(first)
	}
	for _, order := range [][]int{{3, 2, 1, 0}, {1, 3, 0, 2}} {
		for key, id := range ids(order...) {
			if first[key] != id {
				t.Errorf("%q has the ID %s, and %s in another order", key, first[key], id)
			}
		}
	}
}

// What is left to run, and on which engine, is known from the queries without results.
func TestWhatIsLeftToRun(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		kind, text string
		run        bool
		engine     string
	}{
		"golds":                       {"bird", `{"question_id": 1, "question": "A?", "SQL": "SELECT 1"}`, true, "sqlite"},
		"golds of two dialects":       {"csv", "id,question,gold_sql,dialect\n1,A?,SELECT 1,duckdb\n2,B?,SELECT 2,postgres\n", true, ""},
		"an answer to a value":        {"csv", "id,question,gold,answer\n1,A?,12,SELECT 12\n", true, ""},
		"results of golds and answer": {"csv", "id,question,gold_sql,gold_result,predicted_sql,agent_result\n1,A?,SELECT 1,table:a,SELECT 2,table:b\n", false, ""},
		"no SQL":                      {"fabric", "question,expected_answer\nA?,5\n", false, ""},
	} {
		file := filepath.Join(t.TempDir(), "set")
		if err := os.WriteFile(file, []byte(x.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, reports, s := imported(t, KindNamed(x.kind), Options{}, []string{file}, "")
		if s.Executable != x.run || s.Engine != x.engine {
			t.Errorf("%s: %t %q, want %t %q\n%s", name, s.Executable, s.Engine, x.run, x.engine, reports)
		}
	}
}

// A file of another kind is not a set of cases without gold: the report says which command reads it. What a kind reads
// itself is never reported.
func TestOtherForms(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ kind, text, want string }{
		{"langsmith", `{"id": "r0", "trace_id": "r0", "run_type": "chain", "inputs": {"question": "Q?"}, "outputs": {"output": "SELECT 3"}}`, "a trace of LangSmith, which badger import traces reads"},
		{"langsmith", `{"runs": [{"id": "r0", "run_type": "llm", "inputs": {}}], "cursors": {"next": "x"}}`, "a trace of LangSmith, which badger import traces reads"},
		{"langfuse", `{"id": "t1", "timestamp": "2025-03-01T10:00:00Z", "input": "Q?", "output": "3", "observations": []}`, "a trace of Langfuse, which badger import traces reads"},
		{"langfuse", `{"data": [{"id": "t1", "timestamp": "2025-03-01T10:00:00Z", "input": "Q?", "output": "3"}]}`, "a trace of Langfuse, which badger import traces reads"},
		{"mlflow", `{"traceId": "t", "spanId": "s", "name": "a"}`, "a trace of OpenTelemetry, which badger import traces reads"},
		{"langsmith", `{"inputs": {"question": "Q?"}, "outputs": {"sql": "SELECT 2"}, "expectations": {"sql": "SELECT 1"}}`, "in the form of MLflow evaluation data sets, which badger import mlflow reads"},
		{"mlflow", `{"inputs": {"question": "Q?"}, "outputs": {"sql": "SELECT 1"}}`, "in the form of LangSmith data sets, which badger import langsmith reads"},
		{"langsmith", `{"inputs": {"question": "Q?"}, "expectations": {"sql": "SELECT 1"}}`, "in the form of MLflow evaluation data sets, which badger import mlflow reads"},
		{"langsmith", `{"input": "Q?", "expectedOutput": "SELECT 1"}`, "in the form of Langfuse data sets, which badger import langfuse reads"},
		{"bird", `{"space_id": "x", "serialized_space": "{}"}`, "in the form of Databricks Genie, which badger import genie reads"},
		{"bird", `{"instance_id": "bq1", "db": "D", "question": "Q?"}`, "in the form of Spider 2.0, which badger import spider2 reads"},
		{"genie", `{"question_id": 1, "db_id": "shop", "question": "Q?", "SQL": "SELECT 1"}`, "in the form of BIRD, which badger import bird reads"},
		{"cortex-analyst", `{"tests": [], "prompts": ["a"]}`, "in the form of promptfoo, which badger import promptfoo reads"},
		{"spider", `{"question_id": 1, "db_id": "shop", "question": "Q?", "SQL": "SELECT 1", "evidence": "e"}`, "note: the records of set are in the form of BIRD, which badger import bird reads; members that Spider does not have are in meta"},
		{"bird", `{"db_id": "shop", "question": "Q?", "query": "SELECT 1", "query_toks": []}`, "note: the records of set are in the form of Spider, which badger import spider reads; members that BIRD does not have are in meta"},

		{"langfuse", `{"id": "i", "input": {"messages": [{"role": "user", "content": "Q?"}]}}`, ""},
		{"langsmith", `{"id": "e", "inputs": {"question": "Q?"}, "outputs": null}`, ""},
		{"bird", `{"question_id": 1, "db_id": "shop", "question": "Q?", "evidence": ""}`, ""},
		{"spider", `{"db_id": "shop", "question": "Q?", "query": "SELECT 1", "question_id": 7}`, ""},
		{"csv", "id,question,expected_answer\n1,Q?,prose\n", ""},
	} {
		file := filepath.Join(t.TempDir(), "set")
		if err := os.WriteFile(file, []byte(x.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, reports, s := imported(t, KindNamed(x.kind), Options{}, []string{file}, "")
		report := strings.Join(reports, "\n")
		noted := strings.HasPrefix(x.want, "note: ")
		switch {
		case x.want == "" && (report != "" || got == ""), x.want != "" && !strings.Contains(report, x.want),
			x.want != "" && !noted && (got != "" || s.Bad != 1), noted && got == "":
			t.Errorf("%s of %s: %q\n%s", x.kind, x.text, report, got)
		}
	}
}

// What is not text in UTF-8 is one problem, which says what the file is.
func TestFilesThatAreNotText(t *testing.T) {
	t.Parallel()
	set := `[{"question_id": 1, "db_id": "shop", "question": "Q?", "SQL": "SELECT 1"}]` + "\n"
	wide := strings.Join(strings.Split(set, ""), "\x00") + "\x00"
	for text, want := range map[string]string{
		"\x1f\x8b\x08\n{\n}\n":              "set: the file is compressed with gzip: decompress it first, such as with gunzip",
		"\x28\xb5\x2f\xfd\n\n":              "set: the file is compressed with zstd: decompress it first, such as with unzstd",
		"\xff\xfe" + wide:                   "set: the file is JSON in UTF-16, expected UTF-8: convert it, such as with iconv -f UTF-16 -t UTF-8",
		"\xfe\xff\x00" + wide[:len(wide)-1]: "set: the file is JSON in UTF-16, expected UTF-8: convert it, such as with iconv -f UTF-16 -t UTF-8",
		wide:                                "set: the file is JSON in UTF-16 without a byte order mark, expected UTF-8: convert it, such as with iconv -f UTF-16 -t UTF-8",
	} {
		file := filepath.Join(t.TempDir(), "set")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, kind := range []string{"bird", "langfuse", "promptfoo"} {
			got, reports, s := imported(t, KindNamed(kind), Options{}, []string{file}, "")
			if got != "" || len(reports) != 1 || reports[0] != want || s.Bad != 1 {
				t.Errorf("%s of %q: %q", kind, text, reports)
			}
		}
	}
}

// FuzzRecords checks that no text stops an import, and that every case is one that badger reads.
func FuzzRecords(f *testing.F) {
	for i, k := range kinds {
		paths, err := filepath.Glob(filepath.Join("testdata", k.Name, "*.txt"))
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			for _, part := range strings.Split(string(text), " --\n")[1:] {
				part, _, _ = strings.Cut(part, "-- ")
				f.Add(uint8(i), part, "", false)
			}
		}
	}
	f.Add(uint8(0), `{"question_id":1,"question":"a"}`, `{"1":"SELECT 1\t----- bird -----\tx"}`, true)
	f.Fuzz(func(t *testing.T, kind uint8, text, pred string, rewrite bool) {
		k := kinds[int(kind)%len(kinds)]
		dir := t.TempDir()
		file, predictions := filepath.Join(dir, "set.sql"), ""
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if pred != "" && k.predictions != nil && k.Name != "sql" && k.Name != "spider2" {
			predictions = filepath.Join(dir, "pred")
			if err := os.WriteFile(predictions, []byte(pred), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, _, s := imported(t, k, Options{Rewrite: rewrite, Manual: rewrite, Dir: dir}, []string{file}, predictions)
		if s == nil {
			t.Fatal("no set")
		}
		seen := map[string]bool{}
		for line := range strings.Lines(got) {
			if err := jsonscan.Check([]byte(line)); err != nil {
				t.Fatalf("%s: %q, %v", k.Name, line, err)
			}
			c, err := scoring.DecodeCase([]byte(line))
			if err != nil || len(c.UnreadKeys) > 0 {
				t.Fatalf("%s: %q, %v", k.Name, line, err)
			}
			if seen[c.ID] {
				t.Fatalf("%s: %q twice", k.Name, c.ID)
			}
			seen[c.ID] = true
		}
	})
}
