package site

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/relation"
	"github.com/badger-eval/badger/sql/store"
)

// overview is the first part of a run's page: the share of right answers, its change from the baseline, whether that
// may be chance, and the reasons of wrong answers.
type overview struct {
	Kick     string // the run and its baseline
	Choose   string // address of the page on which the user can choose another baseline
	Headline string
	Gravest  []gravest
	Lead     []string
	Verdict  string // last words of the lead, such as: the drop is more than chance
	Resume   string // the command that resumes the run, if it stopped or failed
	Flow     []flowPart
	Buttons  []flowPart
	Picture  *nightsChart
	Caption  string
	Findings []analysis.Finding // of the tests over the batches up to this one
	Why      *whyWrong
	Right    bool // every answer with a verdict is right, and there is one
	Alerts   []alert
	Tiers    *parts
	Subjects *parts
	Measures []measureRow
	Tested   []string // how the changes of Measures were tested
	Before   string   // headings of the baseline's and the run's columns
	Now      string
	Spending *spending // what the answers took; nil if nothing is known
	Costs    []costRow
}

// flowPart is the questions with one outcome, such as broke or fixed: their number and share.
type flowPart struct {
	Mode        store.Mode
	Class, Text string
	N           int64
	Share       int // of all questions, in percent, at least 1
	Address     string
}

// whyWrong counts the reasons of wrong answers, each answer under one reason.
type whyWrong struct {
	Title, Lead string
	Groups      []whyGroup
}

type whyGroup struct {
	N       int64
	Name    string
	Labels  string // relations of its answers, the most frequent first
	All     string // address
	IDs     []namedAddress
	More    int64
	Example *whyExample
}

type whyExample struct {
	ID, Question string
	Why          relation.Sentence
}

// alert is a finding that a pass rate does not show, such as queries that may change data.
type alert struct {
	Title, Text string
	Wrong       bool
	IDs         []namedAddress
	All         string
}

// parts counts right answers in the baseline and the run, by a property of the questions.
type parts struct {
	Title       string
	Before, Now string // display names of the baseline ("" without one) and the run
	Rows        []partRow
}

type partRow struct {
	Name       string
	Address    string
	Before     *int64
	Now, Of    int64
	Dot        chart.Pixels
	Was        *chart.Pixels
	Class      string
	From, Long chart.Pixels // ends of the line between both dots
}

// measureRow is the value of a metric in the baseline and the run.
type measureRow struct {
	Name, What, ID string
	Address        string
	Before, Now    string
	Change         string
	Interval       string
	Broke, Fixed   counted
	HasRate        bool
	Chance         string
	Class          string
}

// costRow is a figure of coverage, time or cost in the baseline and the run.
type costRow struct{ Name, Before, Now, Change, Address string }

// pair is a run with the baseline that it is compared with.
type pair struct {
	t      *timeline
	to     *moment
	from   *moment // nil without a baseline
	why    string  // sentences that name the baseline and tell why it is one
	metric string
	last   *night // the batch before, if it is known and not the baseline
	ties   int64  // broken answers that may differ in ties only
}

// nightBefore returns the share of right answers of the batch before in brackets, or "".
func (p *pair) nightBefore() string {
	if p.last == nil || p.last.Share == nil {
		return ""
	}
	return " (" + percent(*p.last.Share) + " the " + p.t.noun(p.to.Of.Agent) + " before)"
}

// setLast sets p.last, the batch before the run among nights.
func (p *pair) setLast(nights []night) {
	at := slices.IndexFunc(nights, func(n night) bool { return n.Of.By == p.to.Of.By })
	if at > 0 && p.from != nil && nights[at-1].Of.By != p.from.Of.By {
		p.last = &nights[at-1]
	}
}

