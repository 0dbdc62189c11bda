package deploy_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/badger-eval/badger/deploy"
	"github.com/badger-eval/badger/sql/install"
)

// names are what a block may hold, as deploy/names writes them.
type names struct {
	Attributes map[string]struct {
		Type     string `json:"type"`
		Required bool   `json:"required"`
	} `json:"attributes"`
	Blocks map[string]*struct {
		Required bool `json:"required"`
		names
	} `json:"blocks"`
	Computed []string `json:"computed"`
}

// provider is the file of a provider.
type provider struct {
	Source    string            `json:"source"`
	Version   string            `json:"version"`
	Resources map[string]*names `json:"resources"`
}

func providers(t *testing.T) map[string]*provider {
	t.Helper()
	found, err := filepath.Glob("testdata/providers/*.json")
	if err != nil || len(found) != 4 {
		t.Fatal(found, err)
	}
	out := map[string]*provider{}
	for _, file := range found {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := &provider{}
		if err := json.Unmarshal(text, p); err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(file), ".json")] = p
	}
	return out
}

// module is a folder of Terraform's language.
type module struct {
	folder               string
	blocks               []*hclsyntax.Block
	variables            map[string]*hclsyntax.Block
	locals, declarations map[string]bool // of locals by name, of resources and data by address
	faults               []string
}

func (m *module) fault(at hcl.Range, what string) {
	m.faults = append(m.faults, fmt.Sprintf("%s/%s:%d: %s", m.folder, at.Filename, at.Start.Line, what))
}

// parse parses the files of a folder, which must be formatted as terraform fmt does.
func parse(t *testing.T, folder string) *module {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "*.tf"))
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: no files (%v)", folder, err)
	}
	files := map[string]string{}
	for _, file := range found {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(file)] = string(text)
	}
	return parseText(t, folder, files)
}

func parseText(t *testing.T, folder string, files map[string]string) *module {
	t.Helper()
	m := &module{folder: folder, variables: map[string]*hclsyntax.Block{}, locals: map[string]bool{}, declarations: map[string]bool{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text := []byte(files[name])
		if string(hclwrite.Format(text)) != string(text) {
			t.Errorf("%s/%s is not formatted", folder, name)
		}
		f, diags := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatalf("%s: %v", folder, diags)
		}
		m.blocks = append(m.blocks, f.Body.(*hclsyntax.Body).Blocks...)
	}
	for _, b := range m.blocks {
		switch b.Type {
		case "variable":
			m.variables[b.Labels[0]] = b
		case "locals":
			for name := range b.Body.Attributes {
				m.locals[name] = true
			}
		case "resource":
			m.declarations[strings.Join(b.Labels, ".")] = true
		case "data":
			m.declarations["data."+strings.Join(b.Labels, ".")] = true
		case "module":
			m.declarations["module."+b.Labels[0]] = true
		}
	}
	return m
}

// meta are what every resource may have.
var meta = map[string]bool{"count": true, "for_each": true, "depends_on": true, "provider": true}

// body holds a body against the names.
func (m *module) body(b *hclsyntax.Body, n *names, root bool) {
	for name, a := range b.Attributes {
		if root && meta[name] {
			continue
		}
		known, ok := n.Attributes[name]
		if !ok {
			m.fault(a.Range(), "there is no attribute "+name)
			continue
		}
		if kind := literal(a.Expr); kind != "" && kind != known.Type && (kind != "map" || known.Type != "object") {
			m.fault(a.Range(), name+" is a "+kind+", and a "+known.Type+" is wanted")
		}
	}
	has := map[string]bool{}
	for _, inner := range b.Blocks {
		name, content := inner.Type, inner.Body
		if root && name == "lifecycle" {
			continue
		}
		if name == "dynamic" {
			name = inner.Labels[0]
			content = nil
			for _, c := range inner.Body.Blocks {
				if c.Type == "content" {
					content = c.Body
				}
			}
			if content == nil || inner.Body.Attributes["for_each"] == nil {
				m.fault(inner.Range(), "dynamic "+name+" needs for_each and content")
				continue
			}
		}
		has[name] = true
		if known := n.Blocks[name]; known == nil {
			m.fault(inner.Range(), "there is no block "+name)
		} else {
			m.body(content, &known.names, false)
		}
	}
	for name, a := range n.Attributes {
		if a.Required && b.Attributes[name] == nil {
			m.fault(b.SrcRange, "the attribute "+name+" is missing")
		}
	}
	for name, inner := range n.Blocks {
		if inner.Required && !has[name] {
			m.fault(b.SrcRange, "the block "+name+" is missing")
		}
	}
}

