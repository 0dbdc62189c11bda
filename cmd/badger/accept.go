package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

type acceptCommand struct {
	Of       string `arg:"" optional:"" placeholder:"AGENT@VERSION" help:"Agent and version whose batch is accepted (default those of --batch)."`
	DB       string `name:"db" required:"" placeholder:"URL" help:"Database with runs and scores, such as duckdb:scores.duckdb."`
	Batch    chosen `empty:"no batch" placeholder:"BATCH" help:"Batch to accept (default the latest; with --withdraw, the accepted one)."`
	Note     string `placeholder:"TEXT" help:"Why it is accepted."`
	By       string `placeholder:"WHO" help:"Name to record for this change (default the current user)."`
	Withdraw bool   `help:"Withdraw the acceptance of the batch."`
	List     bool   `help:"List the accepted batches."`
	JSON     bool   `help:"Print one JSON document."`
	configuredPrimary
}

// Run records that a batch is accepted as a baseline. With --withdraw it withdraws the acceptance, and with --list it
// lists the accepted batches.
func (c *acceptCommand) Run(ctx context.Context, p process) error {
	switch {
	case c.List && (c.Of != "" || c.Withdraw || c.Batch != "" || c.Note != ""):
		return usage("--list: expected no AGENT@VERSION, --batch, --note or --withdraw with it")
	case !c.List && c.Of == "" && c.Batch == "" && !c.Withdraw:
		return usage("expected AGENT@VERSION, such as atlas@2.0, --batch, or --list")
	case c.List:
		return c.list(ctx, p)
	}
	w, err := openExisting(ctx, c.DB)
	if w, err = installed(ctx, w, err); err != nil {
		return err
	}
	defer w.Close()
	found, err := c.find(ctx, w)
	if err != nil {
		return err
	}
	batch := &found.batch
	if !c.Withdraw {
		if err := c.warnOfDrop(ctx, p, found); err != nil {
			return err
		}
	}
	row := store.Acceptance{ID: strings.ToLower(rand.Text()), By: batch.By, Withdrawn: c.Withdraw,
		Who: cmp.Or(c.By, who(p)), When: p.now().UTC().Truncate(time.Microsecond), Note: c.Note}
	kept := !c.Withdraw && c.Note == "" && found.earlier.Note != ""
	if kept {
		row.Note = found.earlier.Note
	}
	if err := w.Accept(ctx, &row); err != nil {
		return err
	}
	if later := found.later; later != nil {
		fmt.Fprintf(p.stderr, "note: batches after %[1]s are compared with %[1]s, which is accepted, too; --withdraw withdraws it\n",
			printable.Text(later.Name()))
	}
	if c.JSON {
		return writeJSON(p, acceptedOf(&row, false))
	}
	word := "accepted"
	if c.Withdraw {
		word = "no longer accepted"
	}
	fmt.Fprintf(p.stdout, "%s is %s as the baseline of later batches\n", printable.Text(batch.Name()), word)
	if kept {
		fmt.Fprintf(p.stdout, "its note is kept: %s\n", printable.Text(row.Note))
	}
	return nil
}

// foundBatch is the batch to accept, or whose acceptance is withdrawn.
type foundBatch struct {
	src     *storedscores.Warehouse
	batches []analysis.Batch // all batches, in the order of time
	batch   analysis.Batch
	earlier analysis.Acceptance // of the batch so far, if any
	later   *analysis.Batch     // the last accepted batch of the agent after it; nil if there is none
}

// warnOfDrop prints a warning if the batch is worse than its baseline, by the primary metric and more than chance.
func (c *acceptCommand) warnOfDrop(ctx context.Context, p process, f *foundBatch) error {
	there, err := f.src.Metrics(ctx)
	if err != nil {
		return err
	}
	primary, err := c.read(p, there)
	if err != nil {
		return err
	}
	set := analysis.NewSet(metric.All())
	accepted, err := analysis.AcceptedFrom(ctx, f.src, set, f.batches, primary)
	if err != nil {
		return err
	}
	_, base := analysis.BaselineOf(f.batches, accepted, slices.Index(f.batches, f.batch))
	if base == nil {
		return nil
	}
	compared, err := base.Compare(ctx, f.src, set, f.batch, set.Primary(primary, there))
	if err != nil || len(compared.Findings()) == 0 {
		return err
	}
	fmt.Fprintf(p.stderr, "warning: %s Its baseline is %s\n", printable.Text(compared.Headline()),
		printable.Text(base.String()))
	return nil
}

