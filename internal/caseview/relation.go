package caseview

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/policy"
	"github.com/badger-eval/badger/scoring/relation"
)

// Relations are the relations between the two results, which explain why they differ.
type Relations struct {
	Stored bool            `json:"stored"` // the relations are those of the score; false: computed for this page
	Policy policy.Policy   `json:"policy"`
	Source string          `json:"labels"` // source of the human labels
	Holds  []HeldRelation  `json:"holds"`  // the best explanation first
	Tried  []TriedRelation `json:"tried,omitempty"`
}

// HeldRelation is a relation that holds, with the human labels of answers with this relation.
type HeldRelation struct {
	Name    string          `json:"name"`
	Family  string          `json:"family"`
	Class   relation.Class  `json:"class"`
	Text    string          `json:"text"`    // a sentence about these results
	Meaning string          `json:"meaning"` // a sentence about any results with this relation
	Proof   *relation.Proof `json:"proof,omitempty"`
	Rows    []int           `json:"rows,omitempty"` // numbers of some rows that prove it, from 1
	People  People          `json:"people"`
}

// People holds the human labels of answers with a relation.
type People struct {
	Cases    int     `json:"cases"` // number of labelled answers whose best explanation it was
	Accepted int     `json:"accepted"`
	Groups   int     `json:"databases"` // number of databases that they are about
	Chance   float64 `json:"chance"`    // probability that people accept such an answer, from labels and class
	Passes   bool    `json:"passes"`    // whether such an answer passes under the policy without a judge
}

// Text returns how many labeled answers with the relation people accepted, how likely they accept one, and whether a
// rule accepts it. chance is p.Chance as text; policy may be "".
func (p *People) Text(chance, policy string) string {
	text := "Among the labeled examples, no answer differs from gold in this way. An estimated " + chance +
		" of such answers are right."
	if p.Cases > 0 {
		text = fmt.Sprintf("People judged %s that %s from gold in this way, in %s, and accepted %d. "+
			"An estimated %s of such answers are right.", printable.Count(p.Cases, "example"),
			printable.Verb(p.Cases, "differs", "differ"), printable.Count(p.Groups, "database"), p.Accepted, chance)
	}
	by := ""
	if policy != "" {
		by = " of the policy " + policy
	}
	if p.Passes {
		return text + " The rules" + by + " accept this one without a judge."
	}
	return text + " The rules" + by + " leave this one to a judge."
}

// TriedRelation is a relation that was tested and does not hold.
type TriedRelation struct {
	Name    string `json:"name"`
	Family  string `json:"family"`
	Meaning string `json:"meaning"`
}

// kinds returns all relations, in their order.
var kinds = sync.OnceValue(relation.Kinds)

func kindNamed(name string) relation.Kind {
	all := kinds()
	if i := slices.IndexFunc(all, func(k relation.Kind) bool { return k.Name == name }); i >= 0 {
		return all[i]
	}
	return relation.Kind{Name: name}
}

