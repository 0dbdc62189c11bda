package aligntest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// A handCase is two results, written by hand, and what a correct alignment finds between them.
//
// A result is a string with a line of columns, name:type, and a line for each row. Bars separate the columns and the
// cells of a line. A type is one of inline results or an abbreviation of it.
type handCase struct {
	why        string
	gold, pred string
	// want is the correspondence: gold=pred for every pair in the order of the gold columns, with
	// the fact in parentheses if there is one, then what is missing, extra, trivial (t:) and the
	// index (i:).
	want  string
	score float64 // of a comparison under it
}

var handCases = []handCase{
	// Names and places.
	{"the same", "a:int|b:text\n1|x\n2|y", "a:int|b:text\n1|x\n2|y", "a=a b=b i:b", 1},
	{"renamed: the values say which is which", "id:int|revenue:dec\n1|10.50\n2|7.25", "k:int|total:dec\n1|10.50\n2|7.25",
		"id=k revenue=total i:id", 1},
	{"crossed under their own names", "a:int|b:int\n1|10\n2|20", "b:int|a:int\n1|10\n2|20", "a=a b=b", 0},
	{"three in a circle", "a:int|b:int|c:int\n1|10|5\n2|20|6", "b:int|c:int|a:int\n1|10|5\n2|20|6", "a=a b=b c=c", 0},
	{"called like another one, which is called otherwise", "a:int|b:int\n1|10\n2|20", "b:int|x:int\n1|10\n2|20", "a=b b=x",
		1},
	{"generated names have no meaning", "col_1:int|col_2:int\n1|10\n2|20", "col_2:int|col_1:int\n1|10\n2|20",
		"col_1=col_2 col_2=col_1", 1},
	{"permuted columns", "a:int|b:text|c:dec\n1|x|0.5\n2|y|1.5", "c:dec|a:int|b:text\n0.5|1|x\n1.5|2|y", "a=a b=b c=c i:b",
		1},
	{"shuffled rows", "a:int|b:int\n1|5\n2|6\n3|7", "a:int|b:int\n3|7\n1|5\n2|6", "a=a b=b", 1},
	{"no names at all", ":int|:text\n1|x\n2|y", ":text|:int\nx|1\ny|2", "#1=#2 #2=#1 i:#2", 1},
	{"one name for two columns", "a:int|a:int\n1|30\n2|20", "a:int|a:int\n30|1\n20|2", "a=a#2 a#2=a", 1},
	{"by the name alone, where no value agrees", "total:dec|n:int\n10.10|1\n20.20|2", "n:int|total:dec\n1|33.30\n2|44.40",
		"total=total n=n", 0.5},
	{"by the place alone, where one column on each side is left", "a:int|n:int\n10|1\n20|2", "z:int|n:int\n77|1\n88|2",
		"a=z n=n", 0.5},
	{"names that mean the same", "avg_amt:dec\n10.10\n20.20", "average_amount:dec\n55.50\n66.60", "avg_amt=average_amount",
		0},

	// Missing and extra columns.
	{"an extra column", "a:text\nx\ny", "a:text|note:text\nx|p\ny|q", "a=a extra:note", 1},
	{"a missing column", "a:text|b:int\nx|1\ny|2", "a:text\nx\ny", "a=a missing:b i:a", 0},
	{"a missing column without a key", "a:int|b:int\n10|1\n20|2", "a:int\n10\n20", "a=a missing:b", 0.5},
	{"nothing in common", "a:int\n5", "b:date\n2024-01-01", "missing:a extra:b t:b", 0},
	{"nothing in common but being the only one, and text may be anything", "a:text\nx", "b:date\n2024-01-01", "a=b", 0},
	{"a row number is trivial", "a:text\nx\ny", "n:int|a:text\n1|x\n2|y", "a=a extra:n t:n", 1},
	{"a row number from 0", "a:text\nx\ny", "n:int|a:text\n0|x\n1|y", "a=a extra:n t:n", 1},
	{"numbers from 5 count nothing", "a:text\nx\ny", "n:int|a:text\n5|x\n6|y", "a=a extra:n", 1},
	{"a constant is trivial", "a:text\nx\ny", "a:text|c:text\nx|EUR\ny|eur", "a=a extra:c t:c", 1},
	{"NULLs alone are a constant", "a:text\nx\ny", "a:text|c:text\nx|NULL\ny|NULL", "a=a extra:c t:c", 1},
	{"a copy is trivial", "a:text\nx\ny", "a:text|b:text\nx|X\ny|y", "a=a extra:b t:b", 1},

	// Index columns.
	{"a key of text, and a row missing", "k:text|v:int\nx|5\ny|6\nz|7", "k:text|v:int\nz|7\nx|5", "k=k v=v i:k", 2. / 3},
	{"a key of whole numbers, by its name", "user_id:int|v:dec\n7|1.5\n9|2.5", "user_id:int|v:dec\n9|2.5\n7|3.5",
		"user_id=user_id v=v i:user_id", 0.5},
	{"a measure is not a key, even if it is unique", "n:int|v:dec\n7|1.5\n9|2.5", "n:int|v:dec\n9|2.5\n7|3.5", "n=n v=v",
		0.75},
	{"two columns that are a key together", "region:text|month:text|v:int\nn|jan|1\nn|feb|2\ns|jan|3\ns|feb|4",
		"region:text|month:text|v:int\ns|feb|4\ns|jan|3\nn|feb|2\nn|jan|9", "region=region month=month v=v i:region,month",
		0.75},
	{"no key where one side repeats it", "k:text|v:int\nx|5\ny|6", "k:text|v:int\nx|5\nx|6", "k=k v=v", 0.75},
	{"a single column is not a key of itself", "k:text\nx\ny", "k:text\nx\nz", "k=k", 0.5},

	// Text, types.
	{"case and blanks", "a:text\nNew York\nParis", "a:text\n new  york\nPARIS ", "a=a", 1},
	{"empty text is not NULL", "a:text\nx\nNULL", "a:text\nx\n", "a=a", 0.5},
	{"an integer, a decimal and a double", "a:int|b:int\n1|4\n2|5", "a:dec|b:float\n1.00|4\n2.00|5", "a=a b=b", 1},
	{"a day and its midnight", "d:date|v:int\n2024-02-29|1\n2024-03-01|2",
		"d:ts|v:int\n2024-03-01 00:00:00|2\n2024-02-29 00:00:00|1", "d=d v=v i:d", 1},
	{"a day and another time of it", "d:date\n2024-02-29\n2024-03-01", "d:ts\n2024-02-29 00:00:01\n2024-03-01 00:00:00",
		"d=d", 0.5},
	{"truth values and 1 and 0", "a:bool|b:int\ntrue|5\nfalse|7", "a:int|b:int\n1|5\n0|7", "a=a b=b", 1},
	{"beyond what doubles hold", "a:int\n9223372036854775807\n5", "a:int\n9223372036854775806\n5", "a=a", 0.5},

	// Formats, either way round.
	{"currency", "v:dec\n1234.50\n-7.00", "v:text\n$1,234.50\n($7.00)", "v=v(currency text)", 1},
	{"gold is currency", "v:text\n$1,234.50\n$7.00", "v:dec\n1234.50\n7.00", "v=v(gold is currency text)", 1},
	{"numbers as text", "v:int\n12\n345", "v:text\n12\n345", "v=v(number text)", 1},
	{"decimal commas", "v:dec\n1234.5\n0.25", "v:text\n1.234,5\n0,25", "v=v(decimal comma text)", 1},
	{"percent text for a fraction", "rate:dec\n0.125\n0.5", "rate:text\n12.5%\n50%",
		"rate=rate(percent text, percent for fraction)", 1},
	{"a fraction for percent text", "rate:text\n12.5%\n50%", "rate:dec\n0.125\n0.5",
		"rate=rate(gold is percent text, fraction for percent)", 1},
	{"dates as text", "d:date\n2024-01-05\n2024-02-13", "d:text\n05 Jan 2024\n13 Feb 2024", "d=d(date text)", 1},
	{"day before month, as one of the dates shows", "d:date\n2024-01-05\n2024-02-13", "d:text\n05/01/2024\n13/02/2024",
		"d=d(date text)", 1},
	{"which of both is meant shows only on the other side", "d:date\n2024-05-01\n2024-03-02",
		"d:text\n01/05/2024\n02/03/2024", "d=d(date text)", 1},
	{"ISO dates", "d:date\n2024-01-05\n2024-02-13", "d:text\n2024-01-05\n2024-02-13", "d=d(ISO date text)", 1},
	{"quarters", "q:date\n2024-01-01\n2024-04-01", "q:text\n2024-Q1\nQ2 2024", "q=q(quarter text)", 1},
	{"days as numbers", "d:date\n2024-01-05\n2024-02-13", "d:int\n20240105\n20240213", "d=d(YYYYMMDD number)", 1},
	{"months as numbers", "d:date\n2024-01-01\n2024-02-01", "d:int\n202401\n202402", "d=d(YYYYMM number)", 1},
	{"names of months", "m:int\n1\n12", "m:text\nJanuary\nDec", "m=m(month name text)", 1},
	{"words for truth", "a:bool\ntrue\nfalse", "a:text\nYes\nno", "a=a(boolean words)", 1},
	{"a string among the numbers matches the same string", "v:int\n12\n13\n14", "v:text\n12\n13\nsoon", "v=v", 2. / 3},

	// Scale, rounding, tolerance: the tightest that explains all.
	{"percent for a fraction", "conversion_rate:dec\n0.1250\n0.5000", "conversion_rate:dec\n12.50\n50.00",
		"conversion_rate=conversion_rate(percent for fraction)", 1},
	{"a fraction for percent", "pct:dec\n12.5\n50.0", "share:dec\n0.125\n0.500", "pct=share(fraction for percent)", 1},
	{"a percentage rounded to a digit", "rate:dec\n0.12345\n0.54321", "rate:dec\n12.3\n54.3",
		"rate=rate(percent for fraction, rounded to 3 digits)", 1},
	{"thousands, stated by the name", "revenue:int\n1200000\n3400000", "revenue_k:dec\n1200\n3400",
		"revenue=revenue_k(in thousands)", 1},
	{"millions, stated by the name", "revenue:int\n1200000\n3400000", "revenue_million:dec\n1.2\n3.4",
		"revenue=revenue_million(in millions)", 1},
	{"thousands that nothing speaks of", "revenue:int\n1200000\n3400000", "revenue:dec\n1200\n3400", "revenue=revenue", 0},
	{"thousands the other way round", "Revenue (000s):dec\n1200\n3400", "revenue:int\n1200000\n3400000",
		"Revenue (000s)=revenue(not in thousands)", 1},
	{"a month is not a million", "total_monthly:dec\n1.2\n3.4", "total:int\n1200000\n3400000", "total_monthly=total", 0},
	{"a keyword is not a thousand", "keywords:int\n1200\n3400", "top_keywords:dec\n1.2\n3.4", "keywords=top_keywords", 0},
	{"a corporation is not a rate", "corporate_count:int\n5\n7", "corporate_count:int\n500\n700",
		"corporate_count=corporate_count", 0},
	{"a tenth is not a unit", "v:dec\n1.25\n2.50", "v:dec\n12.5\n25.0", "v=v", 0},
	{"rounded to cents", "v:dec\n12.345\n99.991", "v:dec\n12.35\n99.99", "v=v(rounded to 2 digits)", 1},
	{"gold is rounded", "v:dec\n12.35\n99.99", "v:dec\n12.345\n99.991", "v=v(rounded to 2 digits)", 1},
	{"rounded to whole numbers", "v:dec\n1234567.89\n24.40", "v:int\n1234568\n24", "v=v(rounded to whole numbers)", 1},
	{"rounded to thousands, which nothing shows", "v:int\n1234567\n98765432", "v:int\n1235000\n98765000", "v=v", 0},
	{"rounded to thousands, as it shows", "v:int\n1234567\n98765432", "v:text\n1235K\n98765K", "v=v(short number text)",
		1},
	{"digits that text shows", "v:dec\n3.04\n5.27", "v:text\n3.0\n5.3", "v=v(number text, rounded to 1 digit)", 1},
	{"rounding that leaves nothing is none", "v:dec\n0.0012\n0.0034", "v:int\n0\n0", "v=v", 0},
	{"half a unit is the most", "v:dec\n12.345\n99.996", "v:dec\n12.35\n99.99", "v=v(within 0.1 %)", 1},
	{"the last bits of sums of doubles", "v:float\n0.30000000000000004\n2.5", "v:float\n0.3\n2.5", "v=v", 1},
	{"within a tolerance, as little as it takes", "v:dec\n1000.10\n2500.70", "v:dec\n1000.50\n2501.90",
		"v=v(within 0.1 %)", 1},
	{"beyond it", "v:dec\n1000.10\n2500.70", "v:dec\n1000.10\n2540.90", "v=v", 0.5},
	{"whole numbers are counted exactly", "n:int\n1000\n2000\n3000", "n:int\n1000\n2000\n3001", "n=n", 2. / 3},
	{"prices that lie within 1 %, shifted against their days, are not the same",
		"d:date|price:dec\n2024-01-01|100.10\n2024-01-02|100.20\n2024-01-03|100.35",
		"d:date|price:dec\n2024-01-01|100.35\n2024-01-02|100.10\n2024-01-03|100.20", "d=d price=price i:d", 0},
	{"numbers that are not whole, all a little off, are within the tolerance",
		"d:date|price:dec\n2024-01-01|100.10\n2024-01-02|250.20", "d:date|price:dec\n2024-01-01|100.90\n2024-01-02|251.80",
		"d=d price=price(within 1 %) i:d", 1},

	// Columns that hold the same values.
	{"gold repeats a column that is shown once", "a:int|b:int|c:text\n10|10|x\n20|20|y\n30|30|z",
		"a:int|c:text\n10|x\n20|y\n30|z", "a=a b=a(repeats \"a\") c=c i:c", 1},
	{"two values may be equal by chance", "a:int|b:int\n10|10\n20|20", "a:int\n10\n20", "a=a missing:b", 0.5},
	{"the rows say which is which", "k:text|a:int|b:int\nx|1|2\ny|2|1", "k:text|u:int|v:int\nx|2|1\ny|1|2",
		"k=k a=v b=u i:k", 1},
	{"the rows say it, but the names are crossed", "k:text|a:int|b:int\nx|1|2\ny|2|1", "k:text|a:int|b:int\nx|2|1\ny|1|2",
		"k=k a=a b=b i:k", 0},
	{"three of them", "k:text|a:int|b:int|c:int\nx|1|2|3\ny|2|3|1\nz|3|1|2",
		"k:text|u:int|v:int|w:int\nx|3|1|2\ny|1|2|3\nz|2|3|1", "k=k a=v b=w c=u i:k", 1},
	{"NULLs alone", "a:int|b:text\nNULL|x\nNULL|y", "b:text|a:int\nx|NULL\ny|NULL", "a=a b=b i:b", 1},

	// Numbers of rows.
	{"both empty: names are all there is", "a:int|b:text", "b:text|c:int", "a=c b=b", 1},
	{"one empty", "a:int|b:text\n1|x", "a:int|b:text", "a=a b=b", 0},
	{"one row", "total:dec|n:int\n1234.50|7", "n:int|revenue:dec\n7|1234.50", "total=revenue n=n", 1},
	{"rows repeated", "a:int|b:int\n1|4\n2|5", "a:int|b:int\n1|4\n2|5\n1|4\n2|5", "a=a b=b", 0.5},
}

