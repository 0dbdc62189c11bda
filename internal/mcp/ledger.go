package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// Ledger counts the outcomes that callers see, and records them. Its files are in a directory, one for each day in UTC:
// lines of JSON without gold answers, questions or results. Processes that use the directory at the same time share the
// counts. An outcome is counted in the file before it is shown, so that a killed process loses no count. The file is
// then written to the disk immediately, but the reply does not wait for it: a machine that loses its power may lose the
// counts of the last moment.
//
// An answer that was counted before costs nothing more, for as long as its file is kept: its outcome is the recorded
// one.
//
// The file lock has the names of the other files and their sizes on the disk, so that a file that is removed or cut is
// noticed, also while it is in use. A directory that is removed between two processes is not.
type Ledger struct {
	dir   string
	limit int
	now   func() time.Time

	dirty chan struct{} // the file has lines that are not on the disk
	ended chan struct{} // closed when nothing writes to the disk any more

	mu   sync.Mutex
	lost error // of the disk, or what happened to a file; nothing is shown any more
	lock *os.File
	day  string // the day of file
	file *os.File
	read int64              // bytes of file that are in the maps
	left map[budget]int     // outcomes that were counted on day
	seen map[asked]Outcome  // by what was asked on any day; the zero value: counted, and the outcome is not recorded
	at   map[string][]asked // keys of seen, by day
}

// budget identifies a limit: it is per caller and topic.
type budget struct{ caller, topic string }

// asked identifies an answer of a caller.
type asked [16]byte

// keptDays is how long the files of the ledger are kept.
const keptDays = 90

// Request is a request to see an outcome.
type Request struct {
	Case   string // ID of the case, for the log
	Topic  string // what the limit is for: cases with the same question share it
	Answer string // identifies the answer and the compared gold answers
}

// Grant is the reply to a Request.
type Grant struct {
	Refused bool    // the limit is reached
	Again   bool    // Outcome is the recorded one, which was counted before
	Outcome Outcome // if Again
	Left    int     // outcomes of the topic that the caller may still see today
}

