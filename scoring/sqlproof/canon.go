package sqlproof

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/halt"
)

// printer writes a tree in canonical form: parts without an order are sorted, and sources are numbered by their
// content, not by their position.
type printer struct {
	rules
	labels map[*source]string
	ranks  map[*block][]int
	closed map[*block]bool   // whether a derived table uses only its own sources
	turned map[*full]bool    // full joins whose right side comes first
	texts  map[*block]string // texts of closed derived tables, which do not depend on the position
	work   int
	at     int  // number of sources that have numbers where the current expression is
	over   bool // work limit exceeded: the text is incomplete
	stop   *halt.Signal
}

const (
	maxWork   = 30 << 20 // most bytes that are written
	maxOrders = 24       // most ways of numbering equal sources that are tried
)

// use describes how the items of a query are used.
type use uint8

const (
	delivered  use = iota // as the result, whose columns are sorted
	positional            // by position, as in a set operation
	derived               // by reference to single items, as in a derived table
)

func (p *printer) query(q *block, base int, u use) string {
	if p.over {
		return ""
	}
	p.stop.Check()
	if q.set != "" {
		terms := make([]string, len(q.terms))
		for i, t := range q.terms {
			terms[i] = p.query(t, base, positional)
		}
		if q.set != "except" && q.set != "except all" {
			sort.Strings(terms)
			if q.set == "union" || q.set == "intersect" {
				chancy := slices.ContainsFunc(q.terms, func(t *block) bool { return t.limit != nil || t.offset != nil })
				if !chancy {
					terms = slices.Compact(terms)
				}
			}
		}
		p.identity(q)
		text := q.set + "{" + strings.Join(terms, "}{") + "}"
		if len(terms) == 1 {
			text = "distinct {" + terms[0] + "}"
		}
		return p.count(text + p.tail(q))
	}
	if q.rows != nil {
		var b strings.Builder
		b.WriteString("values")
		for _, row := range q.rows {
			b.WriteString("(" + strings.Join(p.exprs(row), ",") + ")")
		}
		p.identity(q)
		return p.count(b.String() + p.tail(q))
	}
	return p.sel(q, base, u)
}

func (p *printer) count(s string) string {
	if p.work += len(s); p.work > maxWork {
		p.over = true
	}
	return s
}

// identity ranks the items of a query by their position.
func (p *printer) identity(q *block) {
	r := make([]int, len(q.items))
	for i := range r {
		r[i] = i
	}
	p.ranks[q] = r
}

func (p *printer) sel(q *block, base int, u use) string {
	// The text of each source of the core, without its neighbors.
	texts := map[*source]string{}
	for _, s := range q.core {
		texts[s] = p.alone(s, base)
	}
	core := slices.Clone(q.core)
	slices.SortStableFunc(core, func(a, b *source) int { return strings.Compare(texts[a], texts[b]) })
	groups, orders := [][]int{}, 1
	for i := 0; i < len(core); {
		k := i + 1
		for k < len(core) && texts[core[k]] == texts[core[i]] {
			k++
		}
		if k-i > 1 {
			groups = append(groups, []int{i, k})
			for f := 2; f <= k-i && orders <= maxOrders; f++ {
				orders *= f
			}
		}
		i = k
	}
	if len(groups) == 0 || orders > maxOrders {
		return p.count(p.numbered(q, core, texts, base, u))
	}
	best := ""
	var ranks []int
	var try func(g int, order []*source)
	try = func(g int, order []*source) {
		if g == len(groups) {
			if text := p.count(p.numbered(q, order, texts, base, u)); best == "" || text < best {
				best, ranks = text, p.ranks[q]
			}
			return
		}
		lo, hi := groups[g][0], groups[g][1]
		permute(order, lo, hi, func(o []*source) { try(g+1, o) })
	}
	try(0, core)
	p.ranks[q] = ranks
	return best
}

func permute(list []*source, lo, hi int, do func([]*source)) {
	if lo >= hi-1 {
		do(slices.Clone(list))
		return
	}
	for i := lo; i < hi; i++ {
		next := slices.Clone(list)
		next[lo], next[i] = next[i], next[lo]
		permute(next, lo+1, hi, do)
	}
}

// alone returns a text for a source that does not depend on other sources of its join.
func (p *printer) alone(s *source, base int) string {
	switch {
	case s.table != "":
		return "table " + strconv.Quote(s.table)
	case s.block != nil:
		shared := ""
		if s.block.shared != 0 {
			shared = "shared" + strconv.Itoa(s.block.shared)
		}
		return shared + "{" + p.derivedTable(s.block, base) + "}"
	case s.call != nil:
		return "call " + p.expr(s.call)
	case s.full != nil:
		return "full"
	}
	return "nothing"
}

