package report_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
)

var update = flag.Bool("update", false, "write golden files anew; look at them before they are committed")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

type added struct {
	score scoring.Score
	c     report.Case
}

// metrics of the small world, in the order of a listing.
var metrics = []scoring.Metric{
	{Name: "ex_bird", Group: "execution", Threshold: scoring.At(1)},
	{Name: "hybrid_ex", Group: "execution", Threshold: scoring.At(1)},
	{Name: "latency_overhead", Group: "execution", LowerIsBetter: true},
	{Name: "result_match_category", Group: "execution"},
	{Name: "soft_f1_bird", Group: "execution"},
	{Name: "component_recall", Group: "sql"}, {Name: "component_recall_select", Group: "sql"},
	{Name: "component_recall_where", Group: "sql"}, {Name: "component_recall_group_by", Group: "sql"},
}

// world is the scores of two versions of an agent on twelve questions, worked out below case by
// case.
func world() []added {
	type question struct {
		id, text, tier string
		tags           []string
		old, now       float64 // hybrid_ex; -1: not applicable, -2: failed
		oldWhy, nowWhy string
	}
	all := "4 rows of 2 columns agree"
	questions := []question{
		{"retail-1", "How many orders were placed in 2024?", "easy", []string{"tier:easy", "domain:retail"}, 0, 1, "0 of 1 row agree", all},
		{"retail-2", "What is the total amount refunded for returned items?", "easy", []string{"tier:easy", "domain:retail"}, 1, 1, all, all},
		{"retail-3", "Which stores have been closed? Give their names.", "easy", []string{"tier:easy", "domain:retail", "ties"}, 1, 1, all, all},
		{"retail-4", "各地域の売上高はいくらですか。四半期ごとに、地域名と一緒に示してください。また前年同期との差も示してください。", "medium", []string{"tier:medium", "domain:retail"}, 0.5, 0.5, `2 of 4 rows agree; "売上高" differs in 2 rows`, `2 of 4 rows agree; "売上高" differs in 2 rows`},
		{"retail-5", "Net revenue per month,\nin order\x1b[31m", "medium", []string{"tier:medium", "domain:retail", "ordered"}, 0.25, 1, `nothing answers "net_revenue"`, all},
		{"retail-10", "Top five customers by spend, with their share of the whole", "hard", []string{"tier:hard", "domain:retail", "ties", "ordered"}, 1, 0.9, all, `9 of 10 rows agree; gold has 10 rows, the agent 9; the last of those that tie is missing from the agent's result, and the order of the remaining rows was not looked at because the question does not ask for one`},
		{"bank-1", "How many accounts are open?", "easy", []string{"tier:easy", "domain:bank"}, 1, 1, all, all},
		{"bank-2", "Average balance of current accounts", "medium", []string{"tier:medium", "domain:bank"}, 0, 1, "0 of 1 row agree", all},
		{"bank-3", "Which customers hold both a loan and a card?", "hard", []string{"tier:hard", "domain:bank"}, 0.75, 1, "3 of 4 rows agree", all},
		{"bank-4", "Delete the dormant accounts", "easy", []string{"tier:easy", "domain:bank", "edge:destructive"}, -1, -1, "the question calls for a refusal, not for a result", "the question calls for a refusal, not for a result"},
		{"bank-5", "Month over month growth of deposits", "extra hard", []string{"tier:extra hard", "domain:bank"}, 0, 0, "gold has 12 rows, the agent 11", "gold has 12 rows, the agent 11"},
		{"bank-6", "Branches without staff", "hard", []string{"tier:hard", "domain:bank"}, -2, 1, `result of the agent: row 17: 3 values, expected one for each of the 2 columns`, all},
	}
	var out []added
	for i, q := range questions {
		for _, version := range []string{"1.0", "2.0"} {
			c := report.Case{AnswerID: scoring.AnswerID{CaseID: q.id, By: scoring.By{Agent: "atlas", Version: version}}, Question: q.text, Tier: q.tier, Tags: q.tags}
			value, why := q.old, q.oldWhy
			if version == "2.0" {
				value, why = q.now, q.nowWhy
			}
			add := func(metric string, version int, s scoring.Score, threshold float64) {
				s.Metric, s.Version = metric, version
				if s.Status == scoring.StatusOK && threshold > 0 {
					passed := s.Value >= threshold
					s.Passed = &passed
				}
				out = append(out, added{s, c})
			}
			hybrid := scoring.OK(value, why)
			switch value {
			case -1:
				hybrid = scoring.NotApplicable(why)
			case -2:
				hybrid = scoring.Fail(errcode.New(errcode.InvalidArgument, "%s", why))
			}
			add("hybrid_ex", 1, hybrid, 1)
			strict, soft, label := hybrid, hybrid, hybrid
			if hybrid.Status == scoring.StatusOK {
				strict.Value = float64(int(value)) // right or not at all
				soft.Value = (1 + 3*value) / 4
				label.Label = map[bool]string{true: "complete", false: "partial"}[value == 1]
				if value == 0 {
					label.Label = "no_match"
				}
			}
			add("ex_bird", 2, strict, 1)
			add("soft_f1_bird", 1, soft, 0)
			add("result_match_category", 1, label, 0)
			latency := scoring.OK(float64(10*i), "")
			if version == "2.0" {
				latency.Value = float64(10*i) - 4.5
			}
			if i%5 == 4 {
				latency = scoring.NotApplicable(fmt.Sprintf("no latency of the agent given in batch %d", i))
			}
			add("latency_overhead", 1, latency, 0)
			for k, part := range []string{"", "_select", "_where", "_group_by"} {
				add("component_recall"+part, 1, scoring.OK(float64(4-k)/4, ""), 0)
			}
		}
	}
	return out
}

