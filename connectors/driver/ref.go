package driver

import (
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// Name is a qualified name, the table last.
type Name []string

// ParseName reads a name of one to three parts with dots between them. A part in double quotes or backticks may hold dots, and its own
// quote doubled.
func ParseName(s string) (Name, error) {
	name, rest, err := cutName(s)
	if err != nil {
		return nil, err
	}
	if rest != "" {
		return nil, badName()
	}
	return name, nil
}

func badName() error {
	return errcode.New(errcode.InvalidArgument, `expected a name of one to three parts, such as schema.table or "my schema".table`)
}

// cutName reads a name and returns what stands behind it: nothing, or text that begins with @.
func cutName(s string) (Name, string, error) {
	var name Name
	for {
		var part string
		if s != "" && (s[0] == '"' || s[0] == '`') {
			quote := s[0]
			s = s[1:]
			for {
				i := strings.IndexByte(s, quote)
				if i < 0 {
					return nil, "", badName()
				}
				part, s = part+s[:i], s[i+1:]
				if s == "" || s[0] != quote {
					break
				}
				part, s = part+string(quote), s[1:]
			}
		} else {
			i := strings.IndexAny(s, ".@\"` \t\r\n;()'")
			if i < 0 {
				i = len(s)
			}
			part, s = s[:i], s[i:]
		}
		if part == "" || strings.IndexByte(part, 0) >= 0 || len(part) > 1024 {
			return nil, "", badName()
		}
		name = append(name, part)
		switch {
		case s == "" || s[0] == '@':
			if len(name) > 3 {
				return nil, "", badName()
			}
			return name, s, nil
		case s[0] != '.':
			return nil, "", badName()
		}
		s = s[1:]
	}
}

// String writes the name so that ParseName reads it.
func (n Name) String() string {
	parts := make([]string, len(n))
	for i, p := range n {
		parts[i] = p
		if strings.ContainsAny(p, ".@\"` \t\r\n;()'") {
			parts[i] = `"` + strings.ReplaceAll(p, `"`, `""`) + `"`
		}
	}
	return strings.Join(parts, ".")
}

// RefKind is the kind of a reference.
type RefKind uint8

// The kinds of references.
const (
	RefQuery RefKind = iota + 1 // query:ID, the result of a query the warehouse still holds
	RefTable                    // table:NAME, a table or view
	RefFile                     // file:PATH; no warehouse is asked for it
)

// Ref is a reference to a result.
type Ref struct {
	Kind    RefKind
	ID      string    // of a query
	Table   Name      // of a table
	Version *int64    // of a table: as of that version
	At      time.Time // of a table: as of that time; zero is now
	Path    string    // of a file
}

// ParseRef reads query:ID, table:NAME, table:NAME@VERSION, table:NAME@TIMESTAMP or file:PATH. A version is a whole number; a
// timestamp is ISO 8601, in UTC where it names no zone.
func ParseRef(s string) (Ref, error) {
	kind, rest, ok := strings.Cut(s, ":")
	if !ok || rest == "" {
		return Ref{}, badRef()
	}
	switch kind {
	case "query":
		if len(rest) > 1024 || strings.ContainsFunc(rest, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\'' || r == '"' || r == '`' || r == ';' }) {
			return Ref{}, errcode.New(errcode.InvalidArgument, "expected the id of a query behind query:")
		}
		return Ref{Kind: RefQuery, ID: rest}, nil
	case "file":
		return Ref{Kind: RefFile, Path: rest}, nil
	case "table":
		name, as, err := cutName(rest)
		if err != nil {
			return Ref{}, err
		}
		ref := Ref{Kind: RefTable, Table: name}
		if as == "" {
			return ref, nil
		}
		return ref, ref.asOf(as[1:])
	}
	return Ref{}, badRef()
}

func badRef() error {
	return errcode.New(errcode.InvalidArgument, "expected a reference query:ID, table:NAME[@version|@timestamp] or file:PATH")
}

func (r *Ref) asOf(s string) error {
	if v, err := strconv.ParseInt(s, 10, 64); err == nil && v >= 0 {
		r.Version = &v
		return nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			r.At = t.UTC()
			return nil
		}
	}
	return errcode.New(errcode.InvalidArgument, "expected a version number or an ISO 8601 timestamp behind @")
}

// String writes the reference so that ParseRef reads it.
func (r Ref) String() string {
	switch r.Kind {
	case RefQuery:
		return "query:" + r.ID
	case RefFile:
		return "file:" + r.Path
	case RefTable:
		s := "table:" + r.Table.String()
		if r.Version != nil {
			s += "@" + strconv.FormatInt(*r.Version, 10)
		} else if !r.At.IsZero() {
			s += "@" + r.At.UTC().Format(time.RFC3339Nano)
		}
		return s
	}
	return ""
}
