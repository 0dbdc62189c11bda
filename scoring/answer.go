package scoring

import (
	"cmp"
	"strconv"
	"strings"
)

// By identifies the answers of one version of an agent in one batch. Missing names are empty. Runs, scores, labels
// and reports use it to distinguish the answers of agents.
type By struct {
	Agent   string `json:"agent_name"`
	Version string `json:"agent_version"` // of the agent
	Batch   string `json:"batch_id"`
	Repeat  Repeat `json:"repeat,omitzero"`
}

// Repeat numbers the answers of an agent that was asked the same question several times in one batch, from 1. The
// first answer has 0, so that a single answer is identified by its names alone; [Repetition] converts it. In a
// pattern of answers 0 matches any and 1 the first.
type Repeat uint32

// Repetition is the number that an answer holds: of the first it is 0.
func Repetition(number uint32) Repeat {
	if number == 1 {
		return 0
	}
	return Repeat(number)
}

// Number is the number of the answer, from 1.
func (r Repeat) Number() uint32 { return max(uint32(r), 1) }

// AnswerID identifies an answer: what By answered to one question.
type AnswerID struct {
	CaseID string
	By
}

// RunID identifies a row of eval_runs: what one run scored of By. In it case and metric are a key of
// scores.
type RunID struct {
	ID string // of the run
	By
}

// NoName is displayed for an agent without a name.
const NoName = "(no name)"

// Unnamed matches, in a pattern of answers, only an empty name, while an empty field matches any. It is never a
// name.
const Unnamed = "\x00"

// Named returns the name that a field of a pattern matches; ok is false if the field matches any name.
func Named(field string) (name string, ok bool) {
	if field == Unnamed {
		return "", true
	}
	return field, field != ""
}

// Exactly returns the pattern that matches only these answers, also if names are empty.
func (b By) Exactly() By {
	return By{Agent: cmp.Or(b.Agent, Unnamed), Version: cmp.Or(b.Version, Unnamed), Batch: cmp.Or(b.Batch, Unnamed),
		Repeat: Repeat(b.Repeat.Number())}
}

// AnswerID identifies the answer that the case holds.
func (c *Case) AnswerID() AnswerID {
	return AnswerID{CaseID: c.ID, By: By{Agent: c.Agent.Name, Version: c.Agent.Version, Batch: c.Agent.BatchID}}
}

// Of describes the origin of the answers, such as "agent atlas 2.0, batch b1". It is empty if nothing is known.
func (b By) Of() string {
	var of []string
	if b.Agent != "" || b.Version != "" {
		of = append(of, strings.TrimSpace("agent "+cmp.Or(b.Agent, NoName)+" "+b.Version))
	}
	if b.Batch != "" {
		of = append(of, "batch "+b.Batch)
	}
	if b.Repeat != 0 {
		of = append(of, "repeat "+strconv.FormatUint(uint64(b.Repeat.Number()), 10))
	}
	return strings.Join(of, ", ")
}

// Matches reports whether the answers match a pattern. An empty field of the pattern matches any name, and
// [Unnamed] an empty one.
func (b By) Matches(pattern By) bool {
	return matches(b.Agent, pattern.Agent) && matches(b.Version, pattern.Version) && matches(b.Batch, pattern.Batch) &&
		(pattern.Repeat == 0 || b.Repeat.Number() == pattern.Repeat.Number())
}

// Matches reports whether the answer matches a pattern, in which an empty field matches any value.
func (a AnswerID) Matches(pattern AnswerID) bool {
	return matches(a.CaseID, pattern.CaseID) && a.By.Matches(pattern.By)
}

func matches(have, field string) bool {
	name, ok := Named(field)
	return !ok || have == name
}
