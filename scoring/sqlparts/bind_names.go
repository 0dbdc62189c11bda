package sqlparts

import "strings"

// set stores the meanings of a column reference. If the node was bound before, as pipe syntax puts a node in two
// places, it gets the meanings of both places.
func (r *binder) set(c *Column, m []Meaning, doubt Certainty) {
	if c.id == 0 {
		return // a word that is not a column
	}
	if doubt != Sure {
		r.tables.doubted = append(r.tables.doubted, c.Name[0])
	}
	b := r.bound
	for int(c.id) >= len(b.slots) {
		b.slots = append(b.slots, make([]slot, max(len(b.slots), 16))...)
	}
	s := &b.slots[c.id]
	if s.bound {
		if doubt == Sure && s.doubt == Sure && len(m) == 1 && s.to-s.from == 1 && m[0].is(&b.meanings[s.from]) {
			return
		}
		m, doubt = append(b.meanings[s.from:s.to:s.to], m...), Unsure
	}
	from := int32(len(b.meanings))
	b.meanings = append(b.meanings, m...)
	*s = slot{from: from, to: int32(len(b.meanings)), doubt: doubt, bound: true, aside: r.aside}
}

// aliasUse is the precedence between an alias of the select list and a column with the same name.
type aliasUse uint8

const (
	noAlias     aliasUse = iota
	columnFirst          // a column hides the alias
	aliasFirst
	either // unknown which comes first, or whether aliases are visible
)

// aliasUse returns how a clause resolves aliases of the select list. bare reports whether the name alone is the whole
// sort or grouping key. The rules were tested on PostgreSQL 15, SQLite 3.40 and DuckDB 1.5; for other dialects they
// follow the vendors' documentation.
func (d Dialect) aliasUse(in clause, bare bool) aliasUse {
	switch in {
	case inOrder:
		switch {
		case bare:
			return aliasFirst
		case d == Postgres, d == Redshift:
			return noAlias
		case d == SQLite, d == DuckDB, d == TSQL:
			return columnFirst
		}
		return either
	case inGroup:
		switch d {
		case TSQL:
			return noAlias
		case Postgres, DuckDB:
			if !bare {
				return noAlias
			}
		case BigQuery, Generic:
			return either
		}
		return columnFirst
	case inHaving:
		switch d {
		case Postgres, Redshift, TSQL:
			return noAlias
		case BigQuery, MySQL, Generic:
			return either
		}
		return columnFirst
	case inQualify:
		if d == BigQuery || d == Generic {
			return either
		}
		return columnFirst
	case inWhere:
		switch d {
		case Snowflake, DuckDB, SQLite:
			return columnFirst
		case Redshift, Databricks:
			return columnFirst
		case Generic:
			return either
		}
	case inSelect:
		switch d {
		case Snowflake, DuckDB, Redshift, Databricks:
			return columnFirst
		case Generic:
			return either
		}
	case inExtra:
		return columnFirst
	}
	return noAlias
}

// rows reports whether the name of a source may be used as an expression that means its whole row.
func (d Dialect) rows() bool {
	switch d {
	case SQLite, MySQL, TSQL, Snowflake:
		return false
	}
	return true
}

// alias finds the element of the frame's select list that c names: by its alias or, if bare (c alone is a sort or
// grouping key) and the dialect allows it, by its column's name. ok is false if no element has the name.
func (r *binder) alias(f *frame, c *Column, bare bool) (m Meaning, doubt Certainty, ok bool) {
	it := r.aliases.find(f.sel, c)
	if it == nil && !(bare && r.dialect.namesElements(f.clause)) || it != nil && f.clause == inSelect && it.End > c.Start {
		return m, Sure, false
	}
	m = Meaning{Kind: SelectAlias, Known: true, Index: -1}
	if it == nil || r.aliases.several(f.sel, c) || r.dialect.likeness(c.Name[0], it.Alias, false) == different {
		m, doubt, ok = r.element(f, c, bare)
		return m, doubt, ok
	}
	m.Item = it
	return m, Sure, true
}

// namesElements reports whether a key of the clause that is a single name may refer to an element of the select list
// without an alias, by the last part of that element's column name.
func (d Dialect) namesElements(in clause) bool {
	return in == inOrder && d != SQLite || in == inGroup && d == BigQuery
}

