package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/amount"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/caselist"
	"github.com/badger-eval/badger/internal/casesource"
	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

type explainCommand struct {
	Case   string `required:"" placeholder:"ID" help:"The case."`
	Metric string `placeholder:"M" help:"The metric whose score is explained. By default the verdict, or else the comparison of the results."`

	DB     string `name:"db" placeholder:"URL" help:"The database that holds the scores and, unless --cases is given, the answers."`
	RunID  string `name:"run" placeholder:"ID" help:"The run (with --db). By default the latest that scored the case."`
	Cases  string `placeholder:"FILE" help:"Cases in JSON Lines, one a line."`
	Scores string `placeholder:"FILE" help:"Scores of the cases, as run --scores writes them. Without --scores and --db the metric is computed now."`
	answerFlags
	Config string   `placeholder:"FILE" help:"Configuration in YAML, of which metrics, results.files and report.masked count."`
	Mask   []string `placeholder:"COLUMN,…" help:"Columns of results whose cells are shown as hashes."`

	Gold   int    `placeholder:"N" help:"Which accepted answer to compare with. By default the one that counted."`
	Show   string `placeholder:"STATES" help:"Rows with such cells: all, or some of equal, mapped, differs, only_gold, only_agent. By default the rows that differ or lack a partner."`
	Layout string `default:"rows" enum:"rows,cells" help:"How the differences are listed: rows, or cells with the size of each difference."`
	Rows   int    `default:"20" help:"How many rows of each kind, or cells, to show."`
	Full   bool   `help:"Show everything whole: what judges were asked, their replies, all relations."`
	JSON   bool   `help:"Print one JSON document."`
	terminalFlags
}

// Run explains a score.
func (c *explainCommand) Run(ctx context.Context, p process) error {
	switch {
	case c.DB == "" && c.Cases == "":
		return usage("expected --db URL, --cases FILE or both")
	case c.DB != "" && c.Scores != "":
		return usage("--scores and --db both hold scores; expected one of them")
	case c.RunID != "" && c.DB == "":
		return usage("--run: expected --db URL with it")
	case c.Rows < 1 || c.Rows > 10_000:
		return usage("--rows: %d, expected 1 to 10000", c.Rows)
	}
	show, err := caseview.ParseStates(c.Show)
	if err != nil {
		return usage("--%w", err)
	}
	config, err := readConfig(c.Config, p)
	if err != nil {
		return err
	}
	mask, err := caseview.NewMask(append(config.Report.Masked, c.Mask...), nil)
	if err != nil {
		return errcode.AsUsage(err)
	}
	in := caseview.Input{Mask: mask}
	if in.Config, err = config.Metrics.engineConfig(); err != nil {
		return err
	}
	snaps := snapshots{}
	snaps.Allow(config.Results.Files)
	if c.DB != "" {
		w, err := openWarehouse(ctx, c.DB, readOnly)
		if err != nil {
			return err
		}
		defer w.Close()
		snaps.Warehouse = w
		if err := c.stored(ctx, w, &in); err != nil {
			return err
		}
	}
	if c.Cases != "" {
		of := c.answers()
		if in.Case != nil { // whose scores were found
			of = in.Case.AnswerID().Exactly()
		}
		files, err := c.fromFile(ctx, of, &in)
		if err != nil {
			return err
		}
		snaps.Files = files.Files
		if c.DB == "" {
			if err := c.scored(ctx, &in, files); err != nil {
				return err
			}
		}
	}
	in.Snapshots = snaps
	o := caseview.Options{Metric: c.Metric, Gold: c.Gold, Cells: caseview.CellOptions{Show: show, Each: c.Rows, Rows: c.Rows}}
	if c.Layout == "cells" {
		o.Cells.Layout = caseview.List
	}
	v, err := caseview.Build(ctx, in, o)
	if code := errcode.Of(err); code == errcode.InvalidArgument || code == errcode.NotFound {
		return errcode.AsUsage(err)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(p, v)
	}
	return report.RenderCase(p.stdout, v, report.ExplainOptions{Options: c.options(p), Full: c.Full})
}

