package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/execution"
)

// executeConfig says where the queries of cases are run that have no result.
type executeConfig struct {
	URL        string        `yaml:"url"`        // of the warehouse; {database} stands for the database of the case; empty: nothing is run
	Rows       int64         `yaml:"rows"`       // of a result
	Bytes      int64         `yaml:"bytes"`      // of a result in memory
	Timeout    time.Duration `yaml:"timeout"`    // of a query
	Functions  []string      `yaml:"functions"`  // that only read, besides those known of the dialect
	Schema     bool          `yaml:"schema"`     // cases without a schema get the definitions of the tables that their queries read
	Statistics bool          `yaml:"statistics"` // and statistics of their columns
	Snapshots  string        `yaml:"snapshots"`  // directory that results are kept in; none: nowhere
}

// executeFlags are the same on the command line; they win over a configuration file.
type executeFlags struct {
	Execute    string        `placeholder:"URL" help:"Run the gold and agent queries that have neither a result nor an error here, such as duckdb:shop.duckdb or duckdb:dbs/{database}.duckdb. Nothing is written: only single queries that read are run."`
	Kept       bool          `name:"execute-kept" help:"Run nothing: take the results that an earlier run kept in --snapshots."`
	Rows       int64         `name:"execute-rows" placeholder:"N" help:"The most rows of a result (100000)."`
	Timeout    time.Duration `name:"execute-timeout" placeholder:"DURATION" help:"The most time of a query (1m)."`
	Functions  []string      `name:"execute-functions" placeholder:"A,B" help:"Functions that only read, besides those that are known of the dialect, such as functions of your own."`
	Schema     bool          `name:"execute-schema" help:"Read the definitions of the tables that the queries of a case read, where the case has no schema_ddl. Judges see them."`
	Statistics bool          `name:"execute-statistics" help:"Do what --execute-schema does, and read statistics of the columns that the queries read (rows, NULLs, bounds, few values, values that another table lacks), so that counterexamples are realistic. The tables are scanned. Judges do not see the statistics, except for values in a counterexample that they are told (option counterexample of verdict)."`
	Snapshots  string        `placeholder:"DIR" help:"Where the results are kept (snapshots); none keeps them nowhere. One directory is for one warehouse."`
}

// executionAtWork runs queries, and what it opened.
type executionAtWork struct {
	*execution.Executor

	mu    sync.Mutex
	close []func()
}

func (x *executionAtWork) atClose(f func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.close = append(x.close, f)
}

// source is the source whose cases get their results.
func (x *executionAtWork) source(s batch.Source) batch.Source {
	if x == nil {
		return s
	}
	return x.Source(s)
}

// Close ends what was opened.
func (x *executionAtWork) Close() {
	if x == nil {
		return
	}
	for _, f := range x.close {
		f()
	}
}

// over puts the flags that are given over a configuration.
func (f *executeFlags) over(c executeConfig) executeConfig {
	c.URL, c.Snapshots = firstOf(f.Execute, c.URL), firstOf(f.Snapshots, c.Snapshots, "snapshots")
	c.Rows, c.Timeout = cmp.Or(f.Rows, c.Rows), cmp.Or(f.Timeout, c.Timeout)
	c.Functions = append(c.Functions, f.Functions...)
	c.Statistics = c.Statistics || f.Statistics
	c.Schema = c.Schema || f.Schema || c.Statistics // statistics are of the columns of a schema
	return c
}

