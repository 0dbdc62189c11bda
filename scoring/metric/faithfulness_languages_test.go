package metric

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

const claimedResult = `{"columns":[{"name":"region","type":"STRING"},{"name":"revenue","type":"DECIMAL(18,2)"},{"name":"orders","type":"INT64"},
	{"name":"growth","type":"FLOAT64"},{"name":"share","type":"FLOAT64"}],
	"rows":[["Oslo","1234567.89",3,-0.12,0.4321],["Rome","2500000.00",25,0.5,0.35],["Kyiv","42000.00",1200,0.037,0.2179]]}`

// True claims of many languages are not contradicted by the cells that they are about, and false ones are, unless the
// text leaves a doubt.
func TestClaimsInManyLanguages(t *testing.T) {
	result, err := scoring.ParseResult([]byte(claimedResult))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/claims.tsv")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 8 {
			t.Fatalf("%q has %d fields, want 8", line, len(f))
		}
		c := claim{Claim: f[2], Figures: []figure{{Stated: f[3], Row: f[4], Column: f[5], Computed: f[6] == "1"}}}
		place := lookUp(result, "SELECT * FROM sales", "", []claim{c})[0][0].Found
		got := "held"
		switch place {
		case figureUnchecked:
			got = "open"
		case figureAbsent, figureMisscaled:
			got = "against"
		}
		if got != f[7] {
			t.Errorf("%s (%s, %s): %s, want %s", f[2], f[1], f[0], place, f[7])
		}
		if f[0] == "true" && got == "against" {
			t.Errorf("%s (%s) is true and %s", f[2], f[1], place)
		}
		count[f[0]+" "+got]++
	}
	t.Log(count)
	if n := count["true held"] + count["true open"]; n < 60 || count["false against"] < 60 {
		t.Errorf("%v: expected at least 60 claims of each kind", count)
	}
}

// A unit counts if a column, the query, the question or the claim states it, and only by its factor.
func TestFiguresInOtherUnits(t *testing.T) {
	for _, tc := range []struct{ why, column, value, sql, notes, claim, stated, want string }{
		{"nothing states a unit", "revenue", "1234.5", "SELECT revenue FROM t", "", "It was 1.2 million", "1.2 million", figureMisscaled},
		{"the name of the column", "revenue_k", "1234.5", "", "", "It was 1.2 million", "1.2 million", figureScaled},
		{"another name", "Umsatz (Tsd. EUR)", "1234.5", "", "", "It was 1.2 million", "1.2 million", figureScaled},
		{"a name in Chinese", "收入_万元", "123.45", "", "", "收入为1.2百万元", "1.2百万元", figureScaled},
		{"a name of millions is not of thousands", "revenue_mio", "1234.5", "", "", "It was 1.2 million", "1.2 million", figureMisscaled},
		{"the query divides", "revenue", "1234.5", "SELECT sum(x) / 1000.0 FROM t", "", "It was 1.2 million", "1.2 million", figureScaled},
		{"the query divides by another power", "revenue", "1234.5", "SELECT sum(x) / 1e6 FROM t", "", "It was 1.2 million", "1.2 million", figureMisscaled},
		{"the query multiplies", "revenue", "1234500", "SELECT x * 1000 FROM t", "", "It was 1.2 thousand", "1.2 thousand", figureScaled},
		{"the query makes a percentage", "revenue", "1234.5", "SELECT x * 100.0 FROM t", "", "It was 1.2 million", "1.2 million", figureMisscaled},
		{"the hint", "revenue", "1234.5", "", "revenue is given in thousands", "It was 1.2 million", "1.2 million", figureScaled},
		{"the claim", "revenue", "1234500", "", "", "In thousands, it was 1,234.5", "1,234.5", figureScaled},
		{"the claim in German", "revenue", "1234500", "", "", "Es waren 1.234,5 (in Tausend)", "1.234,5", figureScaled},
		{"a percentage", "rate", "0.125", "", "", "It was 12.5%", "12.5%", figureCell},
		{"percent points of a percentage", "rate", "12.5", "", "", "It was 1250 bps", "1250 bps", figureCell},
		{"in meters", "length", "212", "", "", "It is 212 m long", "212 m", figureCell},
		{"not in millions", "length", "212", "", "", "It is 212M long", "212M", figureMisscaled},
		{"thousand million", "length", "2500000000", "", "", "Son 2,5 mil millones", "2,5 mil millones", figureCell},
		{"lakh crore", "length", "1200000000000", "", "", "It is 1.2 lakh crore", "1.2 lakh crore", figureCell},
		{"parts of ten thousand", "length", "123450000", "", "", "1億2,345万円でした", "1億2,345万円", figureCell},
		{"other parts of ten thousand", "length", "123460000", "", "", "1億2,345万円でした", "1億2,345万円", figureAbsent},
	} {
		result, err := scoring.ParseResult([]byte(`{"columns":[{"name":"` + tc.column + `","type":"DECIMAL(38,4)"}],"rows":[["` + tc.value + `"]]}`))
		if err != nil {
			t.Fatal(err)
		}
		c := claim{Claim: tc.claim, Figures: []figure{{Stated: tc.stated, Column: tc.column}}}
		if got := lookUp(result, tc.sql, tc.notes, []claim{c})[0][0].Found; got != tc.want {
			t.Errorf("%s: %s, want %s", tc.why, got, tc.want)
		}
	}
}

