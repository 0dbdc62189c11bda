//go:build !no_duckdb && !no_postgres

package labelling_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

var server struct {
	sync.Mutex
	*fakepostgres.Server
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if server.Server != nil {
		server.Remove()
	}
	os.Exit(code)
}

// clock is a time that tests set.
type clock struct {
	sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.Lock()
	defer c.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.Lock()
	defer c.Unlock()
	c.at = c.at.Add(d)
}

func newClock() *clock { return &clock{at: time.Date(2025, 1, 14, 8, 0, 0, 0, time.UTC)} }

// onEngines calls f with so many servers over one new installation: with one connection each in
// PostgreSQL, and with one connection for all in DuckDB, whose file one process opens. Each test runs on one of them,
// which the seed draws by its name, or in DuckDB if this machine has no PostgreSQL; where tests are thorough, on both.
func onEngines(t *testing.T, servers int, f func(t *testing.T, c *clock, of []*labelling.Store)) {
	t.Helper()
	begin := func(t *testing.T, open func() (driver.Conn, driver.Dialect, error), connections int) {
		t.Helper()
		c := newClock()
		var stores []*labelling.Store
		for i := range servers {
			if i < connections {
				conn, d, err := open()
				if err != nil {
					t.Fatal(err)
				}
				w := store.New(connectors.New(conn, d))
				t.Cleanup(func() { _ = w.Close() })
				stores = append(stores, &labelling.Store{Warehouse: w, Now: c.now})
			} else {
				stores = append(stores, &labelling.Store{Warehouse: stores[0].Warehouse, Now: c.now})
			}
		}
		if err := stores[0].Warehouse.Install(t.Context()); err != nil {
			t.Fatal(err)
		}
		f(t, c, stores)
	}
	inPostgres := sample.One(t.Name(), 2) == 1 && startPostgres() == nil
	run := func(name string, drawn bool, f func(t *testing.T)) {
		t.Helper()
		if drawn || sample.Thorough() {
			t.Run(name, f)
		}
	}
	run("duckdb", !inPostgres, func(t *testing.T) {
		begin(t, func() (driver.Conn, driver.Dialect, error) {
			conn, err := duckdb.OpenWith(t.Context(), "", duckdb.Options{Threads: threads()})
			return conn, duckdb.Dialect, err
		}, 1)
	})
	run("postgres", inPostgres, func(t *testing.T) {
		url := emptyPostgres(t)
		begin(t, func() (driver.Conn, driver.Dialect, error) {
			return postgres.Open(context.WithoutCancel(t.Context()), url, driver.Options{})
		}, servers)
	})
}

// threads returns the number of DuckDB's threads: one, since for small tables a second one costs more than it saves.
// In thorough tests the engine chooses, which is 0.
func threads() int {
	if sample.Thorough() {
		return 0
	}
	return 1
}

// startPostgres starts the server of the package's tests unless it runs.
func startPostgres() error {
	server.Lock()
	defer server.Unlock()
	if server.Server == nil && server.err == nil {
		server.Server, server.err = fakepostgres.Start(nil)
	}
	return server.err
}

func emptyPostgres(t *testing.T) (url string) {
	t.Helper()
	if err := startPostgres(); err != nil {
		t.Skipf("there is no PostgreSQL server to test with: %v", err)
	}
	return server.URL(server.Database(t), server.Port)
}

var run = scoring.RunID{ID: "r1", By: scoring.By{Agent: "atlas", Version: "2", Batch: "mon"}}

// queue makes a queue of cases named c001 and so on.
func queue(t *testing.T, s *labelling.Store, cases int, p labelling.Plan) *labelling.Queue {
	t.Helper()
	p.List = store.State{RunID: run, Mode: store.All}
	answer(t, s, run, caseIDs(cases)...)
	q, err := s.Make(t.Context(), p, caseIDs(cases))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// answer writes answers of a run.
func answer(t *testing.T, s *labelling.Store, run scoring.RunID, cases ...string) {
	t.Helper()
	var out []*scoring.Case
	for _, id := range cases {
		out = append(out, &scoring.Case{ID: id, Question: "?", Agent: scoring.Agent{Name: run.Agent, Version: run.Version, BatchID: run.Batch, Response: "r"}})
	}
	if err := s.Warehouse.WriteCases(t.Context(), "v1", out); err != nil {
		t.Fatal(err)
	}
}

func caseIDs(n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprintf("c%03d", i+1))
	}
	return ids
}

// say is a label of a case of a queue.
func say(q *labelling.Queue, id, who, caseID, verdict string) labelling.Label {
	return labelling.Label{
		ID: id, AnswerID: scoring.AnswerID{CaseID: caseID, By: run.By}, Annotator: who, Verdict: verdict, Queue: q.ID, AnswerHash: "h",
	}
}

func save(t *testing.T, s *labelling.Store, q *labelling.Queue, l labelling.Label) labelling.Label {
	t.Helper()
	got, err := s.Save(t.Context(), q, l)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// next is the case that somebody is given; "" if there is none.
func next(t *testing.T, s *labelling.Store, q *labelling.Queue, who string, not ...string) string {
	t.Helper()
	got, err := s.Next(t.Context(), q, who, not...)
	if err != nil {
		t.Fatal(err)
	}
	if got.Item == nil {
		return ""
	}
	return got.Item.CaseID
}

// logged are all rows of label_log.
func logged(t *testing.T, s *labelling.Store) []labelling.Label {
	t.Helper()
	rows, err := s.Warehouse.LoggedLabels(t.Context(), store.LabelFilter{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
