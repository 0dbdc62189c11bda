package golden

import (
	"encoding/json"
	"fmt"
	"slices"

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
		list: func(s *Set, document jsonscan.Object) (out []listed, ok bool, err error) {
			raw, common := document.Get("tests"), document.Get("defaultTest")
			if document.Get("scenarios") != nil {
				if raw == nil {
					return nil, false, errcode.New(errcode.InvalidArgument, "scenarios: not read; expected a list of tests")
				}
				s.note("scenarios of promptfoo are not read; write their cases as tests")
			}
			switch {
			case raw == nil && jsonscan.ParseObject(document.Get("results")).Get("results") != nil:
				return promptfooResults(jsonscan.ParseList(jsonscan.ParseObject(document.Get("results")).Get("results")))
			case common != nil && raw != nil && common[0] == '"':
				return nil, false, errcode.New(errcode.InvalidArgument,
					"defaultTest: expected its members, found the name of a file; write them into this file")
			case raw == nil:
				return nil, false, nil
			case raw[0] == '"':
				return nil, false, errcode.New(errcode.InvalidArgument, "tests: expected a list of tests, found the name of a file; import that file")
			}
			for i, one := range jsonscan.ParseList(raw) {
				at := fmt.Sprintf("tests[%d]", i)
				if one[0] == '"' {
					return nil, false, errcode.New(errcode.InvalidArgument,
						"%s: expected a test, found the name of a file; import that file", at)
				}
				out = append(out, listed{at: at, record: withDefaults(jsonscan.ParseObject(one), jsonscan.ParseObject(common))})
			}
			return out, true, nil
		},
	})
}

// promptfooOutput are the fields of a result of promptfoo eval that its test lacks.
var promptfooOutput = []field{
	{name: "response.output", to: "agent"},
	{name: "response.error", to: "agent.error"},
}

// promptfooResults returns the results of promptfoo eval as records: the test with the output of the one provider and
// prompt.
func promptfooResults(results []json.RawMessage) (out []listed, ok bool, err error) {
	of, fields := map[string]bool{}, slices.Concat(KindNamed("promptfoo").fields, promptfooOutput)
	for i, one := range results {
		o := jsonscan.ParseObject(one)
		provider := jsonscan.ParseObject(o.Get("provider"))
		of[string(o.Get("promptIdx"))+" "+string(provider.Get("id"))+string(provider.Get("label"))] = true
		record := slices.Clone(jsonscan.ParseObject(o.Get("testCase")))
		if vars := o.Get("vars"); vars != nil { // with those of defaultTest
			record = with(record, "vars", vars)
		}
		if response := o.Get("response"); response != nil {
			record = with(record, "response", response)
		}
		out = append(out, listed{at: fmt.Sprintf("results.results[%d]", i), record: record, fields: fields})
	}
	if len(of) > 1 {
		return nil, false, errcode.New(errcode.InvalidArgument,
			"results of %d providers and prompts, expected those of one: run promptfoo eval with --filter-providers and one prompt",
			len(of))
	}
	return out, true, nil
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

// withDefaults returns a test with the variables and metadata of defaultTest that it does not set, and with the
// assertions of both, as promptfoo runs it.
func withDefaults(test, common jsonscan.Object) jsonscan.Object {
	if test == nil {
		return nil
	}
	for _, name := range []string{"vars", "metadata"} {
		merged := slices.Clone(jsonscan.ParseObject(test.Get(name)))
		for _, m := range jsonscan.ParseObject(common.Get(name)) {
			if merged.Get(string(m.Name)) == nil {
				merged = append(merged, m)
			}
		}
		if len(merged) > 0 {
			test = with(test, name, jsonscan.AppendObject(nil, merged))
		}
	}
	if all := append(jsonscan.ParseList(common.Get("assert")), jsonscan.ParseList(test.Get("assert"))...); len(all) > 0 {
		text, err := json.Marshal(all)
		if err == nil {
			test = with(test, "assert", text)
		}
	}
	return test
}

// with returns an object with the value of a member.
func with(o jsonscan.Object, name string, value json.RawMessage) jsonscan.Object {
	o = slices.DeleteFunc(slices.Clone(o), func(m jsonscan.Member) bool { return string(m.Name) == name })
	return append(o, jsonscan.Member{Name: []byte(name), Value: value})
}
