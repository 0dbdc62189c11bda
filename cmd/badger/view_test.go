package main

import (
	"context"
	"strings"
	"testing"
)

func TestViewListensHere(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:7435", ":7435", "192.0.2.1:80", "example.com:80", "7435"} {
		err := (&viewCommand{DB: "duckdb:none.duckdb", HTTP: addr}).Run(context.Background(), process{getenv: func(string) string { return "" }})
		if err == nil || !strings.Contains(err.Error(), "--http: ") {
			t.Errorf("%s: %v", addr, err)
		}
	}
}
