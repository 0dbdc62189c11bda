package relation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/naming"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

var keyKinds = []Kind{
	{
		Name: "key_for_name", Display: "Key in place of a name, or the reverse", Group: Columns,
		Class: Defensible, find: keyForName,
		Meaning: "All other columns agree, and a column of gold maps 1:1 to one of the answer; one is a key (an id, a code) and the other a name of the same thing: by their names, or because the queries take both from one table or join the key with it. The name is the name of the thing itself, not another string about it such as an e-mail address. Neither is computed, and the question does not ask for the other one.", Example: "('Most', 5), ('Brno', 7); (39, 5), (14, 7)",
	},
	{
		Name: "renamed_values", Display: "Values named differently", Group: ShownOtherwise,
		Class: Defensible, find: renamedValues,
		Meaning: "All other columns agree, and the values of a column of gold map 1:1 to others in the answer, which has none of them: 'male' for 'S1'.", Example: "('S1', 5), ('S2', 7); ('male', 5), ('female', 7)",
	},
	{
		Name: "other_column", Display: "Other values in one column", Group: OtherValue,
		Class: Difference, find: otherColumn,
		Meaning: "All other columns agree, row by row as far as they tell, and one column holds other values that do not stand 1:1 for gold's.", Example: "('a', 1), ('b', 2); ('a', 7), ('b', 7)",
	},
}

// replacement is a gold column and the answer's column that may have replaced it.
type replacement struct {
	gold, pred int
	oneToOne   bool // a 1:1 mapping of the values converts gold's rows to the answer's
	telling    bool // the other columns constrain the mapping, and not only how often each value occurs
}

// replacements returns each column of the answer that may have replaced gold's only column left to explain. It is nil
// if gold has several such columns, if the answer has more than 8, or if the other aligned columns do not agree.
func (e *evidence) replacements() []replacement {
	if e.replaced == nil {
		r := e.findReplacements()
		e.replaced = &r
	}
	return *e.replaced
}

func (e *evidence) findReplacements() []replacement {
	s := e.solidPart()
	if s == nil || len(s.gold) != 1 || len(s.pred) == 0 || len(s.pred) > 8 || s.rows != nil && !s.rows.sameBag() {
		return nil
	}
	var out []replacement
	for _, p := range s.pred {
		r := replacement{gold: s.gold[0], pred: p}
		if codes(&e.gold.Columns[r.gold]) && codes(&e.pred.Columns[p]) { // fractions are not codes
			r.oneToOne, r.telling = oneToOne(
				s.keysOf(goldSide, e.gold.Rows()), e.naturalKeys(goldSide, r.gold),
				s.keysOf(predSide, e.pred.Rows()), e.naturalKeys(predSide, p))
		}
		out = append(out, r)
	}
	return out
}

// oneToOne reports whether a 1:1 mapping of values converts the rows (rest, value) of gold to those of the answer: the
// values can be paired so that both occur with the same multiset of rests. telling reports whether these multisets
// differ between some values.
func oneToOne(goldRest, goldValue, predRest, predValue []uint64) (ok, telling bool) {
	signatures := func(rest, value []uint64) map[cell.Sum]int {
		of := make(map[uint64]cell.Sum, 64)
		for i, v := range value {
			s := of[v]
			s.Add(rest[i])
			of[v] = s
		}
		n := make(map[cell.Sum]int, len(of))
		for _, s := range of {
			n[s]++
		}
		return n
	}
	g, p := signatures(goldRest, goldValue), signatures(predRest, predValue)
	if len(g) != len(p) {
		return false, false
	}
	for s, n := range g {
		if p[s] != n {
			return false, false
		}
	}
	return true, len(g) > 1
}

// keyish reports whether a column is a key by the last word of its name; nameish whether it is a name by a word of its
// name or because it holds strings and is not a key.
func keyish(c *scoring.Column) bool {
	w := naming.Words(c.Name)
	if len(w) == 0 {
		return false
	}
	switch last := w[len(w)-1]; last {
	case "id", "ids", "key", "code", "nr", "no", "num", "uuid", "guid", "pk", "sk", "abbreviation", "isbn", "iata", "iso",
		"sku", "slug", "symbol", "login":
		return true
	default:
		return strings.HasSuffix(last, "id") && len(last) > 2 && c.Type == scoring.Int64 && !endsInID[last]
	}
}

// endsInID are words that end in id but do not name a key.
var endsInID = wordSet("valid invalid paid unpaid prepaid postpaid repaid grid solid void avoid covid android hybrid liquid acid humid rapid rigid said laid inlaid raid maid fluid squid orchid plasmid pyramid steroid thyroid asteroid candid vivid placid tepid torrid skid quid braid plaid staid squalid druid madrid")

func nameish(c *scoring.Column) bool {
	w := naming.Words(c.Name)
	if slices.ContainsFunc(w, func(s string) bool {
		switch s {
		case "name", "names", "title", "label", "description", "fullname", "surname", "forename", "username":
			return true
		}
		return strings.HasSuffix(s, "name")
	}) {
		return true
	}
	return c.Type == scoring.String && !keyish(c)
}