// Bounds are exact on both sides of their border.
func TestBounds(t *testing.T) {
	const border = "9007199254740993" // no double
	const less, more = "9007199254740992", "9007199254740994"
	for _, tc := range []struct {
		words             string // # is the number
		less, equal, more string
	}{
		{"at least #", figureAbsent, figureCell, figureCell},
		{"at most #", figureCell, figureCell, figureAbsent},
		{"more than #", figureAbsent, figureAbsent, figureCell},
		{"less than #", figureCell, figureAbsent, figureAbsent},
		{"over #", figureAbsent, figureUnchecked, figureCell},
		{"under #", figureCell, figureUnchecked, figureAbsent},
		{"no more than #", figureCell, figureCell, figureAbsent},
		{"not less than #", figureAbsent, figureCell, figureCell},
		{"# or more", figureAbsent, figureCell, figureCell},
		{"# or less", figureCell, figureCell, figureAbsent},
		{"#+", figureAbsent, figureCell, figureCell},
		{"up to $#", figureCell, figureCell, figureAbsent},
		{"more than the #", figureAbsent, figureAbsent, figureCell},
		{"nearly #", figureCell, figureCell, figureAbsent},
		{"exactly #", figureAbsent, figureCell, figureAbsent},
		{"#件以上", figureAbsent, figureCell, figureCell},
		{"#以下", figureCell, figureCell, figureAbsent},
		{"höchstens #", figureCell, figureCell, figureAbsent},
		{"не более #", figureCell, figureCell, figureAbsent},
		{"более #", figureAbsent, figureAbsent, figureCell},
	} {
		for value, want := range map[string]string{less: tc.less, border: tc.equal, more: tc.more} {
			result, err := scoring.ParseResult([]byte(`{"columns":[{"name":"n","type":"INT64"}],"rows":[[` + value + `]]}`))
			if err != nil {
				t.Fatal(err)
			}
			c := claim{Claim: "n was " + strings.ReplaceAll(tc.words, "#", border), Figures: []figure{{Stated: border, Column: "n"}}}
			if got := lookUp(result, "", "", []claim{c})[0][0].Found; got != want {
				t.Errorf("%s of %s: %s, want %s", tc.words, value, got, want)
			}
		}
	}
	for value, want := range map[string]string{"95": figureCell, "94.99": figureAbsent, "100.49": figureCell, "100.5": figureAbsent} {
		result, err := scoring.ParseResult([]byte(`{"columns":[{"name":"n","type":"DECIMAL(9,2)"}],"rows":[["` + value + `"]]}`))
		if err != nil {
			t.Fatal(err)
		}
		c := claim{Claim: "It was nearly 100", Figures: []figure{{Stated: "100", Column: "n"}}}
		if got := lookUp(result, "", "", []claim{c})[0][0].Found; got != want {
			t.Errorf("nearly 100 of %s: %s, want %s", value, got, want)
		}
	}
}

