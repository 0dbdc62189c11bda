// Package browser tests web pages with Chromium: what they show and do, which network requests they make, and what they
// print on the console.
//
// Chromium is the program that BADGER_CHROMIUM names, else chromium, chromium-browser or google-chrome on the PATH. If
// there is none, tests skip, or fail if BADGER_REQUIRE_CHROMIUM is set, as it is in CI.
package browser

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Browser is a running Chromium.
type Browser struct{ ctx context.Context }

// shared is the Chromium of the tests that [Main] runs.
var shared struct {
	sync.Mutex
	on  bool
	b   *Browser
	end func()
}

// Main runs the tests of a package with one Chromium. It is started by the first [Start] and closed after the last
// test. Main returns the exit code.
func Main(m *testing.M) int {
	shared.on = true
	defer func() {
		if shared.b != nil {
			shared.end()
		}
	}()
	return m.Run()
}

// Start returns the Chromium of the package if [Main] runs its tests, otherwise a new one that is closed when the test
// ends. Starting takes about a second. Tabs share no data.
func Start(tb testing.TB) *Browser {
	tb.Helper()
	if !shared.on {
		dir := tb.TempDir()
		b, end := start(tb, dir)
		tb.Cleanup(end)
		return b
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.b == nil {
		dir, err := os.MkdirTemp("", "browser")
		if err != nil {
			tb.Fatal(err)
		}
		b, end := start(tb, dir)
		shared.b, shared.end = b, func() {
			end()
			_ = os.RemoveAll(dir)
		}
	}
	return shared.b
}

// start starts Chromium with its profile in dir. The caller must call end.
func start(tb testing.TB, dir string) (b *Browser, end func()) {
	tb.Helper()
	path := os.Getenv("BADGER_CHROMIUM")
	if path == "" {
		for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
			if found, err := exec.LookPath(name); err == nil {
				path = found
				break
			}
		}
	}
	missing(tb, path == "", "BADGER_REQUIRE_CHROMIUM", "there is no Chromium; BADGER_CHROMIUM names one")
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(dir),
		// Only the pages' own origin is reachable, whatever the pages or Chromium itself request.
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-domain-reliability", true),
		chromedp.Flag("no-pings", true),
		chromedp.Flag("font-render-hinting", "none"), chromedp.Flag("hide-scrollbars", true),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium does not run as root with its sandbox
	}
	ctx, stop := chromedp.NewExecAllocator(context.WithoutCancel(tb.Context()), options...)
	ctx, quit := chromedp.NewContext(ctx)
	end = func() {
		quit()
		stop()
	}
	if err := chromedp.Do(ctx); err != nil {
		end()
		tb.Fatalf("Chromium (%s) does not start: %v", path, err)
	}
	return &Browser{ctx}, end
}

// missing skips a test if is is set, because what is missing, or fails it if the environment variable is also set.
func missing(tb testing.TB, is bool, variable, what string) {
	tb.Helper()
	switch {
	case !is:
	case os.Getenv(variable) != "":
		tb.Fatalf("%s, and %s requires it", what, variable)
	default:
		tb.Skip(what)
	}
}

// Options of a tab.
type Options struct {
	Width    int64 // width of the window; 0 is 1280
	Dark     bool  // the system prefers the dark theme
	NoScript bool  // scripts of pages are disabled
	Offline  bool  // the network is disabled
}

// Tab is a separate browser window. It shares no cookies or storage with other tabs.
type Tab struct {
	tb  testing.TB
	ctx context.Context

	mu      sync.Mutex
	asked   []string // URLs that were requested
	console []string
}

// Tab opens a tab. It is closed when the test ends.
func (b *Browser) Tab(tb testing.TB, o Options) *Tab {
	tb.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	t := &Tab{tb: tb, ctx: ctx}
	if err := chromedp.Do(ctx); err != nil {
		cancel()
		tb.Fatal(err)
	}
	messages := chromedp.Console(ctx)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleWarning || m.IsException() {
				t.mu.Lock()
				t.console = append(t.console, m.String()+" ("+m.URL+")")
				t.mu.Unlock()
			}
		}
	}()
	tb.Cleanup(func() {
		cancel()
		<-read
	})
	t.must(chromedp.Listen(ctx, func(event any) {
		if e, ok := event.(*network.EventRequestWillBeSent); ok {
			t.mu.Lock()
			t.asked = append(t.asked, e.Request.URL)
			t.mu.Unlock()
		}
	}))
	t.Resize(o.Width)
	t.Theme(o.Dark)
	if o.NoScript {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: true})
		t.must(err)
	}
	if o.Offline {
		t.Offline(true)
	}
	return t
}

func (t *Tab) must(err error) {
	t.tb.Helper()
	if err != nil {
		t.tb.Fatal(err)
	}
}

// Resize sets the width of the window; 0 is 1280.
func (t *Tab) Resize(width int64) {
	t.tb.Helper()
	if width == 0 {
		width = 1280
	}
	t.must(chromedp.Do(t.ctx, chromedp.EmulateViewport(width, 900)))
}

// Theme sets whether the system prefers the dark or the light theme.
func (t *Tab) Theme(dark bool) {
	t.tb.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	_, err := chromedp.Call(t.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	t.must(err)
}

// Offline disables or enables the network.
func (t *Tab) Offline(off bool) {
	t.tb.Helper()
	_, err := chromedp.Call(t.ctx, network.OverrideNetworkState,
		network.OverrideNetworkStateParams{Offline: off, DownloadThroughput: -1, UploadThroughput: -1})
	t.must(err)
	_, err = chromedp.Call(t.ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Offline: off, DownloadThroughput: -1, UploadThroughput: -1}},
	})
	t.must(err)
}

