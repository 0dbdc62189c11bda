package deploy_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/connectors/snowflake"
	"github.com/badger-eval/badger/deploy"
	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/install"
	"github.com/badger-eval/badger/udf"
)

// few are some functions of the catalogue: with and without optional arguments, and those that the
// evaluation calls. Golden files do not grow with the metrics.
func few(all []udf.Function) (out []udf.Function) {
	for i := range all {
		if slices.Contains([]string{"badger_version", "hybrid_ex", "hybrid_ex_json", "run_settings", "score_row"}, all[i].Name) {
			out = append(out, all[i])
		}
	}
	return out
}

// snowflakeSets calls f for what is rendered from each set of Snowflake's values.
func snowflakeSets(t *testing.T, f func(t *testing.T, set string, files map[string]string)) {
	eachSet(t, func(t *testing.T, _ *deploy.Target, set string, files []deploy.File) {
		byName := map[string]string{}
		for _, f := range files {
			byName[f.Name] = string(f.Content)
		}
		f(t, set, byName)
	}, "snowflake")
}

// snowflakeSchema is one of our schemas, with a reader of documents in YAML.
func snowflakeSchema(t *testing.T, name string) func(text string) error {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("schemas", name))
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) error {
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		plain, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(plain))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(doc)
	}
}

// Every specification, in the account and in an app, has the fields that Snowflake knows and keeps
// the rules; every manifest is one.
func TestSnowflakeFilesKeepTheSchemas(t *testing.T) {
	ofService, manifest := snowflakeSchema(t, "snowflake-service.json"), snowflakeSchema(t, "snowflake-app-manifest.json")
	family, err := service.FindFamily("CPU_X64_M")
	if err != nil {
		t.Fatal(err)
	}
	apps := 0
	snowflakeSets(t, func(t *testing.T, set string, files map[string]string) {
		for name, text := range files {
			switch filepath.Base(name) {
			case "service.yaml":
				if err := ofService(text); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				s, err := service.ParseSpecification([]byte(text))
				if err == nil {
					err = s.Check(family)
				}
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			case "manifest.yml":
				if err := manifest(text); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				apps++
			}
			if !strings.Contains(text[:min(len(text), 80)], "v1.2.3") {
				t.Errorf("%s does not name the version that made it", name)
			}
		}
	})
	if apps < 2 {
		t.Errorf("%d sets have an app", apps)
	}
}

