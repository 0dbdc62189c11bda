package align_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/aligntest"
	"github.com/badger-eval/badger/scoring/cell"
)

// randomProposal is a proposal that may be right, wrong or nonsense in each of its parts.
func randomProposal(r *rand.Rand, gold, pred *scoring.Table) *align.Proposal {
	ref := func(t *scoring.Table) align.ColumnRef {
		switch n := len(t.Columns); {
		case n == 0 || r.IntN(20) == 0:
			return align.Column(n + r.IntN(3))
		case r.IntN(3) == 0:
			return align.ColumnNamed(t.Columns[r.IntN(n)].Name)
		default:
			return align.Column(1 + r.IntN(n))
		}
	}
	p := &align.Proposal{}
	order := r.Perm(len(pred.Columns))
	for k := range gold.Columns {
		if r.IntN(4) == 0 {
			continue
		}
		pair := align.ProposedPair{Gold: align.Column(k + 1), Pred: ref(pred)}
		if k < len(order) && r.IntN(4) > 0 {
			pair.Pred = align.Column(order[k] + 1)
		}
		if r.IntN(10) == 0 {
			pair.Gold = ref(gold)
		}
		if r.IntN(3) == 0 {
			pair.Kind = []scoring.Kind{scoring.KindNumber, scoring.KindTime, scoring.KindBool, scoring.KindText, "colour"}[r.IntN(5)]
		}
		if r.IntN(3) == 0 {
			pair.Scale = []float64{-6, -3, -2, 2, 3, 6, 1, 400, 0.5, math.MaxFloat64}[r.IntN(10)]
		}
		p.Columns = append(p.Columns, pair)
	}
	for range r.IntN(4) {
		p.Index = append(p.Index, ref(gold))
	}
	for range r.IntN(2) {
		p.Missing, p.Extra = append(p.Missing, ref(gold)), append(p.Extra, ref(pred))
	}
	if r.IntN(3) == 0 {
		t := []float64{0, 1e-6, 0.01, 0.02, 1, -1, math.MaxFloat64}[r.IntN(7)]
		p.Tolerance = &t
	}
	return p
}

// byJudge is an aligner that follows one random proposal, always the same one for the same results.
func byJudge(gold, pred *scoring.Table) scoring.Alignment {
	evidence := byEvidence(gold, pred)
	r := rand.New(rand.NewPCG(uint64(len(gold.AppendJSON(nil))), uint64(len(pred.AppendJSON(nil)))))
	a, _ := align.Accept(gold, pred, &evidence, randomProposal(r, gold, pred), align.Options{Tolerance: align.PaperTolerance}, align.PaperTolerance)
	return a
}

// With any proposal an alignment fits its tables; and the better of it and of the evidence proves
// what was kept and nothing that was broken.
func TestProposals(t *testing.T) {
	aligntest.Form(t, byJudge)
	aligntest.Evidence(t, func(gold, pred *scoring.Table) scoring.Alignment {
		evidence, judged := byEvidence(gold, pred), byJudge(gold, pred)
		if cell.Compare(gold, pred, &judged, cell.Options{}).Score > cell.Compare(gold, pred, &evidence, cell.Options{}).Score {
			return judged
		}
		return evidence
	})
}

// A proposal that says what the evidence says, or nothing, changes nothing.
func TestProposalOfTheEvidence(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 21))
		gold, pred := randomTables(r)
		evidence := byEvidence(gold, pred)
		same := align.Proposal{}
		for _, c := range evidence.Columns {
			if !slices.ContainsFunc(evidence.Columns, func(o scoring.ColumnPair) bool { return o.Pred == c.Pred && o.Gold < c.Gold }) {
				same.Columns = append(same.Columns, align.ProposedPair{Gold: align.Column(c.Gold + 1), Pred: align.Column(c.Pred + 1)})
			}
		}
		for _, p := range []*align.Proposal{{}, &same} {
			got, rejected := align.Accept(gold, pred, &evidence, p, align.Options{Tolerance: align.PaperTolerance}, align.PaperTolerance)
			if len(rejected) > 0 {
				t.Fatalf("seed %d: rejected %v", seed, rejected)
			}
			got.Source, got.Confidence, got.Why = evidence.Source, evidence.Confidence, evidence.Why
			want, _ := json.Marshal(evidence)
			if have, _ := json.Marshal(got); string(have) != string(want) {
				t.Fatalf("seed %d:\n%s\nwant\n%s", seed, have, want)
			}
		}
	}
}

