package counterexample

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Seen describes a query's result on the real database.
type Seen struct {
	Rows    int64                  `json:"rows"`
	Nothing bool                   `json:"nothing,omitempty"` // all its values are NULL, or it has no rows
	Columns []sqlparts.ColumnFacts `json:"columns,omitempty"`
	// Dependencies are functional dependencies between columns, given by index.
	Dependencies []SeenDependency `json:"dependencies,omitempty"`
}

// SeenDependency is a [sqlparts.Dependency] between two columns of a result, given by index.
type SeenDependency struct {
	Column  int     `json:"column"`
	Fixes   int     `json:"fixes"`
	Support float64 `json:"support"`
}

const (
	// FewValues is the maximum number of values of a column whose values are all listed.
	FewValues = 12
	// EnoughRows is the number of rows from which a property of a sample is assumed for the whole column, such as that
	// its values are unique or few. It is also the minimum support of a dependency.
	EnoughRows = 30
	// rowsPerValue is the average number of rows per distinct value from which a column is assumed to have no other
	// values.
	rowsPerValue = 5
	// realisticShare: one of realisticShare databases that are tried is realistic.
	realisticShare = 4
)

// realism holds the properties of a realistic database in addition to the schema.
type realism struct {
	columns map[*Column]*habit
	refers  []reference
	depends []dependency
	finds   bool // at least one of the queries returns a value other than NULL, as gold did on the real database
}

// habit describes the values of a column in realistic databases.
type habit struct {
	noNull    bool
	unique    bool
	empty     bool // strings may be empty
	blank     bool // strings may begin or end with blanks
	low, high *Value
	values    []Value
	why       string // the source of these facts
	pool      []Value
}

// reference states that the values of column from are also in column to of another table.
type reference struct {
	from, to *Column
	why      string
}

// dependency states that each value of column from determines the value of column to in the same table.
type dependency struct {
	from, to *Column
	why      string
}

func (f dependency) String() string {
	return fmt.Sprintf("every %s.%s has one %s", f.from.table.Name, f.from.Name, f.to.Name)
}

// holds reports whether two rows satisfy the dependency.
func (f dependency) holds(a, b []Value) bool {
	if x, y := a[f.from.at], b[f.from.at]; x.Kind == Null || y.Kind == Null || compare(x, y) != 0 {
		return true
	}
	return sameValue(a[f.to.at], b[f.to.at])
}

// fix records the dependency of to on from if the support is at least EnoughRows. It ignores dependencies of keys,
// which always hold, and on keys.
func (r *realism) fix(from, to *Column, support float64, why string) {
	if from == nil || to == nil || from == to || from.table != to.table || from.key() || to.key() || support < EnoughRows {
		return
	}
	if !slices.ContainsFunc(r.depends, func(f dependency) bool { return f.from == from && f.to == to }) {
		r.depends = append(r.depends, dependency{from, to, why})
	}
}

func (r reference) String() string {
	return fmt.Sprintf("every %s.%s has a row in %s (%s)", r.from.table.Name, r.from.Name, r.to.table.Name, r.to.Name)
}

// realism returns the facts about realistic databases from the values in both queries, the two results and the
// statistics.
func (s *search) realism() *realism {
	r := &realism{columns: map[*Column]*habit{}}
	for _, t := range s.tables {
		for _, c := range t.usedColumns() {
			r.columns[c] = &habit{noNull: !s.asked[c] && !c.NotNull}
		}
	}
	for i, seen := range s.problem.Seen {
		if seen != nil {
			r.finds = r.finds || i == 0 && !seen.Nothing
			s.learnResult(r, seen, s.trees[i], []*translation{&s.gold, &s.pred}[i])
		}
	}
	known := map[[2]*Column]bool{}
	if f := s.problem.Facts; f != nil {
		for i := range f.Columns {
			if c := s.column(f.Columns[i].Table, f.Columns[i].Column); c != nil {
				r.columns[c].learn(c, &f.Columns[i], "the statistics of the warehouse")
			}
		}
		for _, d := range f.Dependencies {
			r.fix(s.column(d.Table, d.Column), s.column(d.Table, d.Fixes), d.Support, "the statistics of the warehouse")
		}
		for _, in := range f.Inclusions {
			from, to := s.column(in.Table, in.Column), s.column(in.ToTable, in.ToColumn)
			if from == nil || to == nil {
				continue
			}
			known[[2]*Column{from, to}] = true
			if in.Missing == 0 && in.Rows > 0 {
				r.refers = append(r.refers, reference{from, to, "the statistics of the warehouse"})
			}
		}
	}
	for _, t := range s.tables {
		for _, c := range t.usedColumns() {
			if to := s.refersTo(c); to != nil && !known[[2]*Column{c, to}] {
				r.refers = append(r.refers, reference{c, to, "it is joined with a key"})
			}
			r.columns[c].fill(c)
		}
	}
	return r
}

