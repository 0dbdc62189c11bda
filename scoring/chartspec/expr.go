package chartspec

import (
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// truth is the value of a condition for a row.
type truth int

const (
	unknown truth = iota
	no
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

func (t truth) not() truth { return [...]truth{unknown, yes, no}[t] }

// cond is a condition of a filter: a comparison of a field with literals, or a combination of conditions.
type cond struct {
	op     string // == != < <= > >= in valid; and, or, not
	field  string
	values []scoring.Value // for in, all; else one
	of     []*cond
}

// fields adds the fields of the condition.
func (c *cond) fields(out []string) []string {
	if c.field != "" {
		out = append(out, c.field)
	}
	for _, k := range c.of {
		out = k.fields(out)
	}
	return out
}

// eval returns the value of the condition for a row, whose fields field returns.
func (c *cond) eval(field func(string) scoring.Value) truth {
	switch c.op {
	case "and", "or":
		out, ends := yes, no
		if c.op == "or" {
			out, ends = no, yes
		}
		for _, k := range c.of {
			switch t := k.eval(field); t {
			case ends:
				return ends
			case unknown:
				out = unknown
			}
		}
		return out
	case "not":
		return c.of[0].eval(field).not()
	}
	v := field(c.field)
	switch c.op {
	case "valid":
		return truthOf(!v.IsNull())
	case "in":
		out := no
		for _, w := range c.values {
			if t := equal(v, w); t == yes {
				return yes
			} else if t == unknown {
				out = unknown
			}
		}
		return out
	case "==":
		return equal(v, c.values[0])
	case "!=":
		return equal(v, c.values[0]).not()
	}
	order, ok := compare(v, c.values[0])
	if !ok {
		return unknown
	}
	switch c.op {
	case "<":
		return truthOf(order < 0)
	case "<=":
		return truthOf(order <= 0)
	case ">":
		return truthOf(order > 0)
	}
	return truthOf(order >= 0)
}

// equal compares two values as expressions do: text by its bytes.
func equal(a, b scoring.Value) truth {
	if a.IsNull() || b.IsNull() {
		return truthOf(a.IsNull() && b.IsNull())
	}
	if a.Type == scoring.String && b.Type == scoring.String {
		return truthOf(a.Text() == b.Text() || Temporal(a) && Temporal(b) && Key(a) == Key(b))
	}
	if a.Type == scoring.Bool || b.Type == scoring.Bool {
		return truthOf(Key(a) == Key(b))
	}
	order, ok := compare(a, b)
	if !ok {
		return unknown
	}
	return truthOf(order == 0)
}

// exprParser reads expressions: comparisons of fields with literals, joined by and, or, not and parentheses, in the
// spelling of Vega (datum.x > 3 && datum['y'] == 'a') or of SQL (x > 3 AND y IN ('a', 'b')).
type exprParser struct {
	text  string
	token string // the next token; "" at the end
	kind  byte   // of the token: i identifier, f field of datum, s string, n number, o sign
	bad   bool
	depth int
}

// parseExpr returns the condition that an expression states; ok is false for other expressions.
func parseExpr(text string) (c *cond, ok bool) {
	if len(text) > 4096 {
		return nil, false
	}
	p := &exprParser{text: text}
	p.next()
	c = p.either()
	return c, !p.bad && p.token == "" && c != nil
}

func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// next reads a token.
func (p *exprParser) next() {
	p.text = strings.TrimLeft(p.text, " \t\r\n")
	p.token, p.kind = "", 0
	if p.text == "" {
		return
	}
	switch b := p.text[0]; {
	case b == '\'' || b == '"' || b == '`':
		p.quoted(b)
	case b >= '0' && b <= '9' || b == '-' || b == '.':
		i := 1
		for i < len(p.text) && (p.text[i] >= '0' && p.text[i] <= '9' || p.text[i] == '.' ||
			(p.text[i] == 'e' || p.text[i] == 'E')) {
			i++
		}
		p.take(i, 'n')
		if _, ok := scoring.ParseDecimal(p.token); !ok {
			p.bad = true
		}
	case wordByte(b):
		i := 1
		for i < len(p.text) && wordByte(p.text[i]) {
			i++
		}
		p.take(i, 'i')
		if p.token == "datum" {
			p.datum()
		}
	default:
		for _, op := range []string{"===", "!==", "==", "!=", "<>", "<=", ">=", "&&", "||"} {
			if strings.HasPrefix(p.text, op) {
				p.take(len(op), 'o')
				return
			}
		}
		p.take(1, 'o')
	}
}

func (p *exprParser) take(n int, kind byte) { p.token, p.text, p.kind = p.text[:n], p.text[n:], kind }

// quoted reads a string. A quote within it is doubled or escaped; other escapes are not read.
func (p *exprParser) quoted(quote byte) {
	var b strings.Builder
	for i := 1; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '\\' && i+1 < len(p.text) && (p.text[i+1] == quote || p.text[i+1] == '\\'):
			i++
			b.WriteByte(p.text[i])
		case c == '\\':
			p.bad = true
			return
		case c == quote && i+1 < len(p.text) && p.text[i+1] == quote:
			i++
			b.WriteByte(quote)
		case c == quote:
			p.text, p.kind = p.text[i+1:], 's'
			p.token = "'" + b.String() // never empty
			if quote == '`' {
				p.token, p.kind = b.String(), 'f'
			}
			return
		default:
			b.WriteByte(c)
		}
	}
	p.bad = true
}

