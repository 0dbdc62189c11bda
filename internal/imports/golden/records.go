package golden

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/imports"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/scoring"
)

const (
	maxRecord   = 256 << 20 // bytes of a record, as of a line of a case file
	maxDocument = 64 << 20  // bytes of a document that is read whole
)

const mark = "\xef\xbb\xbf" // a byte order mark in UTF-8

// jsonValues calls each for the values of a file of JSON Lines, or the elements of a JSON list, with the line on which
// they end. What cannot be read is reported.
func (s *Set) jsonValues(path string, each func(line int, raw json.RawMessage) error) error {
	if err := s.checkJSON(path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	size := int64(0)
	if info, err := f.Stat(); err == nil {
		size = info.Size()
	}
	byLine, err := imports.InLines(f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	bad := func(line int, err error) {
		s.bad(s.here(line, ""), err)
	}
	one := func(line int, text []byte, length int) error {
		switch {
		case length > maxRecord:
			bad(line, errcode.New(errcode.ResourceExhausted, "longer than %d MiB", maxRecord>>20))
			return nil
		case len(text) == 0:
			return nil
		case !utf8.Valid(text):
			bad(line, errcode.New(errcode.InvalidArgument, "expected UTF-8 text; the file is in another encoding"))
			return nil
		}
		if err := jsonscan.Check(text); err != nil {
			bad(line, errcode.New(errcode.InvalidArgument, "not valid JSON: %w", err))
			return nil
		}
		return each(line, text)
	}
	if byLine {
		for line, err := range jsonscan.Lines(f, maxRecord) {
			if err = errors.Join(err, s.ctx.Err()); err != nil {
				return err
			}
			text := bytes.TrimSpace(bytes.TrimPrefix(line.Text, []byte(mark)))
			if len(text) > 0 && text[0] == '[' { // a list on one line
				for _, element := range jsonscan.ParseList(text) {
					if err := one(line.Number, element, len(element)); err != nil {
						return err
					}
				}
				if jsonscan.ParseList(text) == nil {
					err := cmp.Or(jsonscan.Check(text), errors.New("expected a list of records"))
					bad(line.Number, errcode.New(errcode.InvalidArgument, "not valid JSON: %w", err))
				}
				continue
			}
			if err := one(line.Number, text, line.Length); err != nil {
				return err
			}
			s.progress(line.Offset+int64(line.Length), size)
		}
		return nil
	}
	lines, err := newLineCounter(path)
	if err != nil {
		return err
	}
	defer lines.file.Close() //nolint:errcheck // only read
	in := bufio.NewReaderSize(f, 1<<16)
	skipped := int64(0)
	if start, _ := in.Peek(len(mark)); string(start) == mark {
		_, _ = in.Discard(len(mark)) // it was peeked
		skipped = int64(len(mark))
	}
	for v, err := range jsonscan.Values(in, maxRecord) {
		if errcode.Of(err) == errcode.InvalidArgument {
			bad(lines.at(v.Offset+skipped), errcode.New(errcode.InvalidArgument, "%w; the rest of the file is not read", err))
			return nil
		}
		if err = errors.Join(err, s.ctx.Err()); err != nil {
			return err
		}
		start := lines.at(v.Offset + skipped - int64(v.Length))
		if err := one(start, v.Text, v.Length); err != nil {
			return err
		}
		s.progress(v.Offset, size)
	}
	return nil
}

// progress reports that the bytes up to at were read.
func (s *Set) progress(at, size int64) {
	if s.Progress != nil {
		s.Progress(s.files[len(s.files)-1], at, size)
	}
}

// jsonFile reads records in JSON.
func (s *Set) jsonFile(path string) error {
	return s.jsonValues(path, func(line int, raw json.RawMessage) error { return s.document(line, "", raw, nil) })
}

// document adds the records of a JSON value.
func (s *Set) document(line int, at string, raw json.RawMessage, lineOf func(at string) int) error {
	o := jsonscan.ParseObject(raw)
	if o == nil {
		s.bad(s.here(line, at), expected("a JSON object", raw))
		return nil
	}
	if s.kind.list == nil {
		return s.add(s.here(line, at), o)
	}
	records, ok, err := s.kind.list(s, o)
	if err != nil {
		s.bad(s.here(line, at), s.checkForm(o, nil, err))
		return nil
	}
	if !ok {
		return s.add(s.here(line, at), o)
	}
	if len(records) == 0 || strings.HasSuffix(records[0].at, "[0]") && !strings.Contains(records[0].at, ".") {
		s.pages.Add(o, len(records)) // a list that the document is a page of
	}
	for _, r := range records {
		fields := r.fields
		if fields == nil {
			fields = s.kind.fields
		}
		where := line
		if lineOf != nil {
			where = lineOf(r.at)
		}
		if r.record == nil && r.err == nil {
			r.err = errcode.New(errcode.InvalidArgument, "expected an object")
		}
		if r.err != nil {
			s.bad(s.here(where, r.at), r.err)
			continue
		}
		if r.whole != "" {
			s.hold(fields, s.here(where, r.at), r)
			continue
		}
		if err := s.addAs(fields, s.here(where, r.at), r.record); err != nil {
			return err
		}
	}
	return nil
}

// lineCounter counts the lines of a file up to offsets that rise.
type lineCounter struct {
	file *os.File
	in   *bufio.Reader
	pos  int64
	line int
}

func newLineCounter(path string) (*lineCounter, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &lineCounter{file: f, in: bufio.NewReaderSize(f, 1<<16), line: 1}, nil
}

// at returns the line of the byte at an offset.
func (l *lineCounter) at(offset int64) int {
	for l.pos < offset {
		some, err := l.in.Peek(int(min(offset-l.pos, 1<<15)))
		if len(some) == 0 && err != nil {
			break
		}
		l.line += bytes.Count(some, []byte("\n"))
		l.pos += int64(len(some))
		_, _ = l.in.Discard(len(some)) // they were peeked
	}
	return l.line
}

// notJSON describes a file that is not JSON and of no kind that is read, by its beginning, with what to do; "" for
// others.
func notJSON(path string) string {
	if isFolder(path) {
		return "a folder; name the files in it"
	}
	text := string(headOf(path))
	first, _, _ := strings.Cut(text, "\n")
	lower := strings.ToLower(first)
	switch {
	case text == "":
		return "an empty file"
	case resultfile.IsPointer([]byte(text)):
		return resultfile.Pointer
	case strings.HasPrefix(lower, "<!doctype"), strings.HasPrefix(lower, "<html"):
		return "a page in HTML; download the file itself"
	case strings.HasPrefix(first, "//"), strings.HasPrefix(first, "/*"), strings.HasPrefix(first, "#"):
		return "a comment in line 1; JSON has none, remove it"
	case strings.ContainsAny(first, ",;\t") &&
		(strings.Contains(lower, "question") || strings.Contains(lower, "nl_prompt")):
		return "CSV; it is read by badger import csv"
	case yamlKey.MatchString(strings.TrimSpace(first)):
		return foundYAML
	case sqlStart.MatchString(first) && !strings.Contains(first, "\t"): // with a tab it is a gold query of Spider
		return "SQL; it is read by badger import sql"
	}
	return ""
}

// checkJSON returns an error for a folder, and for a file whose first 4 KiB have no line that starts as JSON.
func (s *Set) checkJSON(path string) error {
	if pythonText.Match(headOf(path)) {
		return errcode.New(errcode.InvalidArgument,
			"expected JSON or JSON Lines, found text as Python prints it, with single quotes: write it with json.dump")
	}
	found := notJSON(path)
	lines := bytes.Split(headOf(path), []byte("\n"))
	if !isFolder(path) && slices.ContainsFunc(lines, func(line []byte) bool {
		line = bytes.TrimSpace(line)
		return len(line) > 0 && (line[0] == '{' || line[0] == '[')
	}) {
		return nil
	}
	if value := bytes.TrimSpace(headOf(path)); found == "" && json.Valid(value) {
		found = kindOf(value) + " alone"
	}
	found = cmp.Or(found, "text")
	if s.given { // the other kinds read golden sets
		found, _, _ = strings.Cut(found, "; it is read by")
		return errcode.New(errcode.InvalidArgument,
			"--predictions: expected JSON or JSON Lines, found %s; docs/eval/import.md describes predictions of %s", found, s.kind.Title)
	}
	return errcode.New(errcode.InvalidArgument, "expected JSON or JSON Lines, found %s", found)
}

// checkTable returns an error for a folder and for a file of JSON or YAML.
func (s *Set) checkTable(path string) error {
	head := headOf(path)
	first, rest, _ := bytes.Cut(head, []byte("\n"))
	switch {
	case isFolder(path):
		return errcode.New(errcode.InvalidArgument, "expected CSV, found a folder; name the files in it")
	case isJSON(path):
		form := ""
		if f, err := os.Open(path); err == nil {
			defer f.Close() //nolint:errcheck // only read
			for v, err := range jsonscan.Values(bufio.NewReader(f), maxRecord) {
				if err == nil {
					form = FormOf(v.Text)
				}
				break
			}
		}
		if form != "" {
			return errcode.New(errcode.InvalidArgument, "expected CSV, found JSON: %s", form)
		}
		return errcode.New(errcode.InvalidArgument, "expected CSV, found JSON; badger import --help lists the forms that are read")
	case yamlKey.Match(first) && (bytes.HasPrefix(rest, []byte(" ")) || bytes.HasPrefix(rest, []byte("- "))):
		return errcode.New(errcode.InvalidArgument, "expected CSV, found %s", foundYAML)
	}
	return nil
}

const foundYAML = "YAML, which badger import cortex-analyst, bigquery and promptfoo read"

var (
	pythonText = lazyregexp.New(`^\[?\s*\{\s*'`)

	yamlKey  = lazyregexp.New(`^[\w-]+:\s*$`)
	sqlStart = lazyregexp.New(`(?i)^(--|select\b|with\b)`)
)

// headOf returns the first 4 KiB of a file, without a byte order mark and surrounding white space; nil if it cannot be
// read.
func headOf(path string) []byte {
	head, err := imports.Head(path)
	if err != nil {
		return nil
	}
	return bytes.TrimSpace(bytes.TrimPrefix(head, []byte(mark)))
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// isJSON reports whether a file starts, after white space, with the bracket of a JSON object or array.
func isJSON(path string) bool {
	text := headOf(path)
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// table reads the records of CSV, whose header has the names of members. Columns without a name are an index that
// pandas wrote, and are left out.
func (s *Set) table(path string) error {
	return s.csvRows(path, s.o.Encoding, s.o.Delimiter, s.add)
}

// anyFile reads records in JSON or CSV.
func (s *Set) anyFile(path string) error {
	if isJSON(path) {
		return s.jsonFile(path)
	}
	return s.table(path)
}

// csvRows calls each for the rows of a CSV file as records.
func (s *Set) csvRows(path, encoding string, delim byte, each func(place, jsonscan.Object) error) error {
	if err := s.checkTable(path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	var header []string
	for r, err := range resultfile.Records(s.ctx, f, filepath.Base(path), encoding, delim) {
		if code := errcode.Of(err); err != nil && code != errcode.InvalidArgument && code != errcode.DataLoss &&
			code != errcode.ResourceExhausted {
			return err
		}
		if err != nil {
			s.bad(s.here(r.Line, ""), errcode.New(errcode.InvalidArgument, "%w; the rest of the file is not read", err))
			return nil
		}
		if header == nil {
			if header = r.Cells; len(header) == 1 && header[0] == "" {
				return errcode.New(errcode.InvalidArgument, "expected a header with the names of the columns")
			}
			if err := uniqueNames(header); err != nil {
				return err
			}
			if s.kind.header != nil {
				if err := s.kind.header(s, header); err != nil {
					return err
				}
			}
			continue
		}
		if len(r.Cells) != len(header) {
			s.bad(s.here(r.Line, ""), errcode.New(errcode.InvalidArgument,
				"%d cells, expected one for each of the %d columns of the header", len(r.Cells), len(header)))
			continue
		}
		o := make(jsonscan.Object, 0, len(header))
		for i, cell := range r.Cells {
			if isIndex(header[i], i) {
				s.note("the column without a name is an index of pandas, and is left out")
				continue
			}
			if cell != "" && (!scoring.IsNullWord(cell) || names([]field{csvID}, header[i])) { // an ID may be NA
				name := cmp.Or(header[i], fmt.Sprintf("column %d", i+1))
				o = append(o, jsonscan.Member{Name: []byte(name), Value: quoted(cell)})
			}
		}
		if err := each(s.here(r.Line, ""), o); err != nil {
			return err
		}
	}
	return nil
}

// isIndex reports whether a column is an index that pandas wrote.
func isIndex(name string, i int) bool {
	return i == 0 && name == "" || name == "Unnamed: 0" || strings.HasPrefix(name, "Unnamed: 0.")
}

// uniqueNames returns an error if two columns have one name.
func uniqueNames(header []string) error {
	seen := map[string]bool{}
	for i, name := range header {
		if name != "" && seen[name] {
			return errcode.New(errcode.InvalidArgument, "column %d: the header has %.80q twice; rename one", i+1, name)
		}
		seen[name] = true
	}
	return nil
}

// readWhole returns the text of a document of at most maxDocument bytes.
func readWhole(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	text, err := io.ReadAll(io.LimitReader(f, maxDocument+1))
	if err == nil && len(text) > maxDocument {
		err = errcode.New(errcode.ResourceExhausted, "longer than %d MiB, the most that is read of a document", maxDocument>>20)
	}
	return bytes.TrimPrefix(text, []byte(mark)), err
}

// yamlFile reads the documents of a YAML file, or of a JSON file.
func (s *Set) yamlFile(path string) error {
	if isJSON(path) {
		return s.jsonFile(path)
	}
	if isFolder(path) {
		return errcode.New(errcode.InvalidArgument, "expected YAML or JSON, found a folder; name the files in it")
	}
	if found := notJSON(path); strings.HasPrefix(found, "a page") || strings.HasPrefix(found, "a pointer") {
		return errcode.New(errcode.InvalidArgument, "expected YAML or JSON, found %s", found)
	}
	text, err := readWhole(path)
	if err != nil {
		return err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var n yaml.Node
		err := d.Decode(&n)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			s.problem(s.here(0, ""), errcode.New(errcode.InvalidArgument, "not valid YAML: %s; the rest of the file is not read",
				strings.TrimPrefix(err.Error(), "yaml: ")))
			return nil
		}
		if len(n.Content) == 1 && n.Content[0].Kind == yaml.ScalarNode && n.Content[0].ShortTag() == "!!str" {
			return errcode.New(errcode.InvalidArgument, "expected YAML or JSON, found %s", cmp.Or(notJSON(path), "text"))
		}
		y := yamlText{left: maxDocument, lines: map[string]int{}}
		raw, err := y.value(&n, "", 0)
		if err != nil {
			s.problem(s.here(n.Line, ""), err)
			continue
		}
		if len(raw) > 0 && raw[0] == '[' {
			for i, element := range jsonscan.ParseList(raw) {
				if err := s.document(y.lines[fmt.Sprintf("[%d]", i)], "", element, nil); err != nil {
					return err
				}
			}
			continue
		}
		if err := s.document(n.Content[0].Line, "", raw, func(at string) int { return y.lines[at] }); err != nil {
			return err
		}
	}
}

// yamlText converts nodes of YAML to JSON of at most left bytes.
type yamlText struct {
	left  int
	lines map[string]int // of elements of lists, by their place, such as tests[2]
}

func (y *yamlText) value(n *yaml.Node, at string, depth int) (json.RawMessage, error) {
	if depth > 100 {
		return nil, errcode.New(errcode.InvalidArgument, "line %d: nested deeper than 100 levels", n.Line)
	}
	if y.left -= len(n.Value) + 8; y.left < 0 {
		return nil, errcode.New(errcode.ResourceExhausted, "aliases expand to more than %d MiB", maxDocument>>20)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return y.value(n.Content[0], at, depth+1)
	case yaml.AliasNode:
		return y.value(n.Alias, at, depth+1)
	case yaml.SequenceNode:
		l := members{[]byte{'['}}
		for i, one := range n.Content {
			place := fmt.Sprintf("%s[%d]", at, i)
			y.lines[place] = one.Line
			value, err := y.value(one, place, depth+1)
			if err != nil {
				return nil, err
			}
			l.raw("", value)
		}
		return append(l.to, ']'), nil
	case yaml.MappingNode:
		m := members{[]byte{'{'}}
		seen := map[string]bool{}
		var merges []json.RawMessage // of keys <<
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i].Value
			if n.Content[i].ShortTag() == "!!merge" {
				more, err := y.value(n.Content[i+1], at, depth+1)
				if err != nil {
					return nil, err
				}
				merges = append(merges, more)
				continue
			}
			if n.Content[i].Kind != yaml.ScalarNode {
				return nil, errcode.New(errcode.InvalidArgument, "line %d: a key that is not a name", n.Content[i].Line)
			}
			if seen[name] {
				return nil, errcode.New(errcode.InvalidArgument, "line %d: duplicate key %.80q", n.Content[i].Line, name)
			}
			seen[name] = true
			value, err := y.value(n.Content[i+1], strings.TrimPrefix(at+"."+name, "."), depth+1)
			if err != nil {
				return nil, err
			}
			m.raw(name, value)
		}
		for _, more := range merges {
			for _, one := range append(jsonscan.ParseList(more), more) { // an object, or a list of objects
				for _, member := range jsonscan.ParseObject(one) {
					if name := string(member.Name); !seen[name] {
						seen[name] = true
						m.raw(name, member.Value)
					}
				}
			}
		}
		return append(m.to, '}'), nil
	}
	switch n.ShortTag() {
	case "!!null":
		return json.RawMessage("null"), nil
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return json.Marshal(b)
		}
	case "!!int", "!!float":
		if text := json.RawMessage(n.Value); json.Valid(text) {
			return text, nil
		}
	}
	return quoted(n.Value), nil
}
