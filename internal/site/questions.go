package site

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The page shows a grid of the verdicts of questions (rows) in batches (columns).
var _ = register(&page{
	name: "questions", pattern: "GET /questions", nav: "Questions", place: 40, ofRun: true,
	inReport: (*staticPlan).one, role: identity.Read, show: (*Site).questions,
})

// gridRows is the maximum number of questions in the grid.
const gridRows = 200

// linkedNights is the number of latest nights whose cells lead to the answers.
const linkedNights = 15

// questionsView is the content of the page with the grid.
type questionsView struct {
	Kick, Headline, Lead string
	Versions             []gridHead
	Months               []gridHead
	Days                 []gridDay
	Parts                []gridPart
	Columns              int
	Left                 int64 // number of questions that are not shown
	All                  string
	Name                 string // display name of the newest batch
	Empty                bool

	nights []night
	counts map[store.Mode]int64
}

// gridHead is a heading that spans several columns.
type gridHead struct {
	Text string
	Span int
}

// gridDay is the heading of a column: the day of the month for Mondays, the last batch, or all of at most 14 dated
// batches; else "".
type gridDay struct{ Text string }

// gridPart is a group of questions with the same outcome in the newest batch, such as broke.
type gridPart struct {
	Name string
	N    int64
	Ring bool
	Rows []gridRow
}

type gridRow struct {
	ID, Address, Question string
	Cells                 []gridCell
	Sum                   string
}

// gridCell is the verdict on a question in a batch: its CSS class and sign.
type gridCell struct{ Class, Sign, Title, Address string }

func (s *Site) questions(r *http.Request) (content, error) {
	ctx := r.Context()
	run := store.ParseRun(r.URL.Query())
	if run.ID == "" {
		return content{}, errcode.New(
			errcode.InvalidArgument,
			"run: missing, expected the run whose questions are shown",
		)
	}
	p, err := s.reader(ctx)
	if err != nil {
		return content{}, err
	}
	pr, err := s.pairOf(ctx, run, store.ParseBaseline(r.URL.Query()))
	if err != nil {
		return content{}, err
	}
	list, err := p.List(ctx, pr.listState(store.All))
	if err != nil {
		return content{}, err
	}
	counts, err := countsOf(ctx, list)
	if err != nil {
		return content{}, err
	}
	nights, err := s.nightsOf(ctx, p, pr.t, series{agent: run.Agent, metric: list.State.Metric})
	if err != nil {
		return content{}, err
	}
	if at := slices.IndexFunc(nights, func(n night) bool { return n.Of.By == run.By }); at >= 0 {
		nights[at].Run.RunID = run
		nights = nights[max(0, at+1-stripBatches) : at+1]
	}
	v := &questionsView{
		nights: nights,
		counts: counts,
		Kick:   "Every question, every " + pr.t.noun(run.Agent),
		Name:   pr.t.name(pr.to),
		All:    casesAddress(store.State{RunID: run, Mode: store.All}),
	}
	if err := s.gridParts(ctx, p, v, pr, list); err != nil {
		return content{}, err
	}
	v.heads()
	v.say(pr)
	return content{Title: v.Headline[:len(v.Headline)-1], Run: &run, Page: v}, nil
}

// say sets the headline, about broken questions, and the sentence below it.
func (v *questionsView) say(pr *pair) {
	nights, counts := v.nights, v.counts
	broke := counts[store.Broke]
	noun := pr.t.noun(pr.to.Of.Agent)
	switch {
	case pr.from == nil:
		v.Headline = things(counts[store.All], "question") + " in the first " + noun + "."
	case nothingCompared(counts):
		from, _ := pr.names()
		v.Headline = "No question can be compared with " + from + "."
	case broke == 0:
		v.Headline = "No question broke."
	default:
		from, to := pr.names()
		v.Headline = fmt.Sprintf("%s that %s right %s broke %s.", things(broke, "question"),
			printable.Verb(int(broke), "was", "were"), on(from), on(to))
	}
	v.Lead = fmt.Sprintf(
		"%s by %s. Rows are grouped by what happened in the last %s, so that a column of rings is one event "+
			"and a speckled row is an unsteady question.",
		things(counts[store.All], "question"),
		things(len(nights), noun),
		noun,
	)
}

