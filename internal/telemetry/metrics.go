// Package telemetry lets an operator monitor a function server: metrics for Prometheus and traces for
// OpenTelemetry. Both contain names, counts and durations, never SQL, questions or results.
//
// Metrics use Prometheus' client_golang. The alternative, OpenTelemetry's metric SDK with its Prometheus exporter, is
// built on client_golang and adds 2.0 MB instead of 0.9 MB to a binary of 111 MB (stripped, without the embedded
// engine). The exporter's releases are below version 1, and its rules for metric names have changed. Traces use
// OpenTelemetry's SDK with its OTLP exporter over HTTP, 0.6 MB: the clients of Google's services depend on its API
// anyway.
package telemetry

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/badger-eval/badger/udf/server"
)

// JudgeStats are the metrics of judges, read at each scrape. Its functions must be safe for concurrent use.
type JudgeStats struct {
	Questions, LedgerHits, Calls, Retries func() float64
	TokensIn, TokensOut                   func() float64
	Money                                 func() float64 // in the currency of the prices
	Refused                               func() float64 // calls rejected because they did not fit into the budget
	// The unspent rest of the budgets; nil if unlimited.
	TokensLeft, MoneyLeft func() float64
}

// Metrics are the metrics of one server.
type Metrics struct {
	registry *prometheus.Registry
	calls    *prometheus.CounterVec   // labels: wire, function and code
	rows     *prometheus.CounterVec   // labels: wire and function
	nulls    *prometheus.CounterVec   // labels: wire and function
	late     *prometheus.CounterVec   // labels: wire and function
	seconds  *prometheus.HistogramVec // labels: wire and function
	bytes    *prometheus.CounterVec   // labels: wire and direction
	refused  *prometheus.CounterVec   // labels: limit and caller
	secrets  *prometheus.GaugeVec     // label: what
	reloads  *prometheus.CounterVec   // label: result
	missing  *prometheus.GaugeVec     // label: part

	mu      sync.Mutex
	callers map[string]bool
}

// mostCallers is the maximum number of callers with a separate time series; the others share one.
const mostCallers = 200

// latencies are the upper bounds of the histograms' buckets in seconds: batches take milliseconds without a judge,
// and up to minutes with one.
var latencies = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 600}

// NewMetrics returns the metrics of a server; version is badger's.
func NewMetrics(version string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), callers: map[string]bool{}}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		m.registry.MustRegister(c)
		return c
	}
	m.calls = counter("badger_calls_total",
		"Calls that ended, by outcome: ok or the code of the error. A Flight stream is one call.", "wire", "function", "code")
	m.rows = counter("badger_rows_total", "Rows computed.", "wire", "function")
	m.nulls = counter("badger_nulls_total", "Rows whose result is NULL.", "wire", "function")
	m.late = counter("badger_late_rows_total", "Rows that were not scored in time and are NULL.", "wire", "function")
	m.bytes = counter("badger_bytes_total", "Bytes of requests (in) and replies (out).", "wire", "direction")
	m.refused = counter("badger_refused_total", "Calls refused for a limit, to be sent again later.", "limit", "caller")
	m.reloads = counter("badger_reloads_total", "Reloads of the configuration: applied or rejected.", "result")
	m.seconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "badger_batch_seconds", Help: "Time from when a batch was received until its reply was created.",
		Buckets: latencies,
	}, []string{"wire", "function"})
	m.secrets = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "badger_secrets_unreadable",
		Help: "1 while a file of tokens, authorities, certificates or keys cannot be read, so that its callers are rejected.",
	}, []string{"what"})
	m.missing = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "badger_part_missing", Help: "1 while a part of the configuration that the server starts without, such as results.warehouse, has not been reached.",
	}, []string{"part"})
	build := prometheus.NewGaugeVec(
		prometheus.GaugeOpts{Name: "badger_build_info", Help: "1, with the version of the build."}, []string{"version"})
	build.WithLabelValues(version).Set(1)
	for _, result := range []string{"taken", "refused"} {
		m.reloads.WithLabelValues(result)
	}
	m.registry.MustRegister(m.seconds, m.secrets, m.missing, build, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Hooks returns the hooks by which a server updates the metrics.
func (m *Metrics) Hooks() server.Hooks {
	return server.Hooks{
		Called: func(c server.Call) {
			m.calls.WithLabelValues(c.Wire, c.Function, c.Code.String()).Inc()
			m.rows.WithLabelValues(c.Wire, c.Function).Add(float64(c.Rows))
			m.nulls.WithLabelValues(c.Wire, c.Function).Add(float64(c.Nulls))
			if c.Late > 0 {
				m.late.WithLabelValues(c.Wire, c.Function).Add(float64(c.Late))
			}
			m.bytes.WithLabelValues(c.Wire, "in").Add(float64(c.In))
			m.bytes.WithLabelValues(c.Wire, "out").Add(float64(c.Out))
		},
		Served: func(wire, function string, took time.Duration) {
			m.seconds.WithLabelValues(wire, function).Observe(took.Seconds())
		},
		Refused: func(caller, limit string) { m.refused.WithLabelValues(limit, m.caller(caller)).Inc() },
		Secrets: func(what string, err error) {
			unreadable := 0.0
			if err != nil {
				unreadable = 1
			}
			m.secrets.WithLabelValues(what).Set(unreadable)
		},
	}
}

// caller returns the label of a caller, which is "other" after mostCallers names.
func (m *Metrics) caller(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.callers[name] && len(m.callers) >= mostCallers {
		return "other"
	}
	m.callers[name] = true
	return name
}

// Reloaded counts a reload of the configuration; a nil err means that it was applied.
func (m *Metrics) Reloaded(err error) {
	if err != nil {
		m.reloads.WithLabelValues("refused").Inc()
	} else {
		m.reloads.WithLabelValues("taken").Inc()
	}
}

// Missing records whether a part of the configuration is missing that the server starts without.
func (m *Metrics) Missing(part string, missing bool) {
	value := 0.0
	if missing {
		value = 1
	}
	m.missing.WithLabelValues(part).Set(value)
}

func (m *Metrics) gauge(name, help string, f func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, f))
}

