package drivertest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/sql/store"
)

// claims checks claims, which let only one process call a judge for a key, and the stored long-running calls.
func (h Harness) claims(t *testing.T) {
	ctx := context.Background()
	w := store.New(connectors.New(h.open(t), h.Dialect))
	if err := w.Install(ctx); err != nil {
		t.Fatal(err)
	}
	at := func(seconds int) time.Time {
		return time.UnixMilli(1_750_000_000_000).Add(time.Duration(seconds) * time.Second)
	}
	claim := func(owner string, now, until int, want []string, keys ...string) {
		t.Helper()
		got, err := w.Claim(ctx, owner, at(now), at(until), keys...)
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%s at %d s: holds %q, %v, want %q", owner, now, got, err, want)
		}
	}
	if !h.Dialect.NoClaims {
		claim("a", 0, 60, []string{"k1", "k2"}, "k2", "k1")
		claim("b", 10, 70, []string{"k3"}, "k1", "k3")
		claim("b", 61, 120, []string{"k1", "k3"}, "k1", "k3") // the claim of a has expired
		if err := w.RenewClaims(ctx, "b", at(200)); err != nil {
			t.Fatal(err)
		}
		claim("a", 150, 210, nil, "k1", "k3")
		if err := w.ReleaseClaims(ctx, "a", "k1"); err != nil { // b holds it now
			t.Fatal(err)
		}
		claim("c", 151, 210, nil, "k1")
		if err := w.ReleaseClaims(ctx, "b", "k1"); err != nil {
			t.Fatal(err)
		}
		claim("c", 152, 210, []string{"k1"}, "k1")
		if err := w.ForgetClaims(ctx, at(205)); err != nil { // all but the claim of c
			t.Fatal(err)
		}
		left, err := w.Query(ctx, "SELECT claim_key, owner FROM badger.claims")
		if err != nil {
			t.Fatal(err)
		}
		if got := Show(left); got != "\"claim_key\" STRING: \"k1\"\n\"owner\" STRING: \"c\"\n" {
			t.Errorf("left are\n%s", got)
		}
	}
	h.run(t, "those of processes that have ended", func(t *testing.T) {
		if h.Dialect.NoClaims {
			t.Skip("the warehouse cannot decide")
		}
		claim("judge:1:a", 300, 360, []string{"v1"}, "v1")
		claim("judge:2:b", 300, 360, []string{"v2"}, "v2")
		claim("label:ana", 300, 360, []string{"v3"}, "v3")
		if err := w.VoidClaims(ctx, "judge:", "judge:2:"); err != nil {
			t.Fatal(err)
		}
		var free []string // nil if other processes may have the database open
		if h.Dialect.Embedded {
			free = []string{"v1"}
		}
		claim("judge:2:c", 301, 360, free, "v1", "v2", "v3")
	})
	h.run(t, "one wins", func(t *testing.T) {
		if h.Dialect.NoClaims {
			t.Skip("the warehouse cannot decide")
		}
		var mu sync.Mutex
		holders := map[string][]string{}
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				owner := fmt.Sprintf("racer %d", i)
				got, err := w.Claim(ctx, owner, at(0), at(60), "r1", "r2", "r3")
				if err != nil {
					t.Errorf("%s: %v", owner, err)
				}
				mu.Lock()
				defer mu.Unlock()
				for _, k := range got {
					holders[k] = append(holders[k], owner)
				}
			})
		}
		wg.Wait()
		for _, k := range []string{"r1", "r2", "r3"} {
			if len(holders[k]) != 1 {
				t.Errorf("%s is held by %q, expected one", k, holders[k])
			}
		}
	})

	call := store.Call{ID: "c1", ContentHash: "h", Function: "f", Request: `["a'b", 9007199254740993]`,
		Expires: at(60).UTC()}
	other := store.Call{ID: "c2", ContentHash: "h", Function: "f", Request: "[]", Expires: at(10).UTC()}
	if err := w.WriteCalls(ctx, call, other); err != nil {
		t.Fatal(err)
	}
	for _, reply := range []string{"the first", "the second"} {
		if err := w.AnswerCall(ctx, "c1", reply); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.ForgetCalls(ctx, at(30)); err != nil {
		t.Fatal(err)
	}
	got, err := w.Calls(ctx, "c1", "c2", "c3")
	if err != nil {
		t.Fatal(err)
	}
	call.Reply = "the first"
	if diff := cmp.Diff([]store.Call{call}, got); diff != "" {
		t.Errorf("the calls that are left: %s", diff)
	}

	for i, payer := range []string{"run:1", "run:1", "ana", "run:1"} {
		a := judgebackend.Assessment{ID: fmt.Sprintf("paid %d", i), Kind: "k", Backend: "b", Model: "m", RequestHash: "h",
			Reply: "r", TokensIn: 10, TokensOut: judgebackend.TokensUnknown, CreatedAt: at(i), Payer: payer}
		if i > 0 {
			a.TokensOut = 1
		}
		if err := w.WriteAssessments(ctx, a); err != nil {
			t.Fatal(err)
		}
	}
	paid, err := w.PaidBy(ctx, "run:1", at(0))
	if diff := cmp.Diff(
		[]judgebackend.Payment{
			{Identity: judgebackend.Identity{Backend: "b", Model: "m"}, Calls: 3, TokensIn: 30,
				TokensOut: 2}}, paid); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if paid, err := w.PaidBy(ctx, "run:1", at(3)); err != nil || len(paid) != 1 || paid[0].Calls != 1 {
		t.Errorf("from a time on: %+v, %v, want one call", paid, err)
	}
}
