package snowflake

import (
	"regexp"
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// readings are the statement in every way in which the server may cut it into strings, names and
// comments, without what these hold; comments are those of all of them.
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

// words are the first n words of a reading in upper case, behind opening brackets.
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

// check refuses what this connection does not run.
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
		case "PUT", "GET": // the driver would run these itself, on files of this machine
			return errcode.New(errcode.PermissionDenied, "snowflake: %s moves files of this machine and is not run", first[0])
		}
	}
	if !c.readOnly {
		return nil
	}
	for _, comment := range comments {
		switch {
		case nestedComment.MatchString(comment): // its end is a matter of opinion
			return errcode.New(errcode.PermissionDenied,
				"snowflake: a comment that holds /* is not run on a connection that only reads")
		case loneReturn.MatchString(comment): // as above
			return errcode.New(errcode.PermissionDenied,
				"snowflake: a comment that holds a carriage return without a line feed is not run on a connection that only reads")
		}
	}
	for _, text := range bare {
		if anonymousProcedure.MatchString(text) { // WITH p AS PROCEDURE () … CALL p() may do anything
			return errcode.New(errcode.PermissionDenied, "snowflake: procedures are not run on a connection that only reads")
		}
		for part := range strings.SplitSeq(text, "->>") { // one statement's result may be piped into another
			if first := words(part, 1); len(first) == 0 || !reads(first[0]) {
				return errcode.New(errcode.PermissionDenied,
					"snowflake: only statements that read are run on a connection that only reads")
			}
		}
	}
	return nil
}

var (
	nestedComment      = regexp.MustCompile(`/\*(?:[^*]|\*+[^*/])*/\*`)
	loneReturn         = regexp.MustCompile(`(?:--|//)[^\n]*\r(?:[^\n]|$)`)
	anonymousProcedure = regexp.MustCompile(`(?i)\bAS[\s\v\p{Z}]*PROCEDURE[\s\v\p{Z}]*\(`)
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

// nameOf checks the name of a table: one to three parts joined by points, quoted unless they are plain names.
func nameOf(table string) (string, error) {
	if _, err := (driver.Ref{Kind: driver.RefTable, Name: table}).Parts(); err != nil {
		return "", invalid("expected a table's name, such as schema.table")
	}
	return table, nil
}
