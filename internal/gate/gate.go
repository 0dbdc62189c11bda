// Package gate parses the thresholds of metrics. The caller checks its figures against them: a run its means, a
// calibration its kappas, a trial of a judge its agreement with human labels.
package gate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Specs are gates in the form of flags and of the configuration.
type Specs struct {
	FailUnder   []string `yaml:"fail_under"`   // METRIC=NUMBER, such as hybrid_ex=0.9
	MinCoverage []string `yaml:"min_coverage"` // a share from 0 to 1 such as 0.9, or of one metric, such as verdict=0.5
}

// Gate is the threshold of one metric.
type Gate struct {
	Metric   string
	Least    *float64 // least value, or greatest if lower is better; nil: any
	Coverage *float64 // least share of cases with a value, from 0 to 1; nil: not set
}

// Read returns the gates of flags and of a configuration, in the order in which they are written. A flag overrides the
// configuration for the same metric. A coverage for all metrics applies to gates that set none. metrics lists the
// metrics that may be gated; nil if unknown so far. of describes them for a message. Errors are usage errors that name
// the flag or the key of the configuration.
func Read(config, flags Specs, metrics []string, of string) ([]Gate, error) {
	under, err := ParseBounds("gates.fail_under", config.FailUnder)
	if err != nil {
		return nil, err
	}
	flagged, err := ParseBounds("--fail-under", flags.FailUnder)
	if err != nil {
		return nil, err
	}
	under = over(under, flagged)
	coverage, err := ParseBounds("gates.min_coverage", config.MinCoverage)
	if err != nil {
		return nil, err
	}
	if flagged, err = ParseBounds("--min-coverage", flags.MinCoverage); err != nil {
		return nil, err
	}
	coverage = over(coverage, flagged)
	var out []Gate
	for _, b := range under {
		if b.Metric == "" {
			return nil, errcode.Usage("--fail-under: expected METRIC=NUMBER, such as hybrid_ex=0.9")
		}
		out = append(out, Gate{Metric: b.Metric, Least: &b.Value})
	}
	for _, named := range []bool{false, true} { // the bound of a metric overrides that of all metrics
		for _, b := range coverage {
			if (b.Metric != "") != named {
				continue
			}
			if b.Value < 0 || b.Value > 1 {
				return nil, errcode.Usage("--min-coverage: expected a share from 0 to 1, such as 0.9 or verdict=0.5")
			}
			found := false
			for i := range out {
				if !named || out[i].Metric == b.Metric {
					out[i].Coverage, found = &b.Value, true
				}
			}
			switch {
			case found:
			case named:
				out = append(out, Gate{Metric: b.Metric, Coverage: &b.Value})
			case len(flags.MinCoverage) > 0:
				return nil, errcode.Usage(
					"--min-coverage: there is no gate; name a metric, such as verdict=0.5, or add --fail-under")
			}
		}
	}
	for _, g := range out {
		if metrics != nil && !slices.Contains(metrics, g.Metric) {
			return nil, errcode.AsUsage(&UnknownMetric{Metric: g.Metric, Of: of})
		}
	}
	return out, nil
}

// UnknownMetric is the error about a gate on a metric that is not part of a run.
type UnknownMetric struct {
	Metric, Of string
}

// Error names the metric.
func (e *UnknownMetric) Error() string {
	return fmt.Sprintf("--fail-under, --min-coverage: metric %q is not part of %s", e.Metric, e.Of)
}

// Bound is METRIC=NUMBER, or a number for all metrics.
type Bound struct {
	Metric string // empty: all
	Value  float64
}

// ParseBounds parses bounds METRIC=NUMBER or NUMBER. what is the flag or key that they come from, for the error. A
// malformed bound, or a number that is not finite, is a usage error with an example for what.
func ParseBounds(what string, specs []string) ([]Bound, error) {
	var out []Bound
	for _, s := range specs {
		name, value, named := strings.Cut(s, "=")
		if !named {
			name, value = "", s
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		name = strings.TrimSpace(name)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || named && name == "" {
			return nil, errcode.Usage("%s: expected %s%s", what, expected(what), boundHint(s))
		}
		if last := name[max(len(name)-1, 0):]; last == ">" || last == "<" {
			return nil, errcode.Usage("%s: expected %s; found %s=", what, expected(what), last)
		}
		out = append(out, Bound{name, v})
	}
	return out, nil
}

// expected describes a bound of a flag or a key.
func expected(what string) string {
	switch what {
	case "--min-coverage", "gates.min_coverage":
		return "a share, or METRIC=SHARE, such as 0.9 or verdict=0.5"
	case "--fail-on-drop":
		return "METRIC=DROP, such as hybrid_ex=0.05"
	case "--max-broken":
		return "METRIC=N with a whole number of cases, such as hybrid_ex=0"
	}
	return "METRIC=NUMBER, such as hybrid_ex=0.9"
}

// boundHint returns the end of an error about a malformed bound.
func boundHint(spec string) string {
	if strings.HasSuffix(strings.TrimSpace(spec), "%") {
		return "; write a percentage as a fraction, such as 0.9 for 90 %"
	}
	return ""
}

// Drop is a gate on the change of a metric against a baseline: on the size of the drop, or, if Counts is set, on the
// number of broken cases, which passed before and do not pass now.
type Drop struct {
	Metric string
	Drop   float64 // 0 or more; a drop of this size or more, which is more than chance, fails
	Counts bool
	Broken int // 0 or more; more broken cases than this fail
}

// ReadDrops parses the values of --fail-on-drop, METRIC=DROP. An invalid one is a usage error.
func ReadDrops(specs []string) ([]Drop, error) {
	bounds, err := ParseBounds("--fail-on-drop", specs)
	if err != nil {
		return nil, err
	}
	var out []Drop
	for _, b := range bounds {
		if b.Metric == "" || b.Value < 0 {
			return nil, errcode.Usage("--fail-on-drop: expected %s", expected("--fail-on-drop"))
		}
		out = append(out, Drop{Metric: b.Metric, Drop: b.Value})
	}
	return out, nil
}

// ReadBroken parses the values of --max-broken, METRIC=N. An invalid one is a usage error.
func ReadBroken(specs []string) ([]Drop, error) {
	bounds, err := ParseBounds("--max-broken", specs)
	if err != nil {
		return nil, err
	}
	var out []Drop
	for _, b := range bounds {
		n := int(b.Value)
		if b.Metric == "" || n < 0 || float64(n) != b.Value {
			return nil, errcode.Usage("--max-broken: expected %s", expected("--max-broken"))
		}
		out = append(out, Drop{Metric: b.Metric, Counts: true, Broken: n})
	}
	return out, nil
}

// over returns the bounds of config and flags, without those of config for metrics that flags set. A bound of flags for
// all metrics replaces all of config.
func over(config, flags []Bound) []Bound {
	kept := slices.DeleteFunc(config, func(c Bound) bool {
		return slices.ContainsFunc(flags, func(f Bound) bool { return f.Metric == c.Metric || f.Metric == "" })
	})
	return append(kept, flags...)
}

// rounding is the amount by which a value may be below its bound: the rounding error of a sum of many doubles.
const rounding = 1e-9

// Reached reports whether value is at least least, or below it by no more than rounding.
func Reached(value, least float64) bool { return value+rounding >= least }

// Line returns the message about a gate: "gate passed: " or "gate failed: ", followed by why.
func Line(reached bool, why string) string {
	word := "failed"
	if reached {
		word = "passed"
	}
	return fmt.Sprintf("gate %s: %s", word, why)
}
