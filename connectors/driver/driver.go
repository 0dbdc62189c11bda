// Package driver defines the contract of a warehouse connector. It is for authors of connectors; callers hold a
// store.Store.
//
// A connector is small: it runs statements, streams results as Arrow (v17, the only Arrow of this module) and
// merges rows into tables. Schema, cases, runs and scores are portable code above it. Abilities that only some
// warehouses have are separate interfaces, found by type assertion: [SnapshotReader], [TextQueryer], [Adder],
// [FunctionRegistrar], [Describer]. A connector declares its abilities as [Features], and package drivertest checks
// that it has exactly those.
//
// Types that Arrow lacks are named in a field's metadata under the key ARROW:extension:name: arrow.json for JSON text,
// arrow.uuid, and badger.decimal for decimals of more than 76 digits, written as text. The messages of errors contain
// neither cell values nor SQL text; the vendor's message may be the cause.
package driver

import (
	"context"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/errcode"
)

// Conn is a connection to one warehouse. It may be used from several goroutines at once.
type Conn interface {
	// Query runs one statement and streams its result. The reader must be released before Close. Values are exact. The
	// context also applies to reading: when it ends, the stream ends, and the reader's Err returns the reason. Args are
	// nil, bool, int64, float64, string or time.Time.
	Query(ctx context.Context, query string, args ...any) (array.RecordReader, error)
	// Exec runs one statement and discards its result.
	Exec(ctx context.Context, query string, args ...any) error
	// Merge writes the rows of r into table in one transaction: a row replaces the existing row with the same key. The
	// reader's columns are a subset of the table's, matched by name. If rows have the same key, the last is written;
	// without a key all rows are added. It returns the number of rows read from r.
	Merge(ctx context.Context, table string, key []string, r array.RecordReader) (int64, error)
	// ErrorCode classifies an error of this connection. ResourceExhausted means that a result or a value in it exceeds
	// a limit of badger. A limit of the warehouse has another code: Unavailable if it is transient, such as too many
	// concurrent sessions or requests, and FailedPrecondition if an administrator must act, such as a used-up quota or
	// a full disk.
	ErrorCode(err error) errcode.Code
	// Close closes the connection.
	Close() error
}

// SnapshotReader is implemented by connections that can read a stored result or a table by reference, without running
// the query again.
type SnapshotReader interface {
	ReadSnapshot(ctx context.Context, ref Ref) (array.RecordReader, error)
}

// TextQueryer is implemented by connections whose warehouse hosts models: it runs one query that returns one
// string.
type TextQueryer interface {
	QueryText(ctx context.Context, query string, args ...any) (string, error)
}

// Adder is implemented by connections that can add rows without a search for existing keys, and that can report
// whether another client has written in the meantime.
type Adder interface {
	// Add is like Merge, for a writer that knows which rows of the table are its own. All rows of r have the mark's
	// value in its column. If again is false, the caller guarantees that all keys are distinct and new among the
	// writer's rows; the rows are then added without a search for existing keys, unless another client writes too. Add
	// updates the mark. After an error the mark is unchanged, and may be used again whether the rows were stored or
	// not.
	Add(ctx context.Context, table string, key []string, r array.RecordReader, again bool, m *Mark) (int64, error)
}

// Describer is implemented by connections that report properties that help if a warehouse is slow or cannot be reached:
// proxies, limits, and how credentials are renewed.
type Describer interface {
	Describe(ctx context.Context) ([]Fact, error)
}

// Fact is a property of a connection that [Describer] reports.
type Fact struct {
	Name string // a short name, such as pooler
	Text string // describes the property
	Fix  string // remedy for a problem; "" if there is none
}

// Mark records, for [Adder], the rows of a writer in a table that other clients may write to.
type Mark struct {
	Column, Value string // the writer's own rows have this value in this column
	Own           int64  // number of the writer's own rows
	Table         int64  // number of rows in the table; -1 if unknown
	Before        int64  // number of rows stored before the writer's own, if the engine stores rows in an order
	// no other client has written rows with the value since the writer read them; if false, rows are merged
	Alone bool
}

// FunctionRegistrar is implemented by embedded engines. It registers Go functions that SQL can call. Functions with the
// same name are overloads with different numbers of parameters.
type FunctionRegistrar interface {
	RegisterScalar(ctx context.Context, functions ...Scalar) error
}

// Features are the optional abilities of a connector.
type Features struct {
	ReadOnly   bool // it supports Options.ReadOnly
	Snapshots  bool // it implements SnapshotReader, at least for table: references
	QueryByID  bool // references query:ID are supported
	TimeTravel bool // references table:NAME@VERSION and table:NAME@TIMESTAMP are supported
	TextQuery  bool // it implements TextQueryer
	Functions  bool // it implements FunctionRegistrar
	Adds       bool // it implements Adder
	NULBytes   bool // strings may contain NUL
	Source     bool // only results are read: badger's tables are elsewhere, and Merge returns PermissionDenied
}

