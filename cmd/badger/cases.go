package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/resultfile"
)

// caseFile opens a file of cases, and the results that they refer to. what stands before the message of a file that is not there, such as the flag that names it.
func caseFile(what, path string) (batch.FileSource, snapshots, error) {
	file := batch.FileSource{Path: path}
	if _, err := os.Stat(path); err != nil {
		return file, snapshots{}, usage("%sthere is no file %q", what, filepath.Base(path))
	}
	return file, snapshots{files: &resultfile.Snapshots{Options: resultfile.Options{Dir: file.Dir()}}}, nil
}

// caseWarehouse opens a warehouse whose answers are only read.
func caseWarehouse(ctx context.Context, url string, f connectors.Filter) (*connectors.Warehouse, batch.Source, error) {
	w, err := openWarehouse(ctx, url, readOnly)
	if err != nil {
		return nil, nil, err
	}
	return w, warehouseSource{w, f}, nil
}

// isWarehouse tells a warehouse's URL from the name of a file.
func isWarehouse(where string) bool {
	scheme, _, ok := strings.Cut(where, ":")
	return ok && slices.Contains(warehouses.Schemes(), scheme)
}
