package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/imports"
	"github.com/badger-eval/badger/internal/imports/golden"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

type importCommand struct {
	Bird          importBirdCommand          `cmd:"" help:"Convert BIRD or mini-dev to cases."`
	Spider        importSpiderCommand        `cmd:"" help:"Convert Spider 1 to cases."`
	Spider2       importSpider2Command       `cmd:"" name:"spider2" help:"Convert Spider 2.0 lite or snow to cases."`
	Defog         importDefogCommand         `cmd:"" help:"Convert CSV of Defog sql-eval to cases."`
	CSV           importCSVCommand           `cmd:"" name:"csv" help:"Convert CSV of questions, gold and answers to cases."`
	SQL           importSQLCommand           `cmd:"" name:"sql" help:"Convert a folder of SQL files to cases."`
	EvalBench     importEvalBenchCommand     `cmd:"" name:"evalbench" help:"Convert EvalBench to cases."`
	CortexAnalyst importCortexAnalystCommand `cmd:"" name:"cortex-analyst" help:"Convert verified queries of Cortex Analyst to cases."`
	CortexAgent   importCortexAgentCommand   `cmd:"" name:"cortex-agent" help:"Convert evaluation sets of Cortex Agents to cases."`
	Genie         importGenieCommand         `cmd:"" help:"Convert Genie spaces or evaluation runs to cases."`
	BigQuery      importBigQueryCommand      `cmd:"" name:"bigquery" help:"Convert examples of BigQuery data agents to cases."`
	Fabric        importFabricCommand        `cmd:"" help:"Convert sets of Fabric data agents to cases."`
	MLflow        importMLflowCommand        `cmd:"" name:"mlflow" help:"Convert evaluation data sets of MLflow to cases."`
	LangSmith     importLangSmithCommand     `cmd:"" name:"langsmith" help:"Convert data sets of LangSmith to cases."`
	Langfuse      importLangfuseCommand      `cmd:"" help:"Convert data sets of Langfuse to cases."`
	Promptfoo     importPromptfooCommand     `cmd:"" help:"Convert tests of promptfoo to cases."`
	Traces        importTracesCommand        `cmd:"" help:"Convert traces of other products to answers of an agent."`
}

type importTracesCommand struct {
	Files []string `arg:"" name:"file" help:"Exports: OpenTelemetry, LangSmith, Langfuse, or messages of OpenAI, Anthropic or Cortex agents, in JSON or JSON Lines."`

	Out    string `placeholder:"FILE" xor:"target" help:"Case file to write (- is standard output)."`
	To     string `placeholder:"URL" xor:"target" help:"Warehouse to write to, such as duckdb:FILE."`
	Golden string `placeholder:"FILE" help:"Case file whose questions the answers are matched to; --out then has its gold, too (default with --to: the questions of the warehouse)."`

	CaseID  string `name:"case-id" placeholder:"KEY" help:"Attribute, metadata key or member of a trace that holds the case_id (default: the case is found by the text of the question)."`
	SQLTool string `name:"sql-tool" placeholder:"TOOL" help:"Tool whose arguments hold the SQL (default: any tool with SQL in sql, query or statement)."`
	Agent   string `placeholder:"AGENT" help:"Name of the agent (default that of the trace)."`
	Version string `name:"agent-version" placeholder:"AGENT-VERSION" help:"Version of the agent (default that of the trace)."`
	Batch   string `placeholder:"NAME" help:"Batch of the answers."`

	Check bool `help:"Only check (list what is unreadable, and count what is missing or doubled)."`
	JSON  bool `help:"Print one JSON document."`
	Quiet bool `short:"q" help:"Print no progress."`
}

// answersAtOnce is the number of answers that are written to a warehouse in one statement.
const answersAtOnce = 500

// maxListed is the maximum number of records that are listed because they are not in an answer, without --check.
const maxListed = 20

// problemList prints the problems of records, at most maxListed unless all is set.
type problemList struct {
	to   io.Writer
	bar  *progressBar
	all  bool
	seen int
}

func (l *problemList) add(problem error) {
	if l.seen++; l.seen <= maxListed || l.all {
		l.bar.finish()
		fmt.Fprintln(l.to, "!!", printable.Text(problem.Error()))
	}
}

// end prints the number of problems that were not listed.
func (l *problemList) end() {
	if more := l.seen - maxListed; more > 0 && !l.all {
		fmt.Fprintf(l.to, "!! and %d more; list them with --check\n", more)
	}
}

// importMemory is the memory for records in bytes, so that a large trace does not let the garbage of the ones before it
// stay.
const importMemory = 192 << 20

