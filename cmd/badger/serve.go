package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/badger-eval/badger/internal/config"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/evaluation"
	"github.com/badger-eval/badger/internal/hosting"
	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/site"
	"github.com/badger-eval/badger/internal/telemetry"
	"github.com/badger-eval/badger/internal/webheaders"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf"
	"github.com/badger-eval/badger/udf/identity"
	"github.com/badger-eval/badger/udf/server"
)

type serveCommand struct {
	Config  string   `placeholder:"FILE" help:"Configuration file in YAML. Environment variables BADGER_… and flags override it."`
	GRPC    string   `name:"grpc" placeholder:"HOST:PORT" help:"Address of Arrow Flight and gRPC (default 127.0.0.1:7433)."`
	HTTP    string   `name:"http" placeholder:"HOST:PORT" help:"Address of the HTTP server (default 127.0.0.1:7434)."`
	Metrics string   `placeholder:"HOST:PORT" help:"Address of the metrics for Prometheus (default none)."`
	Judges  []string `placeholder:"FILE" help:"Judge files to load, in addition to promoted or configured judges."`
	Check   bool     `help:"Only check (and print the configuration with the source of each value). The exit code is 2 if it is invalid."`
	judgeFlags
}

// functionServer is badger serve at work: the server with its configuration, catalogue of functions, judge and
// warehouse.
type functionServer struct {
	process
	command   *serveCommand
	config    configuration
	layers    *config.Layers // the source of each value of config
	file      []byte         // content of the configuration file when config was read
	log       *slog.Logger
	resolver  snapshots
	judge     *judging.Judges
	parts     hosting.Parts
	taking    sync.Mutex    // held while the catalogue is built or replaced
	results   *store.Store  // results.warehouse; nil if not configured
	promoted  *store.Store  // warehouse whose promoted judges are served; nil: none, or not connected yet
	calls     udf.CallStore // stores asynchronous calls; may be nil
	metrics   *telemetry.Metrics
	catalogue *udf.Catalogue
	server    *server.Server
}

// Run serves the scoring functions until it is interrupted. With --check it checks and prints the configuration
// instead.
func (c *serveCommand) Run(ctx context.Context, p process) error {
	config, from, err := c.configuration(p)
	if err != nil {
		return err
	}
	if c.Check {
		if err := from.Print(p.stdout); err != nil {
			return err
		}
	}
	s := newFunctionServer(p, c, config, nil)
	s.layers = from
	return s.with(ctx, func(ctx context.Context) error {
		metricsAddr, err := config.Listen.MetricsAddress()
		if err != nil {
			return err
		}
		if !c.Check {
			return s.serve(ctx, metricsAddr)
		}
		if err := s.check(ctx, p.stdout, metricsAddr); err != nil {
			return err
		}
		hosts, err := config.hosts()
		if err == nil {
			printHosts(p.stdout, "# ", hosts)
		}
		return err
	})
}

// newFunctionServer returns a server for config that logs to standard error.
func newFunctionServer(p process, c *serveCommand, config configuration, log *slog.HandlerOptions) *functionServer {
	s := &functionServer{process: p, command: c, config: config, metrics: telemetry.NewMetrics(version()),
		log: slog.New(slog.NewJSONHandler(printable.JSONWriter{Writer: p.stderr}, log))}
	if c.Config != "" {
		s.file, _ = os.ReadFile(c.Config) // it was just read
	}
	s.parts = hosting.Parts{Log: s.log, Metrics: s.metrics, Warehouses: &warehouses,
		EngineBytes: max(engineBytes, config.Limits.MemoryBytes/4)}
	return s
}

