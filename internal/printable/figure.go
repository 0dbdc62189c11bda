package printable

import (
	"math"
	"strconv"
	"strings"
)

// Figure formats a number for a sentence as people write it: with digits significant digits, or as a whole number from
// 10^digits on, without zeros at the end. It uses an exponent only for numbers that are too long to read, from 10^15 on
// and below 10^-9.
func Figure(x float64, digits int) string {
	abs := math.Abs(x)
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) || abs >= 1e15 || abs < 1e-9 {
		return strconv.FormatFloat(x, 'g', digits, 64)
	}
	decimals := max(0, digits-1-int(math.Floor(math.Log10(abs))))
	text := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// Quoted returns a name from data in quotation marks, unchanged, for a sentence that is escaped when it is shown, see
// [Text].
func Quoted(name string) string { return `"` + name + `"` }
