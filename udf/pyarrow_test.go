package udf

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The clients that users have, pyarrow.flight and databend-udf, against a running server:
// Databend's and RisingWave's steps, every layout of text, compression. BADGER_PYARROW_PYTHON is a
// Python that has both packages.
func TestPythonClients(t *testing.T) {
	python := os.Getenv("BADGER_PYARROW_PYTHON")
	if python == "" {
		t.Skip("BADGER_PYARROW_PYTHON is not set: a Python with pyarrow and databend-udf")
	}
	s := start(t, newCatalogue(t), nil)
	out, err := exec.Command(python, "testdata/pyarrow/client.py", s.addr).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "ok" {
		t.Errorf("%v\n%s", err, out)
	}
}