// derivedTable writes the query of a derived table. One that uses only its own sources is written once, with numbers
// that do not depend on its position.
func (p *printer) derivedTable(q *block, base int) string {
	if p.lateral(q) {
		return p.query(q, base+1000, derived)
	}
	text, ok := p.texts[q]
	if !ok {
		at := p.at
		p.at = 1000
		text = p.query(q, 1000, derived)
		p.at = at
		p.texts[q] = text
	}
	return p.count(text)
}

// numbered writes a query with the sources of its core numbered in the given order, from base on.
func (p *printer) numbered(q *block, core []*source, texts map[*source]string, base int, u use) string {
	p.stop.Check()
	next := base
	label := func(s *source) {
		p.labels[s] = strconv.Itoa(next)
		next++
	}
	for _, s := range core {
		label(s)
	}
	var from []string
	for _, s := range core {
		switch {
		case s.full != nil:
			from = append(from, p.fullJoin(s.full, &next))
		case s.call != nil || s.block != nil && p.lateral(s.block):
			from = append(from, p.alone(s, next))
		default:
			from = append(from, texts[s])
		}
	}
	rest := slices.Clone(q.left)
	for len(rest) > 0 {
		at, best := -1, ""
		for i, a := range rest {
			p.stop.Check()
			if len(rest) == 1 {
				at = 0
				break
			}
			// an attachment is written once all sources that its condition uses are written
			if slices.ContainsFunc(rest, func(o *attach) bool { return o != a && usesAny(a.on, o.right.sources()) }) {
				continue
			}
			n := next
			if text := p.attachment(a, &n); at < 0 || text < best {
				at, best = i, text
			}
		}
		if at < 0 {
			at = 0
		}
		from = append(from, p.attachment(rest[at], &next))
		rest = slices.Delete(rest, at, at+1)
	}
	var b strings.Builder
	b.WriteString("select ")
	if q.distinct {
		b.WriteString("distinct ")
	}
	b.WriteString(p.set("on", q.distinctOn, next))
	items := make([]string, len(q.items))
	for i, e := range q.items {
		items[i] = p.exprAt(e, next)
	}
	switch u {
	case positional:
		p.identity(q)
	case delivered:
		p.identity(q)
		sort.Strings(items)
	case derived:
		sorted := slices.Clone(items)
		sort.Strings(sorted)
		sorted = slices.Compact(sorted)
		ranks := make([]int, len(items))
		for i, t := range items {
			ranks[i], _ = slices.BinarySearch(sorted, t)
		}
		if slices.Contains(sorted, "unused") { // which is ignored
			k, _ := slices.BinarySearch(sorted, "unused")
			sorted = slices.Delete(sorted, k, k+1)
			for i := range ranks {
				if ranks[i] > k {
					ranks[i]--
				}
			}
		}
		items = sorted
		p.ranks[q] = ranks
	}
	b.WriteString(strings.Join(items, ","))
	b.WriteString(" from " + strings.Join(from, " "))
	b.WriteString(p.set(" where ", q.where, next))
	if q.grouped {
		b.WriteString(" group")
		if slices.ContainsFunc(q.group, func(e *expr) bool { return e.op == "grouping" }) {
			for _, g := range q.group {
				b.WriteString(" " + p.exprAt(g, next))
			}
		} else {
			b.WriteString(p.set(" by ", q.group, next))
		}
	}
	b.WriteString(p.set(" having ", q.having, next))
	b.WriteString(p.set(" qualify ", q.qualify, next))
	p.at = next
	b.WriteString(p.tail(q))
	return b.String()
}

func usesAny(list []*expr, sources []*source) bool {
	found := false
	deepAll(list, func(e *expr) {
		found = found || e.src != nil && slices.Contains(sources, e.src) ||
			slices.ContainsFunc(e.srcs, func(s *source) bool { return slices.Contains(sources, s) })
	})
	return found
}

// lateral reports whether a derived table uses sources outside itself.
func (p *printer) lateral(q *block) bool {
	if closed, ok := p.closed[q]; ok {
		return !closed
	}
	own := map[*source]bool{}
	var note func(q *block)
	note = func(q *block) {
		for _, t := range q.terms {
			note(t)
		}
		for _, s := range q.sources() {
			own[s] = true
			if s.block != nil {
				note(s.block)
			}
		}
		q.all(func(e **expr) {
			(*e).each(func(x *expr) bool {
				if x.sub != nil {
					note(x.sub)
				}
				return true
			})
		})
	}
	note(q)
	found := false
	q.deep(func(e *expr) {
		found = found || e.src != nil && !own[e.src] || slices.ContainsFunc(e.srcs, func(s *source) bool { return !own[s] })
	})
	p.closed[q] = !found
	return found
}

func (p *printer) fullJoin(f *full, next *int) string {
	side := func(l, r *join, next *int) string {
		text := "full(" + p.joined(l, next)
		text += ";" + p.joined(r, next)
		return text + p.set(" on ", f.on, *next) + ")"
	}
	turned, known := p.turned[f]
	if !known { // cached: otherwise each FULL JOIN of a chain would double the work
		n, m := 0, 0
		turned = side(&f.r, &f.l, &n) < side(&f.l, &f.r, &m)
		p.turned[f] = turned
	}
	if turned {
		return p.count(side(&f.r, &f.l, next))
	}
	return p.count(side(&f.l, &f.r, next))
}

