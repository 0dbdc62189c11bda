package main

import (
	"context"

	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/internal/site"
	"github.com/badger-eval/badger/sql/store"
)

// exportFlags set the files that a run is exported to, one flag for each format, and the columns to mask.
type exportFlags struct {
	HTML     string   `name:"html" placeholder:"FILE|DIR" help:"Write the report as HTML: one file if the name ends with .html, else a folder."`
	JUnit    string   `name:"junit" placeholder:"FILE" help:"Write JUnit XML, a test for each case; - is standard output."`
	SARIF    string   `name:"sarif" placeholder:"FILE" help:"Write SARIF 2.1.0, a result for each failed case; - is standard output."`
	CaseFile string   `name:"case-file" placeholder:"FILE" help:"Case file whose lines --sarif names, if answers come from a database."`
	CSV      string   `name:"csv" placeholder:"FILE" help:"Write CSV, a line for each case and a column for each metric; - is standard output."`
	JSONL    string   `name:"jsonl" placeholder:"FILE" help:"Write JSON Lines, an object for each case with all scores; - is standard output."`
	Markdown string   `name:"markdown" placeholder:"FILE" help:"Write a Markdown summary for a pull request; - is standard output."`
	Mask     []string `placeholder:"COLUMN" help:"Result columns to mask."`
}

// masking returns the mask for the columns of the configuration (masked) and of --mask. It has no salt, because exports
// contain no hashes.
func (f *exportFlags) masking(masked []string) (*caseview.Mask, error) {
	m, err := caseview.NewMask(append(masked[:len(masked):len(masked)], f.Mask...), nil)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	return m, nil
}

func (f *exportFlags) targets() export.Targets {
	return export.Targets{{Flag: "--junit", Path: f.JUnit}, {Flag: "--sarif", Path: f.SARIF}, {Flag: "--csv", Path: f.CSV},
		{Flag: "--jsonl", Path: f.JSONL}, {Flag: "--markdown", Path: f.Markdown}, {Flag: "--html", Path: f.HTML}}
}

// checkTargets returns a usage error for exports that cannot be written together, or into the folder of --html. printed
// names what else is written to standard output; "": nothing.
func (f *exportFlags) checkTargets(printed string) error {
	if err := f.targets().Check(printed); err != nil {
		return err
	}
	if f.HTML == "" || !site.IsFolder(f.HTML) {
		return nil
	}
	if err := site.CheckFolder(f.HTML); err != nil {
		return usage("--html: %w", err)
	}
	return nil
}

// open creates the export files. The caller must call Drop when it is done, which removes unfinished files.
func (f *exportFlags) open(ctx context.Context, p process, o export.Options,
	mask *caseview.Mask) (*export.Files, error) {
	var places *export.Places
	if f.CaseFile != "" {
		if f.SARIF == "" {
			return nil, usage("--case-file: expected --sarif, whose results name its lines")
		}
		in, err := cases.OpenFile("--case-file", f.CaseFile, store.Filter{})
		if err != nil {
			return nil, err
		}
		if places, err = export.PlacesIn(ctx, in, f.CaseFile); err != nil {
			return nil, err
		}
	}
	return f.targets().Open(o, export.Surroundings{Stdout: p.stdout, Notes: p.stderr, Mask: mask, Places: places})
}
