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
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/badger-eval/badger/scoring/counterexample"
)

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){
		"badger": func() {
			rememberFound()
			os.Exit(run(context.Background(), os.Args[1:], process{getenv: os.Getenv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, now: time.Now, memoryLimit: debug.SetMemoryLimit}))
		},
	})
}

// atEnd ends what tests started.
var atEnd []func()

// tests runs the tests, and then ends what they started.
type tests struct{ *testing.M }

func (t tests) Run() int {
	dir, err := os.MkdirTemp("", "found")
	if err == nil {
		err = os.Setenv(foundDir, dir)
	}
	if err != nil {
		panic(err)
	}
	atEnd = append(atEnd, func() { _ = os.RemoveAll(dir) })
	rememberFound()
	debug.SetGCPercent(400) // most tests end after a few collections of a small heap
	code := t.M.Run()
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

// The commands as people type them; each file in testdata/script is one story.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
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
