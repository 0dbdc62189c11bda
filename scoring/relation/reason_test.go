package relation_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/relation"
)

func TestReasonSentence(t *testing.T) {
	gold, answer := []string{"region", "net", "units", "a", "b", ""}, []string{"region", "net", "units"}
	at := func(columns ...int) relation.Proof {
		return relation.Proof{GoldRows: 4, PredRows: 4, GoldColumns: columns}
	}
	off := func(low, high float64) []relation.Size {
		return []relation.Size{{Column: "net", Differ: 4, Of: 4, Range: &relation.Range{low, high}}}
	}
	for _, tc := range []struct {
		name  string
		proof relation.Proof
		sizes []relation.Size
		want  string
	}{
		{"condition_missing", relation.Proof{Gold: "status = 'done'"}, off(0.0834, 0.351), "Leaves out the filter `status = 'done'`; `net` is 8.3 to 35 % too high."},
		{"condition_missing", relation.Proof{Gold: "status = 'done'"}, nil, "Leaves out the filter `status = 'done'`."},
		{
			"condition_missing", relation.Proof{Gold: "x = 1"}, []relation.Size{{Column: "n", Differ: 1, Of: 1, Gold: "181", Answer: "0", Range: &relation.Range{-1, -1}}},
			"Leaves out the filter `x = 1`: 0 instead of 181.",
		},
		{"tables_more", relation.Proof{Pred: "accounts"}, off(0.333, 0.6), "Also reads `accounts`, and `net` is 33 to 60 % too high."},
		{"tables_fewer", relation.Proof{Gold: "fx_rates"}, off(-0.5, -0.25), "Does not read `fx_rates`, and `net` is 25 to 50 % too low."},
		{"zero_dropped", relation.Proof{GoldRows: 24, PredRows: 22, OnlyGold: 2}, nil, "Drops 2 groups without rows (inner join)."},
		{"zero_dropped", relation.Proof{GoldRows: 24, PredRows: 23, OnlyGold: 1}, nil, "Drops 1 group without rows (inner join)."},
		{"or_for_and", relation.Proof{GoldRows: 19, PredRows: 312}, nil, "Keeps rows that meet either of two conditions; gold requires both: 312 rows instead of 19."},
		{"pred_empty", relation.Proof{GoldRows: 2}, nil, "Finds nothing; gold has 2 rows."},
		{"duplicates", relation.Proof{GoldRows: 16, PredRows: 18, OnlyPred: 2}, nil, "Does not remove repeated rows: 18 rows instead of 16."},
		{"duplicates", relation.Proof{GoldRows: 18, PredRows: 16, OnlyGold: 2}, nil, "Removes repeated rows: 16 rows instead of 18."},
		{"tie_other", relation.Proof{GoldRows: 5, PredRows: 5, OnlyGold: 2}, nil, "Chooses other rows among ties at the limit: 2 rows differ."},
		{"tie_other", relation.Proof{GoldRows: 5, PredRows: 5, OnlyGold: 1}, nil, "Chooses other rows among ties at the limit: 1 row differs."},
		{"same_order_limit", relation.Proof{GoldRows: 5, PredRows: 5}, nil, "Sorts as gold does, but has other rows among the first 5."},
		{
			"count_distinct", relation.Proof{}, []relation.Size{{Column: "n", Differ: 1, Of: 1, Gold: "3", Answer: "2", Range: &relation.Range{-1. / 3, -1. / 3}}},
			"Counts different values where gold counts every row: 2 instead of 3.",
		},
		{"count_distinct", relation.Proof{}, off(0.1, 0.2), "Counts every row where gold counts different values: `net` is 10 to 20 % too high."},
		{"count_distinct", relation.Proof{}, off(-0.1, 0.2), "The text of the relation."},
		{"overlap", relation.Proof{GoldRows: 5, PredRows: 5, OnlyGold: 2}, nil, "3 of 5 rows agree; 2 rows differ."},
		{"truncated", at(1), nil, "`net` lost its decimals (whole-number division)."},
		{"truncated", at(1, 2), nil, "`net` and `units` lost their decimals (whole-number division)."},
		{"dropped_columns", at(0, 1, 2, 3), nil, "Leaves out `region`, `net`, `units` and `a`; all the rest is right."},
		{"dropped_columns", at(0, 1, 2, 3, 4), nil, "Leaves out `region`, `net`, `units` and 2 more; all the rest is right."},
		{"dropped_columns", at(5), nil, "Leaves out `column 6`; all the rest is right."},
		{"dropped_columns", at(9), nil, "The text of the relation."}, // no such column
		{
			"value_differs", relation.Proof{GoldRows: 1, PredRows: 1},
			[]relation.Size{{Column: "n", Differ: 1, Of: 1, Gold: "10848", Answer: "10822", Range: &relation.Range{-26. / 10848, -26. / 10848}}},
			"Another number: 10822 instead of 10848. That is 0.24 % too low.",
		},
		{"value_differs", relation.Proof{}, []relation.Size{{Column: "n", Differ: 1, Of: 1, Gold: "Oslo", Answer: "Bergen"}}, "Another value: Bergen instead of Oslo."},
		{"value_differs", relation.Proof{}, nil, "The text of the relation."},
		{"measures_differ", at(1), []relation.Size{{Column: "net", Differ: 3, Of: 4, Range: &relation.Range{0.44, 0.67}}}, "`net` is 44 to 67 % too high in 3 of 4 rows."},
		{"measures_differ", at(1, 2), []relation.Size{{Column: "net", Differ: 4, Of: 4}, {Column: "units", Differ: 4, Of: 4}}, "`net` and `units` differ in all 4 rows."},
		{"measures_differ", at(1, 2), []relation.Size{{Column: "net", Differ: 2, Of: 4}, {Column: "units", Differ: 3, Of: 4}}, "`net` and `units` differ in up to 3 of 4 rows."},
		{"measures_differ", at(1, 2), nil, "Other figures in `net` and `units`; the other columns agree."},
		{"punctuated", at(1), nil, "The text of the relation."}, // has no form
	} {
		r := relation.NewReason(
			&relation.Relation{Name: tc.name, Text: "The text of the relation.", Proof: tc.proof},
			gold,
			answer,
		)
		r.Sizes = tc.sizes
		if got := r.Sentence().String(); got != tc.want {
			t.Errorf("%s: %q, expected %q", tc.name, got, tc.want)
		}
	}
	if got := relation.NewFailure("syntax error  at or near \"AS\"\n\nLINE 1: SELECT").Sentence().String(); got != "The query did not run: syntax error at or near \"AS\"" {
		t.Errorf("a failed query: %q", got)
	}
	if got := relation.NewFailure("").Sentence().String(); got != "The query did not run." {
		t.Errorf("a failed query without a message: %q", got)
	}
	if got := (&relation.Reason{Relation: "subset", Name: "Rows missing"}).Sentence().String(); got != "Rows missing." {
		t.Errorf("nothing but the name: %q", got)
	}
}

