package main

import (
	"context"
	"log/slog"

	"github.com/badger-eval/badger/internal/errcode"
)

type pipeCommand struct {
	Function string   `arg:"" optional:"" placeholder:"NAME" help:"Function to call, such as hybrid_ex (default the one that the schema names)."`
	Config   string   `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`
	Judges   []string `placeholder:"FILE" help:"Judge files to load, in addition to promoted or configured judges."`
	judgeFlags
}

// Help returns the detailed help text, for kong.
func (pipeCommand) Help() string {
	return "Standard input has streams in Arrow's IPC streaming format, whose columns are the arguments in order, and standard output a stream of results for each. " +
		"It is badger serve for one program, without a listener; docs/clients/python.md describes both sides."
}

// Run serves the functions on standard input and output, until the end of standard input.
func (c *pipeCommand) Run(ctx context.Context, p process) error {
	of := &serveCommand{Config: c.Config, Judges: c.Judges, judgeFlags: c.judgeFlags}
	config, _, err := of.configuration(p)
	if err != nil {
		return err
	}
	s := newFunctionServer(p, of, config, &slog.HandlerOptions{Level: slog.LevelError})
	return s.with(ctx, func(ctx context.Context) error {
		if c.Function != "" { // also without rows
			if _, err := s.catalogue.Function(c.Function); err != nil {
				return errcode.AsUsage(err)
			}
		}
		s.boundMemory()
		return s.server.Pipe(ctx, p.stdin, p.stdout, c.Function)
	})
}
