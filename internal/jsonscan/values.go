package jsonscan

import (
	"bytes"
	"errors"
	"io"
	"iter"

	"github.com/badger-eval/badger/internal/errcode"
)

// Values returns the JSON values of in, which white space separates, and the elements of lists. The Text of a value
// of more than limit bytes is nil. Only brackets and quotes are checked. The Offset of a value is that of its end, and
// Torn is not set. After text between values, or a value that is cut off, it yields an error and ends.
func Values(in io.Reader, limit int) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		v := values{in: in, limit: limit, yield: yield}
		if err := v.run(); err != nil && !v.stopped {
			yield(Line{Number: v.n + 1, Offset: v.at}, err)
		}
	}
}

// values splits a text at the ends of its values.
type values struct {
	in      io.Reader
	limit   int
	yield   func(Line, error) bool
	stopped bool

	chunk  []byte // read and not yet split
	buffer [1 << 16]byte
	n      int
	at     int64 // offset of chunk
	text   long
}

// next reads the next chunk if the last is used up. It returns io.EOF at the end.
func (v *values) next() error {
	for len(v.chunk) == 0 {
		n, err := v.in.Read(v.buffer[:])
		if v.chunk = v.buffer[:n]; n == 0 && err != nil {
			return err
		}
	}
	return nil
}

// pass removes n bytes from the chunk.
func (v *values) pass(n int) { v.chunk, v.at = v.chunk[n:], v.at+int64(n) }

// peek returns the next byte that is not white space.
func (v *values) peek() (byte, error) {
	for {
		if err := v.next(); err != nil {
			return 0, err
		}
		rest := bytes.TrimLeft(v.chunk, " \t\r\n")
		v.pass(len(v.chunk) - len(rest))
		if len(rest) > 0 {
			return rest[0], nil
		}
	}
}

func (v *values) run() error {
	list, first := false, true
	for {
		c, err := v.peek()
		switch {
		case errors.Is(err, io.EOF) && !list:
			return nil
		case errors.Is(err, io.EOF):
			return v.cutOff()
		case err != nil:
			return err
		}
		switch {
		case !list && c == '[':
			v.pass(1)
			list, first = true, true
			continue
		case list && c == ']':
			v.pass(1)
			list = false
			continue
		case list && !first && c != ',':
			return errcode.New(errcode.InvalidArgument, "byte %d: not valid JSON: expected ',' or ']'", v.at)
		case list && !first:
			v.pass(1)
			switch c, err := v.peek(); {
			case err != nil && !errors.Is(err, io.EOF):
				return err
			case err == nil && c == ']':
				return errcode.New(errcode.InvalidArgument,
					"byte %d: not valid JSON: expected a value after ','; JSON allows no comma before a closing bracket", v.at)
			}
		}
		first = false
		if err := v.value(); err != nil {
			return err
		}
	}
}

func (v *values) cutOff() error {
	return errcode.New(errcode.InvalidArgument, "byte %d: not valid JSON: the file ends inside a list or an object", v.at)
}

// value yields one value: an object or a list up to its last bracket, or another value up to white space or a comma.
func (v *values) value() error {
	v.text.reset()
	depth, quoted, escaped := 0, false, false
	for {
		if err := v.next(); err != nil {
			if !errors.Is(err, io.EOF) {
				return err
			}
			if depth > 0 || quoted || v.text.n == 0 {
				return v.cutOff()
			}
			return v.give()
		}
		ended := false
		i := 0
		for ; i < len(v.chunk) && !ended; i++ {
			c := v.chunk[i]
			if quoted {
				switch {
				case escaped:
					escaped = false
				case c == '\\':
					escaped = true
				case c == '"':
					quoted = false
					ended = depth == 0
				}
				continue
			}
			switch c {
			case '"':
				quoted = true
			case '{', '[':
				depth++
			case '}', ']':
				if depth == 0 {
					ended = true
					i-- // of the list around the value
				} else if depth--; depth == 0 {
					ended = true
				}
			case ' ', '\t', '\r', '\n', ',':
				if depth == 0 {
					ended = true
					i--
				}
			}
		}
		v.text.add(v.chunk[:i], v.limit)
		v.pass(i)
		if !ended {
			continue
		}
		if v.text.n == 0 {
			return errcode.New(errcode.InvalidArgument, "byte %d: not valid JSON: expected a value", v.at)
		}
		return v.give()
	}
}

// give yields the value that was read.
func (v *values) give() error {
	v.n++
	if !v.yield(Line{Number: v.n, Offset: v.at, Length: v.text.n, Text: v.text.join(v.limit)}, nil) {
		v.stopped = true
		return io.EOF
	}
	return nil
}
