package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// BenchmarkImport imports records of BIRD with a parsed query, as Spider's have. peak-MB is the most memory on the heap while it runs, which
// does not grow with the length of the file but for hashes and offsets.
func BenchmarkImport(b *testing.B) {
	var text strings.Builder
	for i := range 10000 {
		fmt.Fprintf(&text, `{"question_id": %d, "db_id": "d%d", "question": "How many are number %d?", "evidence": "%s", "SQL": "SELECT COUNT(*) FROM t WHERE a = %d", "difficulty": "simple", "sql": {"pad": "%s"}}`+"\n",
			i, i%90, i, strings.Repeat("x", 80), i, strings.Repeat("y", 4000))
	}
	file := filepath.Join(b.TempDir(), "dev.jsonl")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	text.Reset()
	runtime.GC()
	peak := uint64(0)
	var memory runtime.MemStats
	for b.Loop() {
		s, err := New(b.Context(), KindNamed("bird"), Options{})
		if err != nil {
			b.Fatal(err)
		}
		read := 0
		s.Progress = func(string, int64, int64) {
			if read++; read%500 == 0 {
				runtime.ReadMemStats(&memory)
				peak = max(peak, memory.HeapInuse)
			}
		}
		if err := s.AddFile(file); err != nil {
			b.Fatal(err)
		}
		if err := s.Finish(); err != nil || s.Cases != 10000 {
			b.Fatal(s.Cases, err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(peak)/1e6, "peak-MB")
}
