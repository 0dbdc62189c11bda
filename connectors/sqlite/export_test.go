package sqlite

import (
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/badger-eval/badger/connectors/driver"
)

// Create runs statements on a database that is made if it does not exist. Close ends the connection.
func Create(path string, statements ...string) (run func(statements ...string) error, closing func(), err error) {
	configure()
	s := &session{file: file{path: path}, tls: libc.NewTLS()}
	out := s.alloc(8)
	if rc := sqlite3.Xsqlite3_open_v2(s.tls, s.text(path), out, sqlite3.SQLITE_OPEN_READWRITE|sqlite3.SQLITE_OPEN_CREATE, 0); rc != sqlite3.SQLITE_OK {
		panic(rc)
	}
	s.db = pointerAt(out)
	run = func(statements ...string) error {
		for _, sql := range statements {
			stmt, _, err := s.prepare(sql)
			if err != nil {
				return err
			}
			rc := int32(sqlite3.SQLITE_ROW)
			for rc == sqlite3.SQLITE_ROW {
				rc = sqlite3.Xsqlite3_step(s.tls, stmt)
			}
			if rc != sqlite3.SQLITE_DONE {
				err = s.failure(rc)
			}
			sqlite3.Xsqlite3_finalize(s.tls, stmt)
			if err != nil {
				return err
			}
		}
		return nil
	}
	return run, s.close, run(statements...)
}

// Statements counts the statements of the idle sessions that are not closed.
func Statements(conn driver.Conn) (n int) {
	for _, s := range conn.(*Conn).idle {
		for stmt := uintptr(0); ; n++ {
			if stmt = sqlite3.Xsqlite3_next_stmt(s.tls, s.db, stmt); stmt == 0 {
				break
			}
		}
	}
	return n
}

// LimitHeap sets the limit of the engine's memory and returns a function that restores it.
func LimitHeap(bytes int64) func() {
	configure()
	set := func(n int64) {
		tls := libc.NewTLS()
		defer tls.Close()
		sqlite3.Xsqlite3_hard_heap_limit64(tls, n)
	}
	set(bytes)
	return func() { set(heapLimit) }
}

// WaitForLocks sets how long a statement waits for a lock and returns a function that restores it.
func WaitForLocks(d time.Duration) func() {
	before := busyWait
	busyWait = d
	return func() { busyWait = before }
}
