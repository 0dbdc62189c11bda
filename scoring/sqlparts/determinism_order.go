package sqlparts

import (
	"slices"
	"strings"
)

// The explanations for rows whose order no clause determines.
const (
	saysNoOrder  = "keeps some rows without an ORDER BY that says which: add one that leaves no ties"
	saysTies     = "keeps some of the rows that are alike in what it sorts by, if there are such: sort by more until no two are, or keep all that tie"
	saysUnsorted = "depends on the order in which rows come, which nothing says: add an ORDER BY to it"
	saysAny      = "takes any of the values: say which, such as the least"
	saysPeers    = "depends on the order of rows that are alike in what it sorts by, if there are such: sort by more until no two are"
)

// maxKeys is the maximum number of sort keys that are examined. If there are more, the order counts as undetermined.
const maxKeys = 64

// query records a LIMIT or OFFSET whose ORDER BY does not determine which rows it keeps.
func (r *dependenceReader) query(q *Query) {
	if s, ok := q.Body.(*Select); ok {
		r.orders[s] = q.OrderBy
	}
	if inner, ok := q.Body.(*Query); ok && (q.Limit != nil || r.limited[q]) {
		r.limited[inner] = true
	}
	for _, o := range q.OrderBy { // without a limit, random sort keys change only the order of the rows
		if q.Limit == nil && !r.limited[q] && random(o.Expr) {
			Walk(o.Expr, func(n Node) bool {
				r.besides[n] = true
				_, inside := n.(*Query)
				return !inside
			})
		}
	}
	l := q.Limit
	if l == nil || l.Count == nil && l.Offset == nil || l.WithTies && l.Offset == nil && len(q.Order()) > 0 ||
		r.besides[q] || isZero(l.Count) {
		return
	}
	keys := sortKeys(q.Order())
	if r.fixed(q, keys) {
		return
	}
	if len(keys) == 0 {
		// random keys are reported separately
		if !slices.ContainsFunc(q.Order(), func(o *OrderItem) bool { return random(o.Expr) }) {
			r.add(OnOrder, l, saysNoOrder)
		}
		return
	}
	r.add(OnTies, l, saysTies)
}

func isZero(e Expr) bool {
	l, ok := e.(*Literal)
	return ok && l.Kind == Number && l.Text == "0"
}

// random reports whether an expression contains a function of random numbers, outside subqueries. Such a sort key
// determines no order.
func random(e Expr) bool {
	found := false
	Walk(e, func(n Node) bool {
		if c, ok := n.(*Call); ok {
			name := strings.ToLower(c.Name.Last().Text)
			found = found || randomNames[name] || len(c.Args) == 0 && !c.bare() && (name == "uuid" || name == "uuid_string")
		}
		_, inside := n.(*Query)
		return !found && !inside
	})
	return found
}

// sortKeys returns the sort keys that depend on the rows: all except constants and random values. Positions are kept as
// numbers.
func sortKeys(order []*OrderItem) (keys []Expr) {
	for _, o := range order {
		l, number := o.Expr.(*Literal)
		if number = number && l.Kind == Number; (number || !constant(o.Expr)) && !random(o.Expr) {
			keys = append(keys, o.Expr)
		}
	}
	return keys
}

// sel records a DISTINCT ON whose sort keys do not determine which rows it keeps.
func (r *dependenceReader) sel(s *Select) {
	if len(s.DistinctOn) == 0 {
		return
	}
	order := r.orders[s]
	keys := slices.Concat(s.DistinctOn, sortKeys(order))
	if r.rowsFixed(s, keys) || outputsIn(s, keys) {
		return
	}
	at := Node(s.DistinctOn[0])
	if len(sortKeys(order)) == 0 {
		r.add(OnOrder, at,
			"is what DISTINCT ON keeps one row of, without an ORDER BY that says which: add one that leaves no ties")
		return
	}
	r.add(OnTies, at, "is what DISTINCT ON keeps one row of; where rows are alike in what it sorts by, any of them: sort by more until no two are")
}

