package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/imports/golden"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/scoring"
)

type exportCommand struct {
	Cases string `placeholder:"FILE" help:"Case file in JSON Lines."`
	To    string `placeholder:"KIND" required:"" help:"Form to write: bird, cortex-analyst, csv, defog, evalbench, genie, langfuse, langsmith, mlflow or spider. With --tracking, the program that scores are sent to: langfuse or mlflow."`
	Out   string `placeholder:"FILE" help:"File to write (- is standard output)."`
	scoresExport
	JSON bool `help:"Print one JSON document."`
}

// Run writes the cases of a file in the form of another product, or sends the scores of a run to one. What the form has
// no field for is counted.
func (c *exportCommand) Run(ctx context.Context, p process) error {
	if c.Tracking != "" {
		return c.sendScores(ctx, p)
	}
	if err := c.scoresExport.unused(); err != nil {
		return err
	}
	for _, flag := range [][2]string{{"--cases FILE", c.Cases}, {"--out FILE", c.Out}} {
		if flag[1] == "" {
			return usage("expected %s, or --tracking URL for the scores of a run", flag[0])
		}
	}
	kind := golden.KindNamed(c.To)
	if kind == nil || !slices.Contains(golden.Written(), c.To) {
		return usage("--to: expected one of %s, found %q%s", strings.Join(golden.Written(), ", "), c.To,
			scoring.Suggest(c.To, golden.Written()))
	}
	if _, err := os.Stat(c.Cases); err != nil {
		return flagError("--cases", err)
	}
	var lost golden.Lost
	write := func(out io.Writer) (err error) {
		lost, err = golden.Export(ctx, kind, caseLines(c.Cases), func(ref string) string {
			return resultfile.Moved(ref, folderOf(c.Cases), folderOf(c.Out))
		}, out)
		return err
	}
	var err error
	if c.Out == "-" {
		err = write(p.stdout)
	} else {
		err = replaceFile("--out", c.Out, write)
	}
	if err != nil {
		return err
	}
	if c.Out == "-" {
		p.stdout = p.stderr
	}
	if c.JSON {
		return writeJSON(p, lost)
	}
	fmt.Fprintf(p.stdout, "%s written to %s in the form of %s\n", printable.Count(lost.Written, "case"),
		printable.Text(c.Out), kind.Title)
	for _, what := range slices.Sorted(maps.Keys(lost.What)) {
		fmt.Fprintf(p.stdout, "  %6d  cases with %s, for which the form has no field; not written\n", lost.What[what], what)
	}
	return nil
}

// caseLines returns the lines of a case file.
func caseLines(path string) golden.Lines {
	return func(ctx context.Context) iter.Seq2[golden.Line, error] {
		return func(yield func(golden.Line, error) bool) {
			f, err := os.Open(path)
			if err != nil {
				yield(golden.Line{}, errcode.AsUsage(err))
				return
			}
			defer f.Close() //nolint:errcheck // only read
			for item, err := range (batch.FileSource{Path: path}).Cases(ctx) {
				line := golden.Line{Place: item.Place, Text: make([]byte, item.Length)}
				if err == nil {
					_, err = f.ReadAt(line.Text, item.Offset)
				}
				if err != nil {
					yield(line, fmt.Errorf("%s: %w", filepath.Base(path), err))
					return
				}
				if !yield(line, nil) {
					return
				}
			}
		}
	}
}
