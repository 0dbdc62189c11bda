package errcode_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/badger-eval/badger/internal/errcode"
)

func TestOf(t *testing.T) {
	notFound := errcode.New(errcode.NotFound, "table %q: %w", "t", io.EOF)
	for _, tc := range []struct {
		why  string
		err  error
		want errcode.Code
	}{
		{"nil is OK", nil, errcode.OK},
		{"a coded error", notFound, errcode.NotFound},
		{"wrapped, the code survives", fmt.Errorf("reading: %w", notFound), errcode.NotFound},
		{"the outer code wins", errcode.New(errcode.Internal, "x: %w", notFound), errcode.Internal},
		{"cancelled", context.Canceled, errcode.Cancelled},
		{"deadline", fmt.Errorf("x: %w", context.DeadlineExceeded), errcode.DeadlineExceeded},
		{"anything else", errors.New("x"), errcode.Unknown},
	} {
		if got := errcode.Of(tc.err); got != tc.want {
			t.Errorf("%s: Of(%v) = %v, want %v", tc.why, tc.err, got, tc.want)
		}
	}
	if !errors.Is(notFound, io.EOF) {
		t.Error("the cause given with %w must stay reachable")
	}
	if got, want := notFound.Error(), `table "t": EOF`; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}

// The numbers are on the wire and in tables: they must be gRPC's own.
func TestNumbersAreGRPCs(t *testing.T) {
	for code, want := range map[errcode.Code]codes.Code{
		errcode.OK: codes.OK, errcode.Cancelled: codes.Canceled, errcode.Unknown: codes.Unknown,
		errcode.InvalidArgument: codes.InvalidArgument, errcode.DeadlineExceeded: codes.DeadlineExceeded,
		errcode.NotFound: codes.NotFound, errcode.AlreadyExists: codes.AlreadyExists,
		errcode.PermissionDenied: codes.PermissionDenied, errcode.ResourceExhausted: codes.ResourceExhausted,
		errcode.FailedPrecondition: codes.FailedPrecondition, errcode.Unimplemented: codes.Unimplemented,
		errcode.Internal: codes.Internal, errcode.Unavailable: codes.Unavailable,
		errcode.DataLoss: codes.DataLoss, errcode.Unauthenticated: codes.Unauthenticated,
	} {
		if uint32(code) != uint32(want) { //nolint:gosec // both are small
			t.Errorf("%v = %d, gRPC says %d", code, code, want)
		}
	}
}

// What was asked for stays distinguishable from an argument that a package refuses.
func TestUsage(t *testing.T) {
	refused := errcode.New(errcode.InvalidArgument, "rows: expected a number")
	for _, tc := range []struct {
		why  string
		err  error
		want bool
	}{
		{"asked for", errcode.Usage("--rows: expected a number"), true},
		{"made so", errcode.AsUsage(refused), true},
		{"wrapped", fmt.Errorf("x: %w", errcode.Usage("y")), true},
		{"refused elsewhere", refused, false},
		{"none", nil, false},
	} {
		if got := errcode.IsUsage(tc.err); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.why, got, tc.want)
		}
	}
	if got := errcode.AsUsage(refused).Error(); got != refused.Error() {
		t.Errorf("the message became %q", got)
	}
}

func TestOfFile(t *testing.T) {
	_, missing := os.Open(filepath.Join(t.TempDir(), "none"))
	for _, tc := range []struct {
		why  string
		err  error
		want errcode.Code
	}{
		{"missing", missing, errcode.NotFound},
		{"not allowed", fmt.Errorf("x: %w", fs.ErrPermission), errcode.PermissionDenied},
		{"anything else", io.ErrUnexpectedEOF, errcode.Unavailable},
		{"with a code", errcode.New(errcode.DataLoss, "x: %w", fs.ErrNotExist), errcode.DataLoss},
		{"cut off", context.Canceled, errcode.Cancelled},
		{"none", nil, errcode.OK},
	} {
		if got := errcode.OfFile(tc.err); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.why, got, tc.want)
		}
	}
}
