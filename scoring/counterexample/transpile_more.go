package counterexample

import (
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Functions of numbers, arrays and semi-structured data that warehouses have.

// doubled returns SQL for a number converted to a double.
func (c *transpiler) doubled(x expr) string {
	x = c.numeric(x)
	return "CAST(" + x.sql + " AS DOUBLE)"
}

// real returns an inexact double for SQL, since dialects compute such functions to different digits.
func (c *transpiler) real(sql string) expr {
	c.divides = true
	return expr{sql: sql, kind: Real, inexact: true}
}

func numberFunctions() map[string]func(c *transpiler, args []expr) expr {
	power := func(c *transpiler, args []expr) expr {
		if len(args) != 2 || c.dialect == sqlparts.SQLite {
			return expr{}
		}
		x, y := c.doubled(args[0]), c.doubled(args[1])
		return c.real(
			"(CASE WHEN " + x + " < 0 AND " + y + " <> floor(" + y + ") OR " + x + " = 0 AND " + y +
				" < 0 THEN error('no power') ELSE pow(" + x + ", " + y + ") END)")
	}
	logarithm := func(name string) func(c *transpiler, args []expr) expr {
		return func(c *transpiler, args []expr) expr {
			if len(args) != 1 || c.dialect == sqlparts.SQLite || c.dialect == sqlparts.MySQL ||
				c.dialect == sqlparts.Databricks {
				return expr{}
			}
			x := c.doubled(args[0])
			return c.real("(CASE WHEN " + x + " <= 0 THEN error('no logarithm') ELSE " + name + "(" + x + ") END)")
		}
	}
	divide := func(zero string, null bool, dialects ...sqlparts.Dialect) func(c *transpiler, args []expr) expr {
		return func(c *transpiler, args []expr) expr {
			if len(args) != 2 || !slices.Contains(dialects, c.dialect) {
				return expr{}
			}
			x, y := c.doubled(args[0]), c.doubled(args[1])
			test := y + " = 0"
			if null {
				test = "(" + y + " = 0 OR " + y + " IS NULL)"
			}
			return c.real(
				"(CASE WHEN " + x + " IS NULL THEN NULL WHEN " + test + " THEN " + zero + " ELSE " + x + " / " + y + " END)")
		}
	}
	greatest := func(name string) func(c *transpiler, args []expr) expr {
		return func(c *transpiler, args []expr) expr {
			if len(args) < 1 {
				return expr{}
			}
			for i := range args {
				args[i] = c.value(args[i])
			}
			args, all := c.alignKinds(args)
			var parts, nulls []string
			for _, a := range args {
				if a.kind == Text {
					c.inOrder = true
					c.keyed(a)
				}
				parts, nulls = append(parts, a.sql), append(nulls, a.sql+" IS NULL")
			}
			all.sql = name + "(" + strings.Join(parts, ", ") + ")"
			switch c.dialect {
			case sqlparts.BigQuery, sqlparts.Snowflake, sqlparts.MySQL: // NULL if an argument is
				all.sql = "(CASE WHEN " + strings.Join(nulls, " OR ") + " THEN NULL ELSE " + all.sql + " END)"
			// These ignore NULL.
			case sqlparts.Postgres, sqlparts.DuckDB, sqlparts.Databricks, sqlparts.Redshift, sqlparts.TSQL:
			default:
				return expr{}
			}
			return all
		}
	}
	const bq, sf = sqlparts.BigQuery, sqlparts.Snowflake
	return map[string]func(c *transpiler, args []expr) expr{
		"pow": power, "power": power,
		"ln": logarithm("ln"), "log10": logarithm("log10"),
		"exp": func(c *transpiler, args []expr) expr {
			if len(args) != 1 || c.dialect == sqlparts.SQLite {
				return expr{}
			}
			x := c.doubled(args[0])
			return c.real("(CASE WHEN abs(" + x + ") > 300 THEN error('no exponential') ELSE exp(" + x + ") END)")
		},
		"log": func(c *transpiler, args []expr) expr {
			switch {
			case len(args) == 1 && c.dialect == bq:
				return logarithm("ln")(c, args)
			case len(args) == 1 && (c.dialect == sqlparts.Postgres || c.dialect == sqlparts.DuckDB):
				return logarithm("log10")(c, args)
			case len(args) == 2 && (c.dialect == bq || c.dialect == sf):
				x, base := c.doubled(args[0]), c.doubled(args[1])
				if c.dialect == sf {
					x, base = base, x
				}
				return c.real(
					"(CASE WHEN " + x + " <= 0 OR " + base + " <= 0 OR " + base + " = 1 THEN error('no logarithm') ELSE ln(" + x +
						") / ln(" + base + ") END)")
			}
			return expr{}
		},
		"safe_divide": divide("NULL", false, bq), "div0": divide("0", false, sf), "div0null": divide("0", true, sf),
		"greatest": greatest("greatest"), "least": greatest("least"),
		"zeroifnull": func(c *transpiler, args []expr) expr {
			if len(args) != 1 || c.dialect != sf {
				return expr{}
			}
			return coalesced(c, []expr{args[0], whole(0)})
		},
		"nullifzero": func(c *transpiler, args []expr) expr {
			if len(args) != 1 || c.dialect != sf {
				return expr{}
			}
			x := c.numeric(args[0])
			x.sql = "nullif(" + x.sql + ", 0)"
			return x
		},
		"nvl2": func(c *transpiler, args []expr) expr {
			if len(args) != 3 || c.dialect != sf && c.dialect != sqlparts.Redshift && c.dialect != sqlparts.Databricks {
				return expr{}
			}
			list, all := c.alignKinds([]expr{c.value(args[1]), c.value(args[2])})
			all.sql = "(CASE WHEN " + args[0].sql + " IS NOT NULL THEN " + list[0].sql + " ELSE " + list[1].sql + " END)"
			return all
		},
		"sign": func(c *transpiler, args []expr) expr {
			if len(args) != 1 || c.dialect == sqlparts.SQLite {
				return expr{}
			}
			return expr{sql: "CAST(sign(" + c.numeric(args[0]).sql + ") AS BIGINT)", kind: Int}
		},
		"square": func(c *transpiler, args []expr) expr {
			if len(args) != 1 || c.dialect != sf && c.dialect != sqlparts.TSQL {
				return expr{}
			}
			x := c.doubled(args[0])
			return c.real("(" + x + " * " + x + ")")
		},
		"to_number": number, "to_numeric": number, "to_decimal": number, "try_to_number": tryNumber,
		"try_to_numeric": tryNumber, "try_to_decimal": tryNumber,
		"to_double": func(c *transpiler, args []expr) expr {
			if len(args) != 1 || c.dialect != sf {
				return expr{}
			}
			return c.toNumber(args[0], Real, false)
		},
		"to_boolean": func(c *transpiler, args []expr) expr {
			if len(args) != 1 || c.dialect != sf {
				return expr{}
			}
			return c.toBool(args[0])
		},
		"array_length": lengthOf(sqlparts.BigQuery, sqlparts.DuckDB), "array_size": lengthOf(sf),
		"cardinality":     lengthOf(sqlparts.Postgres),
		"array_construct": listed(sf), "array_reverse": func(c *transpiler, args []expr) expr {
			if len(args) != 1 || args[0].kind != List {
				return expr{}
			}
			return expr{sql: "list_reverse(" + args[0].sql + ")", kind: List, of: args[0].of}
		},
		"array_sort": func(c *transpiler, args []expr) expr {
			if len(args) != 1 || args[0].kind != List || c.dialect != sf {
				return expr{}
			}
			if args[0].of.kind == Text {
				c.inOrder = true
			}
			return expr{sql: "list_sort(" + args[0].sql + ", 'ASC', 'NULLS LAST')", kind: List, of: args[0].of}
		},
		"array_cat": joinedLists, "array_concat": joinedLists,
		"array_to_string": func(c *transpiler, args []expr) expr {
			if len(args) != 2 || c.dialect != bq && c.dialect != sf || args[1].literal == nil {
				return expr{}
			}
			x := args[0]
			if n := c.arrayOf(x); n != nil {
				x = c.listOf(n, x.sql)
			}
			if x.kind != List || x.of.kind != Text && x.of.kind != Int {
				if c.learn {
					return expr{sql: "''", kind: Text}
				}
				return expr{}
			}
			return expr{sql: "array_to_string(" + x.sql + ", " + args[1].sql + ")", kind: Text, near: x.near}
		},
		"array_contains": func(c *transpiler, args []expr) expr {
			if len(args) != 2 || c.dialect != sf {
				return expr{}
			}
			return c.contained(args[0], args[1], true)
		},
		"parse_json": asJSON, "try_parse_json": asJSON, "to_variant": asJSON, "to_array": asJSON,
	}
}

// number translates Snowflake's TO_NUMBER without a scale, which returns integers.
func number(c *transpiler, args []expr) expr {
	if len(args) != 1 || c.dialect != sqlparts.Snowflake {
		return expr{}
	}
	return c.toNumber(args[0], Int, false)
}

func tryNumber(c *transpiler, args []expr) expr {
	if len(args) != 1 || c.dialect != sqlparts.Snowflake {
		return expr{}
	}
	return c.toNumber(args[0], Int, true)
}

// asJSON translates PARSE_JSON of a string whose parts the query reads. If the query uses the value itself,
// evaluation fails unless it is NULL.
func asJSON(c *transpiler, args []expr) expr {
	if len(args) != 1 || c.dialect != sqlparts.Snowflake {
		return expr{}
	}
	x := args[0]
	if x.kind != Nested && !c.learn { // no part of it is read, so its value is unknown
		return expr{sql: "(CASE WHEN " + x.sql + " IS NULL THEN NULL ELSE error('JSON as a value') END)", kind: Text}
	}
	return x
}

// lengthOf returns a translator of a function for the number of elements of an array in these dialects.
func lengthOf(dialects ...sqlparts.Dialect) func(c *transpiler, args []expr) expr {
	return func(c *transpiler, args []expr) expr {
		if len(args) != 1 || !slices.Contains(dialects, c.dialect) {
			return expr{}
		}
		return c.arrayLength(args[0])
	}
}

// listed returns a translator of a function that returns an array of its arguments in these dialects.
func listed(dialects ...sqlparts.Dialect) func(c *transpiler, args []expr) expr {
	return func(c *transpiler, args []expr) expr {
		if !slices.Contains(dialects, c.dialect) {
			return expr{}
		}
		return c.list(args)
	}
}

func (c *transpiler) list(args []expr) expr {
	if len(args) == 0 {
		return expr{sql: "CAST([] AS VARCHAR[])", kind: List, of: &expr{kind: Text}}
	}
	for i := range args {
		args[i] = c.value(args[i])
	}
	args, all := c.alignKinds(args)
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.sql
	}
	if all.kind == Null {
		all.kind = Text
	}
	all.column, all.literal, all.nest = nil, nil, nil
	of := all
	return expr{sql: "CAST([" + strings.Join(parts, ", ") + "] AS " + all.kind.Type() + "[])", kind: List, of: &of,
		near: all.near}
}

