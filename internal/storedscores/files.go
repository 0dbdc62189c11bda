package storedscores

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
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// With returns the scores of the warehouse with the labels and digests of a case file; if cases is nil, with those of
// the warehouse.
func (s *Warehouse) With(cases *CaseLabels) analysis.Source { return withCases{s, cases} }

type withCases struct {
	*Warehouse
	cases *CaseLabels
}

func (s withCases) Labels(ctx context.Context) (map[scoring.AnswerID]bool, error) {
	if s.cases != nil {
		return s.cases.labels, nil
	}
	return s.Warehouse.Labels(ctx)
}

func (s withCases) Digests(ctx context.Context, cases []string) (map[scoring.AnswerID]analysis.Digest, error) {
	if s.cases != nil {
		return s.cases.digests, nil
	}
	return s.Warehouse.Digests(ctx, cases)
}

// Files is the scores in files of JSON Lines, as a run writes them. They are read once, and then kept in memory.
type Files struct {
	set   *analysis.Set
	cases *CaseLabels
	paths []string
	read  bool
	found []analysis.Batch
	held  map[analysis.Batch]*analysis.Answers        // keys have no dates and no File
	spent map[analysis.Batch]map[string]scoring.Spent // by batch, as in held, and case
	names []string
}

// InFiles returns the scores in files. set numbers their cases; cases holds the labels of a case file and may be nil.
// A missing or duplicate file is a usage error that names flag.
func InFiles(set *analysis.Set, flag string, paths []string, cases *CaseLabels) (*Files, error) {
	var files []os.FileInfo
	for _, path := range paths {
		file, err := os.Stat(path)
		if err != nil {
			return nil, errcode.NoFile(flag+": ", path)
		}
		if slices.ContainsFunc(files, func(o os.FileInfo) bool { return os.SameFile(file, o) }) {
			return nil, errcode.Usage("%s: duplicate file %q", flag, filepath.Base(path))
		}
		files = append(files, file)
	}
	return &Files{set: set, cases: cases, paths: paths}, nil
}

// readAll reads the files once. If several files have scores of the same batch, they are distinct batches with the
// file as Origin.
func (s *Files) readAll(ctx context.Context) error {
	if s.read {
		return nil
	}
	s.held, s.spent = map[analysis.Batch]*analysis.Answers{}, map[analysis.Batch]map[string]scoring.Spent{}
	metrics := map[string]bool{}
	origins := map[analysis.Batch]map[string]bool{}
	files := map[string]int{} // numbers of the files, from 1, by origin
	for i, path := range s.paths {
		files[originOf(s.paths, i)] = i + 1
		for r, err := range batch.ReadScores(ctx, path) {
			if err != nil {
				return err
			}
			b := analysis.Batch{By: r.By}
			at := r.RanAt
			if origins[b] == nil {
				origins[b] = map[string]bool{}
			}
			b.Origin = originOf(s.paths, i)
			of := b
			of.Origin = ""
			origins[of][b.Origin] = true
			if s.held[b] == nil {
				b.Agent, b.Version, b.Batch = strings.Clone(b.Agent), strings.Clone(b.Version), strings.Clone(b.Batch)
				s.held[b] = s.set.Answers(b)
			}
			if a := s.held[b]; at.After(a.At) {
				a.At = at
			}
			metrics[r.Score.Metric] = true
			score := fileScore(&r.Row)
			if s.held[b].Contradicts(&score) {
				return contradiction(ctx, path, &r)
			}
			s.held[b].Add(&score)
			s.took(b, &r.Row)
		}
	}
	for b, a := range s.held {
		of, origin := b, b.Origin
		of.Origin = ""
		if len(origins[of]) == 1 {
			b.Origin = ""
		}
		b.At, b.File = a.At, files[origin]
		s.found = append(s.found, b)
	}
	for m := range metrics {
		s.names = append(s.names, m)
	}
	slices.Sort(s.names)
	s.read = true
	return nil
}

// contradiction returns the error for a line of a score file that differs from an earlier score of the same answer
// and metric.
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
	b := analysis.Batch{By: r.By}
	of := fmt.Sprintf("case %s, metric %s", printable.Short(r.CaseID), printable.Short(r.Score.Metric))
	if b != (analysis.Batch{}) {
		of += ", " + printable.Short(b.Name())
	}
	return errcode.New(errcode.DataLoss,
		"%s:%d: expected one score of each answer and metric: line %d has another one of %s",
		printable.Short(filepath.Base(path)), r.Line, first, of)
}

// originOf returns the base name of file i, or its path if another file has the same base name.
func originOf(paths []string, i int) string {
	base := filepath.Base(paths[i])
	for k, p := range paths {
		if k != i && filepath.Base(p) == base {
			return paths[i]
		}
	}
	return base
}

