package scoring

import (
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// WrittenSQL returns the SQL of a query of the case without the text that agents write around it, such as a Markdown
// fence, and descriptions of the removed text. All code that runs or parses the query uses it.
func (c *Case) WrittenSQL(q *Query) (sql string, around []string) {
	return sqlparts.Unwrap(q.SQL, sqlparts.DialectOf(c.Dialect))
}

// written returns a copy of q whose SQL is that of [Case.WrittenSQL].
func (c *Case) written(q *Query) *Query {
	out := *q
	out.SQL, out.Around = c.WrittenSQL(q)
	return &out
}

// wrapped returns the warning that text around the SQL was ignored, or nil if there was none.
func (q *Query) wrapped(of string) []string {
	if len(q.Around) == 0 {
		return nil
	}
	return []string{of + " was read without what is written around it: " + strings.Join(q.Around, ", ")}
}
