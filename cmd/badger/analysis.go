package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// scoresFlags say where the scores are that a command looks at.
type scoresFlags struct {
	DB     string   `name:"db" placeholder:"URL" xor:"scores" help:"The database that holds the scores, such as duckdb:scores.duckdb."`
	Scores []string `placeholder:"FILE" xor:"scores" sep:"none" help:"A file of scores, as run --scores writes it. May be given several times."`
}

// chosenBatches choose among the batches that have scores.
type chosenBatches struct {
	Agent   chosen `placeholder:"NAME" help:"Only this agent."`
	Version chosen `name:"agent-version" placeholder:"VERSION" help:"Only this version."`
	Batch   chosen `placeholder:"ID" help:"Only this batch."`
}

// answers is the pattern of the answers that are chosen.
func (c *chosenBatches) answers() scoring.AnswerID {
	return scoring.AnswerID{Agent: string(c.Agent), Version: string(c.Version), Batch: string(c.Batch)}
}

func (c *chosenBatches) choose(b *analysis.Batch) bool {
	return scoring.AnswerID{Agent: b.Agent, Version: b.Version, Batch: b.ID}.Matches(c.answers())
}

// scoreSource is scores that can be analysed, and what people say of the answers.
type scoreSource interface {
	analysis.Source
	// Evidence yields the latest scores of the metrics, of each judge that was asked, of the answers
	// that a pattern names.
	Evidence(ctx context.Context, metrics []string, of scoring.AnswerID) iter.Seq2[analysis.Evidence, error]
	// Labels are what people say of answers, and Digests the same for answers with the same rows;
	// digests are nil where the answers cannot be read.
	Labels(ctx context.Context) (map[scoring.AnswerID]bool, error)
	Digests(ctx context.Context) (map[scoring.AnswerID]string, error)
}

// open opens the scores; cases is a file with the labels and answers that they are of, or empty.
func (f *scoresFlags) open(ctx context.Context, cases string) (scoreSource, *analysis.Set, func(), error) {
	set := analysis.NewSet(metric.All())
	var labelled *caseLabels
	if cases != "" {
		var err error
		if labelled, err = readCaseLabels(ctx, cases); err != nil {
			return nil, nil, nil, err
		}
	}
	switch {
	case f.DB != "":
		w, err := openWarehouse(ctx, f.DB, readOnly)
		if err != nil {
			return nil, nil, nil, err
		}
		return &scoredWarehouse{w: w, set: set, cases: labelled}, set, func() { _ = w.Close() }, nil
	case len(f.Scores) > 0:
		s := &scoredFiles{set: set, cases: labelled, paths: f.Scores}
		var files []os.FileInfo
		for _, path := range f.Scores {
			file, err := os.Stat(path)
			if err != nil {
				return nil, nil, nil, usage("--scores: there is no file %q", filepath.Base(path))
			}
			if slices.ContainsFunc(files, func(o os.FileInfo) bool { return os.SameFile(file, o) }) {
				return nil, nil, nil, usage("--scores: the file %q is named twice", filepath.Base(path))
			}
			files = append(files, file)
		}
		return s, set, func() {}, nil
	}
	return nil, nil, nil, usage("expected --db URL or --scores FILE")
}

// scoredWarehouse is the scores in a warehouse.
type scoredWarehouse struct {
	w       *connectors.Warehouse
	set     *analysis.Set
	cases   *caseLabels
	configs map[string]*scoring.Config // by run
	parts   map[[2]string]string       // of the configuration that a metric reads, by hash and metric
}

