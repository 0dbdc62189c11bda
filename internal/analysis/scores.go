package analysis

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// Batch identifies one set of answers of one version of an agent.
type Batch struct {
	scoring.By
	Origin string `json:"origin,omitempty"` // the score file, if several files have scores of this batch
	File   int    `json:"-"`                // the first score file with scores of this batch, from 1; 0 without files
	// At is the time of the answers or, if unknown, of their first evaluation; zero if both are unknown.
	At        time.Time `json:"at,omitzero"`
	Evaluated bool      `json:"at_is_evaluation,omitempty"` // At is the time of evaluation
	// Unfinished is the status of the last run that evaluated the batch, if that is not done: running, stopped or
	// failed. Scores may then be missing.
	Unfinished string `json:"unfinished,omitempty"`
	// Changed is when a score of the batch was last stored, or removed by resuming a run; zero if unknown.
	Changed time.Time `json:"-"`
	// Run is the ID of the run that made all scores of the batch; empty if several did, or if unknown.
	Run string `json:"-"`
}

// unfinished returns a note if the last run of the batch is not done, or else "".
func (b *Batch) unfinished() string {
	if b.Unfinished == "" {
		return ""
	}
	return fmt.Sprintf("the last run of %s is not done (%s): scores may be missing", b.Name(), b.Unfinished)
}

// Name returns the batch's name for messages and tables.
func (b *Batch) Name() string {
	name := b.System()
	if b.Batch != "" {
		name += ", batch " + b.Batch
	}
	return name
}

// System returns the agent and its version, with the score file if Origin is set. It is never empty: an agent without
// a name is [NoName].
func (b *Batch) System() string {
	name := System(b.Agent, b.Version)
	switch {
	case b.Origin == "":
		return cmp.Or(name, NoName)
	case name == "":
		return b.Origin
	}
	return name + " (" + b.Origin + ")"
}

// Placeholders for a missing name or version of an agent.
const (
	NoName    = scoring.NoName
	NoVersion = "(no version)"
)

// System returns an agent and its version as one name; "" if both are empty.
func System(agent, version string) string {
	if agent == "" && version != "" {
		agent = NoName
	}
	return strings.TrimSpace(agent + " " + version)
}

// sameVersion reports whether two batches are of the same version of the same agent and, if set, of the same score
// file.
func (b *Batch) sameVersion(o *Batch) bool {
	return b.Agent == o.Agent && b.Version == o.Version && b.Origin == o.Origin
}

// Sort sorts batches by time. Batches without a date come first; batches with equal times are sorted by score file, as
// the files were given, and then by name.
func Sort(batches []Batch) { Accepted(nil).Sort(batches) }

// Sort sorts batches by time as [Sort], but of batches with equal times the accepted ones come first, in the order of
// their acceptances. So an accepted batch is the baseline of another of the same time, whatever their names.
func (a Accepted) Sort(batches []Batch) {
	place := func(b *Batch) (int, time.Time) {
		if one, is := a.of(b.By); is {
			return 0, one.When
		}
		return 1, time.Time{}
	}
	slices.SortStableFunc(batches, func(a, b Batch) int {
		first, accepted := place(&a)
		second, when := place(&b)
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(first, second), accepted.Compare(when), cmp.Compare(a.File, b.File),
			printable.CompareNatural(a.Batch, b.Batch), printable.CompareNatural(a.Agent, b.Agent),
			printable.CompareVersions(a.Version, b.Version), strings.Compare(a.Origin, b.Origin))
	})
}

// Score is a score together with what it was computed from.
type Score struct {
	CaseID        string
	Metric        string
	MetricVersion int
	Status        scoring.Status
	Value         float64
	Passed        *bool
	Label         string
	Reason        string
	Findings      []string // see [Findings]
	// Config identifies the part of the configuration that affects the metric; Gold identifies the question and its
	// gold. "" means unknown.
	Config string
	Gold   string
	// Judge is the judge that was called for the score; "" if none was.
	Judge string
}

