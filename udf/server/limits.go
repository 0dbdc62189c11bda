package server

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
)

// Limits bound what callers can make the server do. A zero field takes its default.
type Limits struct {
	Body int64 // bytes of a request body, before and after decompression; 10 MiB
	// bytes of a gRPC or Flight message, which counts twice; 64 MiB, but at most a quarter of InFlight
	Message int
	Rows    int // rows of one batch; 100,000
	// of each listener, of known callers and others; 1024, but no more than the process may have open
	Connections int
	Calls       int // concurrent calls; further ones must be sent again; 256
	// bytes of memory of bodies, messages, results and results that references name; at least a body and twice a message;
	// 256 MiB
	InFlight  int64
	Reference int64 // bytes of one result that a reference names; while it is read it counts twice; 64 MiB
	// for a request or the next message of a stream to arrive, and for a reply to leave; 1 minute
	ReadTime  time.Duration
	StopGrace time.Duration // within which the server stops; 10 s
	StopDelay time.Duration // of the grace, how long a stopping server answers new calls even if no call is in flight; 0

	Caller  CallerLimits            // of each caller
	Callers map[string]CallerLimits // of some, by name; their zero fields take Caller's
}

// CallerLimits bound one caller.
type CallerLimits struct {
	Calls    int     // concurrent; three quarters of Limits.Calls, so that one caller cannot take all
	InFlight int64   // bytes of memory; three quarters of Limits.InFlight, but at least a body and twice a message
	Rows     float64 // a second, and as many in one burst; no limit
}

// WithDefaults are the limits that hold, or InvalidArgument.
func (l Limits) WithDefaults() (Limits, error) { return l.withDefaults() }

func (l Limits) withDefaults() (Limits, error) {
	set(&l.Body, 10<<20)
	set(&l.Rows, 100_000)
	set(&l.Calls, 256)
	set(&l.Connections, 1024)
	set(&l.InFlight, 256<<20)
	set(&l.Message, int(min(64<<20, l.InFlight/4)))
	set(&l.Reference, min(64<<20, l.InFlight/4))
	set(&l.ReadTime, time.Minute)
	set(&l.StopGrace, 10*time.Second)
	least := max(l.Body, receiving*int64(l.Message))
	if l.Body < 0 || l.Message < 0 || l.Rows < 0 || l.Calls < 0 || l.Connections < 0 || l.InFlight < least ||
		l.Reference < 0 || l.ReadTime < 0 || l.StopGrace < 0 || l.StopDelay < 0 {
		return l, errcode.New(errcode.InvalidArgument,
			"limits: expected positive numbers, and in-flight bytes of at least one body and of twice a message")
	}
	if l.StopDelay > l.StopGrace {
		return l, errcode.New(errcode.InvalidArgument, "limits: stop_delay is %v, expected at most stop_grace, which is %v",
			l.StopDelay, l.StopGrace)
	}
	set(&l.Caller.Calls, max(1, l.Calls*3/4))
	set(&l.Caller.InFlight, max(l.InFlight/4*3, least))
	callers := map[string]CallerLimits{}
	for name, c := range l.Callers {
		set(&c.Calls, l.Caller.Calls)
		set(&c.InFlight, l.Caller.InFlight)
		set(&c.Rows, l.Caller.Rows)
		callers[name] = c
	}
	l.Callers = callers
	for _, c := range l.Callers {
		if err := c.check(least); err != nil {
			return l, err
		}
	}
	return l, l.Caller.check(least)
}

func (c CallerLimits) check(least int64) error {
	if c.Calls < 0 || c.InFlight < least || !(c.Rows >= 0) || math.IsInf(c.Rows, 0) {
		return errcode.New(errcode.InvalidArgument,
			"limits of a caller: expected positive numbers, and in-flight bytes of at least one body and of twice a message")
	}
	return nil
}

// of are the limits of a caller.
func (l *Limits) of(name string) CallerLimits {
	if c, ok := l.Callers[name]; ok {
		return c
	}
	return l.Caller
}

func set[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

// errBusy is the one fault that callers should try again, later and unchanged.
var errBusy = errcode.New(errcode.ResourceExhausted, "too many calls at once; try again later")

// overload is an errBusy that says which limit was reached.
type overload struct {
	limit string        // for the log and the count
	after time.Duration // when it makes sense to try again; 0: soon
}

func (o *overload) Error() string        { return errBusy.Error() }
func (o *overload) Is(target error) bool { return target == errBusy } //nolint:errorlint // it is asked for this one

func busy(limit string, after time.Duration, format string, args ...any) error {
	return &errcode.Error{Code: errcode.ResourceExhausted, Msg: fmt.Sprintf(format, args...) + "; try again later",
		Err: &overload{limit, after}}
}

// httpStatus is the status of a fault of a whole call. Warehouses send a call again on 404, 408,
// 429 and most of 5xx: whatever will not be better next time is 400, 401 or 403.
func httpStatus(err error) int {
	switch code := errcode.Of(err); {
	case errors.Is(err, errBusy):
		return http.StatusTooManyRequests
	case errors.Is(err, errForgotten):
		return http.StatusGone
	case code == errcode.Unavailable:
		return http.StatusServiceUnavailable
	case code == errcode.Unauthenticated:
		return http.StatusUnauthorized
	case code == errcode.PermissionDenied:
		return http.StatusForbidden
	}
	return http.StatusBadRequest
}

// grpcError is the gRPC status of a fault of a whole call: the codes have gRPC's numbers.
// RisingWave tries again on UNAVAILABLE alone, Databend on everything.
func grpcError(err error, busy codes.Code) error {
	if err == nil {
		return nil
	}
	code, reason := udf.PublicError(err)
	if errors.Is(err, errBusy) {
		return status.Error(busy, reason)
	}
	return status.Error(codes.Code(code), reason) //nolint:gosec // small
}