// column returns the column of a table with these names if the queries read it, else nil.
func (s *search) column(table, column string) *Column {
	if t := s.schema.Table(table); t != nil && t.read {
		if c := t.Column(column); c != nil && c.used {
			return c
		}
	}
	return nil
}

// refersTo returns the key of another table that a column without a foreign key is joined with, or nil.
func (s *search) refersTo(c *Column) *Column {
	if c.key() ||
		slices.ContainsFunc(c.table.Foreign, func(f Foreign) bool { return len(f.Columns) == 1 && f.Columns[0] == c }) {
		return nil
	}
	for _, m := range s.values.members(c.domain) {
		if m.table != c.table && m.key() && m.Kind == c.Kind {
			return m
		}
	}
	return nil
}

// learnResult adds facts about the tables that a result implies. If a result column is an unchanged column of a table
// and contains NULL, the table's column does too, unless the NULL may come from an outer join or a total. Facts about
// all values are derived only from a query that returns every row of one table (see wholeTable).
func (s *search) learnResult(r *realism, seen *Seen, q *sqlparts.Query, of *translation) {
	whole, outer := wholeTable(q), false
	sqlparts.Walk(q, func(n sqlparts.Node) bool {
		if src, ok := n.(*sqlparts.Source); ok {
			outer = outer || src.Join == sqlparts.LeftJoin || src.Join == sqlparts.RightJoin || src.Join == sqlparts.FullJoin
		}
		if g, ok := n.(*sqlparts.Grouping); ok && g.Kind != "" {
			outer = true // rows with totals have NULL in grouping columns
		}
		return true
	})
	column := func(i int) *Column {
		if i < 0 || i >= len(of.columns) || of.columns[i].column == nil || !of.columns[i].column.used {
			return nil
		}
		return of.columns[i].column
	}
	for _, d := range seen.Dependencies {
		if whole {
			r.fix(column(d.Column), column(d.Fixes), d.Support, "the result")
		}
	}
	for i := range seen.Columns {
		c := column(i)
		if c == nil {
			continue
		}
		h := r.columns[c]
		h.empty, h.blank = h.empty || seen.Columns[i].Empty > 0, h.blank || seen.Columns[i].Blank > 0
		switch facts := seen.Columns[i]; {
		case whole:
			h.learn(c, &facts, "the result")
		case facts.Nulls > 0 && !outer:
			h.noNull = false
		}
	}
}

// wholeTable reports whether a query returns every row of one table, without conditions, aggregates or limits.
func wholeTable(q *sqlparts.Query) bool {
	b, ok := q.Body.(*sqlparts.Select)
	plain := true // any call is excluded, since it may be an aggregate
	sqlparts.Walk(q, func(n sqlparts.Node) bool {
		_, call := n.(*sqlparts.Call)
		plain = plain && !call
		return true
	})
	return ok && plain && q.Limit == nil && len(q.With) == 0 && len(b.From) == 1 && b.From[0].Table != nil &&
		b.From[0].Query == nil && b.From[0].Nested == nil &&
		b.Where == nil && b.Having == nil && b.Qualify == nil && b.Group == nil && !b.Distinct
}

// learn adds facts from statistics of all rows of the column. from is their source.
func (h *habit) learn(c *Column, f *sqlparts.ColumnFacts, from string) {
	if f.Rows == 0 {
		return
	}
	h.why = from
	h.noNull = f.Nulls == 0 && !c.NotNull
	h.empty, h.blank = h.empty || f.Empty > 0, h.blank || f.Blank > 0
	h.unique = f.Nulls == 0 && f.Distinct == f.Rows && f.Rows >= EnoughRows && !c.key()
	if low, high, ok := typed(c, f.Low, f.High); ok {
		h.low, h.high = &low, &high
	}
	if n := int64(len(f.Values)); n > 0 && c.Kind == Text && f.Rows-f.Nulls >= max(EnoughRows, n*rowsPerValue) {
		for _, v := range f.Values {
			if v := textValue(v); !slices.Contains(h.values, v) {
				h.values = append(h.values, v)
			}
		}
	}
}

