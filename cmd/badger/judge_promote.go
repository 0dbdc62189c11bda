package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/badger-eval/badger/internal/calibration"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/sql/store"
)

type judgePromoteCommand struct {
	File string `arg:"" placeholder:"FILE" help:"Judge file."`
	To   string `required:"" placeholder:"URL" help:"Warehouse to write to, such as duckdb:FILE."`
	By   string `placeholder:"WHO" help:"Name to record for this change (default the current user)."`

	Cases    string `placeholder:"FILE" xor:"input" help:"Case file in JSON Lines."`
	Source   string `placeholder:"URL" xor:"input" help:"Warehouse to read, such as duckdb:FILE."`
	Untested bool   `xor:"input" help:"Promote without a test. The stored row records it."`
	answerFlags
	Config      string   `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`
	Assessments string   `placeholder:"FILE" help:"Recorded judge replies in JSON Lines, used instead of a judge."`
	Backend     string   `needs:"assessments" placeholder:"NAME" help:"Backend whose recorded replies are used, such as o3."`
	FailUnder   []string `placeholder:"F=V" help:"Exit with 1 if F is below V (accuracy or kappa of the test; repeatable). The judge is then not promoted."`
	JSON        bool     `help:"Print one JSON document."`
	judgeFlags
}

// tested is the result of testing a version before it was promoted, as stored in its row.
type tested struct {
	Untested bool `json:"untested,omitempty"` // promoted without a test; the other fields are absent

	Cases    int         `json:"cases,omitempty"`
	Labelled int         `json:"labelled,omitempty"` // those of Cases whose answer has the human label pass or fail
	N        int         `json:"n,omitempty"`        // those of Labelled that the judge passed or failed
	Accuracy *float64    `json:"accuracy,omitempty"`
	Kappa    *float64    `json:"kappa,omitempty"`           // absent if undefined
	KappaWhy string      `json:"kappa_undefined,omitempty"` // why, if it is undefined
	KappaCI  *[2]float64 `json:"kappa_ci,omitempty"`
	Judge    string      `json:"judge,omitempty"` // model or backend that answered; absent if no prompts are sent
}

// Run tests a judge on labelled answers and stores it as a promoted version. With --untested it skips the test.
func (c *judgePromoteCommand) Run(ctx context.Context, p process) error {
	gates, err := gate.Read(gate.Specs{}, gate.Specs{FailUnder: c.FailUnder}, calibration.JudgeFigures(),
		"a test: expected accuracy=V or kappa=V")
	if err != nil {
		return err
	}
	j, err := loadJudge(ctx, c.File, nil)
	if err != nil {
		return err
	}
	if err := nameFree(ctx, j.Name); err != nil {
		return err
	}
	switch {
	case c.Cases == "" && c.Source == "" && !c.Untested:
		return usage("expected --cases FILE or --source URL with answers that people labelled, to test the judge on; --untested promotes it without a test and records that")
	case c.Untested && len(c.FailUnder) > 0:
		return usage("--fail-under: nothing is measured with --untested")
	}
	w, err := openStore(ctx, c.To, false)
	if w, err = installed(ctx, w, err); err != nil {
		return errcode.New(errcode.Of(err), "--to: %w", err)
	}
	defer w.Close()
	measured := tested{Untested: true}
	if !c.Untested {
		if measured, err = c.test(ctx, p, gates); err != nil {
			return err
		}
	}
	row := store.Judge{
		Name: j.Name, Version: j.Version, Kind: string(j.Kind), Source: j.Source, Hash: j.Hash, PromotedAt: p.now(),
		PromotedBy: cmp.Or(c.By, who(p)), Tested: toJSON(measured),
	}
	written, err := w.WriteJudge(ctx, row)
	switch code := errcode.Of(err); {
	case code == errcode.AlreadyExists, code == errcode.FailedPrecondition:
		return errcode.AsUsage(err)
	case err != nil:
		return err
	}
	if c.JSON {
		return writeJSON(p,
			promotedJSON{j.Name, j.Version, string(j.Kind), j.Hash, nil, row.PromotedBy, &written, json.RawMessage(row.Tested)})
	}
	if !written {
		fmt.Fprintf(p.stderr, "%s version %d is promoted already, with this text\n", j.Name, j.Version)
		return nil
	}
	fmt.Fprintf(p.stderr,
		"promoted %s version %d (%s, %.12s): %s; runs, servers and SQL on this warehouse use it from now on\n", j.Name,
		j.Version, j.Kind, j.Hash, measured)
	return nil
}

// test runs the judge on labelled answers and returns the result. It returns an error, which prevents promotion, if the
// judge fails on a case, has no verdict on any labelled answer, or a gate fails.
func (c *judgePromoteCommand) test(ctx context.Context, p process, gates []gate.Gate) (tested, error) {
	t := judgeTestCommand{
		File: c.File, Cases: c.Cases, Source: c.Source, answerFlags: c.answerFlags, Config: c.Config,
		Assessments: c.Assessments, Backend: c.Backend, JSON: c.JSON, judgeFlags: c.judgeFlags,
	}
	trial, err := t.trial(ctx, p)
	if err != nil {
		return tested{}, err
	}
	n := trial.Confusion.N()
	switch failed := trial.Statuses[scoring.StatusFailed]; {
	case failed > 0:
		return tested{}, errcode.New(errcode.FailedPrecondition,
			"not promoted: the judge failed on %s of %d; badger judge test shows why", printable.Count(failed, "case"),
			len(trial.Rows))
	case trial.Labelled() == 0:
		return tested{}, usage("not promoted: none of the %d cases has a label (human.label) to compare with; use --untested to promote without a test", len(trial.Rows))
	case n == 0:
		return tested{}, usage(
			"not promoted: the judge has no verdict on any of the %s; give it a threshold, or use --untested",
			printable.Count(trial.Labelled(), "labelled answer"))
	}
	said, reached := trial.Check(gates)
	if err := printGates(p.stderr, said, reached); err != nil {
		return tested{}, fmt.Errorf("not promoted: %w", err)
	}
	value := func(s agreement.Stat) *float64 {
		if !s.Defined {
			return nil
		}
		return &s.Value
	}
	kappa := trial.Confusion.LabelKappa()
	m := tested{Cases: len(trial.Rows), Labelled: trial.Labelled(), N: n, Accuracy: value(trial.Confusion.Accuracy()),
		Kappa: value(kappa)}
	if !kappa.Defined {
		m.KappaWhy = kappa.Why
	}
	if i := trial.Interval; i.Defined && kappa.Defined {
		m.KappaCI = &[2]float64{i.Lo, i.Hi}
	}
	if trial.Judge.Asks() {
		m.Judge = cmp.Or(c.Backend, c.Judge, "that of the configuration or of the recorded replies")
	}
	return m, nil
}

// String describes the test result.
func (t tested) String() string {
	if t.Untested {
		return "untested"
	}
	text := fmt.Sprintf("tested on %d of %s", t.N, printable.Count(t.Labelled, "labelled answer"))
	if t.Accuracy != nil {
		text += fmt.Sprintf(", accuracy %.3f", *t.Accuracy)
	}
	switch {
	case t.Kappa != nil:
		text += fmt.Sprintf(", kappa %.3f", *t.Kappa)
	case t.KappaWhy != "":
		text += ", kappa undefined (" + t.KappaWhy + ")"
	}
	return text
}

// testedOf describes the test result that a stored row holds as JSON. It returns "not known" if row is empty or not
// valid.
func testedOf(row string) string {
	var t tested
	if row == "" || json.Unmarshal([]byte(row), &t) != nil {
		return "not known"
	}
	return t.String()
}
