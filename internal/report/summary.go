package report

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"
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
	Tier             string // complexity, such as easy; "" if it is not known
	Tags             []string
	TagsErr          error // why they cannot be read
}

// SummaryOptions select the content of a summary. Zero values mean the defaults.
type SummaryOptions struct {
	Metrics []scoring.Metric // order, groups and directions of metrics; others come after them by name
	// default hybrid_ex where it is among Metrics or there are none, else the first with a verdict, else the first
	Primary string
	Tiers   []string // their order; default easy, medium, hard, extra hard
	Worst   int      // answers listed for each agent version; default 5, negative for none
	Seed    uint64   // of the bootstrap
}

// Summary takes scores one by one, in any order. A score that is added again takes the place of the
// first. It must not be used from several goroutines at once.
type Summary struct {
	o       SummaryOptions
	cases   caseNumbers
	agents  map[Agent]map[string]*series // by metric
	abouts  map[Agent][]about            // by the number of the case
	tiers   texts
	tags    texts
	lists   tagLists
	labels  texts
	groups  []reasonGroup
	byKey   map[groupKey]uint16
	metrics map[string]map[int]bool // versions met
	judges  map[string][]string     // tags of the judges met, sorted, by metric
	// the baseline of all comparisons; nil: successive versions of an agent, and agents of a version
	against *Agent

	texts map[textKey]textOf
	whys  map[textKey]string // why the results of an answer differ
}

// about holds the data on a case for one agent version. Lines of a case file may differ for the same case, and
// every output of a run shows the data of the answer's own line.
type about struct {
	tags uint32 // of lists, from 1
	tier uint16 // of tiers, from 1
	torn bool   // tags that cannot be read
}

// texts numbers strings from 1; 0 is for those beyond the last number.
type texts struct{ analysis.Texts[uint16] }

func (t *texts) of(s string) uint16 {
	n, ok := t.Of(s)
	if !ok {
		return 0
	}
	return n + 1
}

// mark is the status of a score (an index in outcomes, from 1) in its low bits, and its verdict.
type mark uint8

const (
	markStatus mark = 7
	markPassed mark = 8
	markJudged mark = 16 // there is a verdict
)

// unanswered is the outcome of a score that is not applicable because the agent gave no answer.
const unanswered = "unanswered"

var outcomes = []scoring.Status{scoring.StatusOK, scoring.StatusAbstained, scoring.StatusNotApplicable,
	scoring.StatusFailed, unanswered}

func (m mark) ok() bool     { return m&markStatus == 1 }
func (m mark) passed() bool { return m&markPassed != 0 }
func (m mark) judged() bool { return m&markJudged != 0 }

// outcome is the index into outcomes, or -1 if there is no score.
func (m mark) outcome() int { return int(m&markStatus) - 1 }

// textKey identifies the texts about an answer that the primary metric did not pass.
type textKey struct {
	agent Agent
	c     int32
}

type textOf struct{ question, reason string }

// relationMetric is the metric that says why two results differ; its reason is shown below an
// answer that did not pass.
const relationMetric = "relation"

// Limits of the stored texts: enough to show, and small enough for a million failures.
const (
	maxTexts    = 50_000
	maxTextSize = 400
	maxGroups   = 1000
)

// NewSummary starts a summary.
func NewSummary(o SummaryOptions) *Summary {
	s := &Summary{
		o: o, agents: map[Agent]map[string]*series{}, abouts: map[Agent][]about{}, byKey: map[groupKey]uint16{},
		metrics: map[string]map[int]bool{}, judges: map[string][]string{}, texts: map[textKey]textOf{},
		whys: map[textKey]string{},
	}
	if len(s.o.Tiers) == 0 {
		s.o.Tiers = []string{"easy", "medium", "hard", "extra hard", "extra_hard"}
	}
	if s.o.Worst == 0 {
		s.o.Worst = 5
	}
	if s.o.Primary == "" {
		s.o.Primary = Primary(o.Metrics)
	}
	return s
}

// Primary is the metric of tiers, tags and worst answers.
func (s *Summary) Primary() string { return s.o.Primary }

// Primary is the metric that summaries of these metrics are about: hybrid_ex where it is among them or
// there are none, else the first with a verdict, else the first.
func Primary(metrics []scoring.Metric) string {
	best := ""
	for i := range metrics {
		switch m := &metrics[i]; {
		case m.Name == "hybrid_ex":
			return m.Name
		case best == "" && m.Threshold != nil:
			best = m.Name
		}
	}
	switch {
	case len(metrics) == 0:
		return "hybrid_ex"
	case best == "":
		return metrics[0].Name
	}
	return best
}

// Add takes a score and what its case is.
func (s *Summary) Add(score scoring.Score, c Case) {
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

// Judged records the judge of scores of a metric: its tag, such as rose_o3-2504.
func (s *Summary) Judged(metric, tag string) {
	if at, there := slices.BinarySearch(s.judges[metric], tag); !there {
		s.judges[metric] = slices.Insert(s.judges[metric], at, tag)
	}
}

// CompareWith chooses the agent version that all others are compared with, once all scores are
// added: AGENT@VERSION, or the name or the version alone if that is only one. Empty: versions of
// one agent are compared in turn, and agents of one version with each other.
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
	if len(named) != 1 {
		return errcode.New(errcode.InvalidArgument, "%.60q names %d of the agents that answered; there are %s", name,
			len(named), strings.Join(known, ", "))
	}
	s.against = &named[0]
	return nil
}

// Unanswered lists the questions that an agent version was asked and has no scores for, after all scores are added.
// If batches of a version share questions, each is a repetition with all questions. Otherwise they are parts of one
// evaluation.
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

// Describe adds the question and tags of a case whose scores were added without them. It ignores a case without
// scores.
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

// learn records the data on a case that come with an answer.
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
	if info.tags == 0 && len(c.Tags) > 0 {
		list := make([]uint16, len(c.Tags))
		for i, t := range c.Tags {
			list[i] = s.tags.of(t)
		}
		info.tags = s.lists.of(list)
	}
}

// about returns the data on a case for one agent version.
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

// JSON is the summary as one document.
func (s *Summary) JSON() ([]byte, error) { return s.Figures().JSON() }