// element is like [binder.alias], but compares c with all elements. doubt is Ambiguous or Unsure if several different
// ones may be meant.
func (r *binder) element(f *frame, c *Column, bare bool) (m Meaning, doubt Certainty, ok bool) {
	m = Meaning{Kind: SelectAlias, Known: true, Index: -1}
	if len(f.sel.Items) >= manyItems { // found in a map
		if m.Item = r.aliases.find(f.sel, c); m.Item != nil {
			return m, Ambiguous, true
		}
		if o := r.bound.output(f.query); o != nil {
			if at, h := o.find(r.dialect, c.Name[0]); h > may {
				m.Item = o.columns[at].Item
				_, star := m.Item.Expr.(*Star)
				return m, map[bool]Certainty{true: Sure, false: Unsure}[h == holds], !star
			}
		}
		return m, Sure, false
	}
	for _, it := range f.sel.Items {
		name := it.Alias
		if x, isColumn := it.Expr.(*Column); isColumn && name.Text == "" && bare && r.dialect.namesElements(f.clause) {
			name = x.Name.Last()
		}
		l := r.dialect.likeness(c.Name[0], name, false)
		switch {
		case name.Text == "" || l == different || f.clause == inSelect && it.End > c.Start:
		case !ok:
			m.Item, ok = it, true
		case sameWords(m.Item.Expr, it.Expr):
		case r.dialect != SQLite: // which takes the first
			doubt = Ambiguous
		}
	}
	return m, doubt, ok
}

// sameWords reports whether two elements of a select list are columns with identically written names.
func sameWords(a, b Expr) bool {
	x, ok := a.(*Column)
	y, too := b.(*Column)
	if !ok || !too || len(x.Name) != len(y.Name) {
		return false
	}
	for i := range x.Name {
		if x.Name[i] != y.Name[i] {
			return false
		}
	}
	return true
}

// several reports whether more than one alias of the select list matches the name.
func (a *aliases) several(s *Select, c *Column) bool {
	if len(s.Items) >= manyItems {
		a.of(s)
		return a.again[s][strings.ToLower(c.Name[0].Text)]
	}
	n := 0
	for _, it := range s.Items {
		if len(it.Alias.Text) == len(c.Name[0].Text) && it.Alias.Text != "" &&
			strings.EqualFold(it.Alias.Text, c.Name[0].Text) {
			n++
		}
	}
	return n > 1
}

// column binds a column reference: to a lambda parameter, or to the meanings of its qualified or unqualified name.
func (r *binder) column(c *Column, f *frame, bare bool) {
	r.looks.Step()
	for i := len(r.params) - 1; i >= 0; i-- {
		if strings.EqualFold(r.params[i].Text, c.Name[0].Text) {
			r.set(c, []Meaning{{Kind: LambdaParam, Known: true, Fields: len(c.Name) - 1}}, Sure)
			return
		}
	}
	if len(c.Name) > 1 {
		if m, doubt := r.qualified(c.Name, f); len(m) > 0 {
			r.set(c, m, doubt)
			return
		}
	}
	m, doubt := r.unqualified(c, f, bare)
	r.set(c, m, doubt)
}

// learn records that the table of a base column has the column id, if the schema does not list it. A column after a
// pivot is not recorded, because the pivot may create it.
func (r *binder) learn(m *Meaning, id Ident) {
	if m.Kind == BaseColumn && !m.Known && len(m.Source.Pivots) == 0 && m.Source.Recognize == nil {
		r.tables.learn(r.dialect, r.bound.source(m.Source).reading.Table, id)
	}
}

const (
	maxMeanings   = 8 // most meanings listed for a name
	maxQualifiers = 4 // most parts before a column in any engine
)

