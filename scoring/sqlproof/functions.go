package sqlproof

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// sameFunction maps, for each dialect, synonyms of a function to its canonical name. They are equivalent for every
// argument that both accept.
var sameFunction = map[sqlparts.Dialect]map[string]string{
	sqlparts.Postgres: {"char_length": "length", "character_length": "length", "btrim": "trim", "mod": "%"},
	sqlparts.Redshift: {"char_length": "length", "character_length": "length", "len": "length", "textlen": "length",
		"btrim": "trim", "mod": "%"},
	sqlparts.DuckDB: {"len": "length", "mod": "%", "prefix": "starts_with"},
	sqlparts.Snowflake: {"len": "length", "mod": "%", "charindex": "position", "startswith": "starts_with",
		"to_char": "to_varchar"},
	sqlparts.BigQuery: {"char_length": "character_length"},
	sqlparts.MySQL:    {"character_length": "char_length", "mod": "%"},
	sqlparts.Databricks: {"char_length": "length", "character_length": "length", "len": "length", "mod": "%",
		"startswith": "starts_with"},
}

// joinsTexts are the dialects in which CONCAT is equivalent to ||: it returns NULL if any argument is NULL.
var joinsTexts = map[sqlparts.Dialect]bool{sqlparts.Snowflake: true, sqlparts.BigQuery: true, sqlparts.Databricks: true,
	sqlparts.Redshift: true}

// countsConditions reports whether a function counts the rows for which a condition is true, and returns 0 if there are
// none. DuckDB's returns NULL if the condition is always NULL, and Snowflake's may.
func (r rules) countsConditions(name string) bool {
	return r.Dialect == sqlparts.BigQuery && name == "countif" || r.Dialect == sqlparts.Databricks && name == "count_if"
}

// plainCall returns the normal form of a call, whose function may have several spellings. It returns nil only for a
// DECODE that cannot be written as CASE with =.
func (b *builder) plainCall(name string, args []*expr) *expr {
	d := b.Dialect
	if same := sameFunction[d][name]; same == "%" {
		if len(args) == 2 {
			return node("%", args...)
		}
	} else if same != "" {
		name = same
	}
	call := func(name string, args ...*expr) *expr { return &expr{op: opCall, text: name, args: args} }
	isNot := func(x *expr) *expr { return negation(node(opIsNull, x)) }
	switch {
	case name == "nvl2" && len(args) == 3 &&
		(d == sqlparts.Snowflake || d == sqlparts.Redshift || d == sqlparts.Databricks):
		return caseExpr([]*expr{isNot(args[0]), args[1], args[2]})
	case name == "zeroifnull" && len(args) == 1 && (d == sqlparts.Snowflake || d == sqlparts.Databricks):
		return call("coalesce", args[0], wholeConstant(0))
	case name == "decode" && len(args) > 2 &&
		(d == sqlparts.Snowflake || d == sqlparts.Redshift || d == sqlparts.Databricks) && !args[0].has(isQuery):
		var whens []*expr
		for i := 1; i+1 < len(args); i += 2 {
			if args[i].op != opNumber && args[i].op != opString { // NULL equals NULL here
				return nil
			}
			whens = append(whens, b.compare("=", args[0].clone(), args[i]), args[i+1])
		}
		if len(args)%2 == 0 {
			whens = append(whens, args[len(args)-1])
		}
		return caseExpr(whens)
	case name == "concat" && joinsTexts[d] && len(args) > 1:
		x := args[0]
		for _, a := range args[1:] {
			x = node("||", x, a)
		}
		return x
	case name == "left" && len(args) == 2 && d != sqlparts.SQLite && d != sqlparts.Generic:
		if _, ok := wholeNumber(args[1]); ok && args[1].op == opNumber {
			return call("substr", args[0], wholeConstant(1), args[1])
		}
	case name == "to_varchar" && len(args) == 1 && d == sqlparts.Snowflake:
		return &expr{op: "cast", text: "varchar", args: args}
	case name == "to_date" && len(args) == 1 && d == sqlparts.Snowflake:
		return &expr{op: "cast", text: "date", args: args}
	case name == "starts_with" && len(args) == 2 && args[1].op == opString && args[1].text != "":
		// not with trailing spaces, which a type of fixed length drops before one of them
		if p := args[1].text; !strings.ContainsAny(p, `%_\`) && !strings.HasSuffix(p, " ") &&
			(d == sqlparts.Postgres || d == sqlparts.DuckDB || d == sqlparts.BigQuery || d == sqlparts.Snowflake ||
				d == sqlparts.Databricks) {
			return node("like ", args[0], &expr{op: opString, text: p + "%"})
		}
	case unitFunctions[name] && len(args) > 1:
		out := slices.Clone(args)
		for i, a := range args {
			if unit := strings.ToLower(a.text); (a.op == opString && i == 0 || a.op == opLit) && len(a.args) == 0 &&
				dateUnits[unit] {
				out[i] = &expr{op: opLit, text: unit}
			}
		}
		return call(name, out...)
	}
	return call(name, args...)
}

// unitFunctions take the name of a unit of time, in any case, as a string or a word.
var unitFunctions = map[string]bool{"date_trunc": true, "datetrunc": true, "datediff": true, "dateadd": true,
	"timestampdiff": true, "timestampadd": true, "date_diff": true, "date_part": true, "datepart": true}

var dateUnits = map[string]bool{"year": true, "quarter": true, "month": true, "week": true, "day": true, "hour": true,
	"minute": true, "second": true}

// plainSpecial returns the normal form of a call with keywords between its arguments; nil for other calls.
func (b *builder) plainSpecial(name string, words []string, args []*expr) *expr {
	switch {
	case name == "position" && len(args) == 2 && words[1] == "in":
		switch b.Dialect {
		case sqlparts.Postgres, sqlparts.Redshift, sqlparts.DuckDB, sqlparts.BigQuery:
			return &expr{op: opCall, text: "strpos", args: []*expr{args[1], args[0]}}
		case sqlparts.Snowflake:
			return &expr{op: opCall, text: "position", args: args}
		}
	case name == "trim" && b.Dialect == sqlparts.Postgres && len(args) == 2 && words[0] == "both" && words[1] == "from" &&
		args[0].op == opString && args[0].text == " ":
		return &expr{op: opCall, text: "trim", args: args[1:]}
	case name == "trim" && b.Dialect == sqlparts.Postgres && len(args) == 1 && words[0] == "both":
		return &expr{op: opCall, text: "trim", args: args}
	}
	return nil
}
