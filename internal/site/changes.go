package site

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/relation"
	"github.com/badger-eval/badger/sql/store"
)

// changesView is the content of the page that compares the verdicts of a run with those of its baseline.
type changesView struct {
	caseList
	Kick     string
	Others   []namedAddress // the baseline, and the comparison with the batch before
	Headline string
	Leads    []string
	Tested   []string // how the change was tested
	From, To string   // display names of the baseline and the run
	Parts    []modeLink
	Batches  string // number of batches that strips show, in words, such as 39 nights; empty without strips
	Groups   []changeGroup
	Tables   string // address of the comparison of all metrics
	Empty    string // why the list is empty
}

// changeGroup is the rows of a page whose answers have a reason of the same group.
type changeGroup struct {
	Name string
	N    int64 // number of cases of the group on all pages
	Rows []changeLine
}

// changeLine is a question with its verdicts in the baseline and the run, the reason why its answer is wrong, and its
// verdicts in other batches.
type changeLine struct {
	ID, Address, Question string
	Was, Is               verdictWord
	Why                   relation.Sentence
	Tier                  string
	People                string // the human verdict, if it contradicts the metric's
	Strip                 *strip
}

// changes returns the page that compares run to with one baseline: asked, or the default one if asked has no ID.
func (s *Site) changes(r *http.Request, page *compareContent, to scoring.RunID, asked scoring.RunID) (content, error) {
	ctx := r.Context()
	query := r.URL.Query()
	if query.Get("mode") == "" {
		query.Set("mode", string(store.Broke))
	}
	if query.Get("sort") == "" && s.mask.Filters("relation") {
		query.Set("sort", "group")
	}
	v := &changesView{}
	state, err := s.searchedList(query, &v.caseList)
	if err != nil {
		return content{}, err
	}
	pr, err := s.pairOf(ctx, to, asked)
	if err != nil {
		return content{}, err
	}
	out := content{Title: "Changes", Run: &to, Page: page, Status: v.Code}
	if pr.from == nil {
		page.Hint = "This is the first " + pr.t.noun(to.Agent) + " of this agent. Choose a baseline."
		return out, nil
	}
	state.RunID, state.Baseline = to, pr.from.Run.RunID
	pr.metric = state.Metric
	p, err := s.reader(ctx)
	if err != nil {
		return content{}, err
	}
	list, err := p.List(ctx, state)
	if err != nil {
		return content{}, err
	}
	counts, err := countsOf(ctx, list)
	if err != nil {
		return content{}, err
	}
	v.State, v.Metric, v.Of = state, list.State.Metric, counts[state.Mode]
	if err := s.listedChanges(ctx, p, v, pr, list); err != nil {
		return content{}, err
	}
	all := counts
	if len(state.Filters) > 0 || state.Search != "" {
		bare, err := p.List(ctx, pr.listState(store.All))
		if err != nil {
			return content{}, err
		}
		if all, err = countsOf(ctx, bare); err != nil {
			return content{}, err
		}
	}
	for _, f := range changeParts(pr, counts) {
		if f.N > 0 || alwaysLinked(f.Mode) {
			v.Parts = append(v.Parts, modeLink{upper(f.Text), f.N, casesAddress(state.In(f.Mode)), f.Mode == state.Mode})
		}
	}
	held, err := s.heldOf(ctx, p, pr, list)
	if err != nil {
		return content{}, err
	}
	if held.Newly > 0 {
		at := heldBack(to, state.Baseline, store.Broke, list.State.Metric)
		v.Parts = append(v.Parts, modeLink{"No longer declined or asked back", held.Newly, casesAddress(at), false})
	}
	if err := s.changesHeadline(ctx, v, pr, list, all); err != nil {
		return content{}, err
	}
	v.frame(list, nil)
	v.Tables = compareAddress(sides{From: pr.from.Run.RunID, To: []scoring.RunID{to}, Metrics: []string{"all"}})
	page.Changes = v
	page.choose(pr.from.Run.RunID, to)
	out.Title = strings.TrimSuffix(v.Headline, ".")
	return out, nil
}

// nothingCompared reports whether there are questions with verdicts on both sides and none is comparable.
func nothingCompared(counts map[store.Mode]int64) bool {
	return counts[store.NotCompared] > 0 &&
		counts[store.Broke]+counts[store.Fixed]+counts[store.StillWrong]+counts[store.StillRight] == 0
}

// alwaysLinked reports whether the page of changes links to the list of a mode although it is empty.
func alwaysLinked(mode store.Mode) bool { return mode != store.Added && mode != store.NotCompared }

