package sqltree

import (
	"strconv"
	"strings"
)

// canonicalNumber returns a decimal number in a form that is the same for equal values: 29.00 is 29, 1e3 is 1000. It
// returns any other string, and a number with a large exponent, unchanged.
func canonicalNumber(s string) string {
	t := strings.ReplaceAll(s, "_", "")
	mantissa, exponent := t, 0
	if i := strings.IndexAny(t, "eE"); i >= 0 {
		e, err := strconv.Atoi(t[i+1:])
		if err != nil || e > 40 || e < -40 {
			return s
		}
		mantissa, exponent = t[:i], e
	}
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole+fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return s
	}
	digits, point := whole+fraction, len(whole)+exponent
	if point < 0 {
		digits, point = strings.Repeat("0", -point)+digits, 0
	}
	if point > len(digits) {
		digits += strings.Repeat("0", point-len(digits))
	}
	whole, fraction = strings.TrimLeft(digits[:point], "0"), strings.TrimRight(digits[point:], "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if whole == "0" {
		return whole
	}
	return sign + whole
}

// typedNumber returns a number in a form that depends on its value and on whether it is written as a whole number,
// since 100.0 and 100 differ in a division.
func typedNumber(s string) string {
	n := canonicalNumber(s)
	if strings.ContainsAny(s, ".eE") && !strings.Contains(n, ".") && !strings.ContainsAny(n, "xX") {
		n += ".0"
	}
	return n
}

// untyped returns a number without a fraction of zeros, or the number that a string contains, for comparisons. It
// returns any other expression unchanged.
func untyped(e *Expr) *Expr {
	switch e.Op {
	case opNumber:
		if n, ok := strings.CutSuffix(e.Text, ".0"); ok {
			return number(n)
		}
	case opString: // '150' is 150
		if n, ok := numeric(e.Text); ok {
			return n
		}
	}
	return e
}
