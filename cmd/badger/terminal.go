package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/internal/printable"
)

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// output is a writer to standard output that keeps the first error of a write. run then returns exitFail, even if a
// command ignored the error.
type output struct {
	io.Writer
	lost error // error of the first failed write; nil if none failed
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil && o.lost == nil {
		o.lost = err
	}
	return n, err
}

// Fd returns the file descriptor of the wrapped writer, so that isTerminal works. It returns an invalid descriptor if
// the writer is not a file.
func (o *output) Fd() uintptr {
	if f, ok := o.Writer.(*os.File); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// progressBar redraws one line on a terminal, and draws nothing elsewhere.
type progressBar struct {
	w       io.Writer
	drawn   bool
	percent int // of the part
}

func newProgressBar(w io.Writer, quiet bool) *progressBar {
	if quiet || !isTerminal(w) {
		return &progressBar{w: io.Discard}
	}
	return &progressBar{w: w}
}

// part redraws the line with the part of a file that was read, or of the traces that were converted if name is "".
func (b *progressBar) part(name string, done, total int64) {
	if b.w == io.Discard || total <= 0 {
		return
	}
	percent := int(100 * done / total)
	if b.drawn && percent == b.percent {
		return
	}
	b.drawn, b.percent = true, percent
	what := "reading " + printable.Text(name)
	if name == "" {
		what = "converting"
	}
	filled := barWidth * min(percent, 100) / 100
	fmt.Fprintf(b.w, "\r\x1b[K%s%s %3d%%  %s", strings.Repeat("█", filled), strings.Repeat("░", barWidth-filled),
		percent, what)
}

const barWidth = 24

func (b *progressBar) update(p batch.Progress) {
	b.drawn = true
	done := p.Done + p.Skipped
	line := printable.Count(done, "answer")
	if p.Total > 0 {
		filled := int(int64(barWidth) * done / p.Total)
		line = fmt.Sprintf("%s%s %d/%d", strings.Repeat("█", filled), strings.Repeat("░", barWidth-filled), done, p.Total)
	}
	if p.Rate > 0 {
		line += fmt.Sprintf("  %.0f/s", p.Rate)
	}
	if p.Failed > 0 {
		line += fmt.Sprintf("  %d failed", p.Failed)
	}
	if p.ETA > time.Second {
		line += "  " + p.ETA.String() + " left"
	}
	fmt.Fprintf(b.w, "\r\x1b[K%s", line)
}

func (b *progressBar) finish() {
	if b.drawn {
		fmt.Fprint(b.w, "\r\x1b[K")
		b.drawn = false
	}
}
