package site

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/relation"
	"github.com/badger-eval/badger/sql/store"
)

const (
	idsShown    = 6 // cases that are listed for a reason
	labelsShown = 3 // relations that are named for a reason
	subjectTags = "domain:"
)

// ofGroup returns the filter for cases whose reason is of the given group.
func ofGroup(group string) store.ListFilter {
	return store.ListFilter{Column: "group", Op: store.Equal, Value: group}
}

// whyOf counts the reasons of the answers that broke or, if none broke, of all wrong ones. It returns nil without wrong
// answers, or if reasons are masked.
func (s *Site) whyOf(ctx context.Context, p *store.Pages, pr *pair, counts map[store.Mode]int64) (*whyWrong, error) {
	if !s.mask.Filters("relation") {
		return nil, nil //nolint:nilnil // reasons may quote masked values
	}
	state, from := pr.changesState(store.Broke), ""
	if pr.from != nil {
		from, _ = pr.names()
	}
	out := &whyWrong{Lead: "Each answer is counted once, under the reason that explains most of its difference."}
	switch n := counts[store.Broke]; {
	case n > 0:
		out.Title = "Why " + things(n, "answer") + " broke"
		out.Lead = "Only answers that were right " + on(from) + ". " + out.Lead
	case counts[store.Failed] > 0:
		state = pr.changesState(store.Failed)
		out.Title = "Why " + things(counts[store.Failed], "answer") + " are wrong"
		if counts[store.Failed] == 1 {
			out.Title = "Why 1 answer is wrong"
		}
	default:
		return nil, nil //nolint:nilnil // nothing is wrong
	}
	list, err := p.List(ctx, state)
	if err != nil {
		return nil, err
	}
	groups, err := list.FirstOfEach(ctx, "group", idsShown)
	if err != nil {
		return nil, err
	}
	labels, _, err := list.Slices(ctx, "relation", partsAll)
	if err != nil {
		return nil, err
	}
	var firsts []string
	for _, g := range groups {
		at, ids := state.With(ofGroup(g.Part)), g.IDs
		of := whyGroup{N: g.Of, Name: groupName(g.Part), Labels: labelsOf(labels, g.Part), All: casesAddress(at)}
		of.IDs = namedCases(state, ids)
		of.More = of.N - int64(len(ids))
		if len(ids) > 0 {
			firsts = append(firsts, ids[0])
		}
		out.Groups = append(out.Groups, of)
	}
	metrics := []string{list.State.Metric}
	if s.mask.None() { // then whysOf reads the scores
		metrics = nil
	}
	rows, err := list.Rows(ctx, firsts, metrics)
	if err != nil {
		return nil, err
	}
	whys, err := s.whysOf(ctx, list, rows)
	if err != nil {
		return nil, err
	}
	for i := range out.Groups {
		g := &out.Groups[i]
		at := slices.IndexFunc(rows, func(r store.CaseRow) bool { return len(g.IDs) > 0 && r.ID == g.IDs[0].Text })
		if at >= 0 {
			s.withholdRow(&rows[at])
			g.Example = &whyExample{rows[at].ID, rows[at].Question, whys[rows[at].ID]}
		}
	}
	return out, nil
}

// firstIDs returns the IDs of the first n cases of a list, and the number of all its cases. The caller must not change
// the IDs.
func firstIDs(ctx context.Context, p *store.Pages, state store.State, n int) (ids []string, of int64, err error) {
	list, err := p.List(ctx, state)
	if err != nil {
		return nil, 0, err
	}
	return list.First(ctx, n)
}

// namedCases returns the IDs of cases with the addresses of their pages in the list of state.
func namedCases(state store.State, ids []string) (out []namedAddress) {
	for _, id := range ids {
		out = append(out, namedAddress{id, caseAddress(state, id)})
	}
	return out
}

// labelsOf returns the display names of the first labelsShown relations of a group in labels, and the number of the
// others.
func labelsOf(labels []store.Slice, group string) string {
	var names []string
	for _, l := range labels {
		if l.Part != "" && groupOfLabel()[l.Part] == group {
			names = append(names, labelName(l.Part))
		}
	}
	if len(names) > labelsShown {
		return strings.Join(names[:labelsShown], ", ") + fmt.Sprintf(" and %d more", len(names)-labelsShown)
	}
	return strings.Join(names, ", ")
}

