package sqlparts

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// byDialect is the reference data by corpus and dialect, and all of it.
func byDialect(b *testing.B) (names []string, sets map[string][]corpusQuery) {
	b.Helper()
	sets = map[string][]corpusQuery{}
	for _, q := range loadCorpus(b) {
		for _, name := range []string{"all", q.Corpus + "-" + q.Dialect} {
			sets[name] = append(sets[name], q)
		}
	}
	return slices.Sorted(keysOf(sets)), sets
}

func benchmarkQueries(b *testing.B, run func(sql string, d Dialect)) {
	names, sets := byDialect(b)
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			queries := sets[name]
			bytes := 0
			for _, q := range queries {
				bytes += len(q.SQL)
			}
			b.SetBytes(int64(bytes))
			b.ReportAllocs()
			for b.Loop() {
				for _, q := range queries {
					run(q.SQL, DialectOf(q.Dialect))
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N*len(queries)), "µs/query")
		})
	}
}

func BenchmarkParse(b *testing.B) {
	benchmarkQueries(b, func(sql string, d Dialect) { Parse(sql, d) })
}

// BenchmarkExtract is what the component metrics cost: parsing and extraction.
func BenchmarkExtract(b *testing.B) {
	benchmarkQueries(b, func(sql string, d Dialect) { Extract(Parse(sql, d).Final()) })
}

func BenchmarkColumns(b *testing.B) {
	benchmarkQueries(b, func(sql string, d Dialect) { Columns(Parse(sql, d).Final()) })
}

// BenchmarkBind is what names cost that are found out in queries that are read.
func BenchmarkBind(b *testing.B) {
	texts := &Texts{}
	for _, q := range loadCorpus(b) {
		texts.Parse(q.SQL, DialectOf(q.Dialect))
	}
	benchmarkQueries(b, func(sql string, d Dialect) { Bind(nil, texts.Parse(sql, d)) })
}

func BenchmarkOrdersRows(b *testing.B) {
	benchmarkQueries(b, func(sql string, d Dialect) { ordersRows(sql, d) })
}

// Names without qualifier are looked up in time that grows with their number, not with its square, also
// among many aliases and many sources.
func BenchmarkColumnsWithoutQualifier(b *testing.B) {
	const names = 50_000
	var list, sources strings.Builder
	for i := range names {
		fmt.Fprintf(&list, ", c%d AS a%d", i, i)
	}
	for i := range 300 {
		fmt.Fprintf(&sources, ", t%d", i)
	}
	q := Parse("SELECT 1"+list.String()+" FROM t"+sources.String(), DuckDB).Final()
	for b.Loop() {
		if n := len(Columns(q)); n != names {
			b.Fatalf("%d columns, want %d", n, names)
		}
	}
}
