package sqlite

import (
	"context"
	"encoding/binary"
	"math/bits"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/badger-eval/badger/internal/errcode"
)

const (
	heapLimit = 2 << 30   // maximum memory of the engine in this process, for all databases
	rowLimit  = 256 << 20 // maximum bytes of a value and of a row
	busyStep  = 10 * time.Millisecond
	checkOps  = 1000 // number of engine instructions between two checks of the context
)

// busyWait is how long a statement waits for another process's lock; tests shorten it.
var busyWait = 5 * time.Second

// session is one connection of the engine, used by one call at a time.
type session struct {
	file  file
	state state // state of the file when it was opened
	tls   *libc.TLS
	db    uintptr

	stop atomic.Bool // the running statement must stop
}

// sessions are the open sessions by their handle, for the engine's callbacks.
var sessions sync.Map // uintptr -> *session

// configure limits the memory of the engine. It must be called before the engine's first use.
var configure = sync.OnceFunc(func() {
	tls := libc.NewTLS()
	defer tls.Close()
	args := tls.Alloc(8)
	defer tls.Free(8)
	// A limit requires that memory is counted.
	sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_MEMSTATUS, libc.VaList(args, int32(1)))
	sqlite3.Xsqlite3_initialize(tls)
	sqlite3.Xsqlite3_hard_heap_limit64(tls, heapLimit)
})

// openSession opens the database and checks that it can be read.
func openSession(ctx context.Context, f file) (_ *session, err error) {
	configure()
	s := &session{file: f}
	if s.state, err = f.look(); err != nil {
		return nil, err
	}
	s.tls = libc.NewTLS()
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	name, out := s.text(f.uri(s.state)), s.alloc(8)
	defer sqlite3.Xsqlite3_free(s.tls, name)
	defer sqlite3.Xsqlite3_free(s.tls, out)
	if name == 0 || out == 0 {
		return nil, errMemory
	}
	// Without the engine's mutex, as one goroutine at a time uses a session.
	const flags = sqlite3.SQLITE_OPEN_READONLY | sqlite3.SQLITE_OPEN_URI | sqlite3.SQLITE_OPEN_NOMUTEX
	rc := sqlite3.Xsqlite3_open_v2(s.tls, name, out, flags, 0)
	if s.db = pointerAt(out); s.db == 0 {
		return nil, errMemory
	}
	sessions.Store(s.db, s)
	if rc != sqlite3.SQLITE_OK {
		return nil, s.failure(rc)
	}
	sqlite3.Xsqlite3_extended_result_codes(s.tls, s.db, 1)
	sqlite3.Xsqlite3_busy_handler(s.tls, s.db, pointerOf(onBusy), s.db)
	sqlite3.Xsqlite3_progress_handler(s.tls, s.db, checkOps, pointerOf(onProgress), s.db)
	sqlite3.Xsqlite3_limit(s.tls, s.db, sqlite3.SQLITE_LIMIT_LENGTH, rowLimit)
	sqlite3.Xsqlite3_limit(s.tls, s.db, sqlite3.SQLITE_LIMIT_ATTACHED, 0)
	// Matching a pattern takes exponential time in its length.
	sqlite3.Xsqlite3_limit(s.tls, s.db, sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000)
	sqlite3.Xsqlite3_limit(s.tls, s.db, sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0)
	// Data beyond the page cache stays in memory, which is limited; no temporary files are written.
	for _, setting := range []string{
		"PRAGMA temp_store = MEMORY", "PRAGMA query_only = ON", "PRAGMA trusted_schema = OFF",
		"SELECT count(*) FROM sqlite_schema",
	} {
		if err := s.run(ctx, func() error { return s.once(setting) }); err != nil {
			return nil, err
		}
	}
	sqlite3.Xsqlite3_set_authorizer(s.tls, s.db, pointerOf(onAction), s.db)
	return s, nil
}

