package main

import (
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
)

// A share drops by at most 1; a mean may drop by more.
func TestDropOfAShare(t *testing.T) {
	for spec, usage := range map[string]bool{"hybrid_ex=5": true, "hybrid_ex=1": false, "latency_overhead=5": false, "x=5": false} {
		if _, err := (&changeGateFlags{FailOnDrop: []string{spec}}).changeGates(); errcode.IsUsage(err) != usage {
			t.Errorf("%s: %v, want a usage error: %v", spec, err, usage)
		}
	}
}