// changesHeadline sets the headline, with the numbers of broken and fixed answers, and the sentences below it. counts
// are the unfiltered numbers of cases by mode.
func (s *Site) changesHeadline(
	ctx context.Context,
	v *changesView,
	pr *pair,
	list *store.List,
	counts map[store.Mode]int64,
) error {
	v.From, v.To = pr.names()
	v.Kick = agentName(pr.to.Of.Agent, pr.to.Of.Version)
	if name := pr.t.name(pr.to); name != pr.to.Of.Version {
		v.Kick += ", " + pr.t.called(pr.to)
	}
	v.Kick += ". " + pr.why
	subject := pr.to.Of.Version
	if subject == "" || subject == pr.from.Of.Version {
		subject = pr.t.name(pr.to)
	}
	broke, fixed := counts[store.Broke], counts[store.Fixed]
	switch {
	case nothingCompared(counts):
		v.Headline = "Nothing can be compared with " + v.From + "."
	case broke == 0 && fixed == 0:
		v.Headline = "Nothing changed its verdict."
	case broke == 0:
		v.Headline = subject + " fixed " + things(fixed, "answer") + " and broke none."
	default:
		v.Headline = subject + " broke " + things(broke, "answer") + " and fixed " + count(fixed) + "."
	}
	before, now := counts[store.Broke]+counts[store.StillRight], counts[store.Fixed]+counts[store.StillRight]
	if compared := before + counts[store.Fixed] + counts[store.StillWrong]; compared > 0 {
		v.Leads = append(v.Leads, fmt.Sprintf("Of %s that both have, %s were right %s and %s are %s.",
			things(compared, "question"), count(before), on(v.From), count(now), on(v.To)))
	}
	compared, err := s.comparedWith(ctx, pr, list)
	if err != nil {
		return err
	}
	ch := changeIn(compared, list.State.Metric)
	if ch == nil {
		return nil
	}
	if ch.RateP != nil && broke+fixed > 0 {
		chance := inThousand(*ch.RateP, pr.t.noun(pr.to.Of.Agent))
		v.Leads = append(v.Leads, fmt.Sprintf("Chance alone gives so uneven a count %s.", chance))
	}
	v.Leads = append(v.Leads, notCompared(ch)...)
	v.Tested = howTested(&compared.Comparison, list.State.Metric)
	return nil
}

// listedChanges sets v.Groups to the rows of the list's page. They are grouped by reason if the list is sorted by
// group.
func (s *Site) listedChanges(ctx context.Context, p *store.Pages, v *changesView, pr *pair, list *store.List) error {
	rows, err := rowsOfPage(ctx, list, []string{v.Metric, "relation", "sql_complexity", refusalMetric, safetyMetric})
	if err != nil {
		return err
	}
	if v.Left, err = list.Unsearched(ctx); err != nil {
		return err
	}
	v.Masked = !s.mask.None()
	nights, err := s.nightsOf(ctx, p, pr.t, series{pr.to.Of.Agent, v.Metric, stripBatches})
	if err != nil {
		return err
	}
	pr.setLast(nights)
	v.Others = []namedAddress{{"Open " + pr.t.name(pr.from), runAddress(pr.from.Run.RunID)}}
	if last := pr.last; last != nil {
		v.Others = append(v.Others, namedAddress{
			"Compare with the " + pr.t.noun(pr.to.Of.Agent) + " before, " + pr.t.name(&last.moment),
			compareAddress(sides{From: last.Run.RunID, To: []scoring.RunID{pr.to.Run.RunID}}),
		})
	}
	if len(nights) >= leastStrip {
		v.Batches = things(len(nights), pr.t.noun(pr.to.Of.Agent))
	}
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	stands, err := s.standsOf(ctx, pr, nights, v.Metric, ids)
	if err != nil {
		return err
	}
	sizes := map[string]int64{}
	grouped := v.State.Sort.Column == "group"
	if grouped && !list.State.Regexp {
		groups, _, err := list.Slices(ctx, "group", partsAll)
		if err != nil {
			return err
		}
		for _, g := range groups {
			sizes[g.Part] = g.Scores
		}
	}
	whys, err := s.whysOf(ctx, list, rows)
	if err != nil {
		return err
	}
	for i := range rows {
		row := &rows[i]
		s.withholdRow(row)
		line := changeLine{
			ID: row.ID, Address: caseAddress(v.State, row.ID), Question: row.Question,
			Was: stands.word(pr.from.Run.RunID, row.ID), Is: stands.word(pr.to.Run.RunID, row.ID),
			Why: whys[row.ID], Tier: tierName(row.Scores["sql_complexity"].Label), Strip: stripOf(nights, stands, row.ID),
		}
		switch passed := row.Scores[v.Metric].Passed; {
		case row.People == "pass" && (passed == nil || !*passed):
			line.People = "people say right"
		case row.People == "fail" && passed != nil && *passed:
			line.People = "people say wrong"
		}
		label := stands[pr.to.Run.RunID][row.ID]
		_, isHeld := heldWord(label)
		if isHeld {
			line.Why = heldWhy(label, row.Scores[refusalMetric].Reason, row.Scores[safetyMetric].Reason)
		}
		if line.Is == verdictWords["failed"] && ofTies(row.Scores["relation"].Label) {
			line.Is.Text = "wrong by " + v.Metric // with another choice among ties it may be right
		}
		if line.Is.Class == "right" {
			line.Why = nil
		}
		group, name := "", ""
		if grouped && line.Is.Class != "right" && !isHeld {
			group = groupOfLabel()[row.Scores["relation"].Label]
			if line.Is == verdictWords["unanswered"] {
				group = noAnswerGroup
			}
			if line.Is.Class != "none" {
				name = groupName(group)
			}
		}
		if n := len(v.Groups); n == 0 || v.Groups[n-1].Name != name {
			v.Groups = append(v.Groups, changeGroup{Name: name, N: sizes[group]})
		}
		g := &v.Groups[len(v.Groups)-1]
		g.Rows = append(g.Rows, line)
	}
	if len(rows) == 0 {
		v.Empty = "No question is in this list."
		if v.Of > 0 {
			v.Empty = "This page is beyond the end of the list."
		}
	}
	return nil
}

