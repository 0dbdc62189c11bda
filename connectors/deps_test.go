package connectors_test

import (
	"encoding/json"
	"os/exec"
	"path"
	"strings"
	"testing"
)

const module = "github.com/badger-eval/badger/"

// Whose driver's interface is another version of Arrow, and what of it may be imported. None may
// import cdata.
var foreignArrow = map[string]string{"connectors/snowflake/internal/arrow18": "github.com/apache/arrow-go/v18/arrow"}

// What each package may import of this module, directly. A connector imports neither scoring nor
// another connector; this package knows none.
var allowed = map[string][]string{
	"connectors":            {"connectors/driver", "judgebackend", "scoring", "sql", "internal/arrowtable", "internal/caselist", "internal/errcode", "internal/lru", "internal/natural"},
	"connectors/driver":     {"internal/columnar", "internal/errcode"},
	"connectors/drivertest": {"connectors", "connectors/doctor", "connectors/driver", "judgebackend", "scoring", "sql", "internal/arrowtable", "internal/caselist", "internal/columnar", "internal/errcode"},
	"connectors/doctor":     {"connectors", "connectors/driver", "scoring", "sql", "internal/errcode"},
	// The engine of counterexamples, which knows the types of queries that return them and no score.
	"connectors/duckdb":                   {"connectors/driver", "connectors/duckdb/internal/vector", "connectors/internal/driverbase", "internal/columnar", "internal/errcode", "scoring/counterexample"},
	"connectors/duckdb/internal/vector":   {"connectors/internal/driverbase", "internal/columnar", "internal/errcode"},
	"connectors/*":                        {"connectors/driver", "connectors/internal/driverbase", "internal/errcode"},
	"connectors/internal/driverbase":      {"connectors/driver", "internal/errcode", "internal/jsonscan"},
	"connectors/postgres":                 {"connectors/driver", "connectors/internal/driverbase", "connectors/postgres/internal/value", "internal/errcode", "scoring/sqlparts"},
	"connectors/postgres/internal/value":  {"connectors/internal/driverbase", "internal/errcode", "internal/jsonscan"},
	"connectors/snowflake":                {"connectors/driver", "connectors/internal/driverbase", "internal/errcode", "connectors/snowflake/internal/arrow18", "connectors/snowflake/internal/calm", "connectors/snowflake/internal/pkcs8", "connectors/snowflake/internal/value", "scoring/sqlparts"},
	"connectors/snowflake/internal/value": {"connectors/internal/driverbase", "internal/errcode"},
	"connectors/bigquery":                 {"connectors/bigquery/internal/signin", "connectors/bigquery/internal/value", "connectors/driver", "connectors/internal/driverbase", "internal/errcode"},
	"connectors/bigquery/internal/signin": {"connectors/driver", "connectors/internal/driverbase", "internal/errcode"},
	"connectors/bigquery/internal/value":  {"connectors/internal/driverbase", "internal/errcode"},
	"connectors/bigquery/bigquerytest":    {"connectors/driver", "connectors/duckdb", "connectors/internal/driverbase", "internal/errcode"},
	"connectors/postgres/postgrestest":    {"connectors/driver", "connectors/postgres"},
	// A server for tests, which runs SQL in the embedded engine.
	"connectors/internal/enginetest":        {"connectors/driver", "connectors/duckdb", "internal/errcode"},
	"connectors/snowflake/snowflaketest":    {"connectors/driver", "connectors/internal/enginetest", "internal/errcode"},
	"connectors/snowflake/internal/arrow18": {"internal/errcode"},
	"connectors/snowflake/internal/calm":    {},
	"connectors/snowflake/internal/pkcs8":   {},
	"connectors/databricks": {
		"connectors/driver", "connectors/internal/driverbase", "internal/errcode", "connectors/databricks/internal/guard", "connectors/databricks/internal/thrift", "connectors/databricks/internal/workspace", "scoring/sqlparts",
	},
	"connectors/databricks/internal/guard":     {"internal/errcode", "connectors/databricks/internal/thrift", "connectors/databricks/internal/workspace"},
	"connectors/databricks/internal/workspace": {"connectors/driver", "connectors/internal/driverbase", "internal/errcode"},
	"connectors/databricks/databrickstest":     {"connectors/driver", "connectors/internal/enginetest", "internal/errcode", "connectors/databricks/internal/thrift"},
	"connectors/databricks/internal/thrift":    {},
	"sql":                                      {"connectors/driver", "scoring", "internal/caselist", "internal/errcode"}, // the reasons of scores that the view coverage counts by
	"internal/arrowtable":                      {"scoring", "internal/account", "internal/errcode", "internal/jsonscan"},
	"internal/resultfile":                      {"scoring", "internal/arrowtable", "internal/errcode", "internal/jsonscan"},
}

func TestImports(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...", "../sql", "../internal/arrowtable", "../internal/resultfile")
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("the go command does not list packages here: %v", err)
	}
	seen := 0
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module)
		may, ok := allowed[name]
		if !ok {
			may, ok = allowed[path.Dir(name)+"/*"]
		}
		if !ok {
			t.Errorf("%s: nobody decided what it may import", name)
			continue
		}
		seen++
		may = append([]string{}, may...)
		for _, i := range p.Imports {
			own, ours := strings.CutPrefix(i, module)
			if ours && !contains(may, own) {
				t.Errorf("%s imports %s", name, own)
			}
			if strings.HasPrefix(i, "github.com/apache/arrow") && !strings.HasPrefix(i, "github.com/apache/arrow/go/v17/") && i != foreignArrow[name] {
				t.Errorf("%s imports %s; the one Arrow of this module is v17", name, i)
			}
			if strings.HasSuffix(i, "/arrow/cdata") {
				t.Errorf("%s imports cdata, whose C symbols two versions of Arrow define", name)
			}
		}
	}
	if seen < 6 {
		t.Errorf("%d packages were looked at", seen)
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
