package browser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/chromedp/chromedp"
)

// Pictures reports whether screenshots are enabled: BADGER_SCREENSHOTS names the folder to write them to.
func Pictures() bool { return os.Getenv("BADGER_SCREENSHOTS") != "" }

// Picture takes a screenshot of the whole page, or of the window if the page is very long. It does nothing unless
// screenshots are enabled.
func (t *Tab) Picture(name string) {
	t.tb.Helper()
	if !Pictures() {
		return
	}
	ctx, cancel := context.WithTimeout(t.ctx, timeout)
	defer cancel()
	take := chromedp.FullScreenshot(100)
	if Eval[int](t, "document.documentElement.scrollHeight") > 16_000 {
		take = chromedp.CaptureScreenshot()
	}
	png, err := chromedp.Run(ctx, take)
	t.must(err)
	t.write(name+".png", png)
}

// page matches a page object of a PDF.
var page = regexp.MustCompile(`/Type\s*/Page\b`)

// Pages returns the number of A4 pages that the page is printed on.
func (t *Tab) Pages() int {
	t.tb.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, timeout)
	defer cancel()
	pdf, err := chromedp.Run(ctx, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4)))
	t.must(err)
	return len(page.FindAll(pdf, -1))
}

// Print prints the page as PDF, and converts its first pages to images if pdftoppm is installed. It does nothing
// unless screenshots are enabled.
func (t *Tab) Print(name string) {
	t.tb.Helper()
	if !Pictures() {
		return
	}
	ctx, cancel := context.WithTimeout(t.ctx, timeout)
	defer cancel()
	pdf, err := chromedp.Run(ctx, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4), chromedp.PDFPrintBackground()))
	t.must(err)
	path := t.write(name+".pdf", pdf)
	if tool, err := exec.LookPath("pdftoppm"); err == nil {
		out, err := exec.CommandContext(ctx, tool, "-png", "-r", "70", "-l", "3", path, path[:len(path)-len(".pdf")]).CombinedOutput() //nolint:gosec // the test names the file
		if err != nil {
			t.tb.Errorf("pdftoppm: %v: %s", err, out)
		}
	}
}

func (t *Tab) write(name string, data []byte) string {
	t.tb.Helper()
	folder := os.Getenv("BADGER_SCREENSHOTS")
	t.must(os.MkdirAll(folder, 0o750)) //nolint:gosec // the user of the test names the folder
	path := filepath.Join(folder, name)
	t.must(os.WriteFile(path, data, 0o600)) //nolint:gosec // the same
	return path
}
