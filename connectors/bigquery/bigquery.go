// Package bigquery is the connector of Google BigQuery.
//
// It is built on the two clients that Google's own package uses, not on that package: the generated REST client
// (google.golang.org/api/bigquery/v2) runs jobs, and the generated gRPC client
// (cloud.google.com/go/bigquery/storage/apiv1) reads results. Google's package converts cells to Go values, adds a
// second version of Arrow and hides which requests are repeated. Here every job has an ID chosen by the connector, so
// that a repeated request runs it only once, and the bytes of the Storage Read API are decoded once, by this module's
// Arrow version.
//
// A query is a job. Its first rows arrive with the response that reports its end. A larger result is read from the
// job's destination table through the Storage Read API, or in REST pages if that API is off or not allowed, with the
// same exact values. Rows are written by one MERGE or INSERT statement: few of them as its parameter, many of them
// through a staging table that load jobs fill. See README.md for the URL, the types and how long results are kept.
package bigquery

import (
	"context"
	"sync"
	"sync/atomic"

	storage "cloud.google.com/go/bigquery/storage/apiv1"
	"github.com/apache/arrow/go/v17/arrow/memory"
	bq "google.golang.org/api/bigquery/v2"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// Scheme is the scheme of URLs: bigquery://PROJECT/DATASET?location=EU. See [ParseURL].
const Scheme = "bigquery"

// Dialect is the SQL dialect of badger's tables in BigQuery. JSON is text: BigQuery's own JSON type
// sorts members and rounds numbers, and its JSON functions read text as well.
var Dialect = driver.Dialect{
	Name: "bigquery",
	Types: map[driver.Type]string{
		driver.Text: "STRING", driver.JSON: "STRING", driver.BigInt: "INT64", driver.Double: "FLOAT64",
		driver.Decimal: "BIGNUMERIC", driver.Boolean: "BOOL", driver.Timestamp: "TIMESTAMP",
	},
	Results:     map[driver.Type]string{driver.JSON: "JSON"},
	Identifiers: identifiers,
	Definition:  definition,
	Member:      func(column, member string) string { return "JSON_VALUE(" + column + ", '$." + member + "')" },
	Part:        func(column, member string) string { return "JSON_QUERY(" + column + ", '$." + member + "')" },
	Day:         func(instant string) string { return "CAST(" + instant + " AS DATE)" }, // in UTC
	Contains:    func(text, part string) string { return "STRPOS(" + text + ", " + part + ") > 0" },
	ShownViews:  "SELECT table_name AS name, view_definition AS definition FROM badger.INFORMATION_SCHEMA.VIEWS",
	BaseTables:  "SELECT table_name AS name FROM badger.INFORMATION_SCHEMA.TABLES WHERE table_type = 'BASE TABLE'",
	Grants:      "roles/bigquery.jobUser and roles/bigquery.readSessionUser on the project, and roles/bigquery.dataEditor on the dataset badger (bigquery.datasets.create on the project if it does not exist yet)",
}

// Features are the features of the connector.
var Features = driver.Features{ReadOnly: true, Snapshots: true, QueryByID: true, TimeTravel: true, TextQuery: true,
	NULBytes: true}

// Conn is a connection to one project. It is a [driver.Conn], a [driver.SnapshotReader] and a
// [driver.TextQueryer].
type Conn struct {
	o       Options
	mem     memory.Allocator
	rest    *bq.Service
	read    *storage.BigQueryReadClient // nil if the Storage Read API is off
	backoff driverbase.Retry
	noRead  atomic.Bool // the Storage Read API has been denied

	mu       sync.Mutex
	location string // of jobs; "" if unknown
	asked    bool   // badger's dataset was requested for its location, and not found
	closed   bool
}

var (
	_ driver.Conn           = (*Conn)(nil)
	_ driver.SnapshotReader = (*Conn)(nil)
	_ driver.TextQueryer    = (*Conn)(nil)
)

// Open opens the project that a URL names; it is a [driver.Opener].
func Open(ctx context.Context, rawURL string, o driver.Options) (driver.Conn, driver.Dialect, error) {
	options, err := ParseURL(rawURL)
	if err != nil {
		return nil, Dialect, err
	}
	if o.URLOnly {
		return nil, Dialect, options.named()
	}
	options.Options = o
	c, err := openWith(ctx, options)
	if err != nil {
		return nil, Dialect, err
	}
	return c, Dialect, nil
}

// openWith opens a project. If the URL names a dataset, it requests that, so that missing credentials, permissions and
// datasets are reported here: the error has the code Unauthenticated, PermissionDenied or NotFound and names the
// missing object.
func openWith(ctx context.Context, o Options) (*Conn, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	c := &Conn{o: o, mem: o.Mem, location: o.Location, backoff: driverbase.DefaultRetry}
	if c.mem == nil {
		c.mem = memory.NewGoAllocator()
	}
	if err := c.connect(ctx); err != nil {
		return nil, err
	}
	if o.Dataset != "" {
		if _, err := c.dataset(ctx, o.Project, o.Dataset); err != nil {
			c.Close() //nolint:errcheck // the first error counts
			return nil, err
		}
	}
	return c, nil
}

// dataset requests a dataset, and sets the location of jobs to its location if that is unknown.
func (c *Conn) dataset(ctx context.Context, project, name string) (d *bq.Dataset, err error) {
	err = c.retry(ctx, func() error {
		d, err = c.rest.Datasets.Get(project, name).Context(ctx).Do()
		return err
	})
	if err != nil {
		return nil, c.errorOf(err, "dataset "+project+"."+name)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.location == "" {
		c.location = d.Location
	}
	return d, nil
}

// badgerDataset is the dataset of badger's tables. Its location is that of jobs if the URL names neither a location nor
// a dataset.
const badgerDataset = "badger"

// jobLocation returns the location of jobs: the URL's, else the dataset's, else "", with which BigQuery chooses it.
func (c *Conn) jobLocation(ctx context.Context) (string, error) {
	c.mu.Lock()
	known, asked, closed := c.location, c.asked, c.closed
	c.mu.Unlock()
	if closed {
		return "", errcode.New(errcode.FailedPrecondition, "bigquery: the connection is closed")
	}
	if known != "" || asked {
		return known, nil
	}
	switch d, err := c.dataset(ctx, c.o.Project, badgerDataset); {
	case err == nil:
		return d.Location, nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	c.mu.Lock()
	c.asked = true
	c.mu.Unlock()
	return "", nil // BigQuery derives it from the datasets in the statement
}

// Close closes the connection. Running jobs continue; an open reader returns an error.
func (c *Conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	if c.read == nil {
		return nil
	}
	return c.read.Close()
}

// ErrorCode classifies an error of BigQuery or its clients.
func (*Conn) ErrorCode(err error) errcode.Code { return codeOf(err) }
