package counterexample

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// values collects facts from both queries for generating databases: which columns share values, which literals they
// are compared with, and which numbers of rows matter.
type values struct {
	texts   []string
	days    []string // dates that are not compared with a column, such as today
	floats  []float64
	sizes   []int
	far     int      // the largest number of rows that a query depends on and that exceeds maxSize; 0 for none
	grouped bool     // an aggregate is compared with a literal
	ordered []string // strings that another string is compared with by < or >
	of      map[*Column]*domain
	drawn   map[string]string // generated strings by a form that is the same for strings that a collation may equate
}

// domain is a set of columns that share values, and facts about the values.
type domain struct {
	parent   *domain
	hints    []sqlparts.Literal
	tests    []test // comparisons with literals
	like     []string
	allowed  []string  // literals in checks
	sums     []float64 // numbers that a query compares the sum with
	offsets  []float64 // numbers that are added before values are compared
	dates    bool      // strings are dates
	layout   string    // format of the dates, if not ISO 8601
	epoch    int64     // if not 0: numbers are times since 1970, with this number of units in a second
	numeric  bool      // strings are compared with numbers
	distinct bool      // a query counts distinct values
	// fractions reports whether all numbers are generated with a fraction, since SQLite divides integers differently.
	fractions bool

	pool   []Value
	wanted int // number of values at the front of the pool that a query compares with
}

// test is a comparison of a column with a literal.
type test struct{ op, text string }

// maxTests is the maximum number of comparisons that are recorded for one domain.
const maxTests = 32

// test records a comparison of column c, or of an expression of only c, with a literal.
func (v *values) test(c *Column, op, text string) {
	d := v.domain(c)
	if t := (test{op, text}); len(d.tests) < maxTests && !slices.Contains(d.tests, t) {
		d.tests = append(d.tests, t)
	}
}

// passes returns an estimate of the number of recorded comparisons that are true for a value.
func (d *domain) passes(v Value) int {
	n := 0
	for _, t := range d.tests {
		x := v
		if d.epoch > 0 && v.Kind.number() {
			f, _ := v.float()
			x = textValue(time.UnixMicro(int64(f) * (1_000_000 / d.epoch)).UTC().Format(time.DateTime))
		}
		y := textValue(t.text)
		// The query may compare only a part of a date, such as the year.
		if len(x.Text) >= len(time.DateOnly) && x.Kind != Null && isoDate.MatchString(x.Text[:len(time.DateOnly)]) {
			switch k, err := strconv.Atoi(t.text); {
			case err == nil && len(t.text) == 4:
				x = textValue(x.Text[:4])
			case err == nil && k >= 1 && k <= 12:
				month, _ := strconv.Atoi(x.Text[5:7])
				x, y = intValue(int64(month)), intValue(int64(k))
			case len(t.text) < len(x.Text):
				x.Text = x.Text[:len(t.text)]
			}
			x.Kind = max(x.Kind, Int)
		}
		if x.Kind.number() {
			f, err := strconv.ParseFloat(t.text, 64)
			if err != nil {
				continue
			}
			y = Value{Kind: Real, Real: f}
		}
		if r, ok := relation(t.op, x, y); ok && r == isTrue {
			n++
		}
	}
	for _, p := range d.like {
		if v.Kind == Text && strings.Contains(v.Text, strings.Trim(p, "%")) {
			n++
		}
	}
	return n
}

// best returns the values of the pool for which the most comparisons are true.
func (d *domain) best() []Value {
	var out []Value
	most := -1
	for _, v := range d.pool {
		switch n := d.passes(v); {
		case n > most:
			out, most = []Value{v}, n
		case n == most:
			out = append(out, v)
		}
	}
	return out
}

func newValues() *values { return &values{of: map[*Column]*domain{}, drawn: map[string]string{}} }

func (v *values) domain(c *Column) *domain {
	d := v.of[c]
	if d == nil {
		d = &domain{}
		v.of[c] = d
	}
	for d.parent != nil {
		d = d.parent
	}
	return d
}

func (v *values) join(a, b *Column) {
	x, y := v.domain(a), v.domain(b)
	if x == y {
		return
	}
	y.parent = x
	x.tests = append(x.tests, y.tests...)
	x.hints, x.like, x.allowed = append(x.hints, y.hints...), append(x.like, y.like...), append(x.allowed, y.allowed...)
	x.sums, x.offsets = append(x.sums, y.sums...), append(x.offsets, y.offsets...)
	x.layout, x.epoch = cmp.Or(x.layout, y.layout), cmp.Or(x.epoch, y.epoch)
	x.dates, x.numeric, x.distinct = x.dates || y.dates, x.numeric || y.numeric, x.distinct || y.distinct
}

