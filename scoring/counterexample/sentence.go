package counterexample

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/badger-eval/badger/internal/printable"
)

// The kinds of counterexamples, by a property of the data or of the results.
const (
	showsColumns   = "columns"   // the results have different numbers of columns
	ShowsOrder     = "order"     // the results have the same rows in different order
	showsNull      = "null"      // a value is NULL
	showsNoPartner = "unmatched" // a row has no matching row in another table
	showsEmpty     = "empty"     // a table has no rows
	showsRepeated  = "repeated"  // two rows share a value
	showsValue     = "value"     // a value in a query occurs in the data, or none of the other kinds applies
)

// The names of the two queries in sentences.
const (
	goldName = "gold"
	predName = "the agent's query"
)

// sentence returns a description of how the results on d differ, and of the data that causes it. It sets s.out.Shows.
func (s *search) sentence(d *Database) string {
	gold, pred := s.out.Gold.Rows, s.out.Pred.Rows
	if g, p := len(s.gold.columns), len(s.pred.columns); g > p {
		s.out.Shows = showsColumns
		return fmt.Sprintf("gold returns %s, the agent's query %s", printable.Count(g, "column"),
			printable.Count(p, "column"))
	}
	where := ""
	s.out.Shows, where = s.where(d)
	switch more, fewer := extra(gold, pred), extra(pred, gold); {
	case more == 0 && fewer == 0:
		s.out.Shows = ShowsOrder
		return "both return the same rows in another order: " + s.shown()
	case more > 0 && fewer == 0:
		return s.keeps(d, where, returned{goldName, gold}, returned{predName, pred})
	case fewer > 0 && more == 0:
		return s.keeps(d, where, returned{predName, pred}, returned{goldName, gold})
	}
	if where != "" {
		return where + ", " + s.shown()
	}
	return s.shown()
}

// returned is the name of a query and its result.
type returned struct {
	name string
	rows [][]Value
}

// keeps returns the sentence for a query whose result contains all rows of the other's and more. where describes the
// data; it may be empty.
func (s *search) keeps(d *Database, where string, more, fewer returned) string {
	who, other := more.name, fewer.name
	if distinct(more.rows) == distinct(fewer.rows) {
		if where != "" {
			return fmt.Sprintf("%s, %s returns a row more often than %s: %s", where, who, other, s.shown())
		}
		return fmt.Sprintf("%s returns a row more often than %s: %s", who, other, s.shown())
	}
	if child, parent := s.lonely(d); parent != nil {
		s.out.Shows = showsNoPartner
		return fmt.Sprintf("%s keeps rows of %s without a row in %s, %s does not: %s", who, parent.Name, child.Name, other,
			s.shown())
	}
	if where != "" {
		return where + ", " + s.shown()
	}
	return s.shown()
}

// extra returns the number of rows in a that are not in b, counting duplicates.
func extra(a, b [][]Value) int {
	n := 0
	left := append([][]Value{}, b...)
next:
	for _, row := range a {
		for i, other := range left {
			if sameRows([][]Value{row}, [][]Value{other}) {
				left = append(left[:i:i], left[i+1:]...)
				continue next
			}
		}
		n++
	}
	return n
}

func distinct(rows [][]Value) int {
	n := 0
next:
	for i, row := range rows {
		for _, other := range rows[:i] {
			if sameRows([][]Value{row}, [][]Value{other}) {
				continue next
			}
		}
		n++
	}
	return n
}

// lonely returns a table (parent) with a row without a matching row in another table (child), by columns that share
// values in the queries. It returns nil if there is none.
func (s *search) lonely(d *Database) (child, parent *Table) {
	for i := range d.Tables {
		a := &d.Tables[i]
		for j := range d.Tables {
			b := &d.Tables[j]
			if i == j || len(a.Rows) == 0 {
				continue
			}
			for _, x := range a.Columns {
				for _, y := range b.Columns {
					if x.domain != y.domain || x.domain == nil {
						continue
					}
					for _, row := range a.Rows {
						if row[x.at].Kind != Null && !hasValue(b, y, row[x.at]) {
							return b.Table, a.Table
						}
					}
				}
			}
		}
	}
	return nil, nil
}

func hasValue(t *Rows, c *Column, v Value) bool {
	for _, row := range t.Rows {
		if row[c.at].Kind != Null && compare(row[c.at], v) == 0 {
			return true
		}
	}
	return false
}

// where returns the kind of a counterexample and a description of the data: a NULL, a row without a match, a table
// without rows, rows that share a value, or a value in a query. text is empty if none applies.
func (s *search) where(d *Database) (shows, text string) {
	for i := range d.Tables {
		t := &d.Tables[i]
		for _, row := range t.Rows {
			for k, c := range t.Columns {
				if row[k].Kind == Null {
					return showsNull, fmt.Sprintf("where %s.%s is NULL", t.Table.Name, c.Name)
				}
			}
		}
	}
	if child, parent := s.lonely(d); parent != nil {
		return showsNoPartner, fmt.Sprintf("where a row of %s has none in %s", parent.Name, child.Name)
	}
	for i := range d.Tables {
		if len(d.Tables[i].Rows) == 0 {
			return showsEmpty, "where " + d.Tables[i].Table.Name + " has no rows"
		}
	}
	for i := range d.Tables {
		t := &d.Tables[i]
		for _, c := range t.Columns {
			if v, ok := shared(t, c); ok && !c.key() {
				return showsRepeated, fmt.Sprintf("where two rows of %s share %s = %s", t.Table.Name, c.Name, readable(v))
			}
		}
	}
	for i := range d.Tables {
		t := &d.Tables[i]
		for k, c := range t.Columns {
			if c.domain == nil {
				continue
			}
			for _, h := range c.domain.hints {
				for _, row := range t.Rows {
					if row[k].String() == h.Text {
						return showsValue, fmt.Sprintf("where %s.%s is %s", t.Table.Name, c.Name, readable(row[k]))
					}
				}
			}
		}
	}
	return showsValue, ""
}

// shared returns a value other than NULL that two rows have in column c; ok is false if there is none.
func shared(t *Rows, c *Column) (Value, bool) {
	for i, row := range t.Rows {
		for _, other := range t.Rows[:i] {
			if v := row[c.at]; v.Kind != Null && v == other[c.at] {
				return v, true
			}
		}
	}
	return Value{}, false
}

// shown returns a description of the results of both queries.
func (s *search) shown() string {
	return fmt.Sprintf("gold returns %s, the agent's query %s", rowsText(s.out.Gold.Rows), rowsText(s.out.Pred.Rows))
}

const shownRows, shownBytes = 3, 120

// rowsText returns a result as text: its rows if they are few and short, else their number.
func rowsText(rows [][]Value) string {
	if len(rows) == 0 {
		return "no rows"
	}
	if len(rows) > shownRows {
		return printable.Count(len(rows), "row")
	}
	parts := make([]string, len(rows))
	for i, row := range rows {
		cells := make([]string, len(row))
		for j, v := range row {
			cells[j] = readable(v)
		}
		parts[i] = strings.Join(cells, ", ")
		if len(rows) > 1 || len(row) > 1 {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	if text := strings.Join(parts, ", "); len(text) <= shownBytes {
		return text
	}
	return printable.Count(len(rows), "row")
}

// shownRunes is the maximum length of a value in a sentence, in characters.
const shownRunes = 60

// readable formats a value for a sentence: not too long, and without characters that are invisible or change the
// direction of writing.
func readable(v Value) string {
	text := []rune(v.SQL())
	if len(text) > shownRunes {
		text = append(text[:shownRunes-1:shownRunes-1], '…')
	}
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}
