package site

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// reasonsView counts the wrong answers of a run by the group of their strongest reason, each answer once.
type reasonsView struct {
	Kick, Headline, Lead string
	Ways                 []modeLink // links to all wrong answers and to those that broke
	Tiers                []string
	Rows                 []groupRow // one for each group of reasons
	Versions             []string   // latest versions of the agent, the oldest first
	ByVersion            []versionRow
	Answers              []answersOfReason
	Metric               string
}

// groupRow counts the wrong answers of a group of reasons, by difficulty of the question.
type groupRow struct {
	Name   string
	N      counted
	New    int64 // how many of them were right in the baseline
	HasNew bool
	Cells  []heatCell
	Labels string
}

// heatCell is a number of wrong answers, shaded by its share of the Of answers.
type heatCell struct {
	N     counted
	Of    int64
	Class string
}

// versionRow counts the wrong answers of a group of reasons in each version.
type versionRow struct {
	Name  string
	Cells []heatCell
}

// answersOfReason holds the first wrong answers of a group of reasons.
type answersOfReason struct {
	Name string
	N    int64
	All  string
	Rows []changeLine
	Open bool
}

const (
	answersShown  = 20 // answers of a group
	versionsShown = 5
)

// shade returns the CSS class of a heat cell for the share n/of: t0 if n is 0, then t1 to t4, with limits at 8, 16 and
// 28 %.
func shade(n, of int64) string {
	share := float64(n) / float64(max(of, 1))
	switch {
	case n == 0:
		return "t0"
	case share < .08:
		return "t1"
	case share < .16:
		return "t2"
	case share < .28:
		return "t3"
	}
	return "t4"
}

// reasonsOf counts the reasons of wrong answers of a run; if newly, only of answers that were right in the baseline, if
// any. It returns nil if the run has no wrong answer or if reasons are masked; right reports that all answers with a
// verdict are right, and there is one.
func (s *Site) reasonsOf(ctx context.Context, p *store.Pages, run scoring.RunID,
	newly bool) (v *reasonsView, right bool, err error) {
	if !s.mask.Filters("relation") {
		return nil, false, nil // reasons may quote masked values
	}
	pr, err := s.pairOf(ctx, run, scoring.RunID{})
	if err != nil {
		return nil, false, err
	}
	every, err := p.List(ctx, pr.listState(store.All))
	if err != nil {
		return nil, false, err
	}
	counts, err := countsOf(ctx, every)
	if err != nil {
		return nil, false, err
	}
	compared := pr.from != nil && !nothingCompared(counts)
	mode := store.Failed
	if newly && compared {
		mode = store.Broke
	}
	v = &reasonsView{
		Metric: every.State.Metric,
		Kick:   "What goes wrong: " + agentName(run.Agent, run.Version) + ", " + pr.t.name(pr.to),
	}
	tiers, _, err := every.Slices(ctx, "tier", partsAll)
	if err != nil {
		return nil, false, err
	}
	slices.SortStableFunc(tiers, func(a, b store.Slice) int { return tierPlace(a.Part) - tierPlace(b.Part) })
	tiers = slices.DeleteFunc(tiers, func(t store.Slice) bool { return t.Judged+t.Unanswered == 0 })
	wrong, of := int64(0), int64(0)
	for i := range tiers {
		v.Tiers = append(v.Tiers, tierName(tiers[i].Part))
		wrong, of = wrong+tiers[i].Judged-tiers[i].Passed+tiers[i].Unanswered, of+tiers[i].Judged+tiers[i].Unanswered
	}
	if wrong == 0 {
		return nil, of > 0, nil
	}
	state := pr.changesState(mode)
	list, err := p.List(ctx, state)
	if err != nil {
		return nil, false, err
	}
	groups, _, err := list.Slices(ctx, "group", partsAll)
	if err != nil {
		return nil, false, err
	}
	labels, _, err := list.Slices(ctx, "relation", partsAll)
	if err != nil {
		return nil, false, err
	}
	broke, nBroke := map[string]int64{}, int64(0)
	if compared {
		b, err := p.List(ctx, pr.changesState(store.Broke))
		if err != nil {
			return nil, false, err
		}
		parts, _, err := b.Slices(ctx, "group", partsAll)
		if err != nil {
			return nil, false, err
		}
		for _, part := range parts {
			broke[part.Part] = part.Scores
			nBroke += part.Scores
		}
	}
	for _, g := range groups {
		at := state.With(ofGroup(g.Part))
		row := groupRow{
			Name:   groupName(g.Part),
			N:      counted{int(g.Scores), casesAddress(at)},
			New:    broke[g.Part],
			HasNew: compared,
			Labels: labelsOf(labels, g.Part),
		}
		l, err := p.List(ctx, at)
		if err != nil {
			return nil, false, err
		}
		parts, _, err := l.Slices(ctx, "tier", partsAll)
		if err != nil {
			return nil, false, err
		}
		for i := range tiers {
			n := int64(0)
			for _, part := range parts {
				if part.Part == tiers[i].Part {
					n = part.Scores
				}
			}
			cell := heatCell{Of: tiers[i].Judged + tiers[i].Unanswered}
			cell.Class = shade(n, cell.Of)
			ofTier := store.ListFilter{Column: "tier", Op: store.Equal, Value: tiers[i].Part}
			cell.N = counted{int(n), casesAddress(at.With(ofTier))}
			row.Cells = append(row.Cells, cell)
		}
		v.Rows = append(v.Rows, row)
	}
	v.say(pr, mode, wrong, of)
	if compared {
		from, _ := pr.names()
		v.Ways = []modeLink{
			{"All wrong", wrong, failuresAddress(run), mode == store.Failed},
			{"New since " + from, nBroke, failuresAddress(run) + "&new=1", mode == store.Broke},
		}
	}
	if err := s.reasonsByVersion(ctx, p, v, pr, groups); err != nil {
		return nil, false, err
	}
	return v, false, s.answersOf(ctx, p, v, state, groups)
}

