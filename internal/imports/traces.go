package imports

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring/toolcalls"
)

// maxRecord is the maximum length of a record of an export, in bytes, as of a line of a case file.
const maxRecord = 256 << 20

// maxProblems is the maximum number of unreadable records that are described.
const maxProblems = 20

// Traces are the records of exports, grouped by trace.
type Traces struct {
	file   *os.File // the items, each after its length
	at     int64
	groups []*group
	byID   map[string]*group

	Unreadable int     // records that are not JSON or not of a known product
	Problems   []error // the first of them
}

// group are the items of a trace.
type group struct {
	of    *product
	place string
	items []int64 // offsets in the file
}

// New creates an empty set of traces in a temporary file, which only the user can read. The caller must close it.
func New() (*Traces, error) {
	f, err := os.CreateTemp("", "badger-traces-*")
	if err != nil {
		return nil, errcode.New(errcode.Unavailable, "temporary file: %w", err)
	}
	return &Traces{file: f, byID: map[string]*group{}}, nil
}

// Close deletes the temporary file.
func (t *Traces) Close() error { return errors.Join(t.file.Close(), os.Remove(t.file.Name())) }

// AddFile reads an export: JSON Lines, a JSON array of records, or one JSON object.
func (t *Traces) AddFile(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return errcode.AsUsage(errcode.New(errcode.NotFound, "%w", err))
	}
	defer f.Close() //nolint:errcheck // only read
	name := filepath.Base(path)
	byLine, err := inLines(f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err == nil && byLine {
		err = t.lines(ctx, name, f)
	} else if err == nil {
		err = t.stream(ctx, name, f)
	}
	if err != nil {
		return errcode.New(errcode.Of(err), "%s: %w", name, err)
	}
	return nil
}

// inLines reports whether each line of a file is a record: whether the first line that is not blank is a complete JSON
// value, or does not even begin like a list or an object.
func inLines(in io.Reader) (bool, error) {
	for line, err := range jsonscan.Lines(in, maxRecord) {
		if err != nil {
			return false, err
		}
		text := withoutMark(line.Text)
		if len(text) == 0 && line.Length <= maxRecord {
			continue
		}
		return json.Valid(text) || text != nil && text[0] != '[' && text[0] != '{', nil
	}
	return true, nil
}

// withoutMark returns a line without white space around it and without a byte order mark.
func withoutMark(text []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
}

// lines reads one record a line.
func (t *Traces) lines(ctx context.Context, name string, in io.Reader) error {
	for line, err := range jsonscan.Lines(in, maxRecord) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		place := fmt.Sprintf("%s:%d", name, line.Number)
		switch text := withoutMark(line.Text); {
		case line.Length > maxRecord:
			t.problem(place, "longer than %d MiB", maxRecord>>20)
		case len(text) == 0:
		case !json.Valid(text):
			t.problem(place, "not valid JSON")
		default:
			if err := t.record(text, place); err != nil {
				return err
			}
		}
	}
	return nil
}

// limited is a reader that fails after it has returned left bytes or more.
type limited struct {
	in   io.Reader
	left int64
}

func (l *limited) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, errcode.New(errcode.ResourceExhausted, "a record is longer than %d MiB", maxRecord>>20)
	}
	n, err := l.in.Read(b)
	l.left -= int64(n)
	return n, err
}

// stream reads a file whose records span lines: an array of records, or objects one after the other.
func (t *Traces) stream(ctx context.Context, name string, in io.Reader) error {
	buffered := bufio.NewReader(in)
	if start, _ := buffered.Peek(3); string(start) == "\xef\xbb\xbf" {
		_, _ = buffered.Discard(3) // it was peeked
	}
	first := byte(' ')
	for bytes.IndexByte([]byte(" \t\r\n"), first) >= 0 {
		var err error
		if first, err = buffered.ReadByte(); err != nil {
			return notJSON(err)
		}
	}
	_ = buffered.UnreadByte() // a byte was read
	l := &limited{buffered, maxRecord}
	d := json.NewDecoder(l)
	n := 0
	next := func() (raw json.RawMessage, err error) {
		n++
		if err = d.Decode(&raw); err == nil {
			err = ctx.Err()
		}
		l.left = maxRecord
		return raw, err
	}
	if first != '[' {
		for {
			raw, err := next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return notJSON(err)
			}
			if err := t.record(raw, fmt.Sprintf("%s, record %d", name, n)); err != nil {
				return err
			}
		}
	}
	if _, err := d.Token(); err != nil {
		return notJSON(err)
	}
	var messages []json.RawMessage // a list of messages is one record
	size := 0
	for d.More() {
		raw, err := next()
		if err != nil {
			return notJSON(err)
		}
		if o := objectOf(raw); o != nil && isMessage(o) && len(messages) == n-1 {
			if size += len(raw); size > maxRecord {
				return errcode.New(errcode.ResourceExhausted, "a list of messages is longer than %d MiB", maxRecord>>20)
			}
			messages = append(messages, raw)
			continue
		}
		if err := t.record(raw, fmt.Sprintf("%s, record %d", name, n)); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return notJSON(err)
	}
	if messages != nil {
		return t.record(joined(messages), name)
	}
	return nil
}