// Digest identifies the result of an answer, and its SQL.
type Digest struct {
	Rows string // equal for results with the same rows
	SQL  string // equal for the same SQL; "" if unknown
}

// Source provides existing scores, and human labels of the answers.
type Source interface {
	// Batches returns the batches with scores.
	Batches(ctx context.Context) ([]Batch, error)
	// Metrics returns the names of the metrics with scores.
	Metrics(ctx context.Context) ([]string, error)
	// Load adds the latest score of each answer of batch b and metric to into. Nil metrics means all.
	Load(ctx context.Context, b Batch, metrics []string, into *Answers) error
	// LoadEach adds the scores of the metrics for several batches of one agent.
	LoadEach(ctx context.Context, metrics []string, into []*Answers) error
	// Accepted returns the batches that were accepted as a baseline; nil if there are none.
	Accepted(ctx context.Context) (Accepted, error)
	// Evidence yields the latest score of each of the metrics by each judge, for every answer that the pattern of
	// matches.
	Evidence(ctx context.Context, metrics []string, of scoring.AnswerID) iter.Seq2[Evidence, error]
	// Labels returns the human verdicts on answers.
	Labels(ctx context.Context) (map[scoring.AnswerID]bool, error)
	// Digests returns digests of the results of all answers to the given questions, equal for answers with the same
	// rows; nil if results cannot be read.
	Digests(ctx context.Context, cases []string) (map[scoring.AnswerID]Digest, error)
}

// complexity is the metric whose label is the tier of a case.
const complexity = "sql_complexity"

// relation is the metric whose findings are the reasons of wrong answers.
const relation = "relation"

// UnknownTier is the tier of cases whose complexity was not computed.
const UnknownTier = "unknown"

// Tiers lists the tiers, easiest first.
var Tiers = []string{"easy", "medium", "hard", "extra_hard", UnknownTier}

// CompareTiers compares tiers: the easiest first, unknown ones last.
func CompareTiers(a, b string) int {
	at := func(t string) int {
		if i := slices.Index(Tiers, t); i >= 0 {
			return i
		}
		return len(Tiers)
	}
	return cmp.Or(cmp.Compare(at(a), at(b)), printable.CompareNatural(a, b))
}

// texts numbers strings with 32 bits, which are not exhausted in practice.
type texts struct{ Texts[uint32] }

func (t *texts) of(s string) uint32 {
	n, _ := t.Of(s)
	return n
}

// making is what a score was computed with: the version and configuration of the metric, and the judge.
type making struct {
	version int
	config  string
	judge   string
}

// Set assigns numbers to cases and other strings, which several Answers share, so that scores are stored by number.
type Set struct {
	cases, golds, findings, labels texts
	makings                        []making
	byMaking                       map[making]uint32
	tiers                          []uint32 // by case: number of the tier in labels, plus 1; 0: unknown
	metrics                        map[string]*scoring.Metric
	known                          []scoring.Metric
	judged                         map[string]bool // metrics with a verdict
}

// NewSet returns an empty set. metrics are the known metrics; for others, higher is better.
func NewSet(metrics []scoring.Metric) *Set {
	s := &Set{byMaking: map[making]uint32{}, metrics: map[string]*scoring.Metric{}, known: metrics,
		judged: map[string]bool{}}
	s.golds.of("") // 0 is unknown
	for i := range metrics {
		s.metrics[metrics[i].Name] = &metrics[i]
	}
	return s
}

// Primary returns the primary metric among names; declared may be "", see [scoring.Primary].
func (s *Set) Primary(declared string, names []string) string {
	return scoring.Primary(declared, names, s.known)
}

// lower reports whether lower values of a metric are better.
func (s *Set) lower(metric string) bool {
	m := s.metrics[metric]
	return m != nil && m.LowerIsBetter
}