// qualified returns the meanings of a qualified name, or nil if no source has that qualifier.
func (r *binder) qualified(n Name, f *frame) (m []Meaning, doubt Certainty) {
	outer := 0
	missing := r.missing[:0] // meanings in sources that match the qualifier but lack the column
	for at := f; at != nil; at = at.outer {
		for k := min(len(n)-1, maxQualifiers); k >= 1; k-- {
			found := r.found[:0]
			doubts := 0
			for _, s := range at.called(n[k-1]) {
				l := s.goesBy(r.dialect, n[:k])
				if l == different &&
					(len(n[:k]) != 1 || s.group.Text == "" || r.dialect.likeness(n[0], s.group, false) == different) {
					continue
				}
				x, h := s.column(r.dialect, n[k])
				x.Fields, x.Outer = len(n)-k-1, outer
				switch {
				case h <= otherCase:
					if len(missing) < maxMeanings {
						missing = append(missing, x)
					}
					continue
				case h != holds && h != may, s.hidden:
					doubts++
				case l == different && h == may: // qualified with the alias of a join
					doubts++
				}
				if found = append(found, x); len(found) == maxMeanings {
					break
				}
			}
			r.found, r.missing = found, missing
			switch {
			case len(found) == 1 && doubts == 0:
				r.learn(&found[0], n[k])
				if len(missing) > 0 && r.dialect != SQLite && r.dialect != DuckDB { // these search further out
					return append(found, missing...), Unsure
				}
				return found, Sure
			case len(found) == 1:
				return found, Unsure
			case len(found) > 1:
				return found, Ambiguous
			}
		}
		if at.isSelect {
			outer++
		}
	}
	return missing, Unsure
}

// buffers are slices that are reused for the meanings of one name after another.
type buffers struct{ sure, perhaps, open_, weak, found, missing []Meaning }

// one returns a reused list that contains only m.
func (b *buffers) one(m Meaning) []Meaning {
	b.found = append(b.found[:0], m)
	return b.found
}

// unqualified returns the meanings of a name's first part: a column of the innermost query that has one, an alias
// of the select list, or anything else that the dialect resolves such a name to.
func (r *binder) unqualified(c *Column, f *frame, bare bool) (out []Meaning, doubt Certainty) {
	id, fields := c.Name[0], len(c.Name)-1
	open := r.open_[:0] // possible meanings in the inner queries
	weak := r.weak[:0]  // the nearest candidates that the dialect's rules exclude
	defer func() { r.open_, r.weak = open[:0], weak[:0] }()
	unnamed := false
	outer := 0
	for at := f; at != nil; at = at.outer {
		if !at.isSelect {
			continue
		}
		use := noAlias
		var alias Meaning
		var aliasDoubt Certainty
		hasAlias := false
		if fields == 0 && at.sel != nil {
			use = r.dialect.aliasUse(at.clause, bare && at == f)
			if alias, aliasDoubt, hasAlias = r.alias(at, c, bare && at == f); hasAlias {
				alias.Outer = outer
				if use == noAlias {
					if at == f {
						weak = append(weak, alias)
					}
					hasAlias = false
				}
			}
		}
		if hasAlias && use == aliasFirst && len(open) == 0 {
			return r.one(alias), aliasDoubt
		}
		sure, perhaps := r.sure[:0], r.perhaps[:0]
		if m := at.mergedOf(r.dialect, id); m != nil {
			sure = append(sure, Meaning{Kind: MergedColumn, Known: true, Fields: fields, Outer: outer, Merged: m})
			if m.Doubt != Sure {
				perhaps = append(perhaps, m.Left)
			}
		}
		v := at.offers()
	sources:
		for _, s := range v.known {
			if len(sure) > 0 && sure[0].Kind == MergedColumn && sure[0].Merged.of(s.Source) {
				continue
			}
			x, h := s.column(r.dialect, id)
			x.Fields, x.Outer = fields, outer
			switch h {
			case holds:
				if sure = append(sure, x); len(sure) == maxMeanings {
					break sources
				}
			case doubtful:
				perhaps = append(perhaps, x)
			case otherCase:
				weak = append(weak, x)
			}
			unnamed = unnamed || s.made != nil && s.made.unnamed
		}
		var row Meaning
		hasRow := false
		for _, s := range at.called(id) {
			if len(s.name.Text) != len(id.Text) || s.hidden || s.named(r.dialect, id) == different {
				continue
			}
			value := s.reading.Kind == ReadsFunction
			if _, h := s.column(r.dialect, id); h < holds && (value && s.Source.Alias.Text != "" || !value && r.dialect.rows()) {
				row, hasRow = Meaning{Kind: RowOfSource, Known: !s.mayHaveMore() || value, Fields: fields, Outer: outer,
					Source: s.Source}, true
			}
		}
		r.sure, r.perhaps = sure, perhaps
		if at.unmerged && len(sure) > 1 {
			perhaps, sure = append(perhaps, sure...), nil
		}
		if hasRow && len(sure) == 0 && row.Known && len(perhaps) == 0 {
			sure, hasRow = append(sure, row), false
		}
		switch {
		case len(sure) == 1 && len(perhaps) == 0:
			if len(open) > 0 {
				return append(open, sure[0]), Unsure
			}
			if hasAlias && (use == either || use == aliasFirst) && !isColumnOf(alias.Item, sure[0], r) {
				return at.likelier(sure[0], alias), Unsure
			}
			return sure, Sure
		case len(sure) > 1 && len(open)+len(perhaps) == 0:
			if hasAlias && use == either { // else the query would not run
				return r.one(alias), aliasDoubt
			}
			return sure, Ambiguous
		case len(sure)+len(perhaps) > 0:
			open = append(append(open, sure...), perhaps...)
		}
		if hasRow && len(sure) == 0 {
			open = append(open, row)
		}
		if len(sure) == 0 {
			if m, ok := maybe(v.open, id); ok {
				m.Fields, m.Outer = fields, outer
				if m.Source != nil && r.bound.source(m.Source).reading.Kind == ReadsTable {
					m.Kind = BaseColumn
				}
				if !hasRow || r.bound.source(row.Source).Alias.Text != "" {
					open = append(open, m)
				} else { // a table is seldom read as a value by its own name
					open = append(open[:len(open)-1], m, row)
				}
			}
		}
		if hasAlias {
			if len(open) == 0 {
				return r.one(alias), aliasDoubt
			}
			if at.clause != inWhere {
				return append([]Meaning{alias}, open...), Unsure
			}
			return append(open, alias), Unsure
		}
		outer++
	}
	if fields == 0 {
		for _, v := range r.variables {
			if strings.EqualFold(v.Text, id.Text) {
				if len(open) == 0 {
					return []Meaning{{Kind: Variable, Known: true}}, Sure
				}
				return append([]Meaning{{Kind: Variable, Known: true}}, open...), Unsure
			}
		}
	}
	if c.double && r.dialect == SQLite && fields == 0 {
		text := Meaning{Kind: QuotedText, Known: true}
		if len(open) == 0 && !unnamed {
			return []Meaning{text}, Sure
		}
		return append(open, text), Unsure
	}
	if len(open) == 1 && open[0].Source != nil && fields == 0 {
		r.learn(&open[0], id)
		return open, Sure
	}
	if len(open) > 0 {
		return open, Unsure
	}
	return weak, Unsure
}

