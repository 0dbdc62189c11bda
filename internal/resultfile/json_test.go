package resultfile_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/resultfile"
)

func TestJSON(t *testing.T) {
	for _, tc := range []struct{ why, text, want string }{
		{"an inline result", `{"columns":[{"name":"a","type":"DECIMAL"},{"name":"b"}],"rows":[["1.10","x"],[null,"y"]]}`, "a DECIMAL: 1.10|NULL\nb STRING: x|y"},
		{"an inline result with rows first", ` {"rows":[[1]],"columns":["a"]} `, "a INT64: 1"},
		{"an array of objects", `[{"a":1,"b":"x"},{"a":2.5,"b":null}]`, "a FLOAT64: 1|2.5\nb STRING: x|NULL"},
		{"JSON Lines", "{\"a\":1}\n{\"a\":2}\n", "a INT64: 1|2"},
		{"one line is a row too", `{"a":1}`, "a INT64: 1"},
		{"a row with a column called columns", `{"columns":3}`, "columns INT64: 3"},
		{"columns in other order, missing and late", `[{"a":1,"b":2},{"b":3,"a":4},{"c":true},{"a":5}]`, "a INT64: 1|4|NULL|5\nb INT64: 2|3|NULL|NULL\nc BOOL: NULL|NULL|true|NULL"},
		{"a name twice is two columns", `[{"a":1,"a":2},{"a":3},{"x":0,"a":4,"a":5}]`, "a INT64: 1|3|4\na INT64: 2|NULL|5\nx INT64: NULL|NULL|0"},
		{"an empty name", `[{"":1}]`, " INT64: 1"},
		{"an array of arrays", `[[1,"x"],[2,null]]`, " INT64: 1|2\n STRING: x|NULL"},
		{"lines of arrays", "[1,\"x\"]\n[2,null]\n", " INT64: 1|2\n STRING: x|NULL"},
		{"exact numbers", `[{"n":9223372036854775807},{"n":0.1234567890123456789}]`, "n DECIMAL: 9223372036854775807.0000000000000000000|0.1234567890123456789"},
		{"38 digits", `[{"n":99999999999999999999999999999999999999}]`, "n DECIMAL: 99999999999999999999999999999999999999"},
		{"nested values have one form", `[{"j":{"k":[1, 2.50]}},{"j":[]}]`, "j JSON: {\"k\":[1,2.5]}|[]"},
		{"several kinds in one column", `[{"a":1},{"a":"x"},{"a":true}]`, "a ANY: 1|x|true"},
		{"text stays text, also where it looks like a date", `[{"d":"2024-01-01"}]`, "d STRING: 2024-01-01"},
		{"escapes and emoji", `[{"s":"\u00e9\ud83d\ude00\u0000"}]`, "s STRING: é😀\x00"},
		{"no rows", `[]`, ""},
		{"a byte order mark", "\ufeff[{\"a\":1}]", "a INT64: 1"},
		{"rows without columns", `[{},{}]`, ""},
	} {
		got, err := read(t, "r.json", tc.text, nil)
		if err != nil {
			t.Errorf("%s: %v", tc.why, err)
			continue
		}
		if s := show(got); s != tc.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tc.why, s, tc.want)
		}
	}
	got, err := read(t, "r.json", `[{},{}]`, nil)
	if err != nil || got.Rows() != 2 {
		t.Errorf("rows without columns: %v, %v, want 2 rows", got, err)
	}
}

