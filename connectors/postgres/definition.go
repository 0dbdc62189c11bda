package postgres

import "github.com/badger-eval/badger/connectors/driver"

// definition returns the query for the definition of a table or view. Names match in any case, but an exact match is
// preferred. Without a schema, the table must be visible on the search path.
func definition(name ...string) string {
	text := driver.Dialect{}.Literal
	table, where := name[len(name)-1], "pg_catalog.pg_table_is_visible(c.oid)"
	if len(name) > 1 {
		where = "lower(n.nspname) = lower(" + text(name[len(name)-2]) + ")"
	}
	return `SELECT CASE WHEN c.relkind IN ('v', 'm') THEN 'CREATE VIEW ' || quote_ident(c.relname) || ' AS ' || pg_get_viewdef(c.oid) ELSE 'CREATE TABLE ' || quote_ident(c.relname) || ' (' || (
  SELECT string_agg(quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attgenerated <> '' THEN ' GENERATED ALWAYS AS (' || pg_get_expr(d.adbin, d.adrelid) || ') STORED' ELSE '' END
    || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END, ', ' ORDER BY a.attnum)
  FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
) || COALESCE((
  SELECT string_agg(', ' || pg_get_constraintdef(k.oid), '' ORDER BY k.contype = 'p' DESC, k.conname)
  FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.contype IN ('p', 'u', 'f', 'c', 'x') AND k.convalidated
), '') || ')' END AS definition
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND lower(c.relname) = lower(` + text(table) + `) AND ` + where + `
ORDER BY c.relname = ` + text(table) + ` DESC, c.relname LIMIT 1`
}
