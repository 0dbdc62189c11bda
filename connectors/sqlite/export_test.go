package sqlite

import (
	sqlite3 "modernc.org/sqlite/lib"

	"modernc.org/libc"
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
