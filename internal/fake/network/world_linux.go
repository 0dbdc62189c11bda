package network

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Hosts that the certificates of a world name for revocation checks (OCSP and CRLs).
const (
	responder = "ocsp.authority.test"
	CRLs      = "crl.authority.test"
)

// Authority is the path, inside the world, of the CA certificate that the program should trust.
const Authority = "/etc/world-authority.pem"

// World is an isolated network and file system for a program under test. It is removed when the test ends.
type World struct {
	t       *testing.T
	sniffer *sniffer
	names   *names
	last    netip.Addr // address that was last assigned to a name

	authority *x509.Certificate
	key       *ecdsa.PrivateKey

	root, upper string
	bare        []string          // directories at the top of the root without an overlay
	before      map[string]string // files in the overlay at the last Start, with a fingerprint of each
}

// New creates a world. It must be called inside the namespaces of [Enter].
func New(t *testing.T) *World {
	t.Helper()
	w := &World{t: t, last: netip.MustParseAddr("10.77.0.0")}
	if err := everywhere(); err != nil {
		t.Skipf("the network of the namespace cannot be made: %v", err)
	}
	w.sniffer, w.names = newSniffer(t), newNames(t)
	w.overlay()
	w.certify()
	w.Write("/etc/resolv.conf", "nameserver "+nameServer.String()+"\noptions attempts:1 timeout:2\n")
	w.Write("/etc/nsswitch.conf", "passwd: files\nhosts: files dns\n")
	w.Write("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n")
	return w
}

// overlay creates the program's file system: the machine's files, with changes stored separately. Each directory of the
// root has its own overlay, since those of a user namespace cannot cover other mounts.
func (w *World) overlay() {
	w.t.Helper()
	must := func(what string, err error) {
		if err != nil {
			w.t.Skipf("the file system of the namespace cannot be made: %s: %v", what, err)
		}
	}
	must("private mounts", unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	top := w.t.TempDir()
	must("tmpfs", unix.Mount("tmpfs", top, "tmpfs", 0, "mode=755"))
	w.t.Cleanup(func() { _ = unix.Unmount(top, unix.MNT_DETACH) })
	w.root, w.upper = filepath.Join(top, "root"), filepath.Join(top, "upper")
	work := filepath.Join(top, "work")
	for _, dir := range []string{w.root, w.upper, work} {
		must("directory", os.Mkdir(dir, 0o755)) //nolint:gosec // others may look
	}
	entries, err := os.ReadDir("/")
	must("/", err)
	for _, e := range entries {
		name := e.Name()
		from, to := "/"+name, filepath.Join(w.root, name)
		if link, err := os.Readlink(from); err == nil {
			must(from, os.Symlink(link, to))
			continue
		}
		if !e.IsDir() || name == "sys" {
			continue
		}
		must(from, os.Mkdir(to, 0o755)) //nolint:gosec // as it is
		if name == "proc" || name == "dev" {
			must(from, unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""))
			continue
		}
		upper, worker := filepath.Join(w.upper, name), filepath.Join(work, name)
		must(from, os.Mkdir(upper, 0o755))  //nolint:gosec // as it is
		must(from, os.Mkdir(worker, 0o755)) //nolint:gosec // nobody's
		options := "lowerdir=" + from + ",upperdir=" + upper + ",workdir=" + worker
		if unix.Mount("overlay", to, "overlay", 0, options) != nil &&
			unix.Mount("overlay", to, "overlay", 0, options+",userxattr") != nil {
			w.bare = append(w.bare, to) // other mounts are in it: it is empty for the program
		}
	}
}

// Program adds an executable of the machine to the world as the program under test, and returns its path there.
func (w *World) Program(path string) string {
	w.t.Helper()
	const at = "/opt/program"
	w.Write(at, "")
	if err := unix.Mount(path, filepath.Join(w.root, at), "", unix.MS_BIND, ""); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = unix.Unmount(filepath.Join(w.root, at), unix.MNT_DETACH) })
	return at
}

