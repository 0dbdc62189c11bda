package scoring

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring/toolcalls"
)

// Cells returns the cell of one row in a named column as a string. It is empty if the cell is NULL or the column does
// not exist.
type Cells func(column string) string

// CaseOfRows returns a case from a row of agent_runs and the row of golden_set for its question. copies is the number
// of rows that golden_set has for the question in that version: 0 if there is none; more than one is an error.
// Invalid tags are not an error: the reason is in TagsErr. Nor is an invalid cost, number of tokens or latency: see
// [Case.Invalid].
func CaseOfRows(run, golden Cells, copies int64) (*Case, error) {
	r := rowReader{}
	turn, err := strconv.ParseInt(run("turn"), 10, 64)
	if err != nil {
		turn = 0
	}
	c := &Case{
		ID: run("case_id"), Question: golden("question"), Evidence: golden("evidence"), Schema: golden("schema_ddl"),
		Dialect: golden("dialect"), Database: golden("database_name"),
		Expected: Expected{Behaviour: golden("expected_behaviour")},
		Agent: Agent{
			Name: run("agent_name"), Version: run("agent_version"), BatchID: run("batch_id"),
			Interpretation: run("interpretation"), Response: run("response"),
			ConversationID: run("conversation_id"), Turn: int(turn),
		},
	}
	spent := r.ofCells(run)
	c.Agent.CostUSD, c.Agent.TokensIn, c.Agent.TokensOut = spent.CostUSD, spent.TokensIn, spent.TokensOut
	c.Pred = queryOfCells(run("sql"), run("result"), run("sql_error"), spent.Latency)
	c.Pred.Chart, c.Agent.Contexts = JSONOfCell(run("chart")), JSONOfCell(run("contexts"))
	c.Agent.RanAt, _ = ParseInstant(run("ran_at")) // a column of any type; what is not a time is NULL
	goldLatency := parsed(&r.figures, "gold_latency_ms", run("gold_latency_ms"), parseLatency)
	if goldLatency == nil {
		goldLatency = parsed(&r.figures, "gold_latency_ms of the golden set", golden("gold_latency_ms"), parseLatency)
	}
	if gold := queryOfCells(golden("gold_sql"), golden("gold_result"), golden("gold_error"),
		goldLatency); gold.SQL != "" || gold.Ran || golden("gold_chart") != "" {
		gold.Chart = JSONOfCell(golden("gold_chart"))
		c.Golds = []Query{gold}
	}
	if tools := golden("expected_tools"); tools != "" {
		c.Expected.Tools = json.RawMessage(tools)
	}
	r.json(golden("expected_clarifications"), "expected_clarifications", &c.Expected.Clarifications)
	c.Tags, c.TagsErr = ParseTags(golden("tags"))
	calls, err := toolcalls.Parse([]byte(run("tool_calls")), "tool_calls")
	if err != nil && r.err == nil {
		r.err = err
	}
	c.Agent.ToolCalls = calls
	r.json(run("earlier_turns"), "earlier_turns", &c.Agent.Earlier)
	r.json(golden("metric_options"), "metric_options", &c.Options)
	var more []Alternative
	r.json(golden("alternatives"), "alternatives", &more)
	for _, a := range more {
		q := queryOfCells(a.SQL, resultText(a.Result), a.Error, nil)
		q.Chart = jsonOf(a.Chart)
		if a.LatencyMS != nil {
			q.Latency = parsed(&r.figures, "latency_ms in alternatives", strconv.FormatFloat(*a.LatencyMS, 'g', -1, 64),
				parseLatency)
		}
		c.Golds = append(c.Golds, q)
	}
	switch c.Expected.Behaviour {
	case "", BehaviourAnswer, BehaviourClarify, BehaviourRefuse:
	default:
		r.fail("expected_behaviour: expected answer, clarify or refuse")
	}
	if copies > 1 && r.err == nil {
		r.err = errcode.New(errcode.AlreadyExists, "golden_set has %d rows of the question in version %q; keep one, and put further accepted answers into its column alternatives", copies, golden("set_version"))
	}
	if c.ID == "" {
		r.err = errcode.New(errcode.InvalidArgument, "case_id is missing")
	}
	if r.err != nil {
		return nil, errcode.New(errcode.Of(r.err), "case %q: %w", c.ID, r.err)
	}
	c.Invalid = r.invalid
	return c, nil
}

