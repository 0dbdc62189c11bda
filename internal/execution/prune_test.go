package execution_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/execution"
)

// A result is deleted with its last record, before it, and one without any record once it is old.
func TestPrune(t *testing.T) {
	t.Parallel()
	cutoff := time.Date(2025, 4, 1, 0, 0, 0, 0, time.UTC)
	fill := func(t *testing.T) (dir string, files func() []string) {
		t.Helper()
		dir = t.TempDir()
		var index strings.Builder
		file := func(name string) string {
			sum := sha256.Sum256([]byte(name))
			hash := hex.EncodeToString(sum[:])
			path := filepath.Join(dir, hash+".json")
			if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
			return hash
		}
		for _, r := range []execution.Record{
			{Key: "1", SQL: "SELECT 1", Snapshot: file("shared"), RanAt: cutoff.Add(-1)},
			{Key: "2", SQL: "SELECT 2", Snapshot: file("shared"), RanAt: cutoff},
			{Key: "3", SQL: "SELECT 3", Snapshot: file("old"), RanAt: cutoff.Add(-1)},
			{Key: "4", SQL: "SELECT 4", Outcome: "error", Message: "secret", RanAt: cutoff.Add(-1)},
		} {
			line, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			index.Write(append(line, '\n'))
		}
		index.WriteString("   maged\n") // by an interrupted call
		if err := os.WriteFile(filepath.Join(dir, "executions.jsonl"), []byte(index.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		orphan := filepath.Join(dir, file("orphan")+".json")
		if err := os.Chtimes(orphan, cutoff.Add(-time.Hour), cutoff.Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
		file("new orphan")
		return dir, func() (names []string) {
			all, _ := filepath.Glob(filepath.Join(dir, "*.json"))
			for _, path := range all {
				text, _ := os.ReadFile(path)
				names = append(names, string(text))
			}
			slices.Sort(names)
			return names
		}
	}
	lines := func(dir string) string {
		text, _ := os.ReadFile(filepath.Join(dir, "executions.jsonl"))
		return strings.Join(strings.Fields(string(text)), " ")
	}
	byAge := func(r *execution.Record) bool { return r.RanAt.Before(cutoff) }

	dir, files := fill(t)
	for range 2 {
		if n, err := execution.Prune(dir, true, cutoff, byAge); n != (execution.Pruned{Records: 4, Results: 2}) || err != nil {
			t.Fatalf("dry: %+v, %v", n, err)
		}
	}
	if n, err := execution.Prune(dir, false, cutoff, byAge); n != (execution.Pruned{Records: 4, Results: 2}) || err != nil {
		t.Fatalf("%+v, %v", n, err)
	}
	if n, err := execution.Prune(dir, false, cutoff, byAge); n != (execution.Pruned{}) || err != nil {
		t.Errorf("the second time: %+v, %v", n, err)
	}
	if got := files(); !slices.Equal(got, []string{"new orphan", "shared"}) {
		t.Errorf("left: %q", got)
	}
	if got := lines(dir); strings.Contains(got, "secret") || !strings.Contains(got, `"SELECT 2"`) && !strings.Contains(got, `"key":"2"`) {
		t.Errorf("index: %s", got)
	}
	if s, err := execution.OpenStore(dir); err != nil {
		t.Error(err)
	} else {
		s.Close()
	}

	// By query, interrupted after the results were deleted.
	dir, files = fill(t)
	bySQL := func(r *execution.Record) bool { return r.SQL == "SELECT 3" }
	sum := sha256.Sum256([]byte("old"))
	if err := os.Remove(filepath.Join(dir, hex.EncodeToString(sum[:])+".json")); err != nil {
		t.Fatal(err)
	}
	if n, err := execution.Prune(dir, false, time.Time{}, bySQL); n != (execution.Pruned{Records: 2}) || err != nil {
		t.Errorf("%+v, %v", n, err)
	}
	if got := files(); !slices.Equal(got, []string{"new orphan", "orphan", "shared"}) {
		t.Errorf("left: %q", got)
	}
}

// A directory whose index has other lines than records is not changed.
func TestPruneRefusesForeignIndex(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "executions.jsonl")
	const text = `{"question": "mine", "ran_at": "2020-01-01T00:00:00Z"}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := execution.Prune(dir, false, time.Now(), func(*execution.Record) bool { return true })
	if left, _ := os.ReadFile(path); errcode.Of(err) != errcode.InvalidArgument || string(left) != text {
		t.Errorf("%v; left: %q", err, left)
	}
}
