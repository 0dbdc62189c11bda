package databrickstest

import (
	"context"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/databricks/internal/thrift"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/errcode"
)

func openEngine(dir string) (driver.Conn, error) {
	ctx := context.Background()
	c, err := duckdb.OpenWith(ctx, filepath.Join(dir, "engine.duckdb"), duckdb.Options{Confined: true, Threads: 1})
	if err != nil {
		return nil, err
	}
	return c, c.Exec(ctx, "CREATE MACRO parse_json(x) AS x::JSON; CREATE MACRO get_json_object(x, path) AS json_extract_string(x, path)")
}

// phrases are what the connector writes as a whole, and what DuckDB reads instead.
var phrases = strings.NewReplacer(
	"(SELECT posexplode(from_json(?, 'ARRAY<ARRAY<STRING>>', map('mode', 'FAILFAST'))) AS (n, r))", "(SELECT CAST(key AS BIGINT) AS n, value AS r FROM json_each(?::JSON))",
	" COMMENT 'rows on their way into another table'", "",
)

// rewrites turn Databricks' words into DuckDB's, outside quotes.
var rewrites = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`\bx\.r\[(\d+)\]`), "(x.r->>$1)"},
	{regexp.MustCompile(`(?i)\bARRAY<STRING>`), "JSON"},
	{regexp.MustCompile(`(?i)\bTIMESTAMP\b`), "TIMESTAMPTZ"},
	{regexp.MustCompile(`(?i)\bTIMESTAMP_NTZ\b`), "TIMESTAMP"},
	{regexp.MustCompile(`(?i)\bUPDATE SET t\.`), "UPDATE SET "},
	{regexp.MustCompile(`(?i)(= s\.c\d+), t\.`), "$1, "},
}

var pieces = regexp.MustCompile("'(?:[^'\\\\]|\\\\.)*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|[^'\"`]+|['\"`]")

// translated is a statement as DuckDB reads it.
func translated(sql string) string {
	var b strings.Builder
	for _, p := range pieces.FindAllString(phrases.Replace(sql), -1) {
		if p[0] == '`' && len(p) > 1 {
			p = `"` + strings.ReplaceAll(strings.ReplaceAll(p[1:len(p)-1], "``", "`"), `"`, `""`) + `"`
		}
		b.WriteString(p)
	}
	text := b.String()
	for _, r := range rewrites {
		text = outside(text, r.from, r.to)
	}
	return text
}

var quotes = regexp.MustCompile(`'(?:[^']|'')*'`)

// outside replaces outside of texts.
func outside(sql string, from *regexp.Regexp, to string) string {
	var b strings.Builder
	at := 0
	for _, q := range append(quotes.FindAllStringIndex(sql, -1), []int{len(sql), len(sql)}) {
		b.WriteString(from.ReplaceAllString(sql[at:q[0]], to))
		b.WriteString(sql[q[0]:q[1]])
		at = q[1]
	}
	return b.String()
}

var outsideQuotes = regexp.MustCompile("'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|\\?")

// runSQL runs a statement in the engine.
func (s *Server) runSQL(ctx context.Context, sql string, params []thrift.Struct) (array.RecordReader, *Fault) {
	n := 0
	for _, m := range outsideQuotes.FindAllString(sql, -1) {
		if m == "?" {
			n++
		}
	}
	if n > len(params) {
		return nil, &Fault{"42P02", "[UNBOUND_SQL_PARAMETER] Found the unbound parameter: _7. Please, fix `args` and provide a mapping of the parameter. SQLSTATE: 42P02", false}
	}
	args := make([]any, len(params))
	for i, p := range params {
		var err error
		if args[i], err = argument(p); err != nil {
			return nil, &Fault{"22018", "[CAST_INVALID_INPUT] The value of a parameter is malformed. SQLSTATE: 22018", false}
		}
	}
	text := translated(sql)
	if hasWord(sql, "INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "CREATE", "DROP", "ALTER", "USE", "SET") {
		s.writes.Lock()
		defer s.writes.Unlock()
		if err := s.engine.Exec(ctx, text, args...); err != nil {
			return nil, faultOf(err)
		}
		return nil, nil
	}
	r, err := s.engine.Query(ctx, text, args...)
	if err != nil {
		return nil, faultOf(err)
	}
	return r, nil
}

