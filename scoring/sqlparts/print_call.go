package sqlparts

import "strings"

// call writes a call with its clauses, such as FILTER and OVER.
func (p *printer) call(c *Call) {
	if p.normal {
		p.callName(c.Name)
	} else {
		p.functionName(c.Name)
	}
	p.str("(")
	if c.Distinct {
		p.str("distinct ")
	}
	for i, e := range c.Args {
		if i > 0 {
			p.str(", ")
		}
		p.expr(e, precNone)
	}
	p.orderBy(c.OrderBy)
	if c.Having != nil {
		p.str(" having ")
		if c.HavMax {
			p.str("max ")
		} else {
			p.str("min ")
		}
		p.expr(c.Having, precAssign)
	}
	if c.Limit != nil {
		p.str(" limit ")
		p.expr(c.Limit, precAssign)
	}
	p.str(")")
	if len(c.Within) > 0 {
		p.str(" within group (")
		p.orderBy(c.Within)
		p.str(")")
	}
	if c.Filter != nil {
		p.str(" filter (where ")
		p.expr(c.Filter, precAssign)
		p.str(")")
	}
	if c.Nulls != "" {
		p.str(" " + c.Nulls + " nulls")
	}
	if c.Over != nil {
		p.str(" over ")
		p.window(c.Over)
	}
}

// callName writes a function's name in the normal form: lower case, dots, no quotes.
func (p *printer) callName(n Name) {
	for i, id := range n {
		if i > 0 {
			p.str(".")
		}
		p.lower(id.Text)
	}
}

// functionName writes a function's name. A keyword that may be called as a function is not quoted.
func (p *printer) functionName(n Name) {
	for i, id := range n {
		if i > 0 {
			p.str(".")
		}
		if c := wordCode(hashOf(id.Text), id.Text); !id.Quoted && c != 0 && (!reserved[c] || callable[c]) && len(n) == 1 {
			p.lower(id.Text)
			continue
		}
		p.name(id)
	}
}

// orderBy writes " order by …", without the leading space after an opening parenthesis. It writes nothing if the list
// is empty.
func (p *printer) orderBy(list []*OrderItem) {
	if len(list) == 0 {
		return
	}
	if p.buf[len(p.buf)-1] != '(' {
		p.str(" ")
	}
	p.str("order by ")
	for i, o := range list {
		if i > 0 {
			p.str(", ")
		}
		p.orderItem(o)
	}
}

// orderItem writes a sort key. It omits ASC; the normal form also omits the position of NULLs.
func (p *printer) orderItem(o *OrderItem) {
	if allItems(o.Expr) {
		p.str("all")
	} else {
		p.expr(o.Expr, precAssign)
	}
	if o.Desc {
		p.str(" desc")
	}
	if p.normal {
		return
	}
	switch o.Nulls {
	case NullsFirst:
		p.str(" nulls first")
	case NullsLast:
		p.str(" nulls last")
	}
}

// window writes a window after OVER. In the normal form a named window is written as its
// definition.
func (p *printer) window(w *Window) {
	if p.normal {
		p.str("(")
		p.windowBody(w)
		p.str(")")
		return
	}
	if w.Name.Text != "" && len(w.Partition) == 0 && len(w.OrderBy) == 0 && w.Frame == "" {
		p.name(w.Name)
		return
	}
	p.str("(")
	if w.Name.Text != "" {
		p.name(w.Name)
	}
	p.windowBody(w)
	p.str(")")
}

func (p *printer) windowBody(w *Window) {
	space := func() {
		if p.buf[len(p.buf)-1] != '(' {
			p.str(" ")
		}
	}
	if p.normal && w.Name.Text != "" {
		found := false
		for _, d := range p.windows {
			if strings.EqualFold(d.Name.Text, w.Name.Text) && d.Window != nil && d.Window != w && p.depth < 8 {
				p.depth++
				p.windowBody(d.Window)
				p.depth--
				found = true
				break
			}
		}
		if !found {
			p.name(w.Name)
		}
	}
	if len(w.Partition) > 0 {
		space()
		p.str("partition by ")
		p.exprs(w.Partition)
	}
	p.orderBy(w.OrderBy)
	if w.Frame != "" {
		space()
		p.str(w.Frame)
	}
}

