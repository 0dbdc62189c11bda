package main

import (
	"context"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/policy"
)

type policyCommand struct {
	Answer []string `placeholder:"FILE|URL" help:"Cases labeled by whether the answer serves the question, in JSON Lines or a warehouse (repeatable)."`
	Logic  []string `placeholder:"FILE|URL" help:"Cases labeled by whether the query stays right if data change, in JSON Lines or a warehouse (repeatable)."`
	Chosen []string `placeholder:"FILE" help:"Cases like those of --answer that were constructed, or selected by their label (repeatable). The word laws stands for the pairs of docs/reference/equality.md."`
	Page   string   `placeholder:"FILE" help:"Write a Markdown page with the figures of each relation."`
	Out    string   `placeholder:"FILE" help:"Write the table, for metrics.verdict_table of a configuration."`

	Assessments string `placeholder:"FILE" help:"Recorded judge replies in JSON Lines, used instead of a judge."`
	Backend     string `needs:"assessments" placeholder:"NAME" help:"Backend whose recorded replies are used, such as o3."`
	Judge       string `default:"rose" enum:"rose,flex" help:"Judge metric: rose or flex (default ${default})."`
	Config      string `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`
	All         bool   `help:"Include all (cases, also those without both results)."`
	JSON        bool   `help:"Print one JSON document."`
}

// Run builds the table of policies from labelled cases and tests it on databases that were left out. Without cases it
// prints the built-in table.
func (c *policyCommand) Run(ctx context.Context, p process) error {
	made, err := calibration.MakePolicies([]calibration.PolicyPart{
		{Policy: policy.Answer, From: append(labelSources("--answer", c.Answer), labelSources("--chosen", c.Chosen)...)},
		{Policy: policy.Logic, From: labelSources("--logic", c.Logic)},
	}, c.who(), func(which policy.Policy, from calibration.LabelSource) ([]policy.Labelled, error) {
		return c.labelled(ctx, p, which, from)
	})
	if err != nil {
		return err
	}
	if c.Out != "" {
		if err := os.WriteFile(c.Out, made.Table.Format(), 0o600); err != nil {
			return errcode.New(errcode.PermissionDenied, "--out: %w", err)
		}
	}
	if c.Page != "" {
		if err := os.WriteFile(c.Page, calibration.PolicyPage(made.Table, made.Counted, made.Tried), 0o600); err != nil {
			return errcode.New(errcode.PermissionDenied, "--page: %w", err)
		}
	}
	if c.JSON {
		e := json.NewEncoder(p.stdout)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"table": made.Table.Rows(), "held_out": made.Tried})
	}
	calibration.PrintPolicies(p.stdout, made.Table)
	for _, t := range made.Tried {
		t.Print(p.stdout)
	}
	return nil
}

func labelSources(option string, where []string) []calibration.LabelSource {
	var out []calibration.LabelSource
	for _, w := range where {
		out = append(out, calibration.LabelSource{Option: option, Where: w, Warehouse: isWarehouse(w)})
	}
	return out
}

func (c *policyCommand) who() string {
	if c.Assessments == "" {
		return ""
	}
	return strings.TrimSuffix(c.Judge+"@"+c.Backend, "@")
}

// labelled returns the labelled cases of from, each with the relation between its two results that decides and the
// recorded verdict of the judge, if any.
func (c *policyCommand) labelled(ctx context.Context, p process, which policy.Policy,
	from calibration.LabelSource) ([]policy.Labelled, error) {
	config, err := readConfig(c.Config, p)
	if err != nil {
		return nil, err
	}
	l := calibration.PolicyLabelling{Policy: which, Judge: c.Judge, All: c.All, Metrics: standardMetrics(),
		Engine: scoring.EngineOptions{Snapshots: snapshots{}}}
	placed := iter.Seq2[calibration.Placed, error](calibration.PairsOfLaws)
	if from.Where != calibration.Laws {
		file, url := from.Where, ""
		if from.Warehouse {
			file, url = "", from.Where
		}
		in, err := openCases(ctx, p, cases.Place{Flag: from.Option, File: file, URL: url}, answerFlags{}, openToRead)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		in.Snapshots.Allow(config.Results.Files)
		placed, l.Engine.Snapshots = calibration.LabelledCases(ctx, in.Source), in.Snapshots
	}
	recorded, err := evaluation.OpenRecorded(ctx, c.Assessments, c.Backend)
	if err != nil {
		return nil, err
	}
	if recorded != nil {
		l.Replies = recorded.Replies
	}
	out, err := l.Label(ctx, placed)
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, usage("%s holds no case with a label and two answers to compare", filepath.Base(from.Where))
	}
	return out, nil
}
