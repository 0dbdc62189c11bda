package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file of another form is an error that says what it looks like and what reads it, for every kind.
func TestWrongFile(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for name, text := range map[string]string{
		"bird.json":   `[{"question_id": 0, "db_id": "shop", "question": "?", "evidence": "", "SQL": "SELECT 1", "difficulty": "simple"}]`,
		"cases.jsonl": `{"case_id": "a", "question": "?", "gold": {"sql": "SELECT 1"}, "agent": {"sql": "SELECT 1"}}`,
		"q.csv":       "question,sql\n?,SELECT 1\n", "m.yaml": "tables:\n  - name: t\n", "notes.txt": "hello\nworld\n",
		"python.json": `[{'question_id': 0, 'question': "Whose?"}]`,
	} {
		files[name] = filepath.Join(dir, name)
		if err := os.WriteFile(files[name], []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files["dir"] = dir
	for _, c := range []struct{ kind, file, says string }{
		{"bird", "q.csv", "expected JSON or JSON Lines, found CSV; it is read by badger import csv"},
		{"bird", "m.yaml", "expected JSON or JSON Lines, found YAML, which badger import cortex-analyst"},
		{"bird", "cases.jsonl", "the record is a case of badger already, which badger run --cases reads"},
		{"spider", "q.csv", "expected JSON, or lines with a query, a tab and the name of a database; found CSV"},
		{"spider", "notes.txt", "found text without tabs"},
		{"spider2", "notes.txt", "expected JSON or JSON Lines, found text"},
		{"spider2", "dir", "expected JSON or JSON Lines, found a folder; name the files in it"},
		{"genie", "cases.jsonl", "a case of badger already"},
		{"evalbench", "m.yaml", "found YAML"},
		{"defog", "bird.json", "expected CSV, found JSON: in the form of BIRD, which badger import bird reads"},
		{"csv", "cases.jsonl", "expected CSV, found JSON: a case of badger already"},
		{"csv", "m.yaml", "expected CSV, found YAML"},
		{"csv", "dir", "expected CSV, found a folder; name the files in it"},
		{"mlflow", "m.yaml", "expected CSV, found YAML"},
		{"sql", "notes.txt", "expected a folder with files whose names end in .sql"},
		{"promptfoo", "q.csv", "expected YAML or JSON, found CSV"},
		{"cortex-analyst", "notes.txt", "expected YAML or JSON, found text"},
		{"cortex-analyst", "dir", "expected YAML or JSON, found a folder"},
		{"bird", "predictions", "--predictions: expected JSON or JSON Lines, found CSV; docs/eval/import.md describes predictions of BIRD"},
		{"bird", "python.json", "found text as Python prints it, with single quotes: write it with json.dump"},
		{"bird", "none", "does not exist"},
	} {
		kind := KindNamed(c.kind)
		s, err := New(t.Context(), kind, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		s.Report = func(err error) { said.WriteString(err.Error() + "\n") }
		switch c.file {
		case "predictions":
			err = s.AddPredictions(files["q.csv"])
		case "none":
			err = s.AddFile(filepath.Join(dir, "none"))
		default:
			err = s.AddFile(files[c.file])
		}
		if err != nil {
			said.WriteString(err.Error())
		}
		if !strings.Contains(said.String(), c.says) {
			t.Errorf("%s reads %s: %s, want %q", c.kind, c.file, said.String(), c.says)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
