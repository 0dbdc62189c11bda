package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/postgres"
)

// server is a PostgreSQL of this machine, started for the tests with a cluster of its own.
type server struct {
	bin, dir  string
	port      int
	as        *syscall.Credential // nil is the tests' own user
	cmd       *exec.Cmd
	databases atomic.Int64
}

var (
	startOnce sync.Once
	shared    *server
	startErr  error
)

func TestMain(m *testing.M) {
	code := m.Run()
	if shared != nil {
		shared.stop("immediate")
		os.RemoveAll(shared.dir)
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

func newServer() (*server, error) {
	s := &server{}
	var err error
	if s.bin, err = serverPrograms(); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "badger-postgres-"); err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 { // which the server refuses to run as
		if s.as, err = other(); err != nil {
			return nil, err
		}
		if err := os.Chown(s.dir, int(s.as.Uid), int(s.as.Gid)); err != nil {
			return nil, err
		}
	}
	if out, err := s.program("initdb", "-D", s.data(), "-U", "owner", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	rules := "host all guarded all scram-sha-256\nlocal all all trust\nhost all all all trust\n"
	if err := os.WriteFile(filepath.Join(s.data(), "pg_hba.conf"), []byte(rules), 0o600); err != nil {
		return nil, err
	}
	if err := s.certify(); err != nil {
		return nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.port = free.Addr().(*net.TCPAddr).Port
	free.Close()
	return s, s.start()
}

func (s *server) data() string { return filepath.Join(s.dir, "data") }

// serverPrograms is where initdb and postgres are.
func serverPrograms() (string, error) {
	places, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.Reverse(places)
	if p, err := exec.LookPath("initdb"); err == nil {
		if p, err = filepath.EvalSymlinks(p); err == nil {
			places = append([]string{filepath.Dir(p)}, places...)
		}
	}
	for _, dir := range places {
		if _, err := os.Stat(filepath.Join(dir, "postgres")); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("neither PATH nor /usr/lib/postgresql has initdb")
}

// other is a user that is not root.
func other() (*syscall.Credential, error) {
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
			gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
			if err1 == nil && err2 == nil {
				return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
			}
		}
	}
	return nil, errors.New("the server does not run as root, and there is no user postgres or nobody")
}

func (s *server) program(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}
	return cmd
}

// start starts the server and waits for it.
func (s *server) start() error {
	s.cmd = s.program("postgres", "-D", s.data(), "-p", strconv.Itoa(s.port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="+s.dir,
		"-c", "ssl=on", "-c", "fsync=off", "-c", "max_connections=60", "-c", "shared_buffers=64MB", "-c", "autovacuum=off", "-c", "log_min_messages=fatal")
	if err := s.cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	for {
		c, _, err := postgres.Open(context.Background(), s.url("postgres", s.port), driver.Options{})
		if err == nil {
			return c.Close()
		}
		select {
		case err := <-ended:
			return fmt.Errorf("postgres ended: %w", err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// stop ends the server and waits until it has.
func (s *server) stop(mode string) {
	s.program("pg_ctl", "stop", "-D", s.data(), "-m", mode, "-w").Run()
}

func (s *server) url(database string, port int) string {
	return fmt.Sprintf("postgres://owner@127.0.0.1:%d/%s?sslmode=disable", port, database)
}

// database makes an empty database and returns its name.
func (s *server) database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("db%d", s.databases.Add(1))
	c := s.open(t, "postgres", driver.Options{})
	defer c.Close()
	mustExec(t, c, "CREATE DATABASE "+name)
	return name
}

func (s *server) open(t testing.TB, database string, o driver.Options) driver.Conn {
	t.Helper()
	return openURL(t, s.url(database, s.port), o)
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
