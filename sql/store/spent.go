package store

import (
	"cmp"
	"context"
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

// Spent returns what the answers of a batch in agent_runs took, by case, and the number of answers with a value that
// cannot be read, and so is unknown. It is nil if agent_runs does not exist or has no answer of the batch.
func (w *Store) Spent(ctx context.Context, of scoring.By) (out map[string]scoring.Spent, unreadable int, err error) {
	r, err := w.reader(ctx, "agent_runs")
	if errcode.Of(err) == errcode.NotFound {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	q := inputs{Reader: r}
	for row, err := range Rows(ctx, w, q.spent(of)) {
		if err != nil {
			return nil, 0, err
		}
		if out == nil {
			out = map[string]scoring.Spent{}
		}
		if _, copied := out[row.caseID]; copied {
			continue
		}
		spent, err := scoring.SpentOfCells(func(column string) string {
			for i, name := range spentColumns {
				if name == column {
					return row.cells[i]
				}
			}
			return ""
		})
		if err != nil {
			unreadable++
		}
		out[strings.Clone(row.caseID)] = spent
	}
	return out, unreadable, nil
}

// spent returns the statement for what the answers of a batch took. Of several rows of an answer, the first in the order
// of [inputs.cases] comes first.
func (q inputs) spent(of scoring.By) Select[spentRow] {
	fields := []field[spentRow]{{SQL: "r.case_id AS case_id", In: func(s *spentRow) any { return &s.caseID }}}
	for i, name := range spentColumns {
		fields = append(fields, field[spentRow]{SQL: "r." + name, In: func(s *spentRow) any { return &s.cells[i] }})
	}
	from := " FROM " + q.runs(append(spentColumns[:], "ran_at", "sql")) +
		q.where(Filter{By: scoring.By{Agent: cmp.Or(of.Agent, scoring.Unnamed),
			Version: cmp.Or(of.Version, scoring.Unnamed), Batch: cmp.Or(of.Batch, scoring.Unnamed)}}, nil)
	return Select[spentRow]{What: "reading agent_runs", Fields: fields, From: from + " ORDER BY r.case_id, r.ran_at, r.sql",
		Args: q.args, Borrow: true}
}
