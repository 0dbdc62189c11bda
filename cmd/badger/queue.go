package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

type queueCommand struct {
	New    queueNewCommand    `cmd:"" help:"Create a labeling queue from answers of a run."`
	List   queueListCommand   `cmd:"" help:"List the queues and their progress."`
	Close  queueCloseCommand  `cmd:"" help:"Close a queue. Its labels are kept."`
	Export queueExportCommand `cmd:"" help:"Write labels as JSON Lines in the form of case files."`
	Import queueImportCommand `cmd:"" help:"Read labels from JSON Lines in the form of case files."`
}

// labelStore is the database that holds queues and labels.
type labelStore struct {
	DB string `name:"db" required:"" placeholder:"URL" help:"Database with runs and scores, such as duckdb:scores.duckdb."`
}

// open opens the database of --db. If only is not set, it opens it for writing and upgrades its tables to the current
// version.
func (c *labelStore) open(ctx context.Context, p process, only bool) (*labelling.Store, error) {
	config, err := readConfig("", p)
	if err != nil {
		return nil, err
	}
	var w *store.Store
	if only {
		w, err = openToRead(ctx, c.DB)
	} else {
		w, err = openExisting(ctx, c.DB)
		w, err = installed(ctx, w, err)
	}
	if err != nil {
		return nil, err
	}
	return &labelling.Store{Warehouse: w, Now: p.now, Primary: config.Metrics.Primary}, nil
}

// openWith is like open, and returns an error if queue is not empty and does not exist.
func (c *labelStore) openWith(ctx context.Context, p process, only bool, queue string) (*labelling.Store, error) {
	s, err := c.open(ctx, p, only)
	if err != nil || queue == "" {
		return s, err
	}
	if _, err := s.Queue(ctx, queue); err != nil {
		_ = s.Warehouse.Close()
		return nil, noQueue(err)
	}
	return s, nil
}

type queueNewCommand struct {
	labelStore
	ID string `name:"run" placeholder:"ID" help:"Run ID (default the latest)."`
	chosenBatches
	List       string   `placeholder:"QUERY" help:"Answers to queue, as the URL query of a list of cases in the web report. Replaces --mode, --filter and --search."`
	Mode       string   `placeholder:"MODE" help:"Answers to queue: all, failed, passed, errors, abstained, disagrees or unlabelled (default all)."`
	Filter     []string `sep:"none" placeholder:"CONDITION" help:"Condition on the answers, such as 'hybrid_ex<0.5' or relation=rounding (repeatable). Operators are = != ~ > <."`
	Search     string   `placeholder:"TEXT" help:"Only answers with this text in the case, the question or a query."`
	Order      string   `default:"listed" enum:"listed,random,disagreement,unsure,strata" help:"Order of the answers: listed, random, disagreement (of metrics), unsure (judges) or strata (default ${default})."`
	Seed       int64    `needs:"order=random order=strata" default:"1" help:"Seed of random choices (default ${default})."`
	Cases      int      `least:"1" placeholder:"N" help:"Maximum number of answers."`
	Annotators int      `least:"1" default:"1" help:"Number of annotators for each answer (default ${default})."`
	Blind      bool     `help:"Hide scores, verdicts, relations and labels of others from annotators."`
	Options    []string `placeholder:"VERDICT" help:"Verdicts to offer in addition to skip (default pass,fail,unsure)."`
	Guideline  string   `placeholder:"FILE" help:"File with instructions for annotators."`
	Reason     bool     `name:"reason-required" help:"Require a note with the verdict fail."`
	Name       string   `placeholder:"TEXT" help:"Title of the queue."`
	By         string   `placeholder:"WHO" help:"Name to record for this change (default the current user)."`
	JSON       bool     `help:"Print one JSON document."`
}

// Run creates a labeling queue.
func (c *queueNewCommand) Run(ctx context.Context, p process) error {
	plan := labelling.Plan{
		Name: c.Name, Order: labelling.Order(c.Order), Seed: c.Seed, Annotators: c.Annotators, Most: c.Cases,
		Options: c.Options, Blind: c.Blind, ReasonRequired: c.Reason, By: cmp.Or(c.By, who(p)),
	}
	if c.Annotators < 1 {
		return usage("--annotators: %d, expected a whole number from 1", c.Annotators)
	}
	if c.Guideline != "" {
		text, err := os.ReadFile(c.Guideline)
		if err != nil {
			return flagError("--guideline", err)
		}
		plan.Guideline = string(text)
	}
	var err error
	if plan.List, err = c.list(); err != nil {
		return err
	}
	s, err := c.open(ctx, p, readWrite)
	if err != nil {
		return err
	}
	defer s.Warehouse.Close()
	if plan.List.RunID, err = evaluation.FindRow(ctx, s.Warehouse, c.DB,
		evaluation.RowChoice{ID: c.ID, Pattern: c.answers(), Listed: plan.List.RunID}); err != nil {
		return err
	}
	q, left, of, err := s.MakeListed(ctx, metric.All(), plan)
	if left > 0 {
		fmt.Fprintf(p.stderr, "%d of %s left out: badger.agent_runs has no row of their answers, or several, so that people would not know what to look at\n", left, printable.Count(of, "case"))
	}
	if err != nil {
		return asUsage(err)
	}
	if c.JSON {
		return writeJSON(p, labelling.OverviewOf(q))
	}
	fmt.Fprintf(p.stdout, "queue %s: %s, %s for each\nlabel with: badger view --label --db %s\n", q.ID,
		printable.Count(int(q.Cases), "case"), printable.Count(int(q.Annotators), "annotator"), printable.Shell(c.DB))
	return nil
}

