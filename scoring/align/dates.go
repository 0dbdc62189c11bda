package align

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/cell"
)

// dayAndMonth exchanges the day and the month in a layout.
var dayAndMonth = strings.NewReplacer("1/2/", "2/1/", "2/1/", "1/2/", "1-2-", "2-1-", "2-1-", "1-2-")

// exchangesDays reports whether two columns of dates in one layout, in which either side may be read
// with the day or the month first, would be read in two ways: 05/06/2024 and 06/05/2024 are two days.
func exchangesDays(g, p *column, gv, pv cell.View) bool {
	return gv.Format != pv.Format && dayAndMonth.Replace(gv.Format) == pv.Format &&
		slices.Contains(g.textFormats().dates, pv.Format) && slices.Contains(p.textFormats().dates, gv.Format)
}
