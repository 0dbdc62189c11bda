package site

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/scoring/agreement"
)

// night is a batch with its share of right answers in one metric.
type night struct {
	moment
	Name    string
	Right   int
	Asked   int      // questions that expect a result
	Share   *float64 // nil: no verdicts
	Missing int      // number of questions without an answer
	Fewer   int      // how many questions fewer than in most of the batches around it
	Part    bool     // so many answers are missing that Share is not judged
	Outside int      // -1 below the usual range, 1 above
	Address string
}

// tip describes a night in one line: Sun 22 Nov, 1.3: 80 %, 35 of 44 right.
func (n *night) tip() string {
	text := n.Name
	if n.Of.Version != "" && n.Of.Version != n.Name {
		text += ", " + n.Of.Version
	}
	if n.Share == nil {
		return text + ": no verdicts"
	}
	text += fmt.Sprintf(": %s, %d of %d right", percent(*n.Share), n.Right, n.Asked)
	if n.Missing > 0 {
		text += "; " + things(n.Missing, "answer") + " missing"
	}
	if n.Fewer > 0 {
		text += "; " + things(n.Fewer, "question") + " fewer than usual"
	}
	return text
}

// usual is the usual range of a version: its mean, and limits at 2.66 times the mean step between batches
// ([agreement.UsualRange]). It has limits from eight batches on; the newest batch is included only among the first
// eight.
type usual struct {
	From, To  int // indexes of its first batch and of the one after its last
	Mean      float64
	Low, High float64
	Limits    bool
}

// usuals returns the usual range of each version and sets night.Outside. A version without limits is judged by the
// latest version before it that has limits.
func usuals(nights []night) (out []usual) {
	for from := 0; from < len(nights); {
		to := from + 1
		for to < len(nights) && nights[to].Of.Version == nights[from].Of.Version {
			to++
		}
		out = append(out, usualOf(nights, from, to))
		from = to
	}
	judge := usual{}
	for _, u := range out {
		if u.Limits {
			judge = u
		}
		for i := u.From; judge.Limits && i < u.To; i++ {
			switch n := &nights[i]; {
			case n.Share == nil || n.Part:
			case *n.Share < judge.Low:
				n.Outside = -1
			case *n.Share > judge.High:
				n.Outside = 1
			}
		}
	}
	return out
}

func usualOf(nights []night, from, to int) usual {
	u := usual{From: from, To: to, Mean: math.NaN()}
	var shares []float64
	newest := len(nights) - 1
	for i := from; i < to; i++ {
		// The newest batch is judged by at least eight others, if there are so many.
		if share := nights[i].Share; share != nil && !nights[i].Part && (i < newest || len(shares) < 8) {
			shares = append(shares, *share)
		}
	}
	sum := 0.0
	for _, share := range shares {
		sum += share
	}
	if len(shares) > 0 {
		u.Mean = sum / float64(len(shares))
	}
	in := agreement.UsualRange(shares)
	u.Low, u.High, u.Limits = max(0, in.Lo), min(1, in.Hi), in.Defined
	return u
}

// nightsChart is a chart of a share over the batches of an agent: dots by date, a line with gaps for days without a
// run, marks for versions and the usual range of each.
type nightsChart struct {
	Class                    string
	Width, Height            chart.Pixels
	Left, Right, Top, Bottom chart.Pixels // of the plot
	Title                    string
	Rules                    []chartText // horizontal lines with their values
	Days                     []chartText
	Versions                 []chartVersion
	Line                     string
	Dots                     []chartDot
	Ends                     []chartText // values next to the last dots
	Limits                   bool        // draw lines for limits and name the means
}

type chartText struct {
	X, Y  chart.Pixels
	Text  string
	Class string
}

// chartVersion is where a version starts in the chart, with its usual range.
type chartVersion struct {
	X, To, W  chart.Pixels
	Text      string
	Known     bool // draw the mean
	Mean      chart.Pixels
	Limits    bool
	High, Low chart.Pixels
	Tall      chart.Pixels // from High to Low
	MeanText  string
	MeanY     chart.Pixels
}

type chartDot struct {
	X, Y, R    chart.Pixels
	HitX, HitW chart.Pixels
	Class      string
	Tip        string
	Address    string
}

