package printable

import (
	"strconv"
	"strings"
)

// Count is a number of things, given one of them: 1 row, 2 rows, 0 batches, 3 queries.
func Count[N int | int64](n N, one string) string {
	return strconv.FormatInt(int64(n), 10) + " " + Noun(n, one)
}

// Noun returns the singular or plural of a noun for n things: row, rows.
func Noun[N int | int64](n N, one string) string {
	before, last := one[:max(0, len(one)-1)], one[max(0, len(one)-1):]
	switch {
	case n == 1:
		return one
	case last == "y" && !strings.HasSuffix(before, "a") && !strings.HasSuffix(before, "e") &&
		!strings.HasSuffix(before, "o"):
		return before + "ies"
	case last == "s" || last == "x" || strings.HasSuffix(one, "ch") || strings.HasSuffix(one, "sh"):
		return one + "es"
	}
	return one + "s"
}

// Verb returns the verb form for n things: agrees, agree.
func Verb[N int | int64](n N, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
