//go:build !no_duckdb

package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// scored compares the scores in a file with want: for each case the scores in their order, 1 for the value 1, 0 for
// another, and otherwise the status.
func scored(t testing.TB, path string, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for line := range strings.Lines(readFile(t, path)) {
		var s struct {
			CaseID string   `json:"case_id"`
			Status string   `json:"status"`
			Value  *float64 `json:"value"`
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		said := s.Status
		if s.Value != nil {
			said = map[bool]string{true: "1", false: "0"}[*s.Value == 1]
		}
		got[s.CaseID] = strings.TrimSpace(got[s.CaseID] + " " + said)
	}
	for id, w := range want {
		if got[id] != w {
			t.Errorf("%s: %s, want %s", id, got[id], w)
		}
	}
}