// rates reports whether a metric gives verdicts: it has a threshold, or a verdict was added.
func (s *Set) rates(metric string) bool {
	m := s.metrics[metric]
	return m != nil && m.Threshold != nil || s.judged[metric]
}

// figuring returns an empty accumulator of a metric's scores.
func (s *Set) figuring(metric string) figuring {
	return figuring{lower: s.lower(metric), rated: s.rates(metric)}
}

// caseID returns the id of case number n.
func (s *Set) caseID(n int) string { return s.cases.Text(uint32(n)) } //nolint:gosec // a number of a case

// tier returns the tier of case number n.
func (s *Set) tier(n int) string {
	if n < len(s.tiers) && s.tiers[n] > 0 {
		return s.labels.Text(s.tiers[n] - 1)
	}
	return UnknownTier
}

// counted returns a score as figures and comparisons count it, see [scoring.Metric.Counted].
func (s *Set) counted(x *Score) *Score {
	if !s.metrics[x.Metric].PassesSilence(x.Status, x.Reason) {
		return x
	}
	one, passed := *x, true
	one.Status, one.Value, one.Passed = scoring.StatusOK, 1, &passed
	return &one
}

func (s *Set) madeOf(m making) uint32 {
	i, ok := s.byMaking[m]
	if !ok {
		m.config, m.judge = strings.Clone(m.config), strings.Clone(m.judge)
		i = uint32(len(s.makings)) //nolint:gosec // few
		s.makings = append(s.makings, m)
		s.byMaking[m] = i
	}
	return i
}

// Answers holds one score for each case and metric.
type Answers struct {
	Batch
	set     *Set
	series  map[string]*series
	batches []string // batches that were added, if there are several
}

// Answers returns Answers for a batch without scores.
func (s *Set) Answers(b Batch) *Answers {
	return &Answers{Batch: b, set: s, series: map[string]*series{}}
}

// series holds the scores of one metric by case number.
type series struct {
	entries  []entry
	findings map[uint32][]uint32 // numbers of findings, by case number
}

type entry struct {
	value float64
	made  uint32
	gold  uint32
	mark  mark
}

// mark combines the status of a score, in the low bits, with its verdict.
type mark uint8

const (
	absent mark = iota
	scored
	abstained
	notApplicable
	failed
	unanswered
	statusBits mark = 7
	judgedBit  mark = 8
	passedBit  mark = 16
)

func (m mark) status() mark { return m & statusBits }
func (m mark) judged() bool { return m&judgedBit != 0 }
func (m mark) passed() bool { return m&passedBit != 0 }

// Contradicts reports whether another score of the same case and metric was added that is not failed and differs from
// s in its value or in what it was computed with.
func (a *Answers) Contradicts(s *Score) bool {
	s = a.set.counted(s)
	n, is := a.set.cases.Known(s.CaseID)
	if !is {
		return false
	}
	e := a.series[s.Metric].at(int(n))
	if e.mark == absent || e.mark.status() == failed {
		return false
	}
	return e.mark != markOf(s) || e.mark.status() == scored && e.value != s.Value ||
		a.set.makings[e.made] != making{s.MetricVersion, s.Config, s.Judge} || a.set.golds.Text(e.gold) != s.Gold
}

