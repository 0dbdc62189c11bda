package imports

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/internal/printable"
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
	Duplicates int            `json:"duplicates"` // records that repeat another one
	Conflicts  int            `json:"conflicts"`  // records that a later one with the same id and other content replaces
	Doubled    int            `json:"doubled"`    // answers that a later one with the same key replaces
	Unknown    int            `json:"unknown_questions"`
	Ambiguous  int            `json:"ambiguous_questions"` // answers to a question that several cases ask
	Unanswered int            `json:"unanswered"`          // cases of the golden set without an answer, for each agent version
	Failed     int            `json:"failed"`              // answers with an error of the agent
	Samples    int            `json:"samples"`             // further samples (n > 1) of answers; they are not written
	Invalid    int            `json:"invalid_figures"`

	NoKey      int `json:"no_case_id_key"`         // answers whose traces lack Options.CaseID
	NoCase     int `json:"no_case_id_or_question"` // such answers are not written
	NoQuestion int `json:"no_question"`
	NoResponse int `json:"no_response"`
	NoSQL      int `json:"no_sql"`
	NoCalls    int `json:"no_tool_calls"` // calls were not recorded
	NoTurn     int `json:"no_turn"`       // answers of a conversation whose turn is unknown
	NoTokens   int `json:"no_tokens"`
	NoCost     int `json:"no_cost"`
	NoLatency  int `json:"no_latency"`
	NoTime     int `json:"no_ran_at"`

	Missing
	Notes []string `json:"notes,omitempty"` // sentences about what is missing

	traces  *Traces
	options Options
	names   Names
	planned []planned // of each answer
	written int
	asked   []string // the cases of the golden set
}

// missed returns the cases of the golden set that an agent version with any answer did not answer.
func (p *Plan) missed(asked []string) (out []scoring.AnswerID) {
	answered, versions := map[scoring.AnswerID]bool{}, []scoring.By{}
	for i := range p.planned {
		if d := &p.planned[i]; d.id != "" {
			answered[scoring.AnswerID{CaseID: d.id, By: d.by}] = true
			if !slices.Contains(versions, d.by) {
				versions = append(versions, d.by)
			}
		}
	}
	for _, by := range versions {
		for _, id := range asked {
			if key := (scoring.AnswerID{CaseID: id, By: by}); !answered[key] {
				out = append(out, key)
			}
		}
	}
	return out
}

// Missed returns the cases of the golden set that have no answer, as cases without one, for each agent version.
func (p *Plan) Missed() (out []*scoring.Case) {
	for _, key := range p.missed(p.asked) {
		out = append(out, &scoring.Case{ID: key.CaseID,
			Agent: scoring.Agent{Name: key.Agent, Version: key.Version, BatchID: key.Batch}})
	}
	return out
}

// planned is what is decided about an answer.
type planned struct {
	id    string // case_id; "" if the answer is not written
	turn  int
	ranAt int64 // microseconds since 1970
	timed bool
	key   [8]byte // of its question and, in a conversation, of those before it
	hash  bool    // id is made of key
	by    scoring.By
}

// Questions are the questions of a golden set. The zero value has none.
type Questions struct {
	ids map[string]string   // by question, as questionKey returns it; "" if several cases have the question
	of  map[string][]string // ids of the cases with a question that several have
	has map[string]bool     // ids
	ask []string            // ids in the order of the golden set
	all map[string]string   // names, whose memory is shared
}

func (q *Questions) shared(name string) string {
	if q.all == nil {
		q.all = map[string]string{}
	}
	if have, ok := q.all[name]; ok {
		return have
	}
	q.all[name] = name
	return name
}

// Add adds the question of a case.
func (q *Questions) Add(id, question string) {
	if q.ids == nil {
		q.ids, q.has = map[string]string{}, map[string]bool{}
	}
	if !q.has[id] {
		q.ask = append(q.ask, id)
	}
	q.has[id] = true
	if key := questionKey(question); key != "" {
		switch other, ok := q.ids[key]; {
		case !ok:
			q.ids[key] = id
		case other == "":
			if !slices.Contains(q.of[key], id) {
				q.of[key] = append(q.of[key], id)
			}
		case other != id:
			if q.of == nil {
				q.of = map[string][]string{}
			}
			q.ids[key], q.of[key] = "", []string{other, id}
		}
	}
}

