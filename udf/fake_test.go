package udf

import (
	"context"
	"testing"

	"github.com/badger-eval/badger/internal/fake/metrics"
	"github.com/badger-eval/badger/scoring"
)

// echoOrPanic returns its argument as JSON, and panics if it is "panic".
func echoOrPanic() Function {
	return Function{
		Name: "echo_or_panic", Group: "test", Result: JSON, Version: 1, Params: []Param{{Name: "text"}},
		Row: func(_ context.Context, in *Batch, i int, out *Column) error {
			if in.Text(0, i) == "panic" {
				panic("secret value")
			}
			out.SetText(i, `"`+in.Text(0, i)+`"`)
			return nil
		},
	}
}

// newCatalogue is a catalogue of the fake metrics, with a judge.
func newCatalogue(t testing.TB, o CatalogueOptions, extra ...Function) *Catalogue {
	t.Helper()
	engine, err := scoring.NewEngine(metrics.All(), &scoring.EngineOptions{Replies: metrics.NoReplies{}})
	if err != nil {
		t.Fatal(err)
	}
	o.Extra = append(o.Extra, extra...)
	c, err := NewCatalogue(engine, &o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// caller is a caller of that name, without limits.
type caller string

func (c caller) Name() string                                        { return string(c) }
func (caller) Hold(int64) error                                      { return nil }
func (caller) Reserve(int64) (func(), error)                         { return func() {}, nil }
func (caller) Read(ctx context.Context, f func(ctx context.Context)) { f(ctx) }
