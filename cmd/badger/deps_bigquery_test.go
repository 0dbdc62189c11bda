package main

import (
	"os/exec"
	"strings"
	"testing"
)

// A build without BigQuery carries neither its clients nor Google's authentication.
func TestBuildWithoutBigQuery(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here")
	}
	for tags, want := range map[string]bool{"": true, "no_bigquery": false} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", tags, ".").Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		for _, part := range []string{"connectors/bigquery", "cloud.google.com/go/bigquery/storage"} {
			if got := strings.Contains(string(out), part); got != want {
				t.Errorf("with tags %q: carries %s: %v, want %v", tags, part, got, want)
			}
		}
	}
}
