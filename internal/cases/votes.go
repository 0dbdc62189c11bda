package cases

import (
	"context"
	"fmt"
	"io"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

// Votes returns the verdict of each annotator for each answer; an unsure annotator's is Missing. It omits
// adjudications, and labels that may belong to several answers, which a note reports.
func (s *Warehouse) Votes(ctx context.Context,
	notes io.Writer) (map[scoring.AnswerID]map[string]agreement.Vote, error) {
	all, err := s.Tables.Votes(ctx)
	if err != nil {
		return nil, err
	}
	votes := map[scoring.AnswerID]map[string]agreement.Vote{}
	unknown := 0
	for _, v := range all {
		if !v.Known {
			unknown++
			continue
		}
		if v.Decides { // an adjudication is part of the consensus and not a vote
			continue
		}
		if votes[v.AnswerID] == nil {
			votes[v.AnswerID] = map[string]agreement.Vote{}
		}
		votes[v.AnswerID][v.Annotator] = map[int]agreement.Vote{1: agreement.Pass, -1: agreement.Fail,
			0: agreement.Missing}[v.Says]
	}
	if unknown > 0 {
		fmt.Fprintf(notes, "agent_version is NULL in %s of human_labels, and several versions or none answered the question in the batch: such a label counts for none; set agent_version\n", printable.Count(unknown, "row"))
	}
	return votes, nil
}