// What is taken of a proposal does not depend on where columns and rows stand.
func TestAcceptDoesNotDependOnOrder(t *testing.T) {
	turned := func(table *scoring.Table, columns, rows []int) *scoring.Table {
		moved := make([]scoring.Column, len(columns))
		for to, from := range columns {
			c := &table.Columns[from]
			b := scoring.NewBuilder(c.Name, c.Type, len(rows))
			for _, i := range rows {
				b.Append(c.Value(i))
			}
			moved[to] = b.Column()
			moved[to].Scale = c.Scale
		}
		out, err := scoring.NewTable(moved...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	said := func(a *scoring.Alignment, golds, preds []int) string {
		var lines []string
		for k, c := range a.Columns {
			index := slices.Contains(a.Index, k)
			lines = append(lines, fmt.Sprintf("%d is %d, index %v, %s %v %+v", golds[c.Gold], preds[c.Pred], index, c.By, c.Overlap, c.Comparison))
		}
		for _, i := range a.Missing {
			lines = append(lines, fmt.Sprint("missing ", golds[i]))
		}
		for _, j := range a.Extra {
			lines = append(lines, fmt.Sprint("extra ", preds[j], slices.Contains(a.Trivial, j)))
		}
		slices.Sort(lines)
		return fmt.Sprint(a.Confidence) + "\n" + strings.Join(lines, "\n")
	}
	sharesName := func(t *scoring.Table) bool {
		names := map[string]bool{}
		for i := range t.Columns {
			names[t.Columns[i].Name] = true
		}
		return len(names) < len(t.Columns)
	}
	identity := func(n int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = i
		}
		return out
	}
	o := align.Options{Tolerance: align.PaperTolerance}
	taken := 0
	for seed := range uint64(sample.Count(12_000, 4)) { //nolint:gosec // few
		r := rand.New(rand.NewPCG(seed, 23))
		gold, pred := randomTables(r)
		if seed%100 == 0 {
			gold, pred = twoKeys(t)
		}
		if len(gold.Columns) == 0 || len(pred.Columns) == 0 || sharesName(gold) || sharesName(pred) {
			continue // of two columns alike in name and values, nothing says which is which
		}
		golds, preds := r.Perm(len(gold.Columns)), r.Perm(len(pred.Columns))
		otherGold, otherPred := turned(gold, golds, r.Perm(gold.Rows())), turned(pred, preds, r.Perm(pred.Rows()))
		var p, turnedProposal align.Proposal
		order := r.Perm(len(pred.Columns))
		for g := range min(len(gold.Columns), len(order)) {
			if r.IntN(3) == 0 {
				continue
			}
			p.Columns = append(p.Columns, align.ProposedPair{Gold: align.Column(g + 1), Pred: align.Column(order[g] + 1)})
			turnedProposal.Columns = append(turnedProposal.Columns, align.ProposedPair{Gold: align.Column(slices.Index(golds, g) + 1), Pred: align.Column(slices.Index(preds, order[g]) + 1)})
		}
		evidence, otherEvidence := byEvidence(gold, pred), byEvidence(otherGold, otherPred)
		a, _ := align.Accept(gold, pred, &evidence, &p, o, align.PaperTolerance)
		b, _ := align.Accept(otherGold, otherPred, &otherEvidence, &turnedProposal, o, align.PaperTolerance)
		if was, is := said(&a, identity(len(golds)), identity(len(preds))), said(&b, golds, preds); was != is {
			t.Fatalf("seed %d: in another order\n%s\nwas\n%s", seed, is, was)
		}
		if slices.ContainsFunc(a.Columns, func(c scoring.ColumnPair) bool { return c.By == "judge" }) {
			taken++
		}
	}
	if taken < sample.Count(100, 4) {
		t.Errorf("only %d proposals were taken, want some that are", taken)
	}
}

// twoKeys returns two results whose rows could be joined by either string column, each of which loses a different
// row.
func twoKeys(t *testing.T) (gold, pred *scoring.Table) {
	t.Helper()
	var tables [2]*scoring.Table
	for side := range tables {
		name, code, n := scoring.NewBuilder("name", scoring.String, 10), scoring.NewBuilder("place", scoring.String, 10), scoring.NewBuilder("n", scoring.Int64, 10)
		for i := range int64(10) {
			a, b := fmt.Sprint("a", i), fmt.Sprint("b", i)
			if side == 1 && i == 3 {
				a = "another"
			}
			if side == 1 && i == 7 {
				b = "another"
			}
			name.Append(scoring.StringValue(a))
			code.Append(scoring.StringValue(b))
			n.AppendInt(i * i)
		}
		var err error
		if tables[side], err = scoring.NewTable(name.Column(), code.Column(), n.Column()); err != nil {
			t.Fatal(err)
		}
	}
	return tables[0], tables[1]
}

// The score under an accepted proposal is at most the share of cells that are equal when every row
// meets the partner that suits all of them best; and what is called equal is equal within the
// bounds that the alignment states, which a proposal cannot widen. One pair of tables in four, or where
// tests are thorough all.
func TestScoreUnderAProposalIsBounded(t *testing.T) {
	const tables = 6000
	taken, raised := 0, 0
	for seed := range uint64(tables) {
		if !sample.Takes(int(seed), tables, 10) { //nolint:gosec // few
			continue
		}
		r := rand.New(rand.NewPCG(seed, 22))
		gold, pred := randomTables(r)
		evidence := byEvidence(gold, pred)
		before, _ := json.Marshal(evidence)
		p := randomProposal(r, gold, pred)
		a, _ := align.Accept(gold, pred, &evidence, p, align.Options{Tolerance: align.PaperTolerance}, align.PaperTolerance)
		if after, _ := json.Marshal(evidence); string(after) != string(before) {
			t.Fatalf("seed %d: the evidence was changed", seed)
		}
		for _, c := range a.Columns {
			if c.By == "judge" {
				taken++
			}
			if c.Tolerance > align.PaperTolerance || !slices.Contains([]int{0, -6, -3, -2, 2, 3, 6}, c.Scale) {
				t.Fatalf("seed %d: %+v", seed, c)
			}
		}
		score := cell.Compare(gold, pred, &a, cell.Options{}).Score
		if score > cell.Compare(gold, pred, &evidence, cell.Options{}).Score {
			raised++
		}
		if most := mostEqual(gold, pred, &a); score > most+1e-12 {
			t.Fatalf("seed %d: the score is %v, but at most %v of the cells are equal under %+v\ngold %s\npred %s", seed, score, most, a, gold.AppendJSON(nil), pred.AppendJSON(nil))
		}
	}
	t.Logf("%d pairs by the judge, %d scores raised", taken, raised)
	if taken < sample.Count(300, 10) || raised < sample.Count(20, 10) {
		t.Errorf("%d pairs by the judge, %d scores raised: too little was tried", taken, raised)
	}
}

// randomTables are two small results of few values, in which much agrees by chance.
func randomTables(r *rand.Rand) (gold, pred *scoring.Table) {
	values := []func() scoring.Value{
		func() scoring.Value { return scoring.IntValue(int64(r.IntN(4))) },
		func() scoring.Value { return scoring.IntValue(1234 * int64(1+r.IntN(3)) * []int64{1, 1000}[r.IntN(2)]) },
		func() scoring.Value {
			return scoring.FloatValue([]float64{0.125, 12.5, 1.234, 1234, 12.6, 1.24, 2.468}[r.IntN(7)])
		},
		func() scoring.Value { return scoring.DecimalValue(int64(1230+r.IntN(8)), 2) },
		func() scoring.Value {
			return scoring.StringValue([]string{"a", "A ", "b", "12.5", "$1,234", "2024-01-02", "yes"}[r.IntN(7)])
		},
		func() scoring.Value {
			return scoring.StringValue([]string{"12.5%", "1.2", "(3)", "1234"}[r.IntN(4)])
		},
		func() scoring.Value { return scoring.BoolValue(r.IntN(2) == 0) },
		func() scoring.Value { return scoring.DateValue(19723 + int64(r.IntN(3))) },
	}
	table := func(rows int) *scoring.Table {
		columns := make([]scoring.Column, 1+r.IntN(4))
		for k := range columns {
			b := scoring.NewBuilder([]string{"id", "total", "total", "share", "day", ""}[r.IntN(6)], scoring.Null, rows)
			value := values[r.IntN(len(values))]
			for range rows {
				if r.IntN(10) == 0 {
					b.AppendNull()
				} else {
					b.Append(value())
				}
			}
			columns[k] = b.Column()
		}
		made, err := scoring.NewTable(columns...)
		if err != nil {
			panic(err)
		}
		return made
	}
	rows := 1 + r.IntN(5)
	gold = table(rows)
	if r.IntN(2) == 0 {
		rows = 1 + r.IntN(5)
	}
	pred = table(rows)
	if r.IntN(2) == 0 { // some columns of gold, in other places and under other names
		for k := range pred.Columns {
			if r.IntN(2) == 0 && pred.Rows() == gold.Rows() {
				name := pred.Columns[k].Name
				pred.Columns[k] = gold.Columns[r.IntN(len(gold.Columns))]
				pred.Columns[k].Name = name
			}
		}
	}
	return gold, pred
}

// mostEqual is the largest share of cells that can be equal under an alignment, over all ways to
// match rows one to one.
func mostEqual(gold, pred *scoring.Table, a *scoring.Alignment) float64 {
	width := len(a.Columns) + len(a.Missing)
	weight := func(i, j int) (n int) {
		for _, c := range a.Columns {
			if equalCells(&gold.Columns[c.Gold], &pred.Columns[c.Pred], i, j, &c.Comparison) {
				n++
			}
		}
		for _, g := range a.Missing {
			if gold.Columns[g].IsNull(i) {
				n++
			}
		}
		return n
	}
	best := map[int]int{0: 0} // by the set of predicted rows used
	for i := range gold.Rows() {
		next := map[int]int{}
		for used, n := range best {
			next[used] = max(next[used], n)
			for j := range pred.Rows() {
				if used&(1<<j) == 0 {
					next[used|1<<j] = max(next[used|1<<j], n+weight(i, j))
				}
			}
		}
		best = next
	}
	most := 0
	for _, n := range best {
		most = max(most, n)
	}
	return float64(most) / float64(width*max(gold.Rows(), pred.Rows()))
}

// equalCells reports whether two cells are equal under a comparison, by exact arithmetic.
func equalCells(g, p *scoring.Column, i, j int, c *scoring.Comparison) bool {
	gv := cell.Read(g, cell.View{Kind: c.Kind, Format: c.GoldFormat}, i)
	pv := cell.Read(p, cell.View{Kind: c.Kind, Format: c.PredFormat}, j)
	if gv.IsNull() || pv.IsNull() {
		return gv.IsNull() && pv.IsNull()
	}
	x, ok := new(big.Rat).SetString(number(gv))
	y, ok2 := new(big.Rat).SetString(number(pv))
	if c.Kind == scoring.KindText || !ok || !ok2 {
		plain := func(v scoring.Value) string {
			return strings.ToLower(strings.Join(strings.Fields(strings.TrimSuffix(v.String(), " 00:00:00")), " "))
		}
		return plain(gv) == plain(pv)
	}
	ten := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(c.Scale, -c.Scale))), nil))
	if c.Scale < 0 {
		ten.Inv(ten)
	}
	y.Mul(y, ten)
	diff := new(big.Rat).Abs(new(big.Rat).Sub(x, y))
	bound := func(f float64) *big.Rat { return new(big.Rat).SetFloat64(f * (1 + 1e-8)) }
	largest := new(big.Rat).Abs(x)
	if other := new(big.Rat).Abs(y); other.Cmp(largest) > 0 {
		largest = other
	}
	return diff.Sign() == 0 || diff.Cmp(bound(c.Within)) <= 0 || diff.Cmp(largest.Mul(largest, bound(c.Tolerance))) <= 0
}

