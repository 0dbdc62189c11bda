package golden

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

// MLflow evaluation data sets: records with inputs and expectations in JSON, JSON Lines or CSV.
func init() {
	register(&Kind{
		Name: "mlflow", Title: "MLflow evaluation data sets",
		fields: append([]field{{name: "dataset_record_id", also: []string{"id"}, to: "case_id"}},
			goldFields("inputs", "expectations", "expected_response")...),
		files: (*Set).anyFile,
		list:  wrapped("records", "data"),
		write: writeLines,
	})
}
