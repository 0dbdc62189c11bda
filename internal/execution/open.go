package execution

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
)

// Config selects the warehouse in which the queries of cases without a result are run.
type Config struct {
	// of the warehouse; {database} is replaced by the database of the case; empty: no query is run
	URL       string        `yaml:"url"`
	Rows      int64         `yaml:"rows" least:"0"`     // limit of a result's rows
	Bytes     int64         `yaml:"bytes" least:"0"`    // limit of a result's memory in bytes
	Timeout   time.Duration `yaml:"timeout" least:"0s"` // time limit of a query
	Functions []string      `yaml:"functions"`          // functions known to only read, in addition to those of the dialect
	// add the definitions of the tables that its queries read to a case without a schema
	Schema     bool `yaml:"schema"`
	Statistics bool `yaml:"statistics"` // and add statistics of their columns
	// time that replaces the clock in queries, in RFC 3339 form; empty: not replaced
	Clock     string `yaml:"clock"`
	Snapshots string `yaml:"snapshots"` // directory in which results are stored; none: not stored
}

// AtWork is an executor with the warehouses that it opened. Nil runs no queries.
type AtWork struct {
	*Executor

	mu    sync.Mutex
	close []func()
}

func (x *AtWork) atClose(f func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.close = append(x.close, f)
}

// Of returns a source whose cases get the results that they lack, or s if x is nil.
func (x *AtWork) Of(s batch.Source) batch.Source {
	if x == nil {
		return s
	}
	return x.Source(s)
}

// Close closes the warehouses and the store.
func (x *AtWork) Close() {
	if x == nil {
		return
	}
	for _, f := range x.close {
		f()
	}
}

// Closer is a warehouse opened for the queries of cases.
type Closer interface {
	Warehouse
	Powers(ctx context.Context) (connectors.Powers, error)
	Close() error
}

// OpenOptions are the inputs of Open in addition to its configuration.
type OpenOptions struct {
	KeptOnly  bool     // use only stored results, run no query
	KeptFirst bool     // use stored results instead of running queries again
	Others    []string // URLs of warehouses that this process writes to
	Now       func() time.Time
	// Check validates a URL without connecting; nil: any is valid.
	Check func(url string) error
	// Open opens a warehouse for reading. If the URL names a file, it must be in the directory within, unless that is
	// "".
	Open func(ctx context.Context, url, within string) (Closer, error)
}

// Open returns the executor, or nil if no query is to be run. An invalid configuration is a usage error, also a URL
// that is invalid for every database.
func Open(c Config, o OpenOptions) (_ *AtWork, err error) {
	if c.URL == "" && !o.KeptOnly {
		return nil, nil //nolint:nilnil // nothing is run
	}
	if c.Rows < 0 || c.Bytes < 0 || c.Timeout < 0 {
		return nil, errcode.Usage("--execute: limits must be above 0")
	}
	if c.URL == "" && c.Schema {
		return nil, errcode.Usage("--execute: expected a URL with --execute-schema or --execute-statistics, also with --execute-kept: the URL identifies the warehouse whose results are kept")
	}
	if err := checkPlaces(c.URL); err != nil {
		return nil, err
	}
	clock, err := readClock(c.Clock)
	if err != nil {
		return nil, err
	}
	x := &AtWork{Executor: &Executor{
		Clock: clock,
		Limits: Limits{
			Rows: cmp.Or(c.Rows, defaultLimits.Rows), Bytes: cmp.Or(c.Bytes, defaultLimits.Bytes),
			Timeout: cmp.Or(c.Timeout, defaultLimits.Timeout),
		},
		Functions: c.Functions, KeptFirst: o.KeptFirst, KeptOnly: o.KeptOnly, Schema: c.Schema, Statistics: c.Statistics,
		PerDatabase: strings.Contains(c.URL, databasePlace) || o.KeptOnly && c.URL == "", Now: o.Now,
	}}
	defer func() {
		if err != nil {
			x.Close()
		}
	}()
	switch {
	case c.Snapshots != "none":
		if o.KeptOnly {
			if info, err := os.Stat(c.Snapshots); err != nil || !info.IsDir() {
				return nil, errcode.Usage("--execute-kept: there is no directory %q of kept results; name it with --snapshots",
					filepath.Base(c.Snapshots))
			}
		}
		if x.Store, err = OpenStore(c.Snapshots); err != nil {
			return nil, errcode.New(errcode.Of(err), "--snapshots %s: %w", c.Snapshots, err)
		}
		x.atClose(func() { _ = x.Store.Close() })
	case o.KeptOnly:
		return nil, errcode.Usage("--execute-kept: expected a directory of kept results, not --snapshots none")
	}
	x.Open = func(ctx context.Context, database string) (Warehouse, error) {
		at, within, err := urlOf(c.URL, database)
		if err != nil {
			return nil, err
		}
		w, closing, err := o.open(ctx, at, within)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "--execute: %w", err)
		}
		x.atClose(closing)
		return w, nil
	}
	if x.PerDatabase && !o.KeptOnly && o.Check != nil { // the name of any database will do
		if at, _, err := urlOf(c.URL, "x"); err == nil {
			if err := o.Check(at); err != nil {
				return nil, errcode.Usage("--execute: %w", err)
			}
		}
	}
	if !x.PerDatabase && !o.KeptOnly { // report an invalid URL before the run
		if _, err := x.Warehouse(context.Background(), ""); errcode.Of(err) == errcode.InvalidArgument {
			return nil, errcode.AsUsage(err)
		} else if err != nil {
			return nil, err
		}
	}
	return x, nil
}

