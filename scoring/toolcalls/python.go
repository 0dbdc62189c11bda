package toolcalls

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// pythonDict converts a dict as Python prints it, such as {'limit': 10, 'all': True}, to JSON. It returns nil for other
// text. Keys must be strings; numbers keep their digits.
func pythonDict(text string) json.RawMessage {
	p := python{in: strings.TrimSpace(text)}
	if !strings.HasPrefix(p.in, "{") || !p.value() || strings.TrimSpace(p.in) != "" || !json.Valid(p.out) {
		return nil
	}
	return p.out
}

// python converts Python literals from in to JSON in out.
type python struct {
	in    string
	out   []byte
	depth int
}

// take removes white space and then a prefix of the input. It reports whether the prefix was there.
func (p *python) take(prefix string) (ok bool) {
	p.in, ok = strings.CutPrefix(strings.TrimLeft(p.in, " \t\r\n"), prefix)
	return ok
}

func (p *python) value() bool {
	if p.depth > maxDepth {
		return false
	}
	p.depth++
	defer func() { p.depth-- }()
	switch {
	case p.take("{"):
		return p.items("{", "}", func() bool {
			if !p.text() || !p.take(":") {
				return false
			}
			p.out = append(p.out, ':')
			return p.value()
		})
	case p.take("["):
		return p.items("[", "]", p.value)
	case p.take("("):
		return p.items("[", ")", p.value)
	case strings.HasPrefix(p.in, "'"), strings.HasPrefix(p.in, `"`):
		return p.text()
	}
	n := strings.IndexAny(p.in, ",]}) \t\r\n")
	if n < 1 {
		return false
	}
	word := p.in[:n]
	switch word {
	case "True":
		word = "true"
	case "False":
		word = "false"
	case "None":
		word = "null"
	}
	p.out, p.in = append(p.out, word...), p.in[n:]
	return json.Valid([]byte(word))
}

// items converts items that commas separate, up to the end of their list or dict.
func (p *python) items(open, end string, item func() bool) bool {
	p.out = append(p.out, open...)
	for first := true; !p.take(end); first = false {
		if !first {
			if !p.take(",") {
				return false
			}
			if p.take(end) { // a comma after the last item
				break
			}
			p.out = append(p.out, ',')
		}
		if !item() {
			return false
		}
	}
	if open == "{" {
		p.out = append(p.out, '}')
	} else {
		p.out = append(p.out, ']')
	}
	return true
}

// text converts a string with its escapes.
func (p *python) text() bool {
	p.take("")
	if p.in == "" || p.in[0] != '\'' && p.in[0] != '"' {
		return false
	}
	quote := p.in[0]
	var text []byte
	for i := 1; i < len(p.in); {
		switch c := p.in[i]; {
		case c == quote:
			p.out, p.in = jsonscan.AppendString(p.out, text), p.in[i+1:]
			return true
		case c == '\n':
			return false
		case c != '\\':
			text = append(text, c)
			i++
		default:
			n := 0
			if text, n = escape(text, p.in[i:]); n == 0 {
				return false
			}
			i += n
		}
	}
	return false
}

// escapes maps the letter of an escape to its character.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', '\\': '\\', '\'': '\'', '"': '"', 'a': 7, 'b': 8, 'f': 12,
	'v': 11}

// hexDigits maps the letter of an escape to its number of hexadecimal digits.
var hexDigits = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// escape appends the character of the escape at the beginning of in, and returns the length of the escape, or 0 if it
// is invalid.
func escape(text []byte, in string) ([]byte, int) {
	if len(in) < 2 {
		return text, 0
	}
	if c, ok := escapes[in[1]]; ok {
		return append(text, c), 2
	}
	n := hexDigits[in[1]]
	if n == 0 || len(in) < 2+n {
		return text, 0
	}
	code, err := strconv.ParseUint(in[2:2+n], 16, 32)
	if err != nil || !utf8.ValidRune(rune(code)) {
		return text, 0
	}
	return utf8.AppendRune(text, rune(code)), 2 + n
}