// gathering are aggregates whose value depends on the order in which they receive the rows.
var gathering = nameSet(`array_agg string_agg listagg group_concat list json_agg jsonb_agg json_arrayagg json_group_array jsonb_group_array collect_list collect_set
	array_unique_agg array_union_agg array_concat_agg xmlagg first last array_agg_distinct json_agg_strict jsonb_agg_strict json_group_structure
	json_object_agg json_object_agg_strict jsonb_object_agg jsonb_object_agg_strict json_objectagg json_group_object jsonb_group_object map_agg`)

// gatheringPairs are the gathering aggregates of name and value pairs whose result does not depend on the order of the
// rows if all names in a group differ. Aggregates that return json text, unlike jsonb, are not among them.
var gatheringPairs = nameSet(`jsonb_object_agg jsonb_object_agg_strict jsonb_group_object map_agg`)

// aggregate records an aggregate that collects or chooses values in an order that is not determined.
func (r *dependenceReader) aggregate(c *Call, name string) {
	s := r.within()
	if c.Over != nil || s == nil || r.besides[c] {
		return
	}
	if (gathering[name] || name == "array") && name != "first" && name != "last" && c.Limit == nil &&
		r.usedOnly(c, usePassed|useUnordered) {
		return
	}
	order := slices.Concat(c.OrderBy, c.Within)
	switch {
	case name == "any_value" || name == "arbitrary":
		if c.Having != nil {
			order = []*OrderItem{{Expr: c.Having}}
			break
		}
		if len(c.Args) > 0 && !constant(c.Args[0]) && !r.oneInGroup(s, c.Args[0]) {
			r.add(OnOrder, c, saysAny)
		}
		return
	case name == "max_by" || name == "min_by" || name == "maxby" || name == "minby" || name == "arg_max" ||
		name == "arg_min" || name == "argmax" || name == "argmin":
		if len(c.Args) < 2 {
			return
		}
		order = []*OrderItem{{Expr: c.Args[1]}}
	case name == "array" && len(c.Args) == 1: // ARRAY(SELECT …)
		if sub, ok := c.Args[0].(*Subquery); ok && len(sub.Query.Order()) == 0 && !r.oneRow(sub.Query) {
			r.add(OnOrder, c, saysUnsorted)
		}
		return
	case name == "mode":
		r.add(OnTies, c, "takes any of the values that are as frequent as the most frequent, if there are several: say which, such as the least")
		return
	case !gathering[name]:
		return
	}
	if len(c.Args) == 0 || constant(c.Args[0]) && (len(c.Args) < 2 || !strings.Contains(name, "object")) {
		return
	}
	keys := sortKeys(order)
	if gatheringPairs[name] && r.rowsFixedBefore(s, slices.Concat(r.groupOf(s), c.Args[:1])) {
		return // one value for each name
	}
	switch among := slices.Concat(keys, r.groupOf(s)); {
	case madeOf(s, among, gathered(c, name)) || r.rowsFixedBefore(s, among):
	case len(keys) == 0:
		r.add(OnOrder, c, saysUnsorted)
	default:
		r.add(OnTies, c, saysPeers)
	}
}

// gathered returns the arguments whose values an aggregate collects: the first, or a name and its value.
func gathered(c *Call, name string) []Expr {
	if strings.Contains(name, "object") || name == "map_agg" {
		return c.Args[:min(2, len(c.Args))]
	}
	return c.Args[:1]
}

// madeOf reports whether all expressions of the list have equal values in rows with equal keys: they are keys, or
// computed only from keys and constants.
func madeOf(s *Select, keys, list []Expr) bool {
	made := true
	for _, e := range list {
		Walk(e, func(n Node) bool {
			switch n := n.(type) {
			case *Column:
				made = made && inKeys(s, keys, n)
			case *Query, *Star:
				made = false
			case Expr:
				if inKeys(s, keys, n) {
					return false
				}
			}
			return made
		})
		made = made && !random(e)
	}
	return made
}

// groupOf returns the keys of a select's groups, with aliases and positions resolved. It returns nil if there are none,
// too many, or grouping sets.
func (r *dependenceReader) groupOf(s *Select) (keys []Expr) {
	if s.Group == nil || len(s.Group.Items) > maxKeys {
		return nil
	}
	for _, e := range s.Group.Items {
		if _, sets := e.(*Grouping); sets {
			return nil
		}
		keys = append(keys, meant(s, e))
	}
	if s.Group.All {
		for _, it := range s.Items {
			if len(keys) < maxKeys && !aggregates(it.Expr) {
				keys = append(keys, it.Expr)
			}
		}
	}
	return keys
}

