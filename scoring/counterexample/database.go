package counterexample

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Database is a small database: the tables that the queries read, with the columns that they read.
type Database struct {
	Tables []Rows

	unique []*Column   // in addition to the keys
	refers []reference // that a realistic one keeps
	real   *realism    // nil if it may be any that the schema allows
}

// Rows is a table of a small database.
type Rows struct {
	Table   *Table
	Columns []*Column
	Rows    [][]Value
}

// rows finds the rows of a table; nil for one that no query reads.
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

// Count is the number of rows of all tables.
func (d *Database) Count() int {
	n := 0
	for i := range d.Tables {
		n += len(d.Tables[i].Rows)
	}
	return n
}

// allUsed reports whether the small database has all of these columns.
func allUsed(columns []*Column) bool {
	return !slices.ContainsFunc(columns, func(c *Column) bool { return !c.used })
}

// prune takes out the rows that break a constraint, and those that refer to them.
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

// number renumbers the elements of each array, from 0.
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

// holds reports whether a row keeps the constraints of its table next to the rows before it.
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

// sameKey reports whether two rows have the same values, none of them NULL.
func sameKey(a []*Column, x []Value, b []*Column, y []Value) bool {
	for i := range a {
		v, w := x[a[i].at], y[b[i].at]
		if v.Kind == Null || w.Kind == Null || compare(v, w) != 0 {
			return false
		}
	}
	return true
}

// sameValues reports whether two rows have the same values, NULL among them.
func sameValues(columns []*Column, a, b []Value) bool {
	return !slices.ContainsFunc(columns, func(c *Column) bool { return !sameValue(a[c.at], b[c.at]) })
}

// generator makes databases, the same ones for the same seed.
type generator struct {
	tables []*Table // parents first
	sizes  []int    // numbers of rows that a query names
	groups bool     // a query compares what it counts or sums
	either [][2]*Column
	seed   uint64
	real   *realism
}

// style is how the values of one database are spread.
type style struct {
	rows   int
	nulls  float64
	empty  float64 // chance of a table without rows
	wanted float64 // chance of a row of values that the queries ask for
	group  *group  // rows are made to fall into one group; nil elsewhere
	of     map[*domain]*spread
}

// spread is how the values of one domain are spread: the few that are used, and the chance of another
// one, which no other row needs to have.
type spread struct {
	few   []Value
	fresh float64
}

// group is how the rows of a database fall into one group, of a size that a query asks for: each
// domain has one value, or another one in each row.
type group struct {
	differ map[*domain]bool
	base   map[*domain]Value
	shift  map[*Column]float64 // of columns to which a query adds something
	large  *Table              // the one table of more than one row; nil if each may have more
	turns  map[*domain]int     // of those that take the values that queries ask for by turns: where they begin
}

// groupShare is of how many databases one is made of one group, where a query compares what it counts.
const groupShare = 2

// group draws what the rows of a database share.
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
			if first[d] != t && r.IntN(4) > 0 { // values that tables share join all rows where they are one
				out.differ[d] = false
			}
			if len(d.offsets) > 0 {
				out.shift[c] = []float64{0, 1, -1}[r.IntN(3)] * d.offsets[r.IntN(len(d.offsets))]
			}
		}
	}
	return out
}

// aimed draws what the rows of a database share, such that they are likely to pass the conditions of the
// queries: values that pass the most comparisons, or those that are asked for by turns.
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

// value is that of a column in the n-th row.
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

// aimedShare is of how many databases one is made to pass the conditions of the queries.
const aimedShare = 6

// firstWithNulls is the first try whose database may have NULL: what differs without convinces more.
const firstWithNulls = 3

// make generates one database: a realistic one, or any that the schema allows.
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

// row adds a row that satisfies the keys, if it finds one.
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
		if r.IntN(8) == 0 && len(t.Rows) > 0 { // one that equals another, but for its keys
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

// refer makes a row refer to one that exists.
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
		for i, c := range f.Columns { // the first row of a table that refers to itself
			row[c.at] = fit(row[f.Target[i].at], c)
		}
		return
	}
	parent := to.Rows[r.IntN(len(to.Rows))]
	for i, c := range f.Columns {
		row[c.at] = fit(parent[f.Target[i].at], c)
	}
}

// value draws a value; fresh asks for one that no other row has.
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

// parentsFirst orders tables so that a table follows those that it refers to, unless the references form a cycle.
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
