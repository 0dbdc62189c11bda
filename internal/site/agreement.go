package site

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The page shows the agreement of metrics and judges with the human labels of a run's batch.
var _ = register(
	&page{name: "agreement", pattern: "GET /agreement", nav: "Agreement", place: 130, ofRun: true,
		inReport: (*staticPlan).one, role: identity.Read, show: (*Site).agreement})

// defaultWidth is the default width of the confidence interval of kappa for which the page estimates how many labels
// are needed.
const defaultWidth = 0.2

// agreementState is the state of the page, as its address encodes it.
type agreementState struct {
	Run    scoring.RunID
	Common bool    // only cases on which every metric gives a verdict
	By     string  // what the cases are broken down by: tier or relation; "" means tier
	A, B   string  // the two metrics to compare; "": the best one is compared with the next four
	Key    string  // the metric whose threshold is shown; "": the first with at least three values
	Width  float64 // width of kappa's interval for which the number of labels is estimated
}

func parseAgreement(v url.Values) (s agreementState, err error) {
	s = agreementState{Run: store.ParseRun(v), Common: v.Get("common") != "", By: v.Get("by"), A: v.Get("a"),
		B: v.Get("b"), Key: v.Get("key"), Width: defaultWidth}
	switch {
	case s.Run.ID == "":
		return s, errcode.New(errcode.InvalidArgument,
			"run: missing, expected the run whose metrics are compared with people")
	case s.By == "":
		s.By = calibration.ByTier
	case s.By != calibration.ByTier && s.By != storedscores.ByRelation:
		return s, errcode.New(errcode.InvalidArgument, "by: %.40q, expected tier or relation", s.By)
	}
	if text := v.Get("width"); text != "" {
		if s.Width, err = strconv.ParseFloat(text, 64); err != nil || !(s.Width >= 0.01 && s.Width <= 2) {
			return s, errcode.New(errcode.InvalidArgument, "width: %.40q, expected the width of an interval from 0.01 to 2",
				text)
		}
	}
	return s, nil
}

// agreementAddress returns the address of the page of agreement in state s. Default values are omitted.
func agreementAddress(s agreementState) string {
	v := store.RunValues(s.Run)
	for _, f := range []struct{ key, value string }{{"a", s.A}, {"b", s.B}, {"key", s.Key}} {
		if f.value != "" {
			v.Set(f.key, f.value)
		}
	}
	if s.Common {
		v.Set("common", "1")
	}
	if s.By != "" && s.By != calibration.ByTier {
		v.Set("by", s.By)
	}
	if s.Width != 0 && s.Width != defaultWidth {
		v.Set("width", strconv.FormatFloat(s.Width, 'g', -1, 64))
	}
	return address("/agreement", v)
}

type agreementContent struct {
	State       agreementState
	N           int
	Passes      int
	Fails       int
	Unsure      int
	About       string // which property of an answer the labels should judge; "" if unknown
	People      *calibration.People
	PeopleText  [2]string // Fleiss' kappa and Krippendorff's alpha
	Labellers   []store.Labeller
	Picture     twoWidths
	Rows        []agreementRow
	Warnings    []calibration.Warning // about the metrics in Rows
	Without     []string              // metrics without a verdict on a labelled case
	Keys        []option              // choices of the first metric to compare
	Others      []option
	Comparisons []comparisonRow
	Slices      *sliceTable
	Bys         []option
	Graded      []option
	Threshold   *thresholdView
	Notes       []string
	Unlabelled  string // address of the list of answers without a label
	Label       string // address of the form that creates a queue of these answers
	Drift       *driftContent
}

// agreementRow holds the agreement of one metric with the human labels, formatted.
type agreementRow struct {
	Key            string
	N              int
	Kappa, Band    string
	Interval       string
	Balanced       string
	Sensitivity    string
	Specificity    string
	Calls          string
	TP, FP, FN, TN counted
	Queue          string // address of the form that creates a queue of the disagreements; "" if none
	More           string // how many more labels narrow kappa's interval to State.Width
}

// twoWidths is a picture for wide screens and for phones.
type twoWidths struct{ Wide, Narrow *chart.Picture }

// phonePlot is the width between the axes of a line chart on a phone, in pixels.
const phonePlot = 210

type comparisonRow struct {
	A, B       string
	N          int
	Difference string
	Interval   string
	P, Holm    string
	Better     string
}

type sliceTable struct {
	Parts []string // names of the parts, each with its number of cases
	Rows  []sliceRow
}