// oneInGroup reports whether an expression certainly has only one value in each group: the group keys determine it, or
// each group has one row.
func (r *dependenceReader) oneInGroup(s *Select, e Expr) bool {
	keys := r.groupOf(s)
	if len(keys) == 0 {
		return false
	}
	if inKeys(s, keys, e) || r.rowsFixedBefore(s, keys) {
		return true
	}
	known := r.keysKnown(s, keys)
	fixed := true
	Walk(e, func(n Node) bool {
		switch n := n.(type) {
		case *Column:
			fixed = fixed && slices.ContainsFunc(s.From, func(src *Source) bool {
				return len(n.Name) > 1 && strings.EqualFold(sourceName(src), n.Name[len(n.Name)-2].Text) &&
					r.sourceFixed(src, known)
			})
		case *Query, *Call:
			fixed = false
		}
		return fixed
	})
	return fixed
}

// peers are window functions that may give different values to rows with equal sort keys.
var peers = nameSet(`row_number ntile lag lead first_value last_value nth_value first last`)

// windowed records a window function whose value depends on the order of rows with equal sort keys.
func (r *dependenceReader) windowed(c *Call, name string) {
	s := r.within()
	if c.Over == nil || s == nil {
		return
	}
	w := c.Over
	if w.Name.Text != "" && len(w.OrderBy) == 0 {
		for _, d := range s.Windows {
			if strings.EqualFold(d.Name.Text, w.Name.Text) && d.Window != nil {
				w = d.Window
			}
		}
	}
	frame := strings.HasPrefix(w.Frame, "rows") &&
		!(strings.Contains(w.Frame, "unbounded preceding") && strings.Contains(w.Frame, "unbounded following"))
	switch {
	case peers[name] || gathering[name]:
	case frame && name != "rank" && name != "dense_rank" && name != "percent_rank" && name != "cume_dist":
	default:
		return
	}
	keys := sortKeys(w.OrderBy)
	for i, k := range keys {
		keys[i] = meant(s, k)
	}
	among := slices.Concat(keys, w.Partition)
	if len(c.Args) > 0 && (name == "first_value" || name == "last_value" || name == "first" || name == "last") &&
		(inKeys(s, among, c.Args[0]) || constant(c.Args[0])) {
		return
	}
	if r.rowsFixed(s, among) || r.alike(s) {
		return
	}
	if name == "row_number" && len(keys)+len(w.Partition) == 0 && r.usedOnly(c, usePassed|useCompared) {
		return // the number is used only to distinguish rows
	}
	if slices.ContainsFunc(w.OrderBy, func(o *OrderItem) bool { return sequenceOfRows(o.Expr) || random(o.Expr) }) {
		return // a generator's numbers are all different; random keys are reported separately
	}
	if len(keys) == 0 {
		r.add(OnOrder, c, saysUnsorted)
		return
	}
	r.add(OnTies, c, saysPeers)
}

// sequenceOfRows reports whether an expression numbers the rows of a generator: Snowflake's SEQ4().
func sequenceOfRows(e Expr) bool {
	c, ok := e.(*Call)
	if !ok || len(c.Name) != 1 {
		return false
	}
	switch strings.ToLower(c.Name[0].Text) {
	case "seq1", "seq2", "seq4", "seq8":
		return true
	}
	return false
}

// alike reports whether all rows of a select's FROM are equal, because it reads only a generator, which has no columns.
func (r *dependenceReader) alike(s *Select) bool {
	return len(s.From) == 1 && s.From[0].Call != nil && generator(s.From[0].Call)
}

func generator(c *Call) bool {
	name := strings.ToLower(c.Name.Last().Text)
	if name == "table" && len(c.Args) == 1 {
		if inner, ok := c.Args[0].(*Call); ok {
			return generator(inner)
		}
	}
	return name == "generator"
}

