package batch_test

import (
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/batch/ledgertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openFile(t *testing.T, path string) *batch.ScoreFile {
	t.Helper()
	f, err := batch.OpenScoreFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Kill)
	return f
}

func TestLedgers(t *testing.T) {
	file := func(t *testing.T) func(t *testing.T) batch.Ledger {
		path := filepath.Join(t.TempDir(), "scores.jsonl")
		return func(t *testing.T) batch.Ledger { return openFile(t, path) }
	}
	memory := func(*testing.T) func(*testing.T) batch.Ledger {
		m := &ledgertest.Memory{}
		return func(*testing.T) batch.Ledger { return m }
	}
	t.Run("Memory", func(t *testing.T) { ledgertest.Test(t, ledgertest.Options{}, memory) })
	t.Run("File", func(t *testing.T) {
		ledgertest.Test(t, ledgertest.Options{OneRun: true}, file)
	})
	t.Run("Tee", func(t *testing.T) {
		ledgertest.Test(t, ledgertest.Options{OneRun: true}, func(t *testing.T) func(t *testing.T) batch.Ledger {
			first, second := memory(t), file(t)
			return func(t *testing.T) batch.Ledger { return batch.Tee(first(t), second(t)) }
		})
	})
}
