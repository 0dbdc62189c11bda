package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/badger-eval/badger/internal/execution"
	"github.com/badger-eval/badger/internal/imports/golden"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// goldCheck counts what running the gold queries of a set gave.
type goldCheck struct {
	Ran    int `json:"ran"`
	Failed int `json:"failed"`  // the database rejected it, or it does more than read
	NotRun int `json:"not_run"` // such as without a database
	Empty  int `json:"empty"`   // gold queries of Ran without rows
}

// runGolds runs the gold queries that have no result, and lists those that fail with their reasons, and those whose
// result is empty. Results are kept in a temporary folder until it returns.
func (c *importGolden) runGolds(ctx context.Context, p process, s *golden.Set,
	bar *progressBar) (n *goldCheck, err error) {
	dir, err := os.MkdirTemp("", "badger-golds-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	x, err := (&executeFlags{Execute: c.Run, Snapshots: dir}).open(execution.Config{}, p, false)
	if err != nil {
		if about, ok := strings.CutPrefix(err.Error(), "--execute: "); ok {
			err = usage("--run: %s", about)
		}
		return nil, err
	}
	defer x.Close()
	n = &goldCheck{}
	done := 0
	err = s.Each(func(place string, line []byte) error {
		one, err := scoring.DecodeCase(line)
		if err != nil {
			return err
		}
		runs := make([]bool, len(one.Golds))
		for i := range one.Golds {
			runs[i] = strings.TrimSpace(one.Golds[i].SQL) != "" && one.Golds[i].Result.Absent()
		}
		if err := x.FillGolds(ctx, one); err != nil {
			return err
		}
		for i := range one.Golds {
			if runs[i] {
				c.countGold(p, n, bar, goldPlace(place, one, i), &one.Golds[i])
			}
		}
		done++
		bar.part("gold queries", int64(done), int64(s.Cases))
		return nil
	})
	bar.finish()
	return n, err
}

// goldPlace names a gold query of a case.
func goldPlace(place string, c *scoring.Case, i int) string {
	if len(c.Golds) == 1 {
		return place + ": gold"
	}
	return fmt.Sprintf("%s: gold %d", place, i+1)
}

func (c *importGolden) countGold(p process, n *goldCheck, bar *progressBar, place string, q *scoring.Query) {
	mark, says := "!!", ""
	switch {
	case q.Error != "":
		n.Failed++
		says = "failed: " + q.Error
	case q.Result.Err != nil:
		n.NotRun++
		says = "did not run: " + q.Result.Err.Error()
	default:
		n.Ran++
		if q.Result.Table == nil || q.Result.Table.Rows() > 0 {
			return
		}
		n.Empty++
		mark, says = "! ", "ran, and its result is empty"
	}
	bar.finish()
	fmt.Fprintln(p.stderr, mark, printable.Text(place+" "+says))
}

// print writes the counts. A nil n is not printed.
func (n *goldCheck) print(out io.Writer) {
	if n == nil {
		return
	}
	fmt.Fprintf(out, "%s of the set were run\n", printable.Count(n.Ran+n.Failed+n.NotRun, "gold query"))
	for _, l := range []struct {
		what string
		n    int
	}{
		{"ran", n.Ran}, {"failed; each is listed", n.Failed}, {"did not run; each is listed", n.NotRun},
		{"ran, and their results are empty", n.Empty},
	} {
		if l.n > 0 {
			fmt.Fprintf(out, "  %6d  %s\n", l.n, l.what)
		}
	}
}
