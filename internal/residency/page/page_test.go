package main

import (
	"bytes"
	"os"
	"testing"
)

func TestPage(t *testing.T) {
	want, err := os.ReadFile("../../../docs/residency.md")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := write(&got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Error("docs/residency.md is stale: make generate")
	}
}
