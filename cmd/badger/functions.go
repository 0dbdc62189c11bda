package main

import (
	"context"

	"github.com/badger-eval/badger/deploy/preflight"
	"github.com/badger-eval/badger/internal/docs"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/relation"
)

type functionsCommand struct {
	JSON     bool `help:"Print one JSON document."`
	Markdown bool `help:"Print the functions as a Markdown page."`
	Metrics  bool `help:"Print the metrics as a Markdown page."`

	Relations bool   `help:"Print the relations between two results as a Markdown page."`
	Equality  bool   `help:"Print the laws of equality as a Markdown page."`
	Tables    bool   `help:"Print tables and case files as a Markdown page."`
	Python    bool   `hidden:"" help:"Print the functions as a module of the Python package."`
	DBT       string `hidden:"" name:"dbt" help:"Print a file of the dbt package: macros, descriptions, tables or figures."`
	Hosts     bool   `hidden:"" help:"Print the hosts that badger contacts as a Markdown page."`

	Names []string `arg:"" optional:"" name:"name" help:"Functions to describe."`
	terminalFlags
}

// Run lists the scoring functions, or prints the documentation page that a flag selects.
func (c *functionsCommand) Run(_ context.Context, p process) error {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		return err
	}
	if c.Metrics {
		_, err := p.stdout.Write(docs.Metrics(engine.Metrics()))
		return err
	}
	if c.Relations {
		_, err := p.stdout.Write(docs.Relations(relation.Kinds()))
		return err
	}
	if c.Equality {
		page, err := docs.Equality(cell.Laws())
		if err != nil {
			return err
		}
		_, err = p.stdout.Write(page)
		return err
	}
	if c.Tables {
		_, err := p.stdout.Write(docs.Tables())
		return err
	}
	if c.Hosts {
		page, err := preflight.HostsPage(linkedConnectors(), providers)
		if err != nil {
			return err
		}
		_, err = p.stdout.Write(page)
		return err
	}
	functions, err := docs.NewFunctions(engine, version())
	switch {
	case err != nil:
		return err
	case c.JSON:
		return functions.WriteJSON(p.stdout)
	case c.Markdown:
		_, err := p.stdout.Write(functions.Page())
		return err
	case c.DBT != "":
		file, err := functions.DBT(c.DBT)
		if err != nil {
			return err
		}
		_, err = p.stdout.Write(file)
		return err
	case c.Python:
		_, err := p.stdout.Write(functions.Python())
		return err
	case len(c.Names) > 0:
		return functions.Show(p.stdout, c.options(p).Width, c.Names...)
	}
	functions.Print(p.stdout, c.options(p).Width)
	return nil
}
