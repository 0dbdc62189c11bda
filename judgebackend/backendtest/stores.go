package backendtest

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/judgebackend"
)

// StoreHarness describes one store for RunStore.
type StoreHarness struct {
	// Open opens the store. If it is durable, it has the content of earlier calls in the same test.
	Open func(t *testing.T) judgebackend.Store
	// Corrupt damages the reply of the last entry; nil for a store in memory. Warnings receives the store's log.
	Corrupt  func(t *testing.T)
	Warnings *bytes.Buffer
	Durable  bool // keeps its content when it is opened again
}

// SampleAssessment returns the n-th of many assessments with nearly all fields set.
func SampleAssessment(n int) judgebackend.Assessment {
	a := judgebackend.Assessment{
		Kind: "align", Backend: "openai", Model: "model-1", PromptVersion: "v3",
		RequestHash: fmt.Sprintf("%064x", n+1),
		Reply:       fmt.Sprintf("{\"n\": %d, \"text\": \"line\nbreak and \u2028 separator\"}", n),
		TokensIn:    120, TokensOut: judgebackend.TokensUnknown, LatencyMS: 310,
		CreatedAt:    time.Date(2026, 5, 4, 3, 2, 1, 123456000, time.UTC),
		FinishReason: judgebackend.FinishStop, MaxTokens: 400, ServedModel: "model-1-exact",
		LogProbs: []judgebackend.TokenLogProb{
			{Token: "4", LogProb: -0.25, Top: []judgebackend.TokenLogProb{{Token: "5", LogProb: -1.5}}}},
	}
	a.ID = a.ContentHash()
	return a
}

// RunStore tests a store: round trip, miss, replacement, durability, damage and concurrent use.
func RunStore(t *testing.T, newHarness func(t *testing.T) StoreHarness) {
	ctx := context.Background()
	get := func(t *testing.T, s judgebackend.Store, n int) (judgebackend.Assessment, bool) {
		t.Helper()
		a, ok, err := s.Get(ctx, SampleAssessment(n).RequestHash)
		if err != nil {
			t.Fatal(err)
		}
		return a, ok
	}
	put := func(t *testing.T, s judgebackend.Store, a judgebackend.Assessment) {
		t.Helper()
		if err := s.Put(ctx, a); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("round trip", func(t *testing.T) {
		h := newHarness(t)
		s := h.Open(t)
		if _, ok := get(t, s, 1); ok {
			t.Fatal("an empty store has nothing")
		}
		want := SampleAssessment(1)
		put(t, s, want)
		if h.Durable {
			s = h.Open(t)
		}
		got, ok := get(t, s, 1)
		if !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("got %v %+v, want %+v", ok, got, want)
		}
		if _, ok := get(t, s, 2); ok {
			t.Error("another request is a miss")
		}
	})
	t.Run("the last answer is used", func(t *testing.T) {
		s := newHarness(t).Open(t)
		first, second := SampleAssessment(1), SampleAssessment(1)
		second.Reply = "better"
		second.ID = second.ContentHash()
		put(t, s, first)
		put(t, s, second)
		if got, _ := get(t, s, 1); got.Reply != "better" {
			t.Errorf("reply %q, want the one put last", got.Reply)
		}
	})
	t.Run("damage is a miss with a warning", func(t *testing.T) {
		h := newHarness(t)
		if h.Corrupt == nil {
			return
		}
		s := h.Open(t)
		put(t, s, SampleAssessment(1))
		put(t, s, SampleAssessment(2))
		h.Corrupt(t)
		s = h.Open(t)
		if _, ok := get(t, s, 2); ok {
			t.Error("a damaged entry was given out")
		}
		if _, ok := get(t, s, 1); !ok {
			t.Error("an undamaged entry is lost")
		}
		if h.Warnings.Len() == 0 {
			t.Error("no warning was logged")
		}
		put(t, s, SampleAssessment(2))
		if _, ok := get(t, s, 2); !ok {
			t.Error("a damaged entry cannot be put again")
		}
	})
	t.Run("parallel", func(t *testing.T) {
		s := newHarness(t).Open(t)
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				want := SampleAssessment(i)
				if err := s.Put(ctx, want); err != nil {
					t.Error(err)
				}
				got, ok, err := s.Get(ctx, want.RequestHash)
				if err != nil || !ok || got.ID != want.ID {
					t.Errorf("entry %d: found %v, error %v", i, ok, err)
				}
			})
		}
		wg.Wait()
	})
}
