package cell

import (
	"strings"
	"unicode"

	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
)

// Formats of lists, structs and geometries written as strings in notations other than JSON.
const (
	FormatNested = "nested text"   // ['a', 'b'], {a,b}, {'w': 20}, {w=20}, (1, 2)
	FormatShape  = "geometry text" // POINT (13.4 52.5), or GeoJSON
)

// maxNesting is the maximum depth of nested values that are parsed.
const maxNesting = 32

// nested parses lists and structs in the notations of JSON, Python, PostgreSQL, DuckDB and Trino.
type nested struct {
	s   string
	pos int
}

// appendNested appends the canonical form of a list or struct to dst: elements in brackets, members sorted by name.
// Unquoted numbers are normalized; quoted ones are strings, so that '1.10' is not 1.1. ok is false if s is not a list
// or struct.
func appendNested(dst []byte, s string) ([]byte, bool) {
	n := nested{s: strings.TrimSpace(s)}
	if n.s == "" || !strings.ContainsRune("[({", rune(n.s[0])) {
		return dst, false
	}
	dst, ok := n.value(dst, 0)
	n.blanks()
	return dst, ok && n.pos == len(n.s)
}

func (n *nested) blanks() {
	for n.pos < len(n.s) && (n.s[n.pos] == ' ' || n.s[n.pos] == '\n' || n.s[n.pos] == '\t') {
		n.pos++
	}
}

func (n *nested) peek() byte {
	if n.blanks(); n.pos < len(n.s) {
		return n.s[n.pos]
	}
	return 0
}

func (n *nested) value(dst []byte, depth int) ([]byte, bool) {
	c := n.peek()
	i := strings.IndexByte("[({", c)
	switch {
	case depth > maxNesting || c == 0:
		return dst, false
	case i < 0:
		text, quoted, ok := n.scalar()
		return appendScalar(dst, text, quoted), ok
	}
	n.pos++
	closing := "])}"[i]
	var elements [][]byte
	var members []jsonscan.Member
	for n.peek() != closing {
		if len(elements)+len(members) > 0 {
			if n.peek() != ',' {
				return dst, false
			}
			if n.pos++; c == '(' && n.peek() == closing { // (1,)
				break
			}
		}
		at := n.pos
		if c == '{' {
			if name, _, ok := n.scalar(); ok && (n.peek() == ':' || n.peek() == '=') {
				n.pos++
				value, ok := n.value(nil, depth+1)
				if !ok || len(elements) > 0 {
					return dst, false
				}
				members = append(members, jsonscan.Member{Name: []byte(name), Value: value})
				continue
			}
			n.pos = at
		}
		e, ok := n.value(nil, depth+1)
		if !ok || len(members) > 0 {
			return dst, false
		}
		elements = append(elements, e)
	}
	n.pos++
	if members != nil {
		return jsonscan.AppendObject(dst, members), true
	}
	dst = append(dst, '[')
	for k, e := range elements {
		if k > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, e...)
	}
	return append(dst, ']'), true
}

// scalar returns a quoted string, or an unquoted one up to the next delimiter; ok is false if there is none.
func (n *nested) scalar() (text string, quoted, ok bool) {
	q := n.peek()
	if q != '"' && q != '\'' {
		end := strings.IndexAny(n.s[n.pos:], ",])}[({:=\"")
		if end < 0 {
			return "", false, false
		}
		text = strings.TrimSpace(n.s[n.pos : n.pos+end])
		n.pos += end
		return text, false, text != ""
	}
	var b strings.Builder
	for n.pos++; n.pos < len(n.s); n.pos++ {
		switch c := n.s[n.pos]; {
		case c == '\\' && n.pos+1 < len(n.s):
			n.pos++
			b.WriteByte(n.s[n.pos])
		case c == q && n.pos+1 < len(n.s) && n.s[n.pos+1] == q && q == '\'': // doubled, as SQL writes it
			n.pos++
			b.WriteByte(c)
		case c == q:
			n.pos++
			return b.String(), true, true
		default:
			b.WriteByte(c)
		}
	}
	return "", true, false
}

func appendScalar(dst []byte, s string, quoted bool) []byte {
	if !quoted {
		switch strings.ToLower(s) {
		case "null", "none", "nan", "<na>":
			return append(dst, "null"...)
		case "true", "false":
			return append(dst, strings.ToLower(s)...)
		}
		s = canonicalNumber(s)
	}
	return jsonscan.AppendString(dst, s)
}

// readNested returns the canonical form of a nested value; ok is false for other cells.
func readNested(v scoring.Value) (scoring.Value, bool) {
	if v.Type != scoring.String && v.Type != scoring.JSON {
		return v, false
	}
	form, ok := appendNested(nil, v.Text())
	return scoring.TextValue(scoring.Bytes, string(form)), ok // letter case counts
}

// shapeTypes maps names of geometries in well-known text to types in GeoJSON.
var shapeTypes = map[string]string{
	"POINT": "Point", "LINESTRING": "LineString", "POLYGON": "Polygon", "MULTIPOINT": "MultiPoint",
	"MULTILINESTRING": "MultiLineString", "MULTIPOLYGON": "MultiPolygon",
}

