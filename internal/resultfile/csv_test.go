package resultfile_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/scoring"
)

func file(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t testing.TB, name, content string, o *resultfile.Options) (*scoring.Table, error) {
	t.Helper()
	return resultfile.Read(context.Background(), file(t, name, []byte(content)), o)
}

// show writes a table as its columns: name TYPE: value|value.
func show(t *scoring.Table) string {
	var lines []string
	for i := range t.Columns {
		c := &t.Columns[i]
		var values []string
		for r := range t.Rows() {
			values = append(values, c.Value(r).String())
		}
		lines = append(lines, fmt.Sprintf("%s %v: %s", c.Name, c.Type, strings.Join(values, "|")))
	}
	return strings.Join(lines, "\n")
}

func TestCSV(t *testing.T) {
	for _, tc := range []struct {
		why, text, want string
		o               resultfile.Options
	}{
		{why: "canonical integers", text: "n\n1\n-2\n0\n9223372036854775807\n-9223372036854775808\n", want: "n INT64: 1|-2|0|9223372036854775807|-9223372036854775808"},
		{why: "leading zeros are an identifier, not a number", text: "zip\n01234\n99999\n", want: "zip STRING: 01234|99999"},
		{why: "the identifier may come last", text: "zip\n99999\n-1\n01234\n", want: "zip STRING: 99999|-1|01234"},
		{why: "a plus is not how databases write numbers", text: "n\n+1\n2\n", want: "n STRING: +1|2"},
		{why: "blanks stay", text: "n\n 1\n2\n", want: "n STRING:  1|2"},
		{why: "integers beyond 64 bits are exact", text: "n\n9223372036854775808\n1\n", want: "n DECIMAL: 9223372036854775808|1"},
		{why: "fractions doubles keep are doubles", text: "x\n1.5\n2\n-0.25\n", want: "x FLOAT64: 1.5|2|-0.25"},
		{why: "fractions doubles do not keep are decimals", text: "x\n0.12345678901234567890123456789012345678\n2\n", want: "x DECIMAL: 0.12345678901234567890123456789012345678|2.00000000000000000000000000000000000000"},
		{why: "a fraction among many integers", text: "x\n1\n2\n3.5\n\n", want: "x FLOAT64: 1|2|3.5"},
		{why: "2^63-1 and a fraction: doubles would round", text: "x\n9223372036854775807\n0.5\n", want: "x DECIMAL: 9223372036854775807.0|0.5"},
		{why: "codes with an e", text: "x\n12e3\n5\n", want: "x STRING: 12e3|5"},
		{why: "exponents with a sign", text: "x\n1e-05\n5\n", want: "x FLOAT64: 0.00001|5"},
		{why: "exponents", text: "x\n1e300\n2.5E-7\n1\n", want: "x FLOAT64: 1e+300|0.00000025|1"},
		{why: "an exponent and more digits than a double has", text: "x\n1e+2\n0.12345678901234567891\n", want: "x DECIMAL: 100.00000000000000000000|0.12345678901234567891"},
		{why: "far exponents beside such digits would fill the memory", text: "x\n1e300\n0.12345678901234567891\n", want: "x STRING: 1e300|0.12345678901234567891"},
		{why: "no digit before the point", text: "x\n.5\n-.25\n", want: "x FLOAT64: 0.5|-0.25"},
		{why: "no digit behind the point is not a plain number", text: "x\n5.\n1\n", want: "x STRING: 5.|1"},
		{why: "thousands separators are text, for the aligner to read", text: "x\n\"1,234\"\n5\n", want: "x STRING: 1,234|5"},
		{why: "NaN and infinities among numbers", text: "x\n1.5\nNaN\n-inf\nInfinity\n", want: "x FLOAT64: 1.5|NaN|-Infinity|Infinity"},
		{why: "NaN and integers", text: "x\nnan\n1\n", want: "x FLOAT64: NaN|1"},
		{why: "NaN alone may be a name", text: "x\nNaN\nnan\n", want: "x STRING: NaN|nan"},
		{why: "infinity beside a number no double holds stays text", text: "x\ninf\n1e999\n", want: "x STRING: inf|1e999"},
		{why: "booleans in any case", text: "b\ntrue\nFALSE\nTrue\n", want: "b BOOL: true|false|true"},
		{why: "a word among booleans", text: "b\ntrue\nmaybe\n", want: "b STRING: true|maybe"},
		{why: "dates", text: "d\n2024-02-29\n0001-01-01\n", want: "d DATE: 2024-02-29|0001-01-01"},
		{why: "no such date", text: "d\n2024-02-29\n2023-02-29\n", want: "d STRING: 2024-02-29|2023-02-29"},
		{why: "other date formats are text", text: "d\n02/29/2024\n", want: "d STRING: 02/29/2024"},
		{why: "timestamps", text: "t\n2024-02-29 01:02:03\n2024-02-29T01:02:03.123456789\n", want: "t TIMESTAMP: 2024-02-29 01:02:03|2024-02-29 01:02:03.123456789"},
		{why: "dates among timestamps are midnight", text: "t\n2024-02-29\n2024-02-29 01:02:03\n", want: "t TIMESTAMP: 2024-02-29 00:00:00|2024-02-29 01:02:03"},
		{why: "timestamps with a zone", text: "t\n2024-02-29 01:02:03+02:00\n2024-02-29T01:02:03Z\n2024-02-29 01:02:03.5 UTC\n", want: "t TIMESTAMPTZ: 2024-02-28 23:02:03Z|2024-02-29 01:02:03Z|2024-02-29 01:02:03.5Z"},
		{why: "with and without zone do not mix", text: "t\n2024-02-29 01:02:03\n2024-02-29 01:02:03Z\n", want: "t STRING: 2024-02-29 01:02:03|2024-02-29 01:02:03Z"},
		{why: "a year is a number", text: "y\n2024\n1999\n", want: "y INT64: 2024|1999"},
		{why: "an empty cell is NULL, a quoted one text", text: "a,b\n,\"\"\nx,y\n", want: "a STRING: NULL|x\nb STRING: |y"},
		{why: "writers that quote everything write NULL as \"\"", text: "\"a\"\n\"1\"\n\"\"\n\"3\"\n", want: "a INT64: 1|NULL|3"},
		{why: "and in a column of numbers with fractions", text: "\"a\"\n\"\"\n\"1.5\"\n", want: "a FLOAT64: NULL|1.5"},
		{why: "but in a column that turns out to be text it is text", text: "a\n1\n\"\"\nx\n\n", want: "a STRING: 1||x"},
		{why: "nothing but NULL", text: "a,b\n,1\n,2\n", want: "a NULL: NULL|NULL\nb INT64: 1|2"},
		{why: "nothing but quoted empty cells", text: "a,b\n\"\",1\n,2\n", want: "a STRING: |NULL\nb INT64: 1|2"},
		{why: "quotes, delimiters and line ends inside quotes", text: "a,b\n\"x\"\"y\",\"1,\n2\r\n\"\"\"\n", want: "a STRING: x\"y\nb STRING: 1,\n2\r\n\""},
		{why: "a quote inside an unquoted cell", text: "a\n5\" pipe\n", want: "a STRING: 5\" pipe"},
		{why: "CRLF", text: "a,b\r\n1,x\r\n2,\r\n", want: "a INT64: 1|2\nb STRING: x|NULL"},
		{why: "no line end at the end", text: "a,b\n1,2", want: "a INT64: 1\nb INT64: 2"},
		{why: "quoted at the very end", text: "a,b\n1,\"2\"", want: "a INT64: 1\nb INT64: 2"},
		{why: "a byte order mark", text: "\ufeffa,b\n1,2\n", want: "a INT64: 1\nb INT64: 2"},
		{why: "names may repeat, be empty, have quotes and emoji", text: "a,a,,\"x\"\"y\",😀\n1,2,3,4,5\n", want: "a INT64: 1\na INT64: 2\n INT64: 3\nx\"y INT64: 4\n😀 INT64: 5"},
		{why: "no rows", text: "a,b\n", want: "a NULL: \nb NULL: "},
		{why: "a blank line is a NULL in a single column, but not at the end", text: "a\n1\n\n3\n\n\n", want: "a INT64: 1|NULL|3"},
		{why: "blank lines between several columns are nothing", text: "a,b\n1,2\n\n3,4\n\n", want: "a INT64: 1|3\nb INT64: 2|4"},
		{why: "semicolons with decimal commas", text: "a;b\n1,5;x\n2,5;y\n", want: "a STRING: 1,5|2,5\nb STRING: x|y"},
		{why: "tabs", text: "a\tb\n1,5\tx\n", want: "a STRING: 1,5\nb STRING: x"},
		{why: "bars", text: "a|b\n1|2\n", want: "a INT64: 1\nb INT64: 2"},
		{why: "commas inside quotes do not count", text: "a;b\n\"1,2,3\";2\n", want: "a STRING: 1,2,3\nb INT64: 2"},
		{why: "emoji and NUL bytes", text: "a\n😀\n\x00\n", want: "a STRING: 😀|\x00"},
		{why: "the delimiter can be given", text: "a:b\n1:2\n", o: resultfile.Options{Delimiter: ':'}, want: "a INT64: 1\nb INT64: 2"},
		{why: "a line for a spreadsheet", text: "sep=;\na;b\n1,5;2\n", want: "a STRING: 1,5\nb INT64: 2"},
		{why: "one with quotes and CRLF", text: "\ufeff\"SEP=|\"\r\na|b\r\n1;5|2\r\n", want: "a STRING: 1;5\nb INT64: 2"},
		{why: "a column called sep", text: "sep\n=\n", want: "sep STRING: ="},
		{why: "UTF-16, little end first", text: "\xff\xfea\x00,\x00b\x00\n\x001\x00,\x00\xe4\x00\n\x00", want: "a INT64: 1\nb STRING: ä"},
		{why: "UTF-16, big end first", text: "\xfe\xff\x00a\x00;\x00b\x00\n\x001\x00;\x00\xe4", want: "a INT64: 1\nb STRING: ä"},
		{why: "no header", text: "1,x\n2,y\n", o: resultfile.Options{NoHeader: true}, want: " INT64: 1|2\n STRING: x|y"},
		{why: "other marks of NULL", text: "a,b\nNULL,\n1,\\N\n", o: resultfile.Options{Nulls: []string{"NULL", `\N`}}, want: "a INT64: NULL|1\nb STRING: |NULL"},
	} {
		t.Run(tc.why, func(t *testing.T) {
			got, err := read(t, "r.csv", tc.text, &tc.o)
			if err != nil {
				t.Fatal(err)
			}
			if s := show(got); s != tc.want {
				t.Errorf("got\n%s\nwant\n%s", s, tc.want)
			}
		})
	}
}

