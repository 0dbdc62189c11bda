package scoring

import (
	"fmt"
	"regexp"
	"strconv"
)

// isUsualLimit reports whether rows is a usual row limit of tools and clients: 1, 2 or 5 times a power of ten, from
// 100.
func isUsualLimit(rows int) bool {
	if rows < 100 {
		return false
	}
	for rows%10 == 0 {
		rows /= 10
	}
	return rows == 1 || rows == 2 || rows == 5
}

// cutWarning returns a warning if the agent's result may have been truncated by a tool: its number of rows is a usual
// limit, gold has more rows, and the agent's SQL does not contain that number. Otherwise it returns "".
func cutWarning(gold, pred *Query) string {
	if gold == nil || gold.Result.Table == nil || pred.Result.Table == nil {
		return ""
	}
	n, all := pred.Result.Table.Rows(), gold.Result.Table.Rows()
	if n >= all || !isUsualLimit(n) || regexp.MustCompile(`\b`+strconv.Itoa(n)+`\b`).MatchString(pred.SQL) {
		return ""
	}
	return fmt.Sprintf("the answer has exactly %d rows, as a tool cuts results, and gold has %d: was it cut?", n, all)
}
