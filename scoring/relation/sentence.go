package relation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// shownColumns is the number of columns that a sentence names before it counts the rest; four are all named.
const shownColumns = 3

// named returns the names of columns of a table as a list, sorted.
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
	return printable.Quoted(bounded(name, 60))
}

// listed joins parts with commas and "and".
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

// bounded returns s with each run of white space as one space, cut to at most n bytes, at the start of a rune, and "…"
// if it is longer.
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

// maxPart is the maximum number of bytes of a query's part that a proof or a sentence quotes, without the "…".
const maxPart = 117 // and "…"

func part(s string) string { return bounded(s, maxPart) }

func parts(list []string) string { return part(strings.Join(list, ", ")) }
