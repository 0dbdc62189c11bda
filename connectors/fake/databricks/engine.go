package databricks

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/fake/engine"
	"github.com/badger-eval/badger/connectors/internal/thrift"
)

func openEngine(dir string) (driver.Conn, error) {
	c, err := engine.Open(dir)
	if err != nil {
		return nil, err
	}
	return c, c.Exec(context.Background(),
		"CREATE MACRO parse_json(x) AS x::JSON; CREATE MACRO get_json_object(x, path) AS json_extract_string(x, path)")
}

// dialect translates the SQL of the connector and the suite into the engine's.
var dialect = &engine.Dialect{
	Backslash: true,
	Phrases: strings.NewReplacer(
		"(SELECT posexplode(from_json(?, 'ARRAY<ARRAY<STRING>>', map('mode', 'FAILFAST'))) AS (n, r))",
		"(SELECT CAST(key AS BIGINT) AS n, value AS r FROM json_each(?::JSON))",
		" COMMENT 'rows on their way into another table'", "",
	),
	Rules: []engine.Rule{
		{From: regexp.MustCompile(`\bx\.r\[(\d+)\]`), To: "(x.r->>$1)"},
		{From: regexp.MustCompile(`(?i)\bARRAY<STRING>`), To: "JSON"},
		{From: regexp.MustCompile(`(?i)\bTIMESTAMP\b`), To: "TIMESTAMPTZ"},
		{From: regexp.MustCompile(`(?i)\bTIMESTAMP_NTZ\b`), To: "TIMESTAMP"},
		{From: regexp.MustCompile(`(?i)\bUPDATE SET t\.`), To: "UPDATE SET "},
		{From: regexp.MustCompile(`(?i)(= s\.c\d+), t\.`), To: "$1, "},
	},
}

// runSQL runs a statement in the engine.
func (s *Server) runSQL(ctx context.Context, sql string, params []thrift.Struct) (array.RecordReader, *Fault) {
	if dialect.Parameters(sql) > len(params) {
		return nil, &Fault{"42P02", "[UNBOUND_SQL_PARAMETER] Found the unbound parameter: _7. Please, fix `args` and provide a mapping of the parameter. SQLSTATE: 42P02", false}
	}
	args := make([]any, len(params))
	for i, p := range params {
		var err error
		if args[i], err = argument(p); err != nil {
			return nil, &Fault{"22018", "[CAST_INVALID_INPUT] The value of a parameter is malformed. SQLSTATE: 22018", false}
		}
	}
	text := dialect.Translate(sql)
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

// Exec runs a statement of DuckDB's dialect directly on the engine.
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

var cancelled = Fault{"57014", "[OPERATION_CANCELED] Operation has been canceled. SQLSTATE: HY008", false}

// faultOf returns Databricks' error for an error of the engine.
func faultOf(err error) *Fault {
	const prefix = "org.apache.hive.service.cli.HiveSQLException: Error running query: "
	fault := func(state, text string) *Fault { return &Fault{state, prefix + text + " SQLSTATE: " + state, false} }
	switch f := engine.Explain(err); f.Kind {
	case engine.Cancelled:
		return &cancelled
	case engine.NoFunction:
		return fault("42883",
			"[UNRESOLVED_ROUTINE] Cannot resolve routine `"+f.Name+"` on search path [`system`.`builtin`, `system`.`session`].")
	case engine.NoTable:
		return fault("42P01",
			"[TABLE_OR_VIEW_NOT_FOUND] The table or view `"+f.Name+
				"` cannot be found. Verify the spelling and correctness of the schema and catalog.")
	case engine.NoSchema:
		return fault("42704", "[SCHEMA_NOT_FOUND] The schema `"+f.Name+"` cannot be found.")
	case engine.NoColumn:
		return fault("42703",
			"[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `"+f.Name+
				"` cannot be resolved. Did you mean one of the following? [`a`].")
	case engine.BadValue:
		return fault("22018",
			`[CAST_INVALID_INPUT] The value `+f.Quoted+` of the type "STRING" cannot be cast to "INT" because it is malformed.`)
	case engine.Exists:
		return fault("42P07", "[TABLE_OR_VIEW_ALREADY_EXISTS] Cannot create table or view `it` because it already exists.")
	default:
		return fault("42601",
			"[PARSE_SYNTAX_ERROR] Syntax error at or near "+f.Quoted+".(line 1, pos 0)\n\n== SQL ==\n"+f.Message)
	}
}
