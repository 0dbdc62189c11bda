package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/scoring/counterexample"
)

// TestMain runs the tests; or badger, if this program is started by that name, as tests and "exec badger" in scripts do.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "badger" {
		rememberFound()
		os.Exit(run(context.Background(), os.Args[1:], process{getenv: os.Getenv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, now: time.Now, memoryLimit: debug.SetMemoryLimit}))
	}
	drawOfClasses()
	os.Exit(runTests(m))
}

// atEnd ends what tests started.
var atEnd []func()

// startTests prepares this process for tests of the embedded engine.
var startTests = func() {}

// runTests runs the tests, and then ends what they started.
func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "found")
	if err != nil {
		panic(err)
	}
	atEnd = append(atEnd, func() { _ = os.RemoveAll(dir) })
	program, err := os.Executable()
	if err = errors.Join(err, os.Symlink(program, filepath.Join(dir, "badger")), os.Setenv(foundDir, dir),
		os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))); err != nil {
		panic(err)
	}
	rememberFound()
	startTests()
	debug.SetGCPercent(400) // most tests end after a few collections of a small heap
	code := m.Run()
	for _, f := range atEnd {
		f()
	}
	return code
}

// foundBefore searches for each pair once, although many tests score the demonstration, in this process
// and in others: a directory keeps the outcomes as JSON, as they come from the process that searches.
type foundBefore struct {
	counterexample.Finder
	dir string
}

// foundDir is the variable that names the directory to other processes.
const foundDir = "TEST_FOUND_BEFORE"

func rememberFound() {
	if dir := os.Getenv(foundDir); smallDatabases != nil && dir != "" {
		smallDatabases = foundBefore{smallDatabases, dir}
	}
}

func (f foundBefore) Find(ctx context.Context, p *counterexample.Problem) (*counterexample.Outcome, error) {
	pair, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(f.dir, fmt.Sprintf("%x.json", sha256.Sum256(pair)))
	if before, err := os.ReadFile(path); err == nil {
		o := &counterexample.Outcome{}
		return o, json.Unmarshal(before, o)
	}
	o, err := f.Finder.Find(ctx, p)
	if err != nil || o == nil || o.TimedOut {
		return o, err
	}
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	made, err := os.CreateTemp(f.dir, "new")
	if err != nil {
		return nil, err
	}
	_, err = made.Write(text)
	if err = errors.Join(err, made.Close()); err == nil {
		err = os.Rename(made.Name(), path)
	}
	return o, err
}

// demoFile returns the file of the database of badger demo, which is made once; nil in a build without the
// embedded engine.
var demoFile func(testing.TB) string

// scripted runs badger for a script, in the script's directory: in this process, because most commands take less time
// than the start of the program, or in one of its own.
func scripted(ownProcess func(script string) bool) func(*testscript.TestScript, bool, []string) {
	var directory sync.Mutex // the working directory is that of all scripts
	return func(ts *testscript.TestScript, fails bool, args []string) {
		if ownProcess(ts.Name()) {
			if err := ts.Exec("badger", args...); (err != nil) != fails {
				ts.Fatalf("badger %s: %v", strings.Join(args, " "), err)
			}
			return
		}
		p := process{getenv: ts.Getenv, stdin: strings.NewReader(""), stdout: ts.Stdout(), stderr: ts.Stderr(), now: time.Now}
		directory.Lock()
		defer directory.Unlock()
		before, err := os.Getwd()
		ts.Check(err)
		ts.Check(os.Chdir(ts.MkAbs(".")))
		code := run(context.Background(), args, p)
		ts.Check(os.Chdir(before))
		if (code != exitDone) != fails {
			ts.Fatalf("badger %s: exit code %d", strings.Join(args, " "), code)
		}
	}
}

// The commands as people type them; each file in testdata/script is one story, and one in five is read. One of these
// runs every command in a process of its own, and "exec badger" always does. If tests are thorough, all do.
func TestScripts(t *testing.T) {
	dir, err := filepath.Abs("testdata/script") // also for a script that begins while a command runs elsewhere
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	files = sample.Of(files, 5)
	chosen := strings.TrimSuffix(filepath.Base(files[sample.One(t.Name(), len(files))]), ".txtar")
	testscript.Run(t, testscript.Params{
		Files: files,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"badger": scripted(func(script string) bool { return sample.Thorough() || script == chosen }),
			// demo-database FILE makes a copy of the database of badger demo.
			"demo-database": func(ts *testscript.TestScript, _ bool, args []string) {
				if len(args) != 1 || demoFile == nil {
					ts.Fatalf("demo-database: expected FILE, and the embedded engine")
				}
				data, err := os.ReadFile(demoFile(t))
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
			},
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("NO_COLOR", "1")
			e.Setenv(foundDir, os.Getenv(foundDir))
			e.Setenv("GOGC", "400") // most commands end after a few collections of a small heap
			e.Setenv("LANG", "C.UTF-8")
			return nil
		},
	})
}

// full is a device without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// What a command prints and nobody can read was not done, wherever it prints.
func TestOutputThatIsLost(t *testing.T) {
	for _, args := range [][]string{{"functions"}, {"functions", "hybrid_ex"}, {"functions", "--json"}, {"functions", "--metrics"}, {"policy"}, {"policy", "--json"}, {"--version"}, {"install"}, {"deploy"}, {"serve", "--check"}} {
		var stderr strings.Builder
		if code := run(t.Context(), args, process{getenv: func(string) string { return "" }, stdin: strings.NewReader(""), stdout: full{}, stderr: &stderr, now: time.Now}); code == exitDone || !strings.Contains(stderr.String(), syscall.ENOSPC.Error()) {
			t.Errorf("badger %s: exit code %d, %q", strings.Join(args, " "), code, &stderr)
		}
	}
}
