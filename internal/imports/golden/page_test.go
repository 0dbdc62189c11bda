package golden

import (
	"os"
	"strings"
	"testing"
)

// The page of each kind names all its fields.
func TestPageNamesAllFields(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/eval/import.md")
	if err != nil {
		t.Fatal(err)
	}
	headings := map[string]string{"bird": "BIRD", "spider": "Spider 1", "spider2": "Spider 2.0", "csv": "CSV", "sql": "SQL files"}
	for _, k := range kinds {
		heading := k.Title
		if h := headings[k.Name]; h != "" {
			heading = h
		}
		_, section, ok := strings.Cut(string(text), "\n## "+heading+"\n")
		if !ok {
			t.Errorf("no section %q", heading)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		for _, f := range k.fields {
			if !strings.Contains(section, "`"+f.name+"`") {
				t.Errorf("%s: the section lacks `%s`", heading, f.name)
			}
		}
		if !strings.Contains(section, "badger import "+k.Name+" ") && k.Name != "bird" {
			t.Errorf("%s: the section has no command", heading)
		}
	}
}