// chartSize is the size of a chart and what it shows.
type chartSize struct {
	class         string
	width, height float64
	most          float64 // maximum width, which many nights need; 0: the width is fixed
	links         bool    // dots lead to their batches
	limits        bool    // draw lines for limits and name the means
}

var (
	chartOfOverview = chartSize{class: "", width: 500, height: 276}
	chartOfTrend    = chartSize{class: "broad", width: 900, most: 1340, height: 380, links: true, limits: true}
	chartOfPhone    = chartSize{class: "narrow", width: 350, height: 240}
)

// places returns the x position of each night, from 0 to 1: by date if all have one and they differ, else evenly
// spaced.
func places(nights []night) []float64 {
	out := make([]float64, len(nights))
	dated := len(nights) > 1
	for i := range nights {
		dated = dated && !nights[i].Of.At.IsZero()
	}
	first, last := nights[0].Of.At, nights[len(nights)-1].Of.At
	dated = dated && last.After(first)
	for i := range nights {
		if dated {
			out[i] = float64(nights[i].Of.At.Sub(first)) / float64(last.Sub(first))
		} else {
			out[i] = float64(i) / float64(max(1, len(nights)-1))
		}
	}
	return out
}

// gap reports whether an agent with daily batches has no run between a and b: they are more than 36 hours apart.
func gap(a, b *night, daily bool) bool {
	return daily && b.Of.At.Sub(a.Of.At) > 36*time.Hour
}

// chartOf returns the chart of nights with their usual ranges, or nil if no night has a share. daily reports that gaps
// in the dates interrupt the line.
func chartOf(nights []night, ranges []usual, daily bool, size chartSize) *nightsChart {
	if !slices.ContainsFunc(nights, func(n night) bool { return n.Share != nil }) {
		return nil
	}
	const low = 0.0 // on every night, so that charts compare
	const top, foot, before, after, each = 26.0, 28.0, 44.0, 116.0, 37.0
	if size.most > 0 {
		size.width = min(size.most, max(size.width, before+after+each*float64(len(nights))))
	}
	c := &nightsChart{
		Class:  size.class,
		Width:  chart.Pixels(size.width),
		Height: chart.Pixels(size.height),
		Limits: size.limits,
	}
	c.Title = fmt.Sprintf("Right answers in percent, %s to %s", nights[0].Name, nights[len(nights)-1].Name)
	x := chart.Axis{From: 0, To: 1, Start: before, End: size.width - after}
	slot := (x.End - x.Start) / float64(max(1, len(nights)))
	x.Start, x.End = x.Start+slot/2, x.End-slot/2
	y := chart.Axis{From: low, To: 1, Start: size.height - foot, End: top}
	c.Left, c.Right, c.Top, c.Bottom = before, chart.Pixels(size.width-after+8), 10, chart.Pixels(y.Start)
	for v := low; v < 1.001; v += .2 {
		text := strconv.Itoa(int(math.Round(100 * v)))
		if v > .99 {
			text += "%"
		}
		c.Rules = append(c.Rules, chartText{X: before - 6, Y: chart.Pixels(y.At(v)), Text: text})
	}
	at := places(nights)
	c.versions(nights, ranges, at, x, y)
	c.days(nights, at, x, y)
	var line strings.Builder
	for i := range nights {
		n := &nights[i]
		if n.Share == nil {
			continue
		}
		px, py := chart.Pixels(x.At(at[i])), chart.Pixels(y.At(*n.Share))
		move := "L"
		if line.Len() == 0 || gap(&nights[i-1], n, daily) || nights[i-1].Share == nil {
			move = "M"
		}
		fmt.Fprintf(&line, "%s%s %s", move, px, py)
		d := chartDot{X: px, Y: py, R: 2.75, Tip: n.tip(), HitX: px - chart.Pixels(slot/2), HitW: chart.Pixels(slot)}
		switch {
		case n.Part:
			d.Class = "part"
		case n.Outside < 0:
			d.Class, d.R = "out", 5
		}
		if size.links {
			d.Address = n.Address
		}
		c.Dots = append(c.Dots, d)
	}
	c.Line = line.String()
	c.ends(nights, at, x, y)
	return c
}