func (m *Metrics) counter(name, help string, f func() float64, labels prometheus.Labels) {
	m.registry.MustRegister(
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, f))
}

// WatchServer registers metrics of the server's current load.
func (m *Metrics) WatchServer(load func() server.Load) {
	m.gauge("badger_calls_in_flight", "Calls that are served now, streams included.",
		func() float64 { return float64(load().Calls) })
	m.gauge("badger_memory_bytes",
		"Bytes that calls hold now (bodies, messages and what references read), and what is kept of them for a statement.",
		func() float64 { return float64(load().Bytes) })
	m.gauge("badger_rows_running", "Rows of functions without a judge that run now.",
		func() float64 { return float64(load().RowsRunning) })
	m.gauge("badger_workers_waiting", "Batches and cases that wait for a worker.",
		func() float64 { return float64(load().RowsWaiting) })
	m.gauge("badger_judged_rows_running", "Rows that call judges and are running.",
		func() float64 { return float64(load().JudgedRows) })
	m.gauge("badger_judged_rows_queued", "Rows that call judges and are queued.",
		func() float64 { return float64(load().JudgedQueue) })
	m.gauge("badger_parked_bytes", "Bytes of rows that continue after their callers timed out.",
		func() float64 { return float64(load().ParkedBytes) })
}

// WatchJudge registers metrics of judge calls, their cost and the rest of the budgets.
func (m *Metrics) WatchJudge(j JudgeStats) {
	m.counter("badger_judge_questions_total", "Questions to the judge, answered by anybody.", j.Questions, nil)
	m.counter("badger_judge_ledger_hits_total", "Questions answered by the ledger or by another caller's call.",
		j.LedgerHits, nil)
	m.counter("badger_judge_calls_total", "Calls that went out to the judge, retries included.", j.Calls, nil)
	m.counter("badger_judge_retries_total", "Calls that went out again after a failure.", j.Retries, nil)
	m.counter("badger_judge_tokens_total", "Tokens paid for.", j.TokensIn, prometheus.Labels{"direction": "in"})
	m.counter("badger_judge_tokens_total", "Tokens paid for.", j.TokensOut, prometheus.Labels{"direction": "out"})
	m.counter("badger_judge_money_total", "Money spent, in the currency of the prices; 0 if no price is known.", j.Money,
		nil)
	m.counter("badger_judge_over_budget_total", "Calls rejected by the budget.", j.Refused, nil)
	if j.TokensLeft != nil {
		m.gauge("badger_judge_budget_left_tokens", "Tokens that the budget still allows.", j.TokensLeft)
	}
	if j.MoneyLeft != nil {
		m.gauge("badger_judge_budget_left_money", "Money that the budget still allows.", j.MoneyLeft)
	}
}

// Handler serves the metrics at /metrics in Prometheus' formats.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry}))
	return mux
}
