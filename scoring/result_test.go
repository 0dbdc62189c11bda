package scoring_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// sameValue reports whether two values are the same to the last bit; a decimal's trailing zeros are
// the column's, not the value's.
func sameValue(t testing.TB, a, b scoring.Value) bool {
	t.Helper()
	switch {
	case a.Type != b.Type:
		return false
	case a.Type == scoring.Float64:
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float()) || math.IsNaN(a.Float()) && math.IsNaN(b.Float())
	case a.Type == scoring.Decimal:
		return rat(t, a).Cmp(rat(t, b)) == 0
	}
	return a == b
}

// randomValue returns a value of a type, with edge cases more often than at random.
func randomValue(r *rand.Rand, typ scoring.Type) scoring.Value {
	pick := func(vs ...int64) int64 { return vs[r.IntN(len(vs))] }
	text := func(ts ...string) string { return ts[r.IntN(len(ts))] }
	seconds := func() int64 { // of the years 1 to 9999
		if r.IntN(3) == 0 {
			return pick(-719162*86400, 2932896*86400+86399, 0, -1, 951782400)
		}
		return -719162*86400 + r.Int64N((2932896+719162)*86400)
	}
	digits := func(n int) *big.Int {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('0' + r.IntN(10))
		}
		b[0] = byte('1' + r.IntN(9))
		v, _ := new(big.Int).SetString(string(b), 10)
		if r.IntN(2) == 0 {
			v.Neg(v)
		}
		return v
	}
	switch typ {
	case scoring.Bool:
		return scoring.BoolValue(r.IntN(2) == 0)
	case scoring.Int64:
		if r.IntN(3) == 0 {
			return scoring.IntValue(pick(math.MaxInt64, math.MinInt64, 1<<53, 1<<53+1, -1<<53-1, 0, -1))
		}
		return scoring.IntValue(int64(r.Uint64()) >> r.IntN(64))
	case scoring.Float64:
		if r.IntN(3) == 0 {
			return scoring.FloatValue([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), math.MaxFloat64, math.SmallestNonzeroFloat64, 0.1, 1e21, 1e-7, 1 << 53, 3}[r.IntN(11)])
		}
		return scoring.FloatValue(math.Float64frombits(r.Uint64()))
	case scoring.Decimal:
		scale := int32(r.IntN(39)) //nolint:gosec // small
		switch r.IntN(4) {
		case 0:
			return scoring.BigDecimalValue(digits(38), scale)
		case 1:
			return scoring.BigDecimalValue(digits(76), scale)
		case 2:
			return scoring.DecimalValue(pick(math.MaxInt64, math.MinInt64, 0, 1, -1), scale)
		}
		return scoring.DecimalValue(int64(r.Uint64())>>r.IntN(64), int32(r.IntN(4))) //nolint:gosec // small
	case scoring.String:
		return scoring.StringValue(text("", "a", "NULL", "null", " padded ", "\x00", "a\x00b", "😀👩‍👩‍👧", "e\u0301", "\"quoted\\\"", "</script>", "line\nbreak\r\t", "\u2028", "12", "1.0", "2024-01-01", "{}", "[1]", `{"DATE":"2024-01-01"}`, "\x7f\u0085", "\ufeff"))
	case scoring.Bytes:
		b := make([]byte, r.IntN(6))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return scoring.TextValue(scoring.Bytes, string(b))
	case scoring.JSON:
		return scoring.TextValue(scoring.JSON, text(`{}`, `[]`, `null`, `1`, `"x"`, `{"a":[1,2.5,"é"]}`, `{"DATE":"2024-01-01"}`, `true`, "[1,2]", `{"a":"\u0000"}`))
	case scoring.Date:
		return scoring.DateValue(floor(seconds(), 86400))
	case scoring.Time:
		if r.IntN(4) == 0 {
			return scoring.TimeValue(pick(0, 86400e9-1, 1, 86400e9))
		}
		return scoring.TimeValue(r.Int64N(86400e9))
	case scoring.Timestamp, scoring.TimestampTZ:
		nanos := int32(0)
		if r.IntN(2) == 0 {
			nanos = int32([]int64{1, 999999999, 500000000, r.Int64N(1e9)}[r.IntN(4)]) //nolint:gosec // below 1e9
		}
		return scoring.TimestampValue(typ, seconds(), nanos)
	}
	return scoring.NullValue
}

