package metric

import (
	"context"

	"github.com/badger-eval/badger/scoring"
)

func init() {
	register(scoring.Metric{
		Name: "syntactic_accuracy", Display: "Query ran",
		Version: 2, Group: "execution",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs:     scoring.FieldExecution,
		Summary:   "Whether the agent's query ran without an error, whatever it returned.",
		Range:     "0 or 1",
		Formula:   "1 if the query was run and no error is recorded for it, else 0. Not applicable if it was not run.",
		Source:    "BADGER, section 4.1 and Table 2, syntactic accuracy",
		Gaming:    "Any query that runs has 1: SELECT 1. It does not measure the answer.",
		Example:   "A query that names a column that does not exist scores 0; one that returns no rows scores 1.",
		Threshold: scoring.At(1),
		Score: func(context.Context, *scoring.Input) (scoring.Score, error) {
			return scoring.OK(1, "the agent's query ran"), nil
		},
	})
}
