package resultfile_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/resultfile"
)

// ledgered counts what is held, and has room for so much.
type ledgered struct{ limit, room, held int64 }

func (l *ledgered) Limit() int64 { return l.limit }

func (l *ledgered) Hold(_ context.Context, n int64) error {
	if l.held+n > l.room {
		return errcode.New(errcode.ResourceExhausted, "no room")
	}
	l.held += n
	return nil
}

// A file that is far larger than a result may be is refused before it is read, also where it is a
// hole: 50 GB of nothing cost its owner nothing.
func TestSparseFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"hole.csv", "hole.json", "hole"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(`[{"a":1},`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 50<<30); err != nil {
			t.Skipf("this file system has no sparse files: %v", err)
		}
		a := &ledgered{limit: 8 << 20, room: 1 << 30}
		_, err := resultfile.Read(account.With(t.Context(), a), path, nil)
		if errcode.Of(err) != errcode.ResourceExhausted || !strings.Contains(err.Error(), "8388608 bytes") || a.held != 0 {
			t.Errorf("%s: %v, %d bytes held", name, err, a.held)
		}
	}
}

// What a file takes is counted, in every format that does not say its size beforehand, and reading
// ends if there is no room or the call ends.
func TestReadingIsCounted(t *testing.T) {
	row := strings.Repeat("a", 99)
	text := "c\n" + strings.Repeat(row+"\n", 50_000) // 5 MB
	objects := strings.Repeat(`{"c":"`+row+`"}`+"\n", 50_000)
	for _, tc := range []struct {
		why  string
		file string
	}{
		{"CSV", file(t, "r.csv", []byte(text))},
		{"compressed CSV", file(t, "r.csv.gz", gzipped(t, []byte(text)))},
		{"one cell", file(t, "r1.csv.gz", gzipped(t, []byte("c\n"+strings.Repeat("a", 5_000_000))))},
		{"JSON Lines", file(t, "r.jsonl", []byte(objects))},
		{"compressed JSON Lines", file(t, "r.jsonl.gz", gzipped(t, []byte(objects)))},
	} {
		a := &ledgered{limit: 64 << 20, room: 1 << 30}
		if _, err := resultfile.Read(account.With(t.Context(), a), tc.file, nil); err != nil || a.held < 5_000_000 || a.held > 32_000_000 {
			t.Errorf("%s: %v, %d bytes held", tc.why, err, a.held)
		}
		a = &ledgered{limit: 64 << 20, room: 4 << 20}
		if _, err := resultfile.Read(account.With(t.Context(), a), tc.file, nil); errcode.Of(err) != errcode.ResourceExhausted {
			t.Errorf("%s without room: %v", tc.why, err)
		}
		a = &ledgered{limit: 1 << 20, room: 1 << 30}
		if _, err := resultfile.Read(account.With(t.Context(), a), tc.file, nil); errcode.Of(err) != errcode.ResourceExhausted {
			t.Errorf("%s beyond the limit of one result: %v", tc.why, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := resultfile.Read(ctx, tc.file, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", tc.why, err)
		}
	}
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(data)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
