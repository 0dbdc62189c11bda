package caseview_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

func table(t testing.TB, text string) *scoring.Table {
	t.Helper()
	out, err := scoring.ParseResult([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// pairOf is a case of two results.
func pairOf(gold, agent *scoring.Table) *scoring.Case {
	return &scoring.Case{
		ID: "pair", Golds: []scoring.Query{{Result: scoring.Result{Table: gold}, Ran: true}}, Pred: scoring.Query{Result: scoring.Result{Table: agent}, Ran: true},
	}
}

func build(t testing.TB, in caseview.Input, o caseview.Options) *caseview.View {
	t.Helper()
	v, err := caseview.Build(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// aligned is a score of hybrid_ex that was made under an alignment.
func aligned(gold, agent *scoring.Table, a scoring.Alignment) scoring.Score {
	h := metric.CompareUnder(gold, agent, &a)
	s := scoring.OK(h.Counts.Score, h.Reason())
	s.Metric, s.Version, s.Detail = "hybrid_ex", 2, h
	return s
}

const salesGold = `{"columns":[{"name":"region","type":"STRING"},{"name":"day","type":"DATE"},{"name":"revenue","type":"DECIMAL"},{"name":"share","type":"FLOAT64"},{"name":"orders","type":"INT64"},{"name":"note","type":"STRING"}],"rows":[
	["north","2024-01-01","1234.50",0.125,17,"ok"],["south","2024-01-02","99.10",0.5,3,null],["west","2024-01-03","5.00",0.25,1,"late"]]}`

const salesAgent = `{"columns":[{"name":"Region","type":"STRING"},{"name":"day","type":"DATE"},{"name":"rev","type":"DECIMAL"},{"name":"pct","type":"FLOAT64"},{"name":"note","type":"STRING"},{"name":"rank","type":"INT64"}],"rows":[
	["North ","2024-01-01","1234.5",12.5,"ok",1],["south","2024-01-05","98.10",51,"",2],["east","2024-01-03","8.00",1,"late",3]]}`

var salesAlignment = scoring.Alignment{
	Source: "evidence", Confidence: 0.8, Index: []int{0}, Missing: []int{4}, Extra: []int{5}, Trivial: []int{5},
	Columns: []scoring.ColumnPair{
		{Gold: 0, Pred: 0, By: "values", Comparison: scoring.Comparison{Kind: scoring.KindText}},
		{Gold: 1, Pred: 1, By: "name", Comparison: scoring.Comparison{Kind: scoring.KindTime}},
		{Gold: 2, Pred: 2, By: "values", Comparison: scoring.Comparison{Kind: scoring.KindNumber}},
		{Gold: 3, Pred: 3, By: "values", Comparison: scoring.Comparison{Kind: scoring.KindNumber, Scale: -2, Fact: "percent for fraction"}},
		{Gold: 5, Pred: 4, By: "values", Comparison: scoring.Comparison{Kind: scoring.KindText}},
	},
}

func sales(t testing.TB) caseview.Input {
	gold, agent := table(t, salesGold), table(t, salesAgent)
	return caseview.Input{Case: pairOf(gold, agent), Scores: []scoring.Score{aligned(gold, agent, salesAlignment)}}
}

// line is a cell in a few words, for tables of expected ones.
func line(c caseview.Cell) string {
	side := func(v *caseview.Value) string {
		switch {
		case v == nil:
			return "-"
		case v.Null:
			return "NULL"
		}
		return fmt.Sprintf("%q", v.Text)
	}
	out := c.State.String() + " " + side(c.Gold) + " " + side(c.Agent)
	if c.How != "" {
		out += " (" + c.How + ")"
	}
	if c.Change != nil {
		out += " by " + c.Change.Absolute
		if c.Change.Relative != "" {
			out += ", " + c.Change.Relative
		}
	}
	if c.From > 0 {
		out += fmt.Sprintf(" from %d", c.From)
	}
	return out
}

func lines(rows []caseview.Row) (out []string) {
	for _, r := range rows {
		head := fmt.Sprintf("%s %d %d", r.Kind, r.GoldRow, r.AgentRow)
		for _, c := range r.Cells {
			if c.Gold != nil || c.Agent != nil {
				head += "; " + line(c)
			}
		}
		out = append(out, head)
	}
	return out
}

// Every state of a cell, with how two values are the same and how far they are apart, worked out by
// hand: 98.10 is 1 less than 99.10, which is 1/99.1 = 1.009 %; 51 % is 0.01 more than 0.5.
func TestStates(t *testing.T) {
	v := build(t, sales(t), caseview.Options{Cells: caseview.CellOptions{Show: caseview.All}})
	if !v.Stored {
		t.Fatalf("the stored alignment is not shown: %v", v.Notes)
	}
	want := []string{
		`matched 1 1; mapped "north" "North " (letter case and white space); equal "2024-01-01" "2024-01-01"; equal "1234.50" "1234.50"; mapped "0.125" "12.5" (percent for fraction); only_gold "17" -; equal "ok" "ok"; only_agent - "1"`,
		`matched 2 2; equal "south" "south"; differs "2024-01-02" "2024-01-05" by +3 days; differs "99.10" "98.10" by -1.00, -1.009 %; differs "0.5" "51" by +0.01, +2.000 %; only_gold "3" -; differs NULL ""; only_agent - "2"`,
		`missing 3 0; only_gold "west" -; only_gold "2024-01-03" -; only_gold "5.00" -; only_gold "0.25" -; only_gold "1" -; only_gold "late" -`,
		`extra 0 3; only_agent - "east"; only_agent - "2024-01-03"; only_agent - "8.00"; only_agent - "1"; only_agent - "late"; only_agent - "3"`,
	}
	if diff := cmp.Diff(want, lines(v.Cells.Page)); diff != "" {
		t.Error(diff)
	}
	checkCells(t, "sales", v.Cells)
	counts := map[caseview.State][2]int{}
	for _, n := range v.Cells.Counts {
		counts[n.State] = [2]int{n.Cells, n.Rows}
	}
	// Only in gold: the column orders in three rows, and five cells of the missing row besides.
	if diff := cmp.Diff(map[caseview.State][2]int{caseview.Equal: {4, 2}, caseview.Mapped: {2, 1}, caseview.Differs: {4, 1}, caseview.OnlyGold: {8, 3}, caseview.OnlyAgent: {8, 3}}, counts); diff != "" {
		t.Error(diff)
	}
}

// What is shown follows the states that were chosen, and the pages follow one another.
func TestChoosingRows(t *testing.T) {
	all := []string{"matched 1 1", "matched 2 2", "missing 3 0", "extra 0 3"}
	for _, c := range []struct {
		show string
		want []string
	}{
		{"", all[1:]},
		{"all", all},
		{"differs", all[1:2]},
		{"equal", all[:2]},
		{"mapped", all[:1]},
		{"mapped,differs", all[:2]},
		{"only_gold", []string{"matched 1 1", "matched 2 2", "missing 3 0"}}, // a column of gold has no counterpart
		{"only_agent", []string{"matched 1 1", "matched 2 2", "extra 0 3"}},
	} {
		show, err := caseview.ParseStates(c.show)
		if err != nil || show.String() != c.show {
			t.Fatalf("%q: %q, %v", c.show, show, err)
		}
		var got []string
		for from := 0; ; from += 2 {
			v := build(t, sales(t), caseview.Options{Cells: caseview.CellOptions{Show: show, From: from, Rows: 2}})
			if v.Cells.Total != len(c.want) || v.Cells.From != from || len(v.Cells.Page) > 2 {
				t.Errorf("%q: %d rows from %d, %d on the page, want %d in all", c.show, v.Cells.Total, v.Cells.From, len(v.Cells.Page), len(c.want))
			}
			for _, r := range v.Cells.Page {
				got = append(got, fmt.Sprintf("%s %d %d", r.Kind, r.GoldRow, r.AgentRow))
			}
			if len(v.Cells.Page) == 0 {
				break
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.show, diff)
		}
	}
	v := build(t, sales(t), caseview.Options{Cells: caseview.CellOptions{Show: caseview.All, Each: 1}})
	if len(v.Cells.Page) != 3 || v.Cells.Total != 4 {
		t.Errorf("one of each kind: %d of %d", len(v.Cells.Page), v.Cells.Total)
	}
	for _, bad := range []string{"equals", "all,equal", "EQUAL"} {
		if _, err := caseview.ParseStates(bad); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestListOfCells(t *testing.T) {
	get := func(o caseview.CellOptions) (out []string, total int) {
		o.Layout = caseview.List
		v := build(t, sales(t), caseview.Options{Cells: o})
		for _, d := range v.Cells.List {
			if len(d.Key) != 1 || v.Cells.Page != nil {
				t.Fatalf("%+v", d)
			}
			out = append(out, v.Cells.Columns[d.Column].Label+": "+line(d.Cell))
		}
		return out, v.Cells.Total
	}
	want := []string{
		`day: differs "2024-01-02" "2024-01-05" by +3 days`, `revenue: differs "99.10" "98.10" by -1.00, -1.009 %`, `share: differs "0.5" "51" by +0.01, +2.000 %`, `note: differs NULL ""`,
	}
	got, total := get(caseview.CellOptions{})
	if diff := cmp.Diff(want, got); diff != "" || total != 4 {
		t.Error(total, diff)
	}
	got, total = get(caseview.CellOptions{From: 1, Rows: 2})
	if diff := cmp.Diff(want[1:3], got); diff != "" || total != 4 {
		t.Error(total, diff)
	}
	if got, _ = get(caseview.CellOptions{Show: caseview.Set(caseview.Mapped)}); len(got) != 2 {
		t.Errorf("mapped: %q", got)
	}
}

func TestMapping(t *testing.T) {
	m := build(t, sales(t), caseview.Options{}).Mapping
	var got []string
	for _, c := range m.Columns {
		agent := "-"
		if c.Agent != nil {
			agent = c.Agent.Name
		}
		got = append(got, fmt.Sprintf("%s %s %s %d/%d %s %t", c.Name, agent, c.How, c.Equal, c.Of, c.By, c.Key))
		if (c.Share == nil) != (c.Agent == nil) {
			t.Errorf("%s: share %v", c.Name, c.Share)
		}
	}
	want := []string{
		"region Region text 2/2 values true", "day day date 1/2 name false", "revenue rev numeric 1/2 values false", "share pct numeric, percent for fraction 1/2 values false", "orders -  0/0  false", "note note text 1/2 values false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(m.Extra) != 1 || m.Extra[0].Name != "rank" || !m.Extra[0].Trivial || m.Source != "evidence" || m.Matching() != "rows are matched on region" {
		t.Errorf("%+v", m)
	}
}

// Columns that have no name, or the same one, are told apart by their positions.
func TestNamesOfColumns(t *testing.T) {
	gold := table(t, `{"columns":["n","n",""],"rows":[[1,2,3]]}`)
	v := build(t, caseview.Input{Case: pairOf(gold, gold)}, caseview.Options{Cells: caseview.CellOptions{Show: caseview.All}})
	var names []string
	for _, c := range v.Cells.Columns {
		names = append(names, c.Label)
	}
	if diff := cmp.Diff([]string{"n [1]", "n [2]", "[3]"}, names); diff != "" {
		t.Error(diff)
	}
}

// Values that differ only where nobody sees it are shown apart, and exactly as they are stored.
func TestValues(t *testing.T) {
	gold := table(t, `{"columns":[{"name":"id","type":"INT64"},{"name":"d","type":"DECIMAL"},{"name":"s","type":"STRING"}],"rows":[
		[1,"0.1000000000000000000000000000001",""],[2,"12345678901234567890.5"," a"],[3,"-7","x\u202ey"],[4,null,"NULL"],[5,"2","a\tb\n"]]}`)
	v := build(t, caseview.Input{Case: pairOf(gold, gold)}, caseview.Options{Cells: caseview.CellOptions{Show: caseview.All}})
	pieces := func(row, column int) (out string) {
		x := v.Cells.Page[row].Cells[column].Gold
		for _, p := range x.Pieces {
			if p.Symbol != "" {
				out += "[" + p.Symbol + "]"
			} else {
				out += p.Text
			}
		}
		return out + strings.Repeat("_", x.Pad)
	}
	for _, c := range []struct {
		row, column int
		want        string
	}{
		// The widest fraction has 31 digits and its point, of which at most 24 are made room for.
		{0, 1, "0.1000000000000000000000000000001"}, {1, 1, "12345678901234567890.5000000000000000000000000000000"},
		{1, 2, "[space]a"}, {2, 2, "x[right-to-left override]y"}, {3, 2, "NULL"}, {4, 2, "a[tab]b[line feed]"}, {0, 0, "1"},
	} {
		if got := pieces(c.row, c.column); got != c.want {
			t.Errorf("row %d, column %d: %q, want %q", c.row+1, c.column+1, got, c.want)
		}
	}
	empty, null, word := v.Cells.Page[0].Cells[2].Gold, v.Cells.Page[3].Cells[1].Gold, v.Cells.Page[3].Cells[2].Gold
	if !empty.Empty() || empty.Null || null.Empty() || !null.Null || word.Null || word.Empty() {
		t.Errorf("empty %+v, NULL %+v, the word NULL %+v", empty, null, word)
	}
	mixed := table(t, `{"columns":[{"name":"f","type":"FLOAT64"}],"rows":[[1.5],[22],[-0.125],[null]]}`)
	v = build(t, caseview.Input{Case: pairOf(mixed, mixed)}, caseview.Options{Cells: caseview.CellOptions{Show: caseview.All}})
	for row, want := range []int{2, 4, 0, 0} { // ".125" is four characters
		if got := v.Cells.Page[row].Cells[0].Gold.Pad; got != want {
			t.Errorf("row %d is padded by %d, want %d", row+1, got, want)
		}
	}
}

func TestLongText(t *testing.T) {
	long := strings.Repeat("é", 400)
	gold, agent := scoring.NewBuilder("s", scoring.String, 2), scoring.NewBuilder("s", scoring.String, 2)
	for _, v := range []string{"x", long + "a"} {
		gold.Append(scoring.StringValue(v))
	}
	for _, v := range []string{"x", long + "b"} {
		agent.Append(scoring.StringValue(v))
	}
	g, _ := scoring.NewTable(gold.Column())
	a, _ := scoring.NewTable(agent.Column())
	v := build(t, caseview.Input{Case: pairOf(g, a)}, caseview.Options{Cells: caseview.CellOptions{Cut: 100}})
	c := v.Cells.Page[0].Cells[0]
	if c.From != 401 || c.Gold.Length != 401 || len([]rune(c.Gold.Pieces[0].Text)) != 100 || c.Gold.Pieces[0].Text+c.Gold.Rest[0].Text != long+"a" || c.Gold.Text != long+"a" {
		t.Errorf("%+v", c)
	}
}

// TestAllRowsAgree holds that rows that all agree are shown in pairs, too, whatever their order.
func TestAllRowsAgree(t *testing.T) {
	gold, agent := table(t, `{"columns":["a","b"],"rows":[[1,"x"],[2,"y"],[2,"y"],[3,"z"]]}`), table(t, `{"columns":["b","a"],"rows":[["z",3],["y",2],["x",1],["y",2]]}`)
	v := build(t, caseview.Input{Case: pairOf(gold, agent)}, caseview.Options{Cells: caseview.CellOptions{Show: caseview.All}})
	if len(v.Cells.Page) != 4 || v.Cells.Page[0].AgentRow != 3 || v.Cells.Page[3].AgentRow != 1 || v.Mapping.Matching() != "all rows agree" {
		t.Errorf("%+v", lines(v.Cells.Page))
	}
	checkCells(t, "agree", v.Cells)
	if v = build(t, caseview.Input{Case: pairOf(gold, agent)}, caseview.Options{}); len(v.Cells.Page) != 0 || v.Cells.Total != 0 {
		t.Errorf("without differences %d rows are shown", len(v.Cells.Page))
	}
}

// TestRandomResults holds for results of all kinds that every cell and row is accounted for once.
func TestRandomResults(t *testing.T) {
	for seed := range uint64(300) {
		gold, agent := randomPair(seed)
		v := build(t, caseview.Input{Case: pairOf(gold, agent)}, caseview.Options{Cells: caseview.CellOptions{Show: caseview.All, Rows: 1000}})
		if v.Cells == nil {
			t.Fatalf("seed %d: %v", seed, v.Notes)
		}
		checkCells(t, fmt.Sprint("seed ", seed), v.Cells)
		equal := 0
		for _, row := range v.Cells.Page {
			for _, c := range row.Cells {
				if c.State == caseview.Equal {
					equal++
					if c.Gold.Null != c.Agent.Null || !c.Gold.Number && c.Gold.Text != c.Agent.Text {
						t.Fatalf("seed %d: %s are called equal", seed, line(c))
					}
				}
				if c.State == caseview.Mapped && c.How == "" {
					t.Fatalf("seed %d: %s does not say how", seed, line(c))
				}
			}
		}
	}
}

// randomPair is a result and one that came of it by some of the things agents do.
func randomPair(seed uint64) (gold, agent *scoring.Table) {
	r := rand.New(rand.NewPCG(seed, 7))
	rows, cols := r.IntN(20), 1+r.IntN(5)
	order := r.Perm(rows)
	if r.IntN(3) == 0 {
		order = order[:r.IntN(rows+1)]
	}
	var golds, agents []scoring.Column
	for c := range cols {
		g, a := scoring.NewBuilder(fmt.Sprintf("c%d", c), scoring.Null, 0), scoring.NewBuilder(fmt.Sprintf("p%d", r.IntN(cols)), scoring.Null, 0)
		values := make([]scoring.Value, rows)
		kind, change := r.IntN(5), r.IntN(6)
		for i := range values {
			switch kind {
			case 0:
				values[i] = scoring.IntValue(int64(r.IntN(8)))
			case 1:
				values[i] = scoring.FloatValue(float64(r.IntN(1e6)) / 1000)
			case 2:
				values[i] = scoring.DecimalValue(int64(r.IntN(1e6)), 4)
			case 3:
				values[i] = scoring.StringValue([]string{"", "a", "A ", "日本語", "$1,200.50", "12%", "NULL", "x\ny"}[r.IntN(8)])
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
				v = scoring.FloatValue(v.Float() * 100)
			case change == 2:
				v = scoring.StringValue(strings.ToUpper(v.String()))
			case change == 3 && r.IntN(4) == 0:
				v = scoring.NullValue
			}
			a.Append(v)
		}
		golds = append(golds, g.Column())
		if r.IntN(10) > 0 {
			agents = append(agents, a.Column())
		}
	}
	r.Shuffle(len(agents), func(i, j int) { agents[i], agents[j] = agents[j], agents[i] })
	gold, _ = scoring.NewTable(golds...)
	agent, _ = scoring.NewTable(agents...)
	return gold, agent
}

// Differences are computed exactly where doubles would not see them.
func TestChanges(t *testing.T) {
	for _, c := range []struct{ gold, agent, kind, want string }{
		{"9007199254740993", "9007199254740992", "INT64", "-1, in the last digits"},
		{"0.3", "0.30000000000000004", "FLOAT64", "+0.00000000000000004, in the last digits"},
		{"0", "5", "INT64", "+5"},
		{"-4", "-2", "INT64", "+2, +50.00 %"},
		{"1.10", "1.1000001", "DECIMAL", "+0.0000001, +0.000009091 %"},
		{"2024-02-28", "2024-03-01", "DATE", "+2 days"},
		{"2024-01-01 00:00:00", "2023-12-31 22:30:00", "TIMESTAMP", "-01:30:00"},
		{"2024-01-01 00:00:00", "2024-01-02 00:00:01.5", "TIMESTAMP", "+1 day 00:00:01.5"},
	} {
		text := func(v string) string {
			return fmt.Sprintf(`{"columns":[{"name":"k","type":"INT64"},{"name":"x","type":%q}],"rows":[[1,%q],[2,%q]]}`, c.kind, v, v)
		}
		gold, agent := table(t, text(c.gold)), table(t, text(c.agent))
		kind := scoring.KindNumber
		if gold.Columns[1].Type.Temporal() {
			kind = scoring.KindTime
		}
		a := scoring.Alignment{Source: "given", Index: []int{0}, Columns: []scoring.ColumnPair{{Gold: 0, Pred: 0, Comparison: scoring.Comparison{Kind: scoring.KindNumber}}, {Gold: 1, Pred: 1, Comparison: scoring.Comparison{Kind: kind}}}}
		v := build(t, caseview.Input{Case: pairOf(gold, agent), Scores: []scoring.Score{aligned(gold, agent, a)}}, caseview.Options{})
		if len(v.Cells.Page) == 0 || v.Cells.Page[0].Cells[1].Change == nil {
			t.Errorf("%s, %s: no difference", c.gold, c.agent)
			continue
		}
		got := *v.Cells.Page[0].Cells[1].Change
		if s := strings.TrimSuffix(got.Absolute+", "+got.Relative, ", "); s != c.want {
			t.Errorf("%s, %s: %s, want %s", c.gold, c.agent, s, c.want)
		}
	}
}

// TestHostileAlignment holds that a stored detail that does not fit the results is not used.
func TestHostileAlignment(t *testing.T) {
	gold, agent := table(t, salesGold), table(t, salesAgent)
	for name, change := range map[string]func(*metric.Hybrid){
		"no such gold column":  func(h *metric.Hybrid) { h.Alignment.Columns[0].Gold = 99 },
		"a negative column":    func(h *metric.Hybrid) { h.Alignment.Columns[0].Pred = -1 },
		"a column twice":       func(h *metric.Hybrid) { h.Alignment.Columns[1].Gold = 0 },
		"no such key":          func(h *metric.Hybrid) { h.Alignment.Index = []int{7} },
		"a column is left out": func(h *metric.Hybrid) { h.Alignment.Extra = nil },
		"other names":          func(h *metric.Hybrid) { h.GoldColumns[0] = "x" },
		"other counts":         func(h *metric.Hybrid) { h.Counts.Equal++ },
		"other rows":           func(h *metric.Hybrid) { h.Counts.PredRows = 5 },
	} {
		a := salesAlignment
		a.Columns = append([]scoring.ColumnPair(nil), a.Columns...)
		s := aligned(gold, agent, a)
		h := *s.Detail.(*metric.Hybrid) //nolint:forcetypeassert // it is
		change(&h)
		s.Detail = &h
		v := build(t, caseview.Input{Case: pairOf(gold, agent), Scores: []scoring.Score{s}}, caseview.Options{Cells: caseview.CellOptions{Show: caseview.All}})
		if v.Stored || v.Cells == nil || len(v.Notes) == 0 || !strings.Contains(v.Notes[0], "compared again") {
			t.Errorf("%s: stored %t, notes %q", name, v.Stored, v.Notes)
			continue
		}
		checkCells(t, name, v.Cells)
	}
}

func BenchmarkCase(b *testing.B) {
	for _, size := range []struct{ rows, columns int }{{100, 10}, {10_000, 50}} {
		gold, agent := wide(size.rows, size.columns, 0), wide(size.rows, size.columns, 7)
		in := caseview.Input{Case: pairOf(gold, agent)}
		first := build(b, in, caseview.Options{})
		e, err := scoring.NewEngine(metric.All(), nil)
		if err != nil {
			b.Fatal(err)
		}
		if in.Scores, err = e.Score(b.Context(), in.Case, "hybrid_ex", "relation", "verdict"); err != nil {
			b.Fatal(err)
		}
		for _, show := range []caseview.States{0, caseview.All} {
			b.Run(fmt.Sprintf("%dx%d/%s", size.rows, size.columns, map[caseview.States]string{0: "differences", caseview.All: "all"}[show]), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					v := build(b, in, caseview.Options{Cells: caseview.CellOptions{Show: show}})
					if v.Cells.Rows != first.Cells.Rows || !v.Stored {
						b.Fatal("another comparison")
					}
				}
			})
		}
	}
}

// wide is a result of numbers, dates and texts; every change-th cell is another one.
func wide(rows, columns, change int) *scoring.Table {
	var out []scoring.Column
	for c := range columns {
		b := scoring.NewBuilder(fmt.Sprintf("column_%d", c), scoring.Null, rows)
		for i := range rows {
			n := int64(i*columns + c)
			if change > 0 && c > 0 && n%int64(change*100) == 0 {
				n += 3
			}
			switch c % 4 {
			case 0:
				b.Append(scoring.IntValue(n))
			case 1:
				b.Append(scoring.DecimalValue(n, 2))
			case 2:
				b.Append(scoring.StringValue(fmt.Sprintf("customer %d", n)))
			default:
				b.Append(scoring.DateValue(n % 20000))
			}
		}
		out = append(out, b.Column())
	}
	t, _ := scoring.NewTable(out...)
	return t
}
