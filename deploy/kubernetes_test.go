package deploy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/deploy"
)

const chart = "kubernetes/badger"

// tool is a program that an environment variable names; the test is skipped if it does not.
func tool(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("%s is not set", variable)
	}
	return path
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return string(out)
}

func readYAML(t *testing.T, file string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := yaml.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return v
}

// valueFiles are files of values of the chart: those that badger deploy makes, and others.
func valueFiles(t *testing.T) []string {
	t.Helper()
	made, err := filepath.Glob("testdata/kubernetes/*/values-badger.yaml")
	if err != nil {
		t.Fatal(err)
	}
	others, err := filepath.Glob("testdata/chart/*.values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(made) < 3 || len(others) < 3 {
		t.Fatalf("%d and %d files of values", len(made), len(others))
	}
	return append(made, others...)
}

func chartSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join(chart, "values.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON is a value as the schema's library wants it.
func asJSON(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// merged is a map over another, as Helm lays values over those of the chart.
func merged(under, over map[string]any) map[string]any {
	out := maps.Clone(under)
	for k, v := range over {
		a, one := out[k].(map[string]any)
		b, two := v.(map[string]any)
		if one && two {
			v = merged(a, b)
		}
		out[k] = v
	}
	return out
}

// The schema takes what badger deploy renders, and refuses an unknown key at every place of the
// values.
func TestChartSchema(t *testing.T) {
	schema, defaults := chartSchema(t), readYAML(t, filepath.Join(chart, "values.yaml"))
	for _, file := range valueFiles(t) {
		if err := schema.Validate(asJSON(t, merged(defaults, readYAML(t, file)))); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if err := schema.Validate(asJSON(t, defaults)); err == nil || !strings.Contains(err.Error(), "/image/repository") {
		t.Errorf("without an image: %v", err)
	}
	least := merged(defaults, readYAML(t, "testdata/chart/least.values.yaml"))
	places := 0
	var visit func(path []string, v map[string]any)
	visit = func(path []string, v map[string]any) {
		over := any(map[string]any{"unknown": "x"})
		for _, key := range slices.Backward(path) {
			over = map[string]any{key: over}
		}
		// Maps of the users' own names are empty by default, or hold Kubernetes' own objects.
		if len(v) > 0 && !slices.Contains(path, "secretFiles") {
			places++
			err := schema.Validate(asJSON(t, merged(least, over.(map[string]any))))
			if err == nil || !strings.Contains(err.Error(), "unknown") {
				t.Errorf("an unknown key in %s is taken: %v", strings.Join(path, "."), err)
			}
		}
		for k, below := range v {
			if m, ok := below.(map[string]any); ok {
				visit(append(slices.Clone(path), k), m)
			}
		}
	}
	visit(nil, least)
	if places < 20 {
		t.Errorf("only %d places were tried", places)
	}
}

// chartValue is a line of the table of values.
// URLs in the chart's values may not hold a secret.
func TestChartRefusesSecrets(t *testing.T) {
	schema := chartSchema(t)
	defaults := merged(readYAML(t, filepath.Join(chart, "values.yaml")), readYAML(t, "testdata/chart/least.values.yaml"))
	for value, fine := range map[string]bool{
		"config: {results: {warehouse: 'postgres://u:pw@h/d'}}":               false,
		"config: {results: {warehouse: 'postgres://h/d?password=pw'}}":        false,
		"config: {results: {warehouse: 'databricks://dapi1@h/d'}}":            false,
		"config: {results: {warehouse: 'snowflake:///d?role=r&token=t'}}":     false,
		"config: {results: {warehouse: 'postgres://u@h:5432/d?passfile=/a'}}": true,
		"config: {results: {warehouse: 'snowflake:///d?token_file=/a/t'}}":    true,
		"config: {judge: {base_url: 'https://u:pw@h/v1'}}":                    false,
		"config: {judge: {base_url: 'https://h/v1?api_key=k'}}":               false,
		"config: {judge: {base_url: 'https://h:8443/v1/@a'}}":                 true,
		"run: {source: 'postgres://u:pw@h/d'}":                                false,
		"run: {source: 'postgres://h/d?sslpassword=pw'}":                      false,
	} {
		var over map[string]any
		if err := yaml.Unmarshal([]byte(value), &over); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(asJSON(t, merged(defaults, over))); (err == nil) != fine {
			t.Errorf("%s: %v", value, err)
		}
	}
}

type chartValue struct{ key, value, doc string }

// chartValues reads values.yaml: every value needs a comment "# -- …" right above it.
func chartValues(t *testing.T) []chartValue {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(chart, "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var out []chartValue
	var visit func(prefix string, n *yaml.Node)
	visit = func(prefix string, n *yaml.Node) {
		for i := 0; i < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			key := strings.TrimPrefix(prefix+"."+k.Value, ".")
			comment, documented := strings.CutPrefix(k.HeadComment, "# -- ")
			if !documented && v.Kind == yaml.MappingNode && len(v.Content) > 0 {
				visit(key, v)
				continue
			}
			if !documented {
				t.Errorf("%s has no comment that begins with # --", key)
			}
			if v.Kind == yaml.MappingNode && len(v.Content) > 0 {
				visit(key, v)
				continue
			}
			var value any
			if err := v.Decode(&value); err != nil {
				t.Fatal(err)
			}
			shown, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, chartValue{key, string(shown), strings.ReplaceAll(strings.ReplaceAll(comment, "\n# ", " "), "|", `\|`)})
		}
	}
	visit("", doc.Content[0])
	return out
}

// The table of the chart's README is made from the comments in values.yaml.
func TestChartReadme(t *testing.T) {
	var table strings.Builder
	table.WriteString("| value | default | |\n| --- | --- | --- |\n")
	for _, v := range chartValues(t) {
		fmt.Fprintf(&table, "| `%s` | `%s` | %s |\n", v.key, v.value, v.doc)
	}
	between(t, filepath.Join(chart, "README.md"), "values", table.String())
}

// between holds what is between the marks of a page against what it should be; -update writes it.
func between(t *testing.T, file, mark, want string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+mark+" -->\n", "<!-- /"+mark+" -->\n"
	head, rest, found := strings.Cut(string(text), begin)
	is, tail, closed := strings.Cut(rest, end)
	switch {
	case !found || !closed:
		t.Fatalf("%s lacks the marks of %s", file, mark)
	case is == want:
	case *update:
		if err := os.WriteFile(file, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table of %s in %s is not what it should be; -update writes it", mark, file)
	}
}

func TestChartUnits(t *testing.T) {
	out := run(t, tool(t, "BADGER_HELM_UNITTEST"), "-f", "../../testdata/chart/*_test.yaml", chart)
	if !regexp.MustCompile(`Tests: +[1-9][0-9]+ passed`).MatchString(out) {
		t.Errorf("no test ran:\n%s", out)
	}
}

// object is a manifest.
type object map[string]any

func (o object) at(path ...string) any {
	var v any = map[string]any(o)
	for _, k := range path {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

func (o object) kind() string { s, _ := o["kind"].(string); return s }

// pod is the template of what runs, or nil.
func (o object) pod() object {
	switch o.kind() {
	case "Pod":
		return object{"spec": o["spec"], "metadata": o["metadata"]}
	case "Deployment":
		return object(o.at("spec", "template").(map[string]any))
	case "CronJob":
		return object(o.at("spec", "jobTemplate", "spec", "template").(map[string]any))
	}
	return nil
}

// manifests renders the chart.
func manifests(t *testing.T, values string) (objects []object, text string) {
	t.Helper()
	text = run(t, tool(t, "BADGER_HELM"), "template", "null", chart, "--namespace", "123", "--kube-version", "1.33", "--values", values)
	d := yaml.NewDecoder(strings.NewReader(text))
	for {
		var o map[string]any // not object, which the maps in it would then be, too
		if err := d.Decode(&o); errors.Is(err, io.EOF) {
			return objects, text
		} else if err != nil {
			t.Fatal(err)
		}
		if o != nil {
			objects = append(objects, o)
		}
	}
}

func TestChartLint(t *testing.T) {
	for _, file := range valueFiles(t) {
		run(t, tool(t, "BADGER_HELM"), "lint", "--strict", chart, "--values", file)
	}
}

// The schemas of the API take what is rendered, and nothing in it is a secret.
func TestManifests(t *testing.T) {
	python := tool(t, "BADGER_DEPLOY_PYTHON")
	for _, file := range valueFiles(t) {
		t.Run(file, func(t *testing.T) {
			objects, text := manifests(t, file)
			name := filepath.Join(t.TempDir(), "all.yaml")
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, version := range []string{"1.29", "1.33", "1.37"} {
				out := run(t, python, "-c", "from kubernetes_validate.__main__ import main; main()", "--strict", "-k", version, name)
				if n := strings.Count(out, " passed for "); n < 5 {
					t.Errorf("%s: %d manifests were looked at:\n%s", version, n, out)
				}
			}
			seen := map[string]bool{}
			for _, o := range objects {
				id := fmt.Sprint(o.kind(), "/", o.at("metadata", "name"))
				if seen[id] {
					t.Errorf("%s is there twice", id)
				}
				seen[id] = true
				if o.kind() == "Secret" {
					t.Errorf("%s: secrets are not the chart's", id)
				}
				if o.at("metadata", "namespace") != "123" {
					t.Errorf("%s is in namespace %v", id, o.at("metadata", "namespace"))
				}
			}
			for _, o := range objects {
				if spec, ok := o.at("spec", "selector").(map[string]any); ok && o.kind() == "Service" {
					if !reflect.DeepEqual(spec, deploymentOf(t, objects).at("spec", "selector", "matchLabels")) {
						t.Errorf("the Service selects %v, which are not the servers", spec)
					}
				}
			}
		})
	}
}

func deploymentOf(t *testing.T, objects []object) object {
	t.Helper()
	for _, o := range objects {
		if o.kind() == "Deployment" {
			return o
		}
	}
	t.Fatal("there is no Deployment")
	return nil
}

// Custom resources are held against their definitions, without tolerance of unknown fields.
func TestCustomResources(t *testing.T) {
	definitions, err := filepath.Glob(filepath.Join(tool(t, "BADGER_CRDS"), "*.yaml"))
	if err != nil || len(definitions) != 4 {
		t.Fatal(definitions, err)
	}
	schemas := map[string]*jsonschema.Schema{}
	for _, file := range definitions {
		crd := object(readYAML(t, file))
		for _, v := range crd.at("spec", "versions").([]any) {
			v := object(v.(map[string]any))
			schema := v.at("schema", "openAPIV3Schema")
			closed(schema)
			c := jsonschema.NewCompiler()
			if err := c.AddResource(file, asJSON(t, schema)); err != nil {
				t.Fatal(err)
			}
			compiled, err := c.Compile(file)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			schemas[fmt.Sprintf("%v/%v %v", crd.at("spec", "group"), v["name"], crd.at("spec", "names", "kind"))] = compiled
		}
	}
	seen := map[string]bool{}
	for _, file := range valueFiles(t) {
		objects, _ := manifests(t, file)
		for _, o := range objects {
			id := fmt.Sprint(o["apiVersion"], " ", o.kind())
			schema := schemas[id]
			if schema == nil {
				if strings.Contains(fmt.Sprint(o["apiVersion"]), ".") && !strings.HasPrefix(id, "networking.k8s.io/") {
					t.Errorf("%s: nothing says what it must look like", id)
				}
				continue
			}
			seen[id] = true
			if err := schema.Validate(asJSON(t, map[string]any(o))); err != nil {
				t.Errorf("%s: %s: %v", file, id, err)
			}
			spec := maps.Clone(o["spec"].(map[string]any))
			spec["unknown"] = 1
			wrong := map[string]any{"apiVersion": o["apiVersion"], "kind": o["kind"], "metadata": o["metadata"], "spec": spec}
			if err := schema.Validate(asJSON(t, wrong)); err == nil {
				t.Errorf("%s: an unknown field is taken", id)
			}
		}
	}
	if len(seen) != 4 {
		t.Errorf("looked at %v", slices.Sorted(maps.Keys(seen)))
	}
}

// closed makes a schema refuse the fields that it does not list.
func closed(schema any) {
	switch s := schema.(type) {
	case map[string]any:
		_, lists := s["properties"].(map[string]any)
		if _, says := s["additionalProperties"]; lists && !says && s["x-kubernetes-preserve-unknown-fields"] != true && s["type"] == "object" {
			s["additionalProperties"] = false
		}
		for k, v := range s {
			if k != "anyOf" && k != "oneOf" && k != "allOf" && k != "not" { // they add to what is listed next to them
				closed(v)
			}
		}
	case []any:
		for _, v := range s {
			closed(v)
		}
	}
}

// restricted lists what the profile "restricted" of the pod security standards does not allow of a
// pod, rule by rule as https://kubernetes.io/docs/concepts/security/pod-security-standards has them.
func restricted(spec map[string]any) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	p := object(spec)
	// Baseline: the host's namespaces, ports, paths and processes.
	for _, k := range []string{"hostNetwork", "hostPID", "hostIPC"} {
		if on, _ := p[k].(bool); on {
			fault("%s", k)
		}
	}
	if p.at("securityContext", "sysctls") != nil || p.at("securityContext", "windowsOptions") != nil {
		fault("sysctls or windowsOptions")
	}
	if kind := p.at("securityContext", "seLinuxOptions"); kind != nil {
		fault("seLinuxOptions")
	}
	allowed := []string{"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}
	volumes, _ := p["volumes"].([]any)
	for _, v := range volumes {
		for source := range v.(map[string]any) {
			if source != "name" && !slices.Contains(allowed, source) {
				fault("volume of type %s", source)
			}
		}
	}
	var containers []any
	for _, k := range []string{"containers", "initContainers", "ephemeralContainers"} {
		list, _ := p[k].([]any)
		containers = append(containers, list...)
	}
	if len(containers) == 0 {
		fault("no containers")
	}
	for _, c := range containers {
		c := object(c.(map[string]any))
		name := c["name"]
		ports, _ := c["ports"].([]any)
		for _, port := range ports {
			if object(port.(map[string]any))["hostPort"] != nil {
				fault("%v: hostPort", name)
			}
		}
		s := func(k ...string) any { return c.at(append([]string{"securityContext"}, k...)...) }
		if s("privileged") == true {
			fault("%v: privileged", name)
		}
		if m := s("procMount"); m != nil && m != "Default" {
			fault("%v: procMount", name)
		}
		if s("allowPrivilegeEscalation") != false {
			fault("%v: allowPrivilegeEscalation", name)
		}
		either := func(k ...string) any {
			if v := s(k...); v != nil {
				return v
			}
			return p.at(append([]string{"securityContext"}, k...)...)
		}
		if either("runAsNonRoot") != true {
			fault("%v: runAsNonRoot", name)
		}
		if u := either("runAsUser"); u == 0 {
			fault("%v: runAsUser is 0", name)
		}
		if k := either("seccompProfile", "type"); k != "RuntimeDefault" && k != "Localhost" {
			fault("%v: seccompProfile is %v", name, k)
		}
		if !reflect.DeepEqual(s("capabilities", "drop"), []any{"ALL"}) || s("capabilities", "add") != nil {
			fault("%v: capabilities", name)
		}
		for _, probe := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
			for _, way := range []string{"httpGet", "tcpSocket"} {
				if c.at(probe, way, "host") != nil {
					fault("%v: %s asks another host", name, probe)
				}
			}
		}
	}
	return faults
}

// Every pod satisfies the profile "restricted", and what we promise besides: a root that cannot be
// written, no token of the API server, a fixed user and a limit of memory.
func TestPodSecurity(t *testing.T) {
	for _, file := range valueFiles(t) {
		t.Run(file, func(t *testing.T) {
			objects, _ := manifests(t, file)
			pods := 0
			for _, o := range objects {
				pod := o.pod()
				if pod == nil {
					continue
				}
				pods++
				spec := pod["spec"].(map[string]any)
				for _, f := range restricted(spec) {
					t.Errorf("%s: %s", o.kind(), f)
				}
				if spec["automountServiceAccountToken"] != false {
					t.Errorf("%s: the token of the API server is mounted", o.kind())
				}
				for _, c := range spec["containers"].([]any) {
					c := object(c.(map[string]any))
					if c.at("securityContext", "readOnlyRootFilesystem") != true || c.at("securityContext", "runAsUser") != 65532 || c.at("resources", "limits", "memory") == nil {
						t.Errorf("%s: %v", o.kind(), c["securityContext"])
					}
				}
			}
			if pods == 0 {
				t.Error("no pod was looked at")
			}
		})
	}
}

// The rules find what they are for: each change breaks one.
func TestRestrictedFindsFaults(t *testing.T) {
	fine := `{containers: [{name: c, securityContext: {allowPrivilegeEscalation: false, runAsNonRoot: true, capabilities: {drop: [ALL]}, seccompProfile: {type: RuntimeDefault}}}]}`
	for _, change := range []struct{ from, to string }{
		{"{containers", "{hostNetwork: true, containers"}, {"{containers", "{hostPID: true, containers"}, {"{containers", "{volumes: [{name: v, hostPath: {path: /}}], containers"},
		{"{name: c", "{name: c, ports: [{hostPort: 80}]"}, {"allowPrivilegeEscalation: false, ", ""}, {"runAsNonRoot: true", "runAsNonRoot: false"}, {"runAsNonRoot: true", "runAsNonRoot: true, runAsUser: 0"},
		{"drop: [ALL]", "drop: [ALL], add: [NET_ADMIN]"}, {"drop: [ALL]", "drop: [CHOWN]"}, {"RuntimeDefault", "Unconfined"}, {"runAsNonRoot: true", "runAsNonRoot: true, privileged: true"},
		{"{containers", "{initContainers: [{name: i}], containers"}, {"{name: c", "{name: c, livenessProbe: {httpGet: {host: example.com}}"},
	} {
		var spec map[string]any
		if err := yaml.Unmarshal([]byte(fine), &spec); err != nil {
			t.Fatal(err)
		}
		if faults := restricted(spec); len(faults) > 0 {
			t.Fatalf("what is fine has faults: %v", faults)
		}
		spec = nil
		if err := yaml.Unmarshal([]byte(strings.Replace(fine, change.from, change.to, 1)), &spec); err != nil {
			t.Fatal(err)
		}
		if len(restricted(spec)) == 0 {
			t.Errorf("%q is taken", change.to)
		}
	}
}

// Every pod is under a policy that forbids what it does not list, and what is listed is what the
// values list and no more.
func TestNetworkPolicyListsAllThatLeaves(t *testing.T) {
	defaults := readYAML(t, filepath.Join(chart, "values.yaml"))
	for _, file := range valueFiles(t) {
		t.Run(file, func(t *testing.T) {
			objects, _ := manifests(t, file)
			values := object(merged(defaults, readYAML(t, file)))
			want := map[string]bool{}
			list, _ := values.at("networkPolicy", "egress").([]any)
			for _, e := range list {
				for _, p := range object(e.(map[string]any)).at("ports").([]any) {
					want[fmt.Sprint(object(e.(map[string]any))["cidr"], " TCP ", p)] = true
				}
			}
			named := values.at("networkPolicy", "cilium", "enabled") == true
			if dns, _ := values.at("networkPolicy", "dns").([]any); len(dns) > 0 && !named {
				want["dns UDP 53"], want["dns TCP 53"] = true, true
			}
			got := map[string]bool{}
			var closed []any // selectors of policies that forbid the rest, both ways
			for _, o := range objects {
				if o.kind() != "NetworkPolicy" {
					continue
				}
				if reflect.DeepEqual(o.at("spec", "policyTypes"), []any{"Ingress", "Egress"}) {
					closed = append(closed, o.at("spec", "podSelector", "matchLabels"))
				}
				rules, _ := o.at("spec", "egress").([]any)
				for _, r := range rules {
					to, ports := object(r.(map[string]any)).at("to"), object(r.(map[string]any)).at("ports")
					if to == nil || ports == nil {
						t.Errorf("a rule without to or ports allows everything: %v", r)
						continue
					}
					for _, peer := range to.([]any) {
						where := "dns"
						if cidr := object(peer.(map[string]any)).at("ipBlock", "cidr"); cidr != nil {
							where = cidr.(string)
							if _, err := netip.ParsePrefix(where); err != nil {
								t.Error(err)
							}
						}
						for _, p := range ports.([]any) {
							got[fmt.Sprint(where, " ", object(p.(map[string]any))["protocol"], " ", object(p.(map[string]any))["port"])] = true
						}
					}
				}
			}
			if !maps.Equal(got, want) {
				t.Errorf("allowed is\n%v, listed is\n%v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
			}
			for _, o := range objects {
				pod := o.pod()
				if pod == nil {
					continue
				}
				labels := pod.at("metadata", "labels").(map[string]any)
				if !slices.ContainsFunc(closed, func(s any) bool {
					for k, v := range s.(map[string]any) {
						if labels[k] != v {
							return false
						}
					}
					return true
				}) {
					t.Errorf("no policy closes the pods of the %s", o.kind())
				}
			}
		})
	}
}

// What badger deploy asks for is refused where the chart could not make it.
func TestKubernetesValues(t *testing.T) {
	const fine = "warehouse: postgres\nvia: http\nendpoint: https://b.example.com\ndeploy:\n  image: r.example.com/badger:1\n  kubernetes:\n    tls: {secret: s}\n"
	for _, c := range []struct{ from, to, want string }{
		{"", "", ""},
		{"image: r.example.com/badger:1", "image: r.example.com/badger", "deploy.image"},
		{"image: r.example.com/badger:1", "image: r.example.com:5000/badger", "deploy.image"},
		{"image: r.example.com/badger:1", "image: r.example.com/badger@md5:00", "deploy.image"},
		{"image: r.example.com/badger:1", "image: r.example.com/badger@sha256:abc", "deploy.image"},
		{"image: r.example.com/badger:1", "image: UPPER/x:1", "deploy.image"},
		{"image: r.example.com/badger:1", "image: 'r.example.com/b:{{x}}'", "deploy.image"},
		{"image: r.example.com/badger:1", "image: 'https://r.example.com/badger:1'", "deploy.image"},
		{"image: r.example.com/badger:1", "image: 'r.example.com/badger:'", "deploy.image"},
		{"image: r.example.com/badger:1", "cpu: \"1\"", "deploy.image"},
		{"image:", "memory: 1Mi\n  image:", "deploy.memory is 1Mi, expected at least 128Mi"},
		{"image:", "judge: {backend: aiquery, model: m, budget: 2M}\n  image:", "needs deploy.warehouse"},
		{"image:", "judge: {backend: openai, url: 'https://m', model: m}\n  image:", "needs deploy.judge.budget"},
		{"image:", "replicas: {min: 2}\n  judge: {backend: openai, url: 'https://m', model: m, budget: 2M}\n  image:", "needs deploy.warehouse"},
		{"image:", "replicas: {max: 2}\n  warehouse: duckdb:/tmp/w\n  judge: {backend: openai, url: 'https://m', model: m, budget: 2M}\n  image:", "2 servers with a judge"},
		{"tls: {secret: s}", "tls: {}", "tls.secret"},
		{"tls: {secret: s}", "tls: {secret: s, plaintext: true}", "expected one"},
		{"{secret: s}", "{secret: S}", "deploy.kubernetes.tls.secret"},
		{"tls:", "namespace: a_b\n    tls:", "deploy.kubernetes.namespace"},
		{"tls:", "release: 9lives\n    tls:", "deploy.kubernetes.release"},
		{"tls:", "tokens: 'a b'\n    tls:", "deploy.kubernetes.tokens"},
		{"tls:", "secrets: {tokens: x}\n    tls:", "deploy.kubernetes.secrets"},
		{"tls:", "secrets: {a: '$(id)'}\n    tls:", "deploy.kubernetes.secrets.a"},
		{"tls:", "callers: ['*']\n    tls:", "deploy.kubernetes.callers"},
		{"tls:", "egress: [{cidr: 10.0.0.1/8, ports: [1]}]\n    tls:", "deploy.kubernetes.egress"},
		{"tls:", "egress: [{cidr: 10.0.0.0/8}]\n    tls:", "ports"},
		{"tls:", "egress: [{cidr: 10.0.0.0/8, ports: [0]}]\n    tls:", "65535"},
		{"tls:", "hosts: ['https://a.example.com']\n    tls:", "deploy.kubernetes.hosts"},
		{"tls:", "hosts: ['*.example.com']\n    tls:", "deploy.kubernetes.hosts"},
		{"tls:", "run: {source: 'postgres://a:hunter2@db/x'}\n    tls:", "run.source holds a password"},
		{"deploy:", "deploy:\n  warehouse: 'postgres://a:hunter2@db/x'", "deploy.warehouse holds a password"},
		{"tls:", "run: {args: [x]}\n    tls:", "deploy.kubernetes.run.args"},
		{"tls:", "metrics: true\n    tls:", "metrics_callers"},
		{"tls:", "metrics_callers: [monitoring]\n    tls:", "deploy.kubernetes.metrics and metrics_callers"},
		{"tls:", "metrics: true\n    metrics_callers: ['*']\n    tls:", "deploy.kubernetes.metrics_callers"},
		{"kubernetes:", "warehouse: 'postgres://u@db/d'\n  kubernetes:\n    hosts: [a.example.com]", "deploy.warehouse names the host \"db\""},
		{"tls:", "ports: [1]\n    tls:", "ports"},
	} {
		_, err := rendered(t, "kubernetes", strings.Replace(fine, c.from, c.to, 1))
		if c.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want one that names %s", c.to, err, c.want)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
}

// With names that may be looked up, those of the warehouses and of the judge are among them; where
// nothing is allowed, and somebody named, the files say so.
func TestKubernetesHosts(t *testing.T) {
	const values = "warehouse: postgres\nvia: http\nendpoint: https://b.example.com\ndeploy:\n  image: r.example.com/badger:1\n  warehouse: %s\n  judge: {backend: openai, model: m, url: 'https://Models.example.com/v1', secret: k, budget: 2M}\n  kubernetes:\n    tls: {secret: s}\n    %s\n"
	for warehouse, want := range map[string]string{
		"postgres://u@db.example.com/d":          "{host: db.example.com, port: 5432}",
		"postgres://u@db.example.com:6432/d":     "{host: db.example.com, port: 6432}",
		"redshift://u@db.example.com/d":          "{host: db.example.com, port: 5439}",
		"snowflake://u@org-account/d":            "{host: org-account.snowflakecomputing.com, port: 443}",
		"snowflake://u@a/d?host=s.example.com":   "{host: s.example.com, port: 443}",
		"databricks://dbc.cloud.databricks.com/": "{host: dbc.cloud.databricks.com, port: 443}",
		"bigquery://p/d?credentials=metadata":    "{host: bigquery.googleapis.com, port: 443}",
		"postgres://u@10.0.0.1/d":                "",
	} {
		files, err := rendered(t, "kubernetes", fmt.Sprintf(values, warehouse, "hosts: [a.example.com]"))
		if err != nil {
			t.Fatal(err)
		}
		text := string(files[slices.IndexFunc(files, func(f deploy.File) bool { return f.Name == "values-badger.yaml" })].Content)
		if !strings.Contains(text, want) || !strings.Contains(text, "{host: models.example.com, port: 443}") || strings.Contains(text, "10.0.0.1, port") || strings.Contains(text, "no outbound connections") {
			t.Errorf("%s: no %s in\n%s", warehouse, want, text)
		}
		files, err = rendered(t, "kubernetes", fmt.Sprintf(values, warehouse, ""))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"values-badger.yaml", "install.sh"} {
			i := slices.IndexFunc(files, func(f deploy.File) bool { return f.Name == name })
			if !strings.Contains(string(files[i].Content), "allows no outbound connections") {
				t.Errorf("%s does not say that nothing can be reached", name)
			}
		}
	}
}

// The page makes a namespace that enforces what the pods satisfy, and its probe satisfies it.
func TestKubernetesPageIsRestricted(t *testing.T) {
	text, err := os.ReadFile("../docs/operate/deploy-kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, made := strings.Cut(string(text), "kubectl create namespace badger\n")
	if !made || !strings.HasPrefix(strings.TrimSpace(rest), "kubectl label namespace badger pod-security.kubernetes.io/enforce=restricted") {
		t.Error("the page's namespace enforces nothing")
	}
	_, rest, found := strings.Cut(string(text), "--overrides='")
	overrides, _, ends := strings.Cut(rest, "'\n")
	var pod struct {
		Spec map[string]any `json:"spec"`
	}
	if err := json.Unmarshal([]byte(overrides), &pod); err != nil || !found || !ends {
		t.Fatalf("the page's probe: %v", err)
	}
	for _, fault := range restricted(pod.Spec) {
		t.Errorf("the page's probe: %s", fault)
	}
}

// A service in Snowflake's account is no Deployment of a cluster.
func TestKubernetesIsNoServiceInTheAccount(t *testing.T) {
	_, err := rendered(t, "kubernetes", "warehouse: snowflake\nvia: spcs\ndatabase: analytics\ndeploy:\n  image: badger:1.0.0\n  snowflake: {query_warehouse: w}\n  kubernetes: {tls: {secret: s}}\n")
	if err == nil || !strings.Contains(err.Error(), "via is spcs") {
		t.Error(err)
	}
}

// The report needs runs, and whoever sees it a token.
func TestKubernetesReport(t *testing.T) {
	const values = "warehouse: postgres\nvia: http\nendpoint: https://b.example.com\ndeploy:\n  image: r.example.com/badger:1\n%s  report: {readers: [%s]}\n  kubernetes: {tls: {secret: s}}\n"
	const warehouse = "  warehouse: postgres://u@db.example.com/d\n"
	for _, tc := range []struct{ warehouse, reader, says string }{
		{warehouse, "ana", ""},
		{warehouse, `"*"`, ""},
		{"", "ana", "needs deploy.warehouse"},
		{warehouse, "'ana:b'", "invalid token name"},
		{warehouse, "ana lopez", "invalid token name"},
		{warehouse, strings.Repeat("a", 65), "invalid token name"},
	} {
		_, err := rendered(t, "kubernetes", fmt.Sprintf(values, tc.warehouse, tc.reader))
		if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", tc.reader, err, tc.says)
		}
	}
}

// rendered renders the files of a target from the text of values.
func rendered(t *testing.T, target, values string) ([]deploy.File, error) {
	t.Helper()
	found, err := deploy.Find(target)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := planFrom(t, []byte(values))
	if err != nil {
		return nil, err
	}
	return deploy.Render(found, plan, "v1.2.3")
}
