package report

import (
	"io"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// Options describe what a terminal can display.
type Options struct {
	Width   int  // columns; default 80
	Color   bool // ANSI colours
	Unicode bool // bars, arrows and ellipses beyond ASCII
}

// Terminal returns the options for writer w. Color is set only for a terminal, and not with NO_COLOR or TERM=dumb. The
// width is the terminal's, else COLUMNS, else 100. Unicode is off only if the locale names another character set.
func Terminal(w io.Writer, getenv func(string) string) Options {
	o := Options{Width: 100, Unicode: true}
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		o.Width = n
	}
	if f, ok := w.(interface{ Fd() uintptr }); ok && term.IsTerminal(int(f.Fd())) { //nolint:gosec // a descriptor
		o.Color = getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 { //nolint:gosec // a descriptor
			o.Width = n
		}
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(getenv(name)); locale != "" {
			o.Unicode = strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
			break
		}
	}
	return o
}
