package deploy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/badger-eval/badger/deploy"
	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/sql/install"
)

// cloudRunService is a Cloud Run service as the rules look at it; the schema has seen that nothing else is
// in it.
type cloudRunService struct {
	Spec struct {
		Template struct {
			Metadata struct {
				Annotations map[string]string `yaml:"annotations"`
			} `yaml:"metadata"`
			Spec struct {
				ContainerConcurrency int `yaml:"containerConcurrency"`
				TimeoutSeconds       int `yaml:"timeoutSeconds"`
				Containers           []struct {
					Ports []struct {
						Name          string `yaml:"name"`
						ContainerPort int    `yaml:"containerPort"`
					} `yaml:"ports"`
					Env       []struct{ Name, Value string } `yaml:"env"`
					Resources struct {
						Limits struct{ CPU, Memory string } `yaml:"limits"`
					} `yaml:"resources"`
					StartupProbe  probe `yaml:"startupProbe"`
					LivenessProbe probe `yaml:"livenessProbe"`
					VolumeMounts  []struct {
						Name      string `yaml:"name"`
						MountPath string `yaml:"mountPath"`
					} `yaml:"volumeMounts"`
				} `yaml:"containers"`
				Volumes []struct {
					Name   string `yaml:"name"`
					Secret *struct {
						Items []struct{ Key, Path string } `yaml:"items"`
					} `yaml:"secret"`
					EmptyDir *struct {
						SizeLimit string `yaml:"sizeLimit"`
					} `yaml:"emptyDir"`
				} `yaml:"volumes"`
			} `yaml:"spec"`
		} `yaml:"template"`
		Traffic []struct{ Percent int } `yaml:"traffic"`
	} `yaml:"spec"`
}

type probe struct {
	HTTPGet        struct{ Port int } `yaml:"httpGet"`
	PeriodSeconds  int                `yaml:"periodSeconds"`
	TimeoutSeconds int                `yaml:"timeoutSeconds"`
}

// cloudRunRules are what a schema cannot say: what must fit together.
func cloudRunRules(s cloudRunService) (broken []string) {
	bad := func(format string, args ...any) { broken = append(broken, fmt.Sprintf(format, args...)) }
	spec := s.Spec.Template.Spec
	c := spec.Containers[0]
	env, seen := map[string]string{}, map[string]bool{}
	for _, e := range c.Env {
		if seen[e.Name] {
			bad("the variable %s is there twice", e.Name)
		}
		env[e.Name], seen[e.Name] = e.Value, true
	}
	number := func(name string) int {
		n, err := strconv.Atoi(env[name])
		if err != nil {
			bad("%s is no number", name)
		}
		return n
	}

	// Secrets and folders.
	volumes, files, memory := map[string]bool{}, map[string]bool{}, 0
	for _, v := range spec.Volumes {
		volumes[v.Name] = false
		if v.EmptyDir != nil {
			memory += bytesOf(v.EmptyDir.SizeLimit)
		}
	}
	paths := map[string]bool{}
	for _, m := range c.VolumeMounts {
		if _, ok := volumes[m.Name]; !ok {
			bad("the volume %s is mounted and not there", m.Name)
		}
		if paths[m.MountPath] {
			bad("two volumes are mounted at %s", m.MountPath)
		}
		volumes[m.Name], paths[m.MountPath] = true, true
		for _, v := range spec.Volumes {
			if v.Name == m.Name && v.Secret != nil {
				for _, i := range v.Secret.Items {
					files[m.MountPath+"/"+i.Path] = true
				}
			}
		}
	}
	for name, mounted := range volumes {
		if !mounted {
			bad("the volume %s is not mounted", name)
		}
	}
	if key := env["BADGER_JUDGE_KEY_FILE"]; key != "" && !files[key] {
		bad("the judge's key %s is not mounted", key)
	}

	// Who calls, by which protocol, where.
	if c.Ports[0].Name == "h2c" != (env["BADGER_LISTEN_H2C"] == "true") {
		bad("the port's name and BADGER_LISTEN_H2C do not agree")
	}
	for name, p := range map[string]probe{"startupProbe": c.StartupProbe, "livenessProbe": c.LivenessProbe} {
		if p.HTTPGet.Port != c.Ports[0].ContainerPort {
			bad("%s asks another port", name)
		}
		if p.TimeoutSeconds > p.PeriodSeconds {
			bad("%s takes longer than its period", name)
		}
	}
	if env["BADGER_AUTH_HTTP_PLATFORM"] != "cloud-run" || env["BADGER_AUTH_HTTP_AUDIENCE"] == "" || env["BADGER_AUTH_HTTP_EMAILS"] == "" {
		bad("who may call is not pinned")
	}
	if env["BADGER_LISTEN_HTTP"] != "" {
		bad("BADGER_LISTEN_HTTP is set, and Cloud Run says the port by $PORT")
	}

	// What a call may take. BigQuery waits for 20 minutes, and the server answers after 19.5.
	if spec.TimeoutSeconds < 19*60+30 {
		bad("requests end before the server's own time is over")
	}
	if spec.ContainerConcurrency > number("BADGER_LIMITS_CALLS") || spec.ContainerConcurrency > number("BADGER_LIMITS_CALLER_CALLS") {
		bad("an instance gets more calls than the server takes")
	}
	const program = 256 << 20
	limit, held := bytesOf(c.Resources.Limits.Memory), number("BADGER_LIMITS_MEMORY_BYTES")
	if memory+program+3*held > limit {
		bad("the limits of badger serve take more memory than there is")
	}
	if held < 10<<20 || number("BADGER_LIMITS_CALLER_MEMORY_BYTES") > held {
		bad("the memory of calls is below one request, or that of a caller above that of all")
	}
	if soft, err := strconv.Atoi(strings.TrimSuffix(env["GOMEMLIMIT"], "MiB")); err != nil || soft<<20 > limit-memory || soft<<20 < 3*held {
		bad("GOMEMLIMIT is not between what calls take and what there is")
	}
	if grace := env["BADGER_LIMITS_STOP_GRACE"]; grace != "9s" {
		bad("the server does not end before Cloud Run kills it after 10 s")
	}
	if most := map[string]int{"1": 4, "2": 8, "4": 16, "6": 24, "8": 32}[c.Resources.Limits.CPU]; limit > most<<30 {
		bad("Cloud Run has no such memory for so few CPUs")
	}
	a := s.Spec.Template.Metadata.Annotations
	least, err1 := strconv.Atoi(a["autoscaling.knative.dev/minScale"])
	most, err2 := strconv.Atoi(a["autoscaling.knative.dev/maxScale"])
	if err1 != nil || err2 != nil || least < 1 || most < least {
		bad("minScale is not between 1 and maxScale")
	}
	if (a["run.googleapis.com/network-interfaces"] == "") != (a["run.googleapis.com/vpc-access-egress"] == "") {
		bad("a network without egress, or the reverse")
	}
	percent := 0
	for _, t := range s.Spec.Traffic {
		percent += t.Percent
	}
	if percent != 100 {
		bad("traffic is %d %%", percent)
	}
	return broken
}