var errMemory = errcode.New(errcode.ResourceExhausted, "sqlite: out of memory")

// close closes the session. Its statements must be closed.
func (s *session) close() {
	if s.db != 0 {
		sessions.Delete(s.db)
		sqlite3.Xsqlite3_close_v2(s.tls, s.db)
	}
	s.tls.Close()
}

// once runs an internal statement up to its first row.
func (s *session) once(sql string) error {
	stmt, _, err := s.prepare(sql)
	if err != nil {
		return err
	}
	defer sqlite3.Xsqlite3_finalize(s.tls, stmt)
	if rc := sqlite3.Xsqlite3_step(s.tls, stmt); rc != sqlite3.SQLITE_ROW && rc != sqlite3.SQLITE_DONE {
		return s.failure(rc)
	}
	return nil
}

// prepare compiles the first statement of a SQL text; 0 if it has none. rest is the text after it.
func (s *session) prepare(sql string) (stmt uintptr, rest string, err error) {
	text, out := s.text(sql), s.alloc(16)
	defer sqlite3.Xsqlite3_free(s.tls, text)
	defer sqlite3.Xsqlite3_free(s.tls, out)
	if text == 0 || out == 0 {
		return 0, "", errMemory
	}
	if rc := sqlite3.Xsqlite3_prepare_v2(s.tls, s.db, text, int32(len(sql)+1), out, out+8); rc != sqlite3.SQLITE_OK { //nolint:gosec // bounded by query
		return 0, "", s.failure(rc)
	}
	return pointerAt(out), libc.GoString(pointerAt(out + 8)), nil
}

// query compiles a SQL text, which must be a single statement, and binds its arguments.
func (s *session) query(sql string, args []any) (_ uintptr, err error) {
	invalid := func(format string, args ...any) error {
		return errcode.New(errcode.InvalidArgument, "sqlite: "+format, args...)
	}
	if strings.Contains(sql, "\x00") {
		return 0, invalid("the SQL text has a NUL byte")
	}
	if len(sql) > maxSQL {
		return 0, errcode.New(errcode.ResourceExhausted, "sqlite: the SQL text has %d bytes; the limit is %d", len(sql),
			maxSQL)
	}
	stmt, rest, err := s.prepare(sql)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			sqlite3.Xsqlite3_finalize(s.tls, stmt)
		}
	}()
	if stmt == 0 {
		return 0, invalid("no statement; expected a query")
	}
	for strings.TrimSpace(rest) != "" { // comments and semicolons may follow
		second, after, err := s.prepare(rest)
		if err != nil || second != 0 {
			sqlite3.Xsqlite3_finalize(s.tls, second)
			return 0, invalid("several statements; expected one")
		}
		rest = after
	}
	if n := int(sqlite3.Xsqlite3_bind_parameter_count(s.tls, stmt)); n != len(args) {
		return 0, invalid("%d arguments for %d parameters", len(args), n)
	}
	for i, arg := range args {
		if err := s.bind(stmt, int32(i+1), arg); err != nil { //nolint:gosec // few
			return 0, err
		}
	}
	return stmt, nil
}

// maxSQL is the engine's limit for a SQL text, in bytes.
const maxSQL = 1_000_000