// say sets v.Headline, wrong of of answers and the two most frequent reasons, and v.Lead.
func (v *reasonsView) say(pr *pair, mode store.Mode, wrong, of int64) {
	v.Headline = fmt.Sprintf("%s of %s %s wrong.", count(wrong), things(of, "answer"),
		printable.Verb(int(wrong), "is", "are"))
	named := slices.DeleteFunc(slices.Clone(v.Rows), func(r groupRow) bool { return r.Name == groupName("") })
	slices.SortStableFunc(named, func(a, b groupRow) int { return cmp.Compare(b.N.N, a.N.N) })
	var most []string
	for i := range named[:min(2, len(named))] {
		most = append(most, named[i].Name+": "+count(named[i].N.N))
	}
	if most != nil {
		v.Headline += " " + strings.Join(most, ", ") + "."
	}
	v.Lead = "Wrong answers only, each once, under its strongest proven reason. Right ones are not counted here, " +
		"even if they are rounded or written otherwise."
	if mode == store.Broke {
		from, _ := pr.names()
		v.Lead = "Only answers that were right " + on(from) + ", each once, under its strongest proven reason."
	}
}

// reasonsByVersion sets v.Versions and v.ByVersion from the latest batch of each of the latest versions, or the
// baseline if it is of that version. Each column has the groups of all its wrong answers. It leaves both empty if the
// agent has one version only.
func (s *Site) reasonsByVersion(
	ctx context.Context,
	p *store.Pages,
	v *reasonsView,
	pr *pair,
	groups []store.Slice,
) error {
	var latest []moment
	of := pr.t.ofAgent(pr.to.Of.Agent)
	for i := len(of) - 1; i >= 0 && len(latest) < versionsShown; i-- {
		m := of[i]
		if m.Of.By == pr.to.Of.By {
			m.Run.RunID = pr.to.Run.RunID
		}
		if from := pr.from; from != nil && from.Run.ID != "" && from.Of.Version == m.Of.Version &&
			from.Of.Version != pr.to.Of.Version {
			m = *from
		}
		if m.Run.ID != "" && !slices.ContainsFunc(latest, func(l moment) bool { return l.Of.Version == m.Of.Version }) {
			latest = append(latest, m)
		}
	}
	if len(latest) < 2 {
		return nil
	}
	slices.Reverse(latest)
	type column struct {
		state store.State
		parts []store.Slice
		of    int64
	}
	var columns []column
	var names []string // of all groups
	add := func(parts []store.Slice) {
		for _, part := range parts {
			if !slices.Contains(names, part.Part) {
				names = append(names, part.Part)
			}
		}
	}
	add(groups)
	for i := range latest {
		m := &latest[i]
		state := store.State{RunID: m.Run.RunID, Mode: store.Failed, Metric: pr.metric}
		list, err := p.List(ctx, state)
		if err != nil {
			continue // the version has no such scores
		}
		parts, _, err := list.Slices(ctx, "group", partsAll)
		if err != nil {
			return err
		}
		figures, err := p.FiguresOf(ctx, []store.Run{m.Run}, func(*store.Run) string { return list.State.Metric })
		if err != nil {
			return err
		}
		f := figures[store.RunMetric{RunID: m.Run.RunID, Metric: list.State.Metric}]
		add(parts)
		columns = append(columns, column{state, parts, f.Judged + f.Unanswered})
		name := cmp.Or(m.Of.Version, pr.t.name(m))
		if n := pr.t.name(m); n != name {
			name += ", " + n
		}
		v.Versions = append(v.Versions, name)
	}
	total := versionRow{Name: "All wrong"}
	for _, c := range columns {
		n := int64(0)
		for _, part := range c.parts {
			n += part.Scores
		}
		total.Cells = append(total.Cells, heatCell{N: counted{int(n), casesAddress(c.state)}, Of: c.of, Class: "t0"})
	}
	for _, name := range names {
		row := versionRow{Name: groupName(name)}
		for _, c := range columns {
			n := int64(0)
			if at := slices.IndexFunc(c.parts, func(part store.Slice) bool { return part.Part == name }); at >= 0 {
				n = c.parts[at].Scores
			}
			cell := heatCell{N: counted{int(n), casesAddress(c.state.With(ofGroup(name)))}, Of: c.of, Class: shade(n, c.of)}
			row.Cells = append(row.Cells, cell)
		}
		v.ByVersion = append(v.ByVersion, row)
	}
	v.ByVersion = append(v.ByVersion, total)
	return nil
}

