package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file of another kind is called what it is.
func TestNotJSON(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		" \n": "an empty file", "version https://git-lfs.github.com/spec/v1\noid": "git lfs pull",
		"<!DOCTYPE html>\n<p>": "HTML", "// a\n[]": "a comment in line 1", "id,question,sql\n": "badger import csv",
		`[{"question": "A, B"}]`: "", "SELECT 1\tshop\n": "",
	} {
		file := filepath.Join(dir, "f")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := notJSON(file)
		if isJSON(file) {
			got = ""
		}
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := notJSON(dir); !strings.HasPrefix(got, "a folder") {
		t.Errorf("a folder: %q", got)
	}
}

// Members of defaultTest are those of each test that does not set them; what is not read is refused or noted.
func TestPromptfooDefaults(t *testing.T) {
	for _, x := range []struct{ text, has, not, report string }{
		{"defaultTest:\n  vars: {database: shop}\ntests:\n- vars: {question: A}\n", `"database":"shop"`, "", ""},
		{"defaultTest:\n  vars: {database: shop}\ntests:\n- vars: {question: A, database: hr}\n", `"database":"hr"`, "shop", ""},
		{"defaultTest:\n  assert: [{type: latency}]\ntests:\n- vars: {question: A}\n  assert: [{type: equals, value: SELECT 1}]\n", `"sql":"SELECT 1"`, "", ""},
		{"tests:\n- vars: {question: A}\n", `"question":"A"`, "database", ""},
		{"defaultTest: file://d.yaml\ntests:\n- vars: {question: A}\n", "", "", "defaultTest: expected its members"},
		{"tests: [file://t.yaml]\n", "", "", "tests[0]: expected a test, found the name of a file"},
		{"scenarios: [{config: []}]\n", "", "", "scenarios: not read; expected a list of tests"},
		{"scenarios: [{config: []}]\ntests:\n- vars: {question: A}\n", `"question":"A"`, "", "scenarios of promptfoo are not read"},
		{`{"results": {"results": [{"promptIdx": 0, "vars": {"question": "A"}, "testCase": {"metadata": {"gold_sql": "SELECT 1"}}, "response": {"output": "SELECT 2"}}]}}`,
			`"gold":{"sql":"SELECT 1"},"agent":{"sql":"SELECT 2"}`, "", ""},
		{`{"results": {"results": [{"vars": {"question": "A"}, "provider": {"id": "x"}}, {"vars": {"question": "A"}, "provider": {"id": "y"}}]}}`,
			"", "", "results of 2 providers and prompts, expected those of one"},
	} {
		file := filepath.Join(t.TempDir(), "promptfooconfig.yaml")
		if err := os.WriteFile(file, []byte(x.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, reports, _ := imported(t, KindNamed("promptfoo"), Options{}, []string{file}, "")
		said := strings.Join(reports, "\n")
		if !strings.Contains(got, x.has) || x.not != "" && strings.Contains(got, x.not) || x.has == "" && got != "" ||
			!strings.Contains(said, x.report) || x.report == "" && said != "" {
			t.Errorf("%s: %s\n%s", x.text, got, said)
		}
	}
}