// The schemas refuse what is none of the fields, and what is of another type.
func TestSnowflakeSchemasRefuse(t *testing.T) {
	var service, manifest string
	snowflakeSets(t, func(_ *testing.T, set string, files map[string]string) {
		if set == "all" {
			service, manifest = files["app/service.yaml"], files["app/manifest.yml"]
		}
	})
	for schema, of := range map[string]struct {
		text    string
		changes [][2]string
	}{
		"snowflake-service.json": {service, [][2]string{
			{"spec:", "specs:"},
			{"  containers:", "  container:"},
			{"      image:", "      images:"},
			{"      args:\n        - serve", "      args: serve"},
			{"        BADGER_AUTH_GRPC_MODE: local", "        BADGER_AUTH_GRPC_MODE: 1"},
			{"        port: 8080\n        path", "        port: \"8080\"\n        path"},
			{"        path: /readyz", "        path: readyz"},
			{"        path: /readyz", "        path: /readyz\n        periodSeconds: 5"},
			{"          mountPath: /tmp", "          mountPath: tmp"},
			{"            objectReference: judge_key", "            objectReference: judge_key\n            objectName: x"},
			{"          directoryPath: /secrets/judge", "          envVarName: KEY"},
			{"          cpu: 250m", "          cpu: 250c"},
			{"          memory: 8Gi", "          memory: 8"},
			{"        limits:", "        limit:"},
			{"      public: false", "      public: \"no\""},
			{"      protocol: HTTP", "      protocol: HTTPS"},
			{"\n      port: 8080\n", "\n      port: 8080\n      portRange: 1-2\n"},
			{"      source: local", "      source: disk"},
			{"      logLevel: ERROR", "      logLevel: DEBUG"},
			{"  - name: caller", "  - name: Caller"},
			{"    endpoints:\n      - api", "    endpoints: []"},
		}},
		"snowflake-app-manifest.json": {manifest, [][2]string{
			{"manifest_version: 2", "manifest_version: 1"},
			{"  name: v1_2_3", "  name: 1.2.3"},
			{"  setup_script: setup.sql", "  setup: setup.sql"},
			{"  readme: README.md", "  readme: /README.md"},
			{"  default_web_endpoint:", "  default_streamlit: x\n  default_web_endpoint:"},
			{"    endpoint: ui\n", ""},
			{":1.2.3", ""},
			{"  log_level: ERROR", "  log_level: NONE"},
			{"  grant_callback: code.on_grant", "  grant_callback: on_grant"},
			{"  version_initializer:", "  version_initialiser:"},
			{"  - CREATE WAREHOUSE:", "  - CREATE EVERYTHING:"},
			{"        - READ", "        - WRITE"},
			{"      object_type: SECRET", "      object_type: SECRETS"},
			{"      register_callback: code.register_judge_key\n", ""},
		}},
	} {
		check := snowflakeSchema(t, schema)
		if err := check(of.text); err != nil {
			t.Fatal(err)
		}
		for _, c := range of.changes {
			changed := strings.Replace(of.text, c[0], c[1], 1)
			if changed == of.text {
				t.Fatalf("%s: there is no %q", schema, c[0])
			}
			if check(changed) == nil {
				t.Errorf("%s takes %q in the place of %q", schema, c[1], c[0])
			}
		}
	}
}

