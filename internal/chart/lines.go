package chart

import (
	"cmp"
	"math"
)

// Lines is a line chart of values over steps, such as the versions of an agent, or over a number, such as a threshold.
type Lines struct {
	Name, Title, Desc string
	X, Y              string   // labels of the axes
	Steps             []string // names of the X values 0, 1, 2, …; nil: X is a number
	Percent           bool     // values are fractions, and shown in percent
	Low, High         float64  // minimum range of the Y axis; if equal: that of the values
	Left, Right       float64  // minimum range of the X axis, if X is a number; if equal: that of the values
	Series            []Series // only the first five have distinct colors
	Marks             []Mark
	Plot              float64 // width between the axes in pixels; 0: 620
}

// Series is one line.
type Series struct {
	Name   string
	Points []Point // from left to right
	Bare   bool    // no dots at its points
	Step   Step    // how points are connected
}

// Point is a value in a series.
type Point struct {
	X, Y      float64
	Low, High *float64 // its interval; nil if it has none
	Cut       bool     // no line from the previous point: they are not comparable
	Tip       string
}

// Step is how the points of a series are connected.
type Step int

const (
	Straight Step = iota // by straight lines
	Before               // a value applies from the previous point to its own
	After                // a value applies from its point to the next one
)

// Mark is a vertical line where something changed.
type Mark struct {
	X    float64
	Text string // a few letters
}

// classes are the CSS classes of series.
var classes = []string{"one", "two", "three", "four", "five"}

// Picture draws the lines.
func (l *Lines) Picture() *Picture {
	const height, lanes = 230.0, 16.0
	plot := cmp.Or(l.Plot, 620)
	x, y := Axis{From: math.Inf(1), To: math.Inf(-1)}, Axis{From: math.Inf(1), To: math.Inf(-1)}
	if l.Low != l.High {
		y.From, y.To = l.Low, l.High
	}
	if l.Left != l.Right {
		x.From, x.To = l.Left, l.Right
	}
	names, drawn := 0.0, 0
	for _, s := range l.Series {
		for _, p := range s.Points {
			drawn++
			x.From, x.To = min(x.From, p.X), max(x.To, p.X)
			y.From, y.To = min(y.From, p.Y), max(y.To, p.Y)
			if p.Low != nil && p.High != nil {
				y.From, y.To = min(y.From, *p.Low), max(y.To, *p.High)
			}
		}
		names = max(names, min(TextWidth(s.Name), 200))
	}
	if math.IsInf(y.From, 0) {
		y.From, y.To = 0, 1
	}
	var step float64
	y.From, y.To, step = round(y.From, y.To, 6)
	if l.Steps != nil {
		x.From, x.To = -0.5, float64(len(l.Steps))-0.5
	} else if math.IsInf(x.From, 0) || x.From == x.To {
		x.From, x.To = 0, 1
	}
	left, top := Margin+54, Margin+lanes
	x.Start, x.End, y.Start, y.End = left, left+plot, top+height, top
	p := New(l.Name, l.Title, l.Desc, x.End+names+24+Margin, y.Start+58)
	value := func(v float64) string {
		if l.Percent {
			return Decimal(100*v, places(step*100)) + " %"
		}
		return Decimal(v, places(step))
	}
	for k := 0; k <= int(math.Round((y.To-y.From)/step)); k++ {
		v := y.From + float64(k)*step
		p.Line("hairline", x.Start, y.At(v), x.End, y.At(v))
		p.TextBefore("small", x.Start-8, y.At(v)+4, value(v))
	}
	if y.From < 0 && y.To > 0 {
		p.Line("zero", x.Start, y.At(0), x.End, y.At(0))
	}
	l.along(p, x, y.Start+18)
	p.TextAround("muted", (x.Start+x.End)/2, y.Start+42, l.X)
	p.TextUp("muted", Margin-10, (y.Start+y.End)/2, l.Y)
	for _, m := range l.Marks {
		if m.X >= x.From && m.X <= x.To {
			p.Line("mark", x.At(m.X), y.End, x.At(m.X), y.Start)
			p.TextAround("small", x.At(m.X), y.End-6, m.Text)
		}
	}
	for i := range l.Series {
		l.Series[i].draw(p, x, y, classes[i%len(classes)])
	}
	l.name(p, x, y)
	if drawn == 0 {
		p.TextAround("muted", (x.Start+x.End)/2, (y.Start+y.End)/2, "there are no values")
	}
	return p
}

// along writes the labels of the X axis: names of steps, as many as fit, or numbers.
func (l *Lines) along(p *Picture, x Axis, y float64) {
	if l.Steps == nil {
		from, to, step := round(x.From, x.To, 8)
		for v := from; v <= to+step/2; v += step {
			if v >= x.From-step/1e6 && v <= x.To+step/1e6 {
				p.TextAround("small", x.At(v), y, Decimal(v, places(step)))
			}
		}
		return
	}
	const least = 62.0 // pixels for a name
	each := max(1, int(math.Ceil(least*float64(len(l.Steps))/(x.End-x.Start))))
	room := min(160, float64(each)*(x.End-x.Start)/float64(max(1, len(l.Steps)))-6)
	for i := 0; i < len(l.Steps); i += each {
		p.TextAround("small", x.At(float64(i)), y, Shortened(l.Steps[i], room))
	}
}

func (s *Series) draw(p *Picture, x, y Axis, class string) {
	var run []float64
	flush := func() {
		if len(run) > 2 {
			p.Path(class, run...)
		}
		run = nil
	}
	for _, pt := range s.Points {
		if pt.Cut {
			flush()
		}
		if n := len(run); n > 0 && run[n-1] != y.At(pt.Y) {
			switch s.Step {
			case Straight:
			case Before:
				run = append(run, run[n-2], y.At(pt.Y))
			case After:
				run = append(run, x.At(pt.X), run[n-1])
			}
		}
		run = append(run, x.At(pt.X), y.At(pt.Y))
	}
	flush()
	for _, pt := range s.Points {
		if pt.Low != nil && pt.High != nil {
			p.Line("whisker", x.At(pt.X), y.At(*pt.Low), x.At(pt.X), y.At(*pt.High))
		}
	}
	if s.Bare {
		return
	}
	for _, pt := range s.Points {
		p.Dot(class, x.At(pt.X), y.At(pt.Y), pt.Tip)
	}
}

// name writes the names of the series next to their last points.
func (l *Lines) name(p *Picture, x, y Axis) {
	type end struct {
		series int
		y      float64
	}
	var ends []end
	for i, s := range l.Series {
		if n := len(s.Points); n > 0 && s.Name != "" {
			at := end{i, y.At(s.Points[n-1].Y)}
			k := len(ends)
			for k > 0 && ends[k-1].y > at.y {
				k--
			}
			ends = append(ends[:k], append([]end{at}, ends[k:]...)...)
		}
	}
	wanted := make([]float64, len(ends))
	for i := range ends {
		wanted[i] = ends[i].y
	}
	for i, at := range Apart(wanted, 15, y.End+4, y.Start) {
		s := &l.Series[ends[i].series]
		last := s.Points[len(s.Points)-1]
		p.Path("leader", x.At(last.X)+6, ends[i].y, x.End+4, ends[i].y, x.End+16, at)
		p.Text("figure", x.End+20, at+4, Shortened(s.Name, 200))
	}
}
