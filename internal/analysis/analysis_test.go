package analysis

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/scoring"
)

// memory is scores in memory.
type memory struct {
	Source   // for the methods that no test calls
	batches  []Batch
	accepted Accepted
	scores   map[string][]Score // by the name of the batch
}

func (m *memory) add(b Batch, scores ...Score) {
	if m.scores == nil {
		m.scores = map[string][]Score{}
	}
	if _, is := m.scores[b.Name()]; !is {
		m.batches = append(m.batches, b)
	}
	m.scores[b.Name()] = append(m.scores[b.Name()], scores...)
}

func (m *memory) Accepted(context.Context) (Accepted, error) { return m.accepted, nil }

func (m *memory) LoadEach(ctx context.Context, metrics []string, into []*Answers) error {
	for _, a := range into {
		if err := m.Load(ctx, a.Batch, metrics, a); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) Batches(context.Context) ([]Batch, error) { return slices.Clone(m.batches), nil }

func (m *memory) Metrics(context.Context) (names []string, _ error) {
	for _, list := range m.scores {
		for i := range list {
			if !slices.Contains(names, list[i].Metric) {
				names = append(names, list[i].Metric)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

func (m *memory) Load(_ context.Context, b Batch, metrics []string, into *Answers) error {
	for _, s := range m.scores[b.Name()] {
		if metrics == nil || slices.Contains(metrics, s.Metric) {
			into.Add(&s)
		}
	}
	return nil
}

// verdict is a score of the metric "ex": 1 and passed, or 0 and failed.
func verdict(id string, passes bool) Score {
	s := Score{CaseID: id, Metric: "ex", MetricVersion: 1, Status: scoring.StatusOK, Passed: &passes, Config: "c", Gold: "g"}
	if passes {
		s.Value = 1
	}
	return s
}

func value(metric, id string, v float64) Score {
	return Score{CaseID: id, Metric: metric, MetricVersion: 1, Status: scoring.StatusOK, Value: v, Config: "c", Gold: "g"}
}

func ids(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprint("c", i+1))
	}
	return out
}

// compareOne compares two lists of scores of one metric.
func compareOne(t *testing.T, from, to []Score, o CompareOptions) (*Comparison, *Change) {
	t.Helper()
	set := NewSet([]scoring.Metric{{Name: "latency", LowerIsBetter: true}})
	a, b := set.Answers(Batch{By: scoring.By{Agent: "a", Version: "1"}}), set.Answers(Batch{By: scoring.By{Agent: "a", Version: "2"}})
	for i := range from {
		a.Add(&from[i])
	}
	for i := range to {
		b.Add(&to[i])
	}
	c := Compare(a, b, o)
	if len(c.Changes) != 1 {
		t.Fatalf("%d changes, want 1", len(c.Changes))
	}
	return c, &c.Changes[0]
}

func TestCompareVerdicts(t *testing.T) {
	// Of 20 cases 12 pass in both, 7 break and 1 is fixed: McNemar's exact p is 2·(1+8)/2^8.
	var from, to []Score
	for i, id := range ids(20) {
		from = append(from, verdict(id, i < 19))
		to = append(to, verdict(id, i < 12 || i == 19))
	}
	c, ch := compareOne(t, from, to, CompareOptions{})
	if ch.Test != "mcnemar_exact" || !near(*ch.P, 18.0/256, 1e-12) || !near(*ch.RateP, *ch.P, 1e-12) || !near(*ch.PAdjusted, *ch.P, 1e-12) {
		t.Errorf("p = %v (%s), of the pass rate %v, adjusted %v; want %v", *ch.P, ch.Test, *ch.RateP, *ch.PAdjusted, 18.0/256)
	}
	if !near(*ch.Mean, -0.3, 1e-12) || !near(*ch.Rate, -0.3, 1e-12) || !near(ch.Drop(), 0.3, 1e-12) || len(ch.Broken) != 7 || !slices.Equal(ch.Fixed, []string{"c20"}) {
		t.Errorf("change %v, pass rate %v, %d broken, fixed %v", *ch.Mean, *ch.Rate, len(ch.Broken), ch.Fixed)
	}
	if ch.Outcome != Chance || c.Shared != 20 || ch.Compared != 20 {
		t.Errorf("%s on %d of %d", ch.Outcome, ch.Compared, c.Shared)
	}
	for _, tc := range []struct {
		o    CompareOptions
		want string
	}{{CompareOptions{Alpha: 0.1}, Degraded}, {CompareOptions{Alpha: 0.1, MinDrop: 0.3}, Degraded}, {CompareOptions{Alpha: 0.1, MinDrop: 0.31}, Small}, {CompareOptions{MinDrop: 0.31}, Chance}} {
		if _, ch := compareOne(t, from, to, tc.o); ch.Outcome != tc.want {
			t.Errorf("%+v: %s, want %s", tc.o, ch.Outcome, tc.want)
		}
		if _, ch := compareOne(t, to, from, tc.o); tc.want == Degraded && ch.Outcome != Improved {
			t.Errorf("%+v the other way: %s", tc.o, ch.Outcome)
		}
	}
}

// What may not be compared is counted with its reason, and the rest is compared.
func TestOnlyLikeIsComparedWithLike(t *testing.T) {
	change := func(of func(*Score)) []Score {
		var out []Score
		for i, id := range ids(6) {
			s := verdict(id, false)
			if i < 2 {
				of(&s)
			}
			out = append(out, s)
		}
		return out
	}
	var from []Score
	for _, id := range ids(6) {
		s := verdict(id, true)
		s.Judge = "o3-2504"
		from = append(from, s)
	}
	for _, tc := range []struct {
		name   string
		change func(*Score)
		unlike string // "": both are compared
		note   string
	}{
		{"gold", func(s *Score) { s.Gold = "h" }, "golden set", ""},
		{"gold unknown", func(s *Score) { s.Gold = "" }, "", "whether the golden set changed in between is not known"},
		{"version", func(s *Score) { s.MetricVersion = 2 }, "metric version", ""},
		{"configuration", func(s *Score) { s.Config = "d" }, "configuration", ""},
		{"configuration unknown", func(s *Score) { s.Config = "" }, "", "whether it changed is not known"},
		{"judge", func(s *Score) { s.Judge = "o4-2601" }, "judge", ""},
		{"nobody was asked", func(s *Score) { s.Judge = "" }, "", ""},
		{"judge unknown", func(s *Score) { s.Judge = UnknownJudge }, "", "do not record the judge"},
		{"failed", func(s *Score) { s.Status = scoring.StatusFailed }, NoValue, ""},
		{"abstained", func(s *Score) { s.Status = scoring.StatusAbstained }, NoValue, ""},
		{"not applicable", func(s *Score) { s.Status, s.Reason = scoring.StatusNotApplicable, "no tools expected" }, NoValue, ""},
	} {
		c, ch := compareOne(t, from, change(tc.change), CompareOptions{})
		want := 4
		if tc.unlike == "" {
			want = 6
		}
		if ch.Compared != want || ch.Shared != 6 {
			t.Errorf("%s: %d of %d are compared, want %d of 6", tc.name, ch.Compared, ch.Shared, want)
		}
		if tc.unlike == "" != (len(ch.Unlike) == 0) || tc.unlike != "" && (ch.Unlike[0].Why != tc.unlike || ch.Unlike[0].Cases != 2 || !strings.HasPrefix(ch.Unlike[0].String(), "2 cases")) {
			t.Errorf("%s: unlike %+v, want %q", tc.name, ch.Unlike, tc.unlike)
		}
		if !strings.Contains(strings.Join(c.Notes, "\n"), tc.note) || tc.note == "" && len(c.Notes) > 0 {
			t.Errorf("%s: notes %q, want %q", tc.name, c.Notes, tc.note)
		}
	}
}

func TestNothingToCompare(t *testing.T) {
	other := verdict("c1", true)
	other.MetricVersion = 2
	c, ch := compareOne(t, []Score{verdict("c1", true)}, []Score{other}, CompareOptions{})
	if ch.Outcome != NotCompared || ch.P != nil || ch.From.Scored != 1 || ch.To.Scored != 1 {
		t.Errorf("%+v", ch)
	}
	said, reached := c.Check([]gate.Drop{{Metric: "ex", Drop: 0.05}})
	if reached || !strings.Contains(said[0], "metric version 1, then 2") {
		t.Errorf("a gate over nothing: %v %q", reached, said)
	}
	if said, reached := c.Check([]gate.Drop{{Metric: "missing", Drop: 0.05}}); reached || !strings.Contains(said[0], "no scores") {
		t.Errorf("a gate of a metric without scores: %v %q", reached, said)
	}
	c, ch = compareOne(t, []Score{verdict("c1", true)}, []Score{verdict("c2", true)}, CompareOptions{})
	if ch.Outcome != NotCompared || c.OnlyOf != [2]int{1, 1} || len(c.Notes) != 2 {
		t.Errorf("no shared case: %s, only %v, notes %q", ch.Outcome, c.OnlyOf, c.Notes)
	}
}

// An agent that stops answering is worse, whatever its other answers are.
func TestMissingAnswersCountAsZero(t *testing.T) {
	var from, to []Score
	for i, id := range ids(8) {
		from = append(from, verdict(id, true))
		s := verdict(id, true)
		if i < 6 {
			s = Score{CaseID: id, Metric: "ex", MetricVersion: 1, Status: scoring.StatusNotApplicable, Reason: scoring.NoPredResult, Config: "c", Gold: "g"}
		}
		to = append(to, s)
	}
	_, ch := compareOne(t, from, to, CompareOptions{})
	if ch.Compared != 8 || !near(*ch.Mean, -0.75, 1e-12) || len(ch.Broken) != 6 || ch.Outcome != Degraded || ch.To.Unanswered != 6 || !near(*ch.To.Coverage, 0.25, 1e-12) {
		t.Errorf("%+v", ch)
	}
}

func TestCompareValues(t *testing.T) {
	var from, to []Score
	for i, id := range ids(12) {
		from = append(from, value("latency", id, 1))
		to = append(to, value("latency", id, 1.5+float64(i)/100))
	}
	_, ch := compareOne(t, from, to, CompareOptions{})
	// Less is better: all twelve rise, so that 2 of 2^12 ways to give signs are as extreme.
	if ch.Test != "sign_flip" || !near(*ch.P, 2.0/4096, 1e-12) || ch.Outcome != Degraded || ch.Drop() <= 0 || ch.Rate != nil {
		t.Errorf("%+v", ch)
	}
	if !near(*ch.Mean, 0.555, 1e-9) || *ch.Low > 0.555 || *ch.High < 0.555 {
		t.Errorf("mean %v, interval %v to %v", *ch.Mean, *ch.Low, *ch.High)
	}
}

// With many metrics a small p-value is not enough.
func TestManyMetricsAreAdjustedFor(t *testing.T) {
	set := NewSet(nil)
	a, b := set.Answers(Batch{}), set.Answers(Batch{})
	for m := range 10 {
		for i, id := range ids(9) {
			x, y := value(fmt.Sprint("m", m), id, 0.5), value(fmt.Sprint("m", m), id, 0.5)
			if m == 0 && i < 7 {
				y.Value = 0.1
			} else if m > 0 && i < 2 {
				y.Value = 0.6
			}
			a.Add(&x)
			b.Add(&y)
		}
	}
	c := Compare(a, b, CompareOptions{})
	if p := 2.0 / 128; !near(*c.Changes[0].P, p, 1e-12) || !near(*c.Changes[0].PAdjusted, p, 1e-12) || c.Changes[0].Outcome != Degraded || c.Primary != "m0" {
		t.Errorf("the primary metric is tested by itself: %+v", c.Changes[0])
	}
	if said, reached := c.Check([]gate.Drop{{Metric: "m0", Drop: 0.1}}); reached {
		t.Errorf("the gate has the p of the table: %q", said)
	}
	other := Compare(a, b, CompareOptions{Primary: "m1"})
	if p := 2.0 / 128; !near(*other.Changes[0].PAdjusted, 9*p, 1e-12) || other.Changes[0].Outcome != Chance || other.Primary != "m1" {
		t.Errorf("nine others are adjusted among themselves: %+v", other.Changes[0])
	}
	if said, reached := other.Check([]gate.Drop{{Metric: "m0", Drop: 0.1}}); !reached {
		t.Errorf("the gate has the p of the table: %q", said)
	}
	if said, reached := c.Check([]gate.Drop{{Metric: "m0", Drop: 0.4}}); !reached {
		t.Errorf("the drop is 0.311: %q", said)
	}
}

func TestFigures(t *testing.T) {
	set := NewSet(nil)
	a := set.Answers(Batch{})
	for i := range 10 { // 0.1 to 1.0
		s := value("m", fmt.Sprint(i), float64(i+1)/10)
		a.Add(&s)
	}
	for i, s := range []Score{{Status: scoring.StatusAbstained}, {Status: scoring.StatusFailed}, {Status: scoring.StatusNotApplicable, Reason: "x"}, {Status: scoring.StatusNotApplicable, Reason: scoring.NoPred}} {
		s.CaseID, s.Metric = fmt.Sprint("x", i), "m"
		a.Add(&s)
	}
	f := a.series["m"].figures(figuring{}, all)
	if f.Asked != 14 || f.Scored != 10 || f.Abstained != 1 || f.Failed != 1 || f.NotApplicable != 1 || f.Unanswered != 1 {
		t.Errorf("%+v", f)
	}
	if !near(*f.Coverage, 10.0/13, 1e-12) || !near(*f.Mean, 5.5/11, 1e-12) || *f.P90 != 0.9 || f.PassRate != nil {
		t.Errorf("coverage %v, mean %v, P90 %v", *f.Coverage, *f.Mean, *f.P90)
	}
}

// P90 is the slow tail of a latency: the value that nine in ten scores do not exceed.
func TestP90WhereLessIsBetter(t *testing.T) {
	var scores []Score
	for i, id := range ids(10) {
		scores = append(scores, value("latency", id, float64(i+1)))
	}
	_, ch := compareOne(t, scores, scores, CompareOptions{})
	if !ch.LowerIsBetter || *ch.From.P90 != 9 || *ch.To.P90 != 9 {
		t.Errorf("P90 %v and %v, want 9", *ch.From.P90, *ch.To.P90)
	}
}

// A batch whose last run is not done may lack scores: that is said, and no gate passes over it.
func TestUnfinishedRuns(t *testing.T) {
	m := &memory{}
	m.add(Batch{By: scoring.By{Agent: "a", Version: "1", Batch: "mon"}, At: day(1), Unfinished: "stopped"}, verdict("c1", true))
	m.add(Batch{By: scoring.By{Agent: "a", Version: "0", Batch: "old"}, At: day(0)}, verdict("c1", true))
	m.add(Batch{By: scoring.By{Agent: "a", Version: "1", Batch: "tue"}, At: day(2), Unfinished: "running"}, verdict("c1", true))
	m.add(Batch{By: scoring.By{Agent: "a", Version: "1", Batch: "wed"}, At: day(3)}, verdict("c1", true))
	const mon, tue = "the last run of a 1, batch mon is not done (stopped)", "the last run of a 1, batch tue is not done (running)"
	said := func(upTo string, reached bool) {
		t.Helper()
		tr, err := NewTrend(t.Context(), m, NewSet(nil), TrendOptions{Choose: func(b *Batch) bool { return b.Batch <= upTo }})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(tr.Notes, "\n"); strings.Count(notes, mon) != 1 || strings.Count(notes, tue) != 1 {
			t.Errorf("notes %q", tr.Notes)
		}
		why, ok := tr.Newest().Check([]gate.Drop{{Metric: "ex", Drop: 0.1}})
		if ok != reached || strings.Contains(why[0], tue) == reached {
			t.Errorf("up to %s: %v %q", upTo, ok, why)
		}
	}
	said("tue", false)
	said("wed", true)

	for upTo, want := range map[string]string{"mon": "gate failed: " + mon + ": scores may be missing", "": "gate failed: no scores were found"} {
		alone := &memory{batches: m.batches[:1], scores: m.scores}
		tr, err := NewTrend(t.Context(), alone, NewSet(nil), TrendOptions{Choose: func(b *Batch) bool { return b.Batch <= upTo }})
		if err != nil {
			t.Fatal(err)
		}
		if why, ok := tr.Check([]gate.Drop{{Metric: "ex", Drop: 0.1}}, false); ok || len(why) != 1 || why[0] != want {
			t.Errorf("nothing before, up to %q: %v %q, want %q", upTo, ok, why, want)
		}
	}
}

func day(n int) time.Time { return time.Date(2025, 1, n, 0, 0, 0, 0, time.UTC) }

func TestTrend(t *testing.T) {
	m := &memory{}
	night := func(version, id string, at time.Time, right int, gold string) {
		var scores []Score
		for i, c := range ids(10) {
			s := verdict(c, i < right)
			if gold != "" && i < 3 {
				s.Gold = gold
			}
			scores = append(scores, s)
		}
		m.add(Batch{By: scoring.By{Agent: "a", Version: version, Batch: id}, At: at}, scores...)
	}
	night("1", "mon", day(1), 10, "")
	night("1", "tue", day(2), 9, "")
	night("2", "tue", day(2), 2, "") // the first of version 2: against the last of version 1
	night("1", "wed", day(3), 9, "")
	night("2", "wed", day(3), 2, "other")
	night("1", "before", time.Time{}, 10, "")
	m.add(Batch{By: scoring.By{Agent: "b", Version: "1", Batch: "mon"}, At: day(1)}, verdict("c1", true))

	trend, err := NewTrend(t.Context(), m, NewSet(nil), TrendOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range trend.Points {
		b := trend.Batches[p.Batch]
		line := fmt.Sprintf("%s %s %s %.1f", b.Agent, b.Version, b.Batch, *p.Now.Mean)
		if p.Before != nil {
			o := trend.Batches[*p.Before]
			line += fmt.Sprintf(" after %s %s: %d compared, %s", o.Version, o.Batch, p.Change.Compared, p.Change.Outcome)
		}
		got = append(got, line)
	}
	want := []string{
		"a 1 before 1.0", "a 1 mon 1.0 after 1 before: 10 compared, no change", "b 1 mon 1.0",
		"a 1 tue 0.9 after 1 before: 10 compared, could be chance", "a 2 tue 0.2 after 1 before: 10 compared, degraded",
		"a 1 wed 0.9 after 1 before: 10 compared, could be chance", "a 2 wed 0.2 after 1 before: 7 compared, degraded", // tue is worse than its own baseline
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	notes := strings.Join(trend.Notes, "\n")
	if !strings.Contains(notes, "1 of 7 batches has no date") {
		t.Errorf("notes %q", notes)
	}
	if last := trend.Newest(); last == nil || last.To.Batch != "wed" || last.To.Version != "2" || last.From.Batch != "before" {
		t.Errorf("the latest comparison is %+v", last)
	}
	only, err := NewTrend(t.Context(), m, NewSet(nil), TrendOptions{Choose: func(b *Batch) bool { return b.Agent == "b" }})
	if err != nil || only.Newest() != nil || len(only.Points) != 1 || !strings.Contains(strings.Join(only.Notes, "\n"), "one batch only") {
		t.Errorf("one batch: %v %+v", err, only)
	}
	none, err := NewTrend(t.Context(), &memory{}, NewSet(nil), TrendOptions{})
	if err != nil || none.Newest() != nil || len(none.Notes) == 0 {
		t.Errorf("no batches: %v %+v", err, none)
	}
}

func TestTiersAreComparedApart(t *testing.T) {
	var scores [2][]Score
	for side := range scores {
		for i, c := range ids(12) {
			s := verdict(c, side == 0 || i < 6)
			tier := Score{CaseID: c, Metric: "sql_complexity", Status: scoring.StatusOK, Label: []string{"easy", "hard"}[i/6]}
			scores[side] = append(scores[side], s, tier)
		}
	}
	set := NewSet(nil)
	a, b := set.Answers(Batch{}), set.Answers(Batch{})
	for i := range scores[0] {
		a.Add(&scores[0][i])
		b.Add(&scores[1][i])
	}
	c := Compare(a, b, CompareOptions{Metrics: []string{"ex"}, ByTier: true})
	var got []string
	for _, ch := range c.Changes {
		got = append(got, fmt.Sprintf("%s %d %s", ch.Tier, ch.Compared, ch.Outcome))
	}
	// The hard tier loses 6 of 6: p = 2/2^6, which stands alone for all cases; adjusted for two tiers it is 0.06.
	if want := []string{" 12 degraded", "easy 6 no change", "hard 6 could be chance"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if p := *c.Changes[2].P; !near(p, 2.0/64, 1e-12) {
		t.Errorf("p of the hard tier: %v", p)
	}
}

func TestVersionedJudges(t *testing.T) {
	for judge, want := range map[string]bool{
		"o3-2504": true, "openai:gpt-4o-2024-08-06": true, "recorded:o3": true, "openai:gpt-4o": false, "recorded:o3, openai:gpt-4o": false, "cortex:claude-4-sonnet": false,
	} {
		if versioned(judge) != want {
			t.Errorf("%s: %v", judge, !want)
		}
	}
}

func TestFindings(t *testing.T) {
	for _, tc := range []struct {
		metric, detail string
		value          float64
		want           string
	}{
		{"sql_judge_issues", `{"by":"judge","issues":[{"label":"filters_missing"},{"label":"columns_wrong","explanation":"x"}]}`, 0, "issue:filters_missing issue:columns_wrong"},
		{"sql_judge_issues", `{"by":"execution","issues":[]}`, 0, "issue:query_failed"},
		{"flex", `{"execution_error":"false_positive","categories":[{"name":"abused_clauses"}]}`, 0, "ex:false_positive error:abused_clauses"},
		{"flex", `{"execution_error":"none","categories":[{"name":"multiple_answers_available"}]}`, 1, "difference:multiple_answers_available"},
		{"flex", `{"execution_error":null}`, 1, ""},
		{"relation", `{"relations":[{"name":"superset","class":"difference"},{"name":"same","class":"equivalent"}]}`, 0, "relation:superset"},
		{"relation", "", 0, "relation:query_failed"},
		{"hybrid_ex", "", 0, ""},
		{"stef", `{"filters_applied_status":"not_applied"}`, 0, "filters:not_applied"},
		{"rose", `{"gold_x":true,"amb_q":false,"amb_schema":null}`, 0, "diagnosis:gold_x"},
		{"rose", `{"gold_x":`, 0, ""},
		{"hybrid_ex", `{"gold_x":true}`, 0, ""},
	} {
		score := &scoring.Score{Metric: tc.metric, Status: scoring.StatusOK, Value: tc.value}
		if tc.detail == "" {
			score.Label = "query_failed"
		}
		if got := strings.Join(Findings(score, []byte(tc.detail)), " "); got != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.metric, tc.detail, got, tc.want)
		}
		if score.Status = scoring.StatusFailed; Findings(score, []byte(tc.detail)) != nil {
			t.Errorf("a failed score of %s has findings", tc.metric)
		}
	}
}

func TestFailures(t *testing.T) {
	m := &memory{}
	issue := func(id string, labels ...string) Score {
		s := value("sql_judge_issues", id, 0)
		for _, l := range labels {
			s.Findings = append(s.Findings, "issue:"+l)
		}
		return s
	}
	tier := func(id, label string) Score {
		return Score{CaseID: id, Metric: "sql_complexity", Status: scoring.StatusOK, Label: label}
	}
	m.add(Batch{By: scoring.By{Agent: "a", Version: "1", Batch: "mon"}, At: day(1)}, tier("c1", "easy"), tier("c2", "hard"), issue("c1", "joins_missing"), issue("c2", "joins_missing", "filters_missing"))
	m.add(Batch{By: scoring.By{Agent: "a", Version: "1", Batch: "tue"}, At: day(2)}, issue("c1"), issue("c3", "joins_missing"))
	m.add(Batch{By: scoring.By{Agent: "a", Version: "2", Batch: "tue"}, At: day(2)}, issue("c2", "filters_missing"), tier("c2", "hard"))
	f, err := NewFailures(t.Context(), m, NewSet(nil), FailureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range f.Labels {
		for _, g := range l.Groups {
			got = append(got, fmt.Sprintf("%s %s %d %d: %s %s %d/%d %v", l.Kind, l.Label, l.N, l.Cases, g.Of, g.Tier, g.N, g.Scored, g.Cases))
		}
	}
	// The latest batch of a version is counted, and no answer of an earlier one.
	want := []string{"issue filters_missing 1 1: 2 hard 1/1 [c2]", "issue joins_missing 1 1: 1 unknown 1/1 [c3]"}
	if note := "the latest batch of each version is counted; 1 earlier batch is left out: choose one with --batch"; !slices.Contains(f.Notes, note) {
		t.Errorf("notes %q, want %q", f.Notes, note)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if err := f.Keep([]string{"filter_missing"}); err == nil || !strings.Contains(err.Error(), "filters_missing") {
		t.Errorf("an unknown label: %v", err)
	}
	if err := f.Keep([]string{"filters_missing"}); err != nil || len(f.Labels) != 1 {
		t.Errorf("%v, %d labels", err, len(f.Labels))
	}
}

// Answers, systems and tiers without labels count as looked at, whichever labels are shown.
func TestFailuresCountWhatWasLookedAt(t *testing.T) {
	m := &memory{}
	for i, id := range ids(10) {
		tier := Score{CaseID: id, Metric: "sql_complexity", Status: scoring.StatusOK, Label: []string{"easy", "hard"}[i%2]}
		m.add(Batch{By: scoring.By{Agent: "good", Batch: "g"}}, tier, value("relation", id, 1))
		poor := value("relation", id, 0)
		poor.Findings = []string{"relation:overlap"}
		if i == 0 {
			poor.Findings = []string{"relation:overlap", "relation:subset"}
		}
		m.add(Batch{By: scoring.By{Agent: "poor", Batch: "p"}}, poor)
	}
	failed := value("relation", "c11", 0)
	failed.Status = scoring.StatusFailed
	m.add(Batch{By: scoring.By{Agent: "good", Batch: "g"}}, failed)
	f, err := NewFailures(t.Context(), m, NewSet(nil), FailureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if f.LookedAt["relation"] != 20 || f.Labels[0].N != 10 {
		t.Errorf("%d of %d answers, want 10 of 20", f.Labels[0].N, f.LookedAt["relation"])
	}
	if err := f.Keep([]string{"subset"}); err != nil || f.LookedAt["relation"] != 20 {
		t.Errorf("with one label: %v, %d looked at", err, f.LookedAt["relation"])
	}
}

func near(a, b, by float64) bool { return math.Abs(a-b) <= by }

// The figures do not depend on the order in which scores are added.
func TestOrderDoesNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var from, to []Score
	for _, id := range ids(200) {
		from, to = append(from, value("m", id, r.Float64())), append(to, value("m", id, r.Float64()))
	}
	_, want := compareOne(t, from, to, CompareOptions{})
	ranking := func() string {
		set := NewSet(nil)
		a, b := set.Answers(Batch{By: scoring.By{Agent: "a"}}), set.Answers(Batch{By: scoring.By{Agent: "b"}})
		for i := range from {
			a.Add(&from[i])
		}
		for i := range to {
			b.Add(&to[i])
		}
		r, err := rank(set, []*Answers{a, b}, false, []string{"m"}, nil, RankOptions{EX: "m", Resamples: 50})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(r.Metrics[0].Systems)
	}
	ranked := ranking()
	for range 5 {
		r.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
		_, got := compareOne(t, from, to, CompareOptions{})
		if *got.Mean != *want.Mean || *got.Before != *want.Before || *got.After != *want.After || *got.P != *want.P || *got.Low != *want.Low {
			t.Errorf("%v %v %v and %v %v %v", *got.Mean, *got.P, *got.Low, *want.Mean, *want.P, *want.Low)
		}
		if got := ranking(); got != ranked {
			t.Errorf("ranks %s and %s", got, ranked)
		}
	}
}