// Options configure a connection.
type Options struct {
	ReadOnly  bool             // open for reading only; the database must exist
	MustExist bool             // do not create a missing database
	Lasting   bool             // reject an in-memory database, which is lost on closing
	Sparing   bool             // limit the memory of an engine in this process
	MostBytes int64            // for Sparing: the limit for a query that needs more memory; 0 is the default
	Within    string           // directory that must contain a database's file, with links resolved; "" is any
	URLOnly   bool             // validate the URL without connecting; the connection returned is nil
	Mem       memory.Allocator // for records; nil is the Go heap
}

// Opener opens a connection. The URL includes the scheme.
type Opener func(ctx context.Context, url string, o Options) (Conn, Dialect, error)

// Dialect holds the differences between warehouses that the portable statements depend on.
type Dialect struct {
	Name  string // as cases name it, such as duckdb, snowflake, bigquery or databricks
	Types map[Type]string
	// Arguments and Results are the types of functions that differ from those of tables.
	Arguments, Results map[Type]string
	// Identifiers are the rules for writing names and strings.
	Identifiers Identifiers
	// Placeholder returns the placeholder of the n-th parameter of a statement, from 1. If nil, it is "?".
	Placeholder func(n int) string
	// NoNUL reports that strings cannot contain NUL. In badger's tables NUL is then replaced with U+FFFD.
	NoNUL bool
	// KeyIndex returns the statement that creates a unique index on the key of one of badger's tables, if it does not
	// exist. nil if the warehouse has no indexes, or merges as fast without.
	KeyIndex func(schema, table string, key []string) string
	// Definition returns a statement whose result is one row: its only column, or its second after the name, is the
	// CREATE TABLE statement of a table or a view, with the constraints that the warehouse stores. name has one to
	// three parts: catalog, schema and table. nil if the warehouse has no such statement.
	Definition func(name ...string) string
	// Calls is a query with one parameter, a name in lower case. It counts the functions in all schemas, and other
	// objects, that a call of that name may mean. "" if the warehouse cannot be queried for them.
	Calls string
	// Reads is a query with one parameter, a SQL text. It returns 0 if the warehouse does not parse the text as one
	// query, and does not run the text. "" if the warehouse has no such query.
	Reads string
	// HostNames are functions and relations, in lower case, about the host, its files, the settings and the sessions. A
	// name that ends in * is a prefix. They only read, and no question about data needs them.
	HostNames []string
	// RoleQuery is a query for the permissions of the session's role beyond reading: each row is a description, such as
	// "is a superuser", and whether queries of other authors must not be run with it. "" if unsupported.
	RoleQuery string
	// Grants are the statements that give a role access to badger's tables.
	Grants string
	// Reader describes how to create a role that only reads, for queries of other authors; "" if RoleQuery is.
	Reader string
	// Binary is appended to a string expression so that it is compared by its bytes, for a column whose collation may
	// equate different strings. "" if strings always compare by bytes, or if the engine has no such syntax.
	Binary string
	// Digest returns an expression for a short digest of a string, so that comparing the strings of many rows takes
	// little memory. nil if comparisons do not use this machine's memory.
	Digest func(text string) string
	// Member returns an expression for a member of a JSON object as text, such as true or a number's digits; NULL if
	// missing.
	Member func(column, member string) string
	// Part returns an expression for a member that is a list or an object, as JSON text. If nil, Member is used.
	Part func(column, member string) string
	// Day returns an expression for the day of an instant in UTC. If nil, AT TIME ZONE 'UTC' is used.
	Day func(instant string) string
	// Contains returns an expression for whether a string contains another, by bytes. If nil, POSITION is used.
	Contains func(text, part string) string
	// ShownViews is a query for the name of each view of badger's schema, in lower case, and its definition as the
	// warehouse returns it. "" if it returns none.
	ShownViews string
	// RawViews is a cheaper query for the same, whose definitions of unchanged views can differ from those of ShownViews:
	// only equal ones count. "" if there is none.
	RawViews string
	// BaseTables is a query for the names, in lower case, of the relations in badger's schema under which badger may
	// have created a table that users fill: no views, no foreign or external tables.
	BaseTables string
	// Retype returns the statement that changes the type of a column and keeps its values. drops are the statements
	// that drop badger's views; a warehouse in which a view may prevent the change runs them too. nil if unsupported.
	Retype func(table, column, typ string, drops []string) string
	// ViewsAtOnce reports that one statement replaces all views, or none if it fails. Such views need their tables, so
	// a schema without tables has none of badger's views.
	ViewsAtOnce bool
	// NoClaims reports that no single statement of the warehouse inserts a row only if its key does not exist yet,
	// whatever other clients insert at the same time.
	NoClaims bool
	// NoModels reports that the warehouse hosts no models: its connections do not implement TextQueryer.
	NoModels bool
	// Embedded reports that the engine sorts and joins in this process's memory, so that many rows are better read in
	// small batches.
	Embedded bool
}