func TestRangeString(t *testing.T) {
	for _, tc := range []struct {
		low, high float64
		want      string
	}{
		{0.333, 0.333, "33 % too high"},
		{0.3296, 0.3304, "33 % too high"}, // the same number twice is said once
		{1.36, 1.66, "136 to 166 % too high"},
		{0.00001, 0.00001, "less than 0.01 % too high"},
		{-0.002, -0.002, "0.2 % too low"},
		{-0.12, 0.3, "up to 12 % too low and up to 30 % too high"},
		{8.9, 8.9, "890 % too high"},
		{9, 127.6, "10 to 129 times gold's"},
		{-1, -1, "100 % too low"},
	} {
		if got := (&relation.Range{tc.low, tc.high}).String(); got != tc.want {
			t.Errorf("%v to %v: %q, expected %q", tc.low, tc.high, got, tc.want)
		}
	}
}

// TestForms checks that forms are of known relations, name known slots, and are sentences.
func TestForms(t *testing.T) {
	full := &relation.Reason{
		Columns: []string{
			"a",
		}, Answered: []string{"b"}, Gold: "x", Answer: "y", GoldRows: 2, Rows: 3, Missing: 1, Extra: 1, Error: "m",
		Sizes: []relation.Size{{Column: "a", Differ: 1, Of: 1, Gold: "1", Answer: "2", Range: &relation.Range{1, 1}}},
	}
	slots := regexp.MustCompile(`\{([^}]*)\}`)
	for name, list := range relation.Forms {
		if relation.DisplayName(name) == name {
			t.Errorf("%s: no such relation", name)
		}
		for _, form := range list {
			for _, m := range slots.FindAllStringSubmatch(form, -1) {
				if full.Slot(m[1]) == nil && m[1] != "fewer" && m[1] != "lower" && m[1] != "none" && m[1] != "open" {
					t.Errorf("%s: %q: unknown slot %q", name, form, m[1])
				}
			}
			if end := slots.ReplaceAllString(form, ""); !strings.HasSuffix(end, ".") && name != relation.QueryFailed {
				t.Errorf("%s: %q does not end as a sentence", name, form)
			}
		}
	}
}