// Add adds a score, and replaces one of the same case and metric.
func (a *Answers) Add(s *Score) {
	s = a.set.counted(s)
	n := a.set.cases.of(s.CaseID)
	if s.Metric == complexity && s.Status == scoring.StatusOK {
		for len(a.set.tiers) <= int(n) {
			a.set.tiers = append(a.set.tiers, 0)
		}
		a.set.tiers[n] = a.set.labels.of(s.Label) + 1
	}
	x := a.series[s.Metric]
	if x == nil {
		x = &series{}
		a.series[strings.Clone(s.Metric)] = x
	}
	if s.Passed != nil && !a.set.judged[s.Metric] {
		a.set.judged[strings.Clone(s.Metric)] = true
	}
	if int(n) >= len(x.entries) {
		x.entries = slices.Grow(x.entries, int(n)+1-len(x.entries))[:n+1]
	}
	x.entries[n] = entry{value: s.Value, made: a.set.madeOf(making{s.MetricVersion, s.Config, s.Judge}),
		gold: a.set.golds.of(s.Gold), mark: markOf(s)}
	delete(x.findings, n)
	if len(s.Findings) > 0 {
		if x.findings == nil {
			x.findings = map[uint32][]uint32{}
		}
		list := make([]uint32, len(s.Findings))
		for i, f := range s.Findings {
			list[i] = a.set.findings.of(f)
		}
		x.findings[n] = list
	}
}

func markOf(s *Score) (m mark) {
	switch s.Status {
	case scoring.StatusOK:
		m = scored
		if s.Passed != nil {
			m |= judgedBit
			if *s.Passed {
				m |= passedBit
			}
		}
	case scoring.StatusAbstained:
		m = abstained
	case scoring.StatusNotApplicable:
		m = notApplicable
		if slices.Contains(scoring.UnansweredReasons(), s.Reason) {
			m = unanswered
		}
	case scoring.StatusFailed:
		m = failed
	default:
		m = failed
	}
	return m
}

func (x *series) len() int {
	if x == nil {
		return 0
	}
	return len(x.entries)
}

// at returns the score of case n; its mark is absent if there is none.
func (x *series) at(n int) entry {
	if x == nil || n >= len(x.entries) {
		return entry{}
	}
	return x.entries[n]
}

// metricsOf returns the names of the metrics with scores, in the order of tables.
func metricsOf(all ...*Answers) []string {
	var out []string
	for _, a := range all {
		for name := range a.series {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	sortMetrics(out)
	return out
}

// Headline lists the most important metrics in the order of tables: the default selection.
var Headline = []string{
	"hybrid_ex", "verdict", "rose", "flex", "stef", "sql_judge_equivalent", "ex_bird", "ex_multiset", "syntactic_accuracy",
	"component_f1",
	"faithfulness", "intent_resolution", "refusal", "tool_recall", "tool_order", "tool_excess",
}

// sortMetrics sorts names: those of Headline first, then the others by name.
func sortMetrics(metrics []string) { slices.SortFunc(metrics, compareMetrics) }

func compareMetrics(a, b string) int {
	at := func(m string) int {
		if i := slices.Index(Headline, m); i >= 0 {
			return i
		}
		return len(Headline)
	}
	return cmp.Or(cmp.Compare(at(a), at(b)), strings.Compare(a, b))
}

// asked reports whether case n has a score of any metric.
func (a *Answers) asked(n int) bool {
	for _, x := range a.series {
		if x.at(n).mark != absent {
			return true
		}
	}
	return false
}

// UnknownJudge is the value of Score.Judge if a judge was called but not recorded.
const UnknownJudge = "unknown"

// AddAll adds the scores of o, which must belong to the same set; nil metrics means all.
func (a *Answers) AddAll(o *Answers, metrics []string) {
	for name, x := range o.series {
		if metrics != nil && !slices.Contains(metrics, name) {
			continue
		}
		to := a.series[name]
		if to == nil { // the scores are complete
			a.series[name] = &series{entries: slices.Clone(x.entries), findings: maps.Clone(x.findings)}
			continue
		}
		for n, e := range x.entries {
			if e.mark == absent {
				continue
			}
			if n >= len(to.entries) {
				to.entries = slices.Grow(to.entries, n+1-len(to.entries))[:n+1]
			}
			to.entries[n] = e
			delete(to.findings, uint32(n)) //nolint:gosec // a number of a case
			if f := x.findings[uint32(n)]; f != nil {
				if to.findings == nil {
					to.findings = map[uint32][]uint32{}
				}
				to.findings[uint32(n)] = f
			}
		}
	}
}
