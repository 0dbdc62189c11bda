package golden

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Defog sql-eval: CSV. A query may have alternatives, and any choice of the columns in braces is accepted.
func init() {
	register(&Kind{
		Name: "defog", Title: "Defog sql-eval", dialect: "postgres",
		signs: []string{"db_name question query_category"}, golds: true,
		fields: []field{
			{name: "db_name", to: "database"},
			{name: "query_category", to: "tags", read: readTag, write: firstTag},
			{name: "question", to: "question", need: true},
			{name: "instructions", to: "evidence"},
			{name: "query", to: "gold.sql", read: readDefog, write: writeDefog},
			{name: "db_type", to: "dialect"},
			{name: "generated_query", to: "agent.sql"},
			{name: "id", also: []string{"question_id"}, to: "case_id"},
		},
		files: (*Set).table,
		finish: func(s *Set, c *Case, record jsonscan.Object) error {
			if c.Dialect == "" {
				c.Dialect = dialectOfName(s.files[len(s.files)-1])
			}
			if string(jsonscan.Unquote(record.Get("query_category"))) == "order_by" {
				c.Options = jsonscan.Object{{Name: []byte("match_defog"), Value: json.RawMessage(`{"category":"order_by"}`)}}
			}
			return nil
		},
		write: writeCSV,
	})
}

// dialectOfName returns the dialect that a part of the name of a file names, or "".
func dialectOfName(name string) string {
	name = strings.TrimSuffix(name, filepath.Ext(name))
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		if d := sqlparts.DialectOf(word); d != sqlparts.Generic {
			return d.String()
		}
	}
	return ""
}

func firstTag(c *Case) json.RawMessage {
	if len(c.Tags) == 0 {
		return nil
	}
	return quoted(c.Tags[0])
}

// maxChoices is the maximum number of columns in braces: n columns are 2^n - 1 queries.
const maxChoices = 8

// readDefog reads the accepted queries.
func readDefog(c *Case, raw json.RawMessage) error {
	text, err := textIn(raw)
	if err != nil {
		return err
	}
	queries, err := expandDefog(text)
	c.addGolds(queries...)
	return err
}

// expandDefog returns the accepted queries, as get_all_minimal_queries in eval/eval.py of defog-ai/sql-eval does:
// semicolons separate alternatives, in strings as well. Of the first pair of braces in an alternative, each choice of
// one column or more is a query, and each "GROUP BY {}" after it has the same columns. Blanks are kept. Other braces
// stay.
func expandDefog(text string) (queries []string, err error) {
	for alternative := range strings.SplitSeq(text, ";") {
		alternative = strings.TrimSpace(alternative)
		if alternative == "" {
			continue
		}
		start := strings.IndexByte(alternative, '{')
		end := strings.IndexByte(alternative[start+1:], '}')
		if start < 0 || end < 0 {
			queries = append(queries, alternative)
			continue
		}
		end += start + 1
		options := strings.Split(alternative[start+1:end], ",")
		if len(options) > maxChoices {
			return nil, errcode.New(errcode.ResourceExhausted, "%d columns in braces, expected at most %d", len(options), maxChoices)
		}
		for size := 1; size <= len(options); size++ {
			for chosen := range combinations(len(options), size) {
				var columns []string
				for _, i := range chosen {
					columns = append(columns, options[i])
				}
				list := strings.Join(columns, ", ")
				queries = append(queries,
					alternative[:start]+list+strings.ReplaceAll(alternative[end+1:], "GROUP BY {}", "GROUP BY "+list))
			}
		}
		if len(queries) > 1000 {
			return nil, errcode.New(errcode.ResourceExhausted, "more than 1000 accepted queries")
		}
	}
	return queries, nil
}

// combinations yields the choices of size of n indexes in lexicographic order.
func combinations(n, size int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		chosen := make([]int, size)
		for i := range chosen {
			chosen[i] = i
		}
		for {
			if !yield(chosen) {
				return
			}
			i := size - 1
			for ; i >= 0 && chosen[i] == n-size+i; i-- { //nolint:revive // finds the last index that can rise
			}
			if i < 0 {
				return
			}
			chosen[i]++
			for j := i + 1; j < size; j++ {
				chosen[j] = chosen[j-1] + 1
			}
		}
	}
}

// writeDefog writes the accepted queries with semicolons in between.
func writeDefog(c *Case) json.RawMessage {
	return textOrNil(strings.Join(c.queries(), ";"))
}

// splits reports whether Defog's form would read a gold query as several.
func splits(c *Case) bool {
	return slices.ContainsFunc(c.queries(), func(sql string) bool {
		return strings.ContainsAny(strings.TrimRight(strings.TrimSpace(sql), ";"), ";{")
	})
}

// writeCSV writes CSV with the columns of the fields that a case has, and of meta. Those of sql-eval are always there.
func writeCSV(e *exporter) error {
	used := map[string]bool{}
	var further []string
	e.count = false
	for c, err := range e.cases() {
		if err != nil {
			return err
		}
		for _, m := range record(e.kind.fields, c) {
			if name := string(m.Name); !used[name] {
				used[name] = true
				further = append(further, name)
			}
		}
	}
	var header []string
	for i, f := range e.kind.fields {
		if used[f.name] || e.kind.Name == "defog" && i < 5 {
			header = append(header, f.name)
		}
	}
	for _, name := range further {
		if !slices.Contains(header, name) {
			header = append(header, name)
		}
	}
	e.count = true
	w := csv.NewWriter(e.out)
	if err := w.Write(header); err != nil {
		return err
	}
	for c, err := range e.cases() {
		if err != nil {
			return err
		}
		o := record(e.kind.fields, c)
		row := make([]string, len(header))
		for i, name := range header {
			value := o.Get(name)
			if row[i] = string(bytes.TrimSpace(value)); len(value) > 0 && value[0] == '"' {
				row[i] = string(jsonscan.Unquote(value))
			}
		}
		if err := w.Write(row); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}
