package install_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/sql/install"
)

// What callers may read reaches the server, and patterns that it would refuse are refused here.
func TestResultsOfCallers(t *testing.T) {
	for _, tc := range []struct {
		results service.Results
		want    map[string]string
	}{
		{service.Results{}, map[string]string{}},
		{service.Results{Tables: []string{"gold.*", `a."B,c"`}}, map[string]string{"BADGER_RESULTS_TABLES": `["gold.*","a.\"B,c\""]`}},
		{service.Results{Queries: true}, map[string]string{"BADGER_RESULTS_QUERIES": "true"}},
	} {
		if d := cmp.Diff(tc.want, tc.results.Environment()); d != "" {
			t.Errorf("%+v: %s", tc.results, d)
		}
	}
	for _, pattern := range []string{"", "gold.q*", "a..b", "*.b", "a$$; DROP"} {
		v := withEverything()
		v.Deploy.Results.Tables = []string{pattern}
		_, err := install.New(v, dialects["snowflake"], few)
		if err == nil || !strings.Contains(err.Error(), "deploy.results.tables") {
			t.Errorf("%q: %v", pattern, err)
		}
	}
}
