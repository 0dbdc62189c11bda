// Package imports converts exports of other products to answers of an agent.
//
// A product is one file that calls register: it recognizes the records of an export, says which trace each belongs to,
// and converts a trace to answers. [Traces] reads files of any size: it copies the records to a temporary file and
// keeps only their offsets in memory, so the spans of a trace may be anywhere in the files. Every record is part of an
// answer, or it is counted with the reason: it is unreadable, or it repeats another one.
package imports

import (
	"encoding/json"
	"time"

	"github.com/badger-eval/badger/scoring"
)

// Options choose how traces are converted.
type Options struct {
	CaseID  string // the attribute, metadata key or member that holds the case_id; "" if there is none
	SQLTool string // the tool whose arguments hold the SQL; if "", any tool with SQL in its arguments
}

// Answer is one answer of an agent.
type Answer struct {
	Product  string // such as langsmith
	Place    string // file and line of its first record
	Err      error  // the error if the trace cannot be read; the answer then only counts as a turn
	CaseID   string
	Question string
	Response string
	SQL      string
	Error    string             // why the agent failed, as the trace records it
	Calls    []scoring.ToolCall // nil if the trace does not record calls

	Agent, Version string
	Conversation   string
	Turn           int // from 1; 0 if unknown
	RanAt          time.Time
	Latency        *time.Duration
	TokensIn       *int64
	TokensOut      *int64
	CostUSD        *scoring.USD

	Samples int      // further samples of the answer (n > 1), which are not used
	Invalid []string // figures that are not valid, such as negative tokens, and are left out
}

// part is a part of a trace, such as a span.
type part struct {
	trace   string // identifies the trace; if "", the part is a whole trace
	id      string // identifies the part in the trace; "" if unknown
	raw     json.RawMessage
	at      string // its place in the record, if problem is set
	problem string // why it cannot be read
}

// product is a kind of export.
type product struct {
	name  string
	title string
	// parts calls add for the parts of a record with the members o. It returns false if the record is not one of the
	// product.
	parts func(raw json.RawMessage, o object, add func(part)) bool
	// answers converts the parts of one trace, in the order of the files.
	answers func(parts []json.RawMessage, o *Options) []Answer
}

var products []*product

func register(p *product) { products = append(products, p) }
