package mcp

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/sql/store"
)

// never matches names that an agent's query may not contain anywhere, also not in a string or a comment: a function may
// read a string as a name. They are badger's schema and the table with gold answers, which may be in a copy of another
// schema or database; and what databases keep of other queries and of values, since gold queries ran there.
var never = lazyregexp.New(`(?i)\b(badger|golden_set|result_scan|\w*query_history\w*|pg_stat_statements\w*|` +
	`pg_stats\w*|pg_statistic\w*|pragma_storage_info|query_log|general_log|slow_log|events_statements_\w+|` +
	`(stl|stv|svl|svv|sys)_\w*quer\w*)\b`)

// history matches system.query.history of Databricks and INFORMATION_SCHEMA.JOBS of BigQuery.
var history = lazyregexp.New("(?i)\\b(system[`\"\\s.]+query[`\"\\s.]+history|information_schema[`\"\\s.]+jobs(_by_\\w+)?)\\b")

// ownNames are the names of badger's tables and views in lower case.
var ownNames = func() map[string]bool {
	names := map[string]bool{}
	for i := range store.Tables {
		names[store.Tables[i].Name] = true
	}
	for i := range store.Views {
		names[store.Views[i].Name] = true
	}
	return names
}()

// readsOwn reports whether the agent's query may read gold answers, or verdicts: it names badger's tables, or a place
// where the database keeps queries and values. If the role can read badger's tables, the query may also not have
// their names alone, which the search path may resolve. Functions that run or read a string as SQL are rejected
// before ([metric.ReadQuery]). A view over badger's tables is not seen.
func (s *Server) readsOwn(ctx context.Context, c *scoring.Case) (bool, error) {
	sql, _ := c.WrittenSQL(&c.Pred)
	if strings.TrimSpace(sql) == "" || !c.Pred.Result.Absent() {
		return false, nil // it is not run
	}
	mentions := sqlparts.Mentions(sql, sqlparts.DialectOf(c.Dialect))
	if never.MatchString(sql) || history.MatchString(sql) || slices.ContainsFunc(mentions, func(m sqlparts.Mention) bool {
		return slices.ContainsFunc(m.Name, func(i sqlparts.Ident) bool { // an escape may stand for any letter
			return never.MatchString(i.Text) || strings.Contains(i.Text, `\`)
		})
	}) {
		return true, nil
	}
	alone := slices.ContainsFunc(mentions, func(m sqlparts.Mention) bool {
		return len(m.Name) == 1 && ownNames[strings.ToLower(m.Name[0].Text)]
	})
	if !alone || s.o.Exposed == nil {
		return false, nil
	}
	return s.exposed(ctx, c.Database)
}

// exposed reports whether queries can read badger's tables in a database. It asks once, and logs it if they can.
func (s *Server) exposed(ctx context.Context, database string) (bool, error) {
	s.askedMu.Lock()
	defer s.askedMu.Unlock()
	can, known := s.asked[database]
	if known {
		return can, nil
	}
	can, err := s.o.Exposed(ctx, database)
	if err != nil {
		return false, err
	}
	s.asked[database] = can
	if can {
		s.o.Log.Warn("the role that runs queries of agents can read badger's tables, which hold gold answers; queries that name "+
			"them are not run, but views over them are not seen: use a role that cannot read them", slog.String("database", database))
	}
	return can, nil
}