// datum reads the field after datum: .name or ['name'].
func (p *exprParser) datum() {
	switch {
	case strings.HasPrefix(p.text, "."):
		p.text = p.text[1:]
		i := 0
		for i < len(p.text) && wordByte(p.text[i]) {
			i++
		}
		p.bad = p.bad || i == 0
		p.take(i, 'f')
		if strings.HasPrefix(p.text, ".") || strings.HasPrefix(p.text, "[") || strings.HasPrefix(p.text, "(") {
			p.bad = true
		}
	case strings.HasPrefix(p.text, "["):
		p.text = p.text[1:]
		p.next()
		name := strings.TrimPrefix(p.token, "'")
		p.bad = p.bad || p.kind != 's' || name == "" || !strings.HasPrefix(p.text, "]")
		if !p.bad {
			p.text = p.text[1:]
			p.token, p.kind = name, 'f'
		}
	default:
		p.bad = true
	}
}

func (p *exprParser) word(words ...string) bool {
	if p.kind != 'i' && p.kind != 'o' {
		return false
	}
	for _, w := range words {
		if strings.EqualFold(p.token, w) {
			p.next()
			return true
		}
	}
	return false
}

func (p *exprParser) either() *cond {
	c := p.both()
	for !p.bad && p.word("||", "or") {
		c = &cond{op: "or", of: []*cond{c, p.both()}}
	}
	return c
}

func (p *exprParser) both() *cond {
	c := p.one()
	for !p.bad && p.word("&&", "and") {
		c = &cond{op: "and", of: []*cond{c, p.one()}}
	}
	return c
}

func (p *exprParser) one() *cond {
	if p.depth++; p.depth > 200 {
		p.bad = true
	}
	if p.bad {
		return &cond{}
	}
	switch {
	case p.word("!", "not"):
		return &cond{op: "not", of: []*cond{p.one()}}
	case p.kind == 'o' && p.token == "(":
		p.next()
		c := p.either()
		p.bad = p.bad || p.token != ")"
		p.next()
		return c
	}
	return p.comparison()
}

// comparison reads a field, a sign and a literal, in either order.
func (p *exprParser) comparison() *cond {
	name, value, isField := p.operand()
	c := &cond{field: name}
	switch {
	case p.bad:
		return c
	case isField && p.word("in"):
		return p.list(c)
	case isField && p.kind == 'i' && strings.EqualFold(p.token, "between"):
		p.next()
		low := p.literal()
		p.bad = p.bad || !p.word("and")
		high := p.literal()
		return &cond{op: "and", of: []*cond{{op: ">=", field: name, values: low}, {op: "<=", field: name, values: high}}}
	case isField && p.word("is"):
		negated := p.word("not")
		p.bad = p.bad || !p.word("null")
		c.op = "valid"
		if !negated {
			return &cond{op: "not", of: []*cond{c}}
		}
		return c
	case isField && p.word("not"):
		p.bad = p.bad || !p.word("in")
		return &cond{op: "not", of: []*cond{p.list(c)}}
	}
	op, known := map[string]string{"===": "==", "==": "==", "=": "==", "!==": "!=", "!=": "!=", "<>": "!=",
		"<": "<", "<=": "<=", ">": ">", ">=": ">="}[p.token]
	if p.kind != 'o' || !known {
		p.bad = true
		return c
	}
	p.next()
	if isField {
		c.op, c.values = op, p.literal()
		return c
	}
	other, _, ok := p.operand()
	p.bad = p.bad || !ok
	turned := map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
	return &cond{op: turned[op], field: other, values: []scoring.Value{value}}
}

