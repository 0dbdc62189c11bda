package metric

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/prompt"
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

// judgedBy is the comparison under what is accepted of the judge's proposal, whether or not there
// is doubt, with the evidence where that finds as much: what hybrid_ex does once it asks.
func judgedBy(t *testing.T, judge fooled, c *scoring.Case) (h *Hybrid, evidence float64) {
	t.Helper()
	gold, pred := c.Golds[0].Result.Table, c.Pred.Result.Table
	o := hybridDeclared.Defaults
	h = compareResults(gold, pred, o.align(nil), &o, false)
	evidence = h.Counts.Score
	r, word, err := prompt.Align.Request(prompt.Material{
		Question: c.Question, Evidence: c.Evidence, PredSQL: c.Pred.SQL, GoldSQL: c.Golds[0].SQL, Opinion: c.Agent.Response + c.Agent.Interpretation,
		Schema: c.Schema, GoldResult: gold, PredResult: pred, Relation: h.describe() + c.Agent.Response + c.Agent.Interpretation + c.Schema,
	}).WithNonce()
	if err != nil {
		t.Fatal(err)
	}
	h.Stage1 = &Stage1{Proposal: &align.Proposal{}}
	if judgebackend.DecodeNonce(judge(r), r.Schema, "nonce", word, h.Stage1.Proposal) != nil {
		h.Stage1.Unusable, h.Stage1.Proposal = true, &align.Proposal{}
	}
	h.accept(gold, pred, &o, o.align(nil))
	return h, evidence
}

// The property of hybrid_ex under any judge: its value is at least that of the evidence; it is the
// comparison under the alignment that it states; and it is at most the share of cells that are
// equal under some one-to-one correspondence of columns and of rows, which no wrong answer has at
// 1.
func TestRedTeamHybridEX(t *testing.T) {
	attacks, tables := redTeam(t)
	judges := map[string]fooled{"silent": silent, "copier": copier, "adopter": adopter, "obedient": obedient, "perfect": perfect}
	obeyed := 0
	tried := 0
	for i := range attacks { // one in three, or where tests are thorough each
		if !sample.Takes(i, len(attacks), 6) {
			continue
		}
		tried++
		a, w := &attacks[i], tables[attacks[i].Tables]
		for _, name := range slices.Sorted(maps.Keys(judges)) {
			c := a.on(t, w)
			h, evidence := judgedBy(t, judges[name], c)
			s := scoreWith(t, judges[name], a.on(t, w), "hybrid_ex")
			if !h.Stage1.Unusable {
				obeyed++
			}
			again := cell.Compare(c.Golds[0].Result.Table, c.Pred.Result.Table, &h.Alignment, cell.Options{})
			switch value := h.Counts.Score; {
			case s.Status != scoring.StatusOK || s.Value != value && s.Value != evidence:
				t.Errorf("%s, %s: %s %v, want %v, or %v without asking", a.ID, name, s.Status, s.Value, value, evidence)
			case value < evidence || s.Value < evidence:
				t.Errorf("%s, %s: %v, below the %v of the evidence", a.ID, name, value, evidence)
			case value > w.Most+1e-12 || value == 1:
				t.Errorf("%s, %s: %v, where at most %v is right: %s", a.ID, name, value, w.Most, w.Why)
			case value != again.Score:
				t.Errorf("%s, %s: %v, under its own alignment %v", a.ID, name, value, again.Score)
			case (name == "silent" || name == "copier") && (value != evidence || !h.Stage1.Unusable):
				t.Errorf("%s, %s: %v without a proposal, by evidence %v", a.ID, name, value, evidence)
			}
		}
	}
	t.Logf("%d attacks, %d proposals obeyed", tried, obeyed)
	if obeyed < 2*tried {
		t.Error("too little was tried")
	}
}

// No proposal there is, of every mapping in every unit with every index, brings a wrong answer
// above what is equal in it.
func TestRedTeamEveryProposal(t *testing.T) {
	_, tables := redTeam(t)
	for name, w := range tables {
		gold, pred := w.tables(t)
		if most := mostUnderAnyMapping(gold, pred); math.Abs(most-w.Most) > 1e-12 {
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
					h, _ := judgedBy(t, func(r judgebackend.Request) string {
						_, word := materialAndWord(r)
						return reply + `, "nonce": "` + word + `"}`
					}, fullCase(gold, pred))
					tried++
					if h.Stage1.Unusable || h.Counts.Score > w.Most+1e-12 {
						t.Fatalf("%s: %s gives %v, want at most %v", name, reply, h.Counts.Score, w.Most)
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

// mostUnderAnyMapping is the largest share of equal cells over all one-to-one mappings of columns,
// all units of the mapped columns and all ways to match rows, with whole numbers compared exactly
// and others within 1 %.
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
