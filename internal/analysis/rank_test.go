package analysis

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// system adds a system whose metric m passes the cases that the text marks with 1; - is no score and
// ? a case that the system has no value of.
func (m *memory) system(name, metric, marks string) {
	b := Batch{By: scoring.By{Agent: name, Version: "1"}}
	for i, c := range marks {
		s := verdict(fmt.Sprint("c", i+1), c == '1')
		s.Metric = metric
		switch c {
		case '-':
			continue
		case '?':
			s.Status, s.Passed = scoring.StatusAbstained, nil
		case '0', '1':
		}
		m.add(b, s)
	}
}

func ranked(r *Ranking, metric string) string {
	for _, m := range r.Metrics {
		if m.Metric != metric {
			continue
		}
		var parts []string
		for _, s := range m.Systems {
			text := fmt.Sprintf("%v %s %.2f", s.Rank, s.System, s.Mean)
			if s.Shift != nil {
				text += fmt.Sprintf(" %+.1f", *s.Shift)
			}
			parts = append(parts, text)
		}
		return fmt.Sprintf("%d: %s", m.Compared, strings.Join(parts, ", "))
	}
	return "none"
}

func TestRanking(t *testing.T) {
	m := &memory{}
	m.system("a", "ex_bird", "1110000000")
	m.system("b", "ex_bird", "1111000000")
	m.system("c", "ex_bird", "1100000001")
	m.system("a", "rose", "1111111100")
	m.system("b", "rose", "1111000000")
	m.system("c", "rose", "11000000?1") // on one case a judge abstains: it counts for nobody
	r, err := NewRanking(t.Context(), m, NewSet(nil), map[scoring.AnswerID]bool{
		{CaseID: "c1", By: scoring.By{Agent: "a", Version: "1"}}: false, {CaseID: "c4", By: scoring.By{Agent: "a", Version: "1"}}: true, {CaseID: "c5", By: scoring.By{Agent: "b", Version: "1"}}: false,
	}, RankOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := ranked(r, "ex_bird"), "10: 1 b 1 0.40, 2.5 a 1 0.30, 2.5 c 1 0.30"; got != want {
		t.Errorf("by EX %s, want %s", got, want)
	}
	if got, want := ranked(r, "rose"), "9: 1 a 1 0.89 +1.5, 2 b 1 0.44 -1.0, 3 c 1 0.33 -0.5"; got != want {
		t.Errorf("by ROSE %s, want %s", got, want)
	}
	rose := r.Metrics[1]
	if *rose.MeanAbs != 1 || *rose.MaxAbs != 1.5 {
		t.Errorf("shifts of %v on average, %v at most; want 1 and 1.5", *rose.MeanAbs, *rose.MaxAbs)
	}
	// Pairs: (b,a) is turned round, (b,c) kept, (a,c) tied by EX: (1-1)/sqrt(2·3).
	if !near(*rose.Tau, 0, 1e-12) {
		t.Errorf("tau is %v, want 0", *rose.Tau)
	}
	if len(rose.Unlike) != 1 || rose.Unlike[0].Why != NoValue || rose.Unlike[0].Cases != 1 {
		t.Errorf("left out: %+v", rose.Unlike)
	}
	if r.Against != AgainstLabels || len(r.Errors) == 0 || r.Errors[0] != (EXError{"", "", 3, 1, 1}) {
		t.Errorf("errors against %s: %+v, want one false positive and one false negative of 3", r.Against, r.Errors)
	}

	r, err = NewRanking(t.Context(), m, NewSet(nil), nil, RankOptions{Systems: []string{"a 1", "b 1"}})
	if err != nil || r.Against != "rose" || len(r.Systems) != 2 || !strings.Contains(strings.Join(r.Notes, "\n"), "not against people") {
		t.Errorf("without labels: %v, against %s, systems %v, notes %q", err, r.Against, r.Systems, r.Notes)
	}
	// Against ROSE: a has 5 false negatives, b none.
	for _, e := range r.Errors {
		if e.Tier == "" && e.System == "a 1" && (e.FalseNegatives != 5 || e.FalsePositives != 0 || e.N != 10) {
			t.Errorf("errors of a: %+v", e)
		}
	}
	if _, err := NewRanking(t.Context(), m, NewSet(nil), nil, RankOptions{Systems: []string{"a 1", "x"}}); err == nil || !strings.Contains(err.Error(), "a 1, b 1, c 1") {
		t.Errorf("an unknown system: %v", err)
	}
	if _, err := NewRanking(t.Context(), m, NewSet(nil), nil, RankOptions{Systems: []string{"a 1"}}); err == nil {
		t.Error("one system is ranked")
	}
}

func TestSystemWithoutAName(t *testing.T) {
	m := &memory{}
	m.system("a", "ex_bird", "110")
	for i, passes := range []bool{true, false} { // answers the first two cases
		s := verdict(fmt.Sprint("c", i+1), passes)
		s.Metric, s.Findings = "ex_bird", []string{"issue:x"}
		m.add(Batch{}, s)
	}
	labels := map[scoring.AnswerID]bool{
		{CaseID: "c1", By: scoring.By{Agent: "a", Version: "1"}}: false, {CaseID: "c2", By: scoring.By{Agent: "a", Version: "1"}}: true, {CaseID: "c3", By: scoring.By{Agent: "a", Version: "1"}}: true,
		{CaseID: "c1"}: true, {CaseID: "c2"}: true,
	}
	r, err := NewRanking(t.Context(), m, NewSet(nil), labels, RankOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.Systems, "|"); got != "(no name)|a 1" {
		t.Errorf("systems %s", got)
	}
	got := map[string]EXError{}
	for _, e := range r.Errors {
		if e.Tier == "" {
			got[e.System] = e
		}
	}
	want := map[string]EXError{"": {"", "", 5, 1, 2}, "(no name)": {"(no name)", "", 2, 0, 1}, "a 1": {"a 1", "", 3, 1, 1}}
	if !maps.Equal(got, want) {
		t.Errorf("errors %+v, want %+v", got, want)
	}
	if _, err := NewRanking(t.Context(), m, NewSet(nil), labels, RankOptions{Systems: []string{"(no name)", "a 1"}}); err != nil {
		t.Errorf("systems as the table names them: %v", err)
	}
	f, err := NewFailures(t.Context(), m, NewSet(nil), FailureOptions{Metrics: []string{"ex_bird"}})
	if err != nil {
		t.Fatal(err)
	}
	if g := f.Labels[0].Groups; len(g) != 1 || g[0].System != "(no name)" || g[0].Agent != "" {
		t.Errorf("groups %+v, want one of the agent without a name", g)
	}
}

func TestRankingOnSharedCases(t *testing.T) {
	m := &memory{}
	m.system("a", "ex_bird", "11110-")
	m.system("b", "ex_bird", "--0011")
	m.system("c", "ex_bird", "------")
	elsewhere := verdict("elsewhere", true)
	elsewhere.Metric = "ex_bird"
	m.add(Batch{By: scoring.By{Agent: "c", Version: "1"}}, elsewhere)
	r, err := NewRanking(t.Context(), m, NewSet(nil), nil, RankOptions{})
	if err != nil || r.Shared != 0 || r.Cases != 7 || len(r.Metrics[0].Systems) != 0 {
		t.Fatalf("%v: %d of %d shared, %+v", err, r.Shared, r.Cases, r.Metrics)
	}
	notes := strings.Join(r.Notes, "\n")
	if !strings.Contains(notes, "share none of 7 cases") || !strings.Contains(notes, "without c 1 the other systems share 3 cases") {
		t.Errorf("notes %q", notes)
	}
	r, err = NewRanking(t.Context(), m, NewSet(nil), nil, RankOptions{Systems: []string{"a 1", "b 1"}})
	if err != nil || ranked(r, "ex_bird") != "3: 1 a 1 0.67, 2 b 1 0.33" || !strings.Contains(strings.Join(r.Notes, "\n"), "on the 3 of") {
		t.Errorf("%v %s, notes %q", err, ranked(r, "ex_bird"), r.Notes)
	}
}

// The two ways of drawing give the same intervals where both can be used.
func TestManyCasesAreDrawnAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	const n, k = 2000, 3
	x := ranker{set: NewSet(nil), systems: make([]*Answers, k), shared: make([]int, n), table: make([][]float64, 2)}
	for m := range x.table {
		x.table[m] = make([]float64, n*k)
	}
	for at := range n {
		easy := random.Float64()
		for i := range k {
			for m := range x.table {
				v := 0.0
				if random.Float64() < easy*(0.7+0.1*float64(i)) {
					v = 1
				}
				x.table[m][at*k+i] = v
			}
		}
		if at%10 == 0 {
			for i := range k {
				x.table[1][at*k+i] = math.NaN()
			}
		}
	}
	spread := func(draws [][][]float64, of func([][]float64) float64) float64 {
		sum, squares := 0.0, 0.0
		for _, d := range draws {
			v := of(d)
			sum, squares = sum+v, squares+v*v
		}
		mean := sum / float64(len(draws))
		return math.Sqrt(squares/float64(len(draws)) - mean*mean)
	}
	o := RankOptions{Resamples: 3000}
	one := make([][][]float64, 0, o.Resamples)
	weights := make([]uint16, n)
	for range o.Resamples {
		clear(weights)
		for range n {
			weights[random.IntN(n)]++
		}
		one = append(one, x.means(weights))
	}
	many := x.normal(o, random)
	for name, of := range map[string]func([][]float64) float64{
		"a mean": func(d [][]float64) float64 { return d[0][0] }, "a mean of fewer cases": func(d [][]float64) float64 { return d[1][2] },
		"a difference of systems": func(d [][]float64) float64 { return d[0][2] - d[0][0] }, "a difference of metrics": func(d [][]float64) float64 { return d[1][1] - d[0][1] },
	} {
		if a, b := spread(one, of), spread(many, of); math.Abs(a/b-1) > 0.08 {
			t.Errorf("%s has the spread %v by resampling, %v by normal numbers", name, a, b)
		}
	}
}

