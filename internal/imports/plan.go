package imports

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// Names are the agent, version and batch that answers are written with. An empty Agent or Version is that of the trace.
type Names struct{ Agent, Version, Batch string }

// Plan is the result of converting all traces, before anything is written. Of several answers with the key of a case,
// the one that ran last is written; of those that ran at the same time, the one that is last in the files.
type Plan struct {
	Answers    int            `json:"answers"`
	Products   map[string]int `json:"products"`
	Unreadable int            `json:"unreadable"` // records and traces
	Doubled    int            `json:"doubled"`    // answers that a later one with the same key replaces
	Unknown    int            `json:"unknown_questions"`

	NoCase     int `json:"no_case_id_or_question"` // such answers are not written
	NoQuestion int `json:"no_question"`
	NoResponse int `json:"no_response"`
	NoSQL      int `json:"no_sql"`
	NoCalls    int `json:"no_tool_calls"` // calls were not recorded
	NoTokens   int `json:"no_tokens"`
	NoCost     int `json:"no_cost"`
	NoLatency  int `json:"no_latency"`
	NoTime     int `json:"no_ran_at"`

	Problems []error `json:"-"`

	traces  *Traces
	options Options
	names   Names
	known   Questions
	last    map[scoring.AnswerID]int // the answer that is written, by key
}

// Questions are the questions of a golden set. The zero value has none.
type Questions struct {
	ids map[string]string // by question, as key returns it; "" if two cases have the question
	has map[string]bool   // ids
}

// Add adds the question of a case.
func (q *Questions) Add(id, question string) {
	if q.ids == nil {
		q.ids, q.has = map[string]string{}, map[string]bool{}
	}
	q.has[id] = true
	if key := questionKey(question); key != "" {
		if other, ok := q.ids[key]; ok && other != id {
			id = ""
		}
		q.ids[key] = id
	}
}

// questionKey returns a question without differences of letter case and white space.
func questionKey(question string) string {
	return strings.Join(strings.Fields(strings.ToLower(question)), " ")
}

// caseID returns the case_id of an answer: that of the trace, or of the known case with the question, or a hash of the
// question. known is false if the golden set lacks the case.
func (q *Questions) caseID(a *Answer) (id string, known bool) {
	switch key := questionKey(a.Question); {
	case a.CaseID != "":
		return a.CaseID, q.has[a.CaseID]
	case key == "":
		return "", false
	case q.ids[key] != "":
		return q.ids[key], true
	default:
		sum := sha256.Sum256([]byte(key))
		return "q-" + hex.EncodeToString(sum[:6]), false
	}
}

// Plan converts all traces and counts what they lack.
func (t *Traces) Plan(ctx context.Context, o Options, names Names, known Questions) (*Plan, error) {
	p := &Plan{Products: map[string]int{}, Unreadable: t.Unreadable, Problems: t.Problems, traces: t, options: o,
		names: names, known: known, last: map[scoring.AnswerID]int{}}
	latest := map[scoring.AnswerID]int64{}
	n := 0
	for a, err := range t.Answers(ctx, o) {
		if err != nil {
			return nil, err
		}
		n++
		if a.Err != nil {
			if p.Unreadable++; len(p.Problems) < maxProblems {
				p.Problems = append(p.Problems, &placed{a.Place, a.Err})
			}
			continue
		}
		p.count(&a)
		c := p.toCase(&a)
		if c == nil {
			continue
		}
		key := c.AnswerID()
		if at, ok := latest[key]; ok {
			p.Doubled++
			if at > a.RanAt.UnixMicro() {
				continue
			}
		}
		latest[key], p.last[key] = a.RanAt.UnixMicro(), n
	}
	return p, nil
}

// placed is an error of a trace with its place.
type placed struct {
	place string
	err   error
}

func (e *placed) Error() string { return e.place + ": " + e.err.Error() }
func (e *placed) Unwrap() error { return e.err }

func (p *Plan) count(a *Answer) {
	p.Answers++
	p.Products[a.Product]++
	for n, missing := range map[*int]bool{
		&p.NoQuestion: a.Question == "", &p.NoResponse: a.Response == "", &p.NoSQL: a.SQL == "", &p.NoCalls: a.Calls == nil,
		&p.NoTokens: a.TokensIn == nil && a.TokensOut == nil, &p.NoCost: a.CostUSD == nil, &p.NoLatency: a.Latency == nil,
		&p.NoTime: a.RanAt.IsZero(),
	} {
		if missing {
			*n++
		}
	}
	switch id, known := p.known.caseID(a); {
	case id == "":
		p.NoCase++
	case !known && p.known.has != nil:
		p.Unknown++
	}
}

