package deploy_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/databricks"
	"github.com/badger-eval/badger/deploy"
	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/sql/install"
)

// node is YAML as it is read.
type node = map[string]any

// bundle is databricks.yml with what it includes, as one target sees it.
func bundle(t *testing.T, files []deploy.File, target string) node {
	t.Helper()
	root := as[node](t, content(t, files, "databricks.yml"))
	for _, pattern := range root["include"].([]any) {
		for _, f := range files {
			if ok, err := path.Match(pattern.(string), f.Name); err == nil && ok {
				merge(root, as[node](t, f.Content))
			}
		}
	}
	own, ok := root["targets"].(node)[target].(node)
	if !ok {
		t.Fatalf("there is no target %s", target)
	}
	if r, ok := own["resources"].(node); ok {
		merge(root, node{"resources": r})
	}
	return root
}

func merge(into, from node) {
	for k, v := range from {
		if was, ok := into[k].(node); ok {
			if is, ok := v.(node); ok {
				merge(was, is)
				continue
			}
		}
		into[k] = v
	}
}

var reference = regexp.MustCompile(`\$\{([^}]*)\}`)

// bundleRules are what neither the schema nor Databricks' classes say: what must fit together.
func bundleRules(t *testing.T, files []deploy.File, target string) (broken []string) {
	t.Helper()
	bad := func(parts ...string) { broken = append(broken, strings.Join(parts, " ")) }
	b := bundle(t, files, target)
	own := b["targets"].(node)[target].(node)
	values, _ := own["variables"].(node)
	declared := b["variables"].(node)
	for name := range values {
		if declared[name] == nil {
			bad("the variable", name, "is set and not declared")
		}
	}
	for name, v := range declared {
		if v.(node)["default"] == nil && values[name] == nil {
			bad("the variable", name, "has no value")
		}
	}
	text, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range reference.FindAllStringSubmatch(string(text), -1) {
		at := strings.Split(m[1], ".")
		switch {
		case at[0] == "var" && len(at) == 2 && declared[at[1]] != nil:
		case at[0] == "bundle" && len(at) == 2 && (at[1] == "name" || at[1] == "target"):
		case at[0] == "resources" && len(at) == 4:
			kind, _ := b["resources"].(node)[at[1]].(node)
			one, _ := kind[at[2]].(node)
			if one[at[3]] == nil {
				bad("there is nothing at", m[0])
			}
		default:
			bad("there is nothing at", m[0])
		}
	}
	if strings.Contains(string(text), `"host"`) || regexp.MustCompile(`https://[^"]*databricks`).Match(text) {
		bad("the bundle names a host")
	}
	there := map[string]bool{}
	for _, f := range files {
		there[f.Name] = true
	}
	file := func(name string) { // as jobs in resources/ name it
		if name = path.Join("resources", strings.ReplaceAll(name, "${bundle.target}", target)); !there[name] {
			bad("there is no file", name)
		}
	}
	jobs := b["resources"].(node)["jobs"].(node)
	for name, j := range jobs {
		keys := map[string]bool{}
		for _, task := range j.(node)["tasks"].([]any) {
			keys[task.(node)["task_key"].(string)] = true
		}
		for _, one := range j.(node)["tasks"].([]any) {
			task := one.(node)
			if sql, ok := task["sql_task"].(node); ok {
				file(sql["file"].(node)["path"].(string))
			}
			if python, ok := task["spark_python_task"].(node); ok {
				file(python["python_file"].(string))
			}
			needs, _ := task["depends_on"].([]any)
			for _, on := range needs {
				if key := on.(node)["task_key"].(string); !keys[key] {
					bad("the job", name, "waits for", key, "which is no task")
				}
			}
		}
		if runAs := j.(node)["run_as"] != nil; runAs != (target == "prod") {
			bad("the job", name, "must run as the service principal in prod, and in dev as whoever deploys")
		}
	}
	waiting := func(job string) any {
		s, _ := jobs[job].(node)["schedule"].(node)
		return s["pause_status"]
	}
	if waiting("evaluate") != nil && (waiting("evaluate") == "PAUSED") == (waiting("run") == "PAUSED") {
		bad("one of the two nightly jobs must run, and not both")
	}
	apps, _ := b["resources"].(node)["apps"].(node)
	if _, ok := b["run_as"]; ok || own["run_as"] != nil {
		bad("run_as beside an app")
	}
	if target == "prod" && apps["badger"] == nil {
		bad("prod has no app")
	}
	for _, a := range apps {
		bound := map[string]bool{}
		for _, r := range a.(node)["resources"].([]any) {
			bound[r.(node)["name"].(string)] = true
		}
		folder := path.Clean(a.(node)["source_code_path"].(string))
		app := as[struct {
			Command []string
			Env     []struct {
				Name, Value string
				ValueFrom   string `yaml:"valueFrom"`
			}
		}](t, content(t, files, folder+"/app.yaml"))
		env := map[string]string{}
		for _, e := range app.Env {
			env[e.Name] = e.Value
			if e.ValueFrom != "" && !bound[e.ValueFrom] {
				bad("app.yaml names the resource", e.ValueFrom, "which the app does not have")
			}
		}
		// The arguments behind the starter are badger's.
		if n := len(app.Command); n != 5 || app.Command[2] != "serve" || app.Command[3] != "--config" || !there[folder+"/"+app.Command[4]] {
			bad("the command is not that of a server with a configuration of the folder")
		}
		volume := "/Volumes/" + values["catalog"].(string) + "/" + b["resources"].(node)["schemas"].(node)["files"].(node)["name"].(string) + "/" + b["resources"].(node)["volumes"].(node)["programs"].(node)["name"].(string) + "/"
		if name, ok := strings.CutPrefix(env["STARTER_BINARY"], volume); !ok || name == "" || strings.Contains(name, "/") {
			bad("the program is not in the bundle's volume")
		}
		if len(env["STARTER_SHA256"]) != 64 {
			bad("the program has no SHA-256")
		}
	}
	slices.Sort(broken)
	return broken
}

