package batch_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// caseFile writes n cases with two results of ten rows each, about 1.3 kB a line.
func caseFile(tb testing.TB, n int) batch.FileSource {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "cases.jsonl")
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	w := bufio.NewWriter(f)
	for i := range n {
		fmt.Fprintf(w, `{"case_id":"case-%06d","question":"How much did every region sell in month %d, and to how many customers?","agent":{"name":"atlas","version":"1.0","sql":"SELECT 1"`, i, i%12)
		for _, side := range []string{`,"result":`, `},"gold":{"sql":"SELECT 1","result":`} {
			w.WriteString(side + `{"columns":[{"name":"region"},{"name":"sales"},{"name":"customers"}],"rows":[`)
			for r := range 10 {
				if r > 0 {
					w.WriteByte(',')
				}
				fmt.Fprintf(w, `["region %d",%d.%02d,%d]`, r, i%1000+r, (i+r)%100, 17*r+i%7)
			}
			w.WriteString(`]}`)
		}
		w.WriteString("}}\n")
	}
	if err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
	return batch.FileSource{Path: path}
}

// What a case costs besides being read, scored and written: the cases are in memory, the metric
// does nothing, the scores go nowhere.
func BenchmarkOverheadPerCase(b *testing.B) {
	e := engineOf(b, scoring.Metric{Name: "m", Score: one})
	src := numbered(b.N)
	b.ReportAllocs()
	b.ResetTimer()
	if o, err := (batch.Runner{Engine: e}).Run(context.Background(), "r", src, batch.Discard); err != nil || int(o.Done) != b.N {
		b.Fatal(err)
	}
}

// From a case file to a score file with hybrid_ex, and the same again when all is done.
func BenchmarkFileToFile(b *testing.B) {
	e, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		b.Fatal(err)
	}
	src := caseFile(b, 20_000)
	path := filepath.Join(b.TempDir(), "scores.jsonl")
	run := func(b *testing.B, ordered bool) {
		b.ReportAllocs()
		for b.Loop() {
			f, err := batch.OpenScoreFile(path)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := (batch.Runner{Engine: e, Metrics: []string{"hybrid_ex"}, Ordered: ordered}).Run(context.Background(), "", src, f); err != nil {
				b.Fatal(err)
			}
			f.Kill()
			if b.Name() != "BenchmarkFileToFile/done" {
				b.StopTimer()
				if err := os.Rename(path, path+".done"); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		}
		b.ReportMetric(20_000*float64(b.N)/b.Elapsed().Seconds(), "cases/s")
	}
	b.Run("fresh", func(b *testing.B) { run(b, false) })
	b.Run("ordered", func(b *testing.B) { run(b, true) })
	if err := os.Rename(path+".done", path); err != nil {
		b.Skip("nothing was scored before")
	}
	b.Run("done", func(b *testing.B) { run(b, false) })
}

// A judge that takes 100 ms (a third of a usual one), 64 at a time, against the time that would
// take without any other cost.
func BenchmarkSlowMetric(b *testing.B) {
	const latency, concurrency, cases = 100 * time.Millisecond, 64, 64 * 20
	e := engineOf(b, scoring.Metric{Name: "judge", Score: func(context.Context, *scoring.Input) (scoring.Score, error) {
		time.Sleep(latency)
		return scoring.OK(1, ""), nil
	}})
	for _, ordered := range []bool{false, true} {
		b.Run(fmt.Sprintf("ordered=%v", ordered), func(b *testing.B) {
			src := caseFile(b, cases)
			b.ReportAllocs()
			for b.Loop() {
				f, err := batch.CreateScoreFile(filepath.Join(b.TempDir(), "s.jsonl"))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := (batch.Runner{Engine: e, Concurrency: concurrency, Ordered: ordered}).Run(context.Background(), "", src, f); err != nil {
					b.Fatal(err)
				}
				f.Kill()
			}
			ideal := latency * cases / concurrency
			b.ReportMetric(100*float64(ideal)*float64(b.N)/float64(b.Elapsed()), "%ideal")
		})
	}
}

// The largest heap of a run of 100,000 cases from file to file, with every metric there is.
func BenchmarkMemoryOf100kCases(b *testing.B) {
	e, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		b.Fatal(err)
	}
	src := caseFile(b, 100_000)
	path := filepath.Join(b.TempDir(), "scores.jsonl")
	for _, part := range []string{"fresh", "resumed"} {
		b.Run(part, func(b *testing.B) {
			for b.Loop() {
				runtime.GC()
				var peak atomic.Uint64
				stop := watchHeap(&peak)
				f, err := batch.OpenScoreFile(path)
				if err != nil {
					b.Fatal(err)
				}
				o, err := batch.Runner{Engine: e, Concurrency: 64, Ordered: true}.Run(context.Background(), "", src, f)
				if err != nil {
					b.Fatal(err)
				}
				f.Kill()
				stop()
				b.ReportMetric(float64(peak.Load())/(1<<20), "MB-peak")
				b.ReportMetric(float64(o.Scores), "scores")
			}
		})
	}
}

// watchHeap keeps the largest memory that Go has taken from the system and not returned.
func watchHeap(peak *atomic.Uint64) (stop func()) {
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			if now := m.Sys - m.HeapReleased; now > peak.Load() {
				peak.Store(now)
			}
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() { close(done); <-ended }
}

// BenchmarkReadCases reads a file of 500 cases of 10 kB as a run does: it counts them, finds those that several lines
// give, and decodes each.
func BenchmarkReadCases(b *testing.B) {
	path := filepath.Join(b.TempDir(), "cases.jsonl")
	var text strings.Builder
	for i := range 500 {
		fmt.Fprintf(&text, `{"question":"How much did every region sell?","case_id":"case-%06d","schema_ddl":%q,"gold":{"sql":"SELECT 1","result":{"columns":[{"name":"region"},{"name":"sales"}],"rows":[`, i, strings.Repeat("CREATE TABLE sales (region TEXT, amount DECIMAL(12, 2));\n", 20))
		for r := range 180 {
			fmt.Fprintf(&text, `["region %d",%d.%02d],`, r, i%1000+r, (i+r)%100)
		}
		text.WriteString(`["total",0]]}},"agent":{"name":"atlas","version":"1.0","sql":"SELECT 1","result":{"columns":[{"name":"region"},{"name":"sales"}],"rows":[`)
		for r := range 180 {
			fmt.Fprintf(&text, `["region %d",%d.%02d],`, r, i%1000+r, (i+r)%100)
		}
		text.WriteString("[\"total\",0]]}}}\n")
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	src := batch.FileSource{Path: path}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if n, err := src.Count(b.Context()); n != 500 || err != nil {
			b.Fatal(n, err)
		}
		n := 0
		for item, err := range batch.Distinct(b.Context(), src) {
			if err != nil {
				b.Fatal(err)
			}
			if _, err := item.Load(b.Context()); err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 500 {
			b.Fatal(n)
		}
	}
}
