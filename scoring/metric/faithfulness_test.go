package metric

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

func TestStatedNumbers(t *testing.T) {
	for _, tc := range []struct {
		stated       string
		is, scaledTo []float64 // cells that it states, as they are and in another scale
		isNot        []float64 // cells that it does not state in any scale
	}{
		{"3", []float64{3, 3.4, 2.6, -3}, []float64{3000, 0.003}, []float64{4, 2, 33, 300}},
		{"3 orders", []float64{3}, nil, []float64{4}},
		{"$1.2 million", []float64{1_234_567, 1_150_000, 1.2e6}, []float64{1234.567, 1.2}, []float64{1_300_001, 12, 120_000}},
		{"3 million", []float64{3_400_000}, []float64{3, 3.2, 3000}, []float64{4, 2000, 300}},
		{"1.2M", []float64{1_234_567}, []float64{1.21}, []float64{1_400_000}},
		{"€ 45k", []float64{45_300}, []float64{45}, []float64{46_000, 54_000}},
		{"12.5 %", []float64{12.5, 0.125, 0.1251, 12.54}, nil, []float64{0.127, 13}},
		{"12 percent of sales", []float64{0.12, 12.3}, nil, []float64{0.14}},
		{"-3.2%", []float64{-3.2, -0.032, 3.2}, nil, []float64{-3.4}},
		{"(1,234.50)", []float64{-1234.5, 1234.504}, nil, []float64{1235, 12.5}},
		{"1.234,50", []float64{1234.5}, nil, []float64{12.5}},
		{"1,234", []float64{1234, 1.234}, nil, []float64{1235, 12.34}},
		{"about 1,200", []float64{1200, 1234, 1150}, nil, []float64{1300, 1000}},
		{"1,000,000", []float64{1_000_000, 1_040_000}, []float64{1000, 1}, []float64{1_100_000, 500_000}},
		{"1 200 000", []float64{1_234_567}, nil, []float64{1_300_000}},
		{"2.5e3", []float64{2500, 2540}, nil, []float64{2700}},
		{"0", []float64{0, 0.4}, nil, []float64{2}},
		{".5", []float64{0.5, 0.54}, nil, []float64{0.7}},
		{"9007199254740993", []float64{9007199254740993}, nil, []float64{9007199254741993}},
	} {
		n, ok := parseStated(tc.stated)
		if !ok {
			t.Errorf("%q is not read", tc.stated)
			continue
		}
		for _, v := range tc.is {
			if plain, _ := n.matches(v); !plain {
				t.Errorf("%q does not state %v", tc.stated, v)
			}
		}
		for _, v := range tc.scaledTo {
			if plain, scaled := n.matches(v); plain || !scaled {
				t.Errorf("%q states %v in another scale: %t %t", tc.stated, v, plain, scaled)
			}
		}
		for _, v := range tc.isNot {
			if plain, scaled := n.matches(v); plain || scaled {
				t.Errorf("%q states %v: %t %t", tc.stated, v, plain, scaled)
			}
		}
		if plain, scaled := n.matches(math.NaN()); plain || scaled {
			t.Errorf("%q states NULL", tc.stated)
		}
	}
	for _, none := range []string{"", "three", "3 to 5", "3-5", "1/2", "12:30", "v1.2.3", "1e999", "2024-01-05", strings.Repeat("9", 400)} {
		if n, ok := parseStated(none); ok {
			t.Errorf("%q is read as %+v", none, n)
		}
	}
}

func FuzzParseStated(f *testing.F) {
	for _, s := range []string{"$1.2 million", "12,5 %", "(3)", "1 234,5e3 bn"} {
		f.Add(s, 12.5)
	}
	f.Fuzz(func(t *testing.T, s string, v float64) {
		n, ok := parseStated(s)
		if !ok {
			return
		}
		for _, r := range n.readings {
			if math.IsNaN(r.value) || !(r.unit >= 0) {
				t.Fatalf("%q is read as %+v", s, r)
			}
			if plain, _ := n.matches(r.value); !plain && !math.IsInf(r.value, 0) {
				t.Errorf("%q does not state %v", s, r.value)
			}
		}
		n.matches(v)
	})
}

