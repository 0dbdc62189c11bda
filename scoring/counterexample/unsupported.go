package counterexample

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// without refuses features that some dialects do not have: there the query fails, which is not a result to compare.
// The engine's result does not matter.
func (c *carrier) without(what string, dialects ...sqlparts.Dialect) {
	if slices.Contains(dialects, c.dialect) {
		refuse("%s, which %s does not have", what, c.dialect)
	}
}

// functionsWithout are functions that a dialect knows under another name.
var functionsWithout = map[string][]sqlparts.Dialect{
	"ifnull": {sqlparts.Postgres, sqlparts.Redshift, sqlparts.TSQL},
	"nvl":    {sqlparts.Postgres, sqlparts.SQLite, sqlparts.MySQL, sqlparts.TSQL, sqlparts.BigQuery},
	"iif": {sqlparts.Postgres, sqlparts.Redshift, sqlparts.MySQL, sqlparts.BigQuery, sqlparts.Snowflake,
		sqlparts.Databricks},
	"iff":    {sqlparts.Postgres, sqlparts.Redshift, sqlparts.MySQL, sqlparts.BigQuery, sqlparts.TSQL, sqlparts.SQLite},
	"strpos": {sqlparts.SQLite, sqlparts.MySQL, sqlparts.TSQL},
	"len":    {sqlparts.Postgres, sqlparts.SQLite, sqlparts.MySQL},
}

// castOperator reports whether a cast is written x::type.
func (c *carrier) castOperator(e *sqlparts.Cast) bool {
	start, end := int(e.Start), int(e.End)
	return start >= 0 && start <= end && end <= len(c.queryText) && strings.Contains(c.queryText[start:end], "::")
}

// choosesRows reports whether the dialect takes the value of a column that is neither grouped nor
// aggregated from some row of the group. PostgreSQL does where all rows of the group have one: where
// the primary key of the column's table is grouped by.
func (c *carrier) choosesRows(s *scope, x expr) bool {
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
