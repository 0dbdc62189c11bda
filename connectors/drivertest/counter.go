package drivertest

import (
	"context"
	"sync/atomic"

	"github.com/badger-eval/badger/connectors/driver"
)

// counter is a function that gives every row another number.
func counter() func(context.Context, []driver.Vector, *driver.Vector) error {
	var n atomic.Int64
	return func(_ context.Context, _ []driver.Vector, out *driver.Vector) error {
		for i := range out.Ints {
			out.Ints[i] = n.Add(1)
		}
		return nil
	}
}
