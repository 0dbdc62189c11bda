package batch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring"
)

// defaultMaxLine is the maximum length of a line of a case file, in bytes.
const defaultMaxLine = 256 << 20

// FileSource is a case file in JSON Lines; blank lines are ignored. It is read line by line, so that it may have any
// size. A line without a valid case becomes an item whose Load returns the error.
type FileSource struct {
	Path    string
	In      io.Reader // read instead of the file at Path, which then only names it; can be read only once
	MaxLine int       // maximum bytes of a line; default [defaultMaxLine]
}

// Dir returns the directory to which file: references in the cases are relative: that of the file, or the current one
// for a pipe.
func (s FileSource) Dir() string {
	if info, err := os.Stat(s.Path); s.In != nil || err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return "."
	}
	if folder, _ := filepath.Split(s.Path); strings.Contains(folder, "..") { // .. of a link leads elsewhere
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			return real
		}
	}
	return filepath.Dir(s.Path)
}

// Cases yields the cases of the file. Their places are the file's name and the line's number, such as cases.jsonl:17.
// If the first line shows another format than JSON Lines, such as CSV, it yields an error.
func (s FileSource) Cases(ctx context.Context) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		name := filepath.Base(s.Path) + ":"
		known := interned{}
		talks := sync.OnceValues(func() (*scoring.Conversations, error) { return s.conversations(ctx) })
		several := false // the first line begins an object that it does not end
		for line, err := range s.lines(ctx) {
			if err != nil {
				yield(Item{}, err)
				return
			}
			text := textOf(line)
			what := ""
			switch line.Number {
			case 1:
				what = notLines(line.Text, text)
				several = len(text) > 0 && text[0] == '{' && strings.IndexByte("{[,:", text[len(text)-1]) >= 0
			case 2:
				if several && len(text) > 0 && text[0] != '{' {
					what = "expected one JSON object a line (JSON Lines), found an object over several lines; jq -c . writes each in one line"
				}
			}
			if what != "" {
				yield(Item{}, errcode.New(errcode.InvalidArgument, "%s: %s", filepath.Base(s.Path), what))
				return
			}
			if len(text) == 0 && line.Length <= s.maxLine() {
				continue
			}
			if !yield(s.item(line, text, placeOf(name, line.Number), known, talks), nil) {
				return
			}
		}
	}
}

// notLines returns what is wrong with a file whose first line shows another format than JSON Lines; "" if it does not.
// line is the whole line, and text its text.
func notLines(line, text []byte) string {
	const expected = "expected one JSON object a line (JSON Lines), "
	switch what := notText(line); {
	case what == "UTF-16":
		return "expected JSON Lines in UTF-8, found UTF-16; iconv -f UTF-16 -t UTF-8 converts it"
	case what != "":
		return "expected JSON Lines in UTF-8, found " + what
	case len(text) > 0 && text[0] == '[':
		return expected + "found an array; badger import reads golden sets such as BIRD, and jq -c '.[]' writes a list as lines"
	case len(text) > 0 && text[0] != '{' && !bytes.ContainsAny(text, "{\"") && !looksLikeCSV(text):
		return expected + "found " + notObject(text)
	case looksLikeCSV(text):
		return expected + `and the first line looks like the header of CSV; write each row as an object, such as {"case_id": …, "gold_sql": …, "sql": …}, or convert it by badger import csv`
	}
	return ""
}

