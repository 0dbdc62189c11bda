package browser

import (
	"os"
	"strings"
	"sync"
	"testing"
)

// axeSource is the text of axe-core, which BADGER_AXE names: the file axe.min.js of the npm package.
var axeSource = sync.OnceValues(func() (string, error) {
	b, err := os.ReadFile(os.Getenv("BADGER_AXE"))
	return string(b), err
})

// NeedAxe skips a test if there is no axe-core, or fails it where BADGER_REQUIRE_AXE is set.
func NeedAxe(tb testing.TB) {
	tb.Helper()
	_, err := axeSource()
	missing(tb, err != nil, "BADGER_REQUIRE_AXE", "there is no axe-core; BADGER_AXE names its file axe.min.js")
}

// Finding is a rule of accessibility that a page breaks.
type Finding struct {
	Rule  string   `json:"id"`
	Help  string   `json:"help"`
	Where []string `json:"where"` // the elements, with the fault of each
}

func (f Finding) String() string {
	return f.Rule + ": " + f.Help + "\n\t" + strings.Join(f.Where, "\n\t")
}

// Findings runs axe-core over the page, with the rules of WCAG 2.2 A and AA and its best practices.
// See [NeedAxe].
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
