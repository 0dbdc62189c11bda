package snowflake

import (
	"regexp"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// words are the first n words of a statement in upper case, behind comments and opening brackets.
func words(sql string, n int) []string {
	var out []string
	for len(out) < n {
		sql = strings.TrimLeft(sql, " \t\r\n(;")
		switch {
		case strings.HasPrefix(sql, "--"), strings.HasPrefix(sql, "//"):
			end := strings.IndexByte(sql, '\n')
			if end < 0 {
				return out
			}
			sql = sql[end:]
		case strings.HasPrefix(sql, "/*"):
			end := strings.Index(sql[2:], "*/") // the star of /*/ does not end it
			if end < 0 {
				return out
			}
			sql = sql[end+4:]
		default:
			end := 0
			for end < len(sql) && (sql[end] == '_' || sql[end] >= 'a' && sql[end] <= 'z' || sql[end] >= 'A' && sql[end] <= 'Z') {
				end++
			}
			if end == 0 {
				return out
			}
			out, sql = append(out, strings.ToUpper(sql[:end])), sql[end:]
		}
	}
	return out
}

// check refuses what this connection does not run.
func (c *Conn) check(sql string) error {
	if strings.IndexByte(sql, 0) >= 0 {
		return invalid("a NUL byte in the SQL text; use a parameter")
	}
	first := words(sql, 1)
	if len(first) == 0 {
		return invalid("no statement")
	}
	switch first[0] {
	case "PUT", "GET": // the driver would run these itself, on files of this machine
		return errcode.New(errcode.PermissionDenied, "snowflake: %s moves files of this machine and is not run", first[0])
	}
	if !c.readOnly {
		return nil
	}
	switch {
	case nestedComment.MatchString(sql): // its end is a matter of opinion
		return errcode.New(errcode.PermissionDenied, "snowflake: a comment that holds /* is not run on a connection that only reads")
	case loneReturn.MatchString(sql): // as above
		return errcode.New(errcode.PermissionDenied, "snowflake: a comment that holds a carriage return without a line feed is not run on a connection that only reads")
	case anonymousProcedure.MatchString(sql): // WITH p AS PROCEDURE () … CALL p() may do anything
		return errcode.New(errcode.PermissionDenied, "snowflake: procedures are not run on a connection that only reads")
	}
	for _, part := range strings.Split(sql, "->>") { // one statement's result may be piped into another
		if first := words(part, 1); len(first) == 0 || !reads(first[0]) {
			return errcode.New(errcode.PermissionDenied, "snowflake: only statements that read are run on a connection that only reads")
		}
	}
	return nil
}

const between = `(?:[\s\v\p{Z}]|/\*(?s:.*?)\*/|(?:--|//)[^\n]*\n)*` // words

var (
	nestedComment      = regexp.MustCompile(`/\*(?:[^*]|\*+[^*/])*/\*`)
	loneReturn         = regexp.MustCompile(`(?:--|//)[^\n]*\r(?:[^\n]|$)`)
	anonymousProcedure = regexp.MustCompile(`(?i)\bAS` + between + `PROCEDURE` + between + `\(`)
)

// reads tells statements that change nothing. Snowflake has no read-only sessions; but what begins
// with these cannot hold DML.
func reads(first string) bool {
	switch first {
	case "SELECT", "WITH", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "VALUES", "LIST", "LS":
		return true
	}
	return false
}

// leavesNothing tells statements after which a session is as good as new. CREATE SCHEMA, for one,
// makes the new schema the current one.
func leavesNothing(sql string) bool {
	w := words(sql, 6)
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

// nameOf checks the name of a table, one to three parts with points between them, quoted where they
// are no plain names.
func nameOf(table string) (string, error) {
	if _, err := (driver.Ref{Kind: driver.RefTable, Name: table}).Parts(); err != nil {
		return "", invalid("expected a table's name, such as schema.table")
	}
	return table, nil
}
