package cases_test

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/sql/store"
)

// A file with a case that says something that is not read is refused before any case is scored; lines
// that are no case are reported as ever.
func TestStrict(t *testing.T) {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ why, line, want string }{
		{"all is read", `{"case_id":"x","gold_sql":"SELECT 1","dialect":"mysql","options":{"hybrid_ex":{}}}`, ""},
		{"no case", `{"case_id":`, ""},
		{"a key", `{"case_id":"x","gold":{"sgl":"SELECT 1"}}`, `--strict: cases.jsonl:2: case "x": the key "gold.sgl" is not known and not read; did you mean gold.sql?`},
		{"a dialect", `{"case_id":"x","dialect":"duckbd"}`, `--strict: cases.jsonl:2: case "x": the dialect "duckbd" is not known`},
		{"a metric", `{"case_id":"x","options":{"hybrid_xe":{}}}`, `--strict: cases.jsonl:2: case "x": options are not read: unknown metric "hybrid_xe"; did you mean hybrid_ex?`},
	} {
		in, err := cases.OpenFile("--cases", fileOf(t, `{"case_id":"w"}`+"\n"+tc.line+"\n"), store.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		s := cases.Strict(in.Source, engine.Strict)
		_, err = batch.FindCopies(t.Context(), s)
		if tc.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tc.why, err)
			}
			if ids := idsOf(t, &cases.Opened{Source: s}); len(ids) != 2 {
				t.Errorf("%s: %q", tc.why, ids)
			}
			continue
		}
		if err == nil || !errcode.IsUsage(err) || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.why, err, tc.want)
		}
	}
}
