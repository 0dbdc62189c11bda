package counterexample

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// without refuses a feature that the query's dialect does not have, if it is one of dialects: the query fails there,
// so that it has no result to compare.
func (c *transpiler) without(what string, dialects ...sqlparts.Dialect) {
	if slices.Contains(dialects, c.dialect) {
		refuse("%s, which %s does not have", what, c.dialect)
	}
}

// functionsWithout maps functions to the dialects that do not have them, or have another name for them.
var functionsWithout = map[string][]sqlparts.Dialect{
	"ifnull": {sqlparts.Postgres, sqlparts.Redshift, sqlparts.TSQL},
	"nvl":    {sqlparts.Postgres, sqlparts.SQLite, sqlparts.MySQL, sqlparts.TSQL, sqlparts.BigQuery},
	"iif": {sqlparts.Postgres, sqlparts.Redshift, sqlparts.MySQL, sqlparts.BigQuery, sqlparts.Snowflake,
		sqlparts.Databricks},
	"iff":    {sqlparts.Postgres, sqlparts.Redshift, sqlparts.MySQL, sqlparts.BigQuery, sqlparts.TSQL, sqlparts.SQLite},
	"strpos": {sqlparts.SQLite, sqlparts.MySQL, sqlparts.TSQL},
	"len":    {sqlparts.Postgres, sqlparts.SQLite, sqlparts.MySQL},
}

// castOperator reports whether a cast is written as x::type.
func (c *transpiler) castOperator(e *sqlparts.Cast) bool {
	start, end := int(e.Start), int(e.End)
	return start >= 0 && start <= end && end <= len(c.queryText) && strings.Contains(c.queryText[start:end], "::")
}

// choosesRows reports whether the dialect allows a column that is neither grouped nor aggregated, whose value is then
// that of some row of the group. PostgreSQL allows it only if the query groups by the primary key of the column's
// table, so that all rows of the group have the same value.
func (c *transpiler) choosesRows(s *scope, x expr) bool {
	switch c.dialect {
	case sqlparts.SQLite, sqlparts.MySQL, sqlparts.Generic:
		return true
	case sqlparts.Postgres:
	default:
		return false
	}
	if x.column == nil || x.column.table == nil || len(x.column.table.Unique) == 0 {
		return false
	}
	for _, key := range x.column.table.Unique[0] {
		if !slices.ContainsFunc(s.group.keys, func(k expr) bool { return k.column == key }) {
			return false
		}
	}
	return true
}
