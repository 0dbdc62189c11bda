package relation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/scoring"
)

// shownColumns is the maximum number of columns that a sentence names.
const shownColumns = 3

// named lists columns of a table in a sentence, in an order that does not depend on their positions.
func named(t *scoring.Table, columns []int) string {
	parts := make([]string, len(columns))
	for k, i := range columns {
		parts[k] = columnName(t, i)
	}
	slices.Sort(parts)
	if len(parts) > shownColumns+1 {
		parts = append(parts[:shownColumns], strconv.Itoa(len(columns)-shownColumns)+" more")
	}
	return listed(parts)
}

func columnName(t *scoring.Table, i int) string {
	name := t.Columns[i].Name
	if name == "" {
		return "column " + strconv.Itoa(i+1)
	}
	return strconv.Quote(bounded(name, 60))
}

// listed joins the parts of an enumeration.
func listed(parts []string) string {
	switch n := len(parts); n {
	case 0:
		return ""
	case 1:
		return parts[0]
	default:
		return strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
}

// bounded cuts s to at most n bytes, at the start of a rune.
func bounded(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}

// maxPart is the maximum number of bytes of a query that a proof or a sentence quotes.
const maxPart = 117 // and "…"

func part(s string) string { return bounded(s, maxPart) }

func parts(list []string) string { return part(strings.Join(list, ", ")) }