func bytesOf(size string) int {
	n, _ := strconv.Atoi(strings.TrimRight(size, "GMi"))
	if strings.HasSuffix(size, "Gi") {
		return n << 30
	}
	return n << 20
}

func TestCloudRunService(t *testing.T) {
	s := schema(t, "cloud-run-service.json")
	targetSets(t, "cloud-run", func(t *testing.T, _ string, files []deploy.File) {
		text := content(t, files, "service.yaml")
		if err := s.Validate(document(t, text)); err != nil {
			t.Error(err)
		}
		for _, b := range cloudRunRules(as[cloudRunService](t, text)) {
			t.Error(b)
		}
	})
}

// Each mistake is found, by the schema or by a rule.
func TestCloudRunMistakes(t *testing.T) {
	var good []byte
	targetSets(t, "cloud-run", func(t *testing.T, set string, files []deploy.File) {
		if set == "hostile" { // it has a secret
			good = content(t, files, "service.yaml")
		}
	})
	s := schema(t, "cloud-run-service.json")
	for _, tc := range []struct{ why, old, new, says string }{
		{"a key that there is not", "timeoutSeconds:", "timeoutSecond:", "timeoutSecond"},
		{"open to the internet", "ingress: internal", "ingress: all", "ingress"},
		{"callers without a token", `invoker-iam-disabled: "false"`, `invoker-iam-disabled: "true"`, "invoker-iam-disabled"},
		{"no CPU between calls", `cpu-throttling: "false"`, `cpu-throttling: "true"`, "cpu-throttling"},
		{"a number for a text", `minScale: "1"`, "minScale: 1", "minScale"},
		{"a text for a number", "containerConcurrency: 80", `containerConcurrency: "80"`, "containerConcurrency"},
		{"too long a time", "timeoutSeconds: 1200", "timeoutSeconds: 4000", "timeoutSeconds"},
		{"a path that ends in z", "/health/ready", "/healthz", "path"},
		{"no such port name", "name: h2c", "name: http2", "name"},
		{"an image without a tag", "b_c.d:0x1F", "b_c.d", "image"},
		{"the platform's own variable", "BADGER_RELOAD", "PORT", "name"},
		{"a variable that is a number", `value: "80"`, "value: 80", "value"},
		{"half a CPU", `cpu: "1"`, `cpu: "0.5"`, "cpu"},
		{"no volume of any kind", "emptyDir: {medium: Memory, sizeLimit: 64Mi}", "nfs: {}", "nfs"},
		{"a volume that is not there", "- name: judge-key\n              mountPath", "- name: judge\n              mountPath", "mounted and not there"},
		{"a volume that is not mounted", "            - name: judge-key\n              mountPath: /etc/badger/secrets/judge\n", "", "not mounted"},
		{"a key elsewhere", "value: /etc/badger/secrets/judge/value", "value: /secrets/key", "key /secrets/key is not mounted"},
		{"two folders in one place", "mountPath: /etc/badger/secrets/judge", "mountPath: /tmp", "two volumes"},
		{"another protocol", "name: h2c", "name: http1", "do not agree"},
		{"a probe of another port", "port: 8080}\n            periodSeconds: 30", "port: 8081}\n            periodSeconds: 30", "another port"},
		{"a slow probe", "periodSeconds: 2", "periodSeconds: 1", "longer than its period"},
		{"any audience", "value: https://scoring.example.com,32555940559.apps.googleusercontent.com", `value: ""`, "not pinned"},
		{"a port of its own", "BADGER_RELOAD", "BADGER_LISTEN_HTTP", "$PORT"},
		{"Cloud Run's own time", "timeoutSeconds: 1200", "timeoutSeconds: 300", "end before"},
		{"more calls than places", "containerConcurrency: 80", "containerConcurrency: 81", "more calls"},
		{"too little memory", "memory: 512Mi", "memory: 500Mi", "more memory than there is"},
		{"a large temporary folder", "sizeLimit: 64Mi", "sizeLimit: 128Mi", "more memory than there is"},
		{"memory beyond the instance", "GOMEMLIMIT\n              value: 320MiB", "GOMEMLIMIT\n              value: 500MiB", "GOMEMLIMIT"},
		{"a long stop", "value: 9s", "value: 30s", "10 s"},
		{"more memory than one CPU has", "memory: 512Mi", "memory: 8Gi", "so few CPUs"},
		{"no instance", `minScale: "1"`, `minScale: "0"`, "minScale"},
		{"half the traffic", "percent: 100", "percent: 50", "traffic is 50"},
		{"a variable twice", "BADGER_LIMITS_CALLER_CALLS", "BADGER_LIMITS_CALLS", "twice"},
	} {
		bad := bytes.Replace(good, []byte(tc.old), []byte(tc.new), 1)
		if bytes.Equal(bad, good) {
			t.Errorf("%s: there is no %q", tc.why, tc.old)
			continue
		}
		says := ""
		if err := s.Validate(document(t, bad)); err != nil {
			says = err.Error()
		} else {
			says = strings.Join(cloudRunRules(as[cloudRunService](t, bad)), "; ")
		}
		if !strings.Contains(says, tc.says) {
			t.Errorf("%s: %q, want %q", tc.why, says, tc.says)
		}
	}
}

