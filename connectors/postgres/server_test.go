package postgres_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	fakepostgres "github.com/badger-eval/badger/connectors/fake/postgres"
	"github.com/badger-eval/badger/connectors/postgres"
)

// server is a PostgreSQL of this machine, started for the tests.
type server struct{ *fakepostgres.Server }

func newServer() (*server, error) {
	s, err := fakepostgres.Start(certify, "-c", "ssl=on")
	return &server{s}, err
}

var (
	startOnce sync.Once
	shared    *server
	startErr  error
)

func TestMain(m *testing.M) {
	code := m.Run()
	if shared != nil && startErr == nil {
		shared.Remove()
	}
	os.Exit(code)
}

// running is the server of the tests, started with the first that wants it.
func running(t testing.TB) *server {
	t.Helper()
	startOnce.Do(func() { shared, startErr = newServer() })
	if startErr != nil {
		t.Skipf("there is no PostgreSQL server to test with: %v", startErr)
	}
	return shared
}

// database makes an empty database and returns its name.
func (s *server) database(t testing.TB) string {
	t.Helper()
	return s.Database(t)
}

func (s *server) open(t testing.TB, database string, o driver.Options) driver.Conn {
	t.Helper()
	return openURL(t, s.URL(database, s.Port), o)
}

func openURL(t testing.TB, url string, o driver.Options) driver.Conn {
	t.Helper()
	c, _, err := postgres.Open(context.Background(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustExec(t testing.TB, c driver.Conn, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if err := c.Exec(context.Background(), s); err != nil {
			t.Fatalf("%s: %v", strings.SplitN(s, "(", 2)[0], err)
		}
	}
}
