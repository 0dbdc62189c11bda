package docs_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/docs"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/udf"
)

// Every function stands once in each form, the twins that return JSON in the document alone.
func TestFunctionsOfTheCatalogue(t *testing.T) {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	functions, err := docs.NewFunctions(engine, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := udf.NewCatalogue(engine, &udf.CatalogueOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var document, list bytes.Buffer
	if err := functions.WriteJSON(&document); err != nil {
		t.Fatal(err)
	}
	var read struct {
		Functions []struct {
			Name string `json:"name"`
		} `json:"functions"`
	}
	if err := json.Unmarshal(document.Bytes(), &read); err != nil || len(read.Functions) != len(catalogue.Functions()) {
		t.Errorf("%d functions, %v, want %d", len(read.Functions), err, len(catalogue.Functions()))
	}
	functions.Print(&list, 80)
	page := string(functions.Page())
	for _, f := range catalogue.Functions() {
		want := 1
		if strings.HasSuffix(f.Name, "_json") && f.Metric != "" {
			want = 0
		}
		if n := strings.Count(page, "\n| `"+f.Name+"("); n != want {
			t.Errorf("%s stands %d times on the page, want %d", f.Name, n, want)
		}
		if n := strings.Count(list.String(), "\n  "+f.Name+" "); n != want {
			t.Errorf("%s stands %d times in the list, want %d", f.Name, n, want)
		}
	}
	// The list explains itself below, in lines of its own.
	if lines := strings.Split(list.String(), "\n"); lines[0] != "VERDICT" {
		t.Errorf("the list begins with %q", lines[0])
	}
	var shown bytes.Buffer
	if err := functions.Show(&shown, 60, "ex_bird", "verdict"); err != nil || !strings.HasPrefix(shown.String(), "ex_bird(") || !strings.Contains(shown.String(), "\n\nverdict(") || !strings.Contains(shown.String(), "\n  formula  ") {
		t.Errorf("%v\n%s", err, &shown)
	}
	for _, line := range strings.Split(shown.String(), "\n") {
		if len([]rune(line)) > 60 {
			t.Errorf("wider than 60: %q", line)
		}
	}
	if err := functions.Show(&shown, 60, "ex_brd"); !errcode.IsUsage(err) || !strings.Contains(err.Error(), `unknown function "ex_brd"; did you mean ex_bird`) {
		t.Errorf("an unknown name: %v", err)
	}
}

// The module of the Python package is that of the catalogue: make generate writes it.
func TestPython(t *testing.T) {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	functions, err := docs.NewFunctions(engine, "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../clients/python/src/badger_eval/functions.py")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, functions.Python()) {
		t.Error("clients/python/src/badger_eval/functions.py is not that of the catalogue: make generate writes it")
	}
}

// The generated files of the dbt package are those of the catalogue: make generate writes them.
func TestDBT(t *testing.T) {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	functions, err := docs.NewFunctions(engine, "")
	if err != nil {
		t.Fatal(err)
	}
	for file, path := range map[string]string{"macros": "macros/functions.sql", "descriptions": "macros/functions.yml",
		"figures": "macros/figures.sql", "tables": "models/badger.yml"} {
		want, err := functions.DBT(file)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile("../../sql/dbt/" + path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("sql/dbt/%s is stale (%v): make generate", path, err)
		}
	}
	if _, err := functions.DBT("macro"); err == nil || !strings.Contains(err.Error(), "expected macros, descriptions, tables or figures") {
		t.Errorf("an unknown file: %v", err)
	}
}
