// Package sqlproof proves that two queries are the same: that they return the same rows on every
// database with the schema.
//
// A proof is one-sided. [Same] returns one where the queries are the same for sure, and nil if
// they differ or where nothing is known. It never rests on what was not read: each script must be
// one query that only reads, read without a note, and every word of the text must be in the tree
// ([sqlparts.Script.Whole]). What a rule leaves out it knows to be without effect on the rows, function
// by function; whether an expression that is left out would have failed is not asked.
//
// # How it works
//
// The builder (build.go, names.go, expr.go) makes a tree in which a column points at its source, so
// that aliases are gone and queries can be moved into others. Derived tables and common table
// expressions that only pick, filter and join give way to what they are made of. Where dialects
// differ (dialect.go), the dialect decides: case of names, aliases in WHERE, GROUP BY, HAVING and
// ORDER BY, where nulls are sorted, frames, names of types, NaN, + of texts. What has no meaning
// here (natural joins, pivots, recursion, functions that give another value each time, samples of
// derived tables, the row of a derived table as a value, columns by position, by text or by pattern, a
// name that is no column) ends the proof. The normalizer (rules.go, classes.go) applies rules until none changes the tree. The
// printer (canon.go) writes it with everything sorted that has no order, sources numbered by what
// they are. Equal texts are the same query.
//
// # The rules and the conditions under which they hold
//
//	always        order of AND, OR, =, *, inner joins, groups and partitions; of independent LEFT JOINs; RIGHT JOIN as LEFT JOIN
//	always        conditions of inner joins as WHERE; BETWEEN as two comparisons; constants of one kind in IN as OR
//	always        NOT of =, AND, OR; of < where every two values compare (not with IEEE's NaN: BigQuery)
//	always        DISTINCT as GROUP BY; HAVING of groups as WHERE; SELECT from a grouped query as HAVING; QUALIFY as a filter around
//	always        IN (SELECT …) as EXISTS where NULL counts as false; LEFT JOIN as JOIN where WHERE drops the added rows
//	always        LEFT JOIN … IS NULL as NOT EXISTS where the join compares the column; the default frame; ELSE NULL; COUNT(1)
//	not null      NOT IN (SELECT …) as NOT EXISTS: both columns; COUNT(x) as COUNT(*); x IS NOT NULL dropped
//	key           EXISTS as a join; a LEFT JOIN of which nothing is used dropped; COUNT(DISTINCT x) as COUNT(x)
//	key, not null DISTINCT and GROUP BY dropped; columns that a key among the groups determines dropped
//	foreign key   a join of which nothing but the key is used dropped: the column IS NOT NULL
//	one type      columns that joins hold equal stand for each other (without a schema: columns of one name)
//	one value     an unused item of a derived table or of EXISTS dropped; a SELECT taken apart; DISTINCT of a grouped query, and the
//	              order of one row dropped: each function is a known scalar, aggregate or window function, none that may return a set
//	no order      ORDER BY in a derived table dropped: each function around is a known scalar, or an aggregate that no order changes
//	chance        a common table expression with a limit, a sample or an order-sensitive function that is used twice stays one
//
// The constraints that the schema certainly states ([sqlparts.ReadSchema]) are taken to hold, also where
// the warehouse does not enforce them: not those of some rows, of expressions, of another schema's
// table, or that a later statement may drop. Where two definitions fit a table, or one was not read
// whole, nothing is known of it. A primary key of SQLite may be NULL unless it is the row id.
package sqlproof