func joinedLists(c *transpiler, args []expr) expr {
	if len(args) < 2 {
		return expr{}
	}
	out := args[0]
	for _, a := range args[1:] {
		if out.kind != List || a.kind != List || out.of.kind != a.of.kind {
			return expr{}
		}
		out = expr{sql: "list_concat(" + out.sql + ", " + a.sql + ")", kind: List, of: out.of, near: both(out, a)}
	}
	return out
}

// listOf converts the nested array of a row to a list.
func (c *transpiler) listOf(n *nest, row string) expr {
	t := c.elements(n)
	r := c.name("r")
	x := c.within(nest{table: t, alias: r})
	if x.kind == Nested {
		refuse("an array of structures as a value")
	}
	of := x
	of.column, of.nest = nil, nil
	return expr{
		sql: "(SELECT list(" + x.sql + " ORDER BY " + r + "." + c.ownColumn(t, atName) + ") FROM " + c.tableOf(t) + " AS " +
			r + " WHERE " + r + "." + c.ownColumn(t, ofName) + " = " + row + ")",
		kind: List, of: &of, near: x.near,
	}
}

// contained returns SQL for whether an array contains x. Without a match it is NULL if x or an element is NULL,
// except that it is false for an empty nested array.
func (c *transpiler) contained(x, array expr, nullIsNone bool) expr {
	if n := c.arrayOf(array); n != nil {
		t := c.elements(n)
		r := c.name("r")
		y := c.within(nest{table: t, alias: r})
		if y.kind == Nested {
			refuse("an array of structures")
		}
		test := c.compare("=", x, y).sql
		return expr{
			sql: "(SELECT CASE WHEN count(*) = 0 THEN FALSE ELSE bool_or(" + test + ") END FROM " + c.tableOf(t) + " AS " + r +
				" WHERE " + r + "." + c.ownColumn(t, ofName) + " = " + array.sql + ")", kind: Bool}
	}
	if array.kind != List {
		if c.learn {
			return expr{sql: "TRUE", kind: Bool}
		}
		refuse("an element of what is no array")
	}
	if c.learn {
		c.learnKind(x, array.of.kind)
		return expr{sql: "TRUE", kind: Bool}
	}
	if array.of.kind != x.kind {
		refuse("an array of values of another kind")
	}
	return expr{
		sql: "(CASE WHEN list_contains(" + array.sql + ", " + x.sql + ") THEN TRUE WHEN len(list_filter(" + array.sql +
			", lambda z: z IS NULL)) > 0 OR " + x.sql + " IS NULL THEN NULL ELSE FALSE END)", kind: Bool}
}

