package align

import (
	"strings"
	"unicode"
)

// synonyms brings words that data people use for one another to one of them.
var synonyms = map[string]string{
	"cnt": "count", "num": "count", "number": "count", "n": "count", "no": "count", "qty": "quantity", "amt": "amount", "avg": "average", "mean": "average",
	"pct": "percent", "percentage": "percent", "perc": "percent", "ratio": "rate", "share": "rate", "tot": "total", "sum": "total",
	"min": "minimum", "max": "maximum", "lowest": "minimum", "highest": "maximum",
	"lo": "minimum", "hi": "maximum", "low": "minimum", "high": "maximum", "smallest": "minimum", "largest": "maximum", "yr": "year", "mo": "month", "mth": "month", "dt": "date", "ts": "timestamp",
	"desc": "description", "rev": "revenue", "addr": "address", "acct": "account", "cust": "customer", "prod": "product", "txn": "transaction", "trx": "transaction",
	"trans": "transaction", "id": "id", "key": "id", "sk": "id", "revenue": "revenue", "sales": "sales", "freq": "frequency", "prob": "probability", "std": "deviation", "stddev": "deviation",
	"from": "origin", "source": "origin", "src": "origin", "to": "destination", "dest": "destination", "dst": "destination", "begin": "start", "finish": "end",
}

// fillers carry no meaning in a column's name.
var fillers = map[string]bool{"of": true, "the": true, "a": true, "by": true, "per": true, "in": true, "for": true, "and": true}

// words splits a column name into its words, lower case, with synonyms made one and what stands
// before a double underscore or a point left out.
func words(name string) []string { return appendWords(nil, name) }

// appendWords appends the words of a name to a list.
func appendWords(out []string, name string) []string {
	if i := strings.LastIndex(name, "__"); i > 0 && i+2 < len(name) {
		name = name[i+2:]
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 && i+1 < len(name) && !strings.ContainsAny(name, "( ") {
		name = name[i+1:]
	}
	start := -1 // of the word that is being read
	flush := func(end int) {
		if start < 0 {
			return
		}
		w := strings.ToLower(name[start:end])
		start = -1
		if s, ok := synonyms[w]; ok {
			w = s
		} else if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			w = w[:len(w)-1]
		}
		if !fillers[w] {
			out = append(out, w)
		}
	}
	lower := false
	for i, r := range name {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
			if unicode.IsUpper(r) && lower {
				flush(i)
			}
			if start < 0 {
				start = i
			}
			lower = unicode.IsLower(r)
		case r == '%':
			flush(i)
			out = append(out, "percent")
		default:
			flush(i)
			lower = false
		}
	}
	flush(len(name))
	return out
}

// sameName tells whether two column names are the same but for case, quotes and punctuation.
func sameName(a, b string) bool {
	if a == b {
		return a != ""
	}
	ca := bare(a)
	return ca != "" && ca == bare(b)
}

// bare is a column name without case, quotes and punctuation.
func bare(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s))
}

// nameSimilarity is how alike two column names are, 0 to 1: 1 for the same words, else the share of
// the words of the shorter name that the longer one has, weighed down by what it has besides.
func nameSimilarity(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	common := 0
	for _, w := range a {
		for _, x := range b {
			if w == x {
				common++
				break
			}
		}
	}
	short, long := min(len(a), len(b)), max(len(a), len(b))
	common = min(common, short)
	if common == long {
		return 1
	}
	return 0.7*float64(common)/float64(short) + 0.2*float64(common)/float64(long)
}
