package agreement

import "fmt"

// Least sample sizes below which figures are reported with a warning.
const (
	// MinCases tells a kappa of 0.4 from 0 at the 5 % level with a power of 80 %: n = 7.849 / 0.4²
	// (Donner and Eliasziw 1992).
	MinCases = 50
	// MinPerLabel bounds the 95 % Wilson interval of a sensitivity or specificity to a width of
	// about 0.5.
	MinPerLabel = 10
)

// SampleWarnings says what the sample is too small for; none where it is large enough.
func SampleWarnings(c Confusion) []string {
	var out []string
	switch n := c.N(); {
	case n == 0:
		return []string{noCases}
	case n < MinCases:
		out = append(out, fmt.Sprintf("%d cases are few: it takes %d to tell a kappa of 0.4 from none", n, MinCases))
	}
	few := func(n int, label, what string) {
		if n < MinPerLabel {
			out = append(out, fmt.Sprintf("%d labelled %s: %s rests on fewer than %d cases", n, label, what, MinPerLabel))
		}
	}
	few(c.Passes(), "pass", "sensitivity")
	few(c.Fails(), "fail", "specificity")
	return out
}
