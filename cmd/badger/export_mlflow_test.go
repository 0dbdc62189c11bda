//go:build unix && !no_duckdb

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/fake/port"
)

// mlflowServer is a server of MLflow on loopback.
type mlflowServer struct {
	t           *testing.T
	python, url string
}

func newMLflowServer(t *testing.T) *mlflowServer {
	t.Helper()
	python := os.Getenv("BADGER_MLFLOW_PYTHON")
	if python == "" {
		t.Skip("BADGER_MLFLOW_PYTHON does not name a python3 that has MLflow (.ci/mlflow.txt)")
	}
	dir, at := t.TempDir(), port.Unused(t)
	m := &mlflowServer{t, python, "http://" + at}
	host, number, _ := strings.Cut(at, ":")
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-m", "mlflow", "server", "--host", host, "--port", number, "--workers", "1",
		"--backend-store-uri", "sqlite:///"+filepath.Join(dir, "m.db"), "--artifacts-destination", filepath.Join(dir, "artifacts"))
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.Dir = m.env(), log, log, dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // it starts processes
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		_ = log.Close()
	})
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); { // it imports much
		if r, err := http.Get(m.url + "/health"); err == nil {
			_ = r.Body.Close()
			return m
		}
		time.Sleep(100 * time.Millisecond)
	}
	text, _ := os.ReadFile(filepath.Join(dir, "log"))
	t.Fatalf("MLflow does not answer: %s", text)
	return nil
}

func (m *mlflowServer) env() (env []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "MLFLOW_") {
			env = append(env, v)
		}
	}
	return append(env, "MLFLOW_DISABLE_TELEMETRY=true", "DO_NOT_TRACK=true", "PYTHONDONTWRITEBYTECODE=1")
}

// script runs a Python file of testdata/mlflow, and decodes what it prints.
func (m *mlflowServer) script(into any, name string, args ...string) {
	m.t.Helper()
	cmd := exec.CommandContext(m.t.Context(), m.python, append([]string{filepath.Join("testdata/mlflow", name), m.url}, args...)...)
	cmd.Env = m.env()
	out, err := cmd.Output()
	if err != nil {
		m.t.Fatalf("%s: %v\n%s", name, err, out)
	}
	if into != nil {
		if err := json.Unmarshal(out, into); err != nil {
			m.t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
}

// A run is exported to a server of MLflow, and again, which changes nothing. Its client reads the metrics, the table and the feedback. Labels go out, and come
// back as people left them there.
func TestExportToMLflow(t *testing.T) {
	m := newMLflowServer(t)
	var ids []string
	m.script(&ids, "traces.py", "2")
	dir := t.TempDir()
	cases, db := filepath.Join(dir, "cases.jsonl"), "duckdb:"+filepath.Join(dir, "scores.duckdb")
	line := func(id string, n int) string {
		return fmt.Sprintf(`{"case_id": %q, "question": "How many boats?", "gold": {"result": {"columns": ["n"], "rows": [[5]]}}, "agent": {"name": "atlas", "version": "2.0", "batch_id": "mon", "result": {"columns": ["n"], "rows": [[%d]]}}}`+"\n", id, n)
	}
	if err := os.WriteFile(cases, []byte(line(ids[0], 5)+line("q2", 6)+line("q3", 5)+line("q4", 5)), 0o600); err != nil {
		t.Fatal(err)
	}
	traces := filepath.Join(dir, "traces.jsonl")
	if err := os.WriteFile(traces, []byte(`{"case_id": "q2", "trace_id": "`+ids[1]+`"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, "run", "--cases", cases, "--metrics", "hybrid_ex", "--to", db, "--quiet")
	must(t, "sql", "--db", strings.TrimPrefix(db, "duckdb:"), "--write", "INSERT INTO badger.human_labels (case_id, agent_name, agent_version, batch_id, annotator, verdict) VALUES ('"+ids[0]+"', 'atlas', '2.0', 'mon', 'kim', 'pass')")

	export := func(more ...string) string {
		out, _ := must(t, append([]string{"export", "--to", "mlflow", "--tracking", m.url, "--db", db, "--traces", traces}, more...)...)
		return strings.Join(strings.Fields(out), " ")
	}
	if got := export("--send-labels"); got != "2 feedback 1 labels 2 metrics 1 runs 4 scores 2 answers without a known trace: no feedback" {
		t.Errorf("the first export: %s", got)
	}
	if got := export("--send-labels"); !strings.Contains(got, "4 unchanged") || strings.Contains(got, "feedback 1 labels") || strings.Contains(got, " runs") {
		t.Errorf("the second export: %s", got)
	}
	var read struct {
		Runs []struct {
			Status  string
			Metrics map[string]float64
			Params  map[string]string
			Points  int
		}
		Table       [2]any
		Assessments map[string][][]any
	}
	m.script(&read, "read.py", ids...)
	// Three of four answers are right.
	if len(read.Runs) != 1 || read.Runs[0].Status != "FINISHED" || read.Runs[0].Metrics["hybrid_ex"] != 0.75 || read.Runs[0].Metrics["hybrid_ex/pass_rate"] != 0.75 ||
		read.Runs[0].Params["agent_version"] != "2.0" || read.Runs[0].Points != 1 {
		t.Errorf("runs: %+v", read.Runs)
	}
	if read.Table[0] != 4.0 || strings.Contains(fmt.Sprint(read.Table[1]), "reason") {
		t.Errorf("the table has %v rows and the columns %v", read.Table[0], read.Table[1])
	}
	if got := fmt.Sprint(read.Assessments[ids[0]]); !strings.Contains(got, "[badger_label HUMAN kim pass <nil>] [hybrid_ex CODE badger/hybrid_ex/") || len(read.Assessments[ids[0]]) != 2 {
		t.Errorf("feedback of the first trace: %s", got)
	}
	if got := fmt.Sprint(read.Assessments[ids[1]]); !strings.Contains(got, " 0 <nil>]") || len(read.Assessments[ids[1]]) != 1 {
		t.Errorf("feedback of the second trace: %s", got)
	}

	m.script(nil, "label.py", ids[0], "kim", "fail")
	m.script(nil, "label.py", ids[1], "ana", "unsure")
	if got := export("--read-labels"); !strings.HasPrefix(got, "2 labels read") {
		t.Errorf("labels: %s", got)
	}
	out, _ := must(t, "sql", "--db", strings.TrimPrefix(db, "duckdb:"), "--json", "SELECT case_id, annotator, verdict FROM badger.human_labels ORDER BY annotator")
	if want := fmt.Sprintf(`"rows":[["q2","ana","unsure"],["%s","kim","fail"]]`, ids[0]); !strings.Contains(out, want) {
		t.Errorf("human_labels: %s, expected %s", out, want)
	}
	if got := export("--read-labels"); strings.Contains(got, "labels read") {
		t.Errorf("labels a second time: %s", got)
	}
}
