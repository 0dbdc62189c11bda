package site

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// IsFolder reports whether pages go to a folder of this name, and not to one file or standard output (-).
func IsFolder(path string) bool {
	if info, err := os.Stat(path); err == nil {
		return info.IsDir()
	}
	return path != "-" && !slices.Contains([]string{".html", ".htm"}, strings.ToLower(filepath.Ext(path)))
}

// StaticOf chooses the rows of eval_runs that a report is about: those of a run whose answers a pattern
// names, and of another run the one that they are compared with; "": none.
func StaticOf(ctx context.Context, w *store.Store, run string, of scoring.AnswerID,
	baseline string) (o Static, err error) {
	rows, err := w.Runs(ctx, run)
	if err != nil {
		return o, err
	}
	for i := range rows {
		if rows[i].Matches(of.By) {
			o.Runs = append(o.Runs, rows[i].RunID)
		}
	}
	if len(o.Runs) == 0 {
		return o, errcode.New(errcode.NotFound, "the run has no answers to report on")
	}
	if baseline == "" {
		return o, nil
	}
	if rows, err = w.Runs(ctx, baseline); err != nil {
		return o, err
	}
	o.Baseline = baselineOf(rows, o.Runs[0])
	return o, nil
}

// baselineOf returns the row of a run that another run's row is compared with: of the same agent if there is one,
// the last of several.
func baselineOf(rows []store.Run, of scoring.RunID) (out scoring.RunID) {
	for i := range rows {
		if key := rows[i].RunID; out == (scoring.RunID{}) || key.Agent == of.Agent || out.Agent != of.Agent {
			out = key
		}
	}
	return out
}
