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
	immutable bool // said by the URL: no process writes to it
}

func (f file) base() string { return filepath.Base(f.path) }

func (f file) error(code errcode.Code, format string, args ...any) error {
	return errcode.New(code, "sqlite: database %q: "+format, append([]any{f.base()}, args...)...)
}

// state is a file's state when a session opened it.
type state struct {
	unwritten bool // no process can have the file open to write; only then is it compared
	size      int64
	modified  time.Time
}

// look checks that the path is a database and returns its state. A database in WAL mode without a log is not open in
// any process: the last one that closes it removes the log.
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
	const versionOfWAL = 2 // of the file format, for writing and for reading
	wal := head[18] == versionOfWAL || head[19] == versionOfWAL
	return state{f.immutable || wal && !f.hasLog(), info.Size(), info.ModTime()}, nil
}

func (f file) hasLog() bool {
	_, err := os.Lstat(f.path + "-wal")
	return !errors.Is(err, fs.ErrNotExist)
}

// changed reports whether a file that was taken as unwritten was written to.
func (f file) changed(since state) bool {
	if !since.unwritten {
		return false
	}
	info, err := os.Stat(f.path)
	return err != nil || info.Size() != since.size || !info.ModTime().Equal(since.modified) ||
		!f.immutable && f.hasLog()
}

// uri is the name by which the engine opens the file. The engine makes no log and takes no locks for a file that is
// not written to, so that nothing is left next to it and its directory need not be writable.
func (f file) uri(s state) string {
	path, err := filepath.Abs(f.path)
	if err != nil {
		path = f.path
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/data
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: "mode=ro"}
	if s.unwritten {
		u.RawQuery += "&immutable=1"
	}
	return u.String()
}
