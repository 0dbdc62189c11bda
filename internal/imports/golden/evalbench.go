package golden

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// EvalBench: a JSON list, simple (nlq, golden_sql) or full (nl_prompt, golden_sql by dialect).
func init() {
	register(&Kind{
		Name: "evalbench", Title: "EvalBench",
		signs: []string{"nlq golden_sql", "nl_prompt golden_sql"}, golds: true,
		fields: []field{
			{name: "id", to: "case_id", write: func(c *Case) json.RawMessage { return numberOrText(c.ID) }},
			{name: "database", to: "database"},
			{name: "nlq", also: []string{"nl_prompt"}, to: "question", need: true},
			{name: "golden_sql", to: "gold.sql", read: func(c *Case, raw json.RawMessage) error {
				if raw[0] == '{' {
					return errKept // read by its dialect
				}
				return readGoldSQL(c, raw)
			}},
			{name: "tags", to: "tags"},
		},
		finish: evalBenchDialect,
		write:  writeRecords,
	})
}

// evalBenchDialect takes the golds of the dialect that is asked for, or of the only one.
func evalBenchDialect(s *Set, c *Case, record jsonscan.Object) error {
	golds := jsonscan.ParseObject(record.Get("golden_sql"))
	if golds == nil {
		return nil
	}
	var names []string
	for _, m := range golds {
		names = append(names, string(m.Name))
	}
	i := 0
	switch {
	case len(names) == 0:
		return nil
	case s.o.Dialect != "":
		want := sqlparts.DialectOf(s.o.Dialect)
		if i = slices.IndexFunc(names, func(n string) bool { return sqlparts.DialectOf(n) == want }); i < 0 {
			return errcode.New(errcode.InvalidArgument, "golden_sql: expected a query in %s, found %s", s.o.Dialect, strings.Join(names, ", "))
		}
	case len(names) > 1:
		return errcode.New(errcode.InvalidArgument, "golden_sql: expected one dialect, found %s; choose one with --dialect",
			strings.Join(names, ", "))
	}
	c.Dialect = names[i]
	return readGoldSQL(c, golds[i].Value)
}
