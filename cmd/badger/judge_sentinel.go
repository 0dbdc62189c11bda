package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/badger-eval/badger/connectors/doctor"
	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/internal/submission"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/custom"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// sentinelConfig is the section sentinels of the configuration.
type sentinelConfig struct {
	Cases   string   `yaml:"cases"`                        // case file that badger run asks judges about, too; "": none
	Metrics []string `yaml:"metrics"`                      // metrics whose judges are asked; none: all of the run that have a judge and a verdict
	Repeat  int      `yaml:"repeat" least:"0" most:"1000"` // replies to each question; 0: 1
	Since   string   `yaml:"since"`                        // day of a change that was accepted: earlier verdicts are ignored
}

// driftFlags select what judges are compared with, and whether a change is a failure.
type driftFlags struct {
	Since       string `placeholder:"DAY" help:"Day of a change that was accepted, such as 2025-01-31: earlier verdicts are ignored."`
	FailOnDrift bool   `help:"Exit with 1 if a judge changed: its verdicts, their agreement with labels, or the model that the endpoint reports."`
}

// driftSelection selects the verdicts that are compared.
type driftSelection struct {
	since  time.Time // earlier ones are ignored
	names  []string  // metrics; none: all
	asking string    // ID of the asking that the report is about; "": the latest until now
}

// driftOf compares the judges of a warehouse with themselves. Askings that are later than now are warned about.
func driftOf(ctx context.Context, p process, w *store.Store, of driftSelection) (*analysis.Drift, error) {
	replies, err := storedscores.Sentinels(ctx, w)
	if err != nil {
		return nil, err
	}
	if len(of.names) > 0 {
		replies = slices.DeleteFunc(replies,
			func(r analysis.SentinelReply) bool { return !slices.Contains(of.names, r.Metric) })
	}
	replies, later := analysis.LatestAsking(replies, of.asking, p.now())
	if later > 0 {
		fmt.Fprintf(p.stderr, "warning: %s of the database later than now; check the clocks\n",
			printable.Count(later, "asking"))
	}
	return analysis.NewDrift(replies, of.since, 0), nil
}

// passes returns messages about the gate of --fail-on-drift, if it is set, and whether no judge changed. d may be nil.
func (f *driftFlags) passes(d *analysis.Drift) (said []string, passed bool) {
	if !f.FailOnDrift || d == nil {
		return nil, true
	}
	if len(d.Judges) == 0 {
		return []string{"gate failed: no verdict to compare: " + noneAsked(d)}, false
	}
	for _, j := range d.Unmeasured() {
		said = append(said, fmt.Sprintf("gate failed: judge %s of %s gave %s", j.Judge, j.Metric,
			j.Verdicts()))
	}
	first := 0
	for i := range d.Judges {
		if d.Judges[i].Outcome == analysis.FirstAsking {
			first++
		}
	}
	for _, j := range d.Changed() {
		said = append(said, fmt.Sprintf("gate failed: judge %s of %s changed: %s", j.Judge, j.Metric,
			j.Findings[0]))
	}
	switch {
	case len(said) > 0:
		return said, false
	case first == len(d.Judges):
		return []string{"gate passed: nothing to compare with yet"}, true
	case first > 0:
		return []string{fmt.Sprintf("gate passed: no judge changed of %d; %d with nothing to compare with yet", len(d.Judges)-first,
			first)}, true
	}
	return []string{"gate passed: no judge changed"}, true
}

// noneAsked says why no judge can be compared.
func noneAsked(d *analysis.Drift) string {
	if d.Excluded > 0 {
		return fmt.Sprintf("--since or sentinels.since excludes all askings (%d)", d.Excluded)
	}
	return "no judge was asked about sentinel cases; badger judge sentinel asks"
}

// gate prints the messages of passes, and returns errGate if a judge changed.
func (f *driftFlags) gate(p process, d *analysis.Drift) error {
	said, passed := f.passes(d)
	return printGates(p.stderr, said, passed)
}

// dayOf parses a day, the value of the flag or key name; the zero time if text is empty.
func dayOf(name, text string) (day time.Time, err error) {
	if text == "" {
		return day, nil
	}
	if day, err = time.Parse(time.DateOnly, text); err != nil {
		return day, usage("%s: invalid day %.40q; expected one such as 2025-01-31", name, text)
	}
	return day, nil
}

type judgeDriftCommand struct {
	DB      string   `name:"db" required:"" placeholder:"URL" help:"Database with runs and scores, such as duckdb:scores.duckdb."`
	Metrics []string `placeholder:"A,B" help:"Metrics, such as hybrid_ex,verdict (default all with sentinel verdicts)."`
	driftFlags
	JSON bool `help:"Print one JSON document."`
	terminalFlags
}

