package prompt

import (
	"fmt"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// Align asks which columns of two results correspond: stage 1 of hybrid execution accuracy (BADGER, section 5.2 and
// appendix A.3). It is used if the alignment without a judge is uncertain. It does not ask whether the answer is
// correct.
var Align = load("align", "align", 1, "align")

// columns returns a block that lists the columns of a result, numbered from 1, with their types.
func (p *page) columns(title string, t *scoring.Table) string {
	if t == nil {
		return title + ": not known.\n"
	}
	var list strings.Builder
	for i := range min(len(t.Columns), maxColumns) {
		fmt.Fprintf(&list, "%d. %s (%s)\n", i+1, cell(t.Columns[i].Name), t.Columns[i].Type)
	}
	if more := len(t.Columns) - maxColumns; more > 0 {
		fmt.Fprintf(&list, "(%d more columns are left out)\n", more)
	}
	return p.block(title, strings.TrimSuffix(list.String(), "\n"))
}
