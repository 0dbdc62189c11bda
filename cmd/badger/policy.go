package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/policytable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/equality"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/policy"
)

type policyCommand struct {
	Answer []string `placeholder:"FILE|URL" help:"Labelled cases (JSON Lines, or a warehouse with human_labels such as duckdb:FILE) whose labels say whether the answer serves the question."`
	Logic  []string `placeholder:"FILE|URL" help:"Labelled cases whose labels say whether the query would stay right when the data changes."`
	Chosen []string `placeholder:"FILE" help:"More cases as under --answer that were built, or chosen by their label, such as wrong answers only. They show and refute relations, and say nothing of how often people accept one. The word laws stands for the pairs of docs/equality.md."`
	Page   string   `placeholder:"FILE" help:"Write a page in Markdown here: what the labels say of each relation, and how the table does on databases left out."`
	Out    string   `placeholder:"FILE" help:"Write the table here; it goes into a configuration as metrics.verdict_table."`

	Assessments string `placeholder:"FILE" help:"Recorded assessments, to try the table with a judge for what it leaves open."`
	Backend     string `placeholder:"NAME" help:"Whose assessments, such as o3."`
	Judge       string `default:"rose" enum:"rose,flex" help:"Which judge: rose or flex."`
	Config      string `placeholder:"FILE" help:"Configuration in YAML: under results.files the directories that file: references of a warehouse may lie in."`
	All         bool   `help:"Also the cases without both results."`
	JSON        bool   `help:"Print the table and its figures as one JSON document."`
}

// Run makes the table of policies from labelled cases and tries it on databases that were left out;
// without cases it prints the delivered table.
func (c *policyCommand) Run(ctx context.Context, p process) error {
	table := policy.Default()
	var tried []policytable.Trial
	var counted []policytable.Counts
	if len(c.Answer)+len(c.Logic)+len(c.Chosen) > 0 {
		var parts [][]policy.Row
		var sources []string
		for _, part := range []struct {
			policy policy.Policy
			from   []policytable.Source
		}{{policy.Answer, append(labelSources("--answer", c.Answer), labelSources("--chosen", c.Chosen)...)}, {policy.Logic, labelSources("--logic", c.Logic)}} {
			var cases []policy.Labelled
			var of []string // where each is from
			for _, from := range part.from {
				labelled, err := c.labelled(ctx, p, part.policy, from)
				if err != nil {
					return err
				}
				for i := range labelled {
					labelled[i].Chosen = from.Option == "--chosen"
					of = append(of, from.Where)
				}
				line, err := from.Line(len(labelled))
				if err != nil {
					return err
				}
				cases, sources = append(cases, labelled...), append(sources, line)
			}
			if len(cases) == 0 { // what is not labelled anew stays
				parts = append(parts, slices.DeleteFunc(slices.Clone(table.Rows()), func(r policy.Row) bool { return r.Policy != part.policy }))
				sources = append(sources, fmt.Sprintf("%s: as before", part.policy))
				continue
			}
			parts = append(parts, policy.Fit(part.policy, cases))
			outcomes := policy.HeldOut(part.policy, cases)
			counted = append(counted, policytable.Count(part.policy, part.from, cases, of))
			for _, from := range part.from {
				tried = append(tried, policytable.Try(part.policy, from, cases, outcomes, of, c.who()))
			}
		}
		table = policy.Join(parts...)
		table.Sources = append([]string{"Made by badger policy from labelled cases, the hash of each file behind its name"}, sources...)
	}
	if c.Out != "" {
		if err := os.WriteFile(c.Out, table.Format(), 0o600); err != nil {
			return errcode.New(errcode.PermissionDenied, "--out: %w", err)
		}
	}
	if c.Page != "" {
		if err := os.WriteFile(c.Page, policytable.Page(table, counted, tried), 0o600); err != nil {
			return errcode.New(errcode.PermissionDenied, "--page: %w", err)
		}
	}
	if c.JSON {
		e := json.NewEncoder(p.stdout)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"table": table.Rows(), "held_out": tried})
	}
	policytable.Print(p.stdout, table)
	for _, t := range tried {
		t.Print(p.stdout)
	}
	return nil
}

func labelSources(option string, where []string) []policytable.Source {
	var out []policytable.Source
	for _, w := range where {
		out = append(out, policytable.Source{Option: option, Where: w, Warehouse: isWarehouse(w)})
	}
	return out
}

func (c *policyCommand) who() string {
	if c.Assessments == "" {
		return ""
	}
	return strings.TrimSuffix(c.Judge+"@"+c.Backend, "@")
}

