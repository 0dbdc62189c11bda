package golden

import (
	"encoding/json"
	"strings"

	"github.com/badger-eval/badger/internal/imports"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/internal/resultfile"
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

// answerFields are the fields of a record with an answer in an object of outputs, or as the outputs.
func answerFields(outputs string) []field {
	return []field{
		{name: outputs + ".sql", also: in(outputs, []string{"agent_sql", "generated_sql", "predicted_sql", "query"}),
			to: "agent.sql"},
		{name: outputs + ".result", to: "agent.result", read: func(c *Case, raw json.RawMessage) error {
			text := string(jsonscan.Unquote(raw))
			if _, file := resultfile.PathIn(text); !file && raw[0] != '{' && raw[0] != '[' &&
				!strings.HasPrefix(text, "table:") && !strings.HasPrefix(text, "query:") {
				return errKept // words about a result
			}
			return readAgentResult(c, raw)
		}},
		{name: outputs + ".response", also: append(in(outputs, []string{"answer", "output"}), outputs), to: "agent",
			read: func(c *Case, raw json.RawMessage) error {
				again := c.Answer.SQL != "" && imports.StartsSQL(string(jsonscan.Unquote(raw)))
				if raw[0] == '{' || raw[0] == '[' || objectIn(raw) != nil || again {
					return errKept
				}
				return readAnswer(c, raw)
			}, write: func(c *Case) json.RawMessage { return textOrNil(c.Answer.Response) }},
		{name: outputs + ".error", to: "agent.error"},
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
			append(goldFields("inputs", "expectations", "expected_response"), answerFields("outputs")...)...),
		files: (*Set).anyFile,
		list:  wrapped("records", "data"),
		write: writeLines,
	})
}
