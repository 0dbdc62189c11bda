package drivertest

import (
	"context"
	"sync/atomic"

	"github.com/badger-eval/badger/internal/columnar"
)

// counter is a function that gives every row another number.
func counter() func(context.Context, []columnar.Column, *columnar.Column) error {
	var n atomic.Int64
	return func(_ context.Context, _ []columnar.Column, out *columnar.Column) error {
		for i := range out.Ints {
			out.Ints[i] = n.Add(1)
		}
		return nil
	}
}
