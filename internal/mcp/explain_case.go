package mcp

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf/identity"
)

var explainCase = tool{
	name: "explain_case", title: "Explain a case of a run", role: identity.Read,
	doc: "Shows a question, what an agent answered to it in a stored run, and whether check_answer accepts that answer. The " +
		"verdict counts against the limit of the case as if the answer were checked; the same answer again counts once.",
	input: `{"type":"object","additionalProperties":false,"required":["case_id"],"properties":{` +
		`"case_id":{"type":"string"},` +
		`"run":{"type":"string","description":"ID of the run (default the latest that scored the case)."},` +
		`"agent":{"type":"string","description":"Only answers of this agent."},` +
		`"version":{"type":"string","description":"Only answers of this version of the agent."},` +
		`"batch":{"type":"string","description":"Only answers of this batch."}}}`,
	call: (*Server).explainCase,
}

type explainInput struct {
	CaseID  string `json:"case_id"`
	Run     string `json:"run"`
	Agent   string `json:"agent"`
	Version string `json:"version"`
	Batch   string `json:"batch"`
}

type explanation struct {
	CaseID  string `json:"case_id"`
	Run     string `json:"run"`
	Agent   string `json:"agent"`
	Version string `json:"version"`
	Batch   string `json:"batch"`
	Metric  string `json:"metric"` // that decides
	Outcome
	Left      int     `json:"left"`
	Untrusted written `json:"untrusted"` // what people and agents wrote

	Detail *caseview.View `json:"detail,omitempty"` // only with show_gold
}

// written is the text of a question and of an answer to it.
type written struct {
	Question string `json:"question"`
	SQL      string `json:"sql"`
	Error    string `json:"error"`
	Response string `json:"response"`
}

// longestText is the maximum number of bytes of a string from a case in a reply.
const longestText = 8 << 10

func (s *Server) explainCase(ctx context.Context, c *call, arguments json.RawMessage) (reply any, err error) {
	var in explainInput
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	c.caseID = in.CaseID
	err = s.reading(ctx, func() error {
		sought := &evaluation.Sought{Case: in.CaseID, RunID: in.Run,
			Of: scoring.AnswerID{By: scoring.By{Agent: in.Agent, Version: in.Version, Batch: in.Batch}}}
		defer startPace().wait(ctx)
		found, err := s.o.Stored(ctx, sought)
		switch {
		case errcode.IsUsage(err):
			return plainFlags(err)
		case err != nil && errcode.Of(err) != errcode.NotFound: // it may quote gold
			s.o.Log.Error("a stored case cannot be read", slog.String("case", in.CaseID), slog.String("error", err.Error()))
			return errcode.New(errcode.FailedPrecondition, "the case cannot be read; the log of the server contains the reason")
		case err != nil:
			return err
		}
		reply, err = s.explain(ctx, c, &found)
		return err
	})
	return reply, err
}

func (s *Server) explain(ctx context.Context, c *call, in *caseview.Input) (*explanation, error) {
	of := in.Case.AnswerID()
	j, err := s.judge(ctx, of.CaseID, in.Case, s.within(c))
	if err != nil {
		return nil, err
	}
	grants, err := s.grant(c, "explain_case", j.Request)
	if err != nil {
		return nil, err
	}
	g := grants[0]
	out := &explanation{CaseID: of.CaseID, Run: in.RunID, Agent: of.Agent, Version: of.Version, Batch: of.Batch,
		Metric: s.metric.Name, Outcome: j.Outcome, Left: g.Left}
	if g.Refused {
		out.Outcome = limitReached
	}
	mine := *in.Case // the view must not depend on gold, not even by the masked columns
	mine.Golds, mine.Human, mine.Votes, mine.Note = nil, nil, nil, ""
	view, err := caseview.Build(ctx, caseview.Input{Case: &mine, Mask: in.Mask}, caseview.Options{})
	if err != nil {
		return nil, err
	}
	out.Untrusted = written{Question: shortened(view.Question, longestText),
		SQL: shortened(view.Queries.RawAgent, longestText), Error: shortened(view.AgentError, longestText),
		Response: shortened(view.Response, longestText)}
	if s.o.ShowGold {
		out.Detail, err = caseview.Build(ctx, *in, caseview.Options{})
	}
	return out, err
}
