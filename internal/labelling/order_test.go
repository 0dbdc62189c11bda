package labelling

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

func TestArrange(t *testing.T) {
	known := signals{
		"a": {Passes: 4},
		"b": {Passes: 2, Fails: 2, Unsure: 0.2, Relation: "rounding", Tier: "easy"},
		"c": {Passes: 1, Fails: 3, Unsure: 0.9, Relation: "rounding", Tier: "easy"},
		"d": {Fails: 3, Unsure: 0.2},
	}
	listed := []string{"d", "a", "c", "b", "e"}
	for o, want := range map[Order]string{Listed: "dacbe", Disagreement: "bcdae", Unsure: "cdbae"} {
		if got := strings.Join(arrange(listed, o, 1, known), ""); got != want {
			t.Errorf("%s: %s, want %s", o, got, want)
		}
	}
	if strings.Join(listed, "") != "dacbe" {
		t.Error("the list was changed")
	}
}

// What is drawn at random depends on the seed and on the cases, and holds each of them once.
func TestArrangeByLot(t *testing.T) {
	var cases []string
	known := signals{}
	for i := range 300 {
		id := fmt.Sprintf("c%03d", i)
		cases = append(cases, id)
		s := store.CaseSignal{Passes: 1, Tier: "easy"}
		switch {
		case i%100 == 0: // 3 of 300
			s.Relation = "rare"
		case i%10 == 0: // 27
			s.Fails = 1
		}
		known[id] = s
	}
	reversed := slices.Clone(cases)
	slices.Reverse(reversed)
	for _, o := range []Order{Random, Strata} {
		got := arrange(cases, o, 7, known)
		if again := arrange(reversed, o, 7, known); !slices.Equal(got, again) {
			t.Errorf("%s: another order of the same cases gives another queue", o)
		}
		if other := arrange(cases, o, 8, known); slices.Equal(got, other) {
			t.Errorf("%s: another seed gives the same queue", o)
		}
		if sorted := slices.Sorted(slices.Values(got)); !slices.Equal(sorted, cases) {
			t.Errorf("%s: the queue does not hold each case once", o)
		}
	}
	// Strata in turn: of three strata, the first nine hold three of each; then the rare one is used up.
	counts := func(ids []string) (rare, divided, rest int) {
		for _, id := range ids {
			switch s := known[id]; {
			case s.Relation != "":
				rare++
			case s.Fails > 0:
				divided++
			default:
				rest++
			}
		}
		return rare, divided, rest
	}
	got := arrange(cases, Strata, 7, known)
	if a, b, c := counts(got[:9]); a != 3 || b != 3 || c != 3 {
		t.Errorf("the first nine hold %d, %d and %d of the strata", a, b, c)
	}
	if a, b, c := counts(got[:57]); a != 3 || b != 27 || c != 27 {
		t.Errorf("the first 57 hold %d, %d and %d of the strata", a, b, c)
	}
}

func TestRate(t *testing.T) {
	at := func(minutes ...float64) (out []time.Time) { // ago
		for _, m := range minutes {
			out = append(out, time.Date(2025, 1, 14, 12, 0, 0, 0, time.UTC).Add(-time.Duration(m*float64(time.Minute))))
		}
		return out
	}
	for _, tc := range []struct {
		at   []time.Time
		want float64
	}{
		{nil, 0},
		{at(0), 0},
		{at(0, 1), 0},             // two labels say little
		{at(0, 1, 2), 60},         // two gaps of a minute
		{at(0, 2, 4, 6), 30},      //
		{at(0, 1, 2, 60, 61), 60}, // a break is not counted, nor what was before it
		{at(0, 11, 12, 13), 0},    // just back from one
		{at(0, 0, 0), 0},          // no time passed: nothing is known
		{at(0, 0.1, 0.2, 1.9), 0}, // some seconds say nothing of an hour
	} {
		if got := rate(tc.at); got != tc.want {
			t.Errorf("%v: %v, want %v", tc.at, got, tc.want)
		}
	}
}

func TestPlanIsChecked(t *testing.T) {
	ok := Plan{List: store.State{RunID: scoring.RunID{ID: "r"}, Mode: store.Failed}, Order: Random, Seed: 3}
	for want, change := range map[string]func(*Plan){
		"the run is missing":                 func(p *Plan) { p.List.ID = "" },
		"annotators: -1":                     func(p *Plan) { p.Annotators = -1 },
		"annotators: 21":                     func(p *Plan) { p.Annotators = 21 },
		"cases: -1":                          func(p *Plan) { p.Most = -1 },
		`order: unknown order "best"`:        func(p *Plan) { p.Order = "best" },
		"options: expected 2 to 9 different": func(p *Plan) { p.Options = []string{"pass"} },
		"2 to 9 different verdicts":          func(p *Plan) { p.Options = []string{"pass", "pass"} },
		`options: "skip"`:                    func(p *Plan) { p.Options = []string{"pass", "skip"} },
		`options: " fail"`:                   func(p *Plan) { p.Options = []string{"pass", " fail"} },
		"guideline: it holds":                func(p *Plan) { p.Guideline = "\x00" },
		"name: 201 bytes":                    func(p *Plan) { p.Name = strings.Repeat("n", 201) },
	} {
		p := ok
		change(&p)
		if _, err := p.queue(); err == nil || !strings.Contains(err.Error(), want) || errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%v, want %s", err, want)
		}
	}
	q, err := ok.queue()
	if err != nil || q.Name != "failed, random" || q.Annotators != 1 || !slices.Equal(q.Options, []string{"pass", "fail", "unsure"}) || q.Filter != "mode=failed&run=r" {
		t.Errorf("%+v, %v", q, err)
	}
}
