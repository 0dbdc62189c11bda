package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/relation"
)

type scoreCommand struct {
	Gold    string   `required:"" placeholder:"FILE" help:"Gold result: CSV, Parquet, Arrow or JSON."`
	Pred    string   `required:"" placeholder:"FILE" help:"Predicted result: CSV, Parquet, Arrow or JSON."`
	Metrics []string `placeholder:"A,B" help:"Metrics, such as hybrid_ex,verdict (hybrid_ex is always computed)."`
	Rows    int      `least:"0" default:"20" help:"Maximum number of differing rows to show (default ${default})."`

	Question string `help:"Question, which helps to explain differences."`
	JSON     bool   `help:"Print one JSON document."`
	terminalFlags
}

// Run compares two result files and prints the scores and the differing rows.
func (c *scoreCommand) Run(ctx context.Context, p process) error {
	read := func(flag, path string) (*scoring.Table, error) {
		t, err := resultfile.Read(ctx, path, &resultfile.Options{Named: path})
		switch {
		case errcode.Of(err) == errcode.NotFound:
			return nil, usage("--%s: %w", flag, err)
		case err != nil:
			return nil, errcode.New(errcode.Of(err), "--%s: %w", flag, err)
		}
		return t, nil
	}
	gold, err := read("gold", c.Gold)
	if err != nil {
		return err
	}
	pred, err := read("pred", c.Pred)
	if err != nil {
		return err
	}
	for i, t := range []*scoring.Table{gold, pred} {
		has := func(name string) bool {
			return slices.ContainsFunc(t.Columns, func(c scoring.Column) bool { return c.Name == name })
		}
		if has("case_id") && has("gold") {
			fmt.Fprintf(p.stderr, "note: --%s has the keys of a case file, which badger run --cases scores\n",
				[]string{"gold", "pred"}[i])
		}
	}
	gold, pred = scoring.AsWritten(gold, pred)
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		return err
	}
	pair := &scoring.Case{
		ID: "pair", Question: c.Question,
		Golds: []scoring.Query{{Result: scoring.Result{Table: gold}}},
		Pred:  scoring.Query{Result: scoring.Result{Table: pred}, Ran: true},
	}
	scores, err := engine.Score(ctx, pair, append([]string{"hybrid_ex"}, c.Metrics...)...)
	if errcode.Of(err) == errcode.NotFound {
		return errcode.AsUsage(err)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		rows := make([]scoring.Row, len(scores))
		for i, s := range scores {
			rows[i] = scoring.Row{AnswerID: scoring.AnswerID{CaseID: pair.ID}, Score: s}
		}
		e := json.NewEncoder(p.stdout)
		e.SetEscapeHTML(false)
		return e.Encode(map[string]any{"scores": rows})
	}
	h := metric.CompareResults(gold, pred)
	diff := report.Diff{Gold: gold, Pred: pred, Alignment: h.Alignment, Result: h.Counts, Rows: c.Rows}
	diff.Relations = relation.Find(
		relation.Input{Gold: gold, Pred: pred, Alignment: &h.Alignment, Counts: &h.Counts, Question: c.Question})
	if err := diff.Render(p.stdout, c.options(p)); err != nil {
		return err
	}
	for _, s := range scores[1:] {
		fmt.Fprintf(p.stdout, "%s: %s\n", s.Metric, describe(s))
	}
	return nil
}

// describe returns the value, label or status of a score, with its reason.
func describe(s scoring.Score) string {
	switch {
	case s.Status != scoring.StatusOK:
		return fmt.Sprintf("%s (%s)", s.Status, s.Reason)
	case s.Label != "":
		return fmt.Sprintf("%s (%s)", s.Label, s.Reason)
	}
	return fmt.Sprintf("%.4g (%s)", s.Value, s.Reason)
}
