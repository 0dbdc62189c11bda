package metric_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/units"
)

// change turns a result into another answer. It returns nil if it does not apply to the table or
// would change nothing.
type change struct {
	name string
	keep bool // the changed result still is the right answer
	make func(rng *rand.Rand, t grid) *grid
}

// grid is a result as text, NULL as nil: what the changes work on.
type grid struct {
	names []string
	rows  [][]*string
}

func (g grid) clone() *grid {
	out := &grid{names: slices.Clone(g.names)}
	for _, r := range g.rows {
		out.rows = append(out.rows, slices.Clone(r))
	}
	return out
}

func (g grid) column(c int) []string {
	var out []string
	for _, r := range g.rows {
		if r[c] != nil {
			out = append(out, *r[c])
		}
	}
	return out
}

// numbers are the columns that hold only numbers, not all whole where fraction is set.
func (g grid) numbers(fraction bool) []int {
	var out []int
	for c := range g.names {
		vals := g.column(c)
		ok, frac := len(vals) > 0, false
		for _, v := range vals {
			f, err := strconv.ParseFloat(v, 64)
			ok = ok && err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
			frac = frac || f != math.Trunc(f)
		}
		if ok && (frac || !fraction) {
			out = append(out, c)
		}
	}
	return out
}

func text(s string) *string { return &s }

func (g *grid) mapColumn(c int, f func(string) string) bool {
	changed := false
	for _, r := range g.rows {
		if r[c] != nil {
			s := f(*r[c])
			changed = changed || s != *r[c]
			r[c] = &s
		}
	}
	return changed
}

func (g *grid) mapNumber(c int, f func(float64) float64) bool {
	return g.mapColumn(c, func(s string) string {
		v, _ := strconv.ParseFloat(s, 64)
		return strconv.FormatFloat(f(v), 'f', -1, 64)
	})
}

func group(s string) string {
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	whole, frac, hasFrac := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if hasFrac {
		whole += "." + frac
	}
	if neg {
		return "-$" + whole
	}
	return "$" + whole
}

// statesNoUnit reports whether the name of a column states no unit of its numbers, and no rate of something.
func (g grid) statesNoUnit(c int) bool {
	stated := units.InName(g.names[c], nil)
	return !stated.Known() && !stated.NoShare()
}

func isDate(s string) bool {
	_, ok := scoring.ParseDate(s)
	return ok
}

func pick(rng *rand.Rand, from []int) (int, bool) {
	if len(from) == 0 {
		return 0, false
	}
	return from[rng.IntN(len(from))], true
}

// sameCells reports whether two grids hold the same rows up to a hundredth, so that a change that
// changed nothing is not counted.
func sameCells(a, b grid) bool {
	if len(a.rows) != len(b.rows) {
		return false
	}
	key := func(g grid) []string {
		var out []string
		for _, r := range g.rows {
			var cells []string
			for _, c := range r {
				switch {
				case c == nil:
					cells = append(cells, "\x00")
				default:
					if f, err := strconv.ParseFloat(*c, 64); err == nil {
						cells = append(cells, strconv.FormatFloat(f, 'g', 12, 64))
					} else {
						cells = append(cells, strings.ToLower(strings.TrimSpace(*c)))
					}
				}
			}
			out = append(out, strings.Join(cells, "\x1f"))
		}
		sort.Strings(out)
		return out
	}
	return slices.Equal(key(a), key(b))
}

// onNumber makes a change of one column of numbers.
func onNumber(fraction bool, f func(v float64) float64) func(*rand.Rand, grid) *grid {
	return func(rng *rand.Rand, t grid) *grid {
		c, ok := pick(rng, t.numbers(fraction))
		if !ok {
			return nil
		}
		out := t.clone()
		if !out.mapNumber(c, f) {
			return nil
		}
		return out
	}
}

