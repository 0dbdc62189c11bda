package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/imports/golden"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/resultfile"
)

// importGolden are the arguments of all commands that import a golden set. It is the whole command of a kind without
// further flags.
type importGolden struct {
	Files []string `arg:"" name:"file" help:"Files of the golden set."`

	Out      string   `placeholder:"FILE" help:"Case file to write (- is standard output)."`
	Map      []string `placeholder:"KEY=MEMBER" help:"Member of a record that becomes a key of a case, such as question=inputs.question."`
	Database string   `placeholder:"NAME" help:"Database of the cases that name none."`
	Dialect  string   `placeholder:"DIALECT" help:"SQL dialect of all cases (default that of the format)."`
	Dataset  string   `placeholder:"NAME" help:"Data set that reports group the cases by."`
	Check    bool     `help:"Only check (list what is unreadable, and count what is missing or doubled)."`
	Run      string   `name:"run" aliases:"execute" placeholder:"URL" help:"With --check, also run the gold queries in this warehouse ({database} is the database of a case). Only single queries that read are run."`
	JSON     bool     `help:"Print one JSON document."`
	Quiet    bool     `short:"q" help:"Print no progress."`

	Agent   string `placeholder:"AGENT" help:"Name of the agent (default that of the file of predictions)."`
	Version string `name:"agent-version" placeholder:"AGENT-VERSION" help:"Version of the agent."`
	Batch   string `placeholder:"NAME" help:"Batch of the answers."`
}

// importPredictions is the argument of kinds whose answers are in separate files.
type importPredictions struct {
	Predictions string `placeholder:"FILE|DIR" help:"Predictions of an agent, in the form of the golden set (docs/eval/import.md)."`
}

// importCSVForm are the arguments of kinds that are CSV.
type importCSVForm struct {
	Encoding  string `placeholder:"NAME" help:"Encoding of the files, such as windows-1252, latin1 or shift_jis (default UTF-8, or UTF-16 with a byte order mark)."`
	Delimiter string `placeholder:"CHAR" help:"Delimiter of CSV; tab is a word for it (default found in the file)."`
}

// set sets the options of CSV.
func (f *importCSVForm) set(o *golden.Options) error {
	o.Encoding = f.Encoding
	switch {
	case !resultfile.KnowsEncoding(f.Encoding):
		return usage("--encoding: expected the name of an encoding such as utf-8, windows-1252, latin1 or shift_jis, found %.40q",
			f.Encoding)
	case f.Delimiter == "tab":
		o.Delimiter = '\t'
	case len(f.Delimiter) == 1 && f.Delimiter != "\"" && f.Delimiter != "\n":
		o.Delimiter = f.Delimiter[0]
	case f.Delimiter != "":
		return usage("--delimiter: expected one character, or the word tab, found %q", f.Delimiter)
	}
	return nil
}

type importBirdCommand struct {
	importGolden
	importPredictions
	Pair string `enum:",question_id,index" default:"" placeholder:"BY" help:"What the keys of predictions are: question_id, or index, the number of the question from 0 (default question_id, if all of them are one)."`
}

// Run imports BIRD.
func (c *importBirdCommand) Run(ctx context.Context, p process) error {
	return c.run(ctx, p, "bird", c.Predictions, golden.Options{Pair: c.Pair})
}

type importSpiderCommand struct {
	importGolden
	importPredictions
	GoldFile string `name:"gold-file" placeholder:"FILE" help:"Gold queries, a query and a database a line, if the questions have none."`
}

// Run imports Spider.
func (c *importSpiderCommand) Run(ctx context.Context, p process) error {
	return c.run(ctx, p, "spider", c.Predictions, golden.Options{Gold: c.GoldFile})
}

type importSpider2Command struct {
	importGolden
	importPredictions
	GoldSQL     string `name:"gold-sql" placeholder:"DIR" help:"Folder of gold queries, ID.sql."`
	GoldResults string `name:"gold-results" placeholder:"DIR" help:"Folder of gold results, named by ID."`
	Eval        string `placeholder:"FILE" help:"Settings of the comparison: JSON Lines with condition_cols and ignore_order."`
	Documents   string `placeholder:"DIR" help:"Folder of the documents that external_knowledge names."`
}

