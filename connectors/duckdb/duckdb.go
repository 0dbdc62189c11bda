// Package duckdb is the connector of the embedded engine: a warehouse in a file, for trying things
// out, for tests and for teams whose data fits one machine.
//
// It is built on the C interface that github.com/duckdb/duckdb-go/v2, the driver of DuckDB's own
// project, exports as its mapping package: not on database/sql, whose rows of interface values cost
// more than the queries, nor on the driver's Arrow interface, which needs a build tag and another
// version of Arrow. Results are copied from the engine's vectors into Arrow records column by
// column, rows are written as whole chunks, and Go functions called from SQL get the engine's
// vectors as they are.
//
// The engine is linked in, so a fresh machine needs a C compiler and nothing else. Extensions are
// neither installed nor loaded by themselves: nothing reaches the network.
package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow/memory"
	duck "github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// Scheme is the scheme of URLs: duckdb:FILE, or duckdb::memory: for a database that is lost when its connection closes.
// See [ParseURL].
const Scheme = "duckdb"

// Dialect is the SQL dialect of badger's tables in DuckDB.
var Dialect = driver.Dialect{
	Name: "duckdb", Embedded: true, Binary: ` COLLATE "binary"`,
	Types: map[driver.Type]string{
		driver.Text: "VARCHAR", driver.JSON: "JSON", driver.BigInt: "BIGINT", driver.Double: "DOUBLE",
		driver.Decimal: "DECIMAL(38, 12)", driver.Boolean: "BOOLEAN", driver.Timestamp: "TIMESTAMPTZ",
	},
	Identifiers: driver.Identifiers{Quote: '"'},
	Definition:  definition,
	Calls:       "SELECT count(*) FROM duckdb_functions() WHERE lower(function_name) = ?",
	Reads:       "SELECT count(*) FROM (SELECT json_serialize_sql(?::VARCHAR) AS j) WHERE j ->> 'error' = 'false' AND json_array_length(j -> 'statements') = 1",
	HostNames:   hostNames,
	Digest:      func(text string) string { return "md5_number_lower(" + text + ")" },
	Member:      func(column, member string) string { return "json_extract_string(" + column + ", '$." + member + "')" },
	Contains:    func(text, part string) string { return "contains(" + text + ", " + part + ")" },
	// The engine formats a view that was read from a file differently from one that was just created. Parsed and
	// formatted again, which takes several times as long as reading them, both are the same.
	ShownViews: "SELECT view_name, json_deserialize_sql(json_serialize_sql(regexp_replace(sql, '^CREATE VIEW .*? AS ', ''))) FROM duckdb_views() WHERE schema_name = 'badger' AND database_name = current_database()",
	RawViews:   "SELECT view_name, rtrim(regexp_replace(sql, '^CREATE VIEW .*? AS ', ''), ';') FROM duckdb_views() WHERE schema_name = 'badger' AND database_name = current_database()",
	BaseTables: "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'badger' AND database_name = current_database()",
	Retype: func(table, column, typ string, _ []string) string {
		return fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s SET DATA TYPE %s", table, column, typ)
	},
	Grants: "may this user write the file and its directory?",
}

// Features are the features of the connector.
var Features = driver.Features{ReadOnly: true, NULBytes: true, TextQuery: true, Snapshots: true, Functions: true,
	Adds: true}

// Options configure a database.
type Options struct {
	driver.Options
	Threads     int    // number of the engine's threads; 0 is one per core
	MemoryLimit string // such as 4GB; "" is the engine's default, most of the machine's memory
	TempDir     string // directory for data beyond the memory limit; "" is next to the file, or a temporary one
	Confined    bool   // SQL may not access other files or change the configuration

	setup []string // statements that run before the configuration is locked
}

