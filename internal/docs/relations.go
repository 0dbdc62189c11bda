package docs

import (
	"fmt"
	"strings"

	"github.com/badger-eval/badger/scoring/relation"
)

// Relations renders one Markdown page: the relations between two results in order of priority,
// family by family.
func Relations(kinds []relation.Kind) []byte {
	var b strings.Builder
	b.WriteString("# Relations\n\n" +
		"Why two results differ. The metric `relation` names the first of these relations that holds between the accepted result and the agent's; its detail has all that hold, each with a\n" +
		"class, a sentence and its proof: the rows, columns, factors and parts of the queries it rests on. Relations proven on the rows come before those read off the queries, and those that\n" +
		"only say how much two results have in common come last. This page is generated: `badger functions --relations`.\n\n" +
		"The class is what the relation means, no verdict: `equivalent` is the same data, `presentational` the same data shown otherwise, `defensible` another reading of the question that people often\n" +
		"accept, `difference` other data. Experts accept answers of every class, since the reference may be wrong or the question open; so a relation may pass an answer, and does not fail one.\n\n" +
		"Where the two results hold the same data, all relations listed together are the difference, the furthest one first. Examples show gold, then the answer.\n")
	family := ""
	for i := range kinds {
		k := &kinds[i]
		if k.Family != family {
			family = k.Family
			fmt.Fprintf(&b, "\n## %s\n\n| relation | class | holds where | example |\n| --- | --- | --- | --- |\n", strings.ToUpper(family[:1])+family[1:])
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Name, k.Class, tableCell(k.Meaning), tableCell(k.Example))
	}
	return []byte(b.String())
}
