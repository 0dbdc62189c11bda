// Package jsonscan reads JSON of a known shape in one pass, without building a tree.
//
// Results and batches arrive as JSON of a fixed shape with up to millions of cells, and their numbers must not be
// converted to float64. encoding/json has a tree of interface values and a token stream that allocates per token; both
// cost more time than scoring the cells. A [Scanner] returns keys, strings and numbers as slices of its input. It
// accepts exactly the JSON of RFC 8259 (a fuzz test compares it with encoding/json) with limited nesting. [Lines] reads
// files of one record a line in limited memory.
package jsonscan

import (
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/errcode"
)

// MaxDepth is the maximum nesting of arrays and objects.
const MaxDepth = 512

// Scanner reads one JSON text. Reset sets its input and must be called first. A Scanner may be reused but not used
// concurrently.
type Scanner struct {
	b       []byte
	pos     int
	depth   int
	scratch []byte
	lone    bool // the last string has a lone surrogate
}

// Reset makes the scanner read b from its beginning. The slices that other methods return share b's memory.
func (s *Scanner) Reset(b []byte) { s.b, s.pos, s.depth = b, 0, 0 }

// Offset returns the number of bytes that were read.
func (s *Scanner) Offset() int { return s.pos }

func (s *Scanner) fail(want string) error {
	if s.pos >= len(s.b) {
		return errcode.New(errcode.InvalidArgument, "JSON ends at byte %d where %s was expected", s.pos, want)
	}
	return errcode.New(errcode.InvalidArgument, "JSON byte %d: expected %s", s.pos, want)
}