// Text that is unmistakably JSON is read as JSON whatever the file is called; any other text goes
// by the name.
func TestFormatByContentThenName(t *testing.T) {
	for name, want := range map[string]string{"r.csv": "a INT64: 1", "r.dat": "a INT64: 1", "r": "a INT64: 1"} {
		if got, err := read(t, name, `{"columns":["a"],"rows":[[1]]}`, nil); err != nil || show(got) != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got, err := read(t, "r.csv", "[note],b\nx,1\n", nil); err != nil || show(got) != "[note] STRING: x\nb INT64: 1" {
		t.Errorf("a CSV that begins with a bracket: %v, %v", got, err)
	}
	if got, err := read(t, "noending", "a,b\n1,2\n", nil); err != nil || show(got) != "a INT64: 1\nb INT64: 2" {
		t.Errorf("a CSV without an ending: %v, %v", got, err)
	}
}

func TestMalformedJSON(t *testing.T) {
	secret := "hunter2"
	for _, tc := range []struct {
		why, text, says string
		code            errcode.Code
		limits          arrowtable.Limits
	}{
		{"cut", `[{"a":1},{"a":"` + secret, "row 2", errcode.InvalidArgument, arrowtable.Limits{}},
		{"cut inline result", `{"columns":["a"],"rows":[[1],[` + `"` + secret, "row 2", errcode.InvalidArgument, arrowtable.Limits{}},
		{"split orientation", `{"columns":["a"],"index":[0],"data":[[1]]}`, "orientation split", errcode.InvalidArgument, arrowtable.Limits{}},
		{"index orientation", `{"0":{"a":1},"1":{"a":2}}`, "orient=\"records\"", errcode.InvalidArgument, arrowtable.Limits{}},
		{"lists by column", `{"a":[1,2],"b":["x","y"]}`, "orient=\"records\"", errcode.InvalidArgument, arrowtable.Limits{}},
		{"table orientation", `{"schema":{"fields":[]},"data":[{"a":1}]}`, "orient=\"records\"", errcode.InvalidArgument, arrowtable.Limits{}},
		{"ragged arrays", `[[1,2],["` + secret + `"]]`, "row 2: 1 values, expected one for each of the 2 columns", errcode.InvalidArgument, arrowtable.Limits{}},
		{"too long an array", `[[1],[1,2]]`, "row 2: more values than columns", errcode.InvalidArgument, arrowtable.Limits{}},
		{"objects and arrays", `[[1],{"a":1}]`, "row 2: rows are arrays here", errcode.InvalidArgument, arrowtable.Limits{}},
		{"a row that is a number", "{\"a\":1}\n7\n", "row 2: expected a row", errcode.InvalidArgument, arrowtable.Limits{}},
		{"text behind the array", `[{"a":1}] x`, "expected the end", errcode.InvalidArgument, arrowtable.Limits{}},
		{"empty", ``, "empty", errcode.InvalidArgument, arrowtable.Limits{}},
		{"only blanks", " \n ", "empty", errcode.InvalidArgument, arrowtable.Limits{}},
		{"too many rows", `[[1],[2],[3]]`, "more than the allowed 2 rows", errcode.ResourceExhausted, arrowtable.Limits{Rows: 2}},
		{"too many rows inline", `{"columns":["a"],"rows":[[1],[2],[3]]}`, "more than the allowed 2 rows", errcode.ResourceExhausted, arrowtable.Limits{Rows: 2}},
		{"too much text", `[["` + strings.Repeat("x", 99) + `"]]`, "more than the allowed 60 bytes", errcode.ResourceExhausted, arrowtable.Limits{Bytes: 60}},
		{"rows that each bring a column of their own", columnsPerRow(300), "more than the allowed", errcode.ResourceExhausted, arrowtable.Limits{Bytes: 100_000}},
		{"a column whose value is no JSON", `[{"a":hunter2}]`, `row 1: column 1 ("a")`, errcode.InvalidArgument, arrowtable.Limits{}},
	} {
		_, err := read(t, "r.json", tc.text, &resultfile.Options{Limits: tc.limits})
		if errcode.Of(err) != tc.code || !strings.Contains(fmt.Sprint(err), tc.says) || !strings.Contains(fmt.Sprint(err), `file "r.json"`) {
			t.Errorf("%s: %v (%v), want %v: %q", tc.why, err, errcode.Of(err), tc.code, tc.says)
		}
		if strings.Contains(fmt.Sprint(err), secret) {
			t.Errorf("%s: the error shows a value: %v", tc.why, err)
		}
	}
}

func columnsPerRow(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{\"c%d\":1}\n", i)
	}
	return b.String()
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`[{"a":1,"a":2},{"b":null}]`, `{"columns":["a"],"rows":[[1]]}`, "[1,2]\n[3,4]\n", `[[1.5e300],[0.1234567890123456789]]`, `[{"a":{"b":[]}}]`, "{}\n{}", `[`, `[[[[`} {
		f.Add([]byte(s))
	}
	path := filepath.Join(f.TempDir(), "f.json")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := resultfile.Read(context.Background(), path, &resultfile.Options{Limits: arrowtable.Limits{Rows: 1000, Bytes: 1 << 18}})
		if err != nil {
			if errcode.Of(err) == errcode.Unknown {
				t.Fatalf("an error without a code: %v", err)
			}
			return
		}
		for i := range got.Columns {
			if got.Columns[i].Len() != got.Rows() {
				t.Fatalf("column %d has %d values of %d", i, got.Columns[i].Len(), got.Rows())
			}
		}
	})
}
