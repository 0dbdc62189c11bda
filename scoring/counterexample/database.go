package counterexample

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Database is a small database: the tables and columns that the queries read.
type Database struct {
	Tables []Rows

	unique []*Column   // columns that are unique in this database, in addition to keys
	refers []reference // references that hold in a realistic database
	real   *realism    // the facts that it satisfies if it is realistic; else nil
}

// Rows is a table of a small database.
type Rows struct {
	Table   *Table
	Columns []*Column
	Rows    [][]Value
}

// rows returns the rows of table t, or nil if no query reads it.
func (d *Database) rows(t *Table) *Rows {
	for i := range d.Tables {
		if d.Tables[i].Table == t {
			return &d.Tables[i]
		}
	}
	return nil
}

func (d *Database) clone() *Database {
	out := &Database{Tables: slices.Clone(d.Tables), unique: d.unique, real: d.real, refers: d.refers}
	for i := range out.Tables {
		out.Tables[i].Rows = slices.Clone(out.Tables[i].Rows)
	}
	return out
}

// Count returns the number of rows in all tables.
func (d *Database) Count() int {
	n := 0
	for i := range d.Tables {
		n += len(d.Tables[i].Rows)
	}
	return n
}

// allUsed reports whether the queries read all of these columns, so that the small database has them.
func allUsed(columns []*Column) bool {
	return !slices.ContainsFunc(columns, func(c *Column) bool { return !c.used })
}

// prune deletes the rows that violate a constraint, and then those that refer to them.
func (d *Database) prune() {
	for changed := true; changed; {
		changed = false
		for i := range d.Tables {
			t := &d.Tables[i]
			kept := t.Rows[:0:0]
			for _, row := range t.Rows {
				if d.holds(t, row, kept) {
					kept = append(kept, row)
				}
			}
			if len(kept) < len(t.Rows) {
				t.Rows, changed = kept, true
			}
		}
	}
	for i := range d.Tables {
		d.Tables[i].number()
	}
}

// number renumbers the elements of each array from 0, if t is a table of elements.
func (t *Rows) number() {
	if !t.Table.element {
		return
	}
	of, at := t.Table.own(ofName), t.Table.own(atName)
	if !of.used || !at.used {
		return
	}
	next := map[int64]int64{}
	for i, row := range t.Rows {
		row = slices.Clone(row)
		n := row[of.at].Int
		row[at.at], t.Rows[i] = intValue(next[n]), row
		next[n]++
	}
}

// holds reports whether a row satisfies the constraints of its table, given the rows before it, and the facts about a
// realistic database.
func (d *Database) holds(t *Rows, row []Value, before [][]Value) bool {
	for i, c := range t.Columns {
		if c.NotNull && row[i].Kind == Null || !c.limit.holds(row[i]) {
			return false
		}
	}
	for _, key := range t.Table.Unique {
		if allUsed(key) && slices.ContainsFunc(before, func(other []Value) bool {
			return sameKey(key, row, key, other) || t.Table.oneNull && sameValues(key, row, other)
		}) {
			return false
		}
	}
	for _, c := range d.unique {
		if c.table == t.Table &&
			slices.ContainsFunc(before, func(other []Value) bool { return sameKey([]*Column{c}, row, []*Column{c}, other) }) {
			return false
		}
	}
	for _, f := range t.Table.Foreign {
		to := d.rows(f.To)
		if to == nil || !allUsed(f.Columns) ||
			slices.ContainsFunc(f.Columns, func(c *Column) bool { return row[c.at].Kind == Null }) {
			continue
		}
		if !slices.ContainsFunc(to.Rows, func(other []Value) bool { return sameKey(f.Columns, row, f.Target, other) }) {
			return false
		}
	}
	for _, check := range t.Table.checked {
		if broken(check, t.Table, row) {
			return false
		}
	}
	return d.real == nil || d.real.keeps(d, t, row, before)
}

// sameKey reports whether row x has the same values in columns a as row y in columns b, none of them NULL.
func sameKey(a []*Column, x []Value, b []*Column, y []Value) bool {
	for i := range a {
		v, w := x[a[i].at], y[b[i].at]
		if v.Kind == Null || w.Kind == Null || compare(v, w) != 0 {
			return false
		}
	}
	return true
}