// plainInteger and plainDecimal match strings that every dialect converts to the same number.
const (
	plainInteger = `-?[0-9]{1,15}`
	plainDecimal = `-?[0-9]{1,15}(\.[0-9]{1,15})?`
)

// toNumber converts a value to a number of kind k. For a string that is not a plain number the result is unknown, and
// evaluation fails; only a string without a digit is certainly invalid, and with try becomes NULL.
func (c *transpiler) toNumber(x expr, k Kind, try bool) expr {
	if c.learn {
		c.learnKind(x, k)
		out := x
		out.sql, out.kind = "0", k
		return out
	}
	switch x.kind {
	case Int:
		return c.as(x, k)
	case Real:
		if k == Int {
			r := expr{sql: "CAST(" + c.round(x, 0) + " AS BIGINT)", kind: Int, near: x.near}
			return r
		}
		return x
	case Null:
		return c.as(c.numeric(x), k)
	case Bool:
		return expr{sql: "CAST(" + x.sql + " AS " + k.Type() + ")", kind: k, near: x.near}
	case Text:
		if x.number != nil { // a string converted from a number is converted back
			return c.toNumber(*x.number, k, try)
		}
	default:
		refuse("a number made of a date or an array")
	}
	for _, col := range x.near {
		c.values.numbers(col)
	}
	plain := plainDecimal
	if k == Int {
		plain = plainInteger
	}
	none := ""
	if try {
		none = " WHEN NOT regexp_matches(" + x.sql + ", '[0-9]') THEN NULL"
	}
	return expr{
		sql: "(CASE WHEN " + x.sql + " IS NULL THEN NULL WHEN regexp_full_match(" + x.sql + ", '" + plain + "') THEN CAST(" +
			x.sql + " AS " + k.Type() + ")" + none + " ELSE error('a text that is no number') END)",
		kind: k, near: x.near,
	}
}

