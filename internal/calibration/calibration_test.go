package calibration_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/internal/chart/charttest"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

const (
	missing = agreement.Missing
	fail    = agreement.Fail
	pass    = agreement.Pass
)

// verdicts are scores of 1, 0 or none, written as a letter each: p, f, and - for a case the metric
// does not apply to.
func verdicts(text string) (out []calibration.Score) {
	for _, r := range text {
		s := calibration.Score{Status: scoring.StatusOK}
		switch r {
		case 'p':
			s.Verdict, s.Value = pass, 1
		case 'f':
			s.Verdict = fail
		default:
			s.Status = scoring.StatusNotApplicable
		}
		out = append(out, s)
	}
	return out
}

// study has eight labelled cases and one that people are divided about.
func study() *calibration.Study {
	s := &calibration.Study{Metrics: []calibration.Metric{
		{Key: "poor", Threshold: scoring.At(1), Calls: true, Scores: verdicts("pfffpppp-")},
		{Key: "good", Threshold: scoring.At(1), Calls: true, Scores: verdicts("ppppfffp-")},
		{Key: "half@big", Threshold: scoring.At(1), Scores: verdicts("ppp-fff--"), Recorded: true},
		{Key: "none", Scores: slices.Repeat([]calibration.Score{{Status: scoring.StatusOK, Value: 0.3}}, 9)},
	}}
	for i, label := range []agreement.Vote{pass, pass, pass, pass, fail, fail, fail, fail, missing} {
		c := calibration.Case{ID: strconv.Itoa(i), Label: label, Groups: map[string]string{"tier": []string{"hard", "easy"}[i%2], "dataset": "d"}}
		if i > 5 {
			c.Votes = []agreement.Vote{pass, []agreement.Vote{pass, fail}[i/8], missing}
		}
		s.Cases = append(s.Cases, c)
	}
	for i := range s.Metrics[1].Scores {
		s.Metrics[1].Scores[i].Calls = i % 2
	}
	return s
}