func (v *values) hint(c *Column, l sqlparts.Literal) {
	d := v.domain(c)
	if len(d.hints) < maxHints &&
		!slices.ContainsFunc(d.hints, func(h sqlparts.Literal) bool { return h.Text == l.Text && h.Kind == l.Kind }) {
		d.hints = append(d.hints, l)
	}
}

// maxHints is the maximum number of literals that are recorded for one domain.
const maxHints = 64

// allow records the literals of a check, since the values that it allows are equal or close to them.
func (v *values) allow(columns []*Column, check sqlparts.Expr) {
	sqlparts.Walk(check, func(n sqlparts.Node) bool {
		if l, ok := n.(*sqlparts.Literal); ok && (l.Kind == sqlparts.String || l.Kind == sqlparts.Number) {
			for _, c := range columns {
				if d := v.domain(c); !slices.Contains(d.allowed, l.Text) && len(d.allowed) < 16 {
					d.allowed = append(d.allowed, l.Text)
				}
			}
		}
		return true
	})
}

// sum records a number that a query compares the sum of a column with.
func (v *values) sum(c *Column, n float64) {
	if d := v.domain(c); !slices.Contains(d.sums, n) && len(d.sums) < 4 {
		d.sums = append(d.sums, n)
	}
}

// offset records an integer that a query adds to the values of a column.
func (v *values) offset(c *Column, text string) {
	n, err := strconv.ParseFloat(text, 64)
	if d := v.domain(c); err == nil && n == math.Trunc(n) && math.Abs(n) < 1e6 && !slices.Contains(d.offsets, n) &&
		len(d.offsets) < 4 {
		d.offsets = append(d.offsets, n)
	}
}

func (v *values) pattern(c *Column, p string) {
	d := v.domain(c)
	if !slices.Contains(d.like, p) {
		d.like = append(d.like, p)
	}
}

// layout records that a column contains dates as strings. layout is their format in the syntax of package time; it is
// used only if has is set, because the query parses the strings with it.
func (v *values) layout(c *Column, layout string, has bool) {
	d := v.domain(c)
	d.dates = true
	if has && d.layout == "" {
		d.layout = layout
	}
}

// epoch records that a column contains times since 1970, with perSecond units in a second.
func (v *values) epoch(c *Column, perSecond int64) { v.domain(c).epoch = perSecond }

// date records a date in a query that is not compared with a column.
func (v *values) date(text string) {
	if !slices.Contains(v.days, text) {
		v.days = append(v.days, text)
	}
}

func (v *values) dates(c *Column)   { v.domain(c).dates = true }
func (v *values) numbers(c *Column) { v.domain(c).numeric = true }

func (v *values) size(n int) {
	switch {
	case n > maxSize:
		v.far = max(v.far, n)
	case n > 0 && !slices.Contains(v.sizes, n):
		v.sizes = append(v.sizes, n)
	}
}

// maxSize is the maximum number of rows that a query may depend on, such as a limit, for which databases of that size
// are generated.
const maxSize = 120

func (v *values) text(s string) {
	if len(v.texts) < 64 && !slices.Contains(v.texts, s) {
		v.texts = append(v.texts, s)
	}
}

func (v *values) number(f float64) {
	if len(v.floats) < 64 && !slices.Contains(v.floats, f) {
		v.floats = append(v.floats, f)
	}
}

// pools sets the pool of values of every used column. If it cannot, it returns the reason.
func (v *values) pools(s *Schema, c *transpiler) (what string) {
	collated := folding(c.dialect) || c.dialect == sqlparts.Postgres
	if collated && c.inOrder && slices.ContainsFunc(v.ordered, func(s string) bool { return !plainWord(s) }) {
		return "the order of texts, which depends on the collation"
	}
	for _, t := range s.Tables {
		for _, col := range t.Columns {
			if !col.used {
				continue
			}
			d := v.domain(col)
			if d.pool == nil {
				d.pool = v.pool(col, d, c, collated)
			}
			col.domain = d
		}
	}
	return ""
}

// plainWord reports whether s has only lower-case letters and digits, so that every collation sorts such strings in
// the same order.
func plainWord(s string) bool {
	for i := range len(s) {
		if !(s[i] >= 'a' && s[i] <= 'z' || s[i] >= '0' && s[i] <= '9') {
			return false
		}
	}
	return true
}

