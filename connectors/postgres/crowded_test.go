package postgres_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/errcode"
)

// crowded stands in for a pooler that has no session to give to so many clients, and then has. It says so
// when a client signs in, or, as poolers do that give out transactions, when it sends its first statement.
type crowded struct {
	net.Listener
	server         string
	code, words    string
	atFirst        bool // when the client signs in
	refuses, times atomic.Int64
}

func (c *crowded) serve() {
	for {
		client, err := c.Accept()
		if err != nil {
			return
		}
		go c.client(client)
	}
}

// message is one of the server's messages.
func message(kind byte, body string) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4)), body...)
}

func (c *crowded) client(client net.Conn) {
	defer client.Close()
	if c.times.Add(1) > c.refuses.Load() {
		server, err := net.Dial("tcp", c.server)
		if err != nil {
			return
		}
		defer server.Close()
		go func() { _, _ = io.Copy(server, client); server.Close() }()
		_, _ = io.Copy(client, server)
		return
	}
	var length [4]byte
	if _, err := io.ReadFull(client, length[:]); err != nil {
		return
	}
	if _, err := io.CopyN(io.Discard, client, int64(binary.BigEndian.Uint32(length[:]))-4); err != nil {
		return
	}
	refusal := message('E', "SFATAL\x00VFATAL\x00C"+c.code+"\x00M"+c.words+"\x00\x00")
	if c.atFirst {
		_, _ = client.Write(refusal)
		return
	}
	hello := message('R', "\x00\x00\x00\x00")
	hello = append(hello, message('S', "server_version\x0015.0\x00")...)
	hello = append(hello, message('S', "client_encoding\x00UTF8\x00")...)
	hello = append(hello, message('S', "standard_conforming_strings\x00on\x00")...)
	hello = append(hello, message('K', "\x00\x00\x00\x01\x00\x00\x00\x02")...)
	hello = append(hello, message('Z', "I")...)
	if _, err := client.Write(hello); err != nil {
		return
	}
	for {
		var header [5]byte
		if _, err := io.ReadFull(client, header[:]); err != nil {
			return
		}
		if _, err := io.CopyN(io.Discard, client, int64(binary.BigEndian.Uint32(header[1:]))-4); err != nil {
			return
		}
		if header[0] == 'Q' || header[0] == 'S' {
			_, _ = client.Write(append(refusal, message('Z', "I")...))
			return
		}
	}
}

// Poolers that have no session to give say so in words of their own; sessions are waited for behind each, and
// if none becomes free the error says what is short. The words are those of the poolers' sources, and
// for RDS Proxy of its documentation, which has no code for them.
func TestPoolersWithoutRoom(t *testing.T) {
	s := running(t)
	poolers := []struct {
		pooler, code, words string
		atFirst             bool
	}{
		{"PgBouncer", "08P01", "no more connections allowed (max_client_conn)", true},
		{"PgBouncer", "08P01", "query_wait_timeout", false},
		{"Supavisor", "XX000", "(EMAXCONNSESSION) max clients reached in session mode - max clients are limited to pool_size: 15", true},
		{"Supavisor", "XX000", "(EMAXCONN) max client connections reached, limit: 200", true},
		{"Supavisor", "XX000", "(ECHECKOUTTIMEOUT) unable to check out connection from the pool after 60000ms in Transaction mode", false},
		{"Supavisor, older", "XX000", "Unable to check out process from the pool due to timeout", false},
		{"Supavisor", "XX000", "(EMAXPOOLSREACHED) max pools count reached", true},
		{"pgcat", "58000", "could not get connection from the pool - AllServersDown", false},
		{"Odyssey", "53300", "odyssey: c123: too many client tcp connections (global client_max)", true},
		{"Odyssey", "08006", "odyssey: c123: failed to get remote server connection", false},
		{"RDS Proxy", "08006", "Timed-out waiting to acquire database connection", true},
		{"Neon", "XX000", "Failed to acquire permit to connect to the database. Too many database connection attempts are currently ongoing.", true},
	}
	// Each pauses before it tries again, so all poolers wait at the same time.
	crowds, urls := make([]*crowded, len(poolers)), make([]string, len(poolers))
	var group sync.WaitGroup
	for i, tc := range poolers {
		l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		crowds[i] = &crowded{Listener: l, server: net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port)), code: tc.code, words: tc.words, atFirst: tc.atFirst}
		urls[i] = s.URL("postgres", l.Addr().(*net.TCPAddr).Port)
		go crowds[i].serve()
		crowds[i].refuses.Store(2)
		group.Go(func() {
			db, _, err := postgres.Open(context.Background(), urls[i], driver.Options{})
			if err != nil {
				t.Errorf("%s: %s: %v, want the session that becomes free", tc.pooler, tc.words, err)
				return
			}
			defer db.Close()
			if got, err := drivertest.Read(context.Background(), db, "SELECT 'here'"); err != nil || row(got) != "here" {
				t.Errorf("%s: %s: got %s, %v", tc.pooler, tc.words, row(got), err)
			}
		})
	}
	group.Wait()
	defer postgres.Patience(postgres.Patience(300 * time.Millisecond))
	for i, tc := range poolers {
		crowds[i].refuses.Store(1 << 30)
		group.Go(func() {
			_, _, err := postgres.Open(context.Background(), urls[i], driver.Options{})
			if errcode.Of(err) != errcode.Unavailable || !strings.Contains(err.Error(), "sessions") {
				t.Errorf("%s: %s: for good: %v (%v), want unavailable, with what is short", tc.pooler, tc.words, err, errcode.Of(err))
			}
		})
	}
	group.Wait()
}

// Who may not sign in is told so, though poolers have no SQLSTATE for it.
func TestPoolersThatRefuse(t *testing.T) {
	s := running(t)
	for _, tc := range []struct {
		code, words string
		want        errcode.Code
	}{
		{"08P01", `"trust" authentication failed`, errcode.Unauthenticated},
		{"08P01", "no such user: reader", errcode.Unauthenticated},
		{"XX000", "Tenant or user not found", errcode.Unauthenticated},
		{"08P01", "no such database: nodb", errcode.NotFound},
		{"08P01", "server conn crashed?", errcode.Unavailable},
	} {
		l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		c := &crowded{Listener: l, code: tc.code, words: tc.words, atFirst: true}
		c.refuses.Store(1 << 30)
		go c.serve()
		if _, _, err = postgres.Open(context.Background(), s.URL("postgres", l.Addr().(*net.TCPAddr).Port), driver.Options{}); errcode.Of(err) != tc.want {
			t.Errorf("%s: %v (%v), want %v", tc.words, err, errcode.Of(err), tc.want)
		}
		l.Close()
	}
}