// Write writes a file of the world and creates missing directories.
func (w *World) Write(path, text string) {
	w.t.Helper()
	full := filepath.Join(w.root, path)
	_ = os.Remove(full)                                            // it may be a link
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil { //nolint:gosec // as directories are
		w.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// Path returns the path by which the test can open a file of the world.
func (w *World) Path(path string) string { return filepath.Join(w.root, path) }

// Dir creates a directory of the world, with missing parents.
func (w *World) Dir(path string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Join(w.root, path), 0o755); err != nil { //nolint:gosec // as directories are
		w.t.Fatal(err)
	}
}

// addr returns the IP address of a host, which may be an address or a name. A new name gets an address, and resolves
// from then on.
func (w *World) addr(host string) netip.Addr {
	if a, err := netip.ParseAddr(host); err == nil {
		return a
	}
	w.names.mu.Lock()
	defer w.names.mu.Unlock()
	host = strings.ToLower(host)
	if a, ok := w.names.addrs[host]; ok {
		return a
	}
	w.last = w.last.Next()
	w.names.addrs[host] = w.last
	return w.last
}

// Address returns ADDRESS:PORT of a host. The name resolves from then on. The port is closed until the test listens on
// it.
func (w *World) Address(host string, port int) string {
	return net.JoinHostPort(w.addr(host).String(), strconv.Itoa(port))
}

// Forward forwards connections to a host's port to the address to of this machine.
func (w *World) Forward(host string, port int, to string) { w.forward(host, port, to, nil) }

// TLS is like Forward for TLS connections. The certificate is for the host, is issued by [Authority], and names
// [responder] and [CRLs]. protocols are those of ALPN.
func (w *World) TLS(host string, port int, to string, protocols ...string) {
	w.t.Helper()
	w.forward(host, port, to,
		&tls.Config{Certificates: []tls.Certificate{w.certificate(host)}, NextProtos: protocols,
			MinVersion: tls.VersionTLS12})
}

func (w *World) forward(host string, port int, to string, secured *tls.Config) {
	w.t.Helper()
	l, err := net.Listen("tcp", netip.AddrPortFrom(w.addr(host), uint16(port)).String()) //nolint:gosec,noctx // a port
	if err != nil {
		w.t.Fatal(err)
	}
	if secured != nil {
		l = tls.NewListener(l, secured)
	}
	w.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go w.pipe(c, to)
		}
	}()
}

// Dial opens a connection of the test, which is not recorded.
func Dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: own.AsSlice()}}
	return d.DialContext(ctx, network, address)
}

func (w *World) pipe(c net.Conn, to string) {
	defer c.Close()
	d, err := Dial(context.Background(), "tcp", to)
	if err != nil {
		return
	}
	defer d.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(d, c)
		_ = d.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(c, d)
	if t, ok := c.(interface{ CloseWrite() error }); ok {
		_ = t.CloseWrite()
	}
	<-done
}

// certify creates the certificate authority of the world.
func (w *World) certify() {
	w.t.Helper()
	var err error
	if w.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		w.t.Fatal(err)
	}
	w.authority = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour),
		IsCA:     true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		SubjectKeyId: []byte{1},
	}
	der, err := x509.CreateCertificate(rand.Reader, w.authority, w.authority, w.key.Public(), w.key)
	if err != nil {
		w.t.Fatal(err)
	}
	if w.authority, err = x509.ParseCertificate(der); err != nil {
		w.t.Fatal(err)
	}
	w.Write(Authority, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
}

// certificate returns a certificate of the authority for a host, with its key.
func (w *World) certificate(host string) tls.Certificate {
	w.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		w.t.Fatal(err)
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		OCSPServer: []string{"http://" + responder}, CRLDistributionPoints: []string{"http://" + CRLs + "/authority.crl"},
		IssuingCertificateURL: []string{"http://" + CRLs + "/authority.cer"},
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, w.authority, key.Public(), w.key)
	if err != nil {
		w.t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der, w.authority.Raw}, PrivateKey: key}
}

