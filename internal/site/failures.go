package site

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The page counts the labels that metrics give to a run's answers: relations between results, issues of queries,
// categories of FLEX, and other findings of judges. By default it shows the reasons of wrong answers instead.
var _ = register(
	&page{name: "failures", pattern: "GET /failures", nav: "Failures", place: 30, ofRun: true, inPrint: true,
		inReport: (*staticPlan).failures, role: identity.Read, show: (*Site).failures})

// failures adds the page with the reasons of a run's wrong answers and the page with all labels to the static report.
func (l *staticPlan) failures(p *page, of *staticRun) {
	l.one(p, of)
	l.add(p, labelsAddress(of.run), "labels"+of.suffix)
}

type failuresContent struct {
	All     string       // address of the page with all labels; "" on that page
	Reasons *reasonsView // of wrong answers; nil without wrong answers, or if reasons are masked
	Kinds   []failureKind
	None    string // what to do if nothing is found
	Right   bool   // every answer with a verdict is right, and there is one
}

// failureKind holds the labels of one kind from one metric.
type failureKind struct {
	Kind    string
	Title   string
	Metric  string
	Scored  int // number of answers that the metric examined
	Picture *chart.Picture
	Tiers   []string // complexities of the questions, from easy to hard
	Labels  []failureLabel
}

type failureLabel struct {
	Label string
	N     counted
	Share string
	Tiers []tierShare // in the order of failureKind.Tiers
}

// tierShare is the number of answers with a label to questions of one complexity.
type tierShare struct {
	N     counted
	Share string // share of the answers of the complexity that the metric examined
}

// mostInPicture is the maximum number of labels in a chart.
const mostInPicture = 15

func (s *Site) failures(r *http.Request) (content, error) {
	run := store.ParseRun(r.URL.Query())
	if run.ID == "" {
		return content{}, errcode.New(errcode.InvalidArgument, "run: missing, expected the run whose failures are shown")
	}
	page := &failuresContent{All: labelsAddress(run)}
	if r.URL.Query().Get("labels") == "" {
		p, err := s.reader(r.Context())
		if err != nil {
			return content{}, err
		}
		title := "Failures"
		if page.Reasons, page.Right, err = s.reasonsOf(r.Context(), p, run, r.URL.Query().Get("new") != ""); err != nil {
			return content{}, err
		}
		if page.Reasons != nil {
			title = strings.TrimSuffix(page.Reasons.Headline, ".")
		}
		return content{Title: title, Run: &run, Page: page}, nil
	}
	src, err := s.scores()
	if err != nil {
		return content{}, err
	}
	f, err := src.Failures(r.Context(), sideOf(run), analysis.Evident)
	if err != nil {
		return content{}, err
	}
	page.Kinds, page.All = failureKinds(f, run), ""
	for i := range page.Kinds {
		k := &page.Kinds[i]
		bars := chart.Bars{Name: "failures-" + strconv.Itoa(i+1), Title: k.Title, Desc: "How many answers have each label.",
			X: "answers"}
		for _, l := range k.Labels[:min(len(k.Labels), mostInPicture)] {
			n := float64(l.N.N)
			bars.Rows = append(bars.Rows, chart.Bar{Name: l.Label, Value: &n, Text: count(l.N.N) + " · " + l.Share})
		}
		k.Picture = bars.Picture()
	}
	if len(f.Labels) == 0 {
		page.None = "This run has no such labels. They come from the metrics relation, sql_judge_issues, flex, stef and rose: badger run --metrics relation scores the first without a judge."
	}
	return content{Title: "Labels", Run: &run, Page: page}, nil
}

// failureKinds groups the labels of a run by kind and metric.
func failureKinds(f *analysis.Failures, run scoring.RunID) (out []failureKind) {
	for i := range f.Labels {
		l := &f.Labels[i]
		if i == 0 || f.Labels[i-1].Kind != l.Kind || f.Labels[i-1].Metric != l.Metric {
			out = append(out,
				failureKind{Kind: l.Kind, Title: report.KindTitle(l.Kind), Metric: l.Metric, Scored: f.LookedAt[l.Metric]})
		}
		k := &out[len(out)-1]
		state := store.State{RunID: run,
			Mode: store.All}.With(store.ListFilter{Column: "finding", Op: store.Equal, Value: l.Kind + ":" + l.Label})
		k.Labels = append(k.Labels,
			failureLabel{Label: l.Label, N: counted{l.N, casesAddress(state)}, Share: share(float64(l.N) / float64(k.Scored))})
	}
	byTier(f, out, run)
	return out
}

// byTier sets the tiers of each kind and label. It omits kinds whose answers all have an unknown complexity.
func byTier(f *analysis.Failures, kinds []failureKind, run scoring.RunID) {
	looked := map[string]map[string]int{} // answers, by metric and tier
	for i := range f.Labels {
		l := &f.Labels[i]
		if looked[l.Metric] == nil {
			looked[l.Metric] = map[string]int{}
		}
		for _, g := range l.Groups {
			looked[l.Metric][g.Tier] = g.Scored
		}
	}
	at := 0
	for k := range kinds {
		kind := &kinds[k]
		tiers := looked[kind.Metric]
		if len(tiers) == 1 && tiers[analysis.UnknownTier] > 0 {
			at += len(kind.Labels)
			continue
		}
		names := slices.SortedFunc(maps.Keys(tiers), analysis.CompareTiers)
		for _, tier := range names {
			kind.Tiers = append(kind.Tiers, strings.ReplaceAll(tier, "_", " "))
		}
		for i := range kind.Labels {
			l := &f.Labels[at]
			at++
			for _, tier := range names {
				n := 0
				for _, g := range l.Groups {
					if g.Tier == tier {
						n += g.N
					}
				}
				value := tier
				if tier == analysis.UnknownTier {
					value = ""
				}
				state := store.State{RunID: run,
					Mode: store.All}.With(store.ListFilter{Column: "finding", Op: store.Equal, Value: l.Kind + ":" + l.Label}).With(
					store.ListFilter{Column: "tier", Op: store.Equal, Value: value})
				kind.Labels[i].Tiers = append(kind.Labels[i].Tiers,
					tierShare{counted{n, casesAddress(state)}, share(float64(n) / float64(tiers[tier]))})
			}
		}
	}
}
