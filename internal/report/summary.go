package report

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// Case holds the data on a case other than its scores.
type Case struct {
	scoring.AnswerID // the same question in two batches is two cases
	Question         string
	Tier             string // complexity, such as easy; "" if unknown
	Tags             []string
	TagsErr          error            // why the tags cannot be parsed, or nil
	Position         scoring.Position // in a conversation
}

// SummaryOptions configure a summary.
type SummaryOptions struct {
	Metrics []scoring.Metric // known metrics, in their order; others follow by name
	Primary string           // default: see [scoring.Primary]
	Tiers   []string         // order of tiers; default easy, medium, hard, extra hard
	Worst   int              // answers listed for each agent version; default 5, negative for none
	Seed    uint64           // of the bootstrap
}

// Summary collects scores, in any order. A score of the same answer and metric replaces the earlier one. A Summary is
// not safe for concurrent use.
type Summary struct {
	o       SummaryOptions
	cases   caseNumbers
	agents  map[Agent]map[string]*series // by agent version and metric
	abouts  map[Agent][]about            // by case number
	tiers   texts
	turns   texts                  // of conversations
	talks   analysis.Texts[uint32] // identifies conversations within an agent version
	tags    texts
	lists   tagLists
	labels  texts
	groups  []reasonGroup
	byKey   map[groupKey]uint16
	metrics map[string]map[int]bool // versions of each metric's scores
	judges  map[string][]string     // sorted tags of the judges, by metric
	// the agent version that all others are compared with; nil: see pairs
	against *Agent

	dates map[scoring.By]time.Time // of batches, see Dated

	texts map[textKey]textOf
	whys  map[textKey]string // reasons of the metric relation

	objections map[objectionKey]objection

	forgot map[int32]bool // numbers of the cases that lost an answer, see Forget

	spent map[Agent][]*scoring.Spent // what answers took, by case number; nil: no answer
}

// about holds the data on a case for one agent version. Two versions may have different data on a case, since each
// answer has its own line in a case file.
type about struct {
	tags uint32 // number in lists; 0: no tags
	tier uint16 // number in tiers; 0: unknown
	torn bool   // the tags cannot be parsed
	turn uint16 // number in turns; 0: unknown
	talk uint32 // number in talks plus 1; 0: no part of a conversation
}

// texts numbers distinct strings from 1; strings beyond the largest number have 0.
type texts struct{ analysis.Texts[uint16] }

func (t *texts) of(s string) uint16 {
	n, ok := t.Of(s)
	if !ok {
		return 0
	}
	return n + 1
}

// mark encodes the status of a score (its index in outcomes plus 1) in the low bits, and its verdict.
type mark uint8

const (
	markStatus mark = 7
	markPassed mark = 8
	markJudged mark = 16 // the score has a verdict
)

// unanswered is the status, in reports, of a score that is not applicable because the agent gave no answer.
const unanswered = "unanswered"

var outcomes = []scoring.Status{scoring.StatusOK, scoring.StatusAbstained, scoring.StatusNotApplicable,
	scoring.StatusFailed, unanswered}

func (m mark) ok() bool     { return m&markStatus == 1 }
func (m mark) passed() bool { return m&markPassed != 0 }
func (m mark) judged() bool { return m&markJudged != 0 }

// outcome returns the index of the status in outcomes, or -1 without a score.
func (m mark) outcome() int { return int(m&markStatus) - 1 }

// textKey identifies an answer: an agent version and a case number.
type textKey struct {
	agent Agent
	c     int32
}

// objectionKey identifies an answer and the metric that objects to it.
type objectionKey struct {
	textKey
	metric string
}

type textOf struct{ question, reason string }

// relationMetric is the metric whose reason explains why two results differ.
const relationMetric = "relation"

// Limits of stored texts and groups of reasons, for summaries of a million failures.
const (
	maxTexts    = 50_000
	maxTextSize = 400
	maxGroups   = 1000
)

// NewSummary returns an empty summary.
func NewSummary(o SummaryOptions) *Summary {
	s := &Summary{
		o: o, agents: map[Agent]map[string]*series{}, abouts: map[Agent][]about{}, byKey: map[groupKey]uint16{},
		metrics: map[string]map[int]bool{}, judges: map[string][]string{}, texts: map[textKey]textOf{},
		whys: map[textKey]string{}, objections: map[objectionKey]objection{}, spent: map[Agent][]*scoring.Spent{},
	}
	if len(s.o.Tiers) == 0 {
		s.o.Tiers = []string{"easy", "medium", "hard", "extra hard", "extra_hard"}
	}
	if s.o.Worst == 0 {
		s.o.Worst = 5
	}
	names := make([]string, len(o.Metrics))
	for i := range o.Metrics {
		names[i] = o.Metrics[i].Name
	}
	s.o.Primary = cmp.Or(scoring.Primary(o.Primary, names, o.Metrics), o.Primary, scoring.DefaultPrimary)
	return s
}