// versions sets c.Versions: where each version starts, and its usual range.
func (c *nightsChart) versions(nights []night, ranges []usual, at []float64, x, y chart.Axis) {
	lastText := -100.0
	for i, u := range ranges {
		from, to := float64(c.Left), float64(c.Right)
		if u.From > 0 {
			from = (x.At(at[u.From-1]) + x.At(at[u.From])) / 2
		}
		if u.To < len(nights) {
			to = (x.At(at[u.To-1]) + x.At(at[u.To])) / 2
		}
		v := chartVersion{
			X:      chart.Pixels(from),
			To:     chart.Pixels(to),
			W:      chart.Pixels(to - from),
			Known:  !math.IsNaN(u.Mean) && u.To-u.From > 1,
			Limits: u.Limits,
		}
		if text := chart.Shortened(nights[u.From].Of.Version, 90); from-lastText > 20 || i == 0 {
			v.Text = text
			lastText = from + chart.TextWidth(text)
		}
		if v.Known {
			v.Mean = chart.Pixels(y.At(u.Mean))
		}
		if v.Limits {
			v.High, v.Low = chart.Pixels(y.At(u.High)), chart.Pixels(y.At(u.Low))
			v.Tall = v.Low - v.High
			if to-from > 100 {
				v.MeanText, v.MeanY = "mean "+percent(u.Mean), v.High+14
			}
		}
		c.Versions = append(c.Versions, v)
	}
}

// days sets the labels of the time axis, as many as fit: dates of Mondays among more than 14 dated batches, else dates
// or names.
func (c *nightsChart) days(nights []night, at []float64, x, y chart.Axis) {
	const room = 62.0
	last := len(nights) - 1
	end := x.At(at[last])
	text := func(i int) string {
		if t := nights[i].Of.At; !t.IsZero() {
			return t.UTC().Format("2 Jan")
		}
		return chart.Shortened(nights[i].Name, room-4)
	}
	before := -room
	for i := range nights[:last] {
		px := x.At(at[i])
		if px-before < room || end-px < room ||
			i > 0 && !nights[i].Of.At.IsZero() && nights[i].Of.At.UTC().Weekday() != time.Monday && len(nights) > 14 {
			continue
		}
		if i == 0 && len(nights) > 14 && nights[i].Of.At.UTC().Weekday() != time.Monday {
			continue
		}
		c.Days = append(c.Days, chartText{X: chart.Pixels(px), Y: chart.Pixels(y.Start + 17), Text: text(i)})
		before = px
	}
	newest := chartText{X: chart.Pixels(end), Y: chart.Pixels(y.Start + 17), Text: text(last), Class: "strong"}
	c.Days = append(c.Days, newest)
}

// ends sets the value next to the last dot, and that of the dot before it if the two do not overlap. It sets none if
// the last night has no share.
func (c *nightsChart) ends(nights []night, at []float64, x, y chart.Axis) {
	last := len(nights) - 1
	if nights[last].Share == nil {
		return
	}
	px := chart.Pixels(x.At(at[last]) + 10)
	class := "strong"
	if nights[last].Outside < 0 {
		class = "out"
	}
	py := y.At(*nights[last].Share) + 4
	c.Ends = append(c.Ends, chartText{X: px, Y: chart.Pixels(py), Text: endText(&nights[last]), Class: class})
	if last > 0 && nights[last-1].Share != nil {
		other := chartText{X: px, Text: endText(&nights[last-1]), Class: "strong"}
		at, by := y.At(*nights[last-1].Share)+4, x.At(at[last-1])
		if other.Y = chart.Pixels(at); x.At(1)-by > 130 { // far from the margin its own dot has room
			other.X = chart.Pixels(by + 10)
			if at > py { // the line rises from the dot
				other.Y += 10
			} else {
				other.Y -= 10
			}
		}
		if math.Abs(at-py) > 15 {
			c.Ends = append(c.Ends, other)
		}
	}
}

// endText returns the share of a night with its date, if it has one: 77 % on 29 Nov.
func endText(n *night) string {
	text := percent(*n.Share)
	if !n.Of.At.IsZero() {
		text += " on " + n.Of.At.UTC().Format("2 Jan")
	}
	return text
}
