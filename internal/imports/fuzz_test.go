package imports

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// FuzzRecords checks that no record of an export stops the import, and that every answer becomes a line of a case file.
func FuzzRecords(f *testing.F) {
	page, err := os.ReadFile("../../docs/eval/traces.md")
	if err != nil {
		f.Fatal(err)
	}
	for _, block := range strings.Split(string(page), "```json\n")[1:] {
		text, _, _ := strings.Cut(block, "\n```")
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		o := objectOf(text)
		if o == nil {
			return
		}
		for _, p := range products {
			items, ok := p.items(o)
			if !ok || len(items) == 0 {
				continue
			}
			var raws []json.RawMessage
			for _, it := range items {
				raws = append(raws, it.raw)
			}
			for _, a := range p.answers(raws, &Options{CaseID: "a.b"}) {
				plan := Plan{}
				c := plan.toCase(&a)
				if c == nil || a.Err != nil {
					continue
				}
				if line, err := Line(c, nil); err != nil || !json.Valid(line) {
					t.Fatalf("%s, %v", line, err)
				}
			}
		}
	})
}
