package hosting

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/telemetry"
)

func newParts(log io.Writer, try func(context.Context) error) *Parts {
	return &Parts{
		Log: slog.New(slog.NewTextHandler(log, nil)), Metrics: telemetry.NewMetrics("test"),
		all: []*part{{key: "results.warehouse", try: try}},
	}
}

// A part is tried again after pauses that grow from a second to a minute, until it exists; the log
// has a line for each reason and one when it exists.
func TestPartsAreTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var at []time.Time
		p := newParts(&log, func(context.Context) error {
			at = append(at, time.Now())
			switch n := len(at); {
			case n < 8:
				return errcode.New(errcode.Unavailable, "nobody answers")
			case n < 12:
				return errcode.New(errcode.PermissionDenied, "not granted")
			}
			return nil
		})
		if err := p.Start(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if m := p.Missing(); len(m) != 1 || m[0] != "results.warehouse" {
			t.Errorf("missing: %v", m)
		}
		p.work.Wait()
		if m := p.Missing(); len(m) != 0 || len(at) != 12 {
			t.Errorf("missing: %v after %d tries", m, len(at))
		}
		longest := time.Second
		for i := 1; i < len(at); i++ {
			if pause := at[i].Sub(at[i-1]); pause < longest/2 || pause > longest {
				t.Errorf("pause %d: %v, want between %v and %v", i, pause, longest/2, longest)
			}
			longest = min(2*longest, time.Minute)
		}
		for text, want := range map[string]int{"nobody answers": 1, "not granted": 1, "there now": 1, "part=results.warehouse": 3} {
			if n := strings.Count(log.String(), text); n != want {
				t.Errorf("%q is %d times in the log, want %d:\n%s", text, n, want, &log)
			}
		}
		p.Stop()
	})
}

// The server does not wait long for a part that does not answer, a try does not last for ever, and
// the end does not wait for one.
func TestPartsThatHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var tries atomic.Int64
		p := newParts(&log, func(ctx context.Context) error {
			tries.Add(1)
			<-ctx.Done()
			return ctx.Err()
		})
		begin := time.Now()
		if err := p.Start(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != firstTry {
			t.Errorf("the start waits %v", took)
		}
		time.Sleep(longestTry + time.Minute) // of the bubble
		if n := tries.Load(); n != 2 {
			t.Errorf("%d tries", n)
		}
		begin = time.Now()
		p.Stop()
		if took := time.Since(begin); took != 0 {
			t.Errorf("the end waits %v", took)
		}
		if !strings.Contains(log.String(), "no answer yet") || strings.Count(log.String(), "no answer within 2m0s") != 1 {
			t.Errorf("the log:\n%s", &log)
		}
	})
}

// A client that a try has made may keep the context: it must not end with the try.
func TestPartsKeepTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kept context.Context
		p := newParts(io.Discard, func(ctx context.Context) error {
			kept = ctx
			return nil
		})
		if err := p.Start(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * longestTry)
		if kept.Err() != nil {
			t.Error("the context ended with the try")
		}
		p.Stop()
		if kept.Err() == nil {
			t.Error("the context outlives the server")
		}
	})
}

// What no other try mends ends the start.
func TestPartsThatAreWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for code, wrong := range map[errcode.Code]bool{errcode.InvalidArgument: true, errcode.Unimplemented: true, errcode.Unauthenticated: false, errcode.NotFound: false, errcode.FailedPrecondition: false} {
			p := newParts(io.Discard, func(context.Context) error { return errcode.New(code, "the reason") })
			err := p.Start(t.Context(), nil)
			if errcode.IsUsage(err) != wrong || wrong && err.Error() != "results.warehouse: the reason" {
				t.Errorf("%v: %v", code, err)
			}
			p.Stop()
		}
	})
}
