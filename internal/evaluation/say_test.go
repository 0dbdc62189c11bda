package evaluation

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/metric"
)

// Options of a metric that is not known are told of: nothing reads them.
func TestOptionsOfUnknownMetrics(t *testing.T) {
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		why   string
		names []string // of metrics, a case each; empty: a case without options
		want  string
	}{
		{"known ones and none", []string{"ex_bird", ""}, ""},
		{"a misspelt one", []string{"ex_brd", "ex_brd", "ex_bird"}, "note: options of 2 answers were not read: unknown metric \"ex_brd\"; did you mean ex_bird?\n"},
		{"many", []string{"zzz1", "zzz2", "zzz3", "zzz4", "zzz5"}, "note: options of 1 answer were not read: unknown metric \"zzz1\"\nnote: options of 1 answer were not read: unknown metric \"zzz2\"\n" +
			"note: options of 1 answer were not read: unknown metric \"zzz3\"\nnote: nor were those of 2 more unknown metrics\n"},
	} {
		var notes bytes.Buffer
		e := &Run{Engine: engine, Notes: &notes, Summary: NewSummary(engine, nil)}
		e.lookAtOptions(nil)
		for _, name := range tc.names {
			c := &scoring.Case{}
			if name != "" {
				c.Options = map[string]json.RawMessage{name: json.RawMessage("{}")}
			}
			e.lookAtOptions(c)
		}
		if e.Say(batch.Outcome{}); notes.String() != tc.want {
			t.Errorf("%s:\n%swant\n%s", tc.why, &notes, tc.want)
		}
	}
}
