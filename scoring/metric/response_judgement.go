package metric

import (
	"context"
	"fmt"
	"strings"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
)

// The fields that the metrics of an agent's response share. One call judges faithfulness, the four dimensions of
// G-Eval and intent resolution together (BADGER, section 7.5). All these metrics have the same fields, so that each
// sends the same request. If SQL calls them one by one, the ledger answers all but the first.
const (
	responseNeeds = scoring.FieldJudge | scoring.FieldQuestion | scoring.FieldResponse
	responseReads = scoring.FieldBehaviour | scoring.FieldEvidence | scoring.FieldPredSQL | scoring.FieldPredResult |
		scoring.FieldExecution

	responseCall = " One call for faithfulness, faithfulness_verdict, the four geval and the two intent_resolution metrics of a case together (a second one if the reply must be repaired), counted with the first of them; " +
		"asked for one by one from SQL, all but the first are answered by the ledger. The judge sees question, hint, the agent's query and its result (the first and last 50 rows), the response (cut beyond 12000 characters) and, where it is not an answer, " +
		"what the question calls for. The prompt marks each cut."

	responseLogProbs = 10 // alternatives requested for a token: the five scores, each with and without a leading blank
)

// responseReply is the judge's reply about a response.
type responseReply struct {
	Claims      []claim     `json:"claims"`
	Coherence   gevalRating `json:"coherence"`
	Consistency gevalRating `json:"consistency"`
	Fluency     gevalRating `json:"fluency"`
	Relevance   gevalRating `json:"relevance"`
	Intent      intentReply `json:"intent"`
}

// judgedResponse asks the judge about the agent's response, once for all metrics of the case, and returns the parsed
// reply and the backend's response.
func judgedResponse(ctx context.Context, in *scoring.Input) (*responseReply, judgebackend.Response, error) {
	type key struct{}
	request := scoring.Memo(in, key{}, func() judgebackend.Request {
		r := prompt.Response.Request(prompt.Material{
			Question: in.Case.Question, Earlier: in.Case.Agent.Earlier, Evidence: in.Case.Evidence,
			PredSQL: in.Pred.SQL, PredResult: in.Pred.Result.Table, Failed: in.Pred.Error != "",
			Response: in.Case.Agent.Response, Expected: expectedReaction(&in.Case.Expected),
		})
		r.TopLogProbs = responseLogProbs
		return r
	})
	var reply responseReply
	response, err := in.AskOnceResponse(ctx, request, &reply)
	return &reply, response, err
}

// unjudged returns a warning if the response is too long and the judge was not shown its middle.
func unjudged(in *scoring.Input) []string {
	share := prompt.Unshown(in.Case.Agent.Response)
	if share == 0 {
		return nil
	}
	return []string{
		fmt.Sprintf("%.1f%% of the response, in its middle, is beyond the %d characters that are judged", 100*share,
			prompt.MostResponse)}
}

// expectedReaction describes the expected behavior if the agent should refuse or ask back, with the expected
// clarifications. It is empty if an answer is expected and no clarifications are.
func expectedReaction(e *scoring.Expected) string {
	var said []string
	switch e.Behaviour {
	case scoring.BehaviourRefuse:
		said = append(said, "To be declined, with a reason.")
	case scoring.BehaviourClarify:
		said = append(said, "To be asked back.")
	}
	if len(e.Clarifications) > 0 {
		said = append(said, "What should be asked back:")
		for _, c := range e.Clarifications {
			said = append(said, "- "+c)
		}
	}
	return strings.Join(said, "\n")
}

// hasEvidence reports whether claims can be checked: the agent's result is available, or its query failed.
func hasEvidence(in *scoring.Input) bool {
	return in.Pred.Result.Table != nil || in.Pred.Error != ""
}

const noEvidence = "no result of the agent given to hold its response against"
