package connectors

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// Filter chooses among the answers in agent_runs. Empty fields choose all.
type Filter struct {
	Agent      string
	Version    string
	Batch      string
	SetVersion string // of the golden set
}

// caseColumns are what Cases reads, in this order.
const caseColumns = `r.case_id, g.question, g.evidence, g.schema_ddl, g.dialect, g.gold_sql, g.gold_result, g.expected_tools, g.expected_clarifications,
g.expected_behaviour, g.tags, r.agent_name, r.agent_version, r.batch_id, r.interpretation, r.sql, r.result, r.sql_error, r.tool_calls, r.response,
r.latency_ms, r.gold_latency_ms, r.conversation_id, r.turn, l.passes`

// where is the condition of a filter, with its arguments.
func (w *Warehouse) where(f Filter) (cond string, args []any) {
	var conds []string
	add := func(column, value string) {
		if value != "" {
			args = append(args, value)
			conds = append(conds, column+" = "+w.dialect.Param(len(args)))
		}
	}
	add("r.agent_name", f.Agent)
	add("r.agent_version", f.Version)
	add("r.batch_id", f.Batch)
	add("g.set_version", f.SetVersion)
	if len(conds) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(conds, " AND "), args
}

// from joins the answers with their questions and with what people said of them. An answer whose question is not in the golden set is still a case, without gold.
const from = ` FROM badger.agent_runs r LEFT JOIN badger.golden_set g ON g.case_id = r.case_id
LEFT JOIN (SELECT case_id, agent_name, batch_id, CASE WHEN SUM(CASE WHEN verdict = 'pass' THEN 1 ELSE -1 END) > 0 THEN 1 ELSE 0 END AS passes
  FROM badger.human_labels GROUP BY case_id, agent_name, batch_id) l ON l.case_id = r.case_id AND l.agent_name = r.agent_name AND l.batch_id = r.batch_id`

// Answer is one row of Cases: a case, or the reason why it cannot be read, with whose it is.
type Answer struct {
	CaseID, Agent, Version, Batch string
	Case                          *scoring.Case
	Err                           error // why the row is no case; other rows go on
}

// Cases streams the answers with their questions, in the order of agent, version, batch and case. The error is one of the warehouse and ends the stream.
func (w *Warehouse) Cases(ctx context.Context, f Filter) iter.Seq2[Answer, error] {
	return func(yield func(Answer, error) bool) {
		cond, args := w.where(f)
		var rows array.RecordReader
		err := w.use("reading cases", func() (err error) {
			rows, err = w.conn.Query(ctx, "SELECT "+caseColumns+from+cond+" ORDER BY r.agent_name, r.agent_version, r.batch_id, r.case_id", args...)
			return err
		})
		if err != nil {
			yield(Answer{}, err)
			return
		}
		defer rows.Release()
		for rows.Next() {
			t, err := arrowtable.FromRecord(rows.Record())
			if err != nil {
				yield(Answer{}, err)
				return
			}
			for i := range t.Rows() {
				if !yield(answer(t, i), nil) {
					return
				}
			}
		}
		if err := rows.Err(); err != nil {
			yield(Answer{}, w.use("reading cases", func() error { return err }))
		}
	}
}

// Count is the number of answers a filter chooses.
func (w *Warehouse) Count(ctx context.Context, f Filter) (int64, error) {
	cond, args := w.where(f)
	t, err := w.Query(ctx, "SELECT COUNT(*)"+from+cond, args...)
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

func (r *record) text(c int) string {
	if v := r.t.Columns[c].Value(r.row); !v.IsNull() {
		return v.String()
	}
	return ""
}

func (r *record) json(c int, what string, into any) {
	if s := r.text(c); s != "" && r.err == nil {
		if err := json.Unmarshal([]byte(s), into); err != nil {
			r.err = errcode.New(errcode.InvalidArgument, "%s: %w", what, err)
		}
	}
}

func (r *record) latency(c int) *time.Duration {
	v := r.t.Columns[c].Value(r.row)
	if v.IsNull() {
		return nil
	}
	d := time.Duration(v.Float() * float64(time.Millisecond))
	return &d
}

func answer(t *scoring.Table, i int) Answer {
	r := &record{t: t, row: i}
	c := &scoring.Case{
		ID: r.text(0), Question: r.text(1), Evidence: r.text(2), Schema: r.text(3), Dialect: r.text(4),
		Expected: scoring.Expected{Behaviour: r.text(9)},
		Agent: scoring.Agent{
			Name: r.text(11), Version: r.text(12), BatchID: r.text(13), Interpretation: r.text(14), Response: r.text(19), ConversationID: r.text(22),
		},
		Pred: scoring.Query{SQL: r.text(15), Result: scoring.ParseResultText([]byte(r.text(16))), Error: r.text(17), Latency: r.latency(20)},
	}
	gold := scoring.Query{SQL: r.text(5), Result: scoring.ParseResultText([]byte(r.text(6))), Latency: r.latency(21)}
	if gold.SQL != "" || !gold.Result.Absent() {
		c.Golds = []scoring.Query{gold}
	}
	c.Pred.Ran = c.Pred.Error != "" || !c.Pred.Result.Absent()
	if tools := r.text(7); tools != "" {
		c.Expected.Tools = json.RawMessage(tools)
	}
	r.json(8, "expected_clarifications", &c.Expected.Clarifications)
	r.json(10, "tags", &c.Tags)
	r.json(18, "tool_calls", &c.Agent.ToolCalls)
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
		r.err = errcode.New(errcode.InvalidArgument, "expected_behaviour is %.40q, want answer, clarify or refuse", c.Expected.Behaviour)
	}
	a := Answer{CaseID: c.ID, Agent: c.Agent.Name, Version: c.Agent.Version, Batch: c.Agent.BatchID, Case: c}
	if r.err != nil {
		a.Case, a.Err = nil, errcode.New(errcode.Of(r.err), "case %q: %w", a.CaseID, r.err)
	}
	return a
}