// timeout is the maximum duration of a step, after which the test fails.
const timeout = 2 * time.Minute

// Do runs steps in the tab. The test fails if one returns an error.
func (t *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	t.tb.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, timeout)
	defer cancel()
	t.must(chromedp.Do(ctx, steps...))
}

// Go opens an address and waits until the page is loaded. It returns the HTTP status, or 0 without a response.
func (t *Tab) Go(address string) int64 {
	t.tb.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, timeout)
	defer cancel()
	r, err := chromedp.Run(ctx, chromedp.NavigateResponse(address))
	if err != nil {
		t.tb.Fatalf("%.300s: %v", address, err)
	}
	if r == nil {
		return 0
	}
	return r.Status
}

// Reach opens an address and waits until the page is loaded. It retries while the server is not reachable, up to
// timeout.
func (t *Tab) Reach(address string) {
	t.tb.Helper()
	for end := time.Now().Add(timeout); ; time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.ctx, timeout)
		err := chromedp.Do(ctx, chromedp.Navigate(address))
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.tb.Fatalf("%.300s: %v", address, err)
		}
	}
}

// Header adds a header to all following requests of the tab.
func (t *Tab) Header(name, value string) {
	t.tb.Helper()
	_, err := chromedp.Call(t.ctx, network.SetExtraHTTPHeaders,
		network.SetExtraHTTPHeadersParams{Headers: network.Headers{name: value}})
	t.must(err)
}

// Click clicks the first element that matches a CSS selector, which must lead to another page, and waits until that
// page is loaded.
func (t *Tab) Click(selector string) {
	t.tb.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, timeout)
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, chromedp.Click(chromedp.CSS(selector))); err != nil {
		t.tb.Fatalf("clicking %s on %.200s: %v", selector, t.Address(), err)
	}
}

// Press presses keys, one after the other, with the modifiers held.
func (t *Tab) Press(keys string, modifiers ...chromedp.Modifier) {
	t.tb.Helper()
	t.Do(chromedp.KeyEvent(keys, chromedp.KeyModifiers(modifiers...), func(p *input.DispatchKeyEventParams) {
		if p.Type == input.DispatchKeyEventTypeKeyDown { // as a keyboard; a key that a script handles is not typed
			p.Type = input.DispatchKeyEventTypeRawKeyDown
		}
	}))
}

// Address returns the URL of the page.
func (t *Tab) Address() string {
	t.tb.Helper()
	return Eval[string](t, "document.URL")
}

// Eval returns the value of a JavaScript expression in the page, even if scripts of pages are disabled. It waits for a
// promise.
func Eval[T any](t *Tab, expression string) T {
	t.tb.Helper()
	return evalWithin[T](t, timeout, expression)
}

func evalWithin[T any](t *Tab, within time.Duration, expression string) T {
	t.tb.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, within)
	defer cancel()
	v, err := chromedp.Run(ctx,
		chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise, func(p *runtime.EvaluateParams) {
			p.AllowUnsafeEvalBlockedByCSP = new(bool)
		}))
	if err != nil {
		t.tb.Fatalf("%.200s: %v", expression, err)
	}
	return v
}

// Wait waits until an expression is true in the page. The test fails if it is not within timeout.
func (t *Tab) Wait(expression string) {
	t.tb.Helper()
	if !t.Soon(timeout, expression) {
		t.tb.Fatalf("%s does not become true on %.200s", expression, t.Address())
	}
}

// Soon waits until an expression is true in the page, at most for the duration within, and reports whether it is.
func (t *Tab) Soon(within time.Duration, expression string) bool {
	t.tb.Helper()
	pause := 2 * time.Millisecond
	for end := time.Now().Add(within); ; time.Sleep(pause) {
		pause = min(2*pause, 50*time.Millisecond) // asking often takes the time that the page needs
		ctx, cancel := context.WithTimeout(t.ctx, timeout)
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		cancel()
		if err == nil && is { // an error may be a page that was just left
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// Foreign returns the URLs that the tab has requested from other origins than origin, such as http://127.0.0.1:7435.
func (t *Tab) Foreign(origin string) (out []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, address := range t.asked {
		u, err := url.Parse(address)
		if err == nil &&
			(u.Scheme == "about" || u.Scheme+"://"+u.Host == origin || origin == "file://" && u.Scheme == "file") {
			continue
		}
		out = append(out, address)
	}
	return out
}

// Asked returns all URLs that the tab has requested.
func (t *Tab) Asked() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.asked...)
}

// Console lists errors and warnings on the console since the last call, such as violations of the page's content
// security policy.
func (t *Tab) Console() []string {
	t.tb.Helper()
	Eval[int](t, "0") // earlier messages have arrived after this
	t.mu.Lock()
	defer t.mu.Unlock()
	out := t.console
	t.console = nil
	return out
}

// Clean fails the test if the tab sent requests to another origin or logged anything on the console.
func (t *Tab) Clean(origin string) {
	t.tb.Helper()
	if said := t.Console(); len(said) > 0 {
		t.tb.Errorf("%.300s: on the console: %s", t.Address(), strings.Join(said, "\n"))
	}
	if asked := t.Foreign(origin); len(asked) > 0 {
		t.tb.Errorf("%.300s: asked others: %s", t.Address(), fmt.Sprintf("%.300q", asked))
	}
}
