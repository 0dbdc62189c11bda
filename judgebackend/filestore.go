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

// FileStore is a Store in one file of JSON Lines that is only ever appended to. Put returns when
// the operating system has the line, which a process that is killed cannot take back; an fsync
// follows within a second and is not waited for, so that a busy disk does not slow the judge down.
// What a machine loses with its power is the last second. A line torn by that, and any line whose
// content does not have its hash, is a miss with a warning. Several processes may append to one
// file on a local disk: a line is one write, and Get looks at what others have appended since.
// Memory is about 150 bytes a line.
type FileStore struct {
	path string
	log  *slog.Logger

	mu      sync.Mutex // guards what follows, and the order of writes
	f       *os.File
	index   map[string]span
	scanned int64 // end of the last complete line that is indexed
	reader  *bufio.Reader
	failed  error // of the last fsync
	closed  bool

	written chan struct{} // holds something when there is something to sync
	quit    chan struct{} // closed when the store is
	stopped chan struct{} // closed when the syncing goroutine has ended
}

type span struct {
	offset int64
	length int
}

// maxLine bounds a line: a bigger one is damage, not an answer.
const maxLine = 64 << 20

// OpenFileStore opens or creates the file at path, readable by its owner only, and reads its index.
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

// scan indexes the complete lines behind s.scanned. The caller holds s.mu, or has the store to
// itself.
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

// readLine reads up to and including a newline. A line beyond maxLine is cut: what is left does not
// parse.
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

// write appends a line in one call.
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

// end is the file's size, and whether the last line lacks its end.
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

// syncEvery is how long an fsync waits for the next: most systems hold up writes to a file while
// one runs.
const syncEvery = time.Second

// syncWritten brings to the disk what was written, until the store is closed.
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

// Len is the number of requests answered, as far as this process has seen.
func (s *FileStore) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.index)
}

// Close waits until everything is on the disk.
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
