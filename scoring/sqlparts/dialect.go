package sqlparts

import (
	"slices"
	"strings"
)

// Dialect identifies an SQL dialect. It determines how SQL text is split into tokens, some precedences of operators,
// and how names are resolved. All dialects share one grammar, so a query with constructs of another dialect can still
// be parsed.
type Dialect uint8

// The dialects. Generic is for SQL of unknown origin. It accepts constructs of any dialect if they are unambiguous.
// Otherwise it prefers the interpretation in which the least text is inside strings and comments, where a safety check
// would miss it.
const (
	Generic Dialect = iota
	Snowflake
	BigQuery
	Databricks
	Redshift
	Postgres
	DuckDB
	SQLite
	MySQL
	TSQL
)

var dialectNames = [...]string{
	Generic: "generic", Snowflake: "snowflake", BigQuery: "bigquery", Databricks: "databricks", Redshift: "redshift",
	Postgres: "postgres", DuckDB: "duckdb", SQLite: "sqlite", MySQL: "mysql", TSQL: "tsql",
}

// String returns the dialect's name in lower case.
func (d Dialect) String() string {
	if int(d) < len(dialectNames) {
		return dialectNames[d]
	}
	return dialectNames[Generic]
}

// dialectsByName maps the names of dialects, and of products that use one, to dialects. Names are in lower case and
// without spaces, dots, hyphens and underscores. Generic means SQL of unknown origin.
var dialectsByName = map[string]Dialect{
	"": Generic, "generic": Generic, "ansi": Generic, "ansisql": Generic, "standard": Generic, "sql": Generic,
	"snowflake": Snowflake, "snowflakesql": Snowflake,
	"bigquery": BigQuery, "googlebigquery": BigQuery, "googlesql": BigQuery, "zetasql": BigQuery, "standardsql": BigQuery,
	"bq":         BigQuery,
	"databricks": Databricks, "databrickssql": Databricks, "spark": Databricks, "sparksql": Databricks,
	"pyspark": Databricks, "hive": Databricks, "hiveql": Databricks, "delta": Databricks, "deltalake": Databricks,
	"redshift": Redshift, "amazonredshift": Redshift,
	"postgres": Postgres, "postgresql": Postgres, "postgre": Postgres, "pg": Postgres, "psql": Postgres,
	"cockroachdb": Postgres, "greenplum": Postgres, "timescaledb": Postgres, "alloydb": Postgres, "yugabytedb": Postgres,
	"duckdb": DuckDB, "motherduck": DuckDB,
	"sqlite": SQLite,
	"mysql":  MySQL, "mariadb": MySQL, "singlestore": MySQL, "tidb": MySQL,
	"tsql": TSQL, "mssql": TSQL, "mssqlserver": TSQL, "sqlserver": TSQL, "microsoftsqlserver": TSQL, "transactsql": TSQL,
	"azuresql": TSQL, "synapse": TSQL, "fabric": TSQL,
}

var withoutSigns = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

// named returns the dialect with the name, and whether it is known. Letter case, separators between words and a version
// number at the end are ignored: PostgreSQL 16, big_query and sqlite3 are accepted.
func named(name string) (Dialect, bool) {
	plain := withoutSigns.Replace(strings.ToLower(name))
	if word := strings.TrimRight(plain, "0123456789"); word != "" {
		plain = word
	}
	d, ok := dialectsByName[plain]
	return d, ok
}

// DialectOf returns the dialect with the name or a common synonym of it, in any case. It returns Generic for an unknown
// name.
func DialectOf(name string) Dialect {
	d, _ := named(name)
	return d
}

// NamesDialect reports whether name is the name of a dialect. Generic, the dialect of SQL of
// unknown origin, has the names "", generic, ansi, standard and sql.
func NamesDialect(name string) bool {
	_, ok := named(name)
	return ok
}

// DialectNames returns the names of all dialects, sorted, with generic last.
func DialectNames() []string {
	return append(slices.Sorted(slices.Values(dialectNames[1:])), dialectNames[0])
}

// bracketUse is the meaning of [ where a name is allowed.
type bracketUse uint8

const (
	bracketArray bracketUse = iota // always an array or an index
	bracketName                    // always a quoted name
	bracketGuess                   // a quoted name if it looks like one
	bracketHides                   // as bracketGuess, and also if it contains a quote or the start of a comment
)

