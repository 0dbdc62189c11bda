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
	"github.com/badger-eval/badger/udf/identity"
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
	config, err := readConfig(c.Config, p)
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
	catalogue, err := udf.NewCatalogue(engine, &udf.CatalogueOptions{
		Version: version(), Judge: judge.Name(), Workers: config.Workers, Fingerprint: toJSON(engineConfig) + judge.Name(), Calls: calls, Panicked: panicked,
	})
	if err != nil {
		return usageError{err}
	}
	byGRPC, byHTTP, err := config.Auth.listeners(config.TLS.ClientCA)
	if err != nil {
		return err
	}
	server, err := udf.NewServer(catalogue, &udf.Options{
		GRPC:           byGRPC,
		HTTP:           byHTTP,
		Surroundings:   identity.Surroundings{Getenv: p.getenv},
		TLS:            udf.TLS{CertFile: config.TLS.Cert, KeyFile: config.TLS.Key},
		Limits:         config.Limits.limits(),
		AllowPlaintext: config.Listen.AllowPlaintext,
		Timeouts:       config.Timeouts,
		Logger:         log,
	})
	if err != nil {
		return usageError{err}
	}
	grpcCallers, httpCallers := server.Identities()
	if c.Check {
		for _, l := range []struct{ name, addr string }{{"gRPC", grpcAddr}, {"HTTP", httpAddr}} {
			if err := server.AllowAddress(l.name, l.addr); err != nil {
				return usageError{err}
			}
		}
		fmt.Fprintf(p.stdout, "the configuration is sound: %d functions, judge %s\n  Flight and gRPC on %s: %s\n  HTTP on %s: %s\n", len(catalogue.Functions()), judge.Name(), grpcAddr, grpcCallers, httpAddr, httpCallers)
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
	if err := server.Allow(grpcListener, httpListener); err != nil {
		grpcListener.Close()
		httpListener.Close()
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	scheme, secured := "http", ""
	if config.TLS.Cert != "" {
		scheme, secured = "https", " with TLS"
	}
	fmt.Fprintf(p.stderr, "badger serves %d functions: Arrow Flight and gRPC on %s%s, HTTP on %s://%s\n", len(catalogue.Functions()), grpcListener.Addr(), secured, scheme, httpListener.Addr())
	return server.Serve(ctx, grpcListener, httpListener)
}
