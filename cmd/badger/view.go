package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/site"
	"github.com/badger-eval/badger/internal/submission"
	"github.com/badger-eval/badger/internal/webheaders"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// reportConfig is the section report of the configuration.
type reportConfig struct {
	Off     bool     `yaml:"off"`      // badger serve does not serve the report
	Prefix  string   `yaml:"prefix"`   // path that the report's addresses start with, such as /report
	Labels  bool     `yaml:"labels"`   // callers with the role label may label, and those with admin may create queues
	Masked  []string `yaml:"masked"`   // columns of results whose cells are shown as hashes
	EmbedIn []string `yaml:"embed_in"` // origins whose pages may show the report in a frame
}

// viewGC is the garbage collector's percentage while badger view runs: a page takes 4 % more processor time than with
// the default of 100, and 15 MB less.
const viewGC = 40

type viewCommand struct {
	DB     string   `name:"db" required:"" placeholder:"URL" help:"Database with runs and scores, such as duckdb:scores.duckdb."`
	Config string   `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`
	HTTP   string   `name:"http" default:"127.0.0.1:7435" placeholder:"HOST:PORT" help:"Address of the HTTP server (default ${default}; port 0 picks a free port)."`
	Mask   []string `placeholder:"COLUMN" help:"Result columns to mask."`
	Label  bool     `help:"Allow labeling. With neither this nor --submit, nothing is written."`
	Submit bool     `help:"Allow submitting runs, whose scores are written to the database."`
	primaryFlag
}

// Run serves the report on a loopback address until it is interrupted.
func (c *viewCommand) Run(ctx context.Context, p process) error {
	config, err := readConfig(c.Config, p)
	if err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(c.HTTP)
	if ip, _ := netip.ParseAddr(host); err != nil || !(host == "localhost" || ip.IsLoopback()) {
		return usage("--http: %.60q is not a loopback address; expected one such as 127.0.0.1:7435; to show the report to others, use badger serve", c.HTTP)
	}
	log := slog.New(slog.NewTextHandler(p.stderr, nil))
	w, desk, noDesk, err := c.open(ctx, p, log)
	if err != nil {
		return err
	}
	defer w.Close()
	if desk != nil {
		defer desk.Close()
	}
	var there []string
	if c.Primary != "" || config.Metrics.Primary != "" {
		if there, err = w.ScoredMetrics(ctx); err != nil {
			return err
		}
	}
	primary, err := c.among(config.Metrics, there, nil)
	if err != nil {
		return err
	}
	since, err := dayOf("sentinels.since", config.Sentinels.Since)
	if err != nil {
		return err
	}
	pages, err := site.New(site.Options{
		Warehouse: w, Version: version(), Metrics: metric.All(), Masked: append(config.Report.Masked, c.Mask...),
		Labels: c.Label, Submit: desk, NoSubmit: noDesk, Now: p.now, Primary: primary, Since: since,
		Budget: site.Budget(config.Judge.Budget), Log: log,
	})
	if err != nil {
		return err
	}
	roles := []string{string(identity.Read)}
	if c.Submit {
		roles = []string{string(identity.Submit)}
	}
	if c.Label {
		roles = []string{string(identity.Admin)}
	}
	guard, err := identity.New(identity.Config{Mode: identity.Local, DefaultRoles: roles}, identity.Env{Getenv: p.getenv})
	if err != nil {
		return err
	}
	l, err := openListener(ctx, "--http", c.HTTP)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if p.getenv("GOGC") == "" { // pages are rare, and other programs need the memory
		defer debug.SetGCPercent(debug.SetGCPercent(viewGC))
	}
	d := site.NewDoor(guard, pages, l.Addr())
	fmt.Fprintf(p.stderr, "open %s (the link works once; Enter makes another, Ctrl+C ends)\n", d.NewLink())
	go func() { // another link for each line of standard input
		for lines := bufio.NewScanner(p.stdin); lines.Scan(); {
			fmt.Fprintf(p.stderr, "open %s\n", d.NewLink())
		}
	}()
	server := webheaders.Strict(
		&http.Server{Handler: d, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: 5 * time.Minute,
			MaxHeaderBytes: 64 << 10})
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err = server.Shutdown(last); err != nil {
			err = server.Close()
		}
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// open opens the database, with --label or --submit for writing, which upgrades its tables. With --submit it also opens
// the desk; if the database cannot be written, it opens the database for reading only, and returns the reason.
func (c *viewCommand) open(ctx context.Context, p process, log *slog.Logger) (w *store.Store, desk *submission.Desk,
	noDesk string, err error) {
	if c.Label || c.Submit {
		w, err = openSparingly(ctx, c.DB, readWrite)
		w, err = installed(ctx, w, err)
	}
	switch {
	case err == nil && w == nil:
		w, err = openSparingly(ctx, c.DB, readOnly)
	case err != nil && c.Submit && !c.Label && errcode.Of(err) != errcode.NotFound:
		noDesk = "the database cannot be written: " + err.Error()
		fmt.Fprintf(p.stderr, "note: no runs can be submitted: %v\n", err)
		w, err = openSparingly(ctx, c.DB, readOnly)
	case err == nil && c.Submit:
		if desk, err = c.openDesk(ctx, p, w, log); err != nil {
			_ = w.Close()
		}
	}
	return w, desk, noDesk, err
}