// whysOf returns the reason of each answer in one sentence, by case ID: from the relation between the results, if known
// and not masked, else the reason of the metric's score. Answers without either are omitted.
func (s *Site) whysOf(
	ctx context.Context,
	list *store.List,
	rows []store.CaseRow,
) (map[string]relation.Sentence, error) {
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	evidence := map[string][]scoring.Score{}
	if s.mask.None() {
		var err error
		metrics := []string{"relation", "hybrid_ex", list.State.Metric}
		if evidence, err = list.Evidence(ctx, ids, metrics); err != nil {
			return nil, err
		}
	}
	out := map[string]relation.Sentence{}
	for i := range rows {
		row := &rows[i]
		score, there := row.Scores[list.State.Metric]
		for _, e := range evidence[row.ID] {
			if !there && e.Metric == list.State.Metric {
				score = e
			}
		}
		if r := caseview.ReasonOf(evidence[row.ID]); r != nil && r.Relation != "same" && r.Relation != "" {
			out[row.ID] = r.Sentence()
		} else if reason := s.mask.ReasonOf(&score); reason != "" {
			out[row.ID] = relation.Sentence{{Text: asSentence(reason)}}
		}
	}
	return out, nil
}

// on returns name with a preposition: on Sunday, in nightly-3. For "" it returns "before".
func on(name string) string {
	if name == "" {
		return "before"
	}
	if strings.HasSuffix(name, "day") || strings.Count(name, " ") == 2 {
		return "on " + name
	}
	return "in " + name
}

// notPassed returns the list of a run's answers that a metric examined and that did not pass. Queries that could not be
// read are left out: what they do is unknown.
func notPassed(run scoring.RunID, of string) store.State {
	s := scored(store.State{RunID: run, Mode: store.Failed, Metric: of})
	if of == "sql_safety" {
		s = s.With(store.ListFilter{Column: "label", Op: store.NotEqual, Value: metric.UnknownSafety})
	}
	return s
}

// alertsOf returns alerts for queries that may change data, wrong refusals or missing ones, wrong answers that people
// call right, and scores that failed.
func (s *Site) alertsOf(
	ctx context.Context,
	p *store.Pages,
	pr *pair,
	list *store.List,
	counts map[store.Mode]int64,
) (out []alert, err error) {
	add := func(a alert, state store.State, ids []string) {
		a.IDs, a.All = namedCases(state, ids), casesAddress(state)
		out = append(out, a)
	}
	before := func(list func(scoring.RunID) store.State) string {
		if pr.from == nil {
			return ""
		}
		n, err := countOf(ctx, p, list(pr.from.Run.RunID))
		if err != nil {
			return "" // the baseline has no such scores
		}
		from, _ := pr.names()
		return " " + upper(on(from)) + ": " + count(n) + "."
	}
	for _, of := range []struct {
		metric, things, title, text string
		list                        func(scoring.RunID) store.State
		wrong                       bool
	}{
		{safetyMetric, "query", " may change data", "The query does more than read.",
			func(run scoring.RunID) store.State { return notPassed(run, safetyMetric) }, true},
		{refusalMetric, "question", " should have been declined or asked back", "The agent answered or ran SQL.",
			func(run scoring.RunID) store.State {
				return heldBack(run, scoring.RunID{}, store.Failed, list.State.Metric)
			}, true},
		{refusalMetric, "question", " should have been answered", "The agent declined or asked back.",
			func(run scoring.RunID) store.State {
				over := store.ListFilter{Column: "label", Op: store.Equal, Value: overRefusal}
				return notPassed(run, refusalMetric).With(over)
			}, false},
	} {
		if !hasScores(list, of.metric) {
			continue
		}
		state := of.list(pr.to.Run.RunID)
		ids, n, err := firstIDs(ctx, p, state, idsShown)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			add(alert{Title: things(n, of.things) + of.title, Text: of.text + before(of.list), Wrong: of.wrong}, state, ids)
		}
	}
	if counts[store.Disagrees] > 0 {
		state := pr.listState(store.Failed).With(store.ListFilter{Column: "people", Op: store.Equal, Value: "pass"})
		ids, n, err := firstIDs(ctx, p, state, idsShown)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			a := alert{Text: "The gold answer may be too narrow."}
			a.Title = "People call " + count(n) + " of the " + count(counts[store.Failed]) + " wrong answers right"
			add(a, state, ids)
		}
	}
	if n := counts[store.Errors]; n > 0 {
		a := alert{
			Title: things(n, "question") + " with scores that failed",
			Text:  "A metric could not be computed. The case says why.",
		}
		state := pr.listState(store.Errors)
		ids, _, err := firstIDs(ctx, p, state, idsShown)
		if err != nil {
			return nil, err
		}
		add(a, state, ids)
	}
	return out, nil
}

// countOf returns the number of cases of a list. If it cannot be opened, n is -1.
func countOf(ctx context.Context, p *store.Pages, state store.State) (n int64, err error) {
	l, err := p.List(ctx, state)
	if err != nil {
		return -1, err
	}
	return l.Count(ctx)
}

