package udf

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A row that steps aside gives its worker to other rows, judged or not, and has one again afterwards. Without a row
// nothing is given.
func TestAside(t *testing.T) {
	for _, once := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			turn := make(chan struct{})
			waits := Function{Name: "waits", Params: []Param{{Name: "n"}}, Result: DOUBLE, Waits: true, Once: once, Row: func(ctx context.Context, _ *Batch, i int, out *Column) error {
				if Aside(ctx, func() { <-turn }) {
					out.SetFloat(i, 1)
				}
				return nil
			}}
			quick := Function{Name: "quick", Params: []Param{{Name: "n"}}, Result: DOUBLE, Waits: true, Once: once, Row: func(_ context.Context, _ *Batch, i int, out *Column) error {
				out.SetFloat(i, 2)
				return nil
			}}
			c := newCatalogue(t, CatalogueOptions{Workers: 1}, waits, quick)
			call := func(name, text string) float64 {
				f, err := c.Function(name)
				if err != nil {
					t.Error(err)
					return 0
				}
				in := NewBatch(f, 1, 1)
				in.Args[0].SetText(0, text)
				out, err := c.Call(t.Context(), f, in)
				if err != nil {
					t.Error(err)
					return 0
				}
				return out.Floats[0]
			}
			var wg sync.WaitGroup
			for _, text := range []string{"a", "b", "c"} {
				wg.Go(func() {
					if got := call("waits", text); got != 1 {
						t.Errorf("once %v: a row that stepped aside gives %v, want 1", once, got)
					}
				})
			}
			synctest.Wait() // one worker, and yet all three wait for their turn
			if got := call("quick", "d"); got != 2 {
				t.Errorf("once %v: beside them %v, want 2", once, got)
			}
			close(turn)
			wg.Wait()
			c.Drain(t.Context(), time.Second)
			if l := c.Load(); l.RowsRunning != 0 || l.RowsWaiting != 0 || l.JudgedRows != 0 || c.jobs.aside != 0 {
				t.Errorf("once %v: afterwards %+v, %d aside", once, l, c.jobs.aside)
			}
		})
	}
	if ran := false; !Aside(t.Context(), func() { ran = true }) || !ran {
		t.Error("without a row")
	}
}
