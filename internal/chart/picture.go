// Package chart draws charts as SVG: lines over versions, bars with intervals, a statistic over a threshold,
// histograms. Equal data gives equal pictures.
//
// A [Picture] is data, which the template "chart" writes, so that html/template escapes all text in it. Colors are CSS
// classes, whose rules in [CSS] follow the page's color-scheme, forced colors and print. A title and a description
// state what the picture shows.
package chart

import (
	"bytes"
	_ "embed"
	"html/template"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/badger-eval/badger/internal/printable"
)

// CSS contains the rules of the classes that pictures use.
//
//go:embed chart.css
var CSS string

// Template defines "chart", which writes a [Picture] as an element svg of an HTML page.
//
//go:embed chart.html
var Template string

// alone is the template that writes a picture as a separate SVG file.
var alone = template.Must(
	template.Must(template.New("alone").Parse(Template)).Parse(`{{define "style"}}` + lightCSS(CSS) + `{{end}}`))

var variable = regexp.MustCompile(`(--chart-[a-z-]+): light-dark\((#[0-9a-f]+), [^)]*\);`)

// lightCSS returns the rules for a separate file: with the light colors instead of CSS variables, which some readers of
// SVG do not support, and without media rules.
func lightCSS(css string) string {
	css, _, _ = strings.Cut(css, "@media")
	for _, m := range variable.FindAllStringSubmatch(css, -1) {
		css = strings.ReplaceAll(css, m[0], "")
		css = strings.ReplaceAll(css, "var("+m[1]+")", m[2])
	}
	return css
}

// Picture is a drawing. Coordinates are pixels from the top left corner.
type Picture struct {
	Name   string // name of its file: lower-case letters and dashes
	Title  string // title: what the picture shows
	Desc   string // a sentence about its message; may be empty
	Width  Pixels
	Height Pixels
	Shapes []Shape
	Alone  bool // it is a separate file, not part of a page
}

// Pixels is a length in pixels, formatted with at most one decimal.
type Pixels float64

func (p Pixels) String() string {
	tenths := float64(int(p*10 + 0.5))
	if p < 0 {
		tenths = float64(int(p*10 - 0.5))
	}
	return strconv.FormatFloat(tenths/10, 'f', -1, 64)
}

// Shape is one element of a picture. Kind defines which of the other fields are set.
type Shape struct {
	Kind       string // rect, line, path, dot or text
	Class      string
	X, Y       Pixels // position of the corner, start, center or anchor
	X2, Y2     Pixels // position of a line's end
	W, H, R    Pixels
	Path       string // points of a path
	Text, Tip  string // Tip is a tooltip, also for screen readers
	Anchor     string // for text: middle or end
	TurnedLeft bool   // text runs upwards
}

// New returns an empty picture.
func New(name, title, desc string, width, height float64) *Picture {
	p := &Picture{Name: name, Title: shownText(title), Desc: shownText(desc), Width: Pixels(width), Height: Pixels(height)}
	p.Rect("paper", Box{W: width, H: height}, "")
	return p
}

// Heading draws the title and the description, for a picture without a caption.
func (p *Picture) Heading() {
	p.Text("heading", Margin, 30, p.Title)
	p.Text("muted", Margin, 49, p.Desc)
}

// SVG returns the picture as a separate SVG file.
func (p *Picture) SVG() ([]byte, error) {
	q := *p
	q.Alone = true
	var b bytes.Buffer
	err := alone.ExecuteTemplate(&b, "chart", &q)
	return printable.HTML(b.Bytes()), err
}

// Box is a rectangle by its upper left corner, its width and its height. R is the radius of its corners.
type Box struct{ X, Y, W, H, R float64 }

// Rect draws a box. The tip is its tooltip; "": none.
func (p *Picture) Rect(class string, b Box, tip string) {
	p.Shapes = append(p.Shapes,
		Shape{Kind: "rect", Class: class, X: Pixels(b.X), Y: Pixels(b.Y), W: Pixels(b.W), H: Pixels(b.H), R: Pixels(b.R),
			Tip: shownText(tip)})
}

// Line draws a straight line.
func (p *Picture) Line(class string, x, y, x2, y2 float64) {
	p.Shapes = append(p.Shapes,
		Shape{Kind: "line", Class: class, X: Pixels(x), Y: Pixels(y), X2: Pixels(x2), Y2: Pixels(y2)})
}

// Path draws straight lines through points, given as x and y in turn.
func (p *Picture) Path(class string, points ...float64) {
	var b strings.Builder
	for i := 0; i+1 < len(points); i += 2 {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(Pixels(points[i]).String() + "," + Pixels(points[i+1]).String())
	}
	p.Shapes = append(p.Shapes, Shape{Kind: "path", Class: class, Path: b.String()})
}

// Dot draws a point.
func (p *Picture) Dot(class string, x, y float64, tip string) {
	p.Shapes = append(p.Shapes, Shape{Kind: "dot", Class: class, X: Pixels(x), Y: Pixels(y), R: 4.8, Tip: shownText(tip)})
}

// Text writes text that starts at x.
func (p *Picture) Text(class string, x, y float64, text string) { p.text(class, "", x, y, text) }

// TextBefore writes text that ends at x.
func (p *Picture) TextBefore(class string, x, y float64, text string) {
	p.text(class, "end", x, y, text)
}

// TextAround writes text centered at x.
func (p *Picture) TextAround(class string, x, y float64, text string) {
	p.text(class, "middle", x, y, text)
}

// TextUp writes text upwards, centered at y.
func (p *Picture) TextUp(class string, x, y float64, text string) {
	p.text(class, "middle", x, y, text)
	p.Shapes[len(p.Shapes)-1].TurnedLeft = true
}

func (p *Picture) text(class, anchor string, x, y float64, text string) {
	p.Shapes = append(p.Shapes,
		Shape{Kind: "text", Class: class, Anchor: anchor, X: Pixels(x), Y: Pixels(y), Text: shownText(text)})
}

// shownText replaces control and other invisible characters by U+FFFD: XML forbids some, and others change the
// direction of writing.
func shownText(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
