package golden

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// testdata/defog_program.json has what get_all_minimal_queries of defog-ai/sql-eval b833324 returned for queries that were written for
// this test.
func TestBracesAsDefogExpandsThem(t *testing.T) {
	text, err := os.ReadFile("testdata/defog_program.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Query   string
		Queries []string
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) < 15 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		got, err := expandDefog(c.Query)
		if err != nil {
			t.Errorf("%q: %v", c.Query, err)
		}
		if diff := cmp.Diff(c.Queries, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.Query, diff)
		}
	}
	if q, err := expandDefog("SELECT {a,b,c,d,e,f,g,h} FROM t"); err != nil || len(q) != 255 {
		t.Errorf("eight columns: %d, %v", len(q), err)
	}
	if _, err := expandDefog("SELECT {a,b,c,d,e,f,g,h,i} FROM t"); err == nil {
		t.Error("nine columns were expanded")
	}
}
