package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/scoring"
)

// metricsConfig is what a deployment decides about metrics.
type metricsConfig struct {
	Options    map[string]map[string]any `yaml:"options"`    // defaults of a metric's options, by metric
	Thresholds map[string]float64        `yaml:"thresholds"` // the value from which a score passes, by metric
}

// engineConfig brings it into the engine's form.
func (c *metricsConfig) engineConfig() (scoring.Config, error) {
	out := scoring.Config{Thresholds: c.Thresholds}
	for name, options := range c.Options {
		raw, err := json.Marshal(options)
		if err != nil {
			return out, usage("metrics.options.%s: %w", name, err)
		}
		if out.Options == nil {
			out.Options = map[string]json.RawMessage{}
		}
		out.Options[name] = raw
	}
	return out, nil
}

// readRunConfig reads the configuration of badger run: a file with the key metrics.
func readRunConfig(path string) (scoring.Config, error) {
	var c struct {
		Metrics metricsConfig `yaml:"metrics"`
	}
	if err := readYAML(path, &c); err != nil {
		return scoring.Config{}, err
	}
	return c.Metrics.engineConfig()
}

// readYAML reads a configuration file; unknown keys are errors. No path is an empty configuration.
func readYAML(path string, into any) error {
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return usage("--config: %w", err)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return usage("--config %s: %w", filepath.Base(path), err)
	}
	return nil
}
