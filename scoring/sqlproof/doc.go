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
// differ (dialect.go, functions.go), the dialect decides: case of names, aliases in WHERE, GROUP BY, HAVING and
// ORDER BY, where nulls are sorted, frames, names of types, NaN, + of texts. What has no meaning
// here (pivots, recursion, functions that give another value each time, samples of
// derived tables, the row of a derived table as a value, columns by position, by text or by pattern, a
// name that is no column) ends the proof. The normalizer (rules.go, conditions.go, shapes.go, classes.go) applies rules until none changes the tree. The
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
//	always        OR: what is false, included or common in it; two bounds of a number as the narrower one; IS TRUE, CASE … = 1 and
//	              COALESCE(x, a) = b as the condition in them, where only whether it is true counts
//	always        CASE WHEN x IS NULL as COALESCE; COALESCE within COALESCE; x / NULLIF(y, 0) as a CASE; names of one function (functions.go)
//	always        the condition of all aggregates of a query without groups as WHERE; SUM(CASE … 1 ELSE 0) of groups as a count; COUNT(*)
//	              in a subquery compared with 0 as EXISTS; COUNT(DISTINCT a) as counting distinct rows; VALUES as UNION ALL
//	always        UNION of one table by OR, UNION ALL where conditions exclude each other; DISTINCT inside where repetition does not count
//	always        a derived table of one row as subqueries; one of groups, joined by all that it groups by, as subqueries and EXISTS; a
//	              condition on the keys of all partitions as WHERE; DISTINCT ON as ROW_NUMBER; DENSE_RANK() = 1 as RANK() = 1
//	whole numbers c < x as c + 1 <= x, lists of successive numbers as ranges: columns of whole types, counts, ranks, parts of dates
//	dates         the year, or the month of a year, as a range of days: columns of the type date, not MySQL's 2020-00-00
//	texts         LIKE without a wildcard as =, beginnings and parts of texts as LIKE: types without padding, case counts
//	key           groups by the key of a table with aggregates of others as subqueries; a subquery that looks up by a key as LEFT JOIN; a
//	              table joined with itself by a key; a frame of rows as the default one; sort keys behind a key dropped
//	not null      RANK() = 1 and NOT EXISTS of a greater value as comparison with the greatest; INTERSECT and EXCEPT as EXISTS; an
//	              aggregate of a partition as a subquery; IN of groups with HAVING as a subquery
//	foreign key   an outer join of which each row has a match as an inner or one-sided one
//	chance        a common table expression with a limit, a sample or an order-sensitive function that is used twice stays one
//
// The constraints that the schema certainly states ([sqlparts.ReadSchema]) are taken to hold, also where
// the warehouse does not enforce them: not those of some rows, of expressions, of another schema's
// table, or that a later statement may drop. Where two definitions fit a table, or one was not read
// whole, nothing is known of it. A primary key of SQLite may be NULL unless it is the row id.
package sqlproof
