package postgres_test

import (
	"sync"
	"testing"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/postgres"
	badgersql "github.com/badger-eval/badger/sql"
)

// Replicas that start together on an empty database must all start.
func TestInstallingAtTheSameTime(t *testing.T) {
	s := running(t)
	url := s.URL(s.database(t), s.Port)
	var m connectors.Mux
	m.Register(postgres.Scheme, postgres.Open)
	var replicas []*connectors.Warehouse
	for range 4 {
		w, err := m.Open(t.Context(), url, driver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		replicas = append(replicas, w)
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
	if err != nil || len(f.Tables) != len(badgersql.Tables) || len(f.Views) != len(badgersql.Views) {
		t.Errorf("afterwards there are %d tables and %d views: %v", len(f.Tables), len(f.Views), err)
	}
}