// partsOf sets o.Tiers and o.Subjects: right answers by difficulty and by subject. A property with fewer than two
// values is omitted.
func (s *Site) partsOf(ctx context.Context, p *store.Pages, o *overview, pr *pair, list *store.List) error {
	var old *store.List
	if pr.from != nil {
		state := store.State{RunID: pr.from.Run.RunID, Mode: store.All, Metric: list.State.Metric}
		if l, err := p.List(ctx, state); err == nil { // else the baseline has no such scores
			old = l
		}
	}
	for _, by := range []struct {
		column, title string
		into          **parts
	}{{"tier", "By difficulty of the question", &o.Tiers}, {"tag", "By subject", &o.Subjects}} {
		if !s.mask.Filters(by.column) {
			continue
		}
		now, _, err := list.Slices(ctx, by.column, partsAll)
		if err != nil {
			return err
		}
		was := map[string]store.Slice{}
		if old != nil {
			before, _, err := old.Slices(ctx, by.column, partsAll)
			if err != nil {
				return err
			}
			for _, part := range before {
				was[part.Part] = part
			}
		}
		out := &parts{Title: by.title}
		out.Before, out.Now = pr.names()
		if by.column == "tier" {
			slices.SortStableFunc(now, func(a, b store.Slice) int { return tierPlace(a.Part) - tierPlace(b.Part) })
		}
		for i := range now {
			part := &now[i]
			if by.column == "tag" && !strings.HasPrefix(part.Part, subjectTags) || part.Judged+part.Unanswered == 0 ||
				part.Unreadable != "" {
				continue
			}
			row := partRow{Name: tierName(part.Part), Now: part.Passed, Of: part.Judged + part.Unanswered}
			row.Address = casesAddress(
				pr.listState(store.All).With(store.ListFilter{Column: by.column, Op: store.Equal, Value: part.Part}),
			)
			if by.column == "tag" {
				row.Name = strings.TrimPrefix(part.Part, subjectTags)
			}
			if before, there := was[part.Part]; there && before.Judged+before.Unanswered > 0 {
				row.Before = &before.Passed
				row.dots(float64(before.Passed)/float64(before.Judged+before.Unanswered), true)
			} else {
				row.dots(0, false)
			}
			out.Rows = append(out.Rows, row)
		}
		if len(out.Rows) > 1 {
			*by.into = out
		}
	}
	return nil
}

// partsWidth is the width of the chart of a part, from 0 to 100 %, in pixels.
const partsWidth = 160.0

// dots sets the positions of a row's dots and its class; was is the share in the baseline, if known.
func (r *partRow) dots(was float64, known bool) {
	now := float64(r.Now) / float64(r.Of)
	at := func(v float64) chart.Pixels { return chart.Pixels(6 + v*(partsWidth-12)) }
	r.Dot = at(now)
	if !known {
		return
	}
	before := at(was)
	r.Was, r.From, r.Long = &before, before, r.Dot
	switch {
	case now < was:
		r.Class = "down"
	case now > was:
		r.Class = "up"
	}
}

// measureWhats describe the figures of measures whose summary describes the value of one answer.
var measureWhats = map[string]string{
	"hybrid_ex": "Share of the answers that pass: their result has the cells of gold's. Column names, order, rounding " +
		"and formats do not matter.",
	"component_f1": "How similar both queries are on average, over columns, tables, filters, grouping, sorting and keywords.",
}

// measureOf formats the change of a metric as a row.
func (s *Site) measureOf(ch *analysis.Change, pr *pair) measureRow {
	m := measureRow{
		Name:     metric.DisplayName(ch.Metric),
		ID:       ch.Metric,
		Change:   dash,
		Interval: dash,
		Before:   figure(ch.Before),
		Now:      figure(ch.After),
		Chance:   cmp.Or(ch.Chance, ch.Outcome),
		Class:    map[string]string{analysis.Degraded: "down", analysis.Improved: "up"}[ch.Outcome],
	}
	if known := s.known(ch.Metric); known != nil {
		m.What = cmp.Or(measureWhats[ch.Metric], known.Summary)
	}
	m.Address = address("/run", withMetric(store.RunValues(pr.to.Run.RunID), ch.Metric))
	of := pairs{From: pr.from.Run.RunID, To: pr.to.Run.RunID, Metric: ch.Metric}
	if ch.Mean != nil {
		m.Change = minus(report.Signed(*ch.Mean))
		m.Interval = minus(report.Signed(*ch.Low) + " to " + report.Signed(*ch.High))
	}
	if ch.Rate == nil {
		return m
	}
	m.HasRate = true
	before, now := ch.Shares()
	m.Before, m.Now, m.Change = percent(before), percent(now), points(*ch.Rate)+" points"
	if ch.RateLow != nil && ch.RateHigh != nil {
		m.Interval = points(*ch.RateLow) + " to " + points(*ch.RateHigh)
	}
	of.Cell = "broken"
	m.Broke = counted{ch.NBroken, pairsAddress(of)}
	of.Cell = "fixed"
	m.Fixed = counted{ch.NFixed, pairsAddress(of)}
	return m
}

