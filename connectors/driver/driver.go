// Package driver defines the contract of a warehouse connector. It is for authors of connectors; callers hold a
// store.Store.
//
// A connector is small: it runs statements, streams results as Arrow (v17, the only Arrow of this module) and
// merges rows into tables. Schema, cases, runs and scores are portable code above it. Abilities that only some
// warehouses have are separate interfaces, found by type assertion: [SnapshotReader], [TextQueryer], [Adder],
// [FunctionRegistrar], [Describer]. A connector declares its abilities as [Features], and package drivertest checks
// that it has exactly those.
//
// Types that Arrow lacks are named in a field's metadata under the key ARROW:extension:name:
// arrow.json for JSON text, arrow.uuid, and badger.decimal for decimals of more than 76 digits
// written as text. Errors hold neither cell values nor SQL text; what the vendor said may be kept
// as the cause.
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
	// Query runs one statement and streams its result. The reader must be released, before Close.
	// Values are exact. The context governs the reading too: when it ends, so does the stream, and
	// the reader's Err says why. Args are nil, bool, int64, float64, string or time.Time.
	Query(ctx context.Context, query string, args ...any) (array.RecordReader, error)
	// Exec runs one statement that returns nothing.
	Exec(ctx context.Context, query string, args ...any) error
	// Merge writes the rows of r into table, in one transaction: a row replaces the existing row with the same key.
	// The reader's columns are some of the table's, found by name; among rows with the same key the last is used,
	// and without a key all are added. It returns the number of rows.
	Merge(ctx context.Context, table string, key []string, r array.RecordReader) (int64, error)
	// ErrorCode classifies an error of this connection. ResourceExhausted is the code of a result, or
	// of a value in it, that is larger than what is read of one. A limit of the warehouse has another:
	// Unavailable if it is transient, such as too many concurrent sessions or requests, and FailedPrecondition
	// if an administrator must act, such as a used-up quota or a full disk.
	ErrorCode(err error) errcode.Code
	// Close closes the connection.
	Close() error
}

// SnapshotReader is implemented by connections that can read a result again without running its
// query: query:ID references.
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
	// Add is Merge for a writer that knows which rows of the table are its own, and adds to them. All rows have the
	// mark's value in its column. If again is not set, no two of them have the same key, and the writer's own rows
	// have none of their keys: they are added without a search, unless another client writes too. The mark is
	// updated; after an error it is unchanged, and may be used again whether the rows were stored or not.
	Add(ctx context.Context, table string, key []string, r array.RecordReader, again bool, m *Mark) (int64, error)
}

// Describer is implemented by connections that can describe what to examine if a warehouse is slow or cannot be
// reached: proxies, limits, and how credentials are renewed.
type Describer interface {
	Describe(ctx context.Context) ([]Fact, error)
}

// Fact is one of these.
type Fact struct {
	Name string // in a word, such as pooler
	Text string
	Fix  string // what can be done, where something is worth a look; else ""
}

// Mark is a writer's knowledge of a table that other clients may write to.
type Mark struct {
	Column, Value string // the writer's own rows are those with this text in this column
	Own           int64  // how many they are
	Table         int64  // number of rows in the table; -1 if not known
	Before        int64  // how many of these precede the writer's own, if the engine stores rows in an order
	// no other client has written rows with the value since the writer read them; once false, rows are merged
	Alone bool
}

// FunctionRegistrar is implemented by embedded engines: Go functions that SQL can call. Functions with the same
// name are overloads with different numbers of parameters.
type FunctionRegistrar interface {
	RegisterScalar(ctx context.Context, functions ...Scalar) error
}

// Features are the abilities of a connector in addition to the contract.
type Features struct {
	ReadOnly   bool // Options.ReadOnly
	Snapshots  bool // SnapshotReader, for table: references at least
	QueryByID  bool // references query:ID
	TimeTravel bool // references table:NAME@VERSION and @TIMESTAMP
	TextQuery  bool // TextQueryer
	Functions  bool // FunctionRegistrar
	Adds       bool // Adder
	NULBytes   bool // text may hold NUL
}

// Options say how to open a connection.
type Options struct {
	ReadOnly  bool             // nothing will be written; the database must exist
	MustExist bool             // a database that does not exist is not made
	Lasting   bool             // what is written must outlast the connection: a database in memory is refused
	Sparing   bool             // an engine in this process uses little memory
	MostBytes int64            // limit of a sparing engine for a query that needs more; 0 is the default
	URLOnly   bool             // check the URL and connect to nothing: the connection is then nil
	Mem       memory.Allocator // for records; nil is the Go heap
}

// Opener opens a connection. The URL is the whole one, scheme included.
type Opener func(ctx context.Context, url string, o Options) (Conn, Dialect, error)

