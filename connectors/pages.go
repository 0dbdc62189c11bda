package connectors

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/caselist"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	badgersql "github.com/badger-eval/badger/sql"
)

// Pages answers what pages about runs ask. It knows the columns of the users' tables as they were
// when it was made: make one for each page.
//
// What it reads of the scores of a run that is done is remembered, up to 16 MB: such scores do not
// change. A run that goes on, or is made again under its name, has another status, start or count of
// scores in eval_runs, and what was remembered of it is not used. Nothing that comes from the users'
// tables is remembered.
type Pages struct {
	w      *Warehouse
	layout badgersql.Answers
}

// remembered is how much is kept of the scores of runs that are done, in bytes.
const remembered = 16 << 20

// Pages finds out which columns the users' tables have.
func (w *Warehouse) Pages(ctx context.Context) (*Pages, error) {
	q, err := w.query(ctx)
	if err != nil {
		return nil, err
	}
	return &Pages{w, q}, nil
}

// RunFilter chooses rows of eval_runs.
type RunFilter = badgersql.RunFilter

// Key identifies the run.
func (r *Run) Key() caselist.Run { return caselist.Run{ID: r.ID, Agent: r.Agent, Version: r.AgentVersion, Batch: r.BatchID} }

// Metrics are the names of the metrics that the run was asked for, as versions names them, in order.
func (r *Run) Metrics() []string {
	var versions struct {
		Metrics map[string]json.RawMessage `json:"metrics"`
	}
	if json.Unmarshal([]byte(r.Versions), &versions) != nil {
		return nil
	}
	names := make([]string, 0, len(versions.Metrics))
	for name := range versions.Metrics {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Runs lists the rows of eval_runs that a filter chooses, the newest first, and says how many there
// are without the filter's limit.
func (p *Pages) Runs(ctx context.Context, f RunFilter) (runs []Run, of int64, err error) {
	query, args := badgersql.RunsListed(p.w.dialect, f)
	err = p.w.each(ctx, readingRuns, query, args, func(t *scoring.Table, row int) bool {
		runs = append(runs, listedRun(t, row))
		of = (&record{t: t, row: row}).count(13)
		return true
	})
	if err == nil && runs == nil && f.Offset > 0 { // beyond the last one: nothing says how many there are
		f.Offset, f.Limit = 0, 1
		_, of, err = p.Runs(ctx, f)
		runs = nil
	}
	return runs, of, err
}

// Run is one row of eval_runs; NotFound where there is none.
func (p *Pages) Run(ctx context.Context, key caselist.Run) (run Run, err error) {
	found := false
	query, args := badgersql.RunNamed(p.w.dialect, key)
	err = p.w.each(ctx, readingRuns, query, args, func(t *scoring.Table, row int) bool {
		run, found = listedRun(t, row), true
		return true
	})
	if err == nil && !found {
		err = errcode.New(errcode.NotFound, "there is no run %.80q of agent %.80q, version %.80q, batch %.80q", key.ID, key.Agent, key.Version, key.Batch)
	}
	return run, err
}

const readingRuns = "reading eval_runs"

func listedRun(t *scoring.Table, row int) Run {
	r := record{t: t, row: row}
	run := Run{
		ID: r.text(0), Agent: r.text(1), AgentVersion: r.text(2), BatchID: r.text(3), Mode: r.text(5), Config: r.text(6), Judge: r.text(7), Versions: r.text(8),
		Counts: r.text(9), Tokens: r.text(10), Cost: r.text(11), Status: r.text(12),
	}
	if v := t.Columns[4].Value(row); !v.IsNull() {
		run.Started = time.Unix(v.Int(), int64(v.Nanos())).UTC()
	}
	return run
}

// AgentVersion is a version of an agent.
type AgentVersion struct{ Agent, Version string }

// AgentsOfRuns lists the agents and versions that were evaluated, in order.
func (p *Pages) AgentsOfRuns(ctx context.Context) (out []AgentVersion, err error) {
	err = p.w.each(ctx, readingRuns, badgersql.AgentsOfRuns(), nil, func(t *scoring.Table, row int) bool {
		r := record{t: t, row: row}
		out = append(out, AgentVersion{r.text(0), r.text(1)})
		return true
	})
	return out, err
}

// Figures sum up scores of one metric.
type Figures struct {
	Scores        int64 // all of them
	OK            int64 // with a value
	Abstained     int64
	NotApplicable int64 // what the metric needs is not part of the question
	Unanswered    int64 // the agent gave no answer
	Failed        int64
	Judged        int64 // with a verdict
	Passed        int64
	Sum           float64 // of the values
	Deviation     float64 // of the values, the standard deviation of a sample; NaN for fewer than two
	Min, Max      float64 // NaN without values
}

// figures reads what the statements of package sql call figures, from a column on.
func figures(t *scoring.Table, row, first int) Figures {
	r := record{t: t, row: row}
	number := func(c int) float64 {
		v := t.Columns[first+c].Value(row)
		if v.IsNull() {
			return math.NaN()
		}
		return v.Float()
	}
	f := Figures{
		Scores: r.count(first), OK: r.count(first + 1), Abstained: r.count(first + 2), NotApplicable: r.count(first + 3), Unanswered: r.count(first + 4), Failed: r.count(first + 5),
		Judged: r.count(first + 6), Passed: r.count(first + 7), Deviation: number(9), Min: number(10), Max: number(11),
	}
	if f.OK > 0 {
		f.Sum = number(8)
	}
	return f
}

// Shape is what a run's scores are of.
type Shape struct {
	Cases   int64
	Scores  map[string]Figures // by metric
	Last    time.Time          // when the last score was stored; zero where it is not known
	Primary string             // hybrid_ex, else the first metric with verdicts, else the first
}

// Metrics lists the metrics, the primary one first, then by name.
func (s *Shape) Metrics() []string {
	names := make([]string, 0, len(s.Scores))
	for name := range s.Scores {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if (a == s.Primary) != (b == s.Primary) {
			return cmp.Compare(b2i(b == s.Primary), b2i(a == s.Primary))
		}
		return cmp.Compare(a, b)
	})
	return names
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
