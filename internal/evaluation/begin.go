package evaluation

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Begin returns a usage error if a run to resume does not exist, or a new one exists already. Then it opens the score
// file, unless file is "". The caller closes e.ScoreFile.
func (e *Run) Begin(ctx context.Context, file string) (err error) {
	if err := e.found(ctx, file); err != nil || file == "" {
		return err
	}
	open := batch.CreateScoreFile
	if e.Resumed {
		open = batch.OpenScoreFile
	}
	e.ScoreFile, err = open(file)
	return err
}

// found returns a usage error if a run to resume has no scores, or a new run has some in the database. It reads the
// rows of eval_runs of an existing run.
func (e *Run) found(ctx context.Context, file string) error {
	if e.Warehouse == nil {
		if !e.Resumed {
			return nil
		}
		if info, err := os.Stat(file); file == "" || err != nil || info.Size() == 0 {
			return errcode.Usage(
				"--resume: no scores of run %q: with --no-to they are read from the file of --scores; expected an existing file",
				e.ID)
		}
		return nil
	}
	runs, err := e.Warehouse.Runs(ctx, e.ID)
	if err != nil {
		return err
	}
	there := len(runs) > 0
	for _, err := range e.Warehouse.Scores(ctx, e.ID) {
		if err != nil {
			return err
		}
		there = true
		break
	}
	switch {
	case e.Resumed && !there:
		latest, err := e.Warehouse.LatestRuns(ctx, 5)
		if err != nil {
			return err
		}
		if len(latest) == 0 {
			return errcode.Usage("--resume: there is no run %.80q; the database holds no runs", e.ID)
		}
		return errcode.Usage("--resume: there is no run %.80q; the latest runs are %s", e.ID, strings.Join(latest, ", "))
	case !e.Resumed && there:
		return errcode.Usage("--run-id: run %.80q already exists; continue it with --resume %[1]s, or choose another name",
			e.ID)
	}
	e.earlier = map[scoring.RunID]store.Run{}
	for _, r := range runs {
		e.earlier[r.RunID] = r
	}
	if e.Resumed {
		return e.Warehouse.FillKeys(ctx, e.ID)
	}
	return nil
}

// SameConfiguration returns a usage error if the run to resume had another configuration of metrics.
func (e *Run) SameConfiguration() error {
	for _, r := range e.earlier {
		if what := otherConfiguration(r.Config, toJSON(e.Config)); what != "" {
			return errcode.Usage(
				"--resume: run %.80q has another configuration (%s); use the same configuration, or start a new run", e.ID, what)
		}
	}
	return nil
}

// otherConfiguration returns the first difference between two JSON configurations of metrics, such as
// thresholds.hybrid_ex; "" if they are equal or one cannot be parsed. The texts may differ, because warehouses may
// reformat JSON.
func otherConfiguration(was, is string) string {
	var a, b map[string]map[string]any
	if json.Unmarshal([]byte(was), &a) != nil || json.Unmarshal([]byte(is), &b) != nil {
		return ""
	}
	for _, part := range slices.Sorted(maps.Keys(merged(a, b))) {
		for _, metric := range slices.Sorted(maps.Keys(merged(a[part], b[part]))) {
			if !reflect.DeepEqual(a[part][metric], b[part][metric]) {
				return part + "." + metric
			}
		}
	}
	return ""
}

// merged returns a map with the keys of both maps.
func merged[V any](a, b map[string]V) map[string]V {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]V{}
	}
	maps.Copy(out, b)
	return out
}

// modes are the branches of metrics that each mode computes (BADGER, section 3.2).
var modes = map[string]scoring.Branch{
	"text2sql_only": scoring.BranchSQL, "agentic_only": scoring.BranchAgentic,
	"both": scoring.BranchSQL | scoring.BranchAgentic,
}

// ChooseMetrics returns the names of the named metrics. Without names, it returns those of the mode; of metrics that
// need a judge only those for which judged is true. Unknown names are a usage error.
func ChooseMetrics(engine *scoring.Engine, named []string, mode string,
	judged func(*scoring.Metric) bool) ([]string, error) {
	metrics, err := engine.Choose(named, func(m *scoring.Metric) bool {
		return m.Branch&modes[mode] != 0 && (m.Needs&scoring.FieldJudge == 0 || judged(m))
	})
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	out := make([]string, len(metrics))
	for i, m := range metrics {
		out[i] = m.Name
	}
	return out, nil
}

// NewID returns a run id that sorts by time and ends in a random number.
func NewID(now time.Time) string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // never fails
	return now.UTC().Format("20060102T150405") + "-" + hex.EncodeToString(b[:])
}