// likelier returns the meanings of a name that is both a column and an alias, the likelier first: the alias, except in
// WHERE and the select list.
func (f *frame) likelier(column, alias Meaning) []Meaning {
	if f.clause == inWhere || f.clause == inSelect {
		return []Meaning{column, alias}
	}
	return []Meaning{alias, column}
}

// isColumnOf reports whether the select-list element it certainly is the column m. Then alias and column mean the same.
func isColumnOf(it *Item, m Meaning, r *binder) bool {
	if it == nil {
		return false
	}
	c, ok := it.Expr.(*Column)
	if !ok || int(c.id) >= len(r.bound.slots) {
		return false
	}
	s := r.bound.slots[c.id]
	return s.bound && s.doubt == Sure && s.to-s.from == 1 && r.bound.meanings[s.from].is(&m)
}

// maybe returns the meaning of id as a column of one of the sources open, whose columns are not all known. It returns
// false if open is empty.
func maybe(open []*Source, id Ident) (Meaning, bool) {
	switch len(open) {
	case 0:
		return Meaning{}, false
	case 1:
		return Meaning{Kind: QueryColumn, Index: -1, Source: open[0]}, true
	}
	return Meaning{Kind: QueryColumn, Index: -1, Among: open}, true
}

// starOf binds the qualifier of a star, as a source or, if no source matches, as a column whose fields the star
// selects.
func (r *binder) starOf(c *Column, f *frame) {
	outer := 0
	for at := f; at != nil; at = at.outer {
		var found []Meaning
		doubt := Sure
		for _, s := range at.called(c.Name.Last()) {
			l := s.goesBy(r.dialect, c.Name)
			if l == different &&
				(len(c.Name) != 1 || s.group.Text == "" || r.dialect.likeness(c.Name[0], s.group, false) == different) {
				continue
			}
			if l == different {
				doubt = Unsure // qualified with the alias of a join
			}
			found = append(found, Meaning{Kind: RowOfSource, Known: true, Outer: outer, Source: s.Source})
		}
		if len(found) > 1 && doubt == Sure {
			doubt = Ambiguous
		}
		if len(found) > 0 {
			r.set(c, found, doubt)
			return
		}
		if at.isSelect {
			outer++
		}
	}
	r.column(c, f, false)
}