func TestTabSeparatedByName(t *testing.T) {
	got, err := read(t, "r.tsv", "a\tb,c\n1\t2,3\n", nil)
	if err != nil || show(got) != "a INT64: 1\nb,c STRING: 2,3" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestMalformedCSV(t *testing.T) {
	secret := "hunter2"
	for _, tc := range []struct {
		why, text, says string
		code            errcode.Code
		o               resultfile.Options
	}{
		{why: "a single row that ends early looks cut off", text: "a,b,c\n1,2\n", code: errcode.InvalidArgument, says: `row 1: 2 cells, expected one for each of the 3 columns`},
		{why: "a first row that ends early, with whole ones behind it", text: "a,b,c\n1,2\n3,4,5\n", code: errcode.InvalidArgument, says: `row 1: 2 cells, expected one for each of the 3 columns`},
		{why: "a line for a spreadsheet that names no delimiter", text: "sep=; \na;b\n1;2\n", code: errcode.InvalidArgument, says: `remove that line`},
		{why: "too few cells", text: "a,b\n1,2\n" + secret + "\n", code: errcode.InvalidArgument, says: `file "r.csv": row 2: 1 cells, expected one for each of the 2 columns`},
		{why: "UTF-16 that ends in a character", text: "\xff\xfea\x00\n\x001\x00\n", code: errcode.DataLoss, says: "UTF-16 text with an odd number of bytes"},
		{why: "half a character after the mark", text: "\xff\xfe\x00", code: errcode.DataLoss, says: "odd number of bytes"},
		{why: "too many cells", text: "a,b\n1,2,3\n", code: errcode.InvalidArgument, says: "row 1: 3 cells"},
		{why: "an open quote", text: "a,b\n1,\"" + secret, code: errcode.DataLoss, says: "row 1: ends inside a quoted cell"},
		{why: "text behind a closing quote", text: "a,b\n1,2\n3,\"x\"" + secret + "\n", code: errcode.InvalidArgument, says: "row 2: column 2: expected a delimiter"},
		{why: "invalid UTF-8", text: "a,b\nx,y\nz,\xff" + secret + "\n", code: errcode.InvalidArgument, says: "row 2: column 2: expected UTF-8"},
		{why: "invalid UTF-8 in the header", text: "a,\xff\n", code: errcode.InvalidArgument, says: "header, column 2: expected UTF-8"},
		{why: "an empty file", text: "", code: errcode.InvalidArgument, says: "empty: expected at least a header"},
		{why: "only blank lines", text: "\n\r\n", code: errcode.InvalidArgument, says: "empty"},
		{why: "UTF-32", text: "\xff\xfe\x00\x00a\x00\x00\x00", code: errcode.InvalidArgument, says: "UTF-32 text; save it as UTF-8"},
		{why: "Windows-1252", text: "region,n\nS\xfcd,1\n", code: errcode.InvalidArgument, says: "iconv -f WINDOWS-1252 -t UTF-8"},
		{why: "a spreadsheet", text: "PK\x03\x04....", code: errcode.InvalidArgument, says: "export the sheet as CSV"},
		{why: "old line ends", text: "a,b\r1,2\r", code: errcode.InvalidArgument, says: "CR alone"},
		{why: "too many rows", text: "a\n1\n2\n3\n", o: resultfile.Options{Limits: arrowtable.Limits{Rows: 2}}, code: errcode.ResourceExhausted, says: "more than the allowed 2 rows"},
		{why: "too much text", text: "a\n" + strings.Repeat("x", 100) + "\n", o: resultfile.Options{Limits: arrowtable.Limits{Bytes: 50}}, code: errcode.ResourceExhausted, says: "more than the allowed 50 bytes"},
		{why: "a delimiter that cannot be one", text: "a\n", o: resultfile.Options{Delimiter: '"'}, code: errcode.InvalidArgument, says: "cannot be the delimiter"},
	} {
		_, err := read(t, "r.csv", tc.text, &tc.o)
		if errcode.Of(err) != tc.code || !strings.Contains(fmt.Sprint(err), tc.says) {
			t.Errorf("%s: %v (%v), want %v: %q", tc.why, err, errcode.Of(err), tc.code, tc.says)
		}
		if strings.Contains(fmt.Sprint(err), secret) {
			t.Errorf("%s: the error shows a value: %v", tc.why, err)
		}
	}
}

// Whatever encoding/csv writes is read back, however it falls into the reader's buffer.
func TestReadsWhatTheStandardLibraryWrites(t *testing.T) {
	words := []string{"", "a", "x\"y", "1,2", "line\nend", "cr\r\nlf", "😀", strings.Repeat("long ", 60000), " "}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		cols := 2 + r.IntN(4)
		var buf bytes.Buffer
		w := csv.NewWriter(&buf)
		w.UseCRLF = r.IntN(2) == 0
		want := make([][]string, 1+r.IntN(200))
		head := make([]string, cols)
		if err := w.Write(head); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			want[i] = make([]string, cols)
			for c := range want[i] {
				k := r.IntN(len(words))
				if k == 7 && r.IntN(20) > 0 {
					k = 1
				}
				want[i][c] = words[k]
				if w.UseCRLF { // the writer turns each line end into CRLF
					want[i][c] = strings.ReplaceAll(words[k], "\r\n", "\n")
				}
			}
			want[i][0] = "k"
			if err := w.Write(want[i]); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		got, err := read(t, "r.csv", buf.String(), &resultfile.Options{Delimiter: ','})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got.Rows() != len(want) {
			t.Fatalf("seed %d: %d rows, want %d", seed, got.Rows(), len(want))
		}
		for i := range want {
			for c := range want[i] {
				v := got.Columns[c].Value(i)
				text := v.Text()
				if w.UseCRLF {
					text = strings.ReplaceAll(text, "\r\n", "\n")
				}
				if text != want[i][c] {
					t.Fatalf("seed %d, row %d, column %d: %.40q, want %.40q", seed, i, c, text, want[i][c])
				}
			}
		}
	}
}