// fixed reports whether the first rows of a query, sorted by the keys, are the same in any engine: it has one row, or
// rows with equal keys are equal in all columns.
func (r *dependenceReader) fixed(q *Query, keys []Expr) bool {
	if r.oneRow(q) {
		return true
	}
	s := firstSelect(q)
	if s == nil || len(keys) > maxKeys {
		return false
	}
	own := q
	for {
		inner, ok := own.Body.(*Query)
		if !ok {
			break
		}
		own = inner
	}
	if outputsIn(s, keys) {
		return true
	}
	if own.Body != Body(s) { // a set operation
		return false
	}
	if s.Distinct {
		return false
	}
	for i, k := range keys {
		keys[i] = meant(s, k)
	}
	return r.rowsFixed(s, keys) || r.alike(s)
}

// outputsIn reports whether every item of the select list is one of the keys or constant.
func outputsIn(s *Select, keys []Expr) bool {
	for _, it := range s.Items {
		if _, star := it.Expr.(*Star); star {
			return false
		}
		if !constant(it.Expr) && !inKeys(s, keys, it.Expr) &&
			(it.Alias.Text == "" || !inKeys(s, keys, &Column{Name: Name{it.Alias}})) {
			return false
		}
	}
	return len(s.Items) > 0
}

// meant returns the expression that an alias or a position of the select list refers to, else e itself.
func meant(s *Select, e Expr) Expr {
	if it := positioned(s, e); it != nil {
		return it.Expr
	}
	if c, ok := e.(*Column); ok && len(c.Name) == 1 {
		for _, it := range s.Items {
			if it.Alias.Text != "" && strings.EqualFold(it.Alias.Text, c.Name[0].Text) {
				return it.Expr
			}
		}
	}
	return e
}

// inKeys reports whether an expression equals one of the keys, or the select item to which a key refers.
func inKeys(s *Select, keys []Expr, e Expr) bool {
	text := ""
	for _, k := range keys {
		if other := meant(s, k); other != k && inKeys(&Select{}, []Expr{other}, e) {
			return true
		}
		a, isA := e.(*Column)
		if b, isB := k.(*Column); isA && isB {
			if sameColumn(a.Name, b.Name) {
				return true
			}
			continue
		}
		if text == "" {
			text = Normalized(e)
		}
		if Normalized(k) == text {
			return true
		}
	}
	return false
}

// sameColumn reports whether two names may mean the same column: they are equal from the end, as far as both have
// parts.
func sameColumn(a, b Name) bool {
	for i := 1; i <= min(len(a), len(b)); i++ {
		if !strings.EqualFold(a[len(a)-i].Text, b[len(b)-i].Text) {
			return false
		}
	}
	return true
}

// oneRow reports whether a query certainly returns at most one row.
func (r *dependenceReader) oneRow(q *Query) bool {
	if n, ok := q.RowLimit(); ok && n <= 1 && q.Limit == nil { // the limit of the query in parentheses
		return true
	}
	s, ok := q.Body.(*Select)
	if !ok {
		inner, isQuery := q.Body.(*Query)
		return isQuery && r.oneRow(inner)
	}
	if s.Group != nil {
		return false
	}
	return len(s.From) == 0 && s.Where == nil ||
		slices.ContainsFunc(s.Items, func(it *Item) bool { return totals(it.Expr) }) || s.Having != nil
}

// totals reports whether an expression contains an aggregate that is not a window function and not in a subquery.
func totals(e Expr) bool {
	found := false
	Walk(e, func(n Node) bool {
		switch n := n.(type) {
		case *Query:
			return false
		case *Call:
			if n.Over != nil {
				return false
			}
			found = found || len(n.Name) == 1 && IsAggregate(n.Name[0].Text)
		}
		return !found
	})
	return found
}

// rowsFixed reports whether no two rows of a select (or groups, if it groups) have equal keys.
func (r *dependenceReader) rowsFixed(s *Select, keys []Expr) bool {
	if s.Group != nil {
		group := r.groupOf(s)
		return len(group) > 0 && len(keys) <= maxKeys &&
			!slices.ContainsFunc(group, func(g Expr) bool { return !constant(g) && !inKeys(s, keys, g) })
	}
	return r.rowsFixedBefore(s, keys)
}

