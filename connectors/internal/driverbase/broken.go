package driverbase

import (
	"fmt"

	"github.com/badger-eval/badger/internal/errcode"
)

// Recovered converts a panic to an error: it is deferred around calls of a vendor's driver, so that a bug in the
// driver fails only the query that triggers it. The error has the code Internal. It is not attributed to the author
// of the query.
func Recovered(err *error) {
	if p := recover(); p != nil {
		*err = errcode.Because(fmt.Errorf("%v", p), errcode.Internal, "the driver panicked on the reply of the warehouse; this is a bug in the driver or in badger: cast the columns to text, and report their types")
	}
}