// labelled finds the relation that decides each labelled case of a file or warehouse, and what the
// judge says of it.
func (c *policyCommand) labelled(ctx context.Context, p process, which policy.Policy, from policytable.Source) ([]policy.Labelled, error) {
	config, err := readConfig(c.Config, p)
	if err != nil {
		return nil, err
	}
	var cases iter.Seq2[placedCase, error]
	var results snapshots
	if from.Where == policytable.Laws {
		cases = pairsOfLaws
	} else {
		file, url := from.Where, ""
		if from.Warehouse {
			file, url = "", from.Where
		}
		in, err := openCases(ctx, p, from.Option, file, url, answerFlags{})
		if err != nil {
			return nil, err
		}
		defer in.Close()
		in.Snapshots.Allow(config.Results.Files)
		cases, results = casesOf(ctx, in.Source), in.Snapshots
	}
	options, err := json.Marshal(map[string]any{"policy": which, "without_judge": "guess"})
	if err != nil {
		return nil, err
	}
	o := scoring.EngineOptions{
		Counterexamples: smallDatabases,
		Snapshots:       results,
		Config:          scoring.Config{Options: map[string]json.RawMessage{"verdict": options, "flex": json.RawMessage(`{"categories": false}`)}},
	}
	evidence, err := scoring.NewEngine(metric.All(), &o)
	if err != nil {
		return nil, err
	}
	recorded, err := evaluation.OpenRecorded(ctx, c.Assessments, c.Backend)
	if err != nil {
		return nil, err
	}
	var judge *scoring.Engine
	if recorded != nil {
		o.Replies = recorded.Replies
		if judge, err = scoring.NewEngine(metric.All(), &o); err != nil {
			return nil, err
		}
	}
	var out []policy.Labelled
	for cs, err := range cases {
		if err != nil {
			return nil, err
		}
		if cs.Human == nil || !c.All && (len(cs.Golds) == 0 || cs.Golds[0].Result.Absent() || cs.Pred.Result.Absent()) {
			continue
		}
		l, ok, err := labelledCase(ctx, evidence, judge, c.Judge, cs.Case)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "%s: %w", cs.place, err)
		}
		if ok {
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		return nil, usage("%s holds no case with a label and two answers to compare", filepath.Base(from.Where))
	}
	return out, nil
}

// placedCase is a case and where it was read.
type placedCase struct {
	*scoring.Case
	place string
}

func casesOf(ctx context.Context, source batch.Source) iter.Seq2[placedCase, error] {
	return func(yield func(placedCase, error) bool) {
		for item, err := range source.Cases(ctx) {
			var cs *scoring.Case
			if err == nil {
				if cs, err = item.Load(ctx); err != nil {
					err = errcode.New(errcode.Of(err), "%s: %w", item.Place, err)
				}
			}
			if !yield(placedCase{cs, item.Place}, err) {
				return
			}
		}
	}
}

// pairsOfLaws are the pairs of the laws of equality that verdict follows.
func pairsOfLaws(yield func(placedCase, error) bool) {
	for _, law := range equality.Laws() {
		pairs, err := equality.Pairs(law.Name)
		if err != nil {
			yield(placedCase{}, err)
			return
		}
		for _, p := range pairs {
			if (p.Only == "" || p.Only == "verdict") && !yield(placedCase{p.Case, "law " + law.Name}, nil) {
				return
			}
		}
	}
}

// labelledCase is one case; ok is false where no relation decides it, as where the agent's query
// failed.
func labelledCase(ctx context.Context, evidence, judge *scoring.Engine, name string, cs *scoring.Case) (l policy.Labelled, ok bool, err error) {
	scores, err := evidence.Score(ctx, cs, "verdict")
	if err != nil {
		return l, false, err
	}
	found, ok := metric.DecidingRelation(scores[0])
	if !ok {
		return l, false, nil
	}
	l = policy.Labelled{Relation: found.Name, Class: found.Class, Group: cs.Database, Accepted: *cs.Human}
	if l.Group == "" {
		l.Group = "case " + cs.ID // each by itself, where nothing says what belongs together
	}
	if judge == nil {
		return l, true, nil
	}
	if scores, err = judge.Score(ctx, cs, name); err != nil {
		return l, false, err
	}
	if s := scores[0]; s.Status == scoring.StatusOK {
		accepts := s.Value == 1
		l.Judge = &accepts
		if s.Usage != nil {
			l.Calls = s.Usage.Calls
		}
		if first, asked := metric.ProverAccepts(s); asked {
			l.First = &first
		}
	}
	return l, true, nil
}
