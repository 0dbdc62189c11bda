package main

import (
	"cmp"
	"context"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/execution"
)

// executeFlags are the keys of [execution.Config] as flags. They override a configuration file.
type executeFlags struct {
	Execute    string        `placeholder:"URL" help:"Warehouse that runs queries, such as duckdb:shop.duckdb (those without result or error; {database} is the database of a case). Only single queries that read are run."`
	Kept       bool          `name:"execute-kept" help:"Run nothing, and use the results in --snapshots."`
	Rows       int64         `least:"1" name:"execute-rows" placeholder:"N" help:"Maximum number of rows of a result (default 100000)."`
	Timeout    time.Duration `name:"execute-timeout" placeholder:"DURATION" help:"Time limit of a query (default 1m)."`
	Functions  []string      `name:"execute-functions" placeholder:"A,B" help:"More functions that only read, such as your own."`
	Schema     bool          `name:"execute-schema" help:"Read the definitions of queried tables, for cases without schema_ddl. Judges see them."`
	Statistics bool          `name:"execute-statistics" help:"Like --execute-schema, and also read column statistics for realistic counterexamples. The tables are scanned."`
	Clock      string        `placeholder:"INSTANT" help:"Time that the clock of executed queries is pinned to, such as 2024-06-30T00:00:00Z. A query whose clock cannot be pinned is not run."`
	Snapshots  string        `placeholder:"DIR" help:"Directory for results, one per warehouse; none keeps no results (default snapshots)."`
}

// over returns c with the values of the flags that are set. Functions are added to those of c.
func (f *executeFlags) over(c execution.Config) execution.Config {
	c.URL, c.Snapshots = cmp.Or(f.Execute, c.URL), cmp.Or(f.Snapshots, c.Snapshots, "snapshots")
	c.Rows, c.Timeout = cmp.Or(f.Rows, c.Rows), cmp.Or(f.Timeout, c.Timeout)
	c.Clock = cmp.Or(f.Clock, c.Clock)
	c.Functions = append(c.Functions, f.Functions...)
	c.Statistics = c.Statistics || f.Statistics
	c.Schema = c.Schema || f.Schema || c.Statistics // statistics are of the columns of a schema
	return c
}

// open returns the executor, or nil if no query will be executed. others are the URLs of open warehouses. If
// resumed is set, stored results are reused and not recomputed.
func (f *executeFlags) open(c execution.Config, p process, resumed bool, others ...string) (*execution.AtWork, error) {
	c = f.over(c)
	if c.URL == "" && !f.Kept &&
		(f.Rows != 0 || f.Timeout != 0 || len(f.Functions) > 0 || f.Clock != "" || f.Snapshots != "" || f.Schema ||
			f.Statistics) {
		return nil, usage("--execute: expected a URL with --execute-rows, --execute-timeout, --execute-functions, --clock, --execute-schema, --execute-statistics or --snapshots")
	}
	return execution.Open(c, execution.OpenOptions{
		KeptOnly: f.Kept, KeptFirst: resumed, Now: p.now, Others: others,
		Check: func(url string) error { return checkURL(url, driver.Options{ReadOnly: true, Lasting: true}) },
		Open: func(ctx context.Context, url, within string) (execution.Closer, error) {
			return open(ctx, url, driver.Options{ReadOnly: true, Lasting: true, Within: within})
		},
	})
}
