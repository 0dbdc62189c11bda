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

// Every number and duration of the configuration has a least value, from a file and from a variable alike, and an error
// names the key and the bound. A seed may be any number.
func TestConfiguredNumbersHaveLeastValues(t *testing.T) {
	seen := 0
	for _, key := range config.Keys(reflect.TypeFor[configuration]()) {
		of := key.Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() < reflect.Int || of.Kind() > reflect.Float64 || strings.HasSuffix(key.Path, ".seed") {
			continue
		}
		seen++
		below := "-1"
		if of == reflect.TypeFor[time.Duration]() {
			below = "-1s"
		}
		want := key.Variable() + " (" + key.Path + "): expected "
		var c configuration
		if err := config.New(&c).Read("", []string{key.Variable() + "=" + below}); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), " of at least 0") {
			t.Errorf("%s=%s: %v", key.Variable(), below, err)
		}
	}
	if seen < 30 {
		t.Errorf("%d numbers", seen)
	}
}

// What serve --check prints as invalid has exit code 2, and names the key, its line if it is of a file, and the bound.
func TestCheckNamesTheKey(t *testing.T) {
	for text, want := range map[string]string{
		"limits:\n  calls: -1\n":                                      "line 2: limits.calls: expected a whole number of at least 0, found less",
		"limits:\n  callers:\n    ana: {calls: -1}\n":                 "line 3: limits.callers.ana.calls: expected a whole number of at least 0, found less",
		"limits:\n  calls: 9223372036854775807\n":                     "line 2: limits.calls: expected a whole number of at most 1000000000, found more",
		"limits:\n  body_bytes: 99999999999999999999\n":               "line 2: limits.body_bytes: expected a whole number of at most 1125899906842624, found more",
		"limits: {memory_bytes: 1000}\n":                              "limits.memory_bytes: expected at least 10485760, which is limits.body_bytes, found 1000",
		"limits: {memory_bytes: 20000000, message_bytes: 15000000}\n": "limits.memory_bytes: expected at least 30000000, which is 2 times limits.message_bytes, found 20000000",
		"limits: {callers: {ana: {memory_bytes: 7}}}\n":               "limits.callers.ana.memory_bytes: expected at least 134217728, which is 2 times limits.message_bytes, found 7",
		"retention: nope\n":                                           `retention: found "nope"; expected an age of at most 65535 units, such as 90d`,
		"retention: 0d\n":                                             `retention: found "0d"; expected an age`,
		"late_rows: no\n":                                             `late_rows: expected error or nulls, found "no"`,
		"sentinels: {since: soon}\n":                                  `sentinels.since: invalid day "soon"; expected one such as 2025-01-31`,
	} {
		if code, _, log := checked(t, text, nil); code != exitUsage || !strings.Contains(log, want) {
			t.Errorf("%q: exit %d, want %q:\n%s", text, code, want, log)
		}
	}
	for _, text := range []string{"retention: 90d\n", "late_rows: nulls\n", "limits: {calls: 0, memory_bytes: 0}\n", "limits: {calls: 1000000000}\n"} {
		if code, _, log := checked(t, text, nil); code != exitDone {
			t.Errorf("%q: exit %d:\n%s", text, code, log)
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
