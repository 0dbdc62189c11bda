// Package storedscores reads the scores that a warehouse holds, for analyses.
package storedscores

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// Warehouse is a source of the scores in a warehouse, for analyses. It is not safe for concurrent use.
type Warehouse struct {
	w       *store.Store
	configs map[string]*scoring.Config // by run; nil until read
	parts   map[[2]string]string       // cached results of configPart, by hash and metric
}

// In returns the scores in a warehouse.
func In(w *store.Store) *Warehouse { return &Warehouse{w: w} }

// Batches returns the batches with scores.
func (s *Warehouse) Batches(ctx context.Context) ([]analysis.Batch, error) {
	list, err := s.w.ScoredBatches(ctx)
	var out []analysis.Batch
	for _, b := range list {
		a := analysis.Batch{By: b.By, At: b.Answered, Changed: b.Changed, Run: b.Run}
		if a.At.IsZero() && !b.Evaluated.IsZero() {
			a.At, a.Evaluated = b.Evaluated, true
		}
		if b.Status != "done" {
			a.Unfinished = b.Status
		}
		out = append(out, a)
	}
	return out, err
}

// Metrics returns the names of the metrics with scores.
func (s *Warehouse) Metrics(ctx context.Context) ([]string, error) {
	return s.w.ScoredMetrics(ctx)
}

// Load adds the latest scores of a batch to into.
func (s *Warehouse) Load(ctx context.Context, b analysis.Batch, metrics []string, into *analysis.Answers) error {
	return s.each(ctx, store.Latest{RunID: scoring.RunID{By: b.By}, Metrics: metrics, Details: analysis.Evident},
		func(_ scoring.AnswerID, score *analysis.Score) bool {
			into.Add(score)
			return true
		})
}

// LoadEach adds the latest scores of the metrics for several batches of one agent, with one statement.
func (s *Warehouse) LoadEach(ctx context.Context, metrics []string, into []*analysis.Answers) error {
	if len(into) == 0 {
		return nil
	}
	l := store.Latest{RunID: scoring.RunID{By: scoring.By{Agent: cmp.Or(into[0].Agent, scoring.Unnamed)}},
		Everything: true, Metrics: metrics}
	l.Brief = !slices.ContainsFunc(metrics, func(m string) bool { // findings and tiers are read from labels
		return m == "sql_complexity" || slices.Contains(analysis.Evident, m)
	})
	of := map[scoring.By]*analysis.Answers{}
	for _, a := range into {
		of[a.By] = a
		l.Batches = append(l.Batches, a.Batch.Batch)
		l.Runs = append(l.Runs, a.Batch.Run)
	}
	if slices.Contains(l.Runs, "") {
		l.Runs = nil
	}
	return s.each(ctx, l, func(id scoring.AnswerID, score *analysis.Score) bool {
		if a := of[id.By]; a != nil {
			a.Add(score)
		}
		return true
	})
}

// Accepted returns the batches that were accepted as a baseline, except for withdrawn acceptances.
func (s *Warehouse) Accepted(ctx context.Context) (analysis.Accepted, error) {
	list, err := s.w.Accepted(ctx)
	if err != nil {
		return nil, err
	}
	out := analysis.Accepted{}
	for _, a := range list {
		if !a.Withdrawn {
			out[a.By] = analysis.Acceptance{By: a.By, Who: a.Who, When: a.When, Note: a.Note}
		}
	}
	return out, nil
}

// Evidence yields the latest scores of the metrics by each judge, for the answers that match of.
func (s *Warehouse) Evidence(ctx context.Context, metrics []string, of scoring.AnswerID) iter.Seq2[analysis.Evidence,
	error] {
	return s.evidence(ctx,
		store.Latest{RunID: scoring.RunID{By: of.By}, Everything: true, Metrics: metrics, ByJudge: true})
}

// EvidenceOf yields the scores of the metrics by each judge, for one side.
func (s *Warehouse) EvidenceOf(ctx context.Context, side Side, metrics []string) iter.Seq2[analysis.Evidence, error] {
	l := side.Latest(metrics...)
	l.ByJudge = true
	return s.evidence(ctx, l)
}

