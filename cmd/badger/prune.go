package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/execution"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

type pruneCommand struct {
	DB        string   `name:"db" placeholder:"URL" help:"Database with runs and scores, such as duckdb:scores.duckdb (default results.warehouse of the configuration)."`
	OlderThan string   `placeholder:"AGE" help:"Age from which rows are deleted, such as 90d, 12w or 36h (default retention of the configuration)."`
	Case      []string `placeholder:"CASE" help:"Case whose rows are deleted, of any age (repeatable)."`
	Ledger    string   `placeholder:"FILE" help:"Cache of judge replies: a file, warehouse or none (default judge.ledger of the configuration)."`
	Snapshots string   `placeholder:"DIR" help:"Directory for results, one per warehouse; none keeps no results (default execute.snapshots of the configuration)."`
	Labels    bool     `help:"Also delete human labels and, by age, closed queues."`
	GoldenSet bool     `help:"With --case, also delete the case from the golden set."`
	DryRun    bool     `help:"Print what would be deleted, and delete nothing."`
	By        string   `placeholder:"WHO" help:"Name to record for this change (default the current user)."`
	Digest    string   `placeholder:"RUN" help:"Print the digest of the run's scores, and delete nothing."`
	Config    string   `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`
	JSON      bool     `help:"Print one JSON document."`
}

// pruned is the outcome of a call, as --json prints it.
type pruned struct {
	DryRun    bool        `json:"dry_run"`
	OlderThan *time.Time  `json:"older_than,omitempty"`
	Case      string      `json:"case_id,omitempty"`
	Deleted   []prunedRow `json:"deleted"`
	Kept      []prunedRow `json:"kept,omitempty"`
}

// prunedRow is the number of rows of a table, or of lines or files.
type prunedRow struct {
	What string `json:"what"` // a table; ledger, executions or snapshots
	Rows int64  `json:"rows"`
	Runs int64  `json:"runs,omitempty"`
	Why  string `json:"why,omitempty"`
}

// Run deletes old data, or the data of cases, or prints what it would delete.
func (c *pruneCommand) Run(ctx context.Context, p process) error {
	config, err := readConfig(c.Config, p)
	if err != nil {
		return err
	}
	c.DB = cmp.Or(c.DB, config.Results.Warehouse)
	if c.Digest != "" {
		return c.digest(ctx, p)
	}
	if c.OlderThan != "" && len(c.Case) > 0 {
		return usage("--older-than and --case: expected one of the flags")
	}
	if c.Ledger = cmp.Or(c.Ledger, config.Judge.Ledger); c.Ledger == "none" || c.Ledger == "warehouse" {
		c.Ledger = ""
	}
	if c.Snapshots = cmp.Or(c.Snapshots, config.Execute.Snapshots); c.Snapshots == "none" {
		c.Snapshots = ""
	}
	if c.DB == "" && c.Ledger == "" && c.Snapshots == "" {
		return usage("expected --db URL, --ledger FILE or --snapshots DIR, or a configuration that names one")
	}
	if c.GoldenSet && len(c.Case) == 0 {
		return usage("--golden-set: expected --case ID with it; questions have no age")
	}
	var all []store.Expiry
	for _, id := range c.Case {
		if id == "" {
			return usage("--case: expected the ID of a case")
		}
		all = append(all, store.Expiry{Case: id, Labels: c.Labels, Golds: c.GoldenSet})
	}
	now := p.now().UTC()
	switch age := cmp.Or(c.OlderThan, config.Retention); {
	case len(all) > 0:
		if c.DB == "" {
			return usage("--case: expected --db URL with it; files do not name cases, the scores in the database do")
		}
	case age == "":
		return usage("expected --older-than AGE or --case ID, or a configuration with retention")
	default:
		d, err := store.ParseAge(age)
		if err != nil {
			flag := "--older-than"
			if c.OlderThan == "" {
				flag = "retention"
			}
			return usage("%s: %w", flag, err)
		}
		all = []store.Expiry{{Before: now.Add(-d).Truncate(time.Microsecond), Labels: c.Labels}}
	}
	w, err := c.open(ctx)
	if err != nil {
		return err
	}
	if w != nil {
		defer w.Close()
	}
	var outcomes []pruned
	for i := range all {
		out, err := c.prune(ctx, p, w, &all[i], now)
		outcomes = append(outcomes, out)
		if err != nil {
			if !c.JSON {
				printPruned(p, &out)
			}
			return errcode.New(errcode.Of(err), "%w; run the same command again to delete the rest", err)
		}
	}
	if c.JSON {
		return writeJSON(p, outcomes)
	}
	for i := range outcomes {
		printPruned(p, &outcomes[i])
	}
	return nil
}

// open opens the database, with --dry-run for reading only. It returns nil without a database.
func (c *pruneCommand) open(ctx context.Context) (*store.Store, error) {
	switch {
	case c.DB == "":
		return nil, nil //nolint:nilnil // only files are pruned
	case c.DryRun:
		return openToRead(ctx, c.DB)
	}
	w, err := openExisting(ctx, c.DB)
	return installed(ctx, w, err)
}

