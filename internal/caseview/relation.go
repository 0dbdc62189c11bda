package caseview

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/policy"
	"github.com/badger-eval/badger/scoring/relation"
)

// Relations say why the two results differ.
type Relations struct {
	Stored bool            `json:"stored"` // the relation is stored with the score; false: computed for this page
	Policy policy.Policy   `json:"policy"`
	Source string          `json:"labels"` // where the labels come from
	Holds  []HeldRelation  `json:"holds"`  // what explains most first
	Tried  []TriedRelation `json:"tried,omitempty"`
}

// HeldRelation is a relation that holds, and whether people accept it.
type HeldRelation struct {
	Name    string          `json:"name"`
	Family  string          `json:"family"`
	Class   relation.Class  `json:"class"`
	Text    string          `json:"text"`    // about these results, in one sentence
	Meaning string          `json:"meaning"` // about any results
	Proof   *relation.Proof `json:"proof,omitempty"`
	Rows    []int           `json:"rows,omitempty"` // some of the rows it is about, from 1
	People  People          `json:"people"`
}

// People holds the human labels of answers with a relation.
type People struct {
	Cases    int     `json:"cases"` // labelled answers whose first relation it was
	Accepted int     `json:"accepted"`
	Groups   int     `json:"databases"` // that they came from
	Chance   float64 `json:"chance"`    // 0 to 1: that people accept such an answer, by the labels and the class
	Passes   bool    `json:"passes"`    // whether evidence alone passes such an answer under the policy
}

// TriedRelation is a relation that was searched for and does not hold.
type TriedRelation struct {
	Name    string `json:"name"`
	Family  string `json:"family"`
	Meaning string `json:"meaning"`
}

// kinds are all relations, in their order.
var kinds = sync.OnceValue(relation.Kinds)

func kindNamed(name string) relation.Kind {
	all := kinds()
	if i := slices.IndexFunc(all, func(k relation.Kind) bool { return k.Name == name }); i >= 0 {
		return all[i]
	}
	return relation.Kind{Name: name}
}

// relations reads what the score relation or verdict says, and finds it out if neither does.
func (b *builder) relations() *Relations {
	out := &Relations{Policy: policy.Answer, Source: "the delivered table of labels (docs/eval/verdict.md)"}
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

// findRelations says which relations hold between the answer and the accepted answer that is shown.
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

// tried are the relations that were searched for and do not hold: of results with the same data other
// ones than of results that differ.
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

// detail decodes the detail of a score, if there is one.
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