// The manifest, the setup script, the specification and the project name the same things.
func TestSnowflakeAppAgrees(t *testing.T) {
	procedure := regexp.MustCompile(`CREATE OR REPLACE PROCEDURE (code\.\w+)\(`)
	snowflakeSets(t, func(t *testing.T, set string, files map[string]string) {
		text, app := files["app/manifest.yml"]
		if !app {
			if len(files) > 5 {
				t.Errorf("without a package there are the files %v", slices.Sorted(maps.Keys(files)))
			}
			return
		}
		var m struct {
			Artifacts struct {
				Setup  string `yaml:"setup_script"`
				Readme string `yaml:"readme"`
				Web    *struct {
					Service  string `yaml:"service"`
					Endpoint string `yaml:"endpoint"`
				} `yaml:"default_web_endpoint"`
				Containers struct {
					Images []string `yaml:"images"`
				} `yaml:"container_services"`
			} `yaml:"artifacts"`
			Configuration struct {
				Grant string `yaml:"grant_callback"`
			} `yaml:"configuration"`
			Callbacks  map[string]string           `yaml:"lifecycle_callbacks"`
			Privileges []map[string]map[string]any `yaml:"privileges"`
			References []map[string]map[string]any `yaml:"references"`
		}
		if err := yaml.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		setup := files["app/"+m.Artifacts.Setup]
		var made []string
		for _, found := range procedure.FindAllStringSubmatch(setup, -1) {
			made = append(made, found[1])
		}
		called := []string{m.Configuration.Grant, m.Callbacks["version_initializer"]}
		spec, err := service.ParseSpecification([]byte(files["app/service.yaml"]))
		if err != nil {
			t.Fatal(err)
		}
		var references []string
		for _, r := range m.References {
			for name, is := range r {
				references = append(references, name)
				called = append(called, is["register_callback"].(string), is["configuration_callback"].(string))
			}
		}
		for _, name := range called {
			if !slices.Contains(made, name) {
				t.Errorf("the manifest calls %s, and the setup script makes %v", name, made)
			}
		}
		for _, c := range spec.Spec.Containers {
			if !slices.Equal(m.Artifacts.Containers.Images, []string{c.Image}) {
				t.Errorf("the manifest lists %v, and the service runs %s", m.Artifacts.Containers.Images, c.Image)
			}
			for _, s := range c.Secrets {
				if !slices.Contains(references, s.SnowflakeSecret.ObjectReference) || s.SnowflakeSecret.ObjectName != "" {
					t.Errorf("the service has the secret %+v, the manifest the references %v", s.SnowflakeSecret, references)
				}
			}
		}
		asked := map[string]bool{}
		for _, p := range m.Privileges {
			for name := range p {
				asked[name] = true
			}
		}
		for privilege, needed := range map[string]bool{
			"CREATE COMPUTE POOL": true, "CREATE WAREHOUSE": true,
			"BIND SERVICE ENDPOINT":                 len(spec.Spec.Endpoints) > 1 || strings.Contains(setup, "EXTERNAL_ACCESS_INTEGRATIONS = "),
			"CREATE EXTERNAL ACCESS INTEGRATION":    strings.Contains(setup, "CREATE EXTERNAL ACCESS INTEGRATION"),
			"IMPORTED PRIVILEGES ON SNOWFLAKE DB":   strings.HasPrefix(spec.Spec.Containers[0].Env["BADGER_JUDGE_BACKEND"], "cortex:"),
			"CREATE SECURITY INTEGRATION, and more": len(m.Privileges) > 5,
		} {
			if asked[privilege] != needed {
				t.Errorf("%s is asked for: %v, needed: %v", privilege, asked[privilege], needed)
			}
		}
		for _, file := range []string{m.Artifacts.Readme, "snowflake.yml"} {
			if files["app/"+file] == "" {
				t.Errorf("there is no app/%s", file)
			}
		}
		// What the app opens is the report: of the service that the script makes, at an endpoint of the
		// specification that people reach.
		web := m.Artifacts.Web
		shown := slices.ContainsFunc(spec.Spec.Containers, func(c service.Container) bool { return c.Env["BADGER_REPORT_OFF"] == "" })
		if (web != nil) != shown {
			t.Errorf("there is a report: %v, and the app opens %+v", shown, web)
		}
		if web != nil && (!strings.Contains(setup, "CREATE SERVICE IF NOT EXISTS "+web.Service+" ") ||
			!slices.ContainsFunc(spec.Spec.Endpoints, func(e service.Endpoint) bool { return e.Name == web.Endpoint && e.Public })) {
			t.Errorf("the app opens %+v, and the endpoints are %+v", web, spec.Spec.Endpoints)
		}
	})
}

// splitStatements splits a script at the semicolons that end lines and are in no text and no $$.
func splitStatements(t *testing.T, script string) (out []string) {
	t.Helper()
	var b strings.Builder
	dollar, quote, name := false, false, false
	for i := 0; i < len(script); i++ {
		c := script[i]
		switch {
		case c == '"' && !quote && !dollar:
			name = !name
		case name:
		case !quote && strings.HasPrefix(script[i:], "$$"):
			dollar = !dollar
			b.WriteString("$$")
			i++
			continue
		case dollar:
		case quote && c == '\\':
			b.WriteByte(c)
			i++
			c = script[i]
		case c == '\'':
			quote = !quote
		case !quote && strings.HasPrefix(script[i:], "--"):
			if end := strings.IndexByte(script[i:], '\n'); end >= 0 {
				i += end
				b.WriteByte('\n')
				continue
			}
			i = len(script)
			continue
		case !quote && c == ';':
			out = append(out, strings.TrimSpace(b.String()))
			b.Reset()
			continue
		}
		b.WriteByte(c)
	}
	if dollar || quote || name || strings.TrimSpace(b.String()) != "" {
		t.Errorf("the script ends in the middle of %.80q", strings.TrimSpace(b.String()))
	}
	return out
}

