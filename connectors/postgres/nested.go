package postgres

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/errcode"
)

// maxDepth bounds arrays and rows inside one another.
const maxDepth = 64

var errDeep = errcode.New(errcode.ResourceExhausted, "a value is nested more than %d levels deep", maxDepth)

// appendJSON writes a value, given as the server's text, as JSON: numbers with every digit, arrays
// as lists, rows as objects, NaN, dates and all else as text, bytes as hexadecimal digits.
func (t *pgType) appendJSON(dst, text []byte, depth int) ([]byte, error) {
	if depth > maxDepth {
		return dst, errDeep
	}
	switch t.kind {
	case asBool:
		if string(text) == "t" {
			return append(dst, "true"...), nil
		}
		return append(dst, "false"...), nil
	case asInt, asFloat, asNumeric:
		return appendNumber(dst, text), nil
	case asJSON:
		if !json.Valid(text) {
			return dst, errMalformed
		}
		return append(dst, text...), nil
	case asBytes:
		return appendString(dst, bytes.TrimPrefix(text, []byte(`\x`)))
	case asArray:
		return t.appendArray(dst, text, depth)
	case asComposite:
		return t.appendRow(dst, text, depth)
	}
	return appendString(dst, text)
}

// appendNumber writes a number, or as text what JSON has no number for.
func appendNumber(dst, text []byte) []byte {
	if len(text) > 0 && (text[0] == 'N' || text[0] == 'I' || len(text) > 1 && text[1] == 'I') {
		dst = append(append(dst, '"'), text...)
		return append(dst, '"')
	}
	return append(dst, text...)
}

// appendString writes a JSON string.
func appendString(dst, text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return dst, errcode.New(errcode.DataLoss, "a text is not UTF-8")
	}
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	for _, b := range text {
		switch {
		case b == '"' || b == '\\':
			dst = append(dst, '\\', b)
		case b == '\n':
			dst = append(dst, '\\', 'n')
		case b == '\t':
			dst = append(dst, '\\', 't')
		case b < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', digits[b>>4], digits[b&15])
		default:
			dst = append(dst, b)
		}
	}
	return append(dst, '"'), nil
}

// appendArray reads {1,NULL,"a b"}, with arrays inside for further dimensions, and perhaps [0:2]=
// before it.
func (t *pgType) appendArray(dst, text []byte, depth int) ([]byte, error) {
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

func (t *pgType) appendElements(p *notation, dst []byte, depth int) ([]byte, error) {
	if depth > maxDepth {
		return dst, errDeep
	}
	if !p.take('{') {
		return dst, errMalformed
	}
	dst = append(dst, '[')
	if p.take('}') {
		return append(dst, ']'), nil
	}
	for {
		var err error
		if p.at('{') {
			dst, err = t.appendElements(p, dst, depth+1)
		} else {
			item, quoted := p.item(t.delim, '}')
			switch {
			case !p.ok():
				err = errMalformed
			case !quoted && string(item) == "NULL":
				dst = append(dst, "null"...)
			default:
				dst, err = t.elem.appendJSON(dst, item, depth+1)
			}
		}
		switch {
		case err != nil:
			return dst, err
		case p.take('}'):
			return append(dst, ']'), nil
		case !p.take(t.delim):
			return dst, errMalformed
		}
		dst = append(dst, ',')
	}
}

// appendRow reads (1,,"a b"), in which nothing is NULL and "" the empty text.
func (t *pgType) appendRow(dst, text []byte, depth int) ([]byte, error) {
	p := &notation{rest: text}
	if !p.take('(') {
		return dst, errMalformed
	}
	dst = append(dst, '{')
	for i, f := range t.fields {
		if i > 0 {
			if !p.take(',') {
				return dst, errMalformed
			}
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendString(dst, []byte(f.name)); err != nil {
			return dst, err
		}
		dst = append(dst, ':')
		item, quoted := p.item(',', ')')
		switch {
		case !p.ok():
			err = errMalformed
		case !quoted && len(item) == 0:
			dst = append(dst, "null"...)
		default:
			dst, err = f.typ.appendJSON(dst, item, depth+1)
		}
		if err != nil {
			return dst, err
		}
	}
	if !p.take(')') || len(p.rest) > 0 {
		return dst, errMalformed
	}
	return append(dst, '}'), nil
}

// notation reads the server's notation of arrays and rows.
type notation struct {
	rest   []byte
	failed bool
}

func (p *notation) ok() bool       { return !p.failed }
func (p *notation) at(b byte) bool { return len(p.rest) > 0 && p.rest[0] == b }

func (p *notation) take(b byte) bool {
	if p.at(b) {
		p.rest = p.rest[1:]
		return true
	}
	return false
}

// item reads up to the delimiter or the end, which it leaves. Quotes and backslashes are taken off;
// in rows a quote inside quotes is doubled.
func (p *notation) item(delim, end byte) (text []byte, quoted bool) {
	inside := false
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
		case !inside && (b == delim || b == end):
			p.rest = p.rest[i:]
			return text, quoted
		default:
			text = append(text, b)
		}
	}
	p.failed, p.rest = true, nil
	return nil, false
}