// readShape returns a geometry in well-known text or GeoJSON as canonical GeoJSON; ok is false for other cells.
func readShape(v scoring.Value) (scoring.Value, bool) {
	if v.Type != scoring.String && v.Type != scoring.JSON {
		return v, false
	}
	s := strings.TrimSpace(v.Text())
	if strings.HasPrefix(s, "{") {
		shape, ok := readNested(v)
		return shape, ok && isGeoJSON(shape.Text())
	}
	if i := strings.IndexByte(s, ';'); i > 0 && strings.HasPrefix(strings.ToUpper(s), "SRID=") {
		s = s[i+1:]
	}
	at := strings.IndexByte(s, '(')
	if at < 0 {
		return v, false
	}
	head := strings.Fields(strings.ToUpper(s[:at]))
	if len(head) == 0 || len(head) > 2 || shapeTypes[head[0]] == "" || len(head) == 2 && head[1] != "Z" {
		return v, false
	}
	coordinates, ok := coordinatesOf(s[at:], shapeTypes[head[0]])
	if !ok {
		return v, false
	}
	return readNested(scoring.StringValue(`{"type":"` + shapeTypes[head[0]] + `","coordinates":` + coordinates + `}`))
}

// isGeoJSON reports whether a struct in canonical form has exactly the members coordinates and type, and its type is
// one of shapeTypes.
func isGeoJSON(form string) bool {
	var s jsonscan.Scanner
	s.Reset([]byte(form))
	members, err := jsonscan.Members(&s, true)
	if err != nil || len(members) != 2 || string(members[0].Name) != "coordinates" || string(members[1].Name) != "type" {
		return false
	}
	for _, shape := range shapeTypes {
		if string(members[1].Value) == `"`+shape+`"` {
			return true
		}
	}
	return false
}

// coordinatesOf converts the parentheses of well-known text to the arrays of GeoJSON for a geometry of type typ.
func coordinatesOf(s, typ string) (string, bool) {
	var b strings.Builder
	depth, position := 0, false // in the numbers of one position
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '(':
			b.WriteByte('[')
			depth++
		case c == ')':
			if position {
				b.WriteByte(']')
			}
			position = false
			b.WriteByte(']')
			depth--
		case c == ',':
			if position {
				b.WriteByte(']')
			}
			position = false
			b.WriteByte(',')
		case unicode.IsSpace(rune(c)):
		case strings.IndexByte("+-.0123456789eE", c) >= 0:
			j := i
			for j < len(s) && strings.IndexByte("+-.0123456789eE", s[j]) >= 0 {
				j++
			}
			if position {
				b.WriteByte(',')
			} else {
				b.WriteByte('[')
			}
			position = true
			b.WriteString(s[i:j])
			i = j - 1
		default:
			return "", false
		}
	}
	out := b.String()
	switch typ {
	case "Point": // one position and no list of them
		if len(out) > 2 && !strings.Contains(out[2:], "[") {
			return out[1 : len(out)-1], depth == 0
		}
		return "", false
	case "MultiPoint": // its points may be in parentheses each
		out = strings.NewReplacer("[[[", "[[", "]]]", "]]", "]],[[", "],[").Replace(out)
	}
	return out, depth == 0
}

// NestedText describes how a string column can be read as nested values.
type NestedText struct {
	Nested bool // lists and structs, in any notation
	JSON   bool // by type, or as strings
	Shape  bool // geometries, as well-known text or GeoJSON
}

// ReadNested returns how a column can be read as nested values.
func ReadNested(c *scoring.Column) (t NestedText) {
	c.Halt().Check()
	if c.Type != scoring.String && c.Type != scoring.JSON {
		return t
	}
	t.JSON = c.Type == scoring.JSON || JSONFormat(c)
	holds := func(read func(scoring.Value) (scoring.Value, bool)) bool {
		seen := false
		for i := range c.Len() {
			if v := c.Value(i); !v.IsNull() && strings.TrimSpace(v.Text()) != "" {
				if _, ok := read(v); !ok {
					return false
				}
				seen = true
			}
		}
		return seen
	}
	t.Nested, t.Shape = holds(readNested), holds(readShape)
	return t
}

// nestedFormats maps formats to the functions that read nested values.
var nestedFormats = map[string]func(scoring.Value) (scoring.Value, bool){FormatNested: readNested,
	FormatShape: readShape}

// Fields returns the sorted names of the members if all cells of a column are structs with the same members, none of
// them nested; else nil.
func Fields(c *scoring.Column) (names []string) {
	c.Halt().Check()
	if c.Type != scoring.JSON && c.Type != scoring.String {
		return nil
	}
	seen := false
	for i := range c.Len() {
		if c.IsNull(i) {
			continue
		}
		form, ok := readNested(c.Value(i))
		if !ok {
			return nil
		}
		var s jsonscan.Scanner
		s.Reset([]byte(form.Text()))
		if s.Peek() != '{' {
			return nil
		}
		members, err := jsonscan.Members(&s, true)
		if err != nil || len(members) == 0 || seen && len(members) != len(names) {
			return nil
		}
		for k, m := range members {
			if m.Value[0] == '{' || m.Value[0] == '[' || seen && names[k] != string(m.Name) {
				return nil
			}
			if !seen {
				names = append(names, string(m.Name))
			}
		}
		seen = true
	}
	return names
}

// NestedKeys returns the keys of a column of nested values under [FormatNested].
func NestedKeys(c *scoring.Column) []uint64 {
	c.Halt().Check()
	return AllKeys(c, View{Kind: scoring.KindText, Format: FormatNested})
}

// StructKeys returns the key of a struct for each row whose members have the given names and the cells of columns as
// values. They are comparable with [NestedKeys].
func StructKeys(names []string, columns []*scoring.Column) []uint64 {
	keys := make([]uint64, columns[0].Len())
	for i := range keys {
		members := make([]jsonscan.Member, len(names))
		for k, c := range columns {
			members[k].Name = []byte(names[k])
			if v := c.Value(i); v.IsNull() {
				members[k].Value = []byte("null")
			} else {
				members[k].Value = appendScalar(nil, v.String(), c.Type == scoring.String)
			}
		}
		keys[i] = bytesKey(string(jsonscan.AppendObject(nil, members)))
	}
	return keys
}
