package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// primaryFlag declares the primary metric. It overrides metrics.primary of the configuration.
type primaryFlag struct {
	Primary string `placeholder:"METRIC" help:"Metric that decides whether an answer is right; its p-value is not adjusted (default metrics.primary of the configuration, else hybrid_ex)."`
}

// configuredPrimary adds the configuration file to primaryFlag, for commands that read it for nothing else.
type configuredPrimary struct {
	Config string `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`
	primaryFlag
}

// read returns the declared primary metric, or "" if unset. there are the metrics with scores.
func (f *configuredPrimary) read(p process, there []string) (string, error) {
	config, err := readConfig(f.Config, p)
	if err != nil {
		return "", err
	}
	return f.among(config.Metrics, there, nil)
}

// among returns the declared primary metric, or "" if unset. It returns a usage error for a flag that names
// none of there, and for a configuration that names neither one of there nor a known metric. known are metrics in
// addition to badger's.
func (f *primaryFlag) among(config metricsConfig, there []string, known []scoring.Metric) (string, error) {
	if name := f.Primary; name != "" {
		if !slices.Contains(there, name) {
			return "", usage("--primary: metric %.60q has no scores; these have: %s%s", name, listed(there), scoring.Suggest(name, there))
		}
		return name, nil
	}
	return config.Primary, config.primaryIsKnown(there, known)
}

// primaryIsKnown returns a usage error if metrics.primary is not a metric of badger, of known or among names.
func (c metricsConfig) primaryIsKnown(names []string, known []scoring.Metric) error {
	if c.Primary == "" || slices.Contains(names, c.Primary) {
		return nil
	}
	names = slices.Clone(names)
	for _, m := range slices.Concat(metric.All(), known) {
		names = append(names, m.Name)
	}
	if slices.Contains(names, c.Primary) {
		return nil
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return usage("metrics.primary: unknown metric %.60q%s known are %s", c.Primary,
		cmp.Or(scoring.Suggest(c.Primary, names), ";"), listed(names))
}

// listed returns all names, or says that there are none.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
