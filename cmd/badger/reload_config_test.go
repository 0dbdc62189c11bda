package main

import (
	"strings"
	"testing"
)

// Times that a server could not work with are no sound configuration.
func TestUnsoundTimes(t *testing.T) {
	for config, want := range map[string]string{
		"reload: 1ns\n": "reload is 1ns, expected at least 1s",
		"reload: -5m\n": "reload: expected a duration of at least 0s, found less",
		"limits: {stop_delay: 10h, stop_grace: 10s}\n": "limits.stop_delay: expected at most limits.stop_grace, which is 10s, found 10h0m0s",
	} {
		if code, _, stderr := checked(t, config, nil); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit %d, %s, want %s", config, code, stderr, want)
		}
	}
	if code, _, stderr := checked(t, "reload: 1s\nlimits: {stop_delay: 10s, stop_grace: 10s}\n", nil); code != exitDone {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