// questionKey returns a question without differences of letter case and white space.
func questionKey(question string) string {
	return strings.Join(strings.Fields(strings.ToLower(question)), " ")
}

// caseID returns the case_id of an answer: that of the trace, or of the known case with the question. If the golden set
// lacks the case, known is false, and id is "" unless the trace has it.
func (q *Questions) caseID(a *Answer) (id string, known bool) {
	if a.CaseID != "" {
		return a.CaseID, q.has[a.CaseID]
	}
	id = q.ids[questionKey(a.Question)]
	return id, id != ""
}

// several returns the cases that ask the question of an answer without a case, if these are several.
func (q *Questions) several(a *Answer) []string {
	if a.CaseID != "" {
		return nil
	}
	return q.of[questionKey(a.Question)]
}

// nearest returns the known case whose question shares the most words with a question, and that question without
// differences of letter case; "" if none shares half of the words of both.
func (q *Questions) nearest(question string) (id, text string) {
	words := func(text string) map[string]bool {
		out := map[string]bool{}
		for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			out[w] = true
		}
		return out
	}
	asked, most := words(question), 0.0
	for _, key := range slices.Sorted(maps.Keys(q.ids)) {
		of, shared := words(key), 0
		for w := range of {
			if asked[w] {
				shared++
			}
		}
		if share := float64(shared) / float64(max(1, len(asked)+len(of)-shared)); share >= 0.5 && share > most {
			most, id, text = share, q.ids[key], key
		}
	}
	return id, text
}

// unknown reports a question that the golden set lacks, or that several of its cases ask.
func (t *Traces) unknown(a *Answer, known *Questions) {
	if t.Unknown == nil {
		return
	}
	if ids := known.several(a); ids != nil {
		t.Unknown(fmt.Sprintf("%s: the golden set asks %s in several cases: %s; expected the case in the trace, named by --case-id",
			a.Place, strconv.Quote(printable.Short(a.Question)), printable.List(ids)))
		return
	}
	what := "the question " + strconv.Quote(printable.Short(a.Question))
	if a.CaseID != "" {
		what = "the case " + strconv.Quote(printable.Short(a.CaseID))
	}
	text := fmt.Sprintf("%s: the golden set lacks %s", a.Place, what)
	if id, near := known.nearest(a.Question); near != "" {
		text += fmt.Sprintf("; the nearest is %s", strconv.Quote(printable.Short(near)))
		if id != "" {
			text += ", case " + printable.Short(id)
		}
	}
	t.Unknown(text)
}

// Plan converts all traces and counts what they lack.
func (t *Traces) Plan(ctx context.Context, o Options, names Names, known Questions) (*Plan, error) {
	p := &Plan{Products: map[string]int{}, Duplicates: t.Duplicates, traces: t, options: o, names: names}
	talks, agents := conversations{}, map[string]bool{}
	read := t.answers(ctx, o, func(g *group, out leftOut) {
		p.Duplicates += out.duplicates
		p.Conflicts += len(out.conflicts)
		for _, c := range out.conflicts {
			t.report(c[0], "%s has a record with the same id and other content; the latter is used", t.place(c[1]))
		}
	})
	for a, err := range read {
		if err != nil {
			return nil, err
		}
		if a.Err == nil {
			a.Err = checkNames(&a)
		}
		if a.Agent != "" {
			agents[known.shared(a.Agent)] = true
		}
		d := planned{turn: a.Turn, ranAt: a.RanAt.UnixMicro(), timed: !a.RanAt.IsZero()}
		d.by = scoring.By{Agent: known.shared(cmp.Or(names.Agent, a.Agent)), Batch: names.Batch,
			Version: known.shared(cmp.Or(names.Version, a.Version))}
		key := questionKey(a.Question)
		sum := sha256.Sum256([]byte(key))
		d.key = [8]byte(sum[:])
		if a.Conversation != "" {
			talks.add(talk{d.by.Agent, d.by.Version, a.Conversation}, len(p.planned))
		}
		if a.Err != nil {
			p.planned = append(p.planned, d)
			t.Unreadable++
			if t.Report != nil {
				t.Report(errcode.New(errcode.Of(a.Err), "%s: %w", a.Place, a.Err))
			}
			continue
		}
		p.count(&a)
		id, isKnown := known.caseID(&a)
		if len(a.Invalid) > 0 && t.Report != nil {
			t.Report(errcode.New(errcode.InvalidArgument, "%s: %s not valid; expected numbers from 0", a.Place,
				strings.Join(a.Invalid, " and ")))
		}
		if !isKnown && known.has != nil && (id != "" || key != "") {
			if known.several(&a) != nil {
				p.Ambiguous++
			} else {
				p.Unknown++
			}
			t.unknown(&a, &known)
		}
		d.id, d.hash = id, id == "" && key != ""
		p.planned = append(p.planned, d)
	}
	p.Unreadable = t.Unreadable
	p.Missing, p.Notes = t.pages.Missing()
	if len(agents) > 1 && names.Agent != "" {
		p.Notes = append(p.Notes, fmt.Sprintf("the traces are of %d agents (%s), and --agent gives all the name %s: of their answers to one question the last is used; import each agent by itself",
			len(agents), printable.List(slices.Sorted(maps.Keys(agents))), names.Agent))
	}
	p.NoTurn = talks.number(p.planned)
	for i := range p.planned {
		if d := &p.planned[i]; d.hash && d.id == "" {
			d.id = "q-" + hex.EncodeToString(d.key[:6])
		}
	}
	p.choose()
	p.Unanswered = len(p.missed(known.ask))
	p.asked = known.ask
	return p, nil
}