// typed converts bounds in text to values of a column of numbers or dates. ok is false for other columns, or if they
// cannot be parsed.
func typed(c *Column, low, high string) (l, h Value, ok bool) {
	read := func(s string) (Value, bool) {
		switch {
		case c.Kind.number() && c.Kind != Bool:
			n, err := strconv.ParseInt(s, 10, 64)
			if err == nil && c.Kind == Int {
				return intValue(n), true
			}
			x, err := strconv.ParseFloat(s, 64)
			return Value{Kind: Real, Real: x}, err == nil && !math.IsNaN(x)
		case c.Kind == Date, c.Kind == Timestamp, c.Shape == dateText, c.Shape == timestampText:
			_, err := time.Parse("2006-01-02", s[:min(10, len(s))])
			return Value{Kind: Text, Text: s}, err == nil
		}
		return Value{}, false
	}
	l, okLow := read(low)
	h, okHigh := read(high)
	return l, h, okLow && okHigh
}

// fits reports whether a value agrees with the facts about the column.
func (h *habit) fits(v Value) bool {
	switch {
	case h == nil:
		return true
	case v.Kind == Null:
		return !h.noNull
	case v.Kind == Text && !h.plain(v.Text):
		return false
	case len(h.values) > 0 && v.Kind == Text && !slices.Contains(h.values, v):
		return false
	case h.low == nil:
		return true
	case h.low.Kind == Text:
		upTo := v.Text[:min(len(h.high.Text), len(v.Text))] // a bound without a time of day includes the whole day
		return v.Text >= h.low.Text && upTo <= h.high.Text
	}
	return compare(v, *h.low) >= 0 && compare(v, *h.high) <= 0
}

// plain reports whether a string is empty, or begins or ends with blanks, only if strings of the column do.
func (h *habit) plain(text string) bool {
	if text == "" {
		return h.empty
	}
	return h.blank || text == strings.TrimSpace(text)
}

// fill sets the pool of values that agree with the facts, from which a value of a realistic database is drawn if
// another does not fit. If the pool is empty, the column may have any value.
func (h *habit) fill(c *Column) {
	add := func(v Value) {
		if v = fit(v, c); v.Kind != Null && h.fits(v) && !slices.Contains(h.pool, v) {
			h.pool = append(h.pool, v)
		}
	}
	for _, v := range c.domain.pool {
		add(v)
	}
	for _, v := range h.values {
		add(v)
	}
	if h.low != nil && !c.domain.fractions {
		add(*h.low)
		add(*h.high)
	}
	if h.empty {
		add(textValue(""))
	}
	if len(h.pool) == 0 {
		h.values, h.low, h.high = nil, nil, nil
		for _, v := range c.domain.pool {
			add(v)
		}
	}
}

// keeps reports whether a row agrees with the facts about realistic databases, given the rows before it.
func (r *realism) keeps(d *Database, t *Rows, row []Value, before [][]Value) bool {
	for i, c := range t.Columns {
		h := r.columns[c]
		if !h.fits(row[i]) {
			return false
		}
		if h.unique &&
			slices.ContainsFunc(before, func(other []Value) bool { return sameKey([]*Column{c}, row, []*Column{c}, other) }) {
			return false
		}
	}
	for _, f := range r.depends {
		if f.from.table == t.Table && slices.ContainsFunc(before, func(other []Value) bool { return !f.holds(row, other) }) {
			return false
		}
	}
	return !slices.ContainsFunc(d.refers, func(f reference) bool { return f.from.table == t.Table && !d.partner(f, row) })
}

// partner reports whether the table that a row refers to contains the row's value, or the value is NULL.
func (d *Database) partner(f reference, row []Value) bool {
	if row[f.from.at].Kind == Null {
		return true
	}
	to := d.rows(f.to.table)
	return to == nil || slices.ContainsFunc(to.Rows, func(other []Value) bool {
		return sameKey([]*Column{f.from}, row, []*Column{f.to}, other)
	})
}

// whole reports whether every table has rows.
func (d *Database) whole() bool {
	return !slices.ContainsFunc(d.Tables, func(t Rows) bool { return len(t.Rows) == 0 })
}

