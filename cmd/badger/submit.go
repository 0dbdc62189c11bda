package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/execution"
	"github.com/badger-eval/badger/internal/hosting"
	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/internal/submission"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// longestRow is the maximum number of bytes of a line of an uploaded file. It limits the memory of decoding it.
const longestRow = 32 << 20

// submissions evaluates submitted runs as badger run does. It implements [submission.Work].
type submissions struct {
	process
	w      *store.Store // takes the scores, and has the tables
	config string       // path of the configuration file, which each run reads; "": none
	judge  judging.Config
	offer  submission.Offer
}

// openDesk opens the desk for runs that are submitted to the database, which w has open for writing.
func (c *viewCommand) openDesk(ctx context.Context, p process, w *store.Store,
	log *slog.Logger) (*submission.Desk, error) {
	config, err := readConfig(c.Config, p)
	if err != nil {
		return nil, err
	}
	o := submission.Options{Config: config.Submit, NewRun: evaluation.NewID, Now: p.now, Log: log}
	if o.Dir == "" {
		if o.Dir, err = submitDir(c.DB); err != nil {
			return nil, err
		}
	}
	x := &submissions{process: p, w: w, config: c.Config, judge: config.Judge}
	if x.offer, err = x.newOffer(ctx, config); err != nil {
		return nil, err
	}
	o.Work = x
	return submission.Open(o)
}

// submitDir returns the default directory for the submissions of a database, within the user's directory for caches.
func submitDir(db string) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", usage("submit.dir: expected a directory in the configuration, since this user has none for caches")
	}
	if file, is := strings.CutPrefix(db, "duckdb:"); is { // two directories may have files of the same name
		file, options, _ := strings.Cut(file, "?")
		if file, err = filepath.Abs(file); err != nil {
			return "", usage("--db: %w", err)
		}
		db = "duckdb:" + file + "?" + options
	}
	sum := sha256.Sum256([]byte(db))
	return filepath.Join(base, "badger", "submissions", hex.EncodeToString(sum[:8])), nil
}

// newOffer returns the metrics and judges that a run can use.
func (x *submissions) newOffer(ctx context.Context, config configuration) (o submission.Offer, err error) {
	metrics, err := withJudges(ctx, config.Judges, x.w)
	if err != nil {
		return o, err
	}
	judge, err := x.openUnasked(ctx, config.Judge)
	if err != nil {
		return o, err
	}
	defer judge.Close() //nolint:errcheck // nothing was asked
	engine, err := scoring.NewEngine(metrics, &scoring.EngineOptions{Judge: judge.Backend(), Judges: judge.ByMetric(),
		ByTag: judge.ByTag()})
	if err != nil {
		return o, errcode.AsUsage(err)
	}
	all, err := evaluation.ChooseMetrics(engine, nil, "both",
		func(m *scoring.Metric) bool { return engine.HasJudge(m.Name) })
	if err != nil {
		return o, err
	}
	for i := range metrics {
		m := &metrics[i]
		o.Metrics = append(o.Metrics, submission.Metric{Name: m.Name, Display: cmp.Or(m.Display, m.Name), Group: m.Group,
			Summary: m.Summary, Judged: m.Needs&scoring.FieldJudge != 0, Default: slices.Contains(all, m.Name)})
	}
	if judge != nil {
		o.Judges = []string{judge.Name()}
	}
	switch b := config.Judge.Budget; {
	case b.Money != "":
		o.Budget = b.Money + "USD"
	case b.Tokens > 0:
		o.Budget = fmt.Sprint(b.Tokens)
	}
	return o, nil
}

// openUnasked opens the judges to learn whether they can be used. They are not asked, so it opens neither the audit log
// nor the ledger, which an offline judge needs.
func (x *submissions) openUnasked(ctx context.Context, config judging.Config) (*judging.Judges, error) {
	open := x.judging()
	open.Scores, config.Audit = x.w, ""
	if !config.Offline {
		config.Ledger = "none"
	}
	return config.Open(ctx, open)
}

// Offer implements submission.Work.
func (x *submissions) Offer() submission.Offer { return x.offer }

