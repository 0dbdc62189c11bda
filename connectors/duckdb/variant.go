package duckdb

import (
	"fmt"
	"strings"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// castVariants replaces a prepared query whose result has columns that are or contain a VARIANT, which the engine
// returns in its own format, by one that casts them to JSON. If that cannot be prepared, the query is unchanged, and
// reading those columns fails.
func (s *session) castVariants(sql string, prepared *mapping.PreparedStatement) {
	n := mapping.PreparedStatementColumnCount(*prepared)
	columns, names, found := make([]string, n), make([]string, n), false
	for i := range n {
		t := mapping.PreparedStatementColumnLogicalType(*prepared, i)
		column := fmt.Sprintf("c%d", i)
		names[i], columns[i] = column, column
		if holdsVariant(t) {
			found = true
			columns[i] = fmt.Sprintf("CASE WHEN %[1]s IS NOT NULL THEN CAST(%[1]s AS JSON) END", column)
		}
		mapping.DestroyLogicalType(&t)
		columns[i] += " AS " + Dialect.Identifiers.Quoted(mapping.PreparedStatementColumnName(*prepared, i))
	}
	if !found {
		return
	}
	query := fmt.Sprintf("SELECT %s FROM (%s\n) AS q(%s)", strings.Join(columns, ", "), strings.TrimRight(sql, "; \t\r\n"),
		strings.Join(names, ", "))
	var cast mapping.PreparedStatement
	if mapping.Prepare(s.conn, query, &cast) == mapping.StateError {
		mapping.DestroyPrepare(&cast)
		return
	}
	mapping.DestroyPrepare(prepared)
	*prepared = cast
}

// holdsVariant reports whether a type is VARIANT or contains one.
func holdsVariant(t mapping.LogicalType) bool {
	inside := func(children ...mapping.LogicalType) (found bool) {
		for i := range children {
			found = found || holdsVariant(children[i])
			mapping.DestroyLogicalType(&children[i])
		}
		return found
	}
	var children []mapping.LogicalType
	switch mapping.GetTypeId(t) {
	case mapping.TypeVariant:
		return true
	case mapping.TypeList:
		children = append(children, mapping.ListTypeChildType(t))
	case mapping.TypeArray:
		children = append(children, mapping.ArrayTypeChildType(t))
	case mapping.TypeMap:
		children = append(children, mapping.MapTypeKeyType(t), mapping.MapTypeValueType(t))
	case mapping.TypeStruct:
		for i := range mapping.StructTypeChildCount(t) {
			children = append(children, mapping.StructTypeChildType(t, i))
		}
	case mapping.TypeUnion:
		for i := range mapping.UnionTypeMemberCount(t) {
			children = append(children, mapping.UnionTypeMemberType(t, i))
		}
	}
	return inside(children...)
}
