package execution

import (
	"context"
	"fmt"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring/metric"
)

// refuse returns the outcome, code and message of a query that is not run. The outcome is refused, the query's own
// error, if it would do more than read, is not a query, or calls a function that the database lacks. It is unknown if
// badger cannot parse the query or does not know a function.
func (e *Executor) refuse(ctx context.Context, w Warehouse, sql string,
	r *metric.QueryReading) (what, code, message string) {
	const notRun = "the query was not run: "
	denied, invalid := errcode.PermissionDenied.String(), errcode.InvalidArgument.String()
	ctx, cancel := context.WithTimeout(ctx, e.Limits.Timeout)
	defer cancel()
	switch {
	case r.Danger != "":
		return refused, denied, "the query was not run, since it is not one query that only reads: " + r.Danger
	case r.Unread != "" && !r.NoQuery && !refuses(ctx, w, sql):
		return unknown, denied, notRun + "badger cannot read it whole, so that it is not known to only read: " + r.Unread
	case r.Unread != "":
		return refused, invalid, notRun + "it cannot be read as one query: " + r.Unread
	}
	for _, name := range r.Functions {
		if lacks(ctx, w, name) {
			return refused, invalid, fmt.Sprintf("%sthe database has no function %s()", notRun, name)
		}
	}
	return unknown, denied, fmt.Sprintf(
		"%sit is not known whether %s() only reads (--execute-functions names functions that do)", notRun,
		strings.Join(r.Functions, "(), "))
}

// refuses reports whether the database rejects sql as a query without running it. It is false if the database cannot
// check that.
func refuses(ctx context.Context, w Warehouse, sql string) bool {
	query := w.SQL().Reads
	return query != "" && answers(ctx, w, query, sql) == "0"
}

// lacks reports whether the database confirms that it has no function of that name in any schema.
func lacks(ctx context.Context, w Warehouse, name string) bool {
	query := w.SQL().Calls
	return query != "" && answers(ctx, w, query, strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])) == "0"
}

// answers returns the cell of a query's single row as text, or "" on an error or another number of rows.
func answers(ctx context.Context, w Warehouse, query string, args ...any) string {
	t, err := w.QueryWithin(ctx, 1, 1<<16, query, args...)
	if err != nil || t.Rows() != 1 {
		return ""
	}
	return t.Columns[0].Value(0).String()
}
