package docs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// maxExamples is how many pairs of either side of a law the page shows.
const maxExamples = 5

// Equality is a Markdown page of the laws of equality, with pairs of both sides of each.
func Equality(laws []cell.Law) ([]byte, error) {
	var b strings.Builder
	b.WriteString("# Equality\n\n" +
		"What counts as the same answer, type by type. `hybrid_ex` is 1, and `verdict` accepts an answer without a judge, only under these laws. Whatever the evidence does not accept, a judge may still\n" +
		"accept. Every law has examples on both sides of its border; they are cases of its test. An option that changes a law stands with it: set it under `options` of a case, or for all cases in the\n" +
		"configuration of the metric. This page is generated: `badger functions --equality`.\n")
	var headings []string
	for _, law := range laws {
		if !slices.Contains(headings, law.About) {
			headings = append(headings, law.About)
		}
	}
	laws = slices.SortedStableFunc(slices.Values(laws), func(a, b cell.Law) int {
		return slices.Index(headings, a.About) - slices.Index(headings, b.About)
	})
	about := ""
	for _, law := range laws {
		pairs, err := cell.LawPairs(law.Name)
		if err != nil {
			return nil, err
		}
		if law.About != about {
			about = law.About
			fmt.Fprintf(&b, "\n## %s\n", about)
		}
		fmt.Fprintf(&b, "\n### `%s`\n\n%s\n", law.Name, law.Says)
		if law.Change != "" {
			fmt.Fprintf(&b, "\nTo change it: %s\n", law.Change)
		}
		b.WriteString("\n| | gold | answer | |\n| --- | --- | --- | --- |\n")
		for _, equal := range []bool{true, false} {
			side := map[bool]string{true: "equal", false: "not equal"}[equal]
			n := 0
			for _, p := range pairs {
				if p.Equal != equal || n == maxExamples {
					continue
				}
				n++
				fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", side, tableCell(shown(p.Case.Golds[0].Result.Table)), tableCell(shown(p.Case.Pred.Result.Table)), tableCell(remark(p)))
			}
		}
	}
	return []byte(b.String()), nil
}

// remark is what is said of a pair: what it shows, the question where it matters, and where only
// one metric is meant.
func remark(p cell.LawPair) string {
	s := p.Case.ID
	if p.Note != "" {
		s = p.Note
	}
	if p.Case.Question != "" {
		s += "; asked: " + p.Case.Question
	}
	if p.Only != "" {
		s += " (" + p.Only + ")"
	}
	return s
}

// shown writes a small result: the names of its columns and its rows.
func shown(t *scoring.Table) string {
	var names, rows []string
	for i := range t.Columns {
		names = append(names, t.Columns[i].Name)
	}
	for r := range t.Rows() {
		var cells []string
		for i := range t.Columns {
			v := t.Columns[i].Value(r)
			s := v.String()
			if v.Type == scoring.String {
				s = "'" + s + "'"
			}
			cells = append(cells, s)
		}
		rows = append(rows, "("+strings.Join(cells, ", ")+")")
	}
	return strings.Join(names, ", ") + ": " + strings.Join(rows, ", ")
}