// The setup script may run again at any time: each statement says what is to happen where the object
// is there. The versioned schema holds code only, and the service is in none.
func TestSnowflakeSetupIsIdempotent(t *testing.T) {
	again := regexp.MustCompile(`^(CREATE (APPLICATION ROLE|SCHEMA|TABLE|NETWORK RULE|COMPUTE POOL|WAREHOUSE) IF NOT EXISTS|CREATE OR REPLACE (VIEW|PROCEDURE|FUNCTION)|CREATE OR ALTER VERSIONED SCHEMA|GRANT|COMMENT ON|ALTER (APPLICATION SET SPECIFICATION|SERVICE|NETWORK RULE)|MERGE INTO|INSERT INTO .* WHERE NOT EXISTS)`)
	snowflakeSets(t, func(t *testing.T, set string, files map[string]string) {
		setup, app := files["app/setup.sql"]
		if !app {
			return
		}
		statements := splitStatements(t, setup)
		for _, s := range statements {
			if !again.MatchString(strings.Join(strings.Fields(s), " ")) {
				t.Errorf("may this run twice?\n%.200s", s)
			}
			if made := regexp.MustCompile(`^CREATE.* code\.(\w+)`).FindString(strings.SplitN(s, "\n", 2)[0]); made != "" && !strings.Contains(made, "PROCEDURE") {
				t.Errorf("the versioned schema holds %s", made)
			}
			if strings.HasPrefix(s, "GRANT") && !strings.Contains(s, " TO APPLICATION ROLE ") {
				t.Errorf("an app has application roles only: %s", s)
			}
		}
		for _, word := range []string{"lake.", "provider.", "analytics."} {
			if strings.Contains(setup, word) {
				t.Errorf("the script names the provider's database in %q", word)
			}
		}
	})
}

// D8 of the app: its script holds the statement of every function of the catalogue, as the plan has
// it, which the tests of sql/install read back.
func TestSnowflakeAppHasTheCatalogue(t *testing.T) {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := udf.NewCatalogue(engine, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := install.Values{Warehouse: "snowflake", Database: "provider"}
	v.Deploy.Image, v.Deploy.Snowflake.QueryWarehouse, v.Deploy.Snowflake.App.Package = "badger:1", "wh", "badger_package"
	plan, err := install.New(v, snowflake.Dialect, catalogue.Functions())
	if err != nil {
		t.Fatal(err)
	}
	target, err := deploy.Find("snowflake")
	if err != nil {
		t.Fatal(err)
	}
	files, err := deploy.Render(target, plan, "v1")
	if err != nil {
		t.Fatal(err)
	}
	app, err := plan.App()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name != "app/setup.sql" {
			continue
		}
		setup, named := string(f.Content), map[string]bool{}
		for _, s := range app.Functions {
			if !strings.Contains(setup, "\n"+s.SQL+";\n") {
				t.Errorf("the setup script lacks %s", s.Function.Name)
			}
			named[s.Function.Of.Name] = true
		}
		if n := strings.Count(setup, "CREATE OR REPLACE FUNCTION "); n != len(app.Functions) || len(named) != len(catalogue.Functions()) {
			t.Errorf("the setup script has %d functions, the plan %d of %d names, the catalogue %d", n, len(app.Functions), len(named), len(catalogue.Functions()))
		}
		return
	}
	t.Error("there is no setup script")
}

