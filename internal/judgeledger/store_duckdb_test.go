//go:build !no_duckdb

package judgeledger_test

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/judgeledger"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

func open(t *testing.T, path string) *connectors.Warehouse {
	t.Helper()
	var m connectors.Mux
	m.Register(duckdb.Scheme, duckdb.Open)
	w, err := m.Open(t.Context(), "duckdb:"+path, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestStore(t *testing.T) {
	backendtest.RunStore(t, func(t *testing.T) backendtest.StoreHarness {
		path := filepath.Join(t.TempDir(), "w.duckdb")
		var w *connectors.Warehouse
		var warnings bytes.Buffer
		t.Cleanup(func() { _ = w.Close() })
		return backendtest.StoreHarness{
			Open: func(t *testing.T) judgebackend.Store {
				if w != nil {
					_ = w.Close()
				}
				w = open(t, path)
				return judgeledger.New(w, time.Now, slog.New(slog.NewTextHandler(&warnings, nil)))
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
