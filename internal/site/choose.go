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

// IsFolder reports whether a static report at path is a folder: path is a folder, or it is neither "-" (standard
// output), nor named *.html or *.htm, nor a device or a pipe.
func IsFolder(path string) bool {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return info.IsDir()
	}
	return path != "-" && !slices.Contains([]string{".html", ".htm"}, strings.ToLower(filepath.Ext(path)))
}

// StaticOf returns the rows of eval_runs for a static report: all of run that match of.By, and the row of the run
// baseline to compare them with, unless baseline is "". It returns NotFound if no row of run matches.
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

// baselineOf returns the last of rows that has the agent of the run of, or else the last row. It returns the zero RunID
// if rows is empty.
func baselineOf(rows []store.Run, of scoring.RunID) (out scoring.RunID) {
	for i := range rows {
		if key := rows[i].RunID; out == (scoring.RunID{}) || key.Agent == of.Agent || out.Agent != of.Agent {
			out = key
		}
	}
	return out
}