// toCase returns an answer as a case, or nil if it has no case_id.
func (p *Plan) toCase(a *Answer) *scoring.Case {
	id, _ := p.known.caseID(a)
	if id == "" {
		return nil
	}
	return &scoring.Case{
		ID: id, Question: a.Question, Pred: scoring.Query{SQL: a.SQL, Latency: a.Latency},
		Agent: scoring.Agent{
			Name: cmp.Or(p.names.Agent, a.Agent), Version: cmp.Or(p.names.Version, a.Version), BatchID: p.names.Batch,
			Response: a.Response, ToolCalls: a.Calls, ConversationID: a.Conversation, Turn: a.Turn, RanAt: a.RanAt,
			TokensIn: a.TokensIn, TokensOut: a.TokensOut, CostUSD: a.CostUSD,
		},
	}
}

// Cases yields the answers that are written, as cases.
func (p *Plan) Cases(ctx context.Context) iter.Seq2[*scoring.Case, error] {
	return func(yield func(*scoring.Case, error) bool) {
		n := 0
		for a, err := range p.traces.Answers(ctx, p.options) {
			if err != nil {
				yield(nil, err)
				return
			}
			if n++; a.Err != nil {
				continue
			}
			c := p.toCase(&a)
			if c == nil {
				continue
			}
			if p.last[c.AnswerID()] == n && !yield(c, nil) {
				return
			}
		}
	}
}

// Written returns the number of answers that Cases yields.
func (p *Plan) Written() int { return len(p.last) }

// caseLine is a line of a case file with an answer.
type caseLine struct {
	CaseID   string `json:"case_id"`
	Question string `json:"question,omitempty"`
	Agent    struct {
		Name         string             `json:"name,omitempty"`
		Version      string             `json:"version,omitempty"`
		Batch        string             `json:"batch_id,omitempty"`
		RanAt        string             `json:"ran_at,omitempty"`
		SQL          string             `json:"sql,omitempty"`
		Response     string             `json:"response,omitempty"`
		ToolCalls    []scoring.ToolCall `json:"tool_calls"`
		LatencyMS    *float64           `json:"latency_ms,omitempty"`
		Conversation string             `json:"conversation_id,omitempty"`
		Turn         int                `json:"turn,omitempty"`
		TokensIn     *int64             `json:"tokens_in,omitempty"`
		TokensOut    *int64             `json:"tokens_out,omitempty"`
		CostUSD      *float64           `json:"cost_usd,omitempty"`
	} `json:"agent"`
}

// Line returns an answer as a line of a case file. If golden, the line of the same case in another case file, is not
// nil, the result is that line with the answer as its member agent.
func Line(c *scoring.Case, golden []byte) ([]byte, error) {
	l := caseLine{CaseID: c.ID, Question: c.Question}
	a := &l.Agent
	a.Name, a.Version, a.Batch, a.SQL, a.Response = c.Agent.Name, c.Agent.Version, c.Agent.BatchID, c.Pred.SQL,
		c.Agent.Response
	a.ToolCalls, a.Conversation, a.Turn = c.Agent.ToolCalls, c.Agent.ConversationID, c.Agent.Turn
	a.TokensIn, a.TokensOut, a.CostUSD = c.Agent.TokensIn, c.Agent.TokensOut, c.Agent.CostUSD
	if !c.Agent.RanAt.IsZero() {
		a.RanAt = c.Agent.RanAt.UTC().Format("2006-01-02T15:04:05.999999Z07:00")
	}
	if c.Pred.Latency != nil {
		ms := float64(c.Pred.Latency.Microseconds()) / 1000
		a.LatencyMS = &ms
	}
	o := objectOf(golden)
	if o == nil {
		return compact(l)
	}
	agent, err := compact(l.Agent)
	if err != nil {
		return nil, err
	}
	o["agent"] = json.RawMessage(agent)
	return compact(o)
}

func compact(v any) ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return []byte(strings.TrimSuffix(b.String(), "\n")), err
}
