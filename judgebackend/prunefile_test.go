package judgebackend_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
)

// Replies are erased while another process uses the ledger: it misses them, and what it adds stays.
func TestPruneFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	s := openFile(t, path, nil)
	cutoff := time.Date(2025, 4, 1, 0, 0, 0, 0, time.UTC)
	put := func(hash string, at time.Time) {
		t.Helper()
		a := judgebackend.Assessment{Kind: "rose", RequestHash: hash, Reply: "secret of " + hash, CreatedAt: at}
		a.ID = a.ContentHash()
		if err := s.Put(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	put("old", cutoff.Add(-time.Nanosecond).In(time.FixedZone("", -5*3600)))
	put("border", cutoff)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("   ply\":\"secret, half erased\"}\n"); err != nil { // an interrupted call left it
		t.Fatal(err)
	}
	f.Close()
	expired := func(a *judgebackend.Assessment) bool { return a.CreatedAt.Before(cutoff) }
	if n, err := judgebackend.PruneFile(path, true, expired); n != 2 || err != nil {
		t.Fatalf("dry: %d, %v", n, err)
	}
	if n, err := judgebackend.PruneFile(path, false, expired); n != 2 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	if n, err := judgebackend.PruneFile(path, false, expired); n != 0 || err != nil {
		t.Errorf("the second time: %d, %v", n, err)
	}
	put("later", cutoff)
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text), "secret of old") || strings.Contains(string(text), "half erased") {
		t.Errorf("%v: %s", err, text)
	}
	for _, store := range []*judgebackend.FileStore{s, openFile(t, path, nil)} {
		for hash, want := range map[string]bool{"old": false, "border": true, "later": true} {
			if _, found, err := store.Get(t.Context(), hash); found != want || err != nil {
				t.Errorf("%s: %v, %v", hash, found, err)
			}
		}
	}
}

// A file that is not a ledger, or has one other line, is not changed.
func TestPruneRefusesForeignFile(t *testing.T) {
	t.Parallel()
	a := judgebackend.Assessment{Kind: "rose", RequestHash: "h", Reply: "r", CreatedAt: time.Unix(0, 0)}
	a.ID = a.ContentHash()
	whole, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"# A page\n\nof mine\n", `{"question": "q", "agent": {"sql": "SELECT 1"}}` + "\n",
		string(whole) + "\n" + `{"created_at": "2020-01-01"}` + "\n"} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		n, err := judgebackend.PruneFile(path, false, func(*judgebackend.Assessment) bool { return true })
		if left, _ := os.ReadFile(path); n != 0 || errcode.Of(err) != errcode.InvalidArgument || string(left) != text {
			t.Errorf("%d, %v; left: %q", n, err, left)
		}
	}
}