// Primary returns the metric of tiers, tags and worst answers.
func (s *Summary) Primary() string { return s.o.Primary }

// Add adds a score with the data on its case.
func (s *Summary) Add(score scoring.Score, c Case) {
	score = s.known(score.Metric).Counted(score)
	n := s.cases.of(caseKey{c.CaseID, c.Batch})
	agent := Agent{c.Agent, c.Version}
	if s.agents[agent] == nil {
		s.agents[agent] = map[string]*series{}
	}
	s.learn(agent, n, &c)
	of := s.agents[agent][score.Metric]
	if of == nil {
		of = &series{}
		s.agents[agent][score.Metric] = of
	}
	if s.metrics[score.Metric] == nil {
		s.metrics[score.Metric] = map[int]bool{}
	}
	s.metrics[score.Metric][score.Version] = true
	f := found{mark: s.markOf(&score), word: s.wordOf(&score)}
	if f.ok() {
		f.value = score.Value
	}
	of.put(int(n), f)

	delete(s.objections, objectionKey{textKey{agent, n}, score.Metric})
	if score.Objects() && len(s.objections) < maxTexts {
		s.objections[objectionKey{textKey{agent, n}, score.Metric}] = objection{CaseID: c.CaseID, Agent: agent,
			Batch: c.Batch, Metric: score.Metric, Label: score.Label, Reason: shorten(score.Reason)}
	}
	if score.Metric == relationMetric {
		key := textKey{agent, n}
		delete(s.whys, key)
		if score.Status == scoring.StatusOK && score.Label != "same" && len(s.whys) < maxTexts {
			s.whys[key] = shorten(score.Reason)
		}
	}
	if score.Metric == s.o.Primary {
		key := textKey{agent, n}
		delete(s.texts, key)
		if score.Status == scoring.StatusOK && (score.Passed == nil || !*score.Passed) && len(s.texts) < maxTexts {
			s.texts[key] = textOf{shorten(c.Question), shorten(score.Reason)}
		}
	}
}

// Dated orders versions and batches by the dates of their batches, and only without dates by their names: a version is
// newer than another if its latest batch is. Batches without a date come first.
func (s *Summary) Dated(at map[scoring.By]time.Time) { s.dates = at }

// Several reports whether there are several agent versions or batches, which have an order.
func (s *Summary) Several() bool {
	first := ""
	for i := range s.cases.keys {
		if i == 0 {
			first = s.cases.keys[i].batch
		} else if s.cases.keys[i].batch != first {
			return true
		}
	}
	return len(s.agents) > 1
}

// latest returns the date of the latest batch for which of returns true; zero if none has a date.
func (s *Summary) latest(of func(scoring.By) bool) (at time.Time) {
	for by, date := range s.dates {
		if of(by) && date.After(at) {
			at = date
		}
	}
	return at
}

// Judged records the tag of a judge of a metric's scores, such as rose_o3-2504.
func (s *Summary) Judged(metric, tag string) {
	if at, there := slices.BinarySearch(s.judges[metric], tag); !there {
		s.judges[metric] = slices.Insert(s.judges[metric], at, tag)
	}
}

// CompareWith chooses the agent version that all others are compared with: AGENT@VERSION, or the name or version alone
// if only one matches. "" restores the default comparisons. It is called after all scores are added.
func (s *Summary) CompareWith(name string) error {
	if name == "" {
		s.against = nil
		return nil
	}
	var named []Agent
	known := make([]string, 0, len(s.agents))
	for _, a := range s.agentList() {
		if name == a.Name || name == a.Version || name == a.Name+"@"+a.Version || name == a.Shown() {
			named = append(named, a)
		}
		known = append(known, a.Name+"@"+a.Version)
	}
	if len(named) == 0 {
		return errcode.New(errcode.InvalidArgument, "no scores of %.60q; there are %s", name, strings.Join(known, ", "))
	}
	if len(named) != 1 {
		return errcode.New(errcode.InvalidArgument, "%.60q names %d of the agents that answered; there are %s", name,
			len(named), strings.Join(known, ", "))
	}
	s.against = &named[0]
	return nil
}