func number(v scoring.Value) string {
	if v.Type == scoring.Bool {
		return map[bool]string{true: "1", false: "0"}[v.Bool()]
	}
	return v.String()
}

// If nothing is open, no proposal finds more than the evidence; and often something is. One pair of tables in
// four, or where tests are thorough all.
func TestNothingIsOpen(t *testing.T) {
	const tables = 4000
	closed, tried := 0, 0
	for seed := range uint64(tables) {
		if !sample.Takes(int(seed), tables, 10) { //nolint:gosec // few
			continue
		}
		tried++
		r := rand.New(rand.NewPCG(seed, 23))
		gold, pred := randomTables(r)
		if seed%100 == 0 {
			gold, pred = twoKeys(t)
		}
		most := []float64{0, align.PaperTolerance, 0.1}[r.IntN(3)]
		o := align.Options{Tolerance: align.PaperTolerance}
		evidence := byEvidence(gold, pred)
		score := cell.Compare(gold, pred, &evidence, cell.Options{}).Score
		if score == 1 || align.Open(gold, pred, &evidence, o, most) {
			continue
		}
		closed++
		for range 25 {
			p := randomProposal(r, gold, pred)
			a, _ := align.Accept(gold, pred, &evidence, p, o, most)
			if got := cell.Compare(gold, pred, &a, cell.Options{}).Score; got > score {
				t.Fatalf("seed %d: closed, and yet %v comes to be %v\ngold %s\npred %s\nevidence %+v\naccepted %+v", seed, score, got, gold.AppendJSON(nil), pred.AppendJSON(nil), evidence, a)
			}
		}
	}
	t.Logf("%d of %d closed", closed, tried)
	if closed < tried/10 || closed > tried/10*9 {
		t.Error("that tries little")
	}
}

