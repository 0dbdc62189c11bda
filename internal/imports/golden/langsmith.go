package golden

import (
	"fmt"
	"strings"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// LangSmith data sets: examples with inputs, outputs and metadata in JSON, JSON Lines or CSV. In the table of an
// experiment the outputs are those of the agent, and the gold is in reference_outputs.
func init() {
	experiment := append([]field{{name: "example_id", also: []string{"reference_example_id", "id"}, to: "case_id"}},
		goldFields("inputs", "reference_outputs", "expected_response")...)
	experiment = append(append(experiment, answerFields("outputs")...),
		field{name: "error", to: "agent.error"}, field{name: "metadata.tags", to: "tags"},
		field{name: "metadata.dialect", to: "dialect"})
	register(&Kind{
		Name: "langsmith", Title: "LangSmith data sets",
		signs: []string{"inputs outputs"}, lacks: []string{"expectations"},
		variant: func(record jsonscan.Object) []field {
			for _, m := range record {
				if name, _, _ := strings.Cut(plain(string(m.Name)), "."); name == "reference_outputs" {
					return experiment
				}
			}
			return nil
		},
		fields: append(append([]field{{name: "id", also: []string{"example_id"}, to: "case_id"}},
			goldFields("inputs", "outputs", "expected_response")...),
			field{name: "metadata.tags", to: "tags"}, field{name: "metadata.dialect", to: "dialect"}),
		files: (*Set).anyFile,
		list:  wrapped("examples", "data"),
		write: writeLines,
	})
}

// wrapped returns a function that lists the records in a member of a document.
func wrapped(names ...string) func(*Set, jsonscan.Object) ([]listed, bool, error) {
	return func(_ *Set, document jsonscan.Object) (out []listed, ok bool, err error) {
		for _, name := range names {
			if raw := document.Get(name); len(raw) > 0 && raw[0] == '[' {
				for i, one := range jsonscan.ParseList(raw) {
					out = append(out, listed{at: fmt.Sprintf("%s[%d]", name, i), record: jsonscan.ParseObject(one)})
				}
				return out, true, nil
			}
		}
		return nil, false, nil
	}
}
