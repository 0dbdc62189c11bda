package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/caselist"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/internal/site"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// pagesOf are the pages about runs of a warehouse, as a report that needs no server.
type pagesOf struct {
	process
	w        *connectors.Warehouse
	masked   []string // columns of results
	quiet    bool
	run      string // in it the answers that are chosen
	chosen   func(*connectors.Run) bool
	baseline string // the run that is compared with; "": none
	all      bool   // every case has a page

	cases     batch.Source           // where the cases are that the warehouse lacks; nil: nowhere
	snapshots scoring.SnapshotReader // of results that cases refer to; nil: the warehouse
}

// casesIn finds the cases of a run in what it was made from. A case that is there several times, or that
// cannot be read, is left out.
func casesIn(s batch.Source) connectors.Elsewhere {
	return func(ctx context.Context, run caselist.Run, ids []string) (map[string]*scoring.Case, error) {
		wanted, out := map[scoring.AnswerID]bool{}, map[string]*scoring.Case{}
		for _, id := range ids {
			wanted[scoring.AnswerID{CaseID: id, Agent: run.Agent, Version: run.Version, Batch: run.Batch}] = true
		}
		for item, err := range s.Cases(ctx) {
			if err != nil {
				return nil, err
			}
			if !wanted[item.AnswerID] {
				continue
			}
			_, again := out[item.CaseID]
			if out[item.CaseID] = nil; again {
				continue
			}
			if c, err := item.Load(ctx); err == nil {
				out[item.CaseID] = c
			}
		}
		maps.DeleteFunc(out, func(_ string, c *scoring.Case) bool { return c == nil })
		return out, nil
	}
}

// write writes the pages: one document where the name ends with .html, else a folder.
func (r *pagesOf) write(ctx context.Context, path string) error {
	o, err := r.report(ctx)
	if err != nil {
		return err
	}
	options := site.Options{Warehouse: r.w, Version: version(), Metrics: metric.All(), Masked: r.masked, Now: r.now, Snapshots: r.snapshots}
	if r.cases != nil {
		options.Elsewhere = casesIn(r.cases)
	}
	pages, err := site.New(options)
	if err != nil {
		return err
	}
	bar := newProgressBar(r.stderr, r.quiet || path == export.StandardOutput && isTerminal(r.stdout))
	o.Done = func(done, of int) {
		if done%100 == 0 {
			bar.update(batch.Progress{Done: int64(done), Total: int64(of)})
		}
	}
	defer bar.finish()
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // pages are made and thrown away: collecting them often takes a fifth of the time
	if isFolder(path) {
		return pages.WriteFolder(ctx, path, o)
	}
	file, err := export.Create(export.Target{Flag: "--html", Path: path}, r.stdout)
	if err != nil {
		return err
	}
	defer file.Drop()
	if err := pages.WriteFile(ctx, file, o); err != nil {
		return err
	}
	return file.Done()
}

// say tells what was written.
func (p process) say(path string) {
	if isFolder(path) {
		path = filepath.Join(path, "index.html")
	}
	export.Say(p.stderr, path)
}

// isFolder tells whether pages go to a folder of this name.
func isFolder(path string) bool {
	if info, err := os.Stat(path); err == nil {
		return info.IsDir()
	}
	return path != export.StandardOutput && !slices.Contains([]string{".html", ".htm"}, strings.ToLower(filepath.Ext(path)))
}

// report chooses the rows of eval_runs that the report is about.
func (r *pagesOf) report(ctx context.Context) (o site.Static, err error) {
	o.All = r.all
	rows, err := r.w.Runs(ctx, r.run)
	if err != nil {
		return o, err
	}
	for i := range rows {
		if r.chosen == nil || r.chosen(&rows[i]) {
			o.Runs = append(o.Runs, rows[i].Key())
		}
	}
	if len(o.Runs) == 0 {
		return o, errcode.New(errcode.NotFound, "the run has no answers to report on")
	}
	if r.baseline == "" {
		return o, nil
	}
	if rows, err = r.w.Runs(ctx, r.baseline); err != nil {
		return o, err
	}
	o.Baseline = baselineOf(rows, o.Runs[0])
	return o, nil
}

// baselineOf is the row of a run that another run's row is compared with: of the same agent where
// there is one, the last of several.
func baselineOf(rows []connectors.Run, of caselist.Run) (out caselist.Run) {
	for i := range rows {
		if key := rows[i].Key(); out == (caselist.Run{}) || key.Agent == of.Agent || out.Agent != of.Agent {
			out = key
		}
	}
	return out
}