func fileScore(r *scoring.Row) analysis.Score {
	detail, _ := r.Score.Detail.(json.RawMessage)
	score := Score(r, detail)
	if r.Score.Usage != nil || len(r.Score.AssessmentIDs) > 0 {
		score.Judge = analysis.UnknownJudge
	}
	if judge := fileJudge(&r.Score, detail); judge != "" {
		score.Judge = judge
	}
	return score
}

// restsOn matches the field rests_on of a verdict that a judge decided; the group is the judge's name.
var restsOn = regexp.MustCompile(`^(?:rose|flex) by (.+?)(?:, asked |, from the replies to |; the evidence )`)

// fileJudge returns the judge that the detail of a score names, in ROSE's tag or in the field rests_on of a verdict;
// "" if it names none.
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

// Batches returns the batches with scores, dated by their last answer if the files have its time.
func (s *Files) Batches(ctx context.Context) ([]analysis.Batch, error) {
	err := s.readAll(ctx)
	return s.found, err
}

// Metrics returns the names of the metrics with scores.
func (s *Files) Metrics(ctx context.Context) ([]string, error) {
	err := s.readAll(ctx)
	return s.names, err
}

// Load adds the scores of a batch to into.
func (s *Files) Load(ctx context.Context, b analysis.Batch, metrics []string, into *analysis.Answers) error {
	if err := s.readAll(ctx); err != nil {
		return err
	}
	from := s.held[s.key(b)]
	if from == nil {
		return errors.New("there are no scores of the batch") // which Batches has named
	}
	into.AddAll(from, metrics)
	return nil
}

// key returns the key of a batch in s.held.
func (s *Files) key(b analysis.Batch) analysis.Batch {
	b.At, b.Evaluated, b.File = time.Time{}, false, 0
	if s.held[b] == nil { // the file is not needed to distinguish batches
		for held := range s.held {
			key := held
			if held.Origin = ""; held == b {
				return key
			}
		}
	}
	return b
}

// LoadEach adds the scores of the metrics for each of several batches.
func (s *Files) LoadEach(ctx context.Context, metrics []string, into []*analysis.Answers) error {
	for _, a := range into {
		if err := s.Load(ctx, a.Batch, metrics, a); err != nil {
			return err
		}
	}
	return nil
}

// Accepted returns nil: score files have no accepted batches.
func (s *Files) Accepted(context.Context) (analysis.Accepted, error) { return nil, nil }

// Evidence yields the scores of the metrics for the answers that match of, in the order of the files. The judge is
// the file's name if the judge is unknown, and for a judge's verdict also if it names none or there are several
// files.
func (s *Files) Evidence(ctx context.Context, metrics []string, of scoring.AnswerID) iter.Seq2[analysis.Evidence,
	error] {
	return func(yield func(analysis.Evidence, error) bool) {
		for i, path := range s.paths {
			for r, err := range batch.ReadScores(ctx, path) {
				if err == nil && (!slices.Contains(metrics, r.Score.Metric) || !r.Matches(of)) {
					continue
				}
				e := analysis.Evidence{AnswerID: r.AnswerID}
				if err == nil {
					e.Score = fileScore(&r.Row)
					if e.Judge == analysis.UnknownJudge || judgedAnyway(e.Metric) && (e.Judge == "" || len(s.paths) > 1) {
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

// Labels returns the labels of the case file, or nil without one.
func (s *Files) Labels(context.Context) (map[scoring.AnswerID]bool, error) {
	if s.cases == nil {
		return nil, nil
	}
	return s.cases.labels, nil
}

// Digests returns the digests of the answers in the case file, or nil without one.
func (s *Files) Digests(context.Context, []string) (map[scoring.AnswerID]analysis.Digest, error) {
	if s.cases == nil {
		return nil, nil
	}
	return s.cases.digests, nil
}

// CaseLabels holds the labels and the digests of answers in a case file.
type CaseLabels struct {
	labels  map[scoring.AnswerID]bool
	digests map[scoring.AnswerID]analysis.Digest
}

// ReadCaseLabels reads the labels of the cases of a source, and digests of their answers. An unreadable case is an
// error.
func ReadCaseLabels(ctx context.Context, source batch.Source) (*CaseLabels, error) {
	out := &CaseLabels{labels: map[scoring.AnswerID]bool{}, digests: map[scoring.AnswerID]analysis.Digest{}}
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
		if d := digest(&c.Pred.Result, c.Pred.SQL); d.Rows != "" {
			out.digests[c.AnswerID()] = d
		}
	}
	return out, nil
}