// with opens the judge and the warehouse, builds the catalogue and the server, and runs use.
func (s *functionServer) with(ctx context.Context, use func(context.Context) error) error {
	config, log := s.config, s.log
	traces, err := telemetry.OpenTraces(ctx, config.Traces, version(), log)
	if err != nil {
		return errcode.AsUsage(err)
	}
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSpans)
		defer cancel()
		_ = traces.Close(last)
	}()
	s.resolver.Allow(config.Results.Files)
	judged := s.judging()
	judged.Log, judged.Audit, judged.Tracer, judged.Later = log, log, traces.Tracer(), &s.parts
	judged.ShowWords = false // callers see errors; the log has the words
	judged.Opened = func(err error) {
		log.Error("the judge cannot be asked", "error", err, "endpoint_says", judgebackend.WordsOf(err))
	}
	if config.Metrics.Options["rose"]["released"] == nil {
		judged.Vague = func(judge string) { log.Warn(evaluation.Unversioned(judge)) }
	}
	if url := config.Results.Warehouse; url != "" {
		keeps := config.Judge.KeepsInWarehouse()
		w, err := s.resultsWarehouse(url, !keeps && !config.Report.Labels)
		if err != nil {
			return errcode.AsUsage(fmt.Errorf("results.warehouse: %w", err))
		}
		defer w.Close()
		if keeps {
			judged.Scores = w
			s.calls = hosting.NewCallStore(w, s.now)
		}
		s.results, s.resolver.Warehouse = w, w
	}
	if s.judge, err = config.Judge.Open(ctx, judged); err != nil {
		return err
	}
	defer s.judge.Close()
	defer s.parts.Stop()
	if !s.command.Check {
		waiting, release := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		err := s.parts.Start(ctx, waiting.Done())
		ended := waiting.Err() != nil
		release()
		if err != nil || ended {
			return err
		}
	}
	if err := s.assemble(ctx, traces.Tracer()); err != nil {
		return err
	}
	s.metrics.WatchServer(s.server.Load)
	s.judge.Measure(s.metrics)
	return use(ctx)
}

// assemble creates the catalogue and the server.
func (s *functionServer) assemble(ctx context.Context, tracer trace.Tracer) error {
	s.taking.Lock()
	defer s.taking.Unlock()
	engine, options, err := s.functions(ctx, s.config)
	if err != nil {
		return err
	}
	if s.catalogue, err = udf.NewCatalogue(engine, options); err != nil {
		return errcode.AsUsage(err)
	}
	serverOptions, err := s.options(s.config)
	if err != nil {
		return err
	}
	serverOptions.Tracer, serverOptions.Missing = tracer, s.parts.Missing
	if serverOptions.Site, err = s.site(engine.Metrics()); err != nil {
		return err
	}
	if s.server, err = server.New(s.catalogue, serverOptions); err != nil {
		return errcode.AsUsage(err)
	}
	return nil
}

// site returns the handler of the web report on results.warehouse. It returns nil if that is not configured, or if
// report.off is set.
func (s *functionServer) site(metrics []scoring.Metric) (http.Handler, error) {
	r := s.config.Report
	if err := site.CheckOrigins(r.EmbedIn); err != nil { // also without a report
		return nil, errcode.AsUsage(fmt.Errorf("report: %w", err))
	}
	if err := s.config.Metrics.primaryIsKnown(nil, metrics); err != nil {
		return nil, err
	}
	if s.results == nil || r.Off {
		if r.Labels {
			return nil, usage("report.labels: there is no report without results.warehouse, or with report.off")
		}
		return nil, nil
	}
	since, err := dayOf("sentinels.since", s.config.Sentinels.Since)
	if err != nil {
		return nil, err
	}
	pages, err := site.New(site.Options{
		Warehouse: s.results, Prefix: r.Prefix, Version: version(), Metrics: metrics, Masked: r.Masked, Labels: r.Labels,
		EmbedIn: r.EmbedIn, Budget: site.Budget(s.config.Judge.Budget), Now: s.now, Log: s.log,
		Primary: s.config.Metrics.Primary, Since: since,
	})
	if err != nil {
		return nil, errcode.AsUsage(fmt.Errorf("report: %w", err))
	}
	return pages, nil
}