// Unanswered returns the questions that each agent version has no score for; it is called after all scores are added.
// If batches of a version share questions, each batch must have all questions; otherwise all batches together.
func (s *Summary) Unanswered(questions []string) []Case {
	var out []Case
	for agent := range s.agents {
		answered := map[string]map[string]bool{} // by batch
		union, repeated := map[string]bool{}, false
		for n := range s.cases.keys {
			if !s.asked(agent, int32(n)) { //nolint:gosec // as in caseNumbers
				continue
			}
			key := s.cases.keys[n]
			if answered[key.batch] == nil {
				answered[key.batch] = map[string]bool{}
			}
			answered[key.batch][key.id] = true
			repeated = repeated || union[key.id]
			union[key.id] = true
		}
		if !repeated {
			first := slices.Min(slices.Collect(maps.Keys(answered)))
			answered = map[string]map[string]bool{first: union}
		}
		for batch, ids := range answered {
			for _, id := range questions {
				if !ids[id] {
					out = append(out,
						Case{AnswerID: scoring.AnswerID{CaseID: id,
							By: scoring.By{Batch: batch, Agent: agent.Name, Version: agent.Version}}})
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b Case) int {
		return cmp.Or(printable.CompareNatural(a.Agent, b.Agent), printable.CompareVersions(a.Version, b.Version),
			printable.CompareNatural(a.Batch, b.Batch), printable.CompareNatural(a.CaseID, b.CaseID))
	})
	return out
}

// Forget removes answers with their scores, as if they had never been added, except that reasons which differ in a
// number stay grouped.
func (s *Summary) Forget(answers []scoring.AnswerID) {
	touched := map[Agent]bool{}
	for _, of := range answers {
		agent, n := Agent{of.Agent, of.Version}, s.cases.known(caseKey{of.CaseID, of.Batch})
		if n < 0 {
			continue
		}
		touched[agent] = true
		if s.forgot == nil {
			s.forgot = map[int32]bool{}
		}
		s.forgot[n] = true
		for metric, x := range s.agents[agent] {
			if x.at(n).outcome() >= 0 {
				x.put(int(n), found{})
			}
			delete(s.objections, objectionKey{textKey{agent, n}, metric})
		}
		delete(s.texts, textKey{agent, n})
		delete(s.whys, textKey{agent, n})
		if list := s.abouts[agent]; int(n) < len(list) {
			list[n] = about{}
		}
		if list := s.spent[agent]; int(n) < len(list) {
			list[n] = nil
		}
	}
	for agent := range touched {
		maps.DeleteFunc(s.agents[agent], func(_ string, x *series) bool { return !x.any() })
		if len(s.agents[agent]) == 0 {
			delete(s.agents, agent)
			delete(s.abouts, agent)
			delete(s.spent, agent)
		}
	}
	for metric := range s.metrics {
		of := func(a Agent) bool { return s.agents[a][metric] != nil }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(s.agents)), of) {
			delete(s.metrics, metric)
		}
	}
}

// Describe adds the question, tier and tags of a case whose scores were added without them. It ignores agent versions
// without scores.
func (s *Summary) Describe(c Case) {
	agent := Agent{c.Agent, c.Version}
	if s.agents[agent] == nil {
		return
	}
	n := s.cases.of(caseKey{c.CaseID, c.Batch})
	s.learn(agent, n, &c)
	key := textKey{agent, n}
	if said, ok := s.texts[key]; ok && said.question == "" {
		said.question = shorten(c.Question)
		s.texts[key] = said
	}
}

// learn records the tier and tags of case n for agent version a.
func (s *Summary) learn(a Agent, n int32, c *Case) {
	list := s.abouts[a]
	if int(n) >= len(list) {
		list = append(list, make([]about, int(n)+1-len(list))...)
		s.abouts[a] = list
	}
	info := &list[n]
	if c.Tier != "" {
		info.tier = s.tiers.of(c.Tier)
	}
	info.torn = info.torn || c.TagsErr != nil
	if p := c.Position; p.Conversation != "" {
		if n, ok := s.talks.Of(c.Batch + "\x00" + p.Conversation); ok {
			info.talk = n + 1
		}
		if p.Turn > 0 {
			info.turn = s.turns.of(strconv.Itoa(p.Turn))
		}
	}
	if info.tags == 0 && len(c.Tags) > 0 {
		list := make([]uint16, len(c.Tags))
		for i, t := range c.Tags {
			list[i] = s.tags.of(t)
		}
		info.tags = s.lists.of(list)
	}
}

// about returns the data on case n for agent version a.
func (s *Summary) about(a Agent, n int32) about {
	if list := s.abouts[a]; int(n) < len(list) {
		return list[n]
	}
	return about{}
}

func (s *Summary) markOf(score *scoring.Score) mark {
	status := score.Status
	if score.Unanswered() {
		status = unanswered
	}
	for i, st := range outcomes {
		if st != status {
			continue
		}
		m := mark(i + 1) //nolint:gosec // small
		if score.Passed != nil {
			m |= markJudged
			if *score.Passed {
				m |= markPassed
			}
		}
		return m
	}
	return mark(slices.Index(outcomes, scoring.StatusFailed) + 1) //nolint:gosec // small; an unknown status is a failure
}

func (s *Summary) wordOf(score *scoring.Score) uint16 {
	switch {
	case score.Status != scoring.StatusOK:
		return s.group(score)
	case score.Label != "":
		return s.labels.of(score.Label)
	}
	return 0
}

func shorten(s string) string {
	if len(s) <= maxTextSize {
		return s
	}
	end := maxTextSize
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// Render writes the summary for a terminal.
func (s *Summary) Render(w io.Writer, o Options) error { return s.Figures().Render(w, o) }

// JSON returns the figures as one JSON document.
func (s *Summary) JSON() ([]byte, error) { return s.Figures().JSON() }
