package udf

import (
	"context"
	"errors"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/badger-eval/badger/internal/errcode"
)

// Limits bound what callers can make the server do. A zero field takes its default.
type Limits struct {
	Body      int64         // bytes of a request body, before and after decompression; 10 MiB
	Message   int           // bytes of a gRPC or Flight message, also decompressed; 64 MiB
	Rows      int           // rows of one batch; 100,000
	Calls     int           // calls served at once; further ones are asked to come again; 256
	InFlight  int64         // bytes of bodies and messages in memory at once, at least one of each; 256 MiB
	ReadTime  time.Duration // for a request to arrive, and for a reply to leave; 1 minute
	StopGrace time.Duration // calls in flight may take so long to finish when the server stops; 30 s
}

func (l Limits) withDefaults() (Limits, error) {
	set(&l.Body, 10<<20)
	set(&l.Message, 64<<20)
	set(&l.Rows, 100_000)
	set(&l.Calls, 256)
	set(&l.InFlight, 256<<20)
	set(&l.ReadTime, time.Minute)
	set(&l.StopGrace, 30*time.Second)
	if l.Body < 0 || l.Message < 0 || l.Rows < 0 || l.Calls < 0 || l.InFlight < max(l.Body, int64(l.Message)) || l.ReadTime < 0 || l.StopGrace < 0 {
		return l, errcode.New(errcode.InvalidArgument, "limits: expected positive numbers, and in-flight bytes of at least one body and one message")
	}
	return l, nil
}

func set[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

// errBusy is the one fault that callers should try again, later and unchanged.
var errBusy = errcode.New(errcode.ResourceExhausted, "too many calls at once; try again later")

// errStopping answers calls that a stopping server cuts off.
var errStopping = errcode.New(errcode.Unavailable, "the server is stopping; try again")

// admission counts calls and the bytes they hold.
type admission struct {
	calls *semaphore.Weighted
	bytes *semaphore.Weighted
}

func newAdmission(l Limits) *admission {
	return &admission{calls: semaphore.NewWeighted(int64(l.Calls)), bytes: semaphore.NewWeighted(l.InFlight)}
}

// enter takes a place for a call, or says that there is none.
func (a *admission) enter() (leave func(), err error) {
	if !a.calls.TryAcquire(1) {
		return nil, errBusy
	}
	return func() { a.calls.Release(1) }, nil
}

// hold reserves memory for a body of n bytes, or says that there is none.
func (a *admission) hold(n int64) error {
	if !a.bytes.TryAcquire(n) {
		return errBusy
	}
	return nil
}

// wait is hold for a stream, which can be made to wait.
func (a *admission) wait(ctx context.Context, n int64) error { return a.bytes.Acquire(ctx, n) }

func (a *admission) free(n int64) { a.bytes.Release(n) }

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
	code, reason := publicError(err)
	if errors.Is(err, errBusy) {
		return status.Error(busy, reason)
	}
	return status.Error(codes.Code(code), reason) //nolint:gosec // small
}
