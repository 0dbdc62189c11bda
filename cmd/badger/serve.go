package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/callstore"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf"
)

type serveCommand struct {
	Config string   `placeholder:"FILE" help:"Configuration in YAML; flags win over it."`
	GRPC   string   `name:"grpc" placeholder:"HOST:PORT" help:"Where Arrow Flight and gRPC listen (127.0.0.1:7433)."`
	HTTP   string   `name:"http" placeholder:"HOST:PORT" help:"Where the warehouses' HTTP forms listen (127.0.0.1:7434)."`
	Judges []string `placeholder:"FILE,…" help:"Judge files to serve besides the promoted judges of results.warehouse."`
	Check  bool     `help:"Read the configuration, say what would be served, and end."`
	judgeFlags
}

// Run serves until it is interrupted.
func (c *serveCommand) Run(ctx context.Context, p process) error {
	config, err := readConfig(c.Config)
	if err != nil {
		return err
	}
	if config.Judge, err = c.over(config.Judge); err != nil {
		return err
	}
	grpcAddr := firstOf(c.GRPC, config.Listen.GRPC, "127.0.0.1:7433")
	httpAddr := firstOf(c.HTTP, config.Listen.HTTP, "127.0.0.1:7434")

	log := slog.New(slog.NewJSONHandler(p.stderr, nil))
	resolver := snapshots{}
	resolver.allow(config)
	judged := judgeSurroundings{process: p, log: log, audit: log, opened: func(err error) { log.Error("the judge cannot be asked", "error", err) }}
	var promoted *connectors.Warehouse
	var calls udf.CallStore
	if url := config.Results.Warehouse; url != "" {
		keeps := config.Judge.asked() && (config.Judge.Ledger == "" || config.Judge.Ledger == "warehouse")
		w, err := openWarehouse(ctx, url, !keeps)
		if err != nil {
			return fmt.Errorf("results.warehouse: %w", err)
		}
		defer w.Close()
		if keeps {
			if err := w.Install(ctx); err != nil {
				return fmt.Errorf("results.warehouse: %w", err)
			}
			judged.scores = w
			calls = callstore.New(w, p.now)
		}
		resolver.warehouse, promoted = w, w
	}
	judge, err := config.Judge.open(ctx, judged)
	if err != nil {
		return err
	}
	defer judge.Close()
	engineConfig, err := config.Metrics.engineConfig()
	if err != nil {
		return err
	}
	panicked := udf.LogPanics(log)
	metrics, err := withJudges(ctx, append(config.Judges, c.Judges...), promoted)
	if err != nil {
		return err
	}
	engine, err := scoring.NewEngine(metrics, &scoring.EngineOptions{Snapshots: resolver, Judge: judge.Backend(), Config: engineConfig, Panicked: panicked})
	if err != nil {
		return usageError{err}
	}
	catalogue, err := udf.NewCatalogue(engine, &udf.CatalogueOptions{Version: version(), Workers: config.Workers, Fingerprint: toJSON(engineConfig) + judge.Name(), Calls: calls, Panicked: panicked})
	if err != nil {
		return usageError{err}
	}
	server, err := udf.NewServer(catalogue, &udf.Options{
		Auth:           udf.Auth{TokenFile: config.Auth.TokenFile},
		TLS:            udf.TLS{CertFile: config.TLS.Cert, KeyFile: config.TLS.Key, ClientCAFile: config.TLS.ClientCA},
		AllowPlaintext: config.Listen.AllowPlaintext,
		Timeouts:       config.Timeouts,
		Logger:         log,
	})
	if err != nil {
		return usageError{err}
	}
	if c.Check {
		fmt.Fprintf(p.stdout, "the configuration is sound: %d functions, Flight and gRPC on %s, HTTP on %s, judge %s\n", len(catalogue.Functions()), grpcAddr, httpAddr, judge.Name())
		return nil
	}
	var lc net.ListenConfig
	grpcListener, err := lc.Listen(ctx, "tcp", grpcAddr)
	if err != nil {
		return errcode.New(errcode.FailedPrecondition, "gRPC: %w", err)
	}
	httpListener, err := lc.Listen(ctx, "tcp", httpAddr)
	if err != nil {
		grpcListener.Close()
		return errcode.New(errcode.FailedPrecondition, "HTTP: %w", err)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Fprintf(p.stderr, "badger serves %d functions: Arrow Flight and gRPC on %s, HTTP on http://%s\n", len(catalogue.Functions()), grpcListener.Addr(), httpListener.Addr())
	return server.Serve(ctx, grpcListener, httpListener)
}
