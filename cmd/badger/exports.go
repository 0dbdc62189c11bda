package main

import (
	"context"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/casesource"
	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/export"
)

// exportFlags say in which forms a run is written.
type exportFlags struct {
	HTML     string   `name:"html" placeholder:"FILE|DIR" help:"Write the report as pages that need no server: one document where the name ends with .html, else a folder. A database of scores alone has no questions and results for them; badger run takes these from its cases."`
	JUnit    string   `name:"junit" placeholder:"FILE" help:"Write JUnit XML for CI servers: a test for each case. - is standard output, here and below."`
	SARIF    string   `name:"sarif" placeholder:"FILE" help:"Write SARIF 2.1.0 for code scanning: a result for each case that failed."`
	CaseFile string   `name:"case-file" placeholder:"FILE" help:"The case file whose lines --sarif names, where the answers are read from a database."`
	CSV      string   `name:"csv" placeholder:"FILE" help:"Write a table: a line for each case, a column for each metric."`
	JSONL    string   `name:"jsonl" placeholder:"FILE" help:"Write JSON Lines: an object for each case, with all scores."`
	Markdown string   `name:"markdown" placeholder:"FILE" help:"Write a short summary in Markdown, for a comment on a pull request."`
	Mask     []string `placeholder:"COLUMN,…" help:"Columns of results whose values no export shows."`
}

// masking hides the columns that the configuration and the flag name. Hashes are no part of exports,
// so that they need no salt of their own.
func (f *exportFlags) masking(masked []string) (*caseview.Mask, error) {
	m, err := caseview.NewMask(append(masked[:len(masked):len(masked)], f.Mask...), nil)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	return m, nil
}

func (f *exportFlags) targets() export.Targets {
	return export.Targets{{Flag: "--junit", Path: f.JUnit}, {Flag: "--sarif", Path: f.SARIF}, {Flag: "--csv", Path: f.CSV}, {Flag: "--jsonl", Path: f.JSONL}, {Flag: "--markdown", Path: f.Markdown}, {Flag: "--html", Path: f.HTML}}
}

// open creates the files. Call Drop in the end.
func (f *exportFlags) open(ctx context.Context, p process, o export.Options, mask *caseview.Mask) (*export.Files, error) {
	var places *export.Places
	if f.CaseFile != "" {
		if f.SARIF == "" {
			return nil, usage("--case-file: expected --sarif, whose results name its lines")
		}
		in, err := casesource.OpenFile("--case-file", f.CaseFile, connectors.Filter{})
		if err != nil {
			return nil, err
		}
		if places, err = export.PlacesIn(ctx, in, f.CaseFile); err != nil {
			return nil, err
		}
	}
	return f.targets().Open(o, export.Surroundings{Stdout: p.stdout, Notes: p.stderr, Mask: mask, Places: places})
}
