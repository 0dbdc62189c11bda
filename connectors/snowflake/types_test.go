package snowflake_test

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/google/go-cmp/cmp"

	fakesnowflake "github.com/badger-eval/badger/connectors/fake/snowflake"
	"github.com/badger-eval/badger/internal/errcode"
)

// column is a result of one column whose parts come one by one, the first with the answer.
func column(typ string, precision, scale int, parts ...[]string) fakesnowflake.Result {
	part := func(i int) (rows [][]fakesnowflake.Cell) {
		for _, v := range parts[i] {
			rows = append(rows, cells(v))
		}
		return rows
	}
	return fakesnowflake.Result{
		Columns: []fakesnowflake.Column{{Name: "C", Type: typ, Precision: precision, Scale: scale, Nullable: true}},
		Rows:    part(0), Chunks: len(parts) - 1, Chunk: func(i int) [][]fakesnowflake.Cell { return part(i + 1) },
	}
}

// downloaded is a result of which no part comes with the answer.
func downloaded(r fakesnowflake.Result) fakesnowflake.Result {
	rows, chunk := r.Rows, r.Chunk
	r.Rows, r.Chunks = nil, r.Chunks+1
	r.Chunk = func(i int) [][]fakesnowflake.Cell {
		if i == 0 {
			return rows
		}
		return chunk(i - 1)
	}
	return r
}

