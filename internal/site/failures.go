package site

import (
	"net/http"
	"strconv"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/caselist"
	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/udf/identity"
)

// failuresPage counts what goes wrong in a run: relations between results, issues of queries,
// categories of FLEX, and what else judges find.
var failuresPage = &page{name: "failures", pattern: "GET /failures", nav: "Failures", perRun: true, role: identity.Read, show: (*Site).failures}

type failuresContent struct {
	Kinds []failureKind
	None  string // what to do where nothing is found
}

// failureKind is the labels of one kind.
type failureKind struct {
	Kind    string
	Title   string
	Metric  string
	Scored  int // answers that the metric looked at
	Picture *chart.Picture
	Labels  []failureLabel
}

type failureLabel struct {
	Label string
	N     counted
	Share string
}

// mostInPicture is how many labels a picture has.
const mostInPicture = 15

func (s *Site) failures(r *http.Request) (content, error) {
	run := caselist.ParseRun(r.URL.Query())
	if run.ID == "" {
		return content{}, errcode.New(errcode.InvalidArgument, "run: missing, expected the run whose failures are shown")
	}
	src, err := s.scores()
	if err != nil {
		return content{}, err
	}
	f, err := src.Failures(r.Context(), sideOf(run), analysis.Evident)
	if err != nil {
		return content{}, err
	}
	page := &failuresContent{Kinds: failureKinds(f, run)}
	for i := range page.Kinds {
		k := &page.Kinds[i]
		bars := chart.Bars{Name: "failures-" + strconv.Itoa(i+1), Title: k.Title, Desc: "How many answers have each label.", X: "answers"}
		for _, l := range k.Labels[:min(len(k.Labels), mostInPicture)] {
			n := float64(l.N.N)
			bars.Rows = append(bars.Rows, chart.Bar{Name: l.Label, Value: &n, Text: count(l.N.N) + " · " + l.Share})
		}
		k.Picture = bars.Picture()
	}
	if len(f.Labels) == 0 {
		page.None = "Nothing was found in this run. Labels come from the metrics relation, sql_judge_issues, flex, stef and rose: badger run --metrics relation scores the first without a judge."
	}
	return content{Title: "Failures", Run: &run, Page: page}, nil
}

// failureKinds are the labels of a run by their kinds.
func failureKinds(f *analysis.Failures, run caselist.Run) (out []failureKind) {
	for i := range f.Labels {
		l := &f.Labels[i]
		if i == 0 || f.Labels[i-1].Kind != l.Kind || f.Labels[i-1].Metric != l.Metric {
			out = append(out, failureKind{Kind: l.Kind, Title: report.KindTitle(l.Kind), Metric: l.Metric, Scored: f.LookedAt[l.Metric]})
		}
		k := &out[len(out)-1]
		state := caselist.State{Run: run, Mode: caselist.All}.With(caselist.Filter{Column: "finding", Op: caselist.Equal, Value: l.Kind + ":" + l.Label})
		k.Labels = append(k.Labels, failureLabel{l.Label, counted{l.N, casesAddress(state)}, share(float64(l.N) / float64(k.Scored))})
	}
	return out
}