// readClock parses the time that replaces the clock in queries; nil for "".
func readClock(text string) (*time.Time, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // it is not pinned
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Nanosecond() != 0 || t.Year() < 1 {
		return nil, errcode.Usage("--clock: %.40q, expected an instant of whole seconds with its zone, such as 2024-06-30T00:00:00Z or 2024-06-30T09:00:00+02:00", text)
	}
	return &t, nil
}

const databasePlace = "{database}"

var placeholder = regexp.MustCompile(`[{]\s*\w*\s*[}]|<\w+>|%7[Bb]\w*%7[Dd]`)

// checkPlaces returns a usage error if a URL has a placeholder other than {database}.
func checkPlaces(template string) error {
	for _, place := range placeholder.FindAllString(template, -1) {
		if place != databasePlace {
			return errcode.Usage("--execute: unknown placeholder %.40s; the only one is %s, the database of a case", place,
				databasePlace)
		}
	}
	return nil
}

// databaseName matches names that may be part of a URL and cannot leave a directory.
var databaseName = regexp.MustCompile(`^\w[\w.-]*$`)

// urlOf replaces {database} in the URL template by a case's database. If the URL names a file, within is its
// directory as the template gives it.
func urlOf(template, database string) (at, within string, err error) {
	before, _, several := strings.Cut(template, databasePlace)
	if !several {
		return template, "", nil
	}
	if database == "" {
		return "", "", errcode.New(errcode.InvalidArgument,
			"--execute: the case names no database to put into the URL; expected the key database, which --database of badger import sets")
	}
	if !databaseName.MatchString(database) || strings.Contains(database, "..") {
		return "", "", errcode.New(errcode.InvalidArgument,
			"--execute: the case's database is %.60q, expected a name of letters, digits, _, . and - to put into the URL",
			database)
	}
	_, path, _ := strings.Cut(before, ":")
	return strings.ReplaceAll(template, databasePlace, database), filepath.Dir(path + database), nil
}

// open opens a warehouse for the queries of cases. The embedded engine reaches only the one file, read-only, with
// limits of memory and disk. A role with too many privileges is an error, see mayRun.
func (o *OpenOptions) open(ctx context.Context, at, within string) (_ Warehouse, closing func(), err error) {
	closing = func() {}
	rest, embedded := strings.CutPrefix(at, "duckdb:")
	if embedded {
		path, query, _ := strings.Cut(rest, "?")
		for _, other := range o.Others {
			if o, ok := strings.CutPrefix(other, "duckdb:"); ok && sameFile(path, o) {
				return nil, nil, errcode.Usage(
					"the embedded engine opens %q once, and the scores are written there: name another database with --to, or --no-to", filepath.Base(path))
			}
		}
		values, err := url.ParseQuery(query)
		if err != nil {
			return nil, nil, errcode.Usage("the options after ? are malformed")
		}
		values.Set("mode", "ro")
		values.Set("confined", "true")
		if values.Get("memory_limit") == "" {
			values.Set("memory_limit", "2GB")
		}
		if values.Get("temp_directory") == "" {
			dir, err := os.MkdirTemp("", "badger-execute-*")
			if err != nil {
				return nil, nil, fmt.Errorf("creating a directory for temporary files: %w", err)
			}
			closing = func() { _ = os.RemoveAll(dir) }
			values.Set("temp_directory", dir)
		}
		at = "duckdb:" + path + "?" + values.Encode()
	}
	w, err := o.Open(ctx, at, within)
	if err != nil {
		closing()
		return nil, nil, err
	}
	remove := closing
	closing = func() { _ = w.Close(); remove() }
	if err := o.mayRun(ctx, w); err != nil {
		closing()
		return nil, nil, err
	}
	return w, closing, nil
}

// mayRun returns an error if the role has privileges with which a misparsed query could do harm.
func (o *OpenOptions) mayRun(ctx context.Context, w Closer) error {
	p, err := w.Powers(ctx)
	if err != nil {
		return errcode.New(errcode.Of(err), "what the role may do could not be read: %w", err)
	}
	if len(p.Refused) > 0 {
		return errcode.New(errcode.PermissionDenied,
			"the role %s; expected one that may only read the data of the questions: see \"The role\" in docs/eval/execution.md", strings.Join(p.Refused, ", "))
	}
	return nil
}

// sameFile reports whether a and b name the same file; b may have options after a question mark.
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