// stubs are programs of Google Cloud that write down how they were called. Nothing exists yet; the
// connection's account is known when it was made.
func stubs(t *testing.T, extra map[string]string) (env []string, calls func() [][]string) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	const note = "#!/usr/bin/env bash\n" + `jq -cn '$ARGS.positional' --args -- "${0##*/}" "$@" >>"$BADGER_TEST_LOG"` + "\n"
	for name, does := range map[string]string{
		"gcloud": `case "$*" in *" describe "*--format=json) echo '{"status":{"url":"https://x-abc.a.run.app"},"metadata":{"annotations":{"run.googleapis.com/urls":"'"${BADGER_TEST_URLS//\"/\\\"}"'"}}}' ;; *secrets\ describe*) ;; *" describe "*) exit 1 ;; *print-access-token*) echo t0ken ;; esac`,
		"bq":     `case "$*" in show\ --format*) echo '{"cloudResource":{"serviceAccountId":"bqcx-1-ab@gcp-sa-bigquery-condel.iam.gserviceaccount.com"}}' ;; show*) exit 1 ;; esac`,
		"curl":   `cat >/dev/null; case "$*" in *getIamPolicy*) echo '{"etag":"e1","bindings":[{"role":"r","members":["user:a@example.com"]}]}' ;; *) echo '{}' ;; esac`,
	} {
		if other, ok := extra[name]; ok {
			does = other
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(note+does+"\n"), 0o700); err != nil { //nolint:gosec // it runs
			t.Fatal(err)
		}
	}
	return append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "BADGER_TEST_LOG="+log, "BADGER_SETUP_WAIT=0"), func() (all [][]string) {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.SplitSeq(bytes.TrimSpace(text), []byte("\n")) {
			var call []string
			if err := json.Unmarshal(line, &call); err != nil {
				t.Fatal(err)
			}
			all = append(all, call)
		}
		return all
	}
}

func needShell(t *testing.T) {
	t.Helper()
	for _, name := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("there is no %s here", name)
		}
	}
}

