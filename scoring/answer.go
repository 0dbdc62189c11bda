package scoring

import "strings"

// AnswerID identifies an answer: what one version of an agent answered to one question, in one batch. Files, tables, runs, scores, labels and
// reports all tell answers apart by it. Names that are missing are empty.
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

// Of names whose answer it is, such as "atlas 2.0, batch b1", and is empty where nothing is known of that.
func (a AnswerID) Of() string {
	of := strings.TrimSpace(a.Agent + " " + a.Version)
	switch {
	case a.Batch == "":
		return of
	case of == "":
		return "batch " + a.Batch
	}
	return of + ", batch " + a.Batch
}

// Matches tells whether the answer is one that the pattern names. An empty field of the pattern stands for any.
func (a AnswerID) Matches(pattern AnswerID) bool {
	match := func(have, want string) bool { return want == "" || have == want }
	return match(a.CaseID, pattern.CaseID) && match(a.Agent, pattern.Agent) && match(a.Version, pattern.Version) && match(a.Batch, pattern.Batch)
}
