package metric

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain collects garbage less often: the heap is small, and collections were a fifth of the processor time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
