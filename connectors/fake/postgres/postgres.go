// Package postgres starts a PostgreSQL server on this machine for tests, with a temporary cluster that [Server.Remove]
// deletes.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/postgres"
	"github.com/badger-eval/badger/internal/fake/port"
)

// Server is a PostgreSQL server for tests.
type Server struct {
	Dir  string // contains the cluster and the server's socket
	Port int

	bin     string
	as      *syscall.Credential // the user that runs the server; nil is the current user
	cmd     *exec.Cmd
	args    []string
	release func() // releases the port

	mu        sync.Mutex
	databases int      // the number of names that Database has given
	used      []string // databases of tests that have ended
}

// Start creates a cluster and starts a server with the additional arguments args. prepare, if not nil, is called before
// the server starts. The error names a program that is missing on this machine.
func Start(prepare func(*Server) error, args ...string) (*Server, error) {
	s := &Server{args: args}
	var err error
	if s.bin, err = serverPrograms(); err != nil {
		return nil, err
	}
	if s.Dir, err = os.MkdirTemp("", "badger-postgres-"); err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 { // the server refuses to run as root
		if s.as, err = other(); err != nil {
			return nil, err
		}
		if err := s.Own(s.Dir); err != nil {
			return nil, err
		}
	}
	if out, err := s.Program("initdb", "-D", s.Data(), "-U", "owner", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
		"--no-sync", "--no-instructions").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	rules := "host all guarded all scram-sha-256\nlocal all all trust\nhost all all all trust\n"
	if err := os.WriteFile(filepath.Join(s.Data(), "pg_hba.conf"), []byte(rules), 0o600); err != nil {
		return nil, err
	}
	if prepare != nil {
		if err := prepare(s); err != nil {
			return nil, err
		}
	}
	if s.Port, s.release, err = port.Reserve(); err != nil {
		return nil, err
	}
	return s, s.Start()
}

// Data returns the directory of the cluster.
func (s *Server) Data() string { return filepath.Join(s.Dir, "data") }

// serverPrograms returns the directory of initdb and postgres.
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

// other returns a user other than root that can run the server.
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

// Program returns a command for one of the server's programs, to be run as the server's user.
func (s *Server) Program(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...) //nolint:gosec,noctx // programs of this machine, which outlive a test
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	cmd.Dir = s.Dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}
	return cmd
}

// Start starts the server and waits until it accepts connections.
func (s *Server) Start() error {
	s.cmd = s.Program("postgres", "-D", s.Data(), "-p", strconv.Itoa(s.Port), "-c", "listen_addresses=127.0.0.1", "-c",
		"unix_socket_directories="+s.Dir,
		"-c", "fsync=off", "-c", "max_connections=60", "-c", "shared_buffers=64MB", "-c", "autovacuum=off", "-c", "jit=off",
		"-c", "log_min_messages=fatal")
	s.cmd.Args = append(s.cmd.Args, s.args...)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	for {
		c, _, err := postgres.Open(context.Background(), s.URL("postgres", s.Port), driver.Options{})
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

// Stop stops the server by pg_ctl's mode, such as fast or immediate, and waits until it has exited.
func (s *Server) Stop(mode string) {
	_ = s.Program("pg_ctl", "stop", "-D", s.Data(), "-m", mode, "-w").Run() // a server that has ended already is stopped
}

// URL returns the URL of a database on a port, such as the server's own.
func (s *Server) URL(database string, port int) string {
	return fmt.Sprintf("postgres://owner@127.0.0.1:%d/%s?sslmode=disable", port, database)
}

// Remove stops the server and removes its cluster.
func (s *Server) Remove() {
	s.Stop("immediate")
	s.release()
	_ = os.RemoveAll(s.Dir)
}

// Own changes the owner of a file to the server's user.
func (s *Server) Own(path string) error {
	if s.as == nil {
		return nil
	}
	return os.Chown(path, int(s.as.Uid), int(s.as.Gid))
}
