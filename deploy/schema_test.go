package deploy_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/deploy"
	"github.com/badger-eval/badger/deploy/service"
)

// schema is one of schemas/.
func schema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("schemas", name))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// document reads YAML as JSON has it: with JSON's types, as the schemas expect.
func document(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// as reads YAML into a type.
func as[T any](t *testing.T, text []byte) (v T) {
	t.Helper()
	if err := yaml.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// content is a file that was rendered.
func content(t *testing.T, files []deploy.File, name string) []byte {
	t.Helper()
	for _, f := range files {
		if f.Name == name {
			return f.Content
		}
	}
	t.Fatalf("there is no %s", name)
	return nil
}

// targetSets calls f for each set of values of a target.
func targetSets(t *testing.T, name string, f func(t *testing.T, set string, files []deploy.File)) {
	t.Helper()
	eachSet(t, func(t *testing.T, _ *deploy.Target, set string, files []deploy.File) { f(t, set, files) }, name)
}

// written writes files into a folder of their own.
func written(t *testing.T, files []deploy.File) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// checker is a program of the environment that .ci/deploy.txt describes.
func checker(t *testing.T, name string) string {
	t.Helper()
	python := os.Getenv("BADGER_DEPLOY_PYTHON")
	if python == "" {
		t.Skip("BADGER_DEPLOY_PYTHON names no Python with what .ci/deploy.txt lists")
	}
	return filepath.Join(filepath.Dir(python), name)
}

// yamllint and shellcheck find nothing in what is rendered here.
func TestLinters(t *testing.T) {
	yamllint, shellcheck := checker(t, "yamllint"), checker(t, "shellcheck")
	// Long lines are comments and names; text that is quoted without need is as right.
	const rules = "{extends: default, rules: {line-length: disable, comments: {min-spaces-from-content: 1}}}"
	for _, target := range []string{"cloud-run", "databricks"} {
		targetSets(t, target, func(t *testing.T, _ string, files []deploy.File) {
			dir := written(t, files)
			for _, f := range files {
				var cmd *exec.Cmd
				switch filepath.Ext(f.Name) {
				case ".yaml", ".yml":
					cmd = exec.CommandContext(t.Context(), yamllint, "--strict", "-d", rules, f.Name)
				case ".sh":
					cmd = exec.CommandContext(t.Context(), shellcheck, "--external-sources", "--source-path=SCRIPTDIR", "--exclude=SC2016", f.Name) // single quotes are meant
				default:
					continue
				}
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", f.Name, err, out)
				}
			}
		})
	}
}

// Files that are made say which version made them.
func TestFilesNameTheVersion(t *testing.T) {
	eachSet(t, func(t *testing.T, target *deploy.Target, _ string, files []deploy.File) {
		for _, f := range files {
			_, err := os.Stat(filepath.Join(target.Name, filepath.FromSlash(f.Name)+".tmpl"))
			if made := err == nil; made && filepath.Ext(f.Name) != ".json" && !strings.Contains(string(f.Content), "v1.2.3") {
				t.Errorf("%s does not say which version made it", f.Name)
			}
		}
	})
}

// Every value below deploy is on a page of its section, and every target is on the page of all.
func TestValuesAreDocumented(t *testing.T) {
	files, err := filepath.Glob("../docs/operate/deploy*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pages[filepath.Base(file)] = string(text)
	}
	all := reflect.TypeFor[service.Deployment]()
	for i := range all.NumField() {
		section := all.Field(i)
		if section.Type.Kind() != reflect.Struct {
			continue
		}
		name := section.Tag.Get("yaml")
		prefix := "deploy." + name
		for k := range section.Type.NumField() {
			key, found := section.Type.Field(k).Tag.Get("yaml"), false
			said := regexp.MustCompile("`" + regexp.QuoteMeta(prefix+"."+key) + "\\b|`\\." + key + "`|(?m:^ *" + key + ": )")
			for _, text := range pages {
				found = found || (strings.Contains(text, "`"+prefix) || strings.Contains(text, "\n  "+name+":\n")) && said.MatchString(text)
			}
			if !found {
				t.Errorf("no page of docs/operate/deploy*.md has %s.%s", prefix, key)
			}
		}
	}
	for _, target := range deploy.Targets {
		if !strings.Contains(pages["deploy.md"], "`"+target.Name+"`") {
			t.Errorf("docs/operate/deploy.md does not name the target %s", target.Name)
		}
	}
}
