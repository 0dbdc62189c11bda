package databricks

import (
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// words calls f with the words of a statement in upper case that stand outside quotes and comments,
// and how many brackets are open there, until it returns false.
func words(sql string, f func(word string, depth int) bool) {
	depth := 0
	for i := 0; i < len(sql); {
		rest := sql[i:]
		switch c := sql[i]; {
		case strings.HasPrefix(rest, "--"):
			i += lineEnd(rest)
		case strings.HasPrefix(rest, "/*"):
			i += commentEnd(rest)
		case c == '\'' || c == '"' || c == '`':
			raw := c != '`' && i > 0 && (sql[i-1] == 'r' || sql[i-1] == 'R') && (i == 1 || !isLetter(sql[i-2]) && !isDigit(sql[i-2]))
			i += quotedEnd(rest, raw)
		case c == '(':
			depth++
			i++
		case c == ')':
			depth--
			i++
		case isLetter(c):
			n := 1
			for n < len(rest) && (isLetter(rest[n]) || isDigit(rest[n])) {
				n++
			}
			if !f(strings.ToUpper(rest[:n]), depth) {
				return
			}
			i += n
		default:
			i++
		}
	}
}

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// lineEnd is where the comment at the beginning of s ends, which a backslash before the end of a line
// continues.
func lineEnd(s string) int {
	for i := 2; i < len(s); i++ {
		if s[i] == '\r' || s[i] == '\n' && s[i-1] != '\\' {
			return i + 1
		}
	}
	return len(s)
}

// commentEnd is where the comment at the beginning of s ends, with the comments in it.
func commentEnd(s string) int {
	for i, depth := 0, 0; i < len(s)-1; i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// quotedEnd is where what the first byte of s opens ends. A backslash takes the next byte's meaning
// away, but not in names and in raw text, such as r'\d'.
func quotedEnd(s string, raw bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[0] != '`' && !raw:
			i++
		case s[i] == s[0]:
			return i + 1
		}
	}
	return len(s)
}

// first is the first word of a statement.
func first(sql string) (word string) {
	words(sql, func(w string, _ int) bool {
		word = w
		return false
	})
	return word
}

// check refuses what is not run.
func (c *Conn) check(sql string) error {
	if strings.IndexByte(sql, 0) >= 0 {
		return invalid("a NUL byte in the SQL text; use a parameter")
	}
	word := first(sql)
	switch word {
	case "":
		return invalid("no statement")
	case "PUT", "GET", "REMOVE": // the service would hand out a link to files, and the client move them
		return errcode.New(errcode.PermissionDenied, "databricks: %s moves files of this machine and is not run", word)
	}
	if c.readOnly && !reads(sql) {
		return errcode.New(errcode.PermissionDenied, "databricks: %s is not run on a connection that only reads", word)
	}
	return nil
}

// reads tells statements that change nothing. There are no read-only sessions, but a word decides:
// a common table expression or FROM may stand before INSERT, UPDATE, DELETE and MERGE.
func reads(sql string) bool {
	switch first(sql) {
	case "SELECT", "VALUES", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "LIST":
		return true
	case "WITH", "FROM":
		writes := false
		words(sql, func(w string, depth int) bool {
			switch w {
			case "INSERT", "UPDATE", "DELETE", "MERGE":
				writes = depth == 0
			}
			return !writes
		})
		return !writes
	}
	return false
}

// changesSession tells statements that change what later ones of the same session mean.
func changesSession(sql string) bool {
	n, yes := 0, false
	words(sql, func(w string, _ int) bool {
		n++
		switch {
		case n == 1:
			switch w {
			case "USE", "SET", "RESET", "DECLARE", "BEGIN", "CACHE", "UNCACHE":
				yes = true
				return false
			case "CREATE":
				return true
			}
			return false
		case w == "TEMPORARY" || w == "TEMP":
			yes = true
			return false
		}
		return w == "OR" || w == "REPLACE" || w == "GLOBAL"
	})
	return yes
}

// nameOf is a table's name in Databricks' quotes, and what stands in it before the table: nothing,
// or the schema and a point.
func nameOf(table string) (name, before string, err error) {
	parts, err := driver.Ref{Kind: driver.RefTable, Name: table}.Parts()
	if err != nil {
		return "", "", invalid("expected a table's name, such as schema.table or catalog.schema.table")
	}
	for i, p := range parts {
		before = name
		if name += identifiers.Quoted(p); i+1 < len(parts) {
			name += "."
		}
	}
	return name, before, nil
}

func invalid(format string, args ...any) error {
	return errcode.New(errcode.InvalidArgument, "databricks: "+format, args...)
}