func TestReasonJSON(t *testing.T) {
	r := relation.NewReason(
		&relation.Relation{
			Name:  "subset",
			Class: relation.Difference,
			Proof: relation.Proof{GoldRows: 3, PredRows: 1, OnlyGold: 2},
		},
		nil,
		nil,
	)
	got, err := json.Marshal(r)
	const want = `{"sentence":"Leaves out 2 rows; the other rows are right.","relation":"subset","name":"Rows missing",` +
		`"group":"Filters","class":"difference","gold_rows":3,"answer_rows":1,"missing_rows":2}`
	if err != nil || string(got) != want {
		t.Errorf("%s %v, expected %s", got, err, want)
	}
}

// Rows that tie at the cut are chosen otherwise only if both queries read and sort the same, and the question leaves it
// open which of them to keep.
func TestOpenTies(t *testing.T) {
	const gold, pred = "boat, trips: ['Ida', 9], ['Olav', 7]", "boat, trips: ['Ida', 9], ['Runa', 7]"
	const by = "SELECT boat, COUNT(*) AS trips FROM log GROUP BY boat ORDER BY trips DESC, "
	for _, tc := range []struct {
		question, goldSQL, predSQL string
		open                       bool
	}{
		{"Which two boats made the most trips?", by + "boat LIMIT 2", by + "boat DESC LIMIT 2", true},
		{"Which two boats made the most trips?", by + "MAX(day) LIMIT 2", by + "boat LIMIT 2", true},
		{"Which two boats made the most trips? Break ties by name.", by + "boat LIMIT 2", by + "boat DESC LIMIT 2", false},
		{"Which two boats made the most trips, then alphabetical?", by + "boat LIMIT 2", by + "boat DESC LIMIT 2", false},
		{"Which two boats made the most trips? Sort by trips and by boat.", by + "boat LIMIT 2", by + "boat DESC LIMIT 2", false},
		{"", by + "boat LIMIT 2", by + "boat DESC LIMIT 2", false},
		{"Which two boats made the most trips?", by + "boat LIMIT 2", "SELECT boat, COUNT(*) AS trips FROM log WHERE day > 3 GROUP BY boat ORDER BY trips DESC LIMIT 2", false},
		{"Which two boats made the most trips?", by + "boat LIMIT 2", "SELECT boat, trips FROM totals ORDER BY trips DESC LIMIT 2", false},
	} {
		x := example{gold: gold, pred: pred, goldSQL: tc.goldSQL, predSQL: tc.predSQL, question: tc.question}
		found := x.find(t)
		if found[0].Name != "tie_unproven" {
			t.Errorf("%s: %+v", tc.predSQL, found[0])
			continue
		}
		got := relation.NewReason(&found[0], nil, nil).Sentence().String()
		const open = "Chooses other rows among ties at the limit; the question does not say which."
		if (got == open) != tc.open {
			t.Errorf("%q, %s: %q", tc.question, tc.predSQL, got)
		}
	}
}