// Run compares judges with themselves, by the verdicts that are stored. It asks nothing.
func (c *judgeDriftCommand) Run(ctx context.Context, p process) error {
	since, err := dayOf("--since", c.Since)
	if err != nil {
		return err
	}
	w, err := openWarehouse(ctx, c.DB, readOnly)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := knownMetrics(ctx, w, c.Metrics); err != nil {
		return err
	}
	d, err := driftOf(ctx, p, w, driftSelection{since: since, names: c.Metrics})
	if err != nil {
		return err
	}
	if c.JSON {
		err = writeJSON(p, d)
	} else if len(d.Judges) == 0 {
		fmt.Fprintln(p.stderr, noneAsked(d))
	} else {
		err = report.RenderDrift(p.stdout, d, c.options(p))
	}
	if err != nil {
		return err
	}
	return c.gate(p, d)
}

// knownMetrics returns a usage error if a name is neither that of a metric nor of one with stored verdicts.
func knownMetrics(ctx context.Context, w *store.Store, names []string) error {
	replies, err := storedscores.Sentinels(ctx, w)
	if err != nil {
		return err
	}
	var known []string
	for _, m := range metric.All() {
		known = append(known, m.Name)
	}
	for i := range replies {
		if !slices.Contains(known, replies[i].Metric) {
			known = append(known, replies[i].Metric)
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return usage("--metrics: unknown metric %.60q%s", name, scoring.Suggest(name, known))
		}
	}
	return nil
}

type judgeSentinelCommand struct {
	Cases  string `placeholder:"FILE" xor:"input" required:"" help:"Case file in JSON Lines."`
	Source string `placeholder:"URL" xor:"input" required:"" help:"Warehouse to read, such as duckdb:FILE."`
	To     string `placeholder:"URL" help:"Warehouse to write to, such as duckdb:FILE (default the source, or duckdb:scores.duckdb)."`
	answerFlags
	Metrics  []string `placeholder:"A,B" help:"Metrics, such as hybrid_ex,verdict (default all that have a judge and a verdict)."`
	Repeat   int      `least:"1" placeholder:"N" help:"Number of replies to each question (default 1)."`
	Limit    int      `least:"1" placeholder:"N" help:"Use only the first N cases."`
	Estimate bool     `help:"Print the estimated judge calls and exit."`
	Yes      bool     `help:"Make the judge calls without a budget."`
	driftFlags
	Config string   `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`
	Judges []string `placeholder:"FILE" help:"Judge files to load, in addition to promoted or configured judges."`
	Quiet  bool     `short:"q" help:"Print no progress."`
	JSON   bool     `help:"Print one JSON document."`
	judgeFlags
	terminalFlags
}

// Run asks judges about the cases of a sentinel set, stores their verdicts and compares them with the earlier ones.
func (c *judgeSentinelCommand) Run(ctx context.Context, p process) error {
	config, err := readConfig(c.Config, p)
	if err != nil {
		return err
	}
	since, err := dayOf("--since", cmp.Or(c.Since, config.Sentinels.Since))
	if err != nil {
		return err
	}
	if config.Judge, err = c.judged(config.Judge); err != nil {
		return err
	}
	if err := config.Judge.CheckLive(); err != nil {
		return err
	}
	in, w, closeAll, err := c.open(ctx, p)
	if err != nil {
		return err
	}
	defer closeAll()
	in.Snapshots.Allow(config.Results.Files)
	s := sentinelWork{process: p, source: in.Source, snapshots: in.Snapshots, judge: config.Judge, warehouse: w,
		names: config.Sentinels.Metrics, repeat: cmp.Or(c.Repeat, config.Sentinels.Repeat, 1),
		asking: evaluation.NewID(p.now()), at: p.now(), quiet: c.Quiet || c.JSON && !isTerminal(p.stderr)}
	if len(c.Metrics) > 0 {
		s.names = c.Metrics
	}
	if c.Limit > 0 {
		s.source = cases.First(s.source, c.Limit)
	}
	if s.config, err = config.Metrics.engineConfig(); err != nil {
		return err
	}
	if s.metrics, err = withJudges(ctx, append(config.Judges, c.Judges...), append(in.Warehouses(), w)...); err != nil {
		return err
	}
	estimate, err := s.estimate(ctx)
	if err != nil {
		return err
	}
	if made, err := (callFlags{c.Estimate, c.JSON, c.Yes}).allow(p, estimate, &config.Judge); !made {
		return err
	}
	judged := p.judging()
	judged.Scores = w
	judges, err := config.Judge.Open(ctx, judged)
	if err != nil {
		return err
	}
	defer judges.Close()
	asking, stop := signal.NotifyContext(judgebackend.WithPayer(ctx, "sentinel:"+s.asking), syscall.SIGINT,
		syscall.SIGTERM)
	defer stop()
	askErr := s.ask(asking, judges)
	judges.PrintUsage(p.stderr)
	if askErr != nil {
		return askErr
	}
	d, err := driftOf(ctx, p, w, driftSelection{since, s.names, s.asking})
	if err != nil {
		return err
	}
	if c.JSON {
		err = writeJSON(p, d)
	} else {
		err = report.RenderDrift(p.stdout, d, c.options(p))
	}
	if err != nil {
		return err
	}
	return c.gate(p, d)
}

