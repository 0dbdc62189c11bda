package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/tracking"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// scoresExport are the flags of an export of scores.
type scoresExport struct {
	Tracking   string `placeholder:"URL" help:"Server of MLflow or Langfuse that the scores of a run are sent to. No other host is contacted."`
	DB         string `name:"db" placeholder:"URL" help:"Database with runs and scores, such as duckdb:scores.duckdb."`
	ID         string `name:"run" placeholder:"ID" help:"Run ID (default the latest)."`
	Experiment string `placeholder:"NAME" help:"Experiment of MLflow (default badger)."`
	Traces     string `placeholder:"FILE" help:"JSON Lines with case_id and trace_id. A case whose ID is that of a trace needs no line."`
	Labels     bool   `name:"send-labels" help:"Also send the labels of people, with their names."`
	ReadLabels bool   `help:"Instead, read the labels that people gave in MLflow into human_labels."`
	Content    bool   `help:"Also send the reasons of scores, which may quote questions, SQL and cells."`
	KeyFile    string `placeholder:"FILE" help:"File with the key of the server: USER:PASSWORD (Langfuse: PUBLIC:SECRET) or a token."`
	KeyEnv     string `placeholder:"NAME" help:"Environment variable with the key of the server."`
	CAFile     string `name:"ca-file" placeholder:"FILE" help:"Certificates in PEM of the server's authority (default those of the system)."`
}

// unused returns a usage error if a flag is set that needs --tracking.
func (c *scoresExport) unused() error {
	if *c == (scoresExport{}) {
		return nil
	}
	return usage("expected --tracking URL, the server that the scores of a run are sent to; a case file is written with --cases, --to and --out")
}

// sendScores sends the scores of a run to the program that --to names, or reads labels from there.
func (c *exportCommand) sendScores(ctx context.Context, p process) error {
	to, err := tracking.Named(c.To)
	if err != nil {
		return err
	}
	switch {
	case c.Cases != "" || c.Out != "":
		return usage("--tracking: scores are sent, and --cases and --out write a file; expected one of both")
	case c.DB == "":
		return usage("--tracking: expected --db URL, the database with the scores")
	case c.ReadLabels && (c.Labels || c.Content):
		return usage("--read-labels: nothing is sent; expected no --send-labels and --content")
	}
	o, err := c.options(p)
	if err != nil {
		return err
	}
	open := openToRead
	if c.ReadLabels {
		open = openExisting
	}
	w, err := open(ctx, c.DB)
	if err != nil {
		return err
	}
	defer w.Close()
	run, err := c.run(ctx, p, w)
	if err != nil {
		return err
	}
	do := to.Export
	if c.ReadLabels {
		do = to.ReadLabels
	}
	r, err := do(ctx, o, run)
	if r == nil {
		return err
	}
	if labels := r.Labels(); len(labels) > 0 {
		if e := w.WriteLabels(ctx, labels...); e != nil {
			return e
		}
		r.Sent["labels read"] = len(labels)
	}
	if e := c.printReport(p, to, r); e != nil {
		return e
	}
	if err == nil && r.Lost() > 0 {
		return errLost
	}
	return err
}

// run returns the run to export.
func (c *exportCommand) run(ctx context.Context, p process, w *store.Store) (*tracking.Run, error) {
	of, err := evaluation.Named{ID: c.ID, Flag: "--run", DB: c.DB}.Find(ctx, p.stderr, w)
	if err != nil {
		return nil, err
	}
	rows, err := w.Runs(ctx, of.ID)
	if err != nil {
		return nil, err
	}
	run := &tracking.Run{Rows: rows, Scores: w.Scores(ctx, of.ID), Known: metric.All()}
	if c.Labels || c.ReadLabels {
		votes, err := w.Votes(ctx)
		if err != nil {
			return nil, err
		}
		run.Labels = slices.DeleteFunc(votes, func(v store.Vote) bool {
			return !slices.ContainsFunc(rows, func(r store.Run) bool { return r.By == v.By })
		})
	}
	return run, nil
}

func (c *scoresExport) options(p process) (*tracking.Options, error) {
	o := &tracking.Options{URL: c.Tracking, Experiment: c.Experiment, Content: c.Content, Version: version()}
	if o.Experiment == "" {
		o.Experiment = "badger"
	}
	where := ""
	switch {
	case c.KeyFile != "" && c.KeyEnv != "":
		return nil, usage("--key-file and --key-env: expected one of the flags")
	case c.KeyFile != "":
		text, err := os.ReadFile(c.KeyFile)
		if err != nil {
			return nil, flagError("--key-file", err)
		}
		o.Key, where = strings.TrimSpace(string(text)), "--key-file: the file"
	case c.KeyEnv != "":
		o.Key, where = strings.TrimSpace(p.getenv(c.KeyEnv)), "--key-env: the variable"
	}
	if where != "" && (o.Key == "" || strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r > '~' })) {
		return nil, usage("%s holds no key of one word", where)
	}
	if c.CAFile != "" {
		text, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, flagError("--ca-file", err)
		}
		o.CA = text
	}
	traces, err := readTraces(c.Traces)
	o.Traces = traces
	return o, err
}

// readTraces reads trace IDs by case ID.
func readTraces(path string) (map[string]string, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // none
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, usage("--traces: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	out := map[string]string{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var line struct {
			Case  string `json:"case_id"`
			Trace string `json:"trace_id"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil || line.Case == "" || line.Trace == "" {
			return nil, usage(`--traces: line %d: expected {"case_id": "…", "trace_id": "…"}`, n)
		}
		out[line.Case] = line.Trace
	}
	if err := lines.Err(); err != nil {
		return nil, usage("--traces: %w", err)
	}
	return out, nil
}

// printReport prints what was sent and what was not.
func (c *exportCommand) printReport(p process, to *tracking.Exporter, r *tracking.Report) error {
	if c.JSON {
		if err := writeJSON(p, r); err != nil {
			return err
		}
	} else {
		for _, what := range slices.Sorted(maps.Keys(r.Sent)) {
			fmt.Fprintf(p.stdout, "%6d  %s\n", r.Sent[what], what)
		}
		for _, line := range []struct {
			n    int
			says string
		}{{r.Same, "unchanged"}, {r.NoTrace, "answers without a known trace: no feedback"}, {r.NoValue, "scores without a value: no feedback"}} {
			if line.n > 0 {
				fmt.Fprintf(p.stdout, "%6d  %s\n", line.n, line.says)
			}
		}
	}
	for _, why := range slices.Sorted(maps.Keys(r.Failed)) {
		fmt.Fprintf(p.stderr, "!! %d not accepted by %s: %s\n", r.Failed[why], to.Title, printable.Text(why))
	}
	return nil
}
