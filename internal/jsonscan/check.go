package jsonscan

import "github.com/badger-eval/badger/internal/errcode"

// Check returns an error unless text is one JSON value that has one meaning: of at most [MaxDepth] levels, in valid
// UTF-8, without lone surrogates, and without two members of the same name in an object.
func Check(text []byte) error {
	var c checker
	c.s.Reset(text)
	if err := c.value(); err != nil {
		return err
	}
	return c.s.End()
}

// checker checks a value. keys are the names of the members that were read of each object that is open.
type checker struct {
	s    Scanner
	keys [][]byte
}

func (c *checker) value() error {
	switch c.s.Peek() {
	case '{':
		return c.object()
	case '[':
		if err := c.s.Array(); err != nil {
			return err
		}
		for first := true; ; first = false {
			more, err := c.s.More(first)
			if err != nil || !more {
				return err
			}
			if err := c.value(); err != nil {
				return err
			}
		}
	case '"':
		if _, err := c.s.String(); err != nil {
			return err
		}
		return c.s.Lone()
	}
	_, err := c.s.Skip()
	return err
}

// fewKeys is the number of names of an object that are compared one by one. A map has the further ones.
const fewKeys = 16

func (c *checker) object() error {
	if err := c.s.Object(); err != nil {
		return err
	}
	start := len(c.keys)
	defer func() { c.keys = c.keys[:start] }()
	var more map[string]bool
	for first := true; ; first = false {
		key, ok, err := c.s.Key(first)
		if err != nil || !ok {
			return err
		}
		if err := c.s.Lone(); err != nil {
			return err
		}
		for _, other := range c.keys[start:] {
			if string(other) == string(key) {
				return c.duplicate(key)
			}
		}
		switch {
		case len(c.keys)-start >= fewKeys:
			if more[string(key)] {
				return c.duplicate(key)
			}
			if more == nil {
				more = map[string]bool{}
			}
			more[string(key)] = true
		default:
			c.keys = append(c.keys, c.s.kept(key))
		}
		if err := c.value(); err != nil {
			return err
		}
	}
}

func (c *checker) duplicate(key []byte) error {
	return errcode.New(errcode.InvalidArgument, "JSON byte %d: duplicate member %.80q, expected each name once", c.s.pos, key)
}