// syntax holds the rules of a dialect for the lexer and the parser.
type syntax struct {
	lexical
	stringInDouble bool  // "x" is a string, not a name
	maybeInDouble  bool  // "x" is a name, but a string where a value is expected
	digitName      bool  // 2fa is a name
	dashName       bool  // my-project.x is a name in FROM
	stage          bool  // @stage/path is a table
	path           bool  // a:b.c is a path into semi-structured data
	lambda         bool  // x -> f(x)
	caretXor       bool  // ^ is a bit operator, not a power
	bareStatements bool  // statements may follow each other without a semicolon
	adjacent       bool  // 'a' 'b' is one string
	aliasEquals    bool  // SELECT alias = expression
	concat         uint8 // precedence of ||
}

// lexical holds the rules that decide where strings, quoted names and comments end, and so which text is inside
// them.
type lexical struct {
	backslash     bool       // \ escapes inside strings
	escapePrefix  bool       // \ escapes inside e'x', even if not in other strings
	triple        bool       // '''x''' and """x"""
	rawPrefix     bool       // r'x'
	rawQuote      bool       // the next quote ends r'x', even after a backslash
	continued     bool       // 'a' and 'b' on a later line are one string, which has the prefix of the first
	dollarString  bool       // $$x$$
	dollarTag     bool       // $tag$x$tag$
	nameBackslash bool       // \ escapes inside `x`, where a doubled quote is not an escape
	textInDouble  bool       // "x" is a name that ends where a string would end
	brackets      bracketUse // the meaning of [
	bracketOnce   bool       // the first ] ends [x]
	hash          bool       // # starts a comment
	slashes       bool       // "//" starts a comment
	nested        bool       // /* /* */ */ nests
	bang          bool       // /*! x */ is executed as SQL
	dashSpace     bool       // -- starts a comment only before a space
	carriage      bool       // a carriage return ends a -- comment, as a line feed does
	lineGoesOn    bool       // a line feed after \ does not end a -- comment
	suffix        bool       // $x(…) is a parameter up to the bracket, regardless of its content
}

var syntaxes = [...]syntax{
	Generic: {lexical: lexical{escapePrefix: true, continued: true, dollarString: true, dollarTag: true, bang: true,
		carriage: true, brackets: bracketGuess},
		digitName: true, path: true, lambda: true, concat: precBit},
	Snowflake: {lexical: lexical{backslash: true, dollarString: true, slashes: true, carriage: true},
		stage: true, path: true, lambda: true, concat: precSum},
	BigQuery: {lexical: lexical{backslash: true, triple: true, rawPrefix: true, nameBackslash: true, hash: true,
		carriage: true},
		stringInDouble: true, dashName: true, caretXor: true, lambda: true, concat: precProduct},
	Databricks: {
		lexical: lexical{backslash: true, rawPrefix: true, rawQuote: true, nested: true, carriage: true,
			lineGoesOn: true},
		stringInDouble: true, digitName: true, path: true, lambda: true, caretXor: true, adjacent: true, concat: precSum},
	Redshift: {lexical: lexical{backslash: true, escapePrefix: true, continued: true, dollarString: true, dollarTag: true,
		nested: true, carriage: true}, concat: precBit},
	Postgres: {lexical: lexical{escapePrefix: true, continued: true, dollarString: true, dollarTag: true, nested: true,
		carriage: true}, concat: precBit},
	DuckDB: {lexical: lexical{escapePrefix: true, continued: true, dollarString: true, dollarTag: true, nested: true,
		carriage: true},
		lambda: true, concat: precBit},
	SQLite: {lexical: lexical{suffix: true, brackets: bracketName, bracketOnce: true}, maybeInDouble: true,
		concat: precConcat},
	MySQL: {lexical: lexical{backslash: true, hash: true, bang: true, dashSpace: true},
		stringInDouble: true, digitName: true, caretXor: true, adjacent: true, concat: precOr},
	TSQL: {lexical: lexical{nested: true, carriage: true, brackets: bracketName},
		bareStatements: true, caretXor: true, aliasEquals: true, concat: precSum},
}

// DefaultFrame returns the default frame of a window function, in lower case, if it differs in the dialect from the
// standard's default. Otherwise it returns "".
func (d Dialect) DefaultFrame(function string) string {
	switch function {
	case "first_value", "last_value", "nth_value":
		if d == Snowflake {
			return "rows between unbounded preceding and unbounded following"
		}
	}
	return ""
}

func (d Dialect) syntax() *syntax {
	if int(d) < len(syntaxes) {
		return &syntaxes[d]
	}
	return &syntaxes[Generic]
}
