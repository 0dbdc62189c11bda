package custom

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Functions and keywords that make a query return another result at another time, or on another machine.
var (
	notReproducible = []string{
		"random", "setseed", "uuid", "gen_random_uuid", "uuidv4", "uuidv7", "now", "today", "get_current_time",
		"get_current_timestamp", "current_date", "current_localtime",
		"current_localtimestamp", "transaction_timestamp", "txid_current", "nextval", "currval", "getenv", "getvariable",
		"version", "current_setting", "current_database", "age",
	}
	notReproducibleWords = []string{"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp",
		"tablesample", "current_user", "session_user"}
)

// loadSQL loads a judge of kind sql: one query of the tables this, config, gold_result and result.
func (j *Judge) loadSQL(o *Options) error {
	if o.SQL == nil {
		return errcode.New(errcode.Unimplemented,
			"kind: judges of kind sql need the embedded engine, which is not part of this program")
	}
	query, err := queryOf(j.header.SQL)
	if err != nil {
		return errcode.New(errcode.Of(err), "sql: %w", err)
	}
	j.score = func(ctx context.Context, in *scoring.Input, row *record, settings map[string]any) (scoring.Score, error) {
		tables, err := sqlTables(row, settings)
		if err != nil {
			return scoring.Score{}, err
		}
		t, err := o.SQL.EvaluateSQL(ctx, query, tables)
		if err != nil {
			return scoring.Score{}, errcode.New(errcode.Of(err), "sql: %w", err)
		}
		if t.Rows() != 1 {
			return scoring.Score{}, errcode.New(errcode.InvalidArgument, "sql: the query returned %d rows, expected one",
				t.Rows())
		}
		s, err := j.scoreOf(said(t))
		if err != nil {
			return s, errcode.New(errcode.Of(err), "sql: %w", err)
		}
		return s, nil
	}
	return nil
}

// queryOf returns the query of a judge. An expression becomes SELECT (expression) AS value FROM this. Anything but
// one statement that only reads, and depends only on these tables, is an error.
func queryOf(text string) (string, error) {
	text = strings.TrimRight(strings.TrimSpace(text), "; \n\t")
	words := sqlWords(text)
	if len(words) == 0 || !slices.Contains([]string{"select", "with", "from"}, words[0].text) {
		text = fmt.Sprintf("SELECT (%s\n) AS value FROM this", text)
	}
	script := sqlparts.Parse(text, sqlparts.DuckDB)
	if len(script.Statements) != 1 || script.Statements[0].Kind != sqlparts.KindQuery || !script.Effects().ReadOnly() {
		return "", errcode.New(errcode.InvalidArgument,
			"expected one query that only reads, or one expression over the columns of this")
	}
	for i, w := range words {
		changes := slices.Contains(notReproducible, w.text) && w.called ||
			slices.Contains(notReproducibleWords, w.text) && !w.quoted ||
			w.text == "sample" && i > 0 && words[i-1].text == "using"
		if changes {
			return "", errcode.New(errcode.InvalidArgument, "%s is not the same from call to call, and a score must be", w.text)
		}
	}
	return text, nil
}

// sqlWord is a name or keyword in a query. text is in lower case.
type sqlWord struct {
	text           string
	quoted, called bool // whether it is in double quotes; whether a parenthesis follows
}

// sqlWords returns the words of a query outside of comments and strings.
func sqlWords(query string) []sqlWord {
	var out []sqlWord
	behind := false // the previous token is a word
	for _, t := range sqlparts.Tokens(query, sqlparts.DuckDB) {
		switch {
		case t.Kind == sqlparts.TokenComment:
			continue
		case t.Kind == sqlparts.TokenWord || t.Kind == sqlparts.TokenName:
			out = append(out, sqlWord{text: t.Value, quoted: t.Kind == sqlparts.TokenName})
			behind = true
			continue
		case behind && query[t.Start:t.End] == "(":
			out[len(out)-1].called = true
		}
		behind = false
	}
	return out
}