// Peek returns the first byte of the next token, skipping white space, or 0 at the end.
func (s *Scanner) Peek() byte {
	for s.pos < len(s.b) {
		switch c := s.b[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// End returns an error unless only white space is left.
func (s *Scanner) End() error {
	if s.Peek(); s.pos < len(s.b) {
		return s.fail("the end")
	}
	return nil
}

func (s *Scanner) open(c byte, want string) error {
	if s.Peek() != c {
		return s.fail(want)
	}
	if s.depth++; s.depth > MaxDepth {
		return errcode.New(errcode.InvalidArgument, "JSON byte %d: nested deeper than %d", s.pos, MaxDepth)
	}
	s.pos++
	return nil
}

// Object reads the beginning of an object. Its members are then read with Key.
func (s *Scanner) Object() error { return s.open('{', "an object") }

// Array reads the beginning of an array. Its elements are then read with More.
func (s *Scanner) Array() error { return s.open('[', "an array") }

// More moves to the next element of an array and reports whether there is one; first is true on the
// first call for that array. The element itself must then be read (or skipped).
func (s *Scanner) More(first bool) (bool, error) { return s.more(first, ']') }

// Key moves to the next member of an object and returns its name, which is valid until the next
// string is read; ok is false at the object's end. The member's value must then be read (or
// skipped).
func (s *Scanner) Key(first bool) (key []byte, ok bool, err error) {
	ok, err = s.more(first, '}')
	if err != nil || !ok {
		return nil, false, err
	}
	if key, err = s.String(); err != nil {
		return nil, false, err
	}
	if s.Peek() != ':' {
		return nil, false, s.fail("':'")
	}
	s.pos++
	return key, true, nil
}

func (s *Scanner) more(first bool, end byte) (bool, error) {
	switch c := s.Peek(); {
	case c == end:
		s.pos++
		s.depth--
		return false, nil
	case first:
		return true, nil
	case c == ',':
		s.pos++
		if s.Peek() == end {
			return false, s.fail("a value after ','; JSON allows no comma before a closing bracket")
		}
		return true, nil
	}
	return false, s.fail("',' or '" + string(end) + "'")
}

// String reads a string. The slice aliases the input or, if the string has escapes, scratch space that the next
// such string overwrites. Lone surrogates become U+FFFD, and [Scanner.Lone] reports them. Invalid UTF-8 is an
// error.
func (s *Scanner) String() ([]byte, error) {
	s.lone = false
	if s.Peek() != '"' {
		return nil, s.fail("a string")
	}
	start := s.pos + 1
	ascii := true
	for i := start; i < len(s.b); i++ {
		switch c := s.b[i]; {
		case c == '"':
			if !ascii && !utf8.Valid(s.b[start:i]) {
				s.pos = start
				return nil, s.fail("valid UTF-8 in a string")
			}
			s.pos = i + 1
			return s.b[start:i], nil
		case c == '\\':
			return s.escaped(start, i)
		case c < 0x20:
			s.pos = i
			return nil, s.fail("no control character in a string")
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	s.pos = len(s.b)
	return nil, s.fail(`'"'`)
}

// Lone returns an error if the last string has a lone surrogate, such as \ud800: half of a character, which UTF-8
// cannot encode.
func (s *Scanner) Lone() error {
	if s.lone {
		return errcode.New(errcode.InvalidArgument, "the JSON string before byte %d has a lone surrogate, expected a pair",
			s.pos)
	}
	return nil
}

// kept returns a string that String or Key returned, so that it stays valid.
func (s *Scanner) kept(text []byte) []byte {
	if len(text) > 0 && len(s.scratch) > 0 && &text[0] == &s.scratch[0] {
		return slices.Clone(text)
	}
	return text
}

func (s *Scanner) escaped(start, i int) ([]byte, error) {
	out := append(s.scratch[:0], s.b[start:i]...)
	for i < len(s.b) {
		c := s.b[i]
		switch {
		case c == '"':
			s.scratch = out
			if !utf8.Valid(out) {
				s.pos = start
				return nil, s.fail("valid UTF-8 in a string")
			}
			s.pos = i + 1
			return out, nil
		case c < 0x20:
			s.pos = i
			return nil, s.fail("no control character in a string")
		case c != '\\':
			out = append(out, c)
			i++
			continue
		}
		if i+1 >= len(s.b) {
			break
		}
		switch e := s.b[i+1]; e {
		case '"', '\\', '/':
			out = append(out, e)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := s.hex4(i + 2)
			if r < 0 {
				s.pos = i
				return nil, s.fail("four hexadecimal digits after \\u")
			}
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if i+7 < len(s.b) && s.b[i+6] == '\\' && s.b[i+7] == 'u' {
					low = s.hex4(i + 8)
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				} else {
					s.lone = true
				}
			}
			out = utf8.AppendRune(out, r)
			i += 4
		default:
			s.pos = i
			return nil, s.fail("a known escape")
		}
		i += 2
	}
	s.pos = len(s.b)
	return nil, s.fail(`'"'`)
}

func (s *Scanner) hex4(i int) rune {
	if i+4 > len(s.b) {
		return -1
	}
	n, err := strconv.ParseUint(string(s.b[i:i+4]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}

// Number reads a number and returns its text, which aliases the input. isInt is set if it has neither point nor
// exponent.
func (s *Scanner) Number() (text []byte, isInt bool, err error) {
	c := s.Peek()
	if c != '-' && (c < '0' || c > '9') {
		return nil, false, s.fail("a number")
	}
	start, i := s.pos, s.pos
	isInt = true
	if c == '-' {
		i++
	}
	if i < len(s.b) && s.b[i] == '0' {
		i++
	} else if i = s.digits(i); i < 0 {
		return nil, false, s.fail("a number")
	}
	if i < len(s.b) && s.b[i] == '.' {
		isInt = false
		if i = s.digits(i + 1); i < 0 {
			return nil, false, s.fail("a number")
		}
	}
	if i < len(s.b) && (s.b[i] == 'e' || s.b[i] == 'E') {
		isInt = false
		i++
		if i < len(s.b) && (s.b[i] == '+' || s.b[i] == '-') {
			i++
		}
		if i = s.digits(i); i < 0 {
			return nil, false, s.fail("a number")
		}
	}
	s.pos = i
	return s.b[start:i], isInt, nil
}

// digits returns the index after a run of at least one digit at i, or -1.
func (s *Scanner) digits(i int) int {
	start := i
	for i < len(s.b) && s.b[i] >= '0' && s.b[i] <= '9' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

// Bool reads true or false.
func (s *Scanner) Bool() (bool, error) {
	switch {
	case s.Peek() == 't' && s.word("true"):
		return true, nil
	case s.Peek() == 'f' && s.word("false"):
		return false, nil
	}
	return false, s.fail("true or false")
}

// Null reads null.
func (s *Scanner) Null() error {
	if s.Peek() == 'n' && s.word("null") {
		return nil
	}
	return s.fail("null")
}

func (s *Scanner) word(w string) bool {
	if len(s.b)-s.pos < len(w) || string(s.b[s.pos:s.pos+len(w)]) != w {
		return false
	}
	s.pos += len(w)
	return true
}

// Skip reads one value of any kind and returns its text, which aliases the input.
func (s *Scanner) Skip() ([]byte, error) {
	c := s.Peek()
	start := s.pos
	var err error
	switch c {
	case '{':
		err = s.skipObject()
	case '[':
		err = s.skipArray()
	case '"':
		_, err = s.String()
	case 't', 'f':
		_, err = s.Bool()
	case 'n':
		err = s.Null()
	default:
		if c != '-' && (c < '0' || c > '9') {
			return nil, s.fail("a value")
		}
		_, _, err = s.Number()
	}
	return s.b[start:s.pos], err
}

// Pass skips one value without validating it. The input must be valid JSON.
func (s *Scanner) Pass() {
	depth := 0
	for s.Peek(); s.pos < len(s.b); s.pos++ {
		switch s.b[s.pos] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return // the end of the enclosing array or object
			}
			if depth == 0 {
				s.pos++
				return
			}
		case ',':
			if depth == 0 {
				return
			}
		case '"':
			for s.pos++; s.pos < len(s.b) && s.b[s.pos] != '"'; s.pos++ {
				if s.b[s.pos] == '\\' {
					s.pos++
				}
			}
		}
	}
	s.pos = min(s.pos, len(s.b))
}

func (s *Scanner) skipObject() error {
	if err := s.Object(); err != nil {
		return err
	}
	for first := true; ; first = false {
		_, ok, err := s.Key(first)
		if err != nil || !ok {
			return err
		}
		if _, err := s.Skip(); err != nil {
			return err
		}
	}
}

func (s *Scanner) skipArray() error {
	if err := s.Array(); err != nil {
		return err
	}
	for first := true; ; first = false {
		ok, err := s.More(first)
		if err != nil || !ok {
			return err
		}
		if _, err := s.Skip(); err != nil {
			return err
		}
	}
}
