package caseview

import (
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/cell"
	"github.com/badger-eval/badger/scoring/metric"
)

// Mapping describes which columns of both results correspond, where the mapping comes from, and how many cells of each
// pair are equal.
type Mapping struct {
	Source     string   `json:"source"`     // evidence, judge or given
	Confidence float64  `json:"confidence"` // 0 to 1
	Why        []string `json:"why,omitempty"`
	Method     string   `json:"method"` // how rows were matched: a method of package cell
	Keys       []string `json:"keys,omitempty"`

	Columns []MappedColumn `json:"columns"`         // gold's, in order
	Extra   []AgentColumn  `json:"extra,omitempty"` // columns of the answer that are not mapped

	Judge *MappingJudge `json:"judge,omitempty"` // if the mapping needs a judge call
}

// MappedColumn is a gold column with the answer's column that it is mapped to, if any.
type MappedColumn struct {
	Name     string       `json:"gold"`
	Position int          `json:"gold_position"`
	Type     string       `json:"gold_type"`
	Agent    *AgentColumn `json:"agent"` // nil: not mapped
	By       string       `json:"by,omitempty"`
	Kind     scoring.Kind `json:"kind,omitempty"`
	Fact     string       `json:"fact,omitempty"` // such as percent for fraction
	How      string       `json:"how,omitempty"`  // describes how cells are compared: kind, fact and bounds
	Key      bool         `json:"key,omitempty"`
	Masked   bool         `json:"masked,omitempty"`
	Equal    int          `json:"equal"`             // number of matched rows whose cells are equal under the mapping
	Of       int          `json:"of"`                // number of matched rows
	Share    *float64     `json:"share"`             // Equal/Of; null without matched rows
	Overlap  float64      `json:"overlap,omitempty"` // share of the values of both columns that also occur in the other
}

// AgentColumn is a column of the answer.
type AgentColumn struct {
	Name     string `json:"name"`
	Position int    `json:"position"`
	Type     string `json:"type"`
	Trivial  bool   `json:"trivial,omitempty"` // an extra column without information: a row number, a constant, a copy
}

// MappingJudge is the result of asking a judge which columns correspond.
type MappingJudge struct {
	Asked    bool     `json:"asked"` // false: no judge was configured
	Used     bool     `json:"used"`
	Unusable bool     `json:"unusable,omitempty"`
	Doubts   []string `json:"doubts,omitempty"`

	EvidenceScore float64  `json:"evidence_score"`
	JudgeScore    *float64 `json:"judge_score,omitempty"`

	Rejected []align.Rejection `json:"rejected,omitempty"`
}

// columnNames returns unique names of a result's columns: the names, with positions if a name is empty or not
// unique.
func columnNames(t *scoring.Table) []string {
	times := map[string]int{}
	for i := range t.Columns {
		times[t.Columns[i].Name]++
	}
	names := make([]string, len(t.Columns))
	for i := range t.Columns {
		switch name := t.Columns[i].Name; {
		case name == "":
			names[i] = "[" + strconv.Itoa(i+1) + "]"
		case times[name] > 1:
			names[i] = name + " [" + strconv.Itoa(i+1) + "]"
		default:
			names[i] = name
		}
	}
	return names
}

// names returns the display names of a result's columns. Masked values in them are replaced, since the name of a
// computed column may contain a constant.
func (t *tables) names(of *scoring.Table) []string {
	names := columnNames(of)
	for i := range names {
		names[i] = t.mask.text(names[i])
	}
	return names
}

func (t *tables) mapping(h *metric.Hybrid) *Mapping {
	a := t.Alignment
	m := &Mapping{Source: a.Source, Confidence: a.Confidence, Why: a.Why, Method: t.Counts.Method}
	golds, agents := t.names(t.Comparison.Gold), t.names(t.Comparison.Agent)
	agent := func(j int) *AgentColumn {
		return &AgentColumn{Name: agents[j], Position: j + 1, Type: t.Comparison.Agent.Columns[j].Type.String()}
	}
	for i := range t.Comparison.Gold.Columns {
		c := MappedColumn{Name: golds[i], Position: i + 1, Type: t.Comparison.Gold.Columns[i].Type.String(),
			Masked: t.maskedGold[i]}
		if k := t.Pair(i); k >= 0 {
			p := &a.Columns[k]
			c.Agent, c.By, c.Key, c.Overlap = agent(p.Pred), p.By, t.key(k), p.Overlap
			c.Kind, c.Fact, c.How = p.Kind, p.Fact, inWords(&p.Comparison)
			c.Of = t.Counts.Matched
			c.Equal = c.Of - t.differs[k].Len()
			if c.Of > 0 {
				share := float64(c.Equal) / float64(c.Of)
				c.Share = &share
			}
			if c.Key {
				m.Keys = append(m.Keys, c.Name)
			}
		}
		m.Columns = append(m.Columns, c)
	}
	trivial := map[int]bool{}
	for _, j := range a.Trivial {
		trivial[j] = true
	}
	for _, j := range a.Extra {
		x := agent(j)
		x.Trivial = trivial[j]
		m.Extra = append(m.Extra, *x)
	}
	if s := h.Stage1; s != nil {
		m.Judge = &MappingJudge{
			Asked: s.Asked, Used: s.Used, Unusable: s.Unusable, Doubts: s.Doubts, EvidenceScore: s.EvidenceScore,
			JudgeScore: s.JudgeScore, Rejected: s.Rejected,
		}
	}
	if t.mask.active { // replies of a judge, and sentences that may quote values
		if len(m.Why) > 0 {
			m.Why = []string{Withheld}
		}
		if m.Judge != nil {
			m.Judge.Doubts, m.Judge.Rejected = nil, nil
		}
	}
	return m
}

// inWords describes how the cells of two columns are compared, such as: number, up to 0.01 apart.
func inWords(c *scoring.Comparison) string {
	parts := []string{string(c.Kind)}
	if c.Kind == "" {
		parts = nil
	}
	if c.Fact != "" {
		parts = append(parts, c.Fact)
	}
	if c.Within > 0 {
		parts = append(parts, "up to "+printable.Figure(c.Within, 4)+" apart")
	}
	if c.Tolerance > 0 && c.Tolerance >= 1e-9 {
		parts = append(parts, "up to "+printable.Figure(100*c.Tolerance, 4)+" % apart")
	}
	if c.Verbatim {
		parts = append(parts, "letter case counts")
	}
	return strings.Join(parts, ", ")
}

// Matching returns a phrase for how rows were matched.
func (m *Mapping) Matching() string {
	switch m.Method {
	case cell.MethodIndex:
		return "rows are matched on " + strings.Join(m.Keys, ", ")
	case cell.MethodContent:
		return "rows are matched by their values"
	case cell.MethodRows:
		return "all rows agree"
	}
	return "a result has no rows"
}
