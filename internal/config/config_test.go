package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// sections is a configuration with a key of each kind.
type sections struct {
	URL    string `yaml:"url"`
	Limits *struct {
		Calls int           `yaml:"calls" least:"0" most:"1000"`
		Share float64       `yaml:"share"`
		Time  time.Duration `yaml:"time"`
		Open  bool          `yaml:"open"`
	} `yaml:"limits"`
	inline `yaml:",inline"`
	Nested inline         `yaml:"sections"`
	Named  map[string]int `yaml:"named"`
	Hidden string         `yaml:"-"`
}

type inline struct {
	Files []string `yaml:"files"`
	KeyIn string   `yaml:"key_in"`
}

func TestLayers(t *testing.T) {
	for _, tc := range []struct {
		why, file string
		env       []string
		flag      string // sets url
		print     string
		err       string
	}{
		{"a default", "", nil, "", "url: built-in # default\n", ""},
		{"a file over a default", "url: f\n", nil, "", "url: f # c.yaml\n", ""},
		{"a variable over a file", "url: f\n", []string{"BADGER_URL=v"}, "", "url: v # $BADGER_URL\n", ""},
		{"a flag over both", "url: f\n", []string{"BADGER_URL=v"}, "flagged", "url: flagged # flag\n", ""},
		{"an empty variable is none", "url: f\n", []string{"BADGER_URL="}, "", "url: f # c.yaml\n", ""},
		{"a variable sets what the file says, too", "url: f\n", []string{"BADGER_URL=f"}, "", "url: f # $BADGER_URL\n", ""},
		{"a section that is a pointer", "", []string{"BADGER_LIMITS_TIME=90s"}, "", "limits:\n  time: 1m30s # $BADGER_LIMITS_TIME\n", ""},
		{"a list", "", []string{"BADGER_FILES=/a, /b"}, "", "# $BADGER_FILES\nfiles: [/a, /b]\n", ""},
		{"a list as YAML", "", []string{"BADGER_FILES=['/a,b']"}, "", "files: ['/a,b']\n", ""},
		{"a map", "", []string{"BADGER_NAMED={a: 5}"}, "", "named: {a: 5}\n", ""},
		{"an empty file", "\n", nil, "", "url: built-in # default\n", ""},
		{"a password", "url: postgres://me:sk-secret@h/d\n", nil, "", "url: postgres://me:***@h/d # c.yaml\n", ""},
		{"a variable that a value names", "key_in: BADGER_KEY\n", []string{"BADGER_KEY=sk-secret"}, "", "key_in: BADGER_KEY # c.yaml\n", ""},
		{"Kubernetes' own", "", []string{"BADGER_SERVICE_HOST=10.0.0.1", "BADGER_X_PORT_80_TCP_ADDR=1", "BADGER_HTTP_PORT=tcp://10.0.0.1:80"}, "", "url: built-in", ""},

		{"a misspelt key", "ulr: f\n", nil, "", "", "--config DIR/c.yaml: line 1: unknown key \"ulr\"; did you mean url?"},
		{"a value for a section", "sections: 5\n", nil, "", "", "--config DIR/c.yaml: line 1: sections: expected a mapping with the keys files, key_in, found a number"},
		{"no duration", "limits: {time: soon}\n", nil, "", "", "--config DIR/c.yaml: line 1: limits.time: expected a duration such as 10s, found text"},
		{"a key that is none", "hidden: f\n", nil, "", "", "hidden"},
		{"a misspelt variable", "", []string{"BADGER_LIMITS_CALS=sk-secret"}, "", "", "BADGER_LIMITS_CALS names no key of the configuration; did you mean BADGER_LIMITS_CALLS"},
		{"a variable of another program", "", []string{"BADGER_FLOW=nightly"}, "", "", "BADGER_FLOW names no key of the configuration; unset it, or give it a name that does not begin with BADGER_"},
		{"a fraction", "limits:\n  calls: 2.5\n", nil, "", "", "line 2: limits.calls: expected a whole number, found a fraction"},
		{"a number below its bound", "limits:\n  calls: -1\n", nil, "", "", "--config DIR/c.yaml: line 2: limits.calls: expected a whole number of at least 0, found less"},
		{"a number above its bound", "limits:\n  calls: 1001\n", nil, "", "", "line 2: limits.calls: expected a whole number of at most 1000, found more"},
		{"a number above its bound in a variable", "", []string{"BADGER_LIMITS_CALLS=1001"}, "", "", "BADGER_LIMITS_CALLS (limits.calls): expected a whole number of at most 1000, found more"},
		{"a number at its bound", "", []string{"BADGER_LIMITS_CALLS=1000"}, "", "limits:\n  calls: 1000", ""},
		{"a fraction in a variable", "", []string{"BADGER_LIMITS_CALLS=2.5"}, "", "", "BADGER_LIMITS_CALLS (limits.calls): expected a whole number"},
		{"two documents", "limits: {calls: 2}\n---\nlimits: {calls: 3}\n", nil, "", "", "expected one YAML document"},
		{"no number", "", []string{"BADGER_LIMITS_CALLS=sk-secret"}, "", "", "BADGER_LIMITS_CALLS (limits.calls): expected a whole number"},
		{"no share", "", []string{"BADGER_LIMITS_SHARE=sk-secret"}, "", "", "expected a number"},
		{"no duration", "", []string{"BADGER_LIMITS_TIME=sk-secret"}, "", "", "expected a duration such as 10s"},
		{"neither true nor false", "", []string{"BADGER_LIMITS_OPEN=sk-secret"}, "", "", "expected true or false"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "c.yaml")
		tc.err = strings.ReplaceAll(tc.err, "DIR", dir)
		if err := os.WriteFile(path, []byte(tc.file), 0o600); err != nil {
			t.Fatal(err)
		}
		c := sections{URL: "built-in"}
		l := New(&c)
		err := l.Read(path, append([]string{"PATH=/bin"}, tc.env...))
		if err == nil && tc.flag != "" {
			err = l.Add("flag", func() error { c.URL = tc.flag; return nil })
		}
		var out bytes.Buffer
		if err == nil {
			err = l.Print(&out)
		}
		switch {
		case tc.err == "" && (err != nil || !strings.Contains(out.String(), tc.print)):
			t.Errorf("%s: %v, want %q in\n%s", tc.why, err, tc.print, &out)
		case tc.err != "" && (!errcode.IsUsage(err) || !strings.Contains(err.Error(), tc.err)):
			t.Errorf("%s: %v, want a mistake of the user with %q", tc.why, err, tc.err)
		}
		if err != nil && strings.Contains(err.Error(), "sk-secret") || strings.Contains(out.String(), "sk-secret") {
			t.Errorf("%s: a secret is shown: %v\n%s", tc.why, err, &out)
		}
	}
}