var changes = []change{
	{"renamed", true, func(_ *rand.Rand, t grid) *grid {
		out := t.clone()
		for i := range out.names {
			out.names[i] = fmt.Sprintf("column_%c", 'a'+i%26)
		}
		return out
	}},
	{"permuted", true, func(rng *rand.Rand, t grid) *grid {
		if len(t.names) < 2 {
			return nil
		}
		return t.permuted(rng)
	}},
	{"shuffled", true, func(rng *rand.Rand, t grid) *grid {
		if len(t.rows) < 2 {
			return nil
		}
		out := t.clone()
		rng.Shuffle(len(out.rows), func(i, j int) { out.rows[i], out.rows[j] = out.rows[j], out.rows[i] })
		return out
	}},
	{"renamed, permuted, shuffled", true, func(rng *rand.Rand, t grid) *grid {
		out := t.permuted(rng)
		for i := range out.names {
			out.names[i] = fmt.Sprintf("f%d", i)
		}
		rng.Shuffle(len(out.rows), func(i, j int) { out.rows[i], out.rows[j] = out.rows[j], out.rows[i] })
		return out
	}},
	{"rounded to cents", true, func(rng *rand.Rand, t grid) *grid {
		var cols []int
		for _, c := range t.numbers(true) { // amounts: cents leave their larger part
			least := math.Inf(1)
			for _, s := range t.column(c) {
				f, _ := strconv.ParseFloat(s, 64)
				least = math.Min(least, math.Abs(f))
			}
			if least >= 0.5 {
				cols = append(cols, c)
			}
		}
		c, ok := pick(rng, cols)
		if !ok {
			return nil
		}
		out := t.clone()
		if !out.mapNumber(c, func(v float64) float64 { return math.Round(v*100) / 100 }) {
			return nil
		}
		return out
	}},
	{"percent for fraction", true, func(rng *rand.Rand, t grid) *grid {
		var cols []int
		for _, c := range t.numbers(true) {
			ok, values := true, map[float64]bool{}
			for _, s := range t.column(c) {
				f, _ := strconv.ParseFloat(s, 64)
				ok = ok && f >= 0 && f <= 1
				values[f] = f != 0
			}
			delete(values, 0)
			if ok && len(values) > 1 && t.statesNoUnit(c) { // one number does not show that another one is its percentage
				cols = append(cols, c)
			}
		}
		c, ok := pick(rng, cols)
		if !ok {
			return nil
		}
		out := t.clone()
		out.mapNumber(c, func(v float64) float64 { return math.Round(v*1e12) / 1e10 })
		out.names[c] = "percentage" // numbers alone do not show it
		return out
	}},
	{"currency text", true, func(rng *rand.Rand, t grid) *grid {
		// A dollar sign contradicts minutes and percentages.
		c, ok := pick(rng, slices.DeleteFunc(t.numbers(false), func(c int) bool { return !t.statesNoUnit(c) }))
		if !ok {
			return nil
		}
		out := t.clone()
		for _, s := range t.column(c) {
			if strings.ContainsAny(s, "eE") {
				return nil
			}
		}
		out.mapColumn(c, group)
		return out
	}},
	{"date text", true, func(rng *rand.Rand, t grid) *grid {
		var cols []int
		for c := range t.names {
			if vals := t.column(c); len(vals) > 0 && !slices.ContainsFunc(vals, func(s string) bool { return !isDate(s) }) {
				cols = append(cols, c)
			}
		}
		c, ok := pick(rng, cols)
		if !ok {
			return nil
		}
		out := t.clone()
		months := []string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}
		form := rng.IntN(2)
		out.mapColumn(c, func(s string) string {
			m, _ := strconv.Atoi(s[5:7])
			if form == 0 {
				return s[8:10] + " " + months[m-1] + " " + s[:4]
			}
			return s[5:7] + "/" + s[8:10] + "/" + s[:4]
		})
		return out
	}},
	{"row number added", true, func(_ *rand.Rand, t grid) *grid {
		out := t.clone()
		out.names = append([]string{"row_num"}, out.names...)
		for i := range out.rows {
			out.rows[i] = append([]*string{text(strconv.Itoa(i + 1))}, out.rows[i]...)
		}
		return out
	}},
	{"column inflated", false, onNumber(false, func(v float64) float64 { return v * 1.1 })},
	{"column doubled", false, onNumber(false, func(v float64) float64 { return v * 2 })},
	{"column negated", false, onNumber(false, func(v float64) float64 { return -v })},
	{"column nulled", false, func(rng *rand.Rand, t grid) *grid {
		out := t.clone()
		c := rng.IntN(len(t.names))
		for _, r := range out.rows {
			r[c] = nil
		}
		return out
	}},
	{"column shifted", false, func(rng *rand.Rand, t grid) *grid {
		if len(t.rows) < 2 || len(t.names) < 2 {
			return nil
		}
		out := t.clone()
		c := rng.IntN(len(t.names))
		for i := range out.rows {
			out.rows[i][c] = t.rows[(i+1)%len(t.rows)][c]
		}
		return out
	}},
	{"column replaced", false, func(rng *rand.Rand, t grid) *grid {
		if len(t.names) < 2 {
			return nil
		}
		out := t.clone()
		c := rng.IntN(len(t.names))
		from := (c + 1 + rng.IntN(len(t.names)-1)) % len(t.names)
		for i := range out.rows {
			out.rows[i][c] = t.rows[i][from]
		}
		return out
	}},
	{"rows missing", false, func(rng *rand.Rand, t grid) *grid {
		if len(t.rows) < 3 {
			return nil
		}
		out := t.clone()
		drop := 1 + rng.IntN(max(1, len(t.rows)/4))
		for range drop {
			i := rng.IntN(len(out.rows))
			out.rows = slices.Delete(out.rows, i, i+1)
		}
		return out
	}},
	{"rows added", false, func(rng *rand.Rand, t grid) *grid {
		out := t.clone()
		for range 1 + rng.IntN(max(1, len(t.rows)/4)) {
			out.rows = append(out.rows, slices.Clone(out.rows[rng.IntN(len(out.rows))]))
		}
		return out
	}},
	{"cut to the top", false, func(_ *rand.Rand, t grid) *grid {
		if len(t.rows) < 4 {
			return nil
		}
		out := t.clone()
		out.rows = out.rows[:len(out.rows)/2]
		return out
	}},
}

