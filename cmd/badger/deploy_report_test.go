package main

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/udf/identity"
)

// What badger deploy writes lets those see the report whom the values name, as each platform names
// them, and nobody else: not the program or the warehouse that calls functions there. The files are
// golden in package deploy.
func TestDeployedReport(t *testing.T) {
	const secret = "a-secret-of-some-length-"
	cloudRun := func(email string) http.Header {
		claims := `{"iss":"https://accounts.google.com","aud":"32555940559.apps.googleusercontent.com","email":"` + email + `","email_verified":true,"exp":` + strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10) + `}`
		return http.Header{"Authorization": {"Bearer e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".SIGNATURE_REMOVED_BY_GOOGLE"}}
	}
	token := func(name string) http.Header { return http.Header{"X-Badger-Token": {secret + name}} }
	user := func(name string) http.Header { return http.Header{"Sf-Context-Current-User": {name}} }
	mail := func(name string) http.Header { return http.Header{"X-Forwarded-Email": {name}} }
	full := reportConfig{Labels: true, Masked: []string{"email", "iban"}}
	nobody, reads, labels, all := []identity.Role{}, []identity.Role{identity.Read}, []identity.Role{identity.Read, identity.Label}, []identity.Role{identity.Read, identity.Label, identity.Submit, identity.Admin}

	for _, tc := range []struct {
		name   string
		config func(t *testing.T) (file string, env []string)
		who    []http.Header
		may    [][]identity.Role
		report reportConfig
	}{
		{
			"Snowflake, public", func(t *testing.T) (string, []string) { return "", serviceEnvironment(t, "public") },
			[]http.Header{user("ANA"), user("Ben Li"), user("EVA@EXAMPLE.COM"), user("SOMEBODY")}, [][]identity.Role{labels, labels, all, reads}, full,
		},
		{
			"Snowflake, private", func(t *testing.T) (string, []string) { return "", serviceEnvironment(t, "badger") },
			[]http.Header{user("ANA"), user("EVA@EXAMPLE.COM"), {}}, [][]identity.Role{nobody, nobody, nobody}, reportConfig{Off: true},
		},
		{
			"Cloud Run", func(t *testing.T) (string, []string) { return "", cloudRunEnvironment(t) },
			[]http.Header{cloudRun("ana@example.com"), cloudRun("ben@example.com"), cloudRun("eva@example.com"), cloudRun("bqcx-123456789012-ab12@gcp-sa-bigquery-condel.iam.gserviceaccount.com")},
			[][]identity.Role{reads, labels, all, nobody}, full,
		},
		{
			"Databricks", func(t *testing.T) (string, []string) {
				return string(readDeployed(t, "databricks", "everything", "app/badger.yaml")), []string{"DATABRICKS_APP_NAME=badger"}
			},
			[]http.Header{mail("somebody@example.com"), mail("ben@example.com"), mail("eva@example.com")}, [][]identity.Role{reads, labels, all}, full,
		},
		{
			"Databricks, by name", func(t *testing.T) (string, []string) {
				return string(readDeployed(t, "databricks", "hostile", "app/badger.yaml")), []string{"DATABRICKS_APP_NAME=badger"}
			},
			[]http.Header{mail("null"), mail("o'brien+{x}: #@example.com"), mail("somebody@example.com")}, [][]identity.Role{reads, reads, nobody},
			reportConfig{Masked: []string{"a, b: 'c' ${d}", "null", "~"}},
		},
		{
			"Kubernetes", func(t *testing.T) (string, []string) {
				var values struct {
					Config map[string]any `yaml:"config"`
				}
				if err := yaml.Unmarshal(readDeployed(t, "kubernetes", "everything", "values-badger.yaml"), &values); err != nil {
					t.Fatal(err)
				}
				file := filepath.Join(t.TempDir(), "tokens")
				lines := ""
				for _, name := range []string{"ana", "ben", "eva", "warehouse"} {
					lines += name + ":" + secret + name + "\n"
				}
				if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
					t.Fatal(err)
				}
				text, err := yaml.Marshal(values.Config)
				if err != nil {
					t.Fatal(err)
				}
				return string(text), []string{"BADGER_AUTH_TOKEN_FILE=" + file}
			},
			[]http.Header{token("ana"), token("ben"), token("eva"), token("warehouse")}, [][]identity.Role{reads, labels, all, nobody}, full,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file, env := tc.config(t)
			path := ""
			if file != "" {
				path = filepath.Join(t.TempDir(), "badger.yaml")
				if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			getenv := func(name string) string {
				for _, kv := range env {
					if v, ok := strings.CutPrefix(kv, name+"="); ok {
						return v
					}
				}
				return ""
			}
			config, _, err := (&serveCommand{Config: path}).configuration(process{getenv: getenv, environ: func() []string { return env }})
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(config.Report, tc.report) {
				t.Errorf("the report is %+v, want %+v", config.Report, tc.report)
			}
			if config.Results.Warehouse == "" {
				t.Error("there is no warehouse whose runs the report could show")
			}
			_, byHTTP, err := config.Auth.Listeners("")
			if err != nil {
				t.Fatal(err)
			}
			guard, err := identity.New(byHTTP, identity.Env{Getenv: getenv, SPCSToken: os.Args[0]})
			if err != nil {
				t.Fatal(err)
			}
			for i, h := range tc.who {
				caller, err := guard.Identify(t.Context(), &identity.Request{Header: h.Values, HTTP: true})
				if err != nil {
					t.Errorf("caller %d: %v", i, err)
					continue
				}
				for _, role := range identity.Roles {
					if want := role == identity.Call || slices.Contains(tc.may[i], role); caller.May(role) != want {
						t.Errorf("%s has the role %s: %v, want %v", caller.Name, role, !want, want)
					}
				}
			}
		})
	}
}

// readDeployed is a file that badger deploy writes.
func readDeployed(t *testing.T, target, set, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "testdata", target, set, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// serviceEnvironment is that of a container in Snowflake.
func serviceEnvironment(t *testing.T, container string) []string {
	t.Helper()
	spec, err := service.ParseSpecification(readDeployed(t, "snowflake", "all", "service.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"SNOWFLAKE_HOST=h"}
	for _, c := range spec.Spec.Containers {
		for name, value := range c.Env {
			if c.Name == container {
				env = append(env, name+"="+value)
			}
		}
	}
	return env
}

// cloudRunEnvironment is that of the service on Cloud Run.
func cloudRunEnvironment(t *testing.T) []string {
	t.Helper()
	var vars struct {
		Environment map[string]string `json:"environment"`
	}
	if err := json.Unmarshal(readDeployed(t, "cloud-run", "everything", "terraform.tfvars.json"), &vars); err != nil {
		t.Fatal(err)
	}
	env := []string{"K_SERVICE=badger"}
	for name, value := range vars.Environment {
		env = append(env, name+"="+value)
	}
	return env
}
