// Package counterexample refutes that two queries are the same: it finds a small database on which
// they return different results, shrinks it, and says in a sentence what the difference is.
//
// # How it works
//
// The schema is read from DDL (ddl.go) or inferred from both queries (infer.go). The carrier
// (carry*.go) writes each query anew for the engine, DuckDB, so that it means what it means in its
// dialect: affinities and conversions, division, the case of LIKE, places of NULL, rows that a group
// or a limit picks. It writes names of its own, so that only literals come from outside, and knows
// what it writes: whatever else is in a query is refused by name. On the way it notes which
// columns share values and which literals they are compared with (values.go). The generator
// (database.go) makes databases of one to a dozen rows a table, and of more where a query asks for them, from these values and those beside
// them, in which the constraints hold. The search (search.go) runs both queries on one after the
// other. A first difference is shrunk until no row can be left out. If both queries are simple, all
// databases of a size come last (bounded.go), so that no difference is a statement of all of them.
//
// # When a difference counts
//
// A query may leave its own result open: ties at a limit, a column that is neither grouped nor
// aggregated, the first row of a query that is used as a value. Each query is written in two variants
// that take opposite choices, and a difference counts only where both variants of a query return the
// same rows. The order of rows counts only where both queries have an ORDER BY, and no choice moves a
// row. What nobody knows is treated alike: whether a quotient of whole numbers is whole in a dialect
// without a name, or where it puts NULL. Where texts are sorted by a collation, only values are drawn
// that all collations sort alike.
//
// # What it is not
//
// Not finding a difference is no proof. The proofs are in package sqlproof; no pair that they prove may
// have a counterexample, and a test holds all real pairs at hand against that.
//
// The search is a function of its problem: the seed follows from the texts, and the number of databases
// ends it. Time only guards: a search that it ends has no answer. Neither has one whose databases do not
// reach what a query asks for: more rows than they have, or conditions that no row of theirs meets.
//
// # Warehouses
//
// Structures and arrays are columns and tables of the small database (nested.go). Functions of dates, texts,
// numbers and places (carry_time.go, carry_text.go, carry_more.go, carry_geo.go) have the values that the
// vendor documents. If a value depends on a setting of the session, both variants take opposite ones. A
// value of which nothing is known, such as a text that is no date of its format, is an error of the engine,
// and the database with it says nothing.
package counterexample
