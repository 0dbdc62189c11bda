package connectors_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
)

// A warehouse that is connected later fails what it is asked before, and nobody but prepare sees a
// connection that is not prepared.
func TestLater(t *testing.T) {
	var f *fake
	var there error
	var m connectors.Mux
	m.Register("fake", func(_ context.Context, url string, o driver.Options) (driver.Conn, driver.Dialect, error) {
		switch {
		case url == "fake:wrong":
			return nil, driver.Dialect{}, errcode.New(errcode.InvalidArgument, "wrong")
		case o.URLOnly:
			return nil, driver.Dialect{Name: "fake"}, nil
		case there != nil:
			return nil, driver.Dialect{}, there
		}
		f = &fake{t: t}
		return f, driver.Dialect{Name: "fake"}, nil
	})
	for _, url := range []string{"fake:wrong", "other:x", "nothing"} {
		if _, err := m.Later(url, driver.Options{}, "results.warehouse"); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%s: %v", url, err)
		}
	}
	w, err := m.Later("fake:x", driver.Options{}, "results.warehouse")
	if err != nil {
		t.Fatal(err)
	}
	away := func(when string) {
		t.Helper()
		_, query := w.Query(t.Context(), "SELECT 1")
		_, text := w.QueryText(t.Context(), "SELECT 1")
		_, ref := w.ReadSnapshot(t.Context(), "table:a")
		for _, err := range []error{query, text, ref, w.Exec(t.Context(), "x")} {
			if errcode.Of(err) != errcode.Unavailable || !strings.Contains(err.Error(), "results.warehouse cannot be reached now") {
				t.Errorf("%s: %v", when, err)
			}
		}
	}
	away("at first")
	if w.Dialect() != "fake" || !w.HostsModels() {
		t.Errorf("dialect %q, models %v", w.Dialect(), w.HostsModels())
	}
	there = errcode.New(errcode.Unauthenticated, "not yet")
	if err := w.Connect(t.Context(), nil); !errors.Is(err, there) {
		t.Errorf("connecting: %v", err)
	}
	there = nil
	unprepared := errors.New("no tables")
	err = w.Connect(t.Context(), func(first *connectors.Warehouse) error {
		away("while it is prepared")
		if err := first.Exec(t.Context(), "x"); err != nil {
			t.Errorf("preparing: %v", err)
		}
		return unprepared
	})
	if !errors.Is(err, unprepared) || f.closes.Load() != 1 {
		t.Errorf("%v, closed %d times", err, f.closes.Load())
	}
	away("after preparing failed")

	var wg sync.WaitGroup
	for range 4 { // callers come at any time
		wg.Go(func() {
			for w.Exec(t.Context(), "x") != nil {
				_ = w.HostsModels()
			}
		})
	}
	if err := w.Connect(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	was := f
	if err := w.Connect(t.Context(), nil); err != nil || f != was {
		t.Errorf("connecting again: %v", err)
	}
	if err := w.Close(); !errors.Is(err, errClosing) || was.closes.Load() != 1 {
		t.Errorf("%v, closed %d times", err, was.closes.Load())
	}
}

// A connection that comes after the end is closed.
func TestLaterThanTheEnd(t *testing.T) {
	f := &fake{t: t}
	var w *connectors.Warehouse
	var m connectors.Mux
	m.Register("fake", func(_ context.Context, _ string, o driver.Options) (driver.Conn, driver.Dialect, error) {
		if o.URLOnly {
			return nil, driver.Dialect{}, nil
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		return f, driver.Dialect{}, nil
	})
	w, err := m.Later("fake:x", driver.Options{}, "results.warehouse")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Connect(t.Context(), nil); errcode.Of(err) != errcode.FailedPrecondition || f.closes.Load() != 1 {
		t.Errorf("%v, closed %d times", err, f.closes.Load())
	}
}
