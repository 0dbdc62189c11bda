package main

import (
	"github.com/badger-eval/badger/internal/report"
)

// terminalFlags override the width and character set that are detected for the terminal.
type terminalFlags struct {
	Width int  `least:"20" placeholder:"N" help:"Width of the output in columns."`
	ASCII bool `name:"ascii" help:"Print ASCII characters only."`
}

func (f terminalFlags) options(p process) report.Options {
	o := report.Terminal(p.stdout, p.getenv)
	if f.Width > 0 {
		o.Width = f.Width
	}
	if f.ASCII {
		o.Unicode = false
	}
	return o
}
