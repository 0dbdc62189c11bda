package driver_test

import (
	"reflect"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

func TestParseRef(t *testing.T) {
	for _, tc := range []struct {
		why, text string
		want      driver.Ref
		parts     []string
	}{
		{"a query", "query:01b2-c3", driver.Ref{Kind: driver.RefQuery, Name: "01b2-c3"}, nil},
		{"a query id with colons", "query:proj:EU.job_1", driver.Ref{Kind: driver.RefQuery, Name: "proj:EU.job_1"}, nil},
		{"a table", "table:t", driver.Ref{Kind: driver.RefTable, Name: "t"}, []string{"t"}},
		{"blanks around", "table: t ", driver.Ref{Kind: driver.RefTable, Name: "t"}, []string{"t"}},
		{"three parts", "table:a.b.c", driver.Ref{Kind: driver.RefTable, Name: "a.b.c"}, []string{"a", "b", "c"}},
		{"quoted parts", `table:"a.b"."c ""d"""`, driver.Ref{Kind: driver.RefTable, Name: `"a.b"."c ""d"""`}, []string{"a.b", `c "d"`}},
		{"a quoted part of one letter", `table:"x".y`, driver.Ref{Kind: driver.RefTable, Name: `"x".y`}, []string{"x", "y"}},
		{"a version", "table:t@17", driver.Ref{Kind: driver.RefTable, Name: "t", At: "17"}, []string{"t"}},
		{"a timestamp", "table:t@2024-02-29T01:02:03Z", driver.Ref{Kind: driver.RefTable, Name: "t", At: "2024-02-29T01:02:03Z"}, []string{"t"}},
		{"a file", "file:/a b/c:d.csv", driver.Ref{Kind: driver.RefFile, Name: "/a b/c:d.csv"}, nil},
	} {
		got, err := driver.ParseRef(tc.text)
		if err != nil || got != tc.want {
			t.Errorf("%s: %+v, %v, want %+v", tc.why, got, err, tc.want)
			continue
		}
		if parts, err := got.Parts(); (err == nil) != (tc.parts != nil) || !reflect.DeepEqual(parts, tc.parts) {
			t.Errorf("%s: parts %q, %v, want %q", tc.why, parts, err, tc.parts)
		}
	}
	for why, text := range map[string]string{
		"nothing": "", "no kind": "t", "no name": "table:", "blanks": "table:  ", "unknown kind": "view:t", "four parts": "table:a.b.c.d", "an empty part": "table:a..b", "a point at the end": "table:a.",
		"a statement": "table:t; DROP TABLE t", "a blank": "table:a b", "a call": "table:f()", "an open quote": `table:"a`, "text behind quotes": `table:"a"b`,
		"a quoted empty part": `table:""`, "a digit first": "table:1a", "a comment": "table:a--b", "a quote inside": `table:a"b`,
	} {
		if ref, err := driver.ParseRef(text); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%s: %+v, %v, want invalid_argument", why, ref, err)
		}
	}
}

// Whatever is accepted as a table's name has parts, and their quoted form is a name of the same
// parts.
func FuzzTableNames(f *testing.F) {
	for _, s := range []string{`a."b c"`, `"""".x`, "ü.ä", `"a""b"`, `""`, "a.b.c.d", "x@1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ref, err := driver.ParseRef("table:" + s)
		if err != nil {
			return
		}
		parts, err := ref.Parts()
		if err != nil || len(parts) == 0 || len(parts) > 3 {
			t.Fatalf("%q was accepted, its parts are %q, %v", s, parts, err)
		}
		for _, p := range parts {
			if p == "" {
				t.Fatalf("%q has an empty part", s)
			}
		}
	})
}
