package imports

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring/toolcalls"
)

// maxRecord is the maximum length of a record of an export, in bytes, as of a line of a case file.
const maxRecord = 256 << 20

// Traces are the records of exports, grouped by trace.
type Traces struct {
	// Report is called for each record that is not part of an answer, except for duplicates; may be nil.
	Report func(error)
	// Unknown is called for each answer whose case or question the golden set lacks, with a sentence; may be nil.
	Unknown func(string)
	// Progress is called with the number of bytes of a file that were read, and the size of the file; may be nil.
	Progress func(file string, read, size int64)
	// OtherForm returns the form of a record that is not a trace, with the command that reads it, or ""; may be nil.
	OtherForm func(json.RawMessage) string

	file   *os.File // the parts
	buffer *bufio.Writer
	at     int64
	files  []string
	groups []*group
	byID   map[string]*group
	seed   maphash.Seed
	alone  map[[16]byte]where // records without an id, by their hash

	pages Pages

	read       where
	Unreadable int // records and parts that are not JSON, or not of a known product, and traces that cannot be read
	Duplicates int // records that repeat another one
}

// where is the place of a record.
type where struct {
	file   int32 // index of files
	byLine bool  // n is the number of a line, not of a record
	n      int   // from 1; 0 for a file that is one record
}

func (t *Traces) place(w where) string {
	switch name := t.files[w.file]; {
	case w.n == 0:
		return name
	case w.byLine:
		return fmt.Sprintf("%s:%d", name, w.n)
	default:
		return fmt.Sprintf("%s, record %d", name, w.n)
	}
}

// group are the parts of a trace.
type group struct {
	of    *product
	parts []stored
}

// stored is a part in the temporary file.
type stored struct {
	at    int64
	size  int
	id    uint64 // hash of its id; 0 if it has none
	place where
}

// New creates an empty set of traces in a temporary file, which only the user can read. The caller must close it.
func New() (*Traces, error) {
	f, err := os.CreateTemp("", "badger-traces-*")
	if err != nil {
		return nil, errcode.New(errcode.Unavailable, "temporary file: %w", err)
	}
	return &Traces{file: f, buffer: bufio.NewWriterSize(f, 1<<18), byID: map[string]*group{}, seed: maphash.MakeSeed(),
		alone: map[[16]byte]where{}}, nil
}

// Close deletes the temporary file.
func (t *Traces) Close() error { return errors.Join(t.file.Close(), os.Remove(t.file.Name())) }

// Any reports whether a record of a trace was read.
func (t *Traces) Any() bool { return len(t.groups) > 0 }

// AddFile reads an export: JSON Lines, a JSON array of records, or JSON objects. A record that cannot be read is
// reported, and the others are added. It returns an error if the file cannot be read.
func (t *Traces) AddFile(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return errcode.AsUsage(errcode.New(errcode.NotFound, "%w", err))
	}
	defer f.Close() //nolint:errcheck // only read
	name := filepath.Base(path)
	t.files = append(t.files, name)
	t.read = where{file: int32(len(t.files) - 1)} //nolint:gosec // a number of arguments
	if err := CheckText(path); err != nil {
		t.problem(t.read, "%w", err)
		return nil
	}
	if !startsJSON(path) {
		t.problem(t.read, "expected JSON or JSON Lines, found other text; docs/eval/traces.md lists the forms of traces")
		return nil
	}
	byLine, err := InLines(f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	var size int64
	if info, err := f.Stat(); err == nil {
		size = info.Size()
	}
	if err == nil && byLine {
		err = t.lines(ctx, f, size)
	} else if err == nil {
		err = t.values(ctx, f, size)
	}
	if err != nil {
		return errcode.New(errcode.Of(err), "%s: %w", name, err)
	}
	return nil
}

// progress reports that the bytes up to at were read.
func (t *Traces) progress(at, size int64) {
	if t.Progress != nil {
		t.Progress(t.files[t.read.file], at, size)
	}
}

// startsJSON reports whether a line among the first 4 KiB of a file starts as JSON, or all are blank.
func startsJSON(path string) bool {
	head, err := Head(path)
	if err != nil {
		return true
	}
	blank := true
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte(mark))) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if line[0] == '{' || line[0] == '[' {
			return true
		}
		blank = false
	}
	return blank
}

