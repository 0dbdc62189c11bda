package scoring

import (
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// WrittenSQL returns the SQL of a query of the case without the text that agents write around it, such as a
// Markdown fence, and describes that text. All code that runs or reads the query uses it.
func (c *Case) WrittenSQL(q *Query) (sql string, around []string) {
	return sqlparts.Unwrap(q.SQL, sqlparts.DialectOf(c.Dialect))
}

// written is a copy of a query of the case with its SQL alone.
func (c *Case) written(q *Query) *Query {
	out := *q
	out.SQL, out.Around = c.WrittenSQL(q)
	return &out
}

// wrapped returns the warning that the SQL was extracted from surrounding text.
func (q *Query) wrapped(of string) []string {
	if len(q.Around) == 0 {
		return nil
	}
	return []string{of + " was read without what is written around it: " + strings.Join(q.Around, ", ")}
}
