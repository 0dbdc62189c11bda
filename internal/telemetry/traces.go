package telemetry

import (
	"bufio"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/outbound"
	"github.com/badger-eval/badger/judgebackend"
)

// TracesConfig configures the export of spans. The keys of the configuration file are these names.
type TracesConfig struct {
	// URL of an OTLP collector over HTTP, such as https://collector:4318/v1/traces; empty: no traces
	Endpoint    string `yaml:"endpoint"`
	HeadersFile string `yaml:"headers_file"` // file of lines "NAME: VALUE" to send as headers, such as an API key
	// PEM file of the certificate authorities for the endpoint; by default the system's
	CAFile string  `yaml:"ca_file"`
	Sample float64 `yaml:"sample" least:"0" most:"1"` // share of calls that are traced if their callers do not trace them, above 0 to 1; 1
	// badger run sends spans of its judge calls, and an event for each score to /v1/logs of the same collector
	Evaluations bool `yaml:"evaluations"`
	Content     bool `yaml:"content"` // these events hold the reasons of scores, which may quote questions, SQL and cells
}

// Traces creates spans and exports them.
type Traces struct{ provider *sdktrace.TracerProvider }

// exportTime is the time limit for exporting a batch of spans.
const exportTime = 10 * time.Second

// OpenTraces prepares the export of spans, or returns nil if c has no endpoint. It ignores OpenTelemetry's own
// environment variables and proxies. log receives export errors and may be nil.
func OpenTraces(ctx context.Context, c TracesConfig, version string, log *slog.Logger) (*Traces, error) {
	if c.Endpoint == "" {
		if c != (TracesConfig{}) {
			return nil, errcode.New(errcode.InvalidArgument,
				"traces: there is no endpoint; expected a URL such as https://collector:4318/v1/traces")
		}
		return nil, nil //nolint:nilnil // no traces
	}
	to, err := c.collector()
	if err != nil {
		return nil, err
	}
	if c.Sample == 0 {
		c.Sample = 1
	}
	if !(c.Sample > 0 && c.Sample <= 1) {
		return nil, errcode.New(errcode.InvalidArgument, "traces.sample: expected a number above 0 and up to 1")
	}
	exporter, err := otlptracehttp.New(ctx,
		otlptracehttp.WithEndpointURL(to.url.String()), otlptracehttp.WithHeaders(to.headers),
		otlptracehttp.WithTimeout(exportTime), otlptracehttp.WithHTTPClient(to.client))
	if err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "traces: %w", err)
	}
	return &Traces{sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(spanErrorLog{exporter, log}),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(c.Sample))),
		sdktrace.WithResource(
			resource.NewSchemaless(attribute.String("service.name", "badger"), attribute.String("service.version", version))),
	)}, nil
}

// collector is the receiver of OTLP over HTTP that a configuration names.
type collector struct {
	url     *url.URL // for spans
	headers map[string]string
	client  *http.Client
}

// collector returns the receiver that c names, which it does not contact.
func (c *TracesConfig) collector() (*collector, error) {
	u, err := url.Parse(c.Endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return nil, errcode.New(errcode.InvalidArgument,
			"traces.endpoint: expected a URL such as https://collector:4318/v1/traces, without a user or password")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/traces"
	}
	var authorities []byte
	if c.CAFile != "" {
		if authorities, err = os.ReadFile(c.CAFile); err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "traces.ca_file: %w", err)
		}
	}
	client, ok := outbound.Client(authorities, exportTime)
	if !ok {
		return nil, errcode.New(errcode.InvalidArgument, "traces.ca_file: there is no certificate in PEM form in it")
	}
	headers, err := readHeaders(c.HeadersFile)
	if err != nil {
		return nil, err
	}
	return &collector{u, headers, client}, nil
}

// spanErrorLog logs that spans could not be exported, without the endpoint's reply.
type spanErrorLog struct {
	sdktrace.SpanExporter
	log *slog.Logger
}

func (t spanErrorLog) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := t.SpanExporter.ExportSpans(ctx, spans); err != nil && t.log != nil {
		t.log.Warn("spans could not be sent", slog.Int("spans", len(spans)))
	}
	return nil // the SDK would print it
}

func readHeaders(path string) (map[string]string, error) {
	headers := map[string]string{}
	if path == "" {
		return headers, nil
	}
	f, err := os.Open(path) //nolint:gosec // the configuration names it
	if err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "traces.headers_file: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read from
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, errcode.New(errcode.InvalidArgument, "traces.headers_file: line %d: expected NAME: VALUE", n)
		}
		headers[name] = strings.TrimSpace(value)
	}
	if err := lines.Err(); err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "traces.headers_file: %w", err)
	}
	return headers, nil
}

// Tracer returns the tracer for server and judge, or nil if t is nil.
func (t *Traces) Tracer() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.provider.Tracer("github.com/badger-eval/badger")
}

// Close exports the remaining spans, until ctx ends.
func (t *Traces) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Judge returns b with a span for each call by OpenTelemetry's conventions for generative AI
// (https://opentelemetry.io/docs/specs/semconv/gen-ai/): model, tokens and outcome, without prompt and reply.
// providers maps judges to the names of their providers in these conventions. If tracer is nil it returns b.
func Judge(b judgebackend.Backend, providers judgebackend.Providers, tracer trace.Tracer) judgebackend.Backend {
	if tracer == nil {
		return b
	}
	j := tracedJudge{Backend: b, tracer: tracer}
	if i, ok := b.(judgebackend.Identified); ok {
		j.id = i.Identity()
	}
	j.system = j.id.Backend
	if p, ok := providers.Find(j.system); ok && p.System != "" {
		j.system = p.System
	}
	return j
}

type tracedJudge struct {
	judgebackend.Backend
	id     judgebackend.Identity
	system string
	tracer trace.Tracer
}

func (j tracedJudge) Identity() judgebackend.Identity { return j.id }

// operation is the name of a judge call in OpenTelemetry's conventions.
const operation = "chat"

func (j tracedJudge) Complete(ctx context.Context, r judgebackend.Request) (judgebackend.Response, error) {
	ctx, span := j.tracer.Start(ctx, operation+" "+j.id.Model, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(
			attribute.String("gen_ai.operation.name", operation),
			attribute.String("gen_ai.provider.name", j.system),
			attribute.String("gen_ai.request.model", j.id.Model),
			attribute.String("badger.purpose", r.Purpose), attribute.String("badger.prompt_version", r.PromptVersion),
		))
	defer span.End()
	if host := j.id.Host; host != "" {
		span.SetAttributes(attribute.String("server.address", host))
	}
	resp, err := j.Backend.Complete(ctx, r)
	if resp.TokensIn > 0 || resp.TokensOut > 0 {
		span.SetAttributes(attribute.Int64("gen_ai.usage.input_tokens", int64(max(0, resp.TokensIn))),
			attribute.Int64("gen_ai.usage.output_tokens", int64(max(0, resp.TokensOut))))
	}
	if resp.FinishReason != "" {
		span.SetAttributes(attribute.StringSlice("gen_ai.response.finish_reasons", []string{string(resp.FinishReason)}))
	}
	if err != nil {
		kind := string(judgebackend.KindOf(err))
		span.SetAttributes(attribute.String("error.type", kind))
		span.SetStatus(codes.Error, kind)
	}
	return resp, err
}
