package analysis

import "strings"

// Texts numbers strings from 0, in the order of their first use. Its zero value is empty.
type Texts[N uint16 | uint32] struct {
	index map[string]N
	list  []string
}

// Of returns the number of s, and assigns the next one if s has none. It stores a copy of s. ok is false if no number
// is left.
func (t *Texts[N]) Of(s string) (n N, ok bool) {
	if n, ok = t.index[s]; ok {
		return n, true
	}
	if n = N(len(t.list)); n == ^N(0) { //nolint:gosec // there are fewer, as the last is never given
		return 0, false
	}
	if t.index == nil {
		t.index = map[string]N{}
	}
	s = strings.Clone(s)
	t.list = append(t.list, s)
	t.index[s] = n
	return n, true
}

// Known returns the number of s; ok is false if it has none.
func (t *Texts[N]) Known(s string) (n N, ok bool) {
	n, ok = t.index[s]
	return n, ok
}

// Text returns the string with number n, which must have been assigned.
func (t *Texts[N]) Text(n N) string { return t.list[n] }

// Len returns the number of strings.
func (t *Texts[N]) Len() int { return len(t.list) }
