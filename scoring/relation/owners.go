package relation

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/naming"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// origin is the column of a table that a result column shows unchanged, in lower case. table is empty if it is
// ambiguous.
type origin struct{ table, column string }

// origin returns the table column that a column of the result shows. ok is false if the column is computed or the
// select list is unknown.
func (q *query) origin(column, columns int) (o origin, ok bool) {
	c, plain := q.item(column, columns).(*sqlparts.Column)
	if !plain {
		return o, false
	}
	return q.originOf(c), true
}

func (q *query) originOf(c *sqlparts.Column) origin {
	o := origin{column: strings.ToLower(c.Name.Last().Text)}
	sources := q.sources()
	switch {
	case len(c.Name) > 1:
		of := strings.ToLower(c.Name[len(c.Name)-2].Text)
		for _, s := range sources {
			if s.alias == of || s.table == of {
				o.table = s.table
			}
		}
	case len(sources) == 1:
		o.table = sources[0].table
	}
	return o
}

// sourceName is a table in FROM of the final SELECT, its alias, and the columns of its USING clause.
type sourceName struct {
	alias, table string
	using        []sqlparts.Ident
}

func (q *query) sources() (out []sourceName) {
	if q == nil || q.final == nil {
		return nil
	}
	var add func(list []*sqlparts.Source)
	add = func(list []*sqlparts.Source) {
		for _, s := range list {
			add(s.Nested)
			if len(s.Table) > 0 {
				out = append(out, sourceName{strings.ToLower(s.Alias.Text), strings.ToLower(s.Table.Last().Text), s.Using})
			}
		}
	}
	add(q.final.From)
	return out
}

// equates reports whether the query joins the column key, by = or USING, with the column of table that ownKey calls its
// key.
func (q *query) equates(key origin, table string) bool {
	for _, p := range sqlparts.Predicates(q.query) {
		b, ok := p.Expr.(*sqlparts.Binary)
		if !p.Joins || !ok {
			continue
		}
		l, okL := b.L.(*sqlparts.Column)
		r, okR := b.R.(*sqlparts.Column)
		if !okL || !okR {
			continue
		}
		x, y := q.originOf(l), q.originOf(r)
		if y == key {
			x, y = y, x
		}
		if x == key && y.table == table && ownKey(y.column, table) {
			return true
		}
	}
	return slices.ContainsFunc(q.sources(), func(s sourceName) bool {
		return s.table == table && ownKey(key.column, table) &&
			slices.ContainsFunc(s.using, func(u sqlparts.Ident) bool { return strings.EqualFold(u.Text, key.column) })
	})
}

// ownKey reports whether a column's name marks it as the key of table: it has only words such as id, or the same other
// words as the table's name.
func ownKey(column, table string) bool {
	of := contentWords(column)
	return len(of) == 0 || slices.Equal(of, contentWords(table))
}

// contentWords returns the sorted, distinct word stems of a name, without genericWords.
func contentWords(name string) []string {
	var out []string
	for _, w := range naming.Canonical(nil, name) {
		if !genericWords[w] {
			out = append(out, naming.Stem(w))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// genericWords are words in names of columns and tables that do not identify a thing.
var genericWords = wordSet("id ids key code nr no num number count uuid guid pk sk fk name names title label description fullname first last full given family middle surname forename username dim tbl table stg vw view")

// ofOneThing reports whether a key and a name identify the same thing: their names agree, as district_id and
// district_name, or the key is that of the name's table, or a query joins it with that. An alias alone does not suffice
// if the key is another table's.
func (e *evidence) ofOneThing(r replacement) bool {
	q := e.queries()
	key, keyQuery, keys, name, nameQuery, names := r.pred, q.pred, e.pred, r.gold, q.gold, e.gold
	if keyish(&e.gold.Columns[r.gold]) && !keyish(&e.pred.Columns[r.pred]) {
		key, keyQuery, keys, name, nameQuery, names = name, nameQuery, names, key, keyQuery, keys
	}
	of := e.whose(keys, key)
	if len(of) > 0 && slices.Equal(of, e.whose(names, name)) {
		return true
	}
	n, ok := nameQuery.origin(name, len(names.Columns))
	if !ok || n.table == "" || !calls(n) {
		return false
	}
	k, ok := keyQuery.origin(key, len(keys.Columns))
	switch {
	case !ok:
		return false
	case ownKey(k.column, n.table) && (k.table == n.table || len(contentWords(k.column)) > 0):
		return true
	}
	return keyQuery.equates(k, n.table) || nameQuery.equates(k, n.table)
}

// calls reports whether a column holds the names of its table's rows, and not another string such as an e-mail address:
// its name contains a word such as name, or a word of the table's name, or is meaningless, such as A2.
func calls(o origin) bool {
	words := naming.Words(o.column)
	if !slices.ContainsFunc(words, func(w string) bool { return len(w) > 2 && !strings.ContainsAny(w, "0123456789") }) ||
		slices.ContainsFunc(words, func(w string) bool { return callingWords[w] || strings.HasSuffix(w, "name") }) {
		return true
	}
	table := contentWords(o.table)
	return slices.ContainsFunc(contentWords(o.column), func(w string) bool { return slices.Contains(table, w) })
}

// callingWords are words in names of columns that hold names of things.
var callingWords = wordSet("name names title label description desc caption heading full first last surname forename username login handle nickname alias who person player")

// whose returns the words of a column's name that identify the thing that it belongs to. For the answer, they are those
// of the table column that it shows, if known, or of the table if that column is only an id or a name.
func (e *evidence) whose(t *scoring.Table, column int) []string {
	if t == e.pred {
		if o, ok := e.queries().pred.origin(column, len(t.Columns)); ok {
			if of := contentWords(o.column); len(of) > 0 {
				return of
			}
			if of := contentWords(o.table); len(of) > 0 {
				return of
			}
		}
	}
	return contentWords(t.Columns[column].Name)
}

// computed reports whether a column is an aggregate by its query or name, such as a count of keys.
func (e *evidence) computed(s side, column int) bool {
	q, t := e.queries().pred, e.table(s)
	if s == goldSide {
		q = e.queries().gold
	}
	if x := q.item(column, len(t.Columns)); x != nil && aggregated(x) {
		return true
	}
	name := t.Columns[column].Name
	w := naming.Canonical(nil, name)
	return strings.ContainsAny(name, "(*/+") || len(w) > 1 && aggregateWords[w[0]]
}

// aggregateWords are first words in names of columns that are aggregates.
var aggregateWords = wordSet("count sum total average minimum maximum median distinct list array agg")

// asksOtherwise reports whether the question asks for the name or attribute that gold shows and not for the key that
// the answer shows, or the reverse.
func (e *evidence) asksOtherwise(r replacement) bool {
	names, keys := e.asks().AsksName(), e.asks().AsksID() || e.asks().Mentions("id")
	if keyish(&e.pred.Columns[r.pred]) {
		return (names || e.asksAttribute(r)) && !keys
	}
	return keys && !names
}

// asksAttribute reports whether the question mentions the last word of gold's column name, such as email or title, and
// the answer's column name does not have it.
func (e *evidence) asksAttribute(r replacement) bool {
	w := naming.Words(e.gold.Columns[r.gold].Name)
	if len(w) == 0 {
		return false
	}
	attribute := naming.Stem(w[len(w)-1])
	of := naming.Words(e.pred.Columns[r.pred].Name)
	return !slices.ContainsFunc(of, func(v string) bool { return naming.Stem(v) == attribute }) &&
		e.asks().Mentions(attribute)
}
