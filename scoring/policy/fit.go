package policy

import (
	"github.com/badger-eval/badger/scoring/relation"
)

// Labelled is a case that people judged.
type Labelled struct {
	Relation string // the first relation of the two results
	Class    relation.Class
	// the group of the case, such as its database; see [HeldOut]
	Group    string
	Accepted bool // people accepted the answer
	// the case was constructed, or selected because of its label. It is an example for or against a relation, but not
	// evidence of how often people accept it.
	Chosen bool

	Judge *bool // the judge's verdict; nil if no judge was asked. Fit ignores it
	Calls int   // number of judge calls for the verdict
	First *bool // the reply to the first of two judge calls; nil if there was none or only one
}

// prior is the expectation for a class without labels: the share that people accept is mean, with the weight of that
// many labeled cases.
type prior struct{ mean, weight float64 }

// priors are the priors of the classes. They are derived from the meaning of the classes, not from labels.
var priors = map[relation.Class]prior{
	relation.Equivalent:     {0.95, 4},
	relation.Presentational: {0.90, 4},
	relation.Defensible:     {0.75, 2},
	relation.Difference:     {0.25, 8},
}

func priorOf(_ Policy, c relation.Class) prior { return priors[c] }

// Fit returns the rows of one policy from labeled cases. The chance of a relation is a weighted mean of the
// expectation of its class and the share of accepted cases: with fewer cases, the class weighs more. The expectation
// is a weighted mean of the class's prior and the share of accepted cases of other relations in it. Every known
// relation gets a row.
func Fit(p Policy, cases []Labelled) []Row {
	byRelation, byClass := map[string]*Row{}, map[pool]*Row{}
	groups := map[string]map[string]bool{}
	for _, k := range relation.Kinds() {
		byRelation[k.Name] = &Row{Policy: p, Relation: k.Name, Class: k.Class}
	}
	byRelation[SameQuery] = &Row{Policy: p, Relation: SameQuery, Class: relation.Equivalent}
	byRelation[NoResults] = &Row{Policy: p, Relation: NoResults, Class: relation.Defensible}
	for _, c := range cases {
		r := byRelation[c.Relation]
		if r == nil {
			r = &Row{Policy: p, Relation: c.Relation, Class: c.Class}
			byRelation[c.Relation] = r
		}
		if c.Chosen {
			if c.Accepted {
				r.Shown++
			} else {
				r.Against++
			}
			continue
		}
		class := pool{c.Class, withoutResults(c.Relation)}
		if byClass[class] == nil {
			byClass[class] = &Row{}
		}
		if groups[c.Relation] == nil {
			groups[c.Relation] = map[string]bool{}
		}
		groups[c.Relation][c.Group] = true
		for _, r := range []*Row{r, byClass[class]} {
			r.Cases++
			if c.Accepted {
				r.Accepted++
			}
		}
	}
	rows := make([]Row, 0, len(byRelation))
	for name, r := range byRelation {
		believed := priorOf(p, r.Class)
		if class := byClass[pool{r.Class, withoutResults(name)}]; class != nil {
			others, accepted := float64(class.Cases-r.Cases), float64(class.Accepted-r.Accepted)
			believed.mean = (believed.mean*classWeight + accepted) / (classWeight + others)
		}
		r.Groups = len(groups[name])
		r.Chance = (believed.mean*believed.weight + float64(r.Accepted)) / (believed.weight + float64(r.Cases))
		r.Passes = r.passes(believed)
		rows = append(rows, *r)
	}
	sortRows(rows)
	return rows
}

// pool identifies the relations that are evidence for one another: those of the same class, either between results or
// between queries.
type pool struct {
	class   relation.Class
	queries bool
}

// classWeight is the number of labeled cases of a class that have the same weight as its prior.
const classWeight = 20

// Join returns a table with the rows of several policies.
func Join(policies ...[]Row) *Table {
	var rows []Row
	for _, p := range policies {
		rows = append(rows, p...)
	}
	sortRows(rows)
	return newTable(rows)
}
