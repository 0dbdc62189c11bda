//go:build !no_duckdb && unix

package site

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// largeCases is how many cases the large store has.
const largeCases = 100_000

// largeStore is the path of a store of 100,000 cases and 60 metrics with two runs: 12 million
// scores, which take half a minute and a gigabyte. BADGER_LARGE_STORE names a file to keep it in.
func largeStore(b *testing.B) string {
	b.Helper()
	path := os.Getenv("BADGER_LARGE_STORE")
	if path == "" {
		path = filepath.Join(b.TempDir(), "large.duckdb")
	}
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if err := (sitetest.Size{Cases: largeCases, Metrics: 60, Runs: 2}).Fill(b.Context(), path); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkPages measures pages of a run of 100,000 cases and 60 metrics: the mean time, that of the
// first, their size, and by how much the process grew at most above what it was with the file open. The
// file is open as badger view opens it. What a run that is done has had counted is remembered: run one
// page alone with -benchtime 1x to see what the first visit takes.
func BenchmarkPages(b *testing.B) {
	conn, err := duckdb.OpenFile(b.Context(), largeStore(b), driver.Options{ReadOnly: true, Sparing: true})
	if err != nil {
		b.Fatal(err)
	}
	w := store.New(connectors.New(conn, duckdb.Dialect))
	b.Cleanup(func() { _ = w.Close() })
	h := as(siteOver(b, w), identity.Admin)
	run := scoring.RunID{ID: sitetest.RunID(1), By: scoring.By{Agent: "atlas", Version: sitetest.AgentVersion(1), Batch: sitetest.BatchID(1)}}
	before := scoring.RunID{ID: sitetest.RunID(0), By: scoring.By{Agent: "atlas", Version: sitetest.AgentVersion(0), Batch: sitetest.BatchID(0)}}
	for _, m := range measuredPages(run, before) {
		b.Run(m.name, func(b *testing.B) { visitAgain(b, h, m.address) })
	}
}

// measured is a page that is measured.
type measured struct{ name, address string }

// measuredPages are pages of a run and of its comparison with another.
func measuredPages(run, before scoring.RunID) []measured {
	list := func(change func(*store.State)) string {
		s := store.State{RunID: run, Mode: store.All, Page: 1, Size: store.DefaultSize}
		if change != nil {
			change(&s)
		}
		return casesAddress(s)
	}
	all := []measured{
		{"runs", "/"}, {"run", runAddress(run)}, {"failures", failuresAddress(run)}, {"cost", costAddress(run)},
		{"case", caseAddress(store.State{RunID: run, Mode: store.All, Page: 1, Size: store.DefaultSize}, sitetest.CaseID(77_777))},
		{"cases", list(nil)},
		{"cases/page 2000", list(func(s *store.State) { s.Page = 2000 })},
		{"cases/500 a page", list(func(s *store.State) { s.Size = 500 })},
		{"cases/by value", list(func(s *store.State) { s.Sort = store.Sort{Column: "row_f1", Descending: true} })},
		{"cases/search", list(func(s *store.State) { s.Search = "orders" })},
		{"cases/search for one", list(func(s *store.State) { s.Search = "(77777)" })},
		{"cases/regexp", list(func(s *store.State) { s.Search, s.Regexp = "net +revenue.*7{3}", true })},
		{"cases/value and tag", list(func(s *store.State) {
			s.Filters = []store.ListFilter{{Column: "hybrid_ex", Op: store.Less, Value: "0.5"}, {Column: "tag", Op: store.Equal, Value: "tier:hard"}}
		})},
		{"cases/relation", list(func(s *store.State) {
			s.Filters = []store.ListFilter{{Column: "relation", Op: store.Equal, Value: "formatted"}}
		})},
		{"compare", address("/compare", func() url.Values {
			v := store.RunValues(run)
			for k, vs := range (store.State{RunID: scoring.RunID{ID: "x"}, Baseline: before, Mode: store.All, Page: 1, Size: store.DefaultSize}).Values() {
				if strings.HasPrefix(k, "base_") {
					v[k] = vs
				}
			}
			return v
		}())},
		{"compare/all metrics", compareAddress(sides{From: before, To: []scoring.RunID{run}, Metrics: []string{"all"}})},
		{"compare/cases", pairsAddress(pairs{From: before, To: run, Metric: "hybrid_ex"})},
		{"compare/cases, other answers", pairsAddress(pairs{From: before, To: run, Metric: "hybrid_ex", Changed: "answer"})},
		{"agreement", agreementAddress(agreementState{Run: run, By: "tier"})},
		{"suspects", suspectsAddress(run, "", 1)},
		{"trend", trendAddress(trendState{Last: lastBatches})},
		{"queues", queuesAddress()},
	}
	for _, m := range store.Modes {
		all = append(all, measured{"cases/" + string(m), list(func(s *store.State) { s.Mode, s.Baseline = m, before })})
	}
	return all
}

// BenchmarkOverview measures the first visit of the overview of a run of 20,000 cases and 61 metrics with two runs
// before it: the processor time, and the peak memory of the process, of which the program is a part. Each visit opens
// the file anew, as badger view does.
func BenchmarkOverview(b *testing.B) {
	path := os.Getenv("BADGER_OVERVIEW_STORE")
	if path == "" {
		path = filepath.Join(b.TempDir(), "overview.duckdb")
	}
	if _, err := os.Stat(path); err != nil {
		if err := (sitetest.Size{Cases: 20_000, Metrics: 61, Runs: 3}).Fill(b.Context(), path); err != nil {
			b.Fatal(err)
		}
	}
	runtime.GC()
	debug.FreeOSMemory()
	defer debug.SetGCPercent(debug.SetGCPercent(40)) // as badger view does
	forgetPeak()
	var cpu time.Duration
	for b.Loop() {
		conn, err := duckdb.OpenFile(b.Context(), path, driver.Options{ReadOnly: true, Sparing: true})
		if err != nil {
			b.Fatal(err)
		}
		w := store.New(connectors.New(conn, duckdb.Dialect))
		h := as(siteOver(b, w), identity.Admin)
		start := processorTime()
		address := "/"
		for range 2 { // the first page leads to the overview
			out := httptest.NewRecorder()
			h.ServeHTTP(out, httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+address, nil))
			if to := out.Header().Get("Location"); to != "" {
				address = to
			} else if out.Code != http.StatusOK {
				b.Fatalf("status %d: %.2000s", out.Code, out.Body)
			}
		}
		cpu += processorTime() - start
		_ = w.Close()
	}
	b.ReportMetric(cpu.Seconds()*1e3/float64(b.N), "cpu-ms/visit")
	b.ReportMetric(float64(memory("VmHWM"))/1e6, "MB-peak")
}