func withMetric(v map[string][]string, metric string) map[string][]string {
	v["metric"] = []string{metric}
	return v
}

// costsOf sets o.Costs: coverage, time and cost of the run and of the baseline, if any.
func (s *Site) costsOf(ctx context.Context, p *store.Pages, o *overview, pr *pair, v *runView) error {
	var old *runRow
	if pr.from != nil && pr.from.Run.ID != "" {
		rows, err := s.runRows(ctx, p, []store.Run{pr.from.Run})
		if err != nil {
			return err
		}
		old = &rows[0]
	}
	to := &v.Row
	number := func(name, to string, n, before *int64) {
		row := costRow{Name: name, Before: dash, Now: count(n), Change: dash, Address: to}
		if old != nil {
			if row.Before = count(before); n != nil && before != nil {
				row.Change = minus(count(*n - *before))
				if *n > *before {
					row.Change = "+" + row.Change
				}
			}
		}
		o.Costs = append(o.Costs, row)
	}
	unanswered := func(r *runRow) *int64 {
		if r == nil || r.Share == nil {
			return nil
		}
		return &r.Unanswered
	}
	cases := func(r *runRow) *int64 {
		if r == nil || r.Cases == 0 {
			return nil
		}
		return &r.Cases
	}
	var failed, tokens *int64
	if old != nil {
		failed, tokens = old.Failed, old.Tokens
	}
	number("Questions scored", casesAddress(store.State{RunID: to.Run.RunID, Mode: store.All}), cases(to), cases(old))
	number("Questions without an answer", "", unanswered(to), unanswered(old))
	number("Scores that failed", to.Errors, to.Failed, failed)
	took := func(r *runRow) *float64 {
		if r == nil {
			return nil
		}
		return r.Duration
	}
	o.Costs = append(o.Costs, spanRow("Time to score", took(to), took(old)))
	number("Tokens of judges", costAddress(to.Run.RunID), to.Tokens, tokens)
	if money := (costRow{Name: "Cost of judges", Before: dash, Now: orDash(to.Cost), Change: dash}); to.Cost != "" ||
		old != nil && old.Cost != "" {
		if old != nil {
			money.Before = orDash(old.Cost)
		}
		o.Costs = append(o.Costs, money)
	}
	return nil
}

func orDash(text string) string {
	if text == "" {
		return dash
	}
	return text
}

// spanRow formats a duration in the run and in the baseline, and their ratio.
func spanRow(name string, now, before *float64) costRow {
	row := costRow{Name: name, Before: took(before), Now: took(now), Change: dash}
	if now != nil && before != nil && *before > 0 {
		row.Change = fmt.Sprintf("× %.1f", *now / *before)
	}
	return row
}

// stripBatches is the maximum number of batches in strips, the grid and charts.
const stripBatches = 60

// series selects the last batches of an agent and a metric; last 0 selects all.
type series struct {
	agent, metric string
	last          int
}

// nightsOf returns the batches of a series, the oldest first, with their shares of right answers. Batches without a
// known run are omitted.
func (s *Site) nightsOf(ctx context.Context, p *store.Pages, t *timeline, of series) ([]night, error) {
	var out []night
	var runs []store.Run
	for _, m := range t.ofAgent(of.agent) {
		if m.Run.ID != "" {
			out = append(out, night{moment: m, Name: t.name(&m), Address: runAddress(m.Run.RunID)})
			runs = append(runs, m.Run)
		}
	}
	if from := len(out) - of.last; of.last > 0 && from > 0 {
		out, runs = out[from:], runs[from:]
	}
	figures, err := p.FiguresOf(ctx, runs, func(*store.Run) string { return of.metric })
	if err != nil {
		return nil, err
	}
	verdicts := s.givesVerdicts(of.metric)
	for _, f := range figures {
		verdicts = verdicts || f.Judged > 0
	}
	sizes := make([]int64, len(out))
	for i := range out {
		n := &out[i]
		f, there := figures[store.RunMetric{RunID: n.Run.RunID, Metric: of.metric}]
		if !there {
			continue
		}
		sizes[i] = f.Scores
		n.Right, n.Asked, n.Missing = int(f.Passed), int(f.Judged+f.Unanswered), int(f.Unanswered)
		if n.Asked > 0 && verdicts {
			share := float64(n.Right) / float64(n.Asked)
			n.Share = &share
		}
	}
	for i := range out {
		around := slices.Clone(sizes[max(0, i-3):min(len(sizes), i+4)])
		slices.Sort(around)
		n := &out[i]
		n.Fewer = int(max(0, around[len(around)/2]-sizes[i]))
		n.Part = n.Fewer > 0 || 20*n.Missing > n.Asked
	}
	return out, nil
}