// open opens the cases, and the warehouse that verdicts are written to. The returned function closes both.
func (c *judgeSentinelCommand) open(ctx context.Context, p process) (*cases.Opened, *store.Store, func(), error) {
	to := cmp.Or(c.To, c.Source, "duckdb:scores.duckdb")
	at := cases.Place{Flag: "--cases", File: c.Cases, URL: c.Source}
	if to == c.Source {
		in, err := openCases(ctx, p, at, c.answerFlags, func(ctx context.Context, url string) (*store.Store, error) {
			w, err := openStore(ctx, url, true)
			return installed(ctx, w, err)
		})
		if err != nil {
			return nil, nil, nil, err
		}
		return in, in.Tables.Tables, in.Close, nil
	}
	in, err := openCases(ctx, p, at, c.answerFlags, openToRead)
	if err != nil {
		return nil, nil, nil, err
	}
	w, err := openStore(ctx, to, false)
	if w, err = installed(ctx, w, err); err != nil {
		in.Close()
		return nil, nil, nil, err
	}
	return in, w, func() { _ = w.Close(); in.Close() }, nil
}

// sentinelWork asks judges about the cases of a sentinel set.
type sentinelWork struct {
	process
	source    batch.Source
	snapshots scoring.SnapshotReader
	metrics   []scoring.Metric // all that an engine has
	names     []string         // metrics whose judges are asked; none: all that have a judge and a verdict
	among     []string         // if not nil, only these of them
	config    scoring.Config
	judge     judging.Config
	warehouse *store.Store
	repeat    int
	asking    string // ID
	at        time.Time
	quiet     bool
}

// engine returns an engine whose judges are asked anew, with the names of the chosen metrics.
func (s *sentinelWork) engine(judges *judging.Judges, repetition int) (*scoring.Engine, *judging.Occasion, []string,
	error) {
	occasion, err := judges.Afresh(s.asking, s.at, repetition)
	if err != nil {
		return nil, nil, nil, err
	}
	o := scoring.EngineOptions{Snapshots: s.snapshots, Config: s.config}
	occasion.Judge(&o)
	engine, err := scoring.NewEngine(s.metrics, &o)
	if err != nil {
		return nil, nil, nil, errcode.AsUsage(err)
	}
	names, err := evaluation.ChooseMetrics(engine, s.names, "both",
		func(m *scoring.Metric) bool { return engine.HasJudge(m.Name) })
	if err != nil {
		return nil, nil, nil, err
	}
	var chosen []string
	for _, name := range names {
		m, err := engine.Metric(name)
		if err != nil {
			return nil, nil, nil, err
		}
		_, given := s.config.Thresholds[name]
		switch asks := engine.AsksJudge(m); {
		case s.among != nil && !slices.Contains(s.among, name):
		case asks && (given || m.Threshold != nil || m.Group == custom.Group):
			chosen = append(chosen, name)
		case len(s.names) > 0 && !asks:
			return nil, nil, nil, usage("sentinels: metric %s asks no judge", name)
		case len(s.names) > 0:
			return nil, nil, nil, usage("sentinels: metric %s gives no verdict; set metrics.thresholds.%s", name, name)
		}
	}
	if len(chosen) == 0 {
		return nil, nil, nil, usage("sentinels: no metric has a judge and a verdict")
	}
	return engine, occasion, chosen, nil
}

// sentinelEstimate is the estimated number and cost of the judge calls of an asking.
type sentinelEstimate struct {
	What      string   `json:"-"` // "" for sentinels
	Cases     int64    `json:"cases"`
	Metrics   []string `json:"metrics"`
	Repeat    int      `json:"repeat"`
	Calls     int64    `json:"calls"`                // at least: calls that follow a reply are not counted
	TokensIn  int64    `json:"tokens_in"`            // of these calls, about
	TokensOut int64    `json:"tokens_out_at_most"`   // of these calls
	Money     string   `json:"usd_at_most,omitzero"` // of these calls; "" if a price is unknown
}

