// Command page writes docs/reference/conformance.md to its standard output.
package main

import (
	"os"

	"github.com/badger-eval/badger/internal/conformance"
)

func main() {
	if _, err := os.Stdout.Write(conformance.Page()); err != nil {
		os.Exit(1)
	}
}
