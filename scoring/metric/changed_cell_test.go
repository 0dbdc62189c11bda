package metric_test

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// sheet is a result as cells[column][row], which a test may change.
type sheet struct {
	columns []scoring.Column // names and types
	cells   [][]scoring.Value
}

func newSheet(t *scoring.Table) sheet {
	s := sheet{columns: t.Columns}
	for c := range t.Columns {
		column := make([]scoring.Value, t.Rows())
		for r := range column {
			column[r] = t.Columns[c].Value(r)
		}
		s.cells = append(s.cells, column)
	}
	return s
}

func (s sheet) rows() int { return len(s.cells[0]) }

// with returns s with other values in one column, which is text where text is set.
func (s sheet) with(c int, text bool, values []scoring.Value) sheet {
	s.columns, s.cells = slices.Clone(s.columns), slices.Clone(s.cells)
	s.cells[c] = values
	if text {
		s.columns[c] = scoring.Column{Name: s.columns[c].Name, Type: scoring.String}
	}
	return s
}

// withCell returns s with another value in one cell.
func (s sheet) withCell(c, r int, v scoring.Value) sheet {
	values := slices.Clone(s.cells[c])
	values[r] = v
	return s.with(c, false, values)
}

func (s sheet) table(tb testing.TB) *scoring.Table {
	tb.Helper()
	columns := make([]scoring.Column, len(s.cells))
	for c, values := range s.cells {
		b := scoring.NewBuilder(s.columns[c].Name, s.columns[c].Type, len(values))
		for _, v := range values {
			if v.IsNull() {
				b.AppendNull()
			} else {
				b.Append(v)
			}
		}
		columns[c] = b.Column()
	}
	t, err := scoring.NewTable(columns...)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// distinctRows are the different rows of s.
func (s sheet) distinctRows() []string {
	rows := make([]string, s.rows())
	for r := range rows {
		var b strings.Builder
		for c := range s.cells {
			fmt.Fprintf(&b, "%d %q ", s.cells[c][r].Type, s.cells[c][r].String())
		}
		rows[r] = b.String()
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// number is the text of a cell that holds a finite number and the number. ok is false for anything
// else and for numbers below 1e-9, which may be what is left of a sum that should be 0.
func number(v scoring.Value) (text string, f float64, ok bool) {
	if !v.Type.Numeric() && v.Type != scoring.String {
		return "", 0, false
	}
	text = v.String()
	f, err := strconv.ParseFloat(text, 64)
	return text, f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) && math.Abs(f) > 1e-9 && !strings.ContainsAny(text, "xX_pP")
}

// like reads text as a cell of the type of v.
func like(v scoring.Value, text string) (scoring.Value, bool) {
	if v.Type == scoring.String {
		return scoring.StringValue(text), true
	}
	n, err := scoring.ParseAs(v.Type, text)
	return n, err == nil
}

// differ reports whether a reader would call two values different: by more than case and the blanks
// around them, and numbers by more than noise.
func differ(a, b scoring.Value) bool {
	_, x, isX := number(a)
	_, y, isY := number(b)
	if isX && isY {
		return math.Abs(x-y) > 1e-6*math.Max(math.Abs(x), math.Abs(y))
	}
	return a.IsNull() != b.IsNull() || !strings.EqualFold(strings.TrimSpace(a.String()), strings.TrimSpace(b.String()))
}

// saysSomething reports whether a value is neither NULL nor what a reader may take for it: blank
// text, NaN, which data frames have in place of NULL, and 0, which a sum over nothing is in some
// queries and NULL in others.
func saysSomething(v scoring.Value) bool {
	f, err := strconv.ParseFloat(v.String(), 64)
	return !v.IsNull() && strings.TrimSpace(v.String()) != "" && (err != nil || f != 0 && !math.IsNaN(f))
}

// cellChange changes one cell of the answer, and reports false if the change does not fit the
// cell. It may prepare the column on both sides first, so that there is a unit or a leading zero to
// change.
type cellChange struct {
	name string
	make func(rng *rand.Rand, gold sheet, c, r int) (preparedGold, pred sheet, ok bool)
}

// onCell makes a change that looks at nothing but the cell.
func onCell(f func(rng *rand.Rand, v scoring.Value) (scoring.Value, bool)) func(*rand.Rand, sheet, int, int) (sheet, sheet, bool) {
	return func(rng *rand.Rand, gold sheet, c, r int) (sheet, sheet, bool) {
		v, ok := f(rng, gold.cells[c][r])
		if !ok {
			return gold, gold, false
		}
		return gold, gold.withCell(c, r, v), true
	}
}

// onDate changes a date, the day of a timestamp, or an ISO date at the start of a string.
func onDate(f func(day time.Time) (time.Time, bool)) func(*rand.Rand, sheet, int, int) (sheet, sheet, bool) {
	return onCell(func(_ *rand.Rand, v scoring.Value) (scoring.Value, bool) {
		switch v.Type {
		case scoring.Date:
			day, ok := f(time.Unix(v.Int()*86400, 0).UTC())
			return scoring.DateValue(day.Unix() / 86400), ok && day.Unix() >= 0
		case scoring.Timestamp, scoring.TimestampTZ:
			at := time.Unix(v.Int(), 0).UTC()
			day, ok := f(at.Truncate(24 * time.Hour))
			return scoring.TimestampValue(v.Type, day.Unix()+at.Unix()%86400, v.Nanos()), ok && at.Unix() >= 0 && day.Unix() >= 0
		case scoring.String:
			s := v.String()
			if len(s) < 10 {
				return v, false
			}
			at, err := time.Parse(time.DateOnly, s[:10])
			if err != nil {
				return v, false
			}
			day, ok := f(at)
			return scoring.StringValue(day.Format(time.DateOnly) + s[10:]), ok
		}
		return v, false
	})
}

// digitChanged changes one of the first three significant digits of a number, and thereby the
// number by more than 1 %, or by less where little is set.
func digitChanged(little bool) func(*rand.Rand, sheet, int, int) (sheet, sheet, bool) {
	return onCell(func(rng *rand.Rand, v scoring.Value) (scoring.Value, bool) {
		text, was, ok := number(v)
		if !ok {
			return v, false
		}
		mantissa := len(text)
		if i := strings.IndexAny(text, "eE"); i >= 0 {
			mantissa = i
		}
		var places []int
		for i := 0; i < mantissa && len(places) < 3; i++ {
			if text[i] >= '0' && text[i] <= '9' && (text[i] != '0' || len(places) > 0) {
				places = append(places, i)
			}
		}
		at := places[rng.IntN(len(places))]
		digit := byte('1' + rng.IntN(9))
		changed, ok := like(v, text[:at]+string(digit)+text[at+1:])
		_, is, _ := number(changed)
		if digit == text[at] || !ok {
			return v, false
		}
		return changed, (math.Abs(is-was) <= 0.01*math.Max(math.Abs(is), math.Abs(was))) == little
	})
}

// booleanWord reports whether a string is a word for a truth value, which another letter may also mean.
func booleanWord(s string) bool {
	return slices.Contains([]string{"y", "n", "t", "f", "yes", "no", "true", "false"}, strings.ToLower(s))
}

var cellChanges = []cellChange{
	{"digit changed", digitChanged(false)},
	{"digit changed, within 1 %", digitChanged(true)},
	{"sign flipped", onCell(func(_ *rand.Rand, v scoring.Value) (scoring.Value, bool) {
		text, _, ok := number(v)
		if !ok {
			return v, false
		}
		flipped, wasNegative := strings.CutPrefix(text, "-")
		if !wasNegative {
			flipped = "-" + text
		}
		changed, read := like(v, flipped)
		return changed, read
	})},
	{"off by one", onCell(func(rng *rand.Rand, v scoring.Value) (scoring.Value, bool) {
		n, err := strconv.ParseInt(v.String(), 10, 64)
		if err != nil || v.Type == scoring.Float64 || !v.Type.Numeric() && v.Type != scoring.String || strconv.FormatInt(n, 10) != v.String() || n == math.MaxInt64 || n == math.MinInt64 {
			return v, false
		}
		return like(v, strconv.FormatInt(n+1-2*rng.Int64N(2), 10))
	})},
	{"NULL for value", onCell(func(_ *rand.Rand, v scoring.Value) (scoring.Value, bool) {
		return scoring.NullValue, saysSomething(v)
	})},
	{"value for NULL", func(rng *rand.Rand, gold sheet, c, r int) (sheet, sheet, bool) {
		if !gold.cells[c][r].IsNull() {
			return gold, gold, false
		}
		for _, i := range rng.Perm(gold.rows()) { // from another row of the column, so that it is not a word for NULL
			if v := gold.cells[c][i]; saysSomething(v) {
				return gold, gold.withCell(c, r, v), true
			}
		}
		return gold, gold, false
	}},
	{"text replaced", onCell(func(_ *rand.Rand, v scoring.Value) (scoring.Value, bool) {
		return scoring.StringValue("Quillon"), v.Type == scoring.String && v.String() != "" && !strings.EqualFold(v.String(), "Quillon")
	})},
	{"letter changed", onCell(func(rng *rand.Rand, v scoring.Value) (scoring.Value, bool) {
		s := v.String()
		if v.Type != scoring.String || s == "" || booleanWord(s) {
			return v, false
		}
		i := rng.IntN(len(s))
		letter := byte('a' + rng.IntN(26))
		was := s[i] | 0x20
		if was < 'a' || was > 'z' || was == letter {
			return v, false
		}
		s = s[:i] + string(letter) + s[i+1:]
		return scoring.StringValue(s), !booleanWord(s)
	})},
	{"date moved by a day", onDate(func(day time.Time) (time.Time, bool) { return day.AddDate(0, 0, 1), true })},
	{"month and day swapped", onDate(func(day time.Time) (time.Time, bool) {
		y, m, d := day.Date()
		return time.Date(y, time.Month(d), int(m), 0, 0, 0, 0, time.UTC), d <= 12 && d != int(m)
	})},
	{"true for false", onCell(func(_ *rand.Rand, v scoring.Value) (scoring.Value, bool) {
		return scoring.BoolValue(v.String() == "false"), v.Type == scoring.Bool
	})},
	{"unit changed", func(rng *rand.Rand, gold sheet, c, r int) (sheet, sheet, bool) {
		units := [][2]string{{"$%s", "€%s"}, {"%s kg", "%s lb"}, {"%s km", "%s m"}, {"GBP %s", "JPY %s"}, {"$%s", "%s%%"}}
		unit := units[rng.IntN(len(units))]
		values := make([]scoring.Value, gold.rows())
		for i, v := range gold.cells[c] {
			text, f, ok := number(v)
			switch {
			case v.IsNull():
			case !ok || f < 0 || strings.ContainsAny(text, "eE"):
				return gold, gold, false
			default:
				values[i] = scoring.StringValue(fmt.Sprintf(unit[0], text))
			}
		}
		if values[r].IsNull() {
			return gold, gold, false
		}
		text := gold.cells[c][r].String()
		gold = gold.with(c, true, values)
		return gold, gold.withCell(c, r, scoring.StringValue(fmt.Sprintf(unit[1], text))), true
	}},
	{"leading zero dropped", func(_ *rand.Rand, gold sheet, c, r int) (sheet, sheet, bool) {
		values := make([]scoring.Value, gold.rows())
		for i, v := range gold.cells[c] {
			n, err := strconv.ParseInt(v.String(), 10, 64)
			switch {
			case v.IsNull():
			case err != nil || n < 0 || n >= 1e6 || v.Type != scoring.Int64 && v.Type != scoring.String:
				return gold, gold, false
			default:
				values[i] = scoring.StringValue(fmt.Sprintf("%07d", n)) // a column of codes
			}
		}
		if values[r].IsNull() {
			return gold, gold, false
		}
		gold = gold.with(c, true, values)
		return gold, gold.withCell(c, r, scoring.StringValue(values[r].String()[1:])), true
	}},
	{"decimal point moved", onCell(func(_ *rand.Rand, v scoring.Value) (scoring.Value, bool) {
		text, _, ok := number(v)
		point := strings.IndexByte(text, '.')
		if !ok || point < 0 || point+1 >= len(text) || strings.ContainsAny(text, "eE") {
			return v, false
		}
		whole, fraction := text[:point], text[point+1:]
		if fraction == "0" { // 3.0 is a whole number that a double holds
			return v, false
		}
		return like(v, whole+fraction[:1]+"."+fraction[1:]+"0")
	})},
	{"two cells of a column swapped", func(rng *rand.Rand, gold sheet, c, r int) (sheet, sheet, bool) {
		other := rng.IntN(gold.rows())
		a, b := gold.cells[c][r], gold.cells[c][other]
		if a.IsNull() || b.IsNull() || !differ(a, b) {
			return gold, gold, false
		}
		return gold, gold.withCell(c, r, b).withCell(c, other, a), true
	}},
	{"value of the row above", func(_ *rand.Rand, gold sheet, c, r int) (sheet, sheet, bool) {
		if r == 0 || gold.cells[c][r].IsNull() || gold.cells[c][r-1].IsNull() || !differ(gold.cells[c][r], gold.cells[c][r-1]) {
			return gold, gold, false
		}
		return gold, gold.withCell(c, r, gold.cells[c][r-1]), true
	}},
}

// repeated reports whether gold shows column c once more. Then every value of it is still there after
// one cell changed.
func (s sheet) repeated(c int) bool {
	for d := range s.cells {
		if d != c && slices.EqualFunc(s.cells[c], s.cells[d], func(a, b scoring.Value) bool { return a.String() == b.String() }) {
			return true
		}
	}
	return false
}

// changedCell makes one pair, or reports false if the change fits no cell that it tried. It
// leaves out changes that a reader would not call one: of a column that gold repeats, whose values
// all stand there still, and those after which both sides hold the same distinct rows, because two
// equal rows were exchanged or one of them occurs more often.
func changedCell(rng *rand.Rand, s sheet, change cellChange) (gold, pred sheet, ok bool) {
	cells := rng.Perm(len(s.cells) * s.rows())
	for k := range 200 {
		i := cells[k%len(cells)] // a small table is tried more than once, since changes choose at random
		c := i / s.rows()
		gold, pred, ok := change.make(rng, s, c, i%s.rows())
		if ok && !s.repeated(c) && !slices.Equal(gold.distinctRows(), pred.distinctRows()) {
			return gold, pred, true
		}
	}
	return s, s, false
}

// realTable is a result to change.
type realTable struct {
	name string
	sheet
}

// goldTables are the different inline gold results of a case file, with at least so many rows.
func goldTables(tb testing.TB, path string, rows int) []realTable {
	tb.Helper()
	f, err := os.Open(path) //nolint:gosec // a file that the test names
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var tables []realTable
	seen := map[string]bool{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		c, err := scoring.DecodeCase(lines.Bytes())
		if err != nil {
			tb.Fatal(err)
		}
		for _, g := range c.Golds {
			t := g.Result.Table
			if t == nil || t.Rows() < rows || t.Rows() > mostRows || len(t.Columns) == 0 {
				continue
			}
			if key := string(t.AppendJSON(nil)); !seen[key] {
				seen[key] = true
				tables = append(tables, realTable{c.ID, newSheet(t)})
			}
		}
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return tables
}

// mostRows bounds the tables, so that thousands of pairs are scored in seconds.
const mostRows = 400

func spiderTables(tb testing.TB) []realTable {
	tb.Helper()
	dir := sharedData(tb, "spider2", "results")
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil {
		tb.Fatal(err)
	}
	reader := resultfile.Snapshots{Options: resultfile.Options{Dir: dir}}
	var tables []realTable
	for _, f := range files {
		t, err := reader.ReadSnapshot(context.Background(), "file:"+filepath.Base(f))
		if err != nil {
			tb.Fatal(err)
		}
		if t.Rows() > 0 && t.Rows() <= mostRows && len(t.Columns) > 0 {
			tables = append(tables, realTable{filepath.Base(f), newSheet(t)})
		}
	}
	return tables
}

// taken scores a pair without a judge and returns the reason of each metric that takes it for right
// or fails.
func taken(tb testing.TB, engine *scoring.Engine, gold, pred sheet) map[string]string {
	tb.Helper()
	c := &scoring.Case{
		ID:    "changed",
		Golds: []scoring.Query{{Result: scoring.Result{Table: gold.table(tb)}}},
		Pred:  scoring.Query{Result: scoring.Result{Table: pred.table(tb)}},
	}
	scores, err := engine.Score(context.Background(), c, "hybrid_ex", "verdict")
	if err != nil {
		tb.Fatal(err)
	}
	said := map[string]string{}
	for _, s := range scores {
		switch {
		case s.Status == scoring.StatusFailed:
			said[s.Metric] = "failed: " + s.Reason
		case s.Status == scoring.StatusOK && s.Value == 1:
			said[s.Metric] = s.Reason
		}
	}
	return said
}

// TestOneChangedCellIsNeverOne changes one cell of real results in the ways that a reader would
// call a change. hybrid_ex is 1 for none of these answers, and verdict accepts none.
func TestOneChangedCellIsNeverOne(t *testing.T) {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range []struct {
		name   string
		tables func(*testing.T) []realTable
		pairs  int // of each table and change
	}{
		{"bundled", func(t *testing.T) []realTable { return goldTables(t, "testdata/traps.jsonl", 3) }, 4},
		{"rosevec", func(t *testing.T) []realTable { return goldTables(t, sharedData(t, "rosevec", "cases.jsonl"), 1) }, 2},
		{"flex200", func(t *testing.T) []realTable { return goldTables(t, sharedData(t, "flex200", "cases.jsonl"), 1) }, 2},
		{"maple", func(t *testing.T) []realTable { return goldTables(t, sharedData(t, "maple", "cases.jsonl"), 1) }, 2},
		{"spider2", func(t *testing.T) []realTable { return spiderTables(t) }, 1},
	} {
		t.Run(source.name, func(t *testing.T) {
			tables := source.tables(t)
			for k, change := range cellChanges {
				pairs := 0
				accepted := map[string][]string{}
				for i, table := range tables {
					if !sample.Takes(i*len(cellChanges)+k, len(tables)*len(cellChanges), 24) {
						continue
					}
					rng := rand.New(rand.NewPCG(uint64(i), uint64(k))) //nolint:gosec // a seed, not a secret
					for range source.pairs {
						gold, pred, ok := changedCell(rng, table.sheet, change)
						if !ok {
							break
						}
						pairs++
						for name, why := range taken(t, engine, gold, pred) {
							accepted[name] = append(accepted[name], table.name+": "+why)
						}
					}
				}
				t.Logf("%-32s %5d pairs, hybrid_ex 1 on %3d, verdict 1 on %3d", change.name, pairs, len(accepted["hybrid_ex"]), len(accepted["verdict"]))
				for name, why := range accepted {
					t.Errorf("%s: %s takes %d for right, such as\n%s", change.name, name, len(why), strings.Join(why[:min(len(why), 5)], "\n"))
				}
			}
		})
	}
}

// FuzzOneChangedCell is the same with seeds that the fuzzer chooses.
func FuzzOneChangedCell(f *testing.F) {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		f.Fatal(err)
	}
	tables := goldTables(f, "testdata/traps.jsonl", 3)
	for k := range cellChanges {
		f.Add(uint8(k), uint8(k*7), uint64(k)) //nolint:gosec // a short list
	}
	f.Fuzz(func(t *testing.T, change, table uint8, seed uint64) {
		way := cellChanges[int(change)%len(cellChanges)]
		gold, pred, ok := changedCell(rand.New(rand.NewPCG(seed, 1)), tables[int(table)%len(tables)].sheet, way) //nolint:gosec // a seed, not a secret
		if !ok {
			return
		}
		for name, why := range taken(t, engine, gold, pred) {
			t.Errorf("%s: %s takes it for right: %s\ngold %s\npred %s", way.name, name, why, gold.table(t).AppendJSON(nil), pred.table(t).AppendJSON(nil))
		}
	})
}
