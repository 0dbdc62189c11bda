//go:build !no_duckdb

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
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
	if c.Write && path == ":memory:" {
		return usage("--write has no effect on a database in memory; expected --db FILE with it")
	}
	if scheme, _, ok := strings.Cut(c.DB, ":"); ok && path == c.DB && c.DB != ":memory:" && isWarehouse(c.DB) {
		return usage("--db: expected a file of DuckDB, found the URL of another warehouse (%s:); badger install creates the functions in a warehouse", scheme)
	}
	if err := c.notSQL(); err != nil {
		return err
	}
	config, err := readConfig(c.Config, p)
	if err != nil {
		return err
	}
	if config.Judge, err = c.judged(config.Judge); err != nil {
		return err
	}
	config.Judges = append(config.Judges, c.Judges...)
	var nulls nullCalls
	w, judge, err := openWithFunctions(ctx, p, path, !c.Write && path != ":memory:", functionsConfig{config, &nulls})
	if err != nil {
		return aboutURL(err, "duckdb:"+path)
	}
	defer judge.Close()
	defer w.Close()
	t, err := w.Query(ctx, query)
	if err != nil {
		err = engineMessage(err)
		if !c.Write && path != ":memory:" && errcode.Of(err) == errcode.PermissionDenied {
			return errcode.New(errcode.Of(err), "%w; --write allows SQL to change the file", err)
		}
		return err
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

// notSQL returns a usage error if the argument is the name of a file and not SQL.
func (c *sqlCommand) notSQL() error {
	if c.Query == "" || strings.ContainsAny(c.Query, " \t\n;(") {
		return nil
	}
	switch ext := strings.ToLower(filepath.Ext(c.Query)); {
	case ext == ".sql":
		return usage("the argument %s is the name of a file; write badger sql < %[1]s", printable.Shell(c.Query))
	case databaseFile(strings.ToLower(c.Query)) || strings.HasPrefix(c.Query, "duckdb:"):
		return usage("the argument %s is the name of a database; write --db %[1]s and the SQL", printable.Shell(c.Query))
	case ext == ".csv" || ext == ".parquet" || ext == ".json" || ext == ".jsonl":
		return usage("the argument %s is the name of a file; write badger sql \"SELECT * FROM '%s'\"", printable.Shell(c.Query), c.Query)
	}
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
