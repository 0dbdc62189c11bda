package metric

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// The ways to extract components: values of the option extract.
const (
	extractFrontEnd = "front_end" // package sqlparts, without judge calls
	extractFallback = "fallback"  // the judge, if the front end did not parse the query completely or found none
	extractJudge    = "judge"     // the judge
)

// extractNote documents the judge calls for the option extract.
const extractNote = " With the option extract, a judge may take queries apart: one call for each query, shared by all component metrics with the option; what it returns is brought " +
	"into the same normal form, and refused where it names tables or columns that the query does not."

type extractOptions struct {
	Extract string `json:"extract"`
}

var extractDeclared = scoring.DeclareOptions(extractOptions{Extract: extractFrontEnd}, nil,
	scoring.Option{
		Name: "extract", Choices: []string{extractFrontEnd, extractFallback, extractJudge},
		Doc: "What extracts the components: front_end, the parser, without a call; fallback, the judge for queries that the parser could not read whole; judge, the judge for both queries.",
	},
)

// extractedBy names what extracted the components of each query. It is nil if the options exclude a judge.
type extractedBy struct {
	Gold string `json:"gold"` // front_end or judge
	Pred string `json:"pred"`
}

// extraction holds the components of both queries, and how they were extracted.
type extraction struct {
	componentSets
	by       *extractedBy
	warnings []string
}

// extract returns the components of both queries, by the front end or a judge as the option extract states. If done
// is true, s is the score, because a query or the judge is missing.
func extract(ctx context.Context, in *scoring.Input) (x extraction, s scoring.Score, done bool, err error) {
	o, err := extractDeclared.Read(in)
	if err != nil {
		return x, s, false, err
	}
	if o.Extract == extractFrontEnd {
		if s, done := withoutQuery(in); done {
			return x, s, true, nil
		}
		x.componentSets = *componentsOf(in)
		x.warnings = unread(in, goldSide, predSide)
		return x, s, false, nil
	}
	x.by = &extractedBy{}
	none := map[side]bool{}
	for _, of := range []side{goldSide, predSide} {
		into, by := &x.gold, &x.by.Gold
		if of == predSide {
			into, by = &x.pred, &x.by.Pred
		}
		sc := script(in, of)
		*by = extractFrontEnd
		wanted := o.Extract == extractJudge || sc.Final() == nil || len(sc.Notes) > 0
		switch {
		case wanted && in.HasJudge(componentsPurpose(of)):
			sets, isQuery, err := componentsByJudge(ctx, in, of)
			if err != nil {
				return x, s, false, err
			}
			*into, *by, none[of] = sets, extractJudge, !isQuery
			continue
		case wanted && o.Extract == extractJudge:
			return x, scoring.NotApplicable("no judge is configured to take the queries apart"), true, nil
		case wanted:
			x.warnings = append(x.warnings, of.String()+": there is no judge to ask for what the front end could not read")
		}
		*into, none[of] = sqlparts.Extract(sc.Final()), sc.Final() == nil
		x.warnings = append(x.warnings, unread(in, of)...)
	}
	switch {
	case none[goldSide]:
		return x, scoring.NotApplicable("the gold SQL holds no query"), true, nil
	case none[predSide]:
		s = scoring.OK(0, "the SQL of the agent holds no query")
		s.Warnings = x.warnings
		return x, s, true, nil
	}
	return x, s, false, nil
}

// componentsPurpose returns the purpose under which replies to the question about one side's query are recorded.
func componentsPurpose(of side) string {
	if of == goldSide {
		return prompt.SQLComponents.Purpose + "/gold"
	}
	return prompt.SQLComponents.Purpose + "/agent"
}

// maxComponent is the maximum length of an element of a set, in characters.
const maxComponent = 4000

// componentsReply is a judge's reply with the components of one query.
type componentsReply struct {
	IsQuery  bool     `json:"is_query"`
	Select   []string `json:"select_components"`
	Where    []string `json:"where_components"`
	GroupBy  []string `json:"group_by_components"`
	OrderBy  []string `json:"order_by_components"`
	Having   []string `json:"having_components"`
	Tables   []string `json:"table_components"`
	Keywords []string `json:"keywords"`
}

// componentsByJudge asks a judge for the components of one query, and returns them and whether the text is a query.
func componentsByJudge(ctx context.Context, in *scoring.Input, of side) (sqlparts.Components, bool, error) {
	sql := of.query(in).SQL
	r := prompt.SQLComponents.Request(prompt.Material{Dialect: in.Case.Dialect, PredSQL: sql})
	r.Purpose = componentsPurpose(of)
	var reply componentsReply
	if err := in.AskOnce(ctx, r, &reply); err != nil {
		return sqlparts.Components{}, false, err
	}
	type key struct{ side }
	type read struct {
		sets sqlparts.Components
		err  error
	}
	got := scoring.MemoReply(in, key{of}, func() (c read) {
		c.sets, c.err = reply.components(sql, sqlparts.DialectOf(in.Case.Dialect))
		return c
	})
	return got.sets, reply.IsQuery, got.err
}

