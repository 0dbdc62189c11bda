package judgebackend_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

func TestMemoryStoreConforms(t *testing.T) {
	backendtest.RunStore(t, func(*testing.T) backendtest.StoreHarness {
		s := &judgebackend.MemoryStore{}
		return backendtest.StoreHarness{Open: func(*testing.T) judgebackend.Store { return s }}
	})
}

func openFile(t *testing.T, path string, log *slog.Logger) *judgebackend.FileStore {
	t.Helper()
	s, err := judgebackend.OpenFileStore(path, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestFileStoreConforms(t *testing.T) {
	backendtest.RunStore(t, func(t *testing.T) backendtest.StoreHarness {
		path := filepath.Join(t.TempDir(), "ledger.jsonl")
		var warnings bytes.Buffer
		log := slog.New(slog.NewTextHandler(&warnings, nil))
		return backendtest.StoreHarness{
			Open: func(t *testing.T) judgebackend.Store { return openFile(t, path, log) },
			Corrupt: func(t *testing.T) {
				b, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				i := bytes.LastIndex(b, []byte(`separator`))
				b[i] = 'S'
				if err := os.WriteFile(path, b, 0o600); err != nil {
					t.Fatal(err)
				}
			},
			Warnings: &warnings, Durable: true,
		}
	})
}

// However much of the last line a crash has left, what came before is there, and what comes after
// is too.
func TestFileStoreTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	s := openFile(t, path, nil)
	for i := range 2 {
		if err := s.Put(t.Context(), backendtest.SampleAssessment(i)); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(whole, '\n') + 1
	for size := first; size < len(whole); size++ {
		if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := judgebackend.OpenFileStore(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok, err := s.Get(t.Context(), backendtest.SampleAssessment(1).RequestHash); ok || err != nil {
			t.Errorf("%d bytes: a torn entry was given out, or %v", size, err)
		}
		if err := s.Put(t.Context(), backendtest.SampleAssessment(2)); err != nil {
			t.Fatal(err)
		}
		_ = s.Close()
		again, err := judgebackend.OpenFileStore(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 2} {
			if _, ok, err := again.Get(t.Context(), backendtest.SampleAssessment(n).RequestHash); !ok || err != nil {
				t.Errorf("%d bytes: entry %d is lost, %v", size, n, err)
			}
		}
		_ = again.Close()
	}
}

func TestFileStoreClosed(t *testing.T) {
	s, err := judgebackend.OpenFileStore(filepath.Join(t.TempDir(), "ledger.jsonl"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), backendtest.SampleAssessment(1)); errcode.Of(err) != errcode.Unavailable {
		t.Errorf("put into a closed store: %v", err)
	}
	if err := s.Close(); err == nil {
		t.Error("closed twice without a word")
	}
	if _, err := judgebackend.OpenFileStore(t.TempDir(), nil); errcode.Of(err) != errcode.FailedPrecondition {
		t.Errorf("a directory is no ledger: %v", err)
	}
}

// Two stores on one file see each other's entries without being opened again.
func TestFileStoreShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	a, b := openFile(t, path, nil), openFile(t, path, nil)
	for i := range 10 {
		writer, reader := a, b
		if i%2 == 1 {
			writer, reader = b, a
		}
		if err := writer.Put(t.Context(), backendtest.SampleAssessment(i)); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := reader.Get(t.Context(), backendtest.SampleAssessment(i).RequestHash); !ok || err != nil {
			t.Errorf("entry %d of the other store is not seen, %v", i, err)
		}
	}
}

// Processes that append at the same time, some of them killed while they do, leave a file with
// every entry whose Put returned.
func TestFileStoreProcesses(t *testing.T) {
	if path := os.Getenv("FILESTORE_CHILD"); path != "" {
		var from int
		_, _ = fmt.Sscan(os.Getenv("FILESTORE_FROM"), &from)
		s := openFile(t, path, nil)
		for i := from; i < from+100_000; i++ {
			if err := s.Put(context.Background(), backendtest.SampleAssessment(i)); err != nil {
				t.Fatal(err)
			}
			fmt.Printf("put %d\n", i)
		}
		return
	}
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	var children []*exec.Cmd
	var outs []*bytes.Buffer
	for i := range 4 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFileStoreProcesses$", "-test.v") //nolint:gosec // this test itself
		cmd.Env = append(os.Environ(), "FILESTORE_CHILD="+path, fmt.Sprintf("FILESTORE_FROM=%d", i*1_000_000))
		out := &bytes.Buffer{}
		cmd.Stdout = out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children, outs = append(children, cmd), append(outs, out)
	}
	watch := openFile(t, path, nil)
	for watch.Len() < 200 { // until all of them are well under way
		_, _, _ = watch.Get(t.Context(), "nobody's")
	}
	for _, c := range children {
		_ = c.Process.Kill()
	}
	for _, c := range children {
		_ = c.Wait()
	}
	s := openFile(t, path, nil)
	n := 0
	for _, out := range outs {
		for _, line := range strings.Split(out.String(), "\n") {
			var i int
			if _, err := fmt.Sscanf(line, "put %d", &i); err != nil || !strings.HasSuffix(line, fmt.Sprint(i)) {
				continue
			}
			n++
			if _, ok, err := s.Get(t.Context(), backendtest.SampleAssessment(i).RequestHash); !ok || err != nil {
				t.Errorf("entry %d was put and is lost, %v", i, err)
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d entries were put", n)
	}
}

func FuzzFileStore(f *testing.F) {
	f.Add([]byte(`{"request_hash":"a","assessment_id":"b"}` + "\n"))
	f.Add([]byte("\n\n{\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "ledger.jsonl")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		s := openFile(t, path, nil)
		want := backendtest.SampleAssessment(1)
		if err := s.Put(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		got, ok, err := s.Get(t.Context(), want.RequestHash)
		if err != nil || !ok || got.Reply != want.Reply {
			t.Errorf("found %v, error %v", ok, err)
		}
	})
}

func BenchmarkFileStorePut(b *testing.B) {
	s, err := judgebackend.OpenFileStore(filepath.Join(b.TempDir(), "ledger.jsonl"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportAllocs()
	b.SetParallelism(32) // of the two or more processors: 64 calls that wait for one another's fsync
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			if err := s.Put(context.Background(), backendtest.SampleAssessment(i)); err != nil {
				b.Error(err)
			}
		}
	})
}
