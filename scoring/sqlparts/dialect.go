package sqlparts

import (
	"slices"
	"strings"
)

// Dialect says whose SQL a text is. It changes how a text is cut into words and a few precedences;
// the grammar is one for all, so that a query in a foreign spelling is still read.
type Dialect uint8

// The dialects. Generic is for SQL of unknown origin: it accepts what any dialect accepts wherever
// that is not ambiguous, and where it is, prefers the reading that hides least from a safety check.
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

// String is the dialect's name in lower case.
func (d Dialect) String() string {
	if int(d) < len(dialectNames) {
		return dialectNames[d]
	}
	return dialectNames[Generic]
}

// dialectsByName are the names of dialects, and of products whose SQL is one of them, in lower case and
// without signs. Generic stands for SQL of unknown origin.
var dialectsByName = map[string]Dialect{
	"": Generic, "generic": Generic, "ansi": Generic, "ansisql": Generic, "standard": Generic, "sql": Generic,
	"snowflake": Snowflake, "snowflakesql": Snowflake,
	"bigquery": BigQuery, "googlebigquery": BigQuery, "googlesql": BigQuery, "zetasql": BigQuery, "standardsql": BigQuery, "bq": BigQuery,
	"databricks": Databricks, "databrickssql": Databricks, "spark": Databricks, "sparksql": Databricks, "pyspark": Databricks, "hive": Databricks, "hiveql": Databricks, "delta": Databricks, "deltalake": Databricks,
	"redshift": Redshift, "amazonredshift": Redshift,
	"postgres": Postgres, "postgresql": Postgres, "postgre": Postgres, "pg": Postgres, "psql": Postgres, "cockroachdb": Postgres, "greenplum": Postgres, "timescaledb": Postgres, "alloydb": Postgres, "yugabytedb": Postgres,
	"duckdb": DuckDB, "motherduck": DuckDB,
	"sqlite": SQLite,
	"mysql":  MySQL, "mariadb": MySQL, "singlestore": MySQL, "tidb": MySQL,
	"tsql": TSQL, "mssql": TSQL, "mssqlserver": TSQL, "sqlserver": TSQL, "microsoftsqlserver": TSQL, "transactsql": TSQL, "azuresql": TSQL, "synapse": TSQL, "fabric": TSQL,
}

var withoutSigns = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

// named finds the dialect of a name. Letter case, signs between words and the number of a version at
// the end say nothing: PostgreSQL 16, big_query and sqlite3 are names.
func named(name string) (Dialect, bool) {
	plain := withoutSigns.Replace(strings.ToLower(name))
	if word := strings.TrimRight(plain, "0123456789"); word != "" {
		plain = word
	}
	d, ok := dialectsByName[plain]
	return d, ok
}

// DialectOf reads a dialect's name or a common synonym of it, in any case. An unknown name is
// Generic.
func DialectOf(name string) Dialect {
	d, _ := named(name)
	return d
}

// NamesDialect tells whether a name means one of the dialects, Generic among them: that of SQL of
// unknown origin is empty, generic, ansi, standard or sql.
func NamesDialect(name string) bool {
	_, ok := named(name)
	return ok
}

// DialectNames are the names of all dialects, Generic last.
func DialectNames() []string {
	return append(slices.Sorted(slices.Values(dialectNames[1:])), dialectNames[0])
}

// bracketUse says what [ begins where a name may stand.
type bracketUse uint8

const (
	bracketArray bracketUse = iota // always an array or an index
	bracketName                    // always a quoted name
	bracketGuess                   // a quoted name if it looks like one
)

// syntax is what the lexer and the parser must know of a dialect.
type syntax struct {
	stringInDouble bool       // "x" is a string, not a name
	maybeInDouble  bool       // "x" is a name, but a string where a value is expected
	backslash      bool       // \ escapes inside strings
	triple         bool       // '''x''' and """x"""
	rawPrefix      bool       // r'x'
	dollarString   bool       // $$x$$
	dollarTag      bool       // $tag$x$tag$
	hash           bool       // # begins a comment
	slashes        bool       // // begins a comment
	nested         bool       // /* /* */ */ nests
	bang           bool       // /*! x */ is executed
	dashSpace      bool       // -- begins a comment only before a space
	digitName      bool       // 2fa is a name
	dashName       bool       // my-project.x is a name in FROM
	stage          bool       // @stage/path is a table
	path           bool       // a:b.c reads into semi-structured data
	lambda         bool       // x -> f(x)
	caretXor       bool       // ^ is a bit operator, not a power
	bareStatements bool       // statements need no semicolon between them
	adjacent       bool       // 'a' 'b' is one string
	aliasEquals    bool       // SELECT alias = expression
	concat         uint8      // precedence of ||
	brackets       bracketUse // what [ begins
}

var syntaxes = [...]syntax{
	Generic: {dollarString: true, dollarTag: true, bang: true, digitName: true, path: true,
		lambda: true, brackets: bracketGuess, concat: precBit},
	Snowflake: {backslash: true, dollarString: true, slashes: true, stage: true, path: true, lambda: true, concat: precSum},
	BigQuery: {stringInDouble: true, backslash: true, triple: true, rawPrefix: true, hash: true, dashName: true,
		caretXor: true, lambda: true, concat: precProduct},
	Databricks: {stringInDouble: true, backslash: true, rawPrefix: true, nested: true, digitName: true, path: true,
		lambda: true, caretXor: true, adjacent: true, concat: precSum},
	Redshift: {dollarString: true, dollarTag: true, nested: true, concat: precBit},
	Postgres: {dollarString: true, dollarTag: true, nested: true, concat: precBit},
	DuckDB:   {dollarString: true, dollarTag: true, nested: true, lambda: true, concat: precBit},
	SQLite:   {maybeInDouble: true, brackets: bracketName, concat: precConcat},
	MySQL: {stringInDouble: true, backslash: true, hash: true, bang: true, dashSpace: true, digitName: true,
		caretXor: true, adjacent: true, concat: precOr},
	TSQL: {nested: true, bareStatements: true, brackets: bracketName, caretXor: true, aliasEquals: true, concat: precSum},
}

func (d Dialect) syntax() *syntax {
	if int(d) < len(syntaxes) {
		return &syntaxes[d]
	}
	return &syntaxes[Generic]
}