func testCases(t *testing.T, align Align) {
	for _, tc := range handCases {
		gold, pred := parseTable(t, tc.gold), parseTable(t, tc.pred)
		a := align(gold, pred)
		if err := wellFormed(&a, gold, pred); err != nil {
			t.Errorf("%s: %v", tc.why, err)
			continue
		}
		if got := describe(&a, gold, pred); got != tc.want {
			t.Errorf("%s:\nfound %s\nwant  %s", tc.why, got, tc.want)
		}
		if r := cell.Compare(gold, pred, &a, cell.Options{}); r.Score < tc.score-1e-12 || r.Score > tc.score+1e-12 {
			t.Errorf("%s: the score is %v, want %v", tc.why, r.Score, tc.score)
		}
	}
}

var shortTypes = map[string]scoring.Type{"int": scoring.Int64, "float": scoring.Float64, "dec": scoring.Decimal,
	"text": scoring.String, "date": scoring.Date, "ts": scoring.Timestamp, "bool": scoring.Bool}

func parseTable(t testing.TB, text string) *scoring.Table {
	t.Helper()
	lines := strings.Split(text, "\n")
	var columns []scoring.Column
	for c, head := range strings.Split(lines[0], "|") {
		name, typ, _ := strings.Cut(head, ":")
		kind, ok := shortTypes[typ]
		if !ok {
			t.Fatalf("%q: no type %q", text, typ)
		}
		b := scoring.NewBuilder(name, kind, 0)
		for _, line := range lines[1:] {
			cell := strings.Split(line, "|")[c]
			if cell == "NULL" {
				b.AppendNull()
				continue
			}
			v, err := scoring.ParseAs(kind, cell)
			if err != nil {
				t.Fatalf("%q: %q: %v", text, cell, err)
			}
			b.Append(v)
		}
		columns = append(columns, b.Column())
	}
	table, err := scoring.NewTable(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// describe writes an alignment as [handCase] does.
func describe(a *scoring.Alignment, gold, pred *scoring.Table) string {
	name := func(t *scoring.Table, i int) string {
		n := t.Columns[i].Name
		first := slices.IndexFunc(t.Columns, func(c scoring.Column) bool { return c.Name == n })
		if n == "" || first < i {
			n += fmt.Sprintf("#%d", i+1)
		}
		return n
	}
	names := func(t *scoring.Table, at []int) string {
		var out []string
		for _, i := range at {
			out = append(out, name(t, i))
		}
		return strings.Join(out, ",")
	}
	var parts []string
	for _, c := range a.Columns {
		s := name(gold, c.Gold) + "=" + name(pred, c.Pred)
		if c.Fact != "" {
			s += "(" + c.Fact + ")"
		}
		parts = append(parts, s)
	}
	for _, list := range []struct {
		label string
		t     *scoring.Table
		at    []int
	}{{"missing:", gold, a.Missing}, {"extra:", pred, a.Extra}, {"t:", pred, a.Trivial}} {
		if len(list.at) > 0 {
			parts = append(parts, list.label+names(list.t, list.at))
		}
	}
	if len(a.Index) > 0 {
		var at []int
		for _, k := range a.Index {
			at = append(at, a.Columns[k].Gold)
		}
		parts = append(parts, "i:"+names(gold, at))
	}
	return strings.Join(parts, " ")
}
