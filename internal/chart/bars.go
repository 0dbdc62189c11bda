package chart

import (
	"math"
	"strconv"
)

// Bars is a horizontal bar chart with one bar for each name, the first on top.
type Bars struct {
	Name, Title, Desc string
	X                 string // label of the axis
	Percent           bool   // values are fractions and displayed in percent
	High              float64
	Rows              []Bar
	Narrow            bool // for a phone: at most 350 pixels wide
}

// Bar is one row of a bar chart.
type Bar struct {
	Name      string
	Value     *float64 // nil: a dash instead of a bar
	Low, High *float64 // its interval, or nil
	Text      string   // text next to the bar, such as its value
	Class     string   // CSS class, such as two; "": one
}

// Picture draws the bars. The axis contains 0, all values and intervals, and High.
func (b *Bars) Picture() *Picture {
	const rowHeight = 22.0
	plot, figures, longest, ticks := 420.0, 150.0, 290.0, 6
	if b.Narrow {
		plot, figures, longest, ticks = 100, 80, 90, 2
	}
	x, names := Axis{To: b.High}, 90.0
	for _, r := range b.Rows {
		names = max(names, min(TextWidth(r.Name), longest))
		for _, v := range []*float64{r.Value, r.Low, r.High} {
			if v != nil {
				x.From, x.To = min(x.From, *v), max(x.To, *v)
			}
		}
	}
	if x.From == x.To {
		x.To = 1
	}
	var step float64
	x.From, x.To, step = round(x.From, x.To, ticks)
	x.Start = Margin + names + 12
	x.End = x.Start + plot
	top := Margin
	bottom := top + rowHeight*float64(max(1, len(b.Rows)))
	p := New(b.Name, b.Title, b.Desc, x.End+figures+Margin, max(100, bottom+58))
	for k := 0; k <= int(math.Round((x.To-x.From)/step)); k++ {
		v := x.From + float64(k)*step
		text := Decimal(v, places(step))
		if b.Percent {
			text = Decimal(100*v, places(step*100)) + " %"
		}
		p.Line("hairline", x.At(v), top, x.At(v), bottom)
		p.TextAround("small", x.At(v), bottom+17, text)
	}
	p.Line("zero", x.At(0), top, x.At(0), bottom)
	p.TextAround("muted", (x.Start+x.End)/2, bottom+40, b.X)
	for i, r := range b.Rows {
		y := top + rowHeight*(float64(i)+0.5)
		p.TextBefore("", x.Start-12, y+4, Shortened(r.Name, names))
		text := r.Text
		if r.Value == nil {
			text = "–"
		} else {
			class := r.Class
			if class == "" {
				class = classes[0]
			}
			p.Rect(class, Box{min(x.At(0), x.At(*r.Value)), y - 6, math.Abs(x.At(*r.Value) - x.At(0)), 12, 1.5},
				r.Name+": "+r.Text)
		}
		if r.Low != nil && r.High != nil {
			lo, hi := x.At(*r.Low), x.At(*r.High)
			p.Line("whisker", lo, y, hi, y)
			p.Line("whisker", lo, y-3, lo, y+3)
			p.Line("whisker", hi, y-3, hi, y+3)
		}
		p.Text("figure", x.End+16, y+4, Shortened(text, figures-16))
	}
	if len(b.Rows) == 0 {
		p.TextAround("muted", (x.Start+x.End)/2, top+15, "there are no values")
	}
	return p
}

// Histogram is a chart of the numbers of values in bins of equal width.
type Histogram struct {
	Name, Title, Desc string
	X, Y              string
	From, Width       float64 // start of the first bin, and width of each
	Counts            []int
}

// Picture draws the histogram.
func (h *Histogram) Picture() *Picture {
	const plot, height = 560.0, 180.0
	most := 0
	for _, n := range h.Counts {
		most = max(most, n)
	}
	_, high, step := round(0, float64(max(1, most)), 5)
	step = max(1, step)
	left, top := Margin+54, Margin
	y := Axis{From: 0, To: max(step, high), Start: top + height, End: top}
	bins := float64(max(1, len(h.Counts)))
	x := Axis{From: h.From, To: h.From + bins*h.Width, Start: left, End: left + plot}
	p := New(h.Name, h.Title, h.Desc, x.End+Margin, y.Start+58)
	for v := 0.0; v <= y.To+step/2; v += step {
		p.Line("hairline", x.Start, y.At(v), x.End, y.At(v))
		p.TextBefore("small", x.Start-8, y.At(v)+4, Decimal(v, 0))
	}
	digits := places(h.Width)
	each := max(1, int(math.Ceil(bins/10)))
	for i := 0; i <= len(h.Counts); i += each {
		v := h.From + float64(i)*h.Width
		p.TextAround("small", x.At(v), y.Start+17, Decimal(v, digits))
	}
	p.TextAround("muted", (x.Start+x.End)/2, y.Start+42, h.X)
	p.TextUp("muted", Margin-10, (y.Start+y.End)/2, h.Y)
	for i, n := range h.Counts {
		if n == 0 {
			continue
		}
		lo, hi := h.From+float64(i)*h.Width, h.From+float64(i+1)*h.Width
		p.Rect(classes[0],
			Box{X: x.At(lo) + 1, Y: y.At(float64(n)), W: x.At(hi) - x.At(lo) - 2, H: y.Start - y.At(float64(n))},
			Decimal(lo, digits)+" to "+Decimal(hi, digits)+": "+strconv.Itoa(n))
	}
	return p
}
