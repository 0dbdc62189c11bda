package drivertest

import (
	"context"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/store"
)

// judges checks the table of promoted judge files, whose rows are never changed.
func (h Harness) judges(t *testing.T) {
	ctx := context.Background()
	w := store.New(connectors.New(h.Open(t, memory.NewGoAllocator()), h.Dialect))
	defer w.Close()
	if none, err := w.Judges(ctx); err != nil || len(none) > 0 {
		t.Errorf("before the tables exist: %v, %v, expected no judges", none, err)
	}
	if err := w.Install(ctx); err != nil {
		t.Fatal(err)
	}
	at := func(n int) time.Time { return time.Date(2026, 11, n, 10, 30, 0, 123000, time.UTC) }
	tone1 := store.Judge{Name: "tone", Version: 1, Kind: "prompt", Source: "name: tone\n# 😀\n", PromotedAt: at(1),
		PromotedBy: "kim", Tested: `{"untested":true}`}
	for _, c := range []struct {
		why     string
		judge   store.Judge
		written bool
		code    errcode.Code
	}{
		{"the first", tone1, true, errcode.OK},
		{"the same again, later and by another user: nothing to do",
			store.Judge{Name: "tone", Version: 1, Kind: "prompt", Source: tone1.Source, PromotedAt: at(2), PromotedBy: "lee"},
			false, errcode.OK},
		{"another text under the same version",
			store.Judge{Name: "tone", Version: 1, Kind: "prompt", Source: "other", PromotedAt: at(2)}, false,
			errcode.AlreadyExists},
		{"a new version", store.Judge{Name: "tone", Version: 3, Kind: "prompt", Source: "third", PromotedAt: at(3)}, true,
			errcode.OK},
		{"a version below the newest",
			store.Judge{Name: "tone", Version: 2, Kind: "prompt", Source: "second", PromotedAt: at(4)}, false,
			errcode.FailedPrecondition},
		{"another judge", store.Judge{Name: "pii", Version: 1, Kind: "starlark", Source: "x = 1", PromotedAt: at(4)}, true,
			errcode.OK},
		{"no text", store.Judge{Name: "pii", Version: 2, PromotedAt: at(4)}, false, errcode.InvalidArgument},
		{"a hash of something else", store.Judge{Name: "pii", Version: 2, Source: "x", Hash: "00", PromotedAt: at(4)}, false,
			errcode.InvalidArgument},
	} {
		written, err := w.WriteJudge(ctx, c.judge)
		if written != c.written || errcode.Of(err) != c.code {
			t.Errorf("%s: %v, %v, want %v, %v", c.why, written, err, c.written, c.code)
		}
	}
	all, err := w.Judges(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 || all[0].Name != "pii" || all[1].Version != 1 || all[2].Version != 3 {
		t.Fatalf("%+v, expected pii 1, tone 1, tone 3", all)
	}
	tone1.Hash = all[1].Hash // the hash is checked when the row is read
	if diff := cmp.Diff(tone1, all[1]); diff != "" {
		t.Errorf("as it was promoted first: %s", diff)
	}
	newest, err := w.NewestJudges(ctx)
	if err != nil || len(newest) != 2 || newest[0].Name != "pii" || newest[1].Version != 3 {
		t.Errorf("%+v, %v, want pii 1 and tone 3", newest, err)
	}
	for range 2 { // the second call changes nothing
		if version, err := w.RetireJudge(ctx, "pii", "lee", at(5)); err != nil || version != 2 {
			t.Errorf("%d, %v, want version 2", version, err)
		}
	}
	if newest, err := w.NewestJudges(ctx); err != nil || len(newest) != 1 || newest[0].Name != "tone" {
		t.Errorf("%+v, %v, want tone alone", newest, err)
	}
	if written, err := w.WriteJudge(ctx,
		store.Judge{Name: "pii", Version: 3, Kind: "starlark", Source: "x = 1", PromotedAt: at(6)}); !written || err != nil {
		t.Errorf("%v, %v, want it back", written, err)
	}
	if newest, err := w.NewestJudges(ctx); err != nil || len(newest) != 2 || newest[0].Version != 3 {
		t.Errorf("%+v, %v, want pii 3 and tone 3", newest, err)
	}
	if _, err := w.RetireJudge(ctx, "none", "lee", at(6)); errcode.Of(err) != errcode.NotFound {
		t.Errorf("%v, want not_found", err)
	}
	if err := w.Exec(ctx, "UPDATE badger.judges SET source = 'tampered' WHERE name = 'pii'"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Judges(ctx); errcode.Of(err) != errcode.DataLoss {
		t.Errorf("%v, expected data_loss: the source was not promoted", err)
	}
}