// Open opens the database that a URL names; it is a [driver.Opener].
func Open(ctx context.Context, rawURL string, o driver.Options) (driver.Conn, driver.Dialect, error) {
	path, options, err := ParseURL(rawURL)
	if err != nil {
		return nil, Dialect, err
	}
	options.ReadOnly, options.MustExist, options.Lasting = options.ReadOnly || o.ReadOnly,
		options.MustExist || o.MustExist, o.Lasting
	if o.URLOnly {
		return nil, Dialect, checkMemory(path, options)
	}
	if err := driverbase.Within(Scheme, path, o.Within); err != nil {
		return nil, Dialect, err
	}
	options.Mem, options.Sparing, options.MostBytes = o.Mem, o.Sparing, o.MostBytes
	c, err := OpenWith(ctx, path, options)
	if err != nil {
		return nil, Dialect, err // not a nil *Conn in an interface
	}
	return c, Dialect, nil
}

// ParseURL parses duckdb:FILE?mode=ro|rw|rwc&threads=N&memory_limit=SIZE&temp_directory=DIR&confined=true. Mode rw
// requires an existing file; rwc, the default, creates a missing one.
func ParseURL(rawURL string) (path string, o Options, err error) {
	path, query, _ := strings.Cut(strings.TrimPrefix(rawURL, Scheme+":"), "?")
	mode := "rwc"
	err = driverbase.Options{
		"mode":           driverbase.Choice(&mode, "ro", "rw", "rwc"),
		"threads":        driverbase.Positive(&o.Threads, "a positive number"),
		"memory_limit":   driverbase.Text(&o.MemoryLimit),
		"temp_directory": driverbase.Text(&o.TempDir),
		"confined":       driverbase.Bool(&o.Confined),
	}.Read(Scheme, query)
	if err != nil {
		return "", Options{}, err
	}
	o.ReadOnly, o.MustExist = mode == "ro", mode == "rw"
	return path, o, nil
}

// Conn is an open database. It is a [driver.Conn], a [driver.SnapshotReader], a
// [driver.TextQueryer], a [driver.Adder] and a [driver.FunctionRegistrar].
//
// Every call has its own session: temporary tables and settings of one call do not exist in the next. One call may
// contain several statements, separated by semicolons.
type Conn struct {
	path     string
	mem      memory.Allocator
	db       mapping.Database
	settings map[string]string
	setup    []string // statements that run when the database is opened

	// a semaphore for one writer, since a concurrent second one would find its conflict only when it commits; shared by
	// all connections of an instance
	writing  chan struct{}
	counted  chan struct{} // a semaphore for reads that are charged to an account
	instance string        // identifies the engine's instance, which connections to one file share

	limiter *memoryLimiter // nil if the engine's own memory limit applies

	mu     sync.Mutex
	idle   []*session
	used   int // number of sessions that calls use
	closed bool
	sqlDB  *sql.DB
	single bool // a call may have only one statement: a confined, read-only connection, for queries of other authors

	functions map[string][]driver.Scalar // the registered ones
	doubted   atomic.Bool                // the engine may reject all statements since an internal error, see acquire
}

var (
	_ driver.Conn              = (*Conn)(nil)
	_ driver.SnapshotReader    = (*Conn)(nil)
	_ driver.TextQueryer       = (*Conn)(nil)
	_ driver.Adder             = (*Conn)(nil)
	_ driver.FunctionRegistrar = (*Conn)(nil)
)

// OpenFile opens the database in a file, or one in memory if path is ":memory:" or empty. It creates a missing file
// unless o is read-only or requires an existing one.
func OpenFile(ctx context.Context, path string, o driver.Options) (*Conn, error) {
	return OpenWith(ctx, path, Options{Options: o})
}

