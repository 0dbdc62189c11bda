package identity

import (
	"crypto/sha256"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// ReloadingFile is a value parsed from files and reloaded when their content changes. Value reads the files at most
// once a second; it does not rely on modification times. While the files cannot be read or parsed, there is no value.
type ReloadingFile[T any] struct {
	what    string
	paths   []string
	parse   func(contents [][]byte) (T, error)
	changed func(what string, err error)

	mu      sync.Mutex
	checked time.Time
	digest  [sha256.Size]byte
	v       T
	bad     error
}

// recheck is the interval at which the files of a value are checked for changes.
const recheck = time.Second

// maxSecretFile is the maximum size of a watched file in bytes.
const maxSecretFile = 1 << 20

// Watch reads files and returns a value that is reloaded when they change. what names them in messages. parse gets
// their contents, in order; its error must not quote them. changed is called when the files can no longer be read,
// and when they can again; it may be nil.
func Watch[T any](what string, parse func(contents [][]byte) (T, error), changed func(string, error),
	paths ...string) (*ReloadingFile[T], error) {
	w := &ReloadingFile[T]{what: what, paths: paths, parse: parse, changed: changed}
	w.checked = time.Now()
	if w.load(); w.bad != nil {
		return nil, errcode.New(errcode.InvalidArgument, "%s: %w", what, w.bad)
	}
	return w, nil
}

// Value returns the parsed files. If they cannot be read or parsed now, the error is Unavailable.
func (w *ReloadingFile[T]) Value() (T, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); now.Sub(w.checked) >= recheck {
		w.checked = now
		was := w.bad
		w.load()
		if w.changed != nil && (was == nil) != (w.bad == nil) {
			w.changed(w.what, w.bad)
		}
	}
	if w.bad != nil {
		var none T
		return none, errcode.New(errcode.Unavailable, "the server cannot read its %s", w.what)
	}
	return w.v, nil
}

// load reads the files, and parses them if their content changed.
func (w *ReloadingFile[T]) load() {
	h := sha256.New()
	contents := make([][]byte, len(w.paths))
	for i, p := range w.paths {
		b, err := readSecretFile(p)
		if err != nil {
			w.bad = err
			return
		}
		contents[i] = b
		part := sha256.Sum256(b)
		h.Write(part[:])
	}
	digest := [sha256.Size]byte(h.Sum(nil))
	if digest == w.digest && w.bad == nil {
		return
	}
	v, err := w.parse(contents)
	if w.bad = err; err == nil {
		w.v, w.digest = v, digest
	}
}

func readSecretFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) //nolint:gosec // the configuration names it
	if err != nil {
		return nil, errcode.New(errcode.NotFound, "%w", err)
	}
	defer f.Close() //nolint:errcheck // only read from
	info, err := f.Stat()
	if err != nil {
		return nil, errcode.New(errcode.Unavailable, "%w", err)
	}
	if !info.Mode().IsRegular() { // reading a pipe could block all calls
		return nil, errcode.New(errcode.InvalidArgument, "not a regular file")
	}
	b, err := io.ReadAll(io.LimitReader(f, maxSecretFile+1))
	if err == nil && len(b) > maxSecretFile {
		err = errcode.New(errcode.ResourceExhausted, "longer than %d bytes", maxSecretFile)
	}
	return b, err
}
