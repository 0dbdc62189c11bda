package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
)

// call holds the data of one call for the log, without any value of its rows.
type call struct {
	id       string // request id
	wire     string
	caller   string // name of the token, certificate or user
	query    string // the warehouse's id of the statement or job, if sent
	function string
	start    time.Time
	rows     int
	nulls    int
	late     int          // rows among nulls that had no score at the deadline
	in, out  int64        // bytes
	again    func() error // authenticates the caller again
	ended    bool         // the audit line was written
	streamed bool         // it is a stream, whose batches are timed one by one
	span     trace.Span   // may be nil
	private  bool         // the error's message may quote a case: only its code is logged
}

// ids generates request ids: a random prefix per process and a counter.
type ids struct {
	prefix string
	n      atomic.Uint64
}

func newIDs() *ids {
	b := make([]byte, 5)
	_, _ = rand.Read(b) // never fails
	return &ids{prefix: hex.EncodeToString(b) + "-"}
}

// next returns given if it is suitable for a log, or else a new id.
func (g *ids) next(given string) string {
	if given != "" && len(given) <= 64 && correlation(given) == given {
		return given
	}
	return g.prefix + strconv.FormatUint(g.n.Add(1), 10)
}

// correlation makes an id from outside suitable for a log: at most 160 bytes, with _ for everything but visible
// ASCII, quotes and backslashes.
func correlation(s string) string {
	s = s[:min(len(s), 160)]
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			b := []byte(s)
			for j := i; j < len(b); j++ {
				if b[j] <= ' ' || b[j] > '~' || b[j] == '"' || b[j] == '\\' {
					b[j] = '_'
				}
			}
			return string(b)
		}
	}
	return s
}

// finish writes the audit line of a call, once, and calls the hooks.
func (s *Server) finish(ctx context.Context, c *call, err error) {
	if c.ended {
		return
	}
	c.ended = true
	if o := (*overload)(nil); s.hooks.Refused != nil && errors.As(err, &o) {
		s.hooks.Refused(c.caller, o.limit)
	}
	function := s.known(c.function)
	if s.hooks.Called != nil {
		s.hooks.Called(
			Call{Wire: c.wire, Function: function, Rows: c.rows, Nulls: c.nulls, Late: c.late, In: c.in, Out: c.out,
				Code: errcode.Of(err)})
	}
	if s.hooks.Served != nil && !c.streamed && err == nil {
		s.hooks.Served(c.wire, function, s.now().Sub(c.start))
	}
	s.endSpan(c, err)
	level := slog.LevelInfo
	switch errcode.Of(err) {
	case errcode.OK:
		if c.late > 0 {
			level = slog.LevelError
		}
	case errcode.Unknown, errcode.Internal:
		level = slog.LevelError
	default:
		level = slog.LevelWarn
	}
	if !s.log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request_id", c.id), slog.String("wire", c.wire), slog.String("caller", c.caller),
		slog.String("function", c.function),
		slog.Int("rows", c.rows), slog.Int("nulls", c.nulls), slog.Int64("bytes_in", c.in), slog.Int64("bytes_out", c.out),
		slog.Float64("ms", float64(s.now().Sub(c.start).Microseconds())/1000),
	}
	if c.late > 0 {
		attrs = append(attrs, slog.Int("late", c.late))
	}
	if c.query != "" {
		attrs = append(attrs, slog.String("query_id", c.query))
	}
	if err != nil {
		code, reason := udf.PublicError(err)
		attrs = append(attrs, slog.String("code", code.String()))
		if o := (*overload)(nil); errors.As(err, &o) {
			attrs = append(attrs, slog.String("limit", o.limit))
		}
		if !c.private {
			attrs = append(attrs, slog.String("error", reason))
		}
	}
	s.log.LogAttrs(context.WithoutCancel(ctx), level, "call", attrs...)
}

// LogPanics returns a hook for CatalogueOptions.Panicked and scoring.EngineOptions.Panicked. It logs the stack, but
// not the message, which may quote a cell.
func LogPanics(log *slog.Logger) func(what string, value any, stack []byte) {
	return func(what string, _ any, stack []byte) {
		log.Error("panic", slog.String("in", what), slog.String("stack", string(stack)))
	}
}
