package databricks

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// word is a word of a statement outside quotes and comments, in upper case, and the number of parentheses open there.
type word struct {
	text  string
	depth int
}

// readings returns the words of a statement for each way in which the service may split it into strings, names and
// comments.
func readings(sql string) (all [][]word) {
	for _, tokens := range sqlparts.TokenReadings(sql, sqlparts.Databricks) {
		var words []word
		depth := 0
		for _, t := range tokens {
			switch text := sql[t.Start:t.End]; {
			case t.Kind == sqlparts.TokenWord:
				words = append(words, word{strings.ToUpper(text), depth})
			case text == "(":
				depth++
			case text == ")":
				depth--
			}
		}
		all = append(all, words)
	}
	return all
}

// first returns the first word of a statement; "" if it has none.
func first(words []word) string {
	if len(words) == 0 {
		return ""
	}
	return words[0].text
}

// check returns an error for a statement that must not run: one that is empty, transfers files, or writes on a
// read-only connection.
func (c *Conn) check(sql string) error {
	if strings.IndexByte(sql, 0) >= 0 {
		return invalid("a NUL byte in the SQL text; use a parameter")
	}
	for _, words := range readings(sql) {
		switch word := first(words); word {
		case "":
			return invalid("no statement")
		case "PUT", "GET", "REMOVE": // the service would return a link to files, and the driver would transfer them
			return errcode.New(errcode.PermissionDenied, "databricks: %s is rejected: it transfers files of this machine", word)
		default:
			if c.readOnly && !onlyReads(words) {
				return errcode.New(errcode.PermissionDenied, "databricks: %s is rejected on a read-only connection", word)
			}
		}
	}
	return nil
}

// reads reports whether a statement changes nothing, however the service splits it.
func reads(sql string) bool {
	return !slices.ContainsFunc(readings(sql), func(words []word) bool { return !onlyReads(words) })
}

// onlyReads reports whether a statement changes nothing. There are no read-only sessions, and the first word does
// not decide: a common table expression or FROM may precede INSERT, UPDATE, DELETE and MERGE.
func onlyReads(words []word) bool {
	switch first(words) {
	case "SELECT", "VALUES", "TABLE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "LIST":
		return true
	case "WITH", "FROM":
		return !slices.ContainsFunc(words, func(w word) bool {
			return w.depth == 0 && slices.Contains([]string{"INSERT", "UPDATE", "DELETE", "MERGE"}, w.text)
		})
	}
	return false
}

// changesSession reports whether a statement changes the meaning of later ones of the same session.
func changesSession(sql string) bool { return slices.ContainsFunc(readings(sql), changeSession) }

func changeSession(words []word) bool {
	switch first(words) {
	case "USE", "SET", "RESET", "DECLARE", "BEGIN", "CACHE", "UNCACHE":
		return true
	case "CREATE":
		for _, w := range words[1:] {
			switch w.text {
			case "TEMPORARY", "TEMP":
				return true
			case "OR", "REPLACE", "GLOBAL":
			default:
				return false
			}
		}
	}
	return false
}

// nameOf returns a table's quoted name, and its part before the table: the quoted schema, with its catalog if given,
// and a dot, or "".
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
