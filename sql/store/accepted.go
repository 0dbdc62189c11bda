package store

import (
	"context"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Acceptance is a row of accepted: a person accepted a batch as a baseline, or withdrew the acceptance.
type Acceptance struct {
	ID string
	scoring.By
	Withdrawn bool
	Who       string
	When      time.Time
	Note      string
}

// Accept appends a row to accepted.
func (w *Store) Accept(ctx context.Context, a *Acceptance) error {
	if a.ID == "" || a.When.IsZero() {
		return errcode.New(errcode.InvalidArgument, "accepting a batch: expected an ID and a time")
	}
	b := newRows("accepted")
	defer b.release()
	b.row(a.ID, a.Agent, a.Version, a.Batch, a.Withdrawn, a.Who, a.When, optional(a.Note))
	return b.merge(ctx, w)
}

// Accepted lists the latest row of each batch, the latest first, including rows that withdraw an acceptance. It returns
// nil if the table does not exist.
func (w *Store) Accepted(ctx context.Context) ([]Acceptance, error) {
	list, err := all(ctx, w, acceptedBatches())
	if errcode.Of(err) == errcode.NotFound {
		return nil, nil
	}
	return list, err
}

// acceptedBatches returns the statement for the latest row of each batch in accepted.
func acceptedBatches() Select[Acceptance] {
	fields := []field[Acceptance]{{SQL: "acceptance_id", In: func(a *Acceptance) any { return &a.ID }}}
	fields = append(fields, fieldsIn(byFields, func(a *Acceptance) *scoring.By { return &a.By })...)
	fields = append(fields,
		isOne("gone", func(a *Acceptance) *bool { return &a.Withdrawn }),
		field[Acceptance]{SQL: "accepted_by", In: func(a *Acceptance) any { return &a.Who }},
		field[Acceptance]{SQL: "accepted_at", In: func(a *Acceptance) any { return &a.When }},
		field[Acceptance]{SQL: "note", In: func(a *Acceptance) any { return &a.Note }})
	return Select[Acceptance]{
		What:   "reading accepted",
		Fields: fields,
		From: `
FROM (SELECT acceptance_id, agent_name, agent_version, batch_id, CASE WHEN withdrawn THEN 1 ELSE 0 END AS gone, accepted_by, accepted_at, note,
    ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id ORDER BY accepted_at DESC, acceptance_id DESC) AS newest FROM badger.accepted) a
WHERE newest = 1 ORDER BY accepted_at DESC, acceptance_id DESC`,
	}
}
