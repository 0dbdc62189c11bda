package sqlite

import (
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// magic is the start of every database file.
const magic = "SQLite format 3\x00"

// file is a database file.
type file struct {
	path      string
	immutable bool // set in the URL: no process writes to the file
}

func (f file) base() string { return filepath.Base(f.path) }

func (f file) error(code errcode.Code, format string, args ...any) error {
	return errcode.New(code, "sqlite: database %q: "+format, append([]any{f.base()}, args...)...)
}

// state is the state of a file when a session opened it.
type state struct {
	unwritten bool // no process had the file open for writing; only then is the state compared
	size      int64
	modified  time.Time
}

// look checks that the file is a database and returns its state. A database in WAL mode without a log is not open in
// any process, as the last one to close it removes the log.
func (f file) look() (state, error) {
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return state{}, f.error(errcode.NotFound, "file not found")
	case err != nil:
		return state{}, f.error(errcode.OfFile(err), "the file cannot be opened: %v", errors.Unwrap(err))
	case !info.Mode().IsRegular():
		return state{}, f.error(errcode.InvalidArgument, "it is not a file; expected a SQLite database")
	}
	in, err := os.Open(f.path)
	if err != nil {
		return state{}, f.error(errcode.OfFile(err), "the file cannot be opened: %v", errors.Unwrap(err))
	}
	defer in.Close() //nolint:errcheck // only read
	var head [20]byte
	if n, err := io.ReadFull(in, head[:]); err != nil || string(head[:len(magic)]) != magic {
		if n == 0 && errors.Is(err, io.EOF) {
			return state{}, f.error(errcode.DataLoss, "the file is empty; expected a SQLite database")
		}
		return state{}, f.error(errcode.DataLoss, "the file is not a SQLite database")
	}
	const versionOfWAL = 2 // the file's format versions for writing and for reading
	wal := head[18] == versionOfWAL || head[19] == versionOfWAL
	return state{f.immutable || wal && !f.hasLog(), info.Size(), info.ModTime()}, nil
}

func (f file) hasLog() bool {
	_, err := os.Lstat(f.path + "-wal")
	return !errors.Is(err, fs.ErrNotExist)
}

// changed reports whether a file that no process had open for writing was written to since.
func (f file) changed(since state) bool {
	if !since.unwritten {
		return false
	}
	info, err := os.Stat(f.path)
	return err != nil || info.Size() != since.size || !info.ModTime().Equal(since.modified) ||
		!f.immutable && f.hasLog()
}

// uri returns the URI with which the engine opens the file. If no process has it open for writing, the engine creates
// no log and takes no locks, so that its directory need not be writable.
func (f file) uri(s state) string {
	path, err := filepath.Abs(f.path)
	if err != nil {
		path = f.path
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // as in /C:/data
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: "mode=ro"}
	if s.unwritten {
		u.RawQuery += "&immutable=1"
	}
	return u.String()
}
