package site

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/caseview"
)

// shortCase is the data of the short page of a case, except the heading, ready to print: for thousands of pages,
// looking up values and calling functions in a template takes longer than writing the output.
type shortCase struct {
	Latency   string
	Columns   []shortColumn
	Counts    string
	Caption   string
	Rows      []shortRow
	Relations []shortRelation
	Queries   []shortQuery
	Scores    []shortScore
}

// phrase is text from data. Most phrases are plain, and have no pieces.
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

// shortColumn is a line of the mapping.
type shortColumn struct {
	Name, Agent         phrase // without a name: there is none
	Type, AgentType     string
	State               caseview.State
	How                 phrase
	Equal               string
	OnlyGold, OnlyAgent bool
}

// shortRow is a row of the cells.
type shortRow struct {
	Kind  caseview.RowKind
	Head  string
	Cells []shortCell
}

// shortCell is a cell of one plain text, or without it one as whole pages show it.
type shortCell struct {
	Text   string
	Number bool
	Empty  bool // there is no such cell
	Null   bool
	Whole  *caseview.Cell
}

type shortRelation struct {
	*relationPart
	Sentence phrase
	Said     string
	Gold     phrase // the part of the accepted query that it is about
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

// shortGroup is a part of a query that one of the queries or both have.
type shortGroup struct {
	In    caseview.Side
	Plain string
	Lines [][]caseview.Piece // where it is not plain
}

type shortScore struct {
	Metric, Value, Verdict string
	Reason                 phrase
}

// briefly makes what a short page shows.
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
		out.cells(v.Cells, c.To)
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
			score := shortScore{Metric: s.Metric, Value: s.Label, Verdict: s.Verdict(), Reason: phraseOf(s.Reason)}
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

func (s *shortCase) cells(cells *caseview.Cells, to int) {
	r := &cells.Rows
	s.Counts = things(r.Gold, "row") + " in gold, " + count(r.Agent) + " in the answer: " + count(r.Matched) +
		" matched (" + count(r.Equal) + " agree, " + count(r.Differing) + " differ), " +
		count(r.Missing) + " missing, " + count(r.Extra) + " extra. Cells:"
	for _, n := range cells.Counts {
		if n.Cells > 0 {
			s.Counts += " " + n.State.Sign() + " " + n.State.Words() + " " + count(n.Cells) + ";"
		}
	}
	s.Caption = "Rows " + count(cells.From+1) + "–" + count(to) + " of " + count(cells.Total) +
		"; gold over the answer where they differ"
	for i := range cells.Page {
		row := &cells.Page[i]
		line := shortRow{Kind: row.Kind, Cells: make([]shortCell, len(row.Cells))}
		switch row.Kind {
		case caseview.MatchedRow:
			line.Head = count(row.GoldRow) + " ↔ " + count(row.AgentRow)
		case caseview.MissingRow:
			line.Head = "− missing " + count(row.GoldRow)
		default:
			line.Head = "+ extra " + count(row.AgentRow)
		}
		for k := range row.Cells {
			line.Cells[k] = newShortCell(row.Kind, &row.Cells[k])
		}
		s.Rows = append(s.Rows, line)
	}
}

// newShortCell returns a cell without a sign: both sides agree, or one side lacks the row.
func newShortCell(kind caseview.RowKind, c *caseview.Cell) shortCell {
	v := c.Gold
	if kind == caseview.ExtraRow {
		v = c.Agent
	}
	switch {
	case kind == caseview.MatchedRow && c.State != caseview.Equal:
	case v == nil:
		return shortCell{Empty: true}
	case v.Null:
		return shortCell{Null: true}
	case !v.Masked && v.Length == 0 && len(v.Pieces) == 1 && v.Pieces[0].Symbol == "":
		return shortCell{Text: v.Pieces[0].Text + padding(v.Pad), Number: v.Number}
	}
	return shortCell{Whole: c}
}

func newShortRelation(r *relationPart) shortRelation {
	out := shortRelation{relationPart: r, Sentence: phraseOf(r.Text)}
	if r.Meaning != r.Text {
		out.Said = r.Meaning + " "
	}
	if p := &r.People; p.Cases > 0 {
		out.Said += "People accepted " + count(p.Accepted) + " of " + count(p.Cases) + " such answers"
	} else {
		out.Said += "People have labelled no such answer"
	}
	out.Said += "; chance " + share(r.People.Chance) + "; "
	if !r.People.Passes {
		out.Said += "does not pass by evidence alone."
	} else {
		out.Said += "passes by evidence alone."
	}
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

// readyRow is the data of a row of a list in a static report, ready to print.
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