// answersOf sets v.Answers to the first wrong answers of each group. It reads the rows of all groups in one call.
func (s *Site) answersOf(
	ctx context.Context,
	p *store.Pages,
	v *reasonsView,
	state store.State,
	groups []store.Slice,
) error {
	list, err := p.List(ctx, state)
	if err != nil {
		return err
	}
	parts, err := list.FirstOfEach(ctx, "group", answersShown)
	if err != nil {
		return err
	}
	firsts := map[string][]string{}
	for _, part := range parts {
		firsts[part.Part] = part.IDs
	}
	var all []string
	for i, g := range groups {
		at, ids := state.With(ofGroup(g.Part)), firsts[g.Part]
		of := answersOfReason{Name: groupName(g.Part), N: g.Scores, All: casesAddress(at), Open: i == 0}
		for _, id := range ids {
			of.Rows = append(of.Rows, changeLine{ID: id, Address: caseAddress(at, id)})
		}
		all = append(all, ids...)
		v.Answers = append(v.Answers, of)
	}
	rows, err := list.Rows(ctx, all, []string{list.State.Metric, "relation", "sql_complexity"})
	if err != nil {
		return err
	}
	whys, err := s.whysOf(ctx, list, rows)
	if err != nil {
		return err
	}
	byID := map[string]*store.CaseRow{}
	for i := range rows {
		s.withholdRow(&rows[i])
		byID[rows[i].ID] = &rows[i]
	}
	for i := range v.Answers {
		for k := range v.Answers[i].Rows {
			line := &v.Answers[i].Rows[k]
			row := byID[line.ID]
			line.Question, line.Why = row.Question, whys[line.ID]
			line.Tier = tierName(row.Scores["sql_complexity"].Label)
		}
	}
	return nil
}
