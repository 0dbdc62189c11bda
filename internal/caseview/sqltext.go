package caseview

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// SQLPart is a part of a formatted query. The query is the concatenation of the Text of all parts.
type SQLPart struct {
	Text string  `json:"text"`
	Kind SQLKind `json:"kind"`
	In   Side    `json:"in,omitempty"` // empty: in both queries, or not compared
}

// SQLKind is the kind of a part of a query.
type SQLKind string

// The kinds of parts.
const (
	SQLSpace     SQLKind = "space"
	SQLKeyword   SQLKind = "keyword"
	SQLName      SQLKind = "name"
	SQLString    SQLKind = "string"
	SQLNumber    SQLKind = "number"
	SQLParameter SQLKind = "parameter"
	SQLSign      SQLKind = "sign"
	SQLComment   SQLKind = "comment"
)

// Side is one of the two answers that are compared.
type Side string

// The sides.
const (
	InGold  Side = "gold"
	InAgent Side = "agent"
)

// lineWidth is the maximum width of a clause on one line, in bytes.
const lineWidth = 88

// Layout formats a query: clauses and the elements of long lists start lines, and queries in parentheses are indented.
// Only white space between tokens changes. If the result would have other tokens, it returns the query unchanged.
func Layout(sql string, dialect sqlparts.Dialect) []SQLPart {
	toks := sqlparts.Tokens(sql, dialect)
	if len(toks) == 0 || len(toks) > mostTokens {
		return plainSQL(sql)
	}
	l := layouter{sql: sql, toks: toks, breaks: make([]int, len(toks))}
	l.mates()
	l.query(0, len(toks), 0)
	if parts := l.parts(l.space); sameTokens(toks, sqlparts.Tokens(joined(parts), dialect)) {
		return parts
	}
	return l.asWritten()
}

// mostTokens is the maximum number of tokens of a query that is formatted and compared; longer ones are shown
// unchanged.
const mostTokens = 50_000

func plainSQL(sql string) []SQLPart {
	if sql == "" {
		return nil
	}
	return []SQLPart{{Text: sql, Kind: SQLName}}
}

func joined(parts []SQLPart) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// sameTokens reports whether two lists of tokens have the same kinds, values and keywords. Their positions may differ.
func sameTokens(a, b []sqlparts.Token) bool {
	return slices.EqualFunc(a, b, func(x, y sqlparts.Token) bool {
		return x.Kind == y.Kind && x.Value == y.Value && x.Keyword == y.Keyword
	})
}

// layouter determines where the lines of a formatted query begin.
type layouter struct {
	sql    string
	toks   []sqlparts.Token
	mate   []int // index of the closing bracket, by index of the opening one
	breaks []int // by token: indentation of the line that begins with it, plus 1; 0: none begins
}

func (l *layouter) text(i int) string { return l.sql[l.toks[i].Start:l.toks[i].End] }

// is reports whether token i is the given keyword or sign.
func (l *layouter) is(i int, value string) bool {
	return i >= 0 && i < len(l.toks) && l.toks[i].Value == value &&
		(l.toks[i].Kind == sqlparts.TokenWord || l.toks[i].Kind == sqlparts.TokenSign)
}

