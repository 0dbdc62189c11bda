package caseview

import "github.com/badger-eval/badger/scoring/sqlparts"

// Queries are the two queries of a case, formatted. Parts that only one of them has are marked.
type Queries struct {
	Gold     []SQLPart `json:"gold"`
	Agent    []SQLPart `json:"agent"`
	RawGold  string    `json:"raw_gold"`
	RawAgent string    `json:"raw_agent"`
	Compared bool      `json:"compared"` // false: a query is missing, or they are too long to compare
	Same     bool      `json:"same"`     // the queries have the same tokens
}

// CompareQueries formats two queries and marks the tokens that are not in a longest common subsequence. It ignores
// letter case of words and names, quotes and comments.
func CompareQueries(gold, agent string, dialect sqlparts.Dialect) Queries {
	q := Queries{RawGold: gold, RawAgent: agent, Gold: Layout(gold, dialect), Agent: Layout(agent, dialect)}
	g, a := compared(q.Gold, dialect), compared(q.Agent, dialect)
	if len(g.at) == 0 || len(a.at) == 0 {
		return q
	}
	inGold, inAgent, ok := common(g.values, a.values)
	if !ok {
		return q
	}
	q.Compared, q.Same = true, true
	mark := func(parts []SQLPart, at []int, in []bool, side Side) {
		for k, i := range at {
			if !in[k] {
				parts[i].In, q.Same = side, false
			}
		}
	}
	mark(q.Gold, g.at, inGold, InGold)
	mark(q.Agent, a.at, inAgent, InAgent)
	return q
}

// comparableTokens are the tokens of a query that are compared: their values and their indexes among the parts.
type comparableTokens struct {
	values []string
	at     []int
}

// compared returns all tokens of a query except comments and final semicolons, or none if there are more than
// mostTokens.
func compared(parts []SQLPart, dialect sqlparts.Dialect) (c comparableTokens) {
	toks := sqlparts.Tokens(joined(parts), dialect)
	if len(toks) > mostTokens {
		return c
	}
	k := 0
	for i := range parts {
		if parts[i].Kind == SQLSpace {
			continue
		}
		if k >= len(toks) {
			break
		}
		if t := &toks[k]; t.Kind != sqlparts.TokenComment {
			kind := t.Kind
			if kind == sqlparts.TokenName { // a name is the same with quotes and without
				kind = sqlparts.TokenWord
			}
			c.values, c.at = append(c.values, string(rune('0'+kind))+t.Value), append(c.at, i)
		}
		k++
	}
	for n := len(c.values); n > 0 && c.values[n-1] == string(rune('0'+sqlparts.TokenSign))+";"; n-- {
		c.values, c.at = c.values[:n-1], c.at[:n-1]
	}
	return c
}

// mostSteps is the maximum number of cells in the table of a longest common subsequence.
const mostSteps = 4_000_000

// common reports which elements of two lists are in a longest common subsequence. ok is false if the lists without
// their common prefix and suffix are too long.
func common(a, b []string) (inA, inB []bool, ok bool) {
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	lo, hiA, hiB := 0, len(a), len(b)
	for lo < hiA && lo < hiB && a[lo] == b[lo] {
		inA[lo], inB[lo] = true, true
		lo++
	}
	for hiA > lo && hiB > lo && a[hiA-1] == b[hiB-1] {
		hiA, hiB = hiA-1, hiB-1
		inA[hiA], inB[hiB] = true, true
	}
	n, m := hiA-lo, hiB-lo
	if n == 0 || m == 0 {
		return inA, inB, true
	}
	if n*m > mostSteps {
		return nil, nil, false
	}
	table := make([]uint16, (n+1)*(m+1)) // at i, j: the length for the suffixes from i and j
	width := m + 1
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[lo+i] == b[lo+j] {
				table[i*width+j] = table[(i+1)*width+j+1] + 1
			} else {
				table[i*width+j] = max(table[(i+1)*width+j], table[i*width+j+1])
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case a[lo+i] == b[lo+j]:
			inA[lo+i], inB[lo+j] = true, true
			i, j = i+1, j+1
		case table[(i+1)*width+j] >= table[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return inA, inB, true
}
