package metric

import (
	"context"
	"fmt"
	"slices"

	"github.com/badger-eval/badger/scoring"
)

// The labels of intent_resolution_category.
var intentCategories = []string{"decomposition", "clarification", "both", "none"}

// The grades of intent resolution (BADGER, section 7.4), each with the minimum score.
var intentGrades = []struct {
	least float64
	name  string
}{{8, "excellent"}, {5, "adequate"}, {2, "poor"}, {0, "unresolved"}}

func init() {
	const example = "\"What did we sell, and to whom?\", both answered one after the other; the judge gives 9, decomposition: "
	register(scoring.Metric{
		Name: "intent_resolution", Display: "Intent resolved",
		Version: 2, Group: "agent",
		Context: scoring.FieldClarifications,
		Branch:  scoring.BranchAgentic, FailedQuery: scoring.FailedIsIgnored("the metric reads the response"),
		Needs: responseNeeds, Reads: responseReads,
		Summary: "How well the agent resolved the user's intent: it split a question that bundles several, and asked about " +
			"or settled what was ambiguous.",
		Range: "0 to 1",
		Formula: "the judge's score from 0 to 10, divided by 10. A single clear request that is answered, or rightly " +
			"declined, needs no splitting and is resolved. A warning says where the score contradicts how the intents were handled. Detail: score; grade (excellent from 8, adequate from 5, " +
			"poor from 2, else unresolved); category; intents, each with its handling (answered, asked_back, declined, " +
			"missed); reasoning." + responseCall,
		Source:  "BADGER, section 7.4 (score and grades), Table 2 and section 7.5 (normalized to 0 to 1); the grade below 2 has no name there",
		Gaming:  "Asking back always, or naming a reading always, pleases a judge. A warning says where the score contradicts how the intents were handled; refusal counts questions back where an answer is expected.",
		Example: example + "0.9.",
		Score: scoreIntent(func(i *intentReply) scoring.Score {
			return scoring.OK(i.Score/10, fmt.Sprintf("the judge gives %v of 10: %s", i.Score, i.grade()))
		}),
	})
	register(scoring.Metric{
		Name: "intent_resolution_category", Display: "How the intent was resolved",
		Version: 2, Group: "agent",
		Context: scoring.FieldClarifications,
		Branch:  scoring.BranchAgentic, FailedQuery: scoring.FailedIsIgnored("the metric reads the response"),
		Needs: responseNeeds, Reads: responseReads, Labels: slices.Clone(intentCategories),
		Summary: "How the agent dealt with the user's intent: by splitting the question, by asking for clarification, by " +
			"both or by neither.",
		Range:   "0 or 1",
		Formula: "the label is the judge's: decomposition, clarification, both or none. The value is 0 for none, else 1. For one clear request, none is correct, so the value is not a verdict. Detail as for intent_resolution." + responseCall,
		Source:  "BADGER, Table 2",
		Gaming:  "It is not a verdict: the label none is correct for one clear request, and an agent that always asks back has 1. Read it with refusal.",
		Example: example + "decomposition, 1.",
		Score: scoreIntent(func(i *intentReply) scoring.Score {
			s := scoring.OK(1, "the judge calls it "+i.Category)
			if s.Label = i.Category; s.Label == "none" {
				s.Value, s.Reason = 0, "the judge sees neither decomposition nor clarification"
			}
			return s
		}),
	})
}

// intentReply is the judge's reply on how the agent understood a question.
type intentReply struct {
	Intents   []intentHandled `json:"intents"`
	Reasoning string          `json:"reasoning"`
	Category  string          `json:"category"`
	Score     float64         `json:"score"` // a whole number
}

// intentHandled is one thing that the question asks for.
type intentHandled struct {
	Intent   string `json:"intent"`
	Handling string `json:"handling"`
}

func (i *intentReply) grade() string {
	for _, g := range intentGrades {
		if i.Score >= g.least {
			return g.name
		}
	}
	return ""
}

// intentDetail is the evidence of both metrics.
type intentDetail struct {
	Score     float64         `json:"score"` // 0 to 10
	Grade     string          `json:"grade"`
	Category  string          `json:"category"`
	Intents   []intentHandled `json:"intents,omitempty"`
	Reasoning string          `json:"reasoning,omitempty"`
}

func scoreIntent(score func(*intentReply) scoring.Score) func(context.Context, *scoring.Input) (scoring.Score, error) {
	return func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
		reply, _, err := judgedResponse(ctx, in)
		if err != nil {
			return scoring.Score{}, err
		}
		i := &reply.Intent
		s := score(i)
		s.Detail = intentDetail{i.Score, i.grade(), i.Category, i.Intents, i.Reasoning}
		s.Warnings = append(i.contradictions(), unjudged(in)...)
		return s, nil
	}
}

// contradictions returns descriptions of contradictions between the judge's score or category and its reported
// handling of the intents. They do not change the score.
func (i *intentReply) contradictions() (said []string) {
	handled := map[string]int{}
	for _, h := range i.Intents {
		handled[h.Handling]++
	}
	missed, asked := handled["missed"], handled["asked_back"]
	grade := i.grade()
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	switch all := len(i.Intents); {
	case all == 0:
	case missed == all && i.Score >= 2:
		say("the judge gives %v of 10 and yet calls every intent missed", i.Score)
	case missed > 0 && grade == "excellent":
		say("the judge gives %v of 10 and yet calls %d of %d intents missed", i.Score, missed, all)
	case missed == 0 && grade == "unresolved":
		say("the judge gives %v of 10 and yet calls no intent missed", i.Score)
	}
	switch i.Category {
	case "clarification", "both":
		if len(i.Intents) > 0 && missed == len(i.Intents) {
			say("the judge calls it %s and yet calls every intent missed", i.Category)
		}
	case "none", "decomposition":
		if asked > 0 {
			say("the judge calls it %s and yet says that the agent asked back", i.Category)
		}
	}
	return said
}
