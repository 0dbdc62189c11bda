// Package natural orders names and versions as people do: runs of digits count as numbers, so that
// v9 comes before v10, 1.9 before 1.10 and 2024-9 before 2024-10.
package natural

import (
	"cmp"
	"strings"
)

// Compare compares two texts. If they differ by something else than digits, their bytes decide;
// a text comes after its beginning.
func Compare(a, b string) int {
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
