package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"gopkg.in/yaml.v3"
)

// hostile is a text that agents and questions may have, which is a text in a comment.
const hostile = "`</td></details><script>alert(1)</script> ![x](https://evil.example/x.png) @everyone <!-- badger: badger --> | ``` ~~~ **bold**"

// compositeAction is what is read of an action of GitHub.
type compositeAction struct {
	Inputs map[string]struct {
		Description string
		Default     string
		Required    bool
	}
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Using string
		Steps []struct {
			ID, If, Shell, Run string
			Env                map[string]string
		}
	}
}

func readYAML[T any](t *testing.T, text []byte) (v T) {
	t.Helper()
	if err := yaml.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

var expressionOf = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)

// runAction runs the steps of the action as a runner does, and returns its outputs and the exit code of the first step
// that fails.
func runAction(t *testing.T, inputs map[string]string, environment ...string) (outputs map[string]string, code int) {
	t.Helper()
	folder := filepath.Join(moduleDir, "deploy", "ci", "github")
	text, err := os.ReadFile(filepath.Join(folder, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	action := readYAML[compositeAction](t, text)
	for name := range inputs {
		if _, is := action.Inputs[name]; !is {
			t.Fatalf("the action has no input %s", name)
		}
	}
	stepOutputs := map[string]string{}
	value := func(text string) string {
		return expressionOf.ReplaceAllStringFunc(text, func(x string) string {
			name := expressionOf.FindStringSubmatch(x)[1]
			input, isInput := strings.CutPrefix(name, "inputs.")
			switch given, is := inputs[input]; {
			case isInput && is:
				return given
			case isInput:
				if _, is := action.Inputs[input]; !is {
					t.Errorf("%s is not an input", name)
				}
				return strings.ReplaceAll(action.Inputs[input].Default, "${{ github.token }}", "a-token")
			case strings.HasPrefix(name, "steps."):
				return stepOutputs[name]
			case name == "github.event.pull_request.number":
				return "7"
			case name == "!cancelled() && inputs.comment == 'true'":
				return "true"
			}
			t.Fatalf("an expression %s", name)
			return ""
		})
	}
	for _, step := range action.Runs.Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("the expression in %q would be part of a script", step.Run)
		}
		if code != 0 && step.If == "" {
			continue
		}
		file := filepath.Join(t.TempDir(), "output")
		c := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", step.Run)
		c.Env = append(os.Environ(), append(environment, "GITHUB_ACTION_PATH="+folder, "GITHUB_OUTPUT="+file)...)
		for name, x := range step.Env {
			c.Env = append(c.Env, name+"="+value(x))
		}
		said, err := c.CombinedOutput()
		t.Logf("%s", said)
		if err != nil && code == 0 {
			code = c.ProcessState.ExitCode()
		}
		lines, _ := os.ReadFile(file)
		for line := range strings.Lines(string(lines)) {
			name, x, _ := strings.Cut(strings.TrimSpace(line), "=")
			stepOutputs["steps."+step.ID+".outputs."+name] = x
		}
	}
	outputs = map[string]string{}
	for name, o := range action.Outputs {
		outputs[name] = value(o.Value)
	}
	return outputs, code
}

// moduleDir is the root of the module: tests start in the directory of their package.
var moduleDir = func() string {
	at, _ := os.Getwd()
	return filepath.Join(at, "..", "..")
}()

// note is a comment of the fake forge, which answers as GitHub and GitLab do.
type note struct {
	ID     int               `json:"id"`
	Body   string            `json:"body"`
	User   map[string]string `json:"user"`
	Author map[string]string `json:"author"`
}

type fakeForge struct {
	*httptest.Server
	mu      sync.Mutex
	notes   []note
	created int
	changed int
}

