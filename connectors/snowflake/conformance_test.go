package snowflake_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	fakesnowflake "github.com/badger-eval/badger/connectors/fake/snowflake"
	"github.com/badger-eval/badger/connectors/snowflake"
)

// lower is a connection whose columns have names in lower case: the suite is written so, and
// Snowflake folds names to upper case.
type lower struct{ *snowflake.Conn }

func (c lower) Query(ctx context.Context, query string, args ...any) (array.RecordReader, error) {
	r, err := c.Conn.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return lowerNames{r}, nil
}

type lowerNames struct{ array.RecordReader }

func (r lowerNames) Schema() *arrow.Schema {
	fields := append([]arrow.Field(nil), r.RecordReader.Schema().Fields()...)
	for i := range fields {
		fields[i].Name = strings.ToLower(fields[i].Name)
	}
	return arrow.NewSchema(fields, nil)
}

func open(t testing.TB, url string, o driver.Options) lower {
	t.Helper()
	c, _, err := snowflake.Open(context.Background(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	return lower{c.(*snowflake.Conn)}
}

// harness is the suite's, over warehouses whose URLs newURL makes.
func harness(newURL func(t *testing.T) string) drivertest.Harness {
	return drivertest.Harness{
		Name: "snowflake", Dialect: snowflake.Dialect, Features: snowflake.Features,
		Spelled: map[string]string{drivertest.OtherTypes: "CREATE TABLE others (id NUMBER(19, 0), n NUMBER(38, 9), d DATE, h TIME(6), w TIMESTAMP_NTZ(6), b BINARY, u NUMBER(38, 0))"},
		Open: func(t *testing.T, mem memory.Allocator) driver.Conn {
			return open(t, newURL(t), driver.Options{Mem: mem})
		},
		OpenReadOnly: func(t *testing.T, mem memory.Allocator) driver.Conn {
			url := newURL(t)
			c := open(t, url, driver.Options{})
			if err := c.Exec(context.Background(), "CREATE TABLE present AS SELECT 1 AS a"); err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, url, driver.Options{ReadOnly: true, Mem: mem})
		},
	}
}

func urlOf(s *fakesnowflake.Server) string {
	return "snowflake://tester@acme/DEMO/PUBLIC?warehouse=W&password_env=BADGER_TEST_PASSWORD&retries=2&" + s.Options()
}

// The suite against our own server.
func TestConformance(t *testing.T) {
	h := harness(func(t *testing.T) string {
		s := fakesnowflake.New(t)
		columns := []fakesnowflake.Column{{Name: "I", Type: "fixed", Precision: 38}, {Name: "R", Type: "real"}}
		part := func(at int) [][]fakesnowflake.Cell {
			rows := make([][]fakesnowflake.Cell, 1000)
			for i := range rows {
				n := strconv.Itoa(at*len(rows) + i)
				rows[i] = []fakesnowflake.Cell{&n, &n}
			}
			return rows
		}
		s.Answer(`SELECT i, r FROM slow_rows`, fakesnowflake.Result{Columns: columns, Rows: part(0), Chunks: 10_000, Chunk: func(i int) [][]fakesnowflake.Cell { return part(i + 1) }})
		s.Answer(`SELECT COUNT\(\*\) FROM \(SELECT i, r FROM slow_rows\) AS t`, fakesnowflake.Result{Hangs: true})
		s.Answer("SELECT NULL AS a", fakesnowflake.Result{Columns: []fakesnowflake.Column{{Name: "A", Type: "text", Nullable: true}}, Rows: [][]fakesnowflake.Cell{{nil}}})
		return urlOf(s)
	})
	h.Slow = "SELECT i, r FROM slow_rows"
	h.Skip = map[string]string{"Merges/an instant that is not kept is not cut": "the server's engine keeps microseconds, where Snowflake keeps nanoseconds"}
	drivertest.Run(t, h)
}

func TestMain(m *testing.M) {
	os.Setenv("BADGER_TEST_PASSWORD", "swordfish")
	code := m.Run()
	stopFakesnow()
	os.Exit(code)
}
