package sqlproof

import (
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// family is a class of types whose values compare in the same way.
type family uint8

const (
	unknownFamily family = iota
	narrowInt            // whole numbers that a double represents exactly
	wideInt
	decimalNumber
	doubleNumber
	textual
	temporal
	otherType // equal only to the type of the same name
)

// familyOf returns the family of a type, whose name is in lower case and without a size.
func familyOf(typ string, d sqlparts.Dialect) family {
	if d == sqlparts.SQLite { // by affinity
		switch {
		case strings.Contains(typ, "int"):
			return wideInt
		case strings.Contains(typ, "char"), strings.Contains(typ, "clob"), strings.Contains(typ, "text"):
			return textual
		case typ == "", strings.Contains(typ, "blob"):
			return otherType
		}
		return decimalNumber
	}
	switch typ {
	case "":
		return unknownFamily
	case "int", "integer", "int4", "int2", "smallint", "tinyint", "mediumint", "serial", "serial4", "smallserial",
		"uinteger", "usmallint", "utinyint":
		if d == sqlparts.Snowflake {
			return decimalNumber
		}
		return narrowInt
	case "bigint", "int8", "int64", "bigserial", "serial8", "long", "hugeint", "ubigint", "uhugeint", "byteint":
		return wideInt
	case "decimal", "numeric", "number", "dec", "money", "smallmoney", "bignumeric", "bigdecimal":
		return decimalNumber
	case "double", "float", "float4", "float8", "float64", "real":
		return doubleNumber
	case "date", "timestamp", "timestamptz", "datetime", "datetime2", "timestamp_ntz", "timestamp_ltz", "timestamp_tz":
		return temporal
	case "char", "character", "varchar", "text", "string", "nvarchar", "nchar", "bpchar", "clob", "tinytext", "mediumtext",
		"longtext", "varchar2", "ntext":
		return textual
	}
	return otherType
}

// familyOf returns the family of an expression's values, as far as it is known, and, if the expression is a column,
// the type that the schema states.
func (n *normalizer) familyOf(e *expr) (f family, typ string) {
	switch e.op {
	case opNumber:
		if strings.ContainsAny(e.text, "exp") {
			return doubleNumber, ""
		}
		return decimalNumber, ""
	case opItem:
		if b := e.src.block; b != nil && len(b.terms) == 0 && atoi(e.text) < len(b.items) {
			return n.familyOf(b.items[atoi(e.text)])
		}
	case opCall:
		if (e.text == "min" || e.text == "max") && len(e.args) == 1 {
			return n.familyOf(e.args[0])
		}
		if e.text == "count" {
			return wideInt, ""
		}
	}
	c, ok := n.column(e)
	if !ok {
		return unknownFamily, ""
	}
	typ = n.schema.Type(c)
	return familyOf(typ, n.Dialect), typ
}

// matchesOnce reports whether no value equals two different values of a column. One may if the comparison converts the
// column's values first: as numbers '1' and '01' are equal, as doubles so are 9007199254740992 and 9007199254740993,
// and a collation may ignore case.
func (n *normalizer) matchesOnce(column, value *expr) bool {
	if n.special(column) || n.special(value) {
		return false
	}
	if value.op == opString {
		return true // a constant takes the type of the column
	}
	f, typ := n.familyOf(column)
	other, otherTyp := n.familyOf(value)
	if typ != "" && typ == otherTyp {
		return true
	}
	switch f {
	case narrowInt, doubleNumber:
		return true
	case wideInt, decimalNumber:
		// these compare exactly
		return other == narrowInt || other == wideInt || other == decimalNumber || n.Dialect == sqlparts.SQLite
	case textual:
		// In SQLite a number that is not compared with a column may be compared as a string.
		return other == textual ||
			n.Dialect == sqlparts.SQLite && (value.op == opNumber || other == unknownFamily && value.op != "cast")
	case temporal:
		return other == temporal
	}
	return false
}

// special reports whether an expression contains COLLATE, or a column that the schema marks as special, such as one
// with a collation.
func (n *normalizer) special(e *expr) bool {
	return !e.each(func(x *expr) bool {
		c, ok := n.column(x)
		return x.op != "collate" && !(ok && n.schema.Special(c))
	})
}
