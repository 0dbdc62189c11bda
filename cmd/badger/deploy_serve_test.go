//go:build !no_duckdb && !no_bigquery && !no_databricks

package main

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	fakebigquery "github.com/badger-eval/badger/connectors/fake/bigquery"
	fakedatabricks "github.com/badger-eval/badger/connectors/fake/databricks"
)

// deployed are the files of a target, in a folder. What --to wrote, --check finds as it should be,
// and not after a change.
func deployed(t *testing.T, target, set string) string {
	t.Helper()
	dir, values := t.TempDir(), filepath.Join("..", "..", "deploy", "testdata", target, set+".values.yaml")
	args := []string{"deploy", target, "--values", values, "--to", dir}
	command := func(want int, args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), args, process{getenv: testEnv, stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, now: time.Now}); code != want {
			t.Fatalf("badger %s: exit %d, want %d\n%s%s", strings.Join(args, " "), code, want, &stdout, &stderr)
		}
		return stdout.String()
	}
	command(exitDone, args...)
	if out := command(exitDone, append(args, "--check")...); !strings.Contains(out, "as they should be") {
		t.Error(out)
	}
	spoilt := map[string]string{"cloud-run": "service.yaml", "databricks": "databricks.yml"}[target]
	text, err := os.ReadFile(filepath.Join(dir, spoilt))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		text []byte
		says string
	}{{append([]byte("# mine\n"), text...), "different  " + spoilt + ", line 1"}, {nil, "missing    " + spoilt}} {
		if err := os.WriteFile(filepath.Join(dir, spoilt), tc.text, 0o600); err != nil {
			t.Fatal(err)
		}
		if tc.text == nil {
			if err := os.Remove(filepath.Join(dir, spoilt)); err != nil {
				t.Fatal(err)
			}
		}
		if out := command(exitGate, append(args, "--check")...); !strings.Contains(out, tc.says) {
			t.Errorf("%q, want %q", out, tc.says)
		}
	}
	own := filepath.Join(t.TempDir(), spoilt) // the values under the name of a file that is written, which --force replaces
	if text, err := os.ReadFile(values); err != nil || os.WriteFile(own, text, 0o600) != nil {
		t.Fatal(err)
	}
	command(exitUsage, "deploy", target, "--values", own, "--to", filepath.Dir(own), "--force")
	if err := os.WriteFile(filepath.Join(dir, spoilt), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// soundWith runs serve --check with a configuration and an environment, which has to be sound.
func soundWith(t *testing.T, config string, env []string) string {
	t.Helper()
	code, stdout, stderr := checked(t, config, env)
	if code != exitDone || !strings.Contains(stdout, "the configuration is sound") {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	return stdout
}

// What Cloud Run starts is a sound configuration there, and none elsewhere.
func TestCloudRunServes(t *testing.T) {
	for _, set := range []string{"small", "everything", "hostile"} {
		t.Run(set, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(deployed(t, "cloud-run", set), "service.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			var service struct {
				Spec struct {
					Template struct {
						Spec struct {
							Containers []struct {
								Env []struct{ Name, Value string } `yaml:"env"`
							} `yaml:"containers"`
						} `yaml:"spec"`
					} `yaml:"template"`
				} `yaml:"spec"`
			}
			if err := yaml.Unmarshal(text, &service); err != nil {
				t.Fatal(err)
			}
			warehouse := fakebigquery.Start(t)
			secrets := t.TempDir() // in place of /etc/badger/secrets
			if err := os.MkdirAll(filepath.Join(secrets, "judge"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(secrets, "judge", "value"), []byte("a-key\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			env := []string{"PORT=8080"}
			judge := "none"
			for _, e := range service.Spec.Template.Spec.Containers[0].Env {
				value := strings.Replace(e.Value, "/etc/badger/secrets", secrets, 1)
				switch e.Name {
				case "BADGER_RESULTS_WAREHOUSE": // the same options at a server of the test's
					u, err := url.Parse(value)
					if err != nil {
						t.Fatal(err)
					}
					q := u.Query()
					q.Del("billing_project") // it knows one project, in one location
					q.Del("location")
					q.Del("credentials") // and nobody signs in there
					value = warehouse.URL(q.Encode())
				case "BADGER_JUDGE_BACKEND":
					judge = value
				}
				env = append(env, e.Name+"="+value)
			}
			out := soundWith(t, "", append(env, "K_SERVICE=badger"))
			for _, want := range []string{"HTTP on 0.0.0.0:8080: platform cloud-run", "audience https://", "gRPC on 127.0.0.1:7433: local", "judge " + judge} {
				if !strings.Contains(out, want) {
					t.Errorf("there is no %q in\n%s", want, out)
				}
			}
			if code, _, stderr := checked(t, "", env); code != exitUsage || !strings.Contains(stderr, "K_SERVICE is not set") {
				t.Errorf("elsewhere: exit %d, %s", code, stderr)
			}
			if code, _, stderr := checked(t, "", append(env, "K_SERVICE=badger", "BADGER_LIMITS_MEMORY_BYTES=1000")); code != exitUsage {
				t.Errorf("with too little memory: exit %d, %s", code, stderr)
			}
		})
	}
}

// The app's configuration is sound in an app, and none elsewhere.
func TestDatabricksAppServes(t *testing.T) {
	for _, set := range []string{"small", "everything", "hostile"} {
		t.Run(set, func(t *testing.T) {
			dir := filepath.Join(deployed(t, "databricks", set), "app")
			config, err := os.ReadFile(filepath.Join(dir, "badger.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			var app struct {
				Env []struct {
					Name, Value string
					ValueFrom   string `yaml:"valueFrom"`
				} `yaml:"env"`
			}
			text, err := os.ReadFile(filepath.Join(dir, "app.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			if err := yaml.Unmarshal(text, &app); err != nil {
				t.Fatal(err)
			}
			warehouse := fakedatabricks.New(t)
			env := []string{"DATABRICKS_APP_PORT=8000", "BADGER_RESULTS_WAREHOUSE=" + warehouse.URL("token_env=BADGER_TEST_TOKEN")}
			t.Setenv("BADGER_TEST_TOKEN", "x")
			for _, e := range app.Env {
				if !strings.HasPrefix(e.Name, "STARTER_") { // those end with the starter
					env = append(env, e.Name+"="+e.Value+e.ValueFrom)
				}
			}
			out := soundWith(t, string(config), append(env, "DATABRICKS_APP_NAME=badger"))
			if !strings.Contains(out, "HTTP on 0.0.0.0:8000: platform databricks-apps") {
				t.Error(out)
			}
			if code, _, stderr := checked(t, string(config), env); code != exitUsage || !strings.Contains(stderr, "DATABRICKS_APP_NAME is not set") {
				t.Errorf("elsewhere: exit %d, %s", code, stderr)
			}
		})
	}
}

// badger install knows the endpoint that Cloud Run will give, from the values of the deployment.
func TestEndpointBeforeTheService(t *testing.T) {
	var stdout, stderr bytes.Buffer
	values := filepath.Join("..", "..", "deploy", "testdata", "cloud-run", "small.values.yaml")
	code := run(t.Context(), []string{"install", "--values", values, "--print"}, process{getenv: testEnv, stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, now: time.Now})
	const endpoint = "'https://badger-123456789012.europe-west1.run.app/v1/bigquery/hybrid_ex'"
	if code != exitDone || !strings.Contains(stdout.String(), endpoint) {
		t.Errorf("exit %d, %s; want %s", code, &stderr, endpoint)
	}
	var bindings []struct{ Role string }
	text, err := os.ReadFile(filepath.Join(deployed(t, "cloud-run", "small"), "bindings.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &bindings); err != nil || len(bindings) != 3 {
		t.Errorf("%d bindings, %v", len(bindings), err)
	}
	for _, b := range bindings {
		if !strings.Contains(stdout.String(), b.Role) {
			t.Errorf("badger install does not name %s", b.Role)
		}
	}
}
