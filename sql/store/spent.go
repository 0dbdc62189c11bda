package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// spentColumns are the columns of agent_runs that [scoring.SpentOfCells] reads.
var spentColumns = [...]string{"cost_usd", "tokens_in", "tokens_out", "latency_ms"}

// spentRow is what an answer took, as strings in the order of spentColumns.
type spentRow struct {
	caseID string
	cells  [len(spentColumns)]string
}

// Spent returns what the answers of a batch in agent_runs took, by case, and the answers with a value that cannot be
// read, and so is unknown. It is nil if agent_runs does not exist or has no answer of the batch.
func (w *Store) Spent(ctx context.Context, of scoring.By) (out map[string]scoring.Spent,
	unreadable scoring.UnreadableSpent, err error) {
	r, err := w.reader(ctx, "agent_runs")
	if errcode.Of(err) == errcode.NotFound {
		return nil, unreadable, nil
	}
	if err != nil {
		return nil, unreadable, err
	}
	q := inputs{Reader: r}
	for row, err := range Rows(ctx, w, q.spent(of)) {
		if err != nil {
			return nil, unreadable, err
		}
		if out == nil {
			out = map[string]scoring.Spent{}
		}
		if _, copied := out[row.caseID]; copied {
			continue
		}
		spent, err := spentOf(row.cells)
		if err != nil {
			unreadable.Add(row.caseID, err)
		}
		out[strings.Clone(row.caseID)] = spent
	}
	return out, unreadable, nil
}

// spentOf returns what an answer took from the values of spentColumns.
func spentOf(cells [len(spentColumns)]string) (scoring.Spent, error) {
	return scoring.SpentOfCells(func(column string) string { return cells[slices.Index(spentColumns[:], column)] })
}

// spentTexts is a query for what the answers took as strings; copy is 1 for one of several rows of an answer.
const spentTexts = `SELECT agent_name, agent_version, batch_id, case_id, cost_usd, tokens_in, tokens_out, latency_ms,
      ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) AS copy
      FROM (SELECT {key agent_runs.agent_name} AS agent_name, {key agent_runs.agent_version} AS agent_version, {key agent_runs.batch_id} AS batch_id, {key agent_runs.case_id} AS case_id, {column agent_runs.ran_at} AS ran_at, {text agent_runs.sql} AS sql,
        {text agent_runs.cost_usd} AS cost_usd, {text agent_runs.tokens_in} AS tokens_in, {text agent_runs.tokens_out} AS tokens_out, {text agent_runs.latency_ms} AS latency_ms FROM badger.agent_runs) r`

// spent returns the statement for what the answers of a batch took. Of several rows of an answer, the first in the
// order of [inputs.cases] comes first.
func (q inputs) spent(of scoring.By) Select[spentRow] {
	fields := []field[spentRow]{{SQL: "r.case_id AS case_id", In: func(s *spentRow) any { return &s.caseID }}}
	for i, name := range spentColumns {
		fields = append(fields, field[spentRow]{SQL: "r." + name, In: func(s *spentRow) any { return &s.cells[i] }})
	}
	from := " FROM " + q.runs(append(spentColumns[:], "ran_at", "sql")) +
		q.where(Filter{By: scoring.By{Agent: cmp.Or(of.Agent, scoring.Unnamed),
			Version: cmp.Or(of.Version, scoring.Unnamed), Batch: cmp.Or(of.Batch, scoring.Unnamed)}}, nil)
	return Select[spentRow]{What: "reading agent_runs", Fields: fields,
		From: from + " ORDER BY r.case_id, r.ran_at, r.sql", Args: q.args, Borrow: true}
}
