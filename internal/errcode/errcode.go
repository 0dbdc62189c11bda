// Package errcode is the closed list of kinds of failure.
//
// The codes have gRPC's names and numbers. A code never changes its meaning, because codes appear in dashboards, in the
// scores table and in every protocol. An error without a code is [Unknown], and its text is not sent to clients.
package errcode

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// Code is the kind of a failure. The numbers are gRPC's.
type Code int

// The codes that badger uses. OK is the code of a nil error only.
const (
	OK                 Code = 0
	Cancelled          Code = 1  // the caller cancelled the call
	Unknown            Code = 2  // an error without a code
	InvalidArgument    Code = 3  // malformed input: the message names the field, the row and what was expected
	DeadlineExceeded   Code = 4  // the time limit was exceeded
	NotFound           Code = 5  // a table, file, query result or function that does not exist
	AlreadyExists      Code = 6  // an object that may be created only once
	PermissionDenied   Code = 7  // access that is not allowed
	ResourceExhausted  Code = 8  // a limit is exceeded: rows, bytes, memory, disk, budget, rate
	FailedPrecondition Code = 9  // the state does not allow it, such as a locked database
	Unimplemented      Code = 12 // unsupported here
	Internal           Code = 13 // a bug in badger
	Unavailable        Code = 14 // a transient failure; retry later
	DataLoss           Code = 15 // truncated or corrupt bytes
	Unauthenticated    Code = 16 // no valid credentials
)

var names = map[Code]string{
	OK: "ok", Cancelled: "cancelled", Unknown: "unknown", InvalidArgument: "invalid_argument",
	DeadlineExceeded: "deadline_exceeded", NotFound: "not_found", AlreadyExists: "already_exists",
	PermissionDenied: "permission_denied", ResourceExhausted: "resource_exhausted",
	FailedPrecondition: "failed_precondition", Unimplemented: "unimplemented", Internal: "internal",
	Unavailable: "unavailable", DataLoss: "data_loss", Unauthenticated: "unauthenticated",
}

// String returns the code's name in lower case with underscores, as it is written to tables, or code(N) for another
// number.
func (c Code) String() string {
	if s, ok := names[c]; ok {
		return s
	}
	return fmt.Sprintf("code(%d)", int(c))
}

// Named returns the code with a name, or Unknown if there is none.
func Named(name string) Code {
	for c, n := range names {
		if n == name {
			return c
		}
	}
	return Unknown
}

// Retryable reports whether the same call may succeed later.
func (c Code) Retryable() bool {
	return c == Unavailable || c == DeadlineExceeded || c == ResourceExhausted
}

// Error is an error with a code. Msg is written for users and contains neither secrets nor cell values.
type Error struct {
	Code Code
	Msg  string
	Err  error // the cause, for errors.Is and errors.As; Msg need not show it
}

func (e *Error) Error() string { return e.Msg }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New returns an error with a code. An error formatted with %w becomes its cause.
func New(c Code, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: c, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// Because returns an error with a code and a cause that the message does not show.
func Because(cause error, c Code, format string, args ...any) error {
	return &Error{Code: c, Msg: fmt.Sprintf(format, args...), Err: cause}
}

// Of returns the code of the first error in err's chain that has one. Without one, errors of a context are [Cancelled]
// or [DeadlineExceeded], nil is [OK], and others are [Unknown].
func Of(err error) Code {
	var e *Error
	switch {
	case err == nil:
		return OK
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, context.Canceled):
		return Cancelled
	case errors.Is(err, context.DeadlineExceeded):
		return DeadlineExceeded
	}
	return Unknown
}

// OfFile returns the code of an error of the file system: [Of] if that is not Unknown, [NotFound], [PermissionDenied],
// or [Unavailable] for all others.
func OfFile(err error) Code {
	switch c := Of(err); {
	case c != Unknown:
		return c
	case errors.Is(err, fs.ErrNotExist):
		return NotFound
	case errors.Is(err, fs.ErrPermission):
		return PermissionDenied
	}
	return Unavailable
}

// unread is an error for a returned value that badger does not support.
type unread struct{ error }

func (e unread) Unwrap() error { return e.error }

// Unread returns an error for a value or type that a warehouse returned and badger does not support. Its code is
// [Unimplemented]. The query that returned it ran: the failure is badger's.
func Unread(format string, args ...any) error { return unread{New(Unimplemented, format, args...)} }

// IsUnread reports whether an error in err's chain was returned by [Unread].
func IsUnread(err error) bool {
	var u unread
	return errors.As(err, &u)
}

// usage is an error in the command line or the configuration.
type usage struct{ error }

func (e usage) Unwrap() error { return e.error }

// Usage returns a usage error: a command line or configuration that the user can correct. It has a separate exit
// code.
func Usage(format string, args ...any) error { return usage{New(InvalidArgument, format, args...)} }

// NoFile returns a usage error for a file that does not exist. what is written before the word file, such as the flag
// that names it. The message has the path as given and, if it is relative, the absolute path.
func NoFile(what, path string) error {
	hint := ""
	full, err := filepath.Abs(path)
	switch {
	case strings.HasPrefix(path, "~"):
		hint = "; a shell replaces ~ outside of quotes only, write $HOME"
	case err == nil && full != path:
		hint = fmt.Sprintf(" (%s)", full)
	}
	return Usage("%sfile %q does not exist%s", what, path, hint)
}

// AsUsage returns err as a usage error, with the same message.
func AsUsage(err error) error { return usage{err} }

// IsUsage reports whether an error in err's chain is a usage error.
func IsUsage(err error) bool {
	var u usage
	return errors.As(err, &u)
}