// Run converts traces to answers and writes them. Records that are not part of an answer are reported, and the exit
// code is then 1. Without answers, nothing is written, and the exit code is 3.
func (c *importTracesCommand) Run(ctx context.Context, p process) (err error) {
	if c.Out == "" && c.To == "" && !c.Check {
		return usage("expected --out FILE, --to URL or --check")
	}
	t, err := imports.New()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	p.boundMemory(importMemory)
	bar := newProgressBar(p.stderr, c.Quiet || c.JSON && !isTerminal(p.stderr))
	defer bar.finish()
	problems := problemList{p.stderr, bar, c.Check, 0}
	t.Report = problems.add
	t.Progress, t.OtherForm = bar.part, golden.FormOf
	for _, file := range c.Files {
		if err := t.AddFile(ctx, file); err != nil {
			return err
		}
	}
	var w *store.Store
	if c.To != "" && t.Any() {
		w, err = openStore(ctx, c.To, c.Check)
		if w, err = installed(ctx, w, err); err != nil {
			return err
		}
		defer w.Close()
	}
	var known imports.Questions
	var gold *goldenFile
	switch {
	case c.Golden != "":
		if gold, err = openGolden(ctx, c.Golden, &known); err != nil {
			return err
		}
		defer gold.file.Close() //nolint:errcheck // only read
	case w != nil:
		if err := questionsIn(ctx, w, &known); err != nil {
			return err
		}
	}
	lacking := problemList{p.stderr, bar, c.Check, 0}
	t.Unknown = func(text string) { lacking.add(errors.New(text)) }
	plan, err := t.Plan(ctx, imports.Options{CaseID: c.CaseID, SQLTool: c.SQLTool},
		imports.Names{Agent: c.Agent, Version: c.Version, Batch: c.Batch}, known)
	if err != nil {
		return err
	}
	bar.finish()
	problems.end()
	lacking.end()
	if !c.Check && plan.Answers > 0 {
		if c.To != "" {
			err = writeAnswers(ctx, plan, w)
		} else {
			err = c.writeFile(ctx, p, plan, gold)
		}
		if err != nil {
			return err
		}
	}
	if err := c.report(p, plan); err != nil {
		return err
	}
	switch {
	case plan.Answers == 0:
		return errcode.New(errcode.InvalidArgument,
			"no answer found; expected traces in a form of docs/eval/traces.md, and nothing was written")
	case plan.Unreadable+plan.Conflicts+plan.Invalid > 0:
		return errLost
	}
	return nil
}

// writeAnswers writes answers to agent_runs.
func writeAnswers(ctx context.Context, plan *imports.Plan, w *store.Store) error {
	var some []*scoring.Case
	for c, err := range plan.Cases(ctx) {
		if err != nil {
			return err
		}
		if some = append(some, c); len(some) == answersAtOnce {
			if err := w.WriteAnswers(ctx, some); err != nil {
				return err
			}
			some = nil
		}
	}
	return w.WriteAnswers(ctx, some)
}

// questionsIn adds the questions of the golden set in a warehouse.
func questionsIn(ctx context.Context, w *store.Store, known *imports.Questions) error {
	ids, err := w.Questions(ctx, store.Filter{})
	if err != nil {
		return err
	}
	for some := range slices.Chunk(ids, answersAtOnce) {
		questions, err := w.QuestionsNamed(ctx, store.Filter{}, some)
		if err != nil {
			return err
		}
		for _, id := range slices.Sorted(maps.Keys(questions)) {
			known.Add(id, questions[id].Text)
		}
	}
	return nil
}

// goldenFile is a case file whose lines are read by case.
type goldenFile struct {
	file  *os.File
	lines map[string][2]int64 // offset and length, by case_id
	dir   string              // to which references to results are relative
}

// openGolden opens a case file and adds its questions. A file without cases is a usage error, because answers would
// match none.
func openGolden(ctx context.Context, path string, known *imports.Questions) (*goldenFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, usage("--golden: %w", err)
	}
	g := &goldenFile{f, map[string][2]int64{}, batch.FileSource{Path: path}.Dir()}
	for item, err := range (batch.FileSource{Path: path, In: f}).Cases(ctx) {
		var c *scoring.Case
		if err == nil {
			c, err = item.Load(ctx)
		}
		if err != nil {
			f.Close()
			return nil, usage("--golden: %w", err)
		}
		if _, ok := g.lines[c.ID]; !ok {
			g.lines[c.ID] = [2]int64{item.Offset, int64(item.Length)}
			known.Add(c.ID, c.Question)
		}
	}
	if len(g.lines) == 0 {
		f.Close()
		return nil, usage("--golden: no cases in the file %q; expected the questions of the answers", filepath.Base(path))
	}
	return g, nil
}

// line returns the line of a case, or nil if there is none.
func (g *goldenFile) line(id string) ([]byte, error) {
	if g == nil {
		return nil, nil
	}
	at, ok := g.lines[id]
	if !ok {
		return nil, nil
	}
	text := make([]byte, at[1])
	_, err := g.file.ReadAt(text, at[0])
	return text, err
}