// OpenWith is like [OpenFile] with all options. Errors name the file. Their code is InvalidArgument for an unusable
// path or setting, NotFound, PermissionDenied, DataLoss for a file that is damaged or not a database, and
// FailedPrecondition for one that another process holds, that a newer DuckDB wrote, or whose log cannot be replayed.
func OpenWith(ctx context.Context, path string, o Options) (*Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkMemory(path, o); err != nil {
		return nil, err
	}
	if path == ":memory:" {
		path = ""
	}
	if err := checkPath(path, o); err != nil {
		return nil, err
	}
	c := &Conn{
		path: path, mem: o.Mem, settings: settings(path, o), writing: make(chan struct{}, 1),
		counted:   make(chan struct{}, mostCounted),
		functions: map[string][]driver.Scalar{},
	}
	if c.instance, _ = filepath.Abs(path); path == "" {
		c.instance = c.settings["temp_directory"] // unique, as each has its own directory
	} else {
		shared, _ := writers.LoadOrStore(c.instance, c.writing)
		c.writing = shared.(chan struct{}) //nolint:forcetypeassert // it holds no other type
	}
	if c.mem == nil {
		c.mem = memory.NewGoAllocator()
	}
	if err := c.open(); err != nil {
		return nil, err
	}
	c.setup = append(slices.Clone(o.setup), "SET GLOBAL TimeZone = 'UTC'",
		"SET GLOBAL checkpoint_threshold = '"+checkpointAfter+"'")
	if o.Confined {
		c.setup = append(c.setup, "SET GLOBAL lock_configuration = true")
	}
	// if the file is already open in this process, its configuration is locked already
	if err := c.Exec(ctx, strings.Join(c.setup, "; ")); err != nil && errcode.Of(err) != errcode.InvalidArgument {
		c.Close() //nolint:errcheck // the first error counts
		return nil, err
	}
	if o.Sparing {
		if err := c.limitMemory(ctx, &o); err != nil {
			c.Close() //nolint:errcheck // the first error counts
			return nil, err
		}
	}
	c.single = o.Confined && o.ReadOnly
	return c, nil
}

// writers maps the files that are or were open to a semaphore for one writer.
var writers sync.Map // instance -> chan struct{}

// checkpointAfter is the size of the write-ahead log at which the engine writes it into the tables. With the default of
// 16 MB, the last rows of a table are compressed repeatedly while a run is stored.
const checkpointAfter = "64MB"

// open opens the database. Connections of one process to one file share the engine's instance, since a second instance
// could not lock the file.
func (c *Conn) open() error {
	var config mapping.Config
	if mapping.CreateConfig(&config) == mapping.StateError {
		return errcode.New(errcode.Internal, "duckdb: no configuration")
	}
	defer mapping.DestroyConfig(&config)
	for _, name := range inOrder(c.settings) {
		value := c.settings[name]
		if strings.IndexByte(value, 0) >= 0 || mapping.SetConfig(config, name, value) == mapping.StateError {
			return errcode.New(errcode.InvalidArgument, "duckdb: the setting %s is not accepted", name)
		}
	}
	var message string
	var state mapping.State
	if c.path == "" {
		state = mapping.OpenExt("", &c.db, config, &message)
	} else {
		state = mapping.GetOrCreateFromCache(duck.GetInstanceCache(), c.path, &c.db, config, &message)
	}
	if state == mapping.StateError {
		mapping.Close(&c.db)
		return c.errorOf(message)
	}
	return nil
}

// inOrder returns the names of the settings, sorted, with enable_external_access last: after it the engine rejects a
// directory for temporary files.
func inOrder(settings map[string]string) []string {
	names := slices.Sorted(maps.Keys(settings))
	if i := slices.Index(names, "enable_external_access"); i >= 0 {
		names = append(slices.Delete(names, i, i+1), "enable_external_access")
	}
	return names
}