// sqlTables returns the tables that a query can read: this (one row with the fields that the judge needs), config
// (one row with the settings), and the results.
func sqlTables(row *record, settings map[string]any) (map[string]*scoring.Table, error) {
	tables := map[string]*scoring.Table{}
	var columns []scoring.Column
	for _, name := range row.AttrNames() {
		switch v := row.fields[name].(type) {
		case *table:
			t, err := sqlTable(v.t.Columns, v.t.Rows())
			if err != nil {
				return nil, err
			}
			tables[name] = t
			continue
		case *record:
			for _, k := range v.AttrNames() { // scores, as score_NAME
				if s, ok := v.fields[k].(*record); ok {
					columns = append(columns, cellColumn("score_"+k, s.fields["value"]))
				} else {
					columns = append(columns, cellColumn(name+"_"+k, v.fields[k]))
				}
			}
			continue
		}
		columns = append(columns, cellColumn(name, row.fields[name]))
	}
	var err error
	if tables["this"], err = sqlTable(append(columns, ones(1)), 1); err != nil {
		return nil, err
	}
	columns = nil
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		columns = append(columns, cellColumn(name, starlarkOf(settings[name])))
	}
	if tables["config"], err = sqlTable(append(columns, ones(1)), 1); err != nil {
		return nil, err
	}
	return tables, nil
}

// ones returns the column one, which is 1 in each row. It is in tables that may have no other column.
func ones(rows int) scoring.Column {
	return scoring.IntColumn("one", scoring.Int64, slices.Repeat([]int64{1}, rows), nil)
}

// sqlTable returns a table of the columns that an SQL engine can hold. A column without a name is called column_N,
// after its position from 1. The first column with a name keeps it; names that differ only in case are the same. Each
// later one gets the first of the suffixes _1, _2 and so on that makes its name unique. A table without columns has
// the column one.
func sqlTable(columns []scoring.Column, rows int) (*scoring.Table, error) {
	if len(columns) == 0 {
		return scoring.NewTable(ones(rows))
	}
	columns = slices.Clone(columns)
	taken := make(map[string]bool, len(columns)) // names in lower case
	var later []int
	for i := range columns {
		c := &columns[i]
		if c.Name == "" {
			c.Name = fmt.Sprintf("column_%d", i+1)
		}
		if key := strings.ToLower(c.Name); taken[key] {
			later = append(later, i)
		} else {
			taken[key] = true
		}
	}
	suffix := map[string]int{} // the last one that was tried for a name
	for _, i := range later {
		c := &columns[i]
		name, key := c.Name, strings.ToLower(c.Name)
		for taken[strings.ToLower(c.Name)] {
			suffix[key]++
			c.Name = fmt.Sprintf("%s_%d", name, suffix[key])
		}
		taken[strings.ToLower(c.Name)] = true
	}
	return scoring.NewTable(columns...)
}

// cellColumn returns a column with one value.
func cellColumn(name string, v starlark.Value) scoring.Column {
	b := scoring.NewBuilder(name, scoring.Null, 1)
	switch v := v.(type) {
	case starlark.NoneType:
		b.AppendNull()
	case starlark.Bool:
		b.Append(scoring.BoolValue(bool(v)))
	case starlark.Int:
		if n, ok := v.Int64(); ok {
			b.Append(scoring.IntValue(n))
		} else {
			b.Append(scoring.BigDecimalValue(v.BigInt(), 0))
		}
	case starlark.Float:
		b.Append(scoring.FloatValue(float64(v)))
	case starlark.String:
		b.Append(scoring.StringValue(string(v)))
	default:
		raw, err := encodeJSON(nil, v, 0)
		if err != nil {
			b.AppendNull()
		} else {
			b.Append(scoring.TextValue(scoring.JSON, string(raw)))
		}
	}
	c := b.Column()
	if c.Type == scoring.Null { // give it a type, so that it can be compared
		b := scoring.NewBuilder(name, scoring.String, 1)
		b.AppendNull()
		c = b.Column()
	}
	return c
}

// said returns the first row of a query's result as the members of a score: columns by their names, all other columns
// in detail. The only column is value whatever its name.
func said(t *scoring.Table) map[string]starlark.Value {
	out := map[string]starlark.Value{}
	detail := starlark.NewDict(0)
	for i := range t.Columns {
		name := strings.ToLower(t.Columns[i].Name)
		v := valueOf(t.Columns[i].Value(0))
		if len(t.Columns) == 1 {
			name = "value"
		}
		switch {
		case name == "detail":
			if text, ok := starlark.AsString(v); ok {
				if parsed, err := decodeJSON(nil, json.RawMessage(text)); err == nil {
					v = parsed
				}
			}
			out[name] = v
		case slices.Contains(members, name):
			out[name] = v
		default:
			_ = detail.SetKey(starlark.String(t.Columns[i].Name), v) // text can be a key
		}
	}
	if detail.Len() > 0 && out["detail"] == nil {
		out["detail"] = detail
	}
	return out
}
