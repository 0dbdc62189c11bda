package scoring

import (
	"fmt"
	"regexp"
	"strconv"
)

// isUsualLimit reports whether agents' tools and clients commonly cut results at this number of rows: 1, 2 or 5
// times a power of ten, from 100.
func isUsualLimit(rows int) bool {
	if rows < 100 {
		return false
	}
	for rows%10 == 0 {
		rows /= 10
	}
	return rows == 1 || rows == 2 || rows == 5
}

// cutWarning warns that the agent's result may be a part of what its query returned: it ends where tools cut
// results, gold continues, and the query does not name that number itself. It is empty otherwise.
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
