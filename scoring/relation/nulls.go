package relation

import (
	"fmt"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

var nullKinds = []Kind{
	{
		Name: "null_as_zero", Class: Presentational, find: nullAsZero,
		Meaning: "All rows agree but that NULLs of one side are 0 on the other.", Example: "('a', NULL); ('a', 0)",
	},
	{
		Name: "null_labelled", Class: Presentational, find: nullLabelled,
		Meaning: "All rows agree but that the NULLs of a column are one and the same text on the other side, which does not occur there otherwise.", Example: "(NULL, 3); ('unknown', 3)",
	},
	{
		Name: "null_rows_kept", Class: Defensible, find: func(e *evidence) *found { return nullRows(e, predSide) },
		Meaning: "Every gold row is there; each other row of the answer has NULL in one and the same column, where gold never has one.", Example: "('a', 1); ('a', 1), (NULL, 4)",
	},
	{
		Name: "null_rows_dropped", Class: Difference, find: func(e *evidence) *found { return nullRows(e, goldSide) },
		Meaning: "Every row of the answer is in gold; each other gold row has NULL in one and the same column, where the answer never has one.", Example: "('a', 1), (NULL, 4); ('a', 1)",
	},
}

// replacedNulls matches rows whose NULLs were given a key of their own on either side, in the pairs where exactly one side has NULLs.
func (e *evidence) replacedNulls(key func(c *scoring.Column, keys []uint64) (uint64, bool)) (m *matching, pairs []int) {
	if e.queriesOnly || e.gold.Rows() == 0 || e.gold.Rows() != e.pred.Rows() || len(e.missing()) > 0 {
		return nil, nil
	}
	gold, pred := make([]uint64, e.gold.Rows()), make([]uint64, e.pred.Rows())
	for k := range e.a.Columns {
		c := &e.a.Columns[k]
		g, p := &e.gold.Columns[c.Gold], &e.pred.Columns[c.Pred]
		keys := e.keys(k)
		gn, pn := count(keys.g, cell.NullKey), count(keys.p, cell.NullKey)
		switch {
		case gn > pn:
			if to, ok := key(p, keys.p); ok && count(keys.g, to) < count(keys.p, to) {
				keys.g = replaced(keys.g, to)
				keys.p = replaced(keys.p, to)
				pairs = append(pairs, k)
			}
		case pn > gn:
			if to, ok := key(g, keys.g); ok && count(keys.p, to) < count(keys.g, to) {
				keys.p = replaced(keys.p, to)
				keys.g = replaced(keys.g, to)
				pairs = append(pairs, k)
			}
		}
		mixInto(gold, keys.g)
		mixInto(pred, keys.p)
	}
	if len(pairs) == 0 {
		return nil, nil
	}
	return match(gold, pred), pairs
}

func count(keys []uint64, key uint64) int {
	n := 0
	for _, k := range keys {
		if k == key {
			n++
		}
	}
	return n
}

func replaced(keys []uint64, null uint64) []uint64 {
	out := make([]uint64, len(keys))
	for i, k := range keys {
		if out[i] = k; k == cell.NullKey {
			out[i] = null
		}
	}
	return out
}

var zeroKey = func() uint64 {
	b := scoring.NewBuilder("", scoring.Int64, 1)
	b.AppendInt(0)
	c := b.Column()
	return cell.AllKeys(&c, cell.View{Kind: scoring.KindNumber})[0]
}()

func nullAsZero(e *evidence) *found {
	m, pairs := e.replacedNulls(func(c *scoring.Column, _ []uint64) (uint64, bool) { return zeroKey, c.Type.Numeric() })
	if m == nil || !m.sameBag() {
		return nil
	}
	return e.aboutPairs(pairs, fmt.Sprintf("All rows agree, but in %s the NULLs of one side are 0 on the other.", named(e.gold, e.goldColumns(pairs))))
}

func nullLabelled(e *evidence) *found {
	m, pairs := e.replacedNulls(label)
	if m == nil || !m.sameBag() {
		return nil
	}
	return e.aboutPairs(pairs, fmt.Sprintf("All rows agree, but in %s the NULLs of one side are a text on the other.", named(e.gold, e.goldColumns(pairs))))
}

// labels are words that stand for a missing value in a report.
var labels = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range []string{
		"", "-", "--", "—", "?", "n/a", "na", "n.a.", "none", "null", "nil", "unknown", "missing", "other", "others", "undefined", "unspecified", "unassigned", "unavailable", "blank", "empty",
	} {
		m[w] = true
	}
	return m
}()

// isLabel tells whether a text stands for a missing value, in any case and in brackets too: n/a, (not set), No region.
func isLabel(s string) bool {
	if len(s) > 40 {
		return false
	}
	s = strings.ToLower(strings.TrimSpace(s))
	if n := len(s); n > 2 && (s[0] == '(' && s[n-1] == ')' || s[0] == '[' && s[n-1] == ']' || s[0] == '<' && s[n-1] == '>') {
		s = strings.TrimSpace(s[1 : n-1])
	}
	if labels[s] {
		return true
	}
	first, _, more := strings.Cut(s, " ")
	return more && (first == "no" || first == "not" || first == "without" || first == "unknown" || first == "missing")
}

// label is the only key of a text column that stands for a missing value.
func label(c *scoring.Column, keys []uint64) (uint64, bool) {
	if c.Type != scoring.String {
		return 0, false
	}
	var key uint64
	for i, k := range keys {
		if k == key || k == cell.NullKey || !isLabel(c.Text(i)) {
			continue
		}
		if key != 0 {
			return 0, false
		}
		key = k
	}
	return key, key != 0
}

// nullRows tells whether all rows that one side has more are NULL in a column in which the other side never is.
func nullRows(e *evidence, more side) *found {
	m := e.rows()
	if m == nil || len(e.a.Columns) == 0 {
		return nil
	}
	rows, none := m.onlyPred, m.onlyGold
	if more == goldSide {
		rows, none = none, rows
	}
	if len(rows) == 0 || len(none) > 0 || m.equal == 0 {
		return nil
	}
	at := -1 // of several such columns, the first by name
	for k := range e.a.Columns {
		keys := e.keys(k)
		here, there := keys.p, keys.g
		if more == goldSide {
			here, there = there, here
		}
		if allAre(here, rows, cell.NullKey) && count(there, cell.NullKey) == 0 && (at < 0 || e.gold.Columns[e.a.Columns[k].Gold].Name < e.gold.Columns[e.a.Columns[at].Gold].Name) {
			at = k
		}
	}
	if at < 0 {
		return nil
	}
	column := columnName(e.gold, e.a.Columns[at].Gold)
	r := e.aboutPairs([]int{at}, fmt.Sprintf("Every row of gold is there; %s more %s NULL in %s.", plural(len(rows), "row"), verb(len(rows), "has", "have"), column))
	if more == goldSide {
		r.text = fmt.Sprintf("Every row of the answer is in gold; the %s that it lacks %s NULL in %s.", plural(len(rows), "row"), verb(len(rows), "has", "have"), column)
	}
	r.proof.OnlyGold, r.proof.OnlyPred, r.proof.Rows = len(m.onlyGold), len(m.onlyPred), some(rows)
	return r
}

func allAre(keys []uint64, rows []int32, key uint64) bool {
	for _, i := range rows {
		if keys[i] != key {
			return false
		}
	}
	return true
}
