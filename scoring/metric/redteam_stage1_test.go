package metric

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// asksForStage1 makes hybrid_ex ask a judge.
var asksForStage1 = scoring.Config{Options: map[string]json.RawMessage{
	"hybrid_ex": json.RawMessage(`{"stage1": "judge"}`), "result_match_category": json.RawMessage(`{"stage1": "judge"}`),
}}

func scoreWith(t *testing.T, judge judgebackend.Backend, c *scoring.Case, metric string) scoring.Score {
	t.Helper()
	e, err := scoring.NewEngine(All(), &scoring.EngineOptions{Judge: judge, Config: asksForStage1, Panicked: func(metric string, v any, stack []byte) {
		t.Errorf("%s panicked: %v\n%s", metric, v, stack)
	}})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := e.Score(t.Context(), c, metric)
	if err != nil {
		t.Fatal(err)
	}
	return scores[0]
}

// The property of hybrid_ex under any judge: its value is at least that of the evidence; it is the comparison under the alignment that it states; and it is at most the
// share of cells that are equal under some one-to-one correspondence of columns and of rows, which no wrong answer has at 1.
func TestRedTeamHybridEX(t *testing.T) {
	attacks, tables := redTeam(t)
	asked, obeyed := 0, 0
	for i := range attacks {
		a, w := &attacks[i], tables[attacks[i].Tables]
		evidence := scoreWith(t, nil, a.on(t, w), "hybrid_ex")
		for name, judge := range map[string]fooled{"silent": silent, "copier": copier, "adopter": adopter, "obedient": obedient, "perfect": perfect} {
			c := a.on(t, w)
			s := scoreWith(t, fooled(func(r judgebackend.Request) string { asked++; return judge(r) }), c, "hybrid_ex")
			if s.Status != scoring.StatusOK {
				t.Errorf("%s, %s: %s %s", a.ID, name, s.Status, s.Reason)
				continue
			}
			h, ok := s.Detail.(*Hybrid)
			if !ok {
				t.Fatalf("detail %T", s.Detail)
			}
			if h.Stage1 != nil && h.Stage1.Proposal != nil {
				obeyed++
			}
			again := cell.Compare(c.Golds[0].Result.Table, c.Pred.Result.Table, &h.Alignment, cell.Options{})
			switch {
			case s.Value < evidence.Value:
				t.Errorf("%s, %s: %v, below the %v of the evidence", a.ID, name, s.Value, evidence.Value)
			case s.Value > w.Most+1e-12 || s.Value == 1:
				t.Errorf("%s, %s: %v, where at most %v is right: %s", a.ID, name, s.Value, w.Most, w.Why)
			case s.Value != again.Score:
				t.Errorf("%s, %s: %v, under its own alignment %v", a.ID, name, s.Value, again.Score)
			case (name == "silent" || name == "copier") && s.Value != evidence.Value:
				t.Errorf("%s, %s: %v without a proposal, by evidence %v", a.ID, name, s.Value, evidence.Value)
			}
		}
	}
	t.Logf("%d attacks, %d calls, %d proposals read", len(attacks), asked, obeyed)
	if asked < len(attacks) || obeyed < len(attacks) {
		t.Error("too little was tried")
	}
}

