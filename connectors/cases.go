package connectors

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Filter chooses among the answers in agent_runs. Empty fields choose all; of a question in several versions of the golden set, the highest
// version is taken.
type Filter struct {
	Agent      string
	Version    string
	Batch      string
	SetVersion string // of the golden set
}

// Answer is one row of Cases: a case, or the reason why it cannot be read, with whose it is.
type Answer struct {
	CaseID, Agent, Version, Batch string
	Case                          *scoring.Case
	Err                           error // why the row is no case; other rows go on
}

// caseColumns are what Cases reads, in this order.
const caseColumns = `r.case_id, g.question, g.evidence, g.schema_ddl, g.dialect, g.gold_sql, g.gold_result, g.expected_tools, g.expected_clarifications,
g.expected_behaviour, g.tags, r.agent_name, r.agent_version, r.batch_id, r.interpretation, r.sql, r.result, r.sql_error, r.tool_calls, r.response,
r.latency_ms, COALESCE(r.gold_latency_ms, g.gold_latency_ms) AS gold_latency_ms, r.conversation_id, r.turn, l.passes, g.gold_error, g.alternatives, g.database_name, g.metric_options`

const inOrder = " ORDER BY r.agent_name, r.agent_version, r.batch_id, r.case_id"

// selection is a condition on answers, with the arguments of the whole query in their order.
type selection struct {
	w    *Warehouse
	args []any
}

func (s *selection) param(v any) string {
	s.args = append(s.args, v)
	return s.w.dialect.Param(len(s.args))
}

// keyRange is a range of case ids within the answers of one version of an agent.
type keyRange struct {
	agent, version, batch any // a string, or nil for NULL
	first, last           string
}

// from joins the answers with their questions and with what people said of them. An answer whose question is not in the golden set is still a
// case, without gold, unless a version of the set is asked for.
func (s *selection) from(f Filter, r *keyRange) string {
	join, golden := "LEFT JOIN", ""
	if f.SetVersion != "" {
		join, golden = "JOIN", "(SELECT * FROM badger.golden_set WHERE set_version = "+s.param(f.SetVersion)+")"
	} else {
		golden = "(SELECT * FROM badger.golden_set WHERE " + s.within("case_id", r) + " QUALIFY ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY COALESCE(set_version, '') DESC) = 1)"
	}
	return " FROM badger.agent_runs r " + join + " " + golden + " g ON g.case_id = r.case_id LEFT JOIN (" + consensus +
		") l ON l.case_id = r.case_id AND l.agent_name = r.agent_name AND l.batch_id = r.batch_id" + s.where(f, r)
}

// within is the condition that a case id is in the range.
func (s *selection) within(column string, r *keyRange) string {
	if r == nil {
		return "1 = 1"
	}
	cond := column + " BETWEEN " + s.param(r.first) + " AND " + s.param(r.last)
	if r.first == "" {
		cond = "(" + cond + " OR " + column + " IS NULL)"
	}
	return cond
}

// where is the condition on agent_runs, called r.
func (s *selection) where(f Filter, r *keyRange) string {
	var conds []string
	equal := func(column string, v any) {
		switch v {
		case nil:
			conds = append(conds, column+" IS NULL")
		case "":
			if r != nil {
				conds = append(conds, column+" = ''")
			}
		default:
			conds = append(conds, column+" = "+s.param(v))
		}
	}
	if r == nil {
		equal("r.agent_name", f.Agent)
		equal("r.agent_version", f.Version)
		equal("r.batch_id", f.Batch)
	} else {
		equal("r.agent_name", r.agent)
		equal("r.agent_version", r.version)
		equal("r.batch_id", r.batch)
		conds = append(conds, s.within("r.case_id", r))
	}
	if len(conds) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(conds, " AND ")
}

const readingCases = "reading cases"

// Cases streams the answers with their questions, in the order of agent, version, batch and case, holding few of them at a time. The error is
// one of the warehouse and ends the stream; an answer that cannot be read is an [Answer] that says so.
func (w *Warehouse) Cases(ctx context.Context, f Filter) iter.Seq2[Answer, error] {
	return func(yield func(Answer, error) bool) {
		ranges := []*keyRange{nil}
		if w.dialect.Embedded { // sorting and joining all results at once would take the memory of all
			var err error
			if ranges, err = w.keyRanges(ctx, f); err != nil {
				yield(Answer{}, err)
				return
			}
		}
		for _, r := range ranges {
			s := selection{w: w}
			query := "SELECT " + caseColumns + s.from(f, r) + inOrder
			more := true
			err := w.each(ctx, readingCases, query, s.args, func(t *scoring.Table, row int) bool {
				more = yield(answer(t, row), nil)
				return more
			})
			if !more {
				return
			}
			if err != nil {
				yield(Answer{}, err)
				return
			}
		}
	}
}

// rangeCases is how many answers are read at once from an embedded engine, and rangeBytes how long their results may be.
const (
	rangeCases = 5000
	rangeBytes = 16 << 20
)