// String describes the estimate in a line.
func (e *sentinelEstimate) String() string {
	text := fmt.Sprintf("%s: %s, %s, %s each: %s or more, about %d tokens in and at most %d out",
		cmp.Or(e.What, "sentinels"), printable.Count(e.Cases, "case"), printable.Count(len(e.Metrics), "metric"),
		printable.Count(e.Repeat, "reply"),
		printable.Count(e.Calls, "judge call"), e.TokensIn, e.TokensOut)
	if e.Money != "" {
		text += ", at most " + e.Money + " USD"
	}
	return text + "; calls that follow a reply are not counted"
}

// estimate computes the calls of an asking without making any.
func (s *sentinelWork) estimate(ctx context.Context) (*sentinelEstimate, error) {
	if err := s.distinct(ctx); err != nil {
		return nil, err
	}
	missed := &missedCalls{seen: map[string]bool{}, of: map[judgebackend.Identity]*submission.Estimate{}}
	config := s.judge
	config.Offline, config.Ledger, config.Audit = true, "none", ""
	env := s.judging()
	env.Scores, env.Missed = s.warehouse, missed.add
	judges, err := config.Open(ctx, env)
	if err != nil {
		return nil, err
	}
	defer judges.Close()
	engine, _, names, err := s.engine(judges, s.repeat)
	if err != nil {
		return nil, err
	}
	outcome, err := batch.Runner{Engine: engine, Metrics: names, Now: s.now}.Run(ctx, "estimate", s.source, batch.Discard)
	if err != nil {
		return nil, err
	}
	if outcome.Done == 0 {
		return nil, errcode.New(errcode.NotFound, "no sentinel cases found")
	}
	sum := missed.total(judges, func(n int64) int64 { return n * int64(s.repeat) })
	return &sentinelEstimate{"", outcome.Done, names, s.repeat, sum.Calls, sum.TokensIn, sum.TokensOut, sum.Money}, nil
}

// distinct returns an error that names the lines of an answer that several rows give.
func (s *sentinelWork) distinct(ctx context.Context) error {
	copies, err := batch.FindCopies(ctx, s.source)
	if err != nil {
		return err
	}
	for _, of := range slices.SortedFunc(maps.Keys(copies), func(a, b scoring.AnswerID) int {
		return cmp.Compare(a.CaseID, b.CaseID)
	}) {
		return errcode.New(errcode.InvalidArgument, "sentinels: duplicate case %.200q at %s; expected one row for each answer",
			of.CaseID, strings.Join(copies[of].Places, ", "))
	}
	return nil
}

// sentinelRows is the number of rows that are written together.
const sentinelRows = 256

// ask asks the judges and writes their verdicts. An error of a row is one of its verdict; the verdicts until an
// interruption are written.
func (s *sentinelWork) ask(ctx context.Context, judges *judging.Judges) error {
	var rows []store.Sentinel
	var writing error
	flush := func() {
		if len(rows) > 0 && writing == nil {
			writing = s.warehouse.WriteSentinels(context.WithoutCancel(ctx), rows...)
		}
		rows = rows[:0]
	}
	decided, reasons := 0, map[string]bool{} // judges and metrics whose first failure was printed
	for repetition := 1; repetition <= s.repeat; repetition++ {
		engine, occasion, names, err := s.engine(judges, repetition)
		if err != nil {
			return err
		}
		bar := newProgressBar(s.stderr, s.quiet)
		_, err = batch.Runner{
			Engine: engine, Metrics: names, Now: s.now, Progress: bar.update, Memory: s.boundMemory,
			Concurrency: s.judge.Concurrency + s.judge.Concurrency/2,
			Scored: func(c *scoring.Case, scored []scoring.Row) {
				for i := range scored {
					if row, asked := occasion.Verdict(c, &scored[i], s.config); asked {
						rows = append(rows, row)
						of := row.Metric + " by " + row.Judge.Backend + ":" + row.Judge.Model
						if row.Passed == nil && !reasons[of] {
							reasons[of] = true
							fmt.Fprintf(s.stderr, "sentinels: %s: no verdict on %s: %s\n", printable.Text(of),
								printable.Short(row.CaseID), printable.Text(cmp.Or(scored[i].Score.Reason, string(row.Status))))
						}
					} else {
						decided++
					}
				}
				if len(rows) >= sentinelRows {
					flush()
				}
			},
		}.Run(ctx, "sentinels", s.source, batch.Discard)
		bar.finish()
		flush()
		if err = cmp.Or(writing, err); err != nil {
			return err
		}
	}
	if decided > 0 {
		fmt.Fprintf(s.stderr, "sentinels: %s needed no judge\n", printable.Count(decided/s.repeat, "verdict"))
	}
	return nil
}

