package golden

import (
	"encoding/json"
	"fmt"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// BigQuery data agents (Conversational Analytics API): the example queries of a context, wherever in an agent they are.
func init() {
	register(&Kind{
		Name: "bigquery", Title: "BigQuery data agents", dialect: "bigquery", golds: true,
		signs: []string{"example_queries", "exampleQueries", "natural_language_question sql_query",
			"naturalLanguageQuestion sqlQuery"},
		fields: []field{
			{name: "id", to: "case_id"},
			{name: "natural_language_question", also: []string{"naturalLanguageQuestion", "nl_question", "question"},
				to: "question", need: true},
			{name: "sql_query", also: []string{"sqlQuery", "sql"}, to: "gold.sql", write: firstQuery},
		},
		files: (*Set).yamlFile,
		list: func(s *Set, document jsonscan.Object) (out []listed, ok bool, err error) {
			if value, _ := lookUp(document, "natural_language_question"); value != nil {
				return nil, false, nil
			}
			looker := 0
			examples(objectText(document), "", 0, func(at string, record jsonscan.Object) {
				out, ok = append(out, listed{at: at, record: record}), true
			}, &looker)
			if looker > 0 {
				s.note("%d golden queries of Looker are not imported, because they have no SQL", looker)
				ok = true
			}
			return out, ok, nil
		},
	})
}

// examples calls each for the elements of the lists of example queries in raw, and counts those of Looker.
func examples(raw json.RawMessage, at string, depth int, each func(at string, record jsonscan.Object), looker *int) {
	if depth > 20 {
		return
	}
	for i, one := range jsonscan.ParseList(raw) {
		examples(one, fmt.Sprintf("%s[%d]", at, i), depth+1, each, looker)
	}
	for _, m := range jsonscan.ParseObject(raw) {
		name := string(m.Name)
		in := name
		if at != "" {
			in = at + "." + name
		}
		switch plain(name) {
		case "example_queries", "examplequeries", "verified_queries", "verifiedqueries":
			for i, one := range jsonscan.ParseList(m.Value) {
				each(fmt.Sprintf("%s[%d]", in, i), jsonscan.ParseObject(one))
			}
		case "looker_golden_queries", "lookergoldenqueries":
			*looker += len(jsonscan.ParseList(m.Value))
		default:
			examples(m.Value, in, depth+1, each, looker)
		}
	}
}
