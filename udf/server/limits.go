package server

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf"
)

// Limits limit the resources that callers can use. A zero field takes its default, which is the last item of its
// comment.
type Limits struct {
	Body int64 // bytes of a request body, before and after decompression; 10 MiB
	// bytes of a gRPC or Flight message, which counts twice in InFlight; 64 MiB, but at most a quarter of InFlight
	Message int
	Rows    int // rows of one batch; 100,000
	// for each listener, counting connections without a caller; 1024, but at most what the limit of open files allows
	Connections int
	Calls       int // concurrent calls; further ones are rejected with an error that asks to retry; 256
	// bytes of memory for bodies, messages, results, and results that references name; at least one body and twice a
	// message; 256 MiB
	InFlight  int64
	Reference int64 // bytes of one referenced result, which counts twice while read; 64 MiB, at most InFlight/4
	// time for a request or the next message of a stream to arrive, and for a reply to be sent; 1 minute
	ReadTime  time.Duration
	StopGrace time.Duration // time within which the server stops; 10 s
	StopDelay time.Duration // part of StopGrace in which new calls get Unavailable, even if none is in flight; 0

	Caller  CallerLimits            // for each caller
	Callers map[string]CallerLimits // for some callers, by name; zero fields take Caller's
}

// CallerLimits limit one caller.
type CallerLimits struct {
	Calls    int     // concurrent calls; three quarters of Limits.Calls, so that one caller cannot use all
	InFlight int64   // bytes of memory; three quarters of Limits.InFlight, but at least a body and twice a message
	Rows     float64 // rows a second, and the largest burst; 0: no limit
}

// WithDefaults returns l with defaults for zero fields, or an InvalidArgument error.
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
	for key, n := range map[string]int64{
		"body_bytes": l.Body, "message_bytes": int64(l.Message), "batch_rows": int64(l.Rows), "calls": int64(l.Calls),
		"connections": int64(l.Connections), "memory_bytes": l.InFlight, "reference_bytes": l.Reference,
		"read_time": int64(l.ReadTime), "stop_grace": int64(l.StopGrace), "stop_delay": int64(l.StopDelay),
	} {
		if n < 0 {
			return l, errcode.New(errcode.InvalidArgument, "limits.%s: expected at least 0, found less", key)
		}
	}
	least := l.leastMemory()
	if err := checkMemory("limits", l.InFlight, least); err != nil {
		return l, err
	}
	if l.StopDelay > l.StopGrace {
		return l, errcode.New(errcode.InvalidArgument,
			"limits.stop_delay: expected at most limits.stop_grace, which is %v, found %v", l.StopGrace, l.StopDelay)
	}
	set(&l.Caller.Calls, max(1, l.Calls/4*3+l.Calls%4*3/4)) // without overflow
	set(&l.Caller.InFlight, max(l.InFlight/4*3, least.bytes))
	callers := map[string]CallerLimits{}
	for name, c := range l.Callers {
		set(&c.Calls, l.Caller.Calls)
		set(&c.InFlight, l.Caller.InFlight)
		set(&c.Rows, l.Caller.Rows)
		callers[name] = c
	}
	l.Callers = callers
	for _, name := range slices.Sorted(maps.Keys(l.Callers)) {
		if err := l.Callers[name].check("limits.callers."+name, least); err != nil {
			return l, err
		}
	}
	return l, l.Caller.check("limits.caller", least)
}

// check returns an error that names the key of a limit which is out of range. section is the key of c, and least the
// memory that one call may use.
func (c CallerLimits) check(section string, least memoryNeed) error {
	switch {
	case c.Calls < 0:
		return errcode.New(errcode.InvalidArgument, "%s.calls: expected at least 0, found less", section)
	case !(c.Rows >= 0) || math.IsInf(c.Rows, 0):
		return errcode.New(errcode.InvalidArgument, "%s.rows_per_second: expected a finite number of at least 0", section)
	}
	return checkMemory(section, c.InFlight, least)
}

// memoryNeed is the memory in bytes that a call may use, and why.
type memoryNeed struct {
	bytes int64
	why   string
}

// leastMemory returns the memory of the larger of a request body and a message while it is received.
func (l *Limits) leastMemory() memoryNeed {
	if message := receiving * int64(l.Message); message > l.Body {
		return memoryNeed{message, fmt.Sprintf("%d times limits.message_bytes", receiving)}
	}
	return memoryNeed{l.Body, "limits.body_bytes"}
}

// checkMemory returns an error if the memory that section allows is less than one call needs.
func checkMemory(section string, bytes int64, least memoryNeed) error {
	if bytes >= least.bytes {
		return nil
	}
	return errcode.New(errcode.InvalidArgument, "%s.memory_bytes: expected at least %d, which is %s, found %d", section,
		least.bytes, least.why, bytes)
}

// of returns the limits of a caller.
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

// errBusy is the error of requests that exceed a limit at present and that callers should repeat later, unchanged.
var errBusy = errcode.New(errcode.ResourceExhausted, "too many concurrent calls; try again later")

// overload is an errBusy that names the exceeded limit.
type overload struct {
	limit string        // for the log and metrics
	after time.Duration // time until a retry can succeed; 0: soon
}

func (o *overload) Error() string        { return errBusy.Error() }
func (o *overload) Is(target error) bool { return target == errBusy } //nolint:errorlint // it is asked for this one

func busy(limit string, after time.Duration, format string, args ...any) error {
	return &errcode.Error{Code: errcode.ResourceExhausted, Msg: fmt.Sprintf(format, args...) + "; try again later",
		Err: &overload{limit, after}}
}

// httpStatus returns the HTTP status of a failed call. Warehouses retry on 404, 408, 429 and most of 5xx, so a
// permanent error is 400, 401, 403 or 410.
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

// grpcError returns err as a gRPC status; busy is the code for errBusy. RisingWave retries on UNAVAILABLE only,
// Databend on every error.
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
