package databricks

import (
	"context"
	"net/http"

	"github.com/badger-eval/badger/connectors/databricks/internal/thrift"
	"github.com/badger-eval/badger/internal/errcode"
)

// The numbers of the protocol (TCLIService of Hive, with the vendor's own from 1281 on).
const (
	protocolVersion = 42248 // SPARK_CLI_SERVICE_PROTOCOL_V8: parameters, direct results, Arrow, cloud fetch

	statusError         = 3
	statusInvalidHandle = 4

	stateInitialized = 0
	stateRunning     = 1
	stateFinished    = 2
	stateCanceled    = 3
	stateClosed      = 4
	stateError       = 5
	statePending     = 7
	stateTimedOut    = 8

	fetchNext = 0

	formatArrow   = 0
	formatColumns = 1
	formatURLs    = 3
)

// serverError is what the service says went wrong with a call or a statement.
type serverError struct {
	what    string
	state   string // of SQL
	message string // not shown as it is: it quotes values and SQL text
	handle  bool   // the session or the operation is not known, or no longer
}

func (e *serverError) Error() string { return e.what + ": " + e.state }

// call makes one call of the protocol. Repeat says that a second call does no harm.
func (c *Conn) call(ctx context.Context, what, method string, args thrift.Struct, repeat bool) (thrift.Struct, error) {
	body := thrift.Append(nil, thrift.Message{Name: method, Kind: thrift.Call, Seq: 1, Fields: thrift.Struct{1: args}})
	answer, err := c.do(ctx, request{what: what, method: http.MethodPost, path: c.config.HTTPPath, kind: "application/x-thrift", body: body, repeat: repeat})
	if err != nil {
		return nil, err
	}
	m, err := thrift.Parse(answer)
	if err != nil || m.Name != method || m.Kind != thrift.Reply && m.Kind != thrift.Exception {
		return nil, errcode.New(errcode.Unavailable, "databricks: %s: the answer is none of the Thrift protocol; check that http_path is that of a SQL warehouse", what)
	}
	if m.Kind == thrift.Exception {
		return nil, &serverError{what: what, message: m.Fields.Text(1)}
	}
	resp := m.Fields.Struct(0)
	return resp, statusOf(resp, what)
}

// statusOf is the error in an answer, if it is one.
func statusOf(resp thrift.Struct, what string) error {
	status := resp.Struct(1)
	switch status.Int(1) {
	case statusError, statusInvalidHandle:
		message := status.Text(6)
		if message == "" {
			message = status.Text(5)
		}
		return &serverError{what: what, state: status.Text(3), message: message, handle: status.Int(1) == statusInvalidHandle}
	}
	return nil
}

// openSession opens a session.
func (c *Conn) openSession(ctx context.Context) (thrift.Struct, error) {
	namespace := thrift.Struct{}
	if c.config.Catalog != "" {
		namespace[1] = c.config.Catalog
	}
	if c.config.Schema != "" {
		namespace[2] = c.config.Schema
	}
	args := thrift.Struct{1282: int64(protocolVersion), 1284: namespace, 1285: true}
	if len(c.config.Conf) > 0 {
		args[4] = c.config.Conf
	}
	resp, err := c.call(ctx, "opening a session", "OpenSession", args, true)
	if err != nil {
		return nil, err
	}
	if resp.Struct(3) == nil {
		return nil, errcode.New(errcode.Unavailable, "databricks: opening a session: the service gave none")
	}
	return resp.Struct(3), nil
}

func (c *Conn) closeSession(ctx context.Context, session thrift.Struct) {
	_, _ = c.call(ctx, "closing a session", "CloseSession", thrift.Struct{1: session}, false) // it expires
}

// session is the session that calls share, opened when it is needed. It is a handle; nothing in it
// changes.
func (c *Conn) session(ctx context.Context) (thrift.Struct, error) {
	select {
	case c.opening <- struct{}{}:
		defer func() { <-c.opening }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c.mu.Lock()
	shared, closed := c.shared, c.closed
	c.mu.Unlock()
	switch {
	case closed:
		return nil, errcode.New(errcode.FailedPrecondition, "databricks: the connection is closed")
	case shared != nil:
		return shared, nil
	}
	shared, err := c.openSession(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shared = shared
	return shared, nil
}

// forget makes the next call open another session.
func (c *Conn) forget(session thrift.Struct) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if string(session.Struct(1).Bytes(1)) == string(c.shared.Struct(1).Bytes(1)) {
		c.shared = nil
	}
}
