package metric

import (
	"context"
	"fmt"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
)

// gevalMost is the best score of a dimension; the worst is 1.
const gevalMost = 5

// gevalRating is the judge's score of one dimension. The reasoning precedes the score in the reply.
type gevalRating struct {
	Reasoning string  `json:"reasoning"`
	Score     float64 `json:"score"` // a whole number, written 4 or 4.0
}

// gevalDetail is the evidence of the metrics of G-Eval.
type gevalDetail struct {
	Score         float64   `json:"score"`                   // 1 to 5: the expected score, or Judge without probabilities
	Judge         float64   `json:"judge_score"`             // the score in the judge's reply
	Probabilities []float64 `json:"probabilities,omitempty"` // of the scores 1 to 5; nil if the backend omits them
	Reasoning     string    `json:"reasoning,omitempty"`
}

func init() {
	for _, d := range []struct {
		dimension, display, summary, example string
		rating                               func(*responseReply) gevalRating
		grounded                             bool // the dimension needs the agent's result
	}{
		{"coherence", "Response well organized",
			"How well the agent's response is organized: whether its sentences build up to an answer.",
			"the judge gives 4: (4 − 1) / 4 = 0.75.", func(r *responseReply) gevalRating { return r.Coherence }, false},
		{"consistency", "Response agrees with the data",
			"How far the agent's response agrees with the data that its query returned.", "the judge gives 5: 1.",
			func(r *responseReply) gevalRating { return r.Consistency }, true},
		{"fluency", "Response well written",
			"How good the language of the agent's response is: grammar, spelling, ease of reading.",
			"the judge writes 5 with probability 0.6 and 4 with 0.4: 4.6, (4.6 − 1) / 4 = 0.9.",
			func(r *responseReply) gevalRating { return r.Fluency }, false},
		{"relevance", "Response to the point", "How far the agent's response is about the question, and about nothing else.",
			"the judge gives 1: 0.", func(r *responseReply) gevalRating { return r.Relevance }, false},
	} {
		needs := ""
		if d.grounded {
			needs = " Not applicable without a result, unless the query failed."
		}
		register(scoring.Metric{
			Name: "geval_" + d.dimension, Version: 2, Group: "agent",
			Display: d.display,
			Context: scoring.FieldClarifications,
			Branch:  scoring.BranchAgentic, FailedQuery: scoring.FailedIsIgnored("the metric reads the response"),
			Needs: responseNeeds, Reads: responseReads,
			Summary: d.summary,
			Range:   "0 to 1",
			Formula: "(s − 1) / 4, where s is the judge's score from 1 to 5, given after its reasoning. If the backend returns " +
				"log-probabilities, s = Σ p(i)·i over the scores i among the alternatives of the score's token. Their " +
				"probabilities p are scaled to add up to 1, and s is rounded to six digits. Otherwise s is the score as " +
				"written. Detail: score, s; judge_score, as written; probabilities of 1 to 5; reasoning." + needs + responseCall,
			Source:  "BADGER, section 7.3 and Table 2 (scale 1 to 5), section 7.5 (normalized to 0 to 1); G-Eval (Liu et al. 2023), section 2, equation 1",
			Gaming:  gaming["geval_"+d.dimension],
			Example: d.example,
			Score: func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
				if d.grounded && !hasEvidence(in) {
					return scoring.NotApplicable(noEvidence), nil
				}
				reply, response, err := judgedResponse(ctx, in)
				if err != nil {
					return scoring.Score{}, err
				}
				s := geval(d.dimension, d.rating(reply), response)
				s.Warnings = unjudged(in)
				return s, nil
			},
		})
	}
}

func geval(dimension string, r gevalRating, response judgebackend.Response) scoring.Score {
	d := gevalDetail{Score: r.Score, Judge: r.Score, Reasoning: r.Reasoning}
	reason := fmt.Sprintf("the judge gives %v of %d", r.Score, gevalMost)
	if p := scoreProbabilities(response, []string{dimension, "score"}, int(r.Score)); p != nil {
		d.Score, d.Probabilities = expectedScore(p), p
		reason = fmt.Sprintf("the judge gives %v of %d, weighted by the probabilities of its scores", d.Score, gevalMost)
	}
	s := scoring.OK((d.Score-1)/(gevalMost-1), reason)
	s.Detail = d
	return s
}
