package naming

import (
	"strings"
	"unicode"
)

// synonyms maps words of column names to a common synonym.
var synonyms = map[string]string{
	"cnt": "count", "num": "count", "number": "count", "nbr": "count", "n": "count", "no": "count", "nr": "count",
	"qty": "quantity", "amt": "amount", "avg": "average", "mean": "average",
	"pct": "percent", "percentage": "percent", "perc": "percent", "ratio": "rate", "share": "rate", "tot": "total",
	"sum": "total",
	"min": "minimum", "max": "maximum", "lowest": "minimum", "highest": "maximum",
	"lo": "minimum", "hi": "maximum", "low": "minimum", "high": "maximum", "smallest": "minimum", "largest": "maximum",
	"yr": "year", "mo": "month", "mth": "month", "dt": "date", "ts": "timestamp",
	"desc": "description", "rev": "revenue", "addr": "address", "acct": "account", "cust": "customer", "prod": "product",
	"txn": "transaction", "trx": "transaction",
	"trans": "transaction", "key": "id", "sk": "id", "freq": "frequency", "prob": "probability", "std": "deviation",
	"stddev": "deviation",
	"from":   "origin", "source": "origin", "src": "origin", "to": "destination", "dest": "destination",
	"dst": "destination", "begin": "start", "finish": "end",
	"dept": "department", "emp": "employee", "mgr": "manager", "org": "organization", "cat": "category", "ctry": "country",
	"ord": "order", "inv": "invoice", "pmt": "payment",
	"lat": "latitude", "lng": "longitude", "lon": "longitude", "temp": "temperature", "qtr": "quarter", "wk": "week",
	"hr": "hour", "sec": "second",
}

// fillers are words without meaning in a name; helpers have none next to another word.
var (
	fillers = wordSet("of the a by per in for and")
	helpers = wordSet("an at on is was are has have been be as it its their to from")
)

// Canonical appends the words of a name to out: in lower case, in the singular, with synonyms replaced by a common one,
// without fillers, and without any part before a double underscore or a point. A percent sign becomes a word.
func Canonical(out []string, name string) []string {
	name = unqualified(name)
	start := -1 // of the word that is being read
	flush := func(end int) {
		if start < 0 {
			return
		}
		w := canonical(strings.ToLower(name[start:end]))
		start = -1
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

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// irregular maps irregular forms to base forms, and some nouns to verbs.
var irregular = map[string]string{
	"won": "win", "lost": "lose", "sold": "sell", "bought": "buy", "paid": "pay", "sent": "send", "left": "leave",
	"spent": "spend", "lent": "lend", "drawn": "draw", "began": "begin", "begun": "begin",
	"men": "man", "women": "woman", "children": "child", "people": "person", "feet": "foot", "given": "give",
	"gave": "give", "taken": "take", "took": "take", "held": "hold", "made": "make", "met": "meet",
	"kept": "keep", "found": "find", "grew": "grow", "grown": "grow", "fell": "fall", "fallen": "fall", "rose": "rise",
	"risen": "rise", "died": "die", "dead": "die", "death": "die", "born": "birth",
	"losses": "lose", "loss": "lose", "sales": "sell", "sale": "sell", "data": "datum", "indices": "index",
	"analyses": "analysis", "arrival": "arrive", "approval": "approve", "refusal": "refuse",
	"licence": "license", "licences": "license", "licenced": "license", "offence": "offense", "defence": "defense",
	"practise": "practice", "practised": "practice",
	"departure": "depart", "payment": "pay", "renewal": "renew", "withdrawal": "withdraw", "removal": "remove",
}

// root returns a word without the ending of a plural, participle or gerund, which may not be a word: started, starts
// and starting have the same root.
func root(w string) string {
	if r := irregular[w]; r != "" {
		return cut(r)
	}
	w = Stem(w)
	if r := irregular[w]; r != "" {
		return cut(r)
	}
	return cut(w)
}

func cut(w string) string {
	for _, ending := range []string{"ing", "ed"} {
		b, found := strings.CutSuffix(w, ending)
		if !found || len(b) < 4 || strings.HasSuffix(w, "eed") {
			continue
		}
		if n := len(b); b[n-1] == b[n-2] && !strings.ContainsRune("aeiousl", rune(b[n-1])) || strings.HasSuffix(b, "ell") {
			b = b[:n-1]
		}
		w = b
		break
	}
	if b, found := strings.CutSuffix(w, "e"); found && len(b) >= 4 {
		return b
	}
	return w
}

// Similarity returns how many words two lists have in common, as a number from 0 to 1: 1 for the same words, else the
// share of the words of the shorter list that the longer one has, reduced by the longer one's additional words. It is 0
// if a list is empty.
func Similarity(a, b []string) float64 {
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
	return similarity(float64(common), len(a), len(b))
}

// similarity returns the similarity of two names with a and b words and the given number of common words.
func similarity(common float64, a, b int) float64 {
	short, long := float64(min(a, b)), float64(max(a, b))
	if common = min(common, short); common == long {
		return 1
	}
	return 0.7*common/short + 0.2*common/long
}
