//go:build !no_duckdb && linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkStoring is what storing costs beside scoring: whole processes that score cases with one
// metric and with all of them, and write the scores to a file or to a new database, in turn. s-file and
// s-db are seconds of the processor, cores-file and cores-db how many of them were at work at the same
// time, MB-file and MB-db the most memory that a process held. Where storing and scoring overlap, as many
// work in both. There are 20,000 cases, or as many as BADGER_STORING_CASES says.
func BenchmarkStoring(b *testing.B) {
	n := 20_000
	if s := os.Getenv("BADGER_STORING_CASES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	cases := filepath.Join(b.TempDir(), "cases.jsonl")
	writeSalesCases(b, cases, n)
	for _, metrics := range []string{"hybrid_ex", "default"} {
		b.Run(metrics, func(b *testing.B) {
			var seconds, cores, megabytes [2][]float64
			for b.Loop() {
				dir := b.TempDir()
				for k, to := range [][]string{{"--no-to", "--scores", filepath.Join(dir, "scores.jsonl")}, {"--to", "duckdb:" + filepath.Join(dir, "scores.duckdb")}} {
					s, wall, mb := runProcess(b, append([]string{"run", "--quiet", "--cases", cases, "--metrics", metrics}, to...)...)
					seconds[k], cores[k], megabytes[k] = append(seconds[k], s), append(cores[k], s/wall), append(megabytes[k], mb)
				}
				_ = os.RemoveAll(dir)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(seconds[0]), "s-file")
			b.ReportMetric(median(seconds[1]), "s-db")
			b.ReportMetric(median(cores[0]), "cores-file")
			b.ReportMetric(median(cores[1]), "cores-db")
			b.ReportMetric(median(megabytes[0]), "MB-file")
			b.ReportMetric(median(megabytes[1]), "MB-db")
		})
	}
}

// runProcess runs badger, and returns its seconds of the processor and of time, and the most memory that
// it held.
func runProcess(b *testing.B, args ...string) (seconds, wall, megabytes float64) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "badger", args...)
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = io.Discard, &stderr
	begun := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%v: %s", err, &stderr)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		b.Fatal("the system does not tell what a process used")
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), time.Since(begun).Seconds(), float64(usage.Maxrss) / 1024
}

// writeSalesCases writes right answers with two results of ten rows each and queries of some size.
func writeSalesCases(b *testing.B, path string, n int) {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	for i := range n {
		const query = `SELECT r.region, SUM(o.amount) AS sales, COUNT(DISTINCT o.customer) AS customers FROM orders o JOIN regions r ON r.id = o.region_id WHERE o.month = %d AND o.status <> 'cancelled' GROUP BY r.region ORDER BY %s`
		fmt.Fprintf(w, `{"case_id":"case-%06d","question":"How much did every region sell in month %d, and to how many customers?"`, i, i%12+1)
		for side, order := range []string{"sales DESC", "2 DESC"} {
			fmt.Fprintf(w, `,%s"sql":"`+query+`","result":{"columns":[{"name":"region"},{"name":"sales"},{"name":"customers"}],"rows":[`, []string{`"gold":{`, `"agent":{"name":"atlas","version":"1.0",`}[side], i%12+1, order)
			for r := range 10 {
				fmt.Fprintf(w, `%s["region %d",%d.%02d,%d]`, []string{"", ","}[min(r, 1)], r, i%1000+10-r, (i+r)%100, 17*r+i%7)
			}
			w.WriteString(`]}}`)
		}
		w.WriteString("}\n")
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}
