package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/internal/config"
	"github.com/badger-eval/badger/sql/install"
)

const chartFolder = "../../deploy/kubernetes/badger"

// The chart's schema of the configuration has the keys of the configuration, but for those that the
// chart sets itself.
func TestChartKnowsTheConfiguration(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(chartFolder, "values.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	type node struct {
		Properties map[string]*node `json:"properties"`
		Closed     *any             `json:"additionalProperties"`
	}
	var schema node
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	var got []string
	var visit func(path string, n *node)
	visit = func(path string, n *node) {
		if len(n.Properties) == 0 {
			got = append(got, path)
			return
		}
		if n.Closed == nil || *n.Closed != false {
			t.Errorf("%s takes unknown keys", path)
		}
		for k, below := range n.Properties {
			visit(strings.TrimPrefix(path+"."+k, "."), below)
		}
	}
	visit("", schema.Properties["config"])
	var want []string
	set := []string{"listen.grpc", "listen.http", "listen.allow_plaintext", "listen.metrics", "listen.allow_open_metrics", "tls.cert", "tls.key", "limits.stop_grace", "limits.stop_delay", "report.off",
		"submit.dir", "submit.upload_bytes", "submit.case_bytes", "submit.waiting"} // of badger view
	for _, s := range config.Keys(reflect.TypeOf(configuration{})) {
		if !slices.Contains(set, s.Path) {
			want = append(want, s.Path)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the schema has\n%v\nand the configuration\n%v", got, want)
	}
}

// A pod has time to end: 5 s more than the longest call of any warehouse.
func TestChartLeavesTimeToStop(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(chartFolder, "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var values struct {
		Grace int `yaml:"terminationGracePeriodSeconds"`
	}
	if err := yaml.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	longest := 19*time.Minute + 30*time.Second // of BigQuery's wire in the server
	for _, w := range install.Warehouses {
		for _, via := range w.Vias {
			longest = max(longest, via.Wire.Budget)
		}
	}
	if got := time.Duration(values.Grace) * time.Second; got < longest+5*time.Second {
		t.Errorf("the grace is %v, and a call may take %v", got, longest)
	}
}

// What the chart makes of values is a configuration that badger serve takes.
func TestChartConfiguration(t *testing.T) {
	helm := os.Getenv("BADGER_HELM")
	if helm == "" {
		t.Skip("BADGER_HELM is not set")
	}
	sets, err := filepath.Glob("../../deploy/testdata/kubernetes/*/values-badger.yaml")
	if err != nil || len(sets) < 3 {
		t.Fatal(sets, err)
	}
	cert, key := serverCertificate(t)
	for _, set := range append(sets, "../../deploy/testdata/chart/least.values.yaml") {
		t.Run(filepath.Base(filepath.Dir(set)), func(t *testing.T) {
			out, err := exec.CommandContext(t.Context(), helm, "template", "null", chartFolder, "--kube-version", "1.33", "--values", set, "--show-only", "templates/configmap.yaml").Output()
			if err != nil {
				t.Fatal(err)
			}
			var configMap struct {
				Data map[string]string `yaml:"data"`
			}
			if err := yaml.Unmarshal(out, &configMap); err != nil {
				t.Fatal(err)
			}
			// What a pod mounts is in a folder here.
			etc := t.TempDir()
			for name, text := range map[string]string{"secrets/tokens/tokens": "nightly:0123456789abcdef0123456789abcdef\n", "secrets/judge/key": "k\n", "secrets/warehouse/pgpass": "db.example.com:5432:analytics:badger:p\n", "tls/tls.crt": cert, "tls/tls.key": key} {
				file := filepath.Join(etc, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var c map[string]any
			if err := yaml.Unmarshal([]byte(strings.ReplaceAll(configMap.Data["badger.yaml"], "/etc/badger/", etc+"/")), &c); err != nil || len(c) == 0 {
				t.Fatalf("no configuration: %v", err)
			}
			// A warehouse is not connected to, but the files that its URL names are read.
			if c["results"] != nil {
				c["results"] = map[string]string{"warehouse": "postgres://badger@db.example.com/d"}
			}
			text, err := yaml.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			config := string(text)
			code, stdout, stderr := checked(t, config, nil)
			if code != exitDone || !strings.Contains(stdout+stderr, "0.0.0.0:7434") {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
			code, _, stderr = checked(t, strings.Replace(config, "token_file: "+etc, "token_file: /nowhere", 1), nil)
			if code != exitUsage {
				t.Errorf("without its tokens: exit code %d\n%s", code, stderr)
			}
		})
	}
}
