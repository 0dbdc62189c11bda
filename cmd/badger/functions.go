package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/metricdoc"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/tabledoc"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/equality"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/relation"
	"github.com/badger-eval/badger/udf"
)

// groups is the order of the families of functions.
var groups = []string{"verdict", "execution", "sql", "judge", "agent", "general"}

type functionsCommand struct {
	JSON     bool `help:"Print the catalogue as one JSON document."`
	Markdown bool `help:"Print the catalogue as a Markdown page."`
	Metrics  bool `help:"Print a Markdown page of all metrics: formula, source, example."`

	Relations bool `help:"Print a Markdown page of the relations that may hold between two results."`
	Equality  bool `help:"Print a Markdown page of what counts as the same answer, with examples."`
	Tables    bool `help:"Print a Markdown page of badger's tables and of case files."`

	Names []string `arg:"" optional:"" name:"name" help:"Functions to show in full."`
	terminalFlags
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
	if c.Relations {
		_, err := p.stdout.Write(metricdoc.Relations(relation.Kinds()))
		return err
	}
	if c.Equality {
		page, err := metricdoc.Equality(equality.Laws())
		if err != nil {
			return err
		}
		_, err = p.stdout.Write(page)
		return err
	}
	if c.Tables {
		_, err := p.stdout.Write(tabledoc.Page())
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
	width := c.options(p).Width
	if len(c.Names) > 0 {
		return c.show(p, engine, functions, width)
	}
	group := ""
	for i := range functions {
		f := &functions[i]
		if strings.HasSuffix(f.Name, "_json") && f.Metric != "" {
			continue // the twin of every scoring function
		}
		if f.Group != group {
			group = f.Group
			fmt.Fprintf(p.stdout, "%s\n", strings.ToUpper(group))
		}
		lines := printable.Wrap(f.Doc, max(20, width-nameWidth-3))
		if len(lines) == 0 {
			lines = []string{""}
		}
		for k, line := range lines {
			name := ""
			if k == 0 {
				name = f.Name
			}
			fmt.Fprintf(p.stdout, "  %-*s %s\n", nameWidth, name, line)
		}
	}
	fmt.Fprintln(p.stdout, "\nArguments, formula, source and an example: badger functions NAME. Every scoring function has a twin, NAME_json, that returns\nthe whole score: status, value, reason and evidence.")
	return nil
}

// nameWidth is how wide the column of names is.
const nameWidth = 29

// show prints all there is to know of some functions.
func (c *functionsCommand) show(p process, engine *scoring.Engine, functions []udf.Function, width int) error {
	var known []string
	for i := range functions {
		known = append(known, functions[i].Name)
	}
	for k, name := range c.Names {
		i := slices.IndexFunc(functions, func(f udf.Function) bool { return f.Name == name })
		if i < 0 {
			return usage("unknown function %.60q%s", name, scoring.Suggest(name, known))
		}
		if k > 0 {
			fmt.Fprintln(p.stdout)
		}
		f := &functions[i]
		for n, line := range printable.Wrap(f.Signature(), max(20, width-4)) {
			fmt.Fprintln(p.stdout, strings.Repeat(" ", 4*min(n, 1))+line)
		}
		parts := [][2]string{{"", f.Doc}}
		if m, err := engine.Metric(f.Metric); err == nil && f.Name == m.Name {
			parts = append(parts, [2]string{"range", m.Range}, [2]string{"labels", strings.Join(m.Labels, ", ")}, [2]string{"formula", m.Formula}, [2]string{"source", m.Source}, [2]string{"gaming", m.Gaming}, [2]string{"example", m.Example})
			for i := range m.Options.List {
				parts = append(parts, [2]string{"option", m.Options.List[i].String()})
			}
		}
		for _, part := range parts {
			for n, line := range printable.Wrap(part[1], max(20, width-12)) {
				title := ""
				if n == 0 {
					title = part[0]
				}
				fmt.Fprintf(p.stdout, "  %-8s  %s\n", title, line)
			}
		}
	}
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
