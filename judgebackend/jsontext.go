package judgebackend

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode"
)

const (
	maxObjects = 256 // number of objects that are examined in one reply
	maxDepth   = 64  // levels of nested brackets
	maxNumber  = 400 // digits, or magnitude of the exponent: larger numbers cost too much memory
)

// findObjects returns the outermost JSON objects in text, repaired as [Decode] describes. An object that text
// truncates is an error. It reads each byte at most twice.
func findObjects(text string) ([][]byte, error) {
	var found [][]byte
	for i := 0; i < len(text); {
		next := strings.IndexByte(text[i:], '{')
		if next < 0 {
			break
		}
		i += next
		if !opensObject(text[i+1:]) { // a brace in prose
			i++
			continue
		}
		object, n := takeObject(text[i:])
		if n == 0 {
			return nil, badReply("it ends inside an object")
		}
		if len(found) == maxObjects {
			return nil, badReply("more than %d objects", maxObjects)
		}
		found = append(found, object)
		i += n
	}
	return found, nil
}

// opensObject reports whether the text after a { starts with a key, a }, or a comment, or is empty.
func opensObject(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return rest == "" || rest[0] == '"' || rest[0] == '}' || strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "/*")
}

// takeObject returns the repaired object at the start of text and its length in text; the length is 0 if the object
// is not complete.
func takeObject(text string) (object []byte, read int) {
	out := make([]byte, 0, 256)
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			n := 0
			if out, n = takeString(out, text[i:]); n == 0 {
				return nil, 0
			}
			i += n - 1
		case c == '/' && i+1 < len(text) && (text[i+1] == '/' || text[i+1] == '*'):
			n := commentLength(text[i:])
			if n == 0 {
				return nil, 0
			}
			i += n - 1
			out = append(out, ' ')
		case c == '{' || c == '[':
			depth++
			out = append(out, c)
		case c == '}' || c == ']':
			out = append(dropComma(out), c)
			if depth--; depth == 0 {
				return out, i + 1
			}
		default:
			if word, n := python(text[i:], out); n > 0 {
				out = append(out, word...)
				i += n - 1
				continue
			}
			out = append(out, c)
		}
	}
	return nil, 0
}

// python returns the JSON of Python's True, False or None at the start of text, and its length; 0 if there is none.
// out is the text before.
func python(text string, out []byte) (word string, n int) {
	if len(out) > 0 && isWordByte(out[len(out)-1]) {
		return "", 0
	}
	for _, w := range pythonWords {
		if strings.HasPrefix(text, w.python) && (len(text) == len(w.python) || !isWordByte(text[len(w.python)])) {
			return w.json, len(w.python)
		}
	}
	return "", 0
}

var pythonWords = [...]struct{ python, json string }{{"True", "true"}, {"False", "false"}, {"None", "null"}}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// takeString appends the string literal at the start of text, with raw control characters and stray backslashes
// escaped, and returns its length in text; 0 if it is not complete.
func takeString(out []byte, text string) ([]byte, int) {
	out = append(out, '"')
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && text[i+1] >= ' ':
			switch next := text[i+1]; {
			case next == '\'':
				out = append(out, next)
			case strings.IndexByte(`"\/bfnrtu`, next) < 0: // of a pattern, such as \d
				out = append(out, c, c, next)
			default:
				out = append(out, c, next)
			}
			i++
		case c == '"':
			return append(out, c), i + 1
		case c < ' ':
			out = append(out, `\u00`...)
			out = append(out, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		default:
			out = append(out, c)
		}
	}
	return out, 0
}

// commentLength returns the length of the comment at the start of text; 0 if it is not complete.
func commentLength(text string) int {
	if text[1] == '/' {
		if n := strings.IndexByte(text, '\n'); n > 0 {
			return n
		}
		return 0
	}
	if n := strings.Index(text[2:], "*/"); n >= 0 {
		return n + 4
	}
	return 0
}

// dropComma removes a comma at the end of out, and white space after it.
func dropComma(out []byte) []byte {
	if t := bytes.TrimRight(out, " \t\r\n"); bytes.HasSuffix(t, []byte(",")) {
		return t[:len(t)-1]
	}
	return out
}

// checkJSON returns an error unless b is one JSON object without duplicate keys, with at most maxDepth levels and no
// number larger than maxNumber allows.
func checkJSON(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if err := checkValue(dec, 0); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	if t := bytes.TrimLeft(b, " \t\r\n"); len(t) == 0 || t[0] != '{' {
		return errors.New("not an object")
	}
	return nil
}

var errNotJSON = errors.New("an object that is not JSON")

func checkValue(dec *json.Decoder, depth int) error {
	token, err := dec.Token()
	if err != nil {
		return errNotJSON
	}
	switch t := token.(type) {
	case json.Number:
		if !isModest(t.String()) {
			return errors.New("a number of absurd size")
		}
	case json.Delim:
		if depth == maxDepth {
			return errors.New("nested too deep")
		}
		keys := map[string]bool{}
		for dec.More() {
			if t == '{' {
				key, err := dec.Token()
				if err != nil {
					return errNotJSON
				}
				k, ok := key.(string)
				if !ok {
					return errNotJSON
				}
				if keys[foldKey(k)] {
					return errors.New("an object with a duplicate key")
				}
				keys[foldKey(k)] = true
			}
			if err := checkValue(dec, depth+1); err != nil {
				return err
			}
		}
		if _, err := dec.Token(); err != nil {
			return errNotJSON
		}
	}
	return nil
}

// foldKey returns the same string for keys that differ only in case: encoding/json stores them in the same field, so
// they are duplicates.
func foldKey(k string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, k)
}

func isModest(number string) bool {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	if len(mantissa) > maxNumber {
		return false
	}
	if exponent == "" {
		return true
	}
	n, err := strconv.Atoi(exponent)
	return err == nil && -maxNumber <= n && n <= maxNumber
}
