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
	log     *slog.Logger
	clock   Clock
	calls   atomic.Int64
	told    atomic.Int64 // when log last had an endpoint's words, in Unix nanoseconds
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
	w.line(ctx, r, resp, err)
	w.tell(ctx, err)
	return resp, err
}

// tell logs the words of an endpoint whose call failed, at most once a minute, unless the error shows them. A
// malformed response may contain a reply, so that its words are not logged.
func (w *attempt) tell(ctx context.Context, err error) {
	var e *Error
	if !errors.As(err, &e) || e.shown || e.Kind == KindMalformed || e.Said.Words() == "" {
		return
	}
	now, last := w.clock.Now().UnixNano(), w.told.Load()
	if last != 0 && time.Duration(now-last) < time.Minute || !w.told.CompareAndSwap(last, now) {
		return
	}
	w.log.WarnContext(context.WithoutCancel(ctx), "a judge call failed", "error", e, "endpoint_says", e.Said.Words())
}

// line writes the audit line of an attempt: backend, model, host, sizes, tokens and outcome, but no content.
func (w *attempt) line(ctx context.Context, r Request, resp Response, err error) {
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
