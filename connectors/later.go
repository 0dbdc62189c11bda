package connectors

import (
	"context"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// Later is like [Mux.Open] but does not connect: it only validates the URL, and returns InvalidArgument if that is
// malformed. Until [Warehouse.Connect] has succeeded, calls of the warehouse fail with Unavailable, and their message
// contains name, such as the key of the configuration that holds the URL.
func (m *Mux) Later(url string, o driver.Options, name string) (*Warehouse, error) {
	check := o
	check.URLOnly = true
	_, dialect, err := m.open(context.Background(), url, check)
	if err != nil {
		return nil, err
	}
	w := New(nil, dialect)
	w.program, w.name = m.Program, name
	w.open = func(ctx context.Context) (driver.Conn, error) {
		conn, _, err := m.open(ctx, url, o)
		return conn, err
	}
	return w, nil
}

// Connect connects a warehouse from [Mux.Later]. Before others can use the connection, it calls prepare, which may be
// nil, with a separate warehouse on it; an error of prepare closes the connection. It does nothing if already
// connected. It must not be called concurrently.
func (w *Warehouse) Connect(ctx context.Context, prepare func(*Warehouse) error) error {
	w.mu.Lock()
	connected := w.conn != nil
	w.mu.Unlock()
	if connected {
		return nil
	}
	conn, err := w.open(ctx)
	if err != nil {
		return err
	}
	if prepare != nil {
		first := New(conn, w.dialect)
		first.program = w.program
		if err := prepare(first); err != nil {
			_ = first.Close()
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		_ = conn.Close()
		return errcode.New(errcode.FailedPrecondition, "connecting: the warehouse is closed")
	}
	w.conn = conn
	return nil
}