// find returns the batch that the flags name. Without --batch it is the latest or, with --withdraw, the accepted one;
// then earlier and later are not set. It returns a usage error if the batch's last run is unfinished or, with
// --withdraw, if the batch is not accepted. A batch without scores can be withdrawn.
func (c *acceptCommand) find(ctx context.Context, w *store.Store) (*foundBatch, error) {
	src := storedscores.In(w)
	batches, err := src.Batches(ctx)
	if err != nil {
		return nil, err
	}
	accepted, err := src.Accepted(ctx)
	if err != nil {
		return nil, err
	}
	accepted.Sort(batches)
	if c.Withdraw {
		batches = append(withoutScores(accepted, batches), batches...)
	}
	named := batches
	if c.Of != "" || c.Batch != "" {
		flag := "AGENT@VERSION"
		if c.Of == "" {
			flag = "--batch"
		}
		if named, err = analysis.BatchesNamed(batches, flag, c.Of, string(c.Batch)); err != nil {
			return nil, err
		}
	}
	found := &foundBatch{src: src, batches: batches}
	if c.Withdraw {
		found.batch, err = withdrawn(named, accepted, c.Batch == "")
		return found, err
	}
	b := named[len(named)-1]
	if b.Unfinished != "" {
		return nil, usage("--batch: the last run of %s is not done (%s); resume it, then accept the batch",
			printable.Short(b.Name()), b.Unfinished)
	}
	found.batch, found.earlier = b, accepted[b.By]
	for i := slices.Index(batches, b) + 1; i < len(batches); i++ {
		if _, is := accepted[batches[i].By]; is && batches[i].Agent == b.Agent {
			found.later = &batches[i]
		}
	}
	return found, nil
}

// withdrawn returns the batch whose acceptance is withdrawn: the last of the named ones or, if choose, the only
// accepted one of them.
func withdrawn(named []analysis.Batch, accepted analysis.Accepted, choose bool) (b analysis.Batch, err error) {
	if choose {
		var names []string
		named = slices.DeleteFunc(slices.Clone(named), func(b analysis.Batch) bool {
			_, is := accepted[b.By]
			if is {
				names = append(names, b.Name())
			}
			return !is
		})
		if len(named) > 1 {
			return b, usage("--withdraw: %d batches are accepted: %s; choose one with --batch", len(named),
				printable.List(names))
		}
		if len(named) == 0 {
			return b, usage("--withdraw: no such batch is accepted; badger accept --list shows the accepted batches")
		}
	}
	b = named[len(named)-1]
	if _, is := accepted[b.By]; !is {
		return b, usage("--withdraw: %s is not accepted; badger accept --list shows the accepted batches",
			printable.Short(b.Name()))
	}
	return b, nil
}

// hasScores reports whether by is one of batches, which are all that have scores.
func hasScores(batches []analysis.Batch, by scoring.By) bool {
	return slices.ContainsFunc(batches, func(b analysis.Batch) bool { return b.By == by })
}

// withoutScores returns the accepted batches that are not in batches, sorted by name.
func withoutScores(accepted analysis.Accepted, batches []analysis.Batch) (out []analysis.Batch) {
	for by := range accepted {
		if !hasScores(batches, by) {
			out = append(out, analysis.Batch{By: by})
		}
	}
	analysis.Sort(out)
	return out
}

// accepted is an acceptance of a batch, or its withdrawal, as --json prints it.
type accepted struct {
	scoring.By
	Withdrawn bool      `json:"withdrawn"`
	Who       string    `json:"accepted_by"`
	When      time.Time `json:"accepted_at"`
	Note      string    `json:"note,omitempty"`
	NoScores  bool      `json:"without_scores,omitempty"`
}

func acceptedOf(a *store.Acceptance, noScores bool) accepted {
	return accepted{a.By, a.Withdrawn, a.Who, a.When, a.Note, noScores}
}

func (c *acceptCommand) list(ctx context.Context, p process) error {
	w, err := openToRead(ctx, c.DB)
	if err != nil {
		return err
	}
	defer w.Close()
	rows, err := w.Accepted(ctx)
	if err != nil {
		return err
	}
	batches, err := storedscores.In(w).Batches(ctx)
	if err != nil {
		return err
	}
	noScores := func(a *store.Acceptance) bool {
		return !a.Withdrawn && !hasScores(batches, a.By)
	}
	if c.JSON {
		out := []accepted{}
		for i := range rows {
			out = append(out, acceptedOf(&rows[i], noScores(&rows[i])))
		}
		return writeJSON(p, out)
	}
	if len(rows) == 0 {
		fmt.Fprintln(p.stdout, "No batch is accepted; badger accept AGENT@VERSION --batch ID accepts one.")
	}
	for i := range rows {
		a := &rows[i]
		word := "accepted"
		if a.Withdrawn {
			word = "withdrawn, not a baseline,"
		}
		b := analysis.Batch{By: a.By}
		line := fmt.Sprintf("%s  %s by %s on %s", printable.Text(b.Name()), word,
			printable.Text(cmp.Or(a.Who, "(not recorded)")), analysis.Day(a.When))
		if a.Note != "" {
			line += ": " + printable.Text(a.Note)
		}
		if noScores(a) {
			line += " (it has no scores, so nothing is compared with it)"
		}
		fmt.Fprintln(p.stdout, line)
	}
	return nil
}