func (p *printer) attachment(a *attach, next *int) string {
	p.stop.Check()
	text := "left(" + p.joined(&a.right, next)
	return text + p.set(" on ", a.on, *next) + ")"
}

// joined writes a side of an outer join, and numbers its sources in the order of their texts.
func (p *printer) joined(j *join, next *int) string {
	core := slices.Clone(j.core)
	if len(core) > 1 {
		texts := map[*source]string{}
		for _, s := range core {
			texts[s] = p.alone(s, *next)
		}
		slices.SortStableFunc(core, func(a, b *source) int { return strings.Compare(texts[a], texts[b]) })
	}
	for _, s := range core {
		p.labels[s] = strconv.Itoa(*next)
		*next++
	}
	var parts []string
	for _, s := range core {
		if s.full != nil {
			parts = append(parts, p.fullJoin(s.full, next))
		} else {
			parts = append(parts, p.alone(s, *next))
		}
	}
	for _, a := range j.left {
		parts = append(parts, p.attachment(a, next))
	}
	return strings.Join(parts, " ") + p.set(" where ", j.where, *next)
}

// set writes the different texts of a list of expressions, sorted.
func (p *printer) set(name string, list []*expr, base int) string {
	if len(list) == 0 {
		return ""
	}
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = p.exprAt(e, base)
	}
	sort.Strings(texts)
	return name + strings.Join(slices.Compact(texts), "&")
}

func (p *printer) tail(q *block) string {
	var b strings.Builder
	for i, k := range q.order {
		b.WriteString([]string{" order ", ","}[min(i, 1)] + p.expr(k.e))
		if k.desc {
			b.WriteString(" desc")
		}
		b.WriteString(" " + k.nulls)
	}
	if q.limit != nil {
		b.WriteString(" limit " + p.expr(q.limit) + q.limitMods)
	}
	if q.offset != nil {
		b.WriteString(" offset " + p.expr(q.offset))
	}
	return b.String()
}

func (p *printer) exprs(list []*expr) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = p.expr(e)
	}
	return out
}

func (p *printer) exprAt(e *expr, base int) string {
	before := p.at
	p.at = base
	s := p.expr(e)
	p.at = before
	return s
}

func (p *printer) label(s *source) string {
	if l, ok := p.labels[s]; ok {
		return l
	}
	return "beside"
}

func (p *printer) expr(e *expr) string {
	if p.over || e == nil {
		return "-"
	}
	switch e.op {
	case opColumn:
		return "c" + p.label(e.src) + "." + strconv.Quote(e.text)
	case opItem:
		rank := -1
		if r := p.ranks[e.src.block]; atoi(e.text) < len(r) {
			rank = r[atoi(e.text)]
		}
		return "i" + p.label(e.src) + "." + strconv.Itoa(rank)
	case opUnknown:
		var at []string
		for _, s := range e.srcs {
			at = append(at, p.label(s))
		}
		sort.Strings(at)
		return "u" + strings.Join(at, "/") + "." + strconv.Quote(e.text)
	}
	var b strings.Builder
	b.WriteString(e.op)
	if e.text != "" {
		b.WriteString(strconv.Quote(e.text))
	}
	if e.src != nil {
		b.WriteString("@" + p.label(e.src))
	}
	if e.sub != nil {
		b.WriteString("{" + p.count(p.query(e.sub, p.at, positional)) + "}")
	}
	if len(e.args) == 0 {
		return b.String()
	}
	args := p.exprs(e.args)
	switch {
	case e.op == opAnd || e.op == opOr:
		sort.Strings(args)
		if args = slices.Compact(args); len(args) == 1 && condition(e.args[0]) { // 5 AND 5 is not 5
			return args[0]
		}
	case e.op == "set", e.op == "grouping" && e.text == "sets":
		sort.Strings(args)
	case e.op == "=" || e.op == "<>" || e.op == "is not distinct from" || e.op == "*" || e.op == "+" && p.adds() ||
		e.op == "equal" || e.op == "same":
		sort.Strings(args)
	case e.op == opIn && len(args) > 2:
		sort.Strings(args[1:])
		args = append(args[:1], slices.Compact(args[1:])...)
	case e.op == opOver: // the call, then partitions in any order, then the keys of the order
		slices.SortStableFunc(args[1:], func(a, b string) int {
			pa, pb := strings.HasPrefix(a, "partition"), strings.HasPrefix(b, "partition")
			switch {
			case pa && pb:
				return strings.Compare(a, b)
			case pa:
				return -1
			case pb:
				return 1
			}
			return 0
		})
	}
	b.WriteString("(" + strings.Join(args, ",") + ")")
	return b.String()
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}
