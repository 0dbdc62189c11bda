package calibration

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

// Labelled configures the scoring of labelled cases.
type Labelled struct {
	Source batch.Source
	// vote by annotator of each answer; nil: the votes are in the cases
	Votes       map[scoring.AnswerID]map[string]agreement.Vote
	Plan        *Plan
	Concurrency int       // cases scored concurrently; 0: the number of processors, or 64 if a judge is called
	Choosing    bool      // thresholds will be chosen, so that metrics without a threshold are kept
	Notes       io.Writer // receives a note about ignored cases

	Progress func(batch.Progress) // called while cases are scored
	Done     func()               // called after the last case, before notes are written
}

// assessed is one labelled case with its scores, in the order of the plan's metrics.
type assessed struct {
	at     int // index in the source
	c      Case
	votes  map[string]agreement.Vote
	scores []Score
}

// Score computes every metric of the plan for every labelled case. Cases without a label only count for the
// inter-annotator agreement; if none has a label, the error is InvalidArgument.
func (l *Labelled) Score(ctx context.Context) (*Study, error) {
	concurrency := l.Concurrency
	if concurrency == 0 && l.Plan.asks {
		concurrency = 64
	}
	if concurrency <= 0 {
		concurrency = runtime.GOMAXPROCS(0)
	}
	progress := batch.Progress{}
	if counter, ok := l.Source.(batch.Counter); ok {
		progress.Total, _ = counter.Count(ctx) // only for the bar
	}
	var (
		mu         sync.Mutex
		done       []assessed
		unlabelled int
		unread     []string
	)
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(concurrency)
	at := 0
	for item, err := range batch.Distinct(gctx, l.Source) {
		if err != nil {
			if werr := g.Wait(); werr != nil {
				return nil, werr
			}
			return nil, err
		}
		place := at
		at++
		g.Go(func() error {
			c, err := item.Load(gctx)
			if err != nil {
				if gctx.Err() != nil {
					return gctx.Err()
				}
				mu.Lock()
				defer mu.Unlock()
				unread = append(unread, err.Error())
				return nil
			}
			a := assessed{at: place, votes: l.votesOf(c)}
			a.c = Case{ID: c.ID, Label: labelOf(c, a.votes),
				Groups: map[string]string{byDataset: c.Dataset, byDatabase: c.Database}}
			if a.c.Label != agreement.Missing {
				if err := l.scoreCase(gctx, c, &a); err != nil {
					return err
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if a.c.Label == agreement.Missing {
				unlabelled++
				a.scores = make([]Score, len(l.Plan.metrics))
			}
			// cases with divided votes still measure inter-annotator agreement
			if a.c.Label != agreement.Missing || len(a.votes) > 1 {
				done = append(done, a)
			}
			progress.Done++
			l.Progress(progress)
			return nil
		})
	}
	err := g.Wait()
	l.Done()
	if err != nil {
		return nil, err
	}
	l.tell(int(progress.Done)-unlabelled, unlabelled, unread)
	if int(progress.Done) == unlabelled {
		return nil, errcode.New(errcode.InvalidArgument,
			"no case is labelled: expected human.label or human.votes in the cases, or rows of human_labels in the warehouse")
	}
	slices.SortFunc(done, func(a, b assessed) int { return a.at - b.at })
	return l.study(done), nil
}

// tell writes notes about the ignored cases.
func (l *Labelled) tell(labelled, unlabelled int, unread []string) {
	if unlabelled > 0 {
		fmt.Fprintf(l.Notes, "%s labelled, %d not\n", printable.Count(labelled, "case"), unlabelled)
	}
	if len(unread) > 0 {
		slices.Sort(unread)
		fmt.Fprintf(l.Notes, "%s cannot be read, such as: %s\n", printable.Count(len(unread), "case"), unread[0])
	}
}

// scoreCase computes the scores and the tier of a case.
func (l *Labelled) scoreCase(ctx context.Context, c *scoring.Case, a *assessed) error {
	const tier = "sql_complexity"
	together := []string{tier}
	for _, m := range l.Plan.metrics {
		if m.engine != nil && !m.alone && m.metric.Name != tier {
			together = append(together, m.metric.Name)
		}
	}
	plain, err := l.Plan.plain.Score(ctx, c, together...)
	if err != nil {
		return err
	}
	byName := map[string]scoring.Score{}
	for _, s := range plain {
		byName[s.Metric] = s
	}
	if s := byName[tier]; s.Status == scoring.StatusOK {
		a.c.Groups[ByTier] = strings.ReplaceAll(s.Label, "_", " ")
	}
	a.scores = make([]Score, len(l.Plan.metrics))
	for i, m := range l.Plan.metrics {
		switch {
		case m.run != nil:
			a.scores[i] = recordedScore(&m, c.ID)
		case m.alone:
			s, err := m.engine.Score(ctx, c, m.metric.Name)
			if err != nil {
				return err
			}
			a.scores[i] = scoreOf(s[0])
		default:
			a.scores[i] = scoreOf(byName[m.metric.Name])
		}
	}
	return nil
}

func scoreOf(s scoring.Score) Score {
	out := Score{Status: s.Status, Value: s.Value, Calls: len(s.AssessmentIDs)}
	if s.Status == scoring.StatusOK {
		out.Verdict = agreement.VoteOf(s.Passed)
	}
	if s.Usage != nil {
		out.Calls = max(out.Calls, s.Usage.Calls)
	}
	return out
}

// recordedScore returns the recorded score of a case, or not applicable if there is none.
func recordedScore(m *scored, caseID string) Score {
	v, ok := m.run.Score(caseID)
	if !ok {
		return Score{Status: scoring.StatusNotApplicable}
	}
	passed := m.Scale.Passes(v, *m.Threshold)
	return Score{Status: scoring.StatusOK, Value: v, Verdict: agreement.VoteOf(&passed), Calls: m.run.Calls(caseID)}
}

// study converts scored cases to a Study. It omits metrics without any verdict, unless they were requested by name or
// a threshold may be chosen for them.
func (l *Labelled) study(done []assessed) *Study {
	var annotators []string
	for _, a := range done {
		annotators = append(annotators, slices.Collect(maps.Keys(a.votes))...)
	}
	slices.Sort(annotators)
	annotators = slices.Compact(annotators)
	s := &Study{}
	for _, a := range done {
		c := a.c
		for _, name := range annotators {
			c.Votes = append(c.Votes, a.votes[name])
		}
		s.Cases = append(s.Cases, c)
	}
	for i, m := range l.Plan.metrics {
		verdicts, calls := 0, 0
		m.leaveOut(done, i)
		for _, a := range done {
			m.Scores = append(m.Scores, a.scores[i])
			calls += a.scores[i].Calls
			if s := a.scores[i]; s.Verdict != agreement.Missing ||
				l.Choosing && s.Status == scoring.StatusOK && !m.categories() {
				verdicts++
			}
		}
		unasked := m.alone && calls == 0 // scores of a hybrid metric without judge calls are not the judge's
		if m.named && !m.ifAny || verdicts > 0 && !unasked {
			s.Metrics = append(s.Metrics, m.Metric)
		}
	}
	return s
}

// categories reports whether the metric's values are categories instead of grades.
func (m *scored) categories() bool { return m.metric != nil && len(m.metric.Labels) > 0 }

// leaveOut replaces scores by not applicable if the recorded replies of a metric are incomplete: those of cases
// without a recorded reply or, if no needed reply was recorded, all. Otherwise only easy cases, which rules decide
// without a judge, would remain of the cases without replies, and agreement would be overestimated.
func (m *scored) leaveOut(done []assessed, i int) {
	if m.by == nil || len(m.by.runs)+len(m.by.panel) == 0 {
		return
	}
	wanting, asked := false, false
	for _, a := range done {
		s := a.scores[i]
		undecided := a.c.Label != agreement.Missing && s.Status != scoring.StatusOK && s.Status != scoring.StatusNotApplicable
		wanting = wanting || undecided && s.Calls == 0
		asked = asked || s.Calls > 0
	}
	if !wanting {
		return
	}
	for _, a := range done {
		if !asked || !m.by.assessed(m.metric.Name, a.c.ID) {
			a.scores[i] = Score{Status: scoring.StatusNotApplicable}
		}
	}
}

// votesOf returns each annotator's vote on a case.
func (l *Labelled) votesOf(c *scoring.Case) map[string]agreement.Vote {
	if l.Votes != nil {
		return l.Votes[c.AnswerID()]
	}
	var raw map[string]any
	if json.Unmarshal(c.Votes, &raw) != nil {
		var list []any
		if json.Unmarshal(c.Votes, &list) != nil {
			return nil
		}
		raw = map[string]any{}
		for i, v := range list {
			raw[fmt.Sprintf("%03d", i+1)] = v
		}
	}
	votes := map[string]agreement.Vote{}
	for name, v := range raw {
		if v != nil {
			votes[name] = voteOf(fmt.Sprint(v))
		}
	}
	return votes
}

// voteOf parses a verdict. Any unknown text, such as "1?" or unsure, is a missing vote.
func voteOf(text string) agreement.Vote {
	passes, said := scoring.ReadLabel(text)
	if !said {
		return agreement.Missing
	}
	return agreement.VoteOf(&passes)
}

// labelOf returns the label of a case: human.label if set, else the majority of the votes.
func labelOf(c *scoring.Case, votes map[string]agreement.Vote) agreement.Vote {
	if c.Human != nil {
		return agreement.VoteOf(c.Human)
	}
	return agreement.Majority(slices.Collect(maps.Values(votes)))
}
