package cell

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/badger-eval/badger/scoring"
)

// SameSequence reports whether, in the given pairs of columns, the gold rows in the order of sequence equal the
// predicted rows one by one. It is false if their number differs. sequence must contain each gold row once.
func SameSequence(gold, pred *scoring.Table, a *scoring.Alignment, pairs []int, sequence []int32) bool {
	if len(sequence) != pred.Rows() {
		return false
	}
	bits := FloatBits(gold, pred)
	for _, k := range pairs {
		p := &a.Columns[k]
		c := pair{gold: &gold.Columns[p.Gold], pred: &pred.Columns[p.Pred], cmp: p.Comparison}
		c.load(gold.Rows(), pred.Rows(), bits)
		for place, row := range sequence {
			if !c.equal(int(row), place) {
				return false
			}
		}
	}
	return true
}

// Directions reports whether a column's values rise from any row to the next, and whether they fall. It ignores NULL
// and strings whose order depends on the collation.
func Directions(c *scoring.Column) (rise, fall bool) {
	c.Halt().Check()
	last := -1
	for i := range c.Len() {
		if c.IsNull(i) {
			continue
		}
		if last >= 0 {
			switch Order(c.Value(last), c.Value(i)) {
			case -1:
				rise = true
			case 1:
				fall = true
			}
		}
		last = i
	}
	return rise, fall
}

// Order compares two values for sorting and returns -1, 0 or 1. It is not a test for equality: 0 also means that the
// order is unknown, as for NULL, different types and strings whose order depends on the collation.
func Order(a, b scoring.Value) int {
	if a.IsNull() || b.IsNull() {
		return 0
	}
	if a.Type.Numeric() && b.Type.Numeric() {
		return cmp.Compare(magnitude(a), magnitude(b))
	}
	if a.Type.Temporal() && a.Type == b.Type {
		return cmp.Or(cmp.Compare(a.Int(), b.Int()), cmp.Compare(a.Nanos(), b.Nanos()))
	}
	if a.Type == scoring.Bool && b.Type == scoring.Bool {
		return cmp.Compare(a.Int(), b.Int())
	}
	if x, ok := scoring.ParseDecimal(a.Text()); ok { // results that were exported as text
		if y, ok := scoring.ParseDecimal(b.Text()); ok {
			return cmp.Compare(magnitude(x), magnitude(y))
		}
	}
	order := strings.Compare(a.Text(), b.Text())
	if order != strings.Compare(strings.ToLower(a.Text()), strings.ToLower(b.Text())) || !plainWord(a.Text()) ||
		!plainWord(b.Text()) {
		return 0 // collations differ
	}
	return order
}

// plainWord reports whether s consists of ASCII letters and digits, which all collations sort in the same order except
// for case.
func plainWord(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
