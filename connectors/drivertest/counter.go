package drivertest

import (
	"context"
	"sync/atomic"

	"github.com/badger-eval/badger/internal/columnar"
)

// counter returns a function that returns a different number for each row.
func counter() func(context.Context, []columnar.Column, *columnar.Column) error {
	var n atomic.Int64
	return func(_ context.Context, _ []columnar.Column, out *columnar.Column) error {
		for i := range out.Ints {
			out.Ints[i] = n.Add(1)
		}
		return nil
	}
}
