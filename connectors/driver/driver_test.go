package driver_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

func version(v int64) *int64 { return &v }

func TestParseRef(t *testing.T) {
	at := time.Date(2024, 2, 29, 1, 2, 3, 0, time.UTC)
	for _, tc := range []struct {
		why, text string
		want      driver.Ref
	}{
		{"a query", "query:01b2-c3", driver.Ref{Kind: driver.RefQuery, ID: "01b2-c3"}},
		{"a query id with colons", "query:proj:EU.job_1", driver.Ref{Kind: driver.RefQuery, ID: "proj:EU.job_1"}},
		{"a table", "table:t", driver.Ref{Kind: driver.RefTable, Table: driver.Name{"t"}}},
		{"three parts", "table:a.b.c", driver.Ref{Kind: driver.RefTable, Table: driver.Name{"a", "b", "c"}}},
		{"quoted parts", "table:\"a.b\".`c``d@1`", driver.Ref{Kind: driver.RefTable, Table: driver.Name{"a.b", "c`d@1"}}},
		{"dashes, as in projects of BigQuery", "table:my-proj.ds.t", driver.Ref{Kind: driver.RefTable, Table: driver.Name{"my-proj", "ds", "t"}}},
		{"a version", "table:t@17", driver.Ref{Kind: driver.RefTable, Table: driver.Name{"t"}, Version: version(17)}},
		{"a timestamp", "table:t@2024-02-29T01:02:03Z", driver.Ref{Kind: driver.RefTable, Table: driver.Name{"t"}, At: at}},
		{"a timestamp with a zone", "table:t@2024-02-29 03:02:03+02:00", driver.Ref{Kind: driver.RefTable, Table: driver.Name{"t"}, At: at}},
		{"a timestamp without one is UTC", "table:t@2024-02-29 01:02:03", driver.Ref{Kind: driver.RefTable, Table: driver.Name{"t"}, At: at}},
		{"a day", "table:t@2024-02-29", driver.Ref{Kind: driver.RefTable, Table: driver.Name{"t"}, At: time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)}},
		{"a file", "file:/a b/c:d.csv", driver.Ref{Kind: driver.RefFile, Path: "/a b/c:d.csv"}},
	} {
		got, err := driver.ParseRef(tc.text)
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %+v, %v, want %+v", tc.why, got, err, tc.want)
		}
		again, err := driver.ParseRef(got.String())
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%s: written as %s it is read as %+v, %v", tc.why, got, again, err)
		}
	}
	for why, text := range map[string]string{
		"nothing": "", "no kind": "t", "no name": "table:", "unknown kind": "view:t", "four parts": "table:a.b.c.d", "an empty part": "table:a..b",
		"a statement": "table:t; DROP TABLE t", "a blank": "table:a b", "a call": "table:f()", "an open quote": `table:"a`, "text behind quotes": `table:"a"b`,
		"a quoted empty part": `table:""`, "NUL": "table:a\x00b", "no version": "table:t@", "a negative version": "table:t@-1", "words for a time": "table:t@yesterday",
		"a query id with a quote": "query:a'b", "a query id with a blank": "query:a b",
	} {
		if ref, err := driver.ParseRef(text); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%s: %+v, %v, want invalid_argument", why, ref, err)
		}
	}
}

func FuzzParseRef(f *testing.F) {
	for _, s := range []string{"table:a.\"b\".c@1", "query:x", "file:/x", "table:`a`@2024-01-01", "table:t@9999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ref, err := driver.ParseRef(s)
		if err != nil {
			return
		}
		again, err := driver.ParseRef(ref.String())
		if err != nil || !reflect.DeepEqual(again, ref) {
			t.Fatalf("%q was read as %+v, written as %q and read as %+v, %v", s, ref, ref.String(), again, err)
		}
	})
}

func TestDialect(t *testing.T) {
	d := driver.Dialect{Quote: '"'}
	if got, want := d.Table(driver.Name{"s", `we"ird.t`}), `"s"."we""ird.t"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	got := d.Merge(driver.Name{"s", "t"}, "stage", []string{"k", "v"}, []string{"k"}, "n")
	want := `MERGE INTO "s"."t" AS t USING (SELECT * FROM stage QUALIFY row_number() OVER (PARTITION BY "k" ORDER BY n DESC) = 1) AS s ON t."k" = s."k" WHEN MATCHED THEN UPDATE SET "v" = s."v" WHEN NOT MATCHED THEN INSERT ("k", "v") VALUES (s."k", s."v")`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
