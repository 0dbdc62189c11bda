package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The tests of the Python package, against this program: over a pipe, Flight and HTTP. BADGER_CLIENTS_PYTHON has the
// newest pyarrow, pytest, mypy, pandas, polars and DuckDB, BADGER_CLIENTS_OLDEST_PYTHON the oldest pyarrow and pytest.
func TestPythonPackage(t *testing.T) {
	for _, name := range []string{"BADGER_CLIENTS_PYTHON", "BADGER_CLIENTS_OLDEST_PYTHON"} {
		t.Run(name, func(t *testing.T) {
			python := os.Getenv(name)
			if python == "" {
				t.Skip(name + " is not set: a Python with pyarrow and pytest")
			}
			if _, err := exec.LookPath("badger"); err != nil {
				t.Fatal(err)
			}
			pytest := exec.CommandContext(t.Context(), python, "-m", "pytest", "-q", "-p", "no:cacheprovider")
			for _, v := range os.Environ() {
				if !strings.HasPrefix(v, "BADGER_") { // badger takes them for keys of its configuration
					pytest.Env = append(pytest.Env, v)
				}
			}
			pytest.Dir = "../../clients/python"
			pytest.Env = append(pytest.Env, "PYTHONPATH=src", "PYTHONDONTWRITEBYTECODE=1")
			if out, err := pytest.CombinedOutput(); err != nil {
				t.Errorf("pytest: %v\n%s", err, out)
			}
			if exec.CommandContext(t.Context(), python, "-c", "import mypy").Run() != nil {
				return
			}
			mypy := exec.CommandContext(t.Context(), python, "-m", "mypy", "--cache-dir", t.TempDir())
			mypy.Dir = pytest.Dir
			if out, err := mypy.CombinedOutput(); err != nil {
				t.Errorf("mypy: %v\n%s", err, out)
			}
		})
	}
}