func report(t *testing.T, s *calibration.Study, o calibration.Options) *calibration.Report {
	t.Helper()
	r, err := s.Report(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReport(t *testing.T) {
	r := report(t, study(), calibration.Options{By: []string{calibration.ByTier}})
	if r.N != 8 || r.Passes != 4 {
		t.Errorf("%d cases, %d pass; want 8 and 4: one is not labelled", r.N, r.Passes)
	}
	var keys []string
	for _, m := range r.Metrics {
		keys = append(keys, m.Key)
	}
	if d := cmp.Diff([]string{"half@big", "good", "poor", "none"}, keys); d != "" {
		t.Errorf("the best first, those without kappa last: %s", d)
	}
	half, good, none := r.Metrics[0], r.Metrics[1], r.Metrics[3]
	if want := (agreement.Confusion{TP: 4, TN: 3, FP: 1}); good.Confusion != want || good.Kappa.Value != 0.75 {
		t.Errorf("good: %+v with kappa %v, want %+v with 0.75", good.Confusion, good.Kappa.Value, want)
	}
	if good.Calls.Value != 0.5 || half.Calls.Defined {
		t.Errorf("calls: %+v and %+v; want 4 for 8 cases, and not known", good.Calls, half.Calls)
	}
	if half.N() != 6 || half.Without[scoring.StatusNotApplicable] != 2 {
		t.Errorf("half: %d cases, without verdict %v; want 6, and 2 labelled ones that it does not apply to", half.N(), half.Without)
	}
	if none.N() != 0 || none.Kappa.Defined || len(none.Notes) != 1 {
		t.Errorf("a metric without threshold: %+v", none)
	}
	if p := r.People; p == nil || p.Cases != 3 || p.Unanimous != 2 || p.Annotators != 2 {
		t.Errorf("people: %+v; want three cases with two votes, two of them unanimous", r.People)
	}
	parts := r.Breakdowns[0].Parts
	if len(parts) != 2 || parts[0].Name != "easy" || parts[0].N != 4 || parts[1].Name != "hard" {
		t.Fatalf("parts: %+v, want easy and hard with four cases each", parts)
	}
	for i, m := range r.Metrics {
		if sum := parts[0].Metrics[i].Confusion.Plus(parts[1].Metrics[i].Confusion); parts[0].Metrics[i].Key != m.Key || sum != m.Confusion {
			t.Errorf("%s: its parts sum to %+v, all is %+v", m.Key, sum, m.Confusion)
		}
	}
}

func TestOnlyCommonCases(t *testing.T) {
	r := report(t, study(), calibration.Options{Common: true})
	for _, m := range r.Metrics {
		if want := map[string]int{"none": 0}; m.N() != 6 && m.Key != "none" || m.Key == "none" && m.N() != want["none"] {
			t.Errorf("%s has %d cases, want the 6 that all metrics with verdicts share", m.Key, m.N())
		}
	}
	if r.N != 6 {
		t.Errorf("%d cases, want 6", r.N)
	}
}

func TestComparisons(t *testing.T) {
	r := report(t, study(), calibration.Options{Compare: []string{"good", "poor", "half@big"}})
	if len(r.Comparisons) != 2 || r.Comparisons[0].N != 8 || r.Comparisons[1].N != 6 {
		t.Fatalf("comparisons %+v, want two, on 8 and 6 cases", r.Comparisons)
	}
	if d := r.Comparisons[0].Difference.Value; d != 0.75-(-0.75) {
		t.Errorf("difference %v, want 1.5", d)
	}
	for _, c := range r.Comparisons {
		if c.Holm < c.P {
			t.Errorf("adjusted p %v is below %v", c.Holm, c.P)
		}
	}
	for _, keys := range [][]string{{"good"}, {"good", "goood"}} {
		if _, err := study().Report(calibration.Options{Compare: keys}); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("comparing %q: %v", keys, err)
		}
	}
}

// A graded metric gets a threshold that is chosen on other cases; one of two values keeps its own.
func TestChosenThresholds(t *testing.T) {
	s := &calibration.Study{Metrics: []calibration.Metric{
		{Key: "graded", Threshold: scoring.At(1), Calls: true}, {Key: "lower", Scale: agreement.Scale{LowerIsBetter: true}, Calls: true}, {Key: "binary", Threshold: scoring.At(1), Calls: true},
	}}
	for i := range 40 {
		label := []agreement.Vote{fail, pass}[i%2]
		v := float64(i%2)*0.5 + float64(i)/100
		s.Cases = append(s.Cases, calibration.Case{Label: label, Groups: map[string]string{"database": strconv.Itoa(i / 10)}})
		s.Metrics[0].Scores = append(s.Metrics[0].Scores, calibration.Score{Status: scoring.StatusOK, Value: v, Verdict: fail})
		s.Metrics[1].Scores = append(s.Metrics[1].Scores, calibration.Score{Status: scoring.StatusOK, Value: -v})
		s.Metrics[2].Scores = append(s.Metrics[2].Scores, calibration.Score{Status: scoring.StatusOK, Value: float64(i % 2), Verdict: label})
	}
	for _, o := range []calibration.Options{{Folds: 5}, {LeaveOut: "database"}} {
		for _, m := range report(t, s, o).Metrics {
			switch {
			case m.Key == "binary" && (m.Chosen != nil || *m.Threshold != 1):
				t.Errorf("%+v: a metric of two values: %+v", o, m.Chosen)
			case m.Key == "binary":
			case m.Chosen == nil || m.Kappa.Value != 1 || m.Chosen.Fitted.Value != 1:
				t.Errorf("%+v: %s: kappa %v, %+v, want a perfect threshold", o, m.Key, m.Kappa, m.Chosen)
			case math.Abs(*m.Threshold) <= 0.38 || math.Abs(*m.Threshold) > 0.51:
				t.Errorf("%+v: %s: threshold %v, want one between 0.38 and 0.51", o, m.Key, *m.Threshold)
			}
			if m.Key == "graded" && (m.Chosen.Before.Value != 0 || m.Chosen.Before.Why == "") {
				t.Errorf("at its own threshold kappa was %+v, want 0: it failed everything", m.Chosen.Before)
			}
		}
	}
}

// The members of a metric, in order: other programs read them.
func TestJSON(t *testing.T) {
	r := report(t, study(), calibration.Options{})
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		N       int                        `json:"n"`
		Metrics map[string]json.RawMessage `json:"metrics"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	good := regexp.MustCompile(`"kappa_ci":\[[-0-9.]+,1\]`).ReplaceAllString(string(doc.Metrics["good"]), `"kappa_ci":[LO,1]`)
	want := `{"n":8,"tp":4,"fp":1,"tn":3,"fn":0,"kappa":0.75,"kappa_ci":[LO,1],"accuracy":0.875,"balanced_accuracy":0.875,"mcc":0.7745966692414834,` +
		`"f1":0.8888888888888888,"sensitivity":1,"specificity":0.75,"threshold":1,"judge_calls_per_case":0.5`
	if doc.N != 8 || !strings.HasPrefix(good, want) {
		t.Errorf("got  %s\nwant %s…", good, want)
	}
	if none := string(doc.Metrics["none"]); !strings.HasPrefix(none, `{"n":0,"tp":0,"fp":0,"tn":0,"fn":0,"kappa":null,"kappa_ci":null,"accuracy":null,`) || !strings.Contains(none, `"threshold":null`) {
		t.Errorf("what is not defined is null: %s", none)
	}
	again, err := json.Marshal(report(t, study(), calibration.Options{}))
	if err != nil || !bytes.Equal(text, again) {
		t.Error("the same study gave another document")
	}
}

// Pictures are well-formed, hold what they should show within their bounds, and text from data is
// text.
func TestPictures(t *testing.T) {
	s := study()
	s.Metrics[1].Key = `<script>&"x'`
	for i := range 30 {
		s.Metrics = append(s.Metrics, calibration.Metric{Key: fmt.Sprintf("more_%d@a-rather-long-name-of-a-model-%d-and-some-more", i, i), Calls: true, Scores: verdicts("pppfpfff-")})
	}
	for _, r := range []*calibration.Report{report(t, s, calibration.Options{By: []string{"tier"}}), report(t, &calibration.Study{}, calibration.Options{By: []string{"tier"}})} {
		pictures := calibration.Pictures(r)
		if want := 2 + len(r.Breakdowns[0].Parts)/2; len(pictures) != want {
			t.Errorf("%d pictures, want %d", len(pictures), want)
		}
		for _, p := range pictures {
			svg := charttest.Check(t, p)
			if len(r.Metrics) > 0 && !bytes.Contains(svg, []byte("&lt;script&gt;&amp;")) {
				t.Errorf("%s does not name a metric, as text", p.Name)
			}
		}
		page, err := calibration.Page(r, pictures)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(page, []byte("<script")) || bytes.Contains(page, []byte("src=")) || bytes.Count(page, []byte("<svg")) != len(pictures) {
			t.Error("the page holds a script, or something from elsewhere, or not all pictures")
		}
	}
}