func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

var columnTypes = []scoring.Type{
	scoring.Null, scoring.Bool, scoring.Int64, scoring.Float64, scoring.Decimal, scoring.String, scoring.Bytes, scoring.Date, scoring.Time, scoring.Timestamp, scoring.TimestampTZ, scoring.JSON, scoring.Any,
}

// randomTable makes a table of any types, and the values it must hold, row by row.
func randomTable(t testing.TB, r *rand.Rand) (*scoring.Table, [][]scoring.Value) {
	t.Helper()
	width, rows := r.IntN(7), r.IntN(6)
	if r.IntN(10) == 0 {
		rows = 70 + r.IntN(80) // over a word of NULL marks
	}
	values := make([][]scoring.Value, rows)
	if width == 0 {
		for i := range values {
			values[i] = []scoring.Value{}
		}
		return scoring.EmptyTable(rows), values
	}
	columns := make([]scoring.Column, width)
	for c := range columns {
		typ := columnTypes[r.IntN(len(columnTypes))]
		name := []string{"", "a", "a", "total \"x\"", "\x00", "名前", "A"}[r.IntN(7)]
		b := scoring.NewBuilder(name, typ, r.IntN(rows+1))
		nulls := r.IntN(4)
		for i := range values {
			v := scoring.NullValue
			switch {
			case nulls == 3 || nulls > 0 && r.IntN(3) == 0:
			case typ == scoring.Any:
				v = randomValue(r, columnTypes[r.IntN(len(columnTypes)-1)])
			default:
				v = randomValue(r, typ)
			}
			b.Append(v)
			values[i] = append(values[i], v)
		}
		columns[c] = b.Column()
	}
	table, err := scoring.NewTable(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return table, values
}

// checkTable reports whether a table holds the values.
func checkTable(t testing.TB, table *scoring.Table, values [][]scoring.Value) {
	t.Helper()
	if table.Rows() != len(values) {
		t.Fatalf("%d rows, want %d", table.Rows(), len(values))
	}
	for c := range table.Columns {
		col := &table.Columns[c]
		if col.Len() != len(values) {
			t.Fatalf("column %d has %d values, want %d", c, col.Len(), len(values))
		}
		nulls := false
		for i := range values {
			want := values[i][c]
			if got := col.Value(i); !sameValue(t, got, want) {
				t.Fatalf("column %d (%v), row %d is %v %q, want %v %q", c, col.Type, i, got.Type, got, want.Type, want)
			}
			if col.IsNull(i) != want.IsNull() {
				t.Fatalf("column %d, row %d is NULL: %v, want %v", c, i, col.IsNull(i), want.IsNull())
			}
			nulls = nulls || want.IsNull()
		}
		if col.HasNulls() != nulls {
			t.Fatalf("column %d (%v) has NULLs: %v, want %v", c, col.Type, col.HasNulls(), nulls)
		}
	}
}

// Whatever a table holds, its inline form is valid JSON and reads back as the same table: types,
// names, and every bit of every value.
func TestInlineResultsAreLossless(t *testing.T) {
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 7))
		table, values := randomTable(t, r)
		checkTable(t, table, values)
		text := table.AppendJSON([]byte("x"))[1:]
		if !json.Valid(text) {
			t.Fatalf("seed %d: not JSON: %s", seed, text)
		}
		back, err := scoring.ParseResult(text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if len(back.Columns) != len(table.Columns) {
			t.Fatalf("seed %d: %d columns came back of %d", seed, len(back.Columns), len(table.Columns))
		}
		for c := range table.Columns {
			got, want := &back.Columns[c], &table.Columns[c]
			if got.Name != want.Name || got.Type != want.Type {
				t.Fatalf("seed %d: column %d came back as %q %v, want %q %v", seed, c, got.Name, got.Type, want.Name, want.Type)
			}
		}
		checkTable(t, back, values)
		if again := back.AppendJSON(nil); !bytes.Equal(again, text) {
			t.Fatalf("seed %d: written again it differs:\n%s\n%s", seed, text, again)
		}
		if swapped, err := scoring.ParseResult(rowsFirst(t, text)); err != nil || !bytes.Equal(swapped.AppendJSON(nil), text) {
			t.Fatalf("seed %d: with the rows before the columns it differs: %v", seed, err)
		}
	}
}

