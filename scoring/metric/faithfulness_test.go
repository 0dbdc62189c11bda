package metric

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// matcher prepares a number, and returns what a FLOAT64 cell says of it.
func matcher(n *statedNumber) func(v float64, fall bool) cellMatch {
	n.prepare(nil)
	return func(v float64, fall bool) cellMatch {
		return n.matches(v, func() []*big.Rat { return exactValues(scoring.FloatValue(v)) }, fall)
	}
}

func TestStatedNumbers(t *testing.T) {
	for _, tc := range []struct {
		stated       string
		is, scaledTo []float64 // cells that it states, as they are and in another scale
		isNot        []float64 // cells that it does not state in any scale
		open         []float64 // cells that it may state with another sign
	}{
		{"3", []float64{3, 3.4, 3.9, 2.6}, []float64{3000, 0.003}, []float64{4, 2, 2.01, 33, 300, -4}, []float64{-3}},
		{"1", []float64{1, 1.4, 0.5}, []float64{1000}, []float64{0.0201, 0.4, 2}, nil},
		{"2020", []float64{2020, 2019.6, 2020.9}, nil, []float64{2029, 2011, 2019, 2021}, nil},
		{"-500", []float64{-500, -500.4}, []float64{-500_000}, []float64{500, 0}, nil},
		{"−500", []float64{-500}, nil, []float64{500}, nil},
		{"-$500", []float64{-500}, nil, []float64{500}, nil},
		{"minus 500", []float64{-500}, nil, []float64{500}, nil},
		{"+500", []float64{500}, nil, []float64{-500}, nil},
		{"non-EU: 500", []float64{500}, nil, []float64{-502}, []float64{-500}},
		{"about 500", []float64{500, 520, 480}, nil, []float64{-530, 530}, []float64{-500}},
		{"3 orders", []float64{3}, nil, []float64{4}, nil},
		{"$1.2 million", []float64{1_234_567, 1_150_000, 1.2e6}, []float64{1234.567, 1.2}, []float64{1_300_001, 12, 120_000}, nil},
		{"3 million", []float64{3_400_000}, []float64{3, 3.2, 3000}, []float64{4, 2000, 300, -4_000_000}, []float64{-3_000_000}},
		{"1.2M", []float64{1_234_567}, []float64{1.21}, []float64{1_400_000}, nil},
		{"€ 45k", []float64{45_300}, []float64{45}, []float64{46_000, 54_000}, nil},
		{"12.5 %", []float64{12.5, 0.125, 0.1251, 12.54}, nil, []float64{0.127, 13}, nil},
		{"12 percent of sales", []float64{0.12, 12.3}, nil, []float64{0.14}, nil},
		{"-3.2%", []float64{-3.2, -0.032}, nil, []float64{-3.4, 3.2}, nil},
		{"(1,234.50)", []float64{-1234.5, 1234.504}, nil, []float64{1235, 12.5}, nil},
		{"1.234,50", []float64{1234.5}, nil, []float64{12.5}, nil},
		{"1,234", []float64{1234, 1.234}, nil, []float64{1235, 12.34}, nil},
		{"about 1,200", []float64{1200, 1234, 1150}, nil, []float64{1300, 1000}, nil},
		{"1,000,000", []float64{1_000_000}, []float64{1000, 1}, []float64{1_040_000, 1_100_000, 500_000}, nil},
		{"nearly 1,000,000", []float64{1_000_000, 980_000, 950_000}, []float64{1000, 1}, []float64{1_000_001, 949_999, 500_000}, nil},
		{"1 200 000", []float64{1_200_000}, nil, []float64{1_234_567, 1_300_000}, nil},
		{"~1 200 000", []float64{1_234_567}, nil, []float64{1_300_000}, nil},
		{"2.5e3", []float64{2500, 2540}, nil, []float64{2700}, nil},
		{"0", []float64{0, 0.4}, nil, []float64{2, 0.9}, nil},
		{".5", []float64{0.5, 0.54}, nil, []float64{0.7}, nil},
		{"9007199254740993", []float64{9007199254740993}, nil, []float64{9007199254741993}, nil},
	} {
		n, ok := parseStated(tc.stated)
		if !ok {
			t.Errorf("%q is not read", tc.stated)
			continue
		}
		match := matcher(&n)
		for _, v := range tc.is {
			if got := match(v, false); got != matchPlain {
				t.Errorf("%q does not state %v", tc.stated, v)
			}
		}
		for _, v := range tc.scaledTo {
			if got := match(v, false); got != matchScale {
				t.Errorf("%q states %v in another scale: %d", tc.stated, v, got)
			}
		}
		for _, v := range tc.isNot {
			if got := match(v, false); got != matchNone {
				t.Errorf("%q states %v: %d", tc.stated, v, got)
			}
		}
		for _, v := range tc.open {
			if got := match(v, false); got != matchOpen {
				t.Errorf("%q may state %v: %d", tc.stated, v, got)
			}
		}
		if match(math.NaN(), true) != matchNone {
			t.Errorf("%q states NULL", tc.stated)
		}
	}
	n, _ := parseStated("3")
	if match := matcher(&n); match(-3, true) != matchPlain || match(-3, false) != matchOpen || match(-4, true) != matchNone {
		t.Error("a fall by 3 does not state -3")
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
			if r.value.Sign() < 0 || r.unit.Sign() <= 0 {
				t.Fatalf("%q is read as %+v", s, r)
			}
			cell := new(big.Rat).Set(r.value)
			if n.sign == negative {
				cell.Neg(cell)
			}
			n.prepare(nil)
			near, _ := cell.Float64()
			got := n.matches(near, func() []*big.Rat { return []*big.Rat{cell} }, false)
			if got != matchPlain && !n.isBound() {
				t.Errorf("%q does not state %v", s, r.value)
			}
		}
		matcher(&n)(v, true)
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
	none, err := scoring.ParseResult([]byte(`{"columns":[{"name":"n","type":"INT64"}],"rows":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	const sql = "SELECT * FROM sales WHERE kind = 'Retail'"
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
		{"row and column are named: another column of the row does not count", result, figure{Stated: "$80", Row: "Oslo", Column: "orders"}, figureAbsent},
		{"no column of that name: any cell of the row", result, figure{Stated: "$80", Row: "Oslo", Column: "turnover"}, figureRow},
		{"case, spaces and punctuation of a column do not count", result, figure{Stated: "80", Row: "Oslo", Column: " REVENUE. "}, figureCell},
		{"another row's figure", result, figure{Stated: "2", Row: "Oslo", Column: "orders"}, figureAbsent},
		{"no row is named", result, figure{Stated: "2", Column: "orders"}, figureColumn},
		{"a row that does not exist supports nothing", result, figure{Stated: "2", Row: "Paris", Column: "orders"}, figureAbsent},
		{"nor does one of which a part does not exist", result, figure{Stated: "2", Row: "Rome, January", Column: "orders"}, figureAbsent},
		{"two values together name a row", result, figure{Stated: "4", Row: "Oslo, 2024-02-01", Column: "orders"}, figureCell},
		{"and not another one", result, figure{Stated: "3", Row: "Oslo / 2024-02-01", Column: "orders"}, figureAbsent},
		{"nor one that does not exist together", result, figure{Stated: "2", Row: "Rome, 2024-02-01", Column: "orders"}, figureAbsent},
		{"what the query filters by holds for every row", result, figure{Stated: "2", Row: "Rome, retail", Column: "orders"}, figureCell},
		{"and by itself names none", result, figure{Stated: "2", Row: "Retail", Column: "orders"}, figureColumn},
		{"a year in a date", result, figure{Stated: "2024"}, figureElsewhere},
		{"the same, in a row and a column", result, figure{Stated: "2024", Row: "Rome", Column: "month"}, figureCell},
		{"another year", result, figure{Stated: "2020"}, figureAbsent},
		{"neither row nor column", result, figure{Stated: "80"}, figureElsewhere},
		{"wrong by a thousand", result, figure{Stated: "3000", Row: "Oslo", Column: "orders"}, figureMisscaled},
		{"nowhere", result, figure{Stated: "77", Column: "orders"}, figureAbsent},
		{"a text column of another row", result, figure{Stated: "7", Row: "Rome", Column: "note"}, figureAbsent},
		{"a number in a text column", result, figure{Stated: "7", Row: "Oslo", Column: "note"}, figureCell},
		{"a text is not rounded", result, figure{Stated: "70", Row: "Oslo", Column: "note"}, figureAbsent},
		{"a computed figure is not looked up", result, figure{Stated: "9", Computed: true}, figureUnchecked},
		{"words are not", result, figure{Stated: "three", Row: "Oslo", Column: "orders"}, figureUnchecked},
		{"one row needs no name", one, figure{Stated: "42", Column: "n"}, figureCell},
		{"one row, wrong figure", one, figure{Stated: "43", Column: "n"}, figureAbsent},
		{"one row of numbers needs no name", one, figure{Stated: "42", Row: "all customers", Column: "n"}, figureCell},
		{"no result", nil, figure{Stated: "42"}, figureAbsent},
		{"a result without rows", none, figure{Stated: "42", Column: "n"}, figureAbsent},
		{"nothing can be worked out from it", none, figure{Stated: "42", Computed: true}, figureAbsent},
		{"but that it is nothing", none, figure{Stated: "0 orders"}, figureUnchecked},
	} {
		got := lookUp(tc.result, sql, "", []claim{{}, {Figures: []figure{tc.figure}}})
		if len(got) != 2 || len(got[1]) != 1 || got[1][0].Found != tc.want || got[1][0].figure != tc.figure {
			t.Errorf("%s: %+v, want %s", tc.why, got, tc.want)
		}
	}
}

// Figures of more digits than a double holds are compared by their digits, and a word for percent
// may stand in the claim alone.
func TestLookUpKeepsAllDigits(t *testing.T) {
	result, err := scoring.ParseResult([]byte(`{"columns":[{"name":"id","type":"INT64"},{"name":"total","type":"DECIMAL(38,2)"},{"name":"code","type":"STRING"},{"name":"note","type":"STRING"},{"name":"share","type":"FLOAT64"}],
		"rows":[[9007199254740992,"12345678901234567.25","9,007,199,254,740,992","see 9007199254740992 there",0.125],[-5,"1.00","7","none",0.5]]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		claim, stated, column, want string
	}{
		{"", "9007199254740992", "id", figureColumn},
		{"", "9007199254740993", "id", figureAbsent},
		{"", "9,007,199,254,740,993", "id", figureAbsent},
		{"", "9007199254740993", "code", figureAbsent},
		{"", "9007199254740992", "code", figureColumn},
		{"", "9007199254740993", "note", figureAbsent},
		{"", "9007199254740992", "note", figureElsewhere},
		{"", "12345678901234567.25", "total", figureColumn},
		{"", "12345678901234567", "total", figureColumn},
		{"", "12345678901234567.26", "total", figureAbsent},
		{"", "12345678901234568", "total", figureAbsent},
		{"", "-12345678901234567.25", "total", figureAbsent},
		{"about 9007199254740993", "9007199254740993", "id", figureColumn},
		{"The share is 12.5 percent.", "12.5", "share", figureColumn},
		{"The share is 12.5%.", "12.5", "share", figureColumn},
		{"The share is 12.5 orders.", "12.5", "share", figureAbsent},
		{"The share is 112.5 percent.", "12.5", "share", figureAbsent},
		{"12.5 orders, which is 50 percent.", "12.5", "share", figureAbsent},
	} {
		got := lookUp(result, "", "", []claim{{Claim: tc.claim, Figures: []figure{{Stated: tc.stated, Column: tc.column}}}})
		if found := got[0][0].Found; found != tc.want {
			t.Errorf("%q in %q of %s: %s, want %s", tc.stated, tc.claim, tc.column, found, tc.want)
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
	text = strings.Replace(text, `"R-text"`, `"City 500: 13,500 in a row that was cut, or 13,507, the figure of another row. No figure to look up. City 1: 10,007, in a row that was shown. City 2: 12,345, a made-up figure."`, 1)
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
	want := []string{claimSupported, claimUnsupported, claimNotShown, claimSupported, claimUnsupported}
	if fmt.Sprint(counts) != fmt.Sprint(want) {
		t.Errorf("count as %v, want %v", counts, want)
	}
	// Two of four that can be verified. The judge left the first two open: the result holds the one
	// and not the other. It holds something else than the last.
	if s.Value != 2.0/4 || d.LeftOut != 1 || d.Overruled != 3 || len(s.Warnings) != 2 {
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

// judgeClaims scores faithfulness with a judge that lists these claims, given in JSON without their
// ends.
func judgeClaims(t *testing.T, result, sql, response string, claims ...string) scoring.Score {
	t.Helper()
	text := strings.Replace(responseCase, `{"columns": [{"name": "c"}], "rows": [["pred-cell"]]}`, result, 1)
	text = strings.Replace(strings.Replace(text, `"SELECT pred"`, jsonString(t, sql), 1), `"R-text"`, jsonString(t, response), 1)
	if !strings.Contains(text, jsonString(t, response)) || !strings.Contains(text, result) {
		t.Fatal("the case is another")
	}
	judge := &tokenJudge{silent: true, reply: strings.Replace(responseJudged, `{"claim": "x", "figures": [], "support": "y", "verdict": "supported"}`, strings.Join(claims, ","), 1)}
	return scoreResponse(t, judge, text, "faithfulness")[0]
}

func jsonString(t *testing.T, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// claimOf is a claim as a judge writes it, with one figure or none.
func claimOf(text, stated, row, column, verdict string) string {
	figures := ""
	if stated != "" {
		figures = fmt.Sprintf(`{"stated": %q, "row": %q, "column": %q, "computed": false}`, stated, row, column)
	}
	return fmt.Sprintf(`{"claim": %q, "figures": [%s], "support": "", "verdict": %q}`, text, figures, verdict)
}

// A judge that is too lenient, or that repeats its input, does not make a response faithful.
func TestFaithfulnessOfAGenerousJudge(t *testing.T) {
	const none = `{"columns": [{"name": "sales"}], "rows": []}`
	const cities = `{"columns": [{"name": "city"}, {"name": "orders"}], "rows": [["Oslo", 3], ["Rome", 2]]}`
	long := strings.Replace(cities, `"Rome"`, `"Rome, `+strings.Repeat("the eternal city ", 10)+`"`, 1)
	ten := []string{claimOf("Oslo has 3 orders", "3", "Oslo", "orders", claimSupported)}
	said := "Oslo has 3 orders."
	for i := range 9 {
		text := fmt.Sprintf("Refunds of type %c were %d", 'a'+i, 1110+i)
		ten = append(ten, claimOf(text, fmt.Sprint(1110+i), "", "", claimNotShown))
		said += " " + text + "."
	}
	for _, tc := range []struct {
		why, result, sql, response string
		claims                     []string
		value                      float64 // negative: abstained
		counts                     []string
	}{
		{"a result without rows supports nothing", none, "", "Sales were 999.", []string{claimOf("Sales were 999", "999", "", "sales", claimSupported)}, 0, []string{claimUnsupported}},
		{"but that there is nothing", none, "", "There were no sales.", []string{claimOf("There were no sales", "", "", "", claimSupported)}, 1, []string{claimSupported}},
		{"a sign", `{"columns": [{"name": "profit"}], "rows": [[500]]}`, "", "Profit was -500.", []string{claimOf("Profit was -500", "-500", "", "profit", claimSupported)}, 0, []string{claimUnsupported}},
		{"a fall", `{"columns": [{"name": "change"}], "rows": [[-500]]}`, "", "Profit fell by 500.", []string{claimOf("Profit fell by 500", "500", "", "change", claimSupported)}, 1, []string{claimSupported}},
		{"a claim twice", cities, "", "Oslo has 3 orders. Rome has 9 orders.", []string{
			claimOf("Oslo has 3 orders", "3", "Oslo", "orders", claimSupported), claimOf("oslo  has 3 orders.", "3", "Oslo", "orders", claimSupported),
			claimOf("Rome has 9 orders", "9", "Rome", "orders", claimSupported),
		}, 0.5, []string{claimSupported, claimRepeated, claimUnsupported}},
		{"a claim twice counts with the worse verdict", cities, "", "Oslo has 3 orders.", []string{
			claimOf("Oslo has 3 orders", "", "", "", claimSupported), claimOf("Oslo has 3 orders", "", "", "", claimContradicted),
		}, 0, []string{claimRepeated, claimContradicted}},
		{"claims that the response does not make", cities, "", "Paris has 777 orders.", []string{
			claimOf("Paris has 777 orders", "777", "Paris", "orders", claimSupported), claimOf("Oslo leads the list", "", "", "", claimSupported), claimOf("Oslo has 3 orders", "3", "Oslo", "orders", claimSupported),
			claimOf("There are 1234 orders", "1234", "", "", claimSupported),
		}, 0, []string{claimUnsupported, claimNotMade, claimNotMade, claimNotMade}},
		{"none of the claims is the response's", cities, "", "Good morning to everybody here.", []string{claimOf("Oslo leads", "", "", "", claimSupported)}, -1, []string{claimNotMade}},
		{"a long cell hides no figures", long, "", said, ten, 0.1, append([]string{claimSupported}, slices.Repeat([]string{claimUnsupported}, 9)...)},
		{"a long cell may hide words", long, "", "Rome is old. Oslo has 3 orders.", []string{claimOf("Rome is old", "", "", "", claimNotShown), ten[0]}, 1, []string{claimNotShown, claimSupported}},
		{"most is not shown", long, "", "Rome is old. Rome is large. Oslo has 3 orders.", []string{claimOf("Rome is old", "", "", "", claimNotShown), claimOf("Rome is large", "", "", "", claimNotShown), ten[0]}, -1,
			[]string{claimNotShown, claimNotShown, claimSupported}},
	} {
		s := judgeClaims(t, tc.result, tc.sql, tc.response, tc.claims...)
		d, ok := s.Detail.(faithfulnessDetail)
		if !ok {
			t.Errorf("%s: %s %s", tc.why, s.Status, s.Reason)
			continue
		}
		var counts []string
		for _, c := range d.Claims {
			counts = append(counts, c.Counts)
		}
		if !slices.Equal(counts, tc.counts) {
			t.Errorf("%s: count as %v, want %v", tc.why, counts, tc.counts)
		}
		if tc.value < 0 && s.Status != scoring.StatusAbstained || tc.value >= 0 && (s.Status != scoring.StatusOK || math.Abs(s.Value-tc.value) > 1e-12) {
			t.Errorf("%s: %s %v (%s), want %v", tc.why, s.Status, s.Value, s.Reason, tc.value)
		}
	}
}

// Of a response that is longer than what is judged, the metric says what was not judged, and has no
// score if that is much.
func TestLongResponses(t *testing.T) {
	const cities = `{"columns": [{"name": "city"}, {"name": "orders"}], "rows": [["Oslo", 3], ["Rome", 2]]}`
	claims := claimOf("Oslo has 3 orders", "3", "Oslo", "orders", claimSupported)
	response := func(n int) string { return "Oslo has 3 orders. " + strings.Repeat("x", n-19) }
	for n, want := range map[int]scoring.Status{12_000: scoring.StatusOK, 13_000: scoring.StatusOK, 15_001: scoring.StatusAbstained, 60_000: scoring.StatusAbstained} {
		s := judgeClaims(t, cities, "", response(n), claims)
		if s.Status != want || (n > 12_000) != strings.Contains(s.Reason+strings.Join(s.Warnings, " "), "12000 characters") {
			t.Errorf("%d characters: %s %v %s %v, want %s", n, s.Status, s.Value, s.Reason, s.Warnings, want)
		}
	}
}

// A score that contradicts its own parts warns; an interpretation that is the question warns.
func TestIntentWarnings(t *testing.T) {
	for _, tc := range []struct {
		why, intents, category string
		score                  float64
		warns                  bool
	}{
		{"all missed, excellent", `{"intent": "a", "handling": "missed"}`, "none", 10, true},
		{"one missed, excellent", `{"intent": "a", "handling": "missed"}, {"intent": "b", "handling": "answered"}`, "none", 8, true},
		{"one missed, adequate", `{"intent": "a", "handling": "missed"}, {"intent": "b", "handling": "answered"}`, "none", 6, false},
		{"none missed, unresolved", `{"intent": "a", "handling": "answered"}`, "none", 1, true},
		{"asked back, no clarification", `{"intent": "a", "handling": "asked_back"}`, "none", 8, true},
		{"as it should be", `{"intent": "a", "handling": "answered"}`, "none", 10, false},
		{"all missed, unresolved", `{"intent": "a", "handling": "missed"}`, "none", 0, false},
	} {
		var i intentReply
		if err := json.Unmarshal([]byte(fmt.Sprintf(`{"intents": [%s], "category": %q, "score": %v}`, tc.intents, tc.category, tc.score)), &i); err != nil {
			t.Fatal(err)
		}
		if said := i.contradictions(); (len(said) > 0) != tc.warns {
			t.Errorf("%s: %v, want warnings: %v", tc.why, said, tc.warns)
		}
	}
	for interpretation, want := range map[string]int{
		"How many orders?": wholly, " how many ORDERS ": wholly, "You want to know: how many orders?": partly, "The number of orders.": notAtAll, "somehow many orders": notAtAll,
	} {
		if got := repeatsText("How many orders?", interpretation); got != want {
			t.Errorf("%q: %d, want %d", interpretation, got, want)
		}
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
		lookUp(t, "", "", claims)
	}
}
