package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Golds counts the gold queries whose results do not only depend on the data, and lists the parts that cause this. It
// needs no scores, so that it can be computed before a run.
type Golds struct {
	Read      int              `json:"read"`      // number of distinct gold queries examined
	Depending int              `json:"depending"` // gold queries of Read with a dependence
	Kinds     []GoldKind       `json:"kinds"`
	Depends   []GoldDependence `json:"depends"`           // ordered by kind, then case
	NoGold    []string         `json:"no_gold,omitempty"` // cases without an accepted answer
	Leaked    []string         `json:"leaked,omitempty"`  // cases whose accepted query is in a passage that an agent retrieved
	Notes     []string         `json:"notes,omitempty"`

	seen map[string]bool
}

// GoldKind counts the gold queries that depend on one kind of thing.
type GoldKind struct {
	On    sqlparts.DependsOn `json:"on"`
	Golds int                `json:"golds"`
}

// GoldDependence is a part of a gold query by which its result depends on more than the data.
type GoldDependence struct {
	CaseID   string             `json:"case_id"`
	Gold     int                `json:"gold,omitempty"` // number of the gold query, from 1, if there are several
	On       sqlparts.DependsOn `json:"on"`
	Line     int                `json:"line"`   // from 1
	Column   int                `json:"column"` // from 1, in characters
	Part     string             `json:"part"`   // the text of the part, shortened
	Sentence string             `json:"sentence"`
}

// goldKinds is the order of reports: first the kinds that make any comparison of results doubtful.
var goldKinds = []sqlparts.DependsOn{
	sqlparts.OnChance, sqlparts.OnClock, sqlparts.OnModel, sqlparts.OnSession, sqlparts.OnHistory, sqlparts.OnOrder,
	sqlparts.OnTies,
}

// NewGolds returns an empty result.
func NewGolds() *Golds {
	return &Golds{Kinds: []GoldKind{}, Depends: []GoldDependence{}, seen: map[string]bool{}}
}

// Unread adds a note about a case that cannot be read.
func (g *Golds) Unread(place string, why error) {
	g.Notes = append(g.Notes, fmt.Sprintf("%s: the gold query was not read: %v", place, why))
}

// Add examines the gold queries of a case. Queries that were added before for the same case are skipped, so that
// answers of several agents may be added.
func (g *Golds) Add(c *scoring.Case) {
	if !Covered(c) {
		g.once("no gold", c.ID, &g.NoGold)
	}
	if Leaked(c) {
		g.once("leaked", c.ID, &g.Leaked)
	}
	for i := range c.Golds {
		key := c.ID + "\x00" + c.Golds[i].SQL
		if c.Golds[i].SQL == "" || g.seen[key] {
			continue
		}
		g.seen[key] = true
		g.Read++
		d := sqlparts.DialectOf(c.Dialect)
		sql, _ := c.WrittenSQL(&c.Golds[i])
		script := sqlparts.Parse(sql, d)
		found := script.Dependences(sqlparts.ReadSchema(c.Schema, d))
		if t := c.Golds[i].Result.Table; t != nil {
			found = slices.DeleteFunc(found, func(d sqlparts.Dependence) bool { return script.Unreached(d, t.Rows()) })
		}
		if len(found) > 0 {
			g.Depending++
		}
		kinds := map[sqlparts.DependsOn]bool{}
		for _, f := range found {
			line, column := script.Position(f)
			one := GoldDependence{CaseID: c.ID, On: f.On, Line: line, Column: column, Part: f.What, Sentence: f.Sentence()}
			if len(c.Golds) > 1 {
				one.Gold = i + 1
			}
			g.Depends = append(g.Depends, one)
			kinds[f.On] = true
		}
		for _, k := range goldKinds {
			if kinds[k] {
				g.count(k)
			}
		}
	}
}

// Covered reports whether a case says what a right answer is: a query, a result, calls, or to decline.
func Covered(c *scoring.Case) bool {
	behaviour := c.Expected.Behaviour
	return behaviour != "" && behaviour != scoring.BehaviourAnswer || c.Expected.Tools != nil ||
		slices.ContainsFunc(c.Golds, func(q scoring.Query) bool {
			return strings.TrimSpace(q.SQL) != "" || !q.Result.Absent()
		})
}

// once appends the ID of a case to a list that lacks it.
func (g *Golds) once(list, id string, to *[]string) {
	if key := list + "\x00" + id + "\x00"; !g.seen[key] {
		g.seen[key] = true
		*to = append(*to, id)
	}
}

// Sort sorts Depends in the order of reports, and the IDs of cases.
func (g *Golds) Sort() {
	slices.SortFunc(g.NoGold, printable.CompareNatural)
	slices.SortFunc(g.Leaked, printable.CompareNatural)
	slices.SortFunc(g.Depends, func(a, b GoldDependence) int {
		return cmp.Or(slices.Index(goldKinds, a.On)-slices.Index(goldKinds, b.On),
			printable.CompareNatural(a.CaseID, b.CaseID), cmp.Compare(a.Gold, b.Gold), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column))
	})
}

func (g *Golds) count(on sqlparts.DependsOn) {
	for i := range g.Kinds {
		if g.Kinds[i].On == on {
			g.Kinds[i].Golds++
			return
		}
	}
	g.Kinds = append(g.Kinds, GoldKind{on, 1})
	slices.SortFunc(g.Kinds, func(a, b GoldKind) int {
		return slices.Index(goldKinds, a.On) - slices.Index(goldKinds, b.On)
	})
}