// checkNames returns an error for names that no table can store.
func checkNames(a *Answer) error {
	for _, n := range []struct{ what, name string }{{"case_id", a.CaseID}, {"agent", a.Agent},
		{"agent version", a.Version}, {"conversation", a.Conversation}} {
		if strings.IndexByte(n.name, 0) >= 0 {
			return errcode.New(errcode.InvalidArgument, "the %s contains a NUL byte, which not every warehouse can store",
				n.what)
		}
	}
	return nil
}

func (p *Plan) count(a *Answer) {
	p.Answers++
	p.Products[a.Product]++
	p.Samples += a.Samples
	for n, is := range map[*int]bool{
		&p.NoQuestion: a.Question == "", &p.NoResponse: a.Response == "" && a.Error == "", &p.NoSQL: a.SQL == "",
		&p.NoCalls: a.Calls == nil, &p.NoTokens: a.TokensIn == nil && a.TokensOut == nil, &p.NoCost: a.CostUSD == nil,
		&p.NoLatency: a.Latency == nil, &p.NoTime: a.RanAt.IsZero(), &p.Failed: a.Error != "", &p.Invalid: len(a.Invalid) > 0,
		&p.NoKey: p.options.CaseID != "" && a.CaseID == "", &p.NoCase: a.CaseID == "" && questionKey(a.Question) == "",
	} {
		if is {
			*n++
		}
	}
}

// choose drops the answers that a later one with the same key replaces.
func (p *Plan) choose() {
	last := map[scoring.AnswerID]int{}
	for n := range p.planned {
		d := &p.planned[n]
		if d.id == "" {
			continue
		}
		key := scoring.AnswerID{CaseID: d.id, By: d.by}
		other, ok := last[key]
		switch {
		case !ok:
			p.written++
		case p.planned[other].ranAt > d.ranAt:
			p.Doubled++
			d.id = ""
			continue
		default:
			p.Doubled++
			p.planned[other].id = ""
		}
		last[key] = n
	}
}

// toCase returns an answer as a case.
func (p *Plan) toCase(a *Answer, d *planned) *scoring.Case {
	return &scoring.Case{
		ID: d.id, Question: a.Question,
		Pred: scoring.Query{SQL: a.SQL, Latency: a.Latency, Error: a.Error, Ran: a.Error != ""},
		Agent: scoring.Agent{
			Name: d.by.Agent, Version: d.by.Version, BatchID: d.by.Batch,
			Response: a.Response, ToolCalls: a.Calls, ConversationID: a.Conversation, Turn: d.turn, RanAt: a.RanAt,
			TokensIn: a.TokensIn, TokensOut: a.TokensOut, CostUSD: a.CostUSD,
		},
	}
}