// bindings are the roles that have to be given.
func bindings(t *testing.T, files []deploy.File) (out []service.Binding) {
	t.Helper()
	if err := json.Unmarshal(content(t, files, "bindings.json"), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// audience is the service's address.
func audience(t *testing.T, files []deploy.File) string {
	t.Helper()
	for _, e := range as[cloudRunService](t, content(t, files, "service.yaml")).Spec.Template.Spec.Containers[0].Env {
		if e.Name == "BADGER_AUTH_HTTP_AUDIENCE" {
			address, _, _ := strings.Cut(e.Value, ",") // gcloud's comes after it
			return address
		}
	}
	t.Fatal("there is no audience")
	return ""
}

// The module takes every variable, and the container gets the same environment from it.
func TestCloudRunTerraform(t *testing.T) {
	module, missing := os.ReadFile(filepath.Join("terraform", "bigquery-cloud-run", "variables.tf"))
	targetSets(t, "cloud-run", func(t *testing.T, _ string, files []deploy.File) {
		var vars map[string]any
		if err := json.Unmarshal(content(t, files, "terraform.tfvars.json"), &vars); err != nil {
			t.Fatal(err)
		}
		if missing == nil {
			for name := range vars {
				if !bytes.Contains(module, []byte(`variable "`+name+`"`)) {
					t.Errorf("the module has no variable %s", name)
				}
			}
		}
		c := as[cloudRunService](t, content(t, files, "service.yaml")).Spec.Template.Spec.Containers[0]
		environment := vars["environment"].(map[string]any)
		for _, e := range c.Env {
			if environment[e.Name] != e.Value {
				t.Errorf("%s is %q, and %q in Terraform", e.Name, e.Value, environment[e.Name])
			}
		}
		template := as[cloudRunService](t, content(t, files, "service.yaml")).Spec.Template
		if n := vars["concurrency"]; n != float64(template.Spec.ContainerConcurrency) {
			t.Errorf("concurrency is %v, and %d in service.yaml", n, template.Spec.ContainerConcurrency)
		}
		network, _ := vars["network"].(string)
		if interfaces := template.Metadata.Annotations["run.googleapis.com/network-interfaces"]; (network == "") != (interfaces == "") || !strings.Contains(interfaces, network) {
			t.Errorf("the network is %q, and %q in service.yaml", network, interfaces)
		}
		if len(environment) != len(c.Env) || vars["cpu"] != c.Resources.Limits.CPU || vars["memory"] != c.Resources.Limits.Memory {
			t.Error("the module makes another service")
		}
	})
}

// The module's container has the probes, the temporary folder and the way out of service.yaml.
func TestCloudRunModule(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("terraform", "bigquery-cloud-run", "main.tf"))
	if err != nil {
		t.Fatal(err)
	}
	module := strings.Join(strings.Fields(string(text)), " ")
	for _, want := range []string{
		`startup_probe { period_seconds = 2 timeout_seconds = 2 failure_threshold = 60 http_get { path = "/health/ready" } }`,
		`liveness_probe { period_seconds = 30 timeout_seconds = 5 failure_threshold = 4 http_get { path = "/health/live" } }`,
		`empty_dir { medium = "MEMORY" size_limit = "64Mi" }`,
		`egress = "ALL_TRAFFIC"`,
		`max_instance_request_concurrency = var.concurrency`,
	} {
		if !strings.Contains(module, want) {
			t.Errorf("the module lacks %s", want)
		}
	}
	targetSets(t, "cloud-run", func(t *testing.T, _ string, files []deploy.File) {
		service := strings.Join(strings.Fields(string(content(t, files, "service.yaml"))), " ")
		for _, want := range []string{
			"startupProbe: httpGet: {path: /health/ready, port: 8080} periodSeconds: 2 timeoutSeconds: 2 failureThreshold: 60",
			"livenessProbe: httpGet: {path: /health/live, port: 8080} periodSeconds: 30 timeoutSeconds: 5 failureThreshold: 4",
			"emptyDir: {medium: Memory, sizeLimit: 64Mi}",
		} {
			if !strings.Contains(service, want) {
				t.Errorf("service.yaml lacks %s", want)
			}
		}
	})
}

// A root of the module has the environment of service.yaml, and every other variable of
// terraform.tfvars.json.
func TestCloudRunRoot(t *testing.T) {
	for _, file := range sets(t, "cloud-run") {
		values, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(file, func(t *testing.T) {
			files, err := rendered(t, "cloud-run", string(values))
			if err != nil {
				t.Fatal(err)
			}
			var want map[string]any
			if err := json.Unmarshal(content(t, files, "terraform.tfvars.json"), &want); err != nil {
				t.Fatal(err)
			}
			files, err = rendered(t, "terraform-bigquery-cloud-run", string(values))
			if err != nil {
				t.Fatal(err)
			}
			root := parseText(t, "root", map[string]string{"main.tf": string(content(t, files, "main.tf"))})
			if len(root.variables) > 0 {
				t.Errorf("the root asks for %v, and the values say everything", root.variables)
			}
			for _, b := range root.blocks {
				if b.Type != "module" {
					continue
				}
				got := map[string]any{}
				for name, a := range b.Body.Attributes {
					if name == "source" {
						continue
					}
					v, diags := a.Expr.Value(nil)
					if diags.HasErrors() {
						t.Fatal(diags)
					}
					text, err := ctyjson.Marshal(v, v.Type())
					if err != nil {
						t.Fatal(err)
					}
					var value any
					if err := json.Unmarshal(text, &value); err != nil {
						t.Fatal(err)
					}
					got[name] = value
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("the root has\n%v, and terraform.tfvars.json\n%v", got, want)
				}
			}
		})
	}
}

// The script gives each role once, to whom and where the bindings say, before the service starts,
// and the right to call it afterwards; every name is one word.
func TestCloudRunSetup(t *testing.T) {
	needShell(t)
	const caller = "serviceAccount:bqcx-1-ab@gcp-sa-bigquery-condel.iam.gserviceaccount.com"
	sets := []string{"everything", "hostile", "small"}
	drawn := sets[sample.One(t.Name(), len(sets))]
	targetSets(t, "cloud-run", func(t *testing.T, set string, files []deploy.File) {
		if set != drawn && !sample.Thorough() {
			return
		}
		want := bindings(t, files)
		env, calls := stubs(t, nil)
		cmd := exec.CommandContext(t.Context(), "bash", "setup.sh")
		cmd.Dir, cmd.Env = written(t, files), append(env, `BADGER_TEST_URLS=["`+audience(t, files)+`"]`)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		made := calls()
		replaces := func(c []string) bool { return slices.Contains(c, "replace") }

		// Beside Terraform it gives the same roles and leaves the service alone.
		env, calls = stubs(t, nil)
		beside := exec.CommandContext(t.Context(), "bash", "setup.sh", "--roles")
		beside.Dir, beside.Env = cmd.Dir, append(env, `BADGER_TEST_URLS=["`+audience(t, files)+`"]`)
		if out, err := beside.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if again := calls(); !reflect.DeepEqual(again, slices.DeleteFunc(slices.Clone(made), replaces)) {
			t.Errorf("setup.sh --roles calls %q", again)
		}

		deployed := slices.IndexFunc(made, replaces)
		if deployed < 0 {
			t.Fatal("the service is not deployed")
		}
		for _, b := range want {
			member := b.Member
			if b.Variable != "" {
				member = caller
			}
			var at []int
			for i, c := range made {
				if grants(c, b, member) {
					at = append(at, i)
				}
			}
			if len(at) != 1 || (at[0] < deployed) == (b.On == "service") {
				t.Errorf("%s for %s on %s %q: by the calls %v, the service is there after %d", b.Role, member, b.On, b.Resource, at, deployed)
			}
		}
		given := 0
		for _, c := range made {
			if strings.Contains(strings.Join(c, " "), "add-iam-policy-binding") || strings.Contains(strings.Join(c, " "), "setIamPolicy") || strings.Contains(strings.Join(c, " "), "GRANT ") {
				given++
			}
			if slices.ContainsFunc(c, func(a string) bool { return strings.Contains(a, "t0ken") || strings.Contains(a, "allUsers") }) {
				t.Errorf("a call that shows the token, or lets everybody in: %q", c)
			}
		}
		if given != len(want) {
			t.Errorf("%d roles are given, and there are %d bindings", given, len(want))
		}
	})
}

// grants reports whether a call gives a role.
func grants(call []string, b service.Binding, member string) bool {
	switch b.On {
	case "connection":
		at := strings.Split(b.Resource, ".")
		n := len(at)
		url := "https://bigqueryconnection.googleapis.com/v1/projects/" + strings.Join(at[:n-2], ".") + "/locations/" + at[n-2] + "/connections/" + at[n-1] + ":setIamPolicy"
		i := slices.Index(call, "--data")
		if !slices.Contains(call, url) || i < 0 {
			return false
		}
		var sent struct {
			Policy struct {
				ETag     string
				Bindings []struct {
					Role    string
					Members []string
				}
			}
		}
		if json.Unmarshal([]byte(call[i+1]), &sent) != nil || sent.Policy.ETag != "e1" || len(sent.Policy.Bindings) != 2 {
			return false
		}
		last := sent.Policy.Bindings[1]
		return last.Role == b.Role && slices.Equal(last.Members, []string{member})
	case "dataset":
		sql := call[len(call)-1]
		i := strings.LastIndex(b.Resource, ".")
		return call[0] == "bq" && strings.HasPrefix(sql, "GRANT `"+b.Role+"` ON SCHEMA ") && strings.Contains(sql, b.Resource[i+1:]+" TO ") && strings.HasSuffix(sql, "'"+member+"'")
	}
	return slices.Contains(call, "add-iam-policy-binding") && slices.Contains(call, "--member="+member) && slices.Contains(call, "--role="+b.Role) && slices.Contains(call, b.Resource) &&
		slices.Contains(call, map[string]string{"project": "projects", "secret": "secrets", "service": "services"}[b.On])
}

// A service at another address than the values say ends the script, because it would refuse all
// calls; so does a policy that cannot be read, and it is not written.
func TestCloudRunSetupFails(t *testing.T) {
	needShell(t)
	targetSets(t, "cloud-run", func(t *testing.T, set string, files []deploy.File) {
		if set != "small" {
			return
		}
		for _, tc := range sample.Of([]struct {
			why   string
			extra map[string]string
			urls  string
			says  string
			never string
		}{
			{"another address", nil, `["https://other-1.europe-west1.run.app"]`, "Set endpoint in the values", ""},
			{"a policy that cannot be read", map[string]string{"curl": "cat >/dev/null; exit 22"}, "[]", "", "setIamPolicy"},
			{"a policy that is no JSON", map[string]string{"curl": "cat >/dev/null; echo '<html>'"}, "[]", "", "setIamPolicy"},
			{"no connection", map[string]string{"bq": "case $1 in show) exit 1 ;; esac"}, "[]", "", "replace"},
		}, 2) {
			env, calls := stubs(t, tc.extra)
			cmd := exec.CommandContext(t.Context(), "bash", "setup.sh")
			cmd.Dir, cmd.Env = written(t, files), append(env, "BADGER_TEST_URLS="+tc.urls)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), tc.says) {
				t.Errorf("%s: %v\n%s", tc.why, err, out)
			}
			for _, c := range calls() {
				if tc.never != "" && strings.Contains(strings.Join(c, " "), tc.never) {
					t.Errorf("%s: %q was called", tc.why, c)
				}
			}
		}
	})
}