// resultsWarehouse returns the warehouse that references and promoted judges are read from and, unless only is set,
// where judge replies are cached. It may be connected after the server has started.
func (s *functionServer) resultsWarehouse(url string, only bool) (*store.Store, error) {
	prepare := func(ctx context.Context, w *store.Store) error {
		if !only {
			if err := w.Install(ctx); err != nil {
				return err
			}
		}
		_, err := w.NewestJudges(ctx) // a warehouse may accept connections and run no statements
		return err
	}
	return s.parts.Warehouse("results.warehouse", url, only, prepare, s.promote)
}

// mostWatchers is the maximum number of concurrent connections to the metrics listener.
const mostWatchers = 64

// memoryRoom is added to limits.memory_bytes for the runtime's soft limit, so that the garbage collector does not run
// continuously. It is for code, stacks, connections and garbage.
const memoryRoom = 32 << 20

// engineRoom is the memory that an embedded engine uses outside its own limit: sessions, and free memory in its
// allocator.
const engineRoom = 96 << 20

// engineBytes is the minimum of the memory limit that badger sets for an embedded engine.
const engineBytes = 96 << 20

// boundMemory sets the runtime's soft memory limit to limits.memory_bytes plus memoryRoom, less engineRoom if
// results.warehouse is an embedded DuckDB. It does nothing if GOMEMLIMIT is set.
func (s *functionServer) boundMemory() {
	if s.memoryLimit != nil && s.getenv("GOMEMLIMIT") == "" {
		limit := s.config.Limits.MemoryBytes + memoryRoom
		if strings.HasPrefix(s.config.Results.Warehouse, "duckdb:") {
			limit -= engineRoom
		}
		s.memoryLimit(limit)
	}
}

// lastSpans is how long a stopping server waits at most for its last trace spans to be sent.
const lastSpans = 3 * time.Second

// functions returns the engine and the catalogue's options for the functions that config describes.
func (s *functionServer) functions(ctx context.Context,
	config configuration) (*scoring.Engine, *udf.CatalogueOptions, error) {
	engineConfig, err := config.Metrics.engineConfig()
	if err != nil {
		return nil, nil, err
	}
	panicked := server.LogPanics(s.log)
	metrics, err := withJudges(ctx, config.Judges, s.promoted)
	if err != nil {
		return nil, nil, err
	}
	readable, err := hosting.Guard(s.resolver, s.config.Results.Readable, s.config.Results.Callers)
	if err != nil {
		return nil, nil, err
	}
	engine, err := scoring.NewEngine(metrics,
		&scoring.EngineOptions{Snapshots: readable, Judge: s.judge.Backend(), Judges: s.judge.ByMetric(),
			ByTag: s.judge.ByTag(), NoReply: judging.NoReply(s.log),
			Config: engineConfig, Panicked: panicked})
	if err != nil {
		return nil, nil, errcode.AsUsage(err)
	}
	return engine, &udf.CatalogueOptions{
		Version: version(), Judge: s.judge.Name(), Workers: config.Workers,
		Fingerprint: toJSON(engineConfig) + s.judge.Name() + hosting.Digest(config.Judges), Calls: s.calls,
		Panicked: panicked,
	}, nil
}

// options returns the server's options for config. It returns an error if the authentication is invalid.
func (s *functionServer) options(config configuration) (*server.Options, error) {
	byGRPC, byHTTP, err := config.Auth.Listeners(config.TLS.ClientCA)
	if err != nil {
		return nil, err
	}
	return &server.Options{
		GRPC:           byGRPC,
		HTTP:           byHTTP,
		Env:            identity.Env{Getenv: s.getenv, SPCSToken: s.spcsToken},
		TLS:            server.TLS{CertFile: config.TLS.Cert, KeyFile: config.TLS.Key},
		Limits:         config.Limits.Limits(),
		AllowPlaintext: config.Listen.AllowPlaintext,
		H2C:            config.Listen.H2C,
		Timeouts:       config.Timeouts,
		NullRows:       config.LateRows == "nulls",
		Logger:         s.log,
		Hooks:          s.metrics.Hooks(),
	}, nil
}

