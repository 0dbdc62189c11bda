package execution

import (
	"context"
	"fmt"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// refuse returns why a query is not run. It is the query's own error if it would do more than read, if it is not a
// query, or if it calls a function that the database does not have. A query about which badger knows too little is
// not the author's error.
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

// refuses reports whether the database is known not to parse a text as a query. Only DuckDB can be asked without
// running it: for others, text that badger cannot parse may be syntax that it does not know.
func refuses(ctx context.Context, w Warehouse, sql string) bool {
	return sqlparts.DialectOf(w.Dialect()) == sqlparts.DuckDB &&
		answers(ctx, w, "SELECT count(*) FROM (SELECT json_serialize_sql(?::VARCHAR) AS j) WHERE j ->> 'error' = 'false' AND json_array_length(j -> 'statements') = 1", sql) == "0"
}

// functionCounts are the queries that count what may be meant by the call of a name in lower case, by
// dialect.
var functionCounts = map[sqlparts.Dialect]string{
	sqlparts.DuckDB: "SELECT count(*) FROM duckdb_functions() WHERE lower(function_name) = ?",
	// f(x) may also be a conversion to the type f, or the column f of the row x.
	sqlparts.Postgres: "SELECT (SELECT count(*) FROM pg_catalog.pg_proc WHERE lower(proname) = $1) + (SELECT count(*) FROM pg_catalog.pg_type WHERE lower(typname) = $1) + " +
		"(SELECT count(*) FROM pg_catalog.pg_attribute WHERE lower(attname) = $1)",
}

// lacks reports whether the database is known not to have a function, in any schema.
func lacks(ctx context.Context, w Warehouse, name string) bool {
	query, ok := functionCounts[sqlparts.DialectOf(w.Dialect())]
	if !ok {
		return false
	}
	last := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	return answers(ctx, w, query, last) == "0"
}

// answers is the one cell that a query returns; "" without one.
func answers(ctx context.Context, w Warehouse, query string, args ...any) string {
	t, err := w.QueryWithin(ctx, 1, 1<<16, query, args...)
	if err != nil || t.Rows() != 1 {
		return ""
	}
	return t.Columns[0].Value(0).String()
}