// members returns the used columns of a domain, sorted by name.
func (v *values) members(d *domain) []*Column {
	var out []*Column
	for c := range v.of {
		if c.used && v.domain(c) == d {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b *Column) int {
		return cmp.Or(cmp.Compare(a.table.Name, b.table.Name), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// pool returns the values from which columns of a domain are generated; those most likely to show a difference come
// first. Columns of different kinds may share a domain; each value is converted to the kind of the column.
func (v *values) pool(col *Column, d *domain, c *transpiler, collated bool) []Value {
	kind, dates, numeric := col.Kind, d.dates, d.numeric
	stamps := false
	for _, m := range v.members(d) {
		if m.Kind != kind {
			numeric = true
		}
		dates = dates || m.Shape == dateText || m.Shape == timestampText
		stamps = stamps || m.Shape == timestampText
		if m.Kind != Text && kind == Text {
			kind = m.Kind
		}
	}
	var out []Value
	add := func(x Value) {
		if !slices.ContainsFunc(out, func(y Value) bool { return x == y }) && len(out) < 64 {
			out = append(out, x)
		}
	}
	switch {
	case kind == Bool:
		add(Value{Kind: Bool, Int: 1})
		add(Value{Kind: Bool})
		return out
	case kind == Geo:
		for _, p := range places {
			add(Value{Kind: Geo, Text: p})
		}
		return out
	case kind == Date || kind == Timestamp || kind == Text && dates:
		return v.datePool(d, kind, stamps)
	case kind.number() && (d.layout != "" || d.epoch > 0): // numbers that the queries convert to dates
		for _, x := range v.datePool(d, Timestamp, true) {
			n, err := strconv.ParseInt(x.Text, 10, 64)
			if t, e := time.Parse(time.DateTime, x.Text); e == nil && d.epoch > 0 {
				n, err = t.UnixMicro()/(1_000_000/d.epoch), nil
			}
			if err == nil {
				add(converted(intValue(n), &Column{Kind: kind}))
			}
		}
		for _, x := range v.numberPool(d, kind) {
			if d.epoch > 0 {
				add(x)
			}
		}
		return out
	case kind.number() || numeric:
		d.fractions = c.divides && kind == Real && c.dialect == sqlparts.SQLite
		return v.numberPool(d, kind)
	}
	texts := func(s string) {
		if collated && c.inOrder && !plainWord(s) {
			return
		}
		if folding(c.dialect) {
			f := folded(s)
			if other, ok := v.drawn[f]; ok && other != s {
				return
			}
			v.drawn[f] = s
		}
		add(textValue(s))
	}
	hints := make([]string, 0, len(d.hints))
	for _, h := range d.hints {
		hints = append(hints, h.Text)
	}
	for _, h := range hints {
		texts(h)
	}
	d.wanted = len(out)
	for _, p := range d.like {
		texts(strings.NewReplacer("%", "", "_", "a").Replace(p))
		texts(strings.NewReplacer("%", "x", "_", "a").Replace(p))
		texts("x" + strings.NewReplacer("%", "", "_", "a").Replace(p))
		texts(strings.NewReplacer("%", "", "_", "a").Replace(p) + "x")
		d.wanted = len(out)
	}
	for _, s := range d.allowed {
		texts(s)
	}
	if !folding(c.dialect) {
		for _, h := range hints {
			for _, variant := range []string{strings.ToLower(h), strings.ToUpper(h)} {
				if !c.wide {
					texts(variant)
				}
			}
		}
	}
	texts("a")
	if c.folds && len(hints) == 0 && !folding(c.dialect) {
		texts("A")
	}
	texts("b")
	if len(hints)+len(d.like) == 0 {
		for _, s := range v.texts {
			if !strings.ContainsAny(s, "%") {
				texts(s)
			}
		}
	}
	for _, s := range []string{"c", "d", "e"} {
		texts(s)
	}
	for _, h := range hints {
		if !folding(c.dialect) && c.dialect != sqlparts.Redshift { // in those dialects trailing blanks may be ignored
			texts(h + " ")
		}
	}
	texts("")
	for _, h := range hints {
		texts(" " + h)
		texts(strings.TrimSpace(h))
	}
	return out
}

// numberPool returns numbers equal and close to the literals. If d.fractions is set, all have a fraction: SQLite
// stores an integer in a decimal column as an integer, whose quotient differs.
func (v *values) numberPool(d *domain, kind Kind) []Value {
	var out []Value
	add := func(x float64) {
		w := intValue(int64(math.Floor(x)))
		switch {
		case math.Abs(x) > 1e12:
			return
		case d.fractions:
			w = Value{Kind: Real, Real: math.Floor(x) + 0.5}
		case kind == Real:
			w = Value{Kind: Real, Real: x}
		}
		if !slices.Contains(out, w) && len(out) < 64 {
			out = append(out, w)
		}
	}
	var bounds []float64
	for _, h := range d.hints {
		if f, err := strconv.ParseFloat(h.Text, 64); err == nil {
			bounds = append(bounds, f)
		}
	}
	for _, f := range bounds {
		add(f)
	}
	d.wanted = len(out)
	if len(bounds) == 0 {
		bounds = v.floats
	}
	for _, s := range d.allowed {
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			add(f)
			add(f + 1)
			add(f - 1)
		}
	}
	for _, f := range bounds {
		add(f + 1)
		add(f - 1)
		add(f)
	}
	for _, x := range []float64{1, 2, 3, 0, 5, 10, 20} {
		add(x)
	}
	return out
}

// datePool returns dates equal and close to the literals, as values of a kind.
func (v *values) datePool(d *domain, kind Kind, stamps bool) []Value {
	var days []time.Time
	add := func(t time.Time) {
		if !slices.Contains(days, t) && t.Year() > 0 && t.Year() < 9999 && len(days) < 40 {
			days = append(days, t)
		}
	}
	texts := make([]string, 0, len(d.hints))
	for _, h := range d.hints {
		texts = append(texts, h.Text)
	}
	for _, p := range d.like {
		texts = append(texts, strings.Trim(p, "%_-"))
	}
	texts = append(texts, d.allowed...)
	texts = append(texts, v.days...)
	for _, s := range texts {
		for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02", "20060102",
			cmp.Or(d.layout, "2006-01"), "2006-01", "2006/01/02", "2006"} {
			t, err := time.Parse(layout, s)
			if err != nil {
				continue
			}
			add(t)
			if kind == Timestamp && t.Equal(t.Truncate(24*time.Hour)) { // a date alone is its midnight
				add(t.Add(14*time.Hour + 30*time.Minute))
			}
			add(t.AddDate(0, 0, 1))
			add(t.AddDate(0, 0, -1))
			add(t.AddDate(1, 0, 0))
			add(t.AddDate(-1, 0, 0))
			add(t.AddDate(0, 1, 0))
			break
		}
		if n, err := strconv.Atoi(s); err == nil && n >= 1 && n <= 12 && len(s) <= 2 {
			add(time.Date(2020, time.Month(n), 1, 0, 0, 0, 0, time.UTC))
			add(time.Date(2020, time.Month(n%12+1), 1, 0, 0, 0, 0, time.UTC))
			add(time.Date(2021, time.Month(n), 15, 0, 0, 0, 0, time.UTC))
		}
	}
	for _, t := range []time.Time{time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC),
		time.Date(2021, 6, 15, 0, 0, 0, 0, time.UTC), time.Date(2019, 12, 31, 0, 0, 0, 0, time.UTC)} {
		add(t)
		if kind == Timestamp {
			add(t.Add(14*time.Hour + 30*time.Minute))
		}
	}
	layout := "2006-01-02"
	if kind == Timestamp || stamps {
		layout = "2006-01-02 15:04:05"
	}
	if d.layout != "" && (kind == Text || kind == Timestamp && d.epoch == 0) {
		layout = d.layout
	}
	out := make([]Value, len(days))
	for i, t := range days {
		out[i] = Value{Kind: kind, Text: t.Format(layout)}
	}
	return out
}

// fit converts a value of a domain to the kind of a column. It returns NULL if the column's type cannot hold it, or
// if SQLite would convert the string to a number because of the column's affinity.
func fit(v Value, c *Column) Value {
	if v = converted(v, c); !c.limit.holds(v) ||
		v.Kind == Text && c.affinity == numericAffinity && looksLikeNumber.MatchString(v.Text) {
		return Value{}
	}
	return v
}

// converted returns a value converted to the kind of a column, or NULL if that is not possible.
func converted(v Value, c *Column) Value {
	switch {
	case v.Kind == Null || v.Kind == c.Kind:
		return v
	case c.Kind == Text:
		return textValue(v.String())
	case c.Kind == Real && v.Kind == Int:
		return Value{Kind: Real, Real: float64(v.Int)}
	case c.Kind == Int && v.Kind == Real:
		return intValue(int64(v.Real))
	case c.Kind == Bool && v.Kind == Int:
		return Value{Kind: Bool, Int: v.Int & 1}
	case c.Kind == Date && v.Kind == Timestamp, c.Kind == Date && v.Kind == Text:
		return Value{Kind: Date, Text: v.Text[:min(10, len(v.Text))]}
	case c.Kind == Timestamp && (v.Kind == Date || v.Kind == Text):
		return Value{Kind: Timestamp, Text: v.Text}
	}
	return Value{}
}
