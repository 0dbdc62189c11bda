package judgebackend

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"
)

// attempt is the innermost wrapper: it checks the circuit, limits the time, calls the backend and writes the audit
// line.
type attempt struct {
	backend checked
	circuit *circuit
	timeout time.Duration
	audit   *slog.Logger
	clock   Clock
	calls   atomic.Int64
}

func (w *attempt) Complete(ctx context.Context, r Request) (Response, error) {
	if err := w.circuit.admit(w.backend.id); err != nil {
		return Response{}, err
	}
	w.calls.Add(1)
	limited, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	resp, err := w.backend.Complete(limited, r)
	if e := (*Error)(nil); errors.As(err, &e) && e.Kind == KindTimeout && ctx.Err() == nil {
		e.cause = nil // the attempt's limit, not the caller's: another attempt has time
	}
	w.circuit.observe(err)
	w.log(ctx, r, resp, err)
	return resp, err
}

// log writes the audit line of an attempt: backend, model, host, sizes, tokens and outcome, but no content.
func (w *attempt) log(ctx context.Context, r Request, resp Response, err error) {
	outcome := "ok"
	if err != nil {
		outcome = string(KindOf(err))
	}
	id := w.backend.id
	w.audit.LogAttrs(context.WithoutCancel(ctx), slog.LevelInfo, "judge call",
		slog.String("backend", id.Backend), slog.String("model", id.Model), slog.String("host", id.Host),
		slog.String("purpose", r.Purpose), slog.String("prompt_version", r.PromptVersion),
		slog.String("request_hash", r.hash),
		slog.Int("bytes_out", r.bytesOut()), slog.Int("bytes_in", len(resp.Reply)),
		slog.Int64("tokens_in", int64(resp.TokensIn)), slog.Int64("tokens_out", int64(resp.TokensOut)),
		slog.Int64("latency_ms", resp.Latency.Milliseconds()), slog.String("outcome", outcome))
}