// entry is a line of a file: an outcome that is counted, or, if it has a verdict, the outcome.
type entry struct {
	At     string `json:"at"`
	Caller string `json:"caller"`
	Tool   string `json:"tool,omitempty"`
	Case   string `json:"case,omitempty"`
	Topic  string `json:"topic,omitempty"`
	Asked  string `json:"asked"` // of the caller, the topic and the answer

	Verdict string `json:"verdict,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// openLedger opens the ledger in a directory, which it creates. limit is the number of outcomes that a caller may see
// of a topic in a day.
func openLedger(dir string, limit int, now func() time.Time) (_ *Ledger, err error) {
	if limit < 1 {
		return nil, errcode.Usage("mcp.verdicts: %d, expected at least 1", limit)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil { //nolint:gosec // the configuration names it
		return nil, errcode.New(errcode.OfFile(err), "mcp.ledger: %w", err)
	}
	l := &Ledger{dir: dir, limit: limit, now: now, seen: map[asked]Outcome{}, at: map[string][]asked{},
		dirty: make(chan struct{}, 1), ended: make(chan struct{})}
	if l.lock, err = os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600); err != nil { //nolint:gosec // the same
		return nil, errcode.New(errcode.OfFile(err), "mcp.ledger: %w", err)
	}
	if err := l.locked(l.earlier); err != nil {
		_ = l.lock.Close()
		return nil, err
	}
	go l.sync()
	return l, nil
}

// Close writes the file to the disk, and closes the ledger.
func (l *Ledger) Close() {
	l.mu.Lock()
	if l.dirty == nil {
		l.mu.Unlock()
		return
	}
	close(l.dirty)
	l.dirty = nil
	l.mu.Unlock()
	<-l.ended
	if l.file.Sync() == nil && lockFile(l.lock) == nil {
		if l.missing() == nil {
			l.note(l.day, l.read)
		}
		unlockFile(l.lock)
	}
	_ = l.file.Close()
	_ = l.lock.Close()
}

// sync writes the file to the disk whenever it has new lines.
func (l *Ledger) sync() {
	defer close(l.ended)
	l.mu.Lock()
	dirty := l.dirty
	l.mu.Unlock()
	if dirty == nil {
		return
	}
	for range dirty {
		l.mu.Lock()
		f, day, size := l.file, l.day, l.read
		l.mu.Unlock()
		err := f.Sync()
		if err == nil {
			_ = l.locked(func() error { // an error is found again by the next call
				l.note(day, size)
				return nil
			})
		}
		if err != nil && !errors.Is(err, os.ErrClosed) {
			l.mu.Lock()
			l.lost = errcode.New(errcode.Unavailable, "mcp.ledger: the counts cannot be stored, so nothing is shown: %w", err)
			l.mu.Unlock()
		}
	}
}

// locked calls f while no other process and no other goroutine uses the ledger.
func (l *Ledger) locked(f func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost != nil {
		return l.lost
	}
	if l.dirty == nil {
		return errcode.New(errcode.Unavailable, "the server stops")
	}
	if err := lockFile(l.lock); err != nil {
		return errcode.New(errcode.Unavailable, "mcp.ledger: the directory cannot be locked: %w", err)
	}
	defer unlockFile(l.lock)
	if l.lost = l.missing(); l.lost != nil {
		return l.lost
	}
	return f()
}

// missing returns an error if a file that is open was removed or replaced: other processes count in another one.
func (l *Ledger) missing() error {
	for _, f := range []*os.File{l.lock, l.file} {
		if f == nil {
			continue
		}
		mine, err := f.Stat()
		if err == nil {
			var there os.FileInfo
			there, err = os.Stat(f.Name()) //nolint:gosec // the name of a file that this opened
			if err == nil && os.SameFile(mine, there) {
				continue
			}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return errcode.New(errcode.OfFile(err), "mcp.ledger: %w", err)
		}
		return errcode.New(errcode.DataLoss, "mcp.ledger: the file %s was removed or replaced while it was in use, so nothing is "+
			"shown; restore it and start again", filepath.Base(f.Name()))
	}
	return nil
}

// noted returns the sizes of the files of the days by what the lock has. A line that cannot be read is left out.
func (l *Ledger) noted() map[string]int64 {
	sizes := map[string]int64{}
	text, _ := io.ReadAll(io.NewSectionReader(l.lock, 0, 1<<16))
	for line := range strings.Lines(string(text)) {
		var name string
		var size int64
		if n, _ := fmt.Sscanf(line, "%s %d\n", &name, &size); n == 2 {
			if day, is := dayOf(name); is {
				sizes[day] = size
			}
		}
	}
	return sizes
}

// note writes to the lock that the file of a day has this size on the disk, or more.
func (l *Ledger) note(day string, size int64) {
	sizes := l.noted()
	sizes[day] = max(size, sizes[day])
	var text []byte
	for _, d := range slices.Sorted(maps.Keys(sizes)) {
		if d >= l.oldest() {
			text = fmt.Appendf(text, "%s %d\n", filepath.Base(l.path(d)), sizes[d])
		}
	}
	if _, err := l.lock.WriteAt(text, 0); err == nil {
		_ = l.lock.Truncate(int64(len(text)))
	}
}

// oldest returns the first day whose file is kept.
func (l *Ledger) oldest() string { return l.now().UTC().AddDate(0, 0, -keptDays).Format(time.DateOnly) }

// dayOf returns the day of a file by its name.
func dayOf(name string) (day string, is bool) {
	day, is = strings.CutPrefix(name, filePrefix)
	day, isFile := strings.CutSuffix(day, fileSuffix)
	_, err := time.Parse(time.DateOnly, day)
	return day, is && isFile && err == nil
}

const (
	filePrefix = "verdicts-"
	fileSuffix = ".jsonl"
)

func (l *Ledger) path(day string) string { return filepath.Join(l.dir, filePrefix+day+fileSuffix) }

// earlier reads the files of earlier days, and deletes those that are too old.
func (l *Ledger) earlier() error {
	all, err := os.ReadDir(l.dir)
	if err != nil {
		return errcode.New(errcode.OfFile(err), "mcp.ledger: %w", err)
	}
	noted := l.noted()
	for _, f := range all {
		day, is := dayOf(f.Name())
		if !is {
			continue
		}
		if day < l.oldest() {
			if err := os.Remove(l.path(day)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return errcode.New(errcode.OfFile(err), "mcp.ledger: %w", err)
			}
			continue
		}
		text, err := os.ReadFile(l.path(day))
		if err != nil {
			return errcode.New(errcode.OfFile(err), "mcp.ledger: %w", err)
		}
		if int64(len(text)) >= noted[day] {
			delete(noted, day)
		}
		if day != l.now().UTC().Format(time.DateOnly) {
			if err := l.enter(day, text, 0, map[budget]int{}); err != nil {
				return err
			}
		}
	}
	for _, day := range slices.Sorted(maps.Keys(noted)) {
		if day >= l.oldest() {
			return errcode.New(errcode.DataLoss, "mcp.ledger: %s is missing or shorter than it was (%d bytes); restore it, or remove the "+
				"file lock in its directory to forget its counts", filepath.Base(l.path(day)), noted[day])
		}
	}
	return l.catchUp()
}

// catchUp reads what other processes have added, and opens the file of the day.
func (l *Ledger) catchUp() error {
	day := l.now().UTC().Format(time.DateOnly)
	if l.file != nil {
		if err := l.rest(); err != nil || day == l.day {
			return err
		}
	}
	f, err := os.OpenFile(l.path(day), os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // a date in the configured directory
	if err != nil {
		return errcode.New(errcode.OfFile(err), "mcp.ledger: %w", err)
	}
	if l.file != nil {
		_ = l.file.Sync()
		_ = l.file.Close()
	}
	l.file, l.day, l.read, l.left = f, day, 0, map[budget]int{}
	for d, keys := range l.at {
		if d < l.oldest() {
			for _, k := range keys {
				delete(l.seen, k)
			}
			delete(l.at, d)
		}
	}
	return l.rest()
}

// rest reads the lines of the file that are not read. A line that a killed process did not complete is removed: nothing
// was shown for it.
func (l *Ledger) rest() error {
	info, err := l.file.Stat()
	if err != nil {
		return errcode.New(errcode.Unavailable, "mcp.ledger: %w", err)
	}
	if info.Size() == l.read {
		return nil
	}
	if info.Size() < l.read {
		return errcode.New(errcode.DataLoss, "mcp.ledger: the file %s became shorter; restore it and start again",
			filepath.Base(l.file.Name()))
	}
	text := make([]byte, info.Size()-l.read)
	if _, err := l.file.ReadAt(text, l.read); err != nil && !errors.Is(err, io.EOF) {
		return errcode.New(errcode.Unavailable, "mcp.ledger: %w", err)
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	if whole < len(text) {
		if err := l.file.Truncate(l.read + int64(whole)); err != nil {
			return errcode.New(errcode.Unavailable, "mcp.ledger: %w", err)
		}
	}
	if err := l.enter(l.day, text[:whole], l.read, l.left); err != nil {
		return err
	}
	l.read += int64(whole)
	return nil
}

// enter adds the lines of a file to the maps. at is the position of text in the file.
func (l *Ledger) enter(day string, text []byte, at int64, left map[budget]int) error {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		var e entry
		key, err := asked{}, json.Unmarshal(line, &e)
		if err == nil {
			var n int
			if n, err = hex.Decode(key[:], []byte(e.Asked[:min(len(e.Asked), 2*len(key))])); n != len(key) {
				err = errors.New("the member asked is too short")
			}
		}
		if err != nil {
			return errcode.New(errcode.DataLoss, "mcp.ledger: %s%s%s, byte %d: this line cannot be read: %v; restore the file, "+
				"or remove it to forget its counts", filePrefix, day, fileSuffix, at, err)
		}
		if e.Verdict != "" {
			l.seen[key] = Outcome{e.Verdict, e.Reason}
		} else {
			left[budget{e.Caller, e.Topic}]++
			if _, there := l.seen[key]; !there { // counted, and the process ended before the verdict
				l.seen[key] = Outcome{}
			}
			l.at[day] = append(l.at[day], key)
		}
		at, text = at+int64(len(line))+1, rest
	}
	return nil
}

func (r *Request) asked(caller string) (k asked) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s%s%s", len(caller), len(r.Topic), caller, r.Topic, r.Answer))
	copy(k[:], sum[:])
	return k
}

// Take counts outcomes that a tool is about to show to a caller, in the order of the requests. It returns a Grant for
// each. What it counts is in the file when it returns.
func (l *Ledger) Take(caller, tool string, requests []Request) (grants []Grant, err error) {
	return l.take(caller, tool, requests, false)
}

// TakeAll is like Take for outcomes that are shown as one: if one of them is refused, nothing is counted.
func (l *Ledger) TakeAll(caller, tool string, requests []Request) (grants []Grant, err error) {
	return l.take(caller, tool, requests, true)
}

func (l *Ledger) take(caller, tool string, requests []Request, all bool) (grants []Grant, err error) {
	grants = make([]Grant, len(requests))
	err = l.locked(func() error {
		if err := l.catchUp(); err != nil {
			return err
		}
		var lines []byte
		more, new := map[budget]int{}, map[asked]bool{}
		for i := range requests {
			r, g := &requests[i], &grants[i]
			b, key := budget{caller, r.Topic}, r.asked(caller)
			outcome, was := l.seen[key]
			used := l.left[b] + more[b]
			switch {
			case was || new[key]:
				g.Again, g.Outcome = outcome != Outcome{}, outcome
			case used >= l.limit:
				g.Refused = true
			default:
				used++
				more[b], new[key] = more[b]+1, true
				lines = l.line(lines, &entry{Caller: caller, Tool: tool, Case: r.Case, Topic: r.Topic,
					Asked: hex.EncodeToString(key[:])})
			}
			g.Left = max(0, l.limit-used)
			if g.Refused && all {
				return nil
			}
		}
		return l.append(lines)
	})
	if err != nil {
		return nil, err
	}
	return grants, nil
}

// May reports whether Take would grant a request alone.
func (l *Ledger) May(caller string, r *Request) (may bool, err error) {
	err = l.locked(func() error {
		if err := l.catchUp(); err != nil {
			return err
		}
		_, was := l.seen[r.asked(caller)]
		may = was || l.left[budget{caller, r.Topic}] < l.limit
		return nil
	})
	return may, err
}

// Record records the outcome of a request that was counted.
func (l *Ledger) Record(caller string, r Request, o Outcome) error {
	key := r.asked(caller)
	return l.locked(func() error {
		if err := l.catchUp(); err != nil {
			return err
		}
		if l.seen[key] == o {
			return nil
		}
		return l.append(l.line(nil, &entry{Caller: caller, Asked: hex.EncodeToString(key[:]), Verdict: o.Verdict,
			Reason: o.Reason}))
	})
}

func (l *Ledger) line(to []byte, e *entry) []byte {
	e.At = l.now().UTC().Format(time.RFC3339)
	text, _ := json.Marshal(e) // strings alone
	return append(append(to, text...), '\n')
}

// append writes lines to the file.
func (l *Ledger) append(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	if _, err := l.file.WriteAt(lines, l.read); err != nil {
		return errcode.New(errcode.Unavailable, "mcp.ledger: the counts cannot be stored, so nothing is shown: %w", err)
	}
	select {
	case l.dirty <- struct{}{}:
	default:
	}
	if err := l.enter(l.day, lines, l.read, l.left); err != nil {
		return err
	}
	l.read += int64(len(lines))
	return nil
}