// Run imports Spider 2.0.
func (c *importSpider2Command) Run(ctx context.Context, p process) error {
	return c.run(ctx, p, "spider2", c.Predictions, golden.Options{Gold: c.GoldSQL, GoldResults: c.GoldResults,
		Settings: c.Eval, Documents: c.Documents})
}

type importDefogCommand struct {
	importGolden
	importCSVForm
}

// Run imports Defog sql-eval.
func (c *importDefogCommand) Run(ctx context.Context, p process) error {
	return c.runTable(ctx, p, "defog", golden.Options{}, &c.importCSVForm)
}

type importCSVCommand struct {
	importGolden
	importPredictions
	importCSVForm
	GoldResults string `name:"gold-results" placeholder:"DIR" help:"Folder of gold results, named by ID."`
	Results     string `placeholder:"DIR" help:"Folder of the agent's results, named by ID."`
}

// Run imports CSV.
func (c *importCSVCommand) Run(ctx context.Context, p process) error {
	o := golden.Options{GoldResults: c.GoldResults, Results: c.Results}
	if err := c.set(&o); err != nil {
		return err
	}
	return c.run(ctx, p, "csv", c.Predictions, o)
}

type importSQLCommand struct {
	importGolden
	importPredictions
	importCSVForm
	Questions   string `placeholder:"FILE" help:"CSV of questions, with a column file or id."`
	GoldResults string `name:"gold-results" placeholder:"DIR" help:"Folder of gold results, named by ID."`
	Results     string `placeholder:"DIR" help:"Folder of the agent's results, named by ID."`
}

// Run imports a folder of SQL files.
func (c *importSQLCommand) Run(ctx context.Context, p process) error {
	o := golden.Options{Questions: c.Questions, GoldResults: c.GoldResults, Results: c.Results}
	if err := c.set(&o); err != nil {
		return err
	}
	return c.run(ctx, p, "sql", c.Predictions, o)
}

type importCortexAnalystCommand struct {
	importGolden
	Rewrite bool `help:"Define logical tables such as __orders by base_table and expr, so that the SQL runs."`
}

// Run imports the verified queries of Cortex Analyst.
func (c *importCortexAnalystCommand) Run(ctx context.Context, p process) error {
	return c.run(ctx, p, "cortex-analyst", "", golden.Options{Rewrite: c.Rewrite})
}

type importGenieCommand struct {
	importGolden
	Manual bool `help:"Take only the assessments of people as labels."`
}

// Run imports a Genie space or its evaluation runs.
func (c *importGenieCommand) Run(ctx context.Context, p process) error {
	return c.run(ctx, p, "genie", "", golden.Options{Manual: c.Manual})
}

type importFabricCommand struct {
	importGolden
	importCSVForm
}

// Run imports sets of Microsoft Fabric.
func (c *importFabricCommand) Run(ctx context.Context, p process) error {
	return c.runTable(ctx, p, "fabric", golden.Options{}, &c.importCSVForm)
}

type importEvalBenchCommand struct{ importGolden }

// Run imports EvalBench.
func (c *importEvalBenchCommand) Run(ctx context.Context, p process) error {
	return c.run(ctx, p, "evalbench", "", golden.Options{})
}

type importCortexAgentCommand struct {
	importGolden
	importCSVForm
}

// Run imports evaluation sets of Cortex Agents.
func (c *importCortexAgentCommand) Run(ctx context.Context, p process) error {
	return c.runTable(ctx, p, "cortex-agent", golden.Options{}, &c.importCSVForm)
}

type importBigQueryCommand struct{ importGolden }

// Run imports the example queries of BigQuery data agents.
func (c *importBigQueryCommand) Run(ctx context.Context, p process) error {
	return c.run(ctx, p, "bigquery", "", golden.Options{})
}

type importMLflowCommand struct {
	importGolden
	importCSVForm
}