// nothing reports whether all values of a result are NULL, or it has no rows.
func nothing(rows [][]Value) bool {
	return !slices.ContainsFunc(rows, func(row []Value) bool {
		return slices.ContainsFunc(row, func(v Value) bool { return v.Kind != Null })
	})
}

// judge returns descriptions of the properties of realistic databases that d has (keeps) and lacks (breaks). gold and
// pred are the results of the queries on it.
func (r *realism) judge(d *Database, gold, pred [][]Value) (keeps, breaks []string) {
	note := func(broken bool, format string, args ...any) {
		if text := fmt.Sprintf(format, args...); broken {
			breaks = append(breaks, text)
		} else {
			keeps = append(keeps, text)
		}
	}
	some := func(t *Rows, holds func(row []Value) bool) bool {
		return slices.ContainsFunc(t.Rows, func(row []Value) bool { return !holds(row) })
	}
	for i := range d.Tables {
		t := &d.Tables[i]
		if len(t.Rows) == 0 {
			note(true, "%s has rows", t.Table.Name)
		}
		for k, c := range t.Columns {
			h, name := r.columns[c], t.Table.Name+"."+c.Name
			if h.noNull {
				why := cmp.Or(h.why, "neither query tests for NULL")
				note(some(t, func(row []Value) bool { return row[k].Kind != Null }), "%s has no NULL (%s)", name, why)
			}
			if some(t, func(row []Value) bool { return row[k].Kind != Text || h.plain(row[k].Text) }) {
				what := "empty texts and none that begin or end with blanks"
				if h.empty {
					what = "texts that begin or end with blanks"
				} else if h.blank {
					what = "empty texts"
				}
				note(true, "%s has no %s", name, what)
			}
			if h.unique {
				note(repeated(t, c), "%s is unique (%s)", name, h.why)
			}
			if len(h.values) > 0 {
				note(some(t, func(row []Value) bool { return row[k].Kind != Text || slices.Contains(h.values, row[k]) }),
					"%s has one of %d values (%s)", name, len(h.values), h.why)
			}
			if h.low != nil {
				only := habit{low: h.low, high: h.high}
				note(some(t, func(row []Value) bool { return row[k].Kind == Null || !plainValue(row[k]) || only.fits(row[k]) }),
					"%s is from %s to %s (%s)", name, readable(*h.low), readable(*h.high), h.why)
			}
		}
	}
	for _, f := range d.refers {
		if t := d.rows(f.from.table); t != nil {
			note(some(t, func(row []Value) bool { return d.partner(f, row) }), "%s (%s)", f, f.why)
		}
	}
	for _, f := range r.depends {
		if t := d.rows(f.from.table); t != nil {
			note(slices.ContainsFunc(t.Rows, func(a []Value) bool {
				return slices.ContainsFunc(t.Rows, func(b []Value) bool { return !f.holds(a, b) })
			}), "%s (%s)", f, f.why)
		}
	}
	if r.finds && nothing(gold) && nothing(pred) {
		note(true, "one of the queries finds something")
	}
	return keeps, breaks
}

func repeated(t *Rows, c *Column) bool {
	_, ok := shared(t, c)
	return ok
}

// Reads returns the columns of the schema that the two queries read, and the pairs of columns of two tables that they
// compare, where the first may refer to the second. Statistics of these show what is realistic. It returns nil if the
// queries cannot be translated or no schema is stated.
func Reads(p *Problem) (columns []*Column, compared [][2]*Column) {
	s, _ := prepare(p, false)
	if s == nil || s.schema.Inferred {
		return nil, nil
	}
	for _, t := range s.tables {
		columns = append(columns, t.usedColumns()...)
	}
	for _, c := range columns {
		for _, m := range s.values.members(c.domain) {
			stated := slices.ContainsFunc(c.table.Foreign,
				func(f Foreign) bool { return f.To == m.table && slices.Contains(f.Columns, c) })
			if m.table != c.table && m.Kind == c.Kind && !stated && len(compared) < maxCompared {
				compared = append(compared, [2]*Column{c, m})
			}
		}
	}
	return columns, compared
}

// maxCompared is the maximum number of pairs of columns that Reads returns.
const maxCompared = 12

// Of returns the name of the column's table.
func (c *Column) Of() string { return c.table.Name }
