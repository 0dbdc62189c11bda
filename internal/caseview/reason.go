package caseview

import (
	"fmt"
	"math"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/scoring/relation"
)

// reason returns the strongest reason why the answer differs from gold, a failure if its query failed, or nil without
// relations.
func (b *builder) reason() *relation.Reason {
	if text := b.Case.Pred.Error; text != "" {
		if b.masked.active {
			text = ""
		}
		return relation.NewFailure(text)
	}
	if b.view.Relations == nil {
		return nil
	}
	h := &b.view.Relations.Holds[0]
	r := relation.Relation{Name: h.Name, Class: h.Class, Text: h.Text, Proof: *h.Proof}
	if b.tables == nil {
		return relation.NewReason(&r, nil, nil)
	}
	t := b.tables
	out := relation.NewReason(&r, t.names(t.Comparison.Gold), t.names(t.Comparison.Agent))
	out.Sizes = t.sizes()
	return out
}

// ReasonOf returns the reason of an answer from its stored scores, without sizes of differences. It returns nil without
// a value of the metric relation.
func ReasonOf(scores []scoring.Score) *relation.Reason {
	b := &builder{Input: Input{Scores: scores}}
	s := b.score("relation")
	if s == nil || s.Status != scoring.StatusOK {
		return nil
	}
	if s.Label == relation.QueryFailed {
		return relation.NewFailure("")
	}
	r := relation.Relation{Name: s.Label, Class: kindNamed(s.Label).Class, Text: s.Reason}
	var found struct {
		Relations []relation.Relation `json:"relations"`
	}
	if b.detail("relation", &found) && len(found.Relations) > 0 {
		r = found.Relations[0]
	}
	var h metric.Hybrid
	b.detail("hybrid_ex", &h)
	return relation.NewReason(&r, h.GoldColumns, h.PredColumns)
}

// plainReason returns the reason of a score for display. The stored reason of hybrid_ex gives the rows that agree as a
// share of those of both results; here it is of gold's. A latency is the one that is recorded with the answer.
func (b *builder) plainReason(s *scoring.Score) string {
	switch s.Metric {
	case "hybrid_ex", "result_match_category":
		var h metric.Hybrid
		if !b.detail("hybrid_ex", &h) {
			return s.Reason
		}
		c := &h.Counts
		all := max(c.GoldRows, c.Matched+c.Unmatched)
		rest, found := strings.CutPrefix(s.Reason, fmt.Sprintf("%d of %s %s", c.Equal, printable.Count(all, "row"),
			printable.Verb(c.Equal, "agrees", "agree")))
		if !found || all <= max(c.GoldRows, c.PredRows) {
			return s.Reason
		}
		return fmt.Sprintf("%d of gold's %s %s", c.Equal, printable.Count(c.GoldRows, "row"),
			printable.Verb(c.Equal, "agrees", "agree")) + rest
	case "latency_overhead":
		if b.gold == nil || s.Status != scoring.StatusOK || b.Case.Pred.Latency == nil || b.gold.Latency == nil {
			return s.Reason
		}
		return fmt.Sprintf("recorded time: %s ms for the answer, %s ms for gold's query",
			printable.Figure(*milliseconds(b.Case.Pred.Latency), 4), printable.Figure(*milliseconds(b.gold.Latency), 4))
	}
	return s.Reason
}

// sizes returns the size of the differences of each column that differs, in gold's order, without masked columns.
func (t *tables) sizes() (out []relation.Size) {
	names := t.names(t.Comparison.Gold)
	one := t.Comparison.Gold.Rows() == 1 && t.Comparison.Agent.Rows() == 1
	matched := t.Counts.Matched
	for i := range t.Comparison.Gold.Columns {
		k := t.Pair(i)
		switch {
		case t.maskedGold[i]:
		case one:
			if s := t.onlyRow(i, k); s != nil {
				s.Column = names[i]
				out = append(out, *s)
			}
		case k >= 0 && t.differs[k].Len() > 0:
			off := t.offBy(&t.Alignment.Columns[k], t.Counts.Pairs, t.differs[k])
			out = append(out, relation.Size{Column: names[i], Differ: t.differs[k].Len(), Of: matched, Range: off})
		}
	}
	return out
}

// onlyRow returns the difference in a column of two results with one row each, even if the rows were not matched; nil
// if equal. Single columns need no pair.
func (t *tables) onlyRow(column, pair int) *relation.Size {
	p := scoring.ColumnPair{Gold: column}
	switch {
	case pair >= 0:
		if p = t.Alignment.Columns[pair]; t.Counts.Matched == 1 && !t.differs[pair].Has(0) {
			return nil
		}
	case len(t.Comparison.Gold.Columns) != 1 || len(t.Comparison.Agent.Columns) != 1 || t.maskedAns[0]:
		return nil
	default:
		if gold, agent := &t.Comparison.Gold.Columns[0], &t.Comparison.Agent.Columns[0]; gold.Type.Numeric() &&
			agent.Type.Numeric() {
			p.Comparison = scoring.Comparison{Kind: scoring.KindNumber}
		}
	}
	gold, agent := t.Comparison.Gold.Columns[p.Gold].Value(0), t.Comparison.Agent.Columns[p.Pred].Value(0)
	if t.key(pair) || outrightEqual(gold, agent) {
		return nil
	}
	return &relation.Size{
		Differ: 1,
		Of:     1,
		Gold:   written(gold),
		Answer: written(agent),
		Range:  t.offBy(&p, []int32{0}, nil),
	}
}

func written(v scoring.Value) string {
	if v.IsNull() {
		return "NULL"
	}
	return v.String()
}

// offBy returns the range of the relative differences of a pair of columns over the matched rows in differ, or all if
// differ is nil. It returns nil unless all of them are nonzero differences of numbers relative to a nonzero gold value.
func (t *tables) offBy(p *scoring.ColumnPair, partner []int32, differ RowSet) *relation.Range {
	if p.Kind != scoring.KindNumber || identifies(t.Comparison.Gold.Columns[p.Gold].Name) {
		return nil
	}
	gold, agent := &t.Comparison.Gold.Columns[p.Gold], &t.Comparison.Agent.Columns[p.Pred]
	goldView, agentView := cell.Views(&p.Comparison, cell.FloatBits(t.Comparison.Gold, t.Comparison.Agent))
	g, a := make([]float64, gold.Len()), make([]float64, agent.Len())
	cell.Magnitudes(gold, goldView, g)
	cell.Magnitudes(agent, agentView, a)
	unit := cell.Pow10(p.Scale)
	var out *relation.Range
	for i, j := range partner {
		if j < 0 || differ != nil && !differ.Has(i) {
			continue
		}
		off := (a[j]*unit - g[i]) / math.Abs(g[i])
		switch {
		case off == 0 || math.IsNaN(off) || math.IsInf(off, 0):
			return nil
		case out == nil:
			out = &relation.Range{Low: off, High: off}
		}
		out.Low, out.High = min(out.Low, off), max(out.High, off)
	}
	return out
}
