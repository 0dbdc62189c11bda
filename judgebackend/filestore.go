package judgebackend

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// FileStore is a Store in an append-only file of JSON Lines. Put returns when the operating system has the line, so
// that a crash of the process does not lose it; an fsync follows within a second, so that a power failure can lose
// the last second. An incomplete line, or one whose content does not match its hash, is a miss and is logged. Several
// processes may append to a file on a local disk: a line is one write, and Get reads lines that others have appended.
// It uses about 150 bytes of memory a line.
type FileStore struct {
	path string
	log  *slog.Logger

	mu      sync.Mutex // guards the fields below, and the order of writes
	f       *os.File
	index   map[string]span
	scanned int64 // end of the last complete line in index
	reader  *bufio.Reader
	failed  error // error of the last fsync
	closed  bool

	written chan struct{} // has an element if there is something to sync
	quit    chan struct{} // closed by Close
	stopped chan struct{} // closed when the syncing goroutine has ended
}

type span struct {
	offset int64
	length int
}

// maxLine is the maximum length of a line in bytes; a longer one is damaged.
const maxLine = 64 << 20

// OpenFileStore opens the file at path, or creates it with read permission for its owner only, and builds its index.
// log receives warnings and may be nil.
func OpenFileStore(path string, log *slog.Logger) (*FileStore, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, errcode.New(errcode.FailedPrecondition, "judge ledger: %w", err)
	}
	s := &FileStore{path: path, log: log, f: f, index: map[string]span{}, reader: bufio.NewReaderSize(nil, 1<<16),
		written: make(chan struct{}, 1), quit: make(chan struct{}), stopped: make(chan struct{})}
	if dir, err := os.Open(filepath.Dir(path)); err == nil { // the new name must survive a crash too
		_ = dir.Sync()
		_ = dir.Close()
	}
	if err := s.scan(); err != nil {
		_ = f.Close()
		return nil, errcode.New(errcode.Unavailable, "judge ledger: %w", err)
	}
	go s.syncWritten()
	return s, nil
}

// scan indexes the complete lines after s.scanned. The caller holds s.mu, or no other goroutine uses s.
func (s *FileStore) scan() error {
	s.reader.Reset(io.NewSectionReader(s.f, s.scanned, 1<<62))
	for {
		line, err := readLine(s.reader)
		if err != nil {
			if errors.Is(err, io.EOF) { // what is left is being written, or was torn
				return nil
			}
			return err
		}
		var key struct {
			RequestHash string `json:"request_hash"`
		}
		if json.Unmarshal(line, &key) == nil && key.RequestHash != "" {
			s.index[key.RequestHash] = span{s.scanned, len(line)}
		} else if len(bytes.TrimSpace(line)) > 0 {
			s.log.Warn("judge ledger: a damaged line is skipped", "file", s.path, "offset", s.scanned)
		}
		s.scanned += int64(len(line))
	}
}

// readLine reads up to and including a newline. A line longer than maxLine is an error.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > maxLine {
			return line, errors.New("a line beyond any bound")
		}
	}
}

// Get implements Store.
func (s *FileStore) Get(_ context.Context, requestHash string) (Assessment, bool, error) {
	s.mu.Lock()
	at, ok := s.index[requestHash]
	if !ok {
		if info, err := s.f.Stat(); err == nil && info.Size() > s.scanned {
			if err := s.scan(); err != nil {
				s.mu.Unlock()
				return Assessment{}, false, errcode.New(errcode.Unavailable, "judge ledger: %w", err)
			}
			at, ok = s.index[requestHash]
		}
	}
	s.mu.Unlock()
	if !ok {
		return Assessment{}, false, nil
	}
	line := make([]byte, at.length)
	if _, err := s.f.ReadAt(line, at.offset); err != nil {
		return Assessment{}, false, errcode.New(errcode.Unavailable, "judge ledger: %w", err)
	}
	a, err := readAssessment(line)
	if err != nil || a.RequestHash != requestHash || a.ID != a.ContentHash() {
		s.log.Warn("judge ledger: a damaged entry counts as a miss", "file", s.path, "offset", at.offset)
		return Assessment{}, false, nil //nolint:nilerr // a damaged entry is a miss
	}
	return a, true, nil
}

// Put implements Store.
func (s *FileStore) Put(_ context.Context, a Assessment) error {
	line, err := json.Marshal(a)
	if err != nil {
		return errcode.New(errcode.Internal, "judge ledger: an assessment cannot be encoded")
	}
	if err := s.write(a.RequestHash, append(line, '\n')); err != nil {
		return errcode.New(errcode.Unavailable, "judge ledger: %w", err)
	}
	return nil
}

// write appends a line with one system call. requestHash is its key in the index.
func (s *FileStore) write(requestHash string, line []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return os.ErrClosed
	case s.failed != nil:
		return s.failed
	}
	before, torn, err := s.end()
	if err != nil {
		return err
	}
	out := line
	if torn { // the end of a crashed process: it shall not damage this line as well
		out = append([]byte{'\n'}, line...)
	}
	if _, err := s.f.Write(out); err != nil {
		return err
	}
	select {
	case s.written <- struct{}{}:
	default: // the next sync covers this line too
	}
	info, err := s.f.Stat()
	// no other process wrote meanwhile
	if err == nil && !torn && before == s.scanned && info.Size() == before+int64(len(line)) {
		s.index[requestHash] = span{before, len(line)}
		s.scanned = info.Size()
		return nil
	}
	return s.scan()
}

// end returns the file's size, and whether the last line is incomplete.
func (s *FileStore) end() (int64, bool, error) {
	info, err := s.f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, false, err
	}
	var last [1]byte
	if _, err := s.f.ReadAt(last[:], info.Size()-1); err != nil {
		return 0, false, err
	}
	return info.Size(), last[0] != '\n', nil
}

// syncEvery is the minimum interval between two fsync calls: most systems block writes to a file during one.
const syncEvery = time.Second

// syncWritten calls fsync after writes, until the store is closed.
func (s *FileStore) syncWritten() {
	defer close(s.stopped)
	for range s.written {
		err := s.f.Sync()
		if err != nil {
			s.log.Error("judge ledger: the disk does not take what was written", "file", s.path, "error", err)
		}
		s.mu.Lock()
		s.failed = err
		s.mu.Unlock()
		select {
		case <-time.After(syncEvery):
		case <-s.quit:
		}
	}
}

// Len returns the number of requests with a reply that this process knows of.
func (s *FileStore) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.index)
}

// Close waits until all lines are synced, and closes the file.
func (s *FileStore) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return os.ErrClosed
	}
	s.closed = true
	close(s.written)
	close(s.quit)
	s.mu.Unlock()
	<-s.stopped
	return errors.Join(s.failed, s.f.Close())
}