// mergedOf returns the merged column with the name, or nil if there is none.
func (f *frame) mergedOf(d Dialect, id Ident) *MergedSource {
	for _, m := range f.merged {
		if d.likeness(id, m.Name, false) != different {
			return m
		}
	}
	return nil
}

// of reports whether one side of the merged column is, or may be, a column of the source.
func (m *MergedSource) of(s *Source) bool {
	for _, side := range [...]*Meaning{&m.Left, &m.Right} {
		if side.Source == s || side.Merged != nil && side.Merged.of(s) {
			return true
		}
		for _, o := range side.Among {
			if o == s {
				return true
			}
		}
	}
	return false
}

// merge adds to the frame the columns that USING or NATURAL of the source bs merges. f.sources[before:] are the right
// side.
func (r *binder) merge(bs *boundSource, f *frame, before int) {
	src := bs.Source
	left, right := f.sources[f.from:before], f.sources[before:]
	names := src.Using
	if src.Natural {
		bs.natural = true
		for _, s := range right {
			columns, whole := s.output()
			bs.natural = bs.natural && whole
			for _, c := range columns {
				if c.Name.Text == "" {
					continue
				}
				if m := f.mergedOf(r.dialect, c.Name); m != nil {
					names = append(names, c.Name)
					continue
				}
				for _, l := range left {
					if _, h := l.column(r.dialect, c.Name); h >= doubtful {
						names = append(names, c.Name)
						break
					}
				}
			}
		}
		for _, l := range left {
			bs.natural = bs.natural && !l.mayHaveMore()
		}
		f.unmerged = f.unmerged || !bs.natural
	}
	for _, id := range names {
		m := &MergedSource{Name: id, Join: src.Join}
		var doubt Certainty
		if prior := f.mergedOf(r.dialect, id); prior != nil {
			m.Left, m.Doubt = Meaning{Kind: MergedColumn, Known: true, Merged: prior}, prior.Doubt
		} else {
			m.Left, m.Doubt = r.side(left, id)
		}
		m.Right, doubt = r.side(right, id)
		m.Doubt = max(m.Doubt, doubt)
		if m.Doubt != Sure {
			r.tables.doubted = append(r.tables.doubted, id)
		}
		replaced := false
		for i, o := range f.merged {
			if r.dialect.likeness(id, o.Name, false) != different {
				f.merged = append(append([]*MergedSource(nil), f.merged[:i]...), f.merged[i+1:]...)
				f.merged = append(f.merged, m)
				replaced = true
				break
			}
		}
		if !replaced {
			f.merged = append(f.merged, m)
		}
		if r.bound.merged == nil {
			r.bound.merged = map[*Source][]*MergedSource{}
		}
		r.bound.merged[src] = append(r.bound.merged[src], m)
	}
}

// side returns the meaning and certainty of a USING column on one side of a join.
func (r *binder) side(sources []*boundSource, id Ident) (Meaning, Certainty) {
	var sure, open []Meaning
	var among []*Source
	for _, s := range sources {
		if s.hidden {
			continue
		}
		switch m, h := s.column(r.dialect, id); h {
		case holds:
			sure = append(sure, m)
		case doubtful, may:
			open = append(open, m)
			among = append(among, s.Source)
		}
	}
	switch {
	case len(sure) == 1:
		return sure[0], Sure
	case len(sure) > 1:
		return sure[0], Ambiguous
	case len(open) == 1:
		r.learn(&open[0], id)
		if open[0].Known {
			return open[0], Unsure
		}
		return open[0], Sure
	case len(open) > 1:
		return Meaning{Kind: QueryColumn, Index: -1, Among: among}, Unsure
	}
	return Meaning{Kind: QueryColumn, Index: -1}, Unsure
}

// selectOutput returns the output columns of a select, with stars expanded as far as possible.
func (r *binder) selectOutput(s *Select, f *frame) *output {
	o := r.outputs.new()
	o.whole = s.As == ""
	from := r.columns.mark()
	for _, it := range s.Items {
		if star, ok := it.Expr.(*Star); ok {
			r.starOutput(o, it, star, f)
			continue
		}
		name := it.Alias
		if name.Text == "" {
			switch e := it.Expr.(type) {
			case *Column:
				name = e.Name.Last()
			case *Field:
				name = e.Name
			case *Call:
				if r.dialect == Postgres || r.dialect == Redshift {
					name = Ident{Text: strings.ToLower(e.Name.Last().Text)}
				}
			}
			o.unnamed = o.unnamed || name.Text == ""
		}
		r.columns.push(OutputColumn{Name: name, Item: it})
	}
	o.columns = r.columns.cut(from)
	return o
}