// toBool converts a value to a Boolean.
func (c *transpiler) toBool(x expr) expr {
	if c.learn {
		c.learnKind(x, Bool)
		return expr{sql: "TRUE", kind: Bool, near: x.near}
	}
	switch x.kind {
	case Bool:
		return x
	case Null:
		return expr{sql: "CAST(NULL AS BOOLEAN)", kind: Bool}
	case Int:
		return expr{sql: "(" + x.sql + " <> 0)", kind: Bool, near: x.near}
	case Text:
		return expr{
			sql: "(CASE lower(" + x.sql + ") WHEN 'true' THEN TRUE WHEN 'false' THEN FALSE ELSE CASE WHEN " + x.sql +
				" IS NULL THEN NULL ELSE error('a text that is no truth value') END END)", kind: Bool, near: x.near}
	}
	refuse("a truth value made of a number with a fraction or a date")
	return x
}

// castTo translates CAST in dialects other than SQLite.
func (c *transpiler) castTo(x expr, e *sqlparts.Cast) expr {
	base, args, _ := strings.Cut(e.Type, "(")
	base = strings.TrimSpace(base)
	args, _, _ = strings.Cut(strings.ReplaceAll(args, " ", ""), ")")
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(base, w) })
	}
	plain := func(y expr) expr {
		y.column, y.affinity, y.nest = nil, noAffinity, nil
		return y
	}
	if has("[]", "array", "struct", "<") {
		refuse("CAST AS %s", strings.ToUpper(base))
	}
	switch {
	case has("variant"):
		return x
	case base == "time" && args == "":
		return plain(c.timeOfDay(x))
	case has("timestamptz", "timestamp_tz", "timestamp_ltz", "time zone", "interval", "unsigned"), base == "time":
		if !has("without time zone") || has("interval") || strings.HasPrefix(base, "time ") {
			refuse("CAST AS %s", strings.ToUpper(base))
		}
	}
	switch {
	case has("char", "text", "string"):
		n, err := strconv.Atoi(args)
		bounded := err == nil && base != "text" && x.kind != Null
		if bounded && !has("var", "string") && c.dialect != sqlparts.Snowflake && c.dialect != sqlparts.MySQL {
			refuse("CAST to a text that is filled with blanks")
		}
		if c.learn {
			// A part of semi-structured data has the kind that it is cast to.
			if x.kind == Null && x.nest != nil && x.nest.alias != "" {
				c.learnKind(x, Text)
			}
			x.kind, x.literal = Text, nil
			return x
		}
		x = plain(c.text(x))
		if bounded { // dialects differ for longer strings: some truncate, others fail
			x.sql, x.literal = "(CASE WHEN length("+x.sql+") > "+strconv.Itoa(n)+" THEN error('a text that is too long') ELSE "+
				x.sql+" END)", nil
		}
		return x
	case has("bool"):
		if x.kind == Text && x.literal != nil {
			return c.as(c.literalAs(x, Bool), Bool)
		}
		return plain(c.toBool(x))
	case has("int") && !has("point"):
		return plain(c.toWhole(x, e.Try))
	case has("number", "numeric", "decimal", "dec"):
		precision, scale, scaled := strings.Cut(args, ",")
		digits, err := strconv.Atoi(scale)
		if !scaled || err != nil {
			digits = 0
			if precision == "" {
				switch c.dialect {
				case sqlparts.Postgres, sqlparts.Generic:
					digits = -1
				case sqlparts.BigQuery:
					digits = 9
				case sqlparts.DuckDB:
					digits = 3
				}
			}
		}
		if digits == 0 {
			return plain(c.toWhole(x, e.Try))
		}
		x = c.toNumber(x, Real, e.Try)
		if x.kind == Real && digits > 0 && !c.learn {
			x.sql, x.literal = c.round(x, min(digits, 15)), nil
		}
		return plain(x)
	case has("real", "float", "double"):
		return plain(c.toNumber(x, Real, e.Try))
	case has("datetime", "timestamp"):
		return plain(c.toTime(x, Timestamp, e.Try))
	case has("date"):
		return plain(c.toTime(x, Date, e.Try))
	}
	refuse("CAST AS %s", strings.ToUpper(base))
	return x
}

