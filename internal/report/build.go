package report

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// Figures returns the figures of the scores added so far.
func (s *Summary) Figures() *Figures {
	if list := s.metricList(); s.metrics[s.o.Primary] == nil && len(list) > 0 {
		s.o.Primary = scoring.Primary("", list, s.o.Metrics)
	}
	byID := make([]int32, 0, len(s.cases.keys)) // case numbers depend on the order of Add, ids do not
	for n := range int32(len(s.cases.keys)) {   //nolint:gosec // as in caseNumbers
		if !s.forgot[n] || s.anyAsked(n) {
			byID = append(byID, n)
		}
	}
	dates := map[string]time.Time{} // by batch
	for by, at := range s.dates {
		if at.After(dates[by.Batch]) {
			dates[by.Batch] = at
		}
	}
	slices.SortFunc(byID, func(a, b int32) int {
		x, y := &s.cases.keys[a], &s.cases.keys[b]
		return cmp.Or(printable.CompareNatural(x.id, y.id), dates[x.batch].Compare(dates[y.batch]),
			printable.CompareNatural(x.batch, y.batch))
	})
	f := &Figures{Cases: s.questions(byID), Agents: s.agentList(), Primary: s.o.Primary}
	for _, a := range f.Agents {
		for _, n := range byID {
			if m := s.agents[a][s.o.Primary].at(n).mark; m.outcome() >= 0 && outcomes[m.outcome()] == unanswered {
				f.Missing++
			} else if s.asked(a, n) {
				f.Answers++
			}
		}
	}
	for _, name := range s.metricList() {
		m, of := s.metric(name), s.kind(name)
		for _, a := range f.Agents {
			if x := s.agents[a][name]; x != nil {
				r := s.rate(x, byID, a, of)
				m.Rates = append(m.Rates, r)
				for _, n := range r.Status {
					f.Scores += n
				}
			}
		}
		f.Metrics = append(f.Metrics, m)
	}
	for _, p := range s.pairs(f.Agents) {
		f.Changes = append(f.Changes, s.change(p[0], p[1], byID))
	}
	f.Tiers = s.slices(f.Agents, byID, &s.tiers, func(c about) []uint16 { return []uint16{c.tier} })
	slices.SortStableFunc(f.Tiers, func(a, b Slice) int { return cmp.Compare(s.tierRank(a.Name), s.tierRank(b.Name)) })
	if without := s.members(f.Agents, byID, func(c about) bool { return c.tier == 0 }); len(f.Tiers) > 0 &&
		without.cases > 0 {
		f.Tiers = append(f.Tiers, s.slice("", &without, f.Agents))
	}
	f.Turns = s.slices(f.Agents, byID, &s.turns, func(c about) []uint16 { return []uint16{c.turn} })
	f.Conversations = s.conversations(f.Agents, byID)
	f.Spending = s.spending(f.Agents)
	f.Tags = s.slices(f.Agents, byID, &s.tags, func(c about) []uint16 { return s.lists.list(c.tags) })
	slices.SortStableFunc(f.Tags, func(a, b Slice) int { return cmp.Compare(b.Cases, a.Cases) })
	if torn := s.members(f.Agents, byID, func(c about) bool { return c.torn }); torn.cases > 0 {
		of := s.slice("", &torn, f.Agents)
		for _, n := range byID {
			if len(of.First) < maxUnreadable && torn.holds(n) {
				of.First = append(of.First, s.cases.keys[n].id)
			}
		}
		f.UnreadableTags = &of
	}
	f.Worst = s.worst(f.Agents, byID)
	f.Objections = s.objected(f.Agents, byID)
	f.Unscored = s.unscored(f.Agents, byID)
	return f
}

// questions returns the number of different questions among the cases byID, which are sorted by question.
func (s *Summary) questions(byID []int32) int {
	n := 0
	for i, c := range byID {
		if i == 0 || s.cases.keys[c].id != s.cases.keys[byID[i-1]].id {
			n++
		}
	}
	return n
}

// pairs returns the pairs of agent versions to compare: each version with the previous one of the same agent, and
// agents with the same version with each other; or all with the one that CompareWith chose.
func (s *Summary) pairs(agents []Agent) (out [][2]Agent) {
	if s.against != nil {
		for _, a := range agents {
			if a != *s.against {
				out = append(out, [2]Agent{*s.against, a})
			}
		}
		return out
	}
	for i := 1; i < len(agents); i++ {
		if agents[i-1].Name == agents[i].Name {
			out = append(out, [2]Agent{agents[i-1], agents[i]})
		}
	}
	for i, a := range agents {
		for _, b := range agents[i+1:] {
			if a.Name != b.Name && a.Version == b.Version {
				out = append(out, [2]Agent{a, b})
			}
		}
	}
	return out
}