// maxListed is the number of columns that stars of one script may expand to; beyond it, outputs are marked incomplete.
// Stars over stars could double the number with each query.
const maxListed = 100_000

// starOutput adds the columns that a star expands to, with its EXCEPT, RENAME and REPLACE applied. It clears o.whole if
// some are unknown.
func (r *binder) starOutput(o *output, it *Item, star *Star, f *frame) {
	if star.Like != nil {
		o.whole = false
	}
	drop := func(id Ident) bool {
		for _, x := range star.Except {
			if id.Text != "" && r.dialect.likeness(x, id, false) != different {
				return true
			}
		}
		return false
	}
	add := func(c OutputColumn) {
		if drop(c.Name) {
			return
		}
		r.listed++
		c.Item = it
		for _, x := range star.Rename {
			if from, ok := x.Expr.(*Column); ok && c.Name.Text != "" &&
				r.dialect.likeness(from.Name.Last(), c.Name, false) != different {
				c.Name = x.Alias
			}
		}
		for _, x := range star.Replace {
			if c.Name.Text != "" && r.dialect.likeness(x.Alias, c.Name, false) != different {
				c = OutputColumn{Name: c.Name, Item: x}
			}
		}
		r.columns.push(c)
	}
	of := func(s *boundSource) {
		columns, whole := s.output()
		if o.whole = o.whole && whole; r.listed > maxListed {
			o.whole = false
			return
		}
		o.unnamed = o.unnamed || s.made != nil && s.made.unnamed
		for i, c := range columns {
			if m := r.mergedWith(f, s, c.Name); m != nil && star.Qualifier == nil {
				if m.first(s.Source) && !r.dialect.mergedFirst() {
					add(OutputColumn{Name: m.Name, Merged: m, Index: i, From: s.Source})
				}
				continue
			}
			out := OutputColumn{Name: c.Name, Star: c.Star, From: s.Source, Index: i, Column: c.Column}
			if c.Star {
				out.From = c.From
			}
			if s.reading.Kind != ReadsTable {
				out.Column = nil
			}
			add(out)
		}
		if !whole && len(columns) == 0 {
			add(OutputColumn{Star: true, From: s.Source})
		}
	}
	if star.Qualifier != nil {
		c, ok := star.Qualifier.(*Column)
		if !ok {
			o.whole = false
			return
		}
		ms, _ := r.bound.Means(c)
		for _, m := range ms {
			if bs := r.bound.source(m.Source); m.Kind == RowOfSource && bs != nil {
				of(bs)
				continue
			}
			o.whole = false
		}
		if len(ms) != 1 {
			o.whole = false
		}
		return
	}
	if r.dialect.mergedFirst() {
		for _, m := range f.merged {
			add(OutputColumn{Name: m.Name, Merged: m})
		}
	}
	if len(f.merged) > 0 && !r.dialect.mergedOrder() || f.unmerged {
		o.whole = false
	}
	for _, s := range f.sources {
		if !s.hidden {
			of(s)
		}
	}
}

// mergedWith returns the merged column that contains the column id of the source s, or nil if that column is not
// merged.
func (r *binder) mergedWith(f *frame, s *boundSource, id Ident) *MergedSource {
	if len(f.merged) == 0 || id.Text == "" {
		return nil
	}
	if m := f.mergedOf(r.dialect, id); m != nil && m.of(s.Source) {
		return m
	}
	return nil
}

// first reports whether the source is the leftmost one whose column was merged into m.
func (m *MergedSource) first(s *Source) bool {
	for m.Left.Merged != nil {
		m = m.Left.Merged
	}
	return m.Left.Source == s
}

// mergedFirst reports whether a star lists merged columns before all others, as the SQL standard requires. In the other
// dialects a star lists them at their position in the left table.
func (d Dialect) mergedFirst() bool { return d == Postgres || d == MySQL || d == BigQuery }

// mergedOrder reports whether the position of merged columns in a star is known for the dialect.
func (d Dialect) mergedOrder() bool { return d.mergedFirst() || d == SQLite || d == DuckDB }