// literal is the type of an expression that shows it, and else "".
func literal(e hclsyntax.Expression) string {
	switch e := e.(type) {
	case *hclsyntax.TemplateExpr:
		return "string"
	case *hclsyntax.TupleConsExpr:
		return "list"
	case *hclsyntax.ObjectConsExpr:
		return "map"
	case *hclsyntax.LiteralValueExpr:
		switch e.Val.Type() {
		case cty.Bool:
			return "bool"
		case cty.Number:
			return "number"
		}
	}
	return ""
}

// references holds what expressions name against what there is.
func (m *module) references(providers map[string]*provider) {
	used := map[string]bool{}
	for _, b := range m.blocks {
		_ = hclsyntax.VisitAll(b.Body, func(node hclsyntax.Node) hcl.Diagnostics {
			e, ok := node.(*hclsyntax.ScopeTraversalExpr)
			if !ok {
				return nil
			}
			var path []string
			for _, step := range e.Traversal {
				switch s := step.(type) {
				case hcl.TraverseRoot:
					path = append(path, s.Name)
				case hcl.TraverseAttr:
					path = append(path, s.Name)
				}
			}
			switch {
			case path[0] == "var":
				used[path[1]] = true
				if m.variables[path[1]] == nil {
					m.fault(e.Range(), "there is no variable "+path[1])
				}
			case path[0] == "local":
				if !m.locals[path[1]] {
					m.fault(e.Range(), "there is no local "+path[1])
				}
			case path[0] == "module":
				if !m.declarations["module."+path[1]] {
					m.fault(e.Range(), "there is no module "+path[1])
				}
			case path[0] == "data" || providers[strings.SplitN(path[0], "_", 2)[0]] != nil && strings.Contains(path[0], "_"):
				kind, rest := path[0], path[1:]
				if kind == "data" {
					kind, rest = "data."+path[1], path[2:]
				}
				if !m.declarations[kind+"."+rest[0]] {
					m.fault(e.Range(), "there is no "+kind+"."+rest[0])
					return nil
				}
				n := providers[strings.SplitN(strings.TrimPrefix(kind, "data."), "_", 2)[0]].Resources[kind]
				if n == nil || len(rest) < 2 {
					return nil
				}
				if _, ok := n.Attributes[rest[1]]; !ok && n.Blocks[rest[1]] == nil && !slices.Contains(n.Computed, rest[1]) {
					m.fault(e.Range(), kind+" has no "+rest[1])
				}
			}
			return nil
		})
	}
	for name, v := range m.variables {
		if !used[name] {
			m.fault(v.Range(), "the variable "+name+" is not used")
		}
	}
}

// check holds a module against the providers.
func (m *module) check(providers map[string]*provider) {
	for _, b := range m.blocks {
		switch b.Type {
		case "resource", "data":
			kind := b.Labels[0]
			p := providers[strings.SplitN(kind, "_", 2)[0]]
			if b.Type == "data" {
				kind = "data." + kind
			}
			if p == nil || p.Resources[kind] == nil {
				m.fault(b.Range(), "there is no resource "+kind)
				continue
			}
			m.body(b.Body, p.Resources[kind], true)
		case "variable", "output":
			for _, need := range map[string][]string{"variable": {"description", "type"}, "output": {"description", "value"}}[b.Type] {
				if b.Body.Attributes[need] == nil {
					m.fault(b.Range(), b.Type+" "+b.Labels[0]+" has no "+need)
				}
			}
		case "terraform":
			for _, r := range b.Body.Blocks {
				for name, a := range r.Body.Attributes {
					v, _ := a.Expr.Value(nil)
					p := providers[name]
					if p == nil || v.GetAttr("source").AsString() != p.Source || v.GetAttr("version").AsString() != "~> "+p.Version[:strings.LastIndexByte(p.Version, '.')] {
						m.fault(a.Range(), "the names are of another provider or version")
					}
				}
			}
		}
	}
	m.references(providers)
}

