// Package sqlparts reads analytical SQL and takes it apart: the statements of a script and what
// they may do, the tree of a query, its seven component sets, its tables and columns, its
// complexity, and whether it orders its rows.
//
// # Why a reader of our own
//
// The queries come from language models and from warehouses, in ten dialects. Parsers available to Go read two
// thirds of real Snowflake and BigQuery queries; a metric that fails on the rest measures the parser. This parser
// accepts any input. It keeps an expression that it does not understand as balanced text and skips an unknown
// clause; a [Note] with a position reports each. A result with notes is usable. A caller that needs a complete
// parse checks that len(Script.Notes) == 0.
//
// # How it works
//
// The lexer (lexer.go) splits the SQL text into tokens by the flags of the dialect (dialect.go) and pairs the
// brackets. A pair never spans a semicolon, so no statement hides in an unclosed parenthesis. The parser
// (parse_*.go) is one grammar for all dialects, with operator precedence for expressions. It reads every token
// once, and uses the pairs to jump over skipped text. So time is linear in the length of the input. Depth is
// bounded by counting nesting and the length of chains; anything deeper is kept as raw text. Chains of AND, OR,
// UNION and joins are flat lists without a bound.
//
// The tree (ast.go, expr.go) keeps clauses, not tokens: a [Query] has WITH, a body, ORDER BY and LIMIT; its body is
// a [Select], a chain of set operations, or VALUES; a Select has a flat list of [Source] values, each with the way
// it joins those before it. Pipe syntax becomes the tree of the query it means. Every node has its position in the
// text. [Walk] visits a tree, [Format] writes it in one canonical spelling, [Normalized] writes an expression as
// components hold it. A tree is never changed after Parse and may be read by any number of goroutines.
//
// # What is built on it
//
//   - [Extract]: the component sets; [Components] is their exact definition.
//   - [Complexity]: Algorithm 1 of the BADGER paper on components.
//   - [Bind]: what every name of a query means, by its dialect's rules and a schema, and how sure that is.
//   - [Tables] and [Columns]: the tables and columns that a query uses, through aliases and common table expressions.
//   - [ordersRows], [Query.Order], [Query.RowLimit]: the order and the maximum number of a query's rows.
//   - [ReadSchema]: the tables that DDL defines, and how certain each fact is.
//   - [readings]: the scripts that SQL text may mean if engines of a dialect differ in where strings and comments
//     end.
//   - [Script.Whole]: the query of a script, if all of the script was understood.
//   - [Script.Effects], [Statement]: the possible effects of running the script, including data-modifying common
//     table expressions. An unknown statement has the effect [Unknown]. Effects of the functions that a query calls
//     are not examined.
//
// # How it is checked
//
// Golden cases for every construct and dialect are in testdata/golden, with expectations reasoned from the
// definition. TestAgainstSqlglot compares the components of all available real queries with those that an
// independent parser finds by the same definition, for final queries and for all nested queries. DISAGREEMENTS.md
// explains the differences. FuzzParse looks for panics, for positions outside the input, and for trees that change
// when they are printed and parsed again.
package sqlparts
