package browser

import (
	"os"
	"strings"
	"sync"
	"testing"
)

// axeSource returns the code of axe-core, the file axe.min.js of the npm package, which BADGER_AXE names.
var axeSource = sync.OnceValues(func() (string, error) {
	b, err := os.ReadFile(os.Getenv("BADGER_AXE"))
	return string(b), err
})

// NeedAxe skips a test if axe-core is not available, or fails it if BADGER_REQUIRE_AXE is set.
func NeedAxe(tb testing.TB) {
	tb.Helper()
	_, err := axeSource()
	missing(tb, err != nil, "BADGER_REQUIRE_AXE", "there is no axe-core; BADGER_AXE names its file axe.min.js")
}

// Finding is an accessibility rule that a page violates.
type Finding struct {
	Rule  string   `json:"id"`
	Help  string   `json:"help"`
	Where []string `json:"where"` // at most five elements that violate it, each with the reason
}

func (f Finding) String() string {
	return f.Rule + ": " + f.Help + "\n\t" + strings.Join(f.Where, "\n\t")
}

// Findings returns the violations that axe-core finds in the page, by the rules of WCAG 2.2 A and AA and its best
// practices. The test must call [NeedAxe] first.
func (t *Tab) Findings() []Finding {
	t.tb.Helper()
	source, err := axeSource()
	t.must(err)
	if !Eval[bool](t, "!!window.axe") {
		Eval[bool](t, source+"; true")
	}
	return evalWithin[[]Finding](t, 10*timeout, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v => ({
		id: v.id, help: v.help, where: v.nodes.slice(0, 5).map(n => n.target.join(" ") + "  " + n.html.slice(0, 160) + "  " + (n.failureSummary || "").replace(/\s+/g, " ").slice(0, 300)),
	})))`)
}
