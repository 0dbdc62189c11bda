package main

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){
		"badger": func() {
			os.Exit(run(context.Background(), os.Args[1:], process{getenv: os.Getenv, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, now: time.Now}))
		},
	})
}

// atEnd ends what tests started.
var atEnd []func()

// tests runs the tests, and then ends what they started.
type tests struct{ *testing.M }

func (t tests) Run() int {
	code := t.M.Run()
	for _, f := range atEnd {
		f()
	}
	return code
}

// The commands as people type them; each file in testdata/script is one story.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("NO_COLOR", "1")
			e.Setenv("LANG", "C.UTF-8")
			return nil
		},
	})
}
