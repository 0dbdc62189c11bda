// Package sqlproof proves that two queries are the same: that they return the same rows on every
// database with the schema.
//
// A proof is one-sided. [Same] returns one if the queries are certainly the same, and nil if they differ or nothing
// is known. It never relies on text that was not parsed: each script must be one query that only reads, parsed
// without a note, with every word in the tree ([sqlparts.Script.Whole]). A rule drops an expression only if it is
// known to have no effect on the rows, function by function; a possible runtime error of a dropped expression is
// ignored.
//
// # How it works
//
// The builder (build.go, names.go, expr.go) builds a tree in which a column points at its source, so that aliases
// are gone and queries can be moved into others. Derived tables and common table expressions that only select,
// filter and join are merged into the outer query. Dialects (dialect.go, functions.go) decide the case of names,
// aliases in WHERE, GROUP BY, HAVING and ORDER BY, where nulls are sorted, frames, names of types, NaN, and + of
// strings. An unsupported construct ends the proof: pivots, recursion, volatile functions, samples of derived
// tables, the row of a derived table as a value, columns by position, by string or by pattern, a name that is not a
// column. The normalizer (rules.go, conditions.go, shapes.go, classes.go) applies rules until none changes the
// tree. The printer (canon.go) writes the tree with all unordered parts sorted and sources numbered by their
// content. If the printed strings are equal, the queries are the same.
//
// # The rules and the conditions under which they hold
//
//	always        order of AND, OR, =, *, inner joins, groups and partitions; of independent LEFT JOINs; RIGHT JOIN as LEFT JOIN
//	always        conditions of inner joins as WHERE; BETWEEN as two comparisons; constants of the same kind in IN as OR
//	always        NOT of =, AND, OR; of < where every two values compare (not with IEEE's NaN: BigQuery)
//	always        DISTINCT as GROUP BY; HAVING of groups as WHERE; SELECT from a grouped query as HAVING; QUALIFY as a filter around
//	always        IN (SELECT …) as EXISTS where NULL is equivalent to false; LEFT JOIN as JOIN if WHERE drops the added rows
//	always        LEFT JOIN … IS NULL as NOT EXISTS if the join compares the column; the default frame; ELSE NULL; COUNT(1)
//	not null      NOT IN (SELECT …) as NOT EXISTS: both columns; COUNT(x) as COUNT(*); x IS NOT NULL dropped
//	key           EXISTS as a join; an unused LEFT JOIN dropped; COUNT(DISTINCT x) as COUNT(x)
//	key, not null DISTINCT and GROUP BY dropped; columns that a key among the groups determines dropped
//	foreign key   a join that is used only for its key dropped: the column IS NOT NULL
//	one type      columns that joins require to be equal replace each other (without a schema: columns with the same name)
//	one value     an unused item of a derived table or of EXISTS dropped; a SELECT taken apart; DISTINCT of a grouped query, and the
//	              order of one row dropped: each function is a known scalar, aggregate or window function, none that may return a set
//	no order      ORDER BY in a derived table dropped: each function around is a known scalar, or an aggregate that no order changes
//	always        OR: false, included or common conditions; two bounds of a number as the narrower one; IS TRUE, CASE … = 1 and
//	              COALESCE(x, a) = b as the condition in them, where NULL is equivalent to false
//	always        CASE WHEN x IS NULL as COALESCE; COALESCE within COALESCE; x / NULLIF(y, 0) as a CASE; synonyms of functions (functions.go)
//	always        the condition of all aggregates of a query without groups as WHERE; SUM(CASE … 1 ELSE 0) of groups as a count; COUNT(*)
//	              in a subquery compared with 0 as EXISTS; COUNT(DISTINCT a) as counting distinct rows; VALUES as UNION ALL
//	always        UNION of one table by OR, UNION ALL where conditions exclude each other; nested DISTINCT where duplicates have no effect
//	always        a derived table of one row as subqueries; one of groups, joined by all that it groups by, as subqueries and EXISTS; a
//	              condition on the keys of all partitions as WHERE; DISTINCT ON as ROW_NUMBER; DENSE_RANK() = 1 as RANK() = 1
//	whole numbers c < x as c + 1 <= x, lists of successive numbers as ranges: columns of whole types, counts, ranks, parts of dates
//	dates         the year, or the month of a year, as a range of days: columns of the type date, not MySQL's 2020-00-00
//	strings       LIKE without a wildcard as =, prefixes and parts of strings as LIKE: types without padding, case-sensitive
//	key           groups by the key of a table with aggregates of others as subqueries; a subquery that looks up by a key as LEFT JOIN; a
//	              table joined with itself by a key; a frame of rows as the default one; sort keys after a key dropped
//	not null      RANK() = 1 and NOT EXISTS of a greater value as comparison with the greatest; INTERSECT and EXCEPT as EXISTS; an
//	              aggregate of a partition as a subquery; IN of groups with HAVING as a subquery
//	foreign key   an outer join whose rows all have a match as an inner or one-sided one
//	chance        a common table expression with a limit, a sample or an order-sensitive function that is used twice stays one
//
// The constraints that the schema certainly states ([sqlparts.ReadSchema]) are assumed to hold, even if the
// warehouse does not enforce them. Not used are constraints of some rows, of expressions, of another schema's
// table, or that a later statement may drop. If two definitions match a table, or one was not parsed completely,
// nothing is assumed about it. A primary key of SQLite may be NULL unless it is the row id.
package sqlproof
