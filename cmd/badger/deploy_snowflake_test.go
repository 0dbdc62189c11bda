//go:build !no_duckdb && !no_snowflake

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	fakesnowflake "github.com/badger-eval/badger/connectors/fake/snowflake"
	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/sql/install"
)

// What a container of the specification is told is a sound configuration where Snowflake's marks
// are: in the account and in an app, with Cortex, with a judge outside and with none, and for the
// endpoint that others reach. Elsewhere it is refused.
func TestServiceConfiguration(t *testing.T) {
	snowflake := fakesnowflake.New(t)
	snowflake.Token = "a token of Snowflake's"
	dir := t.TempDir()
	for name, text := range map[string]string{"token": snowflake.Token, "judge/secret_string": "a key"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	judges, err := filepath.Abs("../../examples/judges/pii_guardrail")
	if err != nil {
		t.Fatal(err)
	}
	host := "127.0.0.1"
	t.Setenv("SNOWFLAKE_HOST", host)
	t.Setenv("SNOWFLAKE_ACCOUNT", "org-acct")
	t.Setenv("SNOWFLAKE_DATABASE", "LAKE")

	values := func(change func(v *install.Values)) install.Values {
		v := install.Values{Warehouse: "snowflake", Via: "spcs", Database: "lake", Instances: "CPU_X64_S"}
		v.Deploy.Image, v.Deploy.Snowflake.QueryWarehouse, v.Deploy.Snowflake.Public = "badger:1", "wh", true
		change(&v)
		return v
	}
	outside := service.Judge{Backend: "openai", Model: "gpt-4o", URL: "https://models.example.com/v1", Secret: "judge_key", Budget: "2M"}
	cortex := service.Judge{Backend: "cortex", Budget: "5k"}
	for name, tc := range map[string]struct {
		values install.Values
		app    bool
		judge  string
	}{
		"Cortex":                  {values(func(v *install.Values) { v.Deploy.Judge = cortex }), false, "cortex:claude-4-sonnet"},
		"no judge is named":       {values(func(*install.Values) {}), false, "none"},
		"a judge outside":         {values(func(v *install.Values) { v.Deploy.Judge = outside }), false, "openai:gpt-4o"},
		"no judge":                {values(func(v *install.Values) { v.Deploy.Judge.Backend = "none" }), false, "none"},
		"an app, Cortex":          {values(func(v *install.Values) { v.Deploy.Judge = cortex }), true, "cortex:claude-4-sonnet"},
		"an app, a judge outside": {values(func(v *install.Values) { v.Deploy.Judge = outside }), true, "openai:gpt-4o"},
		"a judge file": {values(func(v *install.Values) {
			v.Deploy.Judge, v.Judges = cortex, []string{filepath.Join(judges, "pii_guardrail.star")}
		}), false, "cortex:claude-4-sonnet"},
		"a model with a name of its own": {values(func(v *install.Values) {
			v.Deploy.Judge = service.Judge{Backend: "cortex", Model: `m: "x" {y}`, Budget: "2M"}
		}), false, `cortex:m: "x" {y}`},
		"names that YAML takes otherwise": {values(func(v *install.Values) { v.Database, v.Schema = "y", "null_" }), false, "none"},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := planOf(t.Context(), tc.values)
			if err != nil {
				t.Fatal(err)
			}
			text, err := plan.SPCS().Specification()
			if tc.app {
				text, err = plan.SPCS().AppSpecification()
			}
			if err != nil {
				t.Fatal(err)
			}
			spec, err := service.ParseSpecification([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if len(spec.Spec.Containers) != 2 {
				t.Fatalf("%d containers", len(spec.Spec.Containers))
			}
			for i, c := range spec.Spec.Containers {
				check := func(host string) (int, string) {
					env := map[string]string{"SNOWFLAKE_HOST": host}
					for key, value := range c.Env {
						env[key] = strings.NewReplacer("/secrets/judge", filepath.Join(dir, "judge"), "/judges", judges).Replace(value)
					}
					env["BADGER_RESULTS_WAREHOUSE"] += "&" + snowflake.Options() + "&token_file=" + filepath.Join(dir, "token")
					var environ []string
					for key, value := range env {
						environ = append(environ, key+"="+value)
					}
					var out bytes.Buffer
					code := run(t.Context(), append(c.Args, "--check"), process{
						getenv: func(key string) string { return env[key] }, environ: func() []string { return environ }, stdin: strings.NewReader(""), stdout: &out, stderr: &out, now: time.Now, spcsToken: filepath.Join(dir, "token"),
					})
					return code, out.String()
				}
				code, out := check(host)
				for _, want := range []string{
					"timeouts: {snowflake: 10m0s}", "stop_grace: 25s", "judge " + tc.judge + "\n",
					"# HTTP on 0.0.0.0:" + []string{"8080", "8081"}[i] + ": platform spcs", "# Flight and gRPC on 127.0.0.1:" + []string{"7433", "7435"}[i] + ": local",
				} {
					if code != exitDone || !strings.Contains(out, want) {
						t.Errorf("%s: exit code %d, without %q:\n%s", c.Name, code, want, out)
					}
				}
				if code, out := check(""); code == exitDone || !strings.Contains(out, "this is not that platform") {
					t.Errorf("%s elsewhere: exit code %d\n%s", c.Name, code, out)
				}
			}
		})
	}
}