func TestChanged(t *testing.T) {
	var a, b sections
	was, is := New(&a), New(&b)
	if err := is.Read("", []string{"BADGER_URL=u", "BADGER_LIMITS_CALLS=0", "BADGER_NAMED={a: 1}"}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(is.Changed(was), " "); got != "url named" { // a 0 is no value
		t.Errorf("changed: %s", got)
	}
}

func TestSecretsInURLsAreMasked(t *testing.T) {
	for text, want := range map[string]string{
		"postgres://me:pw@host/db":                                             "postgres://me:***@host/db",
		"postgres://me:p@w@host:5432/db?sslmode=require":                       "postgres://me:***@host:5432/db?sslmode=require",
		"postgres://me@host/db":                                                "postgres://me@host/db",
		"snowflake://acct/db?password=x&role=r":                                "snowflake://acct/db?password=***&role=r",
		"snowflake://acct/db?pass%77ord=x":                                     "snowflake://acct/db?password=***",
		"snowflake://acct/db?token_file=/t&password_env=P&private_key_file=/k": "snowflake://acct/db?token_file=/t&password_env=P&private_key_file=/k",
		"databricks://host/path?client_secret=x&ACCESS_TOKEN=y":                "databricks://host/path?client_secret=***&ACCESS_TOKEN=***",
		"duckdb:/data/w.duckdb":                                                "duckdb:/data/w.duckdb",
		"127.0.0.1:7433":                                                       "127.0.0.1:7433",
		"openai:gpt-4o":                                                        "openai:gpt-4o",
		"plain":                                                                "plain",
	} {
		if got := MaskSecrets(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