// stands holds the verdict of each question, by run and case ID.
type stands map[scoring.RunID]map[string]string

// word returns the word for the verdict on a case in a run. If the run does not have the case, it was not asked.
func (s stands) word(run scoring.RunID, id string) verdictWord {
	return verdictWords[cmp.Or(s[run][id], "absent")]
}

// standsOf reads the verdicts of metric on the cases ids in the runs of nights and on both sides of pr.
func (s *Site) standsOf(ctx context.Context, pr *pair, nights []night, metric string, ids []string) (stands, error) {
	out := stands{}
	var runs []scoring.RunID
	want := func(run scoring.RunID) {
		if run.ID != "" && out[run] == nil {
			out[run] = map[string]string{}
			runs = append(runs, run)
		}
	}
	for i := range nights {
		want(nights[i].Run.RunID)
	}
	want(pr.to.Run.RunID)
	if pr.from != nil {
		want(pr.from.Run.RunID)
	}
	for v, err := range s.o.Warehouse.Verdicts(ctx, runs, metric, ids) {
		if err != nil {
			return nil, err
		}
		if of := out[v.RunID]; of != nil {
			of[strings.Clone(v.CaseID)] = strings.Clone(v.Stands) // the next row overwrites their memory
		}
	}
	if metric == refusalMetric {
		return out, nil
	}
	return out, s.hold(ctx, pr, out, ids)
}

// strip is a small chart with a tick for each batch: up if the answer was right, down if it was wrong, flat otherwise.
type strip struct {
	Width chart.Pixels
	Title string
	Links bool // ticks lead to answers
	Ticks []stripTick
}

type stripTick struct {
	Class      string
	Tip        string
	Address    string // of the answer; "" without a link
	X, Y, W, H chart.Pixels
}

// leastStrip is the minimum number of nights that are drawn as a strip.
const leastStrip = 3

// stripOf draws the verdicts of case id in the nights. It returns nil if there are fewer than leastStrip nights.
func stripOf(nights []night, of stands, id string) *strip {
	const each = 5.0
	if len(nights) < leastStrip {
		return nil
	}
	width := min(each, 200.0/float64(len(nights)))
	out := &strip{Width: chart.Pixels(width * float64(len(nights)))}
	right, asked := 0, 0
	for i := range nights {
		tick := stripTick{X: chart.Pixels(width * float64(i)), W: chart.Pixels(width * .8), Y: 1, H: 7}
		switch of.word(nights[i].Run.RunID, id).Class {
		case "right":
			tick.Class = "r"
			right++
			asked++
		case "wrong":
			tick.Class, tick.Y = "w", 8
			asked++
		default:
			tick.Class, tick.Y, tick.H = "u", 7.5, 1
		}
		out.Ticks = append(out.Ticks, tick)
	}
	if asked > 0 {
		out.Title = fmt.Sprintf("right in %d of %s", right, things(asked, "batch"))
	} else {
		out.Title = "never asked"
	}
	return out
}

// searchedList reads the state of a list from query. If only the search is wrong, an invalid regular expression, it
// returns the state without the search and sets the error in v.
func (s *Site) searchedList(query map[string][]string, v *caseList) (store.State, error) {
	state, err := s.listOf(query)
	if _, bad := regexp.Compile(state.Search); err == nil || !state.Regexp || bad == nil || !s.mask.None() {
		return state, err
	}
	typed := state.Search
	without := map[string][]string{}
	for key, values := range query {
		if key != "search" && key != "regexp" {
			without[key] = values
		}
	}
	state, other := s.listOf(without)
	if other != nil { // something else is wrong as well
		return state, err
	}
	v.Typed, v.SearchError, v.Code = typed, err.Error(), http.StatusBadRequest
	return state, nil
}

// choose selects from and to in the form's lists of runs.
func (c *compareContent) choose(from, to scoring.RunID) {
	for _, side := range []struct {
		list []runChoice
		run  scoring.RunID
	}{{c.Baselines, from}, {c.Candidates, to}} {
		value := store.RunValues(side.run).Encode()
		for i := range side.list {
			side.list[i].Chosen = side.list[i].Value == value
		}
	}
}
