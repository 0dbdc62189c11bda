package driverbase_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

func schema(names ...string) *arrow.Schema {
	var fields []arrow.Field
	for _, n := range names {
		fields = append(fields, arrow.Field{Name: n, Type: arrow.BinaryTypes.String, Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

func TestMatch(t *testing.T) {
	for _, tc := range []struct {
		why         string
		table, rows []string
		key         []string
		want        []string // of the table
		fails       string   // what the error says
	}{
		{"as the table writes them, in the order of the rows", []string{"a", "b", "c"}, []string{"c", "a"}, []string{"a"}, []string{"c", "a"}, ""},
		{"in another case of letters", []string{"CASE_ID", "Näme"}, []string{"case_id", "nÄme"}, []string{"case_id"}, []string{"CASE_ID", "Näme"}, ""},
		{"the exact one counts, wherever it stands", []string{"K", "k", "kK"}, []string{"k"}, nil, []string{"k"}, ""},
		{"both of two that differ in case", []string{"k", "K"}, []string{"K", "k"}, []string{"k"}, []string{"K", "k"}, ""},
		{"which of two is not told", []string{"Kk", "kK"}, []string{"kk"}, nil, nil, `column "kk" is ambiguous: the table has "Kk" and "kK"`},
		{"a column that is not there", []string{"a"}, []string{"a", "b"}, nil, nil, `the table has no column "b"`},
		{"two that are one", []string{"K"}, []string{"k", "K"}, nil, nil, `the rows' columns "k" and "K" are the same column of the table, "K"`},
		{"one twice", []string{"a"}, []string{"a", "a"}, nil, nil, `the rows have column "a" twice`},
		{"a key that the rows lack", []string{"a", "b"}, []string{"a"}, []string{"b"}, nil, `the rows lack the key column "b"`},
		{"a key in another case than the rows", []string{"a"}, []string{"a"}, []string{"A"}, nil, `the rows lack the key column "A"`},
	} {
		p, err := driverbase.NewPlan("engine", "100%.t", schema(tc.rows...), tc.key)
		if err == nil {
			err = p.Match(tc.table)
		}
		if tc.fails != "" {
			if want := "engine: writing to 100%.t: " + tc.fails; err == nil || err.Error() != want || errcode.Of(err) != errcode.InvalidArgument {
				t.Errorf("%s: %v, want %s", tc.why, err, want)
			}
			continue
		}
		if err != nil || !slices.Equal(p.Columns, tc.want) {
			t.Errorf("%s: %q, %v; want %q", tc.why, p.Columns, err, tc.want)
			continue
		}
		for i, place := range p.Places {
			if tc.table[place] != p.Columns[i] {
				t.Errorf("%s: column %d is said to be at %d of %q", tc.why, i, place, tc.table)
			}
		}
		if p.Covers != (len(tc.table) == len(tc.rows)) || p.HasKey() != (len(tc.key) > 0) {
			t.Errorf("%s: covers the table: %v, has a key: %v", tc.why, p.Covers, p.HasKey())
		}
	}
}

func TestTypesThatAreNotWritten(t *testing.T) {
	for typ, written := range map[arrow.DataType]bool{
		arrow.Null: true, &arrow.Decimal256Type{Precision: 76, Scale: 38}: true, arrow.FixedWidthTypes.Time32ms: true, arrow.FixedWidthTypes.Date64: true,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}: true,
		arrow.ListOf(arrow.PrimitiveTypes.Int64):                                                         false, arrow.FixedWidthTypes.Duration_s: false, arrow.FixedWidthTypes.MonthDayNanoInterval: false,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.ListOf(arrow.Null)}: false,
	} {
		_, err := driverbase.NewPlan("engine", "t", arrow.NewSchema([]arrow.Field{{Name: "x", Type: typ}}, nil), nil)
		if (err == nil) != written || err != nil && (errcode.Of(err) != errcode.Unimplemented || !strings.Contains(err.Error(), `column "x"`)) {
			t.Errorf("%v: %v, written: %v", typ, err, written)
		}
	}
}

func TestFailed(t *testing.T) {
	p, err := driverbase.NewPlan("engine", "t", schema("a"), nil)
	if err != nil {
		t.Fatal(err)
	}
	own := errors.New("of the rows")
	for _, err := range []error{nil, own, context.Canceled, context.DeadlineExceeded} {
		if got := p.Failed(err); got != err { //nolint:errorlint // the very same
			t.Errorf("%v became %v", err, got)
		}
	}
	inner := errcode.New(errcode.Unavailable, "engine: host h: it is gone: %w", own)
	got := p.Failed(inner)
	if got.Error() != "engine: writing to t: host h: it is gone: of the rows" || errcode.Of(got) != errcode.Unavailable || !errors.Is(got, own) {
		t.Errorf("got %v (%v)", got, errcode.Of(got))
	}
	if again := p.Failed(got); again.Error() != got.Error() {
		t.Errorf("said twice: %v", again)
	}
	p.Rows = 41
	if got := p.CellError(0, errcode.New(errcode.InvalidArgument, "it does not fit")); got.Error() != `engine: writing to t: row 42, column "a": it does not fit` || errcode.Of(got) != errcode.InvalidArgument {
		t.Errorf("got %v (%v)", got, errcode.Of(got))
	}
}

func TestStatements(t *testing.T) {
	plan := func(key ...string) *driverbase.Plan {
		p, err := driverbase.NewPlan("engine", "t", schema("k", "v", "l"), key)
		if err == nil {
			err = p.Match([]string{"K", "L", "V"})
		}
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	plain := driverbase.Spelling{Quote: func(s string) string { return "<" + s + ">" }}
	other := driverbase.Spelling{Quote: plain.Quote, Named: true, Assigned: "t.", Same: func(a, b string) string { return "same(" + a + ", " + b + ")" }}
	null := plan("k", "l")
	null.Nulls[2] = true
	for _, tc := range []struct{ why, got, want string }{
		{"added", plan().Insert(plain, "t", "x"), "INSERT INTO t (<K>, <V>, <L>) SELECT s.c0, s.c1, s.c2 FROM x AS s"},
		{"one key", plan("k").Merge(plain, "t", "(x)"), "MERGE INTO t AS t USING (x) AS s ON t.<K> = s.c0 WHEN MATCHED THEN UPDATE SET <V> = s.c1, <L> = s.c2 WHEN NOT MATCHED THEN INSERT (<K>, <V>, <L>) VALUES (s.c0, s.c1, s.c2)"},
		{"NULL in a key", null.Merge(plain, "t", "x"), "MERGE INTO t AS t USING x AS s ON t.<K> = s.c0 AND t.<L> IS NOT DISTINCT FROM s.c2 WHEN MATCHED THEN UPDATE SET <V> = s.c1 WHEN NOT MATCHED THEN INSERT (<K>, <V>, <L>) VALUES (s.c0, s.c1, s.c2)"},
		{"spelled otherwise", null.Merge(other, "t", "x"), "MERGE INTO t AS t USING x AS s ON t.<K> = s.<K> AND same(t.<L>, s.<L>) WHEN MATCHED THEN UPDATE SET t.<V> = s.<V> WHEN NOT MATCHED THEN INSERT (<K>, <V>, <L>) VALUES (s.<K>, s.<V>, s.<L>)"},
		{"nothing but the key", plan("k", "v", "l").Merge(plain, "t", "x"), "MERGE INTO t AS t USING x AS s ON t.<K> = s.c0 AND t.<V> = s.c1 AND t.<L> = s.c2 WHEN NOT MATCHED THEN INSERT (<K>, <V>, <L>) VALUES (s.c0, s.c1, s.c2)"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", tc.why, tc.got, tc.want)
		}
	}
	if !null.KeyHeldNull() || plan("k").KeyHeldNull() {
		t.Error("whether a key held NULL")
	}
}