// Exec runs a statement in DuckDB's words, beside the protocol.
func (s *Server) Exec(sql string) error {
	s.writes.Lock()
	defer s.writes.Unlock()
	return s.engine.Exec(context.Background(), sql)
}

func argument(p thrift.Struct) (any, error) {
	text := p.Struct(4).Text(1)
	switch p.Text(3) {
	case "VOID":
		return nil, nil //nolint:nilnil // NULL
	case "BIGINT", "INTEGER", "INT":
		return strconv.ParseInt(text, 10, 64)
	case "DOUBLE":
		return strconv.ParseFloat(text, 64)
	case "BOOLEAN":
		return strconv.ParseBool(text)
	case "TIMESTAMP":
		return time.Parse(time.RFC3339Nano, text)
	}
	return text, nil
}

// What DuckDB says and Databricks would.
var (
	doubleQuoted = regexp.MustCompile(`"([^"]*)"`)
	missingTable = regexp.MustCompile(`Table with name "?(.+?)"? does not exist`)
	missingSpace = regexp.MustCompile(`[sS]chema (?:with name )?"?(\w+)"? does not exist`)
	missingFn    = regexp.MustCompile(`Function with name "?(\w+)"? does not exist`)
	anyQuoted    = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	cancelled    = Fault{"57014", "[OPERATION_CANCELED] Operation has been canceled. SQLSTATE: HY008", false}
)

func faultOf(err error) *Fault {
	message := err.Error()
	for e := err; e != nil; {
		message = e.Error()
		u, ok := e.(interface{ Unwrap() error })
		if !ok {
			break
		}
		e = u.Unwrap()
	}
	line, _, _ := strings.Cut(message, "\n")
	const prefix = "org.apache.hive.service.cli.HiveSQLException: Error running query: "
	fault := func(state, text string) *Fault { return &Fault{state, prefix + text + " SQLSTATE: " + state, false} }
	found := func(re *regexp.Regexp) string { return re.FindStringSubmatch(line)[1] }
	switch {
	case errcode.Of(err) == errcode.Cancelled:
		return &cancelled
	case missingFn.MatchString(line):
		return fault("42883", "[UNRESOLVED_ROUTINE] Cannot resolve routine `"+found(missingFn)+"` on search path [`system`.`builtin`, `system`.`session`].")
	case missingTable.MatchString(line):
		return fault("42P01", "[TABLE_OR_VIEW_NOT_FOUND] The table or view `"+found(missingTable)+"` cannot be found. Verify the spelling and correctness of the schema and catalog.")
	case missingSpace.MatchString(line):
		return fault("42704", "[SCHEMA_NOT_FOUND] The schema `"+found(missingSpace)+"` cannot be found.")
	case strings.HasPrefix(line, "Permission"), errcode.Of(err) == errcode.PermissionDenied: // a file's name, which DuckDB would read
		return fault("42P01", "[TABLE_OR_VIEW_NOT_FOUND] The table or view `it` cannot be found.")
	case strings.HasPrefix(line, "Binder") && doubleQuoted.MatchString(line):
		return fault("42703", "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `"+found(doubleQuoted)+"` cannot be resolved. Did you mean one of the following? [`a`].")
	case strings.HasPrefix(line, "Conversion"), strings.HasPrefix(line, "Invalid Input"):
		return fault("22018", `[CAST_INVALID_INPUT] The value `+anyQuoted.FindString(line)+` of the type "STRING" cannot be cast to "INT" because it is malformed.`)
	case errcode.Of(err) == errcode.AlreadyExists:
		return fault("42P07", "[TABLE_OR_VIEW_ALREADY_EXISTS] Cannot create table or view `it` because it already exists.")
	}
	return fault("42601", "[PARSE_SYNTAX_ERROR] Syntax error at or near "+anyQuoted.FindString(line)+".(line 1, pos 0)\n\n== SQL ==\n"+message)
}