// lines yields the lines of the file until ctx ends.
func (s FileSource) lines(ctx context.Context) iter.Seq2[jsonscan.Line, error] {
	return func(yield func(jsonscan.Line, error) bool) {
		in := s.In
		if in == nil {
			f, err := os.Open(s.Path)
			if err != nil {
				yield(jsonscan.Line{}, fileError("the case file", err))
				return
			}
			defer f.Close() //nolint:errcheck // only read
			in = f
		}
		for line, err := range jsonscan.Lines(in, s.maxLine()) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(line, fileError("the case file", err))
				return
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}

// textOf returns the text of a line without surrounding blanks and, on the first line, without a byte order mark.
func textOf(line jsonscan.Line) []byte {
	text := bytes.TrimSpace(line.Text)
	if line.Number == 1 {
		text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	}
	return text
}

// notText returns the format of a file that starts with this line if it is one that users mistake for a case file, or
// "".
func notText(line []byte) string {
	for _, f := range []struct{ magic, name string }{
		{"\xff\xfe", "UTF-16"}, {"\xfe\xff", "UTF-16"}, {"\x1f\x8b", "data compressed by gzip"},
		{"\x28\xb5\x2f\xfd", "data compressed by Zstandard"},
		{"PK\x03\x04", "a ZIP archive"}, {"SQLite format 3\x00", "a SQLite database; --source sqlite:FILE reads badger's tables in it"},
		{"PAR1", "Parquet"}, {"ARROW1", "an Arrow file"},
	} {
		if bytes.HasPrefix(line, []byte(f.magic)) {
			return f.name
		}
	}
	if len(line) >= 12 && string(line[8:12]) == "DUCK" {
		return "a DuckDB database; --source duckdb:FILE reads badger's tables in it"
	}
	return ""
}

// notObject describes the first line of a file that is not of JSON, with what to do.
func notObject(line []byte) string {
	switch {
	case yamlKey.Match(line):
		return "YAML; write each case as an object in one line, or convert a file of another product by badger import"
	case sqlStart.Match(line):
		return "SQL; badger import sql converts a folder of files in SQL"
	}
	return `text; a case is such as {"case_id": "1", "question": "…", "gold": {"sql": "…"}, "agent": {"sql": "…"}}, and badger import converts other files`
}

var (
	yamlKey  = lazyregexp.New(`^(---|- )|^[\w-]+:( |$)`)
	sqlStart = lazyregexp.New(`(?i)^(--|select|with|create|insert)\b`)
)

// looksLikeCSV reports whether a first line looks like column names separated by commas, semicolons or tabs.
func looksLikeCSV(line []byte) bool {
	return len(line) > 0 && line[0] != '{' && bytes.ContainsAny(line, ",;\t") && !bytes.ContainsAny(line, "{}[]:")
}

// Copies returns the cases that several lines give. It returns nil if the source can be read only once.
func (s FileSource) Copies(ctx context.Context) (map[scoring.AnswerID]Copies, error) {
	if !s.again() {
		return nil, nil
	}
	return ReadCopies(ctx, s)
}

// again reports whether the source can be read several times. It is true if the file cannot be examined: reading it
// then returns the error.
func (s FileSource) again() bool {
	if s.In != nil {
		return false
	}
	info, err := os.Stat(s.Path)
	return err != nil || info.Mode().IsRegular() || info.IsDir()
}

func placeOf(name string, n int) string { return name + strconv.Itoa(n) }

func (s FileSource) maxLine() int {
	if s.MaxLine > 0 {
		return s.MaxLine
	}
	return defaultMaxLine
}

func (s FileSource) item(line jsonscan.Line, text []byte, place string, known interned,
	talks func() (*scoring.Conversations, error)) Item {
	item := Item{Place: place, Offset: line.Offset + int64(cap(line.Text)-cap(text)), Length: len(text)}
	if line.Length > s.maxLine() {
		item.CaseID = place
		item.Load = func(context.Context) (*scoring.Case, error) {
			return nil, errcode.New(errcode.ResourceExhausted, "%s: the line has %d bytes, expected at most %d", place,
				line.Length, s.maxLine())
		}
		return item
	}
	id, at := scoring.PeekAnswer(text) // an invalid line is reported when it is loaded
	item.AnswerID = scoring.AnswerID{CaseID: id.CaseID,
		By: scoring.By{Agent: known.of(id.Agent), Version: known.of(id.Version), Batch: known.of(id.Batch),
			Repeat: id.Repeat}}
	item.RanAt = at
	if item.CaseID == "" {
		item.CaseID = place
	}
	own := text
	if !line.Own {
		own = bytes.Clone(text)
	}
	item.Bytes = 3 * int64(len(own)) // the text, and what is made of it
	item.Load = func(context.Context) (*scoring.Case, error) {
		c, err := scoring.DecodeCase(own)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "%s: %w", place, err)
		}
		if c.Agent.ConversationID != "" && c.Agent.Turn > 0 && len(c.Agent.Earlier) == 0 {
			all, err := talks()
			if err != nil {
				return nil, errcode.New(errcode.Of(err), "%s: earlier turns: %w", place, err)
			}
			all.Complete(c)
		}
		return c, nil
	}
	item.Question = func(context.Context) *scoring.Case {
		if c, err := scoring.DecodeCase(own); err == nil {
			return questionOf(c)
		}
		return nil
	}
	return item
}

