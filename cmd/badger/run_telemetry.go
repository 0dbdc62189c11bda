package main

import (
	"context"
	"fmt"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/telemetry"
)

// openTelemetry prepares sending the scores of the run, and spans of its judge calls, if the configuration asks for it.
func (e *runAtWork) openTelemetry(ctx context.Context, c telemetry.TracesConfig) (err error) {
	if e.missed != nil { // an estimate scores nothing
		return nil
	}
	if e.evaluations, err = telemetry.OpenEvaluations(c, version()); err != nil {
		return errcode.AsUsage(err)
	}
	if e.evaluations == nil {
		return nil
	}
	if e.Warehouse == nil {
		return usage("traces.evaluations: the scores that are sent are read from the database; leave --no-to out")
	}
	if e.traces, err = telemetry.OpenTraces(ctx, c, version(), e.judging().Log); err != nil {
		return errcode.AsUsage(err)
	}
	return nil
}

// sendEvaluations sends all scores of the run. Those that the collector does not accept stay in the database.
func (e *runAtWork) sendEvaluations(ctx context.Context) error {
	if e.evaluations == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	for r, err := range e.Warehouse.Scores(ctx, e.ID) {
		if err != nil {
			return err
		}
		e.evaluations.Add(ctx, e.ID, &r)
	}
	sent, err := e.evaluations.Close(ctx)
	if err != nil {
		fmt.Fprintf(e.stderr, "!! %v. All scores are in the database; --resume %s sends them again\n", err,
			printable.Shell(e.ID))
		return errLost
	}
	if !e.quiet {
		fmt.Fprintf(e.stderr, "sent %s to the collector\n", printable.Count(sent, "score"))
	}
	return nil
}

// closeTraces sends the last spans.
func (e *runAtWork) closeTraces(ctx context.Context) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSpans)
	defer cancel()
	_ = e.traces.Close(last)
}
