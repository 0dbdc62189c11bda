package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/internal/config"
)

// Every key has a variable of its own, which sets it, and --check prints it with its variable.
func TestEveryKeyHasAVariable(t *testing.T) {
	seen := map[string]string{}
	for _, key := range config.Keys(reflect.TypeFor[configuration]()) {
		if other := seen[key.Variable()]; other != "" {
			t.Errorf("%s and %s have the same variable", key.Path, other)
		}
		seen[key.Variable()] = key.Path
		text := map[string]string{
			"string": "some text", "identity.Mode": "token", "bool": "true", "int": "7", "int64": "7", "float64": "0.5", "*float64": "0.5", "*int64": "7", "map[string]string": "{X-Team: data}", "map[string]interface {}": "{top_k: 5}", "map[string]judging.Panel": "{trio: {rule: majority, members: [{backend: 'openai:m'}]}}", "[]judging.Rule": "[{tag: 'group:finance', backend: 'openai:m'}]", "time.Duration": "90s", "[]string": "a, b",
			"map[string][]string": "{ana: [read]}", "map[string]float64": "{hybrid_ex: 0.5}", "map[string]map[string]interface {}": "{flex: {categories: false}}",
			"map[string]time.Duration": "{json: 5s}", "map[string]hosting.CallerLimits": "{ana: {calls: 3}}", "map[string]hosting.Readable": "{ana: {tables: [sales.*]}}", "map[string]judging.Metric": "{flex: {backend: 'openai:gpt-4o', temperature: 0}}", "judgebackend.PriceTable": "{m: {in: '1', out: '2'}}",
		}[key.Type.String()]
		if text == "" {
			t.Errorf("%s: the test knows no text for %s", key.Path, key.Type)
			continue
		}
		var c configuration
		l := config.New(&c)
		if err := l.Read("", []string{key.Variable() + "=" + text}); err != nil {
			t.Errorf("%s: %v", key.Variable(), err)
			continue
		}
		if reflect.DeepEqual(c, configuration{}) {
			t.Errorf("%s did not set %s", key.Variable(), key.Path)
		}
		var out bytes.Buffer
		if err := l.Print(&out); err != nil || !strings.Contains(out.String(), "# $"+key.Variable()+"\n") {
			t.Errorf("%s: %v\n%s", key.Path, err, &out)
		}
		var again configuration
		d := yaml.NewDecoder(&out)
		d.KnownFields(true)
		if err := d.Decode(&again); err != nil || !reflect.DeepEqual(c, again) {
			t.Errorf("%s: what is printed is another configuration (%v)", key.Path, err)
		}
	}
	for _, path := range []string{"limits.caller.calls", "auth.token_file", "auth.grpc.token_file", "judge.budget.money", "listen.metrics", "traces.endpoint", "results.warehouse", "reload"} {
		if seen["BADGER_"+strings.ToUpper(strings.ReplaceAll(path, ".", "_"))] != path {
			t.Errorf("there is no key %s", path)
		}
	}
}

// checked runs serve --check.
func checked(t *testing.T, config string, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "badger.yaml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code = run(t.Context(), append([]string{"serve", "--check", "--config", path}, args...), process{
		getenv: func(name string) string {
			for _, kv := range env {
				if v, ok := strings.CutPrefix(kv, name+"="); ok {
					return v
				}
			}
			return ""
		},
		environ: func() []string { return env }, stdin: strings.NewReader(""), stdout: &out, stderr: &errs, now: time.Now,
	})
	return code, out.String(), errs.String()
}

