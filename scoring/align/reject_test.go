package align_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
)

func parsed(t *testing.T, text string) *scoring.Table {
	t.Helper()
	r, err := scoring.ParseResult([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Each part of a proposal that the tables do not bear out is refused with its reason, and the rest
// is taken.
func TestRejections(t *testing.T) {
	const (
		people  = `{"columns": [{"name": "name"}, {"name": "city"}, {"name": "n"}], "rows": [["ann", "Oslo", 31], ["bob", "Rome", 52], ["eve", "Oslo", 83]]}`
		persons = `{"columns": [{"name": "who"}, {"name": "town"}, {"name": "n"}, {"name": "m"}], "rows": [["ann", "Oslo", 9, 31], ["bob", "Rome", 10, 52], ["eve", "Oslo", 11, 0]]}`
		totals  = `{"columns": [{"name": "k"}, {"name": "total"}], "rows": [["a", 1234.5], ["b", 2345.5], ["c", 3456.5]]}`
		texts   = `{"columns": [{"name": "k"}, {"name": "note"}, {"name": "v"}], "rows": [["a", "low", 1.2345], ["b", "high", 2.9999], ["c", "mid", 3.9999]]}`
	)
	type rejection = align.Rejection
	for _, tc := range []struct {
		why, gold, pred, proposal string
		want                      []rejection
		pairs                     [][2]int // gold and pred
	}{
		{"what the evidence says", people, persons, `{"column_mapping": [{"gold": 1, "pred": 1}, {"gold": 2, "pred": 2}, {"gold": 3, "pred": 4}]}`, nil, [][2]int{{0, 0}, {1, 1}, {2, 3}}},
		{"no value in common", people, persons, `{"column_mapping": [{"gold": 3, "pred": 3}]}`, []rejection{{"column_mapping gold 3, pred 3", "they have no value in common"}}, [][2]int{{0, 0}, {1, 1}, {2, 3}}},
		{"exchanged columns", people, persons, `{"column_mapping": [{"gold": 1, "pred": 2}, {"gold": 2, "pred": 1}]}`, []rejection{
			{"column_mapping gold 1, pred 2", "they have no value in common"}, {"column_mapping gold 2, pred 1", "they have no value in common"},
		}, [][2]int{{0, 0}, {1, 1}, {2, 3}}},
		{"kinds that have nothing to do with each other", totals, texts, `{"column_mapping": [{"gold": 2, "pred": 2}]}`, []rejection{{"column_mapping gold 2, pred 2", "FLOAT64 and STRING cannot be compared"}}, [][2]int{{0, 0}}},
		{"a column twice: the first counts", people, persons, `{"column_mapping": [{"gold": 3, "pred": 4}, {"gold": 3, "pred": 3}, {"gold": 1, "pred": 4}]}`, []rejection{
			{"column_mapping gold 3, pred 3", "a column is used twice"}, {"column_mapping gold 1, pred 4", "a column is used twice"},
		}, [][2]int{{0, 0}, {1, 1}, {2, 3}}},
		{"a unit that is none", people, persons, `{"column_mapping": [{"gold": 3, "pred": 4, "scale": 1}, {"gold": 2, "pred": 2, "scale": 2.5}]}`, []rejection{
			{"column_mapping gold 3, pred 4 scale", "want one of [-6 -3 -2 2 3 6]"}, {"column_mapping gold 2, pred 2 scale", "want one of [-6 -3 -2 2 3 6]"},
		}, [][2]int{{0, 0}, {1, 1}, {2, 3}}},
		{"a unit of text", people, persons, `{"column_mapping": [{"gold": 2, "pred": 2, "scale": 2}]}`, []rejection{{"column_mapping gold 2, pred 2 scale", "they are not numbers"}}, [][2]int{{0, 0}, {1, 1}, {2, 3}}},
		{"a unit that most values contradict", totals, texts, `{"column_mapping": [{"gold": 2, "pred": 3, "scale": 3}]}`, []rejection{
			{"column_mapping gold 2, pred 3 scale", "most values do not agree in this unit"}, {"column_mapping gold 2, pred 3", "they have no value in common"},
		}, [][2]int{{0, 0}}},
		{
			"5 for 5000 is in thousands, or wrong: one digit cannot tell", `{"columns": [{"name": "total"}], "rows": [[5000]]}`, `{"columns": [{"name": "figure"}, {"name": "other"}], "rows": [[5, "x"]]}`,
			`{"column_mapping": [{"gold": 1, "pred": 1, "scale": 3}]}`, []rejection{
				{"column_mapping gold 1, pred 1 scale", "their values show fewer than 4 digits"}, {"column_mapping gold 1, pred 1", "they have no value in common"},
			}, nil,
		},
		{
			"1235 thousand for 1234567 can", `{"columns": [{"name": "total"}], "rows": [[1234567]]}`, `{"columns": [{"name": "figure"}, {"name": "other"}], "rows": [[1235, "x"]]}`,
			`{"column_mapping": [{"gold": 1, "pred": 1, "scale": 3}]}`, nil, [][2]int{{0, 0}},
		},
		{"a kind that cannot be read, and one that is none", people, persons, `{"column_mapping": [{"gold": 3, "pred": 4, "kind": "date"}, {"gold": 2, "pred": 2, "kind": "ignore the rules"}]}`, []rejection{
			{"column_mapping gold 3, pred 4 kind", `they cannot be read as "date"`}, {"column_mapping gold 2, pred 2 kind", `they cannot be read as "ignore the"`},
		}, [][2]int{{0, 0}, {1, 1}, {2, 3}}},
		{"an index with repeats", people, persons, `{"index_columns": ["city"]}`, []rejection{{"index_columns", "they do not tell the rows of both sides apart"}}, [][2]int{{0, 0}, {1, 1}, {2, 3}}},
		{"an index whose keys the other side does not know", people, persons, `{"index_columns": ["n"]}`, []rejection{{"index_columns", "fewer than 80 % of the values of gold 3 are known to both sides"}}, [][2]int{{0, 0}, {1, 1}, {2, 3}}},
		{"an index of nothing that is there", people, persons, `{"index_columns": [1, "country"]}`, []rejection{{"index_columns 2", "there is no such column"}}, [][2]int{{0, 0}, {1, 1}, {2, 3}}},
		{"an index that is not paired", totals, texts, `{"index_columns": [2]}`, []rejection{{"index_columns", "gold 2 has no counterpart"}}, [][2]int{{0, 0}}},
		{
			"an index that leaves nothing to compare", `{"columns": [{"name": "a"}, {"name": "b"}], "rows": [["x", "p"], ["y", "q"]]}`, `{"columns": [{"name": "a"}, {"name": "b"}], "rows": [["y", "p"], ["x", "q"]]}`,
			`{"index_columns": [1, 2]}`, []rejection{{"index_columns", "nothing is left to compare"}}, [][2]int{{0, 0}, {1, 1}},
		},
		{"missing and extra columns that are not", people, persons, `{"missing_columns": [1, 9], "extra_columns": [3, 4]}`, []rejection{
			{"missing_columns 1", "the evidence has a counterpart"}, {"missing_columns 2", "there is no such column"}, {"extra_columns 4", "the evidence has a counterpart"},
		}, [][2]int{{0, 0}, {1, 1}, {2, 3}}},
		{"tolerances", people, persons, `{"recommended_tolerance": 0.02}`, []rejection{{"recommended_tolerance", "it is not within 0 and 0.01"}}, [][2]int{{0, 0}, {1, 1}, {2, 3}}},
		{
			"a column whose values all agree, in whatever rows, keeps its counterpart", `{"columns": [{"name": "k"}, {"name": "n"}], "rows": [["a", 1], ["b", 2], ["c", 3]]}`,
			`{"columns": [{"name": "k"}, {"name": "n"}, {"name": "m"}], "rows": [["a", 1, 1], ["b", 3, 2], ["c", 2, 9]]}`,
			`{"column_mapping": [{"gold": 2, "pred": 3}]}`, []rejection{{"column_mapping gold 2, pred 3", "all values of the gold column agree with another column"}}, [][2]int{{0, 0}, {1, 1}},
		},
		{
			"and is not taken from it", `{"columns": [{"name": "k"}, {"name": "n"}, {"name": "z"}], "rows": [["a", 1, 1], ["b", 2, 7], ["c", 3, 8]]}`,
			`{"columns": [{"name": "k"}, {"name": "n"}], "rows": [["a", 1], ["b", 3], ["c", 2]]}`,
			`{"column_mapping": [{"gold": 3, "pred": 2}]}`, []rejection{{"column_mapping gold 3, pred 2", "all values of the predicted column agree with another column"}}, [][2]int{{0, 0}, {1, 1}},
		},
		{
			"a column that loses its counterpart gets the other's", `{"columns": [{"name": "u"}, {"name": "v"}], "rows": [[1, 5], [2, 6], [3, 7], [4, 8]]}`,
			`{"columns": [{"name": "x"}, {"name": "y"}], "rows": [[1, 1], [2, 5], [5, 8], [0, 9]]}`,
			`{"column_mapping": [{"gold": 1, "pred": 2}]}`, nil, [][2]int{{0, 1}, {1, 0}},
		},
	} {
		gold, pred := parsed(t, tc.gold), parsed(t, tc.pred)
		evidence := byEvidence(gold, pred)
		var p align.Proposal
		if err := json.Unmarshal([]byte(tc.proposal), &p); err != nil {
			t.Fatalf("%s: %v", tc.why, err)
		}
		a, rejected := align.Accept(gold, pred, &evidence, &p, align.Options{Tolerance: align.PaperTolerance}, align.PaperTolerance)
		if !reflect.DeepEqual(rejected, tc.want) {
			t.Errorf("%s: rejected\n%q\nwant\n%q", tc.why, rejected, tc.want)
		}
		var pairs [][2]int
		for _, c := range a.Columns {
			pairs = append(pairs, [2]int{c.Gold, c.Pred})
		}
		if !reflect.DeepEqual(pairs, tc.pairs) {
			t.Errorf("%s: pairs %v, want %v", tc.why, pairs, tc.pairs)
		}
		if a.Source != "judge" {
			t.Errorf("%s: source %s", tc.why, a.Source)
		}
	}
}

func TestManyRejectionsAreCut(t *testing.T) {
	gold := parsed(t, `{"columns": [{"name": "a"}], "rows": [[1]]}`)
	evidence := byEvidence(gold, gold)
	p := align.Proposal{Columns: make([]align.ProposedPair, 100_000)}
	if _, rejected := align.Accept(gold, gold, &evidence, &p, align.Options{}, 0); len(rejected) != 32 {
		t.Errorf("%d rejections are kept, want 32", len(rejected))
	}
}
