package install_test

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/install"
)

// measuredCost is the time below which nine of ten rows of each class stay, for the slowest metric of
// the class, and the sizes of the cases; perFile is how many cases each file of the reference data
// gives. clock tells the time that is counted.
func measuredCost(t testing.TB, perFile int, clock func() time.Duration) (worst map[scoring.Cost]time.Duration, which map[scoring.Cost]string, sizes []int) {
	t.Helper()
	files, _ := filepath.Glob("../../../shared/data/*/*.jsonl")
	if len(files) == 0 {
		t.Skip("the reference data is not beside the checkout")
	}
	var cases []*scoring.Case
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s := bufio.NewScanner(bytes.NewReader(text))
		s.Buffer(nil, 64<<20)
		for n := 0; s.Scan() && n < perFile; n++ {
			if c, err := scoring.DecodeCase(slices.Clone(s.Bytes())); err == nil && (len(c.Golds) > 0 || c.Pred.SQL != "") {
				cases, sizes = append(cases, c), append(sizes, len(s.Bytes()))
			}
		}
	}
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(sizes)
	worst, which = map[scoring.Cost]time.Duration{}, map[scoring.Cost]string{}
	for i := range engine.Metrics() {
		m := &engine.Metrics()[i]
		if m.CostOf() == scoring.CostJudged {
			continue
		}
		var times []time.Duration
		for _, c := range cases {
			start := clock()
			if s, err := engine.ScoreMetrics(context.Background(), c, []*scoring.Metric{m}); err == nil && s[0].Status == scoring.StatusOK {
				times = append(times, clock()-start)
			}
		}
		if len(times) < 20 {
			continue
		}
		slices.Sort(times)
		if p90 := times[len(times)*9/10]; p90 > worst[m.CostOf()] {
			worst[m.CostOf()], which[m.CostOf()] = p90, m.Name
		}
	}
	return worst, which, sizes
}

// BenchmarkCost measures what a row of each class takes, and the bytes of a case below which nine of
// ten stay. The figures that row caps are made of must not be below these.
func BenchmarkCost(b *testing.B) {
	started := time.Now()
	for b.Loop() {
		worst, which, sizes := measuredCost(b, 200, func() time.Duration { return time.Since(started) })
		for class, t := range worst {
			b.ReportMetric(float64(t.Microseconds()), "p90-"+string(class)+"-µs")
			b.ReportMetric(float64(sizes[len(sizes)*9/10]), "p90-case-B")
			b.Logf("%s: %v (%s) over %d cases", class, t, which[class], len(sizes))
		}
	}
}

// The declared time of a row is not far from that of the reference data: no less than a tenth of what
// is measured, or calls would time out, and no more than a hundred times it, since a few cases on a
// fast machine take much less than all of them on a slow one. What counts is the time of the
// processors, so that other programs do not matter.
func TestCostIsMeasured(t *testing.T) {
	worst, which, sizes := measuredCost(t, 10, processorTime)
	for _, class := range []scoring.Cost{scoring.CostSmall, scoring.CostLarge} {
		declared, measured := install.CostOf(class), worst[class]
		t.Logf("%s: %v (%s) over %d cases, declared %v", class, measured, which[class], len(sizes), declared)
		if measured <= 0 || declared < measured/10 || declared > measured*100 {
			t.Errorf("a %s row is declared to take %v; nine of ten rows of %s stay below %v", class, declared, which[class], measured)
		}
	}
}