// interval writes INTERVAL value unit. The normal form separates value and unit and drops the
// quotes and the plural: INTERVAL '7 days' and INTERVAL '7' DAY are interval 7 day.
func (p *printer) interval(e *Interval) {
	p.str("interval ")
	l, ok := e.X.(*Literal)
	if p.normal {
		value, unit := "", singular(e.Unit)
		if ok {
			value = strings.TrimSpace(l.Text)
			if v, u, two := strings.Cut(value, " "); two && unit == "" && isNumber(v) && timeUnit(strings.TrimSpace(u)) {
				value, unit = v, singular(strings.TrimSpace(u))
			}
		}
		switch {
		case !ok:
			p.expr(e.X, precUnary)
		case l.Kind == Number || isNumber(value):
			p.str(value)
		default:
			p.string(value)
		}
		if unit != "" {
			p.str(" " + unit)
		}
		return
	}
	if ok && l.Kind != Null && l.Kind != Bool {
		p.expr(e.X, precAtom)
	} else {
		p.str("(")
		p.expr(e.X, precNone)
		p.str(")")
	}
	if e.Unit != "" {
		p.str(" " + e.Unit)
	}
}

// singular returns a unit in lower case, without a final s unless it is very short.
func singular(unit string) string {
	u := strings.ToLower(unit)
	if len(u) > 2 {
		u = strings.TrimSuffix(u, "s")
	}
	return u
}

// isNumber reports whether s is a decimal number with an optional sign.
func isNumber(s string) bool {
	digits := 0
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c):
			digits++
		case c == '.', i == 0 && (c == '-' || c == '+'):
		default:
			return false
		}
	}
	return digits > 0
}

// list writes rows, arrays, structs and objects.
func (p *printer) list(l *List) {
	open, end := "(", ")"
	switch l.Kind {
	case Tuple:
		if len(l.Items) == 1 && !p.normal {
			open = "row("
		}
	case Array:
		open, end = "array[", "]"
		if l.Type != "" && !p.normal {
			open = "array<" + l.Type + ">["
		}
	case Struct:
		open = "struct("
		if l.Type != "" && !p.normal {
			open = "struct<" + l.Type + ">("
		}
	case Object:
		open, end = "{", "}"
	}
	p.str(open)
	for i, it := range l.Items {
		if i > 0 {
			p.str(", ")
		}
		if l.Kind == Object {
			if it.Alias.Text != "" || it.Alias.Quoted {
				p.string(it.Alias.Text)
				p.str(": ")
			}
			p.expr(it.Expr, precNone)
			continue
		}
		p.item(it)
	}
	p.str(end)
}

// item writes an expression with its alias.
func (p *printer) item(it *Item) {
	p.expr(it.Expr, precAssign)
	if it.Alias.Text != "" || it.Alias.Quoted {
		p.str(" as ")
		p.name(it.Alias)
	}
}

// special writes a call whose arguments are separated by words; in the normal form SUBSTRING has
// commas.
func (p *printer) special(s *Special) {
	p.str(s.Name)
	p.str("(")
	for i, e := range s.Args {
		word := s.Words[i]
		if p.normal && strings.HasPrefix(s.Name, "substr") {
			word = ""
		}
		switch {
		case i == 0 && word != "":
			p.str(word + " ")
		case i > 0 && word != "":
			p.str(" " + word + " ")
		case i > 0:
			p.str(", ")
		}
		if c, ok := e.(*Column); ok && i == 0 && s.Name == "extract" && len(c.Name) == 1 && !c.Name[0].Quoted {
			p.lower(c.Name[0].Text)
			continue
		}
		p.expr(e, precBit)
	}
	p.str(")")
}

// TypeClass returns the class of a type, which the normal form of a cast uses: int, float, decimal, text, bool, date,
// time, timestamp, bytes or json, without sizes and parameters. It returns any other type in lower case.
func TypeClass(name string) string {
	base := strings.ToLower(name)
	if i := strings.IndexByte(base, '('); i > 0 {
		base = base[:i]
	}
	base = strings.TrimSpace(base)
	if c, ok := typeClasses[base]; ok {
		return c
	}
	switch first, _, _ := strings.Cut(base, " "); first {
	case "timestamp", "time", "character", "double", "national", "signed", "unsigned":
		return typeClasses[first]
	}
	return strings.ToLower(name)
}

var typeClasses = func() map[string]string {
	m := map[string]string{}
	for class, names := range map[string]string{
		"int":       "int integer bigint smallint tinyint mediumint byteint int2 int4 int8 int16 int32 int64 int128 hugeint long short signed unsigned",
		"float":     "float float4 float8 float32 float64 double real",
		"decimal":   "decimal numeric number dec bignumeric bigdecimal money",
		"text":      "text string varchar char character nvarchar nchar varchar2 bpchar name national tinytext mediumtext longtext clob",
		"bool":      "bool boolean",
		"date":      "date",
		"time":      "time",
		"timestamp": "timestamp timestamptz timestamp_ntz timestamp_ltz timestamp_tz timestampntz timestampltz timestamp_s timestamp_ms timestamp_us timestamp_ns datetime datetime2 smalldatetime",
		"bytes":     "bytes binary varbinary blob bytea tinyblob mediumblob longblob",
		"json":      "json jsonb variant super",
	} {
		for _, n := range strings.Fields(names) {
			m[n] = class
		}
	}
	return m
}()