// RevocationList returns the authority's certificate revocation list, which is empty.
func (w *World) RevocationList() []byte {
	w.t.Helper()
	list, err := x509.CreateRevocationList(rand.Reader,
		&x509.RevocationList{Number: big.NewInt(1), ThisUpdate: time.Now().Add(-time.Hour),
			NextUpdate: time.Now().Add(time.Hour)}, w.authority, w.key)
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

// Running is a program that was started.
type Running struct {
	cmd    *exec.Cmd
	ended  chan struct{}
	Stdout bytes.Buffer // complete after Wait
	Stderr bytes.Buffer // complete after Wait
}

// Start clears the record and starts a program in a working directory of the world.
func (w *World) Start(dir string, env []string, name string, args ...string) *Running {
	w.t.Helper()
	w.sniffer.settle(w.t)
	w.sniffer.forget()
	w.names.mu.Lock()
	w.names.asked = nil
	w.names.mu.Unlock()
	w.before = w.files()
	r := &Running{ended: make(chan struct{}), cmd: exec.CommandContext(w.t.Context(), name, args...)} //nolint:gosec // the test's
	r.cmd.Path = name                                                                                 // in the world
	r.cmd.Err = nil
	r.cmd.Dir, r.cmd.Env = dir, env
	r.cmd.Stdout, r.cmd.Stderr = &r.Stdout, &r.Stderr
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: w.root, Pdeathsig: syscall.SIGKILL}
	if err := r.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		defer close(r.ended)
		_ = r.cmd.Wait() // the exit code shows the error
	}()
	return r
}

// Ended is closed when the program has ended.
func (r *Running) Ended() <-chan struct{} { return r.ended }

// Signal sends a signal to the program. If the program has ended, the error is os.ErrProcessDone.
func (r *Running) Signal(s os.Signal) error { return r.cmd.Process.Signal(s) }

// Wait waits until the program has ended and returns its exit code.
func (r *Running) Wait() int {
	<-r.ended
	return r.cmd.ProcessState.ExitCode()
}

// Contact is a host and port that the program tried to contact.
type Contact struct {
	Protocol string // tcp, udp or another one
	Host     string // the name with this address, or the address
	Port     int
}

func (c Contact) String() string {
	return c.Protocol + " " + net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
}

// Record holds the recorded actions of a program.
type Record struct {
	Contacts []Contact // attempted connections and datagrams, each once, sorted; without those to the name server
	Lookups  []string  // names that were looked up, each once, sorted
	Written  []string  // files and directories that were created, changed or removed, sorted
}

// Record returns the actions since the last Start.
func (w *World) Record() Record {
	w.t.Helper()
	attempts := w.sniffer.settle(w.t)
	w.names.mu.Lock()
	byAddr := map[netip.Addr]string{}
	for name, a := range w.names.addrs {
		byAddr[a] = name
	}
	r := Record{Lookups: slices.Clone(w.names.asked)}
	w.names.mu.Unlock()
	for _, a := range attempts {
		c := Contact{a.protocol, a.to.Addr().String(), int(a.to.Port())}
		if name := byAddr[a.to.Addr()]; name != "" {
			c.Host = name
		}
		if a.to.Addr() == nameServer && c.Port == 53 {
			continue
		}
		r.Contacts = append(r.Contacts, c)
	}
	slices.SortFunc(r.Contacts, func(a, b Contact) int { return strings.Compare(a.String(), b.String()) })
	slices.Sort(r.Lookups)
	r.Contacts, r.Lookups = slices.Compact(r.Contacts), slices.Compact(r.Lookups)
	after := w.files()
	for path, state := range after {
		if w.before[path] != state {
			r.Written = append(r.Written, path)
		}
	}
	for path := range w.before {
		if _, ok := after[path]; !ok {
			r.Written = append(r.Written, path)
		}
	}
	slices.Sort(r.Written)
	return r
}

// files returns a fingerprint of each file in the overlay, by path. That of a directory has only its mode, because its
// time changes with its content.
func (w *World) files() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	walk := func(dir, as string) error {
		return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			state := info.Mode().String()
			if !d.IsDir() {
				state += fmt.Sprint(info.Size(), info.ModTime().UnixNano())
			}
			all[as+strings.TrimPrefix(path, dir)] = state
			return nil
		})
	}
	err := walk(w.upper, "")
	for _, dir := range w.bare {
		err = errors.Join(err, walk(dir, "/"+filepath.Base(dir)))
	}
	entries, readErr := os.ReadDir(w.root)
	err = errors.Join(err, readErr)
	for _, e := range entries {
		all["/"+e.Name()] += e.Type().String() // what is new in the root itself
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}
