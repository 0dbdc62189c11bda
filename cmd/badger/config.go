package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/badger-eval/badger/internal/config"
	"github.com/badger-eval/badger/internal/execution"
	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/hosting"
	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/internal/mcp"
	"github.com/badger-eval/badger/internal/submission"
	"github.com/badger-eval/badger/internal/telemetry"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/policy"
	"github.com/badger-eval/badger/sql/store"
)

// configuration holds the keys of the configuration file for all commands. Each command reads only some of them.
type configuration struct {
	Listen hosting.Listen `yaml:"listen"`
	TLS    struct {
		Cert     string `yaml:"cert"`
		Key      string `yaml:"key"`
		ClientCA string `yaml:"client_ca"` // CA certificates; if set, clients must present a certificate
	} `yaml:"tls"`
	Auth    hosting.Auth   `yaml:"auth"`
	Limits  hosting.Limits `yaml:"limits"`
	Results struct {
		Files     []string `yaml:"files"`     // directories for file: references; none: such references are rejected
		Warehouse string   `yaml:"warehouse"` // URL that table: and query: references are read from, such as duckdb:FILE

		// References to Warehouse that callers of badger serve may read. An entry of Callers replaces them for one
		// caller.
		hosting.Readable `yaml:",inline"`
		Callers          map[string]hosting.Readable `yaml:"callers"`
	} `yaml:"results"`
	Report  reportConfig      `yaml:"report"`
	Submit  submission.Config `yaml:"submit"` // runs that are submitted in badger view
	Metrics metricsConfig     `yaml:"metrics"`
	Gates   gate.Specs        `yaml:"gates"` // flags of the same names take precedence
	Execute execution.Config  `yaml:"execute"`
	Judge   judging.Config    `yaml:"judge"`
	MCP     mcp.Config        `yaml:"mcp"` // tools for agents, of badger mcp

	Sentinels sentinelConfig `yaml:"sentinels"` // cases that judges are asked about again and again
	// judge files to use in addition to the promoted judges of the warehouse
	Judges   []string                 `yaml:"judges"`
	Timeouts map[string]time.Duration `yaml:"timeouts"`                         // limit of a call, by protocol, such as snowflake: 20s
	LateRows string                   `yaml:"late_rows"`                        // if rows are not done in time: "error" (default) or "nulls"
	Workers  int                      `yaml:"workers" least:"0" most:"1000000"` // rows processed concurrently; 0: 64
	Traces   telemetry.TracesConfig   `yaml:"traces"`
	// age from which badger prune deletes answers, replies, results and scores, such as 90d; "": no age
	Retention string `yaml:"retention"`
	// how often serve checks for a changed configuration and newly promoted judges, in addition to SIGHUP; 0: never
	Reload time.Duration `yaml:"reload" least:"0s"`
}

// readConfig reads the configuration file at path, which may be "", and then the environment variables that override
// it.
func readConfig(path string, p process) (c configuration, err error) {
	if err := config.New(&c).Read(path, p.variables()); err != nil {
		return c, err
	}
	return c, c.check()
}

// check returns a usage error about a key whose text does not have the form that the key expects, also if the command
// does not use it.
func (c *configuration) check() error {
	if c.Retention != "" {
		if _, err := store.ParseAge(c.Retention); err != nil {
			return usage("retention: found %w", err)
		}
	}
	if r := c.LateRows; r != "" && r != "error" && r != "nulls" {
		return usage("late_rows: expected error or nulls, found %.40q", r)
	}
	_, err := dayOf("sentinels.since", c.Sentinels.Since)
	return err
}

// metricsConfig is the section metrics of the configuration.
type metricsConfig struct {
	Options    map[string]map[string]any `yaml:"options"`    // defaults of a metric's options, by metric
	Thresholds map[string]float64        `yaml:"thresholds"` // the least value that passes, by metric
	// VerdictTable is a file that badger policy wrote. It replaces the built-in table of the metric
	// verdict.
	VerdictTable string `yaml:"verdict_table"`
	// Primary is the metric that decides whether an answer is right. A run without scores of it has the default one.
	Primary string `yaml:"primary"`
}

// withDefault returns a copy of c in which option of metric is value, unless c sets that option.
func (c metricsConfig) withDefault(metric, option string, value any) metricsConfig {
	of := map[string]any{option: value}
	maps.Copy(of, c.Options[metric])
	c.Options = maps.Clone(c.Options)
	if c.Options == nil {
		c.Options = map[string]map[string]any{}
	}
	c.Options[metric] = of
	return c
}

// engineConfig converts c to the engine's configuration. It reads the file of VerdictTable, if set.
func (c metricsConfig) engineConfig() (scoring.Config, error) {
	out := scoring.Config{Thresholds: c.Thresholds}
	if c.VerdictTable != "" {
		text, err := os.ReadFile(c.VerdictTable)
		if err != nil {
			return out, usage("metrics.verdict_table: %w", err)
		}
		if _, err := policy.Parse(text); err != nil {
			return out, usage("metrics.verdict_table: file %q: %w", filepath.Base(c.VerdictTable), err)
		}
		c = c.withDefault("verdict", "table", string(text))
	}
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
