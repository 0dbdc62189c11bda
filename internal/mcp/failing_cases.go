package mcp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/udf/identity"
)

var failingCases = tool{
	name: "failing_cases", title: "List failing cases", role: identity.Read,
	doc: "Lists cases of a stored batch whose answer check_answer does not accept, in the order of their IDs. Each examined case " +
		"counts as if its answer were checked, whether it is listed or not; cases whose limit is reached are left out and counted " +
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
		defer startPace().wait(ctx)
		reply, err = s.failing(ctx, c, b, in.After, limit)
		return err
	})
	return reply, err
}

func (s *Server) failing(ctx context.Context, c *call, b *analysis.Batch, after string, limit int) (*failing, error) {
	out := &failing{side: sideOf(b), Metric: s.metric.Name, Cases: []failingCase{}}
	ids, err := s.casesOf(ctx, b.By)
	if err == nil && len(ids) == 0 {
		err = errNoAnswers(b)
	}
	if err != nil {
		return nil, err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return after != "" && !isAfter(id, after) })
	if len(ids) > limit {
		ids = ids[:limit]
		out.Next = ids[limit-1]
	}
	all, err := s.judgeCases(ctx, b.By, setOf(ids), s.within(c))
	if err != nil {
		return nil, err
	}
	requests := make([]Request, len(ids))
	for i, id := range ids {
		requests[i] = all[id].Request
	}
	grants, err := s.grant(c, "failing_cases", requests...)
	if err != nil {
		return nil, err
	}
	out.Looked = len(ids)
	for i, g := range grants {
		switch j := all[ids[i]]; {
		case g.Refused:
			out.Withheld++
		case j.Verdict == otherData.Verdict:
			out.Cases = append(out.Cases, failingCase{CaseID: ids[i], Outcome: j.Outcome, Left: g.Left,
				Untrusted: asking{shortened(s.question(ids[i]), longestText)}})
		}
	}
	return out, nil
}

// errNoAnswers says that a batch has scores, and no answers that can be judged.
func errNoAnswers(b *analysis.Batch) error {
	return errcode.New(errcode.FailedPrecondition, "the answers of %s are neither in the case file nor in the database; "+
		"start badger mcp with --cases FILE, the file that was scored", printable.Short(b.Name()))
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
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
