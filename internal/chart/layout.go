package chart

import (
	"math"
	"strconv"
	"strings"
)

// Margin is the space around a picture's content, in pixels.
const Margin = 28.0

// Axis maps values from From to To linearly to pixels from Start to End.
type Axis struct{ From, To, Start, End float64 }

// At returns the pixel of value v; values outside of the axis are at its nearer end.
func (a Axis) At(v float64) float64 {
	return a.Start + (max(a.From, min(a.To, v))-a.From)/(a.To-a.From)*(a.End-a.Start)
}

// Ticks returns the multiples of step within the axis, rounded to tenths.
func (a Axis) Ticks(step float64) (out []float64) {
	for k := math.Ceil(a.From/step - 1e-9); k*step <= a.To+1e-9; k++ {
		out = append(out, math.Round(k*step*10)/10)
	}
	return out
}

// round returns an axis that contains lo to hi, begins and ends at multiples of step, and has a step of 1, 2 or 5 times
// a power of ten, so that about n steps at most cover lo to hi.
func round(lo, hi float64, n int) (from, to, step float64) {
	if !(hi > lo) {
		lo, hi = lo-0.5, lo+0.5
	}
	step = math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(n))))
	for _, more := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(step*more) <= float64(n) {
			step *= more
			break
		}
	}
	return math.Floor(lo/step+1e-9) * step, math.Ceil(hi/step-1e-9) * step, step
}

// places returns the number of decimals that the multiples of a step need, at most 6.
func places(step float64) int {
	_, decimals, _ := strings.Cut(strconv.FormatFloat(math.Round(step*1e6)/1e6, 'f', -1, 64), ".")
	return len(decimals)
}

// Decimal formats a number with the given number of decimals and a typographic minus sign. A number that rounds to
// 0 has no sign.
func Decimal(v float64, digits int) string {
	if math.Abs(v) < 0.5*math.Pow10(-digits) {
		v = 0
	}
	return strings.Replace(strconv.FormatFloat(v, 'f', digits, 64), "-", "−", 1)
}

// Apart returns ascending positions that are at least spacing apart and as close as possible to wanted, which is
// ascending, in the sum of squares. They are then moved within least and most, if there is room. It is an isotonic
// regression by pooling adjacent violators.
func Apart(wanted []float64, spacing, least, most float64) []float64 {
	type pool struct {
		sum float64
		n   int
	}
	mean := func(p pool) float64 { return p.sum / float64(p.n) }
	var pools []pool
	for i, w := range wanted {
		p := pool{w - float64(i)*spacing, 1}
		for len(pools) > 0 && mean(pools[len(pools)-1]) >= mean(p) {
			last := pools[len(pools)-1]
			p = pool{p.sum + last.sum, p.n + last.n}
			pools = pools[:len(pools)-1]
		}
		pools = append(pools, p)
	}
	out := make([]float64, 0, len(wanted))
	for _, p := range pools {
		at := max(least, min(most-float64(len(wanted)-1)*spacing, mean(p)))
		for range p.n {
			out = append(out, at+float64(len(out))*spacing)
		}
	}
	return out
}

// TextWidth estimates the width in pixels of text in a font of 12 pixels, rather too wide than too narrow.
func TextWidth(text string) float64 {
	w := 0.0
	for _, r := range text {
		switch {
		case r > 0x2e80:
			w += 12
		case r >= 'A' && r <= 'Z' || r == 'm' || r == 'w' || r == '@' || r == '%':
			w += 9.6
		case r == 'i' || r == 'l' || r == 'j' || r == '.' || r == ',' || r == '|' || r == '\'':
			w += 4
		default:
			w += 7.2
		}
	}
	return w
}

// Shortened returns text, with its middle replaced by an ellipsis if it is wider than width: names often differ at both
// ends.
func Shortened(text string, width float64) string {
	if TextWidth(text) <= width {
		return text
	}
	runes := []rune(text)
	for cut := 1; cut < len(runes)-2; cut++ {
		head := (len(runes) - cut) / 2
		if s := string(runes[:head]) + "…" + string(runes[head+cut:]); TextWidth(s) <= width {
			return s
		}
	}
	return "…"
}