func TestLookUp(t *testing.T) {
	result, err := scoring.ParseResult([]byte(`{"columns":[{"name":"city","type":"STRING"},{"name":"month","type":"DATE"},{"name":"orders","type":"INT64"},{"name":"Revenue","type":"STRING"},{"name":"note","type":"STRING"}],
		"rows":[["Oslo","2024-01-01",3,"$1,200.50","7"],["Oslo","2024-02-01",4,"$80.00","many"],["Rome","2024-01-01",2,null,null]]}`))
	if err != nil {
		t.Fatal(err)
	}
	one, err := scoring.ParseResult([]byte(`{"columns":[{"name":"n","type":"INT64"}],"rows":[[42]]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		why    string
		result *scoring.Table
		figure figure
		want   string
	}{
		{"row and column", result, figure{Stated: "2", Row: "rome", Column: "ORDERS"}, figureCell},
		{"one of several rows of that name", result, figure{Stated: "4", Row: "Oslo", Column: "orders"}, figureCell},
		{"a date names rows too", result, figure{Stated: "2", Row: "2024-01-01", Column: "orders"}, figureCell},
		{"text that stands for numbers", result, figure{Stated: "1.2k", Row: "Oslo", Column: "revenue"}, figureCell},
		{"the row, another column", result, figure{Stated: "$80", Row: "Oslo", Column: "orders"}, figureRow},
		{"another row's figure", result, figure{Stated: "2", Row: "Oslo", Column: "orders"}, figureAbsent},
		{"no row is named", result, figure{Stated: "2", Column: "orders"}, figureColumn},
		{"the name of the row is not in the result", result, figure{Stated: "2", Row: "Rome, January", Column: "orders"}, figureColumn},
		{"neither row nor column", result, figure{Stated: "80"}, figureElsewhere},
		{"in thousands", result, figure{Stated: "3000", Row: "Oslo", Column: "orders"}, figureScaled},
		{"nowhere", result, figure{Stated: "77", Column: "orders"}, figureAbsent},
		{"a column that is no number in all its cells is not looked in", result, figure{Stated: "7", Row: "Rome", Column: "note"}, figureAbsent},
		{"a computed figure is not looked up", result, figure{Stated: "9", Computed: true}, figureUnchecked},
		{"words are not", result, figure{Stated: "three", Row: "Oslo", Column: "orders"}, figureUnchecked},
		{"one row needs no name", one, figure{Stated: "42", Column: "n"}, figureCell},
		{"one row, wrong figure", one, figure{Stated: "43", Column: "n"}, figureAbsent},
		{"no result", nil, figure{Stated: "42"}, figureUnchecked},
	} {
		got := lookUp(tc.result, []claim{{}, {Figures: []figure{tc.figure}}})
		if len(got) != 2 || len(got[1]) != 1 || got[1][0].Found != tc.want || got[1][0].figure != tc.figure {
			t.Errorf("%s: %+v, want %s", tc.why, got, tc.want)
		}
	}
}

// What the judge was not shown, the result shows: it is looked up in all rows.
func TestClaimsOnRowsThatWereCut(t *testing.T) {
	var rows strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&rows, `,["city %d",%d]`, i, 10_000+7*i)
	}
	text := strings.Replace(responseCase, `{"columns": [{"name": "c"}], "rows": [["pred-cell"]]}`, `{"columns": [{"name": "city"}, {"name": "orders"}], "rows": [`+rows.String()[1:]+`]}`, 1)
	claims := `{"claim": "in a row that was cut", "figures": [{"stated": "13,500", "row": "City 500", "column": "orders", "computed": false}], "support": "", "verdict": "not_shown"},
		{"claim": "the figure of another row", "figures": [{"stated": "13,507", "row": "City 500", "column": "orders", "computed": false}], "support": "", "verdict": "not_shown"},
		{"claim": "no figure to look up", "figures": [], "support": "", "verdict": "not_shown"},
		{"claim": "in a row that was shown", "figures": [{"stated": "10,007", "row": "City 1", "column": "orders", "computed": false}], "support": "", "verdict": "supported"},
		{"claim": "a made-up figure", "figures": [{"stated": "12,345", "row": "city 2", "column": "orders", "computed": false}], "support": "", "verdict": "supported"}`
	judge := &tokenJudge{silent: true, reply: strings.Replace(responseJudged, `{"claim": "x", "figures": [], "support": "y", "verdict": "supported"}`, claims, 1)}
	s := scoreResponse(t, judge, text, "faithfulness")[0]
	d, ok := s.Detail.(faithfulnessDetail)
	if !ok {
		t.Fatalf("%s %s", s.Status, s.Reason)
	}
	var counts []string
	for _, c := range d.Claims {
		counts = append(counts, c.Counts)
	}
	want := []string{claimSupported, claimNotShown, claimNotShown, claimSupported, claimUnsupported}
	if fmt.Sprint(counts) != fmt.Sprint(want) {
		t.Errorf("count as %v, want %v", counts, want)
	}
	// Two of three that can be verified; the first was left open by the judge, the last overruled.
	if s.Value != 2.0/3 || d.LeftOut != 2 || d.Overruled != 2 || len(s.Warnings) != 2 {
		t.Errorf("%v, %+v, %v", s.Value, d, s.Warnings)
	}
	if said := judge.got[0].Messages[1].Content; !strings.Contains(said, "(900 rows are left out)") || strings.Contains(said, "city 500 ") {
		t.Error("the judge was not told of the cut, or there was none")
	}
	judge.reply = strings.Replace(responseJudged, `"figures": [], "support": "y", "verdict": "supported"`, `"figures": [], "support": "y", "verdict": "not_shown"`, 1)
	if s := scoreResponse(t, judge, text, "faithfulness", "faithfulness_verdict"); s[0].Status != scoring.StatusAbstained || s[1].Status != scoring.StatusAbstained {
		t.Errorf("nothing can be verified: %s %v, %s", s[0].Status, s[0].Value, s[1].Status)
	}
}

// The verdict is that of faithfulness under the threshold that is configured for it.
func TestVerdictFollowsTheThreshold(t *testing.T) {
	c, err := scoring.DecodeCase([]byte(responseCase))
	if err != nil {
		t.Fatal(err)
	}
	engine, err := scoring.NewEngine(All(), &scoring.EngineOptions{
		Judge: &tokenJudge{reply: strings.Replace(responseJudged, `"claims": [`, `"claims": [{"claim": "z", "figures": [], "support": "", "verdict": "contradicted"}, `, 1), silent: true}, Config: scoring.Config{Thresholds: map[string]float64{"faithfulness": 0.5}},
	})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := engine.Score(t.Context(), c, "faithfulness_verdict", "faithfulness")
	if err != nil {
		t.Fatal(err)
	}
	if v, f := scores[0], scores[1]; v.Value != 1 || f.Value != 0.5 || v.Passed == nil || !*v.Passed || len(v.AssessmentIDs) != len(f.AssessmentIDs) {
		t.Errorf("verdict %v (%s), faithfulness %v, want 1 and 0.5", v.Value, v.Reason, f.Value)
	}
}

func BenchmarkLookUp(b *testing.B) {
	const rows = 100_000
	names, orders := scoring.NewBuilder("city", scoring.String, rows), make([]int64, rows)
	for i := range rows {
		names.Append(scoring.StringValue(fmt.Sprint("city ", i)))
		orders[i] = int64(10 * i)
	}
	t, err := scoring.NewTable(names.Column(), scoring.IntColumn("orders", scoring.Int64, orders, nil))
	if err != nil {
		b.Fatal(err)
	}
	var claims []claim
	for i := range 40 {
		claims = append(claims, claim{Figures: []figure{{Stated: fmt.Sprint(10 * i), Row: fmt.Sprint("city ", i), Column: "orders"}}})
	}
	b.ReportAllocs()
	for b.Loop() {
		lookUp(t, claims)
	}
}