func TestDoubts(t *testing.T) {
	for _, tc := range []struct {
		why  string
		a    scoring.Alignment
		want int
	}{
		{"sure of every column", scoring.Alignment{Confidence: 0.75}, 0},
		{"extra columns leave no doubt", scoring.Alignment{Confidence: 0.99, Extra: []int{2}}, 0},
		{"an unsure pair", scoring.Alignment{Confidence: 0.74}, 1},
		{"a missing column, with none left to answer it", scoring.Alignment{Confidence: 0.8, Missing: []int{1}}, 1},
		{"both", scoring.Alignment{Confidence: 0.3, Missing: []int{1}, Extra: []int{0}}, 2},
	} {
		if got := align.Uncertainties(&tc.a); len(got) != tc.want {
			t.Errorf("%s: %q", tc.why, got)
		}
	}
}

func TestColumnRef(t *testing.T) {
	table := func(names ...string) *scoring.Table {
		columns := make([]scoring.Column, len(names))
		for i, n := range names {
			columns[i] = scoring.IntColumn(n, scoring.Int64, []int64{int64(i), int64(10 * i)}, nil)
		}
		made, err := scoring.NewTable(columns...)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	for _, tc := range []struct {
		why, ref string
		names    []string
		want     string // of the rejection; empty: it is column 2
	}{
		{"a position counts from 1", `2`, []string{"a", "b"}, ""},
		{"there is no column 0", `0`, []string{"a", "b"}, "no such"},
		{"nor one behind the last", `3`, []string{"a", "b"}, "no such"},
		{"nor a negative one", `-1`, []string{"a", "b"}, "no such"},
		{"nor a broken one", `1.5`, []string{"a", "b"}, "no such"},
		{"nor one of absurd size", `1e300`, []string{"a", "b"}, "no such"},
		{"a name", `"b"`, []string{"a", "b"}, ""},
		{"a name in other letters", `"Total-B"`, []string{"a", "total_b"}, ""},
		{"the exact name goes before one that is like it", `"b"`, []string{"B", "b"}, ""},
		{"a name that two columns have says nothing", `"b"`, []string{"b", "b"}, "several"},
		{"a number that is a name", `"1"`, []string{"x", "1"}, ""},
		{"a position written as text", `"2"`, []string{"a", "b"}, ""},
		{"null is no column", `null`, []string{"a", "b"}, "no such"},
		{"neither is an object", `{"position": 2}`, []string{"a", "b"}, "no such"},
		{"an empty name is that of no column", `""`, []string{"a", "b"}, "no such"},
	} {
		var p align.Proposal
		if err := json.Unmarshal([]byte(`{"missing_columns": [`+tc.ref+`]}`), &p); err != nil {
			t.Errorf("%s: %v", tc.why, err)
			continue
		}
		pred := table("p", "q")
		evidence := scoring.Alignment{Missing: []int{0, 1}, Extra: []int{0, 1}}
		p.Columns = []align.ProposedPair{{Gold: align.Column(2), Pred: align.Column(2)}} // so that column 2 is mapped
		_, rejected := align.Accept(table(tc.names...), pred, &evidence, &p, align.Options{}, 0)
		want := tc.want
		if want == "" {
			want = "also mapped"
		}
		if len(rejected) != 1 || !strings.Contains(rejected[0].Why, want) {
			t.Errorf("%s: %v, want %q", tc.why, rejected, want)
		}
	}
}
