package snowflake

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/fake/engine"
	"github.com/badger-eval/badger/internal/errcode"
)

// makeSchema creates a session's database and schema if they are missing, since tests have no other way to create them.
func (s *Server) makeSchema(x *session) error {
	if x.database == "" {
		return nil
	}
	if !plainName.MatchString(x.database) || x.schema != "" && !plainName.MatchString(x.schema) {
		return errcode.New(errcode.InvalidArgument, "no plain name")
	}
	ctx := context.Background()
	if err := s.engine.Exec(ctx, "ATTACH IF NOT EXISTS ':memory:' AS "+x.database); err != nil {
		return err
	}
	if x.schema == "" {
		x.schema = "PUBLIC"
	}
	make := "CREATE SCHEMA IF NOT EXISTS " + x.database + "." + x.schema
	for _, macro := range []string{
		"parse_json(x) AS x::JSON", "to_json(x) AS x::VARCHAR", "to_binary(x, f) AS unhex(x)",
		"get(x, name) AS json_extract_string(x, name)", "convert_timezone(zone, x) AS timezone(zone, x)",
	} {
		make += "; CREATE MACRO IF NOT EXISTS " + x.database + "." + x.schema + "." + macro
	}
	return s.engine.Exec(ctx, make)
}

var plainName = regexp.MustCompile(`^\w+$`)

// dialect translates the SQL of the connector and the suite into the engine's.
var dialect = &engine.Dialect{Rules: []engine.Rule{
	{From: regexp.MustCompile(`LATERAL FLATTEN\(INPUT => PARSE_JSON\(\?\)\) AS f`),
		To: "(SELECT CAST(key AS BIGINT) AS index, value FROM json_each(?::JSON)) AS f"},
	{From: regexp.MustCompile(`\bx\.r\[(\d+)\]::VARCHAR`), To: "(x.r->>$1)"},
	{From: regexp.MustCompile(`(?i)\bNUMBER\s*\(`), To: "DECIMAL("},
	{From: regexp.MustCompile(`(?i)\bTIMESTAMP_[LT]TZ(\(\d\))?|\bTIMESTAMP_TZ(\(\d\))?`), To: "TIMESTAMPTZ"},
	{From: regexp.MustCompile(`(?i)\bTIMESTAMP_NTZ(\(\d\))?`), To: "TIMESTAMP_NS"},
	{From: regexp.MustCompile(`(?i)\bTIME\(\d\)`), To: "TIME"},
	{From: regexp.MustCompile(`(?i)\bVARIANT\b`), To: "JSON"},
	{From: regexp.MustCompile(`(?i)\bFLOAT\b`), To: "DOUBLE"},
	{From: regexp.MustCompile(`(?i)\bTEMPORARY\b`), To: ""},
}}

var (
	writes     = regexp.MustCompile(`(?i)^\s*(INSERT|UPDATE|DELETE|MERGE|TRUNCATE)\b`)
	ddl        = regexp.MustCompile(`(?i)^\s*(CREATE|DROP|ALTER)\b`)
	newSchema  = regexp.MustCompile(`(?i)^\s*CREATE\s+SCHEMA\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)\s*$`)
	changeName = regexp.MustCompile(`(?i)^\s*USE\s+(?:SCHEMA\s+)?(\w+)\s*$`)
)

// execute runs a statement in the engine, and returns its result or error.
func (s *Server) execute(ctx context.Context, x *session, sql string, bindings map[string]binding) Result {
	if n := dialect.Parameters(sql); n > len(bindings) {
		return Result{
			Err: &Error{"002049", "42601", "SQL compilation error: error line 1 at position 7\nBind variable ? not set."}}
	}
	if len(bindings) > 0 && bytes.HasPrefix(bindings["1"].Value, []byte("[")) {
		var err error
		if sql, bindings, err = arrays(sql, bindings); err != nil {
			return Result{Err: &Error{"100000", "22000", err.Error()}}
		}
	}
	var args []any
	for i := 1; i <= len(bindings); i++ {
		v, err := argument(bindings[strconv.Itoa(i)])
		if err != nil {
			return Result{Err: &Error{"100000", "22000", err.Error()}}
		}
		args = append(args, v)
	}
	if m := changeName.FindStringSubmatch(sql); m != nil {
		x.schema = m[1]
		return done("status", "Statement executed successfully.")
	}
	text := dialect.Translate(sql)
	if x.database != "" {
		text = "USE " + x.database + "." + x.schema + "; " + text
	}
	if writes.MatchString(sql) || ddl.MatchString(sql) {
		s.writes.Lock()
		defer s.writes.Unlock()
		if err := s.engine.Exec(ctx, text, args...); err != nil {
			return Result{Err: errorOf(err)}
		}
		if m := newSchema.FindStringSubmatch(sql); m != nil {
			x.schema = m[1] // as Snowflake does
		}
		return done("number of rows inserted", "1")
	}
	r, err := s.engine.Query(ctx, text, args...)
	if err != nil {
		return Result{Err: errorOf(err)}
	}
	defer r.Release()
	res := Result{}
	for _, f := range r.Schema().Fields() {
		res.Columns = append(res.Columns, columnOf(f))
	}
	var parts [][][]Cell
	for r.Next() {
		_, rows, err := fromRecord(r.Record())
		if err != nil {
			return Result{Err: &Error{"000603", "XX000", err.Error()}}
		}
		parts = append(parts, rows)
	}
	if err := r.Err(); err != nil {
		return Result{Err: errorOf(err)}
	}
	if len(parts) > 0 {
		res.Rows = parts[0]
		res.Chunks, res.Chunk = len(parts)-1, func(i int) [][]Cell { return parts[i+1] }
	}
	return res
}

