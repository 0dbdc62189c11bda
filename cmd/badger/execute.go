package main

import (
	"cmp"
	"context"
	"time"

	"github.com/badger-eval/badger/internal/execution"
)

// executeFlags are the keys of [execution.Config] on the command line; they win over a configuration file.
type executeFlags struct {
	Execute    string        `placeholder:"URL" help:"Run the gold and agent queries that have neither a result nor an error here, such as duckdb:shop.duckdb or duckdb:dbs/{database}.duckdb. Nothing is written: only single queries that read are run."`
	Kept       bool          `name:"execute-kept" help:"Run nothing: take the results that an earlier run kept in --snapshots."`
	Rows       int64         `name:"execute-rows" placeholder:"N" help:"The most rows of a result (100000)."`
	Timeout    time.Duration `name:"execute-timeout" placeholder:"DURATION" help:"The most time of a query (1m)."`
	Functions  []string      `name:"execute-functions" placeholder:"A,B" help:"Functions that only read, besides those that are known of the dialect, such as functions of your own."`
	Schema     bool          `name:"execute-schema" help:"Read the definitions of the tables that the queries of a case read, where the case has no schema_ddl. Judges see them."`
	Statistics bool          `name:"execute-statistics" help:"Do what --execute-schema does, and read statistics of the columns that the queries read (rows, NULLs, bounds, few values, values that another table lacks), so that counterexamples are realistic. The tables are scanned. Judges do not see the statistics, except for values in a counterexample that they are told (option counterexample of verdict)."`
	Clock      string        `placeholder:"INSTANT" help:"Pin the clock of the queries that --execute runs to this instant, such as 2024-06-30T00:00:00Z: CURRENT_DATE, now() and the like are replaced by it, in its own zone. A query whose clock cannot be pinned is not run."`
	Snapshots  string        `placeholder:"DIR" help:"Where the results are kept (snapshots); none keeps them nowhere. One directory is for one warehouse."`
}

// over puts the flags that are given over a configuration.
func (f *executeFlags) over(c execution.Config) execution.Config {
	c.URL, c.Snapshots = cmp.Or(f.Execute, c.URL), cmp.Or(f.Snapshots, c.Snapshots, "snapshots")
	c.Rows, c.Timeout = cmp.Or(f.Rows, c.Rows), cmp.Or(f.Timeout, c.Timeout)
	c.Clock = cmp.Or(f.Clock, c.Clock)
	c.Functions = append(c.Functions, f.Functions...)
	c.Statistics = c.Statistics || f.Statistics
	c.Schema = c.Schema || f.Schema || c.Statistics // statistics are of the columns of a schema
	return c
}

// open makes the executor, or nil if nothing is to be run. others are the URLs of warehouses that
// are open. resumed tells that what the run ran before is taken from where it is kept.
func (f *executeFlags) open(c execution.Config, p process, resumed bool, others ...string) (*execution.AtWork, error) {
	c = f.over(c)
	if c.URL == "" && !f.Kept && (f.Rows != 0 || f.Timeout != 0 || len(f.Functions) > 0 || f.Clock != "" || f.Snapshots != "" || f.Schema || f.Statistics) {
		return nil, usage("--execute: expected a URL with --execute-rows, --execute-timeout, --execute-functions, --clock, --execute-schema, --execute-statistics or --snapshots")
	}
	return execution.Open(c, execution.OpenOptions{
		KeptOnly: f.Kept, KeptFirst: resumed, Now: p.now, Others: others,
		Open: func(ctx context.Context, url string) (execution.Closer, error) {
			return openWarehouse(ctx, url, readOnly)
		},
	})
}