func (s *Warehouse) evidence(ctx context.Context, l store.Latest) iter.Seq2[analysis.Evidence, error] {
	l.Details = analysis.Evident
	return func(yield func(analysis.Evidence, error) bool) {
		more := true
		known := map[string]string{} // strings are only valid until the next row
		keep := func(text string) string {
			kept, is := known[text]
			if !is {
				kept = strings.Clone(text)
				known[kept] = kept
			}
			return kept
		}
		err := s.each(ctx, l, func(id scoring.AnswerID, score *analysis.Score) bool {
			id = scoring.AnswerID{CaseID: keep(id.CaseID),
				By: scoring.By{Agent: keep(id.Agent), Version: keep(id.Version), Batch: keep(id.Batch)}}
			score.CaseID, score.Metric, score.Judge, score.Reason = id.CaseID, keep(score.Metric), keep(score.Judge),
				keep(score.Reason)
			more = yield(analysis.Evidence{AnswerID: id, Score: *score}, nil)
			return more
		})
		if err != nil && more {
			yield(analysis.Evidence{}, err)
		}
	}
}

func (s *Warehouse) each(ctx context.Context, l store.Latest, f func(scoring.AnswerID, *analysis.Score) bool) error {
	if err := s.readConfigs(ctx); err != nil {
		return err
	}
	for r, err := range s.w.LatestScores(ctx, l) {
		if err != nil {
			return err
		}
		score := Score(&r.Row, r.Detail)
		score.Config = s.config(r.RunID, r.ConfigHash, r.Score.Metric)
		score.Judge = judgeOf(r.Judge, r.Asked || l.ByJudge && judgedAnyway(r.Score.Metric))
		if !f(r.AnswerID, &score) {
			return nil
		}
	}
	return nil
}

func (s *Warehouse) readConfigs(ctx context.Context) error {
	if s.configs != nil {
		return nil
	}
	texts, err := s.w.RunConfigs(ctx)
	if err != nil {
		return err
	}
	s.configs, s.parts = map[string]*scoring.Config{}, map[[2]string]string{}
	for run, text := range texts {
		var c scoring.Config
		if json.Unmarshal([]byte(text), &c) == nil {
			s.configs[run] = &c
		}
	}
	return nil
}

// judgeOf returns the judge of a score: that of its run if the score asked one, and else "".
func judgeOf(judge string, asked bool) string {
	switch {
	case !asked:
		return ""
	case judge == "":
		return analysis.UnknownJudge
	}
	return judge
}

// judgedAnyway reports whether a metric is a judge's verdict even if rules decide an answer without a call.
func judgedAnyway(metric string) bool {
	return metric == "rose" || metric == "flex" || metric == "verdict"
}

// config identifies the part of a run's configuration that affects a metric. If the configuration is unknown, it
// returns hash.
func (s *Warehouse) config(run, hash, metric string) string {
	c := s.configs[run]
	if c == nil {
		return hash
	}
	key := [2]string{hash, metric}
	if hash == "" {
		key[0] = run
	}
	part, ok := s.parts[key]
	if !ok {
		part = configPart(c, metric)
		s.parts[[2]string{strings.Clone(key[0]), strings.Clone(key[1])}] = part
	}
	return part
}

// UnlikeRuns reports which scores of a metric by two runs are not comparable because the configuration or the judge
// changed.
func UnlikeRuns(metric string, from, to *store.Run) (u store.Unlike) {
	var a, b scoring.Config
	if json.Unmarshal([]byte(from.Config), &a) == nil && json.Unmarshal([]byte(to.Config), &b) == nil {
		u.Config = configPart(&a, metric) != configPart(&b, metric)
	}
	u.Judge = from.Judge != "" && to.Judge != "" && from.Judge != to.Judge
	u.Judged = judgedAnyway(metric)
	return u
}

