package network

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// inside is the environment variable that is set for a test that runs in the namespaces.
const inside = "BADGER_RESIDENCY_INSIDE"

// Inside reports whether the test runs in the namespaces.
func Inside() bool { return os.Getenv(inside) != "" }

// Enter reruns the test in a child process with separate namespaces. It returns true in the child, and false in the
// parent after the child has exited. Variables (NAME=VALUE) are added to the child's environment. The test is
// skipped if the machine does not allow namespaces.
func Enter(t *testing.T, variables ...string) bool {
	t.Helper()
	if Inside() {
		return true
	}
	args := []string{"-test.run=" + exact(t.Name()), "-test.v", "-test.count=1"}
	if deadline, ok := t.Deadline(); ok { // a little earlier, so that a hanging test is reported here
		args = append(args, "-test.timeout="+(time.Until(deadline)*9/10).String())
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...) //nolint:gosec // this program
	cmd.Env = append(append(os.Environ(), inside+"=1"), variables...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET | unix.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	err := cmd.Start()
	switch {
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EINVAL),
		errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EACCES):
		t.Skipf("this machine allows no network namespaces: %v", err)
	case err != nil:
		t.Fatal(err)
	}
	err = cmd.Wait()
	switch {
	case err != nil:
		t.Errorf("in the namespaces: %v\n%s", err, &out)
	case bytes.Contains(out.Bytes(), []byte("--- SKIP: "+t.Name()+" ")):
		t.Skipf("in the namespaces:\n%s", &out)
	default:
		t.Logf("in the namespaces:\n%s", &out)
	}
	return false
}

func exact(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// everywhere makes every address local to this machine: it enables the loopback interface and adds a default route for
// IPv4 and IPv6 to the table of local routes.
func everywhere() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		return fmt.Errorf("lo: %w", err)
	}
	if err := addLocalRoute(unix.AF_INET); err != nil {
		return err
	}
	if err := addLocalRoute(unix.AF_INET6); err != nil && !errors.Is(err, unix.EOPNOTSUPP) &&
		!errors.Is(err, unix.EAFNOSUPPORT) {
		return err
	}
	return nil
}

// addLocalRoute does the same as the command ip route add local default dev lo, for one address family.
func addLocalRoute(family byte) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // the answer was read
	const loopback = 1   // the interface's index in a new namespace
	var m []byte
	native := binary.NativeEndian
	m = native.AppendUint32(m, 0) // the length, below
	m = native.AppendUint16(m, unix.RTM_NEWROUTE)
	m = native.AppendUint16(m, unix.NLM_F_REQUEST|unix.NLM_F_ACK|unix.NLM_F_CREATE|unix.NLM_F_EXCL)
	m = append(m, make([]byte, 8)...) // sequence number and port
	m = append(m, family, 0, 0, 0, unix.RT_TABLE_LOCAL, unix.RTPROT_BOOT, unix.RT_SCOPE_HOST, unix.RTN_LOCAL)
	m = native.AppendUint32(m, 0)
	m = native.AppendUint16(m, 8)
	m = native.AppendUint16(m, unix.RTA_OIF)
	m = native.AppendUint32(m, loopback)
	native.PutUint32(m, uint32(len(m))) //nolint:gosec // a few bytes
	if err := unix.Sendto(fd, m, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	if err != nil {
		return err
	}
	if n < 20 || native.Uint16(answer[4:]) != unix.NLMSG_ERROR {
		return errors.New("netlink: unexpected answer")
	}
	if e := int32(native.Uint32(answer[16:])); e != 0 { //nolint:gosec // an errno
		return fmt.Errorf("local route of family %d: %w", family, unix.Errno(-e)) //nolint:gosec // an errno
	}
	return nil
}
