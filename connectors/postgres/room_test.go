package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/errcode"
)

// all asks for a number from so many callers at once, many times, and returns what went wrong.
func all(c driver.Conn, callers, calls int) (wrong []string) {
	var group sync.WaitGroup
	var mu sync.Mutex
	for caller := range callers {
		group.Go(func() {
			for call := range calls {
				n := caller*calls + call
				got, err := drivertest.Read(context.Background(), c, fmt.Sprintf("SELECT %d AS n, pg_sleep(0.002)", n))
				if err != nil || got.Columns[0].Value(0).Int() != int64(n) {
					mu.Lock()
					wrong = append(wrong, fmt.Sprintf("%d: %v, %v", n, got, err))
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	return wrong
}

// If the server, the database, the role or a pooler allows fewer sessions than the pool would
// have, callers wait for one another, and no call fails.
func TestFewerSessionsThanCallers(t *testing.T) {
	s := running(t)
	name := s.database(t)
	owner := s.open(t, name, driver.Options{})
	defer owner.Close()
	role := "few_" + name
	mustExec(t, owner, "CREATE ROLE "+role+" LOGIN CONNECTION LIMIT 2")
	pooled := pool(t, s, "transaction", "query_wait_timeout = 1")
	clients := pool(t, s, "transaction", "max_client_conn = 3")
	for why, url := range map[string]string{
		"the role may have two":           strings.Replace(s.URL(name, s.Port), "owner", role, 1),
		"a pooler takes three clients":    clients.URL(name),
		"a pooler has two, and gives up":  pooled.URL(name),
		"the pool itself is to have only": s.URL(name, s.Port) + "&pool_max_conns=1",
	} {
		t.Run(why, func(t *testing.T) {
			c := openURL(t, url, driver.Options{})
			defer c.Close()
			if wrong := all(c, 8, 20); len(wrong) > 0 {
				t.Errorf("%d of 160 calls failed: %s", len(wrong), wrong[0])
			}
		})
	}
}

// Sessions that others have are waited for. If they stay, the error names the limit, and is
// nothing that would be said of a result that is too large.
func TestSessionsThatOthersHave(t *testing.T) {
	s := running(t)
	ctx := context.Background()
	name := s.database(t)
	owner := s.open(t, name, driver.Options{})
	defer owner.Close()
	role := "one_" + name
	mustExec(t, owner, "CREATE ROLE "+role+" LOGIN CONNECTION LIMIT 1")
	url := strings.Replace(s.URL(name, s.Port), "owner", role, 1)
	other := openURL(t, url, driver.Options{})
	went := time.AfterFunc(700*time.Millisecond, func() { other.Close() })
	c, _, err := postgres.Open(ctx, url, driver.Options{})
	if err != nil {
		t.Fatalf("while another was ending: %v", err)
	}
	defer c.Close()
	went.Stop()

	defer postgres.Patience(postgres.Patience(300 * time.Millisecond))
	_, _, err = postgres.Open(ctx, url, driver.Options{})
	if errcode.Of(err) != errcode.Unavailable || !strings.Contains(err.Error(), "CONNECTION LIMIT") {
		t.Errorf("for good: %v (%v), want unavailable with the limit's name", err, errcode.Of(err))
	}
	// One session, and a call that waits for another while it is read from: an error in the end, and
	// no wait without one.
	r, err := c.Query(ctx, slow)
	if err != nil || !r.Next() {
		t.Fatal(err)
	}
	defer r.Release()
	if _, err := drivertest.Read(ctx, c, "SELECT 1"); errcode.Of(err) != errcode.Unavailable {
		t.Errorf("a second statement in one session: %v (%v), want unavailable", err, errcode.Of(err))
	}
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	if _, err := drivertest.Read(short, c, "SELECT 1"); errcode.Of(err) != errcode.Unavailable || !strings.Contains(err.Error(), "did not run") {
		t.Errorf("without the time to wait: %v (%v), want unavailable: the statement did not take long", err, errcode.Of(err))
	}
}
