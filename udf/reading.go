package udf

import (
	"context"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

const (
	// sqlExpansion is how many bytes a byte of SQL takes at most while a metric reads it: its words, its
	// tree and what is made of these. The most seen was 130.
	sqlExpansion = 128
	// shortSQL is how long a text may be that is read without a reservation: the rows that are computed
	// at once take less than a message then.
	shortSQL = 16 << 10
)

// reading reserves the memory that parsing the long SQL texts of a row takes, in the account of the
// caller. The returned function releases it; it may be called after the call has ended. A row that
// needs more memory than is left fails; the other rows of its call do not.
func (f *Function) reading(ctx context.Context, in *Batch, i int) (done func(), err error) {
	done = func() {}
	s := shareFrom(ctx)
	if s == nil {
		return done, nil
	}
	var n int64
	for k := range in.Args {
		if a := &in.Args[k]; isSQL(f.Params[k].Name) && i < len(a.Texts) && len(a.Texts[i]) > shortSQL {
			n += sqlExpansion * int64(len(a.Texts[i]))
		}
	}
	if n == 0 {
		return done, nil
	}
	own := s.a.of(s.q.name) // a share of its own: the row of a job may outlive the call
	if err := own.hold(n); err != nil {
		own.end()
		return done, errcode.New(errcode.ResourceExhausted, "reading the SQL of this row takes %d bytes of memory, %d for each of its own, which the server does not have at present; send shorter queries, or fewer rows at once", n, sqlExpansion)
	}
	return own.end, nil
}

// isSQL tells whether a parameter holds SQL: queries, or the DDL of tables.
func isSQL(name string) bool {
	return strings.HasSuffix(name, "sql") || strings.HasSuffix(name, "ddl")
}
