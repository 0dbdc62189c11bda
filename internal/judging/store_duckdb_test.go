//go:build !no_duckdb

package judging_test

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/badger-eval/badger/sql/store"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
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