func newForge(t *testing.T, login, token string) *fakeForge {
	f := &fakeForge{}
	by := func(login string) (map[string]string, map[string]string) {
		return map[string]string{"login": login}, map[string]string{"username": login}
	}
	for i := range 150 { // others' comments, also with the mark
		n := note{ID: i + 1, Body: "<!-- badger: badger -->\nnot of badger"}
		n.User, n.Author = by("eve")
		f.notes = append(f.notes, n)
	}
	f.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+token && r.Header.Get("Private-Token") != token {
			http.Error(rw, "who are you", http.StatusUnauthorized)
			return
		}
		var in struct{ Body string }
		if r.Method != http.MethodGet {
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				http.Error(rw, err.Error(), http.StatusBadRequest)
				return
			}
		}
		var reply any
		id, _ := strconv.Atoi(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
		switch list := r.URL.Path == "/repos/o/r/issues/7/comments" || r.URL.Path == "/api/v4/projects/3/merge_requests/7/notes"; {
		case r.Method == http.MethodGet && r.URL.Path == "/api/v4/user":
			reply = map[string]string{"username": login}
		case r.Method == http.MethodGet && list:
			page, _ := strconv.Atoi(r.URL.Query().Get("page"))
			from := min(100*(page-1), len(f.notes))
			reply = f.notes[from:min(from+100, len(f.notes))]
		case r.Method == http.MethodPost && list:
			n := note{ID: len(f.notes) + 1, Body: in.Body}
			n.User, n.Author = by(login)
			f.notes, reply = append(f.notes, n), n
			f.created++
		case r.Method == http.MethodPatch && strings.HasPrefix(r.URL.Path, "/repos/o/r/issues/comments/"),
			r.Method == http.MethodPut && strings.HasPrefix(r.URL.Path, "/api/v4/projects/3/merge_requests/7/notes/"):
			if id < 1 || id > len(f.notes) || f.notes[id-1].User["login"] != login {
				http.Error(rw, "not yours", http.StatusForbidden)
				return
			}
			f.notes[id-1].Body, reply = in.Body, f.notes[id-1]
			f.changed++
		default:
			http.NotFound(rw, r)
			return
		}
		_ = json.NewEncoder(rw).Encode(reply)
	}))
	t.Cleanup(f.Close)
	return f
}