// Param returns the placeholder of the n-th parameter of a statement, from 1.
func (d Dialect) Param(n int) string {
	if d.Placeholder == nil {
		return "?"
	}
	return d.Placeholder(n)
}

// Type is a type of badger's own tables. [columnar.Type] is the type of functions' arguments and results.
type Type string

// The types of badger's tables.
const (
	Text      Type = "text"
	JSON      Type = "json" // JSON text
	BigInt    Type = "bigint"
	Double    Type = "double"
	Decimal   Type = "decimal" // an exact number with 12 decimals and up to 26 digits before the point
	Boolean   Type = "boolean"
	Timestamp Type = "timestamp" // an instant
)

// RefKind is the kind of a reference to a result.
type RefKind string

// The kinds of references.
const (
	RefQuery RefKind = "query" // a result that the warehouse still stores
	RefTable RefKind = "table" // a table
	RefFile  RefKind = "file"  // a file, which warehouses cannot read
)

// Ref is a reference to a result: query:ID, table:NAME, table:NAME@VERSION, table:NAME@TIMESTAMP or file:PATH.
type Ref struct {
	Kind RefKind
	Name string // query id, table name or path
	At   string // version number or timestamp of a table; "" is now
}

// ParseRef parses a reference.
func ParseRef(s string) (Ref, error) {
	kind, rest, ok := strings.Cut(s, ":")
	rest = strings.TrimSpace(rest)
	r := Ref{Kind: RefKind(strings.ToLower(kind)), Name: rest}
	if !ok || rest == "" || r.Kind != RefQuery && r.Kind != RefTable && r.Kind != RefFile {
		return Ref{}, errcode.New(errcode.InvalidArgument, "expected a reference query:ID, table:NAME or file:PATH")
	}
	if r.Kind == RefTable {
		r.Name, r.At, _ = strings.Cut(rest, "@")
		if !isTableName(r.Name) {
			return Ref{}, errcode.New(errcode.InvalidArgument,
				"table: expected NAME, SCHEMA.NAME or CATALOG.SCHEMA.NAME, with quotes around a part that is not a plain name")
		}
	}
	return r, nil
}

// Parts returns the identifiers of a table's name without their quotes. Other kinds of references are an error.
func (r Ref) Parts() ([]string, error) {
	names, err := r.Names()
	var parts []string
	for _, n := range names {
		parts = append(parts, n.Text)
	}
	return parts, err
}

// Name is one identifier. A quoted one is exact; one without quotes matches in any case.
type Name struct {
	Text   string // without quotes
	Quoted bool
}

// Names returns the identifiers of a table's name. Other kinds of references are an error.
func (r Ref) Names() (names []Name, err error) {
	if r.Kind != RefTable || !isTableName(r.Name) {
		return nil, errcode.New(errcode.InvalidArgument, "expected the name of a table")
	}
	for s := r.Name; s != ""; s = strings.TrimPrefix(s, ".") {
		if s[0] != '"' {
			end := strings.IndexByte(s, '.')
			if end < 0 {
				end = len(s)
			}
			names, s = append(names, Name{Text: s[:end]}), s[end:]
			continue
		}
		end := 1
		for s[end] != '"' || end+1 < len(s) && s[end+1] == '"' {
			if s[end] == '"' {
				end++
			}
			end++
		}
		names, s = append(names, Name{strings.ReplaceAll(s[1:end], `""`, `"`), true}), s[end+1:]
	}
	return names, nil
}

// isTableName reports whether s is one to three identifiers joined by dots, each plain or in double quotes, so that it
// can be inserted into a statement.
func isTableName(s string) bool {
	parts := 0
	for s != "" {
		parts++
		if s[0] == '"' {
			end := 1
			for end < len(s) && (s[end] != '"' || end+1 < len(s) && s[end+1] == '"') {
				if s[end] == '"' {
					end++
				}
				end++
			}
			if end >= len(s) || end == 1 {
				return false
			}
			s = s[end+1:]
		} else {
			n := 0
			for n < len(s) &&
				(s[n] == '_' || s[n] == '$' || s[n] >= 0x80 || s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z' ||
					n > 0 && s[n] >= '0' && s[n] <= '9') {
				n++
			}
			if n == 0 {
				return false
			}
			s = s[n:]
		}
		if s == "" {
			return parts <= 3
		}
		if s[0] != '.' || len(s) == 1 {
			return false
		}
		s = s[1:]
	}
	return false
}