// timeOfDay converts a timestamp to its time of day, as a string.
func (c *transpiler) timeOfDay(x expr) expr {
	switch c.dialect {
	case sqlparts.Snowflake, sqlparts.BigQuery, sqlparts.DuckDB, sqlparts.Databricks, sqlparts.Redshift:
	default:
		refuse("CAST AS TIME")
	}
	if x.kind == Text && x.literal != nil {
		if !clockTime.MatchString(x.literal.Text) {
			refuse("CAST AS TIME of this text")
		}
		return x
	}
	x = convert(c.instant(x, Timestamp), Timestamp)
	return expr{sql: "strftime(" + x.sql + ", '%H:%M:%S')", kind: Text, near: x.near, made: true, clock: true}
}

// clockTime matches a time of day, HH:MM:SS.
var clockTime = lazyregexp.New(`^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$`)

// toWhole translates CAST to an integer. Depending on the dialect, fractions are rounded or truncated.
func (c *transpiler) toWhole(x expr, try bool) expr {
	if x.kind != Real || c.learn {
		return c.toNumber(x, Int, try)
	}
	switch c.dialect {
	case sqlparts.TSQL, sqlparts.Databricks:
		v := c.doubled(x)
		if x.inexact {
			v = c.nudged(v)
		}
		return expr{sql: "CAST(trunc(" + v + ") AS BIGINT)", kind: Int, near: x.near}
	case sqlparts.Redshift, sqlparts.Generic: // by the type that is cast, or the engine
		if c.open = true; c.variant == 1 {
			v := c.doubled(x)
			if x.inexact {
				v = c.nudged(v)
			}
			return expr{sql: "CAST(trunc(" + v + ") AS BIGINT)", kind: Int, near: x.near}
		}
	}
	return expr{sql: "CAST(" + c.round(x, 0) + " AS BIGINT)", kind: Int, near: x.near}
}

// toTime translates CAST to a date or a timestamp.
func (c *transpiler) toTime(x expr, k Kind, try bool) expr {
	if x.kind == Text && x.literal != nil && !c.learn {
		return c.as(c.literalAs(x, k), k)
	}
	if x.kind == Text && try && !c.learn {
		y := c.instant(x, k)
		y.sql = "(CASE WHEN regexp_matches(" + x.sql + ", '[0-9]') THEN " + y.sql + " END)"
		return y
	}
	return convert(c.instant(x, k), k)
}