// names returns what a sentence calls the baseline and the run; from is "" without a baseline.
func (p *pair) names() (from, to string) {
	if p.from == nil {
		return "", p.t.name(p.to)
	}
	from, to = p.t.weekday(p.from, p.to), p.t.weekday(p.to, p.from)
	if from == to {
		from, to = p.t.name(p.from), p.t.name(p.to)
	}
	if from == to { // several versions of a batch
		from, to = p.from.Of.Version+" of "+from, p.to.Of.Version+" of "+to
	}
	return from, to
}

// pairOf returns run with its baseline: asked, if it has an ID, else the default one, if any.
func (s *Site) pairOf(ctx context.Context, run, asked scoring.RunID) (*pair, error) {
	t, err := s.timeline(ctx)
	if err != nil {
		return nil, err
	}
	p := &pair{t: t, to: t.at(run)}
	if p.to == nil { // it has no scores yet
		p.to = &moment{Of: analysis.Batch{By: run.By}, Run: store.Run{RunID: run}}
	}
	switch {
	case asked.ID != "":
		if p.from = t.at(asked); p.from == nil {
			p.from = &moment{Of: analysis.Batch{By: asked.By}, Run: store.Run{RunID: asked}}
		}
		p.why = "Compared with " + t.versioned(p.from) + daysBefore(p.from, p.to) + "."
		usual, why, err := t.baseline(ctx, run)
		if err != nil {
			return nil, err
		}
		if usual != nil && usual.Of.By == asked.By {
			p.why = why
		}
	default:
		p.from, p.why, err = t.baseline(ctx, run)
	}
	return p, err
}

// baseline returns the run that the other is compared with, unless there is none or it is the run itself.
func (p *pair) baseline() (run scoring.RunID, there bool) {
	if p.from == nil || p.from.Run.RunID == p.to.Run.RunID {
		return run, false
	}
	return p.from.Run.RunID, true
}

// baseline returns the batch that a run is compared with by default, and a description of why it was chosen. It returns
// nil if none qualifies.
func (t *timeline) baseline(ctx context.Context, run scoring.RunID) (*moment, string, error) {
	batches := make([]analysis.Batch, len(t.moments))
	for i := range t.moments {
		batches[i] = t.moments[i].Of
	}
	i := slices.IndexFunc(t.moments, func(m moment) bool { return m.Of.By == run.By })
	if i < 0 {
		return nil, "", nil
	}
	accepted, err := t.accepted.get(ctx)
	if err != nil {
		return nil, "", err
	}
	at, b := analysis.BaselineOf(batches, accepted, i)
	if b == nil || t.moments[at].Run.ID == "" {
		return nil, "", nil
	}
	from := &t.moments[at]
	noun := t.noun(run.Agent)
	none := " No " + noun + " has been accepted as baseline yet."
	if b.AcceptedLater {
		none = " No earlier " + noun + " has been accepted as baseline."
	}
	why := "Compared with " + t.name(from) + daysBefore(from, &t.moments[i]) + ": "
	switch version := from.Of.Version; {
	case b.Why == analysis.BaselineAccepted:
		why += "the last accepted " + noun
		if b.Accepted.Who != "" {
			why += " (by " + b.Accepted.Who + ")"
		}
		if again := b.Again(); again != "" {
			why += ", " + again
		}
		return from, why + ".", nil
	case b.Why == analysis.BaselineKept:
		why += "kept until a " + noun + " is accepted, as " + b.Passed.Name() + " is " + b.WorseBy + " worse."
		return from, why, nil
	case version == "" || version == t.name(from):
		why += "the first complete " + noun + " of its version."
	default:
		why += "the first complete " + noun + " of " + version + "."
	}
	return from, why + none, nil
}

// daysBefore returns how many days from is before to, such as ", 14 days before", or "" for one day and if unknown.
func daysBefore(from, to *moment) string {
	if from.Of.At.IsZero() || to.Of.At.IsZero() {
		return ""
	}
	days := int(to.Of.At.Sub(from.Of.At).Hours()) / 24
	if days < 2 {
		return ""
	}
	return ", " + things(days, "day") + " before"
}

