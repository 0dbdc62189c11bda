package server

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The clients that users have, pyarrow.flight and databend-udf, against a running server:
// Databend's and RisingWave's steps, every layout of text, compression. BADGER_PYARROW_PYTHON is a
// Python that has both packages, the newest ones.
func TestPythonClients(t *testing.T) {
	python := os.Getenv("BADGER_PYARROW_PYTHON")
	if python == "" {
		t.Skip("BADGER_PYARROW_PYTHON is not set: a Python with pyarrow and databend-udf")
	}
	pyarrowClient(t, python, "databend", "risingwave", "layouts")
}

// The oldest pyarrow that this Python installs. BADGER_PYARROW_OLDEST_PYTHON has it.
func TestOldestPyarrow(t *testing.T) {
	python := os.Getenv("BADGER_PYARROW_OLDEST_PYTHON")
	if python == "" {
		t.Skip("BADGER_PYARROW_OLDEST_PYTHON is not set: a Python with an old pyarrow")
	}
	pyarrowClient(t, python, "risingwave", "layouts")
}

func pyarrowClient(t *testing.T, python string, parts ...string) {
	t.Helper()
	s := start(t, newCatalogue(t), nil)
	out, err := exec.Command(python, append([]string{"testdata/pyarrow/client.py", s.addr}, parts...)...).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "ok" {
		t.Errorf("%v\n%s", err, out)
	}
}
