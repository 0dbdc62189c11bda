package scoring

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/toolcalls"
)

// Case is one question, its accepted answers (Golds) and the agent's answer (Pred).
type Case struct {
	ID       string
	Question string
	Evidence string // hints that came with the question, such as the definition of a business term
	Schema   string // DDL of the tables the question is about
	// SchemaFrom is "warehouse" if Schema was read from the warehouse, and empty if it comes from the case. Facts holds
	// statistics of the data, or nil if none were read.
	SchemaFrom string
	Facts      *sqlparts.Facts
	Database   string
	Dataset    string   // the data set that the case comes from; reports show agreement by data set
	Dialect    string   // SQL dialect of both queries: snowflake, bigquery, databricks, duckdb, sqlite, …
	Tags       []string // free words to slice reports by
	TagsErr    error    // the error if Tags cannot be parsed; only code that reads tags fails because of it

	Golds    []Query // accepted answers; the score is the best over all of them
	Pred     Query   // the agent's answer
	Agent    Agent
	Expected Expected

	Human   *bool                      // the human verdict on the answer, if any; no metric reads it
	Note    string                     // the reason of the human verdict, if any; no metric reads it
	Votes   json.RawMessage            // the votes of several people as JSON; no metric reads it
	Options map[string]json.RawMessage // the options of each metric, by the metric's name

	Invalid    []string // a sentence for each cost, number of tokens or latency that is invalid, and so unknown
	UnreadKeys []string // unknown keys of the case file, which are ignored, such as gold.resutl; at most 20
}

// Query is one SQL text, what it returned when it ran, and how long that took.
type Query struct {
	SQL     string
	Result  Result
	Error   string          // the database's message if the SQL failed
	Ran     bool            // whether it is known to have been executed, successfully or not
	Latency *time.Duration  // nil if it was not measured
	Chart   json.RawMessage // the chart that shows the result, described as data; nil if there is none
	Around  []string        // describes text removed around SQL, such as a Markdown fence; set by scoring
	Clock   *time.Time      // the time to which the clock was pinned when the result was computed; nil: not pinned
}

// Result is the result of a query: a table, a reference to one (query:ID, table:NAME, file:PATH), or the reason why
// it cannot be read. If all fields are empty, the case has no result.
type Result struct {
	Table *Table
	Ref   string
	Err   error
}

// Absent reports whether all fields are empty: no table, no reference and no error.
func (r Result) Absent() bool { return r.Table == nil && r.Ref == "" && r.Err == nil }

// Given reports whether there is a table or a reference to one, even if the reference cannot be resolved. If only Err
// is set, it returns false.
func (r Result) Given() bool { return r.Table != nil || r.Ref != "" }

// Agent identifies the agent, and holds its actions other than the query.
type Agent struct {
	Name           string
	Version        string
	BatchID        string
	Interpretation string          // the question in the agent's own words
	Response       string          // the answer in prose
	ToolCalls      []ToolCall      // nil if the calls were not logged; empty if the agent made none
	Contexts       json.RawMessage // the retrieved passages: a JSON list; nil if there is none
	ConversationID string
	Turn           int       // position in the conversation, from 1; 0 if unknown
	Earlier        []Turn    // the turns before it, the oldest first
	RanAt          time.Time // when the agent answered; zero if unknown; no metric reads it

	// What the answer took; nil if unknown. No metric reads it.
	TokensIn, TokensOut *int64
	CostUSD             *USD
}

// ToolCall is one call of a tool that the agent made.
type ToolCall = toolcalls.Call

// toolCallsJSON is the JSON of tool calls in any form that package toolcalls parses.
type toolCallsJSON json.RawMessage

// UnmarshalJSON keeps a copy of b.
func (t *toolCallsJSON) UnmarshalJSON(b []byte) error {
	*t = append((*t)[:0], b...)
	return nil
}

// Behaviours that a question may call for.
const (
	BehaviourAnswer  = "answer"
	BehaviourClarify = "clarify"
	BehaviourRefuse  = "refuse"
)

// Expected is the right behavior of an agent other than returning the right rows.
type Expected struct {
	Behaviour      string          // answer (also when empty), clarify or refuse
	Tools          json.RawMessage // a list of calls, or a specification that the tool metrics understand
	Clarifications []string
}

