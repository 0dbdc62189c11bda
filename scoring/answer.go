package scoring

import "strings"

// AnswerID identifies an answer: what one version of an agent answered to one question, in one
// batch. Files, tables, runs, scores, labels and reports all tell answers apart by it. Names that
// are missing are empty.
type AnswerID struct {
	CaseID  string
	Agent   string
	Version string // of the agent
	Batch   string
}

// AnswerID identifies the answer that the case holds.
func (c *Case) AnswerID() AnswerID {
	return AnswerID{CaseID: c.ID, Agent: c.Agent.Name, Version: c.Agent.Version, Batch: c.Agent.BatchID}
}

// Of names whose answer it is, such as "agent atlas 2.0, batch b1". It is empty where nothing is
// known of that.
func (a AnswerID) Of() string {
	var of []string
	if a.Agent != "" || a.Version != "" {
		of = append(of, "agent "+a.Agent+" "+a.Version)
	}
	if a.Batch != "" {
		of = append(of, "batch "+a.Batch)
	}
	return strings.Join(of, ", ")
}

// Matches tells whether the answer is one that the pattern names. An empty field of the pattern
// stands for any.
func (a AnswerID) Matches(pattern AnswerID) bool {
	match := func(have, want string) bool { return want == "" || have == want }
	return match(a.CaseID, pattern.CaseID) && match(a.Agent, pattern.Agent) && match(a.Version, pattern.Version) && match(a.Batch, pattern.Batch)
}
