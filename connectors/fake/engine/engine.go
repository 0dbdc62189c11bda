// Package engine helps fake servers, which speak a warehouse's protocol and run its SQL in the embedded engine: it
// translates statements, and classifies the engine's errors.
package engine

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	"github.com/badger-eval/badger/internal/errcode"
)

// Open opens a database in a directory. Its SQL cannot access other files.
func Open(dir string) (driver.Conn, error) {
	c, err := duckdb.OpenWith(context.Background(), filepath.Join(dir, "engine.duckdb"),
		duckdb.Options{Confined: true, Threads: 1})
	if err != nil {
		return nil, err // not a nil *Conn in an interface
	}
	return c, nil
}

// Rule replaces the matches of a regular expression in a statement.
type Rule struct {
	From *regexp.Regexp
	To   string // replacement, as in [regexp.Regexp.ReplaceAllString]
}

// Dialect describes how a warehouse's statements are translated to the engine's SQL.
type Dialect struct {
	Backslash bool // a backslash escapes the next character of a string literal
	// Phrases are replaced first, anywhere in the statement, also in strings; nil is none.
	Phrases *strings.Replacer
	// Rules are applied in order, outside string literals and quoted names. Names in backquotes are written in double
	// quotes instead.
	Rules []Rule
}

var (
	plainPieces   = regexp.MustCompile("'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|[^'\"`]+|['\"`]")
	escapedPieces = regexp.MustCompile("'(?:[^'\\\\]|\\\\.)*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|[^'\"`]+|['\"`]")
)

// pieces splits a statement into string literals, quoted names, and the text between them.
func (d *Dialect) pieces(sql string) []string {
	if d.Backslash {
		return escapedPieces.FindAllString(sql, -1)
	}
	return plainPieces.FindAllString(sql, -1)
}

// Translate returns a statement in the engine's SQL. For rules, each string literal and quoted name is replaced by a
// NUL byte.
func (d *Dialect) Translate(sql string) string {
	if strings.IndexByte(sql, 0) >= 0 {
		return sql // not a statement
	}
	if d.Phrases != nil {
		sql = d.Phrases.Replace(sql)
	}
	var out strings.Builder
	var kept []string
	for _, p := range d.pieces(sql) {
		switch {
		case len(p) == 1 || !strings.ContainsAny(p[:1], "'\"`"):
			out.WriteString(p)
			continue
		case p[0] == '`':
			p = `"` + strings.ReplaceAll(strings.ReplaceAll(p[1:len(p)-1], "``", "`"), `"`, `""`) + `"`
		}
		kept = append(kept, p)
		out.WriteByte(0)
	}
	text := out.String()
	for _, r := range d.Rules {
		text = r.From.ReplaceAllString(text, r.To)
	}
	out.Reset()
	for i, between := range strings.Split(text, "\x00") {
		if i > 0 {
			out.WriteString(kept[i-1])
		}
		out.WriteString(between)
	}
	return out.String()
}

// Parameters returns the number of question marks outside strings and quoted names.
func (d *Dialect) Parameters(sql string) (n int) {
	for _, p := range d.pieces(sql) {
		if !strings.ContainsAny(p[:1], "'\"`") {
			n += strings.Count(p, "?")
		}
	}
	return n
}

// Kind classifies an error of the engine.
type Kind int

// The kinds of errors.
const (
	Syntax Kind = iota // and all errors that are none of the following
	Cancelled
	NoFunction
	NoTable
	NoSchema
	NoColumn
	BadValue
	Exists
)

// Failure is a classified error of the engine.
type Failure struct {
	Kind    Kind
	Name    string // of the missing object; "it" if the SQL names a file
	Quoted  string // the first quoted part of the message's first line, with its quotes, or ""
	Message string // of the engine
}

var (
	noFunction = regexp.MustCompile(`Function with name "?(\w+)"? does not exist`)
	noTable    = regexp.MustCompile(`Table with name "?(.+?)"? does not exist`)
	noSchema   = regexp.MustCompile(`[sS]chema (?:with name )?"?(\w+)"? does not exist`)
	doubles    = regexp.MustCompile(`"([^"]*)"`)
	quotes     = regexp.MustCompile(`'[^']*'|"[^"]*"`)
)

// Explain classifies an error of the engine.
func Explain(err error) Failure {
	f := Failure{Message: err.Error()}
	for e := err; e != nil; {
		f.Message = e.Error()
		u, ok := e.(interface{ Unwrap() error })
		if !ok {
			break
		}
		e = u.Unwrap()
	}
	line, _, _ := strings.Cut(f.Message, "\n")
	f.Quoted = quotes.FindString(line)
	named := func(kind Kind, re *regexp.Regexp) bool {
		m := re.FindStringSubmatch(line)
		if m != nil {
			f.Kind, f.Name = kind, m[1]
		}
		return m != nil
	}
	switch code := errcode.Of(err); {
	case code == errcode.Cancelled:
		f.Kind = Cancelled
	case named(NoFunction, noFunction), named(NoTable, noTable), named(NoSchema, noSchema):
	case strings.HasPrefix(line, "Permission"), code == errcode.PermissionDenied:
		// the SQL names a file, which the engine would read as a table
		f.Kind, f.Name = NoTable, "it"
	case strings.HasPrefix(line, "Binder") && named(NoColumn, doubles):
	case strings.HasPrefix(line, "Conversion"), strings.HasPrefix(line, "Invalid Input"):
		f.Kind = BadValue
	case code == errcode.AlreadyExists:
		f.Kind = Exists
	}
	return f
}