// What package config does with layers is tested there; this is what serve makes of them.
func TestConfigurationInLayers(t *testing.T) {
	const cloudRun = "auth: {http: {mode: platform, platform: cloud-run}}\n"
	const apps = "auth: {http: {mode: platform, platform: databricks-apps}}\n"
	for _, tc := range []struct {
		why, config string
		env, args   []string
		code        int
		says        []string
	}{
		{"a file over defaults", "limits: {calls: 10}\n", nil, nil, 0, []string{"  calls: 10 # badger.yaml\n", "  batch_rows: 100000 # default\n"}},
		{"a variable over the file", "limits: {calls: 10}\n", []string{"BADGER_LIMITS_CALLS=11"}, nil, 0, []string{"  calls: 11 # $BADGER_LIMITS_CALLS\n"}},
		{"a flag over both", "listen: {http: '127.0.0.1:1'}\n", []string{"BADGER_LISTEN_HTTP=127.0.0.1:2"}, []string{"--http", "127.0.0.1:3"}, 0, []string{"http: 127.0.0.1:3 # flag\n", "HTTP on 127.0.0.1:3"}},
		{"a misspelt variable", "", []string{"BADGER_LISTEN_HTPT=sk-secret-value"}, nil, 2, []string{"BADGER_LISTEN_HTPT names no key", "did you mean", "BADGER_LISTEN_HTTP"}},
		{"a secret by value", "", []string{"BADGER_JUDGE_KEY=sk-secret-value"}, nil, 2, []string{"BADGER_JUDGE_KEY names no key", "BADGER_JUDGE_KEY_FILE"}},
		{"no number", "", []string{"BADGER_LIMITS_CALLS=sk-secret-value"}, nil, 2, []string{"BADGER_LIMITS_CALLS (limits.calls): expected a whole number"}},
		{"Kubernetes' own", "", []string{"BADGER_SERVICE_HOST=10.0.0.1", "BADGER_SERVICE_PORT_HTTP=80", "BADGER_PORT=tcp://10.0.0.1:80", "BADGER_PORT_80_TCP_ADDR=10.0.0.1", "BADGER_HTTP_PORT=tcp://10.0.0.1:80"}, nil, 0, []string{"is sound"}},
		{"a wrong value is printed all the same", "limits: {calls: 10}\nlisten: {http: '0.0.0.0:80'}\n", nil, nil, 2, []string{"calls: 10 # badger.yaml", "reachable from other machines"}},

		{"Cloud Run's port", cloudRun, []string{"K_SERVICE=b", "PORT=8080"}, nil, 0, []string{"http: 0.0.0.0:8080 # $PORT"}},
		{"Cloud Run's port and another", cloudRun + "listen: {http: '0.0.0.0:81'}\n", []string{"K_SERVICE=b", "PORT=8080"}, nil, 0, []string{"http: 0.0.0.0:81 # badger.yaml"}},
		{"PORT elsewhere", "", []string{"PORT=8080", "DATABRICKS_APP_PORT=8000"}, nil, 0, []string{"http: 127.0.0.1:7434 # default"}},
		{"the app's port", apps, []string{"DATABRICKS_APP_NAME=b", "PORT=8080", "DATABRICKS_APP_PORT=8000"}, nil, 0, []string{"http: 0.0.0.0:8000 # $DATABRICKS_APP_PORT"}},
		{"no port", cloudRun, []string{"K_SERVICE=b", "PORT=eighty"}, nil, 2, []string{"PORT: expected the number of a port"}},

		{"metrics", "listen: {metrics: ':9464'}\n", nil, nil, 0, []string{"metrics on http://127.0.0.1:9464/metrics"}},
		{"metrics in the open", "listen: {metrics: '0.0.0.0:9464'}\n", nil, nil, 2, []string{"listen.metrics", "reachable"}},
		{"metrics in the open, as asked for", "listen: {metrics: '0.0.0.0:9464', allow_open_metrics: true}\n", nil, nil, 0, []string{"0.0.0.0:9464/metrics"}},
		{"HTTP/2 in the clear beside TLS", "listen: {h2c: true}\ntls: {cert: a, key: b}\n", nil, nil, 2, nil},
		{"traces to nowhere", "traces: {sample: 0.5}\n", nil, nil, 2, []string{"traces: there is no endpoint"}},
		{"traces with a password", "traces: {endpoint: 'https://me:sk-secret-value@host/v1/traces'}\n", nil, nil, 2, []string{"me:***@host"}},
		{"evaluations to nowhere", "traces: {evaluations: true}\n", nil, nil, 2, []string{"traces: there is no endpoint"}},
		{"a share of calls that is none", "traces: {endpoint: 'https://host', sample: 2}\n", nil, nil, 2, []string{"traces.sample"}},
	} {
		code, stdout, stderr := checked(t, tc.config, tc.env, tc.args...)
		if code != tc.code {
			t.Errorf("%s: exit %d, want %d\n%s%s", tc.why, code, tc.code, stdout, stderr)
		}
		for _, says := range tc.says {
			if !strings.Contains(stdout+stderr, says) {
				t.Errorf("%s: want %q in\n%s%s", tc.why, says, stdout, stderr)
			}
		}
		if strings.Contains(stdout+stderr, "sk-secret") {
			t.Errorf("%s: a secret is shown\n%s%s", tc.why, stdout, stderr)
		}
	}
}
