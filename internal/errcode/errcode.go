// Package errcode is the closed list of kinds of failure.
//
// The codes carry gRPC's names and numbers, because they end up in dashboards, in the scores table
// and on every wire: a code never changes its meaning. An error that carries none is [Unknown] and
// its text stays on the server.
package errcode

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// Code is the kind of a failure. The numbers are gRPC's.
type Code int

// The codes badger uses. OK is the code of a nil error and of nothing else.
const (
	OK                 Code = 0
	Cancelled          Code = 1  // the caller gave up
	Unknown            Code = 2  // an error nobody classified
	InvalidArgument    Code = 3  // malformed input: the message names the field, the row and what was expected
	DeadlineExceeded   Code = 4  // time ran out
	NotFound           Code = 5  // a table, file, query result or function that does not exist
	AlreadyExists      Code = 6  // a thing that may be made only once
	PermissionDenied   Code = 7  // known, but not allowed
	ResourceExhausted  Code = 8  // a limit: rows, bytes, memory, disk, budget, rate
	FailedPrecondition Code = 9  // the state does not allow it, such as a locked database
	Unimplemented      Code = 12 // not offered by this backend
	Internal           Code = 13 // a bug in badger
	Unavailable        Code = 14 // try again later
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

// String is the code's name in lower case with underscores, as it is written to tables.
func (c Code) String() string {
	if s, ok := names[c]; ok {
		return s
	}
	return fmt.Sprintf("code(%d)", int(c))
}

// Named is the code of a name, and Unknown for any other text.
func Named(name string) Code {
	for c, n := range names {
		if n == name {
			return c
		}
	}
	return Unknown
}

// Retryable reports whether the same call may succeed later without being changed.
func (c Code) Retryable() bool {
	return c == Unavailable || c == DeadlineExceeded || c == ResourceExhausted
}

// Error is an error with a code. Msg is written for the person who reads it and holds neither
// secrets nor cell values.
type Error struct {
	Code Code
	Msg  string
	Err  error // the cause; kept for errors.Is and errors.As, and shown only if the message shows it
}

func (e *Error) Error() string { return e.Msg }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New makes an error with a code. A %w in the format becomes the cause.
func New(c Code, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: c, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// Because makes an error with a code whose cause is kept and not shown.
func Because(cause error, c Code, format string, args ...any) error {
	return &Error{Code: c, Msg: fmt.Sprintf(format, args...), Err: cause}
}

// Of returns the code of the first error in err's chain that carries one. Context errors are
// understood; nil is [OK] and everything else [Unknown].
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

// OfFile is the code of an error of the file system: [Of] where that knows one, [NotFound],
// [PermissionDenied], and [Unavailable] for all others.
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

// unread is an error of a value that was returned and is not read.
type unread struct{ error }

func (e unread) Unwrap() error { return e.error }

// Unread returns an error for a value or type that a warehouse returned and badger does not support. Its code is
// [Unimplemented]. The query that returned it ran: the failure is badger's.
func Unread(format string, args ...any) error { return unread{New(Unimplemented, format, args...)} }

// IsUnread reports whether an error in err's chain is one of a value that is not read.
func IsUnread(err error) bool {
	var u unread
	return errors.As(err, &u)
}

// usage is an error in what was asked for.
type usage struct{ error }

// Usage returns a usage error: a command line or configuration that the user can correct. It has a separate exit
// code.
func Usage(format string, args ...any) error { return usage{New(InvalidArgument, format, args...)} }

// AsUsage makes an error one in what was asked for, with the same message.
func AsUsage(err error) error { return usage{err} }

// IsUsage reports whether an error in err's chain is one in what was asked for.
func IsUsage(err error) bool {
	var u usage
	return errors.As(err, &u)
}
