//go:build no_duckdb

package main

import (
	"context"

	"github.com/badger-eval/badger/scoring/counterexample"
	"github.com/badger-eval/badger/scoring/custom"
	"github.com/badger-eval/badger/sql/store"
)

// The build tag no_duckdb leaves out the embedded engine, for a server that does not need it; no cgo is then needed.

type demoCommand struct{}

// Run returns the error that this build has no demonstration.
func (demoCommand) Run(context.Context, process) error { return errNoEngine }

type sqlCommand struct{}

// Run returns the error that this build has no engine to run SQL.
func (sqlCommand) Run(context.Context, process) error { return errNoEngine }

func openForMacros(context.Context, process, string, []string) (*store.Store, func(), error) {
	return nil, nil, errNoEngine
}

// judgeSQL runs judges of kind sql; nil, because this build has no embedded engine.
var judgeSQL custom.SQLEngine

// smallDatabases finds counterexamples; nil, because this build has no embedded engine.
var smallDatabases counterexample.Finder

var errNoEngine = withoutConnector("duckdb")
