package imports

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
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
		if o == nil || text[0] != '{' || jsonscan.Check(text) != nil {
			return
		}
		for _, p := range products {
			var raws []json.RawMessage
			if !p.parts(text, o, func(it part) {
				if it.problem == "" {
					raws = append(raws, it.raw)
				}
			}) || len(raws) == 0 {
				continue
			}
			for _, a := range p.answers(raws, &Options{CaseID: "a.b"}) {
				plan := Plan{}
				c := plan.toCase(&a, &planned{id: "x"})
				if a.Err != nil {
					continue
				}
				line := AppendLine(nil, c, nil, nil)
				if err := jsonscan.Check(line); err != nil {
					t.Fatalf("%s, %v", line, err)
				}
				if _, err := scoring.DecodeCase(line); err != nil {
					t.Fatalf("%s, %v", line, err)
				}
			}
		}
	})
}
