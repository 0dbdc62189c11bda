package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/internal/report"
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

const standardOutput = "-"

// masking hides the columns that the configuration and the flag name. Hashes are no part of exports,
// so that they need no salt of their own.
func (f *exportFlags) masking(masked []string) (*caseview.Mask, error) {
	m, err := caseview.NewMask(append(masked[:len(masked):len(masked)], f.Mask...), nil)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	return m, nil
}

func (f *exportFlags) files() []struct{ flag, path string } {
	return []struct{ flag, path string }{{"--junit", f.JUnit}, {"--sarif", f.SARIF}, {"--csv", f.CSV}, {"--jsonl", f.JSONL}, {"--markdown", f.Markdown}, {"--html", f.HTML}}
}

// any tells whether anything is to be written.
func (f *exportFlags) any() bool {
	for _, x := range f.files() {
		if x.path != "" {
			return true
		}
	}
	return false
}

// exportOptions are those of a run with these metrics; the primary one comes first.
func exportOptions(s *runSummary, metrics []string) export.Options {
	primary := s.report.Primary()
	ordered := []string{primary}
	for _, m := range metrics {
		if m != primary {
			ordered = append(ordered, m)
		}
	}
	return export.Options{Metric: primary, Metrics: ordered, Program: version(), Status: func() string { return s.status }}
}

// check finds what cannot be meant. printed names what else goes to standard output; "" for nothing.
func (f *exportFlags) check(printed string) error {
	flags := map[string]string{}
	if printed != "" {
		flags[standardOutput] = printed
	}
	for _, x := range f.files() {
		if x.path == "" {
			continue
		}
		path := filepath.Clean(x.path)
		if other := flags[path]; other != "" {
			return usage("%s and %s both write to %.80q", other, x.flag, x.path)
		}
		flags[path] = x.flag
	}
	return nil
}

// printed tells whether an export goes to standard output.
func (f *exportFlags) printed() bool {
	for _, x := range f.files() {
		if x.path == standardOutput {
			return true
		}
	}
	return false
}

// exports are the files that a run is being written to.
type exports struct {
	process
	files    []*exportFile
	writers  []export.Writer
	markdown *exportFile
	sarif    string         // the file of --sarif; "": none
	metric   string         // whose verdict is the outcome of an answer
	mask     *caseview.Mask // nil: nothing is hidden
	places   *places        // where cases are whose answers do not say so; nil: not known
	unplaced bool           // a result of SARIF has no place
	err      error          // the first one of writing
}

// any tells whether answers are written.
func (e *exports) any() bool { return e != nil && len(e.files) > 0 }

// exportFile is a file that takes its name once it is whole.
type exportFile struct {
	flag, path string
	f          *os.File // nil: standard output
	w          io.Writer
	direct     bool // it is no regular file, such as a pipe
}

const partial = ".partial"

func (p process) createExport(flag, path string) (*exportFile, error) {
	if path == standardOutput {
		return &exportFile{flag: flag, path: path, w: p.stdout}, nil
	}
	x := &exportFile{flag: flag, path: path}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return nil, usage("%s: %.80q is a folder, expected the name of a file", flag, path)
		}
		x.direct = true
	}
	name := path
	if !x.direct {
		name += partial
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, usage("%s: %w", flag, err)
	}
	x.f, x.w = f, f
	return x, nil
}

// done gives the file its name.
func (x *exportFile) done() error {
	if x.f == nil {
		return nil
	}
	err := x.f.Close()
	if err == nil && !x.direct {
		err = os.Rename(x.path+partial, x.path)
	}
	x.f = nil
	if err != nil {
		return errcode.New(errcode.ResourceExhausted, "%s: %w", x.flag, err)
	}
	return nil
}

// drop removes a file that did not become whole.
func (x *exportFile) drop() {
	if x.f != nil {
		_ = x.f.Close()
		if !x.direct {
			_ = os.Remove(x.path + partial)
		}
	}
}

// open creates the files, so that one that cannot be written to is known before the work begins.
// Call drop in the end.
func (f *exportFlags) open(ctx context.Context, p process, o export.Options, mask *caseview.Mask) (_ *exports, err error) {
	e := &exports{process: p, mask: mask, sarif: f.SARIF, metric: o.Metric}
	if f.CaseFile != "" {
		if f.SARIF == "" {
			return nil, usage("--case-file: expected --sarif, whose results name its lines")
		}
		if e.places, err = placesIn(ctx, f.CaseFile); err != nil {
			return nil, err
		}
	}
	defer func() {
		if err != nil {
			e.drop()
		}
	}()
	for _, x := range f.files() {
		if x.path == "" || x.flag == "--html" { // the pages are written at the end, from the database
			continue
		}
		file, err := p.createExport(x.flag, x.path)
		if err != nil {
			return nil, err
		}
		e.files = append(e.files, file)
		if x.flag == "--markdown" { // the summary is there already, and knows what else is compared
			e.markdown = file
			continue
		}
		w, err := export.New(strings.TrimPrefix(x.flag, "--"), file.w, o)
		if err != nil {
			return nil, err
		}
		e.writers = append(e.writers, w)
	}
	return e, nil
}

// add writes an answer to every file. Finish tells the error.
func (e *exports) add(a *export.Answer) {
	a.Withhold(e.mask)
	if a.Place.File == "" {
		a.Place = e.places.take(a.AnswerID)
	}
	e.unplaced = e.unplaced || a.Place.File == "" && a.Missed(e.metric)
	for _, w := range e.writers {
		if e.err == nil {
			e.err = w.Add(a)
		}
	}
}

// finish ends the files and says which there are.
func (e *exports) finish(f *report.Figures, o export.MarkdownOptions) error {
	for _, w := range e.writers {
		if err := w.Close(); e.err == nil {
			e.err = err
		}
	}
	e.writers = nil
	if e.err != nil {
		return errcode.New(errcode.ResourceExhausted, "writing the exports: %w", e.err)
	}
	if e.markdown != nil {
		if err := export.Markdown(e.markdown.w, f, o); err != nil {
			return errcode.New(errcode.ResourceExhausted, "--markdown: %w", err)
		}
	}
	for _, x := range e.files {
		if err := x.done(); err != nil {
			return err
		}
		e.say(x.path)
	}
	if e.sarif != "" && e.unplaced {
		fmt.Fprintln(e.stderr, "note: results in SARIF name no file and line, and GitHub takes no file that has such results; name the cases' file with --case-file")
	}
	return nil
}

// drop removes what did not become whole.
func (e *exports) drop() {
	if e == nil {
		return
	}
	for _, w := range e.writers {
		_ = w.Close() // what it writes goes with the file
	}
	for _, x := range e.files {
		x.drop()
	}
}