// rowReader parses the cells of a row and keeps the first error.
type rowReader struct {
	err error
	figures
}

func (r *rowReader) json(text, what string, into any) {
	if text != "" && r.err == nil && json.Unmarshal([]byte(text), into) != nil { // json's error would contain the data
		r.fail("%s cannot be read: expected JSON in the form that docs/reference/tables.md shows", what)
	}
}

func (r *rowReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = errcode.New(errcode.InvalidArgument, format, args...)
	}
}

// Alternative is a further accepted answer, in the form of an element of golden_set.alternatives.
type Alternative struct {
	SQL       string          `json:"sql,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"` // an inline result, or text that holds one or a reference
	Error     string          `json:"error,omitempty"`
	LatencyMS *float64        `json:"latency_ms,omitempty"`
	Chart     json.RawMessage `json:"chart,omitempty"`
}

func queryOfCells(sql, result, failed string, latency *time.Duration) Query {
	q := Query{SQL: sql, Result: ParseResultText([]byte(result)), Error: failed, Latency: latency}
	q.Ran = failed != "" || !q.Result.Absent()
	return q
}

// resultText returns the text of a result member: the content of a JSON string, "" for null, and other JSON as text.
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

// StoredScore is a row of the table scores; its JSON names are the names of the columns. nil is NULL.
type StoredScore struct {
	Metric        string          `json:"metric,omitempty"` // empty if the call failed as a whole
	Version       int             `json:"metric_version"`
	Status        Status          `json:"status"`
	Value         *float64        `json:"value"`
	Label         *string         `json:"label"`
	Passed        *bool           `json:"passed"`
	Reason        string          `json:"reason"`
	Detail        json.RawMessage `json:"detail"`
	AssessmentIDs []string        `json:"assessment_ids"`
	ConfigHash    string          `json:"config_hash"`
	Code          *string         `json:"code"`
	Usage         *Usage          `json:"usage"`
	GoldHash      *string         `json:"gold_hash"`
	AnswerHash    *string         `json:"answer_hash"`
}

// Stored returns the score as a row of the table scores. It returns an error if the detail cannot be encoded as JSON.
func (s *Score) Stored(configHash string) (StoredScore, error) {
	out := StoredScore{Metric: s.Metric, Version: s.Version, Status: s.Status, Passed: s.Passed, Reason: s.Reason,
		AssessmentIDs: s.AssessmentIDs, ConfigHash: configHash, Usage: s.Usage}
	if s.Detail != nil {
		var err error
		if out.Detail, err = json.Marshal(s.Detail); err != nil {
			return out, errcode.New(errcode.Internal, "metric %s: the detail is not JSON: %w", s.Metric, err)
		}
	}
	if len(s.AssessmentIDs) == 0 {
		out.AssessmentIDs = nil
	}
	if s.Status == StatusOK {
		out.Value = &s.Value
	}
	if s.Label != "" {
		out.Label = &s.Label
	}
	if s.Status == StatusFailed {
		code := s.Code.String()
		out.Code = &code
	}
	return out, nil
}

// Hash returns a hash of the configuration, 16 hexadecimal digits, that is stored with the scores.
func (c Config) Hash() string {
	text, err := json.Marshal(c)
	if err != nil { // options that are not JSON, which an engine refuses
		text = []byte("null")
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Config returns the configuration of the engine.
func (e *Engine) Config() Config { return e.opts.Config }
