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

// Value is a value of a type in its vendor's documentation, and what comes of it.
type Value struct {
	Type  string // as the vendor names it
	SQL   string // an expression
	Arrow string // the type of the column, and the mark of an extension in brackets
	Table string // the type and the value that metrics see, strings and JSON in Go syntax
	Text  string // the value cast to text by the engine; "-" if that is not tested
	Lost  string // what of the value is not read
	Sent  string // how the protocol sends it, for servers that do not run the dialect
}

// values are the values of a connector's types, in the order of the vendor's documentation.
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

// TestValues asks for each value of a connector's types. Answer makes a server of tests send a query's
// only value, in a column named v; nil if the server runs the dialect, which is then asked for the
// value's text, too. Lacks are the values that an emulator does not have, by their SQL, and why.
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
			table, err := read(context.Background(), c, "SELECT CAST("+v.SQL+" AS VARCHAR) AS v")
			if err != nil {
				t.Fatalf("%s as text: %v", v.SQL, err)
			}
			if text := table.Columns[0].Value(0).Text(); text != v.Text {
				t.Errorf("%s as text: %q, want %q", v.SQL, text, v.Text)
			}
		})
	}
}

// readValue reads a result of one value.
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

// lastSchema keeps the schema of the last record, which may differ from the announced one in the unit of times and
// the width of numbers.
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

// ValuesTable is the table of a connector's README.
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
