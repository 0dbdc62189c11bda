package golden

import (
	"encoding/json"
	"fmt"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/imports"
	"github.com/badger-eval/badger/internal/jsonscan"
)

// promptfoo: the tests of a configuration in YAML or JSON, or a list of tests.
func init() {
	register(&Kind{
		Name: "promptfoo", Title: "promptfoo",
		signs: []string{"vars assert", "tests prompts", "tests providers"},
		fields: []field{
			{name: "metadata.id", also: []string{"metadata.case_id"}, to: "case_id"},
			{name: "vars.question", also: in("vars", freeQuestion), to: "question", need: true},
			{name: "vars.database", also: []string{"vars.db", "vars.db_id", "metadata.database"}, to: "database"},
			{name: "vars.evidence", also: []string{"vars.hint"}, to: "evidence"},
			{name: "metadata.gold_sql", also: append(in("vars", freeGold[:4]), in("metadata", freeGold)...), to: "gold.sql"},
			{name: "assert", to: "gold.sql", read: readAsserts},
			{name: "metadata.tags", to: "tags"},
		},
		files: (*Set).yamlFile,
		list: func(_ *Set, document jsonscan.Object) (out []listed, ok bool, err error) {
			raw := document.Get("tests")
			switch {
			case raw == nil:
				return nil, false, nil
			case raw[0] == '"':
				return nil, false, errcode.New(errcode.InvalidArgument, "tests: expected a list of tests, found the name of a file; import that file")
			}
			for i, one := range jsonscan.ParseList(raw) {
				out = append(out, listed{at: fmt.Sprintf("tests[%d]", i), record: jsonscan.ParseObject(one)})
			}
			return out, true, nil
		},
	})
}

// readAsserts takes the first query that an assertion compares with as gold, unless another field has it. The
// assertions stay in meta.
func readAsserts(c *Case, raw json.RawMessage) error {
	for _, one := range jsonscan.ParseList(raw) {
		value := string(jsonscan.Unquote(jsonscan.ParseObject(one).Get("value")))
		if len(c.Golds) == 0 && imports.StartsSQL(value) {
			c.addGolds(value)
		}
	}
	return errKept
}