// Removing takes away what was given, and nothing else: the secret, the dataset and accounts that
// the values name stay.
func TestCloudRunRemove(t *testing.T) {
	needShell(t)
	targetSets(t, "cloud-run", func(t *testing.T, set string, files []deploy.File) {
		env, calls := stubs(t, map[string]string{"curl": `cat >/dev/null; echo '{"bindings":[{"role":"roles/bigquery.connectionUser","members":["user:a@example.com","serviceAccount:scorer@acme-analytics.iam.gserviceaccount.com"]}]}'`})
		cmd := exec.CommandContext(t.Context(), "bash", "remove.sh")
		cmd.Dir, cmd.Env = written(t, files), env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var all []string
		for _, c := range calls() {
			all = append(all, strings.Join(c, " "))
		}
		text := strings.Join(all, "\n")
		for _, b := range bindings(t, files) {
			if b.On == "project" && b.Variable == "" && !strings.Contains(text, "remove-iam-policy-binding "+b.Resource+" --member="+b.Member+" --role="+b.Role) {
				t.Errorf("%s stays with %s", b.Role, b.Member)
			}
		}
		for _, never := range []string{"secrets delete", "rm --dataset", "rm -r", "projects delete", "delete scorer@", "delete night@"} {
			if strings.Contains(text, never) {
				t.Errorf("%s: it calls %q", set, never)
			}
		}
		if set == "everything" && !strings.Contains(text, `{"policy":{"bindings":[{"role":"roles/bigquery.connectionUser","members":["user:a@example.com"]}]}}`) {
			t.Errorf("the connection to the model keeps the service's account:\n%s", text)
		}
		if set == "small" && !strings.Contains(text, "delete badger-server@acme-analytics.iam.gserviceaccount.com") {
			t.Errorf("the account that was made stays:\n%s", text)
		}
	})
}

