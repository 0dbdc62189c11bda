package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/hosting"
	"github.com/badger-eval/badger/internal/mcp"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/storedscores"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/identity"
	"github.com/badger-eval/badger/udf/server"
)

type mcpCommand struct {
	Cases      string     `placeholder:"FILE" help:"Case file in JSON Lines (default the golden set of --db)."`
	DB         string     `name:"db" placeholder:"URL" help:"Database with runs and scores, such as duckdb:scores.duckdb."`
	SetVersion setVersion `name:"set-version" placeholder:"VERSION" help:"Version of the golden set (default the highest version of each question)."`
	HTTP       string     `name:"http" placeholder:"HOST:PORT" help:"Address of the HTTP server (default none: one client on standard input and output)."`
	Execute    string     `placeholder:"URL" help:"Warehouse that runs queries, such as duckdb:shop.duckdb (those without result or error; {database} is the database of a case). Only single queries that read are run."`
	Config     string     `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`
	Mask       []string   `placeholder:"COLUMN" help:"Result columns to mask."`
}

// Run serves the tools to one client on standard input and output, or to callers over HTTP.
func (c *mcpCommand) Run(ctx context.Context, p process) error {
	switch {
	case c.Cases == "" && c.DB == "":
		return usage("expected --cases FILE, --db URL or both")
	case c.Cases != "" && c.SetVersion != "":
		return usage("--set-version: a case file has no versions of the golden set; leave one of the two out")
	}
	config, err := readConfig(c.Config, p)
	if err != nil {
		return err
	}
	limits, err := config.Limits.Limits().WithDefaults()
	if err != nil {
		return errcode.AsUsage(err)
	}
	log := slog.New(slog.NewJSONHandler(printable.JSONWriter{Writer: p.stderr}, nil))
	o := mcp.Options{Config: config.MCP, Version: version(), Metrics: standardMetrics(), Now: p.now, Log: log,
		MessageBytes: limits.Body, ResultBytes: limits.Reference}
	if o.Scoring, err = config.Metrics.engineConfig(); err != nil {
		return err
	}
	if o.Mask, err = caseview.NewMask(append(config.Report.Masked, c.Mask...), nil); err != nil {
		return errcode.AsUsage(err)
	}
	if o.Ledger == "" {
		if o.Ledger, err = ledgerDir(); err != nil {
			return err
		}
	}
	var closing closers
	defer closing.close()
	for _, open := range []func(context.Context, process, *configuration, *mcp.Options, *closers) error{
		c.openDB, c.openGolden, c.openReadable, c.openExecute} {
		if err := open(ctx, p, &config, &o, &closing); err != nil {
			return err
		}
	}
	s, err := mcp.New(ctx, o)
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if c.HTTP == "" {
		return s.Stdio(ctx, p.stdin, p.stdout)
	}
	return c.serve(ctx, p, &httpTools{&config, limits, s, log})
}

// closers close what a command opened, the last first.
type closers []func()

func (c *closers) add(f func()) { *c = append(*c, f) }

func (c *closers) close() {
	for i := len(*c) - 1; i >= 0; i-- {
		(*c)[i]()
	}
}

// openDB opens the database with stored runs.
func (c *mcpCommand) openDB(ctx context.Context, _ process, _ *configuration, o *mcp.Options, closing *closers) error {
	if c.DB == "" {
		return nil
	}
	w, err := openSparingly(ctx, c.DB, readOnly)
	if err != nil {
		return err
	}
	closing.add(func() { _ = w.Close() })
	o.Set, o.Scores, o.Answered = analysis.NewSet(metric.All()), storedscores.In(w).With(nil), w.AnswersByCase
	o.Stored = func(ctx context.Context, sought *evaluation.Sought) (caseview.Input, error) {
		in, err := sought.Stored(ctx, w, c.Cases != "")
		if err == nil && c.Cases != "" {
			err = c.readAnswer(ctx, sought, &in)
		}
		in.Mask = o.Mask
		return in, err
	}
	if c.Cases == "" {
		f := store.Filter{SetVersion: string(c.SetVersion)}
		o.Golden, o.Snapshots = goldenOf(ctx, w, f), w
		o.Answers = (&cases.Warehouse{Tables: w, Filter: f}).Cases(ctx)
		o.AnswersOf = func(ctx context.Context, by scoring.By) iter.Seq2[batch.Item, error] {
			of := store.Filter{By: by.Exactly(), SetVersion: f.SetVersion}
			return (&cases.Warehouse{Tables: w, Filter: of}).Cases(ctx)
		}
	}
	return nil
}

// readAnswer reads the question and the answer of stored scores from the case file.
func (c *mcpCommand) readAnswer(ctx context.Context, sought *evaluation.Sought, in *caseview.Input) error {
	file, err := cases.OpenFile("--cases", c.Cases, store.Filter{By: in.Case.AnswerID().Exactly()})
	if err != nil {
		return err
	}
	if in.Case, err = sought.InFile(ctx, file, c.Cases); err != nil {
		return err
	}
	in.Snapshots, in.Unstored, in.Unreadable = file.Snapshots, false, false
	return nil
}

// goldenOf returns the golden set of a database.
func goldenOf(ctx context.Context, w *store.Store, f store.Filter) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for a, err := range w.Golden(ctx, f) {
			item := batch.Item{AnswerID: a.AnswerID, Place: "golden_set " + a.CaseID,
				Load: func(context.Context) (*scoring.Case, error) { return nil, a.Err }}
			if a.Case != nil {
				item = batch.ItemOf(a.Case, item.Place)
			}
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}