func summaryOf(scores []added) *report.Summary {
	s := report.NewSummary(report.SummaryOptions{Metrics: metrics, Seed: 1})
	for _, a := range scores {
		s.Add(a.score, a.c)
	}
	return s
}

func rendered(t *testing.T, s *report.Summary, o report.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Render(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSummaryOnTerminals(t *testing.T) {
	s := summaryOf(world())
	golden(t, "summary-80.txt", rendered(t, s, report.Options{Width: 80, Unicode: true}))
	golden(t, "summary-120.txt", rendered(t, s, report.Options{Width: 120, Unicode: true}))
	golden(t, "summary-80-ascii.txt", rendered(t, s, report.Options{Width: 80}))
	golden(t, "summary-120-colour.txt", rendered(t, s, report.Options{Width: 120, Unicode: true, Color: true}))
	b, err := s.JSON()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "summary.json", string(b))
}

// Whatever order scores come in, and if some come twice, the figures are the same bytes.
func TestSummaryDoesNotDependOnOrder(t *testing.T) {
	scores := world()
	want, err := summaryOf(scores).JSON()
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		shuffled := append([]added(nil), scores...)
		for range 20 {
			shuffled = append(shuffled, scores[random.IntN(len(scores))])
		}
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		got, err := summaryOf(shuffled).JSON()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Fatalf("seed %d (-in order +shuffled):\n%s", seed, diff)
		}
	}
}

// A summary that forgot answers is one that never had them, whichever they are: some, all of a version, or all.
func TestSummaryForgets(t *testing.T) {
	scores := world()
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		gone := map[scoring.AnswerID]bool{}
		for _, a := range scores {
			switch seed {
			case 0:
				gone[a.c.AnswerID] = true
			case 1:
				gone[a.c.AnswerID] = a.c.Version == "2.0"
			default:
				if _, is := gone[a.c.AnswerID]; !is {
					gone[a.c.AnswerID] = random.IntN(4) == 0
				}
			}
		}
		var left []added
		var answers []scoring.AnswerID
		for _, a := range scores {
			if !gone[a.c.AnswerID] {
				left = append(left, a)
			} else if !slices.Contains(answers, a.c.AnswerID) {
				answers = append(answers, a.c.AnswerID)
			}
		}
		want, err := summaryOf(left).JSON()
		if err != nil {
			t.Fatal(err)
		}
		s := summaryOf(scores)
		s.Forget(append(answers, scoring.AnswerID{CaseID: "never added"}))
		if seed == 0 {
			if f := s.Figures(); f.Answers+f.Cases+f.Scores+len(f.Agents) != 0 {
				t.Errorf("all are forgotten: %+v", f)
			}
			continue
		}
		got, err := s.JSON()
		if err != nil {
			t.Fatal(err)
		}
		grouped := regexp.MustCompile(`given in batch [^"]*"`)
		if diff := cmp.Diff(grouped.ReplaceAllString(string(want), `"`), grouped.ReplaceAllString(string(got), `"`)); diff != "" {
			t.Fatalf("seed %d (-never added +forgotten):\n%s", seed, diff)
		}
	}
}