func (s *Summary) agentList() []Agent {
	list, dates := make([]Agent, 0, len(s.agents)), map[Agent]time.Time{}
	for a := range s.agents {
		list = append(list, a)
		dates[a] = s.latest(func(by scoring.By) bool { return by.Agent == a.Name && by.Version == a.Version })
	}
	slices.SortFunc(list, func(a, b Agent) int {
		return cmp.Or(printable.CompareNatural(a.Name, b.Name), dates[a].Compare(dates[b]),
			printable.CompareVersions(a.Version, b.Version))
	})
	return list
}

// metricList returns the metrics with scores: the primary one, then those of the options in their order, then others by
// name.
func (s *Summary) metricList() []string {
	rank := map[string]int{s.o.Primary: -1}
	for i := range s.o.Metrics {
		if name := s.o.Metrics[i].Name; name != s.o.Primary {
			rank[name] = i
		}
	}
	list := make([]string, 0, len(s.metrics))
	for name := range s.metrics {
		if _, ok := rank[name]; !ok {
			rank[name] = len(s.o.Metrics)
		}
		list = append(list, name)
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(a, b)) })
	return list
}

func (s *Summary) metric(name string) Metric {
	m := Metric{Name: name, Judges: s.judges[name]}
	if known := s.known(name); known != nil {
		m.Group, m.LowerIsBetter = known.Group, known.LowerIsBetter
	}
	for v := range s.metrics[name] {
		m.Versions = append(m.Versions, v)
	}
	slices.Sort(m.Versions)
	return m
}

func (s *Summary) known(name string) *scoring.Metric {
	for i := range s.o.Metrics {
		if s.o.Metrics[i].Name == name {
			return &s.o.Metrics[i]
		}
	}
	return nil
}

// better compares two values of a metric: it returns a positive number if a is better than b, negative if worse.
func (s *Summary) better(metric string, a, b float64) int {
	if m := s.known(metric); m != nil && m.LowerIsBetter {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// kind describes a metric as far as its figures depend on it.
type kind struct {
	lower bool // lower values are better
	rated bool // it gives verdicts, even if none of the scores has one
}

func (s *Summary) kind(metric string) (k kind) {
	if m := s.known(metric); m != nil {
		k.lower, k.rated = m.LowerIsBetter, m.Threshold != nil
	}
	for _, metrics := range s.agents {
		k.rated = k.rated || metrics[metric].judged()
	}
	return k
}

// rate returns the figures of a metric for an agent version over the given cases.
func (s *Summary) rate(x *series, cases []int32, a Agent, of kind) Rate {
	r := Rate{Agent: a, Status: map[scoring.Status]int{}}
	var values []float64
	labels := map[uint16]int{}
	var questions []tally // cases are in the order of questions
	last := ""
	reasons := map[uint16]int{}
	for _, n := range cases {
		m := x.at(n)
		if m.outcome() < 0 {
			continue
		}
		outcome := outcomes[m.outcome()]
		r.Coverage.count(outcome)
		if outcome == scoring.StatusNotApplicable {
			reasons[m.word]++
		}
		r.Status[outcome]++
		if m.judged() || outcome == unanswered && of.rated && !of.lower {
			if id := s.cases.keys[n].id; len(questions) == 0 || id != last {
				questions, last = append(questions, tally{}), id
			}
			q := &questions[len(questions)-1]
			if q.of++; m.passed() {
				q.passed++
			}
		}
		if !m.ok() {
			continue
		}
		values = append(values, m.value)
		if m.word > 0 {
			labels[m.word]++
		}
	}
	if r.N = len(values); r.N > 0 {
		r.Sum = total(values)
		counted := r.N
		if !of.lower { // a missing answer counts as 0
			counted += r.Coverage.Unanswered
		}
		m := r.Sum / float64(counted)
		r.Mean = &m
	}
	if len(questions) > 0 {
		r.Passed = shareOver(questions)
	}
	for w, n := range reasons {
		r.Coverage.Reasons = append(r.Coverage.Reasons, Reason{s.groups[w-1].reason(n), n})
	}
	r.Coverage.finish()
	for w, n := range labels {
		r.Labels = append(r.Labels, Count{s.labels.Text(w - 1), n})
	}
	slices.SortFunc(r.Labels, func(a, b Count) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Label, b.Label)) })
	return r
}