// calls holds a call of a module against its variables.
func (m *module) calls(of func(source string) *module) {
	for _, b := range m.blocks {
		if b.Type != "module" {
			continue
		}
		source, diags := b.Body.Attributes["source"].Expr.Value(nil)
		if diags.HasErrors() {
			m.fault(b.Range(), "source is no text")
			continue
		}
		called := of(source.AsString())
		for name, a := range b.Body.Attributes {
			if name != "source" && called.variables[name] == nil {
				m.fault(a.Range(), "the module has no variable "+name)
			}
		}
		for name, v := range called.variables {
			if v.Body.Attributes["default"] == nil && b.Body.Attributes[name] == nil {
				m.fault(b.Range(), "the module needs "+name)
			}
		}
		outputs := map[string]bool{}
		for _, o := range called.blocks {
			if o.Type == "output" {
				outputs[o.Labels[0]] = true
			}
		}
		for _, o := range m.blocks {
			_ = hclsyntax.VisitAll(o.Body, func(node hclsyntax.Node) hcl.Diagnostics {
				if e, ok := node.(*hclsyntax.ScopeTraversalExpr); ok && e.Traversal.RootName() == "module" && len(e.Traversal) > 2 {
					if name, ok := e.Traversal[2].(hcl.TraverseAttr); ok && !outputs[name.Name] {
						m.fault(e.Range(), "the module has no output "+name.Name)
					}
				}
				return nil
			})
		}
	}
}

func (m *module) report(t *testing.T) {
	t.Helper()
	for _, f := range m.faults {
		t.Error(f)
	}
}

var moduleNames = []string{"snowflake-spcs", "bigquery-cloud-run", "databricks", "aws-external-function"}