// operand reads a field or a literal.
func (p *exprParser) operand() (name string, value scoring.Value, isField bool) {
	token, kind := p.token, p.kind
	p.next()
	switch {
	case kind == 's':
		return "", scoring.StringValue(token[1:]), false
	case kind == 'n':
		v, ok := scoring.ParseDecimal(token)
		p.bad = p.bad || !ok
		return "", v, false
	case kind == 'f' && token != "":
		return token, value, true
	case kind == 'i' && strings.EqualFold(token, "null"):
		return "", scoring.NullValue, false
	case kind == 'i' && (strings.EqualFold(token, "true") || strings.EqualFold(token, "false")):
		return "", scoring.BoolValue(strings.EqualFold(token, "true")), false
	case kind == 'i' && !(p.kind == 'o' && p.token == "("):
		return token, value, true
	}
	p.bad = true
	return "", value, false
}

func (p *exprParser) literal() []scoring.Value {
	_, v, isField := p.operand()
	p.bad = p.bad || isField
	return []scoring.Value{v}
}

// list reads the literals of IN, in parentheses or brackets.
func (p *exprParser) list(c *cond) *cond {
	c.op = "in"
	end := map[string]string{"(": ")", "[": "]"}[p.token]
	if end == "" || p.kind != 'o' {
		p.bad = true
		return c
	}
	for p.next(); !p.bad; {
		c.values = append(c.values, p.literal()...)
		if p.token == end {
			p.next()
			return c
		}
		if p.token != "," {
			p.bad = true
			break
		}
		p.next()
	}
	return c
}

// predicate reads a filter: an expression, or an object with a field and a comparison, or a combination of them.
func predicate(n node, depth int) (c *cond, ok bool) {
	if depth > MaxDepth {
		return nil, false
	}
	if text, is := n.(string); is {
		return parseExpr(text)
	}
	m, is := n.(members)
	if !is {
		return nil, false
	}
	m = m.lower()
	for _, op := range []string{"and", "or"} {
		if m[op] == nil {
			continue
		}
		c = &cond{op: op}
		for _, k := range m.list(op) {
			of, ok := predicate(k, depth+1)
			if !ok {
				return nil, false
			}
			c.of = append(c.of, of)
		}
		return c, len(m) == 1 && len(c.of) > 0
	}
	if m["not"] != nil {
		of, ok := predicate(m["not"], depth+1)
		return &cond{op: "not", of: []*cond{of}}, ok && len(m) == 1
	}
	field, _ := m.first("field", "column").(string)
	if field == "" || m["timeunit"] != nil {
		return nil, false
	}
	if op, is := m.first("op", "operator").(string); is {
		return comparisonOf(field, op, m.first("value", "values"))
	}
	c = &cond{op: "and"}
	for _, name := range m.names() {
		var k *cond
		var ok bool
		switch name {
		case "field", "column":
			continue
		case "range":
			ends := m.list(name)
			if len(ends) != 2 || !scalar(ends[0]) || !scalar(ends[1]) {
				return nil, false
			}
			for i, op := range []string{">=", "<="} {
				if ends[i] != nil {
					c.of = append(c.of, &cond{op: op, field: field, values: []scoring.Value{valueOf(ends[i])}})
				}
			}
			continue
		case "oneof":
			k, ok = comparisonOf(field, "in", m[name])
		case "valid":
			valid, is := m[name].(bool)
			if k, ok = (&cond{op: "valid", field: field}), is; !valid {
				k = &cond{op: "not", of: []*cond{k}}
			}
		default:
			k, ok = comparisonOf(field, name, m[name])
		}
		if !ok {
			return nil, false
		}
		c.of = append(c.of, k)
	}
	return c, len(c.of) > 0
}

// comparisonOf returns the comparison of a field with a value, by the name or the sign of the comparison.
func comparisonOf(field, op string, value node) (c *cond, ok bool) {
	op = map[string]string{"equal": "==", "eq": "==", "=": "==", "==": "==", "===": "==", "equals": "==",
		"ne": "!=", "neq": "!=", "!=": "!=", "<>": "!=", "not_equal": "!=",
		"lt": "<", "<": "<", "lte": "<=", "<=": "<=", "gt": ">", ">": ">", "gte": ">=", ">=": ">=", "in": "in",
		"oneof": "in", "one_of": "in"}[strings.ToLower(op)]
	list, isList := value.([]node)
	switch {
	case op == "" || isList != (op == "in"):
		return nil, false
	case !isList:
		list = []node{value}
	}
	c = &cond{op: op, field: field}
	for _, n := range list {
		if !scalar(n) {
			return nil, false
		}
		c.values = append(c.values, valueOf(n))
	}
	return c, true
}