func keyForName(e *evidence) *found {
	for _, r := range e.replacements() {
		g, p := &e.gold.Columns[r.gold], &e.pred.Columns[r.pred]
		if !r.oneToOne || !(keyish(g) && nameish(p) && !keyish(p) || keyish(p) && nameish(g) && !keyish(g)) {
			continue
		}
		if !r.telling && !e.sameRest() && !e.groupedBy(r) {
			continue
		}
		if e.computed(goldSide, r.gold) || e.computed(predSide, r.pred) || e.asksOtherwise(r) || !e.ofOneThing(r) {
			continue
		}
		what := "a name in place of gold's key"
		if keyish(p) {
			what = "a key in place of gold's name"
		}
		return &found{
			text: fmt.Sprintf(
				"The answer shows %s, %s in place of %s: each value stands for one of the other, and all other columns agree.",
				what, columnName(e.pred, r.pred), columnName(e.gold, r.gold)),
			proof: Proof{GoldColumns: []int{r.gold}, PredColumns: []int{r.pred}},
		}
	}
	return nil
}

// groupedBy reports whether both queries group by the same expression, which one of them shows and the other replaces
// by a key or a name, and are otherwise the same apart from select lists. COUNT of a column equals COUNT(*) here.
func (e *evidence) groupedBy(r replacement) bool {
	q := e.queries()
	if !q.both() || len(q.gold.selects) != 1 || len(q.pred.selects) != 1 {
		return false
	}
	g, p := q.gold.item(r.gold, len(e.gold.Columns)), q.pred.item(r.pred, len(e.pred.Columns))
	if g == nil || p == nil || len(q.gold.parts.GroupBy) != 1 ||
		!slices.Equal(q.gold.parts.GroupBy, q.pred.parts.GroupBy) {
		return false
	}
	if key := q.gold.parts.GroupBy[0]; key != sqlparts.Normalized(g) && key != sqlparts.Normalized(p) {
		return false
	}
	return countsAlike(q.gold.restText()) == countsAlike(q.pred.restText())
}

var countOfColumn = lazyregexp.New(`\bcount\([a-z0-9_."]+\)`)

// countsAlike replaces COUNT of a column by COUNT(*) in a normalized query.
func countsAlike(text string) string { return countOfColumn.ReplaceAllString(text, "count(*)") }

func renamedValues(e *evidence) *found {
	if keyForName(e) != nil {
		return nil
	}
	for _, r := range e.replacements() {
		g, p := &e.gold.Columns[r.gold], &e.pred.Columns[r.pred]
		// Numbers that map 1:1 to other numbers are other measures, and a few rows may correspond by chance.
		if !r.oneToOne || !r.telling || e.gold.Rows() < 4 || g.Type != scoring.String && p.Type != scoring.String ||
			e.shareValues(r) {
			continue
		}
		return &found{
			text: fmt.Sprintf("The values of %s stand 1:1 for those of %s, and all other columns agree.",
				columnName(e.pred, r.pred), columnName(e.gold, r.gold)),
			proof: Proof{GoldColumns: []int{r.gold}, PredColumns: []int{r.pred}},
		}
	}
	return nil
}

// codes reports whether the values of a column can be codes: whole numbers, truth values, or strings that are not
// numbers.
func codes(c *scoring.Column) bool {
	switch c.Type {
	case scoring.String:
		_, number := cell.NumberFormat(c)
		return !number
	case scoring.Int64, scoring.Bool:
		return true
	}
	return false
}

// shareValues reports whether some value that is not NULL occurs in both columns of r.
func (e *evidence) shareValues(r replacement) bool {
	here := map[uint64]bool{}
	for _, k := range e.naturalKeys(goldSide, r.gold) {
		here[k] = k != cell.NullKey
	}
	return slices.ContainsFunc(e.naturalKeys(predSide, r.pred), func(k uint64) bool { return here[k] })
}

// otherValues is the sentence that all columns agree except a column of gold, for which the answer has others.
func otherValues(gold, answer string) string {
	if gold == answer {
		return "All columns agree except " + gold + "."
	}
	return "All columns agree except " + gold + "; the answer has " + answer + " with other values."
}

func otherColumn(e *evidence) *found {
	s := e.solidPart()
	if s == nil || len(s.pairs) == 0 || len(s.gold) != 1 || len(s.pred) == 0 || !s.rows.sameBag() {
		return nil
	}
	for _, r := range e.replacements() {
		if r.oneToOne && r.telling {
			return nil
		}
	}
	if _, measures := e.measurePairs(); measures {
		return nil // they are more specific
	}
	return &found{
		text:  otherValues(columnName(e.gold, s.gold[0]), named(e.pred, s.pred)),
		proof: Proof{GoldColumns: s.gold, PredColumns: s.pred},
	}
}

// sameRest reports whether each query is a single SELECT and the two are the same apart from their select lists, so
// that they return the same rows.
func (e *evidence) sameRest() bool {
	q := e.queries()
	if q.gold == nil || q.pred == nil {
		return false
	}
	return q.gold.restText() == q.pred.restText() && len(q.gold.selects) == 1 && len(q.pred.selects) == 1
}