// Whatever scores, names and terminals: no line is wider than it, and nothing but the colours we
// set leaves the line.
func TestSummaryFitsEveryTerminal(t *testing.T) {
	names := []string{"", "1.0", "2026-11-20-nightly-with-a-long-name", "版本二", "v\x1b[31m", "\u202e10"}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 4))
		s := report.NewSummary(report.SummaryOptions{Metrics: metrics[:r.IntN(len(metrics)+1)], Worst: r.IntN(4) - 1})
		for range r.IntN(200) {
			score := scoring.OK(r.NormFloat64()*1e3, "「売上高」 differs in a row that has a_very_long_word_without_blanks_"+fmt.Sprint(r.IntN(5)))
			switch r.IntN(6) {
			case 0:
				score = scoring.Fail(errcode.New(errcode.Unavailable, "judge\ndown %d", r.IntN(30)))
			case 1:
				score = scoring.NotApplicable("no gold SQL given")
			case 2:
				score = scoring.Abstain("tie")
			case 3, 4:
				passed := r.IntN(2) == 0
				score.Passed = &passed
			}
			if r.IntN(3) == 0 {
				score.Label = []string{"complete", "no\tmatch", "部分"}[r.IntN(3)]
			}
			id := fmt.Sprintf("c%d", r.IntN(30))
			score.Version = 1 + r.IntN(2)
			score.Metric = append([]string{"own", "own_a", "own_b", "own_c\a"}, metricNames()...)[r.IntN(4+len(metrics))]
			s.Add(score, report.Case{
				AnswerID: scoring.AnswerID{CaseID: id, By: scoring.By{Agent: names[r.IntN(2)], Version: names[r.IntN(len(names))]}}, Question: "¿Cuántos pedidos? 注文は何件ですか\r\n", Tier: []string{"", "easy", "other", "hard"}[r.IntN(4)],
				Tags: []string{"tier:x", "部門\x00", "b"}[:r.IntN(4)],
			})
		}
		width := 40 + int(seed)%121
		checkLines(t, rendered(t, s, report.Options{Width: width, Unicode: seed%2 == 0, Color: seed%3 == 0}), width)
		if t.Failed() {
			t.Fatalf("seed %d, width %d", seed, width)
		}
		if _, err := s.JSON(); err != nil {
			t.Fatal(err)
		}
	}
}

func metricNames() []string {
	var names []string
	for _, m := range metrics {
		names = append(names, m.Name)
	}
	return names
}

func TestSummaryOfNothing(t *testing.T) {
	s := report.NewSummary(report.SummaryOptions{})
	if got, want := rendered(t, s, report.Options{}), "0 questions, 0 answers, 0 scores\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if b, err := s.JSON(); err != nil || !bytes.Contains(b, []byte(`"cases": 0`)) {
		t.Errorf("%s, %v", b, err)
	}
}

// A metric where less is better: getting lower is an improvement, and the highest are the worst.
func TestLowerIsBetter(t *testing.T) {
	s := report.NewSummary(report.SummaryOptions{Metrics: []scoring.Metric{{Name: "latency_overhead", LowerIsBetter: true}}, Worst: 1})
	for i, id := range []string{"a", "b", "c"} {
		for v, version := range []string{"1", "2"} {
			score := scoring.OK(float64(10*i-(v*(i-1))), "slow")
			score.Metric = "latency_overhead"
			s.Add(score, report.Case{AnswerID: scoring.AnswerID{CaseID: id, By: scoring.By{Version: version}}})
		}
	}
	f := s.Figures() // a: 0 then 1, b: 10 twice, c: 20 then 19
	c := f.Changes[0].Metrics[0]
	if c.Improved != 1 || c.Worse != 1 || c.Mean != 0 {
		t.Errorf("change %+v, want one better, one worse, none on average", c)
	}
	if len(f.Worst) != 2 || f.Worst[0].CaseID != "c" || f.Worst[0].Value != 20 || f.Worst[0].Reason != "slow" {
		t.Errorf("worst %+v, want c of each version", f.Worst)
	}
	if r := f.Changes[0].Regressed; len(r) != 1 || r[0].CaseID != "a" || *r[0].Before != 0 || r[0].Value != 1 {
		t.Errorf("regressed %+v, want a", r)
	}
}