func (s *scoredWarehouse) Batches(ctx context.Context) ([]analysis.Batch, error) {
	list, err := s.w.ScoredBatches(ctx)
	var out []analysis.Batch
	for _, b := range list {
		a := analysis.Batch{Agent: b.Agent, Version: b.Version, ID: b.Batch, At: b.Answered}
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

func (s *scoredWarehouse) Metrics(ctx context.Context) ([]string, error) {
	return s.w.ScoredMetrics(ctx)
}

func (s *scoredWarehouse) Load(ctx context.Context, b analysis.Batch, metrics []string, into *analysis.Answers) error {
	return s.each(ctx, connectors.Latest{Agent: b.Agent, Version: b.Version, Batch: b.ID, Metrics: metrics, Details: analysis.Evident}, func(_ scoring.AnswerID, score *analysis.Score) bool {
		into.Add(score)
		return true
	})
}

func (s *scoredWarehouse) Evidence(ctx context.Context, metrics []string, of scoring.AnswerID) iter.Seq2[analysis.Evidence, error] {
	return func(yield func(analysis.Evidence, error) bool) {
		more := true
		known := map[string]string{} // texts are valid until the next row only
		keep := func(text string) string {
			kept, is := known[text]
			if !is {
				kept = strings.Clone(text)
				known[kept] = kept
			}
			return kept
		}
		err := s.each(ctx, connectors.Latest{Agent: of.Agent, Version: of.Version, Batch: of.Batch, Everything: true, Metrics: metrics, Details: analysis.Evident, ByJudge: true}, func(id scoring.AnswerID, score *analysis.Score) bool {
			id = scoring.AnswerID{CaseID: keep(id.CaseID), Agent: keep(id.Agent), Version: keep(id.Version), Batch: keep(id.Batch)}
			score.CaseID, score.Metric, score.Judge, score.Reason = id.CaseID, keep(score.Metric), keep(score.Judge), keep(score.Reason)
			more = yield(analysis.Evidence{AnswerID: id, Score: *score}, nil)
			return more
		})
		if err != nil && more {
			yield(analysis.Evidence{}, err)
		}
	}
}

func (s *scoredWarehouse) each(ctx context.Context, l connectors.Latest, f func(scoring.AnswerID, *analysis.Score) bool) error {
	if s.configs == nil {
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
	}
	for r, err := range s.w.LatestScores(ctx, l) {
		if err != nil {
			return err
		}
		score := analysed(&r.Score, r.GoldHash, r.Detail)
		score.Config = s.config(&r)
		if r.Asked || l.ByJudge && judges(r.Score.Metric) {
			if score.Judge = r.Judge; score.Judge == "" {
				score.Judge = analysis.UnknownJudge
			}
		}
		if !f(r.AnswerID, &score) {
			return nil
		}
	}
	return nil
}

// judges tells whether a metric gives a judge's verdict, also where rules spare the judge the call.
func judges(metric string) bool { return metric == "rose" || metric == "flex" || metric == "verdict" }

// config is the part of the configuration of a score's run that its metric reads.
func (s *scoredWarehouse) config(r *connectors.LatestScore) string {
	key := [2]string{r.ConfigHash, r.Score.Metric}
	if s.configs[r.RunID] == nil {
		return r.ConfigHash
	}
	if r.ConfigHash == "" {
		key[0] = r.RunID
	}
	part, ok := s.parts[key]
	if !ok {
		part = configPart(s.configs[r.RunID], r.Score.Metric)
		s.parts[[2]string{strings.Clone(key[0]), strings.Clone(key[1])}] = part
	}
	return part
}

// configPart identifies the options and the threshold of a metric; of one that rests on other
// metrics, of all.
func configPart(c *scoring.Config, name string) string {
	part := scoring.Config{Options: map[string]json.RawMessage{}, Thresholds: map[string]float64{}}
	all := metric.All()
	i := slices.IndexFunc(all, func(m scoring.Metric) bool { return m.Name == name })
	whole := i < 0 || (all[i].Needs|all[i].Reads)&scoring.FieldCase != 0
	for m, options := range c.Options {
		var v any // warehouses write JSON in an order of their own
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

func (s *scoredWarehouse) Labels(ctx context.Context) (map[scoring.AnswerID]bool, error) {
	if s.cases != nil {
		return s.cases.labels, nil
	}
	votes, err := s.w.Votes(ctx)
	if err != nil {
		return nil, err
	}
	sums, decided := map[scoring.AnswerID]int{}, map[scoring.AnswerID]bool{}
	for _, v := range votes {
		decided[v.AnswerID] = decided[v.AnswerID] || v.Decides
	}
	for _, v := range votes {
		if v.Known && v.Decides == decided[v.AnswerID] {
			sums[v.AnswerID] += v.Says
		}
	}
	out := map[scoring.AnswerID]bool{}
	for id, sum := range sums {
		if sum != 0 {
			out[id] = sum > 0
		}
	}
	return out, nil
}

func (s *scoredWarehouse) Digests(ctx context.Context) (map[scoring.AnswerID]string, error) {
	if s.cases != nil {
		return s.cases.digests, nil
	}
	out := map[scoring.AnswerID]string{}
	for a, err := range s.w.Cases(ctx, connectors.Filter{}) {
		if err != nil {
			return nil, nil //nolint:nilerr // there are no answers in a database that holds scores only
		}
		if a.Case != nil {
			if d := digest(&a.Case.Pred.Result); d != "" {
				out[a.AnswerID] = d
			}
		}
	}
	return out, nil
}

// analysed is a score for analysis.
func analysed(s *scoring.Score, gold string, detail []byte) analysis.Score {
	return analysis.Score{
		CaseID: s.CaseID, Metric: s.Metric, MetricVersion: s.Version, Status: s.Status, Value: s.Value, Passed: s.Passed, Label: s.Label, Reason: s.Reason,
		Findings: analysis.Findings(s.Metric, s.Status, s.Value, detail), Gold: gold,
	}
}

// scoredFiles is the scores of files.
type scoredFiles struct {
	set   *analysis.Set
	cases *caseLabels
	paths []string
	read  bool
	found []analysis.Batch
	held  map[analysis.Batch]*analysis.Answers // without dates
	names []string
}

// readAll reads the files once. Where several hold scores of the same batch, the file tells them
// apart.
func (s *scoredFiles) readAll(ctx context.Context) error {
	if s.read {
		return nil
	}
	s.held = map[analysis.Batch]*analysis.Answers{}
	metrics := map[string]bool{}
	origins := map[analysis.Batch]map[string]bool{}
	for i, path := range s.paths {
		for r, err := range batch.ReadScores(ctx, path) {
			if err != nil {
				return err
			}
			b := analysis.Batch{Agent: r.Agent, Version: r.Version, ID: r.Batch}
			if origins[b] == nil {
				origins[b] = map[string]bool{}
			}
			b.Origin = originOf(s.paths, i)
			of := b
			of.Origin = ""
			origins[of][b.Origin] = true
			if s.held[b] == nil {
				b.Agent, b.Version, b.ID = strings.Clone(b.Agent), strings.Clone(b.Version), strings.Clone(b.ID)
				s.held[b] = s.set.Answers(b)
			}
			metrics[r.Score.Metric] = true
			score := fileScore(&r.Row)
			if s.held[b].Contradicts(&score) {
				return contradiction(ctx, path, &r)
			}
			s.held[b].Add(&score)
		}
	}
	for b := range s.held {
		of := b
		of.Origin = ""
		if len(origins[of]) == 1 {
			b.Origin = ""
		}
		s.found = append(s.found, b)
	}
	for m := range metrics {
		s.names = append(s.names, m)
	}
	slices.Sort(s.names)
	s.read = true
	return nil
}

// contradiction says that a line of a score file has another score of the same answer and metric than
// a line before it.
func contradiction(ctx context.Context, path string, r *batch.FileRow) error {
	first := 0
	for o, err := range batch.ReadScores(ctx, path) {
		if err != nil {
			return err
		}
		if o.AnswerID == r.AnswerID && o.Score.Metric == r.Score.Metric {
			first = o.Line
			break
		}
	}
	b := analysis.Batch{Agent: r.Agent, Version: r.Version, ID: r.Batch}
	of := fmt.Sprintf("case %s, metric %s", report.Short(r.CaseID), report.Short(r.Score.Metric))
	if name := b.Name(); name != "" {
		of += ", " + report.Short(name)
	}
	return errcode.New(errcode.DataLoss, "%s:%d: expected one score of each answer and metric: line %d has another one of %s", report.Short(filepath.Base(path)), r.Line, first, of)
}

// originOf names a file by its base, or by its path where two have the same base.
func originOf(paths []string, i int) string {
	base := filepath.Base(paths[i])
	for k, p := range paths {
		if k != i && filepath.Base(p) == base {
			return paths[i]
		}
	}
	return base
}

func fileScore(r *batch.Row) analysis.Score {
	detail, _ := r.Score.Detail.(json.RawMessage)
	score := analysed(&r.Score, r.GoldHash, detail)
	if r.Score.Usage != nil || len(r.Score.AssessmentIDs) > 0 {
		score.Judge = analysis.UnknownJudge
	}
	if judge := fileJudge(&r.Score, detail); judge != "" {
		score.Judge = judge
	}
	return score
}

// restsOn is how the detail of a verdict begins that a judge decided.
var restsOn = regexp.MustCompile(`^(?:rose|flex) by (.+?)(?:, asked |, from the replies to |; the evidence )`)

// fileJudge is the judge that the detail of a score names, as ROSE's tag or in what a verdict rests
// on; empty where it names none.
func fileJudge(s *scoring.Score, detail json.RawMessage) string {
	score := *s
	score.Detail = detail
	if tag, _ := metric.Tagged(&score); tag != "" {
		return strings.TrimPrefix(tag, "rose_")
	}
	var d struct {
		RestsOn string `json:"rests_on"`
	}
	if s.Metric != "verdict" || json.Unmarshal(detail, &d) != nil {
		return ""
	}
	if m := restsOn.FindStringSubmatch(d.RestsOn); m != nil && m[1] != "a model that is not named" {
		return m[1]
	}
	return ""
}

func (s *scoredFiles) Batches(ctx context.Context) ([]analysis.Batch, error) {
	err := s.readAll(ctx)
	return s.found, err
}

func (s *scoredFiles) Metrics(ctx context.Context) ([]string, error) {
	err := s.readAll(ctx)
	return s.names, err
}

func (s *scoredFiles) Load(ctx context.Context, b analysis.Batch, metrics []string, into *analysis.Answers) error {
	if err := s.readAll(ctx); err != nil {
		return err
	}
	b.At, b.Evaluated = time.Time{}, false
	from := s.held[b]
	if from == nil { // the file does not need to tell the batch apart
		for held, a := range s.held {
			if held.Origin = ""; held == b {
				from = a
			}
		}
	}
	if from == nil {
		return errors.New("there are no scores of the batch") // which Batches has named
	}
	into.AddAll(from, metrics)
	return nil
}

func (s *scoredFiles) Evidence(ctx context.Context, metrics []string, of scoring.AnswerID) iter.Seq2[analysis.Evidence, error] {
	return func(yield func(analysis.Evidence, error) bool) {
		for i, path := range s.paths {
			for r, err := range batch.ReadScores(ctx, path) {
				if err == nil && (!slices.Contains(metrics, r.Score.Metric) || !r.Matches(of)) {
					continue
				}
				e := analysis.Evidence{AnswerID: r.AnswerID}
				if err == nil {
					e.Score = fileScore(&r.Row)
					if e.Judge == analysis.UnknownJudge || judges(e.Metric) && (e.Judge == "" || len(s.paths) > 1) {
						e.Judge = strings.TrimSuffix(originOf(s.paths, i), ".jsonl") // a file is of one judge
					}
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

func (s *scoredFiles) Labels(context.Context) (map[scoring.AnswerID]bool, error) {
	if s.cases == nil {
		return nil, nil
	}
	return s.cases.labels, nil
}

func (s *scoredFiles) Digests(context.Context) (map[scoring.AnswerID]string, error) {
	if s.cases == nil {
		return nil, nil
	}
	return s.cases.digests, nil
}

// caseLabels is what a case file says of answers.
type caseLabels struct {
	labels  map[scoring.AnswerID]bool
	digests map[scoring.AnswerID]string
}

func readCaseLabels(ctx context.Context, path string) (*caseLabels, error) {
	source, _, err := caseFile("--cases: ", path, answerFlags{})
	if err != nil {
		return nil, err
	}
	out := &caseLabels{labels: map[scoring.AnswerID]bool{}, digests: map[scoring.AnswerID]string{}}
	for item, err := range source.Cases(ctx) {
		if err != nil {
			return nil, err
		}
		c, err := item.Load(ctx)
		if err != nil {
			return nil, err
		}
		if c.Human != nil {
			out.labels[c.AnswerID()] = *c.Human
		}
		if d := digest(&c.Pred.Result); d != "" {
			out.digests[c.AnswerID()] = d
		}
	}
	return out, nil
}

// digest is the same for two results that hold the same rows, in whatever order of rows and columns.
// It is empty for references, and for results that hold no value: that two agents find nothing says
// little.
func digest(r *scoring.Result) string {
	if r.Table == nil {
		return ""
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
		return ""
	}
	slices.Sort(rows)
	sum := sha256.Sum256([]byte(strings.Join(rows, "\x1e")))
	return hex.EncodeToString(sum[:8])
}
