package execution

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Record is a line of the index: the outcome of a query.
type Record struct {
	Key       string    `json:"key"` // hash of database, query and pinned time
	Database  string    `json:"database,omitempty"`
	SQL       string    `json:"sql"`
	Outcome   string    `json:"outcome"`            // ok, error, refused, unknown, unread, limit or away
	Snapshot  string    `json:"snapshot,omitempty"` // SHA-256 of the result, the file's name without .json
	Rows      int64     `json:"rows,omitempty"`
	Code      string    `json:"code,omitempty"`
	Message   string    `json:"message,omitempty"`
	LatencyMS int64     `json:"latency_ms"`
	RanAt     time.Time `json:"ran_at"`

	// Clock is the time that replaced the clock in Pinned, the query that ran instead of SQL; nil if SQL itself ran.
	Clock  *time.Time `json:"clock,omitempty"`
	Pinned string     `json:"pinned_sql,omitempty"`
}

// Store is a directory of results: a file SHA256.json for each distinct result, in badger's format of results, and
// the index executions.jsonl, to which lines are appended. It is safe for concurrent use by the goroutines of one
// process.
type Store struct {
	dir string

	mu    sync.Mutex
	index *os.File
	last  map[string]Record // the last record of each key
}

// indexName is the file name of the index.
const indexName = "executions.jsonl"

// newFile begins the names of results that are being written.
const newFile = ".new-"

// OpenStore opens a directory, and creates it, readable by its owner only, if it does not exist.
func OpenStore(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fileError(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, indexName), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fileError(err)
	}
	s := &Store{dir: dir, index: f, last: map[string]Record{}}
	whole := true
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			whole = line[len(line)-1] == '\n'
			if r, ok := recordOf(line); ok { // a line that was torn is not used
				s.last[r.Key] = r
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			_ = f.Close()
			return nil, fileError(err)
		}
	}
	if !whole {
		if _, err := f.WriteString("\n"); err != nil {
			_ = f.Close()
			return nil, fileError(err)
		}
	}
	return s, nil
}

// recordOf parses a line of the index; ok is false if it is not a whole record.
func recordOf(line []byte) (r Record, ok bool) {
	err := json.Unmarshal(line, &r)
	return r, err == nil && r.Key != ""
}

// Close closes the index.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	return s.index.Close()
}

// find returns the last record of a query if running it again is unnecessary: it has a result, or the database
// rejected it for another reason than time. If nothingRuns is true, it returns any record.
func (s *Store) find(key string, nothingRuns bool) (Record, bool) {
	if s == nil {
		return Record{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.last[key]
	return r, ok && (nothingRuns || r.Outcome == ran || r.Outcome == failed && r.Code != errcode.DeadlineExceeded.String())
}

// add appends a record to the index.
func (s *Store) add(r Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return errcode.New(errcode.Internal, "the record of a query cannot be written: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.index.Write(append(line, '\n')); err != nil {
		return fileError(err)
	}
	s.last[r.Key] = r
	return nil
}

// Keeps reports whether a file of a directory of results is part of it, by its name.
func Keeps(name string) bool {
	hash, result := strings.CutSuffix(name, ".json")
	return name == indexName || result && isHash.MatchString(hash)
}

// IsIndex reports whether a file in a directory of results with this name is its index.
func IsIndex(name string) bool { return name == indexName }

// InStore reports whether the file at path is in a directory with an index of results.
func InStore(path string) bool {
	info, err := os.Stat(filepath.Join(filepath.Dir(path), indexName))
	return err == nil && info.Mode().IsRegular()
}

// write stores a result unless it is stored already, and returns its hash.
func (s *Store) write(text []byte) (string, error) {
	sum := sha256.Sum256(text)
	hash := hex.EncodeToString(sum[:])
	path := s.path(hash)
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, text) {
		return hash, nil
	}
	f, err := os.CreateTemp(s.dir, newFile+"*")
	if err != nil {
		return "", fileError(err)
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", fileError(err)
	}
	return hash, nil
}

func (s *Store) path(hash string) string { return filepath.Join(s.dir, hash+".json") }

var isHash = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Read reads a stored result. If its content does not match the hash in its name, the error is DataLoss.
func (s *Store) Read(hash string) (*scoring.Table, error) {
	if !isHash.MatchString(hash) {
		return nil, errcode.New(errcode.DataLoss, "a kept result: its entry in the index has no file name")
	}
	text, err := os.ReadFile(s.path(hash))
	if err != nil {
		return nil, fileError(err)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != hash {
		return nil, errcode.New(errcode.DataLoss, "the kept result %.12s… is damaged", hash)
	}
	return scoring.ParseResult(text)
}

// fileError adds a code to an error of the file system, and removes the directory from its message.
func fileError(err error) error {
	code := errcode.OfFile(err)
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return errcode.New(code, "kept results: %s %s: %w", p.Op, strings.TrimPrefix(filepath.Base(p.Path), "."), p.Err)
	}
	return errcode.New(code, "kept results: %w", err)
}