// No proposal there is, of every mapping in every unit with every index, brings a wrong answer above what is equal in it.
func TestRedTeamEveryProposal(t *testing.T) {
	_, tables := redTeam(t)
	for name, w := range tables {
		gold, pred := w.tables(t)
		if most := mostUnderAnyMapping(gold, pred); math.Abs(most-w.Most) > 1e-12 && name != "no_rows" {
			t.Errorf("%s: at most %v can be equal, tables.json says %v", name, most, w.Most)
		}
		tried := 0
		mappings(len(gold.Columns), len(pred.Columns), func(to []int) {
			for _, scale := range []int{0, -6, -3, -2, 2, 3, 6} {
				var pairs []string
				for g, p := range to {
					if p >= 0 {
						pairs = append(pairs, fmt.Sprintf(`{"gold": %d, "pred": %d, "scale": %d}`, g+1, p+1, scale))
					}
				}
				for set := range 1 << len(gold.Columns) {
					var index []string
					for g := range gold.Columns {
						if set&(1<<g) != 0 {
							index = append(index, fmt.Sprint(g+1))
						}
					}
					reply := fmt.Sprintf(`{"column_mapping": [%s], "index_columns": [%s], "recommended_tolerance": 0.01`, strings.Join(pairs, ", "), strings.Join(index, ", "))
					s := scoreWith(t, fooled(func(r judgebackend.Request) string {
						_, word := materialAndWord(r)
						return reply + `, "nonce": "` + word + `"}`
					}), fullCase(gold, pred), "hybrid_ex")
					tried++
					if s.Status != scoring.StatusOK || s.Value > w.Most+1e-12 {
						t.Fatalf("%s: %s gives %s %v, want at most %v", name, reply, s.Status, s.Value, w.Most)
					}
				}
			}
		})
		t.Logf("%s: %d proposals", name, tried)
	}
}

// mappings calls f with every one-to-one mapping of golds columns to preds columns; -1 is none.
func mappings(golds, preds int, f func(to []int)) {
	to := make([]int, golds)
	used := make([]bool, preds)
	var fill func(g int)
	fill = func(g int) {
		if g == golds {
			f(to)
			return
		}
		to[g] = -1
		fill(g + 1)
		for p := range preds {
			if !used[p] {
				used[p], to[g] = true, p
				fill(g + 1)
				used[p] = false
			}
		}
	}
	fill(0)
}

// mostUnderAnyMapping is the largest share of equal cells over all one-to-one mappings of columns, all units of the mapped columns and all ways to match rows, with whole
// numbers compared exactly and others within 1 %.
func mostUnderAnyMapping(gold, pred *scoring.Table) float64 {
	most := 0
	mappings(len(gold.Columns), len(pred.Columns), func(to []int) {
		for _, scale := range []int{0, -6, -3, -2, 2, 3, 6} {
			weight := func(i, j int) (n int) {
				for g, p := range to {
					if p >= 0 && looselyEqual(&gold.Columns[g], &pred.Columns[p], i, j, scale) {
						n++
					}
				}
				return n
			}
			most = max(most, bestMatching(gold.Rows(), pred.Rows(), weight))
		}
	})
	return float64(most) / float64(len(gold.Columns)*max(gold.Rows(), pred.Rows()))
}

func looselyEqual(g, p *scoring.Column, i, j, scale int) bool {
	x, y := g.Value(i), p.Value(j)
	if !x.Type.Numeric() || !y.Type.Numeric() {
		return x.String() == y.String()
	}
	number := func(v scoring.Value) (f float64) {
		_, _ = fmt.Sscan(v.String(), &f)
		return f
	}
	a, b := number(x), number(y)*math.Pow10(scale)
	if g.Type == scoring.Int64 && p.Type == scoring.Int64 {
		return a == b || scale == 0 && x.String() == y.String()
	}
	return math.Abs(a-b) <= 0.01*math.Max(math.Abs(a), math.Abs(b))
}

// bestMatching is the largest sum of weights over all one-to-one matchings of few rows.
func bestMatching(golds, preds int, weight func(i, j int) int) (most int) {
	best := map[int]int{0: 0} // by the set of predicted rows used
	for i := range golds {
		next := map[int]int{}
		for used, n := range best {
			next[used] = max(next[used], n)
			for j := range preds {
				if used&(1<<j) == 0 {
					next[used|1<<j] = max(next[used|1<<j], n+weight(i, j))
				}
			}
		}
		best = next
	}
	for _, n := range best {
		most = max(most, n)
	}
	return most
}
