package duckdb

import "github.com/badger-eval/badger/connectors/driver"

// definition returns the query for the CREATE statement of a table or a view; NULL if it does not exist.
func definition(name ...string) string {
	text := driver.Dialect{}.Literal
	where := "database_name = current_database() AND schema_name = current_schema()"
	switch n := len(name); {
	case n == 2: // the first part is a schema, or a database
		where = "(lower(schema_name) = lower(" + text(name[0]) +
			") AND database_name = current_database() OR lower(database_name) = lower(" + text(name[0]) +
			") AND schema_name = 'main')"
	case n > 2:
		where = "lower(database_name) = lower(" + text(name[n-3]) + ") AND lower(schema_name) = lower(" + text(name[n-2]) +
			")"
	}
	named := func(column string) string {
		return where + " AND lower(" + column + ") = lower(" + text(name[len(name)-1]) + ")"
	}
	return `SELECT coalesce((SELECT any_value(sql) FROM duckdb_tables() WHERE ` + named("table_name") + `),
  (SELECT any_value(sql) FROM duckdb_views() WHERE ` + named("view_name") + `)) AS definition`
}
