package driverbase

import (
	"fmt"

	"github.com/badger-eval/badger/internal/errcode"
)

// Recovered makes an error of a panic: it is deferred where a vendor's driver is called, whose defects
// are the failure of the query that meets them and of nothing else. The error has the code Internal. It
// is nobody's who wrote the query.
func Recovered(err *error) {
	if p := recover(); p != nil {
		*err = errcode.Because(fmt.Errorf("%v", p), errcode.Internal, "the driver broke down on what the warehouse answered; this is a defect of the driver or of badger: cast the columns to text, and report their types")
	}
}