// Every value that Cloud Run cannot take is refused by its key, with what is expected.
func TestCloudRunValues(t *testing.T) {
	good := func() install.Values {
		v := install.Values{
			Warehouse: "bigquery", Database: "acme-analytics", Location: "EU",
			Roles:  install.Roles{Owner: "group:o@example.com", Caller: "group:c@example.com"},
			Deploy: service.Deployment{Image: "example.com/badger:1"},
		}
		v.Deploy.CloudRun = service.CloudRun{ProjectNumber: "123456789012", Region: "europe-west1"}
		return v
	}
	refused(t, "cloud-run", good, []refusal{
		{"", func(*install.Values) {}, ""},
		{"a region as location", func(v *install.Values) { v.Location, v.Deploy.CloudRun.Region = "europe-west1", "" }, ""},
		{"an endpoint alone", func(v *install.Values) { v.Deploy.CloudRun.ProjectNumber, v.Endpoint = "", "https://b.example.com" }, ""},
		{"neither", func(v *install.Values) { v.Deploy.CloudRun.ProjectNumber = "" }, "deploy.cloud_run.project_number"},
		{"no image", func(v *install.Values) { v.Deploy.Image = "" }, "deploy.image"},
		{"an image that is none", func(v *install.Values) { v.Deploy.Image = "badger" }, "deploy.image"},
		{"an image without a registry", func(v *install.Values) { v.Deploy.Image = "badger:1" }, "deploy.image"},
		{"an image without a tag", func(v *install.Values) { v.Deploy.Image = "example.com/badger" }, "deploy.image"},
		{"an image in capitals", func(v *install.Values) { v.Deploy.Image = "example.com/Badger:1" }, "deploy.image"},
		{"an image whose tag is none", func(v *install.Values) { v.Deploy.Image = "example.com/badger:.1" }, "deploy.image"},
		{"a multi-region alone", func(v *install.Values) { v.Deploy.CloudRun.Region = "" }, "deploy.cloud_run.region"},
		{"no region", func(v *install.Values) { v.Deploy.CloudRun.Region = "EU" }, "deploy.cloud_run.region"},
		{"a region outside EU", func(v *install.Values) { v.Deploy.CloudRun.Region = "us-east1" }, "deploy.cloud_run.region"},
		{"London is not in EU", func(v *install.Values) { v.Deploy.CloudRun.Region = "europe-west2" }, "deploy.cloud_run.region"},
		{"Warsaw is in EU", func(v *install.Values) { v.Deploy.CloudRun.Region = "europe-central2" }, ""},
		{"a region in US", func(v *install.Values) { v.Location, v.Deploy.CloudRun.Region = "us", "us-east4" }, ""},
		{"Montréal is not in US", func(v *install.Values) {
			v.Location, v.Deploy.CloudRun.Region = "US", "northamerica-northeast1"
		}, "deploy.cloud_run.region"},
		{"another region than the location", func(v *install.Values) { v.Location = "us-central1" }, "deploy.cloud_run.region"},
		{"another region with an endpoint", func(v *install.Values) { v.Location, v.Endpoint = "us-central1", "https://b.example.com" }, "deploy.cloud_run.region"},
		{"a location elsewhere", func(v *install.Values) { v.Location = "mars" }, "location"},
		{"a warehouse elsewhere", func(v *install.Values) { v.Deploy.Warehouse = "bigquery://acme-analytics?location=US" }, "deploy.warehouse"},
		{"a warehouse there", func(v *install.Values) { v.Deploy.Warehouse = "bigquery://acme-analytics?location=eu" }, ""},
		{"a project's name as number", func(v *install.Values) { v.Deploy.CloudRun.ProjectNumber = "acme" }, "deploy.cloud_run.project_number"},
		{"a long name", func(v *install.Values) { v.Service = strings.Repeat("a", 51) }, "63 are possible"},
		{"a service that is none", func(v *install.Values) { v.Service = "Badger" }, "service"},
		{"plain http", func(v *install.Values) { v.Endpoint = "http://b.example.com" }, "endpoint"},
		{"a path", func(v *install.Values) { v.Endpoint = "https://b.example.com/x" }, "endpoint"},
		{"a project", func(v *install.Values) { v.Database = "Acme" }, "database"},
		{"a location", func(v *install.Values) { v.Location = "E U" }, "location"},
		{"a connection", func(v *install.Values) { v.Connection = "a.b" }, "connection"},
		{"an owner that IAM does not know", func(v *install.Values) { v.Roles.Owner = "badger_owner" }, "roles.owner"},
		{"everybody as caller", func(v *install.Values) { v.Roles.Caller = "allUsers" }, "roles.caller"},
		{"half a CPU", func(v *install.Values) { v.Deploy.CPU = "500m" }, "deploy.cpu"},
		{"three CPUs", func(v *install.Values) { v.Deploy.CPU = "3" }, "deploy.cpu"},
		{"too much memory", func(v *install.Values) { v.Deploy.Memory = "5Gi" }, "deploy.memory"},
		{"too little memory", func(v *install.Values) { v.Deploy.Memory = "256Mi" }, "deploy.memory"},
		{"too little memory for four CPUs", func(v *install.Values) { v.Deploy.CPU, v.Deploy.Memory = "4", "1Gi" }, "deploy.memory"},
		{"concurrency", func(v *install.Values) { v.Deploy.CloudRun.Concurrency = 1001 }, "deploy.cloud_run.concurrency"},
		{"an account", func(v *install.Values) { v.Deploy.CloudRun.Account = "badger" }, "deploy.cloud_run.account"},
		{"a caller", func(v *install.Values) { v.Deploy.CloudRun.Callers = []string{"*"} }, "deploy.cloud_run.callers"},
		{"a network", func(v *install.Values) { v.Deploy.CloudRun.Network = `a"b` }, "deploy.cloud_run.network"},
		{"a subnetwork alone", func(v *install.Values) { v.Deploy.CloudRun.Subnetwork = "a" }, "deploy.cloud_run.subnetwork"},
		{"a perimeter alone", func(v *install.Values) { v.Deploy.CloudRun.Perimeter = "a" }, "deploy.cloud_run.perimeter"},
		{"a perimeter without the project's number", func(v *install.Values) {
			v.Endpoint, v.Deploy.CloudRun = "https://b.example.com", service.CloudRun{Region: "europe-west1", Perimeter: "a", AccessPolicy: "1"}
		}, "needs deploy.cloud_run.project_number"},
		{"another warehouse", func(v *install.Values) { v.Deploy.Warehouse = "snowflake://x" }, "deploy.warehouse"},
		{"a judge that there is not", func(v *install.Values) { v.Deploy.Judge = service.Judge{Backend: "cortex", Budget: "2M"} }, "deploy.judge.backend"},
		{"a judge without a model", func(v *install.Values) {
			v.Deploy.Judge = service.Judge{Backend: "openai", URL: "https://m", Budget: "2M"}
		}, "deploy.judge.model"},
		{"a judge without an address", func(v *install.Values) { v.Deploy.Judge = service.Judge{Backend: "openai", Model: "m", Budget: "2M"} }, "deploy.judge.url"},
		{"a judge in the clear", func(v *install.Values) {
			v.Deploy.Judge = service.Judge{Backend: "openai", Model: "m", URL: "http://m", Budget: "2M"}
		}, "deploy.judge.url"},
		{"a judge with a query", func(v *install.Values) {
			v.Deploy.Judge = service.Judge{Backend: "openai", Model: "m", URL: "https://m/?key=a", Budget: "2M"}
		}, "deploy.judge.url"},
		{"a judge without a budget", func(v *install.Values) {
			v.Deploy.Judge = service.Judge{Backend: "openai", Model: "m", URL: "https://m"}
		}, "needs deploy.judge.budget"},
		{"several servers with a judge that share nothing", func(v *install.Values) {
			v.Deploy.Judge = service.Judge{Backend: "openai", Model: "m", URL: "https://m", Budget: "2M"}
			v.Deploy.Replicas.Max = 2
		}, "needs deploy.warehouse"},
		{"a key without a judge", func(v *install.Values) { v.Deploy.Judge.Secret = "s" }, "deploy.judge.backend"},
		{"a judge inside without the warehouse", func(v *install.Values) {
			v.Deploy.Judge = service.Judge{Backend: "bigqueryai", Model: "m", Budget: "2M"}
		}, "deploy.warehouse"},
		{"a judge inside with a key", func(v *install.Values) {
			v.Deploy.Warehouse, v.Deploy.Judge = "bigquery://acme-analytics", service.Judge{Backend: "bigqueryai", Model: "m", Secret: "s", Budget: "2M"}
		}, "deploy.judge.url and secret"},
		{"a secret's name", func(v *install.Values) {
			v.Deploy.Judge = service.Judge{Backend: "openai", Model: "m", URL: "https://m", Secret: "a/b", Budget: "2M"}
		}, "deploy.judge.secret"},
		{"a model's connection without its judge", func(v *install.Values) { v.Deploy.CloudRun.ModelConnection = "a.b.c" }, "model_connection"},
		{"replicas", func(v *install.Values) { v.Deploy.Replicas = service.Replicas{Min: 3, Max: 2} }, "deploy.replicas"},
		{"a report", func(v *install.Values) {
			v.Deploy.Warehouse, v.Deploy.Report.Readers = "bigquery://acme-analytics", []string{"ana@example.com"}
		}, ""},
		{"a report of nothing", func(v *install.Values) { v.Deploy.Report.Readers = []string{"ana@example.com"} }, "needs deploy.warehouse"},
		{"a report for BigQuery", func(v *install.Values) {
			v.Deploy.Warehouse, v.Deploy.Report.Annotators = "bigquery://acme-analytics", []string{"*"}
		}, "deploy.report: * means all allowed callers"},
		{"a reader who is no address", func(v *install.Values) {
			v.Deploy.Warehouse, v.Deploy.Report.Admins = "bigquery://acme-analytics", []string{"ana"}
		}, `deploy.report: invalid e-mail address "ana"`},
		{"a reader in capitals", func(v *install.Values) {
			v.Deploy.Warehouse, v.Deploy.Report.Readers = "bigquery://acme-analytics", []string{"Ana@example.com"}
		}, "deploy.report: "},
		{"a reader who is two", func(v *install.Values) {
			v.Deploy.Warehouse, v.Deploy.Report.Readers = "bigquery://acme-analytics", []string{"ana@example.com,*@example.com"}
		}, "deploy.report: "},
	})
}