// rowsFirst puts "rows" before "columns".
func rowsFirst(t testing.TB, text []byte) []byte {
	t.Helper()
	var parts struct{ Columns, Rows json.RawMessage }
	if err := json.Unmarshal(text, &parts); err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, `{"note":[{}], "rows":%s, "more":null, "columns":%s}`, parts.Rows, parts.Columns)
}

func TestParseResultTypes(t *testing.T) {
	for _, tc := range []struct {
		why    string
		column string // the column's member
		rows   string
		typ    scoring.Type
		want   string // values, each as String, joined by |
	}{
		{"whole numbers are integers", `"a"`, `[1],[-2]`, scoring.Int64, "1|-2"},
		{"one fraction makes doubles of all", `"a"`, `[1],[2.5],[null],[3]`, scoring.Float64, "1|2.5|NULL|3"},
		{"an integer that a double would round makes decimals", `"a"`, `[9007199254740993],[0.5]`, scoring.Decimal, "9007199254740993.0|0.5"},
		{"and so it does when it comes later", `"a"`, `[0.5],[null],[9007199254740993]`, scoring.Decimal, "0.5|NULL|9007199254740993.0"},
		{"2^53 itself is a double", `"a"`, `[0.5],[9007199254740992],[-9007199254740992]`, scoring.Float64, "0.5|9007199254740992|-9007199254740992"},
		{"2^53 before the fraction", `"a"`, `[9007199254740992],[0.5]`, scoring.Float64, "9007199254740992|0.5"},
		{"a fraction of more digits than a double keeps", `"a"`, `[0.1234567890123456789]`, scoring.Decimal, "0.1234567890123456789"},
		{"among doubles", `"a"`, `[0.5],[0.1234567890123456789]`, scoring.Decimal, "0.5000000000000000000|0.1234567890123456789"},
		{"a double among decimals keeps its digits", `"a"`, `[0.1234567890123456789],[0.1]`, scoring.Decimal, "0.1234567890123456789|0.1000000000000000000"},
		{"17 digits that are a double's own", `"a"`, `[0.30000000000000004]`, scoring.Float64, "0.30000000000000004"},
		{"an integer beyond 64 bits", `"a"`, `[18446744073709551615],[1]`, scoring.Decimal, "18446744073709551615|1"},
		{"38 digits", `"a"`, `[12345678901234567890.123456789012345678]`, scoring.Decimal, "12345678901234567890.123456789012345678"},
		{"more digits behind the point widen the ones before", `{"name":"a","type":"NUMBER(38,9)"}`, `["9223372036854775807"],["0.5"]`, scoring.Decimal, "9223372036854775807.0|0.5"},
		{"numbers and text", `"a"`, `[1],["x"],[true],[null]`, scoring.Any, "1|x|true|NULL"},
		{"text", `"a"`, `["1"],["x"]`, scoring.String, "1|x"},
		{"truth values", `"a"`, `[true],[false]`, scoring.Bool, "true|false"},
		{"NULLs before the first value", `"a"`, `[null],[null],["x"]`, scoring.String, "NULL|NULL|x"},
		{"NULLs only", `"a"`, `[null],[null]`, scoring.Null, "NULL|NULL"},
		{"objects and arrays", `"a"`, `[{"b":1}],[[1, 2]]`, scoring.JSON, `{"b":1}|[1,2]`},
		{"a type of null is none", `{"name":null,"type":null}`, `[1]`, scoring.Int64, "1"},
		{"integers as text", `{"name":"a","type":"BIGINT"}`, `["9223372036854775807"],[1]`, scoring.Int64, "9223372036854775807|1"},
		{"a fraction in a column of integers stays exact", `{"name":"a","type":"INT64"}`, `[1],[1.25]`, scoring.Decimal, "1.00|1.25"},
		{"numbers in a column of text", `{"name":"a","type":"VARCHAR"}`, `[1.50],["x"]`, scoring.String, "1.50|x"},
		{"nested values in a column of text", `{"name":"a","type":"VARCHAR"}`, `[[1, 2]],["x"]`, scoring.String, "[1,2]|x"},
		{"anything in a column of JSON", `{"name":"a","type":"VARIANT"}`, `[1.50],["x"],[true],[{"a":1}],[null]`, scoring.JSON, `1.5|x|true|{"a":1}|NULL`},
		{"0 and 1 are truth values", `{"name":"a","type":"BOOLEAN"}`, `[0],[1],[true],["false"]`, scoring.Bool, "false|true|true|false"},
		{"bytes are hexadecimal digits", `{"name":"a","type":"BINARY"}`, `["00fF"]`, scoring.Bytes, "00ff"},
		{"whole doubles", `{"name":"a","type":"DOUBLE"}`, `[1],["NaN"],["-Infinity"],[1e300]`, scoring.Float64, "1|NaN|-Infinity|1e+300"},
		{"dates", `{"name":"a","type":"DATE"}`, `["2024-02-29"]`, scoring.Date, "2024-02-29"},
		{"instants", `{"name":"a","type":"TIMESTAMP_LTZ(9)"}`, `["2024-02-29 12:00:00.000000001 +0100"]`, scoring.TimestampTZ, "2024-02-29 11:00:00.000000001Z"},
		{"bytes as PostgreSQL writes them", `{"name":"a","type":"bytea"}`, `["\\x6162"],["6162"]`, scoring.Bytes, "6162|6162"},
		{"JSONB", `{"name":"a","type":"jsonb"}`, `["{}"],[{}]`, scoring.JSON, "{}|{}"},
		{"a type that PostgreSQL shows as text", `{"name":"a","type":"tstzrange"}`, `["[2024-01-01,)"]`, scoring.String, "[2024-01-01,)"},
		{"a time with a zone", `{"name":"a","type":"time(3) with time zone"}`, `["12:00:00+02"]`, scoring.String, "12:00:00+02"},
		{"a numeric that is no number", `{"name":"a","type":"numeric(10,2)"}`, `["NaN"],["1.50"]`, scoring.Any, "NaN|1.50"},
		{"cells that say their type", `{"name":"a","type":"ANY"}`, `[{"DATE":"2024-02-29"}],[{"INT64":"9223372036854775807"}],[{"FLOAT64":"NaN"}],[{"BYTES":"0a"}],[1],["x"]`, scoring.Any, "2024-02-29|9223372036854775807|NaN|0a|1|x"},
		{"cells that only look so are JSON", `{"name":"a","type":"ANY"}`, `[{"DATE":"soon"}],[{"BYTES":"x"}],[{"DATE":"2024-02-29","b":1}],[{"DATE":1}],[{}],[[]],[{"date":"2024-02-29"}]`, scoring.Any, `{"DATE":"soon"}|{"BYTES":"x"}|{"DATE":"2024-02-29","b":1}|{"DATE":1}|{}|[]|{"date":"2024-02-29"}`},
		{"an exact number in a column of anything", `{"name":"a","type":"ANY"}`, `[0.1234567890123456789],["x"]`, scoring.Any, "0.1234567890123456789|x"},
		{"a scale no warehouse has does not reach the other values", `"a"`, `[1],[1e-1000],[2]`, scoring.Any, "1|0." + strings.Repeat("0", 999) + "1|2"},
	} {
		text := fmt.Sprintf(`{"columns":[%s],"rows":[%s]}`, tc.column, tc.rows)
		table, err := scoring.ParseResult([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", tc.why, err)
			continue
		}
		c := &table.Columns[0]
		var got []string
		for i := range c.Len() {
			got = append(got, c.Value(i).String())
		}
		if j := strings.Join(got, "|"); c.Type != tc.typ || j != tc.want {
			t.Errorf("%s: %v %s, want %v %s", tc.why, c.Type, j, tc.typ, tc.want)
		}
	}
}

func TestParseResultErrorsNameThePlace(t *testing.T) {
	for _, tc := range []struct {
		why, text string
		says      []string
		silent    string // what it must not repeat
	}{
		{"a row too short", `{"columns":["a","b"],"rows":[[1,2],[1]]}`, []string{"row 2", "1 values", "2 columns"}, ""},
		{"a row too long", `{"columns":["a"],"rows":[[1],[1,2]]}`, []string{"row 2", "more values than columns", "columns (1)"}, ""},
		{"a row of a table without columns", `{"columns":[],"rows":[[],[1]]}`, []string{"row 2", "columns (0)"}, ""},
		{"a row that is none", `{"columns":["a"],"rows":[[1],7]}`, []string{"row 2", "an array"}, ""},
		{"text in a column of integers", `{"columns":[{"name":"x","type":"INT"}],"rows":[[1],["secret"]]}`, []string{"row 2", "column 1", `"x"`, "expected an integer"}, "secret"},
		{"no date", `{"columns":["k",{"name":"d","type":"DATE"}],"rows":[[1,"13/13/13"]]}`, []string{"row 1", "column 2", `"d"`, "expected a date"}, "13/13"},
		{"a truth value in a column of dates", `{"columns":[{"name":"d","type":"DATE"}],"rows":[[true]]}`, []string{"row 1", `"d"`, "DATE"}, ""},
		{"a number in a column of timestamps", `{"columns":[{"name":"d","type":"TIMESTAMP"}],"rows":[[17]]}`, []string{"row 1", `"d"`, "a number in a column of type TIMESTAMP"}, "17"},
		{"a number in a column of truth values", `{"columns":[{"name":"d","type":"BOOL"}],"rows":[[2]]}`, []string{"row 1", "BOOL"}, ""},
		{"an object in a column of doubles", `{"columns":[{"name":"d","type":"DOUBLE"}],"rows":[[{}]]}`, []string{"row 1", `"d"`, "FLOAT64"}, ""},
		{"a double out of range", `{"columns":[{"name":"d","type":"DOUBLE"}],"rows":[[1e999]]}`, []string{"row 1", `"d"`, "range of a double"}, ""},
		{"too many digits", `{"columns":["d"],"rows":[[1e99999]]}`, []string{"row 1", `"d"`, "at most 1000 digits"}, ""},
		{"too many digits under a type", `{"columns":[{"name":"d","type":"DECIMAL"}],"rows":[[1e99999]]}`, []string{"row 1", `"d"`, "at most 1000 digits"}, ""},
		{"no hexadecimal digits", `{"columns":[{"name":"b","type":"BLOB"}],"rows":[["zz"]]}`, []string{"row 1", `"b"`, "hexadecimal"}, "zz"},
		{"a type that is no text", `{"columns":[{"name":"b","type":7}],"rows":[]}`, []string{"column 1", `"b"`, "a string"}, ""},
		{"rows twice", `{"columns":[],"rows":[],"rows":[]}`, []string{`"rows"`, "duplicate"}, ""},
		{"rows twice, both before the columns", `{"rows":[],"rows":[],"columns":[]}`, []string{`"rows"`, "duplicate"}, ""},
		{"columns twice", `{"columns":[],"columns":[],"rows":[]}`, []string{`"columns"`, "duplicate"}, ""},
		{"an error in rows that stand first", `{"rows":[[1],[1,2]],"columns":["a"]}`, []string{"row 2"}, ""},
		{"no rows", `{"columns":[]}`, []string{`"columns" and "rows"`}, ""},
		{"no columns", `{"rows":[]}`, []string{`"columns" and "rows"`}, ""},
		{"cut short", `{"columns":["a"],"rows":[[1],[`, []string{"row 2", "ends at byte"}, ""},
		{"not an object", `[]`, []string{"result:", "an object"}, ""},
		{"something behind", `{"columns":[],"rows":[]} x`, []string{"the end"}, ""},
		{"no UTF-8", "{\"columns\":[\"a\"],\"rows\":[[\"\xff\"]]}", []string{"row 1", `"a"`, "UTF-8"}, ""},
		{"very many columns", `{"columns":[` + strings.Repeat(`"",`, scoring.MaxColumns) + `""],"rows":[]}`, []string{"more than 65536 columns"}, ""},
	} {
		_, err := scoring.ParseResult([]byte(tc.text))
		if err == nil {
			t.Errorf("%s: no error", tc.why)
			continue
		}
		for _, s := range tc.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %q does not say %q", tc.why, err, s)
			}
		}
		if tc.silent != "" && strings.Contains(err.Error(), tc.silent) {
			t.Errorf("%s: %q repeats the cell", tc.why, err)
		}
		if code := errcode.Of(err); code != errcode.InvalidArgument && code != errcode.ResourceExhausted {
			t.Errorf("%s: code %v", tc.why, code)
		}
	}
}