// Totals, counts and shares are computed exactly, and contradict a claim only if nothing else can be meant.
func TestComputedFigures(t *testing.T) {
	const cities = `{"columns":[{"name":"city","type":"STRING"},{"name":"paid","type":"DECIMAL(38,2)"}],"rows":[["Oslo","12345678901234567.25"],["Rome","1.10"],["Rome","0.20"],["Kyiv",null]]}`
	const floats = `{"columns":[{"name":"city","type":"STRING"},{"name":"paid","type":"FLOAT64"}],"rows":[["Oslo",0.1],["Rome",0.2]]}`
	const text = `{"columns":[{"name":"city","type":"STRING"},{"name":"paid","type":"STRING"}],"rows":[["Oslo","$1,200.50"],["Rome","$80.00"]]}`
	const total = `{"columns":[{"name":"city","type":"STRING"},{"name":"paid","type":"INT64"}],"rows":[["Oslo",3],["Rome",2],["Total",5]]}`
	const rolled = `{"columns":[{"name":"city","type":"STRING"},{"name":"paid","type":"INT64"}],"rows":[["Oslo",3],["Rome",2],[null,5]]}`
	const average = `{"columns":[{"name":"city","type":"STRING"},{"name":"avg_paid","type":"INT64"}],"rows":[["Oslo",3],["Rome",2]]}`
	for _, tc := range []struct{ why, result, sql, claim, stated, want string }{
		{"a sum", cities, "", "The total paid is 12,345,678,901,234,568.55", "12,345,678,901,234,568.55", figureComputed},
		{"a sum that is wrong by a cent", cities, "", "The total paid is 12,345,678,901,234,568.56", "12,345,678,901,234,568.56", figureAbsent},
		{"the sum of doubles", floats, "", "The total paid is 0.3", "0.3", figureComputed},
		{"another sum of doubles", floats, "", "The total paid is 0.31", "0.31", figureAbsent},
		{"the sum of strings", text, "", "In total, 1,280.50 was paid", "1,280.50", figureComputed},
		{"a sum over cut rows", floats, "SELECT * FROM t LIMIT 2", "The total paid is 0.4", "0.4", figureUnchecked},
		{"a right sum over cut rows", floats, "SELECT * FROM t LIMIT 2", "The total paid is 0.3", "0.3", figureComputed},
		{"a row of totals", total, "", "The total paid is 10", "10", figureUnchecked},
		{"a row of ROLLUP", rolled, "", "The total paid is 10", "10", figureUnchecked},
		{"averages are not added up", average, "", "The total avg paid is 6", "6", figureUnchecked},
		{"of some rows", floats, "", "The total paid in June is 7", "7", figureUnchecked},
		{"no word for a total", floats, "", "The paid amount is 7", "7", figureUnchecked},
		{"rows", cities, "", "There are 4 rows", "4", figureComputed},
		{"too many rows", cities, "", "There are 5 rows", "5", figureAbsent},
		{"distinct values", cities, "", "There are 3 cities", "3", figureComputed},
		{"distinct values, in other words", cities, "", "The result has 3 different cities", "3", figureComputed},
		{"rows that are cities", cities, "", "The result lists 4 cities", "4", figureComputed},
		{"neither", cities, "", "There are 2 cities", "2", figureAbsent},
		{"of some cities", cities, "", "There are 2 cities in Italy", "2", figureUnchecked},
		{"a share", text, "", "Rome accounts for 6.2% of the total paid", "6.2%", figureComputed},
		{"a wrong share", text, "", "Rome accounts for 16.2% of the total paid", "16.2%", figureAbsent},
		{"a share in another unit", text, "", "Rome accounts for 625 bps of the total paid", "625 bps", figureComputed},
		{"a share of something else", text, "", "Rome accounts for 16.2% of the visitors", "16.2%", figureUnchecked},
		{"a share of an unknown row", text, "", "Paris accounts for 16.2% of the total paid", "16.2%", figureUnchecked},
		{"a bound on a share", text, "", "Rome accounts for less than 7% of the total paid", "7%", figureComputed},
	} {
		result, err := scoring.ParseResult([]byte(tc.result))
		if err != nil {
			t.Fatal(err)
		}
		c := claim{Claim: tc.claim, Figures: []figure{{Stated: tc.stated, Computed: true}}}
		if got := lookUp(result, tc.sql, "", []claim{c})[0][0].Found; got != tc.want {
			t.Errorf("%s: %s, want %s", tc.why, got, tc.want)
		}
	}
}

// Of rows that the judge was not shown, a total decides a claim that can mean nothing else.
func TestTotalsOfRowsThatWereCut(t *testing.T) {
	var rows strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&rows, `,["city %d",%d]`, i, 10_000+7*i)
	}
	result := `{"columns": [{"name": "city"}, {"name": "orders"}], "rows": [` + rows.String()[1:] + `]}`
	for stated, want := range map[string]string{"13,496,500": claimSupported, "13,496,501": claimUnsupported} {
		claim := fmt.Sprintf(`{"claim": "Total orders were %s", "figures": [{"stated": %q, "row": "", "column": "", "computed": true}], "support": "", "verdict": "not_shown"}`, stated, stated)
		s := judgeClaims(t, result, "", "Total orders were "+stated+".", claim)
		if d, ok := s.Detail.(faithfulnessDetail); !ok || d.Claims[0].Counts != want {
			t.Errorf("%s: %s %+v, want %s", stated, s.Reason, s.Detail, want)
		}
	}
}
