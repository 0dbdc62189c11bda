package postgres_test

import (
	"context"
	"math"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/sql/store"
)

// Replicas that start together on an empty database must all start.
func TestInstallingAtTheSameTime(t *testing.T) {
	s := running(t)
	url := s.URL(s.database(t), s.Port)
	var m connectors.Mux
	m.Register(postgres.Scheme, postgres.Open)
	var replicas []*store.Store
	for range 4 {
		w, err := m.Open(t.Context(), url, driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		replicas = append(replicas, store.New(w))
	}
	var wg sync.WaitGroup
	for i, w := range replicas {
		wg.Go(func() {
			if err := w.Install(t.Context()); err != nil {
				t.Errorf("replica %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	f, err := replicas[0].Inspect(t.Context())
	if err != nil || len(f.Tables) != len(store.Tables) || len(f.Views) != len(store.Views) {
		t.Errorf("afterwards there are %d tables and %d views: %v", len(f.Tables), len(f.Views), err)
	}
}

// meanwhile runs a function once, after the n-th query of a connection.
type meanwhile struct {
	driver.Conn
	n    int
	then func()
}

func (m *meanwhile) Query(ctx context.Context, query string, args ...any) (array.RecordReader, error) {
	r, err := m.Conn.Query(ctx, query, args...)
	if m.n--; m.n == 0 {
		m.then()
	}
	return r, err
}

// Whatever a program has looked at when another one installs the tables and views, it takes them for
// badger's. Unless tests are thorough, one in twelve of its looks is tried.
func TestInstalledMeanwhile(t *testing.T) {
	t.Parallel()
	s := running(t)
	for n := 1; ; n++ {
		if !sample.Takes(n, math.MaxInt, 12) {
			continue
		}
		url := s.URL(s.database(t), s.Port)
		var plain, watched connectors.Mux
		plain.Register(postgres.Scheme, postgres.Open)
		opened, err := plain.Open(t.Context(), url, driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		other := store.New(opened)
		installed := false
		watched.Register(postgres.Scheme, func(ctx context.Context, url string, o driver.Options) (driver.Conn, driver.Dialect, error) {
			c, d, err := postgres.Open(ctx, url, o)
			return &meanwhile{c, n, func() {
				installed = true
				if err := other.Install(ctx); err != nil {
					t.Errorf("the other one, after query %d: %v", n, err)
				}
			}}, d, err
		})
		seen, err := watched.Open(t.Context(), url, driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := store.New(seen)
		if err := w.Install(t.Context()); err != nil {
			t.Errorf("after query %d: %v", n, err)
		}
		_, _ = w.Close(), other.Close()
		if !installed { // it took fewer queries
			if n <= len(store.Tables) {
				t.Errorf("the other one installed after %d queries only, want all of the tables", n-1)
			}
			return
		}
	}
}
