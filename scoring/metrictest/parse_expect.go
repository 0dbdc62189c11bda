package metrictest

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// expect parses the expected score of a metric: a value with an optional ~distance, label TEXT, a status with an
// optional code, pass or fail.
func (p *parser) expect(rest string) error {
	e := Expectation{Line: p.line, Status: scoring.StatusOK, Within: 1e-9}
	words := strings.Fields(rest)
	if len(words) < 2 {
		return p.errorf("expect takes a metric and what it says")
	}
	e.Metric = words[0]
	for _, x := range p.draft.Expects {
		if x.Metric == e.Metric {
			return p.errorf("%s is expected twice", e.Metric)
		}
	}
	for words = words[1:]; len(words) > 0; words = words[1:] {
		switch w := words[0]; {
		case w == "pass" || w == "fail":
			passed := w == "pass"
			e.Passed = &passed
		case w == "label" && len(words) > 1:
			label := words[1]
			e.Label, words = &label, words[1:]
		case w == "ok" || w == string(scoring.StatusNotApplicable) || w == string(scoring.StatusAbstained):
			e.Status = scoring.Status(w)
		case w == string(scoring.StatusFailed):
			e.Status = scoring.StatusFailed
			if len(words) > 1 {
				e.Code, words = words[1], words[1:]
			}
		case w[0] == '~':
			within, err := strconv.ParseFloat(w[1:], 64)
			if err != nil || !(within >= 0) {
				return p.errorf("invalid distance %.40q", w)
			}
			e.Within = within
		default:
			v, ok := fraction(w)
			if !ok {
				return p.errorf("invalid outcome %.40q; expected a value such as 0.75 or 3/4, ~0.001 after a blank, label WORD, "+
					"a status, pass or fail", w)
			}
			e.Value = &v
		}
	}
	if e.Status != scoring.StatusOK && (e.Value != nil || e.Label != nil || e.Passed != nil) {
		return p.errorf("a score that is %s has no value", e.Status)
	}
	p.draft.Expects = append(p.draft.Expects, e)
	return nil
}

// fraction parses a number such as 0.75 or 3/4.
func fraction(s string) (float64, bool) {
	above, below, isFraction := strings.Cut(s, "/")
	n, err := strconv.ParseFloat(above, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, false
	}
	if !isFraction {
		return n, true
	}
	d, err := strconv.ParseFloat(below, 64)
	return n / d, err == nil && d > 0 && !math.IsInf(d, 0)
}

// detail parses a metric with an expectation, a path in its detail and the JSON value that is expected there.
func (p *parser) detail(rest string) error {
	metric, rest, _ := strings.Cut(rest, " ")
	path, raw, _ := strings.Cut(strings.TrimSpace(rest), " ")
	i := slices.IndexFunc(p.draft.Expects, func(e Expectation) bool { return e.Metric == metric })
	if i < 0 {
		return p.errorf("detail of %.40q, which the case does not expect above", metric)
	}
	if path == "" || !json.Valid([]byte(raw)) {
		return p.errorf("detail takes a metric, a path and a JSON value")
	}
	e := &p.draft.Expects[i]
	e.Detail = append(e.Detail,
		DetailExpectation{Line: p.line, Path: strings.Split(path, "."), JSON: json.RawMessage(strings.TrimSpace(raw))})
	return nil
}

// properties parses the name of a metric and the properties of results that do not affect it.
func (p *parser) properties(rest string) error {
	words := strings.Fields(rest)
	if len(words) < 2 {
		return p.errorf("properties takes a metric and its properties")
	}
	if p.file.Properties[words[0]] != nil {
		return p.errorf("duplicate properties of %s", words[0])
	}
	for _, w := range words[1:] {
		if _, known := changes[Property(w)]; !known {
			return p.errorf("unknown property %.40q, want one of %v", w, propertyNames())
		}
		p.file.Properties[words[0]] = append(p.file.Properties[words[0]], Property(w))
	}
	return nil
}
