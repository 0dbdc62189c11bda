package caseview

import (
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/counterexample"
)

// Counterexample is a small database on which both queries return different results.
type Counterexample struct {
	Sentence    string       `json:"sentence"`
	Tries       int          `json:"tries"`    // number of databases that were tried
	Inferred    bool         `json:"inferred"` // tables and keys were inferred from the queries
	Tables      []SmallTable `json:"tables"`
	Results     []SmallTable `json:"results"`               // results of gold and then of the agent's query
	Constraints []string     `json:"constraints,omitempty"` // constraints of the schema, which the database satisfies
	Realistic   bool         `json:"realistic"`             // it satisfies the constraints inferred from the data
	Keeps       []string     `json:"keeps,omitempty"`       // inferred constraints that it satisfies
	Breaks      []string     `json:"breaks,omitempty"`      // inferred constraints that it violates
}

// SmallTable is a table of a few rows. Its cells are SQL literals.
type SmallTable struct {
	Name    string     `json:"name"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// counterexample returns the database that the metric counterexample found, or nil if it found none. It also returns
// nil if columns are masked, since the values come from queries, results and statistics.
func (b *builder) counterexample() *Counterexample {
	var found counterexample.Outcome
	if b.masked.active || !b.detail("counterexample", &found) || !found.Found || found.Gold == nil || found.Pred == nil {
		return nil
	}
	if s := b.score("counterexample"); s.Status == scoring.StatusOK && s.Gold > 0 && s.Gold != b.view.Gold {
		b.note("The counterexample is by another accepted answer than the one that is shown.")
	}
	out := &Counterexample{Sentence: found.Sentence, Tries: found.Tries, Inferred: found.Inferred,
		Constraints: found.Constraints, Realistic: found.Realistic, Keeps: found.Keeps, Breaks: found.Breaks}
	for _, t := range found.Tables {
		out.Tables = append(out.Tables, smallTable(t.Name, t.Columns, t.Rows))
	}
	out.Results = []SmallTable{smallTable("Gold gives", found.Gold.Columns, found.Gold.Rows),
		smallTable("The answer gives", found.Pred.Columns, found.Pred.Rows)}
	return out
}

func smallTable(name string, columns []string, rows [][]counterexample.Value) SmallTable {
	t := SmallTable{Name: name, Columns: columns, Rows: make([][]string, len(rows))}
	for i, row := range rows {
		for _, v := range row {
			t.Rows[i] = append(t.Rows[i], v.SQL())
		}
	}
	return t
}