// caseJSON is the JSON form of a case in a case file. Unknown members are listed in Case.UnreadKeys. [CaseKeys]
// documents the members. They may also have the names of the columns of the tables, see caseAliases.
type caseJSON struct {
	CaseID   nameJSON `json:"case_id" doc:"Identifies the question. Required."`
	Question string   `json:"question" doc:"The question as the user asked it."`
	Evidence string   `json:"evidence" doc:"Hints that came with the question, such as the definition of a business term."`
	Schema   string   `json:"schema_ddl" doc:"CREATE TABLE statements of the tables that the question is about."`
	Database string   `json:"database" doc:"Name of the database that the question is about."`
	Dataset  string   `json:"dataset" doc:"Where the case comes from. Agreement with people can be shown by data set."`
	Dialect  string   `json:"dialect" doc:"SQL dialect of both queries: snowflake, bigquery, databricks, duckdb, postgres, sqlite, …"`
	Tags     tagsJSON `json:"tags" doc:"Words to slice reports by."`
	Gold     golds    `json:"gold" doc:"The accepted answer, or a list of accepted answers. The one with the best score is used."`
	Agent    struct {
		queryJSON
		Name           nameJSON        `json:"name" doc:"Who answered."`
		Version        nameJSON        `json:"version" doc:"Version of the agent."`
		BatchID        nameJSON        `json:"batch_id" doc:"Which batch the answer belongs to, such as the night."`
		Interpretation string          `json:"interpretation" doc:"The question in the agent's own words."`
		Response       string          `json:"response" doc:"The agent's answer in prose."`
		ToolCalls      toolCallsJSON   `json:"tool_calls" doc:"The tools that the agent called, in order: a list of {\"name\", \"arguments\"}, or a trace in a form of docs/eval/traces.md. Leave it out if calls were not logged; [] means that the agent made none."`
		Contexts       json.RawMessage `json:"contexts" doc:"The passages that the agent retrieved: a list of {\"id\", \"text\", \"title\", \"source\"}, or of texts."`
		ConversationID string          `json:"conversation_id" doc:"The conversation that the answer is part of."`
		Turn           int             `json:"turn" doc:"Position of the answer in its conversation, from 1."`
		Earlier        []Turn          `json:"earlier_turns" doc:"The turns before it, the oldest first: a list of {question, sql, response}. Without it they are the answers with the same conversation_id and a lower turn."`
		RanAt          string          `json:"ran_at" doc:"When the agent answered, such as 2025-01-13T02:00:00Z; without a zone it is UTC. It dates the batch in trends and reports."`
		TokensIn       tokensJSON      `json:"tokens_in" doc:"Tokens that the models of the agent read. No metric reads it."`
		TokensOut      tokensJSON      `json:"tokens_out" doc:"Tokens that the models of the agent wrote. No metric reads it."`
		CostUSD        amountJSON      `json:"cost_usd" doc:"What the answer cost, in US dollars, exact to 12 decimals. No metric reads it."`
	} `json:"agent" doc:"The agent's answer."`
	Expected struct {
		Behaviour      string          `json:"behaviour" doc:"answer (the default), clarify or refuse."`
		Tools          json.RawMessage `json:"tools" doc:"The tools that a good agent calls, in order: a list of names or of {\"name\", \"arguments\"}."`
		Clarifications []string        `json:"clarifications" doc:"What a good agent asks back."`
	} `json:"expected" doc:"What a good agent does in addition to returning the right rows."`
	Human struct {
		Label labelJSON       `json:"label" doc:"Whether people accept the answer: true, 1, pass, yes, correct, or false, 0, fail, no, incorrect; unsure is not a label."`
		Note  string          `json:"note" doc:"Why people accept or refuse the answer."`
		Votes json.RawMessage `json:"votes" doc:"What each annotator said: an object by name, or a list. pass, 1, true, yes, correct accept the answer, their opposites refuse it, anything else is unsure."`
	} `json:"human" doc:"Human labels of the answer. No metric reads them."`
	Options map[string]json.RawMessage `json:"options" doc:"Options of single metrics, by name."`
	Meta    json.RawMessage            `json:"meta" doc:"Anything else that belongs to the case, such as the fields of a data set that it comes from. It is not read."`
}

