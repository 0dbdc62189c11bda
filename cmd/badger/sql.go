//go:build !no_duckdb

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

type sqlCommand struct {
	DB     string   `name:"db" default:":memory:" placeholder:"FILE" help:"DuckDB file (default a database in memory)."`
	Query  string   `arg:"" optional:"" help:"SQL to run (default standard input)."`
	Write  bool     `help:"Allow SQL to change the file."`
	Judges []string `placeholder:"FILE" help:"Judge files to load, in addition to promoted or configured judges."`
	Config string   `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`
	JSON   bool     `help:"Print one JSON document."`
	judgeFlags
	terminalFlags
}

// Run runs one query in an embedded engine that has the scoring functions, and prints its result.
func (c *sqlCommand) Run(ctx context.Context, p process) error {
	query := c.Query
	if query == "" {
		text, err := io.ReadAll(io.LimitReader(p.stdin, 1<<20))
		if err != nil {
			return err
		}
		query = string(text)
	}
	if strings.TrimSpace(query) == "" {
		return usage("expected a query")
	}
	path := strings.TrimPrefix(c.DB, "duckdb:")
	config, err := readConfig(c.Config, p)
	if err != nil {
		return err
	}
	if config.Judge, err = c.over(config.Judge); err != nil {
		return err
	}
	config.Judges = append(config.Judges, c.Judges...)
	var nulls nullCalls
	w, judge, err := openWithFunctions(ctx, p, path, !c.Write && path != ":memory:", functionsConfig{config, &nulls})
	if err != nil {
		return err
	}
	defer judge.Close()
	defer w.Close()
	t, err := w.Query(ctx, query)
	if err != nil {
		return engineMessage(err)
	}
	judge.PrintUsage(p.stderr)
	defer nulls.print(p.stderr)
	if c.JSON {
		_, err := fmt.Fprintln(p.stdout, string(t.AppendJSON(nil)))
		return err
	}
	printTable(p.stdout, t, 60)
	return nil
}

// engineMessage returns the engine's own message for a failed query. Other commands omit it, because it may contain
// data or SQL of others; here the user wrote the query.
func engineMessage(err error) error {
	code, own := errcode.Of(err), err
	for inner := errors.Unwrap(own); inner != nil; inner = errors.Unwrap(own) {
		own = inner
	}
	return errcode.New(code, "%s", strings.TrimSpace(own.Error()))
}

// printTable prints a table with aligned columns. Cells are cut to width characters.
func printTable(w io.Writer, t *scoring.Table, width int) {
	cells := make([][]string, t.Rows()+1)
	for r := range cells {
		cells[r] = make([]string, len(t.Columns))
		for c := range t.Columns {
			s := t.Columns[c].Name
			if r > 0 {
				s = t.Columns[c].Value(r - 1).String()
			}
			cells[r][c] = printable.Cell(s, width)
		}
	}
	widths := make([]int, len(t.Columns))
	for _, row := range cells {
		for c, s := range row {
			widths[c] = max(widths[c], len([]rune(s)))
		}
	}
	for r, row := range cells {
		var b strings.Builder
		for c, s := range row {
			if t.Columns[c].Type.Numeric() {
				fmt.Fprintf(&b, "%*s  ", widths[c], s)
			} else {
				fmt.Fprintf(&b, "%-*s  ", widths[c], s)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
		if r == 0 {
			total := 0
			for _, n := range widths {
				total += n + 2
			}
			fmt.Fprintln(w, strings.Repeat("─", max(0, total-2)))
		}
	}
}
