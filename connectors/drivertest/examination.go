package drivertest

import (
	"context"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/doctor"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/sql/store"
)

// examination checks that badger doctor's statements run on every warehouse, and report no problems in a healthy one:
// without or with leave to write, or in thorough tests both.
func (h Harness) examination(t *testing.T) {
	for _, readOnly := range sample.Of([]bool{false, true}, 2) {
		report := doctor.Examine(context.Background(), doctor.Options{
			ReadOnly: readOnly, Now: time.Now,
			Open: func(ctx context.Context, _ bool) (*store.Store, error) {
				w := store.New(connectors.New(h.Open(t, memory.NewGoAllocator()), h.Dialect))
				return w, w.Install(ctx)
			},
		})
		for _, c := range report.Checks {
			if c.Status != doctor.OK && (!readOnly || c.Status != doctor.Skipped) {
				t.Errorf("read only %v: %s: %s, %s (%s)", readOnly, c.Name, c.Status, c.Detail, c.Code)
			}
		}
	}
}
