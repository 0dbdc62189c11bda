package golden

import "github.com/badger-eval/badger/internal/jsonscan"

// Microsoft Fabric data agents: ground truth with a question and an expected answer, the results of an evaluation, or
// few-shot examples, an object from question to query.
func init() {
	register(&Kind{
		Name: "fabric", Title: "Microsoft Fabric data agents", dialect: "tsql",
		signs: []string{"question expected_answer"},
		fields: []field{
			{name: "id", to: "case_id"},
			{name: "question", to: "question", need: true},
			{name: "gold_sql", also: []string{"query", "sql"}, to: "gold.sql"},
			{name: "expected_answer", also: []string{"answer"}, to: "gold"},
			{name: "actual_answer", to: "agent.response"},
		},
		files: (*Set).anyFile,
		list: func(s *Set, document jsonscan.Object) (out []listed, ok bool, err error) {
			for _, f := range s.kind.fields {
				if value, _ := lookUp(document, f.name); value != nil {
					return nil, false, nil
				}
			}
			for _, m := range document {
				if m.Value[0] != '"' {
					return nil, false, nil
				}
				record := jsonscan.Object{{Name: []byte("question"), Value: quoted(string(m.Name))},
					{Name: []byte("query"), Value: m.Value}}
				out = append(out, listed{record: record})
			}
			return out, out != nil, nil
		},
	})
}