// asUsage returns err as a usage error if it has the code InvalidArgument, otherwise unchanged.
func asUsage(err error) error {
	if errcode.Of(err) == errcode.InvalidArgument {
		return errcode.AsUsage(err)
	}
	return err
}

// list returns the selection of cases of --list, or of --mode, --filter and --search.
func (c *queueNewCommand) list() (store.State, error) {
	v := url.Values{"filter": c.Filter}
	if c.List != "" {
		if c.Mode != "" || c.Filter != nil || c.Search != "" {
			return store.State{}, usage("--list includes --mode, --filter and --search; expected --list or these")
		}
		var err error
		if v, err = url.ParseQuery(strings.TrimPrefix(c.List, "?")); err != nil {
			return store.State{}, usage("--list: expected the query of an address, such as mode=failed&filter=hybrid_ex%%3C0.5")
		}
	}
	if c.Mode != "" {
		v.Set("mode", c.Mode)
	}
	if c.Search != "" {
		v.Set("search", c.Search)
	}
	state, err := store.Parse(v)
	return state, asUsage(err)
}

type queueListCommand struct {
	labelStore
	JSON bool `help:"Print one JSON document."`
}

// Run lists the queues and their progress.
func (c *queueListCommand) Run(ctx context.Context, p process) error {
	s, err := c.open(ctx, p, readOnly)
	if err != nil {
		return err
	}
	defer s.Warehouse.Close()
	out, err := s.Overviews(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(p, out)
	}
	if len(out) == 0 {
		fmt.Fprintln(p.stdout, "There are no queues; badger queue new makes one.")
	}
	for _, q := range out {
		state := ""
		if !q.Open {
			state = ", closed"
		}
		fmt.Fprintf(p.stdout, "%s  %s  run %s  %d of %d done, %d skipped, annotators differ on %d%s\n", q.ID, printable.Text(q.Name),
			printable.Text(q.Run), q.Progress.Done, q.Cases, q.Progress.Skipped, q.Progress.Conflicting, state)
	}
	return nil
}

type queueCloseCommand struct {
	labelStore
	Queue string `arg:"" placeholder:"QUEUE" help:"Queue ID, as badger queue list prints it."`
}

// Run closes a queue.
func (c *queueCloseCommand) Run(ctx context.Context, p process) error {
	s, err := c.open(ctx, p, readWrite)
	if err != nil {
		return err
	}
	defer s.Warehouse.Close()
	q, err := s.Queue(ctx, c.Queue)
	if err != nil {
		return noQueue(err)
	}
	return s.Close(ctx, q)
}

// noQueue returns err as a usage error if it has the code NotFound or InvalidArgument, otherwise unchanged.
func noQueue(err error) error {
	if errcode.Of(err) == errcode.NotFound {
		return errcode.AsUsage(err)
	}
	return asUsage(err)
}

type queueExportCommand struct {
	labelStore
	Queue string `placeholder:"QUEUE" help:"Queue ID, as badger queue list prints it (only its labels are written)."`
	To    string `default:"-" placeholder:"FILE" help:"File to write to (default ${default}, standard output)."`
}

// Run writes labels to --to, as JSON Lines.
func (c *queueExportCommand) Run(ctx context.Context, p process) (err error) {
	s, err := c.openWith(ctx, p, readOnly, c.Queue)
	if err != nil {
		return err
	}
	defer s.Warehouse.Close()
	to := p.stdout
	if c.To != "-" {
		f, err := os.OpenFile(c.To, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			return usage("--to: %w", err)
		}
		defer func() {
			if closed := f.Close(); err == nil && closed != nil {
				err = errcode.New(errcode.ResourceExhausted, "--to: %w", closed)
			}
		}()
		to = f
	}
	n, err := s.Export(ctx, to, c.Queue)
	if err == nil {
		fmt.Fprintf(p.stderr, "labels of %s\n", printable.Count(n, "answer"))
	}
	return err
}

type queueImportCommand struct {
	labelStore
	File      string `arg:"" placeholder:"FILE" help:"Labels in JSON Lines; - is standard input."`
	Queue     string `placeholder:"QUEUE" help:"Queue ID, as badger queue list prints it (for human.votes and human.label)."`
	Annotator string `placeholder:"NAME" help:"Annotator of human.label on lines that do not name one."`
	Unknown   bool   `help:"Accept labels of answers that the database does not have."`
}

// Run stores the labels of a file in JSON Lines.
func (c *queueImportCommand) Run(ctx context.Context, p process) error {
	var in io.Reader = p.stdin
	if c.File != "-" {
		f, err := os.Open(c.File)
		if errors.Is(err, fs.ErrNotExist) {
			return errcode.NoFile("", c.File)
		} else if err != nil {
			return usage("%w", err)
		}
		defer f.Close()
		in = bufio.NewReader(f)
	}
	s, err := c.openWith(ctx, p, readWrite, c.Queue)
	if err != nil {
		return err
	}
	defer s.Warehouse.Close()
	done, err := s.Import(ctx, in, labelling.ImportOptions{Queue: c.Queue, Annotator: c.Annotator, Unknown: c.Unknown})
	if err != nil {
		if done.Unknown > 0 && !c.Unknown {
			err = errcode.New(errcode.Of(err), "%w; --unknown accepts them", err)
		}
		if c.File != "-" {
			err = errcode.New(errcode.Of(err), "%s: %w", c.File, err)
		}
		return asUsage(err)
	}
	if done.Unknown > 0 {
		fmt.Fprintf(p.stderr, "%s of answers that the database does not have\n", printable.Count(done.Unknown, "line"))
	}
	fmt.Fprintf(p.stdout, "%s in %s, %d new\n", printable.Count(done.Labels, "label"), printable.Count(done.Lines, "line"),
		done.Written)
	return nil
}
