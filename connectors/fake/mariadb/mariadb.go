// Package mariadb starts a MariaDB server on this machine for tests, with a temporary directory of data.
package mariadb

import (
	"bytes"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/badger-eval/badger/internal/fake/port"
)

// Server is a MariaDB server that ends with its test. The user root has no password.
type Server struct {
	Dir    string // its directory, which also holds files of a test
	Socket string // path of its Unix socket
	Port   int    // on 127.0.0.1
}

// Start starts a server with additional arguments. It skips the test if no server is installed: on Debian, the package
// mariadb-server has one.
func Start(tb testing.TB, args ...string) *Server {
	tb.Helper()
	server, err := exec.LookPath("mariadbd")
	install, err2 := exec.LookPath("mariadb-install-db")
	if err != nil || err2 != nil {
		tb.Skip("mariadbd was not found; Debian's package mariadb-server has it")
	}
	dir, err := os.MkdirTemp("", "maria") // the path of a socket has at most 107 characters
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &Server{Dir: dir, Socket: filepath.Join(dir, "s")}
	number, release, err := port.Reserve()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(release)
	s.Port = number
	data := filepath.Join(dir, "data")
	prepare := []string{"--no-defaults", "--datadir=" + data, "--skip-test-db", "--auth-root-authentication-method=normal"}
	run := append([]string{"--no-defaults", "--datadir=" + data, "--socket=" + s.Socket,
		"--pid-file=" + filepath.Join(dir, "pid"), "--bind-address=127.0.0.1", "--port=" + strconv.Itoa(number),
		"--skip-name-resolve", "--innodb-buffer-pool-size=8M", "--character-set-server=utf8mb4"}, args...)
	if os.Getuid() == 0 {
		prepare, run = append(prepare, "--user=root"), append(run, "--user=root")
	}
	if out, err := exec.CommandContext(tb.Context(), install, prepare...).CombinedOutput(); err != nil { //nolint:gosec // a program of this machine
		tb.Fatalf("%v: %s", err, out)
	}
	var log bytes.Buffer
	cmd := exec.Command(server, run...) //nolint:noctx,gosec // the server ends after the test's context
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	tb.Cleanup(func() { _ = cmd.Process.Kill(); <-exited })
	for {
		if conn, err := net.Dial("unix", s.Socket); err == nil { //nolint:noctx // on this machine
			_ = conn.Close()
			return s
		}
		select {
		case err := <-exited:
			exited <- err
			tb.Fatalf("MariaDB ended: %v: %s", err, log.String())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Exec runs statements as root.
func (s *Server) Exec(tb testing.TB, statements ...string) {
	tb.Helper()
	db := s.open(tb)
	defer db.Close() //nolint:errcheck // every statement reports its error
	for _, statement := range statements {
		if _, err := db.ExecContext(tb.Context(), statement); err != nil {
			tb.Fatalf("%s: %v", statement, err)
		}
	}
}

// Number returns the number that a query gives to root.
func (s *Server) Number(tb testing.TB, query string) (n int64) {
	tb.Helper()
	db := s.open(tb)
	defer db.Close() //nolint:errcheck // the query reports its error
	if err := db.QueryRowContext(tb.Context(), query).Scan(&n); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	return n
}

func (s *Server) open(tb testing.TB) *sql.DB {
	config := mysql.NewConfig()
	config.User, config.Net, config.Addr = "root", "unix", s.Socket
	connector, err := mysql.NewConnector(config)
	if err != nil {
		tb.Fatal(err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1) // so that a session's settings hold for the next statement
	return db
}

// URL returns the URL of a database for a user without a password, by the Unix socket.
func (s *Server) URL(user, database string) string {
	return fmt.Sprintf("mysql://%s@/%s?socket=%s", user, database, s.Socket)
}

// TCP returns the URL of a database for a user without a password, by TCP.
func (s *Server) TCP(user, database string) string {
	return fmt.Sprintf("mysql://%s@127.0.0.1:%d/%s", user, s.Port, database)
}
