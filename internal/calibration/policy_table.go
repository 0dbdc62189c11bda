package calibration

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/scoring/policy"
	"github.com/badger-eval/badger/scoring/relation"
)

// wrapped writes text in lines that fit into tableWidth.
func wrapped(w io.Writer, text string) {
	for _, l := range printable.Wrap(text, tableWidth-2) {
		fmt.Fprintln(w, "  "+l)
	}
}

// tableWidth is the maximum width of the table of policies in characters.
const tableWidth = 80

// PrintPolicies writes the table by policy and class: the relations with labels, and the number of those without.
func PrintPolicies(w io.Writer, t *policy.Table) {
	const most = tableWidth - len("      9 of   9  999  0.99-1.00  999/999  0.999  pass  ")
	var b bytes.Buffer
	name := len("presentational")
	for _, r := range t.Rows() {
		if seen(&r) && len(r.Relation) <= most {
			name = max(name, len(r.Relation))
		}
	}
	for _, which := range policy.Policies() {
		fmt.Fprintf(&b, "%s  (dbs: databases with such labels; interval: 95 %%, of all labels;\n  chosen: right and wrong among cases that were built or chosen by label)\n", strings.ToUpper(string(which)))
		for _, class := range []relation.Class{relation.Equivalent, relation.Presentational, relation.Defensible,
			relation.Difference} {
			fmt.Fprintf(&b, "  %-*s  %10s  %3s  %-9s  %7s  %5s  pass\n", name, class, "accepted", "dbs", "interval", "chosen",
				"chance")
			unseen := 0
			for _, r := range t.Rows() {
				if r.Policy != which || r.Class != class {
					continue
				}
				if !seen(&r) {
					unseen++
					continue
				}
				passes := ""
				if r.Passes {
					passes = "  yes"
				}
				relation := r.Relation
				if len(relation) > name { // on a separate line
					fmt.Fprintf(&b, "  %s\n", relation)
					relation = ""
				}
				within, chosen := agreement.Wilson(r.Accepted+r.Shown, r.Cases+r.Shown+r.Against, 0.95), "-"
				if r.Shown+r.Against > 0 {
					chosen = fmt.Sprintf("%d/%d", r.Shown, r.Against)
				}
				fmt.Fprintf(&b, "  %-*s  %3d of %3d  %3d  %.2f-%.2f  %7s  %5.3f%s\n", name, relation, r.Accepted, r.Cases, r.Groups,
					within.Lo, within.Hi, chosen, r.Chance, passes)
			}
			if unseen > 0 {
				fmt.Fprintf(&b, "  and %s that no labelled case shows\n", printable.Count(unseen, "relation"))
			}
		}
	}
	_, _ = w.Write(b.Bytes())
}

// seen reports whether a relation has labels.
func seen(r *policy.Row) bool { return r.Cases+r.Shown+r.Against > 0 }