// nameJSON is a name that may be written in JSON as a string or a number, such as the case 17 or the version 2.0. The
// text of the number is the name.
type nameJSON string

// UnmarshalJSON parses a string or a number. A name with a NUL byte is an error.
func (n *nameJSON) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && (b[0] == '-' || b[0] >= '0' && b[0] <= '9') {
		*n = nameJSON(b)
		return nil
	}
	var name string
	if err := json.Unmarshal(b, &name); err != nil {
		return err
	}
	if err := checkName(name); err != nil {
		return err
	}
	*n = nameJSON(name)
	return nil
}

// checkName returns an error if the name of a question, an agent, a version or a batch contains a NUL byte, which not
// every warehouse can store.
func checkName(name string) error {
	if strings.IndexByte(name, 0) >= 0 {
		return errcode.New(errcode.InvalidArgument, "a name (case_id, agent.name, agent.version, agent.batch_id) contains a NUL byte, which not every warehouse can store; remove it")
	}
	return nil
}

// tagsJSON holds the tags of a case, or the error of parsing them. Invalid tags do not make the case invalid.
type tagsJSON struct {
	list []string
	err  error
}

// UnmarshalJSON parses a list of strings. It returns no error: that of an invalid list is kept in t.err.
func (t *tagsJSON) UnmarshalJSON(b []byte) error {
	t.list, t.err = ParseTags(string(b))
	return nil
}

// ParseTags parses tags in the form of golden_set.tags and case files: a JSON list of strings. It returns no tags
// for the empty string and null.
func ParseTags(text string) (tags []string, err error) {
	if text == "" {
		return nil, nil
	}
	if json.Unmarshal([]byte(text), &tags) != nil {
		return nil, &UnreadableTags{text}
	}
	return tags, nil
}

// UnreadableTags is the error for tags that are not a JSON list of strings. Its message does not show them.
type UnreadableTags struct{ Text string }

// Error returns a message with the expected form.
func (*UnreadableTags) Error() string {
	return `tags cannot be read: expected a JSON list of strings, such as ["sales"]`
}

// Unwrap returns an error with the same message and the code InvalidArgument.
func (e *UnreadableTags) Unwrap() error { return errcode.New(errcode.InvalidArgument, "%s", e.Error()) }

// ReadLabel parses a human verdict: 1, pass, true, yes, correct, or 0, fail, false, no, incorrect, in any letter
// case. ok is false for any other string, such as unsure.
func ReadLabel(text string) (passes, ok bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "1", "pass", "true", "yes", "correct":
		return true, true
	case "0", "fail", "false", "no", "incorrect":
		return false, true
	}
	return false, false
}

// labelJSON is the text of the member human.label: true, false, a string or number that [ReadLabel] parses, or null,
// "" or "unsure" for no verdict.
type labelJSON string

// UnmarshalJSON parses a JSON string, boolean or number, so that true, 1 and "pass" are the same verdict. Any other
// text is an error.
func (l *labelJSON) UnmarshalJSON(b []byte) error {
	text := string(b)
	if len(b) > 0 && b[0] == '"' {
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
	}
	if _, said := ReadLabel(text); !said && text != "" && text != "null" && !strings.EqualFold(text, "unsure") {
		return errcode.New(errcode.InvalidArgument, "human.label: expected true, false, 1, 0, pass, fail or unsure")
	}
	*l = labelJSON(text)
	return nil
}

// passes returns the label's verdict, or nil if it has none.
func (l labelJSON) passes() *bool {
	if passes, said := ReadLabel(string(l)); said {
		return &passes
	}
	return nil
}

type queryJSON struct {
	SQL     string          `json:"sql" doc:"The query."`
	Result  json.RawMessage `json:"result" doc:"What the query returned: an inline result, or a reference file:PATH, table:NAME or query:ID."`
	Error   string          `json:"error" doc:"The message of the database, where the query failed."`
	Latency amountJSON      `json:"latency_ms" doc:"How long the query took, in milliseconds."`
	Chart   json.RawMessage `json:"chart" doc:"The chart that shows the result: Vega-Lite, a Plotly figure, or fields such as {\"mark\": \"bar\", \"x\": \"region\", \"y\": \"revenue\"}, as an object or as text."`
}

// tokensJSON is a number of tokens. The type is documented as a whole number.
type tokensJSON struct{ amountJSON }