// openGolden opens the case file.
func (c *mcpCommand) openGolden(ctx context.Context, _ process, _ *configuration, o *mcp.Options, _ *closers) error {
	if c.Cases == "" {
		return nil
	}
	file, err := cases.OpenFile("--cases", c.Cases, store.Filter{})
	if err != nil {
		return err
	}
	o.Golden, o.Snapshots, o.Answers = file.Cases(ctx), file.Snapshots, file.Cases(ctx)
	o.AnswersOf = func(ctx context.Context, by scoring.By) iter.Seq2[batch.Item, error] {
		file, err := cases.OpenFile("--cases", c.Cases, store.Filter{By: by.Exactly()})
		if err != nil {
			return func(yield func(batch.Item, error) bool) { yield(batch.Item{}, err) }
		}
		return file.Cases(ctx)
	}
	return nil
}

// openReadable opens what callers may refer to in place of results, as badger serve does.
func (c *mcpCommand) openReadable(ctx context.Context, _ process, config *configuration, o *mcp.Options,
	closing *closers) error {
	r := config.Results
	if r.Warehouse == "" && len(r.Files) == 0 {
		return nil
	}
	var from snapshots
	from.Allow(r.Files)
	if r.Warehouse != "" {
		w, err := openSparingly(ctx, r.Warehouse, readOnly)
		if err != nil {
			return fmt.Errorf("results.warehouse: %w", err)
		}
		closing.add(func() { _ = w.Close() })
		from.Warehouse = w
	}
	guarded, err := hosting.Guard(from, r.Readable, r.Callers)
	if err == nil {
		o.Readable = guarded
	}
	return err
}

// openExecute opens the warehouse that runs queries. Results are not kept.
func (c *mcpCommand) openExecute(_ context.Context, p process, config *configuration, o *mcp.Options,
	closing *closers) error {
	if cmp.Or(c.Execute, config.Execute.URL) == "" {
		return nil
	}
	flags := executeFlags{Execute: c.Execute, Snapshots: "none"}
	execute := config.Execute
	execute.URL = cmp.Or(c.Execute, execute.URL)
	if sameDuckDB(execute.URL, c.DB) {
		return usage("--execute: it is the database of --db, whose tables hold gold answers; name another database")
	}
	x, err := flags.open(execute, p, false)
	if err != nil {
		return err
	}
	closing.add(x.Close)
	x.Forget = true
	o.Execute, o.Warehouse = x, execute.URL
	o.Exposed = func(ctx context.Context, database string) (bool, error) {
		if !x.PerDatabase {
			database = ""
		}
		return x.Exposes(ctx, database, store.Schema+".golden_set")
	}
	return nil
}

// sameDuckDB reports whether two URLs name the same file of DuckDB.
func sameDuckDB(a, b string) bool {
	var files [2]os.FileInfo
	for i, url := range []string{a, b} {
		file, is := strings.CutPrefix(url, "duckdb:")
		file, _, _ = strings.Cut(file, "?")
		var err error
		if files[i], err = os.Stat(file); !is || err != nil {
			return false
		}
	}
	return os.SameFile(files[0], files[1])
}

// ledgerDir returns the default directory of the counts. It is one for the user, whatever the golden set: its counts
// are by question, so that a copy of a golden set, or a part of it, shares them. It is not in the directory for caches,
// whose files may be deleted at any time.
func ledgerDir() (string, error) {
	base, err := os.UserConfigDir()
	if err != nil {
		return "", usage("mcp.ledger: expected a directory in the configuration, since this user has none for settings")
	}
	return filepath.Join(base, "badger", "mcp"), nil
}

// httpTools has the server that badger mcp runs over HTTP, and its settings.
type httpTools struct {
	config *configuration
	limits server.Limits
	server *mcp.Server
	log    *slog.Logger
}

// serve serves the tools over HTTP, with the authentication, TLS and limits of badger serve.
func (c *mcpCommand) serve(ctx context.Context, p process, t *httpTools) error {
	config, log := t.config, t.log
	_, callers, err := config.Auth.Listeners(config.TLS.ClientCA)
	if err != nil {
		return err
	}
	engine, err := scoring.NewEngine(nil, nil)
	if err != nil {
		return err
	}
	catalogue, err := udf.NewCatalogue(engine, &udf.CatalogueOptions{Version: version(),
		Panicked: server.LogPanics(log)})
	if err != nil {
		return err
	}
	h, err := server.New(catalogue, &server.Options{HTTP: callers,
		Env: identity.Env{Getenv: p.getenv, SPCSToken: p.spcsToken},
		TLS: server.TLS{CertFile: config.TLS.Cert, KeyFile: config.TLS.Key}, AllowPlaintext: config.Listen.AllowPlaintext,
		H2C: config.Listen.H2C, Limits: t.limits, Site: t.server.Handler(), Logger: log, Now: p.now})
	if err != nil {
		return errcode.AsUsage(err)
	}
	l, err := openListener(ctx, "--http", c.HTTP)
	if err != nil {
		return err
	}
	if err := h.Allow(nil, l); err != nil {
		_ = l.Close()
		return errcode.AsUsage(err)
	}
	scheme := "http"
	if config.TLS.Cert != "" {
		scheme = "https"
	}
	fmt.Fprintf(p.stderr, "badger serves %s to agents on %s://%s%s\n", printable.Count(t.server.Cases(), "case"), scheme,
		l.Addr(), mcp.Path)
	return h.Serve(ctx, nil, l)
}
