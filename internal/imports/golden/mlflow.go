package golden

import (
	"encoding/json"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// freeGold are the names under which products without a schema usually have gold.
var freeGold = []string{"gold_sql", "golden_sql", "expected_sql", "reference_sql", "sql", "query"}

// freeQuestion are the names of a question.
var freeQuestion = []string{"question", "query", "input", "prompt", "user_query", "request"}

// in returns the names as members of an object.
func in(object string, names []string) (all []string) {
	for _, name := range names {
		all = append(all, object+"."+name)
	}
	return all
}

// goldFields are the fields of a record with inputs and expected outputs.
func goldFields(inputs, outputs, answer string) []field {
	return []field{
		{name: inputs + ".messages", to: "question", read: readMessages, write: unwritten},
		{name: inputs + ".question", also: in(inputs, freeQuestion), to: "question", need: true},
		{name: inputs + ".database", also: in(inputs, []string{"db", "db_id"}), to: "database"},
		{name: inputs + ".evidence", also: in(inputs, []string{"hint"}), to: "evidence"},
		{name: outputs + ".gold_sql", also: in(outputs, freeGold), to: "gold.sql"},
		{name: outputs + ".gold_result", to: "gold.result"},
		{name: outputs + "." + answer, also: in(outputs, []string{"answer", "output"}), to: "gold",
			write: unwritten},
		{name: outputs + ".tools", to: "expected.tools"},
	}
}

// readMessages reads the question of the last message of a user. The messages stay in meta.
func readMessages(c *Case, raw json.RawMessage) error {
	for _, one := range jsonscan.ParseList(raw) {
		o := jsonscan.ParseObject(one)
		switch string(jsonscan.Unquote(o.Any("role", "type"))) {
		case "user", "human":
			if text, err := textIn(o.Get("content")); err == nil {
				c.Question = text
			}
		}
	}
	return errKept
}

// MLflow evaluation data sets: records with inputs and expectations in JSON, JSON Lines or CSV.
func init() {
	register(&Kind{
		Name: "mlflow", Title: "MLflow evaluation data sets",
		signs: []string{"inputs expectations", "dataset_record_id"},
		fields: append([]field{{name: "dataset_record_id", also: []string{"id"}, to: "case_id"}},
			goldFields("inputs", "expectations", "expected_response")...),
		files: (*Set).anyFile,
		list:  wrapped("records", "data"),
		write: writeLines,
	})
}