func (g grid) permuted(rng *rand.Rand) *grid {
	order := rng.Perm(len(g.names))
	out := g.clone()
	for k, c := range order {
		out.names[k] = g.names[c]
		for i := range g.rows {
			out.rows[i][k] = g.rows[i][c]
		}
	}
	return out
}

// table types a grid as a CSV reader does: a column of whole numbers, of numbers, or text.
func (g grid) table(tb testing.TB) *scoring.Table {
	tb.Helper()
	whole := map[int]bool{}
	for _, c := range g.numbers(false) {
		whole[c] = true
	}
	cols := make([]scoring.Column, len(g.names))
	for c := range g.names {
		b := scoring.NewBuilder(g.names[c], scoring.Null, len(g.rows))
		for _, r := range g.rows {
			switch {
			case r[c] == nil:
				b.AppendNull()
			case whole[c]:
				if err := b.AppendNumber([]byte(*r[c]), !strings.ContainsAny(*r[c], ".eE")); err != nil {
					tb.Fatal(err)
				}
			default:
				b.Append(scoring.StringValue(*r[c]))
			}
		}
		cols[c] = b.Column()
	}
	t, err := scoring.NewTable(cols...)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func sharedData(tb testing.TB, elem ...string) string {
	tb.Helper()
	path := filepath.Join(append([]string{"..", "..", "..", "shared", "data"}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("the reference data are not here: %s", filepath.Join(elem...))
	}
	return path
}

func readGrid(tb testing.TB, path string) grid {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	all, err := r.ReadAll()
	if err != nil || len(all) == 0 {
		tb.Skipf("%s: %v", filepath.Base(path), err)
	}
	g := grid{names: all[0]}
	for _, rec := range all[1:] {
		row := make([]*string, len(g.names))
		for i := range row {
			if i < len(rec) && rec[i] != "" {
				row[i] = text(rec[i])
			}
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// Results that real warehouses returned, changed in ways that keep the answer and in ways that
// break it: hybrid_ex must tell them apart.
func TestTellsKeptAnswersFromBrokenOnes(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedData(t, "spider2", "results"), "*.csv"))
	if err != nil || len(files) == 0 {
		t.Fatal("no results", err)
	}
	metrics := []string{"hybrid_ex"}
	for _, m := range []string{"ex_bird", "match_spider2"} {
		if hasMetric(m) {
			metrics = append(metrics, m)
		}
	}
	type tally struct{ n, right int }
	counts := map[string]map[string]*tally{}
	total := map[string]*[2]tally{} // by metric: kept, broken
	for _, ch := range changes {
		counts[ch.name] = map[string]*tally{}
		for _, m := range metrics {
			counts[ch.name][m] = &tally{}
		}
	}
	for _, m := range metrics {
		total[m] = &[2]tally{}
	}
	misses := 0
	for f, path := range files {
		if !sample.Takes(f, len(files), 12) {
			continue
		}
		g := readGrid(t, path)
		if len(g.rows) == 0 || len(g.names) == 0 || len(g.rows) > 2000 {
			continue
		}
		gold := g.table(t)
		for k, ch := range changes {
			rng := rand.New(rand.NewPCG(uint64(f), uint64(k)))
			changed := ch.make(rng, g)
			if changed == nil || !ch.keep && sameCells(g, *changed) {
				continue
			}
			pred := changed.table(t)
			for _, m := range metrics {
				v := score(t, m, gold, pred)
				c, sum := counts[ch.name][m], &total[m][0]
				if !ch.keep {
					sum = &total[m][1]
				}
				c.n++
				sum.n++
				if (v == 1) == ch.keep {
					c.right++
					sum.right++
				} else if m == "hybrid_ex" {
					if misses++; misses <= 60 || os.Getenv("BADGER_VERBOSE") != "" {
						t.Logf("%s, %s: hybrid_ex %.4f", filepath.Base(path), ch.name, v)
					}
				}
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-30s %6s", "change", "n")
	for _, m := range metrics {
		fmt.Fprintf(&b, " %14s", m)
	}
	for _, ch := range changes {
		c := counts[ch.name]
		fmt.Fprintf(&b, "\n%-30s %6d", map[bool]string{true: "keeps: ", false: "breaks: "}[ch.keep]+ch.name, c[metrics[0]].n)
		for _, m := range metrics {
			fmt.Fprintf(&b, " %14.3f", float64(c[m].right)/float64(max(1, c[m].n)))
		}
	}
	for k, what := range []string{"sensitivity", "specificity"} {
		fmt.Fprintf(&b, "\n%-30s %6d", what, total[metrics[0]][k].n)
		for _, m := range metrics {
			fmt.Fprintf(&b, " %14.3f", float64(total[m][k].right)/float64(total[m][k].n))
		}
	}
	t.Log(b.String())
	for k, what := range []string{"sensitivity", "specificity"} {
		if c := total["hybrid_ex"][k]; float64(c.right) < 0.98*float64(c.n) {
			t.Errorf("%s %d of %d, want at least 0.98", what, c.right, c.n)
		}
	}
	least, room := 30, 0.
	if !sample.Thorough() {
		least, room = 1, 2 // of a twelfth, with room for chance
	}
	for _, ch := range changes {
		if c := counts[ch.name]["hybrid_ex"]; c.n < least || float64(c.right)+room < 0.98*float64(c.n) {
			t.Errorf("%s: %d of %d right, want at least 0.98 of at least %d", ch.name, c.right, c.n, least)
		}
	}
}