// Run imports data sets of MLflow.
func (c *importMLflowCommand) Run(ctx context.Context, p process) error {
	return c.runTable(ctx, p, "mlflow", golden.Options{}, &c.importCSVForm)
}

type importLangSmithCommand struct {
	importGolden
	importCSVForm
}

// Run imports data sets of LangSmith.
func (c *importLangSmithCommand) Run(ctx context.Context, p process) error {
	return c.runTable(ctx, p, "langsmith", golden.Options{}, &c.importCSVForm)
}

type importLangfuseCommand struct {
	importGolden
	importCSVForm
}

// Run imports data sets of Langfuse.
func (c *importLangfuseCommand) Run(ctx context.Context, p process) error {
	return c.runTable(ctx, p, "langfuse", golden.Options{}, &c.importCSVForm)
}

type importPromptfooCommand struct{ importGolden }

// Run imports tests of promptfoo.
func (c *importPromptfooCommand) Run(ctx context.Context, p process) error {
	return c.run(ctx, p, "promptfoo", "", golden.Options{})
}

// runTable imports a golden set of a kind that may be CSV.
func (c *importGolden) runTable(ctx context.Context, p process, name string, o golden.Options,
	form *importCSVForm) error {
	if err := form.set(&o); err != nil {
		return err
	}
	return c.run(ctx, p, name, "", o)
}

