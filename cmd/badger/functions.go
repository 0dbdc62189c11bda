package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/badger-eval/badger/internal/metricdoc"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/udf"
)

// groups is the order of the families of functions.
var groups = []string{"execution", "sql", "judge", "agent", "general"}

type functionsCommand struct {
	JSON     bool `help:"Print the catalogue as one JSON document."`
	Markdown bool `help:"Print the catalogue as a Markdown page."`
	Metrics  bool `help:"Print a Markdown page of all metrics: formula, source, example."`
}

// Run lists the catalogue.
func (c *functionsCommand) Run(_ context.Context, p process) error {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		return err
	}
	if c.Metrics {
		_, err := p.stdout.Write(metricdoc.Page(engine.Metrics()))
		return err
	}
	catalogue, err := udf.NewCatalogue(engine, &udf.CatalogueOptions{Version: version()})
	if err != nil {
		return err
	}
	functions := slices.Clone(catalogue.Functions())
	slices.SortStableFunc(functions, func(a, b udf.Function) int { // the way metrics are listed; general ones last
		return cmp.Compare(slices.Index(groups, a.Group), slices.Index(groups, b.Group))
	})
	switch {
	case c.JSON:
		e := json.NewEncoder(p.stdout)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(map[string]any{"functions": functions})
	case c.Markdown:
		fmt.Fprint(p.stdout, functionsPage(functions))
		return nil
	}
	w := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	group := ""
	for i := range functions {
		f := &functions[i]
		if strings.HasSuffix(f.Name, "_json") && f.Metric != "" {
			continue // the twin of every scoring function
		}
		if f.Group != group {
			group = f.Group
			fmt.Fprintf(w, "%s\t\t\n", strings.ToUpper(group))
		}
		fmt.Fprintf(w, "  %s\t%s\n", f.Signature(), f.Doc)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, "\nEvery scoring function has a twin, NAME_json, that returns the whole score: status, value, reason and evidence.")
	return nil
}

func functionsPage(functions []udf.Function) string {
	var b strings.Builder
	b.WriteString("# Functions\n\nWhat can be called from SQL and over the wire. This page is generated from the catalogue: `badger functions --markdown`.\n\n" +
		"A function is NULL where there is no score, never 0. Its twin `NAME_json` returns the whole score as JSON: status, value, label, passed, reason, detail.\n" +
		"Results are inline JSON (`{\"columns\":[…],\"rows\":[[…]]}`) or references (`query:ID`, `table:NAME`, `file:PATH`).\n\n" +
		"| function | returns | what it says |\n| --- | --- | --- |\n")
	for i := range functions {
		f := &functions[i]
		if strings.HasSuffix(f.Name, "_json") && f.Metric != "" {
			continue
		}
		call, result, _ := strings.Cut(f.Signature(), " -> ")
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", call, result, strings.ReplaceAll(f.Doc, "|", "\\|"))
	}
	return b.String()
}
