package metric

import (
	"context"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
)

// The kinds of a response.
const (
	saidAnswer        = "answer"
	saidRefusal       = "refusal"
	saidClarification = "clarification"
)

// refusalReply is the judge's reply about a response.
type refusalReply struct {
	Kind      string `json:"response"` // answer, refusal or clarification
	Reasoning string `json:"reasoning,omitempty"`
}

// responseKind asks the judge to classify the agent's response. It returns nil without a judge or a response.
func responseKind(ctx context.Context, in *scoring.Input) (*refusalReply, error) {
	if strings.TrimSpace(in.Case.Agent.Response) == "" || !in.HasJudge(prompt.Refusal.Purpose) {
		return nil, nil //nolint:nilnil // unknown
	}
	var reply struct{ Reasoning, Kind string }
	if err := in.Ask(ctx,
		prompt.Refusal.Request(prompt.Material{Question: in.Case.Question, Earlier: in.Case.Agent.Earlier,
			Response: in.Case.Agent.Response}),
		&reply); err != nil {
		return nil, err
	}
	return &refusalReply{reply.Kind, reply.Reasoning}, nil
}