// ciCases writes 40 answers, of which the first are wrong.
func ciCases(t *testing.T, file string, wrong int) {
	t.Helper()
	var out bytes.Buffer
	for i := range 40 {
		n := i
		if i < wrong {
			n = 900 + i
		}
		question, err := json.Marshal(fmt.Sprintf("%d %s", i, hostile))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, `{"case_id":"q%d","question":%s,"gold":{"sql":"SELECT n FROM t","result":{"columns":[{"name":"n"}],"rows":[[%d]]}},"agent":{"name":"nova","version":"1","sql":"SELECT n FROM t","result":{"columns":[{"name":"n"}],"rows":[[%d]]}}}`+"\n", i, question, i, n)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// birdSet writes a golden set of BIRD in a folder with a space, answers, one of which is wrong, and their database.
func birdSet(t *testing.T) {
	t.Helper()
	if err := os.Mkdir("a set", 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a set/dev.json": `[{"question_id":0,"db_id":"shop","question":"How many'' shops? alert(1)","evidence":"","SQL":"SELECT count(*) FROM shop"},
			{"question_id":1,"db_id":"shop","question":"Which?","evidence":"","SQL":"SELECT name FROM shop"}]`,
		"answers.json": `{"0":"SELECT 1\t----- bird -----\tshop","1":"SELECT name FROM shop ORDER BY 1\t----- bird -----\tshop"}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const make = `import sqlite3
sqlite3.connect("shop.sqlite").executescript("CREATE TABLE shop (name TEXT); INSERT INTO shop VALUES ('a'), ('b')")`
	if out, err := exec.CommandContext(t.Context(), "python3", "-c", make).CombinedOutput(); err != nil {
		t.Skipf("python3 with sqlite3 failed: %v, %s", err, out)
	}
}

func needCI(t *testing.T) (program string) {
	t.Helper()
	for _, tool := range []string{"bash", "curl", "jq", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%v; install it, such as with apt-get install %s", err, tool)
		}
	}
	program, err := exec.LookPath("badger")
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// The action scores, compares with a file and with a run, fails by gates, and writes one comment on a pull request, which
// it changes later. What agents and questions say is text in it.
func TestAction(t *testing.T) {
	program := needCI(t)
	forge := newForge(t, "github-actions[bot]", "a-token")
	environment := []string{"GITHUB_API_URL=" + forge.URL, "GITHUB_REPOSITORY=o/r"}
	t.Chdir(t.TempDir())
	ciCases(t, "good.jsonl", 3)
	ciCases(t, "bad.jsonl", 12)
	birdSet(t)
	inputs := func(more map[string]string) map[string]string {
		all := map[string]string{"binary": program, "metrics": "hybrid_ex,relation", "db": "duckdb:scores.duckdb"}
		for k, v := range more {
			all[k] = v
		}
		return all
	}
	written := 0
	for i, tc := range []struct {
		inputs map[string]string
		code   int
		says   []string
	}{
		{map[string]string{"cases": "good.jsonl", "run-id": "r1", "output": "first", "fail-under": "hybrid_ex=0.9"}, 0, []string{"92.5%"}},
		{map[string]string{"cases": "bad.jsonl", "run-id": "r2", "baseline": "r1"}, 0, []string{"more than chance", "70.0%", "-22.5 pts"}},
		{map[string]string{"cases": "bad.jsonl", "run-id": "r3", "baseline": "first/scores.jsonl", "fail-on-drop": "hybrid_ex=0.05"}, 1, []string{"Against the baseline scores.jsonl", "-22.5 pts"}},
		{map[string]string{"cases": "bad.jsonl", "fail-under": "hybrid_ex=0.9"}, 1, []string{"70.0%"}},
		{map[string]string{"cases": "bad.jsonl", "fail-under": "nonsense"}, 2, nil},
		{map[string]string{"cases": "bad.jsonl", "baseline": "r1", "fail-on-drop": "hybrid_ex=0.05"}, 2, nil},
		{map[string]string{"cases": "good.jsonl", "fail-on-drop": "hybrid_ex=0.05"}, 0, []string{"92.5%"}},
		{map[string]string{"cases": "bad.jsonl", "baseline": "first/scores.jsonl", "max-broken": "hybrid_ex=9"}, 0, []string{"gate passed: hybrid_ex: 9 of the 37 cases"}},
		{map[string]string{"cases": "bad.jsonl", "baseline": "first/scores.jsonl", "max-broken": "hybrid_ex=8", "output": "first", "db": ""}, 1, []string{"gate failed: hybrid_ex: 9 of the 37 cases", "-22.5 pts"}},
		{map[string]string{"cases": "good.jsonl", "fail-on-drop": "hybrid_ex=0.05", "db": ""}, 2, nil},
		{map[string]string{"cases": "good.jsonl", "max-broken": "hybrid_ex=0", "db": ""}, 2, nil},
		{map[string]string{"cases": "good.jsonl", "baseline": "main/scores.jsonl"}, 2, nil},
		{map[string]string{"cases": "good.jsonl", "import": "bird dev.json"}, 2, nil},
		{map[string]string{"import": "bird 'dev.json --predictions p.json"}, 2, nil},
		{map[string]string{"import": "bird 'a set/dev.json' --predictions answers.json", "execute": "sqlite:shop.sqlite", "fail-under": "hybrid_ex=0.5", "db": ""}, 0, []string{"50.0%", "How many'' shops? alert(1)"}},
		{map[string]string{"import": "bird 'a set/dev.json' --predictions answers.json", "execute": "sqlite:shop.sqlite", "fail-under": "hybrid_ex=0.9", "min-coverage": "0.9", "db": ""}, 1, []string{"50.0%"}},
	} {
		outputs, code := runAction(t, inputs(tc.inputs), environment...)
		if code != tc.code {
			t.Errorf("%d: exit code %d, want %d", i, code, tc.code)
		}
		if tc.says == nil {
			continue
		}
		written++
		if id := tc.inputs["run-id"]; outputs["run-id"] == "" || id != "" && outputs["run-id"] != id || outputs["exit-code"] != strconv.Itoa(tc.code) {
			t.Errorf("%d: outputs %v", i, outputs)
		}
		for _, name := range []string{"junit.xml", "badger.sarif", "summary.md", "scores.jsonl"} {
			if info, err := os.Stat(filepath.Join(outputs["output"], name)); err != nil || info.Size() == 0 {
				t.Errorf("%d: %s: %v", i, name, err)
			}
		}
		comment := forge.notes[len(forge.notes)-1].Body
		if forge.created != 1 || forge.changed != written-1 || !strings.HasPrefix(comment, "<!-- badger: badger -->\n") {
			t.Errorf("%d: %d comments are created and %d changed: %.100s", i, forge.created, forge.changed, comment)
		}
		for _, want := range tc.says {
			if !strings.Contains(comment, want) {
				t.Errorf("%d: the comment lacks %q:\n%s", i, want, comment)
			}
		}
		isText(t, comment, tc.inputs["baseline"] != "r1") // whose tables have no questions
	}
	for _, n := range forge.notes[:150] {
		if !strings.HasSuffix(n.Body, "not of badger") {
			t.Fatalf("a comment of another account was changed: %s", n.Body)
		}
	}
}

// isText checks that a comment has no elements, pictures and links of the hostile text.
func isText(t *testing.T, comment string, there bool) {
	t.Helper()
	if there && !strings.Contains(comment, "alert(1)") {
		t.Errorf("the comment does not show a question:\n%s", comment)
	}
	var html bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(comment), &html); err != nil {
		t.Fatal(err)
	}
	page := strings.Replace(html.String(), "<!-- raw HTML omitted -->", "", 1) // the mark
	for _, bad := range []string{"<script", "<img", "<a ", "raw HTML omitted", "<strong>bold"} {
		if strings.Contains(page, bad) {
			t.Errorf("the comment has %q:\n%s", bad, page)
		}
	}
	for line := range strings.Lines(page) {
		for i, part := range regexp.MustCompile(`(?s)<code>.*?</code>`).Split(line, -1) {
			if strings.Contains(part, "@everyone") {
				t.Errorf("part %d of %q mentions people", i, line)
			}
		}
	}
}

