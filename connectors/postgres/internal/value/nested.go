package value

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
)

// maxDepth is the maximum nesting of arrays and rows.
const maxDepth = 64

var errDeep = errcode.New(errcode.ResourceExhausted, "a value is nested more than %d levels deep", maxDepth)

// appendJSON appends a value in the server's text format as JSON: numbers with all digits, arrays as lists, rows as
// objects, bytes as hexadecimal strings, and NaN, infinities, dates and other types as strings. nil is NULL.
func (t *Type) appendJSON(dst, text []byte, depth int) ([]byte, error) {
	switch {
	case depth > maxDepth:
		return dst, errDeep
	case text == nil:
		return append(dst, "null"...), nil
	}
	switch t.Kind {
	case asBool:
		return strconv.AppendBool(dst, string(text) == "t"), nil
	case asNumber:
		if isNumber(text) {
			return append(dst, text...), nil
		}
	case asJSON:
		if !json.Valid(text) {
			return dst, errMalformed
		}
		return append(dst, text...), nil
	case asBytes:
		text = bytes.TrimPrefix(text, []byte(`\x`))
	case Array:
		return t.appendArray(dst, text, depth)
	case Row:
		return t.appendRow(dst, text, depth)
	}
	return appendString(dst, text)
}

// appendString appends a JSON string. Invalid UTF-8 is an error.
func appendString(dst, text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return dst, errcode.New(errcode.DataLoss, "a string is not UTF-8")
	}
	return jsonscan.AppendString(dst, text), nil
}

// appendArray parses an array such as {1,NULL,"a b"} and appends it as JSON. Further dimensions are nested; a prefix
// with bounds such as [0:2]= is ignored.
func (t *Type) appendArray(dst, text []byte, depth int) ([]byte, error) {
	if len(text) > 0 && text[0] == '[' {
		if i := bytes.IndexByte(text, '='); i >= 0 {
			text = text[i+1:]
		}
	}
	p := &notation{rest: text}
	dst, err := t.appendElements(p, dst, depth)
	if err == nil && len(p.rest) > 0 {
		err = errMalformed
	}
	return dst, err
}

func (t *Type) appendElements(p *notation, dst []byte, depth int) (_ []byte, err error) {
	if depth > maxDepth {
		return dst, errDeep
	}
	if !p.take('{') {
		return dst, errMalformed
	}
	dst = append(dst, '[')
	for first := true; !p.take('}'); first = false {
		if !first {
			if !p.take(t.Delim) {
				return dst, errMalformed
			}
			dst = append(dst, ',')
		}
		if p.at('{') {
			dst, err = t.appendElements(p, dst, depth+1)
		} else {
			dst, err = p.appendItem(dst, t.Elem, listed{t.Delim, '}', "NULL"}, depth)
		}
		if err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// appendRow parses a row such as (1,,"a b") and appends it as a JSON object. An empty field is NULL; "" is the empty
// string.
func (t *Type) appendRow(dst, text []byte, depth int) (_ []byte, err error) {
	p := &notation{rest: text}
	if !p.take('(') {
		return dst, errMalformed
	}
	dst = append(dst, '{')
	for i, f := range t.Fields {
		if i > 0 {
			if !p.take(',') {
				return dst, errMalformed
			}
			dst = append(dst, ',')
		}
		if dst, err = appendString(dst, []byte(f.Name)); err != nil {
			return dst, err
		}
		if dst, err = p.appendItem(append(dst, ':'), f.Type, listed{',', ')', ""}, depth); err != nil {
			return dst, err
		}
	}
	if !p.take(')') || len(p.rest) > 0 {
		return dst, errMalformed
	}
	return append(dst, '}'), nil
}

// notation is the unparsed rest of an array or a row in the server's text format.
type notation struct{ rest []byte }

func (p *notation) at(b byte) bool { return len(p.rest) > 0 && p.rest[0] == b }

func (p *notation) take(b byte) bool {
	if p.at(b) {
		p.rest = p.rest[1:]
		return true
	}
	return false
}

// listed describes the syntax of the items of an array or a row.
type listed struct {
	delim, end byte
	null       string // the text of NULL
}

// appendItem parses an item up to the delimiter or the end, which it leaves, and appends it as JSON. It removes quotes
// and backslashes; in rows a quote inside quotes is doubled.
func (p *notation) appendItem(dst []byte, t *Type, how listed, depth int) ([]byte, error) {
	text, quoted, inside := []byte{}, false, false
	for i := 0; i < len(p.rest); i++ {
		b := p.rest[i]
		switch {
		case b == '\\' && i+1 < len(p.rest):
			i++
			text, quoted = append(text, p.rest[i]), true
		case b == '"' && inside && i+1 < len(p.rest) && p.rest[i+1] == '"':
			i++
			text = append(text, '"')
		case b == '"':
			inside, quoted = !inside, true
		case !inside && (b == how.delim || b == how.end):
			p.rest = p.rest[i:]
			if !quoted && string(text) == how.null {
				text = nil
			}
			return t.appendJSON(dst, text, depth+1)
		default:
			text = append(text, b)
		}
	}
	return dst, errMalformed
}
