package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A file that finds no room ends a run with the exit code of a failure and the reason, whatever it was to hold.
func TestFilesThatFindNoRoom(t *testing.T) {
	const device = "/dev/full"
	if _, err := os.Stat(device); err != nil {
		t.Skip("this system has no " + device)
	}
	dir := t.TempDir()
	cases := filepath.Join(dir, "cases.jsonl")
	line := `{"case_id":"a","gold_result":{"columns":["n"],"rows":[[1]]},"result":{"columns":["n"],"rows":[[1]]}}` + "\n"
	if err := os.WriteFile(cases, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"--scores", "--csv", "--jsonl", "--junit", "--sarif", "--markdown"} {
		var stderr strings.Builder
		code := run(t.Context(), []string{"run", "--cases", cases, "--no-to", "--quiet", flag, device}, process{getenv: testEnv, stdin: strings.NewReader(""), stdout: new(strings.Builder), stderr: &stderr, now: time.Now})
		if code != exitFail || !strings.Contains(stderr.String(), syscall.ENOSPC.Error()) {
			t.Errorf("badger run %s %s: exit code %d, %q", flag, device, code, &stderr)
		}
	}
}