// open makes the executor, or nil where nothing is to be run. others are the URLs of warehouses that
// are open. resumed tells that what the run ran before is taken from where it is kept.
func (f *executeFlags) open(c executeConfig, p process, resumed bool, others ...string) (_ *executionAtWork, err error) {
	c = f.over(c)
	if c.URL == "" && !f.Kept {
		if f.Rows != 0 || f.Timeout != 0 || len(f.Functions) > 0 || f.Snapshots != "" || f.Schema || f.Statistics {
			return nil, usage("--execute: expected a URL with --execute-rows, --execute-timeout, --execute-functions, --execute-schema, --execute-statistics or --snapshots")
		}
		return nil, nil //nolint:nilnil // nothing is run
	}
	if c.Rows < 0 || c.Bytes < 0 || c.Timeout < 0 {
		return nil, usage("--execute: limits must be above 0")
	}
	if c.URL == "" && c.Schema {
		return nil, usage("--execute: expected a URL with --execute-schema or --execute-statistics, also with --execute-kept: it says of which warehouse they were kept")
	}
	x := &executionAtWork{Executor: &execution.Executor{
		Limits: execution.Limits{
			Rows: cmp.Or(c.Rows, execution.DefaultLimits.Rows), Bytes: cmp.Or(c.Bytes, execution.DefaultLimits.Bytes), Timeout: cmp.Or(c.Timeout, execution.DefaultLimits.Timeout),
		},
		Functions: c.Functions, KeptFirst: resumed, KeptOnly: f.Kept, Schema: c.Schema, Statistics: c.Statistics, PerDatabase: strings.Contains(c.URL, databasePlace) || f.Kept && c.URL == "", Now: p.now,
	}}
	defer func() {
		if err != nil {
			x.Close()
		}
	}()
	switch {
	case c.Snapshots != "none":
		if f.Kept {
			if info, err := os.Stat(c.Snapshots); err != nil || !info.IsDir() {
				return nil, usage("--execute-kept: there is no directory %q of kept results; name it with --snapshots", filepath.Base(c.Snapshots))
			}
		}
		if x.Store, err = execution.OpenStore(c.Snapshots); err != nil {
			return nil, err
		}
		x.atClose(func() { _ = x.Store.Close() })
	case f.Kept:
		return nil, usage("--execute-kept: expected a directory of kept results, not --snapshots none")
	}
	x.Open = func(ctx context.Context, database string) (execution.Warehouse, error) {
		at, err := urlOf(c.URL, database)
		if err != nil {
			return nil, err
		}
		w, closing, err := openToExecute(ctx, at, others)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "--execute: %w", err)
		}
		x.atClose(closing)
		return w, nil
	}
	if !x.PerDatabase && !f.Kept { // a mistyped URL is said at once
		if _, err := x.Warehouse(context.Background(), ""); errcode.Of(err) == errcode.InvalidArgument {
			return nil, errcode.AsUsage(err)
		} else if err != nil {
			return nil, err
		}
	}
	return x, nil
}

const databasePlace = "{database}"

// databaseName is what may stand in a URL: no way out of a directory.
var databaseName = regexp.MustCompile(`^\w[\w.-]*$`)

// urlOf puts the name of a case's database into the URL.
func urlOf(template, database string) (string, error) {
	if !strings.Contains(template, databasePlace) {
		return template, nil
	}
	if !databaseName.MatchString(database) || strings.Contains(database, "..") {
		return "", errcode.New(errcode.InvalidArgument, "--execute: the case's database is %.60q, want a name of letters, digits, _, . and - to put into the URL", database)
	}
	return strings.ReplaceAll(template, databasePlace, database), nil
}

// openToExecute opens a warehouse on which queries of others are run. The embedded engine, which
// runs in this process, reaches no other files, and has bounds of memory and disk.
func openToExecute(ctx context.Context, at string, others []string) (_ *connectors.Warehouse, closing func(), err error) {
	closing = func() {}
	rest, embedded := strings.CutPrefix(at, "duckdb:")
	if embedded {
		path, query, _ := strings.Cut(rest, "?")
		for _, other := range others {
			if o, ok := strings.CutPrefix(other, "duckdb:"); ok && sameFile(path, o) {
				return nil, nil, usage("the embedded engine opens %q once, and the scores are written there: name another database with --to, or --no-to", filepath.Base(path))
			}
		}
		values, err := url.ParseQuery(query)
		if err != nil {
			return nil, nil, usage("the options behind ? cannot be read")
		}
		values.Set("mode", "ro")
		values.Set("confined", "true")
		if values.Get("memory_limit") == "" {
			values.Set("memory_limit", "2GB")
		}
		if values.Get("temp_directory") == "" {
			dir, err := os.MkdirTemp("", "badger-execute-*")
			if err != nil {
				return nil, nil, fmt.Errorf("a place for what does not fit the memory: %w", err)
			}
			closing = func() { _ = os.RemoveAll(dir) }
			values.Set("temp_directory", dir)
		}
		at = "duckdb:" + path + "?" + values.Encode()
	}
	w, err := openWarehouse(ctx, at, readOnly)
	if err != nil {
		closing()
		return nil, nil, err
	}
	remove := closing
	return w, func() { _ = w.Close(); remove() }, nil
}

// sameFile tells whether two paths, the second perhaps with options, name one file.
func sameFile(a, b string) bool {
	b, _, _ = strings.Cut(b, "?")
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	if errX != nil || errY != nil {
		return a == b
	}
	if x == y {
		return true
	}
	i, errI := os.Stat(x)
	j, errJ := os.Stat(y)
	return errI == nil && errJ == nil && os.SameFile(i, j)
}