// Check implements submission.Work.
func (x *submissions) Check(c submission.Choice) error {
	invalid := func(format string, args ...any) error { return errcode.New(errcode.InvalidArgument, format, args...) }
	for _, name := range c.Metrics {
		i := slices.IndexFunc(x.offer.Metrics, func(m submission.Metric) bool { return m.Name == name })
		if i < 0 {
			return invalid("metrics: unknown metric %.60q", name)
		}
		if x.offer.Metrics[i].Judged && !c.Judge {
			return invalid("metrics: %s needs a judge; let the judge be asked, or leave the metric out",
				x.offer.Metrics[i].Display)
		}
	}
	if !c.Judge {
		return nil
	}
	if len(x.offer.Judges) == 0 {
		return invalid("judge: the configuration of badger view names no judge; set its section judge")
	}
	if c.Budget == "" {
		return invalid("budget: expected a limit for the judge calls, such as 200k tokens or 5.00USD")
	}
	tokens, money, err := judgebackend.ParseBudget(c.Budget)
	if err != nil {
		return invalid("budget: %w", err)
	}
	if limit := x.judge.Budget.Tokens; limit > 0 && tokens > limit {
		return invalid("budget: %d tokens are more than the configured %d", tokens, limit)
	}
	if limit, _ := judgebackend.ParseMoney(x.judge.Budget.Money); limit > 0 && money != "" {
		if m, _ := judgebackend.ParseMoney(money); m > limit { // ParseBudget has parsed it
			return invalid("budget: %s USD are more than the configured %s", m, limit)
		}
	}
	if money != "" { // a model without a price cannot be limited in money
		config, err := (&judgeFlags{Budget: c.Budget}).over(x.judge)
		if err != nil {
			return invalid("%w", err)
		}
		judge, err := x.openUnasked(context.Background(), config)
		if err != nil {
			return invalid("budget: %w", err)
		}
		return judge.Close()
	}
	return nil
}

// Cases implements submission.Work.
func (x *submissions) Cases(ctx context.Context, s *submission.Submission) (batch.Source, error) {
	if s.Tables == nil {
		return batch.FileSource{Path: s.Path, MaxLine: longestRow}, nil
	}
	f := store.Filter{By: scoring.By{Agent: s.Tables.Agent, Version: s.Tables.Version, Batch: s.Tables.Batch},
		SetVersion: s.Tables.SetVersion}
	if f.SetVersion != "" {
		sets, err := x.w.SetVersions(ctx)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(sets, func(v store.SetVersion) bool { return v.Version == f.SetVersion }) {
			return nil, errcode.New(errcode.InvalidArgument, "golden set: badger.golden_set has no version %.60q", f.SetVersion)
		}
	}
	return &cases.Warehouse{Tables: x.w, Filter: f}, nil
}

// begin prepares the run of a submission as badger run does. The caller calls the returned function after the run. If
// missed is not nil, the run makes no judge calls and only estimates them.
func (x *submissions) begin(ctx context.Context, s *submission.Submission,
	missed missedCall) (*runAtWork, func(), error) {
	c := &runCommand{Metrics: s.Choice.Metrics, Mode: "both", Config: x.config}
	if s.Choice.Judge {
		c.Budget = s.Choice.Budget
	} else {
		c.Judge = "none"
	}
	source, err := x.Cases(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	e := &runAtWork{process: x.process, quiet: true, snapshots: snapshots{Warehouse: x.w}, judges: []*store.Store{x.w},
		submitted: s, missed: missed, Run: evaluation.Run{
			ID: s.Run, Mode: c.Mode, Version: version(), Source: source, Warehouse: x.w, Now: x.now, Notes: x.stderr,
		}}
	if missed == nil {
		rows, err := x.w.Runs(ctx, s.Run)
		if err != nil {
			return nil, nil, err
		}
		e.Resumed = len(rows) > 0
		if t := s.Tables; t != nil {
			e.Select(evaluation.Selection{By: scoring.By{Agent: t.Agent, Version: t.Version, Batch: t.Batch},
				SetVersion: t.SetVersion})
		}
		if err := e.Begin(ctx, ""); err != nil {
			return nil, nil, err
		}
	}
	if err := c.prepare(ctx, e); err != nil {
		_ = e.judge.Close()
		return nil, nil, err
	}
	return e, func() { _ = e.judge.Close() }, nil
}

// restrict removes what a submitted run must not do: it runs no queries, and an uploaded file can refer only to the
// results that callers may read. It returns the reader of such results.
func (e *runAtWork) restrict(config *configuration) (scoring.SnapshotReader, error) {
	config.Execute = execution.Config{}
	if e.missed != nil {
		config.Judge.Offline, config.Judge.Audit = true, ""
		config.Judge.Budget.Tokens, config.Judge.Budget.Money = 0, ""
	}
	if e.submitted.Tables != nil {
		return e.snapshots, nil
	}
	return hosting.Guard(e.snapshots, config.Results.Readable, config.Results.Callers)
}

// Evaluate implements submission.Work.
func (x *submissions) Evaluate(ctx context.Context, s *submission.Submission, stop <-chan struct{},
	progress func(batch.Progress)) error {
	ctx = identity.With(ctx, callerOf(s))
	e, ended, err := x.begin(ctx, s, nil)
	if err != nil {
		return err
	}
	defer ended()
	e.Stop, e.Progress, e.Memory = stop, progress, x.boundMemory
	_, err = e.Evaluate(judgebackend.WithPayer(ctx, evaluation.Payer(e.ID)))
	return err
}

// callerOf returns the caller who submitted s.
func callerOf(s *submission.Submission) identity.Caller {
	role := identity.Submit
	if s.Admin {
		role = identity.Admin
	}
	return identity.Caller{Name: s.By, Roles: []identity.Role{role}}
}