// sameValues reports whether two rows have the same values in the columns, where NULL equals NULL.
func sameValues(columns []*Column, a, b []Value) bool {
	return !slices.ContainsFunc(columns, func(c *Column) bool { return !sameValue(a[c.at], b[c.at]) })
}

// generator generates random databases, the same ones for the same seed.
type generator struct {
	tables []*Table // tables; a table follows those that it refers to, where possible
	sizes  []int    // numbers of rows that a query depends on, such as a limit or a compared count
	groups bool     // a query compares an aggregate with a literal
	either [][2]*Column
	seed   uint64
	real   *realism
}

// style is the distribution of the values in one database.
type style struct {
	rows   int
	nulls  float64
	empty  float64 // probability of a table without rows
	wanted float64 // probability of a row with values that the queries compare with
	group  *group  // if not nil, determines the values of all rows
	of     map[*domain]*spread
}

// spread is the distribution of the values of a domain in one database: a few values that are used often, and the
// probability (fresh) of a value that other rows need not have.
type spread struct {
	few   []Value
	fresh float64
}

// group determines the values of a database whose rows are similar, such as one group of the size that a query
// compares with. Each domain has one value, or a different one in each row.
type group struct {
	differ map[*domain]bool
	base   map[*domain]Value
	shift  map[*Column]float64 // by column: an offset that a query adds to the column in comparisons
	large  *Table              // the only table with more than one row; nil if each may have more
	turns  map[*domain]int     // by domain, if rows take the values of the pool in turn: the index of the first
}

// groupShare: if a query compares an aggregate with a literal, one of groupShare databases has rows that form one
// group.
const groupShare = 2

// group returns random values of one group for the rows of a database.
func (g *generator) group(r *rand.Rand, rows int) *group {
	out := &group{differ: map[*domain]bool{}, base: map[*domain]Value{}, shift: map[*Column]float64{},
		turns: map[*domain]int{}}
	first := map[*domain]*Table{}
	if r.IntN(3) > 0 {
		out.large = g.tables[r.IntN(len(g.tables))]
	}
	for _, t := range g.tables {
		for _, c := range t.usedColumns() {
			d := c.domain
			if _, ok := out.base[d]; !ok {
				out.base[d] = d.pool[r.IntN(len(d.pool))]
				if d.wanted > 0 && r.IntN(2) == 0 {
					out.base[d] = d.pool[r.IntN(d.wanted)]
				}
				if len(d.sums) > 0 && r.IntN(2) == 0 {
					out.base[d] = Value{Kind: Real, Real: math.Trunc(d.sums[r.IntN(len(d.sums))] / float64(rows))}
				}
				out.differ[d] = r.IntN(3) == 0 || d.distinct && r.IntN(3) > 0
				first[d] = t
			}
			if first[d] != t && r.IntN(4) > 0 { // values in other tables join all rows if they are equal
				out.differ[d] = false
			}
			if len(d.offsets) > 0 {
				out.shift[c] = []float64{0, 1, -1}[r.IntN(3)] * d.offsets[r.IntN(len(d.offsets))]
			}
		}
	}
	return out
}

// aimed returns values for the rows of a database that are likely to satisfy the conditions of the queries: values
// that satisfy the most comparisons, or the values that the queries compare with, in turn.
func (g *generator) aimed(r *rand.Rand) *group {
	out := &group{differ: map[*domain]bool{}, base: map[*domain]Value{}, shift: map[*Column]float64{},
		turns: map[*domain]int{}}
	for _, t := range g.tables {
		for _, c := range t.usedColumns() {
			d := c.domain
			if _, ok := out.base[d]; ok || len(d.pool) == 0 {
				continue
			}
			best := d.best()
			out.base[d] = best[r.IntN(len(best))]
			switch {
			case d.wanted > 1 && r.IntN(2) == 0:
				out.turns[d] = r.IntN(d.wanted)
			case len(d.tests)+len(d.like) == 0:
				out.differ[d] = r.IntN(3) == 0
			}
		}
	}
	return out
}

// value returns the value of column c in row n.
func (x *group) value(c *Column, n int) Value {
	v := x.base[c.domain]
	if from, ok := x.turns[c.domain]; ok && !c.key() {
		return fit(c.domain.pool[(from+n)%c.domain.wanted], c)
	}
	by := x.shift[c]
	if x.differ[c.domain] || c.key() {
		by += float64(n)
	}
	switch {
	case by == 0:
	case v.Kind == Int:
		v.Int += int64(by)
	case v.Kind == Real:
		v.Real += by
	case n > 0 && len(c.domain.pool) > 0:
		v = c.domain.pool[n%len(c.domain.pool)]
	}
	return fit(v, c)
}

