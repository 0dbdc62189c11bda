package postgres

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/badger-eval/badger/internal/fake/port"
)

// PgBouncer is a running PgBouncer, a connection pooler in front of a server.
type PgBouncer struct {
	Port int

	server  *Server
	cmd     *exec.Cmd
	ended   chan struct{}
	dir     string
	release func() // releases the port
}

// Pool starts PgBouncer in front of the server. mode is its pool_mode: session, transaction or statement; sessions is
// the number of the server's sessions for each database and user. settings are further lines of its configuration, such
// as "query_wait_timeout = 1". The error names a program that is missing on this machine.
func (s *Server) Pool(mode string, sessions int, settings ...string) (*PgBouncer, error) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program = "/usr/sbin/pgbouncer"; !executable(program) {
			return nil, fmt.Errorf("neither PATH nor /usr/sbin has pgbouncer")
		}
	}
	b := &PgBouncer{server: s, ended: make(chan struct{})}
	if b.Port, b.release, err = port.Reserve(); err != nil {
		return nil, err
	}
	if b.dir, err = os.MkdirTemp(s.Dir, "pgbouncer-"); err != nil {
		return nil, err
	}
	config := fmt.Sprintf(`[databases]
* = host=127.0.0.1 port=%d
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = trust
auth_file = %s
pool_mode = %s
default_pool_size = %d
max_client_conn = 200
`, s.Port, b.Port, filepath.Join(b.dir, "users"), mode, sessions)
	for _, line := range settings {
		config += line + "\n"
	}
	file := filepath.Join(b.dir, "pgbouncer.ini")
	for path, text := range map[string]string{file: config, filepath.Join(b.dir, "users"): "\"owner\" \"\"\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
		if err := s.Own(path); err != nil {
			return nil, err
		}
	}
	if err := s.Own(b.dir); err != nil {
		return nil, err
	}
	b.cmd = s.Program("pg_ctl", "") // sets the user and the environment
	b.cmd.Path, b.cmd.Args = program, []string{program, "-q", file}
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { _ = b.cmd.Wait(); close(b.ended) }()
	for {
		conn, err := (&net.Dialer{}).DialContext(context.Background(), "tcp",
			net.JoinHostPort("127.0.0.1", strconv.Itoa(b.Port)))
		if err == nil {
			return b, conn.Close()
		}
		select {
		case <-b.ended:
			return nil, fmt.Errorf("pgbouncer ended: %v", b.cmd.ProcessState)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Stop kills the pooler and waits until it has exited.
func (b *PgBouncer) Stop() {
	_ = b.cmd.Process.Kill()
	<-b.ended
	b.release()
	_ = os.RemoveAll(b.dir)
}

// URL returns the URL of a database through the pooler.
func (b *PgBouncer) URL(database string) string { return b.server.URL(database, b.Port) }

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