// keyRanges cuts the answers into ranges of about so many, from their keys alone.
func (w *Warehouse) keyRanges(ctx context.Context, f Filter) ([]*keyRange, error) {
	var out []*keyRange
	var first, r *keyRange // of this agent's version
	n, bytes := 0, int64(0)
	s := selection{w: w}
	query := "SELECT r.agent_name, r.agent_version, r.batch_id, r.case_id, LENGTH(r.result) FROM badger.agent_runs r" + s.where(f, nil) + inOrder
	err := w.each(ctx, readingCases, query, s.args, func(t *scoring.Table, row int) bool {
		key := func(c int) any {
			if v := t.Columns[c].Value(row); !v.IsNull() {
				return strings.Clone(v.String())
			}
			return nil
		}
		agent, version, batch := key(0), key(1), key(2)
		id, _ := key(3).(string) // NULL is read as the lowest, wherever it sorts
		same := first != nil && first.agent == agent && first.version == version && first.batch == batch
		switch {
		case same && id <= r.last && (id != "" || first.first == ""):
			// in the range already
		case same && id > r.last && n < rangeCases && bytes < rangeBytes:
			r.last = id
		default:
			r, n, bytes = &keyRange{agent: agent, version: version, batch: batch, first: id, last: id}, 0, 0
			out = append(out, r)
			if !same || id == "" {
				first = r
			}
		}
		n++
		bytes += t.Columns[4].Value(row).Int()
		return true
	})
	return out, err
}

// Count is the number of answers a filter chooses.
func (w *Warehouse) Count(ctx context.Context, f Filter) (int64, error) {
	s := selection{w: w}
	t, err := w.Query(ctx, "SELECT COUNT(*)"+s.from(f, nil), s.args...)
	if err != nil {
		return 0, err
	}
	return t.Columns[0].Value(0).Int(), nil
}

// record reads the cells of one row by position.
type record struct {
	t   *scoring.Table
	row int
	err error
}

// text is a cell's text, a copy: the table it came from is not kept.
func (r *record) text(c int) string {
	if v := r.t.Columns[c].Value(r.row); !v.IsNull() {
		return strings.Clone(v.String())
	}
	return ""
}

func (r *record) json(c int, what string, into any) {
	if s := r.text(c); s != "" && r.err == nil {
		if json.Unmarshal([]byte(s), into) != nil { // its error would show the text
			r.err = errcode.New(errcode.InvalidArgument, "%s cannot be read: expected the JSON that badger writes there", what)
		}
	}
}

func (r *record) latency(c int) *time.Duration {
	switch v := r.t.Columns[c].Value(r.row); v.Type {
	case scoring.Float64:
		return latencyOf(v.Float())
	case scoring.Int64:
		return latencyOf(float64(v.Int()))
	}
	return nil
}

func latencyOf(ms float64) *time.Duration {
	d := time.Duration(ms * float64(time.Millisecond))
	return &d
}

// alternative is a further accepted answer, as golden_set.alternatives holds it.
type alternative struct {
	SQL       string          `json:"sql,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"` // an inline result, or text that holds one or a reference
	Error     string          `json:"error,omitempty"`
	LatencyMS *float64        `json:"latency_ms,omitempty"`
}

func answer(t *scoring.Table, i int) Answer {
	r := &record{t: t, row: i}
	c := &scoring.Case{
		ID: r.text(0), Question: r.text(1), Evidence: r.text(2), Schema: r.text(3), Dialect: r.text(4), Database: r.text(27),
		Expected: scoring.Expected{Behaviour: r.text(9)},
		Agent: scoring.Agent{
			Name: r.text(11), Version: r.text(12), BatchID: r.text(13), Interpretation: r.text(14), Response: r.text(19), ConversationID: r.text(22),
		},
		Pred: queryOf(r.text(15), r.text(16), r.text(17), r.latency(20)),
	}
	if gold := queryOf(r.text(5), r.text(6), r.text(25), r.latency(21)); gold.SQL != "" || gold.Ran {
		c.Golds = []scoring.Query{gold}
	}
	if tools := r.text(7); tools != "" {
		c.Expected.Tools = json.RawMessage(tools)
	}
	r.json(8, "expected_clarifications", &c.Expected.Clarifications)
	r.json(10, "tags", &c.Tags)
	r.json(18, "tool_calls", &c.Agent.ToolCalls)
	r.json(28, "metric_options", &c.Options)
	var more []alternative
	r.json(26, "alternatives", &more)
	for _, a := range more {
		q := queryOf(a.SQL, resultText(a.Result), a.Error, nil)
		if a.LatencyMS != nil {
			q.Latency = latencyOf(*a.LatencyMS)
		}
		c.Golds = append(c.Golds, q)
	}
	if v := t.Columns[23].Value(i); !v.IsNull() {
		c.Agent.Turn = int(v.Int())
	}
	if v := t.Columns[24].Value(i); !v.IsNull() {
		passes := v.String() == "1"
		c.Human = &passes
	}
	switch c.Expected.Behaviour {
	case "", scoring.BehaviourAnswer, scoring.BehaviourClarify, scoring.BehaviourRefuse:
	default:
		r.err = errcode.New(errcode.InvalidArgument, "expected_behaviour: want answer, clarify or refuse")
	}
	if c.ID == "" {
		r.err = errcode.New(errcode.InvalidArgument, "case_id is missing")
	}
	a := Answer{CaseID: c.ID, Agent: c.Agent.Name, Version: c.Agent.Version, Batch: c.Agent.BatchID, Case: c}
	if r.err != nil {
		a.Case, a.Err = nil, errcode.New(errcode.Of(r.err), "case %q: %w", a.CaseID, r.err)
	}
	return a
}

func queryOf(sql, result, failed string, latency *time.Duration) scoring.Query {
	q := scoring.Query{SQL: sql, Result: scoring.ParseResultText([]byte(result)), Error: failed, Latency: latency}
	q.Ran = failed != "" || !q.Result.Absent()
	return q
}

// resultText is a result member as text: JSON text is unwrapped, an object stays.
func resultText(raw json.RawMessage) string {
	var text string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text
	}
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}