// Outside bytes give a table or an error, a table only for JSON, every number as it was written,
// and a form that is stable.
func FuzzParseResult(f *testing.F) {
	for _, s := range []string{
		`{"columns":["a"],"rows":[[1],[2.5],[null]]}`, `{"columns":[{"name":"a","type":"ANY"}],"rows":[[{"DATE":"2024-01-01"}],[1e-300]]}`,
		`{"rows":[["x",true]],"columns":[{"type":"JSON","name":"a"},"b"],"z":{}}`, `{"columns":["a"],"rows":[[9007199254740993],[0.5],[1e22]]}`,
		`{"columns":[{"type":"DECIMAL(38,2)"}],"rows":[["1.50"],[1e20],[-0.0]]}`, `{"columns":[],"rows":[[],[]]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := scoring.ParseResult(data)
		if err != nil {
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%q is not JSON", data)
		}
		checkNumbers(t, data, table)
		text := table.AppendJSON(nil)
		back, err := scoring.ParseResult(text)
		if err != nil {
			t.Fatalf("%q is written as %q: %v", data, text, err)
		}
		if again := back.AppendJSON(nil); !bytes.Equal(again, text) {
			t.Fatalf("%q is written as %q and then %q", data, text, again)
		}
	})
}

// checkNumbers compares the cells of columns without a type with what encoding/json and math/big
// read.
func checkNumbers(t *testing.T, data []byte, table *scoring.Table) {
	t.Helper()
	var parts struct {
		Columns []json.RawMessage
		Rows    [][]json.RawMessage
	}
	if json.Unmarshal(data, &parts) != nil || len(parts.Rows) != table.Rows() {
		return // the library matches names without regard to case, and takes the last of several
	}
	for i, row := range parts.Rows {
		for c := range table.Columns {
			if parts.Columns[c][0] != '"' {
				continue
			}
			v, raw := table.Columns[c].Value(i), row[c]
			if raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') || hugeExponent(string(raw)) { // the latter from rows only the library sees
				continue
			}
			want, _ := new(big.Rat).SetString(string(raw))
			if rat(t, v).Cmp(want) != 0 {
				t.Fatalf("%s became %v %s", raw, v.Type, v)
			}
		}
	}
}

func TestParseResultText(t *testing.T) {
	for _, tc := range []struct {
		why, text string
		table     bool
		ref       string
		err       bool
	}{
		{"nothing", "", false, "", false},
		{"blanks", " \t\r\n", false, "", false},
		{"an inline result", "\n {\"columns\":[\"a\"],\"rows\":[[1]]} ", true, "", false},
		{"a reference", " table:t@3 ", false, "table:t@3", false},
		{"text that is neither", "hello", false, "", true},
		{"a colon alone", ":x", false, "", true},
		{"a broken result", "{", false, "", true},
	} {
		r := scoring.ParseResultText([]byte(tc.text))
		if (r.Table != nil) != tc.table || r.Ref != tc.ref || (r.Err != nil) != tc.err {
			t.Errorf("%s: %+v", tc.why, r)
		}
		if r.Absent() != (!tc.table && tc.ref == "" && !tc.err) {
			t.Errorf("%s: absent: %v", tc.why, r.Absent())
		}
	}
}

// A list of rows is a result as a file of it is; NaN and the infinities are what Python writes.
func TestListsOfRows(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{`[{"a":1,"b":"x"},{"b":"y","c":true}]`, "a INT64: 1|NULL; b STRING: x|y; c BOOL: NULL|true; "},
		{`[[1,"x"],[2,null]]`, " INT64: 1|2;  STRING: x|NULL; "},
		{`[{"v":NaN},{"v":2},{"v":-Infinity}]`, "v FLOAT64: NaN|2|-Infinity; "},
		{`[{"v":NaN},{"v":NaN}]`, "v FLOAT64: NaN|NaN; "},
		{`{"columns":["v"],"rows":[[Infinity],[0.5]]}`, "v FLOAT64: Infinity|0.5; "},
		{`{"columns":[{"name":"v","type":"DOUBLE"}],"rows":[[NaN],[1]]}`, "v FLOAT64: NaN|1; "},
		{`{"columns":[{"name":"v","type":"VARCHAR"}],"rows":[["Infinity"],["x"]]}`, "v STRING: Infinity|x; "},
		{`[{"v":"Infinity"},{"v":"War"}]`, "v STRING: Infinity|War; "},
	} {
		for _, wrapped := range []string{`{"case_id":"q","gold_result":` + tc.text + `}`, `{"case_id":"q","gold":{"result":` + strconv.Quote(tc.text) + `}}`} {
			c, err := scoring.DecodeCase([]byte(wrapped))
			if err != nil || c.Golds[0].Result.Err != nil {
				t.Errorf("%s: %v %v", wrapped, err, c)
				continue
			}
			got := ""
			table := c.Golds[0].Result.Table
			for i := range table.Columns {
				col, values := &table.Columns[i], []string{}
				for r := range table.Rows() {
					values = append(values, col.Value(r).String())
				}
				got += col.Name + " " + col.Type.String() + ": " + strings.Join(values, "|") + "; "
			}
			if got != tc.want {
				t.Errorf("%s: %s, want %s", wrapped, got, tc.want)
			}
		}
	}
}

// One value has one form whatever way its result took: through a column of text, of JSON (which drops white space), of
// VARIANT (which sorts members) or as the warehouse's own JSON. So does a case: its hash and each score follow from it.
func TestNestedValuesHaveOneForm(t *testing.T) {
	forms := [][]string{
		{`{"b": [1.0, 2.50], "a": "é"}`, `{"a":"\u00e9","b":[1,2.5]}`, "{\n  \"a\" : \"é\", \"b\" : [10e-1, 0.25e1]}", `{"b":[1,25E-1],"a":"é"}`},
		{`[1, 2]`, `[1,2]`, `[ 1.0,2e0 ]`},
		{`[{"key":"a","value":1}]`, `[ { "value" : 1.0, "key" : "\u0061" } ]`},
		{`{"k":"a/b"}`, `{"k":"a\/b"}`},
	}
	hash := func(cell, column string) string {
		c, err := scoring.DecodeCase([]byte(`{"case_id":"c","question":"q","gold":{"result":{"columns":[` + column + `],"rows":[[` + cell +
			`]]}},"agent":{"sql":"select 1"}}`))
		if err != nil {
			t.Fatal(err)
		}
		return c.GoldHash() + string(c.Golds[0].Result.Table.AppendJSON(nil))
	}
	for _, column := range []string{`"j"`, `{"name":"j","type":"JSON"}`, `{"name":"j","type":"VARIANT"}`, `{"name":"j","type":"ANY"}`, `{"name":"j","type":"BIGINT[]"}`} {
		for _, same := range forms {
			for _, other := range same[1:] {
				if a, b := hash(same[0], column), hash(other, column); a != b {
					t.Errorf("%s as %s and as %s: %s and %s", column, same[0], other, a, b)
				}
			}
		}
	}
	tools := func(argument string) string {
		c, err := scoring.DecodeCase([]byte(`{"case_id":"c","question":"q","gold":{"sql":"select 1"},"expected":{"tools":[{"name":"t","args":{"b":` + argument + `}}]}}`))
		if err != nil {
			t.Fatal(err)
		}
		return c.GoldHash()
	}
	if tools("1e-3") != tools("0.0010") || tools("1") == tools("2") {
		t.Error("the hash of expected tools depends on the spelling of a number, or not on the number")
	}
	if hash(`[1,2]`, `"j"`) == hash(`[2,1]`, `"j"`) || hash(`["A"]`, `"j"`) == hash(`["a"]`, `"j"`) || hash(`{"a":null}`, `"j"`) == hash(`{}`, `"j"`) {
		t.Error("different values have one form")
	}
	long := `{"b":"` + strings.Repeat("x", 1<<20) + `", "a":1.0}`
	if table, err := scoring.ParseResult([]byte(`{"columns":["j"],"rows":[[` + long + `]]}`)); err != nil ||
		table.Columns[0].Text(0) != strings.Replace(long, ", ", ",", 1) {
		t.Errorf("a long value keeps its members and numbers, and loses its white space: %v", err)
	}
}
