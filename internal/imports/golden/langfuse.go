package golden

import (
	"encoding/json"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// Langfuse data set items: input and expectedOutput, each a text or an object.
func init() {
	fields := goldFields("input", "expectedOutput", "expected_response")
	fields[0].also = append(fields[0].also, "input")
	for i := range fields {
		f := &fields[i]
		for _, name := range append([]string{f.name}, f.also...) { // exports as CSV have the names of the columns
			if rest, ok := cutPrefix(name, "expectedOutput."); ok {
				f.also = append(f.also, "expected_output."+rest)
			}
		}
	}
	fields = append(fields,
		field{name: "expectedOutput", also: []string{"expected_output"}, to: "gold", read: readGoldText, write: unwritten},
		field{name: "metadata.tags", to: "tags"}, field{name: "metadata.dialect", to: "dialect"})
	register(&Kind{
		Name: "langfuse", Title: "Langfuse data sets",
		fields: append([]field{{name: "id", to: "case_id"}}, fields...),
		files:  (*Set).anyFile,
		list:   wrapped("data", "items"),
		finish: func(s *Set, c *Case, _ jsonscan.Object) error {
			if string(jsonscan.Unquote(c.Meta.Get("status"))) == "ARCHIVED" {
				s.note("items with the status ARCHIVED are imported, too; meta.status says which they are")
			}
			return nil
		},
		write: writeLines,
	})
}

func cutPrefix(name, prefix string) (string, bool) {
	if len(name) > len(prefix) && name[:len(prefix)] == prefix {
		return name[len(prefix):], true
	}
	return "", false
}

// readGoldText reads gold from a text, and leaves an object to the fields of its members.
func readGoldText(c *Case, raw json.RawMessage) error {
	if raw[0] == '{' || objectIn(raw) != nil {
		return errKept
	}
	return readGold(c, raw)
}