// rowsFixedBefore reports whether no two rows of a select, before they are grouped, have equal keys.
func (r *dependenceReader) rowsFixedBefore(s *Select, keys []Expr) bool {
	if len(s.From) == 0 || len(s.From) > maxKeys || len(keys) > maxKeys {
		return false
	}
	known := r.keysKnown(s, keys)
	for _, src := range s.From {
		if src.Join == SemiJoin || src.Join == AntiJoin {
			continue
		}
		if src.Nested != nil || src.Pivots != nil || src.Recognize != nil || !r.sourceFixed(src, known) {
			return false
		}
	}
	return true
}

// keysKnown returns the columns whose values are determined by the values of the keys and by equalities in WHERE and
// joins.
func (r *dependenceReader) keysKnown(s *Select, keys []Expr) *keyNames {
	known := &keyNames{}
	for _, k := range keys {
		if c, ok := k.(*Column); ok {
			known.names = append(known.names, c.Name)
		}
	}
	known.conditions(s.Where, true, "")
	for range s.From { // a known key may determine that of another table
		before := len(known.names) + len(known.sources)
		for _, src := range s.From {
			known.joined(src)
			if name := sourceName(src); name != "" && !slices.Contains(known.sources, name) && r.sourceFixed(src, known) {
				known.sources = append(known.sources, name)
			}
		}
		if len(known.names)+len(known.sources) == before {
			break
		}
	}
	return known
}

// keyNames is a set of columns whose values are known for each row.
type keyNames struct {
	names   []Name
	sources []string // names of sources with all columns known
}

// has reports whether the column of a source is known.
func (k *keyNames) has(source, column string) bool {
	return slices.ContainsFunc(k.names, func(n Name) bool {
		if !strings.EqualFold(n.Last().Text, column) {
			return false
		}
		return len(n) == 1 || strings.EqualFold(n[len(n)-2].Text, source)
	})
}

// conditions adds columns that the condition e equates with constants, if constants is set, or with known columns. If
// only is not "", only columns of the source with this name are added.
func (k *keyNames) conditions(e Expr, constants bool, only string) {
	switch e := e.(type) {
	case *Logic:
		if !e.Or && len(e.Args) <= maxKeys {
			for _, a := range e.Args {
				k.conditions(a, constants, only)
			}
		}
	case *Binary:
		if e.Op != "=" || e.Quantifier != "" {
			return
		}
		l, isL := e.L.(*Column)
		r, isR := e.R.(*Column)
		switch {
		case isL && isR:
			k.follow(l, r, only)
			k.follow(r, l, only)
		case isL && constants && (constant(e.R) || isParam(e.R)):
			k.add(l.Name)
		case isR && constants && (constant(e.L) || isParam(e.L)):
			k.add(r.Name)
		}
	}
}

// add adds a column if it is not in the set.
func (k *keyNames) add(n Name) {
	if len(k.names) <= 4*maxKeys &&
		!slices.ContainsFunc(k.names, func(o Name) bool { return len(o) == len(n) && sameColumn(o, n) }) {
		k.names = append(k.names, n)
	}
}

func isParam(e Expr) bool { _, ok := e.(*Param); return ok }

// follow adds the column to, which equals from, if from is known. For only, see conditions.
func (k *keyNames) follow(from, to *Column, only string) {
	if only != "" && (len(to.Name) < 2 || !strings.EqualFold(to.Name[len(to.Name)-2].Text, only)) {
		return
	}
	known := func(c *Column) bool {
		if len(c.Name) > 1 && slices.Contains(k.sources, c.Name[len(c.Name)-2].Text) {
			return true
		}
		return slices.ContainsFunc(k.names, func(n Name) bool { return sameColumn(n, c.Name) })
	}
	if known(from) && !known(to) {
		k.add(to.Name)
	}
}

// joined adds the columns that the condition of a join makes known. For a LEFT JOIN, these are only columns of its
// right side.
func (k *keyNames) joined(s *Source) {
	switch s.Join {
	case InnerJoin, CrossJoin, CommaJoin, FirstSource:
		k.conditions(s.On, true, "")
	case LeftJoin:
		k.conditions(s.On, false, sourceName(s))
	default:
	}
}

func sourceName(s *Source) string {
	if s.Alias.Text != "" {
		return s.Alias.Text
	}
	return s.Table.Last().Text
}

