package report_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/cell"
)

func table(t *testing.T, text string) *scoring.Table {
	t.Helper()
	tab, err := scoring.ParseResult([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// diffOf compares two results under the mapping that the evidence gives.
func diffOf(gold, pred *scoring.Table) *report.Diff {
	return diffUnder(gold, pred, align.Align(gold, pred, align.Options{Tolerance: align.PaperTolerance}))
}

func diffUnder(gold, pred *scoring.Table, a scoring.Alignment) *report.Diff {
	return &report.Diff{Gold: gold, Pred: pred, Alignment: a, Result: cell.Compare(gold, pred, &a, cell.Options{Pairs: true})}
}

func TestDiffOnTerminals(t *testing.T) {
	textually, numeric := scoring.Comparison{Kind: scoring.KindText}, scoring.Comparison{Kind: scoring.KindNumber}
	for name, tc := range map[string]struct {
		gold, pred string
		a          scoring.Alignment
	}{
		"diff-keys": {
			`{"columns":["region","month","revenue","share","customers","note"],"rows":[
				["north","2024-01",1234.56,0.125,17,"ok"],["north","2024-02",1300.10,0.25,19,"ok"],["south","2024-01",99.10,0.5,3,"late\u001b[31m"],
				["south","2024-02",120.45,0.375,4,"ok"],["日本","2024-01",77.20,0.75,9,null],["west","2024-01",5.05,0.0625,1,"ok"]]}`,
			`{"columns":["month","area","rev_total","pct","n","memo"],"rows":[
				["2024-01","north",1234.6,12.5,1,"ok"],["2024-02","north",1310.1,25,2,"ok"],["2024-01","south",99.1,50,3,""],
				["2024-02","south",120.5,37.5,4,"NULL"],["2024-01","日本",77.2,57,5," gone"],["2024-02","east",8.0,1,6,"ok"],["2024-01","east",8.05,1,7,"ok"]]}`,
			scoring.Alignment{
				Source: "evidence", Confidence: 0.42, Missing: []int{4}, Extra: []int{4}, Trivial: []int{4}, Index: []int{0, 1},
				Why: []string{`"region" agrees in part`, `"month" agrees in part`, "one gold column has no counterpart"},
				Columns: []scoring.ColumnPair{
					{Gold: 0, Pred: 1, By: "values", Comparison: textually}, {Gold: 1, Pred: 0, By: "values", Comparison: textually},
					{Gold: 2, Pred: 2, By: "values", Comparison: scoring.Comparison{Kind: scoring.KindNumber, Within: 0.0501, Fact: "rounded to 1 digit"}},
					{Gold: 3, Pred: 3, By: "values", Comparison: scoring.Comparison{Kind: scoring.KindNumber, Scale: -2, Fact: "percent for fraction"}},
					{Gold: 5, Pred: 5, By: "position", Comparison: textually},
				},
			},
		},
		"diff-long": {
			`{"columns":["id","description"],"rows":[[1,"The quick brown fox jumps over the lazy dog and then over the fence behind the house"],[2,"short"],[3,"C:\\new\\table"]]}`,
			`{"columns":["id","description"],"rows":[[1,"The quick brown fox jumps over the lazy dog and then over the gate behind the house"],[2,"shirt"],[3,"C:\new"]]}`,
			scoring.Alignment{Source: "judge", Confidence: 1, Index: []int{0}, Columns: []scoring.ColumnPair{
				{Gold: 0, Pred: 0, By: "judge", Comparison: numeric}, {Gold: 1, Pred: 1, By: "judge", Comparison: textually},
			}},
		},
	} {
		d := diffUnder(table(t, tc.gold), table(t, tc.pred), tc.a)
		for suffix, o := range map[string]report.Options{"-80.txt": {Width: 80, Unicode: true}, "-120.txt": {Width: 120, Unicode: true}, "-80-ascii.txt": {Width: 80}} {
			var b bytes.Buffer
			if err := d.Render(&b, o); err != nil {
				t.Fatal(err)
			}
			golden(t, name+suffix, b.String())
		}
		b, err := d.JSON()
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name+".json", string(b))
	}
}

// If no columns are paired, no row agrees and none has a partner: all rows are only on their side.
func TestNoRowAgreesWithoutPairedColumns(t *testing.T) {
	d := diffOf(table(t, `{"columns": ["region", "revenue"], "rows": [["north", 100], ["south", 200], ["east", 300]]}`),
		table(t, `{"columns": ["a", "b"], "rows": [["x", 7], ["y", 8]]}`))
	f := d.Figures()
	if f.Matched != 0 || f.Equal != 0 || f.OnlyGold != 3 || f.OnlyPred != 2 || len(f.GoldRows) != 3 || len(f.PredRows) != 2 {
		t.Errorf("%+v, want three rows only in gold and two only in the predicted result", f)
	}
	var b bytes.Buffer
	if err := f.Render(&b, report.Options{Width: 100}); err != nil || strings.Contains(b.String(), "agree,") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// Two random results: what the diff calls differing is what package cell counts, column by column.
func TestDiffAgreesWithTheScore(t *testing.T) {
	for seed := range uint64(400) {
		gold, pred := randomPair(seed)
		d := diffOf(gold, pred)
		f, counts := d.Figures(), d.Result
		if f.Matched+f.OnlyGold != gold.Rows() || f.Matched+f.OnlyPred != pred.Rows() || f.Equal+f.Differing != f.Matched {
			t.Fatalf("seed %d: the rows do not add up: %+v", seed, f)
		}
		if len(d.Alignment.Missing) == 0 && f.Equal != counts.Equal {
			t.Fatalf("seed %d: %d rows are equal, the score counts %d", seed, f.Equal, counts.Equal)
		}
		for i, c := range f.Columns {
			if counts.ColumnEqual == nil {
				break
			}
			if c.PredPosition > 0 && f.Matched-c.Differing != counts.ColumnEqual[i] {
				t.Fatalf("seed %d, column %s (%+v): %d of %d rows differ, the score counts %d equal", seed, c.Gold, c, c.Differing, f.Matched, counts.ColumnEqual[i])
			}
		}
		for _, r := range f.Rows {
			differ := 0
			for _, c := range r.Cells {
				if !c.Equal && c.Pred != nil {
					differ++
				}
			}
			if len(d.Alignment.Missing) == 0 && differ == 0 && !hasNull(r) {
				t.Fatalf("seed %d: row %d is listed without a cell that differs: %+v", seed, r.Gold, r)
			}
		}
	}
}

func hasNull(r report.DiffRow) bool {
	for _, c := range r.Cells {
		if c.Pred == nil {
			return true
		}
	}
	return false
}

// randomPair makes a result and one that came of it by some of the things agents do.
func randomPair(seed uint64) (gold, pred *scoring.Table) {
	r := rand.New(rand.NewPCG(seed, 3))
	rows, cols := 1+r.IntN(20), 1+r.IntN(5)
	var golds, preds []scoring.Column
	order := r.Perm(rows)
	if r.IntN(3) == 0 {
		order = order[:r.IntN(rows+1)]
	}
	for c := range cols {
		kind, change := r.IntN(5), r.IntN(6)
		g, p := scoring.NewBuilder(fmt.Sprintf("c%d", c), scoring.Null, 0), scoring.NewBuilder(fmt.Sprintf("p%d", r.IntN(cols)), scoring.Null, 0)
		values := make([]scoring.Value, rows)
		for i := range values {
			switch kind {
			case 0:
				values[i] = scoring.IntValue(int64(r.IntN(8)))
			case 1:
				values[i] = scoring.FloatValue(float64(r.IntN(1e6)) / 1000)
			case 2:
				values[i] = scoring.DecimalValue(int64(r.IntN(1e6)), 4)
			case 3:
				values[i] = scoring.StringValue([]string{"", "a", "A ", "日本語", "\x1b[31m", "$1,200.50", "12%", "NULL", "x\ny", "\u202eabc"}[r.IntN(10)])
			default:
				values[i] = scoring.DateValue(int64(20000 + r.IntN(5)))
			}
			if r.IntN(8) == 0 {
				values[i] = scoring.NullValue
			}
			g.Append(values[i])
		}
		for _, i := range order {
			v := values[i]
			switch {
			case v.IsNull():
			case change == 1 && kind == 1:
				v = scoring.FloatValue(math.Round(v.Float()))
			case change == 2 && kind == 1:
				v = scoring.FloatValue(v.Float() * 100)
			case change == 3:
				v = scoring.StringValue(v.String())
			case change == 4 && r.IntN(4) == 0:
				v = scoring.NullValue
			case change == 5 && kind == 1:
				v = scoring.FloatValue(v.Float() * (1 + r.Float64()/50))
			}
			p.Append(v)
		}
		golds = append(golds, g.Column())
		if r.IntN(10) > 0 {
			preds = append(preds, p.Column())
		}
	}
	r.Shuffle(len(preds), func(i, j int) { preds[i], preds[j] = preds[j], preds[i] })
	gold, _ = scoring.NewTable(golds...)
	pred, _ = scoring.NewTable(preds...)
	return gold, pred
}

// Whatever the data and the terminal: no line is wider than it, and nothing but the colours we set
// leaves the line.
func TestDiffFitsEveryTerminal(t *testing.T) {
	for seed := range uint64(300) {
		d := diffOf(randomPair(seed))
		width := 40 + int(seed)%121
		var b bytes.Buffer
		if err := d.Render(&b, report.Options{Width: width, Unicode: seed%2 == 0, Color: seed%3 == 0}); err != nil {
			t.Fatal(err)
		}
		checkLines(t, b.String(), width)
	}
}

var colour = regexp.MustCompile("\x1b\\[[0-9;]+m")

func checkLines(t *testing.T, text string, width int) {
	t.Helper()
	if !strings.HasSuffix(text, "\n") || !utf8.ValidString(text) {
		t.Errorf("the text does not end with a line feed, or is not UTF-8")
	}
	for line := range strings.Lines(colour.ReplaceAllString(text, "")) {
		line = strings.TrimSuffix(line, "\n")
		if w := columns(line); w > width {
			t.Errorf("%d columns on a terminal of %d:\n%s", w, width, line)
		}
		if strings.TrimRight(line, " ") != line {
			t.Errorf("blanks at the end of %q", line)
		}
		for _, r := range line {
			if !unicode.IsPrint(r) {
				t.Errorf("%q holds %U", line, r)
			}
		}
	}
}

// columns counts the columns of a terminal for the few kinds of runes that these tests use.
func columns(s string) int {
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == '。' || r == '、' {
			n++
		}
	}
	return n
}

func TestDiffOfWideTables(t *testing.T) {
	var golds, preds []scoring.Column
	for c := range 60 {
		g, p := scoring.NewBuilder(fmt.Sprintf("column_%02d", c), scoring.Null, 0), scoring.NewBuilder(fmt.Sprintf("column_%02d", c), scoring.Null, 0)
		for i := range 30 {
			v := scoring.IntValue(int64(1000*c + i))
			g.Append(v)
			if c >= 30 && i%7 == 3 {
				v = scoring.IntValue(-7)
			}
			p.Append(v)
		}
		golds, preds = append(golds, g.Column()), append(preds, p.Column())
	}
	gold, _ := scoring.NewTable(golds...)
	pred, _ := scoring.NewTable(preds...)
	d := diffOf(gold, pred)
	d.Rows = 3
	for _, width := range []int{80, 120} {
		var b bytes.Buffer
		if err := d.Render(&b, report.Options{Width: width, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		checkLines(t, b.String(), width)
		_, rows, _ := strings.Cut(b.String(), "Rows that differ")
		if width == 80 {
			golden(t, "diff-wide-80.txt", "Rows that differ"+rows)
		}
	}
}

func TestDiffOfEmptyAndEqualResults(t *testing.T) {
	full := `{"columns":["a","b"],"rows":[[1,"x"],[2,"y"]]}`
	for _, tc := range []struct{ why, gold, pred, want string }{
		{"the same rows in another order", full, `{"columns":["b","a"],"rows":[["y",2],["x",1]]}`, `score 1  ━━━━━━━━━━━━━━━━━━━━
gold has 2 rows of 2 columns, the predicted result 2 rows of 2 columns
all rows agree
`},
		{"gold is empty", `{"columns":["a","b"],"rows":[]}`, full, `score 0  ────────────────────
gold has 0 rows of 2 columns, the predicted result 2 rows of 2 columns
`},
		{"both are empty", `{"columns":["a","b"],"rows":[]}`, `{"columns":["a","b"],"rows":[]}`, `score 1  ━━━━━━━━━━━━━━━━━━━━
gold has 0 rows of 2 columns, the predicted result 0 rows of 2 columns
`},
	} {
		var b bytes.Buffer
		if err := diffOf(table(t, tc.gold), table(t, tc.pred)).Render(&b, report.Options{Width: 80, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		head, rest, _ := strings.Cut(b.String(), "\nColumns")
		if diff := cmp.Diff(tc.want, head); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.why, diff)
		}
		if got, want := strings.Contains(rest, "Only in the predicted result  2 rows"), tc.why == "gold is empty"; got != want {
			t.Errorf("%s:\n%s", tc.why, rest)
		}
	}
}

// A million rows of ten columns, one in a thousand of which differs.
func BenchmarkDiff(b *testing.B) {
	const rows = 1_000_000
	side := func(off int64) *scoring.Table {
		var cols []scoring.Column
		for c := range 10 {
			values := make([]int64, rows)
			for i := range values {
				values[i] = int64(i*(c+1)) % (1 << 40)
				if c > 0 && i%1000 == 7 {
					values[i] += off
				}
			}
			cols = append(cols, scoring.IntColumn(fmt.Sprintf("c%d", c), scoring.Int64, values, nil))
		}
		t, _ := scoring.NewTable(cols...)
		return t
	}
	d := diffOf(side(0), side(1))
	b.ReportAllocs()
	for b.Loop() {
		if err := d.Render(io.Discard, report.Options{Width: 80}); err != nil {
			b.Fatal(err)
		}
	}
}
