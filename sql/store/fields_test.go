package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// answering is a connection that answers every query with the same rows.
type answering struct {
	driver.Conn
	rows   arrow.Record
	times  int
	query  string
	broken error
}

func (a *answering) Query(_ context.Context, query string, _ ...any) (array.RecordReader, error) {
	a.query = query
	records := make([]arrow.Record, a.times)
	for i := range records {
		records[i] = a.rows
	}
	return array.NewRecordReader(a.rows.Schema(), records)
}

func (a *answering) ErrorCode(error) errcode.Code { return errcode.Unknown }
func (a *answering) Close() error                 { return a.broken }

func recordOf(tb testing.TB, fields []arrow.Field, rows string) arrow.Record {
	tb.Helper()
	r, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema(fields, nil), strings.NewReader(rows))
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// everything has a place of every kind that a field may have.
type everything struct {
	Text    string
	Whole   int64
	Int     int
	Float   float64
	Is      bool
	At      time.Time
	FloatIf *float64
	IsIf    *bool
	Decoded []string
}

var everyField = []field[everything]{
	{SQL: "a_text", In: func(e *everything) any { return &e.Text }},
	{SQL: "COUNT(*)", In: func(e *everything) any { return &e.Whole }},
	{SQL: "an_int", In: func(e *everything) any { return &e.Int }},
	{SQL: "a_float", In: func(e *everything) any { return &e.Float }},
	{SQL: "is_it", In: func(e *everything) any { return &e.Is }},
	{SQL: "at", In: func(e *everything) any { return &e.At }},
	{SQL: "a_float", In: func(e *everything) any { return &e.FloatIf }},
	{SQL: "is_it", In: func(e *everything) any { return &e.IsIf }},
	{SQL: "a_list", Decode: func(e *everything, v scoring.Value) error { return readJSON("t.a_list", v, &e.Decoded) }},
}

var everyColumn = []arrow.Field{
	{Name: "a", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "b", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "c", Type: &arrow.Decimal128Type{Precision: 38}, Nullable: true}, {Name: "d", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "e", Type: arrow.FixedWidthTypes.Boolean, Nullable: true}, {Name: "f", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, Nullable: true},
	{Name: "g", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, {Name: "h", Type: arrow.FixedWidthTypes.Boolean, Nullable: true}, {Name: "i", Type: arrow.BinaryTypes.String, Nullable: true},
}

func TestFields(t *testing.T) {
	t.Parallel()
	conn := &answering{times: 2, rows: recordOf(t, everyColumn, `[
		{"a": "x", "b": -9007199254740991, "c": "12", "d": 0.1, "e": true, "f": "2024-02-03 04:05:06.5", "g": 0, "h": false, "i": "[\"p\"]"},
		{}]`)}
	w := New(connectors.New(conn, driver.Dialect{}))
	s := Select[everything]{What: "reading t", Fields: everyField, From: " FROM t WHERE a = ?", Args: []any{"x"}}
	var got []everything
	for e, err := range Rows(t.Context(), w, s) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	if want := "SELECT a_text, COUNT(*), an_int, a_float, is_it, at, a_float, is_it, a_list FROM t WHERE a = ?"; conn.query != want {
		t.Errorf("the statement is %s", conn.query)
	}
	const whole = `{"Text":"x","Whole":-9007199254740991,"Int":12,"Float":0.1,"Is":true,"At":"2024-02-03T04:05:06.5Z","FloatIf":0,"IsIf":false,"Decoded":["p"]}`
	const none = `{"Text":"","Whole":0,"Int":0,"Float":0,"Is":false,"At":"0001-01-01T00:00:00Z","FloatIf":null,"IsIf":null,"Decoded":null}`
	for i, want := range []string{whole, none, whole, none} { // a row has nothing of the one before it
		if text, err := json.Marshal(got[i]); err != nil || string(text) != want {
			t.Errorf("row %d: %s, %v", i, text, err)
		}
	}
	type holder struct {
		Before string
		Part   everything
	}
	n := 0
	for h, err := range Rows(t.Context(), w, Select[holder]{Fields: fieldsIn(everyField, func(h *holder) *everything { return &h.Part })}) {
		if n++; err != nil || n == 1 && (h.Part.Text != "x" || h.Part.Decoded[0] != "p") {
			t.Errorf("%+v, %v", h, err)
		}
		break
	}
}

func TestFieldsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	column := everyColumn[:1]
	conn := &answering{times: 3, rows: recordOf(t, column, `[{"a": "secret"}]`)}
	w := New(connectors.New(conn, driver.Dialect{}))
	for _, tc := range []struct {
		why  string
		f    field[everything]
		code errcode.Code
		want string
	}{
		{"a text that is no JSON", field[everything]{SQL: "a", Decode: func(e *everything, v scoring.Value) error { return readJSON("t.a", v, &e.Decoded) }}, errcode.InvalidArgument, "t.a cannot be read"},
		{"a place of no kind", field[everything]{SQL: "a", In: func(e *everything) any { return &e.Decoded }}, errcode.Internal, "column a"},
		{"a failure of its own", field[everything]{SQL: "a", Decode: func(*everything, scoring.Value) error { return errors.New("no") }}, errcode.Unknown, "no"},
	} {
		n := 0
		for e, err := range Rows(t.Context(), w, Select[everything]{Fields: []field[everything]{tc.f}}) {
			if n++; err == nil || errcode.Of(err) != tc.code || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret") || e.Text != "" {
				t.Errorf("%s: %+v, %v", tc.why, e, err)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d rows, want one error and nothing after it", tc.why, n)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, err := range Rows(t.Context(), w, Select[everything]{What: "reading t", Fields: everyField}) {
		if errcode.Of(err) != errcode.FailedPrecondition || !strings.HasPrefix(err.Error(), "reading t: ") {
			t.Errorf("a closed warehouse: %v", err)
		}
	}
}

// BenchmarkScores reads rows of the table scores, 2,048 in a block.
func BenchmarkScores(b *testing.B) {
	text := func(name string) arrow.Field {
		return arrow.Field{Name: name, Type: arrow.BinaryTypes.String, Nullable: true}
	}
	fields := []arrow.Field{
		text("case_id"), text("agent_name"), text("agent_version"), text("batch_id"), text("metric"), {Name: "metric_version", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, text("status"),
		{Name: "value", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, text("label"), {Name: "passed", Type: arrow.FixedWidthTypes.Boolean, Nullable: true}, text("reason"), text("code"), text("usage"), text("gold_hash"),
	}
	var rows strings.Builder
	const block = 2048
	for i := range block {
		sep := ","
		if i == 0 {
			sep = "["
		}
		fmt.Fprintf(&rows, `%s{"case_id":"case %d","agent_name":"atlas","agent_version":"2.0","batch_id":"b1","metric":"hybrid_ex","metric_version":7,"status":"ok","value":%g,"passed":%t,"reason":"%d of 4 cells are equal","gold_hash":"0f63a9c2d41e77b8"}`, sep, i, float64(i%5)/4, i%5 == 4, i%5)
	}
	conn := &answering{times: 8, rows: recordOf(b, fields, rows.String()+"]")}
	w := New(connectors.New(conn, driver.Dialect{Placeholder: func(int) string { return "?" }}))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for r, err := range w.Scores(b.Context(), "r") {
			if err != nil || r.Score.Metric != "hybrid_ex" {
				b.Fatal(r, err)
			}
			n++
		}
		if n != 8*block {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(8*block), "ns/row")
}
