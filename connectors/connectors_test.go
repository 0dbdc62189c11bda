package connectors_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// fake is a connection that says when it is used after its end.
type fake struct {
	t       *testing.T
	closed  atomic.Bool
	closes  atomic.Int32
	open    atomic.Int32 // readers
	batches int
	err     error
}

func (f *fake) use() {
	if f.closed.Load() {
		f.t.Error("a closed connection was used")
	}
}

func (f *fake) Query(context.Context, string, ...any) (array.RecordReader, error) {
	f.use()
	if f.err != nil {
		return nil, f.err
	}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "case_id", Type: arrow.BinaryTypes.String}, {Name: "a", Type: arrow.BinaryTypes.String}, {Name: "b", Type: arrow.BinaryTypes.String},
		{Name: "c", Type: arrow.BinaryTypes.String}, {Name: "metric", Type: arrow.BinaryTypes.String}, {Name: "metric_version", Type: arrow.PrimitiveTypes.Int64}, {Name: "status", Type: arrow.BinaryTypes.String},
		{Name: "value", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, {Name: "label", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "passed", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "reason", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "code", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "usage", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "gold_hash", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	defer b.Release()
	for i := range schema.Fields() {
		switch to := b.Field(i).(type) {
		case *array.Int64Builder:
			to.Append(1)
		case *array.StringBuilder:
			if i < 7 {
				to.Append("x")
			} else {
				to.AppendNull()
			}
		default:
			to.AppendNull()
		}
	}
	f.open.Add(1)
	return &fakeRows{fake: f, schema: schema, rec: b.NewRecord(), left: f.batches}, nil
}

type fakeRows struct {
	array.RecordReader
	fake   *fake
	schema *arrow.Schema
	rec    arrow.Record
	left   int
}

func (r *fakeRows) Schema() *arrow.Schema { return r.schema }
func (r *fakeRows) Record() arrow.Record  { return r.rec }
func (r *fakeRows) Err() error            { return nil }
func (r *fakeRows) Release()              { r.fake.use(); r.fake.open.Add(-1) }
func (r *fakeRows) Next() bool            { r.fake.use(); r.left--; return r.left >= 0 }

func (f *fake) Exec(context.Context, string, ...any) error { f.use(); return f.err }
func (f *fake) Merge(context.Context, string, []string, array.RecordReader) (int64, error) {
	f.use()
	return 0, f.err
}
func (f *fake) ErrorCode(error) errcode.Code { return errcode.Unavailable }
func (f *fake) Close() error {
	f.closed.Store(true)
	f.closes.Add(1)
	if n := f.open.Load(); n != 0 {
		f.t.Errorf("%d results are open while the connection is closed", n)
	}
	return errClosing
}

var errClosing = errors.New("what closing says")

func TestClosing(t *testing.T) {
	ctx := context.Background()
	for range 30 {
		f := &fake{t: t, batches: 50}
		w := connectors.New(f, driver.Dialect{})
		var wg sync.WaitGroup
		for g := range 6 {
			wg.Go(func() {
				for {
					var err error
					switch g % 3 {
					case 0:
						_, err = w.Query(ctx, "SELECT 1")
					case 1:
						err = w.Exec(ctx, "x")
					default:
						err = w.Each(ctx, "reading", "SELECT 1", nil, func(*scoring.Table, int) bool { return true })
					}
					if err != nil {
						if errcode.Of(err) != errcode.FailedPrecondition {
							t.Errorf("%v (%v), want failed_precondition", err, errcode.Of(err))
						}
						return
					}
				}
			})
		}
		for range 3 {
			wg.Go(func() {
				if err := w.Close(); !errors.Is(err, errClosing) {
					t.Errorf("closing says %v", err)
				}
			})
		}
		wg.Wait()
		if n := f.closes.Load(); n != 1 {
			t.Fatalf("the connection was closed %d times", n)
		}
	}
}

// A stream whose reader stands still must not keep the warehouse from closing, not even by its own
// hand.
func TestClosingInsideAStream(t *testing.T) {
	f := &fake{t: t, batches: 3}
	w := connectors.New(f, driver.Dialect{})
	rows := 0
	last := w.Each(context.Background(), "reading", "SELECT 1", nil, func(*scoring.Table, int) bool {
		rows++
		_ = w.Close()
		return true
	})
	if rows != 1 || errcode.Of(last) != errcode.FailedPrecondition {
		t.Errorf("%d rows, then %v, want one row and failed_precondition", rows, last)
	}
}

// A function called by a query reads a snapshot: calls nest, also while somebody waits to close.
func TestCallsNestWhileClosing(t *testing.T) {
	f := &nesting{fake: &fake{t: t, batches: 1}}
	w := connectors.New(f, driver.Dialect{})
	f.inside = func() {
		started := make(chan struct{})
		go func() { close(started); _ = w.Close() }()
		<-started
		for range 100 { // before and after Close has begun
			_ = w.Exec(context.Background(), "y")
		}
	}
	if _, err := w.Query(context.Background(), "SELECT f()"); err != nil {
		t.Error(err)
	}
	_ = w.Close()
}

type nesting struct {
	*fake
	inside func()
}

func (n *nesting) Query(ctx context.Context, q string, args ...any) (array.RecordReader, error) {
	if in := n.inside; in != nil {
		n.inside = nil
		in()
	}
	return n.fake.Query(ctx, q, args...)
}

func TestErrorsGetTheConnectionsCode(t *testing.T) {
	plain := errors.New("vendor's words")
	w := connectors.New(&fake{t: t, err: plain}, driver.Dialect{})
	_, err := w.Query(context.Background(), "SELECT 1")
	if errcode.Of(err) != errcode.Unavailable || !errors.Is(err, plain) || !strings.Contains(err.Error(), "query: ") {
		t.Errorf("%v (%v), want unavailable, with the cause and what was done", err, errcode.Of(err))
	}
	coded := connectors.New(&fake{t: t, err: errcode.New(errcode.NotFound, "no such table")}, driver.Dialect{})
	if err := coded.Exec(context.Background(), "x"); errcode.Of(err) != errcode.NotFound {
		t.Errorf("%v (%v), want not_found", err, errcode.Of(err))
	}
	if _, err := w.ReadSnapshot(context.Background(), "table:t; DROP"); errcode.Of(err) != errcode.InvalidArgument {
		t.Errorf("a reference that is none: %v", err)
	}
}

func TestMux(t *testing.T) {
	var m connectors.Mux
	opener := func(_ context.Context, url string, _ driver.Options) (driver.Conn, driver.Dialect, error) {
		if url != "b:x" {
			t.Errorf("the opener got %q", url)
		}
		return &fake{t: t}, driver.Dialect{Name: "b"}, nil
	}
	m.Register("b", opener)
	m.Register("a", opener)
	if w, err := m.Open(context.Background(), "b:x", driver.Options{}); err != nil || w.Dialect() != "b" {
		t.Errorf("%v, %v", w, err)
	}
	for _, url := range []string{"c:x", "", "x", "https://user:hunter2@host/"} {
		_, err := m.Open(context.Background(), url, driver.Options{})
		if errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), "a:, b:") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want the known schemes and nothing of the URL", url, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a scheme was registered twice")
		}
	}()
	m.Register("a", opener)
}

// broken is a connection whose driver does not expect what the warehouse answers.
type broken struct{ driver.Conn }

func (broken) Query(context.Context, string, ...any) (array.RecordReader, error) {
	var none map[string]int
	none["a"]++ //nolint:staticcheck // it is to panic
	return nil, nil
}

func (broken) ErrorCode(err error) errcode.Code { return errcode.Of(err) }

func (broken) Close() error { return nil }

// A panic of a driver is the failure of the call that met it; the warehouse can be used on.
func TestADriverThatBreaksDown(t *testing.T) {
	w := connectors.New(broken{}, driver.Dialect{Name: "broken"})
	for range 2 {
		if _, err := w.Query(context.Background(), "SELECT 1"); errcode.Of(err) != errcode.Internal {
			t.Errorf("%v, want internal", err)
		}
	}
	if err := w.Close(); err != nil { // which waits for calls that are under way
		t.Error(err)
	}
}