// Modules are formatted, name what their providers have, and describe their variables and outputs.
// They configure no provider and hold no secret.
func TestTerraformModules(t *testing.T) {
	all := providers(t)
	for _, name := range moduleNames {
		t.Run(name, func(t *testing.T) {
			m := parse(t, filepath.Join("terraform", name))
			m.check(all)
			resources := 0
			for _, b := range m.blocks {
				switch b.Type {
				case "provider":
					t.Error("a module configures no provider: its caller does")
				case "resource":
					resources++
					for _, secret := range []string{"secret_with", "secret_version", "_token", "databricks_secret", "random_password", "access_key", "login_profile"} {
						if strings.Contains(b.Labels[0], secret) && b.Labels[0] != "databricks_secret_scope" && b.Labels[0] != "databricks_secret_acl" {
							t.Errorf("the state of %s holds a secret", b.Labels[0])
						}
					}
				}
			}
			if resources < 5 || len(m.variables) < 7 {
				t.Errorf("only %d resources and %d variables were looked at", resources, len(m.variables))
			}
			m.report(t)

			example := parse(t, filepath.Join("terraform", name, "examples", "complete"))
			example.check(all)
			example.calls(func(source string) *module {
				return parse(t, filepath.Join("terraform", name, "examples", "complete", source))
			})
			example.report(t)
			for _, file := range []string{"README.md", "main.tf", "variables.tf", "outputs.tf", "versions.tf"} {
				if _, err := os.Stat(filepath.Join("terraform", name, file)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// The tables of a module's README are made from its variables and outputs.
func TestTerraformReadmes(t *testing.T) {
	for _, name := range moduleNames {
		m := parse(t, filepath.Join("terraform", name))
		variables, outputs := "| variable | type | default | |\n| --- | --- | --- | --- |\n", "| output | |\n| --- | --- |\n"
		for _, b := range m.blocks {
			// What is in the file is shown, on one line.
			source := func(attribute string) string {
				a := b.Body.Attributes[attribute]
				if a == nil {
					return "needed"
				}
				text, err := os.ReadFile(filepath.Join("terraform", name, a.Expr.Range().Filename))
				if err != nil {
					t.Fatal(err)
				}
				return "`" + strings.Join(strings.Fields(string(a.Expr.Range().SliceBytes(text))), " ") + "`"
			}
			doc := func() string {
				v, diags := b.Body.Attributes["description"].Expr.Value(nil)
				if diags.HasErrors() {
					t.Fatal(diags)
				}
				return strings.ReplaceAll(v.AsString(), "|", `\|`)
			}
			switch b.Type {
			case "variable":
				variables += fmt.Sprintf("| `%s` | %s | %s | %s |\n", b.Labels[0], source("type"), source("default"), doc())
			case "output":
				outputs += fmt.Sprintf("| `%s` | %s |\n", b.Labels[0], doc())
			}
		}
		file := filepath.Join("terraform", name, "README.md")
		between(t, file, "variables", variables)
		between(t, file, "outputs", outputs)
	}
}

// What badger deploy renders is formatted and calls the module as it wants to be called.
func TestTerraformRoots(t *testing.T) {
	all := providers(t)
	for _, name := range moduleNames {
		for _, file := range sets(t, "terraform-"+name) {
			values, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(file, func(t *testing.T) {
				files, err := rendered(t, "terraform-"+name, string(values))
				if err != nil {
					t.Fatal(err)
				}
				texts := map[string]map[string]string{}
				for _, f := range files {
					if filepath.Ext(f.Name) == ".tf" {
						dir := filepath.Dir(f.Name)
						if texts[dir] == nil {
							texts[dir] = map[string]string{}
						}
						texts[dir][filepath.Base(f.Name)] = string(f.Content)
					}
				}
				root := parseText(t, "root", texts["."])
				root.check(all)
				root.calls(func(source string) *module { return parseText(t, source, texts[filepath.Clean(source)]) })
				root.report(t)
				// Texts mean themselves, whatever they hold.
				for _, b := range root.blocks {
					if b.Type != "module" {
						continue
					}
					for key, a := range b.Body.Attributes {
						if e, ok := a.Expr.(*hclsyntax.TemplateExpr); ok && !e.IsStringLiteral() {
							t.Errorf("%s is a template", key)
						}
					}
				}
			})
		}
	}
}

// The gateway's endpoint and role are outputs of the first pass, which needs neither.
func TestTerraformFirstPass(t *testing.T) {
	if _, err := rendered(t, "terraform-aws-external-function", "warehouse: snowflake\nvia: api-gateway\ndatabase: main\n"); err != nil {
		t.Error(err)
	}
}

// The root of Snowflake lets the service reach the judge of the values and no other host, and has their
// nodes and times.
func TestTerraformSnowflakeValues(t *testing.T) {
	const values = "warehouse: snowflake\nvia: spcs\ndatabase: main\ndeploy:\n  image: badger:1.0.0\n  replicas: {min: 2, max: 4}\n"
	for _, c := range []struct {
		more string
		want map[string]string // by attribute, as JSON; "" if it does not exist
	}{
		{"  snowflake: {query_warehouse: wh}\n", map[string]string{
			"egress_hosts": "", "egress_secrets": "", "nodes": `{"max":4,"min":2}`, "service_suspend_seconds": "", "auto_suspend_seconds": "600", "min_ready_instances": "1",
		}},
		{"  snowflake: {query_warehouse: wh, nodes: {min: 1, max: 3}, ready: 2, suspend: 900, pool_suspend: 30}\n  judge: {backend: openai, model: m, url: 'https://Models.example.com/v1', secret: judge_key, budget: 2M}\n", map[string]string{
			"egress_hosts": `["models.example.com:443"]`, "egress_secrets": `["MAIN.BADGER.JUDGE_KEY"]`, "nodes": `{"max":3,"min":1}`,
			"service_suspend_seconds": "900", "auto_suspend_seconds": "30", "min_ready_instances": "2",
		}},
	} {
		files, err := rendered(t, "terraform-snowflake-spcs", values+c.more)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range parseText(t, "root", map[string]string{"main.tf": string(content(t, files, "main.tf"))}).blocks {
			if b.Type != "module" {
				continue
			}
			for name, want := range c.want {
				got := ""
				if a := b.Body.Attributes[name]; a != nil {
					v, _ := a.Expr.Value(nil)
					text, err := ctyjson.Marshal(v, v.Type())
					if err != nil {
						t.Fatal(err)
					}
					got = string(text)
				}
				if got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		}
	}
}

// The nightly job of Databricks notifies the addresses of the values, runs as their principal, and has a task for alerts.
func TestTerraformDatabricksJob(t *testing.T) {
	const values = "warehouse: databricks\ndatabase: main\nschedule: {cron: 0 6 * * *, compute: 0123456789abcdef}\n"
	files, err := rendered(t, "terraform-databricks", values+"deploy: {databricks: {notify: [a@example.com], service_principal: 12345678-90ab-cdef-1234-567890abcdef}}\n")
	if err != nil {
		t.Fatal(err)
	}
	root := strings.Join(strings.Fields(string(content(t, files, "main.tf"))), " ")
	for _, want := range []string{`notify = ["a@example.com"]`, `service_principal = "12345678-90ab-cdef-1234-567890abcdef"`} {
		if !strings.Contains(root, want) {
			t.Errorf("the root lacks %s", want)
		}
	}
	tasks := map[string]bool{}
	for _, b := range parse(t, filepath.Join("terraform", "databricks")).blocks {
		if b.Type != "resource" || b.Labels[0] != "databricks_job" {
			continue
		}
		for _, inner := range b.Body.Blocks {
			if inner.Type == "task" {
				v, _ := inner.Body.Attributes["task_key"].Expr.Value(nil)
				tasks[v.AsString()] = true
			}
		}
	}
	if !tasks["evaluate"] || !tasks["alerts"] {
		t.Errorf("the job has the tasks %v", tasks)
	}
	_, err = rendered(t, "terraform-databricks", values+"deploy: {databricks: {nightly: binary}}\n")
	if err == nil || !strings.Contains(err.Error(), "deploy.databricks.nightly") {
		t.Errorf("nightly: binary: %v", err)
	}
}

// Each schedule of the values has Quartz' form, with days of the week from 1 for Sunday, by numbers or names.
func TestTerraformDatabricksSchedule(t *testing.T) {
	for cron, want := range map[string]string{
		"0 6 * * *": "0 0 6 * * ?", "0 6 1 * *": "0 0 6 1 * ?", "0 6 * * 0": "0 0 6 ? * 1", "0 6 * * 1-5/2": "0 0 6 ? * 2-6/2",
		"30 6 * * MON-FRI": "0 30 6 ? * MON-FRI", "0 6 * * 5L": "0 0 6 ? * 6L",
	} {
		files, err := rendered(t, "terraform-databricks",
			"warehouse: databricks\ndatabase: main\nschedule: {cron: '"+cron+"', compute: 0123456789abcdef}\n")
		if err != nil {
			t.Errorf("%s: %v", cron, err)
			continue
		}
		if root := strings.Join(strings.Fields(string(content(t, files, "main.tf"))), " "); !strings.Contains(root, `schedule = "`+want+`"`) {
			t.Errorf("%s: the root lacks %s", cron, want)
		}
	}
}

// What a target says that it needs is enough.
func TestTerraformNeeds(t *testing.T) {
	for _, name := range moduleNames {
		target, err := deploy.Find("terraform-" + name)
		if err != nil {
			t.Fatal(err)
		}
		v := install.Values{Warehouse: target.Warehouse, Via: target.Via, Roles: install.Roles{Owner: "group:o@example.com", Caller: "group:c@example.com"}}
		for _, key := range target.Required {
			value := map[string]string{"deploy.image": "badger:1.0.0", "database": "analytics", "location": "europe-west1"}[key]
			if name == "bigquery-cloud-run" && key == "deploy.image" {
				value = "example.com/badger:1.0.0"
			}
			if err := v.Set(key, value); err != nil {
				t.Fatal(err)
			}
		}
		if name == "bigquery-cloud-run" { // or endpoint, as its error says
			v.Deploy.CloudRun.ProjectNumber = "123456789012"
		}
		v.Deploying = true
		all, err := functions()
		if err != nil {
			t.Fatal(err)
		}
		plan, err := install.New(v, dialects[v.Warehouse], few(all))
		if err == nil {
			_, err = deploy.Render(target, plan, "v1.2.3")
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Values come out of the literals as they went in.
func TestTerraformTexts(t *testing.T) {
	const hostile = `a${b}%{c}\ "q" <&>`
	files, err := rendered(t, "terraform-databricks", "warehouse: databricks\ndatabase: main\nendpoint: https://b.example.com\nschema: '"+hostile+"'\n")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(files, func(f deploy.File) bool { return f.Name == "main.tf" })
	m := parseText(t, "root", map[string]string{"main.tf": string(files[i].Content)})
	for _, b := range m.blocks {
		if b.Type == "module" {
			v, diags := b.Body.Attributes["schema"].Expr.Value(nil)
			if diags.HasErrors() || v.AsString() != hostile {
				t.Errorf("%v %v", v, diags)
			}
			return
		}
	}
	t.Error("there is no module")
}

// The test finds what is wrong: each change makes a module that the provider would refuse.
func TestTerraformFindsFaults(t *testing.T) {
	all := providers(t)
	text := func(name string) map[string]string {
		out := map[string]string{}
		for _, f := range []string{"main.tf", "variables.tf", "outputs.tf", "versions.tf"} {
			b, err := os.ReadFile(filepath.Join("terraform", name, f))
			if err != nil {
				t.Fatal(err)
			}
			out[f] = string(b)
		}
		return out
	}
	for _, c := range []struct{ module, file, from, to, want string }{
		{"snowflake-spcs", "main.tf", "  auto_suspend_secs = ", "  suspend_after_sec = ", "no attribute suspend_after_sec"},
		{"snowflake-spcs", "main.tf", "  min_nodes         = coalesce(var.nodes, var.instances).min\n", "", "min_nodes is missing"},
		{"snowflake-spcs", "main.tf", `auto_resume       = "true"`, `auto_resume       = true`, "auto_resume is a bool"},
		{"snowflake-spcs", "main.tf", "from_specification {", "from_spec {", "no block from_spec"},
		{"snowflake-spcs", "main.tf", `resource "snowflake_compute_pool"`, `resource "snowflake_pool"`, "no resource snowflake_pool"},
		{"snowflake-spcs", "main.tf", "var.instance_family", "var.instance_kind", "no variable instance_kind"},
		{"snowflake-spcs", "main.tf", "local.external]", "local.outside]", "no local outside"},
		{"bigquery-cloud-run", "main.tf", "container_port = 8080", "container_prt  = 8080", "no attribute container_prt"},
		{"bigquery-cloud-run", "main.tf", "container_port = 8080", `container_port = "8080"`, "container_port is a string"},
		{"bigquery-cloud-run", "outputs.tf", "google_cloud_run_v2_service.this.uri", "google_cloud_run_v2_service.this.url", "google_cloud_run_v2_service has no url"},
		{"bigquery-cloud-run", "main.tf", `role     = "roles/run.invoker"` + "\n", "\n", "role is missing"},
		{"databricks", "main.tf", "quartz_cron_expression", "cron_expression       ", "quartz_cron_expression is missing"},
		{"aws-external-function", "outputs.tf", "aws_iam_role.snowflake.arn", "aws_iam_role.other.arn", "no aws_iam_role.other"},
		{"aws-external-function", "versions.tf", "~> 6.25", "~> 5.0", "another provider or version"},
		{"aws-external-function", "variables.tf", "  type        = string\n", "", "has no type"},
	} {
		files := text(c.module)
		changed := strings.Replace(files[c.file], c.from, c.to, 1)
		if changed == files[c.file] {
			t.Fatalf("%s/%s does not hold %q", c.module, c.file, c.from)
		}
		files[c.file] = string(hclwrite.Format([]byte(changed)))
		m := parseText(t, c.module, files)
		m.check(all)
		if !slices.ContainsFunc(m.faults, func(f string) bool { return strings.Contains(f, c.want) }) {
			t.Errorf("%q is taken; faults: %q", c.to, m.faults)
		}
	}
}

// tofu runs OpenTofu in a folder, without anybody's configuration.
func tofu(t *testing.T, folder string, args ...string) (string, error) {
	t.Helper()
	program, home := tool(t, "BADGER_TOFU"), t.TempDir()
	config := filepath.Join(home, "none.tfrc")
	if err := os.WriteFile(config, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, append([]string{"-chdir=" + folder}, args...)...)
	cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+config, "CHECKPOINT_DISABLE=1", "TF_DATA_DIR="+filepath.Join(home, "data"), "TF_IN_AUTOMATION=1", "NO_COLOR=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// OpenTofu itself formats as the tests above do, and loads the examples and what is rendered.
func TestTerraformByOpenTofu(t *testing.T) {
	if out, err := tofu(t, ".", "fmt", "-check", "-recursive", "-diff", "."); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	folders, err := filepath.Glob("terraform/*/examples/complete")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range moduleNames {
		for _, file := range sets(t, "terraform-"+name) {
			values, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			files, err := rendered(t, "terraform-"+name, string(values))
			if err != nil {
				t.Fatal(err)
			}
			folder := t.TempDir()
			for _, f := range files {
				to := filepath.Join(folder, f.Name)
				if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(to, f.Content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			folders = append(folders, folder)
		}
	}
	if len(folders) < 16 {
		t.Errorf("only %d folders", len(folders))
	}
	for _, folder := range folders {
		if out, err := tofu(t, folder, "get"); err != nil {
			t.Errorf("%s: %v\n%s", folder, err, out)
		}
	}
}

// Variables take what they should and refuse the rest with a message. Without the resources no
// provider is needed.
func TestTerraformVariables(t *testing.T) {
	tool(t, "BADGER_TOFU")
	fine := map[string][]string{
		"snowflake-spcs":        {"database=ANALYTICS"},
		"bigquery-cloud-run":    {"project=analytics-prod", "region=europe-west1", "location=EU", "image=europe-docker.pkg.dev/p/r/i:1.0.0"},
		"databricks":            {"catalog=main"},
		"aws-external-function": {"backend_url=https://badger.example.com", "token_secret=badger/token"},
	}
	for _, c := range []struct{ module, change, want string }{
		{"snowflake-spcs", "", ""},
		{"snowflake-spcs", `egress_hosts=["api.example.com:443"]`, ""},
		{"snowflake-spcs", `egress_hosts=["api.example.com"]`, "HOST:PORT"},
		{"snowflake-spcs", `egress_secrets=["x; DROP TABLE y"]`, "DATABASE.SCHEMA.NAME"},
		{"snowflake-spcs", `instances={min=2,max=1}`, "min at most max"},
		{"snowflake-spcs", `service_suspend_seconds=60`, "at least 300"},
		{"snowflake-spcs", `owner_role=accountadmin`, "ACCOUNTADMIN"},
		{"snowflake-spcs", `database=a.b`, "name of a database"},
		{"snowflake-spcs", `service=x' OR '1`, "capitals, digits and underscores"},
		{"bigquery-cloud-run", "", ""},
		{"bigquery-cloud-run", "region=EU", "Expected a region"},
		{"bigquery-cloud-run", "image=badger", "@sha256:DIGEST"},
		{"bigquery-cloud-run", "memory=1G", "Expected a size"},
		{"bigquery-cloud-run", `secret_files={"../x"="y"}`, "Expected folders"},
		{"bigquery-cloud-run", `secret_files={"tmp"="y"}`, "none with the name tmp"},
		{"bigquery-cloud-run", "concurrency=1001", "1 to 1000"},
		{"bigquery-cloud-run", "account=badger", "e-mail address"},
		{"bigquery-cloud-run", `instances={min=0,max=0}`, "max at least 1"},
		{"databricks", "", ""},
		{"databricks", "warehouse_id=nightly", "hexadecimal"},
		{"databricks", `groups={owner="a",caller="a"}`, "four groups that differ"},
		{"databricks", "service_principal=badger", "application id"},
		{"databricks", "secret_scope=a b", "at most 128"},
		{"aws-external-function", "", ""},
		{"aws-external-function", "backend_url=http://badger.example.com", "https URL"},
		{"aws-external-function", "backend_url=https://badger.example.com/v1", "without a path"},
		{"aws-external-function", "token_secret=x:y}}", "name of a secret"},
		{"aws-external-function", "snowflake_user_arn=arn:aws:iam::123456789012:root", "ARN of a user"},
		{"aws-external-function", "log_retention_days=31", "CloudWatch"},
		{"aws-external-function", "stage=a/b", "letters, digits and underscores"},
	} {
		t.Run(c.module+" "+c.change, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("terraform", c.module, "variables.tf"))
			if err != nil {
				t.Fatal(err)
			}
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "variables.tf"), text, 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{"plan", "-input=false"}
			for _, v := range append(slices.Clone(fine[c.module]), c.change) {
				if v != "" {
					args = append(args, "-var", v)
				}
			}
			out, err := tofu(t, folder, args...)
			out = strings.Join(strings.Fields(strings.ReplaceAll(out, "│", " ")), " ")
			if c.want == "" && err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			if c.want != "" && (err == nil || !strings.Contains(out, c.want)) {
				t.Errorf("%v; want an error with %q:\n%s", err, c.want, out)
			}
		})
	}
}