// maxKept is the maximum size of the memory of a line that is kept for the next one.
const maxKept = 1 << 20

// writeFile writes answers as a case file. A file is replaced only if all answers were written.
func (c *importTracesCommand) writeFile(ctx context.Context, p process, plan *imports.Plan,
	gold *goldenFile) error {
	ref := func(ref string) string { return resultfile.Moved(ref, gold.dir, folderOf(c.Out)) }
	write := func(out io.Writer) error {
		to := bufio.NewWriterSize(out, 1<<16)
		var line []byte
		for a, err := range plan.Cases(ctx) {
			if err != nil {
				return err
			}
			of, err := gold.line(a.ID)
			if err != nil {
				return err
			}
			line = imports.AppendLine(line[:0], a, of, ref)
			if _, err := to.Write(line); err != nil {
				return err
			}
			if cap(line) > maxKept {
				line = nil
			}
		}
		for _, a := range plan.Missed() { // they count as unanswered
			of, err := gold.line(a.ID)
			if err != nil {
				return err
			}
			if _, err := to.Write(imports.AppendLine(line[:0], a, of, ref)); err != nil {
				return err
			}
		}
		return to.Flush()
	}
	if c.Out == "-" {
		return write(p.stdout)
	}
	return replaceFile("--out", c.Out, write)
}

// folderOf returns the folder to which references in a case file are relative: the current one for - and other pipes.
func folderOf(path string) string {
	if info, err := os.Stat(path); path == "-" || err == nil && !info.Mode().IsRegular() {
		return "."
	}
	return batch.FileSource{Path: path}.Dir()
}

// report prints the counts.
func (c *importTracesCommand) report(p process, plan *imports.Plan) error {
	out := p.stdout
	if c.Out == "-" && !c.Check {
		out = p.stderr
	}
	if c.JSON {
		p.stdout = out
		return writeJSON(p, struct {
			*imports.Plan
			Written int `json:"written"`
		}{plan, c.written(plan)})
	}
	if plan.Answers == 0 {
		fmt.Fprintln(out, "no answer in the files")
	} else {
		fmt.Fprintf(out, "%s of %s", printable.Count(plan.Answers, "answer"), printable.Count(len(plan.Products), "product"))
		for i, name := range slices.Sorted(maps.Keys(plan.Products)) {
			fmt.Fprintf(out, "%s %s (%d)", [2]string{":", ","}[min(i, 1)], name, plan.Products[name])
		}
		fmt.Fprintln(out)
	}
	unanswered := "questions of the golden set without an answer"
	if c.To == "" && !c.Check {
		unanswered += "; written as unanswered"
	}
	for _, l := range []struct {
		what string
		n    int
	}{
		{"unreadable", plan.Unreadable}, {"duplicate records; each is counted once", plan.Duplicates},
		{"records with the same id and other content; the last one is used", plan.Conflicts},
		{"doubled; the last one is used", plan.Doubled}, {"failed; with the agent's error", plan.Failed},
		{"further samples (n > 1); not written", plan.Samples}, {"with invalid figures, which are left out", plan.Invalid},
		{"without the key of --case-id; the case is found by the question", plan.NoKey},
		{"without case_id and question; not written", plan.NoCase}, {"questions that the golden set lacks", plan.Unknown},
		{"questions that several cases of the golden set ask; --case-id KEY names the case", plan.Ambiguous},
		{unanswered, plan.Unanswered},
		{"without a question", plan.NoQuestion}, {"without an answer in prose", plan.NoResponse},
		{"without SQL", plan.NoSQL}, {"without a record of tool calls", plan.NoCalls},
		{"of a conversation, without turn", plan.NoTurn}, {"without tokens", plan.NoTokens},
		{"without cost", plan.NoCost}, {"without latency", plan.NoLatency}, {"without ran_at", plan.NoTime},
		{"missing records; see the note", plan.Missing.Records},
		{"missing pages, at least; see the note", plan.Missing.Pages},
	} {
		if l.n > 0 {
			fmt.Fprintf(out, "  %6d  %s\n", l.n, l.what)
		}
	}
	for _, note := range plan.Notes {
		fmt.Fprintln(out, "note:", printable.Text(note))
	}
	where := c.Out
	if c.To != "" {
		where = "agent_runs"
	}
	switch {
	case c.Check:
		fmt.Fprintln(out, "checked; nothing was written")
	case plan.Answers > 0:
		fmt.Fprintf(out, "%s written to %s\n", printable.Count(c.written(plan), "answer"), printable.Text(where))
	}
	return nil
}

// written returns the number of answers that were written.
func (c *importTracesCommand) written(plan *imports.Plan) int {
	if c.Check {
		return 0
	}
	return plan.Written()
}