// InLines reports whether each line of a file is a record. It is false only if a JSON value has line breaks: then the
// first line that is not blank has open brackets, and either the next one does not begin an object, or it continues the
// first one, which then ends with an opening bracket, a comma or a colon.
func InLines(in io.Reader) (bool, error) {
	r := bufio.NewReaderSize(in, 1<<16)
	if start, _ := r.Peek(len(mark)); string(start) == mark {
		_, _ = r.Discard(len(mark)) // it was peeked
	}
	first, err := outlineOf(r)
	if err != nil || first.balanced || first.first != '[' && first.first != '{' {
		return true, err
	}
	next, err := outlineOf(r)
	return next.first == '{' && next.balanced && bytes.IndexByte([]byte("[{,:"), first.last) < 0, err
}

// outline describes a line: its first and last byte that is not white space, and whether it is one value, by its
// brackets alone.
type outline struct {
	first, last byte
	balanced    bool
}

// outlineOf reads the next line that is not blank. It is zero at the end.
func outlineOf(in *bufio.Reader) (l outline, err error) {
	depth, ends, quoted, escaped := 0, 0, false, false
	for {
		c, err := in.ReadByte()
		switch {
		case errors.Is(err, io.EOF), err == nil && c == '\n' && l.first != 0:
			l.balanced = depth == 0 && ends == 1 && (l.last == '}' || l.last == ']')
			return l, nil
		case err != nil:
			return l, err
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			continue
		}
		if l.last = c; l.first == 0 {
			l.first = c
		}
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				ends++
			}
		}
	}
}

// withoutMark returns a line without white space around it and without a byte order mark.
func withoutMark(text []byte) []byte { return bytes.TrimSpace(bytes.TrimPrefix(text, []byte(mark))) }

// mark is a byte order mark in UTF-8.
const mark = "\xef\xbb\xbf"

// lines reads one record a line.
func (t *Traces) lines(ctx context.Context, in io.Reader, size int64) error {
	t.read.byLine = true
	for line, err := range jsonscan.Lines(in, maxRecord) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		t.read.n = line.Number
		if err := t.text(withoutMark(line.Text), line.Length); err != nil {
			return err
		}
		t.progress(line.Offset+int64(line.Length), size)
	}
	return nil
}

// text reads a record of length bytes. Its text is nil if it is too long.
func (t *Traces) text(text []byte, length int) error {
	if length > maxRecord {
		t.problem(t.read, "longer than %d MiB", maxRecord>>20)
		return nil
	}
	if len(text) == 0 {
		return nil
	}
	if err := jsonscan.Check(text); err != nil {
		t.problem(t.read, "not valid JSON: %w", err)
		return nil
	}
	return t.record(text, 0)
}

