package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Case is one question of the golden set, in the format of a case file.
type Case struct {
	ID       string   `json:"case_id"`
	Question string   `json:"question"`
	Evidence string   `json:"evidence,omitempty"`
	Dialect  string   `json:"dialect"`
	Gold     *Gold    `json:"gold,omitempty"` // nil if the agent should ask or refuse
	Expected Expected `json:"expected"`
	Tags     []string `json:"tags"` // domain:retail, tier:extra hard, edge:destructive, ordered, top-n, ties, result:empty
}

// Gold is the accepted answer to a question.
type Gold struct {
	SQL string `json:"sql"`
}

// Expected describes the expected behavior of the agent, in addition to the result.
type Expected struct {
	Behaviour      string   `json:"behaviour"` // answer, clarify or refuse
	Clarifications []string `json:"clarifications,omitempty"`
	Tools          []string `json:"tools"` // in the order they should be called
}

// Tag returns the value of the first tag "key:value", such as "hard" for the key "tier", or "" without one.
func (c Case) Tag(key string) string {
	for _, t := range c.Tags {
		if v, ok := strings.CutPrefix(t, key+":"); ok {
			return v
		}
	}
	return ""
}

// Ordered reports whether the question asks for a certain order of rows.
func (c Case) Ordered() bool { return slices.Contains(c.Tags, "ordered") }

// Answer is the answer of one agent version to one case, with the human label and how it was made.
type Answer struct {
	CaseID string `json:"case_id"`
	Agent  Agent  `json:"agent"`
	Gold   struct {
		LatencyMS int64 `json:"latency_ms"` // recorded duration of the gold query; 0 without one
	} `json:"gold"`
	Human struct {
		Label bool `json:"label"` // whether a careful expert would accept the answer
	} `json:"human"`
	Note Note `json:"note"`
}

// Agent holds what the agent returned for a case.
type Agent struct {
	Name           string          `json:"name"`
	Version        string          `json:"version"`
	BatchID        string          `json:"batch_id"`
	RanAt          time.Time       `json:"ran_at"`
	SQL            string          `json:"sql,omitempty"` // "" if the agent asked, refused or answered without a query
	Interpretation string          `json:"interpretation"`
	Response       string          `json:"response"`
	ToolCalls      []ToolCall      `json:"tool_calls"`
	Chart          json.RawMessage `json:"chart,omitempty"` // described as data
	LatencyMS      int64           `json:"latency_ms"`
	// What the answer took: invented figures, nil if the trace was lost.
	TokensIn  *int64       `json:"tokens_in"`
	TokensOut *int64       `json:"tokens_out"`
	CostUSD   *json.Number `json:"cost_usd"`
}

// ToolCall is one call of a tool by the agent.
type ToolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Note describes how an answer was constructed. Metrics do not read it.
type Note struct {
	Flaw      string    `json:"flaw"` // how the answer differs from gold: exact, rounded, wrong_join, …
	Execution Execution `json:"execution"`
	// the flaw of the tool calls, if any: missing_tool, wrong_order, repeated_calls, extra_tool
	Tools string `json:"tools,omitempty"`
	Why   string `json:"why"` // the reason for the label
}

// Execution is the expected outcome of running an answer's SQL.
type Execution string

// The outcomes of an answer's SQL.
const (
	Runs  Execution = "runs"  // it returns a result
	Fails Execution = "fails" // the database returns an error
	Never Execution = "never" // it would destroy data and is kept as text only
	None  Execution = "none"  // the answer has no SQL
)

// Golden returns the golden set in the order of its file.
func Golden() []Case { return lines[Case]("golden.jsonl") }

// Answers returns the answers of atlas 1.0, followed by those of atlas 2.0. Each version answers every case, in the
// order of the golden set.
func Answers() []Answer {
	return append(lines[Answer]("atlas-1.0.jsonl"), lines[Answer]("atlas-2.0.jsonl")...)
}

// lines decodes an embedded JSON Lines file. It panics on an invalid line, since the content is fixed at compile time.
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
