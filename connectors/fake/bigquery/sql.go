package bigquery

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	bq "google.golang.org/api/bigquery/v2"
)

var (
	qualified  = regexp.MustCompile("`[^`]*`\\.`([^`]*)`\\.`([^`]*)`")
	single     = regexp.MustCompile("`([^`]*)`")
	asOf       = regexp.MustCompile("`[^`]*`\\.`[^`]*`\\.`([^`]*)` FOR SYSTEM_TIME AS OF TIMESTAMP_MICROS\\((\\d+)\\)")
	parameters = regexp.MustCompile(`\(SELECT r\.\*, (\w+) FROM UNNEST\(\?\) AS r WITH OFFSET AS \w+\)`)
	columnType = regexp.MustCompile(`\b(STRING|INT64|FLOAT64|BOOL|TIMESTAMP|DATETIME|BYTES|NUMERIC|BIGNUMERIC)\b`)
	tables     = regexp.MustCompile(`\b(\w+)\.INFORMATION_SCHEMA\.TABLES\b`)
	castType   = regexp.MustCompile(` AS (FLOAT64|BIGNUMERIC)\)`) // the engine knows the other types by the same names
)

// translate returns a job's statement in the engine's SQL, and its parameters. cleanup drops temporary tables.
func (s *Server) translate(ctx context.Context, j *job) (sql string, args []any, cleanup func(), err error) {
	q := j.config.Query
	s.mu.Lock()
	own, found := s.SQL[strings.TrimSpace(q.Query)]
	s.mu.Unlock()
	if found {
		return own, nil, nil, nil
	}
	sql = q.Query
	if m := asOf.FindStringSubmatch(sql); m != nil {
		table, err := s.versionAt(m[1], m[2])
		if err != nil {
			return "", nil, nil, err
		}
		sql = strings.Replace(sql, m[0], table, 1)
	}
	if m := parameters.FindStringSubmatch(sql); m != nil {
		table, err := s.parameterTable(ctx, q.QueryParameters[0], m[1])
		if err != nil {
			return "", nil, nil, err
		}
		cleanup = func() { s.db.Exec(ctx, "DROP TABLE "+table) } //nolint:errcheck // in memory
		return engineNames(strings.Replace(sql, m[0], table, 1)), nil, cleanup, nil
	}
	if strings.HasPrefix(j.kind, "CREATE_TABLE") || strings.HasPrefix(j.kind, "ALTER") {
		sql = columnType.ReplaceAllStringFunc(sql, func(t string) string { return engineTypes[t] })
	}
	for i, p := range q.QueryParameters {
		arg, err := argument(p)
		if err != nil {
			return "", nil, nil, fmt.Errorf("parameter %d: %w", i+1, err)
		}
		args = append(args, arg)
	}
	return engineNames(castType.ReplaceAllStringFunc(sql, engineCast)), args, nil, nil
}

// engineCast converts the end of a cast to the engine's type.
func engineCast(end string) string {
	return " AS " + engineTypes[castType.FindStringSubmatch(end)[1]] + ")"
}

func engineNames(sql string) string {
	sql = tables.ReplaceAllString(sql, "(SELECT * FROM information_schema.tables WHERE table_schema = '$1')")
	return single.ReplaceAllString(qualified.ReplaceAllString(sql, `"$1"."$2"`), `"$1"`)
}

// versionAt returns the engine's table with the rows of a table at a time, in microseconds since 1970.
func (s *Server) versionAt(table, micros string) (string, error) {
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return "", err
	}
	at := time.UnixMicro(n)
	if at.After(time.Now()) || at.Before(time.Now().Add(-7*24*time.Hour)) {
		return "", errors.New("Invalid snapshot time for table; it must be within the last 7 days")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.history[table] {
		if at.Before(v.until) {
			return v.table, nil
		}
	}
	return Dataset + "." + quote(table), nil
}

// argument returns the value of a parameter. It returns an error if the text is invalid for the type.
func argument(p *bq.QueryParameter) (any, error) {
	if p.ParameterType == nil || p.ParameterValue == nil {
		return nil, errors.New("no type or no value")
	}
	text := p.ParameterValue.Value
	switch p.ParameterType.Type {
	case "INT64":
		return strconv.ParseInt(text, 10, 64)
	case "FLOAT64":
		return strconv.ParseFloat(text, 64)
	case "BOOL":
		return strconv.ParseBool(text)
	case "TIMESTAMP":
		return time.Parse("2006-01-02 15:04:05.999999-07:00", text)
	case "STRING":
		if text == nullText {
			return nil, nil
		}
		return text, nil
	}
	return nil, fmt.Errorf("no parameter of type %s", p.ParameterType.Type)
}

// nullText represents NULL, which the generated client would read as an empty string.
const nullText = "\x00null"

// parameterTable creates a table from an array of structs, with the elements' offsets in a column.
func (s *Server) parameterTable(ctx context.Context, p *bq.QueryParameter, offset string) (string, error) {
	if p.ParameterType.Type != "ARRAY" || p.ParameterType.ArrayType.Type != "STRUCT" {
		return "", errors.New("expected an array of structs")
	}
	var fields []*bq.TableFieldSchema
	for _, f := range p.ParameterType.ArrayType.StructTypes {
		fields = append(fields, &bq.TableFieldSchema{Name: f.Name, Type: f.Type.Type})
	}
	fields = append(fields, &bq.TableFieldSchema{Name: offset, Type: "INT64"})
	rows := newTextRows(fields)
	for i, v := range p.ParameterValue.ArrayValues {
		for k, f := range fields[:len(fields)-1] {
			if member, ok := v.StructValues[f.Name]; ok && member.Value != nullText {
				rows.set(k, member.Value)
			}
		}
		rows.set(len(fields)-1, strconv.Itoa(i))
		rows.end()
	}
	var columns []string
	for _, f := range fields {
		columns = append(columns, quote(f.Name)+" "+engineTypes[f.Type])
	}
	s.mu.Lock()
	s.next++
	ref := &bq.TableReference{ProjectId: Project, DatasetId: anonymous, TableId: fmt.Sprintf("parameter_%d", s.next)}
	s.mu.Unlock()
	name := ref.DatasetId + "." + ref.TableId
	if err := s.db.Exec(ctx, "CREATE TABLE "+name+" ("+strings.Join(columns, ", ")+")"); err != nil {
		return "", err
	}
	return name, s.insertRows(ctx, ref, fields, rows)
}
