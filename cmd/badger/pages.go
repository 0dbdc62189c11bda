package main

import (
	"context"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/internal/site"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// pagesOf are the options for writing the web report of a run as static HTML.
type pagesOf struct {
	process
	w        *store.Store
	masked   []string // result columns to mask
	quiet    bool
	run      string           // ID of the run
	of       scoring.AnswerID // pattern of the answers in run to report on
	baseline string           // ID of the run to compare with; "": none
	all      bool             // write a page for every case
	primary  string           // the declared primary metric; may be ""
	since    time.Time        // earlier verdicts on sentinel cases are ignored; zero: none

	cases     batch.Source           // source of cases that the warehouse does not store; nil: none
	snapshots scoring.SnapshotReader // reads the results that cases refer to; nil: the warehouse
}

// write writes the report to path: one HTML document if path is "-" or ends with .html or .htm, otherwise a folder.
func (r *pagesOf) write(ctx context.Context, path string) error {
	o, err := site.StaticOf(ctx, r.w, r.run, r.of, r.baseline)
	if err != nil {
		return err
	}
	o.All = r.all
	options := site.Options{Warehouse: r.w, Version: version(), Metrics: metric.All(), Masked: r.masked, Now: r.now,
		Snapshots: r.snapshots, Primary: r.primary, Since: r.since}
	if r.cases != nil {
		options.Elsewhere = cases.Elsewhere(r.cases)
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
	// pages are made and thrown away: collecting them often takes a fifth of the time
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	if site.IsFolder(path) {
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

// say prints path to standard error; for a report in a folder, that of its index.html.
func (p process) say(path string) {
	if site.IsFolder(path) {
		path = filepath.Join(path, "index.html")
	}
	export.Say(p.stderr, path)
}