// What Snowflake's encodings become, exactly. The cells are written as the protocol's JSON form has
// them, the server encodes them as Snowflake does.
func TestValues(t *testing.T) {
	const (
		digits38 = "99999999999999999999999999999999999999"
		nano     = "1709251199.999999999" // 2024-02-29 23:59:59.999999999
	)
	for _, tc := range []struct {
		why    string
		result fakesnowflake.Result
		want   string
	}{
		{"each batch has the narrowest integers", column("fixed", 38, 0, []string{"1", "-128"}, []string{"32767"}, []string{"NULL", "-2147483648"}, []string{"9223372036854775807"}),
			"INT64: 1|-128|32767|NULL|-2147483648|9223372036854775807"},
		{"a batch of wider ones behind narrow ones", column("fixed", 38, 0, []string{"1"}, []string{digits38, "-" + digits38}, []string{"2"}), "DECIMAL: 1|" + digits38 + "|-" + digits38 + "|2"},
		{"narrow ones behind wider ones", column("fixed", 38, 0, []string{digits38}, []string{"2", "NULL"}), "DECIMAL: " + digits38 + "|2|NULL"},
		{"past 2^53, where doubles lose one", column("fixed", 38, 0, []string{"9007199254740993"}), "INT64: 9007199254740993"},
		{"decimals of every width", column("fixed", 38, 2, []string{"0.01", "-1.28"}, []string{"327.67"}, []string{"21474836.47"}, []string{"92233720368547758.07"}, []string{"123456789012345678901234567890123456.78"}),
			"DECIMAL: 0.01|-1.28|327.67|21474836.47|92233720368547758.07|123456789012345678901234567890123456.78"},
		{"37 decimals", column("fixed", 38, 37, []string{"0.1000000000000000000000000000000000001", "-9.9999999999999999999999999999999999999"}),
			"DECIMAL: 0.1000000000000000000000000000000000001|-9.9999999999999999999999999999999999999"},
		{"only NULLs", column("fixed", 38, 2, []string{"NULL", "NULL"}), "DECIMAL: NULL|NULL"},
		{"no rows", column("fixed", 10, 0, nil), "INT64:"},
		{"decimal floating point", column("decfloat", 0, 0, []string{"12345678901234567890123456789012345678e-20", "-1e-20", "NULL"}),
			"DECIMAL: 123456789012345678.90123456789012345678|-0.00000000000000000001|NULL"},
		{"of many places before the point", column("decfloat", 0, 0, []string{"-1e100", "0e0", "128e0", "-128e0", "255e0", "-32769e0"}), "DECIMAL: -1" + strings.Repeat("0", 100) + "|0|128|-128|255|-32769"},
		{"wall clocks to the nanosecond", column("timestamp_ntz", 0, 9, []string{nano, "-0.000000001", "NULL", "0.000000000"}),
			"TIMESTAMP: 2024-02-29 23:59:59.999999999|1969-12-31 23:59:59.999999999|NULL|1970-01-01 00:00:00"},
		{"of milliseconds, which are integers", column("timestamp_ntz", 0, 3, []string{"1709251199.999", "-0.001"}), "TIMESTAMP: 2024-02-29 23:59:59.999|1969-12-31 23:59:59.999"},
		{"of seconds", column("timestamp_ntz", 0, 0, []string{"1709251199", "-1"}), "TIMESTAMP: 2024-02-29 23:59:59|1969-12-31 23:59:59"},
		{"the first and the last year", column("timestamp_ntz", 0, 9, []string{"-62135596800.000000000", "253402300799.999999000"}), "TIMESTAMP: 0001-01-01 00:00:00|9999-12-31 23:59:59.999999"},
		{"far years among nanoseconds", column("timestamp_ntz", 0, 9, []string{nano, "253402300799.000000000", nano, "NULL", "-62135596800.000000000"}, []string{nano}),
			"TIMESTAMP: 2024-02-29 23:59:59.999999999|9999-12-31 23:59:59|2024-02-29 23:59:59.999999999|NULL|0001-01-01 00:00:00|2024-02-29 23:59:59.999999999"},
		{"the last nanosecond of 64 bits, and the next", column("timestamp_ntz", 0, 9, []string{"9223372036.854775807", "9223372037.000000000"}), "TIMESTAMP: 2262-04-11 23:47:16.854775807|2262-04-11 23:47:17"},
		{"instants", column("timestamp_ltz", 0, 9, []string{nano}), "TIMESTAMPTZ: 2024-02-29 23:59:59.999999999Z"},
		{"instants with a zone, to the nanosecond", column("timestamp_tz", 0, 9, []string{nano + " 1560", nano + " 750", "-0.000000001 1440", "NULL"}),
			"TIMESTAMPTZ: 2024-02-29 23:59:59.999999999Z|2024-02-29 23:59:59.999999999Z|1969-12-31 23:59:59.999999999Z|NULL"},
		{"instants with a zone, of milliseconds", column("timestamp_tz", 0, 3, []string{"1709251199.999 1560", "-0.001 1440"}), "TIMESTAMPTZ: 2024-02-29 23:59:59.999Z|1969-12-31 23:59:59.999Z"},
		{"times of day of nanoseconds", column("time", 0, 9, []string{"86399.999999999", "0.000000000", "NULL"}), "TIME: 23:59:59.999999999|00:00:00|NULL"},
		{"of microseconds", column("time", 0, 6, []string{"86399.999999", "1.5"}), "TIME: 23:59:59.999999|00:00:01.5"},
		{"of milliseconds, which the driver does not turn into Arrow", column("time", 0, 3, []string{"86399.999", "NULL", "0.5"}), "TIME: 23:59:59.999|NULL|00:00:00.5"},
		{"of seconds, in several batches", column("time", 0, 0, []string{"86399"}, []string{"1", "NULL"}), "TIME: 23:59:59|00:00:01|NULL"},
		{"of seconds, none with the answer", downloaded(column("time", 0, 0, []string{"86399"}, []string{"1", "NULL"})), "TIME: 23:59:59|00:00:01|NULL"},
		{"dates", column("date", 0, 0, []string{"-719162", "2932896", "19782", "NULL"}), "DATE: 0001-01-01|9999-12-31|2024-02-29|NULL"},
		{"doubles", column("real", 0, 0, []string{"0.1", "5e-324", "NaN", "-Inf", "NULL", "-0"}), "FLOAT64: 0.1|5e-324|NaN|-Infinity|NULL|-0"},
		{"booleans", column("boolean", 0, 0, []string{"1", "0", "NULL"}), "BOOL: true|false|NULL"},
		{"bytes", column("binary", 0, 0, []string{"00ff", "", "NULL"}), "BYTES: 00ff||NULL"},
		{"text", column("text", 0, 0, []string{"", "añ😀", "NULL"}), `STRING: ""|"añ😀"|NULL`},
		{"variants", column("variant", 0, 0, []string{`{"n":9007199254740993}`, `"x"`, "NULL"}), `JSON: "{\"n\":9007199254740993}"|"\"x\""|NULL`},
		{"arrays and objects", column("array", 0, 0, []string{`[1,null]`}), `JSON: "[1,null]"`},
		{"NULL in arrays and objects, which is no word of JSON", column("array", 0, 0, []string{"[\n  1,\n  undefined,\n  null\n]", `["undefined", "a\"undefined", undefined]`}), `JSON: "[\n  1,\n  null,\n  null\n]"|"[\"undefined\", \"a\\\"undefined\", null]"`},
		{"in an object, beside names that are that word", column("object", 0, 0, []string{`{"undefined": undefined, "b": "NaN"}`, "NULL"}), `JSON: "{\"undefined\": null, \"b\": \"NaN\"}"|NULL`},
		{"doubles that JSON does not have", column("variant", 0, 0, []string{"NaN", "[NaN, Infinity, -Infinity, -1]"}), `JSON: "\"NaN\""|"[\"NaN\", \"Infinity\", \"-Infinity\", -1]"`},
		{"vectors", column("vector", 0, 0, []string{"0.1 -2 3.5", "NULL"}, []string{"1 2 3"}), `JSON: "[0.1,-2,3.5]"|NULL|"[1,2,3]"`},
		{"places", column("geography", 0, 0, []string{`POINT(1 2)`}), `STRING: "POINT(1 2)"`},
	} {
		t.Run(tc.why, func(t *testing.T) {
			s := fakesnowflake.New(t)
			s.Answer("SELECT c FROM t", tc.result)
			got, err := show(opened(t, s).Query(ctx, "SELECT c FROM t"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(`"C" `+tc.want+"\n", got); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
			if n := len(s.Statements()); n != 1 {
				t.Errorf("%d statements were run", n)
			}
		})
	}
}

// A MAP is the JSON text that Snowflake sends: with the answer, in chunks, and beside times of day that
// make the result one of rows. NULL inside, the order of keys and every digit stay.
func TestMaps(t *testing.T) {
	s := fakesnowflake.New(t)
	c := opened(t, s)
	maps := column("map", 0, 0, []string{`{"k":1,"a":12345678901234567890.12}`, "NULL", `{}`}, []string{"{\n  \"2\": undefined,\n  \"1\": null\n}"})
	const want = `"C" JSON: "{\"k\":1,\"a\":12345678901234567890.12}"|NULL|"{}"|"{\n  \"2\": null,\n  \"1\": null\n}"` + "\n"
	s.Answer("SELECT c FROM t", maps)
	s.Answer("SELECT c FROM u", downloaded(maps))
	for _, query := range []string{"SELECT c FROM t", "SELECT c FROM u"} {
		if got, err := show(c.Query(ctx, query)); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", query, got, err, want)
		}
	}
	s.Answer("SELECT m, c FROM t", fakesnowflake.Result{
		Columns: []fakesnowflake.Column{{Name: "m", Type: "map", Nullable: true}, {Name: "c", Type: "time", Scale: 0, Nullable: true}},
		Rows:    [][]fakesnowflake.Cell{cells(`{"k":null}`, "1"), cells("NULL", "NULL")},
	})
	if got, err := show(c.Query(ctx, "SELECT m, c FROM t")); err != nil || got != "\"m\" JSON: \"{\\\"k\\\":null}\"|NULL\n\"c\" TIME: 00:00:01|NULL\n" {
		t.Errorf("beside times of day: %s, %v", got, err)
	}
	maps.JSON = true
	s.Answer("SELECT c FROM v", maps)
	if got, err := show(c.Query(ctx, "SELECT c FROM v")); errcode.Of(err) != errcode.Internal && errcode.Of(err) != errcode.Unimplemented || !strings.Contains(err.Error(), "cast") {
		t.Errorf("in JSON, of which the driver makes Go maps: %s, %v, want an error that says to cast", got, err)
	}
}

// What SHOW and DESCRIBE return comes in JSON.
func TestValuesInJSON(t *testing.T) {
	s := fakesnowflake.New(t)
	s.Answer("SHOW THINGS", fakesnowflake.Result{
		JSON: true,
		Columns: []fakesnowflake.Column{
			{Name: "n", Type: "fixed", Precision: 38}, {Name: "d", Type: "fixed", Precision: 12, Scale: 2}, {Name: "x", Type: "real"}, {Name: "s", Type: "text"}, {Name: "b", Type: "boolean"},
			{Name: "day", Type: "date"}, {Name: "at", Type: "timestamp_ltz", Scale: 9}, {Name: "tz", Type: "timestamp_tz", Scale: 9}, {Name: "time", Type: "time", Scale: 3}, {Name: "v", Type: "variant"}, {Name: "bin", Type: "binary"},
		},
		Rows: [][]fakesnowflake.Cell{
			cells("9223372036854775807", "-0.05", "0.1", "a", "1", "19782", "-1.000000000", "1709251199.999999999 1560", "86399.999", `[1]`, "00ff"),
			cells("-1", "9999999999.99", "NULL", "", "0", "-1", "253402300799.000000000", "NULL", "0.000", "NULL", "NULL"),
		},
	})
	got, err := show(opened(t, s).Query(ctx, "SHOW THINGS"))
	if err != nil {
		t.Fatal(err)
	}
	want := `"n" INT64: 9223372036854775807|-1
"d" DECIMAL: -0.05|9999999999.99
"x" FLOAT64: 0.1|NULL
"s" STRING: "a"|""
"b" BOOL: true|false
"day" DATE: 2024-02-29|1969-12-31
"at" TIMESTAMPTZ: 1969-12-31 23:59:59Z|9999-12-31 23:59:59Z
"tz" TIMESTAMPTZ: 2024-02-29 23:59:59.999999999Z|NULL
"time" TIME: 23:59:59.999|00:00:00
"v" JSON: "[1]"|NULL
"bin" BYTES: 00ff|NULL
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// Records have the schema that the reader announced, but for a wider number and another unit of
// time.
func TestSchemas(t *testing.T) {
	s := fakesnowflake.New(t)
	s.Answer("SELECT c FROM t", column("fixed", 38, 0, []string{"1"}, []string{"300"}, []string{"99999999999999999999"}))
	r, err := opened(t, s).Query(ctx, "SELECT c FROM t")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var types []string
	for r.Next() {
		if !arrow.TypeEqual(r.Record().Schema().Field(0).Type, r.Record().Column(0).DataType()) {
			t.Error("a record whose column is not of its schema's type")
		}
		types = append(types, r.Record().Column(0).DataType().Name())
	}
	if want := []string{"int64", "int64", "decimal"}; r.Err() != nil || !cmp.Equal(types, want) || r.Schema().Field(0).Type.ID() != arrow.INT64 {
		t.Errorf("%v, %v, want %v", types, r.Err(), want)
	}
}

// What cannot be read exactly is refused, and named.
func TestValuesThatAreRefused(t *testing.T) {
	s := fakesnowflake.New(t)
	s.Answer("SELECT far FROM t", column("timestamp_ntz", 0, 9, []string{"253402300799.999999999"}))
	damaged := column("text", 0, 0, nil, []string{"a", "b"})
	damaged.Bytes = func(i int) []byte {
		whole, err := fakesnowflake.Stream(damaged.Columns, damaged.Chunk(i))
		if err != nil {
			t.Error(err)
		}
		return whole[:len(whole)-40]
	}
	s.Answer("SELECT damaged FROM t", damaged)
	before := column("timestamp_ltz", 0, 9, []string{"-0.500000000"})
	before.JSON = true
	s.Answer("SHOW BEFORE", before)
	c := opened(t, s)
	if _, err := show(c.Query(ctx, "SHOW BEFORE")); errcode.Of(err) != errcode.Unimplemented || !strings.Contains(err.Error(), `"C"`) {
		t.Errorf("a fraction of a second before 1970 in JSON: %v", err)
	}
	if _, err := show(c.Query(ctx, "SELECT far FROM t")); errcode.Of(err) != errcode.Unimplemented || !strings.Contains(err.Error(), `"C"`) || !strings.Contains(err.Error(), "VARCHAR") {
		t.Errorf("a nanosecond in a far year: %v", err)
	}
	if _, err := show(c.Query(ctx, "SELECT damaged FROM t")); err == nil {
		t.Error("bytes that are no Arrow were read")
	}
}