// aimedShare: one of aimedShare databases is generated by aimed.
const aimedShare = 6

// firstWithNulls is the index of the first database that may contain NULL. A difference without NULL is more
// convincing, so the first databases have none.
const firstWithNulls = 3

// make returns the database with the number try: a realistic one, or any that the schema allows.
func (g *generator) make(try int, realistic bool) *Database {
	r := rand.New(rand.NewPCG(g.seed, uint64(try))) //nolint:gosec // to be repeated, not to be secret
	// The first databases are the smallest, so that there is little to shrink.
	sizes := []int{1, 2, 2, 3, 2, 4, 3, 5, 2, 7}
	s := style{rows: sizes[try%len(sizes)], of: map[*domain]*spread{}}
	if s.nulls = []float64{0, 0.15, 0.3, 0.4}[r.IntN(4)]; try < firstWithNulls {
		s.nulls = 0
	}
	s.wanted = []float64{0.6, 0.3, 0.9, 1}[r.IntN(4)]
	if try > 2 {
		s.empty = 0.1
	}
	if len(g.sizes) > 0 && try%4 == 3 {
		s.rows = g.sizes[r.IntN(len(g.sizes))]
		s.rows += r.IntN(3) + s.rows/10
	}
	if g.groups && try%groupShare == 1 {
		s.rows = 2 + r.IntN(3)
		if len(g.sizes) > 0 {
			s.rows = g.sizes[r.IntN(len(g.sizes))] + r.IntN(2)
		}
		s.group = g.group(r, s.rows)
	}
	if aims := try%aimedShare == 2; aims && s.group == nil {
		s.rows = 1 + r.IntN(6)
		if len(g.sizes) > 0 && r.IntN(2) == 0 {
			s.rows = g.sizes[r.IntN(len(g.sizes))] + r.IntN(2)
		}
		s.group = g.aimed(r)
	}
	d := &Database{}
	d.refers = slices.Clone(g.real.refers)
	if realistic {
		d.real = g.real
	}
	for _, p := range g.either {
		if k := r.IntN(2); p[0].used && p[1].used {
			d.unique = append(d.unique, p[k])
			d.refers = append(d.refers, reference{p[1-k], p[k], "they are joined"})
		}
	}
	order := g.tables
	if realistic {
		order = parentsFirst(g.tables, d.refers)
	}
	for _, t := range order {
		d.Tables = append(d.Tables, Rows{Table: t, Columns: t.usedColumns()})
	}
	for i := range d.Tables {
		n := s.rows
		if s.group != nil {
			if s.group.large == nil && r.IntN(2) == 0 || s.group.large != nil && s.group.large != d.Tables[i].Table {
				n = 1
			}
		} else if n > 1 && r.IntN(3) == 0 {
			n += r.IntN(3) - 1
		}
		if r.Float64() < s.empty && !realistic {
			n = 0
		}
		for range n {
			g.row(r, &s, d, &d.Tables[i])
		}
	}
	d.prune()
	return d
}