type golds []queryJSON

func (g *golds) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	if len(b) > 0 && b[0] == '[' {
		return json.Unmarshal(b, (*[]queryJSON)(g))
	}
	*g = make(golds, 1)
	return json.Unmarshal(b, &(*g)[0])
}

// query returns the Query that the member gold or agent of a case describes.
func (q queryJSON) query(member string, f *figures) Query {
	out := Query{SQL: q.SQL, Error: q.Error, Result: resultOf(q.Result), Chart: jsonOf(q.Chart)}
	out.Ran = out.Error != "" || !out.Result.Absent()
	out.Latency = parsed(f, member+".latency_ms", string(q.Latency), parseLatency)
	return out
}

// jsonOf returns the JSON that raw is or contains as text, or the text; nil for null and for a blank text.
func jsonOf(raw json.RawMessage) json.RawMessage {
	raw = unwrapped(bytes.TrimSpace(raw))
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	return raw
}

// JSONOfCell returns the JSON, or the JSON string of other text, in a cell of a table or in an argument; nil for an
// empty one.
func JSONOfCell(text string) json.RawMessage {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	if json.Valid([]byte(text)) {
		return jsonOf(json.RawMessage(text))
	}
	quoted, _ := json.Marshal(text) // a string can always be encoded
	return quoted
}

// resultOf parses the member result of a query: an inline result, or a string that contains one or a reference.
// Errors are in Result.Err.
func resultOf(raw json.RawMessage) Result {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return Result{}
	case raw[0] == '"':
		var s jsonscan.Scanner
		s.Reset(raw)
		text, err := s.String()
		if err == nil {
			err = s.Lone()
		}
		if err != nil {
			return Result{Err: errcode.New(errcode.InvalidArgument, "result: %w", err)}
		}
		return ParseResultText(text)
	}
	t, err := ParseResult(raw)
	return Result{Table: t, Err: err}
}

// inJSON returns the JSON type that is expected for a member of the Go type t, as error messages name it.
func inJSON(t reflect.Type) string {
	switch t.Kind() { //nolint:exhaustive // the types of members
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice:
		return "a list"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "a text"
	case reflect.Pointer:
		return inJSON(t.Elem())
	}
	return "another type"
}

// malformed describes what is wrong with text that is not JSON, and what was probably written. It repeats at most one
// byte of the text.
func malformed(text []byte, err error) string {
	wrong := (*json.SyntaxError)(nil)
	if !errors.As(err, &wrong) || wrong.Offset < 1 || wrong.Offset > int64(len(text)) {
		return err.Error()
	}
	before, at := bytes.TrimRight(text[:wrong.Offset-1], " \t\r\n"), text[wrong.Offset-1]
	if wrong.Offset == int64(len(text)) && !json.Valid(text) && strings.HasPrefix(err.Error(), "unexpected end") {
		return "the line ends within the object; is the file cut off, or does the object continue on the next line? jq -c . writes an object in one line"
	}
	last := byte(0)
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	hint := ""
	switch {
	case at == '\'':
		hint = "; JSON has double quotes only, is the line a dict of Python? json.dumps writes JSON"
	case (at == '}' || at == ']') && last == ',':
		hint = "; JSON allows no comma before a closing bracket"
	case at == '/' || at == '#':
		hint = "; JSON has no comments"
	case at == ',' && last == '}':
		hint = "; expected one object a line, without a comma after it"
	case at == '{' && last == '}':
		hint = "; expected one object a line"
	case bytes.ContainsRune([]byte("TFN"), rune(at)):
		hint = "; JSON writes true, false and null"
	case at == '"':
		hint = "; is a comma missing before it, or a quote within a text not written as \\\"?"
	case at == '\t':
		hint = "; within a text, a tab is written as \\t"
	}
	return fmt.Sprintf("not valid JSON: unexpected %q at byte %d%s", rune(at), wrong.Offset, hint)
}