// bind sets a parameter. SQLite has no types for booleans and times: they become 0 or 1, and UTC text.
func (s *session) bind(stmt uintptr, n int32, arg any) error {
	var rc int32
	switch v := arg.(type) {
	case nil:
		rc = sqlite3.Xsqlite3_bind_null(s.tls, stmt, n)
	case bool:
		rc = sqlite3.Xsqlite3_bind_int64(s.tls, stmt, n, map[bool]int64{true: 1}[v])
	case int64:
		rc = sqlite3.Xsqlite3_bind_int64(s.tls, stmt, n, v)
	case float64:
		rc = sqlite3.Xsqlite3_bind_double(s.tls, stmt, n, v)
	case time.Time:
		return s.bind(stmt, n, v.UTC().Format("2006-01-02 15:04:05.999999"))
	case string:
		text := s.text(v)
		defer sqlite3.Xsqlite3_free(s.tls, text)
		if text == 0 || len(v) > rowLimit {
			return errMemory
		}
		const copied = ^uintptr(0)                                                   // SQLITE_TRANSIENT
		rc = sqlite3.Xsqlite3_bind_text(s.tls, stmt, n, text, int32(len(v)), copied) //nolint:gosec // checked above
	default:
		return errcode.New(errcode.InvalidArgument, "sqlite: parameter %d: unsupported type %T", n, arg)
	}
	if rc != sqlite3.SQLITE_OK {
		return s.failure(rc)
	}
	return nil
}

// run runs f, which calls the engine, and stops it when ctx ends. An error is then ctx's error.
func (s *session) run(ctx context.Context, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.stop.Store(false)
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		s.stop.Store(true)
		// Some long operations only check the engine's own flag.
		tls := libc.NewTLS()
		defer tls.Close()
		sqlite3.Xsqlite3_interrupt(tls, s.db)
	})
	err := f()
	if !stop() {
		<-stopped // the session may be closed next
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// onProgress is called every checkOps instructions. It returns nonzero to stop the statement.
func onProgress(_ *libc.TLS, db uintptr) int32 {
	if s, ok := sessions.Load(db); ok && !s.(*session).stop.Load() { //nolint:forcetypeassert // it holds no other type
		return 0
	}
	return 1
}

// onBusy is called for the n-th time when another process holds a lock. It returns 0 to give up.
func onBusy(tls *libc.TLS, db uintptr, n int32) int32 {
	if onProgress(tls, db) != 0 || time.Duration(n)*busyStep >= busyWait {
		return 0
	}
	time.Sleep(busyStep)
	return 1
}

// pragmas are the allowed ones, which describe tables. Others change settings or describe the host.
var pragmas = map[string]bool{
	"collation_list": true, "foreign_key_list": true, "function_list": true, "index_info": true, "index_list": true,
	"index_xinfo": true, "table_info": true, "table_list": true, "table_xinfo": true,
}

// onAction allows or denies each action of a statement while it is compiled.
var onAction = func(_ *libc.TLS, _ uintptr, action int32, first, second, _, _ uintptr) int32 {
	allowed := false
	switch action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE:
		allowed = true
	case sqlite3.SQLITE_FUNCTION:
		allowed = !strings.EqualFold(libc.GoString(second), "load_extension")
	case sqlite3.SQLITE_PRAGMA:
		allowed = pragmas[strings.ToLower(libc.GoString(first))]
	}
	if allowed {
		return sqlite3.SQLITE_OK
	}
	return sqlite3.SQLITE_DENY
}

// alloc allocates n bytes of the engine's memory; 0 if there is not enough. The caller frees it.
func (s *session) alloc(n int) uintptr {
	return sqlite3.Xsqlite3_malloc64(s.tls, sqlite3.Tsqlite3_uint64(n)) //nolint:gosec // lengths
}

// text copies a string to the engine's memory and appends NUL; 0 if there is not enough memory. The caller frees it.
func (s *session) text(v string) uintptr {
	p := s.alloc(len(v) + 1)
	if p != 0 {
		b := libc.GoBytes(p, len(v)+1)
		b[copy(b, v)] = 0
	}
	return p
}

// pointerAt returns the pointer stored at p in the engine's memory.
func pointerAt(p uintptr) uintptr {
	if bits.UintSize == 32 {
		return uintptr(binary.NativeEndian.Uint32(libc.GoBytes(p, 4)))
	}
	return uintptr(binary.NativeEndian.Uint64(libc.GoBytes(p, 8)))
}

// pointerOf returns the pointer with which the engine calls f. f must not capture variables.
func pointerOf[F any](f F) uintptr {
	return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f}))
}