type sliceRow struct {
	Key   string
	Cells []string
}

// thresholdView shows how the agreement of a metric with human labels depends on its threshold.
type thresholdView struct {
	Key     string
	Picture twoWidths
	Own     string // kappa at the metric's own threshold
	Chosen  string // the threshold with the best kappa, and the cross-validated kappa
	Why     string // why Chosen is empty
}

func (s *Site) agreement(r *http.Request) (content, error) {
	state, err := parseAgreement(r.URL.Query())
	if err != nil {
		return content{}, err
	}
	ctx := r.Context()
	run := state.Run
	src, err := s.scores()
	if err != nil {
		return content{}, err
	}
	study, err := src.Labelled(ctx, analysis.Batch{By: run.By}, s.o.Metrics)
	if err != nil {
		return content{}, err
	}
	list := store.State{RunID: run, Mode: store.Unlabelled}
	page := &agreementContent{State: state, Unsure: study.Unsure, Unlabelled: casesAddress(list),
		Label: newQueueAddress(list)}
	out := content{Title: "Agreement with human labels", Run: &run, Page: page}
	if page.Drift, err = s.drift(ctx); err != nil {
		return content{}, err
	}
	if len(study.Cases) == 0 {
		return out, nil
	}
	if page.Labellers, err = s.o.Warehouse.Labellers(ctx, run.By); err != nil {
		return content{}, err
	}
	if page.About, err = s.labelsAbout(r, run); err != nil {
		return content{}, err
	}
	report, err := study.Report(calibration.Options{Common: state.Common, By: []string{state.By}, NoMeans: true})
	if err != nil {
		return content{}, err
	}
	page.N, page.Passes, page.Fails, page.People, page.Notes = report.N, report.Passes, report.N-report.Passes,
		report.People, report.Notes
	if p := report.People; p != nil {
		page.PeopleText = [2]string{stat(p.Fleiss), stat(p.Alpha)}
	}
	named := *report
	named.Metrics = slices.Clone(report.Metrics)
	for i := range named.Metrics {
		named.Metrics[i].Key = keyName(named.Metrics[i].Key)
	}
	page.Picture = twoWidths{calibration.Forest(&named), calibration.ForestNarrow(&named)}
	for i := range report.Metrics {
		m := &report.Metrics[i]
		if m.N() == 0 {
			page.Without = append(page.Without, m.Key)
			continue
		}
		page.Rows = append(page.Rows, agreementOf(m, study, state))
		page.Keys = append(page.Keys, option{m.Key, m.Key, m.Key == state.A})
		page.Others = append(page.Others, option{m.Key, m.Key, m.Key == state.B})
	}
	for _, w := range report.Warnings(nil) {
		// they are named below
		w.Metrics = slices.DeleteFunc(w.Metrics, func(key string) bool { return slices.Contains(page.Without, key) })
		if len(w.Metrics) > 0 {
			page.Warnings = append(page.Warnings, w)
		}
	}
	if page.Comparisons, err = comparisonsOf(study, report, state); err != nil {
		return content{}, err
	}
	page.Slices = slicesOf(report)
	for _, by := range []string{calibration.ByTier, storedscores.ByRelation} {
		page.Bys = append(page.Bys, option{by, by, by == state.By})
	}
	page.Threshold, page.Graded = thresholdOf(study, state.Key)
	return out, nil
}

