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

// Repeat identifies one of several answers to the same question by the same agent in one batch. It is 0 for the first
// answer, 2 for the second, and so on, so that a single answer is identified by its names alone; [Repetition]
// converts a number to it. In a pattern for [By.Matches], 0 matches any answer and 1 the first.
type Repeat uint32

// Repetition returns the Repeat of the answer with a number, counted from 1: 0 for 1, else the number.
func Repetition(number uint32) Repeat {
	if number == 1 {
		return 0
	}
	return Repeat(number)
}

// Number returns the number of the answer, from 1.
func (r Repeat) Number() uint32 { return max(uint32(r), 1) }

// AnswerID identifies an answer: the answer by By to the question CaseID.
type AnswerID struct {
	CaseID string
	By
}

// RunID identifies a row of eval_runs: the scores that one run computed for the answers of By. Within it, case and
// metric are a unique key of the scores.
type RunID struct {
	ID string // of the run
	By
}

// NoName is displayed for an agent without a name.
const NoName = "(no name)"

// Unnamed is used in a field of a pattern for [By.Matches]: it matches only an empty name, while an empty field
// matches any name. An agent, version or batch cannot have it as its name.
const Unnamed = "\x00"

// Named returns the name that a field of a pattern matches, which is empty for [Unnamed]; ok is false if the field
// matches any name.
func Named(field string) (name string, ok bool) {
	if field == Unnamed {
		return "", true
	}
	return field, field != ""
}

// Exactly returns a pattern that matches only the answers that b identifies: an empty name in b matches only an empty
// name.
func (b By) Exactly() By {
	return By{Agent: cmp.Or(b.Agent, Unnamed), Version: cmp.Or(b.Version, Unnamed), Batch: cmp.Or(b.Batch, Unnamed),
		Repeat: Repeat(b.Repeat.Number())}
}

// AnswerID identifies the answer that the case holds.
func (c *Case) AnswerID() AnswerID {
	return AnswerID{CaseID: c.ID, By: By{Agent: c.Agent.Name, Version: c.Agent.Version, Batch: c.Agent.BatchID}}
}

// Of describes the agent, version, batch and repetition, such as "agent atlas 2.0, batch b1". It is empty if all
// names are empty and the repeat is 0.
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
