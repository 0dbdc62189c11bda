package relation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
	"github.com/badger-eval/badger/scoring/question"
)

var totalLabelKinds = []Kind{
	{
		Name: "total_labelled", Display: "Total row labelled differently", Group: ShownOtherwise,
		Class: Presentational, find: totalLabelled,
		Meaning: "All rows agree but for the label of the row of totals, which both sides have: NULL as ROLLUP writes it, or a word for all of them.", Example: "('a', 1), ('b', 2), ('Total', 3); ('a', 1), ('b', 2), (NULL, 3)",
	},
	{
		Name: "empty_for_null", Display: "Empty text in place of NULL", Group: ShownOtherwise,
		Class: Presentational, find: emptyForNull,
		Meaning: "All rows agree except that NULLs of one side are empty strings on the other, and the question says that missing values are shown that way.", Example: "(\"their fax, empty if there is none\"): ('a', NULL); ('a', '')",
	},
}

// totalWords are words at the start or end of a total row's label, which may name what is added up, such as all
// regions.
var totalWords = wordSet(
	"total totals all overall sum subtotal everything combined grand gesamt summe insgesamt totale somme")

// maxTotalLabel is the maximum number of bytes of a total row's label, and maxTotals the maximum number of rows of a
// side that may differ.
const maxTotalLabel, maxTotals = 64, 64

func isTotal(label string) bool {
	if len(label) > maxTotalLabel {
		return false
	}
	w := naming.Words(label)
	return len(w) > 0 && len(w) <= 4 && (totalWords[w[0]] || totalWords[w[len(w)-1]])
}

// totalKeys returns the keys of a column with one common key for the labels of total rows, and the number of those.
// word is true if a word labels them; otherwise NULL does. It returns nil if there are several such words.
func totalKeys(c *scoring.Column, keys []uint64) (out []uint64, totals int, word bool) {
	words := make([]bool, len(keys))
	var label uint64
	for i, k := range keys {
		if words[i] = c.Type == scoring.String && !c.IsNull(i) && isTotal(c.Text(i)); !words[i] {
			continue
		}
		if word && k != label { // Total North and Total South are not totals of everything
			return nil, 0, false
		}
		word, label = true, k
	}
	out = slices.Clone(keys)
	for i := range out {
		if word && words[i] || !word && c.IsNull(i) {
			out[i] = cell.TextKey("\x00total")
			totals++
		}
	}
	return out, totals, word
}

func totalLabelled(e *evidence) *found {
	if !e.reshapable() || len(e.missing()) > 0 {
		return nil
	}
	if m := e.rows(); m == nil || len(m.onlyGold) != len(m.onlyPred) || len(m.onlyGold) > maxTotals {
		return nil
	}
	g, p := make([]uint64, e.gold.Rows()), make([]uint64, e.pred.Rows())
	var labels []int
	for k := range e.a.Columns {
		c := &e.a.Columns[k]
		keys := e.keys(k)
		gk, pk := keys.g, keys.p
		if c.Kind == scoring.KindText || len(e.a.Columns) > 1 && !e.sameSums(k) {
			gt, gn, gword := totalKeys(&e.gold.Columns[c.Gold], keys.g)
			pt, pn, pword := totalKeys(&e.pred.Columns[c.Pred], keys.p)
			if gn > 0 && gn == pn && (gword || pword) && !slices.Equal(gt, keys.g) && !e.sameSums(k) {
				gk, pk, labels = gt, pt, append(labels, k)
			}
		}
		mixInto(g, gk)
		mixInto(p, pk)
	}
	if len(labels) == 0 || len(labels) == len(e.a.Columns) || !match(g, p).sameBag() {
		return nil
	}
	return e.aboutPairs(labels,
		fmt.Sprintf("All rows agree but for what the row of totals is called in %s.", named(e.gold, e.goldColumns(labels))))
}

// emptyAsked reports whether the text asks to show missing values as empty, blank or NULL.
func emptyAsked(text string) bool {
	q := question.Plain(text)
	return slices.ContainsFunc(
		[]string{" empty if ", " empty where ", " empty when ", " blank if ", " blank where ", " blank when ",
			" leave empty ", " leave it empty ", " leave blank ", " leave it blank ", " left empty ", " left blank ",
			" null if ", " null where ", " null when ", " nothing if ", " empty otherwise ", " blank otherwise ",
			" null otherwise "},
		func(s string) bool { return strings.Contains(q, s) })
}

func emptyForNull(e *evidence) *found {
	if !emptyAsked(e.Question + " " + e.Evidence) {
		return nil
	}
	m, pairs := e.replacedNulls(func(_ int, _, c *scoring.Column, _ []uint64) (uint64, bool) {
		return cell.TextKey(""), c.Type == scoring.String
	})
	if m == nil || !m.sameBag() {
		return nil
	}
	return e.aboutPairs(pairs,
		fmt.Sprintf("All rows agree but that what is not there is NULL on one side of %s and empty on the other, as the question allows.", named(e.gold, e.goldColumns(pairs))))
}