// DecodeCase parses one case of a case file, a JSON object. A missing id or an unknown behaviour is an error. A
// result or tags that cannot be parsed are not: the error is in Result.Err or TagsErr.
func DecodeCase(data []byte) (*Case, error) {
	data = jsonscan.QuoteNonFinite(data)
	var j caseJSON
	if err := json.Unmarshal(data, &j); err != nil {
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			// An embedded field has no name in JSON.
			field := strings.ReplaceAll(wrong.Field, reflect.TypeFor[queryJSON]().Name()+".", "")
			return nil, errcode.New(errcode.InvalidArgument, "case: %s is a JSON %s, expected %s", cmp.Or(field, "the line"),
				wrong.Value, inJSON(wrong.Type))
		}
		if text := bytes.TrimSpace(data); len(text) > 0 && text[0] != '{' {
			return nil, errcode.New(errcode.InvalidArgument, `case: expected a JSON object such as {"case_id": …}, found text`)
		}
		return nil, errcode.New(errcode.InvalidArgument, "case: %s", malformed(data, err))
	}
	switch j.Expected.Behaviour {
	case "", BehaviourAnswer, BehaviourClarify, BehaviourRefuse:
	default:
		return nil, errcode.New(errcode.InvalidArgument,
			"case %q: expected.behaviour is %.40q, expected answer, clarify or refuse", j.CaseID, j.Expected.Behaviour)
	}
	if j.CaseID == "" {
		var there struct {
			CaseID *nameJSON `json:"case_id"`
		}
		if _ = json.Unmarshal(data, &there); there.CaseID != nil { // it was read above
			return nil, errcode.New(errcode.InvalidArgument,
				"case: case_id is empty; expected a string that identifies the question")
		}
		return nil, errcode.New(errcode.InvalidArgument,
			"case: case_id is missing; expected a string that identifies the question")
	}
	members, err := checkMembers(data)
	if err != nil {
		return nil, errcode.New(errcode.Of(err), "case %q: %w", j.CaseID, err)
	}
	if members.aliases {
		own, err := renamed(data)
		if err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "case %q: %w", j.CaseID, err)
		}
		return DecodeCase(own)
	}
	if string(j.Expected.Tools) == "null" {
		j.Expected.Tools = nil
	}
	c := &Case{
		ID: string(j.CaseID), Question: j.Question, Evidence: j.Evidence, Schema: j.Schema, Database: j.Database,
		Dataset: j.Dataset, Dialect: j.Dialect, Tags: j.Tags.list, TagsErr: j.Tags.err,
		Agent: Agent{
			Name: string(j.Agent.Name), Version: string(j.Agent.Version), BatchID: string(j.Agent.BatchID),
			Interpretation: j.Agent.Interpretation,
			Response:       j.Agent.Response, ConversationID: j.Agent.ConversationID, Turn: j.Agent.Turn,
			Contexts: jsonOf(j.Agent.Contexts),
			Earlier:  j.Agent.Earlier,
		},
		Expected: Expected{Behaviour: j.Expected.Behaviour, Tools: j.Expected.Tools,
			Clarifications: j.Expected.Clarifications},
		Human: j.Human.Label.passes(), Note: j.Human.Note, Votes: j.Human.Votes, Options: j.Options,
		UnreadKeys: members.unread,
	}
	if c.Agent.ToolCalls, err = toolcalls.Parse(j.Agent.ToolCalls, "agent.tool_calls"); err != nil {
		return nil, errcode.New(errcode.Of(err), "case %q: %w", j.CaseID, err)
	}
	if j.Agent.Turn < 0 {
		return nil, errcode.New(errcode.InvalidArgument, "case %q: agent.turn is %d, expected a whole number from 1",
			j.CaseID, j.Agent.Turn)
	}
	if c.Agent.RanAt, err = ranAt(j.Agent.RanAt); err != nil {
		return nil, errcode.New(errcode.Of(err), "case %q: %w", j.CaseID, err)
	}
	var f figures
	c.Agent.CostUSD = parsed(&f, "agent.cost_usd", string(j.Agent.CostUSD), ParseCost)
	c.Agent.TokensIn = parsed(&f, "agent.tokens_in", string(j.Agent.TokensIn.amountJSON), parseTokens)
	c.Agent.TokensOut = parsed(&f, "agent.tokens_out", string(j.Agent.TokensOut.amountJSON), parseTokens)
	c.Pred = j.Agent.query("agent", &f)
	for _, g := range j.Gold {
		c.Golds = append(c.Golds, g.query("gold", &f))
	}
	c.Invalid = f.invalid
	return c, nil
}