// Whoever sees the report is let through by IAM and taken by the server, and nobody else is. Labels
// are written, and so the service may write.
func TestCloudRunReport(t *testing.T) {
	targetSets(t, "cloud-run", func(t *testing.T, set string, files []deploy.File) {
		env := map[string]string{}
		for _, e := range as[cloudRunService](t, content(t, files, "service.yaml")).Spec.Template.Spec.Containers[0].Env {
			env[e.Name] = e.Value
		}
		var roles map[string][]string
		if text := env["BADGER_AUTH_HTTP_ROLES"]; text != "" {
			if err := json.Unmarshal([]byte(text), &roles); err != nil {
				t.Fatal(err)
			}
		}
		if (len(roles) > 0) == (env["BADGER_REPORT_OFF"] == "true") || env["BADGER_AUTH_HTTP_DEFAULT_ROLES"] != "" {
			t.Errorf("the report is off: %q, and the roles are %v, by default %q", env["BADGER_REPORT_OFF"], roles, env["BADGER_AUTH_HTTP_DEFAULT_ROLES"])
		}
		taken, invokers, writes := strings.Split(env["BADGER_AUTH_HTTP_EMAILS"], ","), map[string]bool{}, false
		for _, b := range bindings(t, files) {
			if b.On == "service" && b.Member != "" {
				_, who, _ := strings.Cut(b.Member, ":")
				invokers[who] = true
			}
			writes = writes || b.On == "dataset" && b.Role == "roles/bigquery.dataEditor" && strings.Contains(b.Why, "The service")
		}
		for who := range roles {
			if !invokers[who] || !slices.Contains(taken, who) {
				t.Errorf("%s sees the report, and cannot call: %v, %v", who, invokers, taken)
			}
		}
		if len(invokers) != len(roles) {
			t.Errorf("%v may call, and %v see the report", invokers, roles)
		}
		if env["BADGER_REPORT_LABELS"] == "true" && !writes {
			t.Error("labels cannot be written")
		}
		var vars struct{ Invokers []string }
		if err := json.Unmarshal(content(t, files, "terraform.tfvars.json"), &vars); err != nil || len(vars.Invokers) != len(roles) {
			t.Errorf("Terraform lets %q call, %v", vars.Invokers, err)
		}
	})
	const values = "warehouse: bigquery\ndatabase: acme-analytics\nlocation: EU\nendpoint: https://b.example.com\nroles: {owner: 'group:o@example.com', caller: 'group:c@example.com'}\n" +
		"deploy:\n  image: example.com/badger:1\n  warehouse: bigquery://acme-analytics\n  report: {%s: [ana@example.com]}\n  cloud_run: {region: europe-west1}\n"
	for list, role := range map[string]string{"readers": "roles/bigquery.dataViewer", "annotators": "roles/bigquery.dataEditor"} {
		files, err := rendered(t, "cloud-run", fmt.Sprintf(values, list))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range bindings(t, files) {
			if b.On == "dataset" && b.Role != role {
				t.Errorf("with %s the service gets %s on %s", list, b.Role, b.Resource)
			}
		}
	}
}