// gridParts sets the questions of the grid, at most gridRows: broken, fixed, still wrong, unsteady, then others.
func (s *Site) gridParts(ctx context.Context, p *store.Pages, v *questionsView, pr *pair, list *store.List) error {
	nights, counts := v.nights, v.counts
	room := gridRows
	shown := map[string]bool{}
	var ids []string
	take := func(name string, ring bool, of []string, all func(taken int) int64) {
		of = slices.DeleteFunc(of, func(id string) bool { return shown[id] })
		of = of[:min(len(of), room)]
		if room -= len(of); len(of) == 0 {
			return
		}
		part := gridPart{Name: name, N: all(len(of)), Ring: ring}
		for _, id := range of {
			shown[id] = true
			part.Rows = append(part.Rows, gridRow{ID: id})
		}
		ids = append(ids, of...)
		v.Parts = append(v.Parts, part)
	}
	firsts := func(mode store.Mode) ([]string, error) {
		state := pr.listState(mode)
		if ofChanges(mode) {
			state.Sort.Column = "group"
		}
		of, _, err := firstIDs(ctx, p, state, gridRows)
		return slices.Clone(of), err // take removes elements
	}
	modes := []struct {
		mode store.Mode
		name string
	}{{store.Broke, "Broke " + on(v.Name)}, {store.Fixed, "Fixed"}, {store.StillWrong, "Still wrong"}}
	if pr.from == nil {
		modes = modes[:0]
	}
	for _, m := range modes {
		of, err := firsts(m.mode)
		if err != nil {
			return err
		}
		take(m.name, m.mode == store.Broke, of, func(int) int64 { return counts[m.mode] })
		if m.mode != store.Broke {
			continue
		}
		held, err := s.heldOf(ctx, p, pr, list)
		if err != nil {
			return err
		}
		if held.Newly == 0 {
			continue
		}
		state := heldBack(pr.to.Run.RunID, pr.from.Run.RunID, store.Broke, list.State.Metric)
		if of, _, err = firstIDs(ctx, p, state, gridRows); err != nil {
			return err
		}
		take("No longer declined or asked back", true, slices.Clone(of), func(int) int64 { return held.Newly })
	}
	runs := make([]scoring.RunID, len(nights))
	for i := range nights {
		runs[i] = nights[i].Run.RunID
	}
	unsteady, err := s.o.Warehouse.Unsteady(ctx, runs, list.State.Metric, 2*gridRows)
	if err != nil {
		return err
	}
	others := "Right now, wrong on other " + printable.Noun(2, pr.t.noun(pr.to.Of.Agent))
	take(others, false, unsteady, func(taken int) int64 { return int64(taken) })
	rest, err := firsts(store.All)
	if err != nil {
		return err
	}
	above := int64(len(ids))
	others = "All others"
	if pr.from != nil { // the groups above are of comparable answers to questions that have a result
		others += ": the same verdict as before, no comparable answer, or a question that the agent declined or asked back on"
	}
	take(others, false, rest, func(int) int64 { return counts[store.All] - above })
	v.Left, v.Empty = counts[store.All]-int64(len(ids)), len(ids) == 0
	return s.gridCells(ctx, v, pr, list, ids)
}

// gridCells sets the verdicts in all batches, the texts and the links of the questions ids, which are the rows of
// v.Parts.
func (s *Site) gridCells(ctx context.Context, v *questionsView, pr *pair, list *store.List, ids []string) error {
	nights, counts := v.nights, v.counts
	of, err := s.standsOf(ctx, pr, nights, list.State.Metric, ids)
	if err != nil {
		return err
	}
	rows, err := list.Rows(ctx, ids, nil)
	if err != nil {
		return err
	}
	texts := map[string]string{}
	for i := range rows {
		s.withholdRow(&rows[i])
		texts[rows[i].ID] = rows[i].Question
	}
	for k := range v.Parts {
		part := &v.Parts[k]
		for i := range part.Rows {
			row := &part.Rows[i]
			row.Question, row.Address = texts[row.ID], caseAddress(pr.listState(store.All), row.ID)
			if part.Ring && k == 0 && counts[store.Broke] > 0 {
				row.Address = caseAddress(pr.changesState(store.Broke), row.ID)
			}
			right, asked := 0, 0
			for n := range nights {
				word, cell := of.word(nights[n].Run.RunID, row.ID), gridCell{Class: "u"}
				switch word.Class {
				case "right":
					cell.Class = "r"
					right, asked = right+1, asked+1
				case "wrong":
					cell.Class, cell.Sign = "w", "×"
					asked++
				case "doubt":
					cell.Sign = "?"
				default:
					cell.Sign = "–"
				}
				if n >= len(nights)-linkedNights && heldIn(ctx) == nil && of[nights[n].Run.RunID][row.ID] != "" {
					cell.Title = nights[n].Name + ": " + cmp.Or(word.Text, "no verdict")
					cell.Address = caseAddress(store.State{RunID: nights[n].Run.RunID, Mode: store.All}, row.ID)
				}
				if n == len(nights)-1 && part.Ring {
					cell.Class += " broken"
				}
				if n > 0 && nights[n].Of.Version != nights[n-1].Of.Version {
					cell.Class += " first"
				}
				row.Cells = append(row.Cells, cell)
			}
			row.Sum = dash
			if asked > 0 {
				row.Sum = strconv.Itoa(right) + "/" + strconv.Itoa(asked)
			}
		}
	}
	return nil
}

// heads sets the headings of the columns: versions, months and days.
func (v *questionsView) heads() {
	nights := v.nights
	v.Columns = len(nights) + 2
	add := func(heads []gridHead, text string) []gridHead {
		if n := len(heads); n > 0 && heads[n-1].Text == text {
			heads[n-1].Span++
			return heads
		}
		return append(heads, gridHead{text, 1})
	}
	for i := range nights {
		n := &nights[i]
		v.Versions = add(v.Versions, n.Of.Version)
		month, d := "", ""
		if !n.Of.At.IsZero() {
			month = n.Of.At.UTC().Format("January")
			if at := n.Of.At.UTC(); at.Format("Mon") == "Mon" || i == len(nights)-1 || len(nights) <= 14 {
				d = at.Format("2")
			}
		}
		if month != "" && len(nights) <= 14 {
			month = n.Of.At.UTC().Format("Jan") // a month may be as narrow as a day
		}
		v.Months = add(v.Months, month)
		v.Days = append(v.Days, gridDay{d})
	}
}