// sentinelFlags are the flags of badger run for sentinel cases.
type sentinelFlags struct {
	Sentinels string `placeholder:"FILE" help:"Case file of sentinel cases, about which the judges are asked anew after the run, within its budget (default sentinels.cases of the configuration)."`
	driftFlags
}

// prepare opens the sentinel cases of a run; nil if there are none, or no judge.
func (f *sentinelFlags) prepare(e *runAtWork, config *configuration, metrics []scoring.Metric) (_ *sentinelWork,
	err error) {
	file := cmp.Or(f.Sentinels, config.Sentinels.Cases)
	if e.since, err = dayOf("--since", cmp.Or(f.Since, config.Sentinels.Since)); err != nil {
		return nil, err
	}
	switch {
	case f.FailOnDrift && file == "":
		return nil, usage("--fail-on-drift: expected sentinel cases; name them with --sentinels FILE")
	case file == "" || e.submitted != nil:
		return nil, nil //nolint:nilnil // none
	}
	notLive := config.Judge.CheckLive()
	switch {
	case f.Sentinels == "" && !f.FailOnDrift && (e.Warehouse == nil || notLive != nil):
		return nil, nil //nolint:nilnil,nilerr // the configured ones are not asked
	case notLive != nil:
		return nil, notLive
	}
	in, err := cases.OpenFile("--sentinels", file, store.Filter{})
	if err != nil {
		return nil, err
	}
	in.Snapshots.Allow(config.Results.Files)
	s := &sentinelWork{process: e.process, source: in.Source, snapshots: in.Snapshots, metrics: metrics,
		names: config.Sentinels.Metrics, config: e.Config, judge: config.Judge, warehouse: e.Warehouse,
		repeat: cmp.Or(config.Sentinels.Repeat, 1), asking: e.ID, at: e.Now(), quiet: e.quiet}
	if len(s.names) == 0 {
		s.among = e.Metrics
	}
	return s, nil
}

// sentinels asks the judges of a run about the sentinel cases, and compares their verdicts with the earlier ones.
func (*sentinelFlags) sentinels(ctx context.Context, e *runAtWork) error {
	if e.sentinel == nil {
		return nil
	}
	estimate, err := e.sentinel.estimate(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(e.stderr, estimate)
	if err := e.sentinel.ask(ctx, e.judge); err != nil {
		return err
	}
	e.Summary.Figures.Sentinels, err = driftOf(ctx, e.process, e.Warehouse,
		driftSelection{e.since, estimate.Metrics, e.ID})
	return err
}

// sentinelCheck returns the check of badger doctor whether judges changed; none if no judge was asked about sentinel
// cases, or if the warehouse cannot be read, which other checks report.
func sentinelCheck(ctx context.Context, p process, url string, config sentinelConfig) []doctor.Check {
	const name = "judges unchanged"
	since, err := dayOf("sentinels.since", config.Since)
	if err != nil {
		return []doctor.Check{doctor.Failure(name, err, "correct sentinels.since in the configuration")}
	}
	w, err := openWarehouse(ctx, url, readOnly)
	if err != nil {
		return nil
	}
	defer w.Close()
	d, err := driftOf(ctx, p, w, driftSelection{since: since})
	switch {
	case err != nil:
		return []doctor.Check{doctor.Failure(name, err, "look at what the warehouse says about badger.sentinels")}
	case len(d.Judges) == 0:
		return nil
	}
	check := doctor.Check{Name: name, Status: doctor.OK}
	var parts []string
	for i := range d.Judges {
		j := &d.Judges[i]
		text := fmt.Sprintf("%s by %s: %s on %s", j.Metric, printable.Text(j.Judge), j.Outcome, j.At.Format(time.DateOnly))
		if j.Outcome == analysis.Changed || j.Outcome == analysis.Unmeasured {
			check.Status = doctor.Warning
			check.Fix = "see badger judge drift --db URL; set sentinels.since to the day of a change that you accept"
			text += ". " + printable.Text(strings.Join(j.Findings, " "))
		}
		parts = append(parts, text)
	}
	check.Detail = strings.Join(parts, "; ")
	return []doctor.Check{check}
}
