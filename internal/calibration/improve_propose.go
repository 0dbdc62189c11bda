package calibration

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/scoring/custom"
)

const (
	mostRewriteExamples = 20
	// RewriteBytes is the maximum size of the answers in the request for a rewritten prompt.
	RewriteBytes = 32 << 10
)

// proposal is a changed judge.
type proposal struct {
	name     string
	judge    *custom.Judge
	change   custom.Change
	rejected error
	why      string // the model's reason for a rewritten prompt
	asked    judgebackend.Exchange
}

// candidate is an answer to propose from.
type candidate struct {
	custom.Example
	wrong    bool // the judge and the label differ
	label    bool
	question string
	order    string
	bytes    int
}

// candidates returns the answers to propose from in a random order, with the judge's verdicts.
func (x *Improvement) candidates(answers []*labelledAnswer, replies []JudgeReply) (out []candidate) {
	for i, a := range answers {
		verdict := verdictOf(&replies[i].Score)
		if verdict == agreement.Missing || replies[i].Texts == nil {
			continue
		}
		id := a.c.AnswerID()
		e := candidate{label: a.label, wrong: verdict != agreement.VoteOf(&a.label), question: a.question,
			order:   x.random(strings.Join([]string{id.CaseID, id.Agent, id.Version, id.Batch}, "\x00")),
			Example: custom.Example{Verdict: passedWord(&a.label), Reason: a.note, Fields: replies[i].Texts}}
		e.bytes = len(e.Reason)
		for _, text := range e.Fields {
			e.bytes += len(text)
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b candidate) int { return cmp.Compare(a.order, b.order) })
	return out
}

// chosenExamples returns at most most examples of at most bytes: answers on which the judge is wrong, and of the label
// with fewer of them answers on which it is right. A question is used once. tooLong is the number of those that the
// limit of bytes left out.
func chosenExamples(all []candidate, most, bytes int, wrongOnly bool) (out []custom.Example, tooLong int) {
	used, count := map[string]bool{}, map[bool]int{}
	left := slices.Clone(all)
	next := func(label, wrong bool) bool {
		for i := 0; i < len(left); i++ {
			e := left[i]
			if e.label != label || e.wrong != wrong || used[e.question] {
				continue
			}
			left = slices.Delete(left, i, i+1)
			if e.bytes > bytes {
				tooLong++
				i--
				continue
			}
			bytes -= e.bytes
			used[e.question] = true
			count[label]++
			out = append(out, e.Example)
			return true
		}
		return false
	}
	for len(out) < most {
		fewer := count[true] < count[false] // starts with fail: a wrong answer that passes does more harm
		switch {
		case next(fewer, true):
		case count[true] == count[false] && next(!fewer, true):
		case !wrongOnly && len(out) > 0 && count[true] != count[false] && next(fewer, false):
		case next(!fewer, true):
		default:
			return out, tooLong
		}
	}
	return out, tooLong
}

// propose returns the proposals, made from the first part alone.
func (x *Improvement) propose(ctx context.Context, ask judgeAsker, replies []JudgeReply) ([]*proposal, error) {
	all := x.candidates(x.in(partPropose), replies)
	var out []*proposal
	if x.Examples > 0 {
		p := &proposal{name: "examples"}
		var tooLong int
		p.change.Examples, tooLong = chosenExamples(all, x.Examples, x.ExampleBytes, false)
		switch {
		case len(p.change.Examples) > 0:
		case tooLong > 0:
			p.rejected = errcode.New(errcode.ResourceExhausted,
				"every answer on which the judge is wrong is longer than --example-bytes")
		default:
			p.rejected = errAllRight
		}
		out = append(out, p)
	}
	if x.Rewrite {
		p, err := x.rewrite(ctx, ask, all)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	for _, p := range out {
		if p.rejected == nil {
			p.judge, p.rejected = x.Judge.Changed(ctx, p.change, x.Options)
		}
	}
	return out, ctx.Err()
}

var errAllRight = errcode.New(errcode.FailedPrecondition,
	"the judge agrees with every label that proposals may be made from")

// rewrite asks the model for a new prompt. An invalid reply, or none, rejects the proposal.
func (x *Improvement) rewrite(ctx context.Context, ask judgeAsker, all []candidate) (*proposal, error) {
	p := &proposal{name: "rewrite"}
	wrong, _ := chosenExamples(all, mostRewriteExamples, RewriteBytes, true)
	if len(wrong) == 0 {
		p.rejected = errAllRight
		return p, nil
	}
	var reply custom.Rewritten
	p.asked, p.rejected = ask.Complete(ctx, x.Judge.RewriteRequest(wrong), &reply)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if p.rejected == nil {
		p.rejected = x.Judge.CheckRewritten(reply.Prompt, wrong)
		p.change.Prompt, p.why = reply.Prompt, reply.Why
	}
	return p, nil
}

// verdictOf returns the verdict of a score; Missing if it is not ok or has none.
func verdictOf(s *scoring.Score) agreement.Vote {
	if s.Status != scoring.StatusOK {
		return agreement.Missing
	}
	return agreement.VoteOf(s.Passed)
}