// labelsAbout returns a sentence about the property that labels should judge, the answer or the logic, which depends on
// the policy of the run's verdicts. It returns "" if the run does not exist.
func (s *Site) labelsAbout(r *http.Request, run scoring.RunID) (string, error) {
	pages, err := s.reader(r.Context())
	if err != nil {
		return "", err
	}
	row, err := pages.Run(r.Context(), run)
	if errcode.Of(err) == errcode.NotFound {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var config struct {
		Options struct {
			Verdict struct {
				Policy string `json:"policy"`
			} `json:"verdict"`
		} `json:"options"`
	}
	_ = json.Unmarshal([]byte(row.Config), &config) // a run without options has the default
	if config.Options.Verdict.Policy != "logic" {
		return "The run's verdicts are about the answer: whether the result answers the question (policy answer). Labels should be about the same.", nil
	}
	return "The run's verdicts are about the logic: whether the query is right on any data (policy logic). Labels should be about the same.", nil
}

// stat formats s with three decimals, or returns a dash if it is undefined.
func stat(s agreement.Stat) string {
	if !s.Defined {
		return dash
	}
	return chart.Decimal(s.Value, 3)
}

func statPercent(s agreement.Stat) string {
	if !s.Defined {
		return dash
	}
	return share(s.Value)
}

func statInterval(i agreement.Interval) string {
	if !i.Defined {
		return dash
	}
	return chart.Decimal(i.Lo, 3) + " to " + chart.Decimal(i.Hi, 3)
}

// agreementOf returns the row of metric m. The cells of its confusion matrix link to lists of cases only if all of its
// scores are of one run and state.Common is false.
func agreementOf(m *calibration.Result, study *storedscores.Labelled, state agreementState) agreementRow {
	row := agreementRow{
		Key: m.Key, N: m.N(), Kappa: stat(m.Kappa), Interval: statInterval(m.KappaCI),
		Balanced: statPercent(m.BalancedAccuracy()), Sensitivity: statPercent(m.Sensitivity()),
		Specificity: statPercent(m.Specificity()),
		Calls:       dash, More: dash, TP: counted{N: m.TP}, FP: counted{N: m.FP}, FN: counted{N: m.FN}, TN: counted{N: m.TN},
	}
	if m.Kappa.Defined {
		row.Band = agreement.LandisKoch(m.Kappa.Value)
	}
	if m.Calls.Defined {
		row.Calls = chart.Decimal(m.Calls.Value, 2)
	}
	if need := agreement.CohenCases([][]int{{m.TP, m.FN}, {m.FP, m.TN}}, state.Width,
		agreement.DefaultLevel); need.Defined {
		row.More = count(max(0, int(need.Value)-m.N()))
	}
	run := state.Run
	if run.ID = study.Run[m.Key]; run.ID == "" || state.Common {
		return row
	}
	list := store.State{RunID: run, Metric: study.Metric[m.Key], Mode: store.Disagrees}
	if m.FP+m.FN > 0 {
		row.Queue = newQueueAddress(list)
	}
	for _, cell := range []struct {
		to   *counted
		mode store.Mode
		says string
	}{{&row.TP, store.Passed, "pass"}, {&row.FP, store.Passed, "fail"}, {&row.FN, store.Failed, "pass"},
		{&row.TN, store.Failed, "fail"}} {
		cell.to.Address = casesAddress(
			scored(list.In(cell.mode)).With(store.ListFilter{Column: "people", Op: store.Equal, Value: cell.says}))
	}
	return row
}

// comparisonsOf compares the kappas of the metrics state.A and state.B, or the first metric of r that has a kappa with
// the next four if A and B do not name two metrics.
func comparisonsOf(study *storedscores.Labelled, r *calibration.Report, state agreementState) ([]comparisonRow, error) {
	o := calibration.Options{Common: state.Common, NoMeans: true}
	switch {
	case state.A != "" && state.B != "" && state.A != state.B:
		o.Compare = []string{state.A, state.B}
	default:
		for i := range r.Metrics {
			if m := &r.Metrics[i]; m.Kappa.Defined && len(o.Compare) < 5 {
				o.Compare = append(o.Compare, m.Key)
			}
		}
	}
	if len(o.Compare) < 2 {
		return nil, nil
	}
	of := calibration.Study{Cases: study.Cases}
	for _, m := range study.Metrics {
		if state.Common || slices.Contains(o.Compare, m.Key) {
			of.Metrics = append(of.Metrics, m)
		}
	}
	compared, err := of.Report(o)
	if err != nil {
		return nil, err
	}
	var out []comparisonRow
	for _, c := range compared.Comparisons {
		row := comparisonRow{A: c.A, B: c.B, N: c.N, Difference: stat(c.Difference), Interval: statInterval(c.Interval),
			P: analysis.PValue(c.P), Holm: analysis.PValue(c.Holm), Better: analysis.Chance}
		if c.Difference.Defined && c.Difference.Value > 0 {
			row.Difference = "+" + row.Difference
		}
		if c.Difference.Defined && c.Holm < 0.05 {
			if row.Better = c.A; c.Difference.Value < 0 {
				row.Better = c.B
			}
		}
		out = append(out, row)
	}
	return out, nil
}

// mostSlices is the maximum number of parts, the largest ones, that the table of a breakdown shows.
const mostSlices = 12

func slicesOf(r *calibration.Report) *sliceTable {
	if len(r.Breakdowns) == 0 || len(r.Breakdowns[0].Parts) == 0 {
		return nil
	}
	parts := slices.Clone(r.Breakdowns[0].Parts)
	if len(parts) > mostSlices {
		slices.SortStableFunc(parts, func(a, b calibration.Part) int { return b.N - a.N })
		parts = parts[:mostSlices]
	}
	out := &sliceTable{}
	for _, p := range parts {
		out.Parts = append(out.Parts, fmt.Sprintf("%s (%d)", p.Name, p.N))
	}
	for i := range r.Metrics {
		if r.Metrics[i].N() == 0 {
			continue
		}
		row := sliceRow{Key: r.Metrics[i].Key}
		for _, p := range parts {
			row.Cells = append(row.Cells, stat(p.Metrics[i].Kappa))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

const (
	thresholdFolds = 10
	mostThresholds = 200
)

// thresholdOf returns how kappa depends on the threshold of the metric key, or of the first choice if key is not among
// the choices. choices are the metrics with at least three distinct values. view is nil if there are none.
func thresholdOf(study *storedscores.Labelled, key string) (view *thresholdView, choices []option) {
	var chosen *calibration.Metric
	for i := range study.Metrics {
		m := &study.Metrics[i]
		cases := gradedOf(study, m)
		if len(valuesOf(cases)) < 3 {
			continue
		}
		choices = append(choices, option{m.Key, m.Key, m.Key == key})
		if chosen == nil || m.Key == key {
			chosen = m
		}
	}
	if chosen == nil {
		return nil, nil
	}
	cases := gradedOf(study, chosen)
	view = &thresholdView{Key: chosen.Key}
	values := valuesOf(cases)
	step := max(1, (len(values)+mostThresholds-1)/mostThresholds)
	line := chart.Series{Bare: true, Step: chart.Before}
	if chosen.Scale.LowerIsBetter {
		line.Step = chart.After
	}
	for i := 0; i < len(values); i += step {
		if k := chosen.Scale.At(values[i], cases).Kappa(); k.Defined {
			line.Points = append(line.Points, chart.Point{X: values[i], Y: k.Value})
		}
	}
	picture := chart.Lines{
		Name: "threshold", Title: "Kappa of " + chosen.Key + " over its threshold",
		Desc: "On all labelled cases with a value: optimistic if the threshold was chosen on the same cases.", X: "threshold",
		Y: "kappa", High: 1, Series: []chart.Series{line},
	}
	view.Own = "It defines no threshold."
	if t := chosen.Threshold; t != nil {
		picture.Marks = append(picture.Marks, chart.Mark{X: *t, Text: "own"})
		view.Own = "At its own threshold of " + strconv.FormatFloat(*t, 'g', 4, 64) + " kappa is " +
			stat(chosen.Scale.At(*t, cases).Kappa()) + "."
	}
	v := agreement.CrossValidate(cases, agreement.StratifiedFolds(cases, thresholdFolds, 0), chosen.Scale,
		agreement.Confusion.Kappa)
	if v.Fitted.N() == 0 {
		view.Why = v.Why
	} else {
		picture.Marks = append(picture.Marks, chart.Mark{X: v.Threshold, Text: "chosen"})
		view.Chosen = fmt.Sprintf("The best threshold is %s. With thresholds chosen on other cases (%d folds), kappa is %s; chosen on the same cases, it is %s.",
			strconv.FormatFloat(v.Threshold, 'g', 4, 64), thresholdFolds, stat(v.Held.Kappa()), stat(v.Fitted.Kappa()))
	}
	view.Picture.Wide = picture.Picture()
	picture.Name, picture.Plot = "threshold-narrow", phonePlot
	view.Picture.Narrow = picture.Picture()
	return view, choices
}

// gradedOf returns the values of metric m with the human labels, for the cases that have both.
func gradedOf(study *storedscores.Labelled, m *calibration.Metric) (out []agreement.Graded) {
	for c := range m.Scores {
		if l := study.Cases[c].Label; l != agreement.Missing && m.Scores[c].Status == scoring.StatusOK {
			out = append(out, agreement.Graded{Value: m.Scores[c].Value, Label: l == agreement.Pass})
		}
	}
	return out
}

func valuesOf(cases []agreement.Graded) []float64 {
	out := make([]float64, len(cases))
	for i, c := range cases {
		out[i] = c.Value
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// WidthText formats s.Width with at most two decimals.
func (s agreementState) WidthText() string {
	return strings.TrimSuffix(strconv.FormatFloat(s.Width, 'f', 2, 64), "0")
}
