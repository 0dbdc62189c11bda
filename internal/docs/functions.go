package docs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf"
)

// families is the order of the families of functions: those of metrics, and then what is no metric.
var families = func() (names []string) {
	for _, g := range groups {
		names = append(names, g.name)
	}
	return append(names, "general")
}()

// Functions is the catalogue of functions as people read it, in the order of metrics; general ones come
// last.
type Functions struct {
	engine *scoring.Engine
	list   []udf.Function
}

// NewFunctions is the catalogue of an engine's functions. Version is the program's.
func NewFunctions(engine *scoring.Engine, version string) (*Functions, error) {
	catalogue, err := udf.NewCatalogue(engine, &udf.CatalogueOptions{Version: version})
	if err != nil {
		return nil, err
	}
	list := slices.Clone(catalogue.Functions())
	slices.SortStableFunc(list, func(a, b udf.Function) int {
		return cmp.Compare(slices.Index(families, a.Group), slices.Index(families, b.Group))
	})
	return &Functions{engine, list}, nil
}

// WriteJSON writes the catalogue as one JSON document.
func (c *Functions) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(map[string]any{"functions": c.list})
}

// Print lists the functions for a terminal of so many columns, without the twins that return JSON.
func (c *Functions) Print(w io.Writer, width int) {
	group := ""
	for i := range c.list {
		f := &c.list[i]
		if strings.HasSuffix(f.Name, "_json") && f.Metric != "" {
			continue // the twin of every scoring function
		}
		if f.Group != group {
			group = f.Group
			fmt.Fprintf(w, "%s\n", strings.ToUpper(group))
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
			fmt.Fprintf(w, "  %-*s %s\n", nameWidth, name, line)
		}
	}
	fmt.Fprintln(w, "\nArguments, formula, source and an example: badger functions NAME. Every scoring function has a twin, NAME_json, that returns\nthe whole score: status, value, reason and evidence.")
}

// nameWidth is how wide the column of names is.
const nameWidth = 29

// Show prints all there is to know of some functions. An unknown name is a usage error, which offers the
// nearest names.
func (c *Functions) Show(w io.Writer, width int, names ...string) error {
	var known []string
	for i := range c.list {
		known = append(known, c.list[i].Name)
	}
	for k, name := range names {
		i := slices.IndexFunc(c.list, func(f udf.Function) bool { return f.Name == name })
		if i < 0 {
			return errcode.Usage("unknown function %.60q%s", name, scoring.Suggest(name, known))
		}
		if k > 0 {
			fmt.Fprintln(w)
		}
		f := &c.list[i]
		for n, line := range printable.Wrap(f.Signature(), max(20, width-4)) {
			fmt.Fprintln(w, strings.Repeat(" ", 4*min(n, 1))+line)
		}
		parts := [][2]string{{"", f.Doc}}
		if m, err := c.engine.Metric(f.Metric); err == nil && f.Name == m.Name {
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
				fmt.Fprintf(w, "  %-8s  %s\n", title, line)
			}
		}
	}
	return nil
}

// Page is a Markdown page of the functions.
func (c *Functions) Page() []byte {
	var b strings.Builder
	b.WriteString("# Functions\n\nWhat can be called from SQL and over the wire. This page is generated from the catalogue: `badger functions --markdown`.\n\n" +
		"A function is NULL where there is no score, never 0. Its twin `NAME_json` returns the whole score as JSON: status, value, label, passed, reason, detail.\n" +
		"Results are inline JSON (`{\"columns\":[…],\"rows\":[[…]]}`) or references (`query:ID`, `table:NAME`, `file:PATH`).\n\n" +
		"| function | returns | what it says |\n| --- | --- | --- |\n")
	for i := range c.list {
		f := &c.list[i]
		if strings.HasSuffix(f.Name, "_json") && f.Metric != "" {
			continue
		}
		call, result, _ := strings.Cut(f.Signature(), " -> ")
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", call, result, strings.ReplaceAll(f.Doc, "|", "\\|"))
	}
	return []byte(b.String())
}
