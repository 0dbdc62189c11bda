package calibration

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
)

// Colours of pictures. Blue and orange are told apart by every kind of eyesight.
const (
	ink       = "#1f2933"
	muted     = "#66727f"
	faint     = "#c5ccd4"
	hairline  = "#e6eaee"
	shade     = "#f5f7f9"
	byRule    = "#2166ac" // metrics without a judge
	byJudge   = "#d6604d" // judged ones
	byRecord  = "#f0bdb4" // areas of judged ones whose verdicts were recorded
	byPeople  = "#1b7837" // what people say
	fontStack = "Inter, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
)

// svg writes a drawing. Coordinates are pixels from the top left corner.
type svg struct{ bytes.Buffer }

// newSVG begins a drawing with a title, for people and for screen readers.
func newSVG(width, height float64, title, subtitle string) *svg {
	s := &svg{}
	fmt.Fprintf(s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%[1]s" height="%[2]s" role="img" font-family="%s" font-size="12">`+"\n",
		px(width), px(height), fontStack)
	s.WriteString("<title>" + escaped(title) + "</title>\n")
	s.rect(0, 0, width, height, "#ffffff", 0)
	s.text(margin, 30, title, label{size: 17, weight: 600})
	s.text(margin, 49, subtitle, label{fill: muted})
	return s
}

func (s *svg) end() []byte {
	s.WriteString("</svg>\n")
	return s.Bytes()
}

func px(v float64) string { return strconv.FormatFloat(float64(int(v*10+0.5*sign(v)))/10, 'f', -1, 64) }

func sign(v float64) float64 {
	if v < 0 {
		return -1
	}
	return 1
}

func escaped(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer takes everything
	return b.String()
}

func (s *svg) rect(x, y, w, h float64, fill string, radius float64) {
	fmt.Fprintf(s, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"`, px(x), px(y), px(w), px(h), fill)
	if radius > 0 {
		fmt.Fprintf(s, ` rx="%s"`, px(radius))
	}
	s.WriteString("/>\n")
}

func (s *svg) line(x1, y1, x2, y2 float64, stroke string, width float64, dashes string) {
	fmt.Fprintf(s, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s" stroke-width="%s"`, px(x1), px(y1), px(x2), px(y2), stroke, px(width))
	if dashes != "" {
		fmt.Fprintf(s, ` stroke-dasharray="%s"`, dashes)
	}
	s.WriteString("/>\n")
}

// path draws straight lines through points.
func (s *svg) path(stroke string, width float64, points ...float64) {
	s.WriteString(`<polyline fill="none" stroke="` + stroke + `" stroke-width="` + px(width) + `" points="`)
	for i := 0; i+1 < len(points); i += 2 {
		if i > 0 {
			s.WriteByte(' ')
		}
		s.WriteString(px(points[i]) + "," + px(points[i+1]))
	}
	s.WriteString("\"/>\n")
}

// dot is a point; a hollow one stands for verdicts that were recorded.
func (s *svg) dot(x, y, r float64, colour string, hollow bool, tip string) {
	fill := colour
	if hollow {
		fill = "#ffffff"
	}
	fmt.Fprintf(s, `<circle cx="%s" cy="%s" r="%s" fill="%s" stroke="%s" stroke-width="1.6"><title>%s</title></circle>`+"\n", px(x), px(y), px(r), fill, colour, escaped(tip))
}

// label is how a text looks.
type label struct {
	size   float64 // default 12
	weight int
	fill   string // default ink
	anchor string // start, middle or end
	turned bool   // upwards
}

func (s *svg) text(x, y float64, text string, l label) {
	if l.fill == "" {
		l.fill = ink
	}
	fmt.Fprintf(s, `<text x="%s" y="%s" fill="%s"`, px(x), px(y), l.fill)
	if l.size > 0 {
		fmt.Fprintf(s, ` font-size="%s"`, px(l.size))
	}
	if l.weight > 0 {
		fmt.Fprintf(s, ` font-weight="%d"`, l.weight)
	}
	if l.anchor != "" {
		fmt.Fprintf(s, ` text-anchor="%s"`, l.anchor)
	}
	if l.turned {
		fmt.Fprintf(s, ` transform="rotate(-90 %s %s)"`, px(x), px(y))
	}
	s.WriteString(">" + escaped(text) + "</text>\n")
}

// textWidth is about how wide a text is at 12 pixels, on the safe side for the fonts of fontStack.
func textWidth(text string) float64 {
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

// shortened cuts a text to a width, in the middle: names differ at both ends.
func shortened(text string, width float64) string {
	if textWidth(text) <= width {
		return text
	}
	runes := []rune(text)
	for cut := 1; cut < len(runes)-2; cut++ {
		head := (len(runes) - cut) / 2
		if s := string(runes[:head]) + "…" + string(runes[head+cut:]); textWidth(s) <= width {
			return s
		}
	}
	return "…"
}
