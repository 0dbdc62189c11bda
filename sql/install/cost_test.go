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
)

// BenchmarkCost measures what a row of each class takes on the reference data: the slowest metric's
// time below which nine of ten rows stay, and the bytes of a case below which nine of ten stay. The
// figures that row caps are made of must not be below these.
func BenchmarkCost(b *testing.B) {
	files, _ := filepath.Glob("../../../shared/data/*/*.jsonl")
	if len(files) == 0 {
		b.Skip("the reference data is not beside the checkout")
	}
	var cases []*scoring.Case
	var sizes []int
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		s := bufio.NewScanner(bytes.NewReader(text))
		s.Buffer(nil, 64<<20)
		for n := 0; s.Scan() && n < 200; n++ {
			if c, err := scoring.DecodeCase(slices.Clone(s.Bytes())); err == nil && (len(c.Golds) > 0 || c.Pred.SQL != "") {
				cases, sizes = append(cases, c), append(sizes, len(s.Bytes()))
			}
		}
	}
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		b.Fatal(err)
	}
	slices.Sort(sizes)
	for b.Loop() {
		worst, which := map[scoring.Cost]time.Duration{}, map[scoring.Cost]string{}
		for i := range engine.Metrics() {
			m := &engine.Metrics()[i]
			if m.CostOf() == scoring.CostJudged {
				continue
			}
			var times []time.Duration
			for _, c := range cases {
				start := time.Now()
				if s, err := engine.ScoreMetrics(context.Background(), c, []*scoring.Metric{m}); err == nil && s[0].Status == scoring.StatusOK {
					times = append(times, time.Since(start))
				}
			}
			if len(times) == 0 {
				continue
			}
			slices.Sort(times)
			if p90 := times[len(times)*9/10]; p90 > worst[m.CostOf()] {
				worst[m.CostOf()], which[m.CostOf()] = p90, m.Name
			}
		}
		for class, t := range worst {
			b.ReportMetric(float64(t.Microseconds()), "p90-"+string(class)+"-µs")
			b.ReportMetric(float64(sizes[len(sizes)*9/10]), "p90-case-B")
			b.Logf("%s: %v (%s) over %d cases", class, t, which[class], len(cases))
		}
	}
}