// BenchmarkWideCase measures the page of a case with two results of 10,000 rows and 50 columns.
func BenchmarkWideCase(b *testing.B) {
	h := as(siteOf(b, sitetest.Wide(b, 10_000, 50)), identity.Admin)
	p := sitetest.Plain
	visitAgain(b, h, caseAddress(store.State{RunID: p.RunID}, sitetest.WideCase))
}

// BenchmarkFile measures the report of a run of 10,000 cases in one file: its size, and by how much the
// process grew at most.
func BenchmarkFile(b *testing.B) {
	path := filepath.Join(b.TempDir(), "report.duckdb")
	if err := (sitetest.Size{Cases: 10_000, Metrics: 60, Runs: 2}).Fill(b.Context(), path); err != nil {
		b.Fatal(err)
	}
	s := siteOf(b, path)
	o := Static{
		Runs:     []scoring.RunID{{ID: sitetest.RunID(1), By: scoring.By{Agent: "atlas", Version: sitetest.AgentVersion(1), Batch: sitetest.BatchID(1)}}},
		Baseline: scoring.RunID{ID: sitetest.RunID(0), By: scoring.By{Agent: "atlas", Version: sitetest.AgentVersion(0), Batch: sitetest.BatchID(0)}},
	}
	runtime.GC()
	debug.FreeOSMemory()
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as badger report does
	before, cpu := forgetPeak(), processorTime()
	var n size
	for b.Loop() {
		n = 0
		if err := s.WriteFile(b.Context(), &n, o); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((processorTime()-cpu).Seconds()*1e3/float64(b.N), "cpu-ms/file")
	b.ReportMetric(float64(n)/1e6, "MB")
	if before > 0 {
		b.ReportMetric(float64(memory("VmHWM")-before)/1e6, "MB-more")
	}
}

// size counts what is written.
type size int64

func (n *size) Write(p []byte) (int, error) { *n += size(len(p)); return len(p), nil }

func visitAgain(b *testing.B, h http.Handler, address string) {
	b.Helper()
	var first time.Duration
	length := 0
	runtime.GC()
	debug.FreeOSMemory()
	before, cpu := forgetPeak(), processorTime()
	for b.Loop() {
		start := time.Now()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+address, nil))
		if w.Code != http.StatusOK {
			b.Skipf("status %d: %.2000s", w.Code, w.Body)
		}
		if first == 0 {
			first, length = time.Since(start), w.Body.Len()
		}
	}
	b.ReportMetric(float64(first)/1e6, "first-ms")
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/page")
	b.ReportMetric((processorTime()-cpu).Seconds()*1e3/float64(b.N), "cpu-ms/page")
	b.ReportMetric(float64(length)/1e3, "kB")
	if before > 0 {
		b.ReportMetric(float64(memory("VmHWM")-before)/1e6, "MB-more")
	}
}

// processorTime is what the process took of all processors so far. Unlike the time that passes it
// says little of what else the machine does.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// forgetPeak begins a new peak of the process's memory and returns what it has now, in bytes; 0
// where the system does not tell.
func forgetPeak() int64 {
	if os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) != nil {
		return 0
	}
	return memory("VmRSS")
}

// memory reads a figure of the process from the system, in bytes.
func memory(name string) int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), name+":")
	n, err := strconv.ParseInt(strings.Fields(fmt.Sprint(rest, " 0"))[0], 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}
