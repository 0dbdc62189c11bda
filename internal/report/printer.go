package report

import (
	"bufio"
	"io"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
)

// style is an ANSI style of a piece of text, or "".
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

// printer writes styled lines, each cut to the width of the terminal.
type printer struct {
	w *bufio.Writer
	Options
	ellipsis, arrow, dot, dash, unequal, up, down string
}

func newPrinter(w io.Writer, o Options) *printer {
	if o.Width <= 0 {
		o.Width = 80
	}
	o.Width = max(o.Width, 40)
	p := &printer{w: bufio.NewWriter(w), Options: o, ellipsis: "...", arrow: "->", dot: ",", dash: "-", unequal: "!=",
		up: "better", down: "worse"}
	if o.Unicode {
		p.ellipsis, p.arrow, p.dot, p.dash, p.unequal, p.up, p.down = "…", "→", " ·", "–", "≠", "▲", "▼"
	}
	return p
}

// span is a styled piece of a line. Its text contains no line feed.
type span struct {
	text  string
	style style
}

func (p *printer) styled(s span) string {
	if !p.Color || s.style == plain || strings.TrimSpace(s.text) == "" {
		return s.text
	}
	return "\x1b[" + string(s.style) + "m" + s.text + "\x1b[0m"
}

// line writes one line, cut to the width, without trailing spaces.
func (p *printer) line(spans ...span) {
	left := p.Width
	shown := make([]span, 0, len(spans))
	for _, s := range spans {
		whole := s.text
		s.text = printable.Cut(s.text, left, p.ellipsis)
		left -= printable.Width(s.text)
		shown = append(shown, s)
		if s.text != whole {
			break
		}
	}
	for n := len(shown) - 1; n >= 0; n-- {
		if shown[n].text = strings.TrimRight(shown[n].text, " "); shown[n].text != "" {
			break
		}
		shown = shown[:n]
	}
	for _, s := range shown {
		_, _ = p.w.WriteString(p.styled(s))
	}
	_ = p.w.WriteByte('\n')
}

// title writes a blank line and the title of a section, followed by rest in a dim style.
func (p *printer) title(name, rest string) {
	p.line()
	if rest != "" {
		rest = "  " + rest
	}
	p.line(span{name, bold}, span{rest, dim})
}

// bar draws share, from 0 to 1, as a bar of n columns.
func (p *printer) bar(share float64, n int) []span {
	if !p.Unicode {
		full := int(share*float64(n) + 0.5)
		return []span{{strings.Repeat("#", full), shareStyle(share)}, {strings.Repeat(".", n-full), dim}}
	}
	halves := int(share*float64(2*n) + 0.5)
	full := strings.Repeat("━", halves/2)
	rest := n - halves/2
	if halves%2 == 1 {
		full += "╸"
		rest--
	}
	return []span{{full, shareStyle(share)}, {strings.Repeat("─", rest), dim}}
}

// shareStyle returns the color of a pass rate: green from 90 %, yellow from 60 %, else red.
func shareStyle(share float64) style {
	switch {
	case share >= 0.9:
		return green
	case share >= 0.6:
		return yellow
	}
	return red
}

// aside writes s in at most two indented lines, cut if longer.
func (p *printer) aside(s string) {
	const indent = "  "
	lines := printable.Wrap(s, p.Width-len(indent))
	if len(lines) > 2 {
		lines = []string{lines[0], printable.Cut(lines[1]+" "+lines[2], p.Width-len(indent), p.ellipsis)}
	}
	for _, l := range lines {
		p.line(span{indent, plain}, span{l, dim})
	}
}
