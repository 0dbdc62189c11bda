package scoring

import (
	"cmp"
	"strings"
)

// AnswerID identifies an answer: what one version of an agent answered to one question, in one
// batch. Files, tables, runs, scores, labels and reports all tell answers apart by it. Names that
// are missing are empty.
type AnswerID struct {
	CaseID  string
	Agent   string
	Version string // of the agent
	Batch   string
}

// NoName stands, for people, for the name of an agent that has none.
const NoName = "(no name)"

// Unnamed stands, in a pattern of answers, for a name that is empty, as an empty field stands for any.
// No name is this.
const Unnamed = "\x00"

// Named is the name that a field of a pattern stands for; it is not ok where the field stands for any.
func Named(field string) (name string, ok bool) {
	if field == Unnamed {
		return "", true
	}
	return field, field != ""
}

// Exactly is the pattern that stands for the answers of one agent, version and batch, also where these
// are empty.
func (a AnswerID) Exactly() AnswerID {
	return AnswerID{CaseID: a.CaseID, Agent: cmp.Or(a.Agent, Unnamed), Version: cmp.Or(a.Version, Unnamed), Batch: cmp.Or(a.Batch, Unnamed)}
}

// AnswerID identifies the answer that the case holds.
func (c *Case) AnswerID() AnswerID {
	return AnswerID{CaseID: c.ID, Agent: c.Agent.Name, Version: c.Agent.Version, Batch: c.Agent.BatchID}
}

// Of names whose answer it is, such as "agent atlas 2.0, batch b1". It is empty if nothing is
// known of that.
func (a AnswerID) Of() string {
	var of []string
	if a.Agent != "" || a.Version != "" {
		of = append(of, strings.TrimSpace("agent "+cmp.Or(a.Agent, NoName)+" "+a.Version))
	}
	if a.Batch != "" {
		of = append(of, "batch "+a.Batch)
	}
	return strings.Join(of, ", ")
}

// Matches reports whether the answer is one that the pattern names. An empty field of the pattern
// stands for any, and [Unnamed] for an empty one.
func (a AnswerID) Matches(pattern AnswerID) bool {
	match := func(have, field string) bool {
		want, ok := Named(field)
		return !ok || have == want
	}
	return match(a.CaseID, pattern.CaseID) && match(a.Agent, pattern.Agent) && match(a.Version, pattern.Version) && match(a.Batch, pattern.Batch)
}