// versioned returns the display name of a batch with its version: Sun 29 Nov, 3.4.
func (t *timeline) versioned(m *moment) string {
	name := t.name(m)
	if m.Of.Version == "" || m.Of.Version == name {
		return name
	}
	return name + " of " + m.Of.Version
}

// listState returns the state of the list of the run's cases in a mode, with the pair's baseline and metric.
func (p *pair) listState(mode store.Mode) store.State {
	s := store.State{RunID: p.to.Run.RunID, Mode: mode, Metric: p.metric}
	if p.from != nil {
		s.Baseline = p.from.Run.RunID
	}
	return s
}

// changesState returns listState(mode), sorted by group of reasons.
func (p *pair) changesState(mode store.Mode) store.State {
	s := p.listState(mode)
	s.Sort.Column = "group"
	return s
}

// overviewOf returns the overview of the list's run.
func (s *Site) overviewOf(ctx context.Context, p *store.Pages, v *runView, list *store.List) (*overview, error) {
	pr, err := s.pairOf(ctx, list.State.RunID, scoring.RunID{})
	if err != nil {
		return nil, err
	}
	if primary := list.Shape.Primary(); list.State.Metric != primary {
		pr.metric = list.State.Metric
	}
	out := &overview{Choose: compareAddress(sides{To: []scoring.RunID{list.State.RunID}}) + "#baseline"}
	// What is compared and what is listed are read at the same time: each needs about half of the statements.
	every, metric := list, list.State.Metric
	var cmpd *storedscores.Compared
	group, both := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		if cmpd, err = s.comparedWith(both, pr, every); err != nil {
			return err
		}
		out.Spending, err = s.spendingOfPair(both, pr, changeIn(cmpd, metric), metric)
		return err
	})
	group.Go(func() (err error) {
		nights, err := s.listedOf(both, p, out, pr, every)
		if err != nil {
			return err
		}
		if err := s.costsOf(both, p, out, pr, v); err != nil {
			return err
		}
		return s.chartNights(both, out, pr, nights, metric)
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	out.say(pr, v, cmpd, s.primary(nil))
	out.Before, out.Now = pr.names()
	if cmpd != nil {
		for i := range cmpd.Changes {
			out.Measures = append(out.Measures, s.measureOf(&cmpd.Changes[i], pr))
		}
		out.Tested = howTested(&cmpd.Comparison, metric)
	}
	return out, nil
}

// listedOf sets the parts of out that lists of questions give, and returns the batches of the agent. every is the
// list of all questions of the run, which has read them.
func (s *Site) listedOf(
	ctx context.Context, p *store.Pages, out *overview, pr *pair, every *store.List,
) ([]night, error) {
	list, err := p.List(ctx, pr.listState(store.All))
	if err != nil {
		return nil, err
	}
	counts, err := list.Counts(ctx)
	if err != nil {
		return nil, err
	}
	nights, err := s.nightsOf(ctx, p, pr.t, series{pr.to.Of.Agent, list.State.Metric, stripBatches})
	if err != nil {
		return nil, err
	}
	pr.setLast(nights)
	if counts[store.Broke] > 0 && s.mask.Filters("relation") {
		broke, err := p.List(ctx, pr.listState(store.Broke))
		if err != nil {
			return nil, err
		}
		labels, _, err := broke.Slices(ctx, "relation", partsAll)
		if err != nil {
			return nil, err
		}
		for i := range labels {
			if ofTies(labels[i].Part) {
				pr.ties += labels[i].Scores
			}
		}
	}
	held, err := s.heldOf(ctx, p, pr, list)
	if err != nil {
		return nil, err
	}
	if out.Gravest, err = s.gravestOf(ctx, p, pr, list, held); err != nil {
		return nil, err
	}
	out.flow(pr, counts, held)
	if out.Why, err = s.whyOf(ctx, p, pr, counts); err != nil {
		return nil, err
	}
	if out.Alerts, err = s.alertsOf(ctx, p, pr, list, counts); err != nil {
		return nil, err
	}
	if err := s.partsOf(ctx, p, out, pr, every); err != nil {
		return nil, err
	}
	return nights, nil
}

// chartNights sets the findings and the picture of the batches up to that of pr, if there are two at least.
func (s *Site) chartNights(ctx context.Context, out *overview, pr *pair, nights []night, metric string) (err error) {
	if len(nights) < 2 {
		return nil
	}
	at := slices.IndexFunc(nights, func(n night) bool { return n.Of.By == pr.to.Of.By })
	nights = nights[:at+1]
	if len(nights) > 1 {
		if out.Findings, err = s.findingsOf(ctx, nights, metric); err != nil {
			return err
		}
		noun := printable.Noun(2, pr.t.noun(pr.to.Of.Agent))
		ranges := usuals(nights)
		out.Picture = chartOf(nights, ranges, pr.t.daily[pr.to.Of.Agent], chartOfOverview)
		out.Caption = "Right answers in %, " + count(len(nights)) + " " + noun
		if slices.ContainsFunc(ranges, func(u usual) bool { return u.Limits }) {
			out.Caption += ". Grey: what is usual for the version"
		}
	}
	return nil
}

// comparedWith compares a run with its baseline in the most informative metrics and the list's metric. It returns nil
// without a baseline.
func (s *Site) comparedWith(ctx context.Context, pr *pair, list *store.List) (*storedscores.Compared, error) {
	if pr.from == nil {
		return nil, nil //nolint:nilnil // there is nothing to compare with
	}
	var metrics []string
	for i := range list.Shape.Metrics {
		if m := list.Shape.Metrics[i].Metric; report.Leads(m) {
			metrics = append(metrics, m)
		}
	}
	if m := list.State.Metric; m != "" && !slices.Contains(metrics, m) {
		metrics = append(metrics, m)
	}
	there := make([]string, len(list.Shape.Metrics))
	for i := range list.Shape.Metrics {
		there[i] = list.Shape.Metrics[i].Metric
	}
	src := storedscores.In(s.o.Warehouse)
	o := analysis.CompareOptions{Shown: metrics, Primary: list.State.Metric}
	o.Metrics = analysis.Family(there, metrics, o.Primary)
	return src.Compare(ctx, analysis.NewSet(s.o.Metrics), sideOf(pr.from.Run.RunID), sideOf(pr.to.Run.RunID),
		pr.from.Of, pr.to.Of, o)
}

// changeIn returns the change of the named metric in c, or nil.
func changeIn(c *storedscores.Compared, name string) *analysis.Change {
	if c == nil {
		return nil
	}
	for i := range c.Changes {
		if c.Changes[i].Metric == name {
			return &c.Changes[i]
		}
	}
	return nil
}

// say sets the line above the headline, the headline, and the sentences below it. primary is the usual primary metric.
func (o *overview) say(pr *pair, v *runView, c *storedscores.Compared, primary string) {
	to := pr.to
	o.Kick = agentName(to.Of.Agent, to.Of.Version)
	if name := pr.t.name(to); name != to.Of.Version {
		o.Kick += ", " + pr.t.called(to)
	}
	if pr.from != nil {
		o.Kick += ". " + pr.why
	}
	m := v.Chosen
	if m == nil {
		o.Headline = things(v.Cases, "answer") + ", not scored yet."
		return
	}
	right, of := int(m.Figures.Passed), int(m.Figures.Judged+m.Figures.Unanswered)
	switch status := v.Row.Status; {
	case status == "running":
		o.Headline = count(v.Cases) + " questions are scored so far."
		if v.Row.Answers > 0 {
			o.Headline = count(v.Cases) + " of " + things(v.Row.Answers, "question") + " are scored so far."
		}
	case status == "stopped" || status == "failed":
		o.Headline = "Stopped after " + things(v.Cases, "question") + "."
		o.Resume = "badger run --resume " + v.Row.ID
	case of == 0 && m.Mean == nil:
		o.Headline = things(v.Cases, "answer") + " without a gold answer."
	case m.Share == nil:
		o.Headline = metric.DisplayName(m.Name) + " is " + figure(m.Mean) + " on average."
	}
	if m.Share == nil {
		return
	}
	all := report.ShareOf(right, of)
	from, _ := pr.names()
	ch := changeIn(c, m.Name)
	if o.Headline == "" {
		o.Headline = sentence(all.Rate, of, ch, from, pr.nightBefore())
	}
	o.Right = right == of
	if m.Name != primary {
		o.add("Right means: %s.", metric.DisplayName(m.Name))
	}
	o.add("%s of %s questions that expect a result are right.", count(right), count(of))
	o.add("With 95 %% confidence, the true share is between %s and %s.", percent(all.Low), percent(all.High))
	if n := m.Figures.Unanswered; n > 0 {
		has, counts := printable.Verb(int(n), "has", "have"), printable.Verb(int(n), "counts", "count")
		o.add("%s %s no answer and %s as wrong.", upper(things(n, "question")), has, counts)
	}
	if pr.from == nil {
		o.add("No earlier %s exists to compare it with.", pr.t.noun(to.Of.Agent))
	}
	if ch == nil {
		return
	}
	o.Lead = append(o.Lead, notCompared(ch)...)
	if ch.Rated == 0 {
		return
	}
	if ch.Rated != of {
		both := things(ch.Rated, "question")
		o.add("On the %s that both have: %s right, %s before.", both, count(ch.PassedAfter), count(ch.PassedBefore))
	}
	o.chance(ch, pr)
}

// notCompared returns a sentence for each reason why questions are not compared with the baseline, except that they
// have no verdict.
func notCompared(ch *analysis.Change) (out []string) {
	for _, u := range ch.Unlike {
		if u.Why != analysis.NoValue {
			out = append(out, "Not compared: "+u.String()+".")
		}
	}
	return out
}

// upper returns text with its first byte, an ASCII character, in upper case.
func upper(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// sentence returns the headline: the share of right answers among of, and how it compares with the baseline from if ch
// is known. If the sides have other questions, both shares are of those that are compared.
// before is the batch before with its share, if it is not the baseline.
func sentence(rate float64, of int, ch *analysis.Change, from string, before string) string {
	text := percent(rate) + " of the answers are right"
	if ch == nil || ch.Rated == 0 {
		if ch != nil && len(notCompared(ch)) > 0 {
			return text + "; they cannot be compared with " + from + "."
		}
		return text + "."
	}
	was, is := ch.Shares()
	then := percent(was) + " " + on(from)
	if ch.Rated != of {
		text = percent(is) + " of " + things(ch.Rated, "answer") + " " + printable.Verb(ch.Rated, "is", "are") + " right"
	}
	switch {
	case ch.Outcome == analysis.Degraded:
		return text + ", down from " + then + before + "."
	case ch.Outcome == analysis.Improved:
		return text + ", up from " + then + before + "."
	case percent(was) == percent(is):
		return text + ", as " + on(from) + before + "."
	}
	return text + "; " + then + before + "."
}

// add appends a formatted sentence to the lead.
func (o *overview) add(format string, args ...any) {
	o.Lead = append(o.Lead, fmt.Sprintf(format, args...))
}

// chance appends sentences about how likely chance alone gives the observed numbers of broken and fixed answers.
func (o *overview) chance(ch *analysis.Change, pr *pair) {
	broke, fixed := ch.NBroken, ch.NFixed
	if ch.RateP == nil {
		return
	}
	from, _ := pr.names()
	if broke+fixed == 0 {
		o.add("No question changed its verdict since %s.", from)
		return
	}
	o.add("%s broke%s and %s %s fixed since %s.", count(broke), tied(pr.ties), count(fixed),
		printable.Verb(fixed, "was", "were"), from)
	often := inThousand(*ch.RateP, pr.t.noun(pr.to.Of.Agent))
	if ch.Chance != analysis.MoreThanChance {
		o.add("Chance alone gives so uneven a count %s: it could be chance.", often)
		return
	}
	o.add("If nothing had really changed, chance would give so uneven a count %s:", often)
	if o.Verdict = "the rise is more than chance"; broke > fixed {
		o.Verdict = "the drop is more than chance"
	}
}

// ofTies reports whether results with a relation differ in ties only, as far as is known.
func ofTies(label string) bool {
	return slices.Contains([]string{"tie_one", "tie_all", "tie_other", "tie_unproven"}, label)
}

// tied returns how many broken answers may differ in ties only, in commas, or "" for none.
func tied(n int64) string {
	if n == 0 {
		return ""
	}
	return ", " + count(n) + " of them perhaps only by ties,"
}

// flow sets o.Flow, the questions by outcome, and o.Buttons, the links to the broken, fixed and still wrong ones.
// Without a baseline the outcomes are wrong, right and not to be answered, without buttons.
func (o *overview) flow(pr *pair, counts map[store.Mode]int64, held heldCounts) {
	parts := []flowPart{
		{Class: "broke", Text: "wrong", N: counts[store.Failed], Address: casesAddress(pr.listState(store.Failed))},
		{Class: "kept", Text: "right", N: counts[store.Passed], Address: casesAddress(pr.listState(store.Passed))},
		{Class: "unasked", Text: "not to be answered", N: counts[store.Unasked],
			Address: casesAddress(pr.listState(store.Unasked)), Mode: store.Unasked},
	}
	if pr.from != nil {
		parts = changeParts(pr, counts)
	}
	for i := range parts {
		if f := &parts[i]; f.Mode == store.Unasked && held.Wrong > 0 {
			f.Text += ", " + count(held.Wrong) + " wrong"
		}
	}
	if o.Flow = flowOf(counts, parts); pr.from == nil {
		return
	}
	for _, f := range o.Flow {
		if f.N > 0 && (f.Class == "broke" || f.Class == "fixed" || f.Class == "still") {
			o.Buttons = append(o.Buttons, f)
		}
	}
	slices.SortStableFunc(o.Buttons, func(a, b flowPart) int {
		return cmp.Compare(strings.Index("broke fixed still", a.Class), strings.Index("broke fixed still", b.Class))
	})
}

// changeParts returns the outcomes of questions since the baseline, in the order of the bar, with links to their lists.
func changeParts(pr *pair, counts map[store.Mode]int64) []flowPart {
	parts := []flowPart{
		{Mode: store.Broke, Class: "broke", Text: "broke"},
		{Mode: store.StillWrong, Class: "still", Text: "still wrong"},
		{Mode: store.Fixed, Class: "fixed", Text: "fixed"},
		{Mode: store.StillRight, Class: "kept", Text: "still right"},
		{Mode: store.Added, Class: "unasked", Text: "new questions"},
		{Mode: store.NotCompared, Class: "unasked", Text: "not compared"},
		{Mode: store.Unasked, Class: "unasked", Text: "not to be answered"},
	}
	for i := range parts {
		parts[i].N = counts[parts[i].Mode]
		parts[i].Address = casesAddress(pr.changesState(parts[i].Mode))
	}
	return parts
}

// flowOf returns the parts with questions, with their shares. Questions of no part are added as a last one, without a
// verdict.
func flowOf(counts map[store.Mode]int64, all []flowPart) (out []flowPart) {
	rest, total := counts[store.All], max(counts[store.All], 1)
	for _, f := range all {
		rest -= f.N
		if f.N > 0 {
			out = append(out, f)
		}
	}
	if rest > 0 {
		out = append(out, flowPart{Class: "unasked", Text: "without a verdict", N: rest})
	}
	for i := range out {
		out[i].Share = max(1, int(100*out[i].N/total))
	}
	return out
}
