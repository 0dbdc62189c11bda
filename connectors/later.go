package connectors

import (
	"context"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// Later is [Mux.Open] without connecting: it checks the URL and contacts nothing. Until
// [Warehouse.Connect] has succeeded the calls of the warehouse fail with Unavailable and a reason
// that has the given name, such as the key of the configuration that the URL is from. The error is
// InvalidArgument for a URL that is wrong.
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

// Connect connects a warehouse from [Mux.Later]. It calls prepare, which may be nil, with a warehouse of the new
// connection before others can use it; an error of prepare closes the connection. It does nothing for a connected
// warehouse. It must not be called concurrently.
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
