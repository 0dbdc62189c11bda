package metric

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/scoring/sqltree"
)

func init() {
	const clauses = "Clauses are SELECT, DISTINCT, FROM, JOIN, outer join, WHERE, GROUP BY, HAVING, QUALIFY, ORDER BY, LIMIT, UNION, INTERSECT, EXCEPT, WITH, subquery, OVER and PIVOT, each once, anywhere in the query. " +
		"The agent's SQL without a query: 0."
	register(scoring.Metric{
		Name: "clause_similarity", Display: "Query structure alike",
		Version: 6, Group: "sql",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs:   scoring.FieldGoldSQL | scoring.FieldPredSQL,
		Summary: "How alike both queries are in structure: their syntax trees and the clauses they have.",
		Range:   "0 to 1",
		Formula: "w · tree + (1 − w) · clause_recall, where w is the option tree_weight. tree is the pq-gram similarity (p = 2, q = 1) of the two syntax trees in the " +
			"normal form of tree_match: 2 · |common grams| / (grams of gold + grams of pred). A gram is a node with its parent and one child. Trees that match have " +
			"1. " + clauses,
		Source:  "the deterministic part of baseline M2 in BADGER, section 6.2 (AST similarity and clause recall); pq-grams: Augsten, Böhlen, Gamper, VLDB 2005",
		Gaming:  "A query of gold's shape over other values is nearly alike: WHERE x = 1 for x = 2 loses one leaf of the tree. Read it with a metric of the results.",
		Example: "SELECT a FROM t WHERE x = 1 against the same: 1. Without the WHERE: both trees have fewer grams in common, and one of three clauses is missing.",
		Options: similarityDeclared.OptionSet,
		Score:   clauseSimilarity,
	})
	for i, m := range measures[:2] {
		register(scoring.Metric{
			Name: "clause_" + m.name, Version: 2, Group: "sql",
			Display: []string{"Gold's clauses found", "Clauses that gold has too"}[i],
			Branch:  scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
			Needs:   scoring.FieldGoldSQL | scoring.FieldPredSQL,
			Summary: fmt.Sprintf(m.summary, "kinds of clauses"),
			Range:   "0 to 1",
			Formula: m.formula + ", of the sets of clauses. " + clauses,
			Source:  "baseline M5 in BADGER, section 6.2, clause recall and precision",
			Gaming:  gaming["clause_"+m.name],
			Example: "gold SELECT … FROM … WHERE … ORDER BY, agent SELECT … FROM … ORDER BY … LIMIT: recall 3/4, precision 3/4.",
			Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
				if s, done := withoutQuery(in); done {
					return s, nil
				}
				n, missing, extra := clausesCompared(in)
				s := scoring.OK(m.of(n),
					fmt.Sprintf("clauses: %d in gold, %d in the agent's query, %d in both", n.gold, n.pred, n.both))
				s.Detail = componentDetail{n.gold, n.pred, n.both, missing, extra}
				s.Warnings = unread(in, goldSide, predSide)
				return s, nil
			},
		})
	}
}

type similarityOptions struct {
	TreeWeight float64 `json:"tree_weight"`
}

var similarityDeclared = scoring.DeclareOptions(similarityOptions{TreeWeight: 0.5}, nil,
	scoring.Option{Name: "tree_weight", Min: scoring.At(0), Max: scoring.At(1),
		Doc: "The weight w of the trees; the clauses have 1 − w."},
)

func clauseSimilarity(_ context.Context, in *scoring.Input) (scoring.Score, error) {
	o, err := similarityDeclared.Read(in)
	if err != nil {
		return scoring.Score{}, err
	}
	if s, done := withoutQuery(in); done {
		return s, nil
	}
	w := o.TreeWeight
	c := compareTrees(in, sqltree.Rules{})
	if !c.whole {
		return notWhole(), nil
	}
	n, missing, _ := clausesCompared(in)
	s := scoring.OK(w*c.similarity+(1-w)*n.recall(),
		"trees "+printable.Figure(c.similarity, 3)+", clauses "+printable.Figure(n.recall(), 3))
	if math.Abs(s.Value-1) < 1e-12 {
		s.Value = 1
	}
	s.Detail = struct {
		Tree    float64  `json:"tree"`
		Clauses float64  `json:"clause_recall"`
		Missing []string `json:"missing_clauses,omitempty"`
	}{c.similarity, n.recall(), missing}
	s.Warnings = unread(in, goldSide, predSide)
	return s, nil
}

// clausesCompared returns the numbers of kinds of clauses that each query has and that both have, and the kinds that
// only gold (missing) or only the agent's query (extra) has.
func clausesCompared(in *scoring.Input) (c setCounts, missing, extra []string) {
	return difference(clausesOf(script(in, goldSide).Final()), clausesOf(script(in, predSide).Final()))
}

// clausesOf returns the kinds of clauses that occur anywhere in a query, sorted.
func clausesOf(q *sqlparts.Query) []string {
	found := map[string]bool{}
	// the query itself, also in parentheses or as an operand of a set operation: these are not subqueries
	whole := map[sqlparts.Node]bool{q: true}
	has := func(name string, is bool) {
		if is {
			found[name] = true
		}
	}
	sqlparts.Walk(q, func(n sqlparts.Node) bool {
		switch n := n.(type) {
		case *sqlparts.Query:
			has("subquery", !whole[n])
			has("WITH", len(n.With) > 0)
			has("ORDER BY", len(n.OrderBy) > 0)
			has("LIMIT", n.Limit != nil)
			if inner, ok := n.Body.(*sqlparts.Query); ok {
				whole[inner] = true
			}
		case *sqlparts.SetOp:
			for _, o := range n.Ops {
				found[[]string{sqlparts.Union: "UNION", sqlparts.Intersect: "INTERSECT", sqlparts.Except: "EXCEPT"}[o.Kind]] = true
			}
			for _, t := range n.Terms {
				whole[t] = true
			}
		case *sqlparts.Select:
			has("SELECT", true)
			has("DISTINCT", n.Distinct || len(n.DistinctOn) > 0)
			has("FROM", len(n.From) > 0)
			has("WHERE", n.Where != nil)
			has("GROUP BY", n.Group != nil)
			has("HAVING", n.Having != nil)
			has("QUALIFY", n.Qualify != nil)
		case *sqlparts.Source:
			has("JOIN", n.Join != sqlparts.FirstSource)
			has("outer join", n.Join == sqlparts.LeftJoin || n.Join == sqlparts.RightJoin || n.Join == sqlparts.FullJoin)
			has("PIVOT", len(n.Pivots) > 0)
		case *sqlparts.Call:
			has("OVER", n.Over != nil)
		}
		return true
	})
	return slices.Sorted(maps.Keys(found))
}
