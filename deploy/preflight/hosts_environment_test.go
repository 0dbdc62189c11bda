package preflight_test

import (
	"os"
	"strings"
	"testing"

	"github.com/badger-eval/badger/deploy/preflight"
)

// Variables that decide the host of a URL without one do not decide that of a URL with one, and the
// page says so.
func TestHostsOfTheEnvironment(t *testing.T) {
	for _, name := range []string{"SNOWFLAKE_HOST", "SNOWFLAKE_ACCOUNT", "DATABRICKS_HOST"} {
		t.Setenv(name, "")
	}
	t.Setenv("SNOWFLAKE_USER", "u")
	const options, secret = "?http_path=/sql/1.0/warehouses/a&token_env=T", "?private_key_file=/k"
	for _, c := range []struct{ variable, value, without, with, want, named string }{
		{"DATABRICKS_HOST", "https://other.cloud.databricks.com", "databricks:///c/s" + options, "databricks://mine.cloud.databricks.com/c/s" + options, "other.cloud.databricks.com", "mine.cloud.databricks.com"},
		{"SNOWFLAKE_ACCOUNT", "other", "snowflake:///d" + secret, "snowflake://mine/d" + secret, "other.snowflakecomputing.com", "mine.snowflakecomputing.com"},
	} {
		t.Setenv(c.variable, c.value)
		for url, want := range map[string]string{c.without: c.want, c.with: c.named} {
			contacts, err := preflight.Hosts(preflight.HostsConfig{Warehouses: []preflight.Named{{Key: "--to", URL: url}}}, connectors, nil)
			if err != nil || len(contacts) == 0 || contacts[0].Host != want {
				t.Errorf("%s with %s: %v, %v, want %s", url, c.variable, contacts, err, want)
			}
		}
		page, err := os.ReadFile("hosts_page.md")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), "| `"+c.variable+"` | used where the URL names no ") {
			t.Errorf("the page does not tell what %s decides", c.variable)
		}
	}
}
