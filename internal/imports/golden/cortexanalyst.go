package golden

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Snowflake Cortex Analyst: the verified queries of a semantic model in YAML. Their SQL reads logical tables, __NAME,
// which Cortex Analyst replaces by queries of the base tables before it runs them.
func init() {
	register(&Kind{
		Name: "cortex-analyst", Title: "Cortex Analyst", dialect: "snowflake",
		signs: []string{"verified_queries"}, golds: true,
		fields: []field{
			{name: "name", to: "case_id"},
			{name: "question", to: "question", need: true},
			{name: "sql", to: "gold.sql", write: firstQuery},
		},
		files: (*Set).yamlFile,
		list:  verifiedQueries,
		write: writeVerified,
	})
}

// verifiedQueries returns the verified queries of a semantic model.
func verifiedQueries(s *Set, document jsonscan.Object) ([]listed, bool, error) {
	raw := document.Get("verified_queries")
	if raw == nil {
		return nil, false, errcode.New(errcode.InvalidArgument,
			"verified_queries is missing: expected a semantic model with a list of them")
	}
	if raw[0] != '[' {
		return nil, false, fmt.Errorf("verified_queries: %w", expected("a list", raw))
	}
	model := logicalTables(document)
	var out []listed
	logical := 0
	for i, one := range jsonscan.ParseList(raw) {
		r := listed{at: fmt.Sprintf("verified_queries[%d]", i), record: jsonscan.ParseObject(one)}
		if r.record == nil {
			r.err = expected("an object", one)
		}
		sql := string(jsonscan.Unquote(r.record.Get("sql")))
		if names := logicalNames(sql); len(names) > 0 {
			logical++
			if s.o.Rewrite {
				var text string
				if text, r.err = model.rewritten(sql, names); r.err == nil {
					r.record = placed(r.record, []string{"sql"}, quoted(text))
					r.record = placed(r.record, []string{"logical_sql"}, quoted(sql))
				}
			}
		}
		out = append(out, r)
	}
	switch {
	case logical > 0 && s.o.Rewrite:
		s.note("the logical tables of %d queries are defined by WITH from base_table and expr; "+
			"the original query is in meta.logical_sql", logical)
	case logical > 0:
		s.note("%d queries read logical tables such as __orders, which run in Cortex Analyst alone; "+
			"--rewrite defines them from base_table and expr", logical)
	}
	return out, true, nil
}

// logicalNames returns the logical tables that a query reads, without the underscores, in lower case.
func logicalNames(sql string) (names []string) {
	for _, m := range sqlparts.Mentions(sql, sqlparts.Snowflake) {
		name, ok := strings.CutPrefix(strings.ToLower(m.Name[0].Text), "__")
		if ok && name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// model are the definitions of logical tables by name in lower case.
type model map[string]string

// logicalTables returns the query of each table of a semantic model: its columns by their expressions. Expressions that
// aggregate are left out.
func logicalTables(document jsonscan.Object) model {
	all := model{}
	for _, raw := range jsonscan.ParseList(document.Get("tables")) {
		t := jsonscan.ParseObject(raw)
		name := string(jsonscan.Unquote(t.Get("name")))
		base := baseTable(jsonscan.ParseObject(t.Get("base_table")))
		if name == "" || base == "" {
			continue
		}
		var columns []string
		for _, list := range []string{"dimensions", "time_dimensions", "facts", "measures"} {
			for _, one := range jsonscan.ParseList(t.Get(list)) {
				o := jsonscan.ParseObject(one)
				column, expr := string(jsonscan.Unquote(o.Get("name"))), strings.TrimSpace(string(jsonscan.Unquote(o.Get("expr"))))
				if column == "" || expr == "" || aggregates(expr) {
					continue
				}
				if !strings.EqualFold(column, expr) {
					expr += " AS " + column
				}
				columns = append(columns, expr)
			}
		}
		if columns != nil {
			all[strings.ToLower(name)] = "SELECT " + strings.Join(columns, ", ") + " FROM " + base
		}
	}
	return all
}

// baseTable returns the name of a base table, or its query in parentheses.
func baseTable(o jsonscan.Object) string {
	if query := strings.TrimSuffix(strings.TrimSpace(string(jsonscan.Unquote(o.Get("definition")))), ";"); query != "" {
		return "(" + query + ")"
	}
	var parts []string
	for _, name := range []string{"database", "schema", "table"} {
		if part := string(jsonscan.Unquote(o.Get(name))); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ".")
}

// aggregates reports whether an expression calls an aggregate function.
func aggregates(expr string) bool {
	return slices.ContainsFunc(sqlparts.Mentions(expr, sqlparts.Snowflake), func(m sqlparts.Mention) bool {
		return m.Called && len(m.Name) == 1 && sqlparts.IsAggregate(m.Name[0].Text)
	})
}

// rewritten returns a query with definitions of the logical tables that it reads.
func (m model) rewritten(sql string, names []string) (string, error) {
	var with []string
	for _, name := range names {
		query, ok := m[name]
		if !ok {
			return "", errcode.New(errcode.InvalidArgument,
				"sql: expected a table %.80q with base_table and columns in tables, which the logical table __%s needs", name, name)
		}
		with = append(with, "__"+name+" AS ("+query+")")
	}
	definitions := "WITH " + strings.Join(with, ", ")
	_, rest := leadingComment(sql)
	if words := sqlparts.Lexemes(rest, sqlparts.Snowflake); len(words) > 0 && words[0].Text == "with" {
		rest = strings.TrimSpace(rest[len("with"):])
		if len(words) > 1 && words[1].Value == "recursive" {
			definitions, rest = "WITH RECURSIVE "+strings.Join(with, ", "), strings.TrimSpace(rest[len("recursive"):])
		}
		return definitions + ", " + rest, nil
	}
	return definitions + " " + rest, nil
}

// writeVerified writes a list of verified queries in YAML.
func writeVerified(e *exporter) error {
	e.out.WriteString("verified_queries:\n") //nolint:errcheck // Flush returns it
	n := 0
	for c, err := range e.cases() {
		if err != nil {
			return err
		}
		node, err := yamlNode(objectText(record(e.kind.fields, c)))
		if err != nil {
			return err
		}
		text, err := yaml.Marshal([]*yaml.Node{node})
		if err != nil {
			return err
		}
		n++
		if _, err := e.out.Write(text); err != nil {
			return err
		}
	}
	if n == 0 {
		_, err := e.out.WriteString("  []\n")
		return err
	}
	return nil
}

// yamlNode returns JSON as a node of YAML.
func yamlNode(raw json.RawMessage) (*yaml.Node, error) {
	switch raw[0] {
	case '{':
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, m := range jsonscan.ParseObject(raw) {
			value, err := yamlNode(m.Value)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: string(m.Name)}, value)
		}
		return n, nil
	case '[':
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, one := range jsonscan.ParseList(raw) {
			value, err := yamlNode(one)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, value)
		}
		return n, nil
	case '"':
		text := string(jsonscan.Unquote(raw))
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: text}, nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: string(raw)}, nil
}