// shareOver returns the pass rate over all answers to the questions. Its interval treats several answers to a question
// as one unit.
func shareOver(questions []tally) *Share {
	s := &Share{Questions: len(questions)}
	for _, q := range questions {
		s.Passed, s.Of = s.Passed+q.passed, s.Of+q.of
	}
	s.Rate = float64(s.Passed) / float64(s.Of)
	s.Low, s.High = wilsonOf(s.Passed, s.Of, effective(questions))
	return s
}

// ShareOf returns the pass rate of passed among of answers to as many different questions, with its interval.
func ShareOf(passed, of int) *Share {
	s := &Share{Passed: passed, Of: of, Questions: of, Rate: float64(passed) / float64(of)}
	s.Low, s.High = wilson(passed, of)
	return s
}

// members holds a selection of cases, in the order of byID, for each agent version that was asked them.
type members struct {
	of    map[Agent][]int32
	cases int // number of different questions
}

// holds reports whether case n is selected for any agent version.
func (m *members) holds(n int32) bool {
	for _, list := range m.of {
		if slices.Contains(list, n) {
			return true
		}
	}
	return false
}

// members returns the cases for which of returns true, by agent version.
func (s *Summary) members(agents []Agent, byID []int32, of func(about) bool) members {
	m, last := members{of: map[Agent][]int32{}}, ""
	for _, n := range byID {
		any := false
		for _, a := range agents {
			if s.asked(a, n) && of(s.about(a, n)) {
				m.of[a], any = append(m.of[a], n), true
			}
		}
		if id := s.cases.keys[n].id; any && (m.cases == 0 || id != last) {
			m.cases++
			last = id
		}
	}
	return m
}

// slices returns the figures of the primary metric for the cases with each name, sorted by name. of returns the numbers
// of a case's names, from 1.
func (s *Summary) slices(agents []Agent, byID []int32, names *texts, of func(about) []uint16) []Slice {
	parts := make([]members, names.Len()+1)
	last := make([]int, len(parts)) // number of the question counted last
	question := 0
	for k, n := range byID {
		if k == 0 || s.cases.keys[n].id != s.cases.keys[byID[k-1]].id {
			question++
		}
		for _, a := range agents {
			if !s.asked(a, n) {
				continue
			}
			for _, i := range of(s.about(a, n)) {
				if parts[i].of == nil {
					parts[i].of = map[Agent][]int32{}
				}
				parts[i].of[a] = append(parts[i].of[a], n)
				if last[i] != question {
					last[i] = question
					parts[i].cases++
				}
			}
		}
	}
	var out []Slice
	for i := range names.Len() {
		if name := names.Text(uint16(i)); parts[i+1].cases > 0 { //nolint:gosec // a number that was given
			out = append(out, s.slice(name, &parts[i+1], agents))
		}
	}
	slices.SortFunc(out, func(a, b Slice) int { return printable.CompareNatural(a.Name, b.Name) })
	return out
}

// slice returns the figures of the primary metric over the cases m.
func (s *Summary) slice(name string, m *members, agents []Agent) Slice {
	out := Slice{Name: name, Cases: m.cases}
	of := s.kind(s.o.Primary)
	for _, a := range agents {
		if x := s.agents[a][s.o.Primary]; x != nil {
			out.Rates = append(out.Rates, s.rate(x, m.of[a], a, of))
		}
	}
	return out
}

func (s *Summary) tierRank(name string) int {
	if i := slices.Index(s.o.Tiers, name); i >= 0 {
		return i
	}
	return len(s.o.Tiers)
}

// casePair is a question with the number of its case in the last batch of each of two agent versions; -1 if the version
// was not asked it.
type casePair struct{ from, to int32 }

// casePairs returns the questions that at least one of two agent versions was asked, in the order of byID.
func (s *Summary) casePairs(from, to Agent, byID []int32) []casePair {
	var out []casePair
	last := ""
	for _, n := range byID {
		if id := s.cases.keys[n].id; len(out) == 0 || id != last {
			out, last = append(out, casePair{-1, -1}), id
		}
		p := &out[len(out)-1]
		if s.asked(from, n) {
			p.from = n
		}
		if s.asked(to, n) {
			p.to = n
		}
	}
	return slices.DeleteFunc(out, func(p casePair) bool { return p.from < 0 && p.to < 0 })
}

// anyAsked reports whether any agent version has a score of case n.
func (s *Summary) anyAsked(n int32) bool {
	for a := range s.agents {
		if s.asked(a, n) {
			return true
		}
	}
	return false
}