// isMessage reports whether o is a message of a list, and not a response, which is a record.
func isMessage(o object) bool { return roleOf(o) != "" && o["usage"] == nil && o["stop_reason"] == nil }

func notJSON(err error) error {
	if errcode.Of(err) == errcode.ResourceExhausted || errors.Is(err, context.Canceled) {
		return err
	}
	return errcode.New(errcode.InvalidArgument, "not valid JSON, or cut off: %w", err)
}

// wrappers are members that hold the records of an export.
var wrappers = []string{"data", "runs", "traces", "observations", "records", "items", "rows", "results"}

// record adds a record: an object, or a list of messages or of records.
func (t *Traces) record(raw json.RawMessage, place string) error {
	if list := listOf(raw); list != nil {
		if len(list) > 0 && isMessage(objectOf(list[0])) {
			return t.add(object{"messages": raw}, place)
		}
		for i, m := range list {
			if objectOf(m) == nil {
				t.problem(fmt.Sprintf("%s[%d]", place, i), "unknown record; "+expected)
				continue
			}
			if err := t.record(m, place); err != nil {
				return err
			}
		}
		return nil
	}
	o := objectOf(raw)
	if o == nil {
		t.problem(place, "unknown record; "+expected)
		return nil
	}
	return t.add(o, place)
}

const expected = "expected a trace in a form of docs/eval/traces.md"

// add adds the items of an object.
func (t *Traces) add(o object, place string) error {
	for _, p := range products {
		items, ok := p.items(o)
		if !ok {
			continue
		}
		for _, it := range items {
			if err := t.put(p, it, place); err != nil {
				return err
			}
		}
		return nil
	}
	if o.text("id") == "" {
		for _, name := range wrappers {
			if list := listOf(o[name]); list != nil {
				return t.record(o[name], place)
			}
		}
	}
	t.problem(place, "unknown record; "+expected)
	return nil
}

// put writes an item to the temporary file.
func (t *Traces) put(p *product, it item, place string) error {
	g := t.byID[p.name+" "+it.trace]
	if g == nil || it.trace == "" {
		g = &group{of: p, place: place}
		t.groups = append(t.groups, g)
		if it.trace != "" {
			t.byID[p.name+" "+it.trace] = g
		}
	}
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(it.raw)))
	for _, b := range [][]byte{length[:], it.raw} {
		if _, err := t.file.Write(b); err != nil {
			return errcode.New(errcode.ResourceExhausted, "temporary file: %w", err)
		}
	}
	g.items = append(g.items, t.at)
	t.at += int64(len(length) + len(it.raw))
	return nil
}

func (t *Traces) problem(place, format string, args ...any) {
	if t.Unreadable++; len(t.Problems) < maxProblems {
		t.Problems = append(t.Problems, errcode.New(errcode.InvalidArgument, "%s: "+format, append([]any{place}, args...)...))
	}
}

// Answers yields the answers of all traces, in the order in which the traces begin in the files. It can be called
// several times.
func (t *Traces) Answers(ctx context.Context, o Options) iter.Seq2[Answer, error] {
	return func(yield func(Answer, error) bool) {
		for _, g := range t.groups {
			items, err := t.read(g)
			if err = errors.Join(err, ctx.Err()); err != nil {
				yield(Answer{}, err)
				return
			}
			for _, a := range g.of.answers(items, &o) {
				a.Product, a.Place = g.of.name, g.place
				if !yield(a, nil) {
					return
				}
			}
		}
	}
}

// read reads the items of a trace. Their size is limited as that of a record.
func (t *Traces) read(g *group) ([]json.RawMessage, error) {
	items := make([]json.RawMessage, 0, len(g.items))
	var total uint64
	for _, at := range g.items {
		var length [8]byte
		if _, err := t.file.ReadAt(length[:], at); err != nil {
			return nil, errcode.New(errcode.Internal, "temporary file: %w", err)
		}
		n := binary.LittleEndian.Uint64(length[:])
		if total += n; total > maxRecord {
			return nil, errcode.New(errcode.ResourceExhausted, "%s: a trace is larger than %d MiB", g.place, maxRecord>>20)
		}
		raw := make([]byte, n)
		if _, err := t.file.ReadAt(raw, at+int64(len(length))); err != nil {
			return nil, errcode.New(errcode.Internal, "temporary file: %w", err)
		}
		items = append(items, raw)
	}
	return items, nil
}

// calls sets the calls and the SQL of an answer. An error replaces the answer.
func (a *Answer) calls(trace []json.RawMessage, o *Options) {
	calls, err := toolcalls.Parse(joined(trace), "trace")
	if err != nil {
		*a = Answer{Err: err, Question: a.Question}
		return
	}
	a.Calls, a.SQL = calls, sqlOf(calls, o.SQLTool)
}
