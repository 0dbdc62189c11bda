package caseview

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Mask hides columns: their values are shown as salted hashes, so that equal values still look
// equal. Everything that shows cases or scores to people goes through it. nil and the zero value
// hide nothing.
//
// Of a case that has a masked column, these are hidden:
//
//   - The values of columns with a masked name, of columns that the queries compute from them under any name, of
//     columns that the mapping pairs with them, and of text columns that share a value with them. COUNT of a masked
//     column is shown. If a query uses a masked column and was not parsed completely, all of its columns are
//     hidden.
//   - All constants and comments of the queries, numbers and strings alike.
//   - The masked values and the constants of queries that name such a column, in the question and the evidence.
//   - Completely: everything written by a model (replies of judges, their prompts, the agent's response,
//     interpretation and tool calls), messages of databases, and the reasons and details of scores that may quote
//     values.
//
// In every case the tags, charts and retrieved passages are hidden, and a query that cannot be parsed completely, since
// it may name any column.
// NULL is shown as NULL, and the type of a column is shown.
type Mask struct {
	patterns []string
	salt     []byte
}

// NewMask returns a mask for column names, in any letter case; * matches any characters. Two masks with the same
// salt give the same hashes. The salt is a secret of at least 16 bytes, or nil for a random one.
func NewMask(columns []string, salt []byte) (*Mask, error) {
	m := &Mask{salt: salt}
	for i, c := range columns {
		p := strings.ToLower(strings.TrimSpace(c))
		escaped := strings.NewReplacer(`\`, `\\`, `[`, `\[`, `?`, `\?`, `/`, `\/`).Replace(p)
		if p == "" {
			return nil, errcode.New(errcode.InvalidArgument, "mask[%d]: expected the name of a column", i)
		}
		if !utf8.ValidString(c) {
			return nil, errcode.New(errcode.InvalidArgument, "mask[%d]: expected UTF-8 text", i)
		}
		m.patterns = append(m.patterns, escaped)
	}
	switch {
	case salt == nil:
		m.salt = make([]byte, 32)
		_, _ = rand.Read(m.salt) // never fails
	case len(salt) < 16:
		return nil, errcode.New(errcode.InvalidArgument, "the salt of masked columns has %d bytes, expected at least 16",
			len(salt))
	}
	return m, nil
}

// None reports whether the mask hides nothing.
func (m *Mask) None() bool { return m == nil || len(m.patterns) == 0 }

// hides reports whether the mask's patterns match a column name.
func (m *Mask) hides(name string) bool {
	name = strings.ReplaceAll(strings.ToLower(name), "/", "\x00") // * also matches a slash
	return slices.ContainsFunc(m.patterns, func(p string) bool {
		ok, err := path.Match(strings.ReplaceAll(p, `\/`, "\x00"), name)
		return ok && err == nil
	})
}

// Withheld is shown instead of hidden text.
const Withheld = "withheld: a column is masked"

// plainReasons are the metrics whose reasons contain only column names, counts and fixed phrases.
var plainReasons = map[string]bool{
	"hybrid_ex": true, "result_match_category": true, "ex_bird": true, "ex_multiset": true, "row_f1": true,
	"soft_f1_bird":     true,
	"latency_overhead": true, "sql_complexity": true, "r_ves": true,
}

// Reason returns the reason of a score for lists and exports, which do not examine the case. The reasons of some
// metrics contain no values; the others are withheld if any column is masked.
func (m *Mask) Reason(metric, reason string) string {
	if m.None() || reason == "" || plainReasons[metric] ||
		slices.Contains(scoring.UnansweredReasons(), reason) || slices.Contains(scoring.NoGoldReasons(), reason) {
		return reason
	}
	return Withheld
}

// hash returns the salted hash that is shown instead of a value. Equal numbers of different types have the same hash.
func (m *Mask) hash(v scoring.Value) string {
	text := v.String()
	if r, ok := exactNumber(v); ok {
		text = r.RatString()
	}
	return m.hashText(text)
}

func (m *Mask) hashText(text string) string {
	h := hmac.New(sha256.New, m.salt)
	_, _ = h.Write([]byte(text))
	return "#" + hex.EncodeToString(h.Sum(nil)[:6])
}

// Masked is a mask applied to one case.
type Masked struct {
	*Mask
	active   bool            // the case has a masked column
	names    map[string]bool // names of masked columns and their aliases in the queries, in lower case
	dialect  sqlparts.Dialect
	values   map[string]bool // masked texts, in lower case
	numbers  map[string]bool // masked numbers, as text
	anywhere []string        // masked texts of at least 3 bytes, which are replaced in sentences
}

// over applies the mask to a case: it finds the masked columns of its queries and results, and their values.
func (m *Mask) over(c *scoring.Case) *Masked {
	out := &Masked{Mask: m, dialect: sqlparts.DialectOf(c.Dialect), names: map[string]bool{}, values: map[string]bool{},
		numbers: map[string]bool{}}
	if m.None() {
		return out
	}
	queries := []string{c.Pred.SQL}
	for i := range c.Golds {
		queries = append(queries, c.Golds[i].SQL)
	}
	for _, q := range queries {
		out.trace(q)
	}
	out.active = len(out.names) > 0
	for i := range c.Golds {
		out.look(&c.Golds[i])
	}
	out.look(&c.Pred)
	if out.active {
		for _, q := range queries {
			out.constants(q)
		}
	}
	return out
}

// constants records the strings and numbers in a query: masked columns are compared with them, so that they are
// masked in the question, too.
func (m *Masked) constants(query string) {
	for _, t := range sqlparts.Tokens(query, m.dialect) {
		text := strings.ToLower(strings.Trim(t.Value, "% "))
		switch {
		case t.Kind == sqlparts.TokenString && len(text) >= 3 && !slices.Contains(m.anywhere, text):
			m.anywhere = append(m.anywhere, text)
		case t.Kind == sqlparts.TokenNumber:
			m.numbers[t.Value] = true
		}
	}
}

// look records the values of the masked columns of a query's result.
func (m *Masked) look(q *scoring.Query) {
	if t := q.Result.Table; t != nil {
		masked := make([]bool, len(t.Columns))
		m.byName(t, q.SQL, masked)
		m.learn(t, masked)
		m.active = m.active || slices.Contains(masked, true)
	}
}

// sides returns which columns of two results are masked, and records their values.
func (m *Masked) sides(gold, agent *scoring.Table, a *scoring.Alignment, goldSQL,
	agentSQL string) (inGold, inAgent []bool) {
	inGold, inAgent = make([]bool, len(gold.Columns)), make([]bool, len(agent.Columns))
	if m.None() {
		return inGold, inAgent
	}
	m.byName(gold, goldSQL, inGold)
	m.byName(agent, agentSQL, inAgent)
	for changed := true; changed; {
		changed = false
		for _, p := range a.Columns {
			if inGold[p.Gold] != inAgent[p.Pred] {
				inGold[p.Gold], inAgent[p.Pred], changed = true, true, true
			}
		}
		m.learn(gold, inGold)
		m.learn(agent, inAgent)
		changed = m.byValue(gold, inGold) || m.byValue(agent, inAgent) || changed
	}
	m.active = m.active || slices.Contains(inGold, true) || slices.Contains(inAgent, true)
	return inGold, inAgent
}

// byName sets masked for the columns with a masked name and for those that the query computes from masked columns.
func (m *Masked) byName(t *scoring.Table, sql string, masked []bool) {
	positions, all := m.outputs(sql, len(t.Columns))
	for i := range t.Columns {
		name := t.Columns[i].Name
		masked[i] = all || m.hidden(name) || positions != nil && positions[i]
		for _, mention := range sqlparts.Mentions(name, m.dialect) { // such as lower(email)
			masked[i] = masked[i] || !strings.HasPrefix(strings.ToLower(name), "count(") && m.hidden(mention.Name.Last().Text)
		}
	}
}

// hidden reports whether a column name is masked, or is a name of masked values in the queries.
func (m *Masked) hidden(name string) bool { return m.hides(name) || m.names[strings.ToLower(name)] }

// learn records the values of masked columns.
func (m *Masked) learn(t *scoring.Table, masked []bool) {
	for i := range t.Columns {
		c := &t.Columns[i]
		if !masked[i] {
			continue
		}
		for row := range c.Len() {
			v := c.Value(row)
			switch {
			case v.IsNull():
			case v.Type == scoring.String || v.Type == scoring.JSON || v.Type.Temporal():
				text := strings.ToLower(v.String())
				if !m.values[text] {
					m.values[text] = true
					if len(text) >= 3 {
						m.anywhere = append(m.anywhere, text)
					}
				}
			case v.Type.Numeric():
				m.numbers[v.String()] = true
			}
		}
	}
}

// byValue sets masked for the columns of strings that contain a masked string of at least 4 bytes, and reports whether
// it changed any. Shorter values and numbers may be equal by chance.
func (m *Masked) byValue(t *scoring.Table, masked []bool) (changed bool) {
	for i := range t.Columns {
		c := &t.Columns[i]
		if masked[i] || c.Type != scoring.String && c.Type != scoring.Any && c.Type != scoring.JSON {
			continue
		}
		for row := range c.Len() {
			if v := c.Value(row); !v.IsNull() && !v.Type.Numeric() && len(v.String()) >= 4 &&
				m.values[strings.ToLower(v.String())] {
				masked[i], changed = true, true
				break
			}
		}
	}
	return changed
}

// value returns a masked value for display: its hash, or NULL.
func (m *Masked) value(v scoring.Value) *Value {
	out := &Value{Type: v.Type, Null: v.IsNull(), Masked: true}
	if !out.Null {
		out.Text = m.hash(v)
		out.Pieces = []Piece{{Text: out.Text}}
	}
	return out
}

// text replaces masked values by hashes in text that a person wrote, such as a question.
func (m *Masked) text(s string) string {
	if !m.active || s == "" {
		return s
	}
	lower := strings.ToLower(s)
	if len(lower) != len(s) { // letters whose lower case has another length
		s = lower
	}
	slices.SortFunc(m.anywhere, func(a, b string) int { return len(b) - len(a) })
	type cut struct{ from, to int }
	var cuts []cut
	taken := func(from, to int) bool {
		return slices.ContainsFunc(cuts, func(c cut) bool { return from < c.to && c.from < to })
	}
	for _, value := range m.anywhere {
		for at := 0; ; {
			i := strings.Index(lower[at:], value)
			if i < 0 {
				break
			}
			from, to := at+i, at+i+len(value)
			if !taken(from, to) {
				cuts = append(cuts, cut{from, to})
			}
			at = to
		}
	}
	for i := 0; i < len(s); { // numbers
		if s[i] < '0' || s[i] > '9' {
			i++
			continue
		}
		from := i
		for i < len(s) &&
			(s[i] >= '0' && s[i] <= '9' || (s[i] == '.' || s[i] == ',') && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9') {
			i++
		}
		if number := strings.ReplaceAll(s[from:i], ",", ""); len(number) >= 3 && m.number(number) && !taken(from, i) {
			cuts = append(cuts, cut{from, i})
		}
	}
	slices.SortFunc(cuts, func(a, b cut) int { return a.from - b.from })
	var b strings.Builder
	end := 0
	for _, c := range cuts {
		b.WriteString(s[end:c.from])
		b.WriteString(m.hashText(s[c.from:c.to]))
		end = c.to
	}
	b.WriteString(s[end:])
	return b.String()
}

// number reports whether a number equals a masked one, in any notation.
func (m *Masked) number(text string) bool {
	if m.numbers[text] {
		return true
	}
	v, ok := scoring.ParseDecimal(text)
	if !ok {
		return false
	}
	x, _ := exactNumber(v)
	return m.numbers[exactText(x, 0)]
}

// written returns s, from a model or a database, or Withheld if the case has masked columns.
func (m *Masked) written(s string) string {
	if !m.active || s == "" {
		return s
	}
	return Withheld
}

// tags returns tags, or Withheld if the mask has any column, even if the case does not have it.
func (m *Masked) tags(tags []string) []string {
	if m.None() || len(tags) == 0 {
		return tags
	}
	return []string{Withheld}
}

// reason returns the reason of a score of the case, see [Mask.Reason], unchanged if the case has no masked column.
func (m *Masked) reason(metric, reason string) string {
	if !m.active {
		return reason
	}
	return m.Reason(metric, reason)
}

// sql returns a query with its constants and comments replaced, if the case has masked columns. A query that cannot be
// parsed completely is withheld, since its constants are unknown.
func (m *Masked) sql(query string) string {
	if m.None() || query == "" {
		return query
	}
	if !m.read(query) {
		return "/* " + Withheld + " */"
	}
	if !m.active {
		return query
	}
	toks := sqlparts.Tokens(query, m.dialect)
	var b strings.Builder
	end := 0
	for _, t := range toks {
		b.WriteString(query[end:t.Start])
		end = int(t.End)
		text := query[t.Start:t.End]
		switch {
		case t.Kind == sqlparts.TokenComment:
			text = "/* masked */"
		case t.Kind == sqlparts.TokenString || t.Kind == sqlparts.TokenNumber ||
			t.Kind == sqlparts.TokenName && m.values[strings.ToLower(t.Value)]:
			text = "'" + m.hashText(t.Value) + "'"
		}
		b.WriteString(text)
	}
	return b.String() + query[end:]
}

// read reports whether a query can be parsed completely.
func (m *Masked) read(query string) bool {
	script := sqlparts.Parse(query, m.dialect)
	return script.Final() != nil && len(script.Notes) == 0
}

// trace records the names of masked columns in a query, and the aliases of expressions computed from them.
func (m *Masked) trace(query string) {
	for _, mention := range sqlparts.Mentions(query, m.dialect) {
		if name := mention.Name.Last().Text; m.hides(name) {
			m.names[strings.ToLower(name)] = true
		}
	}
	if len(m.names) == 0 {
		return
	}
	script := sqlparts.Parse(query, m.dialect)
	for before := -1; before != len(m.names); {
		before = len(m.names)
		for _, s := range script.Statements {
			if s.Query != nil {
				sqlparts.Walk(s.Query, func(n sqlparts.Node) bool { m.follow(n); return true })
			}
		}
	}
}

// follow records the names that a node gives to values computed from masked columns.
func (m *Masked) follow(n sqlparts.Node) {
	rename := func(q *sqlparts.Query, columns []sqlparts.Ident) {
		if q == nil {
			return
		}
		outs, known := m.selected(q)
		for i, c := range columns {
			if known && i < len(outs) && outs[i].masked || !known && m.computes(q) {
				m.names[strings.ToLower(c.Text)] = true
			}
		}
	}
	switch n := n.(type) {
	case *sqlparts.Item:
		if n.Alias.Text != "" && m.computes(n.Expr) {
			m.names[strings.ToLower(n.Alias.Text)] = true
		}
	case *sqlparts.Query:
		for _, c := range n.With {
			rename(c.Query, c.Columns)
		}
	case *sqlparts.Source:
		rename(n.Query, n.Columns)
		for _, p := range n.Pivots {
			m.pivot(p)
		}
	case *sqlparts.SetOp:
		var all [][]selectedItem
		for _, q := range n.Terms {
			outs, _ := m.selected(q)
			all = append(all, outs)
		}
		for _, outs := range all {
			for i := range outs {
				if outs[i].masked {
					for _, others := range all {
						if i < len(others) && others[i].name != "" {
							m.names[strings.ToLower(others[i].name)] = true
						}
					}
				}
			}
		}
	}
}

// pivot records all names that a pivot over a masked column defines.
func (m *Masked) pivot(p *sqlparts.Pivot) {
	masked := false
	for _, i := range p.Values {
		masked = masked || m.computes(i.Expr)
	}
	for _, e := range p.For {
		masked = masked || m.computes(e)
	}
	if !masked {
		return
	}
	for _, i := range slices.Concat(p.In, p.Values) {
		if i.Alias.Text != "" {
			m.names[strings.ToLower(i.Alias.Text)] = true
		}
	}
	for _, c := range p.Columns {
		m.names[strings.ToLower(c.Text)] = true
	}
}

// selectedItem is a column that a query returns; masked if it is computed from a masked column.
type selectedItem struct {
	name   string
	masked bool
}

// selected returns the columns that a query returns; known is false if they cannot be listed, such as for a wildcard.
func (m *Masked) selected(q *sqlparts.Query) (outs []selectedItem, known bool) {
	switch b := q.Body.(type) {
	case *sqlparts.Select:
		known = true
		for _, item := range b.Items {
			o := selectedItem{name: item.Alias.Text, masked: m.computes(item.Expr)}
			switch e := item.Expr.(type) {
			case *sqlparts.Star:
				known = false
			case *sqlparts.Column:
				if o.name == "" {
					o.name = e.Name.Last().Text
				}
			}
			outs = append(outs, o)
		}
		return outs, known
	case *sqlparts.Query:
		return m.selected(b)
	case *sqlparts.SetOp:
		known = true
		for i, term := range b.Terms {
			more, ok := m.selected(term)
			known = known && ok && (i == 0 || len(more) == len(outs))
			if i == 0 {
				outs = more
				continue
			}
			for k := range min(len(outs), len(more)) {
				outs[k].masked = outs[k].masked || more[k].masked
			}
		}
		return outs, known
	}
	return nil, false
}

// computes reports whether an expression or query reads a masked column, other than in COUNT.
func (m *Masked) computes(n sqlparts.Node) (found bool) {
	if n == nil {
		return false
	}
	sqlparts.Walk(n, func(n sqlparts.Node) bool {
		switch n := n.(type) {
		case *sqlparts.Call:
			if len(n.Name) == 1 && strings.EqualFold(n.Name[0].Text, "count") {
				return false
			}
		case *sqlparts.Column:
			for _, part := range n.Name {
				found = found || m.hidden(part.Text)
			}
		case *sqlparts.Field:
			found = found || m.hidden(n.Name.Text)
		case *sqlparts.Path:
			found = found || m.mentions(n.Text)
		case *sqlparts.Raw:
			found = found || m.mentions(n.Text)
		}
		return !found
	})
	return found
}

func (m *Masked) mentions(text string) bool {
	return slices.ContainsFunc(sqlparts.Mentions(text, m.dialect), func(n sqlparts.Mention) bool {
		return slices.ContainsFunc(n.Name, func(i sqlparts.Ident) bool { return m.hidden(i.Text) })
	})
}

// outputs returns, by position, which columns of a query's result are computed from masked ones; nil if unknown or
// none. all reports that the query uses a masked column and cannot be parsed completely.
func (m *Masked) outputs(query string, columns int) (positions []bool, all bool) {
	if !m.mentions(query) {
		return nil, false
	}
	script := sqlparts.Parse(query, m.dialect)
	final := script.Final()
	if final == nil || len(script.Notes) > 0 {
		return nil, true
	}
	outs, known := m.selected(final)
	if !known || len(outs) != columns {
		return nil, false
	}
	positions = make([]bool, columns)
	for i := range outs {
		positions[i] = outs[i].masked
	}
	return positions, false
}

// Scores returns scores with their reasons as lists and exports show them, see [Mask.ReasonOf].
func (m *Mask) Scores(scores []scoring.Score) []scoring.Score {
	if m.None() {
		return scores
	}
	scores = slices.Clone(scores)
	for i := range scores {
		scores[i].Reason = m.ReasonOf(&scores[i])
	}
	return scores
}

// ReasonOf returns the reason of a score for lists and exports, see [Mask.Reason]. With a mask the reason of a failed
// score is withheld, since it may quote a database's message.
func (m *Mask) ReasonOf(s *scoring.Score) string {
	if !m.None() && s.Status == scoring.StatusFailed && s.Reason != "" {
		return Withheld
	}
	return m.Reason(s.Metric, s.Reason)
}

// Filters reports whether a list of cases may be filtered, sorted or broken down by a column: one of [store.Columns] or
// a metric. With a mask, columns of free text are excluded, since filters would reveal their content letter by letter.
func (m *Mask) Filters(column string) bool {
	return m.None() || !slices.Contains([]string{"question", "sql", "gold", "reason", "tag", "tags"}, column)
}