// components converts the reply to the normal form of package sqlparts. It returns an error if the reply does not
// match the query sql.
func (r *componentsReply) components(sql string, dialect sqlparts.Dialect) (c sqlparts.Components, err error) {
	text := strings.ToLower(sql)
	if !r.IsQuery {
		if len(r.Select)+len(r.Where)+len(r.GroupBy)+len(r.OrderBy)+len(r.Having)+len(r.Tables)+len(r.Keywords) > 0 {
			return c, unusable("it finds no query and yet lists components")
		}
		return c, nil
	}
	for _, list := range [][]string{r.Select, r.Where, r.GroupBy, r.OrderBy, r.Having, r.Tables} {
		for i, element := range list {
			if n := utf8.RuneCountInString(strings.TrimSpace(element)); n == 0 || n > maxComponent {
				return c, unusable("element %d of a set has %d characters, expected 1 to %d", i+1, n, maxComponent)
			}
		}
	}
	n := componentReader{dialect}
	c.Select = n.expressions("select ", r.Select, func(c *sqlparts.Components) []string { return c.Select })
	c.GroupBy = n.expressions("select ", r.GroupBy, func(c *sqlparts.Components) []string { return c.Select })
	c.OrderBy = n.expressions("select 1 order by ", r.OrderBy, func(c *sqlparts.Components) []string { return c.OrderBy })
	c.Tables = n.tables(r.Tables)
	c.Where, c.Having = n.conditions(r.Where), n.conditions(r.Having)
	c.Keywords = sortedSet(slices.Clone(r.Keywords))
	if len(c.Select) == 0 {
		return c, unusable("it finds a query that selects nothing")
	}
	var compared []string
	for _, list := range [][]sqlparts.Condition{c.Where, c.Having} {
		for _, condition := range list {
			compared = append(compared, condition.Column)
		}
	}
	for _, set := range []struct {
		what  string
		names []string
	}{{"a table", c.Tables}, {"a column", c.Select}, {"a column", c.GroupBy}, {"a column", compared}} {
		for i, name := range set.names {
			if name = strings.Trim(name, `"`); name != "subquery" && !strings.Contains(text, name) &&
				(set.what == "a table" || plainColumn.MatchString(name)) {
				return c, unusable("it names %s, element %d of the set, that the query does not", set.what, i+1)
			}
		}
	}
	return c, nil
}

var (
	plainColumn      = lazyregexp.New(`^[\p{L}_][\p{L}\p{N}_$]*$`)
	wordSubquery     = lazyregexp.New(`(?i)\bsubquery\b`)
	enclosedSubquery = lazyregexp.New(`(?i)\(\s*subquery\s*\)`)
)

// componentReader parses the text of a judge's components with the front end, so that they have the same normal form
// as those of the front end.
type componentReader struct{ dialect sqlparts.Dialect }

// read parses beginning followed by text as a query and returns its components. ok is false if text does not fit
// there, such as a condition with a further clause after it.
func (n componentReader) read(beginning, text string) (c sqlparts.Components, ok bool) {
	text = enclosedSubquery.ReplaceAllString(text, "(select 1)")
	text = wordSubquery.ReplaceAllString(text, "(select 1)")
	script := sqlparts.Parse(beginning+text, n.dialect)
	q := script.Final()
	if q == nil || len(script.Notes) > 0 || len(script.Statements) != 1 || q.Limit != nil {
		return c, false
	}
	s, ok := q.Body.(*sqlparts.Select)
	if !ok || s.Group != nil || s.Having != nil || s.Qualify != nil ||
		(len(q.OrderBy) > 0) != strings.HasSuffix(beginning, "order by ") ||
		(s.Where != nil) != strings.HasSuffix(beginning, "where ") ||
		(len(s.From) > 0) != strings.HasSuffix(beginning, "from ") {
		return c, false
	}
	return sqlparts.Extract(q), true
}

// expressions returns the elements of a set in normal form, sorted. An element that the front end cannot parse is
// only changed to lower case with single spaces.
func (n componentReader) expressions(beginning string, texts []string,
	of func(*sqlparts.Components) []string) []string {
	var out []string
	for _, t := range texts {
		if c, ok := n.read(beginning, t); ok && len(of(&c)) > 0 {
			out = append(out, of(&c)...)
			continue
		}
		out = append(out, plainComponent(t))
	}
	return sortedSet(out)
}

// tables returns the names of tables without schemas, sorted. A wildcard table, such as events_*, keeps its star.
func (n componentReader) tables(texts []string) []string {
	var out []string
	for _, t := range texts {
		if name, wildcard := strings.CutSuffix(strings.Trim(t, "` "), "*"); wildcard {
			out = append(out, plainComponent(name[strings.LastIndexByte(name, '.')+1:])+"*")
			continue
		}
		out = append(out,
			n.expressions("select 1 from ", []string{t}, func(c *sqlparts.Components) []string { return c.Tables })...)
	}
	return sortedSet(out)
}

func (n componentReader) conditions(texts []string) []sqlparts.Condition {
	var out []sqlparts.Condition
	for _, t := range texts {
		if c, ok := n.read("select 1 where ", t); ok && len(c.Where) > 0 {
			out = append(out, c.Where...)
			continue
		}
		out = append(out, sqlparts.Condition{Column: plainComponent(t)})
	}
	return out
}

func plainComponent(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

func sortedSet(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}
