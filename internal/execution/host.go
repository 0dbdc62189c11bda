package execution

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// ofHost returns the first name in a query that gives information about the host and is not allowed, or "". A column
// with such a name is only reported if it is called or read from.
func ofHost(sql string, d driver.Dialect, allowed []string) string {
	dialect := sqlparts.DialectOf(d.Name)
	tells := func(name sqlparts.Name) string {
		if len(name) == 0 {
			return ""
		}
		last := strings.ToLower(name.Last().Text)
		is := slices.ContainsFunc(d.HostNames, func(n string) bool {
			prefix, open := strings.CutSuffix(n, "*")
			return n == last || open && strings.HasPrefix(last, prefix)
		})
		if !is || slices.ContainsFunc(allowed, func(a string) bool { return strings.EqualFold(a, last) }) {
			return ""
		}
		return last
	}
	for _, m := range sqlparts.Mentions(sql, dialect) {
		if m.Called {
			if name := tells(m.Name); name != "" {
				return name
			}
		}
	}
	found := ""
	for _, st := range sqlparts.Parse(sql, dialect).Statements {
		sqlparts.Walk(st, func(n sqlparts.Node) bool {
			switch n := n.(type) {
			case *sqlparts.Source:
				found = found + tells(n.Table)
			case *sqlparts.Call:
				found = found + tells(n.Name)
			}
			return found == ""
		})
	}
	return found
}