// configPart returns a hash of the options and threshold of a metric; for a metric that reads the whole case or is
// unknown, of all options and thresholds.
func configPart(c *scoring.Config, name string) string {
	part := scoring.Config{Options: map[string]json.RawMessage{}, Thresholds: map[string]float64{}}
	all := metric.All()
	i := slices.IndexFunc(all, func(m scoring.Metric) bool { return m.Name == name })
	whole := i < 0 || (all[i].Needs|all[i].Reads)&scoring.FieldCase != 0
	for m, options := range c.Options {
		var v any // each warehouse writes JSON in its own order
		if m != name && !whole || json.Unmarshal(options, &v) != nil {
			continue
		}
		if sorted, err := json.Marshal(v); err == nil {
			part.Options[m] = sorted
		}
	}
	for m, t := range c.Thresholds {
		if m == name || whole {
			part.Thresholds[m] = t
		}
	}
	return part.Hash()
}

// Labels returns the majority label of each answer; an answer with a tie has no label.
func (s *Warehouse) Labels(ctx context.Context) (map[scoring.AnswerID]bool, error) {
	votes, err := s.w.Votes(ctx)
	if err != nil {
		return nil, err
	}
	said := map[scoring.AnswerID][]store.Vote{}
	for _, v := range votes {
		if v.Known {
			said[v.AnswerID] = append(said[v.AnswerID], v)
		}
	}
	out := map[scoring.AnswerID]bool{}
	for id, of := range said {
		if b := balance(of); b != 0 {
			out[id] = b > 0
		}
	}
	return out, nil
}

// Score converts a score for analyses; its findings come from detail.
func Score(r *scoring.Row, detail []byte) analysis.Score {
	s := &r.Score
	return analysis.Score{
		CaseID: r.CaseID, Metric: s.Metric, MetricVersion: s.Version, Status: s.Status, Value: s.Value, Passed: s.Passed,
		Label: s.Label, Reason: s.Reason,
		Findings: analysis.Findings(s, detail), Gold: r.GoldHash,
	}
}

// digest returns a hash of the rows of a result that does not depend on the order of rows and columns. It is "" for
// references, and for results without any value: that two agents find nothing is weak evidence.
func digest(r *scoring.Result, sql string) (d analysis.Digest) {
	if r.Table == nil {
		return d
	}
	rows := make([]string, r.Table.Rows())
	any := false
	for i := range rows {
		cells := make([]string, 0, len(r.Table.Columns))
		for c := range r.Table.Columns {
			if v := r.Table.Columns[c].Value(i); v.IsNull() {
				cells = append(cells, "\x00")
			} else {
				cells = append(cells, v.String())
				any = true
			}
		}
		slices.Sort(cells)
		rows[i] = strings.Join(cells, "\x1f")
	}
	if !any {
		return d
	}
	slices.Sort(rows)
	sum := sha256.Sum256([]byte(strings.Join(rows, "\x1e")))
	d.Rows = hex.EncodeToString(sum[:8])
	if sql = strings.Join(strings.Fields(sql), " "); sql != "" {
		sum = sha256.Sum256([]byte(sql))
		d.SQL = hex.EncodeToString(sum[:8])
	}
	return d
}

// Side selects the scores of one side of a comparison: those of a run, or without a run the latest of a batch.
type Side struct {
	scoring.RunID
	None bool // no scores at all
}

// Latest returns the selection of the side's scores of some metrics.
func (s Side) Latest(metrics ...string) store.Latest {
	return store.Latest{RunID: s.RunID, None: s.None, Metrics: metrics}
}

// half converts a score of a pair; it is zero if the side has none.
func (s *Warehouse) half(metric string, h *store.Half) analysis.Half {
	if h.Score.Status == "" {
		return analysis.Half{}
	}
	score := analysis.Score{Metric: metric, MetricVersion: h.Score.Version, Status: h.Score.Status, Value: h.Score.Value,
		Passed: h.Score.Passed, Reason: h.Score.Reason}
	score.Config = s.config(h.RunID, h.ConfigHash, metric)
	score.Judge = judgeOf(h.Judge, h.Asked)
	return analysis.HalfOf(&score)
}

// pairsTogether is the number of pairs of scores that one statement joins, if it joins those of several metrics. More
// exceed the 40 MB that badger view gives the embedded engine: with 20,000 cases, a statement for one, two and three
// metrics takes 79, 117 and 223 ms.
const pairsTogether = 45_000

