//go:build linux

package port_test

import (
	"errors"
	"net"
	"syscall"
	"testing"

	"github.com/badger-eval/badger/internal/fake/port"
)

// A reserved port refuses connections, is not given to others, and can be listened on again and again.
func TestUnused(t *testing.T) {
	at := port.Unused(t)
	refused := func() {
		t.Helper()
		if c, err := net.Dial("tcp", at); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%s: %v %v, want a refused connection", at, c, err)
		}
	}
	refused()
	if other := port.Unused(t); other == at {
		t.Errorf("%s is reserved twice", at)
	}
	for range 2 {
		l, err := net.Listen("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("tcp", at)
		if err != nil {
			t.Error(err)
		} else {
			_ = c.Close()
		}
		_ = l.Close()
		refused()
	}
}

// A port that was released belongs to others: one socket that does not share it can have it.
func TestReserve(t *testing.T) {
	bind := func(at int) error {
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = syscall.Close(fd) }()
		return syscall.Bind(fd, &syscall.SockaddrInet4{Port: at, Addr: [4]byte{127, 0, 0, 1}})
	}
	at, release, err := port.Reserve()
	if err != nil {
		t.Fatal(err)
	}
	if err := bind(at); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("reserved: %v, want that the port is in use", err)
	}
	release()
	if err := bind(at); err != nil {
		t.Errorf("released: %v", err)
	}
}
