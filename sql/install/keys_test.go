package install_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/badger-eval/badger/sql/install"
)

// Set reaches every key: texts as they are, and the rest as YAML.
func TestSet(t *testing.T) {
	var got install.Values
	for _, s := range [][2]string{
		{"roles.owner", "a;b=c: 'd' #"}, {"schedule.cron", "* 6 * * *"}, {"deploy.cloud_run.project_number", "0123"}, {"deploy.replicas.min", "2"},
		{"deploy.snowflake.suspend", "600"}, {"deploy.snowflake.public", "true"}, {"rows.small", "500"}, {"rows.judge_seconds", "1.5"}, {"schedule.slice", "40"},
		{"judges", "[a.yaml, b.yaml]"}, {"deploy.kubernetes.egress", "[{cidr: 10.0.0.0/8, ports: [443]}]"}, {"deploy.kubernetes.secrets.pg", "pg-pass"},
		{"deploy.kubernetes.tls", "{plaintext: true}"}, {"deploy.kubernetes.run.source", "postgres://u@h/d"},
	} {
		if err := got.Set(s[0], s[1]); err != nil {
			t.Errorf("%s: %v", s[0], err)
		}
	}
	want, err := install.ReadValues(strings.NewReader(`
roles: {owner: "a;b=c: 'd' #"}
schedule: {cron: "* 6 * * *", slice: 40}
rows: {small: 500, judge_seconds: 1.5}
judges: [a.yaml, b.yaml]
deploy:
  replicas: {min: 2}
  cloud_run: {project_number: "0123"}
  snowflake: {suspend: 600, public: true}
  kubernetes: {egress: [{cidr: 10.0.0.0/8, ports: [443]}], secrets: {pg: pg-pass}, tls: {plaintext: true}, run: {source: "postgres://u@h/d"}}
`))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	for _, c := range []struct{ key, value, want string }{
		{"deploy.replicas.min", "1.5", "deploy.replicas.min: expected a whole number"},
		{"deploy.replicas.min", "two", "deploy.replicas.min: expected a whole number, such as deploy.replicas.min=2"},
		{"deploy.snowflake.public", "maybe", "expected true or false"}, {"judges", "a.yaml", "judges: expected a list, such as judges='[a, b]'"},
		{"deploy.kubernetes.tls", "{plain: true}", "expected a mapping of its keys"}, {"deploy.replica.min", "1", "unknown value \"deploy.replica.min\""},
		{"", "1", "unknown value"}, {"deploy.", "{}", "unknown value"}, {"deploy.image.x", "1", "unknown value"}, {"Deploying", "true", "unknown value"}, {"-", "true", "unknown value"},
	} {
		if err := got.Set(c.key, c.value); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: %v, want %s", c.key, c.value, err, c.want)
		}
	}
}

// Errors of a file of values name its line and no types of Go.
func TestValuesThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"deploy:\n  snowflake: {foo: 1}":   "line 2: deploy.snowflake: unknown key \"foo\"",
		"[a]":                              "line 1: expected a mapping",
		"schema: [a]":                      "line 1: schema: expected text",
		"rows: {small: hunter2}":           "line 1: rows.small: expected a whole number",
		"rows:\n  small: 1.5":              "line 2: rows.small: expected a whole number",
		"schema: hunter2\nschema: b":       "line 2: schema: duplicate key; the first is in line 1",
		"roles: {owner: a, owner: b}":      "line 1: roles.owner: duplicate key",
		"rows:\n  judge_seconds: hunter2":  "line 2: rows.judge_seconds: expected a number",
		"judges: hunter2":                  "line 1: judges: expected a list",
		"deploy: {snowflake: {public: x}}": "line 1: deploy.snowflake.public: expected true or false",
	} {
		_, err := install.ReadValues(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "install.") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
