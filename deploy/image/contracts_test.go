//go:build linux && !no_duckdb

// Package image_test runs the image's root file system under the contracts of the platforms: as
// nobody in particular (uid 65532), on a read-only root, in a network that has loopback only.
//
// The platforms are simulators on loopback. What they cannot show is listed in docs/operate/image.md.
package image_test

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/fake/port"
)

// image is the file system of the image, unpacked.
var image string

const (
	layoutVariable = "BADGER_IMAGE"  // the OCI layout to test; make contracts sets it
	insideVariable = "IN_NAMESPACES" // this process is in namespaces of its own
	nonroot        = 65532
)

// TestMain runs the tests in a network namespace that has loopback only, and in a mount namespace,
// so that nothing stays behind.
func TestMain(m *testing.M) {
	layout := os.Getenv(layoutVariable)
	switch {
	case layout == "":
		why = "no image is named: make contracts builds it and runs this"
	case os.Getuid() != 0:
		why = "only root can change the root"
	case os.Getenv(insideVariable) == "":
		os.Exit(again())
	default:
		if err := prepare(layout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	code := m.Run()
	if image != "" {
		_ = os.RemoveAll(filepath.Dir(image))
	}
	os.Exit(code)
}

// why the tests skip.
var why string

func again() int {
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Env = append(os.Environ(), insideVariable+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS, Unshareflags: syscall.CLONE_NEWNS}
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		fmt.Fprintln(os.Stderr, "namespaces:", err)
		return 1
	}
	return 0
}

func prepare(layout string) error {
	if out, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		return fmt.Errorf("ip link set lo up: %w: %s", err, out)
	}
	links, err := net.Interfaces()
	if err != nil || len(links) != 1 || links[0].Name != "lo" {
		return fmt.Errorf("%v, %w: expected loopback alone", links, err)
	}
	dir, err := os.MkdirTemp("", "badger-image")
	if err != nil {
		return err
	}
	if out, err := exec.Command("umoci", "unpack", "--image", layout+":badger", filepath.Join(dir, "bundle")).CombinedOutput(); err != nil {
		return fmt.Errorf("umoci unpack: %w: %s", err, out)
	}
	image = filepath.Join(dir, "bundle", "rootfs")
	return os.Chmod(dir, 0o755)
}

func needImage(t *testing.T) {
	t.Helper()
	if why != "" {
		t.Skip(why)
	}
}

// machine is what a platform gives a container.
type machine struct {
	env    []string
	config string            // badger.yaml
	files  map[string]string // further files
	folder map[string]string // folders of this machine that the container sees, by where
	args   []string          // by default serve --config /etc/badger.yaml
}

// container is the image's root with a process in it.
type container struct {
	t       testing.TB
	cmd     *exec.Cmd
	log     log
	ended   chan struct{}
	started time.Time
}