// row adds a random row that satisfies the constraints to t, or none if several attempts fail.
func (g *generator) row(r *rand.Rand, s *style, d *Database, t *Rows) {
	for attempt := range 12 {
		row := make([]Value, len(t.Columns))
		if s.group != nil {
			for i, c := range t.Columns {
				row[i] = s.group.value(c, len(t.Rows)+attempt)
			}
			if d.holds(t, row, t.Rows) {
				t.Rows = append(t.Rows, row)
				return
			}
			continue
		}
		wanted := r.Float64() < s.wanted
		for i, c := range t.Columns {
			switch {
			case wanted && c.domain.wanted > 0 && r.IntN(6) > 0:
				row[i] = fit(c.domain.pool[r.IntN(c.domain.wanted)], c)
				continue
			case !c.NotNull && r.Float64() < s.nulls && (d.real == nil || !d.real.columns[c].noNull):
				continue
			}
			row[i] = g.value(r, s, c, attempt > 3 || c.key() && r.IntN(2) == 0, len(t.Rows))
		}
		if r.IntN(8) == 0 && len(t.Rows) > 0 { // a copy of another row with other keys
			for i, v := range t.Rows[r.IntN(len(t.Rows))] {
				if !t.Columns[i].key() {
					row[i] = v
				}
			}
		}
		for _, f := range t.Table.Foreign {
			g.refer(r, d, t, row, &f)
		}
		for i, c := range t.Columns {
			if d.real != nil && row[i].Kind != Null && !d.real.columns[c].fits(row[i]) && len(d.real.columns[c].pool) > 0 {
				row[i] = d.real.columns[c].pool[r.IntN(len(d.real.columns[c].pool))]
			}
		}
		for _, f := range d.refers {
			if realistic := d.real != nil; realistic && f.from.table == t.Table {
				g.refer(r, d, t, row, &Foreign{Columns: []*Column{f.from}, To: f.to.table, Target: []*Column{f.to}})
			}
		}
		for _, f := range g.real.depends {
			if d.real == nil || f.from.table != t.Table {
				continue
			}
			for _, other := range t.Rows {
				if !f.holds(row, other) {
					row[f.to.at] = other[f.to.at]
				}
			}
		}
		if d.holds(t, row, t.Rows) {
			t.Rows = append(t.Rows, row)
			return
		}
	}
}

// refer sets the foreign key f of a row to the key of an existing row of the other table. It changes nothing if the
// foreign key is NULL or the other table is empty.
func (g *generator) refer(r *rand.Rand, d *Database, t *Rows, row []Value, f *Foreign) {
	to := d.rows(f.To)
	if to == nil || !allUsed(f.Columns) ||
		slices.ContainsFunc(f.Columns, func(c *Column) bool { return row[c.at].Kind == Null }) {
		return
	}
	if len(to.Rows) == 0 {
		if to != t {
			return
		}
		for i, c := range f.Columns { // the first row of a table that refers to itself refers to itself
			row[c.at] = fit(row[f.Target[i].at], c)
		}
		return
	}
	parent := to.Rows[r.IntN(len(to.Rows))]
	for i, c := range f.Columns {
		row[c.at] = fit(parent[f.Target[i].at], c)
	}
}

// value returns a random value for column c in row n. If fresh is set, it is one that no other row has.
func (g *generator) value(r *rand.Rand, s *style, c *Column, fresh bool, n int) Value {
	d := c.domain
	x := s.of[d]
	if x == nil {
		x = &spread{fresh: []float64{0, 0, 0.2, 0.6, 1}[r.IntN(5)]}
		for range []int{2, 3, 1, 1, 5, 2, 12}[r.IntN(7)] {
			at := r.IntN(len(d.pool))
			if r.IntN(2) == 0 { // the values most likely to show a difference come first
				at = r.IntN(min(4, len(d.pool)))
			}
			x.few = append(x.few, d.pool[at])
		}
		s.of[d] = x
	}
	if !fresh && r.Float64() >= x.fresh {
		return fit(x.few[r.IntN(len(x.few))], c)
	}
	v := fit(d.pool[r.IntN(len(d.pool))], c)
	switch {
	case r.IntN(2) == 0:
	case v.Kind == Int && !d.dates:
		if d.wanted == 0 || c.key() {
			v.Int = 0
		}
		v.Int += int64(n + 1 + r.IntN(3+n/8))
	case v.Kind == Real:
		v.Real += float64(n + 1)
	case c.Kind == Text && c.Shape == anyText && !d.dates && !d.numeric:
		return fit(textValue("k"+strconv.Itoa(n+1)), c)
	}
	return fit(v, c)
}

// parentsFirst returns the tables in an order in which a table follows those that it refers to, unless the references
// form a cycle.
func parentsFirst(tables []*Table, refers []reference) []*Table {
	var out []*Table
	left := slices.Clone(tables)
	for len(left) > 0 {
		at := slices.IndexFunc(left, func(t *Table) bool {
			return !slices.ContainsFunc(t.Foreign, func(f Foreign) bool { return f.To != t && slices.Contains(left, f.To) }) &&
				!slices.ContainsFunc(refers, func(f reference) bool {
					return f.from.table == t && f.to.table != t && slices.Contains(left, f.to.table)
				})
		})
		at = max(at, 0)
		out = append(out, left[at])
		left = slices.Delete(left, at, at+1)
	}
	return out
}