// tallies yields a tally of each metric for two sides with a number of cases, in the order of the metrics' names.
func (s *Warehouse) tallies(ctx context.Context, set *analysis.Set, sides [2]Side, cases int,
	o analysis.CompareOptions) iter.Seq2[*analysis.Tally, error] {
	return func(yield func(*analysis.Tally, error) bool) {
		if err := s.readConfigs(ctx); err != nil {
			yield(nil, err)
			return
		}
		// A statement reads the scores of all metrics to find those of one, so it pairs several.
		metrics := slices.Compact(slices.Sorted(slices.Values(o.Metrics)))
		for together := range slices.Chunk(metrics, max(1, pairsTogether/max(1, cases))) {
			tallies := map[string]*analysis.Tally{}
			for p, err := range s.w.PairCounts(ctx, sides[0].Latest(together...), sides[1].Latest(together...)) {
				if err != nil {
					yield(nil, err)
					return
				}
				t := tallies[p.Metric]
				if t == nil {
					t = set.NewTally(p.Metric, o)
					tallies[p.Metric] = t
				}
				t.Add(&analysis.Pair{
					From: s.half(p.Metric, &p.From), To: s.half(p.Metric, &p.To), Gold: analysis.Likeness(p.Gold), Reasons: analysis.Likeness(p.Reasons), Cases: p.Cases, //nolint:gosec // 0 to 2
				})
			}
			for _, metric := range together { // databases have their own order
				if t := tallies[metric]; t != nil && !yield(t, nil) {
					return
				}
			}
		}
	}
}

// Compared is a comparison of two sides with the transitions of each metric.
type Compared struct {
	analysis.Comparison
	Transitions map[string][]analysis.Transition // by metric
}

// key returns the run and batch of the side.
func (s *Side) key() scoring.RunID {
	return s.RunID
}

// Compare compares two sides by the metrics of o, without the ids of cases. The result for two finished runs is
// cached, and must not be modified.
func (s *Warehouse) Compare(ctx context.Context, set *analysis.Set, from, to Side, fromBatch, toBatch analysis.Batch,
	o analysis.CompareOptions) (*Compared, error) {
	compute := func() (*Compared, error) { return s.compare(ctx, set, from, to, fromBatch, toBatch, o) }
	var runs []scoring.RunID
	for _, side := range []Side{from, to} {
		switch {
		case side.None:
			continue
		case side.ID == "":
			return compute()
		}
		runs = append(runs, side.key())
	}
	return store.RememberOf(ctx, s.w, runs, fmt.Sprintf("compared %#v %#v %#v", fromBatch, toBatch, o),
		func(c *Compared) int { return 4000 * (len(c.Changes) + 1) }, compute)
}

func (s *Warehouse) compare(ctx context.Context, set *analysis.Set, from, to Side, fromBatch, toBatch analysis.Batch,
	o analysis.CompareOptions) (*Compared, error) {
	out := &Compared{Comparison: analysis.NewComparison(fromBatch, toBatch, o),
		Transitions: map[string][]analysis.Transition{}}
	var err error
	if out.Shared, out.OnlyOf[0], out.OnlyOf[1], err = s.w.SharedCases(ctx, from.Latest(o.Metrics...),
		to.Latest(o.Metrics...)); err != nil {
		return nil, err
	}
	var notes []string
	cases := out.Shared + out.OnlyOf[0] + out.OnlyOf[1]
	for t, err := range s.tallies(ctx, set, [2]Side{from, to}, cases, o) {
		if err != nil {
			return nil, err
		}
		out.Changes = append(out.Changes, t.Change())
		out.Transitions[t.Metric()] = t.Transitions()
		notes = append(notes, t.Notes()...)
	}
	out.Finish(set, notes, o)
	return out, nil
}

// Failures counts the failures of one side, without the ids of cases. The result for a finished run is cached, and
// must not be modified.
func (s *Warehouse) Failures(ctx context.Context, side Side, metrics []string) (*analysis.Failures, error) {
	compute := func() (*analysis.Failures, error) { return s.failures(ctx, side, metrics) }
	if side.ID == "" {
		return compute()
	}
	return store.RememberOf(ctx, s.w, []scoring.RunID{side.key()}, fmt.Sprintf("failures %q", metrics),
		func(f *analysis.Failures) int { return 1000 * (len(f.Labels) + 1) }, compute)
}

