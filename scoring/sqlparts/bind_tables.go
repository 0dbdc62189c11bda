package sqlparts

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/halt"
)

// tables are the base tables that the scripts of one case read, in the order in which the binder finds them.
type tables struct {
	schema  *Schema
	list    []*BoundTable
	index   map[string]*BoundTable // by case-folded names; built only for many tables
	made    arena[BoundTable]
	doubted []Ident      // names whose meaning is not certain
	stop    *halt.Signal // stops work that takes too long; may be nil
	parted  bool         // scripts use several tables with one last name, and a definition was dropped for this
}

// manyTables is the number of tables, or of a table's learned columns, from which a map is used to find them.
const manyTables = 16

// alike reports whether [Dialect.Fold] gives two identifiers the same form.
func (d Dialect) alike(a, b Ident, table bool) bool {
	return len(a.Text) == len(b.Text) && strings.EqualFold(a.Text, b.Text) && d.foldAlike(a, b, table)
}

// endsIn reports whether end equals the last parts of name.
func (d Dialect) endsIn(name, end Name) bool {
	for i := 1; i <= min(len(name), len(end)); i++ {
		if !d.alike(name[len(name)-i], end[len(end)-i], true) {
			return false
		}
	}
	return len(name) >= len(end)
}

// of returns the table with the name n, and adds it if this is the first use of the name.
func (t *tables) of(d Dialect, n Name) *BoundTable {
	n = d.Path(n)
	key := ""
	if len(t.list) >= manyTables {
		if t.index == nil {
			t.index = map[string]*BoundTable{}
			for _, b := range t.list {
				t.index[d.path(b.named)] = b
			}
		}
		key = d.path(n)
		if b := t.index[key]; b != nil {
			return b
		}
	} else {
		for _, b := range t.list {
			if len(b.named) == len(n) && d.endsIn(b.named, n) {
				return b
			}
		}
	}
	t.stop.Check()
	b := t.made.new()
	b.Name, b.named, b.dialect, b.root, b.last[0] = n, n, d, b, strings.ToLower(n.Last().Text)
	b.listed, b.Def, b.several = t.defined(d, n)
	b.sure = b.Def != nil && len(b.Def.Columns) > 0
	if t.list == nil {
		t.list = make([]*BoundTable, 0, 4)
	}
	t.list = append(t.list, b)
	if t.index != nil {
		t.index[key] = b
	}
	return b
}

// path returns the case-folded parts of a table's name as one string, which serves as a map key.
func (d Dialect) path(n Name) string {
	parts := make([]string, len(n))
	for i, id := range n {
		parts[i] = d.Fold(id, true)
	}
	return strings.Join(parts, "\x00")
}

// defined returns the schema's table that best matches n, or nil. sure is the same table if n cannot mean another one
// and its definition was read completely, else nil. several reports whether more than one table matches n only in part.
func (t *tables) defined(d Dialect, n Name) (listed, sure *Table, several bool) {
	fits := 0
	for _, o := range t.schema.Tables {
		switch d.names(n, o.Name) {
		case same:
			if listed = o; fits < 2 {
				fits = 1
			}
			if len(n) == len(o.Name) {
				return o, t.certain(o), false
			}
		case perhaps:
			listed = o
			fits++
		}
	}
	if fits != 1 {
		return listed, nil, fits > 1
	}
	return listed, t.certain(listed), false
}

func (t *tables) certain(o *Table) *Table {
	if t.schema.Doubt != "" || o.Doubt != "" {
		return nil
	}
	return o
}

// settles reports whether columns learned from queries include a name whose meaning is not yet certain, so that binding
// again may resolve it.
func (t *tables) settles() bool {
	if len(t.doubted) == 0 || !slices.ContainsFunc(t.list, func(b *BoundTable) bool { return b.learned.any() }) {
		return false
	}
	open := map[string]bool{}
	for _, id := range t.doubted {
		open[strings.ToLower(id.Text)] = true
	}
	return slices.ContainsFunc(t.list, func(b *BoundTable) bool {
		return slices.ContainsFunc(b.learned.list, func(id Ident) bool { return open[strings.ToLower(id.Text)] })
	})
}

// learn records that a table has a column because a query uses it so, unless the schema lists all of the table's
// columns.
func (t *tables) learn(d Dialect, b *BoundTable, id Ident) {
	if !b.sure {
		b.root.learned.add(d, id)
	}
}

// names is a set of column names.
type names struct {
	list  []Ident
	index map[string]bool // case-folded; built only for many names
}

func (n *names) any() bool { return len(n.list) > 0 }

func (n *names) has(d Dialect, id Ident) bool {
	if n.index != nil {
		return n.index[d.Fold(id, false)]
	}
	return slices.ContainsFunc(n.list, func(o Ident) bool { return d.alike(id, o, false) })
}

func (n *names) add(d Dialect, id Ident) {
	if n.has(d, id) {
		return
	}
	if n.list == nil {
		n.list = make([]Ident, 0, 4)
	}
	n.list = append(n.list, id)
	switch {
	case n.index != nil:
		n.index[d.Fold(id, false)] = true
	case len(n.list) >= manyTables:
		n.index = map[string]bool{}
		for _, o := range n.list {
			n.index[d.Fold(o, false)] = true
		}
	}
}

// unify equates a table that is named without schema or catalog with the only table of a longer name that ends in this
// name, unless one script uses both names. If scripts use several tables with the same last name, a definition in the
// schema with fewer or more qualifiers is not used for them.
func (t *tables) unify() {
	for _, b := range t.list {
		t.stop.Check()
		var whole *BoundTable
		n, together := 0, false
		for _, o := range t.list {
			if len(o.named) > len(b.named) && b.dialect.endsIn(o.named, b.named) {
				whole, n = o, n+1
				together = together || b.scripts&o.scripts != 0
			}
		}
		if n == 1 && !together {
			b.root, b.Name = whole, whole.Name
		}
	}
	for _, b := range t.list { // a.b.c, b.c and c: the second name is incomplete too
		for b.root.root != b.root {
			b.root = b.root.root
		}
		if b.root != b {
			b.Name = b.root.Name
			for _, id := range b.learned.list {
				b.root.learned.add(b.dialect, id)
			}
		}
	}
	for i, b := range t.list {
		t.stop.Check()
		for _, o := range t.list[:i] {
			if b.root != o.root && b.last == o.last {
				t.part(b, o)
				t.part(o, b)
			}
		}
	}
}

// part records that other has the same last name as b. b loses its definition if that has fewer or more qualifiers than
// b.
func (t *tables) part(b, other *BoundTable) {
	if b.listed != nil && len(b.Name) != len(b.listed.Name) {
		t.parted = t.parted || b.Def != nil
		b.Def, b.listed, b.sure = nil, nil, false
	}
	b.apart = other
}

// Root returns the table with the full name if t has a shortened name for it, else t.
func (t *BoundTable) Root() *BoundTable { return t.root }

// Apart returns another table with the same last name that the scripts read, or nil if there is none.
func (t *BoundTable) Apart() *BoundTable {
	if t.root.apart != nil {
		return t.root.apart
	}
	return t.apart
}

// Listed returns the table's definition in the schema, certain or not; nil if there is none. several reports whether
// more than one table of the schema matches the name.
func (t *BoundTable) Listed() (def *Table, several bool) { return t.listed, t.several }
