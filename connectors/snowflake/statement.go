package snowflake

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// readings returns the statement for each way in which the server may split it into strings, names and comments,
// without the contents of these. comments are the comments of all of them.
func readings(sql string) (bare, comments []string) {
	for _, tokens := range sqlparts.TokenReadings(sql, sqlparts.Snowflake) {
		bare = append(bare, sqlparts.Bare(sql, tokens))
		for _, t := range tokens {
			if t.Kind == sqlparts.TokenComment {
				comments = append(comments, sql[t.Start:t.End])
			}
		}
	}
	return bare, comments
}

// words returns the first n words of a reading, after parentheses and semicolons, in upper case.
func words(bare string, n int) []string {
	var out []string
	for len(out) < n {
		bare = strings.TrimLeft(bare, " \t\r\n(;")
		end := 0
		for end < len(bare) &&
			(bare[end] == '_' || bare[end] >= 'a' && bare[end] <= 'z' || bare[end] >= 'A' && bare[end] <= 'Z') {
			end++
		}
		if end == 0 {
			break
		}
		out, bare = append(out, strings.ToUpper(bare[:end])), bare[end:]
	}
	return out
}

// check returns an error for a statement that must not run: one that is empty, transfers files, or may write on a
// read-only connection.
func (c *Conn) check(sql string) error {
	if strings.IndexByte(sql, 0) >= 0 {
		return invalid("a NUL byte in the SQL text; use a parameter")
	}
	bare, comments := readings(sql)
	if len(words(bare[0], 1)) == 0 {
		return invalid("no statement")
	}
	for _, text := range bare {
		first := append(words(text, 1), "")
		switch first[0] {
		case "PUT", "GET": // the driver would transfer files of this machine
			return errcode.New(errcode.PermissionDenied, "snowflake: %s is rejected: it transfers files of this machine",
				first[0])
		}
	}
	if !c.readOnly {
		return nil
	}
	for _, comment := range comments {
		switch {
		case nestedComment.MatchString(comment): // the server may end it elsewhere
			return errcode.New(errcode.PermissionDenied,
				"snowflake: a comment contains /*, which a read-only connection rejects; remove it")
		case loneReturn.MatchString(comment): // likewise
			return errcode.New(errcode.PermissionDenied,
				"snowflake: a comment contains a carriage return without a line feed, which a read-only connection rejects; remove it")
		}
	}
	for _, text := range bare {
		if anonymousProcedure.MatchString(text) { // WITH p AS PROCEDURE () … CALL p() may write
			return errcode.New(errcode.PermissionDenied, "snowflake: calls of procedures are rejected on a read-only connection")
		}
		for part := range strings.SplitSeq(text, "->>") { // a statement's result may be piped into another statement
			if first := words(part, 1); len(first) == 0 || !reads(first[0]) {
				return errcode.New(errcode.PermissionDenied,
					"snowflake: statements that do not only read are rejected on a read-only connection")
			}
		}
	}
	return nil
}

var (
	nestedComment      = lazyregexp.New(`/\*(?:[^*]|\*+[^*/])*/\*`)
	loneReturn         = lazyregexp.New(`(?:--|//)[^\n]*\r(?:[^\n]|$)`)
	anonymousProcedure = lazyregexp.New(`(?i)\bAS[\s\v\p{Z}]*PROCEDURE[\s\v\p{Z}]*\(`)
)

// reads reports whether a statement with this first word changes nothing. Snowflake has no read-only sessions, but such
// statements cannot contain DML.
func reads(first string) bool {
	switch first {
	case "SELECT", "WITH", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "VALUES", "LIST", "LS":
		return true
	}
	return false
}

// leavesNothing reports whether a statement leaves the session's state unchanged. CREATE SCHEMA, for example, makes the
// new schema the current one.
func leavesNothing(sql string) bool {
	bare, _ := readings(sql)
	return !slices.ContainsFunc(bare, func(text string) bool { return !begunLeavesNothing(words(text, 6)) })
}

func begunLeavesNothing(w []string) bool {
	if len(w) == 0 || reads(w[0]) {
		return true
	}
	switch w[0] {
	case "INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "COPY", "COMMENT", "GRANT", "REVOKE":
		return true
	case "CREATE", "ALTER", "DROP":
		for _, word := range w[1:] {
			switch word {
			case "OR", "REPLACE", "TRANSIENT", "SECURE":
			case "TABLE", "VIEW":
				return true
			default:
				return false
			}
		}
	}
	return false
}

// nameOf returns a table's name if it is valid: one to three parts joined by dots, quoted unless they are plain names.
func nameOf(table string) (string, error) {
	if _, err := (driver.Ref{Kind: driver.RefTable, Name: table}).Parts(); err != nil {
		return "", invalid("expected a table's name, such as schema.table")
	}
	return table, nil
}
