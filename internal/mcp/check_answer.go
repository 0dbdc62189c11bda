package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/badger-eval/badger/internal/account"
	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf/identity"
)

var checkAnswer = tool{
	name: "check_answer", title: "Check an answer", role: identity.Call,
	doc: "Checks an answer to a golden question. It returns a pass, fail or undecided, and a reason of a few " +
		"words. Send the result of the query, or its SQL if the server runs queries. A verdict counts against the limit of the case, " +
		"also if it is undecided; the same answer again gives the same verdict and counts once. left is what remains today.",
	input: `{"type":"object","additionalProperties":false,"properties":{` +
		`"case_id":{"type":"string","description":"ID of the case. Give it or question."},` +
		`"question":{"type":"string","description":"The question of the case, word for word."},` +
		`"sql":{"type":"string","description":"The query that answers the question."},` +
		`"result":{"type":["object","string"],"description":"What the query returned: {\"columns\":[{\"name\":\"n\"}],\"rows\":[[1]]}, or a reference such as table:SCHEMA.NAME that the server allows."},` +
		`"response":{"type":"string","description":"The answer in words, if the question calls for a refusal or a clarification."}}}`,
	call: (*Server).checkAnswer,
}

type checkInput struct {
	CaseID   string          `json:"case_id"`
	Question string          `json:"question"`
	SQL      string          `json:"sql"`
	Result   json.RawMessage `json:"result"`
	Response string          `json:"response"`
}

// verdict is the reply of check_answer. All replies have the same members.
type verdict struct {
	CaseID string `json:"case_id"`
	Outcome
	Left int `json:"left"`

	Detail *caseview.View `json:"detail,omitempty"` // only with show_gold
}

func (s *Server) checkAnswer(ctx context.Context, c *call, arguments json.RawMessage) (any, error) {
	var in checkInput
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	q, err := s.golden.find(in.CaseID, in.Question)
	if err != nil {
		return nil, err
	}
	c.caseID = q.ID
	counted, end := s.pool.With(ctx)
	defer end()
	answer, err := s.answer(counted, q, &in)
	if err != nil {
		return nil, err
	}
	p := startPace()
	defer p.wait(ctx)
	// A query runs before its verdict is sought: the verdict of another result is another one.
	broken := s.fill(counted, q, answer)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	request := Request{Case: q.ID, Topic: q.topic, Answer: s.digest(q, answer, broken != nil)}
	grants, err := s.grant(c, "check_answer", request)
	if err != nil {
		return nil, err
	}
	g := grants[0]
	out := &verdict{CaseID: q.ID, Outcome: g.Outcome, Left: g.Left}
	switch {
	case g.Refused:
		out.Outcome = limitReached
		return out, nil
	case g.Again && g.Outcome != Outcome{} && !s.o.ShowGold:
		return out, nil
	}
	outcome, score := s.outcome(counted, answer, broken)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out.Outcome = outcome
	err = s.ledger.Record(c.caller, request, out.Outcome)
	if err == nil && s.o.ShowGold {
		out.Detail, err = caseview.Build(counted, caseview.Input{Case: answer, Scores: []scoring.Score{score},
			GoldHash: q.hash, Config: s.o.Scoring, Mask: s.o.Mask}, caseview.Options{Metric: s.metric.Name})
	}
	return out, err
}

// answer returns the case with the answer of the arguments. Its errors do not depend on gold.
func (s *Server) answer(ctx context.Context, q *question, in *checkInput) (*scoring.Case, error) {
	c := *q.Case
	c.Pred.SQL, c.Agent.Response = in.SQL, in.Response
	if raw := in.Result; len(raw) > 0 && string(raw) != "null" {
		text := []byte(raw)
		if raw[0] == '"' {
			var ref string
			if err := json.Unmarshal(raw, &ref); err != nil {
				return nil, errcode.New(errcode.InvalidArgument, "result: %w", err)
			}
			text = []byte(ref)
		}
		held := int64(0)
		c.Pred.Result = scoring.ParseResultTextWithin(text, func(bytes int64) error {
			if bytes > s.o.ResultBytes {
				return errcode.New(errcode.ResourceExhausted, "the result takes more than %d bytes of memory", s.o.ResultBytes)
			}
			more := bytes - held
			held = max(held, bytes)
			return account.From(ctx).Hold(ctx, max(0, more))
		})
		if err := c.Pred.Result.Err; err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "result: %w", err)
		}
	}
	if ref := c.Pred.Result.Ref; ref != "" {
		if s.o.Readable == nil {
			return nil, errcode.New(errcode.PermissionDenied,
				"result: references are not allowed here; send the columns and rows of the result")
		}
		t, err := s.o.Readable.ReadSnapshot(ctx, ref)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "result: %w", err)
		}
		c.Pred.Result = scoring.Result{Table: t}
	}
	c.Pred.Ran = c.Pred.Result.Table != nil
	switch {
	case c.Pred.Result.Table == nil && strings.TrimSpace(in.SQL) == "" && strings.TrimSpace(in.Response) == "":
		return nil, errcode.New(errcode.InvalidArgument, "expected result, sql or response")
	case c.Pred.Result.Table == nil && strings.TrimSpace(in.SQL) != "" && s.o.Execute == nil:
		return nil, errcode.New(errcode.FailedPrecondition,
			"result: expected the result of the query; this server runs no queries (execute.url in its configuration)")
	}
	return &c, nil
}