// sourceFixed reports whether the known columns include a unique key of the source, so that at most one of its rows
// matches.
func (r *dependenceReader) sourceFixed(s *Source, known *keyNames) bool {
	return slices.ContainsFunc(r.uniqueOf(s), func(columns []string) bool {
		return !slices.ContainsFunc(columns, func(c string) bool { return !known.has(sourceName(s), c) })
	})
}

// uniqueOf returns sets of columns whose values are unique among the rows of a source.
func (r *dependenceReader) uniqueOf(s *Source) [][]string {
	switch {
	case len(s.Columns) > 0:
		return nil
	case s.Query != nil:
		return r.uniqueIn(s.Query)
	case len(s.Table) == 0:
		return nil
	}
	if len(s.Table) == 1 {
		for i := len(r.scope) - 1; i >= 0; i-- {
			if c := r.scope[i]; strings.EqualFold(c.Name.Text, s.Table[0].Text) {
				if c.Query == nil || len(c.Columns) > 0 {
					return nil
				}
				return r.uniqueIn(c.Query)
			}
		}
	}
	if r.schema.Doubt != "" {
		return nil
	}
	var sets [][]string
	for _, t := range r.schema.Tables {
		if _, must := r.dialect.SameTable(t.Name, s.Table); !must &&
			!strings.EqualFold(t.Name.Last().Text, s.Table.Last().Text) || t.Doubt != "" {
			continue
		}
		for _, k := range t.Keys {
			if !k.Sure ||
				!k.Primary && slices.ContainsFunc(k.Columns, func(c *ColumnDef) bool { return !c.NotNull || !c.Sure }) {
				continue
			}
			names := make([]string, len(k.Columns))
			for i, c := range k.Columns {
				names[i] = c.Name.Text
			}
			sets = append(sets, names)
		}
	}
	return sets
}

// uniqueIn returns sets of columns whose values are unique among the rows of a query. An empty set means that it has at
// most one row.
func (r *dependenceReader) uniqueIn(q *Query) (sets [][]string) {
	if have, ok := r.unique[q]; ok {
		return have
	}
	r.unique[q] = nil // the answer for a query that reads itself
	defer func() { r.unique[q] = sets }()
	if n, ok := q.RowLimit(); ok && n <= 1 || r.oneRow(q) {
		return [][]string{{}}
	}
	s, ok := q.Body.(*Select)
	if !ok {
		if inner, isQuery := q.Body.(*Query); isQuery {
			return r.uniqueIn(inner)
		}
		return nil
	}
	outputs := func(keys []Expr) []string { // their names in the result; nil if one has none
		names := []string{}
		for _, k := range keys {
			at := slices.IndexFunc(s.Items, func(it *Item) bool { return inKeys(s, []Expr{k}, it.Expr) })
			if at < 0 || outputName(s.Items[at]) == "" {
				return nil
			}
			names = append(names, outputName(s.Items[at]))
		}
		return names
	}
	switch {
	case s.Group != nil:
		if keys := r.groupOf(s); len(keys) > 0 {
			if names := outputs(keys); names != nil {
				sets = append(sets, names)
			}
		}
	case s.Distinct && len(s.Items) <= maxKeys:
		var all []Expr
		for _, it := range s.Items {
			if _, star := it.Expr.(*Star); star {
				return nil
			}
			all = append(all, it.Expr)
		}
		if names := outputs(all); names != nil {
			sets = append(sets, names)
		}
	case len(s.From) == 1 && s.From[0].Nested == nil && s.From[0].Pivots == nil:
		for _, columns := range r.uniqueOf(s.From[0]) {
			if hasStar(s) {
				sets = append(sets, columns)
				continue
			}
			keys := make([]Expr, len(columns))
			for i, c := range columns {
				keys[i] = &Column{Name: Name{{Text: c}}}
			}
			if names := outputs(keys); names != nil {
				sets = append(sets, names)
			}
		}
	}
	return sets
}

// outputName returns the name of a result column, or "" if the engine invents it.
func outputName(it *Item) string {
	if it.Alias.Text != "" {
		return it.Alias.Text
	}
	if c, ok := it.Expr.(*Column); ok {
		return c.Name.Last().Text
	}
	return ""
}