// stored reads the scores of the case from a warehouse, and, unless --cases has it, the case.
func (c *explainCommand) stored(ctx context.Context, w *connectors.Warehouse, in *caseview.Input) error {
	runs := []string{c.RunID}
	if c.RunID == "" {
		var err error
		if runs, err = w.LatestRuns(ctx, 1000); err != nil {
			return err
		}
	}
	var id scoring.AnswerID
	for _, run := range runs {
		found, err := w.AnswersOfCase(ctx, run, c.Case)
		if err != nil {
			return err
		}
		found = slices.DeleteFunc(found, func(a scoring.AnswerID) bool { return !a.Matches(c.answers()) })
		if len(found) > 1 {
			return usage("run %s scored %s to the case: %s; choose one with --agent, --agent-version and --batch", printable.Short(run), amount.Of(len(found), "answer"), answersText(found))
		}
		if len(found) == 1 {
			in.RunID, id = run, found[0]
			break
		}
	}
	if in.RunID == "" {
		if c.RunID != "" {
			return usage("run %s has no scores of %s", printable.Short(c.RunID), c.asked())
		}
		return usage("no run has scores of %s", c.asked())
	}
	pages, err := w.Pages(ctx, metric.All())
	if err != nil {
		return err
	}
	run := caselist.Run{ID: in.RunID, Agent: id.Agent, Version: id.Version, Batch: id.Batch}
	d, err := pages.Case(ctx, run, c.Case)
	if err != nil {
		return err
	}
	missing := slices.ContainsFunc(d.Scores, func(s connectors.CaseScore) bool { return s.Missing() }) // the question alone is all there is
	if !d.Answered && !missing && c.Cases == "" {
		return usage("badger.agent_runs has no answer to the case %s by %s; give the file that was scored with --cases", printable.Short(c.Case), answererOf(id))
	}
	if d.Answer.Err != nil && c.Cases == "" {
		return d.Answer.Err
	}
	mask := in.Mask
	*in, err = caseview.Stored(ctx, w, d, run)
	in.Mask = mask
	return err
}

// asked names the case, and whose answer is chosen.
func (c *explainCommand) asked() string {
	return strings.Join(append([]string{"the case " + printable.Short(c.Case)}, c.named()...), ", ")
}

// answererOf names the agent of an answer in a message, also where it has no name.
func answererOf(a scoring.AnswerID) string {
	return printable.Short(cmp.Or(a.Of(), "agent "+scoring.NoName))
}

func answersText(list []scoring.AnswerID) string {
	var out []string
	for i, a := range list {
		if i == 5 {
			out = append(out, "…")
			break
		}
		out = append(out, answererOf(a))
	}
	return strings.Join(out, "; ")
}

// fromFile reads the case from a file.
func (c *explainCommand) fromFile(ctx context.Context, of scoring.AnswerID, in *caseview.Input) (snapshots, error) {
	flags := answerFlags{Agent: chosen(of.Agent), Version: chosen(of.Version), Batch: chosen(of.Batch)}
	opened, err := casesource.OpenFile("--cases", c.Cases, flags.filter())
	if err != nil {
		return snapshots{}, err
	}
	files := opened.Snapshots
	var found []batch.Item
	for item, err := range opened.Cases(ctx) {
		if err != nil {
			return files, err
		}
		if item.CaseID == c.Case {
			found = append(found, item)
		}
	}
	switch len(found) {
	case 0:
		return files, usage("--case: %s has no case %s", printable.Short(filepath.Base(c.Cases)), printable.Short(c.Case))
	case 1:
	default:
		var ids []scoring.AnswerID
		var places []string
		for _, item := range found {
			if places = append(places, item.Place); !slices.Contains(ids, item.AnswerID) {
				ids = append(ids, item.AnswerID)
			}
		}
		if len(ids) == 1 { // no flag chooses one of them
			return files, usage("--cases: the answer to the case %s by %s is there %d times (%s), and none of them counts; leave one of these lines", printable.Short(c.Case), answererOf(ids[0]), len(found), printable.Short(strings.Join(places, ", ")))
		}
		return files, usage("--cases: there are %s to the case: %s; choose one with --agent, --agent-version and --batch", amount.Of(len(ids), "answer"), answersText(ids))
	}
	in.Case, err = found[0].Load(ctx)
	in.Unstored = false // the file has what the database lacks
	return files, err
}

// scored takes the scores of a case of a file: from a file of scores, or computed now.
func (c *explainCommand) scored(ctx context.Context, in *caseview.Input, snaps snapshots) error {
	if c.Scores == "" {
		e, err := scoring.NewEngine(metric.All(), &scoring.EngineOptions{Counterexamples: smallDatabases, Snapshots: snaps, Config: in.Config})
		if err != nil {
			return err
		}
		names := []string{"hybrid_ex", "relation", "verdict", "counterexample"}
		if c.Metric != "" && !slices.Contains(names, c.Metric) {
			names = append(names, c.Metric)
		}
		in.Scores, err = e.Score(ctx, in.Case, names...)
		if errcode.Of(err) == errcode.NotFound {
			return errcode.AsUsage(err)
		}
		return err
	}
	if _, err := os.Stat(c.Scores); err != nil {
		return usage("--scores: there is no file %q", filepath.Base(c.Scores))
	}
	id := in.Case.AnswerID()
	for r, err := range batch.ReadScores(ctx, c.Scores) {
		if err != nil {
			return err
		}
		if r.AnswerID == id {
			in.Scores = append(in.Scores, r.Score)
			in.GoldHash = r.GoldHash
		}
	}
	if len(in.Scores) == 0 {
		return usage("--scores: %s has no scores of the case %s%s", printable.Short(filepath.Base(c.Scores)), printable.Short(c.Case), fmt.Sprintf(" (%s)", answererOf(id)))
	}
	return nil
}
