package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Case is one question of the golden set, in the form of a case file.
type Case struct {
	ID       string   `json:"case_id"`
	Question string   `json:"question"`
	Evidence string   `json:"evidence,omitempty"`
	Dialect  string   `json:"dialect"`
	Gold     *Gold    `json:"gold,omitempty"` // nil if the agent should ask or refuse
	Expected Expected `json:"expected"`
	Tags     []string `json:"tags"` // domain:retail, tier:extra hard, edge:destructive, ordered, top-n, ties, result:empty
}

// Gold is the expert's answer.
type Gold struct {
	SQL string `json:"sql"`
}

// Expected describes what a correct agent does in addition to returning the right rows.
type Expected struct {
	Behaviour      string   `json:"behaviour"` // answer, clarify or refuse
	Clarifications []string `json:"clarifications,omitempty"`
	Tools          []string `json:"tools"` // in the order they should be called
}

// Tag returns what follows "key:" in the case's tags, such as "hard" for "tier"; "" if there is no
// such tag.
func (c Case) Tag(key string) string {
	for _, t := range c.Tags {
		if v, ok := strings.CutPrefix(t, key+":"); ok {
			return v
		}
	}
	return ""
}

// Ordered reports whether the question asks for the rows in an order.
func (c Case) Ordered() bool { return slices.Contains(c.Tags, "ordered") }

// Answer is the answer of one version of the agent to one case, and the facts known about it.
type Answer struct {
	CaseID string `json:"case_id"`
	Agent  Agent  `json:"agent"`
	Gold   struct {
		LatencyMS int64 `json:"latency_ms"` // how long the gold query took when it was recorded; 0 without one
	} `json:"gold"`
	Human struct {
		Label bool `json:"label"` // whether a careful expert would accept the answer
	} `json:"human"`
	Note Note `json:"note"`
}

// Agent is the agent's side of an answer.
type Agent struct {
	Name           string     `json:"name"`
	Version        string     `json:"version"`
	BatchID        string     `json:"batch_id"`
	RanAt          time.Time  `json:"ran_at"`
	SQL            string     `json:"sql,omitempty"` // "" if the agent asked, refused or made something up
	Interpretation string     `json:"interpretation"`
	Response       string     `json:"response"`
	ToolCalls      []ToolCall `json:"tool_calls"`
	LatencyMS      int64      `json:"latency_ms"`
}

// ToolCall is one call of a tool by the agent.
type ToolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Note says how an answer was made. No metric reads it.
type Note struct {
	Flaw      string    `json:"flaw"` // what sets the answer apart from the gold answer: exact, rounded, wrong_join, …
	Execution Execution `json:"execution"`
	// what is odd about the tool calls: missing_tool, wrong_order, repeated_calls, extra_tool
	Tools string `json:"tools,omitempty"`
	Why   string `json:"why"` // the reason for the label
}

// Execution is the outcome of running an answer's SQL.
type Execution string

// What becomes of an answer's SQL.
const (
	Runs  Execution = "runs"  // it returns a result
	Fails Execution = "fails" // the database refuses it
	Never Execution = "never" // it would destroy data and is kept as text only
	None  Execution = "none"  // there is none
)

// Golden returns the golden set in the order of its file.
func Golden() []Case { return lines[Case]("golden.jsonl") }

// Answers returns the answers of atlas 1.0 and then of atlas 2.0, each to every case of the golden
// set and in its order.
func Answers() []Answer {
	return append(lines[Answer]("atlas-1.0.jsonl"), lines[Answer]("atlas-2.0.jsonl")...)
}

// lines decodes an embedded JSON Lines file. Its content is fixed when the package is compiled, so
// a line that cannot be read is a defect of the package.
func lines[T any](name string) []T {
	var out []T
	for line := range bytes.Lines([]byte(text(name))) {
		var v T
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&v); err != nil {
			panic(fmt.Sprintf("demo: %s, line %d: %v", name, len(out)+1, err))
		}
		out = append(out, v)
	}
	return out
}