// Columns of numbers come out the same whether a word at their end makes them text again.
func TestIntegersTurnIntoTheTextTheyWere(t *testing.T) {
	var b strings.Builder
	b.WriteString("n\n")
	want := []string{"0", "-1", "9223372036854775807", "-9223372036854775808", "42"}
	for _, s := range want {
		b.WriteString(s + "\n")
	}
	b.WriteString("\nword\n")
	got, err := read(t, "r.csv", b.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := show(got); s != "n STRING: "+strings.Join(want, "|")+"|NULL|word" {
		t.Error(s)
	}
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a\n\"x\"\"\"\n", "a;b\r\n;\"\"\r\n", "\ufeffn\n1\n01\n", "x\nNaN\n1e5\n", "d\n2024-01-01\n2024-01-01T00:00:00Z\n", "a\n\"", "a\n1\n\n\n", "\xff", "a,b\n\"1\",x\"\n"} {
		f.Add([]byte(s), byte(0), false)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, delim byte, noHeader bool) {
		path := filepath.Join(dir, "f.csv")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		o := &resultfile.Options{Delimiter: delim, NoHeader: noHeader, Limits: arrowtable.Limits{Rows: 10000, Bytes: 1 << 20}}
		got, err := resultfile.Read(context.Background(), path, o)
		if err != nil {
			if errcode.Of(err) == errcode.Unknown {
				t.Fatalf("an error without a code: %v", err)
			}
			return
		}
		for i := range got.Columns {
			c := &got.Columns[i]
			if c.Len() != got.Rows() {
				t.Fatalf("column %d has %d values of %d", i, c.Len(), got.Rows())
			}
			for r := range c.Len() {
				if v := c.Value(r); v.Type == scoring.String && !utf8.ValidString(v.Text()) {
					t.Fatalf("invalid UTF-8 got through")
				}
			}
		}
	})
}

func BenchmarkCSV(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	var buf bytes.Buffer
	buf.WriteString("id,customer,amount,day,ok,note\n")
	const rows = 200_000
	for i := range rows {
		fmt.Fprintf(&buf, "%d,Customer #%09d,%d.%02d,2024-%02d-%02d,%v,\"some, quoted text\"\n", i, r.IntN(1e6), r.IntN(10000), r.IntN(100), 1+r.IntN(12), 1+r.IntN(28), r.IntN(2) == 0)
	}
	path := file(b, "b.csv", buf.Bytes())
	b.SetBytes(int64(buf.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := resultfile.Read(context.Background(), path, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
}

// Some exports name more columns than they fill: every row stops at the same place, and the rest is
// NULL.
func TestRowsThatAllEndEarly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.csv")
	if err := os.WriteFile(path, []byte("a,b,c\n1,x\n2,y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := resultfile.Read(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c := &table.Columns[2]; len(table.Columns) != 3 || table.Rows() != 2 || !c.IsNull(0) || !c.IsNull(1) || table.Columns[1].Text(1) != "y" {
		t.Errorf("got %s", table.AppendJSON(nil))
	}
}
