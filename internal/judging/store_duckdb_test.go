//go:build !no_duckdb

package judging_test

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
	"github.com/badger-eval/badger/sql/store"
)

func open(t *testing.T, path string) *store.Store {
	t.Helper()
	var m connectors.Mux
	m.Register(duckdb.Scheme, duckdb.Open)
	opened, err := m.Open(t.Context(), "duckdb:"+path, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := store.New(opened)
	if err := w.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestStore(t *testing.T) {
	backendtest.RunStore(t, func(t *testing.T) backendtest.StoreHarness {
		path := filepath.Join(t.TempDir(), "w.duckdb")
		var w *store.Store
		var warnings bytes.Buffer
		t.Cleanup(func() { _ = w.Close() })
		return backendtest.StoreHarness{
			Open: func(t *testing.T) judgebackend.Store {
				if w != nil {
					_ = w.Close()
				}
				w = open(t, path)
				return judging.NewLedger(w, time.Now, slog.New(slog.NewTextHandler(&warnings, nil)))
			},
			Corrupt: func(t *testing.T) {
				if err := w.Exec(t.Context(), "UPDATE badger.assessments SET reply = 'yes' WHERE request_hash = ?", backendtest.SampleAssessment(2).RequestHash); err != nil {
					t.Fatal(err)
				}
			},
			Warnings: &warnings, Durable: true,
		}
	})
}

// Only one process has a DuckDB file open, so a claim of another one is of a process that was killed. A run that is
// started again asks at once, and does not wait until the claim expires.
func TestClaimsOfAKilledProcessAreNotWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.duckdb")
	killed := open(t, path)
	now := time.Now()
	if got, err := killed.Claim(t.Context(), "judge:killed:1", now, now.Add(time.Hour), "request"); err != nil || len(got) != 1 {
		t.Fatalf("claimed %q, %v", got, err)
	}
	if got, err := killed.Claim(t.Context(), "other:killed:1", now, now.Add(time.Hour), "turn"); err != nil || len(got) != 1 {
		t.Fatalf("claimed %q, %v", got, err)
	}
	_ = killed.Close()
	w := open(t, path)
	t.Cleanup(func() { _ = w.Close() })
	ledger := judging.NewLedger(w, func() time.Time { return now }, slog.New(slog.DiscardHandler))
	if _, ok, err := ledger.Claim(t.Context(), "request"); !ok || err != nil {
		t.Errorf("the claim of a killed process: %v, %v", ok, err)
	}
	if got, err := w.Claim(t.Context(), "other:1", now, now.Add(time.Hour), "turn"); err != nil || len(got) != 0 {
		t.Errorf("a claim that is not of a judge was taken away: %q, %v", got, err)
	}
}

// A detail that nobody can read is a loss only where it held what the content hash covers.
func TestUnreadableDetail(t *testing.T) {
	w := open(t, filepath.Join(t.TempDir(), "w.duckdb"))
	defer func() { _ = w.Close() }()
	var warnings bytes.Buffer
	s := judging.NewLedger(w, time.Now, slog.New(slog.NewTextHandler(&warnings, nil)))
	plain, weighed, cut := backendtest.SampleAssessment(1), backendtest.SampleAssessment(2), backendtest.SampleAssessment(3)
	plain.LogProbs, cut.LogProbs, cut.FinishReason = nil, nil, judgebackend.FinishLength
	for _, a := range []*judgebackend.Assessment{&plain, &weighed, &cut} {
		a.ID = a.ContentHash()
		if err := s.Put(t.Context(), *a); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Exec(t.Context(), `UPDATE badger.assessments SET detail = '{"put":"today"}'`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why  string
		a    judgebackend.Assessment
		used bool
	}{{"a whole reply", plain, true}, {"one with log-probabilities", weighed, false}, {"one that was cut", cut, false}} {
		warnings.Reset()
		got, ok, err := s.Get(t.Context(), c.a.RequestHash)
		if err != nil || ok != c.used || ok && got.Reply != c.a.Reply || (warnings.Len() == 0) != c.used {
			t.Errorf("%s: used %t, %v, warnings %q", c.why, ok, err, &warnings)
		}
	}
}
