package site

import (
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The page lists the cases of two runs side by side in one metric, the largest regressions first.
var _ = register(&page{name: "pairs", pattern: "GET /compare/cases", role: identity.Read, show: (*Site).pairs})

// pairs selects the cases of a comparison of two runs in one metric.
type pairs struct {
	From, To scoring.RunID
	Metric   string
	// Cell is WAS.IS, two standings; WAS.IS.reason, if the reasons differ, too; status, if the statuses differ; or
	// fixed or broken, among comparable cases. "" selects all cases.
	Cell    string
	Sign    string // worse or better: direction in which the value changed; "": any
	Least   string // minimum absolute change of the value
	Changed string // answer: the query or its result changed; score: only the score did
	Page    int    // from 1
}

const pairsPerPage = 50

func parsePairs(v url.Values) (p pairs, err error) {
	s, err := parseSides(v)
	if err != nil {
		return p, err
	}
	if s.Itself {
		return p, errcode.New(errcode.InvalidArgument, "to: the run is the baseline itself, expected another run")
	}
	if s.From.ID == "" || len(s.To) != 1 || s.Metric == "" {
		return p, errcode.New(errcode.InvalidArgument,
			"the address names no pair of runs and metric: expected from, to and metric")
	}
	p = pairs{From: s.From, To: s.To[0], Metric: s.Metric, Cell: v.Get("cell"), Sign: v.Get("sign"), Least: v.Get("least"),
		Changed: v.Get("changed")}
	p.Page, err = pageNumber(v)
	return p, err
}

// pairsAddress returns the address of the list of cases that p selects.
func pairsAddress(p pairs) string {
	v := sides{From: p.From, To: []scoring.RunID{p.To}, Metric: p.Metric}.values()
	for _, f := range []struct{ key, value string }{{"cell", p.Cell}, {"sign", p.Sign}, {"least", p.Least},
		{"changed", p.Changed}} {
		if f.value != "" {
			v.Set(f.key, f.value)
		}
	}
	if p.Page > 1 {
		v.Set("page", strconv.Itoa(p.Page))
	}
	return address("/compare/cases", v)
}

// filter returns the filter for the warehouse, or an error for an invalid value in p. lower reports that lower values
// of the metric are better.
func (p *pairs) filter(lower bool) (f store.PairFilter, err error) {
	f = store.PairFilter{LowerIsBetter: lower, Limit: pairsPerPage, Offset: (p.Page - 1) * pairsPerPage}
	wrong := func(key, value, expected string) error {
		return errcode.New(errcode.InvalidArgument, "%s: %.60q, expected %s", key, value, expected)
	}
	answered := []string{analysis.StandFailed.String()}
	if !lower { // a missing answer counts as 0, which is the best where less is better
		answered = append(answered, analysis.StandUnanswered.String())
	}
	switch p.Cell {
	case "":
	case "status":
		f.Status = true
	case "broken":
		f.Comparable, f.Was, f.Is = true, []string{analysis.StandPassed.String()}, answered
	case "fixed":
		f.Comparable, f.Was, f.Is = true, answered, []string{analysis.StandPassed.String()}
	default:
		parts := strings.Split(p.Cell, ".")
		if len(parts) == 3 && parts[2] == "reason" {
			f.Reasons, parts = true, parts[:2]
		}
		if len(parts) != 2 {
			return f, wrong("cell", p.Cell, "two standings, such as passed.failed")
		}
		for _, name := range parts {
			if _, ok := analysis.StandingNamed(name); !ok {
				return f, wrong("cell", p.Cell, "two standings, such as passed.failed")
			}
		}
		f.Was, f.Is = parts[:1], parts[1:]
	}
	switch p.Sign {
	case "":
	case "worse":
		f.Worse = true
	case "better":
		f.Better = true
	default:
		return f, wrong("sign", p.Sign, "worse or better")
	}
	if p.Least != "" {
		least, err := strconv.ParseFloat(p.Least, 64)
		if err != nil || !(least >= 0) || math.IsInf(least, 0) {
			return f, wrong("least", p.Least, "a number of 0 or more")
		}
		f.Least = &least
	}
	switch p.Changed {
	case "":
	case "answer":
		f.Answers = true
	case "score":
		f.Scores = true
	default:
		return f, wrong("changed", p.Changed, "answer or score")
	}
	return f, nil
}

type pairsContent struct {
	pairs
	FromLine, ToLine runLine
	FromValue        string // value of the form's field
	ToValue          string
	Compare          string // address of the comparison of both runs
	All              int
	Cases            []casePair
	First, Last      int
	Previous, Next   string
	Cells            []option
}

// option is a choice in a form's list.
type option struct {
	Value, Text string
	Chosen      bool
}

// casePair is a case with its scores in both runs.
type casePair struct {
	ID       string
	Address  string
	From, To halfCell
	Change   string
	Class    string
}

type halfCell struct {
	Standing string
	Value    string
	Label    string
	Reason   string
	Repeats  *repeats
}

// repeats counts a version's answers to one question in all of its batches.
type repeats struct {
	Answers  int
	Distinct int
	Counts   []string // how often each distinct answer was given, the most frequent first
}

func (s *Site) pairs(r *http.Request) (content, error) {
	p, err := parsePairs(r.URL.Query())
	if err != nil {
		return content{}, err
	}
	at := slices.IndexFunc(s.o.Metrics, func(m scoring.Metric) bool { return m.Name == p.Metric })
	lower := at >= 0 && s.o.Metrics[at].LowerIsBetter
	f, err := p.filter(lower)
	if err != nil {
		return content{}, err
	}
	ctx, w := r.Context(), s.o.Warehouse
	from, to := sideOf(p.From).Latest(p.Metric), sideOf(p.To).Latest(p.Metric)
	list, all, err := w.CasePairs(ctx, from, to, f)
	if err != nil {
		return content{}, err
	}
	recent, err := s.recentRuns(ctx)
	if err != nil {
		return content{}, err
	}
	page := &pairsContent{
		pairs: p, FromLine: s.line(recent, p.From), ToLine: s.line(recent, p.To), FromValue: store.RunValues(p.From).Encode(),
		ToValue: store.RunValues(p.To).Encode(), All: all,
		Compare: compareAddress(sides{From: p.From, To: []scoring.RunID{p.To}, Metric: p.Metric}), Cells: cellChoices(p.Cell),
	}
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].CaseID
	}
	var repeated [2]map[string]*repeats
	for i, run := range []scoring.RunID{p.From, p.To} {
		answers, err := w.AnsweredBy(ctx, run.Agent, run.Version, ids)
		if err != nil {
			return content{}, err
		}
		repeated[i] = repeatsOf(answers)
	}
	for i := range list {
		s.withholdPair(p.Metric, &list[i])
		page.Cases = append(page.Cases, p.row(&list[i], lower, repeated))
	}
	if len(list) > 0 {
		page.First = (p.Page-1)*pairsPerPage + 1
		page.Last = page.First + len(list) - 1
	}
	page.Previous, page.Next = p.adjacent(all)
	return content{Title: "Cases of " + p.Metric + " in two runs", Run: &p.To, Page: page}, nil
}