// relations returns the relations in the score of the metric relation if they are about the shown gold answer;
// otherwise it computes them. It returns nil if it finds none.
func (b *builder) relations() *Relations {
	out := &Relations{Policy: policy.Answer, Source: "examples delivered with badger (docs/eval/verdict.md)"}
	table := policy.Default()
	var options struct {
		Policy policy.Policy `json:"policy"`
		Table  string        `json:"table"`
	}
	for _, raw := range []json.RawMessage{b.Config.Options["verdict"], b.Case.Options["verdict"]} {
		if len(raw) > 0 && json.Unmarshal(raw, &options) != nil {
			options.Table = "" // a metric has reported the error in it
		}
	}
	if options.Policy == policy.Logic {
		out.Policy = policy.Logic
	}
	if options.Table != "" {
		if t, err := policy.Parse([]byte(options.Table)); err == nil {
			table, out.Source = t, "a table of this deployment"
		}
	}
	var found []relation.Relation
	var detail struct {
		Relations []relation.Relation `json:"relations"`
	}
	stored := b.detail("relation", &detail) && len(detail.Relations) > 0
	if stored && len(b.Case.Golds) <= 1 { // without one the score alone says it
		found, out.Stored = detail.Relations, true
	} else {
		found = b.findRelations()
		if stored { // by whichever accepted answer counts for the metric relation
			names := func(a, b relation.Relation) bool { return a.Name == b.Name && a.Text == b.Text }
			if out.Stored = slices.EqualFunc(found, detail.Relations, names); !out.Stored {
				b.note("The score of the metric relation is by another accepted answer than the one that is shown.")
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	for _, r := range found {
		kind := kindNamed(r.Name)
		row := table.Row(out.Policy, r)
		h := HeldRelation{Name: r.Name, Family: r.Family, Class: r.Class, Text: r.Text, Meaning: kind.Meaning,
			Proof: &r.Proof, People: People{row.Cases, row.Accepted, row.Groups, row.Chance, row.Passes}}
		for _, i := range r.Proof.Rows {
			h.Rows = append(h.Rows, i+1)
		}
		if b.masked.active { // a sentence and a proof may quote constants of the queries
			h.Text = kind.Meaning
			h.Proof = &relation.Proof{GoldRows: r.Proof.GoldRows, PredRows: r.Proof.PredRows, OnlyGold: r.Proof.OnlyGold,
				OnlyPred: r.Proof.OnlyPred, GoldColumns: r.Proof.GoldColumns, PredColumns: r.Proof.PredColumns}
		}
		out.Holds = append(out.Holds, h)
	}
	if b.compared != nil {
		out.Tried = tried(found, b.compared.Counts.Score == 1)
	}
	return out
}

// findRelations computes the relations between the answer and the shown gold answer: from results, else from queries.
func (b *builder) findRelations() []relation.Relation {
	if b.gold == nil {
		return nil
	}
	in := relation.Input{Question: b.Case.Question, Evidence: b.Case.Evidence, Dialect: b.Case.Dialect,
		Schema: b.Case.Schema}
	in.GoldSQL, _ = b.Case.WrittenSQL(b.gold)
	in.PredSQL, _ = b.Case.WrittenSQL(&b.Case.Pred)
	switch c := b.compared; {
	case c != nil:
		in.Gold, in.Pred, in.Alignment, in.Counts = c.Gold, c.Agent, c.Alignment, &c.Counts
		return relation.Find(in)
	case in.GoldSQL != "" && in.PredSQL != "":
		return relation.Queries(in)
	}
	return nil
}

// tried returns the relations that were tested and do not hold. same selects those for results with the same data.
func tried(found []relation.Relation, same bool) (out []TriedRelation) {
	for _, k := range kinds() {
		always := k.Family == "headers" || k.Family == "order"
		if !always && same != (k.Family == "same data") ||
			slices.ContainsFunc(found, func(r relation.Relation) bool { return r.Name == k.Name }) {
			continue
		}
		out = append(out, TriedRelation{k.Name, k.Family, k.Meaning})
	}
	return out
}

// detail decodes the detail of a metric's score into a value, and reports whether there was a valid one.
func (b *builder) detail(metric string, into any) bool {
	s := b.score(metric)
	if s == nil || s.Status != scoring.StatusOK && s.Status != scoring.StatusAbstained {
		return false
	}
	raw, ok := s.Detail.(json.RawMessage)
	if !ok && s.Detail != nil {
		raw, _ = json.Marshal(s.Detail)
	}
	return len(raw) > 0 && json.Unmarshal(raw, into) == nil
}

func (b *builder) score(metric string) *scoring.Score {
	if i := slices.IndexFunc(b.Scores, func(s scoring.Score) bool { return s.Metric == metric }); i >= 0 {
		return &b.Scores[i]
	}
	return nil
}
