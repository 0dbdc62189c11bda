package metric

import "strings"

// ordersRows tells whether a query puts its rows in order: whether ORDER BY stands at its outermost level, not in a subquery, a
// window, an aggregate, a comment or a literal. Of several statements the last one counts. It reads any dialect's quoting.
func ordersRows(sql string) bool {
	depth, ordered := 0, false
	base := wrapped(sql)
	afterOrder := false // the last word was ORDER, at the outermost level
	for tok := range sqlTokens(sql) {
		by := false
		switch {
		case tok == "(":
			depth++
		case tok == ")":
			depth--
		case tok == ";":
			depth, afterOrder = 0, false
			continue
		case depth == base && strings.EqualFold(tok, "order"):
			by = true
		case depth == base && afterOrder && strings.EqualFold(tok, "by"):
			ordered = true
		case depth == base && (strings.EqualFold(tok, "select") || strings.EqualFold(tok, "union") || strings.EqualFold(tok, "intersect") || strings.EqualFold(tok, "except")):
			ordered = false // what came before is another statement or an operand
		}
		afterOrder = by
	}
	return ordered
}

// wrapped is the number of parentheses around the whole query.
func wrapped(sql string) int {
	lead, depth, shallowest, started := 0, 0, 0, false
	for tok := range sqlTokens(sql) {
		switch tok {
		case "(":
			depth++
			if !started {
				lead, shallowest = depth, depth
			}
			continue
		case ")":
			depth--
			continue
		case ";":
			continue
		}
		started = true
		shallowest = min(shallowest, depth)
	}
	return min(lead, shallowest)
}

// sqlTokens yields words and single punctuation marks; literals are yielded as "'" and comments not at all.
func sqlTokens(sql string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := 0; i < len(sql); {
			c := sql[i]
			switch {
			case strings.HasPrefix(sql[i:], "--"):
				i = past(sql, i, "\n")
			case strings.HasPrefix(sql[i:], "/*"):
				i = past(sql, i+2, "*/")
			case strings.HasPrefix(sql[i:], "$$"):
				i = past(sql, i+2, "$$")
			case c == '\'' || c == '"' || c == '`':
				i = pastQuote(sql, i)
				if !yield("'") {
					return
				}
			case wordByte(c):
				start := i
				for i < len(sql) && wordByte(sql[i]) {
					i++
				}
				if !yield(sql[start:i]) {
					return
				}
			case c == ' ' || c == '\t' || c == '\n' || c == '\r':
				i++
			default:
				i++
				if !yield(sql[i-1 : i]) {
					return
				}
			}
		}
	}
}

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}

func past(s string, from int, mark string) int {
	if j := strings.Index(s[from:], mark); j >= 0 {
		return from + j + len(mark)
	}
	return len(s)
}

// pastQuote returns the end of the literal or quoted name that begins at s[i]. A doubled quote goes on, and so does one behind a backslash.
func pastQuote(s string, i int) int {
	q := s[i]
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case q:
			if i+1 >= len(s) || s[i+1] != q {
				return i + 1
			}
			i++
		}
	}
	return len(s)
}