// Two equal systems are tied in every resample, however many cases there are.
func TestEqualSystemsTie(t *testing.T) {
	for _, n := range []int{50, patternLimit + 1} {
		m := &memory{}
		marks := strings.Repeat("10011", n/5+1)
		for _, name := range []string{"a", "b"} {
			m.system(name, "ex_bird", marks)
			m.system(name, "rose", "1"+marks[1:])
		}
		r, err := NewRanking(t.Context(), m, NewSet(nil), nil, RankOptions{Resamples: 200})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Metrics[1].Systems {
			if s.Rank != 1.5 || s.RankLow != 1.5 || s.RankHigh != 1.5 || *s.ShiftLow != 0 || *s.ShiftHigh != 0 {
				t.Errorf("%d cases: %+v", len(marks), s)
			}
		}
	}
}

// Of a metric with few values, some resamples draw none: they say nothing of its ranks.
func TestResamplesWithoutValues(t *testing.T) {
	m := &memory{}
	for name, marks := range map[string]string{"a": "1???????????", "b": "0???????????"} {
		m.system(name, "rose", marks)
		m.system(name, "ex_bird", "110000000000")
	}
	r, err := NewRanking(t.Context(), m, NewSet(nil), nil, RankOptions{Resamples: 300})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Metrics[1].Systems {
		want := map[string]float64{"a 1": 1, "b 1": 2}[s.System]
		if s.RankLow != want || s.RankHigh != want || s.ShiftLow == nil || *s.ShiftLow != 1.5-want || *s.ShiftHigh != 1.5-want {
			t.Errorf("%+v, want the rank %v in every resample that has a value", s, want)
		}
	}
}
