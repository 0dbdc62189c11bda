package docs_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/docs"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

func TestTablesPageIsCurrent(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/tables.md")
	if err != nil || !bytes.Equal(page, docs.Tables()) {
		t.Errorf("docs/reference/tables.md is stale (%v): make generate", err)
	}
}

func TestEverythingIsDescribed(t *testing.T) {
	for _, table := range store.Tables {
		if table.Doc == "" || len(table.Key) == 0 {
			t.Errorf("%s: no description or no key", table.Name)
		}
		for _, c := range table.Columns {
			if c.Doc == "" || !strings.HasSuffix(strings.TrimSuffix(c.Doc, "…"), ".") && !strings.HasSuffix(c.Doc, "…") {
				t.Errorf("%s.%s: no description, or one that is no sentence: %q", table.Name, c.Name, c.Doc)
			}
		}
		for _, k := range table.Key {
			if !slices.ContainsFunc(table.Columns, func(c store.Column) bool { return c.Name == k }) {
				t.Errorf("%s: key column %s is no column", table.Name, k)
			}
		}
	}
	for _, k := range scoring.CaseKeys() {
		if k.Doc == "" {
			t.Errorf("key %s: no description", k.Name)
		}
	}
}

// The example has the documented keys and no others, and reads as a case.
func TestExampleCaseHasEveryKey(t *testing.T) {
	if _, err := scoring.DecodeCase([]byte(docs.ExampleCase)); err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	objects := map[string]bool{"gold": true}
	for _, k := range scoring.CaseKeys() {
		documented[k.Name] = true
		objects[k.Name] = objects[k.Name] || k.Type == "object" && k.Name != "options"
	}
	var example map[string]any
	if err := json.Unmarshal([]byte(docs.ExampleCase), &example); err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	var walk func(prefix string, members map[string]any)
	walk = func(prefix string, members map[string]any) {
		for name, v := range members {
			there[prefix+name] = true
			if inner, ok := v.(map[string]any); ok && objects[prefix+name] {
				walk(prefix+name+".", inner)
			}
		}
	}
	walk("", example)
	for k := range documented {
		if !there[k] {
			t.Errorf("key %s is documented and not in the example", k)
		}
	}
	for k := range there {
		if !documented[k] {
			t.Errorf("key %s is in the example and not documented", k)
		}
	}
}
