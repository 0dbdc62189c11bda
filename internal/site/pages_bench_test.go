//go:build !no_duckdb

package site

import (
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/caselist"
	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/udf/identity"
)

// BenchmarkPages serves pages of a run of 100,000 cases and 60 metrics. The first look reads all from
// the database; the others find what is remembered of a run that is done. Bytes are of the page; MB is
// what the process holds more than before the first page, the engine's cache of the file included; and
// cpu-ms is what all processors together worked, which a busy machine does not change much.
func BenchmarkPages(b *testing.B) {
	path := b.TempDir() + "/large.duckdb"
	size := sitetest.Size{Cases: 100_000, Metrics: 60}
	if err := size.Fill(b.Context(), path); err != nil {
		b.Fatal(err)
	}
	run := caselist.Run{ID: sitetest.RunID(0), Agent: "atlas", Version: sitetest.AgentVersion(0), Batch: sitetest.BatchID(0)}
	state := caselist.State{Run: run, Mode: caselist.All, Page: 1, Size: caselist.DefaultSize}
	sorted, searched, matched, tagged, last := state, state, state, state, state
	sorted.Sort = caselist.Sort{Column: "row_f1", Descending: true}
	searched.Search = "revenue"
	matched.Search, matched.Regexp = `revenue.*\(1\d\d7\d\)`, true
	tagged.Filters = []caselist.Filter{{Column: "tag", Op: caselist.Equal, Value: "domain:retail"}, {Column: "row_f1", Op: caselist.Less, Value: "0.5"}}
	last.Page = 2000
	failed := state.In(caselist.Failed)
	failed.Size = caselist.MaxSize
	for _, bench := range []struct{ name, address string }{
		{"runs", "/"}, {"cases", casesAddress(state)}, {"cases/last page", casesAddress(last)}, {"cases/sorted", casesAddress(sorted)}, {"cases/failed, 500", casesAddress(failed)}, {"cases/search", casesAddress(searched)},
		{"cases/expression", casesAddress(matched)}, {"cases/tag and value", casesAddress(tagged)}, {"run", runAddress(run)},
	} {
		for _, first := range []bool{true, false} {
			name := bench.name + "/again"
			if first {
				name = bench.name + "/first"
			}
			b.Run(name, func(b *testing.B) {
				w := sitetest.Open(b, path)
				s := siteOver(b, w)
				before := resident()
				get(b, s, bench.address)
				bytes, spent := 0, time.Duration(0)
				b.ReportAllocs()
				b.ResetTimer()
				for b.Loop() {
					if first {
						b.StopTimer()
						forget(b, &w, &s, path)
						b.StartTimer()
					}
					began := processTime()
					bytes = get(b, s, bench.address)
					spent += processTime() - began
				}
				b.ReportMetric(float64(spent)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
				b.ReportMetric(float64(bytes), "bytes")
				b.ReportMetric(float64(resident()-before)/(1<<20), "MB")
			})
		}
	}
}

// forget opens the store again, so that nothing is remembered.
func forget(b *testing.B, w **connectors.Warehouse, s **Site, path string) {
	b.Helper()
	if err := (*w).Close(); err != nil {
		b.Fatal(err)
	}
	*w = sitetest.Open(b, path)
	*s = siteOver(b, *w)
}

// get serves a page and returns its length.
func get(b *testing.B, s *Site, address string) int {
	b.Helper()
	r := httptest.NewRequest("GET", address, nil)
	r = r.WithContext(identity.With(r.Context(), identity.Caller{Name: "kim", Roles: []identity.Role{identity.Read}}))
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != 200 {
		b.Fatalf("%s: %d %s", address, w.Code, w.Body)
	}
	return w.Body.Len()
}

// processTime is how long processors worked for this process, where the system says it: to a hundredth
// of a second.
func processTime() time.Duration {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(after)
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// resident is the memory that the process holds, in bytes, where the system says it.
func resident() int64 {
	runtime.GC()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