// Dialect is how a warehouse spells what the portable statements need.
type Dialect struct {
	Name  string // as cases name it: duckdb, snowflake, bigquery, databricks
	Types map[Type]string
	// Arguments and Results are the types of functions, where they are not those of tables.
	Arguments, Results map[Type]string
	// Identifiers are the rules for writing names and strings.
	Identifiers Identifiers
	// Placeholder returns the n-th parameter of a statement, from 1; nil is "?".
	Placeholder func(n int) string
	// NoNUL: text holds no NUL bytes. In badger's tables they become U+FFFD then.
	NoNUL bool
	// KeyIndex returns the statement that makes a unique index on the key of one of badger's tables
	// if there is none, so that merging finds rows by it; nil if the warehouse has no indexes
	// or merges as well without.
	KeyIndex func(schema, table string, key []string) string
	// Definition returns the statement that returns one string: the CREATE TABLE statement of a table or a view,
	// with the constraints that the warehouse knows. The name is its parts as queries have them: table, schema and
	// table, or catalog, schema and table. nil if there is none.
	Definition func(name ...string) string
	// RoleQuery returns the permissions of the session's role beyond reading: a string such as "is a superuser",
	// and whether queries of other authors must not be run with it. "" if it cannot be queried.
	RoleQuery string
	// Grants are the statements that give a role access to badger's tables.
	Grants string
	// Reader is how a role is made that only reads, for queries of others; "" if RoleQuery is.
	Reader string
	// Binary follows a string expression so that it compares by its bytes, if a column may have a collation under
	// which different strings are equal; "" if strings always compare by bytes or if the engine has no such form.
	Binary string
	// Digest is an expression for a short digest of a string, so that strings of many rows are compared in little
	// memory; nil if the memory is that of a warehouse.
	Digest func(text string) string
	// Member returns a member of a JSON object, as text: a number's digits, true or false; NULL if there is none.
	Member func(column, member string) string
	// Part returns a member that is a list or an object, as JSON text; nil if Member does.
	Part func(column, member string) string
	// Day returns the day of an instant in UTC; nil if AT TIME ZONE 'UTC' gives it.
	Day func(instant string) string
	// Contains returns an expression for whether a string contains another, by its bytes; nil if POSITION does.
	Contains func(text, part string) string
	// ShownViews is a query: the name of each view of badger's schema, in lower case, and the text that the
	// warehouse shows of it; "" if it shows none.
	ShownViews string
	// Retype returns the statement that changes the type of a column and keeps its values. drops are the
	// statements that drop badger's views, for a warehouse in which a view may be in the way; it runs them
	// itself then. nil if the warehouse cannot.
	Retype func(table, column, typ string, drops []string) string
	// ViewsAtOnce: one statement replaces all views, or none if it fails. Its views need their tables, so a schema
	// without tables has none of badger's views.
	ViewsAtOnce bool
	// NoClaims reports that no single statement of the warehouse inserts a row only if its key does not exist yet,
	// whatever other clients insert at the same time.
	NoClaims bool
	// NoModels reports that the warehouse hosts no models: its connections do not implement TextQueryer.
	NoModels bool
	// Embedded reports that the engine sorts and joins in this process's memory: many rows are then better read in
	// small pieces.
	Embedded bool
}

// Param is the n-th parameter of a statement, from 1.
func (d Dialect) Param(n int) string {
	if d.Placeholder == nil {
		return "?"
	}
	return d.Placeholder(n)
}

// Type is a type of badger's own tables. What functions take and return is [columnar.Type].
type Type string

// The types of badger's tables.
const (
	Text      Type = "text"
	JSON      Type = "json" // JSON text
	BigInt    Type = "bigint"
	Double    Type = "double"
	Boolean   Type = "boolean"
	Timestamp Type = "timestamp" // an instant
)

// RefKind is the kind of a reference to a result.
type RefKind string

// The kinds of references.
const (
	RefQuery RefKind = "query" // a result the warehouse still holds
	RefTable RefKind = "table" // a table
	RefFile  RefKind = "file"  // a file; no warehouse reads it
)

// Ref is a reference to a result: query:ID, table:NAME, table:NAME@VERSION, file:PATH.
type Ref struct {
	Kind RefKind
	Name string // query id, table name or path
	At   string // version number or timestamp of a table; "" is now
}

// ParseRef reads a reference.
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

// Parts are the identifiers of a table's name, without their quotes.
func (r Ref) Parts() ([]string, error) {
	names, err := r.Names()
	var parts []string
	for _, n := range names {
		parts = append(parts, n.Text)
	}
	return parts, err
}

// Name is one identifier. In quotes it is exact; without, it is found in whatever case it is typed.
type Name struct {
	Text   string // without quotes
	Quoted bool
}

// Names are the identifiers of a table's name.
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

// isTableName reports whether s is one to three identifiers joined by points, each plain or in double quotes, so
// that it can be part of a statement.
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
