package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/badger-eval/badger/connectors/doctor"
	"github.com/badger-eval/badger/deploy/preflight"
	"github.com/badger-eval/badger/sql/store"
)

type doctorCommand struct {
	Source   string        `placeholder:"URL" help:"Warehouse to read, such as duckdb:FILE (default results.warehouse of the configuration)."`
	Config   string        `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`
	ReadOnly bool          `help:"Write nothing (default: create, use and drop a small table in schema badger)."`
	Timeout  time.Duration `default:"2m" help:"Time limit for all checks (default ${default})."`
	Execute  string        `placeholder:"URL" help:"Warehouse that runs queries, such as duckdb:shop.duckdb (its role is checked; default execute.url of the configuration)."`
	Values   string        `placeholder:"FILE" help:"Values of badger install in YAML (to check its functions, roles, grants and endpoint)."`
	JSON     bool          `help:"Print one JSON document."`

	Deployment bool `help:"Check the place where badger serve is to run, from the inside, and list the hosts that the configuration contacts."`
}

// Help returns the detailed help text, for kong.
func (doctorCommand) Help() string {
	return "Each check is ok, a warning or failed; the last two come with a remedy. The exit code is 1 if a check failed."
}

// Run checks a warehouse or, with --deployment, the environment of badger serve, and prints the findings.
func (c *doctorCommand) Run(ctx context.Context, p process) error {
	if c.Timeout <= 0 {
		return usage("--timeout: expected a duration above 0, such as 2m")
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	if c.Deployment {
		if c.Values != "" {
			return usage("--values and --deployment exclude each other")
		}
		return c.runDeployment(ctx, p)
	}
	config, err := readConfig(c.Config, p)
	if err != nil {
		return err
	}
	if _, err := config.Metrics.engineConfig(); err != nil {
		return err
	}
	retention := time.Duration(0)
	if config.Retention != "" {
		if retention, err = store.ParseAge(config.Retention); err != nil {
			return usage("retention: %w", err)
		}
	}
	source := c.Source
	if source == "" {
		source = config.Results.Warehouse
	}
	if source == "" && c.Values != "" {
		return usage("expected --source URL with --values, or a configuration with results.warehouse")
	}
	execute := cmp.Or(c.Execute, config.Execute.URL)
	if source == "" && execute == "" {
		return usage("expected --source URL or --execute URL, or a configuration with results.warehouse or execute.url")
	}
	for _, url := range []string{source, execute} {
		if url != "" {
			if err := checkBuilt(url); err != nil {
				return err
			}
		}
	}
	report := doctor.Report{OK: true}
	if source != "" {
		report = doctor.Examine(ctx, doctor.Options{
			Open: func(ctx context.Context, only bool) (*store.Store, error) {
				return openWarehouse(ctx, source, only)
			},
			ReadOnly: c.ReadOnly, Now: p.now, Retention: retention,
		})
		report.Add(config.Judge.Examine(ctx, p.judging(), source)...)
		report.Add(sentinelCheck(ctx, p, source, config.Sentinels)...)
	}
	switch {
	case strings.Contains(execute, "{database}"):
		report.Add(doctor.Check{Name: doctor.Execution, Status: doctor.Skipped, Detail: "each case names its own database",
			Fix: "name one with --execute"})
	case execute != "":
		report.Add(doctor.ExamineExecution(ctx, func(ctx context.Context) (*store.Store, error) {
			return openWarehouse(ctx, execute, readOnly)
		}))
	}
	if c.Values != "" {
		checks, err := installation(ctx, p, c.Values, source)
		if err != nil {
			return err
		}
		report.Add(checks...)
	}
	if c.JSON {
		err = writeJSON(p, report)
	} else {
		err = printReport(p, report)
	}
	if err == nil && !report.OK {
		err = errGate
	}
	return err
}

// printReport prints a line for each check and, if the check has a remedy, a second line with it.
func printReport(p process, r doctor.Report) error {
	t := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	for _, c := range r.Checks {
		fmt.Fprintf(t, "%s\t%s\t%s\n", c.Status, c.Name, c.Detail)
		if c.Fix != "" {
			fmt.Fprintf(t, "\t\tto do: %s\n", c.Fix)
		}
	}
	return t.Flush()
}

// deploymentReport holds the findings about the environment in which badger serve will run.
type deploymentReport struct {
	doctor.Report
	Contacts []preflight.Contact `json:"contacts"`
}

// runDeployment checks the environment for badger serve, and prints the findings and the hosts that the configuration
// contacts.
func (c *doctorCommand) runDeployment(ctx context.Context, p process) error {
	config, _, err := (&serveCommand{Config: c.Config}).configuration(p)
	if err != nil {
		return err
	}
	config.Results.Warehouse = cmp.Or(c.Source, config.Results.Warehouse)
	hosts, err := config.hosts()
	if err != nil {
		return err
	}
	url := config.Results.Warehouse
	report := deploymentReport{preflight.Examine(ctx, preflight.Config{
		Listen: config.Listen, TLS: preflight.TLS(config.TLS), Auth: config.Auth, Judge: config.Judge, Traces: config.Traces,
		Warehouse: url,
	}, preflight.Options{
		Open: func(ctx context.Context, only bool) (*store.Store, error) {
			return openWarehouse(ctx, url, only)
		},
		Existing: func(ctx context.Context) (*store.Store, error) { return openExisting(ctx, url) },
		Judged:   p.judging(), ReadOnly: c.ReadOnly,
	}), hosts}
	if c.JSON {
		err = writeJSON(p, report)
	} else if err = printReport(p, report.Report); err == nil {
		fmt.Fprintln(p.stdout)
		printHosts(p.stdout, "", hosts)
	}
	if err == nil && !report.OK {
		err = errGate
	}
	return err
}
