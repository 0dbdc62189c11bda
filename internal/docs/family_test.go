package docs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// similar returns n metrics that begin with part_ and differ in their names, first sentences and, for the first, source.
func similar(n int) []scoring.Metric {
	var list []scoring.Metric
	for i := range n {
		m := scoring.Metric{Name: fmt.Sprintf("part_%c", 'a'+i), Display: fmt.Sprintf("Part %d", i), Version: 1, Group: "sql", Summary: "How far it agrees.", Range: "0 to 1", Source: "a paper", Example: "1", Formula: fmt.Sprintf("the share of part %d. Names are in lower case. A part is a clause.", i)}
		if i == 0 {
			m.Source, m.Threshold = "another paper", scoring.At(1)
		}
		list = append(list, m)
	}
	return list
}

// Metrics with the same first word share one section from familySize on. It has a row for each, and names the metrics of
// a property that is not the same for all.
func TestFamilySection(t *testing.T) {
	few := string(Metrics(similar(familySize - 1)))
	if strings.Contains(few, "### `part_*`") || !strings.Contains(few, "\n### `part_a`\n") {
		t.Errorf("%d metrics share a section:\n%s", familySize-1, few)
	}
	many := string(Metrics(similar(familySize)))
	if strings.Contains(many, "\n### `part_a`\n") || strings.Count(many, "\n### `part_*`\n") != 1 {
		t.Errorf("%d metrics do not share one section:\n%s", familySize, many)
	}
	for _, want := range []string{
		"| [`part_*`](#part_) | 12 metrics, see the table there | |\n",
		"| `part_a` | Part 0 | How far it agrees. | 0 to 1 | from 1 | 1 | the share of part 0. |\n",
		"| `part_b` | Part 1 | How far it agrees. | 0 to 1 |  | 1 | the share of part 1. |\n",
		"- Source (`part_a`): another paper\n- Source (others): a paper\n",
		"- Example: 1\n",
		"- In all formulas: Names are in lower case. A part is a clause.\n",
	} {
		if !strings.Contains(many, want) {
			t.Errorf("the page lacks %q:\n%s", want, many)
		}
	}
}
