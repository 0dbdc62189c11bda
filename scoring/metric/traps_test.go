package metric_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// The bounds that every file of traps must keep, as shares of its wrong or right pairs.
const (
	wrongAccepted = 0.02 // verdict without a judge passes the pair
	rightAccepted = 0.90
	wrongComplete = 0.10 // hybrid_ex is 1: its tolerance, that of the BADGER paper, may take a few
)

// trap is a pair of results, one right answer that looks wrong or one wrong answer that looks
// right.
type trap struct {
	*scoring.Case
	law, note string
}

func (p trap) right() bool { return *p.Human }

func readTraps(t *testing.T, path string) []trap {
	t.Helper()
	f, err := os.Open(path) //nolint:gosec // a file that the test names
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var traps []trap
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		c, err := scoring.DecodeCase(lines.Bytes())
		if err != nil {
			t.Fatalf("line %d: %v", len(traps)+1, err)
		}
		var why struct{ Law, Note string }
		if err := json.Unmarshal(lines.Bytes(), &why); err != nil {
			t.Fatalf("line %d: %v", len(traps)+1, err)
		}
		p := trap{c, why.Law, why.Note}
		if p.Human == nil {
			t.Fatalf("%s: human.label is missing", p.ID)
		}
		for _, r := range []scoring.Result{p.Golds[0].Result, p.Pred.Result} {
			if r.Err != nil {
				t.Errorf("%s: %v", p.ID, r.Err)
			}
		}
		traps = append(traps, p)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return traps
}

// tally counts the pairs of a law, wrong ones under false and right ones under true.
type tally struct {
	pairs, verdict, hybrid map[bool]int
	failing                map[string][]string // pairs that count against a bound
}

func newTally() *tally {
	return &tally{map[bool]int{}, map[bool]int{}, map[bool]int{}, map[string][]string{}}
}

func (a *tally) add(b *tally) {
	for _, m := range []struct{ to, from map[bool]int }{{a.pairs, b.pairs}, {a.verdict, b.verdict}, {a.hybrid, b.hybrid}} {
		for k, n := range m.from {
			m.to[k] += n
		}
	}
	for k, ids := range b.failing {
		a.failing[k] = append(a.failing[k], ids...)
	}
}

func (a *tally) String() string {
	return fmt.Sprintf("verdict accepts %3d of %3d wrong, %3d of %3d right; hybrid_ex is 1 on %3d wrong, %3d right",
		a.verdict[false], a.pairs[false], a.verdict[true], a.pairs[true], a.hybrid[false], a.hybrid[true])
}

// springTraps scores all pairs without a judge, logs what each law lets through, and holds the
// total to the bounds.
func springTraps(t *testing.T, traps []trap) {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	laws := map[string]*tally{}
	for _, p := range traps {
		law := laws[p.law]
		if law == nil {
			law = newTally()
			laws[p.law] = law
		}
		scores, err := engine.Score(context.Background(), p.Case, "verdict", "hybrid_ex")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range scores {
			if s.Status == scoring.StatusFailed {
				t.Errorf("%s (%s): %s failed: %s", p.ID, p.law, s.Metric, s.Reason)
			}
		}
		one := func(s scoring.Score) bool { return s.Status == scoring.StatusOK && s.Value == 1 }
		law.pairs[p.right()]++
		if one(scores[0]) {
			law.verdict[p.right()]++
		}
		if one(scores[0]) != p.right() {
			kind := "verdict rejects the right"
			if !p.right() {
				kind = "verdict accepts the wrong"
			}
			law.failing[kind] = append(law.failing[kind], fmt.Sprintf("%s: %s; %s", p.ID, scores[0].Reason, p.note))
		}
		if one(scores[1]) {
			law.hybrid[p.right()]++
			if !p.right() {
				law.failing["hybrid_ex is 1 on the wrong"] = append(law.failing["hybrid_ex is 1 on the wrong"], fmt.Sprintf("%s: %s; %s", p.ID, scores[1].Reason, p.note))
			}
		}
	}
	all := newTally()
	for _, name := range slices.Sorted(maps.Keys(laws)) {
		if name != "" {
			t.Logf("%-20s %s", name, laws[name])
		}
		all.add(laws[name])
	}
	t.Logf("%-20s %s", "all", all)
	for _, b := range []struct {
		failing string
		ok      bool
	}{
		{"verdict accepts the wrong", float64(all.verdict[false]) <= wrongAccepted*float64(all.pairs[false])},
		{"verdict rejects the right", float64(all.verdict[true]) >= rightAccepted*float64(all.pairs[true])},
		{"hybrid_ex is 1 on the wrong", float64(all.hybrid[false]) <= wrongComplete*float64(all.pairs[false])},
	} {
		report := t.Logf
		if !b.ok {
			report = t.Errorf
		}
		if ids := all.failing[b.failing]; len(ids) > 0 {
			report("%s, %d pairs:\n%s", b.failing, len(ids), strings.Join(ids, "\n"))
		}
	}
}

// TestTraps holds the comparison to pairs that were written to trap it, each under the law that
// decides it.
func TestTraps(t *testing.T) {
	traps := readTraps(t, "testdata/traps.jsonl")
	ids := map[string]bool{}
	sides := map[string]map[bool]int{}
	for _, p := range traps {
		if ids[p.ID] || p.law == "" || p.note == "" {
			t.Errorf("%s: expected a case_id of its own, a law and a note", p.ID)
		}
		ids[p.ID] = true
		if sides[p.law] == nil {
			sides[p.law] = map[bool]int{}
		}
		sides[p.law][p.right()]++
	}
	for law, n := range sides {
		if n[false] < 5 || n[true] < 5 {
			t.Errorf("%s has %d wrong and %d right pairs, expected five of each", law, n[false], n[true])
		}
	}
	springTraps(t, traps)
}

// The same for the traps of the reference data, which name no laws.
func TestReferenceTraps(t *testing.T) {
	springTraps(t, readTraps(t, sharedData(t, "traps", "cases.jsonl")))
}
