package metric_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// besideWorker makes the test binary score two Parquet files and say what it took, so that memory is that of a process of its own.
const besideWorker = "BADGER_BESIDE_WORKER"

func TestMain(m *testing.M) {
	if files := os.Getenv(besideWorker); files != "" {
		if err := scoreFiles(strings.Split(files, string(os.PathListSeparator))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

type timing struct {
	MS      float64 `json:"ms"`
	Verdict bool    `json:"verdict"`
	PeakMB  float64 `json:"peak_mb"`
}

func scoreFiles(files []string) error {
	var tables [2]*scoring.Table
	for i, f := range files {
		t, err := resultfile.Read(context.Background(), f, nil)
		if err != nil {
			return err
		}
		tables[i] = t
	}
	var times []float64
	var equal bool
	for range 3 {
		start := time.Now()
		equal = metric.CompareResults(tables[0], tables[1]).Counts.Score == 1
		times = append(times, float64(time.Since(start).Microseconds())/1000)
	}
	slices.Sort(times)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	peak := 0.0
	for line := range strings.Lines(string(status)) {
		if kb, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			peak, _ = strconv.ParseFloat(strings.Fields(kb)[0], 64)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(timing{times[1], equal, peak / 1024})
}

// Beside DataComPy in one run: it gets the key and equal names, we get permuted and renamed columns and no key. Run with
// BADGER_PEERS_PYTHON naming a Python that has datacompy and pandas, and -v to see the table.
func TestBesideDataComPy(t *testing.T) {
	python := os.Getenv("BADGER_PEERS_PYTHON")
	if python == "" {
		t.Skip("BADGER_PEERS_PYTHON names no Python with datacompy")
	}
	dir := t.TempDir()
	write := func(name string, table *scoring.Table) string {
		t.Helper()
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := arrowtable.NewReader(memory.DefaultAllocator, table, 1<<16)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		w, err := pqarrow.NewFileWriter(r.Schema(), f, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
			if err := w.Write(r.Record()); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	run := func(cmd *exec.Cmd) (out timing) {
		t.Helper()
		cmd.Stderr = os.Stderr
		text, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !out.Verdict {
			t.Error("the tables are equal, yet the verdict is that they differ")
		}
		return out
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%9s %10s %12s %12s %8s %14s %14s\n", "rows", "input MB", "hybrid_ex ms", "DataComPy ms", "ratio", "our peak MB", "its peak MB")
	for _, rows := range []int{10_000, 100_000, 1_000_000} {
		gold, pred := shuffledPair(rows)
		same := *pred // DataComPy wants equal names: undo the permutation
		same.Columns = make([]scoring.Column, len(gold.Columns))
		for c := range gold.Columns {
			same.Columns[c] = pred.Columns[(c+3)%10]
			same.Columns[c].Name = gold.Columns[c].Name
		}
		g, p, s := write("gold.parquet", gold), write("pred.parquet", pred), write("same.parquet", &same)
		input := float64(gold.MemoryBytes()+pred.MemoryBytes()) / 1e6
		runtime.GC()
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		worker := exec.CommandContext(t.Context(), self)
		worker.Env = append(os.Environ(), besideWorker+"="+g+string(os.PathListSeparator)+p)
		ours, theirs := run(worker), run(exec.CommandContext(t.Context(), python, "testdata/peers/datacompy_compare.py", g, s, gold.Columns[0].Name))
		fmt.Fprintf(&b, "%9d %10.1f %12.1f %12.1f %7.1fx %14.0f %14.0f\n", rows, input, ours.MS, theirs.MS, theirs.MS/ours.MS, ours.PeakMB, theirs.PeakMB)
	}
	t.Log(b.String())
}