// asked reports whether an agent version has a score of case n.
func (s *Summary) asked(a Agent, n int32) bool {
	for _, x := range s.agents[a] {
		if x.at(n).outcome() >= 0 {
			return true
		}
	}
	return false
}

// change returns the comparison of two agent versions over the cases byID, with the tests of package analysis.
func (s *Summary) change(from, to Agent, byID []int32) Change {
	c := Change{From: from, To: to}
	pairs := s.casePairs(from, to, byID)
	o := analysis.CompareOptions{Seed: s.o.Seed, Primary: s.o.Primary, SharesOnly: true}
	tested := analysis.NewComparison(analysis.Batch{}, analysis.Batch{}, o)
	set := analysis.NewSet(s.o.Metrics)
	found := map[string]MetricChange{}
	for _, name := range s.metricList() {
		old, now := s.agents[from][name], s.agents[to][name]
		if old == nil || now == nil {
			continue
		}
		t, m := set.NewTally(name, o), MetricChange{Metric: name, Of: len(pairs)}
		for _, p := range pairs {
			a, b := old.at(p.from), now.at(p.to)
			one := analysis.Pair{From: half(a), To: half(b), Cases: 1}
			if p.to >= 0 {
				one.CaseID = s.cases.keys[p.to].id
			}
			t.Add(&one)
			m.count(s.valueChange(name, a, b))
		}
		found[name] = m
		tested.Changes = append(tested.Changes, t.Change())
	}
	tested.Finish(set, nil, o)
	for _, name := range s.metricList() {
		for i := range tested.Changes {
			if ch := &tested.Changes[i]; ch.Metric == name && ch.Compared > 0 {
				m := found[name]
				m.take(ch)
				c.Metrics = append(c.Metrics, m)
				if name == s.o.Primary {
					c.Fixed, c.Broken = ch.Fixed, ch.Broken
				}
			}
		}
	}
	old, now := s.agents[from][s.o.Primary], s.agents[to][s.o.Primary]
	for _, p := range pairs {
		a, b := old.at(p.from), now.at(p.to)
		if a.ok() && s.valueChange(s.o.Primary, a, b) < 0 {
			answer := s.answer(to, p.to, b.value)
			if !b.ok() {
				answer.Reason = "the agent gave no answer"
			}
			answer.Before = &a.value
			c.Regressed = append(c.Regressed, answer)
		}
	}
	slices.SortStableFunc(c.Regressed,
		func(a, b Answer) int { return s.better(s.o.Primary, a.Value-*a.Before, b.Value-*b.Before) })
	c.Regressed = c.Regressed[:min(len(c.Regressed), max(0, s.o.Worst))]
	return c
}

// half converts a score to one side of a pair for package analysis.
func half(f found) analysis.Half {
	if f.outcome() < 0 {
		return analysis.Half{}
	}
	score := analysis.Score{Status: outcomes[f.outcome()], Value: f.value}
	if score.Status == unanswered {
		score.Status, score.Reason = scoring.StatusNotApplicable, scoring.NoAnswer
	}
	if f.judged() {
		passed := f.passed()
		score.Passed = &passed
	}
	return analysis.HalfOf(&score)
}

// valueChange returns a positive number if b is better than a, negative if worse, and 0 if equal or not comparable. A
// missing answer counts as 0 or, if lower values are better, is not comparable.
func (s *Summary) valueChange(metric string, a, b found) int {
	has := func(f found) bool {
		return f.ok() || f.outcome() >= 0 && outcomes[f.outcome()] == unanswered && s.better(metric, 0, 1) < 0
	}
	if !has(a) || !has(b) {
		return 0
	}
	return s.better(metric, b.value, a.value)
}

// count increments Improved or Worse by the sign of change.
func (c *MetricChange) count(change int) {
	switch {
	case change > 0:
		c.Improved++
	case change < 0:
		c.Worse++
	}
}

// take sets the figures that the tested change ch determines.
func (c *MetricChange) take(ch *analysis.Change) {
	c.N, c.Mean, c.P, c.PAdjusted, c.Outcome, c.Chance = ch.Compared, *ch.Mean, ch.P, ch.PAdjusted, ch.Outcome, ch.Chance
	c.Low, c.High = ch.Low, ch.High
	if ch.Rate != nil {
		c.Rate, c.Low, c.High = ch.Rate, ch.RateLow, ch.RateHigh
		c.Verdicts = &Verdicts{ch.Rated, ch.PassedBefore, ch.PassedAfter}
		c.Fixed, c.Broken = ch.NFixed, ch.NBroken
	}
}

