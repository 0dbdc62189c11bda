package golden

import (
	"encoding/json"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// Langfuse data set items: input and expectedOutput, each a text or an object.
func init() {
	fields := goldFields("input", "expectedOutput", "expected_response")
	fields[1].also, fields[1].read = append(fields[1].also, "input"), readInput
	fields[1].write = func(c *Case) json.RawMessage {
		if chat := c.Meta.Get("input"); len(chat) > 0 && chat[0] == '[' {
			return nil // meta has the whole input
		}
		return textOrNil(c.Question)
	}
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
		signs:  []string{"input expectedOutput", "input expected_output"},
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

// readInput reads a question from a text or from the messages of a chat.
func readInput(c *Case, raw json.RawMessage) (err error) {
	if raw[0] == '{' && c.Question != "" { // its messages were read
		return errKept
	}
	if raw[0] != '[' {
		c.Question, err = textIn(raw)
		return err
	}
	if _ = readMessages(c, raw); c.Question == "" {
		return expected("text or messages, one of them of a user", raw)
	}
	return errKept
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
