// Package counterexample refutes that two queries are equivalent: it finds a small database on which they return
// different results, shrinks it, and describes the difference in a sentence.
//
// # How it works
//
// The schema is read from DDL (ddl.go) or inferred from both queries (infer.go). The transpiler (transpile*.go)
// translates each query to the engine, DuckDB, preserving its meaning in its dialect: affinities and conversions,
// division, the case sensitivity of LIKE, the position of NULL, rows that a group or a limit picks. It generates
// all names itself, so that only literals are copied from the input, and emits only constructs that it knows. Any
// other construct is refused with its name. It also records which columns share values and which literals they are
// compared with (values.go). The generator (database.go) creates databases of one to a dozen rows a table, or of
// more if a query asks for them. It draws from the recorded values and their neighbors, and satisfies the
// constraints. The search (search.go) runs both queries on one database after the other. The first database with a
// difference is shrunk until no row can be removed. If both queries are simple, the search finally tries all
// databases up to a size (bounded.go), so that finding no difference is a statement about all of them.
//
// # When a difference counts
//
// A query may not determine its own result: ties at a limit, a column that is neither grouped nor aggregated, the
// first row of a query that is used as a value. Each query is written in two variants that take opposite choices,
// and a difference is accepted only if both variants of each query return the same rows. The order of rows is
// compared only if both queries have an ORDER BY and no choice moves a row. Unknown behavior is treated as a choice
// too: whether a quotient of integers is an integer in an unknown dialect, or where that dialect sorts NULL. If
// strings are sorted by a collation, only values that all collations sort in the same order are generated.
//
// # Limits
//
// Finding no difference does not prove equivalence. The proofs are in package sqlproof. No pair that it proves may
// have a counterexample; a test checks this on all available real pairs.
//
// The search is a function of its problem: the seed is derived from the SQL texts, and the number of databases ends
// it. The time limit is only a safeguard: a search that it ends has no result. The same holds if the databases are
// too small for a query: it asks for more rows than they have, or no row of theirs meets its conditions.
//
// # Warehouses
//
// Structures and arrays are columns and tables of the small database (nested.go). Functions of dates, strings,
// numbers and places (transpile_time.go, transpile_text.go, transpile_more.go, transpile_geo.go) have the values
// that the vendor documents. If a value depends on a session setting, the two variants assume opposite settings.
// If a value is unknown, such as that of a string that is not a date in the given format, the engine returns an
// error, and the database is not used.
package counterexample
