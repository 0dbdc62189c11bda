package udf

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/columnar"
	"github.com/badger-eval/badger/internal/errcode"
)

// slowJudge is a function that takes as long as a judge, and counts the questions that it was asked.
type slowJudge struct {
	takes time.Duration
	mu    sync.Mutex
	asked map[string]int
}

func newSlow(takes time.Duration) *slowJudge {
	return &slowJudge{takes: takes, asked: map[string]int{}}
}

func (j *slowJudge) function() Function {
	return Function{
		Name: "slow_json", Group: "test", Metric: "slow", Result: JSON, Version: 1, Waits: true, Once: true, Params: []Param{{Name: "question"}},
		Row: func(ctx context.Context, in *Batch, i int, out *Column) error {
			j.mu.Lock()
			j.asked[in.Text(0, i)]++
			j.mu.Unlock()
			select {
			case <-time.After(j.takes):
			case <-ctx.Done():
				return ctx.Err()
			}
			out.SetText(i, `{"status":"ok"}`)
			return nil
		},
	}
}

// G-13: of a caller that goes away, rows that have begun end, and rows that have not are forgotten.
func TestDisconnectedRows(t *testing.T) {
	j := newSlow(200 * time.Millisecond)
	c := newCatalogue(t, CatalogueOptions{}, j.function())
	c.jobs.width = 1
	f, _ := c.Function("slow_json")
	in := NewBatch(f, 1, 3)
	for i, q := range []string{"a", "b", "c"} {
		in.Args[0].SetText(i, q)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := c.Call(ctx, f, in); errcode.Of(err) != errcode.Cancelled {
		t.Fatal(err)
	}
	c.Drain(t.Context(), time.Second)
	if len(j.asked) != 1 || len(c.jobs.all) != 1 || c.jobs.parked != 0 {
		t.Errorf("%d questions asked, %d rows known, %d bytes parked; want one, its result, and none", len(j.asked), len(c.jobs.all), c.jobs.parked)
	}
}

// Rows that continue have a bound: those beyond it are late and forgotten.
func TestParkedRowsAreBounded(t *testing.T) {
	j := newSlow(time.Second)
	c := newCatalogue(t, CatalogueOptions{}, j.function())
	defer cutOff(c)
	c.jobs.width = 1
	f, _ := c.Function("slow_json")
	const rows = 80
	in := NewBatch(f, 1, rows)
	for i := range rows {
		in.Args[0].SetText(i, strings.Repeat(string(rune('0'+i)), 1<<20))
	}
	out := columnar.New(JSON, rows)
	if err := c.Run(t.Context(), f, in, out, Deadline{After: 20 * time.Millisecond, NullRows: true}); err != nil {
		t.Fatal(err)
	}
	late := 0
	for _, text := range out.Texts {
		if strings.Contains(text, "row continues") {
			late++
		}
	}
	if late < 60 || late >= 64 || c.jobs.parked > mostParked {
		t.Errorf("%d rows continue with %d bytes, want as many as fit into %d", late, c.jobs.parked, int64(mostParked))
	}
}

// What continues without anybody waiting has a bound for each caller: one alone must not keep the
// others from submitting rows.
func TestOneCallerDoesNotTakeAllThatGoesOn(t *testing.T) {
	c := newCatalogue(t, CatalogueOptions{}, newSlow(time.Second).function())
	defer cutOff(c)
	c.jobs.width = 1
	submit, _ := c.Function("slow_submit")
	tickets := func(name string, rows int) (n int) {
		in := NewBatch(submit, 1, rows)
		for i := range rows {
			in.Args[0].SetText(i, name+strings.Repeat(string(rune('0'+i)), 1<<20))
		}
		out := columnar.New(VARCHAR, rows)
		if err := c.Run(WithCaller(t.Context(), caller(name)), submit, in, out, Deadline{After: time.Second}); err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			if !out.Nulls[i] {
				n++
			}
		}
		return n
	}
	if n := tickets("greedy", 80); n < 45 || n > 48 {
		t.Errorf("%d rows of 1 MB were taken of one caller, want as many as fit into 48 MB", n)
	}
	if n := tickets("other", 4); n != 4 {
		t.Errorf("%d of 4 rows of another caller were taken", n)
	}
}