// The program of a release is run only if it has the checksum.
func TestActionVerifiesTheProgram(t *testing.T) {
	needCI(t)
	t.Chdir(t.TempDir())
	releases := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(rw, "#!/bin/sh\necho ran >ran\nexit 7\n")
	}))
	defer releases.Close()
	const sum = "0ab2b3d1f3d1fb0fc2b8a8e3c4dc80a4f7e9b4b5f0f1d9a0d5d4d3f4c6b1a2e3"
	sumOf := func() string {
		out, err := exec.CommandContext(t.Context(), "bash", "-c", `printf '#!/bin/sh\necho ran >ran\nexit 7\n' | sha256sum | cut -d ' ' -f 1`).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	for _, tc := range []struct {
		why     string
		version string
		sha256  string
		code    int
	}{
		{"no version", "", "", 2}, {"no checksum", "v1.2.3", "", 2}, {"a short checksum", "v1.2.3", "abc", 2}, {"another program", "v1.2.3", sum, 2},
		{"the program", "v1.2.3", sumOf(), 7},
	} {
		_, code := runAction(t, map[string]string{"version": tc.version, "sha256": tc.sha256, "cases": "x.jsonl", "comment": "false"},
			"EVAL_RELEASES="+releases.URL)
		_, err := os.Stat("ran")
		if code != tc.code || (err == nil) != (tc.code == 7) {
			t.Errorf("%s: exit code %d, want %d; ran: %t", tc.why, code, tc.code, err == nil)
		}
	}
}

// componentJob is what is read of a component of GitLab.
type componentJob struct {
	Spec   struct{ Inputs map[string]any }
	Badger struct {
		Variables    map[string]string
		Script       []string
		AfterScript  []string `yaml:"after_script"`
		Stage, Image string
	}
}