// run imports a golden set of a kind, with a file of predictions if pred is not empty. Records that are not cases or
// lack gold, and missing pages, are reported, and the exit code is then 1. Without cases nothing is written, and the
// exit code is 3.
func (c *importGolden) run(ctx context.Context, p process, name, pred string, o golden.Options) (err error) {
	if c.Out == "" && !c.Check {
		return usage("expected --out FILE or --check")
	}
	if c.Run != "" && !c.Check {
		return usage("--run: expected --check, too; badger run --execute runs the queries of a case file")
	}
	kind := golden.KindNamed(name)
	o.Map, o.Database, o.Dialect, o.Dataset = c.Map, c.Database, c.Dialect, c.Dataset
	o.Agent, o.Version, o.Batch = c.Agent, c.Version, c.Batch
	o.Dir, o.Out = folderOf(c.Out), c.Out
	s, err := golden.New(ctx, kind, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	p.boundMemory(importMemory)
	bar := newProgressBar(p.stderr, c.Quiet || c.JSON && !isTerminal(p.stderr))
	defer bar.finish()
	problems := problemList{p.stderr, bar, c.Check, 0}
	s.Report = problems.add
	if c.Check {
		s.Doubt = func(problem error) {
			bar.finish()
			fmt.Fprintln(p.stderr, "! ", printable.Text(problem.Error()))
		}
	}
	s.Progress = bar.part
	for _, file := range c.Files {
		if err := s.AddFile(file); err != nil {
			return err
		}
	}
	if pred != "" {
		if err := s.AddPredictions(pred); err != nil {
			return err
		}
	}
	if err := s.Finish(); err != nil {
		return err
	}
	bar.finish()
	problems.end()
	if info, err := os.Stat(c.Out); !c.Check && err == nil && s.RefersTo(info) {
		return usage("--out: %q is a result that cases refer to, and would be replaced; name another file", c.Out)
	}
	var golds *goldCheck
	if c.Run != "" {
		if golds, err = c.runGolds(ctx, p, s, bar); err != nil {
			return err
		}
	}
	written := 0
	if !c.Check && s.Cases > 0 {
		if written = s.Cases; c.Out == "-" {
			err = s.Write(p.stdout)
		} else {
			err = replaceFile("--out", c.Out, s.Write)
		}
		if err != nil {
			return err
		}
	}
	if err := c.report(p, kind, s, written, golds); err != nil {
		return err
	}
	switch {
	case s.Cases == 0:
		return errcode.New(errcode.InvalidArgument,
			"no case found; expected %s as docs/eval/import.md describes it, and nothing was written", kind.Title)
	case s.Bad+s.Conflicts+s.Lacking+s.Missing.Records+s.Missing.Pages > 0,
		golds != nil && golds.Failed+golds.NotRun > 0:
		return errLost
	}
	return nil
}

// report prints the counts and the next command.
func (c *importGolden) report(p process, kind *golden.Kind, s *golden.Set, written int, golds *goldCheck) error {
	out := p.stdout
	if c.Out == "-" && !c.Check {
		out = p.stderr
	}
	next := nextCommand(c.Out, &s.Counts)
	if c.JSON {
		p.stdout = out
		return writeJSON(p, struct {
			Kind string `json:"kind"`
			*golden.Counts
			Written int        `json:"written"`
			Next    string     `json:"next,omitempty"`
			Golds   *goldCheck `json:"gold_queries,omitempty"`
		}{kind.Name, &s.Counts, written, next, golds})
	}
	fmt.Fprintf(out, "%s of %s\n", printable.Count(s.Read, "record"), kind.Title)
	for _, l := range []struct {
		what string
		n    int
	}{
		{"records that are not cases, and answers or files of no case; each is listed", s.Bad}, {"repeated; each is written once", s.Duplicates},
		{"with the ID of another record and other content; not written", s.Conflicts},
		{"that ask what another case asks", s.SameAsked}, {"without a question", s.NoQuestion},
		{"without gold", s.NoGold},
		{"of these with a gold expected; each is listed", s.Lacking},
		{"without a file of results", s.NoResult}, {"queries that badger does not read completely", s.Unparsed},
		{"with an answer", s.Answers}, {"without an answer", s.Unanswered}, {"with a label", s.Labels},
		{"missing records; see the note", s.Missing.Records},
		{"missing pages, at least; see the note", s.Missing.Pages},
	} {
		if l.n > 0 {
			fmt.Fprintf(out, "  %6d  %s\n", l.n, l.what)
		}
	}
	for _, note := range s.Notes {
		fmt.Fprintln(out, "note:", printable.Text(note))
	}
	golds.print(out)
	switch {
	case c.Check:
		fmt.Fprintln(out, "checked; nothing was written")
	case written > 0:
		fmt.Fprintf(out, "%s written to %s\n", printable.Count(written, "case"), printable.Text(c.Out))
		fmt.Fprintln(out, "next:", printable.Text(next))
	}
	return nil
}

// nextCommand returns the command that scores the cases of a file, or adds answers to them.
func nextCommand(file string, n *golden.Counts) string {
	if file == "" || file == "-" {
		file = "cases.jsonl"
	}
	file = printable.Shell(file)
	if n.Answers == 0 { // the questions alone cannot be scored
		return "badger import traces EXPORT --golden " + file + " --out answers.jsonl"
	}
	next := "badger run --cases " + file
	if n.Executable {
		engine := map[string]string{
			"sqlite": "'sqlite:DIR/{database}/{database}.sqlite'", "duckdb": "'duckdb:DIR/{database}.duckdb'",
			"mysql": "'mysql://USER@HOST/{database}'", "postgres": "postgres://USER@HOST/DATABASE",
			"snowflake": "'snowflake://USER@ACCOUNT/DATABASE?warehouse=W'",
			"tsql":      "sqlserver://USER@HOST/DATABASE", "bigquery": "bigquery://PROJECT/DATASET",
			"databricks": "'databricks://HOST/CATALOG?http_path=PATH'",
		}[n.Engine]
		if engine == "" {
			engine = "URL"
		}
		if !n.Databases {
			engine = strings.ReplaceAll(engine, "{database}/{database}", "DATABASE")
			engine = strings.ReplaceAll(engine, "{database}", "DATABASE")
		}
		next += " --execute " + engine
	}
	return next + " --no-to"
}

// replaceFile writes a file. A file of that name is replaced only if all was written; what is not a regular file, such
// as a pipe or /dev/null, is written to. Errors name the flag.
func replaceFile(flag, path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return usage("%s: %w", flag, err)
		}
		return errors.Join(write(f), f.Close())
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return usage("%s: %w", flag, err)
	}
	defer os.Remove(f.Name()) //nolint:errcheck // renamed, or of no use
	if err = errors.Join(write(f), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return errcode.New(errcode.InvalidArgument, "%s: %w", flag, err)
	}
	return nil
}