func (l *layouter) mates() {
	l.mate = make([]int, len(l.toks))
	var open []int
	for i := range l.toks {
		switch {
		case l.is(i, "("):
			l.mate[i] = len(l.toks)
			open = append(open, i)
		case l.is(i, ")") && len(open) > 0:
			l.mate[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
}

// line begins a line at token i.
func (l *layouter) line(i, indent int) {
	if i > 0 && i < len(l.toks) {
		l.breaks[i] = indent + 1
	}
}

// starters are the first words of clauses; joins are those of joins.
var (
	starters = wordSet("select from where group having qualify order limit offset fetch union intersect except minus window with values connect start returning")
	joins    = wordSet("join left right full inner cross natural asof anti semi outer straight_join")
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// query formats the tokens from index from to to as a query.
func (l *layouter) query(from, to, indent int) {
	start := from
	for i := from; i < to; i++ {
		switch {
		case l.is(i, "("):
			i = l.brackets(i, indent)
		case l.is(i, ";"):
			l.clause(start, i, indent)
			start = i + 1
			l.line(start, indent)
		case l.clauseAt(i, from):
			l.clause(start, i, indent)
			start = i
			l.line(i, indent)
		}
	}
	l.clause(start, to, indent)
}

// clauseAt reports whether a clause begins at token i of a query that begins at token from.
func (l *layouter) clauseAt(i, from int) bool {
	if i == from || l.toks[i].Kind != sqlparts.TokenWord || l.is(i-1, ".") || l.is(i-1, "as") {
		return false
	}
	word := l.toks[i].Value
	switch {
	case joins[word]:
		// LEFT OUTER JOIN begins once, and left(x, 1) is a function.
		return !joins[l.toks[i-1].Value] && !l.is(i+1, "(") && l.joinFollows(i)
	case !starters[word]:
		return false
	case word == "select" || word == "values":
		return !l.is(i-1, ",")
	case word == "with":
		return l.is(i-1, ";")
	case word == "from":
		return !l.is(i-1, "distinct")
	case word == "group" || word == "order":
		return l.is(i+1, "by") && !l.is(i-1, "within")
	case word == "connect":
		return l.is(i+1, "by")
	case word == "start":
		return l.is(i+1, "with")
	case word == "except":
		return !l.is(i+1, "(") || l.is(i+2, "select")
	case word == "offset" || word == "limit" || word == "window" || word == "minus" || word == "fetch" ||
		word == "returning":
		return !l.is(i-1, ",") && !l.is(i+1, ",") && !l.is(i+1, ".") && !l.is(i+1, "=") && !l.is(i-1, "select")
	}
	return true
}

// joinFollows reports whether the join words from token i on include JOIN.
func (l *layouter) joinFollows(i int) bool {
	for ; i < len(l.toks) && l.toks[i].Kind == sqlparts.TokenWord && joins[l.toks[i].Value]; i++ {
		if v := l.toks[i].Value; v == "join" || v == "straight_join" {
			return true
		}
	}
	return false
}

// brackets formats the tokens between brackets, and returns the index of the closing one. A query in brackets gets
// separate lines.
func (l *layouter) brackets(open, indent int) int {
	end := l.mate[open]
	if l.queryAt(open + 1) {
		l.line(open+1, indent+1)
		l.query(open+1, end, indent+1)
		l.line(end, indent)
		return end
	}
	for i := open + 1; i < end; i++ {
		if l.is(i, "(") {
			i = l.brackets(i, indent+1)
		}
	}
	return end
}

func (l *layouter) queryAt(i int) bool {
	for l.is(i, "(") {
		i++
	}
	return l.is(i, "select") || l.is(i, "with") && !l.is(i+1, ",") && !l.is(i+1, ")") ||
		i < len(l.toks) && l.toks[i].Kind == sqlparts.TokenComment && l.is(i+1, "select")
}

// clause begins a line for each element of a clause that is too long for one line.
func (l *layouter) clause(from, to, indent int) {
	if from >= to || l.width(from, to)+2*indent <= lineWidth {
		return
	}
	first := from + 1
	for first < to && (l.is(first, "by") || l.is(first, "distinct") || l.is(first, "all") && l.is(from, "select")) {
		first++
	}
	cases, between := 0, 0
	for i := first; i < to; i++ {
		switch {
		case l.is(i, "("):
			i = l.mate[i]
		case l.is(i, "case"):
			cases++
		case l.is(i, "end") && cases > 0:
			cases--
		case l.is(i, "between"):
			between++
		case l.is(i, "and") && between > 0:
			between--
		case (l.is(i, "and") || l.is(i, "or")) && cases == 0:
			l.lineWithin(i, indent+1)
		case l.is(i, ",") && cases == 0:
			l.lineWithin(i+1, indent+1)
		}
	}
}

// lineWithin begins a line at token i unless one begins there already.
func (l *layouter) lineWithin(i, indent int) {
	if i < len(l.toks) && l.breaks[i] == 0 {
		l.line(i, indent)
	}
}

// width returns the width of tokens on one line, up to the first line break; it stops counting above lineWidth.
func (l *layouter) width(from, to int) int {
	n := 0
	for i := from; i < to && n <= lineWidth; i++ {
		if l.breaks[i] > 0 && i > from {
			return n // lines that are only comments are ignored
		}
		n += len(l.text(i)) + 1
	}
	return n
}

// parts returns the tokens, each preceded by the white space that between returns for it.
func (l *layouter) parts(between func(i int) string) []SQLPart {
	parts := make([]SQLPart, 0, 2*len(l.toks))
	for i := range l.toks {
		if space := between(i); space != "" {
			parts = append(parts, SQLPart{Text: space, Kind: SQLSpace})
		}
		parts = append(parts, SQLPart{Text: l.text(i), Kind: partKind(&l.toks[i])})
	}
	return parts
}

// asWritten returns the tokens with the original white space, including that at both ends.
func (l *layouter) asWritten() []SQLPart {
	parts := l.parts(l.gap)
	if behind := l.sql[l.toks[len(l.toks)-1].End:]; behind != "" {
		parts = append(parts, SQLPart{Text: behind, Kind: SQLSpace})
	}
	return parts
}

// gap returns the original white space before token i.
func (l *layouter) gap(i int) string {
	if i == 0 {
		return l.sql[:l.toks[0].Start]
	}
	return l.sql[l.toks[i-1].End:l.toks[i].Start]
}

// space returns the formatted white space before token i: a line break with indentation, a space, or "".
func (l *layouter) space(i int) string {
	if i == 0 {
		return ""
	}
	before := l.gap(i)
	comment := l.toks[i-1].Kind == sqlparts.TokenComment &&
		(!strings.HasSuffix(l.text(i-1), "*/") || strings.Contains(before, "\n"))
	switch {
	case l.breaks[i] > 0:
		return "\n" + strings.Repeat("  ", l.breaks[i]-1)
	case comment:
		return "\n"
	case before == "":
		return ""
	case l.is(i, ",") || l.is(i, ")") || l.is(i-1, "("):
		return ""
	}
	return " "
}

func partKind(t *sqlparts.Token) SQLKind {
	switch t.Kind {
	case sqlparts.TokenWord:
		if t.Keyword {
			return SQLKeyword
		}
		return SQLName
	case sqlparts.TokenName:
		return SQLName
	case sqlparts.TokenString:
		return SQLString
	case sqlparts.TokenNumber:
		return SQLNumber
	case sqlparts.TokenParameter:
		return SQLParameter
	case sqlparts.TokenComment:
		return SQLComment
	case sqlparts.TokenSign:
	}
	return SQLSign
}