// prune deletes from the files first, because the rows of a case in the tables identify the lines of the files that
// belong to it.
func (c *pruneCommand) prune(ctx context.Context, p process, w *store.Store, e *store.Expiry, now time.Time) (pruned,
	error) {
	out := pruned{DryRun: c.DryRun, Case: e.Case, Deleted: []prunedRow{}}
	if e.Case == "" {
		out.OlderThan = &e.Before
	}
	var traces store.Traces
	if e.Case != "" && (c.Ledger != "" || c.Snapshots != "") {
		var err error
		if traces, err = w.Traces(ctx, e.Case); err != nil {
			return out, err
		}
	}
	if err := c.files(p, e, &traces, now, &out); err != nil || w == nil {
		return out, err
	}
	list, err := c.tables(ctx, p, w, e, now)
	for _, x := range list {
		row := prunedRow{x.Table, x.Rows, x.Runs, x.Kept}
		if x.Kept != "" {
			out.Kept = append(out.Kept, row)
		} else {
			out.Deleted = append(out.Deleted, row)
		}
	}
	return out, err
}

func (c *pruneCommand) tables(ctx context.Context, p process, w *store.Store, e *store.Expiry,
	now time.Time) ([]store.Expired, error) {
	if c.DryRun {
		return w.Expired(ctx, e, now)
	}
	return w.Prune(ctx, e, cmp.Or(c.By, who(p)), now)
}

// files deletes from the ledger file and the directory of results, and records that next to them.
func (c *pruneCommand) files(p process, e *store.Expiry, traces *store.Traces, now time.Time, out *pruned) error {
	note := func(dir, what string, n int64) error {
		if n == 0 {
			return nil
		}
		out.Deleted = append(out.Deleted, prunedRow{What: what, Rows: n})
		if c.DryRun {
			return nil
		}
		return recordInFile(dir, fileDeletion{what, n, out.OlderThan, e.Case, cmp.Or(c.By, who(p)), now})
	}
	if c.Ledger != "" {
		ofCase := map[string]bool{}
		for _, id := range traces.Assessments {
			ofCase[id] = true
		}
		n, err := judgebackend.PruneFile(c.Ledger, c.DryRun, func(a *judgebackend.Assessment) bool {
			if e.Case != "" {
				return ofCase[a.ID]
			}
			return a.CreatedAt.Before(e.Before)
		})
		if err := cmp.Or(note(filepath.Dir(c.Ledger), "ledger", n), err); err != nil {
			return err
		}
	}
	if c.Snapshots == "" {
		return nil
	}
	queries := map[string]bool{}
	for _, sql := range traces.Queries {
		q := scoring.Query{SQL: sql}
		written, _ := new(scoring.Case).WrittenSQL(&q)
		queries[sql], queries[written] = true, true
	}
	n, err := execution.Prune(c.Snapshots, c.DryRun, e.Before, func(r *execution.Record) bool {
		if e.Case != "" {
			return queries[r.SQL]
		}
		return r.RanAt.Before(e.Before)
	})
	return cmp.Or(note(c.Snapshots, "snapshots", n.Results), note(c.Snapshots, "executions", n.Records), err)
}

// fileDeletion is a line of the file deletions.jsonl: a deletion from a file, without its content.
type fileDeletion struct {
	What      string     `json:"what"` // ledger, snapshots or executions
	Rows      int64      `json:"rows"`
	OlderThan *time.Time `json:"older_than,omitempty"`
	Case      string     `json:"case_id,omitempty"`
	By        string     `json:"deleted_by"`
	At        time.Time  `json:"deleted_at"`
}

func recordInFile(dir string, d fileDeletion) error {
	line, err := json.Marshal(d)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, "deletions.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
		err = cmp.Or(err, f.Sync(), f.Close())
	}
	if err != nil {
		return errcode.New(errcode.OfFile(err), "recording a deletion: %w", err)
	}
	return nil
}

// digest prints the digest of a run's scores.
func (c *pruneCommand) digest(ctx context.Context, p process) error {
	if c.DB == "" {
		return usage("--digest: expected --db URL with it")
	}
	w, err := openToRead(ctx, c.DB)
	if err != nil {
		return err
	}
	defer w.Close()
	runs, err := w.Runs(ctx, c.Digest)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return usage("--digest: run %.80q not found", c.Digest)
	}
	digest, err := w.Digest(ctx, c.Digest)
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, digest)
	return nil
}

// printPruned prints what was deleted, or would be, by table, and what was kept.
func printPruned(p process, out *pruned) {
	of := "of case " + printable.Text(out.Case)
	if out.OlderThan != nil {
		of = "older than " + out.OlderThan.Format("2006-01-02 15:04 MST")
	}
	verb := "Deleted rows"
	if out.DryRun {
		verb = "Would delete rows"
	}
	if len(out.Deleted) == 0 {
		fmt.Fprintf(p.stdout, "No rows to delete %s.\n", of)
	} else {
		fmt.Fprintf(p.stdout, "%s %s:\n", verb, of)
	}
	t := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	for _, r := range out.Deleted {
		fmt.Fprintf(t, "  %s\t%d", r.What, r.Rows)
		if r.Runs > 0 {
			fmt.Fprintf(t, " of %s", printable.Count(r.Runs, "run"))
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush()
	for _, r := range out.Kept {
		fmt.Fprintf(p.stdout, "Kept: %s: ", r.What)
		if r.Rows > 0 {
			fmt.Fprint(p.stdout, r.Rows, " ")
		}
		fmt.Fprintln(p.stdout, r.Why)
	}
}
