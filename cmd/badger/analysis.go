package main

import (
	"context"
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

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// scoresFlags say where the scores are that a command looks at.
type scoresFlags struct {
	DB     string   `name:"db" placeholder:"URL" xor:"scores" help:"The database that holds the scores, such as duckdb:scores.duckdb."`
	Scores []string `placeholder:"FILE" xor:"scores" sep:"none" help:"A file of scores, as run --scores writes it. May be given several times."`
}

// labelledScores are the flags of commands that read scores with what people say of the answers.
type labelledScores struct {
	scoresFlags
	chosenBatches
	CaseFile string `name:"cases" placeholder:"FILE" help:"The cases that the scores are of, with their labels and answers. By default those of the database."`
}

// chosenBatches choose among the batches that have scores.
type chosenBatches struct {
	Agent   chosen `placeholder:"NAME" help:"Only this agent; '' for one without a name."`
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
	Digests(ctx context.Context, cases []string) (map[scoring.AnswerID]string, error)
}

// openScores is scores that are open.
type openScores struct {
	scoreSource
	set   *analysis.Set
	close func()
}

// there lists the metrics that have scores. It refuses names of a flag that have none.
func (s *openScores) there(ctx context.Context, flag string, names ...string) ([]string, error) {
	there, err := s.Metrics(ctx)
	if err != nil {
		return nil, err
	}
	return there, checkNames(flag, names, there)
}

// open opens the scores; cases is a file with the labels and answers that they are of, or empty.
func (f *scoresFlags) open(ctx context.Context, cases string) (*openScores, error) {
	set := analysis.NewSet(metric.All())
	var labelled *caseLabels
	if cases != "" {
		var err error
		if labelled, err = readCaseLabels(ctx, cases); err != nil {
			return nil, err
		}
	}
	switch {
	case f.DB != "":
		w, err := openWarehouse(ctx, f.DB, readOnly)
		if err != nil {
			return nil, err
		}
		return &openScores{scoredWarehouse{storedscores.In(w), labelled}, set, func() { _ = w.Close() }}, nil
	case len(f.Scores) > 0:
		s := &scoredFiles{set: set, cases: labelled, paths: f.Scores}
		var files []os.FileInfo
		for _, path := range f.Scores {
			file, err := os.Stat(path)
			if err != nil {
				return nil, usage("--scores: there is no file %q", filepath.Base(path))
			}
			if slices.ContainsFunc(files, func(o os.FileInfo) bool { return os.SameFile(file, o) }) {
				return nil, usage("--scores: the file %q is named twice", filepath.Base(path))
			}
			files = append(files, file)
		}
		return &openScores{s, set, func() {}}, nil
	}
	return nil, usage("expected --db URL or --scores FILE")
}

// scoredWarehouse is the scores in a warehouse, with the labels and answers of a file where there is
// one.
type scoredWarehouse struct {
	*storedscores.Warehouse
	cases *caseLabels
}

func (s scoredWarehouse) Labels(ctx context.Context) (map[scoring.AnswerID]bool, error) {
	if s.cases != nil {
		return s.cases.labels, nil
	}
	return s.Warehouse.Labels(ctx)
}

func (s scoredWarehouse) Digests(ctx context.Context, cases []string) (map[scoring.AnswerID]string, error) {
	if s.cases != nil {
		return s.cases.digests, nil
	}
	return s.Warehouse.Digests(ctx, cases)
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
	of := fmt.Sprintf("case %s, metric %s", printable.Short(r.CaseID), printable.Short(r.Score.Metric))
	if b != (analysis.Batch{}) {
		of += ", " + printable.Short(b.Name())
	}
	return errcode.New(errcode.DataLoss, "%s:%d: expected one score of each answer and metric: line %d has another one of %s", printable.Short(filepath.Base(path)), r.Line, first, of)
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
	score := storedscores.Score(&r.Score, r.GoldHash, detail)
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
					if e.Judge == analysis.UnknownJudge || storedscores.JudgedAnyway(e.Metric) && (e.Judge == "" || len(s.paths) > 1) {
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

func (s *scoredFiles) Digests(context.Context, []string) (map[scoring.AnswerID]string, error) {
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
		if d := storedscores.Digest(&c.Pred.Result); d != "" {
			out.digests[c.AnswerID()] = d
		}
	}
	return out, nil
}
