package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// scoresFlags select the scores that a command reads.
type scoresFlags struct {
	DB     string   `name:"db" placeholder:"URL" xor:"scores" help:"Database with runs and scores, such as duckdb:scores.duckdb."`
	Scores []string `placeholder:"FILE" xor:"scores" sep:"none" help:"Score file that badger run --scores wrote (repeatable)."`
}

// labelledScores are the flags of commands that read scores and human labels of the same answers.
type labelledScores struct {
	scoresFlags
	chosenBatches
	CaseFile string `name:"cases" placeholder:"FILE" help:"Case file in JSON Lines (default the cases of --db)."`
}

// chosenBatches are the flags that select batches by agent, version and batch ID.
type chosenBatches struct {
	Agent   chosen `empty:"no name" placeholder:"NAME" help:"Only answers of this agent; an empty value means an agent without a name."`
	Version chosen `empty:"no version" name:"agent-version" placeholder:"VERSION" help:"Only answers of this agent version."`
	Batch   chosen `empty:"no batch" placeholder:"ID" help:"Only answers of this batch."`
}

// answers returns the pattern that the selected answers match. An empty field matches every value.
func (c *chosenBatches) answers() scoring.AnswerID {
	return scoring.AnswerID{By: scoring.By{Agent: string(c.Agent), Version: string(c.Version), Batch: string(c.Batch)}}
}

func (c *chosenBatches) choose(b *analysis.Batch) bool {
	return b.Matches(c.answers().By)
}

// of returns a usage error if flags select answers and none has scores in src. It names those that have.
func (c *chosenBatches) of(ctx context.Context, src *openScores) error {
	if c.answers() == (scoring.AnswerID{}) {
		return nil
	}
	batches, err := src.Batches(ctx)
	if err != nil || slices.ContainsFunc(batches, func(b analysis.Batch) bool { return c.choose(&b) }) {
		return err
	}
	analysis.Sort(batches)
	var there []string
	for i := range batches {
		there = append(there, batches[i].Name())
	}
	if len(there) == 0 {
		return usage("%s: no scores at all", strings.Join(c.flags(), ", "))
	}
	slices.Reverse(there) // the latest first
	return usage("%s: no such answers; the scores are of %s", strings.Join(c.flags(), ", "),
		printable.List(there))
}

// flags returns the flags that are set, with their values.
func (c *chosenBatches) flags() (out []string) {
	for _, f := range []struct {
		name  string
		value chosen
	}{{"--agent", c.Agent}, {"--agent-version", c.Version}, {"--batch", c.Batch}} {
		if f.value != "" {
			name, _ := scoring.Named(string(f.value))
			out = append(out, f.name+" "+cmp.Or(printable.Short(name), "''"))
		}
	}
	return out
}

// openScores is an open source of scores. The caller must call close.
type openScores struct {
	analysis.Source
	set   *analysis.Set
	close func()
}

// there returns the metrics that have scores. If one of names has no scores, it returns a usage error that names flag.
func (s *openScores) there(ctx context.Context, flag string, names ...string) ([]string, error) {
	there, err := s.Metrics(ctx)
	if err != nil {
		return nil, err
	}
	return there, checkNames(flag, names, there)
}

// open opens the scores of --db or --scores. file is a case file whose labels and answers belong to the scores; "" if
// there is none.
func (f *scoresFlags) open(ctx context.Context, file string) (*openScores, error) {
	set := analysis.NewSet(metric.All())
	var labelled *storedscores.CaseLabels
	if file != "" {
		in, err := cases.OpenFile("--cases", file, store.Filter{})
		if err != nil {
			return nil, err
		}
		if labelled, err = storedscores.ReadCaseLabels(ctx, in); err != nil {
			return nil, err
		}
	}
	switch {
	case f.DB != "":
		w, err := openWarehouse(ctx, f.DB, readOnly)
		if err != nil {
			return nil, err
		}
		return &openScores{storedscores.In(w).With(labelled), set, func() { _ = w.Close() }}, nil
	case len(f.Scores) > 0:
		s, err := storedscores.InFiles(set, "--scores", f.Scores, labelled)
		if err != nil {
			return nil, err
		}
		return &openScores{s, set, func() {}}, nil
	}
	return nil, usage("expected --db URL or --scores FILE")
}
