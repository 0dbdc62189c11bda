// Package driver states what a warehouse connector must do. Callers use package connectors; implementers satisfy [Conn] and describe
// themselves with a [Driver], and run package drivertest against it.
//
// Results travel as Arrow records of github.com/apache/arrow/go/v17: columnar, typed and exact, and what warehouses send anyway. Types
// that Arrow lacks are named in a field's metadata under the key ARROW:extension:name: arrow.json for JSON text, arrow.uuid, and
// badger.decimal for decimals of more than 76 digits written as text.
package driver

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/errcode"
)

// Conn is an open connection to a warehouse. Its methods may be called from many goroutines, except that nothing else is called
// once Close is. The context of a call that returns a reader also governs the reading: when it ends, so does the stream, and
// the reader's Err says why. Readers must be released, and before Close.
//
// Errors hold neither cell values nor SQL text: what the vendor said may be kept as the cause.
type Conn interface {
	// Query runs statements, separated by semicolons, and streams what the last one returns. Where it returns nothing, the reader has
	// no columns or a count. Parameters stand as ? in a single statement; args are nil, bool, int64, float64, string or time.Time.
	Query(ctx context.Context, sql string, args ...any) (array.RecordReader, error)

	// ReadSnapshot streams the result that a reference of kind query or table points to, without running its query again.
	ReadSnapshot(ctx context.Context, ref Ref) (array.RecordReader, error)

	// Write stores rows in a table, all or none, and returns how many it was given. It does not release rows.
	Write(ctx context.Context, table Name, rows array.RecordReader, o *WriteOptions) (int64, error)

	// ErrorCode classifies an error that another method or a reader returned.
	ErrorCode(err error) errcode.Code

	// Close gives everything back. It is called once.
	Close() error
}

// WriteOptions say what writing does with rows that are there.
type WriteOptions struct {
	// Key are the columns that identify a row. A row of the table with the key of a new one is replaced in the columns that are
	// written; of new rows with the same key the last counts. Without a key, rows are appended.
	Key []string

	// Create makes the table from the schema of the rows, replacing a table of that name.
	Create bool
}

// TextQueryer is an upgrade: a query of one text, such as a model's completion inside the warehouse.
type TextQueryer interface {
	QueryText(ctx context.Context, query string, args ...any) (string, error)
}

// Installer is an upgrade: what the warehouse needs before its tables can be made, beyond portable SQL.
type Installer interface {
	Install(ctx context.Context) error
}

// FunctionRegistrar is an upgrade of embedded engines: Go functions that SQL can call. Functions of one name are overloads.
type FunctionRegistrar interface {
	RegisterScalar(ctx context.Context, functions ...Scalar) error
}

// Features are what a driver declares to offer. Drivertest checks that it does, and that it offers nothing else.
type Features struct {
	QuerySnapshots bool // references query:ID
	TimeTravel     bool // references table:NAME@VERSION and @TIMESTAMP
	ReadOnly       bool // Options.ReadOnly
	NULBytes       bool // text may hold NUL
	TextQuery      bool // TextQueryer
	Install        bool // Installer
	Functions      bool // FunctionRegistrar
}

// Driver is one kind of warehouse: how its URLs begin, what it offers, how its SQL is written and how it is opened.
type Driver struct {
	Scheme   string
	Features Features
	Dialect  Dialect

	// Open opens the connection that a URL names. rest is what stands behind "scheme:".
	Open func(ctx context.Context, rest string, o *Options) (Conn, error)
}

// Options apply to every kind of warehouse.
type Options struct {
	ReadOnly bool             // refuse to write
	Mem      memory.Allocator // for records; nil is the Go heap
}