func checkPath(path string, o Options) error {
	if stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)); strings.EqualFold(stem, "badger") {
		return errcode.New(errcode.InvalidArgument, "database file %q conflicts with the schema of badger's tables: the engine names the database after the file; rename the file", filepath.Base(path))
	}
	if path == "" {
		return nil
	}
	if strings.ContainsAny(path, "?\x00") {
		return errcode.New(errcode.InvalidArgument, "duckdb: a database file's name cannot hold a question mark")
	}
	name := filepath.Base(path)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return errcode.New(errcode.InvalidArgument, "duckdb: %q is a directory, expected a file", name)
	case err == nil:
		return checkFile(path, name)
	case errors.Is(err, fs.ErrPermission):
		return errcode.New(errcode.PermissionDenied, "duckdb: database %q: permission denied", name)
	case o.ReadOnly || o.MustExist:
		return errcode.New(errcode.NotFound, "duckdb: database %q does not exist", name)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return errcode.New(errcode.NotFound, "duckdb: database %q: its directory does not exist", name)
	}
	return nil
}

// checkMemory returns an error for a database in memory if an existing or a permanent one is expected.
func checkMemory(path string, o Options) error {
	switch {
	case path != "" && path != ":memory:":
		return nil
	case o.ReadOnly || o.MustExist:
		return errcode.New(errcode.InvalidArgument, "duckdb: an in-memory database is always empty; expected a file")
	case o.Lasting:
		return errcode.New(errcode.InvalidArgument,
			"duckdb: an in-memory database is lost when the command exits; expected a file")
	}
	return nil
}

// checkFile returns an error for a file that is not a DuckDB database. The engine would open CSV, JSON or Parquet as a
// view in an in-memory database, where writes would be lost.
func checkFile(path, name string) error {
	f, err := os.Open(path)
	if err != nil {
		return nil //nolint:nilerr // the engine reports why it cannot be read
	}
	defer f.Close() //nolint:errcheck // only read
	var head [12]byte
	if _, err := io.ReadFull(f, head[:]); string(head[8:]) == "DUCK" ||
		err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil //nolint:nilerr // the engine reports why it cannot be read
	}
	return errcode.New(errcode.DataLoss, "duckdb: %q is not a DuckDB database; expected one, or the name of a new file",
		name)
}

var tempDirs atomic.Int64

// ownTempDir returns a new path for the temporary files of one database.
func ownTempDir() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("badger-duckdb-%d-%d", os.Getpid(), tempDirs.Add(1)))
}

func settings(path string, o Options) map[string]string {
	s := map[string]string{
		"autoinstall_known_extensions": "false", "autoload_known_extensions": "false", "allow_community_extensions": "false",
		"duckdb_api": "go",
	}
	if o.ReadOnly {
		s["access_mode"] = "READ_ONLY"
	}
	if o.Threads > 0 {
		s["threads"] = strconv.Itoa(o.Threads)
	}
	if o.MemoryLimit != "" {
		s["memory_limit"] = o.MemoryLimit
	}
	if o.Confined {
		s["enable_external_access"] = "false"
	}
	switch {
	case o.TempDir != "":
		s["temp_directory"] = o.TempDir
	case path == "": // its default is the working directory
		s["temp_directory"] = ownTempDir()
	}
	return s
}

// DB returns the database for use with database/sql; it is closed with the connection. It is nil for an in-memory
// database, which only this connection can use, for a path that the SQL driver cannot open, such as one with a colon,
// and after Close.
func (c *Conn) DB() *sql.DB {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sqlDB != nil || c.path == "" || c.closed {
		return c.sqlDB
	}
	options := url.Values{}
	for name, value := range c.settings {
		options.Set(name, value)
	}
	connector, err := duck.NewConnector(c.path+"?"+options.Encode(), nil)
	if err != nil { // the path is not a valid URL
		return nil
	}
	c.sqlDB = sql.OpenDB(connector)
	return c.sqlDB
}

// Close closes the database. Readers that are open keep the file open until they are released.
func (c *Conn) Close() error {
	if c.limiter != nil {
		c.endLimit()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	for _, s := range c.idle {
		s.disconnect()
	}
	c.idle = nil
	var err error
	if c.sqlDB != nil {
		err = c.sqlDB.Close()
	}
	mapping.Close(&c.db)
	return err
}

// ErrorCode classifies an error of the engine.
func (*Conn) ErrorCode(err error) errcode.Code { return errcode.Of(err) }
