package docs

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/scoring"
)

var update = flag.Bool("update", false, "rewrite the golden file")

func TestPage(t *testing.T) {
	page := Metrics([]scoring.Metric{
		{
			Name: "recall_of_rows", Version: 2, Group: "execution", Needs: scoring.FieldGoldResult | scoring.FieldPredResult, Reads: scoring.FieldGoldSQL, Summary: "Share of the gold rows that are there.", Range: "0 to 1",
			Formula: "|G ∩ P| / |G|, by component_*_where", Source: "a paper, section 3", Example: "two of four: 0.5", Threshold: scoring.At(0.8),
			Options: scoring.OptionSet{List: []scoring.Option{
				{Name: "share", Type: "number", Default: 0.5, Min: scoring.At(0), Below: scoring.At(1), Doc: "The share that is enough."},
				{Name: "sort", Type: "string", Default: "gold", Choices: []string{"gold", "keep"}, Doc: "Whether order counts."},
				{Name: "judge", Type: "boolean", Default: false, Doc: "Whether one is asked."},
				{Name: "keys", Type: "list of strings", Unset: "found in the data", Doc: "Names of <columns>."},
			}},
		},
		{Name: "overhead", Display: "Overhead | time", Version: 1, Group: "execution", Needs: scoring.FieldLatency, Summary: "How much longer it took | in percent.", Range: "at least -100", Formula: "100 · (t − g) / g", Source: "another", Example: "60", LowerIsBetter: true},
		{Name: "slowness", Version: 1, Group: "execution", Summary: "How slow.", Range: "at least 0", Formula: "t", Source: "s", Example: "e", LowerIsBetter: true, Threshold: scoring.At(3)},
		{Name: "mood", Version: 1, Group: "agent", Needs: scoring.FieldResponse | scoring.FieldJudge, Labels: []string{"fine", "foul"}, Summary: "In what mood it answered.", Range: "1 fine, 0 foul", Formula: "as the judge says", Source: "none", Example: "\"no!\": foul"},
		{Name: "house_style", Version: 1, Group: "ours", Summary: "Whether it says [sic] <so>.", Range: "0 or 1", Formula: "see", Source: "us", Example: "so: 1"},
	})
	const golden = "testdata/page.golden"
	if *update {
		if err := os.WriteFile(golden, page, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(page)); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
}
