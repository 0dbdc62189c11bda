package align

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/cell"
)

// dayAndMonth exchanges the day and the month in a date layout.
var dayAndMonth = strings.NewReplacer("1/2/", "2/1/", "2/1/", "1/2/", "1-2-", "2-1-", "2-1-", "1-2-")

// exchangesDays reports whether two views read the same layout once with the day first and once with the month first,
// although both columns can be read either way: 05/06/2024 and 06/05/2024 are different days.
func exchangesDays(g, p *column, gv, pv cell.View) bool {
	return gv.Format != pv.Format && dayAndMonth.Replace(gv.Format) == pv.Format &&
		slices.Contains(g.textFormats().dates, pv.Format) && slices.Contains(p.textFormats().dates, gv.Format)
}
