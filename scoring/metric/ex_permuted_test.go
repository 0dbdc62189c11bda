package metric

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

func permutedScore(t *testing.T, question, goldSQL string, gold, pred [][]int) scoring.Score {
	t.Helper()
	table := func(prefix string, rows [][]int) string {
		var names, lines []string
		for j := range rows[0] {
			names = append(names, fmt.Sprintf(`"%s%d"`, prefix, j))
		}
		for _, r := range rows {
			lines = append(lines, strings.ReplaceAll(fmt.Sprint(r), " ", ","))
		}
		return `{"columns":[` + strings.Join(names, ",") + `],"rows":[` + strings.Join(lines, ",") + `]}`
	}
	c := decodeCase(t, fmt.Sprintf(`{"case_id":"c","question":%q,"gold":{"sql":%q,"result":%s},"agent":{"result":%s}}`, question, goldSQL, table("g", gold), table("p", pred)))
	engine, err := scoring.NewEngine(All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := engine.Score(t.Context(), c, "ex_permuted")
	if err != nil {
		t.Fatal(err)
	}
	return scores[0]
}

// The score is that of trying every order of the columns: one must make the rows the same and the
// sort key the same from row to row.
func TestPermutedOrderIsThatOfEveryColumnOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	const sql = "SELECT g0, g1, g2 FROM t ORDER BY g0"
	orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	seen := map[bool]int{}
	for range 3000 {
		gold := make([][]int, 2+rng.IntN(4))
		for i := range gold {
			gold[i] = []int{rng.IntN(3), rng.IntN(2), rng.IntN(2)}
		}
		slices.SortStableFunc(gold, func(a, b []int) int { return a[0] - b[0] })
		pred := make([][]int, len(gold))
		columns := orders[rng.IntN(len(orders))]
		for i, r := range gold {
			pred[i] = []int{r[columns[0]], r[columns[1]], r[columns[2]]}
		}
		for range rng.IntN(3) {
			i, j := rng.IntN(len(pred)), rng.IntN(len(pred))
			pred[i], pred[j] = pred[j], pred[i]
		}
		want := slices.ContainsFunc(orders, func(columns []int) bool {
			shown := make([][]int, len(pred))
			for i, r := range pred {
				shown[i] = []int{r[columns[0]], r[columns[1]], r[columns[2]]}
				if shown[i][0] != gold[i][0] {
					return false
				}
			}
			a, b := slices.Clone(gold), slices.Clone(shown)
			slices.SortFunc(a, slices.Compare)
			slices.SortFunc(b, slices.Compare)
			return slices.EqualFunc(a, b, slices.Equal)
		})
		s := permutedScore(t, "ascending", sql, gold, pred)
		if (s.Value == 1) != want {
			t.Fatalf("gold %v, answer %v: %v (%s), want %v", gold, pred, s.Value, s.Reason, want)
		}
		seen[want]++
	}
	if seen[true] < 300 || seen[false] < 300 {
		t.Errorf("the tables are too much alike: %v", seen)
	}
}

// The sentence says what is wrong: the order of the rows, and not that of the columns.
func TestPermutedReasons(t *testing.T) {
	const sql = "SELECT g0, g1 FROM t ORDER BY g1 DESC"
	gold := [][]int{{1, 9}, {2, 7}, {3, 7}}
	for _, tc := range []struct {
		why, question, says string
		pred                [][]int
		value               float64
	}{
		{"ties", "highest first", "in the order that is asked for", [][]int{{1, 9}, {3, 7}, {2, 7}}, 1},
		{"the reverse", "highest first", `both results hold the same rows. The question asks for an order ("highest first"), which is g1 descending; the answer's rows come in another.`, [][]int{{3, 7}, {2, 7}, {1, 9}}, 0},
		{"no question", "", "Gold's query sorts its rows by g1 descending", [][]int{{3, 7}, {2, 7}, {1, 9}}, 0},
		{"not asked for", "What is there?", "both results hold the same rows equally often", [][]int{{3, 7}, {2, 7}, {1, 9}}, 1},
		{"other rows", "highest first", "no order of the columns makes the rows equal", [][]int{{1, 9}, {3, 7}, {2, 6}}, 0},
	} {
		if s := permutedScore(t, tc.question, sql, gold, tc.pred); s.Value != tc.value || !strings.Contains(s.Reason, tc.says) {
			t.Errorf("%s: %v (%s), want %v and %q", tc.why, s.Value, s.Reason, tc.value, tc.says)
		}
	}
}
