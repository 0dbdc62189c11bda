package metric

import (
	"context"
	"fmt"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
)

func init() {
	register(scoring.Metric{
		Name: "llm_ex", Display: "Right result, by a judge",
		Version: 1, Group: "execution",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs: scoring.FieldJudge | scoring.FieldQuestion | scoring.FieldGoldResult | scoring.FieldPredResult |
			scoring.FieldGoldSQL | scoring.FieldPredSQL,
		Reads:   circumstance,
		Summary: "How much of the gold result the agent's result delivers, in the eyes of a judge who sees both results, both queries and the question: execution accuracy by a model alone.",
		Range:   "0 to 1",
		Formula: "the judge's grade from 0 to 1: 1 is complete, from 0.9 near_complete, from 0.5 partial, above 0 overlap, 0 no_match. Passes from 0.9. One call. " +
			"detail.category is the category that the judge names. detail.agrees is true if it equals result_match_category, which follows from the " +
			"evidence. A warning is added if the judge's grade contradicts the judge's category.",
		Source:    "BADGER, section 6.2 (LLM-EX, the output match score of stage 1 in isolation), Table 2 and appendix A.3 (matching category, judge score); the ranges of the grades and the threshold are decided here",
		Gaming:    "The judge sees both queries and may grade their likeness, and strings in cells may address it. Everything from the case is set off as material, detail.agrees compares the grade with the category that the evidence gives, and calibrate measures the judge on labels.",
		Example:   "nine of ten rows are right: {\"category\": \"near_complete\", \"score\": 0.9} is 0.9 and passes.",
		Threshold: scoring.At(0.9),
		Score:     llmEx,
	})
}

type llmExReply struct {
	Analysis string  `json:"analysis"`
	Category string  `json:"category"`
	Score    float64 `json:"score"`
}

// llmExDetail is the evidence of the metric llm_ex.
type llmExDetail struct {
	Category string `json:"category"` // the judge's
	Evidence string `json:"evidence"` // the label of result_match_category with its default options
	Agrees   bool   `json:"agrees"`   // whether the two are the same
	Analysis string `json:"analysis,omitempty"`
}

func llmEx(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	var reply llmExReply
	if err := in.Ask(ctx, prompt.LLMEx.Request(materialOf(in, resultsUnknown)), &reply); err != nil {
		return scoring.Score{}, err
	}
	o := hybridDeclared.Defaults
	evidence, _ := category(byEvidence(in, &o).value())
	s := scoring.OK(reply.Score, "the judge calls the agent's result "+reply.Category)
	s.Detail = llmExDetail{Category: reply.Category, Evidence: evidence, Agrees: evidence == reply.Category,
		Analysis: reply.Analysis}
	if graded, _ := category(reply.Score); graded != reply.Category {
		s.Warnings = append(s.Warnings,
			fmt.Sprintf("the judge's grade is one of %s, its category is %s", graded, reply.Category))
	}
	return s, nil
}
