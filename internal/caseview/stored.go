package caseview

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Stored returns the Input for a case of a run in a warehouse: the case, its scores, the judge replies that they are
// based on, and the run's configuration. A case that is not in agent_runs has no answer; one that is not in golden_set
// either has only its names.
func Stored(ctx context.Context, w *store.Store, d *store.CaseDetail, run scoring.RunID) (Input, error) {
	rows, err := w.Runs(ctx, run.ID)
	if err != nil {
		return Input{}, err
	}
	return StoredUnder(ctx, w, d, run, ConfigOf(rows, run))
}

// ConfigOf returns the configuration of a run in rows, or the zero Config if it is missing or invalid.
func ConfigOf(rows []store.Run, run scoring.RunID) (config scoring.Config) {
	for i := range rows {
		var c scoring.Config
		if rows[i].RunID == run && json.Unmarshal([]byte(rows[i].Config), &c) == nil {
			config = c
		}
	}
	return config
}

// StoredUnder is like [Stored], for a run whose configuration is known.
func StoredUnder(ctx context.Context, w *store.Store, d *store.CaseDetail, run scoring.RunID,
	config scoring.Config) (Input, error) {
	in := Input{Case: d.Answer.Case, RunID: run.ID, Snapshots: w, Config: config,
		Unstored: !d.Answer.InSet && d.Answer.Err == nil, Unreadable: d.Answer.Err != nil}
	if in.Case == nil {
		in.Case = &scoring.Case{ID: d.Answer.CaseID}
	}
	in.Case.Agent.Name, in.Case.Agent.Version, in.Case.Agent.BatchID = run.Agent, run.Version, run.Batch
	var ids []string
	for i := range d.Scores {
		s := &d.Scores[i]
		in.Scores = append(in.Scores, s.Score)
		in.GoldHash = s.GoldHash
		for _, id := range s.AssessmentIDs {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	if len(ids) > 0 {
		for a, err := range w.Assessments(ctx, store.AssessmentFilter{IDs: ids}) {
			if err != nil {
				return in, err
			}
			in.Assessments = append(in.Assessments, a)
		}
	}
	return in, nil
}