// deployPython runs a question by testdata/tools/snowflake.py.
func deployPython(t *testing.T, question, answer any) {
	t.Helper()
	python := os.Getenv("BADGER_DEPLOY_PYTHON")
	if python == "" {
		t.Skip("BADGER_DEPLOY_PYTHON does not name a python3 that has what .ci/deploy.txt lists")
	}
	in, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "testdata/tools/snowflake.py")
	cmd.Env = append(os.Environ(), "SNOWFLAKE_HOME="+t.TempDir())
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	if err := json.Unmarshal(out, answer); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// The Snowflake CLI's own definition reads the project, and refuses a broken one.
func TestSnowflakeProject(t *testing.T) {
	var texts, without []string
	snowflakeSets(t, func(_ *testing.T, _ string, files map[string]string) {
		if text, app := files["app/snowflake.yml"]; app {
			texts, without = append(texts, text), append(without, "")
		}
	})
	for _, c := range [][2]string{{"definition_version: 2", "definition_version: 9"}, {"type: application package", "type: application packages"}, {"      target: pkg", "      target: nobody"}, {"    stage:", "    stages:"}} {
		texts, without = append(texts, strings.Replace(texts[0], c[0], c[1], 1)), append(without, c[0])
	}
	var a struct {
		Projects []struct {
			Entities map[string]string
			Error    string
		}
	}
	deployPython(t, map[string]any{"projects": texts}, &a)
	for i, p := range a.Projects {
		switch {
		case without[i] != "" && p.Error == "":
			t.Errorf("a project with something else in the place of %q is fine", without[i])
		case without[i] == "" && (p.Error != "" || !maps.Equal(p.Entities, map[string]string{"pkg": "application package", "app": "application"})):
			t.Errorf("%v, %s\n%s", p.Entities, p.Error, texts[i])
		}
	}
}

// sqlglot parses the scripts if it can. It keeps what only Snowflake has as it is, so that those
// are counted: a statement that falls out of the grammar shows.
func TestSnowflakeScriptsParse(t *testing.T) {
	snowflakeSets(t, func(t *testing.T, set string, files map[string]string) {
		for name, text := range files {
			if filepath.Ext(name) != ".sql" {
				continue
			}
			var a struct {
				Kinds  []string
				Errors []string
			}
			statements := splitStatements(t, text)
			deployPython(t, map[string]any{"statements": statements}, &a)
			for _, e := range a.Errors {
				t.Errorf("%s: %s", name, e)
			}
			count := map[string]int{}
			for _, k := range a.Kinds {
				count[k]++
			}
			t.Logf("%s: %v", name, count)
			if name == "app/setup.sql" && set == "all" && (count["create table"] < 10 || count["create view"] < 10 || count["comment"] < 100) {
				t.Errorf("%s: sqlglot read %v", name, count)
			}
		}
	})
}

// yamllint finds nothing in what is YAML.
func TestSnowflakeYAMLLint(t *testing.T) {
	python := os.Getenv("BADGER_DEPLOY_PYTHON")
	if python == "" {
		t.Skip("BADGER_DEPLOY_PYTHON does not name a python3 that has yamllint")
	}
	found, err := filepath.Glob("testdata/snowflake/*/*.y*ml")
	if err != nil {
		t.Fatal(err)
	}
	more, _ := filepath.Glob("testdata/snowflake/*/app/*.y*ml")
	args := append([]string{"-m", "yamllint", "--strict", "-d", "{extends: default, rules: {document-start: disable, line-length: disable}}"}, append(found, more...)...)
	if out, err := exec.Command(python, args...).CombinedOutput(); err != nil || len(more) < 6 {
		t.Errorf("%v\n%s", err, out)
	}
}

// What the values forbid is told before anything is written.
func TestSnowflakeDeployRefuses(t *testing.T) {
	target, err := deploy.Find("snowflake")
	if err != nil {
		t.Fatal(err)
	}
	v := install.Values{Warehouse: "snowflake", Database: "provider", Judges: []string{"a.star"}}
	v.Deploy.Image, v.Deploy.Snowflake.QueryWarehouse, v.Deploy.Snowflake.App.Package = "badger:1", "wh", "badger_package"
	plan, err := install.New(v, snowflake.Dialect, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := deploy.Render(target, plan, "v1"); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), "judges: a Native App has no stage") {
		t.Errorf("judge files in an app: %v", err)
	}
	v.Via, v.Endpoint, v.RoleARN = "api-gateway", "https://badger.example.com", "arn:aws:iam::1:role/badger"
	if plan, err = install.New(v, snowflake.Dialect, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := deploy.Render(target, plan, "v1"); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), "snowflake belongs to snowflake via spcs") {
		t.Errorf("through a gateway: %v", err)
	}
}