type refusal struct {
	why   string
	spoil func(*install.Values)
	says  string // "": nothing
}

// refused renders a target from values that are spoilt.
func refused(t *testing.T, name string, good func() install.Values, table []refusal) {
	t.Helper()
	target, err := deploy.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range table {
		v := good()
		v.Deploying = true
		tc.spoil(&v)
		plan, err := install.New(v, dialects[v.Warehouse], nil)
		if err == nil {
			_, err = deploy.Render(target, plan, "v1.2.3")
		}
		switch {
		case tc.says == "" && err != nil:
			t.Errorf("%s: %v", tc.why, err)
		case tc.says != "" && (err == nil || !strings.Contains(err.Error(), "values: ") || !strings.Contains(err.Error(), tc.says)):
			t.Errorf("%s: %v, want %q", tc.why, err, tc.says)
		}
	}
}

// The perimeter encloses the project and every service that is used, and a trial refuses nothing.
func TestCloudRunPerimeter(t *testing.T) {
	needShell(t)
	targetSets(t, "cloud-run", func(t *testing.T, set string, files []deploy.File) {
		if set != "everything" {
			return
		}
		for _, mode := range []string{"dry-run", ""} {
			env, calls := stubs(t, nil)
			cmd := exec.CommandContext(t.Context(), "bash", "perimeter.sh", mode)
			cmd.Dir, cmd.Env = written(t, files), env
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			made := calls()
			last := strings.Join(made[len(made)-1], " ")
			for _, part := range []string{"perimeters " + strings.TrimSpace(mode+" create"), "resources=projects/123456789012", "access-levels=accessPolicies/987654321/accessLevels/office",
				"run.googleapis.com", "bigquery.googleapis.com", "bigquerystorage.googleapis.com", "bigqueryconnection.googleapis.com", "artifactregistry.googleapis.com", "aiplatform.googleapis.com"} {
				if !strings.Contains(last, part) {
					t.Errorf("there is no %q in %s", part, last)
				}
			}
		}
	})
}
