package mcp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf/identity"
)

var failingCases = tool{
	name: "failing_cases", title: "List failing cases", role: identity.Read,
	doc: "Lists cases of a stored batch whose answer was not accepted, in the order of their IDs. Each examined case " +
		"counts as a verdict on it, as with check_answer, whether it is listed or not; cases whose limit is reached are left out and counted " +
		"in withheld. next is the value of after for the next page; it is empty at the end.",
	input: `{"type":"object","additionalProperties":false,"properties":{` +
		`"agent":{"type":"string","description":"AGENT@VERSION, an agent or a version (default those of the latest batch)."},` +
		`"batch":{"type":"string","description":"ID of the batch (default the latest)."},` +
		`"after":{"type":"string","description":"Only cases after this one."},` +
		`"limit":{"type":"integer","minimum":1,"maximum":100,"description":"Number of cases to look at (default 20)."}}}`,
	call: (*Server).failingCases,
}

type failingInput struct {
	Agent string `json:"agent"`
	Batch string `json:"batch"`
	After string `json:"after"`
	Limit int    `json:"limit"`
}

// side names a batch in a reply.
type side struct {
	Agent   string `json:"agent"`
	Version string `json:"version"`
	Batch   string `json:"batch"`
}

func sideOf(b *analysis.Batch) side { return side{b.Agent, b.Version, b.Batch} }

type failing struct {
	side
	Metric   string        `json:"metric"`
	Cases    []failingCase `json:"cases"`
	Looked   int           `json:"looked_at"`
	Withheld int           `json:"withheld"`
	Next     string        `json:"next"`
}

type failingCase struct {
	CaseID string `json:"case_id"`
	Outcome
	Left      int    `json:"left"`
	Untrusted asking `json:"untrusted"`
}

// asking is the text of a question.
type asking struct {
	Question string `json:"question"`
}

func (s *Server) failingCases(ctx context.Context, c *call, arguments json.RawMessage) (reply any, err error) {
	var in failingInput
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	limit, err := number("limit", in.Limit, 20, 100)
	if err != nil {
		return nil, err
	}
	err = s.reading(ctx, func() error {
		batches, err := s.batches(ctx)
		if err != nil {
			return err
		}
		b, err := named(batches, "agent", in.Agent, in.Batch)
		if err != nil {
			return err
		}
		metric, err := s.primary(ctx)
		if err != nil {
			return err
		}
		h, err := analysis.NewHistory(ctx, s.o.Scores, s.o.Set, []analysis.Batch{*b}, metric)
		if err != nil {
			return err
		}
		reply, err = s.failing(c, h, b, in.After, limit)
		return err
	})
	return reply, err
}

func (s *Server) failing(c *call, h *analysis.History, b *analysis.Batch, after string, limit int) (*failing, error) {
	out := &failing{side: sideOf(b), Metric: h.Metric, Cases: []failingCase{}}
	var requests []Request
	var outcomes []Outcome
	for i := range h.Cases {
		x := &h.Cases[i]
		if after != "" && printable.CompareNatural(x.CaseID, after) <= 0 || x.Standings[0] == analysis.StandAbsent {
			continue
		}
		if len(requests) == limit {
			out.Next = requests[limit-1].Case
			break
		}
		o := standing(x.Standings[0])
		requests = append(requests, storedRequest(b.Run, scoring.AnswerID{CaseID: x.CaseID, By: b.By},
			s.question(x.CaseID), o))
		outcomes = append(outcomes, o)
	}
	grants, err := s.grant(c, "failing_cases", requests...)
	if err != nil {
		return nil, err
	}
	out.Looked = len(requests)
	for i, g := range grants {
		switch id := requests[i].Case; {
		case g.Refused:
			out.Withheld++
		case outcomes[i].Verdict == otherData.Verdict:
			out.Cases = append(out.Cases, failingCase{CaseID: id, Outcome: outcomes[i], Left: g.Left,
				Untrusted: asking{shortened(s.question(id), longestText)}})
		}
	}
	return out, nil
}

// question returns the question of a case in the golden set, or "".
func (s *Server) question(id string) string {
	if q := s.golden.byID[id]; q != nil {
		return q.Question
	}
	return ""
}

// batches returns the batches with scores in the order of time.
func (s *Server) batches(ctx context.Context) ([]analysis.Batch, error) {
	batches, err := s.o.Scores.Batches(ctx)
	if err == nil && len(batches) == 0 {
		err = errcode.New(errcode.NotFound, "no run has scores")
	}
	analysis.Sort(batches)
	return batches, err
}

// named returns the last batch that an agent or version and a batch name; without either, the last of all.
func named(batches []analysis.Batch, argument, name, batch string) (*analysis.Batch, error) {
	if name != "" || batch != "" {
		var err error
		if batches, err = analysis.BatchesNamed(batches, argument, name, batch); err != nil {
			return nil, err
		}
	}
	return &batches[len(batches)-1], nil
}

// primary returns the metric by which stored answers are judged: verdict, or the primary metric of runs without it.
func (s *Server) primary(ctx context.Context) (string, error) {
	there, err := s.o.Scores.Metrics(ctx)
	if err != nil || slices.Contains(there, decides) {
		return decides, err
	}
	return s.o.Set.Primary("", there), nil
}
