package guard

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/databricks/internal/workspace"
	"github.com/badger-eval/badger/connectors/internal/thrift"
	"github.com/badger-eval/badger/internal/errcode"
)

// Constants of the protocol (TCLIService of Hive) for statuses and states.
const (
	statusError         = 3
	statusInvalidHandle = 4

	stateInitialized = 0
	stateRunning     = 1
	stateFinished    = 2
	stateCanceled    = 3
	stateClosed      = 4
	statePending     = 7
	stateTimedOut    = 8
)

const thriftKind = "application/x-thrift"

// ServerError is the service's error for a call or a statement.
type ServerError struct {
	What    string
	State   string // SQLSTATE
	Message string // never shown verbatim: it quotes values and SQL text
	Handle  bool   // the session or the operation does not exist, or no longer does
	refused bool   // the statement was not accepted
}

func (e *ServerError) Error() string { return e.What + ": " + e.State }

// NoSession reports whether a statement was not run because its session no longer exists.
func (e *ServerError) NoSession() bool {
	return e.Handle ||
		strings.Contains(e.Message, "INVALID_STATE") && strings.Contains(strings.ToLower(e.Message), "session") ||
		strings.Contains(e.Message, "SESSION_NOT_FOUND") || strings.Contains(e.Message, "SESSION_CLOSED") ||
		strings.Contains(e.Message, "Invalid SessionHandle") || endedSession.MatchString(e.Message)
}

// endedSession matches messages of the server behind the service, which has no error condition for them.
var endedSession = regexp.MustCompile(`(?i)session ?handle.*(?:has not been initialized|already closed)`)

// Starting reports whether a statement was rejected because the warehouse is starting: it opens sessions before it can
// run statements.
func (e *ServerError) Starting() bool {
	return e.refused && (endedSession.MatchString(e.Message) || strings.Contains(e.Message, "Couldn't create directory"))
}

// send sends a call of the protocol without the driver. The call must be safe to repeat.
func (g *guard) send(ctx context.Context, method string, args thrift.Struct) (thrift.Struct, error) {
	body := thrift.Append(nil, thrift.Message{Name: method, Kind: thrift.Call, Seq: 1, Fields: thrift.Struct{1: args}})
	answer, err := g.workspace.Do(ctx,
		workspace.Request{What: calls[method].what, Method: http.MethodPost, Path: g.path(), Kind: thriftKind, Body: body,
			Repeat: true})
	if err != nil {
		return nil, err
	}
	m, err := parsed(answer, method)
	return m.Fields.Struct(0), err
}

// parsed parses a response to method. A response that reports a failure is an error.
func parsed(answer []byte, method string) (thrift.Message, error) {
	what := calls[method].what
	m, err := thrift.Parse(answer)
	if err != nil || m.Name != method || m.Kind != thrift.Reply && m.Kind != thrift.Exception {
		return m, errcode.New(errcode.Unavailable,
			"databricks: %s: the answer is not a message of the Thrift protocol; check that http_path is that of a SQL warehouse", what)
	}
	err = statusOf(m.Fields.Struct(0), what)
	if m.Kind == thrift.Exception {
		err = &ServerError{What: what, Message: m.Fields.Text(1)}
	}
	var said *ServerError
	if errors.As(err, &said) {
		said.refused = method == execute
	}
	return m, err
}

// statusOf returns the error in a response, or nil if it reports none.
func statusOf(resp thrift.Struct, what string) error {
	status := resp.Struct(1)
	switch status.Int(1) {
	case statusError, statusInvalidHandle:
		message := status.Text(6)
		if message == "" {
			message = status.Text(5)
		}
		return &ServerError{What: what, State: status.Text(3), Message: message, Handle: status.Int(1) == statusInvalidHandle}
	}
	return nil
}

// ended reports whether a statement has ended, and returns the error if it failed.
func ended(status thrift.Struct) (bool, error) {
	if err := statusOf(status, running); err != nil {
		return true, err
	}
	message := status.Text(1281)
	if message == "" {
		message = status.Text(5)
	}
	switch status.Int(2) {
	case stateInitialized, stateRunning, statePending:
		return false, nil
	case stateFinished:
		return true, nil
	case stateCanceled:
		return true, errcode.New(errcode.Unavailable,
			"databricks: the statement was cancelled at the service, by a user or by its limits")
	case stateTimedOut:
		return true, errcode.New(errcode.DeadlineExceeded,
			"databricks: the statement took longer than STATEMENT_TIMEOUT allows")
	case stateClosed:
		return true, errcode.New(errcode.Unavailable, "databricks: the statement was closed at the service")
	}
	return true, &ServerError{What: running, State: status.Text(3), Message: message}
}

// linkOf parses a link.
func linkOf(l thrift.Struct) workspace.Link {
	out := workspace.Link{URL: l.Text(1), Start: l.Int(3), Rows: l.Int(4), Headers: l.Map(6)}
	if at := l.Int(2); at > 0 {
		out.Expires = time.Unix(at, 0)
	}
	return out
}