// check prints, as comments after the configuration, the number of functions, the judge and the addresses that would be
// served.
func (s *functionServer) check(ctx context.Context, w io.Writer, metricsAddr string) error {
	listen := s.config.Listen
	for _, l := range []struct{ name, addr string }{{"gRPC", listen.GRPC}, {"HTTP", listen.HTTP}} {
		if err := s.server.AllowAddress(l.name, l.addr); err != nil {
			return errcode.AsUsage(err)
		}
	}
	byGRPC, byHTTP := s.server.Identities()
	fmt.Fprintf(w, "# the configuration is sound: %s, judge %s\n",
		printable.Count(len(s.catalogue.Functions()), "function"), s.judge.Name())
	fmt.Fprintf(w, "# Flight and gRPC on %s: %s\n# HTTP on %s: %s\n", listen.GRPC, byGRPC, listen.HTTP, byHTTP)
	if metricsAddr != "" {
		fmt.Fprintf(w, "# metrics on http://%s/metrics\n", metricsAddr)
	}
	s.parts.Check(ctx, w)
	return nil
}

// openListener opens the listener name at an address.
func openListener(ctx context.Context, name, addr string) (net.Listener, error) {
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = net.DefaultResolver.LookupPort(ctx, "tcp", port)
	}
	if err != nil {
		return nil, usage("%s: %.60q is not an address; expected HOST:PORT such as 127.0.0.1:7434", name, addr)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, errcode.New(errcode.FailedPrecondition, "%s: another process listens at %s; stop it, or choose another port",
			name, addr)
	}
	if err != nil {
		return nil, errcode.New(errcode.FailedPrecondition, "%s: %w", name, err)
	}
	return l, nil
}

// serve opens the listeners and serves until ctx is done or the process receives an interrupt.
func (s *functionServer) serve(ctx context.Context, metricsAddr string) error {
	var listeners []net.Listener
	for _, l := range []struct{ name, addr string }{{"gRPC", s.config.Listen.GRPC}, {"HTTP", s.config.Listen.HTTP},
		{"metrics", metricsAddr}} {
		if l.addr == "" {
			continue
		}
		listener, err := openListener(ctx, l.name, l.addr)
		if err == nil {
			if listeners = append(listeners, listener); len(listeners) == 2 {
				if err = s.server.Allow(listeners[0], listeners[1]); err != nil {
					err = errcode.AsUsage(err)
				}
			}
		}
		if err != nil {
			for _, open := range listeners {
				_ = open.Close()
			}
			return err
		}
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	defer signal.Stop(reload)
	scheme, secured := "http", ""
	if s.config.TLS.Cert != "" {
		scheme, secured = "https", " with TLS"
	}
	also := ""
	if len(listeners) > 2 {
		also = fmt.Sprintf(", metrics on http://%s/metrics", listeners[2].Addr())
		m := webheaders.Strict(
			&http.Server{Handler: s.metrics.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second,
				WriteTimeout: time.Minute, MaxHeaderBytes: 16 << 10})
		go func() { _ = m.Serve(server.Bounded(listeners[2], mostWatchers)) }()
		defer m.Close() // closed after the server, so that its shutdown can be observed
	}
	if s.results != nil && !s.config.Report.Off {
		also += fmt.Sprintf(", the report on %s://%s%s/", scheme, listeners[1].Addr(), s.config.Report.Prefix)
	}
	fmt.Fprintf(s.stderr, "badger serves %d functions: Arrow Flight and gRPC on %s%s, HTTP on %s://%s%s\n",
		len(s.catalogue.Functions()), listeners[0].Addr(), secured, scheme, listeners[1].Addr(), also)
	s.boundMemory()
	go s.watch(ctx, reload)
	return s.server.Serve(ctx, listeners[0], listeners[1])
}