func TestBundle(t *testing.T) {
	s, app := schema(t, "databricks-bundle.json"), schema(t, "databricks-app.json")
	targetSets(t, "databricks", func(t *testing.T, _ string, files []deploy.File) {
		for _, name := range []string{"databricks.yml", "resources/badger.yml"} {
			if err := s.Validate(document(t, content(t, files, name))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := app.Validate(document(t, content(t, files, "app/app.yaml"))); err != nil {
			t.Error(err)
		}
		for _, target := range []string{"dev", "prod"} {
			for _, b := range bundleRules(t, files, target) {
				t.Errorf("%s: %s", target, b)
			}
		}
	})
}

// Each mistake is found, by a schema or by a rule.
func TestBundleMistakes(t *testing.T) {
	var good []deploy.File
	targetSets(t, "databricks", func(_ *testing.T, set string, files []deploy.File) {
		if set == "hostile" { // it has a secret and a schedule
			good = files
		}
	})
	bundleSchema, appSchema := schema(t, "databricks-bundle.json"), schema(t, "databricks-app.json")
	for _, tc := range []struct{ why, file, old, new, says string }{
		{"a key that there is not", "resources/badger.yml", "max_concurrent_runs: 1", "max_concurrent_run: 1", "max_concurrent_run"},
		{"a text for a number", "resources/badger.yml", "timeout_seconds: 36000", `timeout_seconds: "36000"`, "timeout_seconds"},
		{"a number for a text", "databricks.yml", `default: "1234567890"`, "default: 1234567890", "warehouse_id"},
		{"two runs at once", "resources/badger.yml", "max_concurrent_runs: 1", "max_concurrent_runs: 2", "max_concurrent_runs"},
		{"cron for Quartz", "resources/badger.yml", "quartz_cron_expression: 0 0 0 1 1 ?", "quartz_cron_expression: 0 0 1 1 *", "quartz_cron_expression"},
		{"a host", "databricks.yml", "root_path:", "host: https://dbc-1.cloud.databricks.com\n      root_path:", "host"},
		{"a target of another mode", "databricks.yml", "mode: production", "mode: development", "mode"},
		{"run_as for all", "databricks.yml", "    mode: production", "    mode: production\n    run_as: {service_principal_name: a}", "run_as"},
		{"more than reading", "resources/badger.yml", "[READ_VOLUME]", "[ALL_PRIVILEGES]", "privileges"},
		{"a task of no kind", "resources/badger.yml", "spark_python_task:", "python_wheel_task:", "python_wheel_task"},
		{"a shell in the command", "app/app.yaml", "[python, starter.py, serve", "[sh, -c, a && b", "command"},
		{"the platform's own variable", "app/app.yaml", "GOMEMLIMIT", "DATABRICKS_HOST", "name"},
		{"a value and its source", "app/app.yaml", "valueFrom: judge-key", "valueFrom: judge-key\n    value: a", "oneOf"},
		{"a variable without a value", "databricks.yml", `      scope: "0x1F"` + "\n", "", "scope has no value"},
		{"a variable that is not declared", "databricks.yml", "      schedule: UNPAUSED", "      schedules: UNPAUSED", "schedules is set and not declared"},
		{"a variable that there is not", "resources/badger.yml", "${var.scope}", "${var.scopes}", "nothing at ${var.scopes}"},
		{"a resource that there is not", "resources/badger.yml", "${resources.schemas.files.name}", "${resources.schemas.file.name}", "nothing at ${resources"},
		{"a file that there is not", "resources/badger.yml", "evaluate.sql", "evaluates.sql", "no file src/prod/evaluates.sql"},
		{"a program that there is not", "resources/badger.yml", "src/run.py", "src/runs.py", "no file src/runs.py"},
		{"a task that there is not", "resources/badger.yml", "- task_key: evaluate\n          sql", "- task_key: evaluat\n          sql", "waits for evaluate"},
		{"two jobs by night", "resources/badger.yml", "pause_status: PAUSED", "pause_status: UNPAUSED", "not both"},
		{"a job that runs as whoever deploys", "databricks.yml", "        run:\n          run_as:\n            service_principal_name: ${var.runner}", "        run: {}", "must run as the service principal"},
		{"a resource that the app has not", "app/app.yaml", "valueFrom: judge-key", "valueFrom: judge", "names the resource judge"},
		{"a program elsewhere", "app/app.yaml", "/Volumes/", "/Volumes/x/", "not in the bundle's volume"},
		{"a configuration that there is not", "app/app.yaml", "--config, badger.yaml", "--config, other.yaml", "not that of a server"},
	} {
		var files []deploy.File
		for _, f := range good {
			if f.Name == tc.file {
				bad := bytes.Replace(f.Content, []byte(tc.old), []byte(tc.new), 1)
				if bytes.Equal(bad, f.Content) {
					t.Errorf("%s: there is no %q", tc.why, tc.old)
				}
				f.Content = bad
			}
			files = append(files, f)
		}
		var says []string
		for name, s := range map[string]interface{ Validate(any) error }{"databricks.yml": bundleSchema, "resources/badger.yml": bundleSchema, "app/app.yaml": appSchema} {
			if err := s.Validate(document(t, content(t, files, name))); err != nil {
				says = append(says, err.Error())
			}
		}
		if says == nil {
			says = bundleRules(t, files, "prod")
		}
		if text := strings.Join(says, "; "); !strings.Contains(text, tc.says) {
			t.Errorf("%s: %q, want %q", tc.why, text, tc.says)
		}
	}
}

// Databricks' own classes read each resource, and give back what they read. What they refuse shows
// that they look.
func TestBundleAgainstDatabricksClasses(t *testing.T) {
	python := checker(t, "python")
	type resource struct {
		Kind     string `json:"kind"`
		Resource any    `json:"resource"`
		name     string // "": one that is to be refused
	}
	all := []resource{
		{"jobs", node{"name": "a", "tasks": []any{node{"task_key": "a", "sql_task": node{"file": node{"path": "a"}}}}}, ""},
		{"volumes", node{"catalog_name": "a", "schema_name": "b", "name": "c", "volume": "MANAGED"}, ""},
		{"apps", node{"name": "a", "compute_size": "TINY"}, ""},
	}
	targetSets(t, "databricks", func(t *testing.T, set string, files []deploy.File) {
		kinds := bundle(t, files, "prod")["resources"].(node)
		if len(kinds) != 5 {
			t.Errorf("%d kinds of resources, want 5", len(kinds))
		}
		for kind, some := range kinds {
			for name, r := range some.(node) {
				all = append(all, resource{kind, r, set + "." + kind + "." + name})
			}
		}
	})
	var in bytes.Buffer
	for _, r := range all {
		if err := json.NewEncoder(&in).Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "bundle.py"))
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	replies := json.NewDecoder(bytes.NewReader(out))
	for _, r := range all {
		var reply struct{ Error string }
		if err := replies.Decode(&reply); err != nil {
			t.Fatal(err)
		}
		if (reply.Error == "") != (r.name != "") {
			t.Errorf("%q (%s): %q", r.name, r.Kind, reply.Error)
		}
	}
}

// Apps refuse files of more than 10 MB, and the bundle syncs what is in its folder.
func TestAppFilesAreSmall(t *testing.T) {
	const most = 10_000_000
	check := func(files map[string]int) (large []string) {
		for name, size := range files {
			if size > most {
				large = append(large, name)
			}
		}
		return large
	}
	targetSets(t, "databricks", func(t *testing.T, _ string, files []deploy.File) {
		sizes := map[string]int{}
		for _, f := range files {
			sizes[f.Name] = len(f.Content)
		}
		if large := check(sizes); large != nil {
			t.Errorf("too large for an app: %v", large)
		}
	})
	if check(map[string]int{"app/badger": most + 1}) == nil {
		t.Error("a file of 10 MB and a byte is small")
	}
}

// The app starts with a file that is in its folder.
func TestAppHasItsStarter(t *testing.T) {
	if _, err := os.Stat(filepath.Join("databricks", "app", "starter.py")); err != nil {
		t.Skip("the starter is not there")
	}
	targetSets(t, "databricks", func(t *testing.T, _ string, files []deploy.File) {
		app := as[struct{ Command []string }](t, content(t, files, "app/app.yaml"))
		content(t, files, "app/"+app.Command[1])
	})
}

// The warehouse's URLs have no host, and take the platform's.
func TestBundleSources(t *testing.T) {
	t.Setenv("DATABRICKS_HOST", "https://dbc-1.cloud.databricks.com")
	targetSets(t, "databricks", func(t *testing.T, _ string, files []deploy.File) {
		root := as[node](t, content(t, files, "databricks.yml"))
		sources := map[string]string{"app": as[struct{ Results struct{ Warehouse string } }](t, content(t, files, "app/badger.yaml")).Results.Warehouse}
		for _, target := range []string{"dev", "prod"} {
			v := root["targets"].(node)[target].(node)["variables"].(node)
			sources[target] = v["source"].(string)
			c, err := databricks.ParseURL(sources[target])
			if err != nil || c.Host != "dbc-1.cloud.databricks.com" || c.Catalog != v["catalog"] || c.Schema != "badger" || !strings.HasPrefix(c.HTTPPath, "/sql/1.0/warehouses/") {
				t.Errorf("%s: %s becomes %+v, %v", target, sources[target], c, err)
			}
		}
		if sources["app"] != sources["prod"] || sources["dev"] == sources["prod"] {
			t.Errorf("the app and prod must use one catalog, and dev another: %v", sources)
		}
	})
}

// The job's program runs badger as it is in the volume, and another one not.
func TestRunJob(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	dir := t.TempDir()
	module := filepath.Join(dir, "databricks", "sdk")
	const fake = "#!/bin/sh\necho \"args $*\"\nenv | grep -E '^(DATABRICKS|BADGER)_' | sort\nexit $CODE\n"
	for name, text := range map[string]string{
		filepath.Join(dir, "program"): fake,
		filepath.Join(module, "runtime.py"): `
class secrets:
    @staticmethod
    def get(scope, key):
        return f"{scope}/{key}"
class dbutils:
    secrets = secrets
`,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sum := sha256.Sum256([]byte(fake))
	run := func(code, sum string) (string, error) {
		cmd := exec.CommandContext(t.Context(), python, filepath.Join("databricks", "src", "run.py"),
			"--binary="+filepath.Join(dir, "program"), "--sha256="+sum, "--host=https://dbc-1.cloud.databricks.com", "--scope=s", "--", "run", "--source=databricks:///a/badger", "--metrics=a,b")
		cmd.Env = append(os.Environ(), "PYTHONPATH="+dir, "CODE="+code, "DATABRICKS_TOKEN=of-the-driver", "BADGER_SURPRISE=1", "PYTHONDONTWRITEBYTECODE=1")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := run("0", hex.EncodeToString(sum[:]))
	const want = "args run --source=databricks:///a/badger --metrics=a,b\nDATABRICKS_CLIENT_ID=s/client_id\nDATABRICKS_CLIENT_SECRET=s/client_secret\nDATABRICKS_HOST=https://dbc-1.cloud.databricks.com\n"
	if err != nil || out != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
	if out, err = run("1", hex.EncodeToString(sum[:])); err == nil || !strings.Contains(out, "exit code 1") {
		t.Errorf("a failed gate ends with %v\n%s", err, out)
	}
	if out, err = run("0", strings.Repeat("0", 64)); err == nil || !strings.Contains(out, "expected 0000") || strings.Contains(out, "args") {
		t.Errorf("another program: %v\n%s", err, out)
	}
}

// Every value that a bundle cannot take is refused by its key, with what is expected.
func TestBundleValues(t *testing.T) {
	good := func() install.Values {
		v := install.Values{Warehouse: "databricks", Database: "analytics", Schedule: install.Schedule{Compute: "0123456789abcdef"}}
		v.Deploy.Databricks = service.Databricks{SHA256: strings.Repeat("a", 64), ServicePrincipal: "12345678-90ab-cdef-1234-567890abcdef"}
		return v
	}
	refused(t, "databricks", good, []refusal{
		{"", func(*install.Values) {}, ""},
		{"no warehouse", func(v *install.Values) { v.Schedule.Compute = "" }, "schedule.compute"},
		{"a warehouse's name", func(v *install.Values) { v.Schedule.Compute = "Serverless Starter" }, "schedule.compute"},
		{"no catalog", func(v *install.Values) { v.Database = "" }, "database"},
		{"a catalog with a dot", func(v *install.Values) { v.Database = "a.b" }, "database"},
		{"one catalog for dev and prod", func(v *install.Values) { v.Deploy.Databricks.DevCatalog = "analytics" }, "deploy.databricks.dev_catalog"},
		{"what a bundle replaces", func(v *install.Values) { v.Roles.Caller = "a${var.scope}" }, "roles.caller"},
		{"what a job replaces", func(v *install.Values) { v.Database = "{{job.id}}" }, "database"},
		{"another schema", func(v *install.Values) { v.Schema = "scores" }, "schema"},
		{"an app's name", func(v *install.Values) { v.Service = "Badger" }, "service"},
		{"a scope", func(v *install.Values) { v.Secret.Scope = "a b" }, "secret.scope"},
		{"no sum", func(v *install.Values) { v.Deploy.Databricks.SHA256 = "" }, "deploy.databricks.sha256"},
		{"a short sum", func(v *install.Values) { v.Deploy.Databricks.SHA256 = "abc" }, "deploy.databricks.sha256"},
		{"no principal", func(v *install.Values) { v.Deploy.Databricks.ServicePrincipal = "" }, "deploy.databricks.service_principal"},
		{"a principal's name", func(v *install.Values) { v.Deploy.Databricks.ServicePrincipal = "badger" }, "deploy.databricks.service_principal"},
		{"a file in a folder", func(v *install.Values) { v.Deploy.Databricks.Binary = "a/b" }, "deploy.databricks.binary"},
		{"a volume with a slash", func(v *install.Values) { v.Deploy.Databricks.Volume = "a/b" }, "deploy.databricks.volume"},
		{"a schema with a dot", func(v *install.Values) { v.Deploy.Databricks.Schema = "a.b" }, "deploy.databricks.schema"},
		{"the schema with the scores", func(v *install.Values) { v.Deploy.Databricks.Schema = "Badger" }, "deploy.databricks.schema"},
		{"another night", func(v *install.Values) { v.Deploy.Databricks.Nightly = "both" }, "deploy.databricks.nightly"},
		{"another size", func(v *install.Values) { v.Deploy.Databricks.AppSize = "SMALL" }, "deploy.databricks.app_size"},
		{"nobody to notify", func(v *install.Values) { v.Deploy.Databricks.Notify = []string{"team"} }, "deploy.databricks.notify"},
		{"a host", func(v *install.Values) { v.Deploy.Warehouse = "databricks://h/a" }, "deploy.warehouse"},
		{"a judge of another warehouse", func(v *install.Values) { v.Deploy.Judge = service.Judge{Backend: "cortex", Model: "m", Budget: "2M"} }, "deploy.judge.backend"},
		{"a report for nobody that * could be", func(v *install.Values) { v.Deploy.Report.Admins = []string{"*"} }, "deploy.report.admins"},
		{"a secret's key", func(v *install.Values) {
			v.Deploy.Judge = service.Judge{Backend: "openai", Model: "m", URL: "https://m", Secret: "a b", Budget: "2M"}
		}, "deploy.judge.secret"},
	})
}