// The component of GitLab has the same scripts as the action, inputs that all are used, and writes notes.
func TestGitLabComponent(t *testing.T) {
	program := needCI(t)
	folder := filepath.Join(moduleDir, "deploy", "ci")
	text, err := os.ReadFile(filepath.Join(folder, "gitlab", "templates", "badger.yml"))
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := bytes.Cut(text, []byte("\n---\n"))
	job := readYAML[componentJob](t, body)
	for name := range readYAML[componentJob](t, head).Spec.Inputs {
		if !bytes.Contains(body, []byte("$[[ inputs."+name+" ]]")) {
			t.Errorf("the input %s is not used", name)
		}
	}
	for _, line := range append(job.Badger.Script, job.Badger.AfterScript...) {
		if strings.Contains(line, "$[[") {
			t.Errorf("an input is a part of the script %s", line)
		}
	}
	for name, in := range map[string]string{"evaluate": job.Badger.Script[0], "comment": job.Badger.AfterScript[0]} {
		script, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if want := "cat >\"$CI_BUILDS_DIR/badger-" + name + "\" <<'END_OF_SCRIPT'\n" + string(script) + "END_OF_SCRIPT\n"; in != want {
			t.Errorf("the component has another script than deploy/ci/%s", name)
		}
	}
	forge := newForge(t, "project_3_bot", "a-token")
	t.Chdir(t.TempDir())
	ciCases(t, "cases.jsonl", 3)
	for i := range 2 {
		for _, script := range [][]string{job.Badger.Script, job.Badger.AfterScript} {
			c := exec.CommandContext(t.Context(), "bash", "-e", "-c", strings.Join(script, "\n"))
			c.Env = append(os.Environ(), "CI_BUILDS_DIR="+t.TempDir(), "CI_API_V4_URL="+forge.URL+"/api/v4", "CI_PROJECT_ID=3", "EVAL_NUMBER=7",
				"EVAL_TOKEN=a-token", "EVAL_BINARY="+program, "EVAL_CASES=cases.jsonl", "EVAL_METRICS=hybrid_ex", "GITHUB_API_URL=")
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		if forge.created != 1 || forge.changed != i {
			t.Errorf("%d notes are created and %d changed", forge.created, forge.changed)
		}
	}
	isText(t, forge.notes[len(forge.notes)-1].Body, true)
	values, err := os.ReadFile(filepath.Join("badger-results", "badger.env"))
	if err != nil || !regexp.MustCompile(`^EVAL_RUN_ID=\S+\nEVAL_EXIT_CODE=0\n$`).Match(values) {
		t.Errorf("%v: %s", err, values)
	}
}

// The hooks for git accept golden sets that can be read.
func TestPreCommitHooks(t *testing.T) {
	needCI(t)
	text, err := os.ReadFile(filepath.Join(moduleDir, ".pre-commit-hooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]string{}
	for _, h := range readYAML[[]struct{ ID, Entry string }](t, text) {
		entries[h.ID] = h.Entry
	}
	t.Chdir(t.TempDir())
	good := `{"case_id":"a","question":"How many?","gold":{"sql":"SELECT 1"}}` + "\n"
	for _, tc := range []struct{ hook, file, text string }{
		{"badger-cases", "golden.jsonl", good}, {"badger-cases", "wrong-key.jsonl", `{"case_id":"a","quest":"How many?"}` + "\n"}, {"badger-cases", "wrong-json.jsonl", good + "{\n"},
		{"badger-csv", "golden.csv", "question,gold_sql\nHow many?,SELECT 1\n"}, {"badger-csv", "wrong.csv", "question,gold_sql\n,SELECT 1\n"},
	} {
		if err := os.WriteFile(tc.file, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "bash", "-c", entries[tc.hook]+" "+tc.file).CombinedOutput()
		if right := strings.HasPrefix(tc.file, "golden"); (err == nil) != right {
			t.Errorf("%s %s: %v\n%s", tc.hook, tc.file, err, out)
		}
	}
}

// Validators of the forges accept the files, and the workflow of the page.
func TestCIFilesAreValid(t *testing.T) {
	python := os.Getenv("BADGER_CI_PYTHON")
	if python == "" {
		t.Skip("BADGER_CI_PYTHON names no Python with what .ci/ci.txt lists; .ci/run installs it")
	}
	root, dir := moduleDir, t.TempDir()
	component, err := os.ReadFile(filepath.Join(root, "deploy", "ci", "gitlab", "templates", "badger.yml"))
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := bytes.Cut(component, []byte("\n---\n"))
	page, err := os.ReadFile(filepath.Join(root, "docs", "eval", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1)
	if len(blocks) != 3 {
		t.Fatalf("%d blocks, expected a workflow, a pipeline and hooks", len(blocks))
	}
	for name, text := range map[string][]byte{"head.yml": head, "body.yml": body, "workflow.yml": blocks[0][1], "pipeline.yml": blocks[1][1], ".pre-commit-config.yaml": blocks[2][1]} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	schema := func(name, file string) []string {
		return []string{"check-jsonschema", "--builtin-schema", "vendor." + name, file}
	}
	checks := [][]string{
		schema("github-actions", filepath.Join(root, "deploy", "ci", "github", "action.yml")), schema("gitlab-ci", "head.yml"), schema("gitlab-ci", "body.yml"),
		schema("github-workflows", "workflow.yml"), schema("gitlab-ci", "pipeline.yml"), {"pre-commit", "validate-manifest", filepath.Join(root, ".pre-commit-hooks.yaml")},
		{"pre-commit", "validate-config", ".pre-commit-config.yaml"}, {"shellcheck", filepath.Join(root, "deploy", "ci", "evaluate"), filepath.Join(root, "deploy", "ci", "comment")},
	}
	for _, check := range checks {
		c := exec.CommandContext(t.Context(), filepath.Join(filepath.Dir(python), check[0]), check[1:]...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", check, err, out)
		}
	}
	lint := os.Getenv("BADGER_ACTIONLINT")
	if lint == "" {
		t.Skip("BADGER_ACTIONLINT names no actionlint; deploy/image/tools lint builds it")
	}
	c := exec.CommandContext(t.Context(), lint, "workflow.yml")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("the workflow: %v\n%s", err, out)
	}
}
