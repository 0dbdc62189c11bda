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

// Begin checks that a resumed run exists, and that a new one does not. Otherwise it returns a usage error. Then it
// opens the file for scores, in addition to a database or instead of one; "" is none. Close e.ScoreFile at the end.
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

// found finds the scores that the run has already.
func (e *Run) found(ctx context.Context, file string) error {
	if e.Warehouse == nil {
		if !e.Resumed {
			return nil
		}
		if info, err := os.Stat(file); file == "" || err != nil || info.Size() == 0 {
			return errcode.Usage("--resume: nothing holds scores of run %q: with --no-to they are read from the file of --scores, which must be there", e.ID)
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

// SameConfiguration finds what a run that is resumed was configured otherwise, which is a mistake of the
// user: a run has one configuration.
func (e *Run) SameConfiguration() error {
	for _, r := range e.earlier {
		if what := otherConfiguration(r.Config, toJSON(e.Config)); what != "" {
			return errcode.Usage(
				"--resume: run %.80q has another configuration (%s); use the same configuration, or start a new run", e.ID, what)
		}
	}
	return nil
}

// otherConfiguration names what differs between two configurations of metrics in JSON, such as
// thresholds.hybrid_ex; "" if nothing does, or the first is not recorded. Warehouses may write
// JSON anew.
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

// merged has the keys of both maps.
func merged[V any](a, b map[string]V) map[string]V {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]V{}
	}
	maps.Copy(out, b)
	return out
}

// modes are the branches that each mode evaluates (BADGER, section 3.2); metrics declare theirs.
var modes = map[string]scoring.Branch{
	"text2sql_only": scoring.BranchSQL, "agentic_only": scoring.BranchAgentic,
	"both": scoring.BranchSQL | scoring.BranchAgentic,
}

// ChooseMetrics checks the named metrics, or returns those of the mode: among metrics that need a judge, those for
// which judged returns true.
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

// NewID makes a name that sorts by time and is not met again.
func NewID(now time.Time) string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // never fails
	return now.UTC().Format("20060102T150405") + "-" + hex.EncodeToString(b[:])
}