// values reads a file whose records span lines: an array of records, or objects one after the other. A list of messages
// is one record.
func (t *Traces) values(ctx context.Context, in io.Reader, size int64) error {
	buffered := bufio.NewReader(in)
	if start, _ := buffered.Peek(len(mark)); string(start) == mark {
		_, _ = buffered.Discard(len(mark)) // it was peeked
	}
	var messages []json.RawMessage
	whole := 0
	for v, err := range jsonscan.Values(buffered, maxRecord) {
		t.read.n = v.Number
		if errcode.Of(err) == errcode.InvalidArgument {
			t.problem(t.read, "%w; the rest of the file is not read", err)
			break
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if len(messages) == v.Number-1 && v.Text != nil && jsonscan.Check(v.Text) == nil && isMessage(objectOf(v.Text)) {
			if whole += len(v.Text); whole <= maxRecord {
				messages = append(messages, bytes.Clone(v.Text))
				continue
			}
		}
		if err := t.text(v.Text, v.Length); err != nil {
			return err
		}
		t.progress(v.Offset, size)
	}
	if messages != nil {
		t.read.n = 0
		return t.record(joined(messages), 0)
	}
	return nil
}

// isMessage reports whether o is a message of a list, and not a response, which is a record.
func isMessage(o object) bool {
	return o.role() != "" && o.get("usage") == nil && o.get("stop_reason") == nil
}

// wrappers are members that hold the records of an export.
var wrappers = []string{"data", "runs", "traces", "observations", "records", "items", "rows", "results", "requests"}

// maxWrapped is the maximum nesting of lists of records.
const maxWrapped = 8

// record adds a record: an object, or a list of messages or of records.
func (t *Traces) record(raw json.RawMessage, depth int) error {
	if list := listOf(raw); list != nil {
		if len(list) > 0 && isMessage(objectOf(list[0])) {
			return t.add(nil, object{{Name: []byte("messages"), Value: raw}}, depth)
		}
		for i, m := range list {
			if objectOf(m) == nil && listOf(m) == nil || depth == maxWrapped {
				t.problem(t.read, "[%d]: "+unknown, i)
				continue
			}
			if err := t.record(m, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if raw = unquoted(raw); raw[0] != '{' {
		t.problem(t.read, unknown)
		return nil
	}
	return t.add(raw, objectOf(raw), depth)
}

const unknown = "unknown record; expected a trace in a form of docs/eval/traces.md"

// add adds the parts of an object. Its text is nil if it is not in the file.
func (t *Traces) add(raw json.RawMessage, o object, depth int) (err error) {
	if raw == nil {
		raw = jsonscan.AppendObject(nil, slices.Clone(o))
	}
	for _, p := range products {
		put := func(it part) {
			if err == nil {
				err = t.put(p, it)
			}
		}
		if p.parts(raw, o, put) {
			return err
		}
	}
	if o.text("id") == "" {
		for _, name := range wrappers {
			if list := listOf(o.get(name)); list != nil {
				t.pages.Add(jsonscan.Object(o), len(list))
				return t.record(o.get(name), depth+1)
			}
		}
	}
	if t.OtherForm != nil {
		if other := t.OtherForm(raw); other != "" {
			t.problem(t.read, "no trace, but %s", other)
			return nil
		}
	}
	t.problem(t.read, unknown)
	return nil
}

// TraceOf returns the title of the product whose trace a record is, or lists; "" if it is none. Messages
// without a reply may be the input of an example, and are none.
func TraceOf(raw json.RawMessage) string {
	o := objectOf(raw)
	records := []object{o}
	for _, name := range wrappers {
		if list := listOf(o.get(name)); len(list) > 0 {
			records = append(records, objectOf(list[0]))
		}
	}
	for _, o := range records {
		for _, p := range products {
			raw := jsonscan.AppendObject(nil, slices.Clone(o))
			if o != nil && (p.name != "messages" || replies(responseOf(o)) != nil) && p.parts(raw, o, func(part) {}) {
				return p.title
			}
		}
	}
	return ""
}

// put writes a part to the temporary file. It counts a copy of a record that has no id.
func (t *Traces) put(p *product, it part) error {
	if it.problem != "" {
		t.problem(t.read, "%s: %s", it.at, it.problem)
		return nil
	}
	s := stored{at: t.at, size: len(it.raw), place: t.read}
	var g *group
	if it.trace == "" {
		sum := sha256.Sum256(it.raw)
		if _, ok := t.alone[[16]byte(sum[:])]; ok {
			t.Duplicates++
			return nil
		}
		t.alone[[16]byte(sum[:])] = t.read
	} else {
		g = t.byID[p.name+" "+it.trace]
		if it.id != "" {
			s.id = max(1, maphash.String(t.seed, it.id))
		}
	}
	if g == nil {
		g = &group{of: p}
		t.groups = append(t.groups, g)
		if it.trace != "" {
			t.byID[p.name+" "+it.trace] = g
		}
	}
	if _, err := t.buffer.Write(it.raw); err != nil {
		return errcode.New(errcode.ResourceExhausted, "temporary file: %w", err)
	}
	g.parts = append(g.parts, s)
	t.at += int64(s.size)
	return nil
}

// problem counts and reports a record that cannot be read.
func (t *Traces) problem(at where, format string, args ...any) {
	t.Unreadable++
	t.report(at, format, args...)
}

func (t *Traces) report(at where, format string, args ...any) {
	if t.Report != nil {
		t.Report(errcode.New(errcode.InvalidArgument, "%s: "+format, append([]any{t.place(at)}, args...)...))
	}
}

// Answers yields the answers of all traces, in the order in which the traces begin in the files. It can be called
// several times.
func (t *Traces) Answers(ctx context.Context, o Options) iter.Seq2[Answer, error] {
	return t.answers(ctx, o, nil)
}

// answers calls count for each trace before its answers are yielded, with the parts that were left out.
func (t *Traces) answers(ctx context.Context, o Options, count func(*group, leftOut)) iter.Seq2[Answer, error] {
	return func(yield func(Answer, error) bool) {
		if err := t.buffer.Flush(); err != nil {
			yield(Answer{}, errcode.New(errcode.ResourceExhausted, "temporary file: %w", err))
			return
		}
		for i, g := range t.groups {
			if t.Progress != nil {
				t.Progress("", int64(i), int64(len(t.groups)))
			}
			parts, out, err := t.parts(g)
			if err = errors.Join(err, ctx.Err()); err != nil {
				yield(Answer{}, err)
				return
			}
			if count != nil {
				count(g, out)
			}
			var answers []Answer
			switch {
			case out.tooLarge > 0:
				answers = []Answer{{Err: errcode.New(errcode.ResourceExhausted,
					"a trace of %d MiB, expected at most %d MiB", out.tooLarge>>20, maxRecord>>20)}}
			default:
				answers = g.of.answers(parts, &o)
			}
			if len(answers) == 0 {
				answers = []Answer{{Err: errcode.New(errcode.InvalidArgument,
					"neither a question nor an answer; expected a message of a user or a response")}}
			}
			for _, a := range answers {
				if a.SQL == "" && o.SQLTool == "" {
					a.SQL = fencedSQL(a.Response)
				}
				a.Product, a.Place = g.of.name, t.place(g.parts[0].place)
				if !yield(a, nil) {
					return
				}
			}
		}
	}
}

// leftOut are the parts of a trace that are not converted.
type leftOut struct {
	duplicates int
	conflicts  [][2]where // a part, and a later one with the same id and other content
	tooLarge   int64      // the size of a trace that is too large
}

// parts reads the parts of a trace. Of several with one id it returns the last.
func (t *Traces) parts(g *group) (parts []json.RawMessage, out leftOut, err error) {
	var total int64
	for _, s := range g.parts {
		total += int64(s.size)
	}
	if total > maxRecord {
		out.tooLarge = total
		return nil, out, nil
	}
	text := make([]byte, 0, total)
	for i := 0; i < len(g.parts); { // parts that follow each other in the file are read in one call
		from, n := g.parts[i].at, int64(0)
		for ; i < len(g.parts) && g.parts[i].at == from+n; i++ {
			n += int64(g.parts[i].size)
		}
		start := len(text)
		text = text[:start+int(n)]
		if _, err := t.file.ReadAt(text[start:], from); err != nil {
			return nil, out, errcode.New(errcode.Internal, "temporary file: %w", err)
		}
	}
	parts = make([]json.RawMessage, len(g.parts))
	for i, s := range g.parts {
		parts[i], text = text[:s.size:s.size], text[s.size:]
	}
	if len(parts) == 1 {
		return parts, out, nil
	}
	last := make(map[uint64]int, len(parts))
	for i, s := range g.parts {
		if s.id == 0 {
			continue
		}
		if other, ok := last[s.id]; ok {
			if same(parts[other], parts[i]) {
				out.duplicates++
			} else {
				out.conflicts = append(out.conflicts, [2]where{g.parts[other].place, s.place})
			}
			parts[other] = nil
		}
		last[s.id] = i
	}
	if out.duplicates+len(out.conflicts) > 0 {
		parts = slices.DeleteFunc(parts, func(raw json.RawMessage) bool { return raw == nil })
	}
	return parts, out, nil
}

// same reports whether two records are equal, without regard to the order of members and to white space.
func same(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var texts [2][]byte
	for i, raw := range []json.RawMessage{a, b} {
		var s jsonscan.Scanner
		s.Reset(raw)
		text, err := jsonscan.AppendCanonical(nil, &s, false)
		if err != nil {
			return false
		}
		texts[i] = text
	}
	return bytes.Equal(texts[0], texts[1])
}

// onlyTools returns the error of a trace without the run of an agent or model: its question and answer are unknown.
func onlyTools(what, expected string) error {
	return errcode.New(errcode.InvalidArgument,
		"the trace has only %s of tools, which have neither a question nor an answer; expected %s: export whole traces",
		what, expected)
}

// written takes the SQL from the output of the agent if no call has it and no tool is named.
func (a *Answer) written(output json.RawMessage, o *Options) {
	if a.SQL == "" && o.SQLTool == "" && output != nil {
		a.SQL = outputSQL(output)
	}
}

// calls sets the calls and the SQL of an answer, or its error.
func (a *Answer) calls(parts []json.RawMessage, o *Options) {
	calls, err := toolcalls.ParseParts(parts, "trace")
	if err != nil {
		a.Err = err
		return
	}
	a.Calls, a.SQL = calls, cmp.Or(sqlOf(calls, o.SQLTool), a.SQL)
}
