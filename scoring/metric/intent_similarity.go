package metric

import (
	"context"
	"fmt"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
)

func init() {
	register(scoring.Metric{
		Name: "intent_similarity", Display: "Understood as asked",
		Version: 2, Group: "judge",
		Context:     scoring.FieldEvidence,
		Branch:      scoring.BranchSQL,
		FailedQuery: scoring.FailedIsIgnored("the metric reads the interpretation, not the query"),
		Needs:       scoring.FieldJudge | scoring.FieldQuestion | scoring.FieldInterpretation, Reads: scoring.FieldSchema,
		Summary: "How far the agent's interpretation means what the question means.",
		Range:   "0 to 1",
		Formula: "the judge's grade from 0 to 10, divided by 10. If both strings are the same but for case, blanks and punctuation, the value is 1 and there is no call. An interpretation that repeats the question is not " +
			"evidence that the agent understood it, and gets a warning. Otherwise " +
			"there is one call. The judge sees the question, the interpretation and, if the case has them, the hint and the schema. The judge names the differences " +
			"in meaning before the grade. Detail: score; differences, each with aspect (measure, entity, filter, period, grouping, ordering, limit, unit, other), " +
			"kind (lost, added, changed) and explanation; reasoning.",
		Source:  "BADGER, Table 2: semantic similarity of the user's question and the agent's interpretation; graded as the similarity of queries is in section 4.4",
		Gaming:  "An interpretation that repeats the question has 1 and shows nothing. It gets a warning, also if it repeats the question among other words.",
		Example: "\"Sales in Oslo in 2024\" read as \"Total sales in Oslo\": the judge names a lost period and gives 5: 0.5.",
		Score:   intentSimilarity,
	})
}

// intentSimilarityReply is the judge's reply.
type intentSimilarityReply struct {
	Score       float64            `json:"score"` // a whole number from 0 to 10
	Differences []intentDifference `json:"differences"`
	Reasoning   string             `json:"reasoning"`
}

// intentDifference is one difference in meaning.
type intentDifference struct {
	Aspect      string `json:"aspect"`
	Kind        string `json:"kind"`
	Explanation string `json:"explanation"`
}

func intentSimilarity(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	question, interpretation := in.Case.Question, in.Case.Agent.Interpretation
	repeats := repeatsText(question, interpretation)
	if repeats == wholly {
		s := scoring.OK(1, "the interpretation is the question")
		s.Warnings = []string{repeatsWarning}
		return s, nil
	}
	var reply intentSimilarityReply
	if err := in.Ask(ctx, prompt.Intent.Request(prompt.Material{
		Question: question, Earlier: in.Case.Agent.Earlier, Interpretation: interpretation,
		Evidence: in.Case.Evidence, Schema: in.Case.Schema,
	}), &reply); err != nil {
		return scoring.Score{}, err
	}
	s := scoring.OK(reply.Score/10, fmt.Sprintf("the judge gives %v of 10", reply.Score))
	s.Detail = reply
	if repeats == partly {
		s.Warnings = append(s.Warnings, repeatsWarning)
	}
	if reply.Score == 10 && len(reply.Differences) > 0 {
		s.Warnings = append(s.Warnings, "the judge gives 10 of 10 and yet names differences")
	}
	return s, nil
}

const repeatsWarning = "the interpretation repeats the question, which is no evidence that the agent understood it"

// The degree to which an interpretation repeats the question.
const (
	notAtAll = iota
	partly   // it contains the question and other words
	wholly   // it differs from the question only in case, blanks and punctuation
)

func repeatsText(question, interpretation string) int {
	q, i := strings.Join(words(question), " "), strings.Join(words(interpretation), " ")
	switch {
	case q == i && (q != "" || strings.TrimSpace(question) == strings.TrimSpace(interpretation)):
		return wholly
	case q != "" && strings.Contains(" "+i+" ", " "+q+" "):
		return partly
	}
	return notAtAll
}