// conversations reads the turns of the conversations in the file. It returns none if the source can be read only once.
func (s FileSource) conversations(ctx context.Context) (*scoring.Conversations, error) {
	out := &scoring.Conversations{}
	if !s.again() {
		return out, nil
	}
	for line, err := range s.lines(ctx) {
		if err != nil {
			return out, err
		}
		if line.Length > s.maxLine() || !bytes.Contains(line.Text, []byte("conversation")) {
			continue
		}
		c, err := scoring.DecodeCase(textOf(line))
		if err != nil {
			continue // it is reported as a case
		}
		turn := scoring.Turn{Question: c.Question, SQL: c.Pred.SQL, Response: c.Agent.Response}
		if err := out.Add(c.AnswerID(), c.Agent.ConversationID, int64(c.Agent.Turn), turn); err != nil {
			return out, err
		}
	}
	out.Sort()
	return out, nil
}

// References yields the references to results in the cases of the file, in any order and possibly several times. It
// ignores lines that cannot be parsed.
func (s FileSource) References(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for line, err := range s.lines(ctx) {
			if err != nil {
				yield("", err)
				return
			}
			text := textOf(line)
			if line.Length > s.maxLine() || !mayRefer(text) {
				continue
			}
			c, err := scoring.DecodeCase(text)
			if err != nil {
				continue
			}
			for _, q := range append([]scoring.Query{c.Pred}, c.Golds...) {
				if q.Result.Ref != "" && !yield(q.Result.Ref, nil) {
					return
				}
			}
		}
	}
}

// mayRefer reports whether a line may contain a reference: a colon after a letter, in a string or escaped.
func mayRefer(line []byte) bool {
	if bytes.Contains(line, []byte(`\u`)) {
		return true
	}
	for {
		at := bytes.IndexByte(line, ':')
		if at < 0 {
			return false
		}
		if at > 0 && (line[at-1]|0x20) >= 'a' && (line[at-1]|0x20) <= 'z' {
			return true
		}
		line = line[at+1:]
	}
}

// Count returns the number of lines that are not blank, or 0 if the source can be read only once.
func (s FileSource) Count(ctx context.Context) (int64, error) {
	if s.In != nil {
		return 0, nil
	}
	f, err := os.Open(s.Path)
	if err != nil {
		return 0, fileError("the case file", err)
	}
	defer f.Close() //nolint:errcheck // only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return 0, nil //nolint:nilerr // reading the file reports the error
	}
	var n int64
	blank := true
	buf := make([]byte, 1<<18)
	for {
		k, err := f.Read(buf)
		for rest := buf[:k]; len(rest) > 0; {
			line, after, ended := bytes.Cut(rest, []byte{'\n'})
			if blank && len(bytes.TrimSpace(line)) > 0 {
				blank = false
				n++
			}
			blank = blank || ended
			rest = after
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return n, nil
			}
			return 0, fileError("the case file", err)
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
}

// interned shares the memory of equal strings, such as the name of an agent, for up to 1024 strings.
type interned map[string]string

// row replaces the names of a row by shared strings.
func (t interned) row(r *scoring.Row) {
	r.Agent, r.Version, r.Batch, r.Score.Metric = t.of(r.Agent), t.of(r.Version), t.of(r.Batch), t.of(r.Score.Metric)
}

func (t interned) of(s string) string {
	if have, ok := t[s]; ok {
		return have
	}
	if len(t) < 1024 {
		t[s] = s
	}
	return s
}

// fileError adds a code to an error of the file system. what describes the file.
func fileError(what string, err error) error {
	code := errcode.OfFile(err)
	if errcode.Of(err) == errcode.Unknown && full(err) {
		code = errcode.ResourceExhausted
	}
	return errcode.New(code, "%s: %w", what, err)
}