var insertValues = regexp.MustCompile(`(?is)^\s*(INSERT\s+INTO\s+.*?)\s*VALUES\s*\([\s?,]*\)\s*$`)

// arrays converts an INSERT whose parameters are arrays, with one value for each row, to one with a single JSON
// parameter.
func arrays(sql string, bindings map[string]binding) (string, map[string]binding, error) {
	m := insertValues.FindStringSubmatch(sql)
	if m == nil {
		return "", nil, fmt.Errorf("arrays are bound to INSERT INTO … VALUES only")
	}
	columns, picks := make([][]json.RawMessage, len(bindings)), make([]string, len(bindings))
	for i := range columns {
		if err := json.Unmarshal(bindings[strconv.Itoa(i+1)].Value, &columns[i]); err != nil ||
			len(columns[i]) != len(columns[0]) {
			return "", nil, fmt.Errorf("parameter %d is not an array of the first one's length", i+1)
		}
		picks[i] = fmt.Sprintf("value->>%d", i)
	}
	rows := make([][]json.RawMessage, len(columns[0]))
	for r := range rows {
		for _, c := range columns {
			rows[r] = append(rows[r], c[r])
		}
	}
	text, err := json.Marshal(rows)
	if err == nil {
		text, err = json.Marshal(string(text))
	}
	return m[1] + " SELECT " + strings.Join(picks, ", ") +
		" FROM json_each(?::JSON)", map[string]binding{"1": {Type: "TEXT", Value: text}}, err
}

// done returns a JSON result of one value.
func done(column, value string) Result {
	return Result{JSON: true, Columns: []Column{{Name: column, Type: "text"}}, Rows: [][]Cell{{&value}}}
}

func argument(b binding) (any, error) {
	var text *string
	if err := json.Unmarshal(b.Value, &text); err != nil {
		return nil, fmt.Errorf("a parameter is not a string")
	}
	if text == nil {
		return nil, nil //nolint:nilnil // NULL
	}
	switch b.Type {
	case "FIXED":
		return strconv.ParseInt(*text, 10, 64)
	case "REAL":
		return strconv.ParseFloat(*text, 64)
	case "BOOLEAN":
		return strconv.ParseBool(*text)
	case "TIMESTAMP_LTZ", "TIMESTAMP_NTZ":
		n, ok := new(big.Int).SetString(*text, 10) // nanoseconds, of any year
		if !ok {
			return nil, fmt.Errorf("a parameter is not a time")
		}
		sec, ns := new(big.Int).DivMod(n, big.NewInt(1_000_000_000), new(big.Int))
		return time.Unix(sec.Int64(), ns.Int64()), nil
	}
	return *text, nil
}

// errorOf returns Snowflake's error for an error of the engine.
func errorOf(err error) *Error {
	const compilation = "SQL compilation error: error line 1 at position 7\n"
	f := engine.Explain(err)
	name, quoted := strings.ToUpper(f.Name), "'<EOF>'"
	if f.Quoted != "" {
		quoted = "'" + f.Quoted[1:len(f.Quoted)-1] + "'"
	}
	switch f.Kind {
	case engine.Cancelled:
		return &cancelled
	case engine.NoFunction:
		return &Error{"002140", "42601", compilation + "Unknown function " + name}
	case engine.NoTable, engine.NoSchema:
		return &Error{"002003", "42S02", "SQL compilation error:\nObject '" + name + "' does not exist or not authorized."}
	case engine.NoColumn:
		return &Error{"000904", "42000", compilation + "invalid identifier '" + name + "'"}
	case engine.BadValue:
		return &Error{"100038", "22018", "Numeric value " + quoted + " is not recognized"}
	case engine.Exists:
		return &Error{"002002", "42710", "SQL compilation error:\nObject 'IT' already exists."}
	}
	return &Error{"001003", "42000",
		"SQL compilation error:\nsyntax error line 1 at position 0 unexpected " + quoted + "."}
}