// answer returns the data on the answer of agent version a to case n, with the given value.
func (s *Summary) answer(a Agent, n int32, value float64) Answer {
	out := Answer{CaseID: s.cases.keys[n].id, Agent: a, Batch: s.cases.keys[n].batch, Value: value}
	if t := s.about(a, n).tier; t > 0 {
		out.Tier = s.tiers.Text(t - 1)
	}
	said := s.texts[textKey{a, n}]
	out.Question, out.Reason = said.question, said.reason
	if why := s.whys[textKey{a, n}]; why != out.Reason {
		out.Why = why
	}
	return out
}

// worst returns, for each agent version, the answers with a value that did not pass the primary metric, the worst
// first; for a metric without verdicts the lowest rated ones. A question is listed once, with its last batch.
func (s *Summary) worst(agents []Agent, byID []int32) []Answer {
	var out []Answer
	for _, a := range agents {
		x := s.agents[a][s.o.Primary]
		var list []int32
		for _, n := range byID {
			if m := x.at(n); m.ok() && !m.passed() {
				if last := len(list) - 1; last >= 0 && s.cases.keys[list[last]].id == s.cases.keys[n].id {
					list[last] = n // a question is listed once, with its last batch
					continue
				}
				list = append(list, n)
			}
		}
		slices.SortStableFunc(list, func(i, j int32) int { return s.better(s.o.Primary, x.at(i).value, x.at(j).value) })
		for _, n := range list[:min(len(list), max(0, s.o.Worst))] {
			out = append(out, s.answer(a, n, x.at(n).value))
		}
	}
	return out
}

// objected returns the answers that a metric objects to, each once, by agent version: the objection of refusal, if
// any, or else that of sql_safety.
func (s *Summary) objected(agents []Agent, byID []int32) (out []objection) {
	for _, a := range agents {
		for _, n := range byID {
			for _, name := range scoring.Objectors() {
				if o, is := s.objections[objectionKey{textKey{a, n}, name}]; is {
					out = append(out, o)
					break
				}
			}
		}
	}
	return out
}

func (s *Summary) unscored(agents []Agent, byID []int32) []Unscored {
	list := make([]Unscored, len(s.groups))
	for _, name := range s.metricList() {
		metrics := make([]int, len(s.groups))
		for _, a := range agents {
			x := s.agents[a][name]
			for _, n := range byID {
				if m := x.at(n); m.outcome() > 0 && m.word > 0 {
					metrics[m.word-1]++
				}
			}
		}
		for i, n := range metrics {
			if n > 0 {
				list[i].N += n
				list[i].Metrics = append(list[i].Metrics, Count{name, n})
			}
		}
	}
	s.countCases(list, byID)
	out := list[:0]
	for i, u := range list {
		if u.N == 0 {
			continue // all of them were replaced
		}
		u.Status, u.Reason = s.groups[i].status, s.groups[i].reason(u.N)
		if u.Status == scoring.StatusFailed && s.groups[i].code != errcode.OK {
			u.Code = s.groups[i].code.String()
		}
		out = append(out, u)
	}
	slices.SortFunc(out, func(a, b Unscored) int {
		return cmp.Or(-cmp.Compare(urgency(a.Status), urgency(b.Status)), cmp.Compare(b.N, a.N),
			cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Code, b.Code))
	})
	return out
}

// urgency returns the rank of a status by which reasons are sorted: failures rank highest.
func urgency(st scoring.Status) int {
	return slices.Index(
		[]scoring.Status{scoring.StatusNotApplicable, unanswered, scoring.StatusAbstained, scoring.StatusFailed}, st)
}

// countCases sets the number of questions of each group of reasons, and the first of them as example.
func (s *Summary) countCases(list []Unscored, byID []int32) {
	seen := make([]int, len(list)) // number of the question counted last
	question := 0
	for k, n := range byID {
		if k == 0 || s.cases.keys[n].id != s.cases.keys[byID[k-1]].id {
			question++
		}
		for _, metrics := range s.agents {
			for _, x := range metrics {
				m := x.at(n)
				if m.outcome() <= 0 || m.word == 0 || seen[m.word-1] == question {
					continue
				}
				seen[m.word-1] = question
				if list[m.word-1].Cases++; list[m.word-1].Cases == 1 {
					list[m.word-1].Example = s.cases.keys[n].id
				}
			}
		}
	}
}

// rounded rounds v to the given number of decimals and returns 0 instead of -0, so that rounding errors do not show as
// -0.000.
func rounded(v float64, digits int) float64 {
	k := math.Pow10(digits)
	r := math.Round(v*k) / k
	if r == 0 {
		return 0
	}
	return r
}
