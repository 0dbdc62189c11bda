package prompt

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/badger-eval/badger/scoring"
)

func numbers(n int) *scoring.Table {
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(i + 1)
	}
	t, err := scoring.NewTable(scoring.IntColumn("n", scoring.Int64, values, nil))
	if err != nil {
		panic(err)
	}
	return t
}

// FLEX, appendix A.3: more than 100 rows are cut to 50 at each end, and the shape is stated.
func TestTableShowsBothEnds(t *testing.T) {
	for _, tc := range []struct{ rows, shown, left int }{{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {3, 3, 0}, {99, 99, 0}, {100, 100, 0}, {101, 100, 1}, {1000, 100, 900}} {
		got := Table(numbers(tc.rows))
		lines := strings.Split(got, "\n")
		var shown []string
		for _, l := range lines[2:] {
			if strings.HasPrefix(l, "|") {
				shown = append(shown, strings.Trim(l, "| "))
			}
		}
		if len(shown) != tc.shown {
			t.Errorf("%d rows: %d shown, want %d", tc.rows, len(shown), tc.shown)
		}
		for i, s := range shown {
			want := i + 1
			if tc.left > 0 && i >= 50 {
				want += tc.left
			}
			if s != fmt.Sprint(want) {
				t.Errorf("%d rows: line %d shows %s, want %d", tc.rows, i+1, s, want)
			}
		}
		if said := strings.Contains(got, fmt.Sprintf("(%d rows are left out)", tc.left)); said != (tc.left > 0) {
			t.Errorf("%d rows: left out: said %t", tc.rows, said)
		}
		if want := fmt.Sprintf("Shape: %d rows, 1 columns", tc.rows); !strings.HasSuffix(got, want) {
			t.Errorf("%d rows: does not end in %q", tc.rows, want)
		}
	}
}

func TestTableOfWideRowsStaysWithinItsBudget(t *testing.T) {
	var columns []scoring.Column
	for k := range 200 {
		b := scoring.NewBuilder(fmt.Sprint("c", k), scoring.String, 300)
		for range 300 {
			b.Append(scoring.StringValue(strings.Repeat("ø", 500)))
		}
		columns = append(columns, b.Column())
	}
	wide, err := scoring.NewTable(columns...)
	if err != nil {
		t.Fatal(err)
	}
	got := Table(wide)
	if n := utf8.RuneCountInString(got); n > tableChars+20_000 {
		t.Errorf("%d characters", n)
	}
	for _, want := range []string{"rows are left out", "(140 more columns are left out)", "... 500 chars", "Shape: 300 rows, 200 columns"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not said", want)
		}
	}
}

func TestCell(t *testing.T) {
	for in, want := range map[string]string{
		"a|b":                            `a\|b`,
		"two\nlines":                     `two\nlines`,
		strings.Repeat("x", 50):          strings.Repeat("x", 50),
		strings.Repeat("é", 51):          strings.Repeat("é", 50) + "... 51 chars",
		"right\u202eto left":             "right<U+202E>to left",
		"zero\u200bwidth":                "zero<U+200B>width",
		"bell\a":                         "bell<U+0007>",
		"tag \U000E0041":                 "tag <U+E0041>",
		"Straße 東京 😀":                    "Straße 東京 😀",
		"| --- |\n| fake | header row |": `\| --- \|\n\| fake \| header row \|`,
	} {
		if got := cell(in); got != want {
			t.Errorf("cell(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCutTellsWhatIsMissing(t *testing.T) {
	if got := cut("short", 5); got != "short" {
		t.Errorf("%q", got)
	}
	got := cut(strings.Repeat("a", 80)+strings.Repeat("z", 40), 100)
	if !strings.HasPrefix(got, strings.Repeat("a", 75)+"\n") || !strings.HasSuffix(got, "\n"+strings.Repeat("z", 25)) || !strings.Contains(got, "20 of 120 characters are left out") {
		t.Errorf("%q", got)
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\u202eb\x00\xff\r\n\t")
	f.Fuzz(func(t *testing.T, s string) {
		v := visible(s)
		if !utf8.ValidString(v) || visible(v) != v || strings.ContainsAny(v, "\x00\r\u200b\u202e\ufeff") {
			t.Errorf("%q becomes %q", s, v)
		}
	})
}
