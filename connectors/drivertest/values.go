package drivertest

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/scoring"
)

//go:embed testdata/values.tsv
var valuesFile string

// Value is a value from a vendor's documentation of a type, and what is expected when it is read.
type Value struct {
	Type  string // the vendor's name of the type
	SQL   string // an expression
	Arrow string // the column's Arrow type, and its extension type in parentheses
	Table string // type and value in a scoring.Table; strings and JSON in Go syntax
	Text  string // the value cast to text by the engine; "-" if not tested
	Lost  string // what is lost of the value when it is read
	Sent  string // the protocol's form of the value, for fake servers that do not run the dialect
}

// values returns the values of a connector's types, in the order of the vendor's documentation.
func values(connector string) (values []Value) {
	for line := range strings.Lines(valuesFile) {
		if fields := strings.Split(strings.TrimRight(line, "\n"), "\t"); fields[0] == connector {
			fields = append(fields, "", "")
			values = append(values,
				Value{fields[1], fields[2], fields[3], fields[4], fields[5], fields[6], strings.ReplaceAll(fields[7], `\n`, "\n")})
		}
	}
	return values
}

// TestValues reads each value of a connector's types. answer makes a fake server return v in a column named v for a
// query; it is nil if the server runs the dialect, and then the value's text is read too. lacks maps the SQL of values
// that an emulator does not support to the reason.
func TestValues(t *testing.T, connector string, c driver.Conn, answer func(t *testing.T, query string, v Value),
	lacks map[string]string) {
	t.Helper()
	values := values(connector)
	if len(values) == 0 {
		t.Fatalf("testdata/values.tsv has no values of %s", connector)
	}
	for _, v := range values {
		t.Run(v.Type, func(t *testing.T) {
			if why := lacks[v.SQL]; why != "" {
				t.Skip(why)
			}
			query := "SELECT " + v.SQL + " AS v"
			if answer != nil {
				answer(t, query, v)
			}
			columnType, value, err := readValue(c, query)
			if err != nil {
				t.Fatalf("%s: %v", v.SQL, err)
			}
			if columnType != v.Arrow || value != v.Table {
				t.Errorf("%s: %s, %s; want %s, %s", v.SQL, columnType, value, v.Arrow, v.Table)
			}
			if answer != nil || v.Text == "-" {
				return
			}
			table, err := Read(context.Background(), c, "SELECT CAST("+v.SQL+" AS VARCHAR) AS v")
			if err != nil {
				t.Fatalf("%s as text: %v", v.SQL, err)
			}
			if text := table.Columns[0].Value(0).Text(); text != v.Text {
				t.Errorf("%s as text: %q, want %q", v.SQL, text, v.Text)
			}
		})
	}
}

// readValue runs a query that returns one value.
func readValue(c driver.Conn, query string) (columnType, value string, err error) {
	r, err := c.Query(context.Background(), query)
	if err != nil {
		return "", "", err
	}
	defer r.Release()
	read := &lastSchema{RecordReader: r}
	table, err := arrowtable.Read(read, arrowtable.Limits{})
	if err != nil {
		return "", "", err
	}
	if table.Rows() != 1 || len(table.Columns) != 1 {
		return "", "", fmt.Errorf("%d rows of %d columns, expected one value", table.Rows(), len(table.Columns))
	}
	field := read.schema.Field(0)
	columnType = field.Type.String()
	if mark, ok := field.Metadata.GetValue("ARROW:extension:name"); ok {
		columnType += " [" + mark + "]"
	}
	v := table.Columns[0].Value(0)
	if v.Type == scoring.String || v.Type == scoring.JSON {
		return columnType, v.Type.String() + " " + strconv.Quote(v.Text()), nil
	}
	return columnType, v.Type.String() + " " + v.String(), nil
}

// lastSchema stores the schema of the last record, whose unit of time and width of numbers may differ from the
// announced ones.
type lastSchema struct {
	array.RecordReader
	schema *arrow.Schema
}

func (r *lastSchema) Next() bool {
	if !r.RecordReader.Next() {
		return false
	}
	r.schema = r.Record().Schema()
	return true
}

// ValuesTable returns the table of a connector's README, in Markdown.
func ValuesTable(connector string) string {
	var b strings.Builder
	b.WriteString("| type | asked for | as Arrow | as metrics see it | lost |\n| --- | --- | --- | --- | --- |\n")
	code := func(s string) string {
		if s == "" {
			return ""
		}
		return "`" + strings.ReplaceAll(s, "|", `\|`) + "`"
	}
	for _, v := range values(connector) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", v.Type, code(v.SQL), code(v.Arrow), code(v.Table), v.Lost)
	}
	return b.String()
}