type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// root makes a file system for one container: hard links of the image, with the container's own
// files, mounted so that nobody can write.
func root(t testing.TB, m machine) string {
	t.Helper()
	dir := filepath.Join(filepath.Dir(filepath.Dir(image)), "run", strconv.Itoa(int(time.Now().UnixNano())))
	must(t, os.MkdirAll(filepath.Dir(dir), 0o755))
	if out, err := exec.Command("cp", "-al", image, dir).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v: %s", err, out)
	}
	if m.config != "" {
		must(t, os.WriteFile(filepath.Join(dir, "etc", "badger.yaml"), []byte(m.config), 0o644))
	}
	for name, text := range m.files {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for where := range m.folder {
		must(t, os.MkdirAll(filepath.Join(dir, where), 0o755))
	}
	must(t, syscall.Mount(dir, dir, "", syscall.MS_BIND, ""))
	must(t, syscall.Mount("", dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY|syscall.MS_NOSUID|syscall.MS_NODEV, ""))
	var over []string
	for where, folder := range m.folder {
		over = append(over, filepath.Join(dir, where))
		must(t, syscall.Mount(folder, filepath.Join(dir, where), "", syscall.MS_BIND, ""))
	}
	t.Cleanup(func() {
		for _, p := range append(over, dir) {
			must(t, syscall.Unmount(p, syscall.MNT_DETACH))
		}
		must(t, os.RemoveAll(dir))
	})
	return dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// inside is a command in a container: the image's entry point, unless the machine says otherwise.
func inside(t testing.TB, m machine) *exec.Cmd {
	t.Helper()
	if m.args == nil {
		m.args = []string{"serve", "--config", "/etc/badger.yaml"}
	}
	cmd := exec.Command("/badger", m.args...)
	cmd.Env = append([]string{"HOME=/home/nonroot", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"}, m.env...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root(t, m), Credential: &syscall.Credential{Uid: nonroot, Gid: nonroot}, Setsid: true}
	return cmd
}

// start starts a container; it ends with the test.
func start(t testing.TB, m machine) *container {
	t.Helper()
	c := &container{t: t, cmd: inside(t, m)}
	c.launch()
	return c
}

func (c *container) launch() {
	c.t.Helper()
	c.ended = make(chan struct{})
	c.cmd.Stdout, c.cmd.Stderr = &c.log, &c.log
	c.started = time.Now()
	must(c.t, c.cmd.Start())
	go func() { _ = c.cmd.Wait(); close(c.ended) }()
	c.t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		<-c.ended
		if c.t.Failed() {
			c.t.Logf("the container's log:\n%s", c.log.String())
		}
	})
}

// ready waits until the readiness probe answers 200, and returns how long that took.
func (c *container) ready(url string) time.Duration {
	c.t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		select {
		case <-c.ended:
			c.t.Fatalf("the container ended: %s", c.log.String())
		default:
		}
		if resp, err := client.Get(url + "/health/ready"); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return time.Since(c.started)
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// stop sends SIGTERM, and returns the exit code and how long the end took.
func (c *container) stop() (code int, took time.Duration) {
	c.t.Helper()
	begin := time.Now()
	must(c.t, c.cmd.Process.Signal(syscall.SIGTERM))
	<-c.ended
	return c.cmd.ProcessState.ExitCode(), time.Since(begin)
}

// logged waits for a line of the log with all these texts.
func (c *container) logged(texts ...string) {
	c.t.Helper()
	for range 500 {
		for line := range strings.Lines(c.log.String()) {
			if !slices.ContainsFunc(texts, func(s string) bool { return !strings.Contains(line, s) }) {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.t.Errorf("no line of the log has %q:\n%s", texts, c.log.String())
}

// freePort is a port that nobody listens on.
func freePort(t testing.TB) string {
	t.Helper()
	_, free, _ := net.SplitHostPort(port.Unused(t))
	return free
}

// post sends a body and returns the status and the reply.
func post(t testing.TB, client *http.Client, url, body string, header ...string) (status int, reply string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	must(t, err)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	must(t, err)
	return resp.StatusCode, string(b)
}

// What is in the image: two programs' worth of files, nobody's secrets, nothing that runs but
// badger and the loader.
func TestContents(t *testing.T) {
	needImage(t)
	var runs []string
	var size int64
	must(t, filepath.WalkDir(image, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		name, stat := strings.TrimPrefix(path, image), info.Sys().(*syscall.Stat_t)
		if info.Mode().IsRegular() {
			size += info.Size()
			if info.Mode()&0o111 != 0 {
				runs = append(runs, name)
			}
		}
		if info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
			t.Errorf("%s changes the user", name)
		}
		if info.Mode()&fs.ModeSymlink == 0 && info.Mode()&0o022 != 0 && name != "/tmp" {
			t.Errorf("%s can be written by others", name)
		}
		if home := name == "/home/nonroot"; stat.Uid != 0 && !home || home && stat.Uid != nonroot {
			t.Errorf("%s belongs to user %d", name, stat.Uid)
		}
		return nil
	}))
	slices.Sort(runs)
	if len(runs) != 3 || runs[0] != "/badger" || !strings.Contains(runs[1], "/ld-linux-") || !strings.HasSuffix(runs[2], "/libc.so.6") {
		t.Errorf("these can be run: %q; expected badger, the loader and libc", runs)
	}
	t.Logf("%d bytes of files", size)
	if size > 220_000_000 {
		t.Errorf("%d bytes, expected at most 220,000,000", size)
	}
}

// The binary runs on Ubuntu 22.04, which has glibc 2.35 and GLIBCXX_3.4.30, and needs nothing that
// the image lacks.
func TestNeeds(t *testing.T) {
	needImage(t)
	f, err := elf.Open(filepath.Join(image, "badger"))
	must(t, err)
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	must(t, err)
	for _, l := range libraries {
		found, _ := filepath.Glob(filepath.Join(image, "lib*/*", l))
		more, _ := filepath.Glob(filepath.Join(image, "usr/lib/*", l))
		top, _ := filepath.Glob(filepath.Join(image, "lib*", l))
		if len(found)+len(more)+len(top) == 0 {
			t.Errorf("the image lacks %s", l)
		}
	}
	symbols, err := f.ImportedSymbols()
	must(t, err)
	limits := map[string][]int{"GLIBC": {2, 35}, "GLIBCXX": {3, 4, 30}, "CXXABI": {1, 3, 13}, "GCC": {12, 0, 0}}
	seen := map[string]string{}
	for _, s := range symbols {
		family, version, ok := strings.Cut(s.Version, "_")
		if !ok {
			continue
		}
		var numbers []int
		for _, n := range strings.Split(version, ".") {
			v, err := strconv.Atoi(n)
			if err != nil {
				t.Fatalf("%s needs %s", s.Name, s.Version)
			}
			numbers = append(numbers, v)
		}
		if limit := limits[family]; limit == nil || slices.Compare(numbers, limit) > 0 {
			t.Errorf("%s needs %s, expected at most %v of %s", s.Name, s.Version, limit, family)
		}
		seen[family] = max(seen[family], s.Version)
	}
	if seen["GLIBC"] == "" || seen["GLIBCXX"] == "" {
		t.Errorf("versions of symbols: %v", seen)
	}
}

// Commands work with no place to write, and say what is wrong where they need one.
func TestReadOnly(t *testing.T) {
	needImage(t)
	files := map[string]string{"/data/gold.csv": "a,b\n1,2\n2,3\n", "/data/pred.csv": "a,b\n1,2\n2,4\n"}
	out, err := inside(t, machine{args: []string{"score", "--gold", "/data/gold.csv", "--pred", "/data/pred.csv", "--json"}, files: files}).Output()
	var score struct {
		Value float64 `json:"score"`
	}
	if err != nil || json.Unmarshal(out, &score) != nil || !strings.Contains(string(out), `"score"`) {
		t.Errorf("score: %v: %s", err, out)
	}
	text, err := inside(t, machine{args: []string{"--version"}}).Output()
	if err != nil || !strings.Contains(string(text), "connectors: bigquery, databricks, duckdb, postgres, snowflake") {
		t.Errorf("--version: %v: %s", err, text)
	}
	got, err := inside(t, machine{args: []string{"sql", "SELECT 41 + 1 AS answer"}}).CombinedOutput()
	if err != nil || !strings.Contains(string(got), "42") {
		t.Errorf("sql: %v: %s", err, got)
	}
	cmd := inside(t, machine{args: []string{"sql", "--db", "/new.duckdb", "--write", "CREATE TABLE t(a INT)"}})
	if out, err := cmd.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("Read-only file system")) {
		t.Errorf("a database on the read-only root: %v: %s", err, out)
	}
	// With a volume the same works.
	volume := t.TempDir()
	must(t, os.Chown(volume, nonroot, nonroot))
	must(t, os.Chmod(filepath.Dir(volume), 0o755))
	cmd = inside(t, machine{args: []string{"sql", "--db", "/data/new.duckdb", "--write", "CREATE TABLE t(a INT)"}, folder: map[string]string{"/data": volume}})
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("a database on a volume: %v: %s", err, out)
	}
	if info, err := os.Stat(filepath.Join(volume, "new.duckdb")); err != nil || info.Sys().(*syscall.Stat_t).Uid != nonroot {
		t.Errorf("the database: %v, %v", info, err)
	}
}

// Default ports, default command: loopback, mode local. How long it takes is printed.
func TestStart(t *testing.T) {
	needImage(t)
	var took []time.Duration
	for range 9 {
		c := start(t, machine{args: []string{"serve"}})
		took = append(took, c.ready("http://127.0.0.1:7434"))
		if code, _ := c.stop(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	slices.Sort(took)
	fmt.Printf("start to ready: fastest %v, median %v, slowest %v of %d\n", took[0].Round(time.Millisecond), took[len(took)/2].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond), len(took))
	// A platform that has no mode is refused, not served to everybody.
	refused := inside(t, machine{args: []string{"serve", "--http", "0.0.0.0:7434"}})
	if out, err := refused.CombinedOutput(); err == nil || refused.ProcessState.ExitCode() != 2 && refused.ProcessState.ExitCode() != 3 {
		t.Errorf("beyond loopback without authentication: %v: %s", err, out)
	}
}
