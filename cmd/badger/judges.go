package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/custom"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// withJudges returns the standard metrics, followed by the judges: those in files, and the latest version of each
// judge promoted in one of the warehouses. A file overrides a promoted judge of the same name.
func withJudges(ctx context.Context, files []string, promoted ...*store.Store) ([]scoring.Metric, error) {
	judges := map[string]*custom.Judge{}
	for _, w := range promoted {
		if w == nil {
			continue
		}
		newest, err := w.NewestJudges(ctx)
		if err != nil {
			return nil, err
		}
		for i := range newest {
			p := &newest[i]
			if have := judges[p.Name]; have != nil && have.Version >= p.Version {
				continue
			}
			j, err := custom.Load(ctx, custom.FileName(p.Name, custom.Kind(p.Kind)), []byte(p.Source), judgeOptions())
			if err != nil {
				return nil, errcode.New(errcode.Of(err), "promoted judge %s, version %d: %w%s", p.Name, p.Version, err,
					switchOff(p.Name))
			}
			if j.Name != p.Name || j.Version != p.Version {
				return nil, errcode.New(errcode.DataLoss, "promoted judge %s, version %d: it contains another judge",
					p.Name, p.Version)
			}
			if err := nameFree(ctx, p.Name); err != nil {
				return nil, errcode.New(errcode.Of(err), "promoted judge %s, version %d: %w%s", p.Name, p.Version, err,
					switchOff(p.Name))
			}
			judges[p.Name] = j
		}
	}
	named := map[string]bool{}
	for _, path := range files {
		j, err := loadJudge(ctx, path, nil)
		if err != nil {
			return nil, err
		}
		if named[j.Name] {
			return nil, usage("--judges: two files hold a judge called %s", j.Name)
		}
		if err := nameFree(ctx, j.Name); err != nil {
			return nil, usage("judge file %q: %w", j.File, err)
		}
		named[j.Name], judges[j.Name] = true, j
	}
	all := standardMetrics()
	standard := len(all)
	for _, j := range judges {
		all = append(all, j.Metric())
	}
	slices.SortFunc(all[standard:], func(a, b scoring.Metric) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

// standardMetrics returns the built-in metrics. They search counterexamples with smallDatabases, which is nil in a
// build without DuckDB.
func standardMetrics() []scoring.Metric {
	return metric.With(metric.Tools{Counterexamples: smallDatabases})
}

// switchOff returns the end of an error message with the command that deactivates the promoted judge name.
func switchOff(name string) string {
	return "; badger judge retire " + name + " --from URL switches it off"
}

// loadJudge loads a judge file. Errors in the file are usage errors.
func loadJudge(ctx context.Context, path string, print func(string)) (*custom.Judge, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errcode.NoFile("judge ", path)
	case err == nil && info.IsDir():
		return nil, usage("judge file %q is a folder; expected a file in YAML or Starlark, as badger judge new writes it", path)
	case err == nil && info.Size() > 1<<20:
		return nil, usage("judge file %q is larger than 1 MiB", path)
	case err != nil:
		return nil, usage("judge file: %w", err)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, usage("judge file: %w", err)
	}
	o := judgeOptions()
	o.Print = print
	j, err := custom.Load(ctx, path, source, o)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	return j, nil
}

func judgeOptions() *custom.Options { return &custom.Options{SQL: judgeSQL} }