// Cases yields the answers that are written, as cases.
func (p *Plan) Cases(ctx context.Context) iter.Seq2[*scoring.Case, error] {
	return func(yield func(*scoring.Case, error) bool) {
		n := -1
		for a, err := range p.traces.Answers(ctx, p.options) {
			if err != nil {
				yield(nil, err)
				return
			}
			n++
			if d := &p.planned[n]; d.id != "" && !yield(p.toCase(&a, d), nil) {
				return
			}
		}
	}
}

// Written returns the number of answers that Cases yields.
func (p *Plan) Written() int { return p.written }

// AppendLine appends an answer as a line of a case file. If golden, the line of the same case in another case file, is
// not nil, the line is golden with the answer as its member agent, and with the reference that ref returns instead of
// each reference to a result.
func AppendLine(dst []byte, c *scoring.Case, golden []byte, ref func(string) string) []byte {
	n := len(golden) + len(c.Question) + len(c.Pred.SQL) + len(c.Agent.Response) + 1000
	for _, call := range c.Agent.ToolCalls {
		n += len(call.Name) + len(call.Arguments) + 60
	}
	dst = slices.Grow(dst, n+n/16)
	dst = append(dst, '{')
	if golden == nil {
		l := line{dst}
		l.text("case_id", c.ID)
		l.text("question", c.Question)
		dst = l.to
	}
	for _, m := range scoring.QuestionMembers(golden, ref) {
		l := line{dst}
		l.member(string(m.Name))
		dst = jsonscan.AppendCompact(l.to, m.Value)
	}
	l := line{dst}
	l.member("agent")
	dst = appendAgent(l.to, c)
	return append(dst, "}\n"...)
}

// line is an object that is written.
type line struct{ to []byte }

// member appends the name of a member.
func (l *line) member(name string) {
	if l.to[len(l.to)-1] != '{' {
		l.to = append(l.to, ',')
	}
	l.to = append(jsonscan.AppendString(l.to, name), ':')
}

// text appends a member unless it is empty.
func (l *line) text(name, value string) {
	if value != "" {
		l.member(name)
		l.to = jsonscan.AppendString(l.to, value)
	}
}

// number appends a member unless it is nil.
func (l *line) number(name string, value *float64) {
	if value != nil {
		l.member(name)
		l.to = strconv.AppendFloat(l.to, *value, 'f', -1, 64)
	}
}

// whole appends a member unless it is nil.
func (l *line) whole(name string, value *int64) {
	if value != nil {
		l.member(name)
		l.to = strconv.AppendInt(l.to, *value, 10)
	}
}

// appendAgent appends the member agent of a case.
func appendAgent(dst []byte, c *scoring.Case) []byte {
	a := &c.Agent
	l := line{append(dst, '{')}
	l.text("name", a.Name)
	l.text("version", a.Version)
	l.text("batch_id", a.BatchID)
	if !a.RanAt.IsZero() {
		l.text("ran_at", a.RanAt.UTC().Format("2006-01-02T15:04:05.999999Z07:00"))
	}
	l.text("sql", c.Pred.SQL)
	l.text("error", c.Pred.Error)
	l.text("response", a.Response)
	l.member("tool_calls")
	l.calls(a.ToolCalls)
	if c.Pred.Latency != nil {
		ms := float64(c.Pred.Latency.Microseconds()) / 1000
		l.number("latency_ms", &ms)
	}
	l.text("conversation_id", a.ConversationID)
	if a.Turn > 0 {
		turn := int64(a.Turn)
		l.whole("turn", &turn)
	}
	l.whole("tokens_in", a.TokensIn)
	l.whole("tokens_out", a.TokensOut)
	if a.CostUSD != nil {
		l.member("cost_usd")
		l.to = append(l.to, a.CostUSD.String()...)
	}
	return append(l.to, '}')
}

// calls appends a list of calls, or null if they were not recorded.
func (l *line) calls(calls []scoring.ToolCall) {
	if calls == nil {
		l.to = append(l.to, "null"...)
		return
	}
	l.to = append(l.to, '[')
	for i, call := range calls {
		if i > 0 {
			l.to = append(l.to, ',')
		}
		l.to = append(l.to, '{')
		l.member("name")
		l.to = jsonscan.AppendString(l.to, call.Name)
		if call.Arguments != nil {
			l.member("arguments")
			l.to = jsonscan.AppendCompact(l.to, call.Arguments)
		}
		l.text("read_as", call.ReadAs)
		l.to = append(l.to, '}')
	}
	l.to = append(l.to, ']')
}