// adjacent returns the addresses of the previous and next page of all cases, or "" at either end.
func (p pairs) adjacent(all int) (previous, next string) {
	at := p.Page
	if p.Page = at - 1; p.Page > 0 {
		previous = pairsAddress(p)
	}
	if p.Page = at + 1; at*pairsPerPage < all {
		next = pairsAddress(p)
	}
	return previous, next
}

func (p *pairs) row(c *store.CasePair, lower bool, repeated [2]map[string]*repeats) casePair {
	half := func(stands string, value *float64, label, reason string, r *repeats) halfCell {
		standing, _ := analysis.StandingNamed(stands)
		return halfCell{standingNames[standing], figure(value), label, reason, r}
	}
	out := casePair{
		ID: c.CaseID, Address: caseAddress(store.State{RunID: p.To, Baseline: p.From, Mode: store.All}, c.CaseID),
		From: half(c.FromStands, c.FromValue, c.FromLabel, c.FromReason, repeated[0][c.CaseID]),
		To:   half(c.ToStands, c.ToValue, c.ToLabel, c.ToReason, repeated[1][c.CaseID]), Change: dash,
	}
	if c.FromValue != nil && c.ToValue != nil {
		d := *c.ToValue - *c.FromValue
		out.Change = report.Signed(d)
		switch {
		case d != 0 && d < 0 != lower:
			out.Class = "worse"
		case d != 0:
			out.Class = "better"
		}
	}
	return out
}

// repeatsOf returns the counts of answers by case ID, for the questions that were answered more than once.
func repeatsOf(answers []store.GivenAnswer) map[string]*repeats {
	out := map[string]*repeats{}
	for _, a := range answers {
		r := out[a.CaseID]
		if r == nil {
			r = &repeats{}
			out[a.CaseID] = r
		}
		r.Answers += a.Times
		r.Distinct++
		r.Counts = append(r.Counts, strconv.Itoa(a.Times)+" ×")
	}
	for id, r := range out {
		if r.Answers < 2 {
			delete(out, id)
		}
	}
	return out
}

// cellChoices returns the choices of Cell that the form offers. It appends the chosen one if it is not among them.
func cellChoices(chosen string) []option {
	out := []option{
		{"", "any", false}, {"passed.failed", "passed → failed", false}, {"failed.passed", "failed → passed", false},
		{"failed.failed.reason", "failed → failed, for another reason", false},
		{"status", "status changed otherwise", false}, {"broken", "broke, missing answers included", false},
		{"fixed", "fixed, missing answers included", false},
	}
	at := slices.IndexFunc(out, func(c option) bool { return c.Value == chosen })
	if at < 0 {
		was, is, _ := strings.Cut(chosen, ".")
		from, _ := analysis.StandingNamed(was)
		to, _ := analysis.StandingNamed(is)
		out, at = append(out, option{Value: chosen, Text: standingNames[from] + " → " + standingNames[to]}), len(out)
	}
	out[at].Chosen = true
	return out
}
