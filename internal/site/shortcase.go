package site

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/printable"
)

// shortCase is the content of the shortened page of a case below its heading, already formatted: in thousands of pages,
// function calls in a template take longer than writing the output.
type shortCase struct {
	Latency   string
	Columns   []shortColumn
	Counts    string
	Relations []shortRelation
	Queries   []shortQuery
	Scores    []shortScore
}

// phrase is text from data: either Plain, or display pieces if some characters need a symbol.
type phrase struct {
	Plain  string
	Pieces []caseview.Piece
}

func phraseOf(s string) phrase { return phraseIn(caseview.Pieces(s)) }

func phraseIn(pieces []caseview.Piece) phrase {
	if len(pieces) == 1 && pieces[0].Symbol == "" {
		return phrase{Plain: pieces[0].Text}
	}
	return phrase{Pieces: pieces}
}

// shortColumn is a pair of columns, or an unpaired column, of gold and the answer.
type shortColumn struct {
	Name, Agent         phrase // zero if the side lacks the column
	Type, AgentType     string
	State               caseview.State
	How                 phrase
	Equal               string
	OnlyGold, OnlyAgent bool
}

type shortRelation struct {
	*relationPart
	Sentence phrase
	Said     string
	Gold     phrase // the part of the gold query that causes the difference
	Pred     phrase
	HasGold  bool
	HasPred  bool
	Facts    []phrase
	Rows     string
}

type shortQuery struct {
	Name   string
	Groups []shortGroup
}

// shortGroup is an sqlGroup that is already formatted.
type shortGroup struct {
	In    caseview.Side
	Plain string
	Lines [][]caseview.Piece // set instead of Plain if characters need a symbol
}

type shortScore struct {
	Metric, Value, Verdict string
	Reason                 phrase
}

// briefly returns the content of the shortened page.
func (c *onecase) briefly() *shortCase {
	v := c.View
	out := &shortCase{Latency: took(v.LatencyMS)}
	if v.GoldMS != nil {
		out.Latency += " (accepted query " + took(v.GoldMS) + ")"
	}
	if v.Mapping != nil {
		out.columns(v.Mapping)
	}
	if v.Cells != nil {
		out.Counts = countsText(&v.Cells.Rows)
	}
	for i := range c.Relations {
		out.Relations = append(out.Relations, newShortRelation(&c.Relations[i]))
	}
	for i := range c.Queries {
		q := shortQuery{Name: c.Queries[i].Name}
		if c.Queries[i].Text != "" {
			for _, g := range c.Queries[i].Groups {
				q.Groups = append(q.Groups, newShortGroup(g))
			}
		}
		out.Queries = append(out.Queries, q)
	}
	for _, g := range c.Metrics {
		for i := range g.Scores {
			s := &g.Scores[i]
			score := shortScore{Metric: s.Display, Value: s.Label, Verdict: s.Verdict(), Reason: phraseOf(s.Reason)}
			if score.Value == "" {
				score.Value = figure(s.Value)
			}
			out.Scores = append(out.Scores, score)
		}
	}
	return out
}

func (s *shortCase) columns(m *caseview.Mapping) {
	for i := range m.Columns {
		c := &m.Columns[i]
		line := shortColumn{Name: phraseIn(columnName(c.Name)), Type: c.Type, State: columnState(*c), How: phraseOf(c.How)}
		if c.Key {
			line.Type += ", key"
		}
		if c.Masked {
			line.Type += ", masked"
		}
		if line.OnlyGold = c.Agent == nil; !line.OnlyGold {
			line.Agent, line.AgentType, line.Equal = phraseIn(columnName(c.Agent.Name)), c.Agent.Type,
				count(c.Equal)+" of "+count(c.Of)
		}
		s.Columns = append(s.Columns, line)
	}
	for i := range m.Extra {
		c := &m.Extra[i]
		line := shortColumn{Agent: phraseIn(columnName(c.Name)), AgentType: c.Type, State: caseview.OnlyAgent,
			OnlyAgent: true}
		if c.Trivial {
			line.How = phrase{Plain: "carries nothing"}
		}
		s.Columns = append(s.Columns, line)
	}
}

// countsText returns a sentence with the numbers of rows that agree, differ, are missing or are extra.
func countsText(r *caseview.RowCounts) string {
	text := count(r.Gold) + " in gold, " + count(r.Agent) + " in the answer: " + count(r.Equal) + " " +
		printable.Verb(r.Equal, "agrees", "agree")
	for _, part := range []struct {
		n    int
		text string
	}{{r.Differing, printable.Verb(r.Differing, "differs", "differ")}, {r.Missing, "missing"}, {r.Extra, "too many"}} {
		if part.n > 0 {
			text += ", " + count(part.n) + " " + part.text
		}
	}
	return text + "."
}

func newShortRelation(r *relationPart) shortRelation {
	out := shortRelation{relationPart: r, Sentence: phraseOf(r.Text)}
	if r.Meaning != r.Text {
		out.Said = r.Meaning + " "
	}
	out.Said += r.People.Text(share(r.People.Chance), "")
	if p := r.Proof; p != nil {
		out.Said += " " + things(p.GoldRows, "row") + " in gold, " + count(p.PredRows) + " in the answer"
		if p.OnlyGold > 0 {
			out.Said += "; " + count(p.OnlyGold) + " only in gold"
		}
		if p.OnlyPred > 0 {
			out.Said += "; " + count(p.OnlyPred) + " only in the answer"
		}
		if p.Factor != 0 {
			out.Said += "; factor " + fmt.Sprint(p.Factor)
		}
		out.Gold, out.Pred, out.HasGold, out.HasPred = phraseOf(p.Gold), phraseOf(p.Pred), p.Gold != "", p.Pred != ""
		for _, f := range p.Facts {
			out.Facts = append(out.Facts, phraseOf(f))
		}
	}
	for i, n := range r.HeldRelation.Rows {
		if i > 0 {
			out.Rows += ", "
		}
		out.Rows += strconv.Itoa(n)
	}
	return out
}

func newShortGroup(g sqlGroup) shortGroup {
	text := g.Plain()
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return shortGroup{In: g.In, Lines: textLines(text)}
		}
	}
	return shortGroup{In: g.In, Plain: text}
}

// readyRow is the row of a list in a static report, already formatted.
type readyRow struct {
	Relation, Question, Reason, Tags phrase
	People, Latency                  string
}

func newReadyRow(r *caseRow) *readyRow {
	or := func(s string) string { return cmp.Or(s, dash) }
	tags := make([]string, 0, len(r.Tags)+2)
	tags = append(tags, r.Tags...)
	if r.TagsErr != nil {
		tags = append(tags, r.TagsErr.Error())
	}
	if r.Database != "" {
		tags = append(tags, r.Database)
	}
	return &readyRow{
		Relation: phraseOf(or(r.Relation)), Question: phraseOf(or(r.Question)), Reason: phraseOf(or(r.Reason)),
		Tags: phraseOf(strings.Join(tags, " ")), People: or(r.People), Latency: or(r.Latency),
	}
}