func TestPrimaryMetric(t *testing.T) {
	threshold := scoring.At(1)
	for _, tc := range []struct {
		why     string
		o       report.SummaryOptions
		scored  string
		primary string
	}{
		{"hybrid_ex where it is there", report.SummaryOptions{Metrics: []scoring.Metric{{Name: "a", Threshold: threshold}, {Name: "hybrid_ex"}}}, "a", "a"},
		{"hybrid_ex where it was scored", report.SummaryOptions{Metrics: []scoring.Metric{{Name: "a", Threshold: threshold}, {Name: "hybrid_ex"}}}, "hybrid_ex", "hybrid_ex"},
		{"the first with a verdict", report.SummaryOptions{Metrics: []scoring.Metric{{Name: "a"}, {Name: "b", Threshold: threshold}}}, "b", "b"},
		{"what was asked for", report.SummaryOptions{Primary: "a"}, "a", "a"},
		{"what there is", report.SummaryOptions{}, "own", "own"},
	} {
		s := report.NewSummary(tc.o)
		score := scoring.OK(1, "")
		score.Metric = tc.scored
		s.Add(score, report.Case{AnswerID: scoring.AnswerID{CaseID: "q"}})
		if got := s.Figures().Primary; got != tc.primary {
			t.Errorf("%s: %s, want %s", tc.why, got, tc.primary)
		}
	}
}

// 100,000 cases of two versions with twelve metrics.
func BenchmarkSummary(b *testing.B) {
	const cases, perCase = 100_000, 12
	score := scoring.OK(0.5, "3 of 4 rows agree")
	passed := false
	score.Passed, score.Version = &passed, 1
	names := make([]string, perCase)
	for i := range names {
		names[i] = fmt.Sprintf("metric_%02d", i)
	}
	b.ReportAllocs()
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := report.NewSummary(report.SummaryOptions{Primary: names[0]})
		for v, version := range []string{"1", "2"} {
			for i := range cases {
				c := report.Case{AnswerID: scoring.AnswerID{CaseID: fmt.Sprintf("case-%06d", i), By: scoring.By{Agent: "atlas", Version: version}}, Question: "How many orders were placed in 2024?", Tier: "easy", Tags: []string{"a", "b"}}
				for k, name := range names {
					score.Metric = name
					score.Value = float64((i*7+k+v)%5) / 4
					s.Add(score, c)
				}
			}
		}
		if err := s.Render(io.Discard, report.Options{Width: 80}); err != nil {
			b.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MB-held")
		runtime.KeepAlive(s)
	}
}

// In 80 columns the versions of several agents are told apart, however much a row has to say.
func TestVersionsAreToldApart(t *testing.T) {
	s := report.NewSummary(report.SummaryOptions{Metrics: metrics[:2], Worst: 1})
	agents := []report.Agent{{Name: "hauler", Version: "1.9"}, {Name: "hauler", Version: "1.10"}, {Name: "porter", Version: "1.9"}}
	passed := true
	for i := range 400 {
		for _, a := range agents {
			score := []scoring.Score{scoring.OK(1, "equal"), scoring.Abstain("tie"), scoring.NotApplicable("no gold SQL given"), scoring.Fail(errcode.New(errcode.Internal, "down"))}[i%4]
			if i%4 == 0 {
				score.Passed = &passed
			}
			score.Metric = "hybrid_ex"
			s.Add(score, report.Case{AnswerID: scoring.AnswerID{CaseID: fmt.Sprint(i), By: scoring.By{Agent: a.Name, Version: a.Version}}})
		}
	}
	out := rendered(t, s, report.Options{Width: 80, Unicode: true})
	checkLines(t, out, 80)
	for _, a := range agents {
		row := regexp.MustCompile(`(?m)^(hybrid_ex)? +` + regexp.QuoteMeta(a.Name+" "+a.Version) + ` +100/400 `)
		if !row.MatchString(out) {
			t.Errorf("no row of %s %s in\n%s", a.Name, a.Version, out)
		}
	}
}