func (s *Warehouse) failures(ctx context.Context, side Side, metrics []string) (*analysis.Failures, error) {
	l := side.Latest(metrics...)
	l.Details = metrics
	tiers, err := s.tiersOf(ctx, side)
	if err != nil {
		return nil, err
	}
	out := &analysis.Failures{LookedAt: map[string]int{}}
	// by metric, and finding
	looked, counts, byTier := map[string]tierCounts{}, map[[2]string]int{}, map[[2]string]tierCounts{}
	for r, err := range s.w.LatestScores(ctx, l) {
		if err != nil {
			return nil, err
		}
		if r.Score.Status != scoring.StatusOK {
			continue
		}
		m := known(metrics, r.Score.Metric)
		if out.LookedAt[m]++; looked[m] == nil {
			looked[m] = tierCounts{}
		}
		looked[m].add(tiers, r.CaseID)
		for _, f := range analysis.Findings(&r.Score, r.Detail) {
			key := [2]string{m, f}
			if counts[key]++; byTier[key] == nil {
				byTier[key] = tierCounts{}
			}
			byTier[key].add(tiers, r.CaseID)
		}
	}
	for key, n := range counts {
		kind, label, _ := strings.Cut(key[1], ":")
		out.Labels = append(out.Labels,
			analysis.FailureLabel{Metric: key[0], Kind: kind, Label: label, N: n, Cases: n,
				Groups: byTier[key].groups(looked[key[0]])})
	}
	slices.SortFunc(out.Labels, func(a, b analysis.FailureLabel) int {
		return cmp.Or(cmp.Compare(slices.Index(metrics, a.Metric), slices.Index(metrics, b.Metric)),
			strings.Compare(a.Kind, b.Kind), cmp.Compare(b.N, a.N), strings.Compare(a.Label, b.Label))
	})
	return out, nil
}

// known returns the element of list that equals text, because text is only valid until the next row.
func known(list []string, text string) string { return list[slices.Index(list, text)] }

// Trend returns the trend [analysis.NewTrend] of the last batches that o chooses, without the ids of cases; last 0
// means all.
func (s *Warehouse) Trend(ctx context.Context, set *analysis.Set, o analysis.TrendOptions,
	last int) (*analysis.Trend, error) {
	batches, err := s.Batches(ctx)
	if err != nil {
		return nil, err
	}
	there, err := s.Metrics(ctx)
	if err != nil {
		return nil, err
	}
	if o.Accepted, err = analysis.AcceptedFrom(ctx, s, set, batches, o.Primary); err != nil {
		return nil, err
	}
	o.Last = last
	t, err := analysis.TrendOf(set, batches, there, o,
		func(batches []analysis.Batch, before, i int, o analysis.CompareOptions) (*analysis.Comparison, error) {
			from, fromBatch := Side{None: true}, analysis.Batch{}
			if before >= 0 {
				from, fromBatch = s.latest(batches[before]), batches[before]
			}
			c, err := s.Compare(ctx, set, from, s.latest(batches[i]), fromBatch, batches[i], o)
			if err != nil {
				return nil, err
			}
			copied := c.Comparison // what is remembered is not changed
			return &copied, nil
		})
	if err != nil {
		return nil, err
	}
	return t, t.Conclude(ctx, s, set, o)
}

// CompareBatches compares the latest scores of two batches, without the ids of cases.
func (s *Warehouse) CompareBatches(ctx context.Context, set *analysis.Set, from, to analysis.Batch,
	o analysis.CompareOptions) (*analysis.Comparison, error) {
	c, err := s.Compare(ctx, set, s.latest(from), s.latest(to), from, to, o)
	if err != nil {
		return nil, err
	}
	copied := c.Comparison // what is remembered is not changed
	return &copied, nil
}

// latest returns the side with the latest scores of batch b. If one run computed all of them, it selects that run:
// reading is then cheaper, and comparisons are cached.
func (s *Warehouse) latest(b analysis.Batch) Side {
	side := SideOf(b)
	side.ID = b.Run
	return side
}

// SideOf returns the side with the latest scores of a batch.
func SideOf(b analysis.Batch) Side { return Side{RunID: scoring.RunID{By: b.By}} }
