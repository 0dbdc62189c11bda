package printable

import (
	"cmp"
	"strings"
)

// CompareNatural compares two strings in natural sort order: runs of digits as numbers, other characters by their
// bytes. A prefix of a string comes first. It returns a negative number, 0 or a positive number.
func CompareNatural(a, b string) int {
	for i, j := 0, 0; ; {
		if i >= len(a) || j >= len(b) {
			return cmp.Or(cmp.Compare(len(a)-i, len(b)-j), strings.Compare(a, b))
		}
		x, y := digits(a[i:]), digits(b[j:])
		if x > 0 && y > 0 {
			m, n := strings.TrimLeft(a[i:i+x], "0"), strings.TrimLeft(b[j:j+y], "0")
			if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
				return c
			}
			i, j = i+x, j+y
			continue
		}
		if a[i] != b[j] {
			return cmp.Compare(a[i], b[j])
		}
		i, j = i+1, j+1
	}
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
