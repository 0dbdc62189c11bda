package relation

import (
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

var approximateKinds = []Kind{
	{
		Name: "approximate", Class: Defensible, find: approximate, WrittenFrom: "ghevents",
		Meaning: "All other columns agree, and each measure that does not is an approximate aggregate in one query and the exact one in the other, no further from it than such aggregates are.", Example: "APPROX_COUNT_DISTINCT(x) = 34138551; COUNT(DISTINCT x) = 34099240",
	},
}

// approximateFunctions maps the aggregates that engines document as approximate to the aggregate that they
// approximate.
var approximateFunctions = map[string]string{
	"approx_count_distinct": "distinct", "approx_distinct": "distinct", "approx_count_dist": "distinct",
	"approximate_count_distinct": "distinct", "hll": "distinct", "hll_count.extract": "distinct", "uniq": "distinct",
	"uniqcombined": "distinct", "uniqcombined64": "distinct", "uniqhll12": "distinct",
	"uniqthetasketch": "distinct", "ndv": "distinct", "hll_estimate": "distinct", "hll_cardinality": "distinct",
	"approx_quantile": "quantile", "approx_quantiles": "quantile", "approx_percentile": "quantile",
	"percentile_approx": "quantile", "approximate_percentile_disc": "quantile", "quantile_tdigest": "quantile",
	"quantiletdigest": "quantile", "quantile": "quantile", "quantiles": "quantile", "approx_median": "quantile",
	"approx_top_k": "quantile",
}

// exactQuantiles are the aggregates that give quantiles exactly.
var exactQuantiles = wordSet(
	"median percentile_cont percentile_disc percentile quantile_cont quantile_disc quantileexact quantileexactinclusive")

// maxApproximation is the largest relative error that counts as that of an approximate aggregate.
// The standard error of counts of distinct values is documented as 0.8 % (Redshift), 1 % (BigQuery),
// 1.6 % (Snowflake), 2.3 % (Trino) and 5 % (Spark) by default; it is the largest of these.
const maxApproximation = 0.05

// weakFacts are the relations of two queries that report only that the queries aggregate differently, or that limit
// one row.
var weakFacts = wordSet("count_distinct aggregate_differs select_differs limits_differ same_query ratio_differs")

// approximate finds measures that one query estimates approximately and the other computes exactly.
func approximate(e *evidence) *found {
	pairs, ok := e.measurePairs()
	if !ok || len(pairs) == 0 || !e.queries().both() {
		return nil
	}
	near := func(g, p float64) bool {
		return math.Abs(g-p) <= maxApproximation*math.Max(math.Abs(g), math.Abs(p))
	}
	for i := range pairs {
		m := &pairs[i]
		if holds, _ := m.every(near); !holds || !e.approximates(m) {
			return nil
		}
	}
	if !e.sameConditions() {
		return nil
	}
	for _, f := range []family{{"conditions", conditionKinds}, {"clauses", clauseKinds}} {
		for _, r := range e.look(nil, f) {
			if !weakFacts[r.Name] {
				return nil // the queries differ in something else that may be why
			}
		}
	}
	return e.measureFound(pairs, "gold's but for the error of an approximate aggregate")
}

// approximates reports whether the column of one query is an approximate aggregate and that of the
// other what it approximates, exactly or not.
func (e *evidence) approximates(m *measurePair) bool {
	g := e.queries().gold.item(m.gold, len(e.gold.Columns))
	p := e.queries().pred.item(m.pred, len(e.pred.Columns))
	if g == nil || p == nil {
		return false
	}
	gf, pf := estimates(g, e.Dialect), estimates(p, e.Dialect)
	return gf.of != "" && gf.of == pf.of && (!gf.exact || !pf.exact) &&
		(gf.argument == "" || pf.argument == "" || gf.argument == pf.argument) &&
		(gf.at == nil || pf.at == nil || gf.at.Cmp(pf.at) == 0)
}

// sameConditions reports whether both queries keep the same rows: their conditions are the same, one by
// one, on columns of the same tables as far as that is known, whatever aliases name them.
func (e *evidence) sameConditions() bool {
	of := func(q *query, b *sqlparts.Bound) map[string]string {
		tables := map[string]string{}
		for _, c := range q.conditions {
			if !c.Joins {
				tables[c.text] = tablesOf(c.Expr, b)
			}
		}
		return tables
	}
	g, p := e.bound()
	gold, pred := of(e.queries().gold, g), of(e.queries().pred, p)
	for text, tables := range gold {
		if other, has := pred[text]; !has || tables != "" && other != "" && tables != other {
			return false
		}
	}
	return len(gold) == len(pred)
}

// tablesOf are the tables of the columns of a condition, sorted; empty if one is of a table that is not
// certain, or of none.
func tablesOf(x sqlparts.Expr, b *sqlparts.Bound) string {
	var tables []string
	sure := true
	sqlparts.Walk(x, func(n sqlparts.Node) bool {
		switch n := n.(type) {
		case *sqlparts.Query:
			return false
		case *sqlparts.Column:
			ms, doubt := b.Means(n)
			if doubt != sqlparts.Sure || ms[0].Kind != sqlparts.BaseColumn {
				sure = false
				return false
			}
			tables = append(tables, strings.ToLower(b.Reads(ms[0].Source).Table.Name.Last().Text))
		}
		return true
	})
	if !sure {
		return ""
	}
	slices.Sort(tables)
	return strings.Join(tables, " ")
}

type estimate struct {
	of       string // distinct or quantile
	exact    bool
	argument string
	at       *big.Rat // of a quantile: which; nil: not known
}

// estimates returns the aggregate that an expression estimates. It returns the zero value if the expression
// computes with the estimate.
func estimates(x sqlparts.Expr, dialect string) (out estimate) {
	call, ok := x.(*sqlparts.Call)
	if !ok || call.Over != nil {
		return out
	}
	name := strings.ToLower(call.Name.Last().Text)
	if len(call.Args) > 0 {
		out.argument = bareColumn(sqlparts.Normalized(call.Args[0]))
	}
	switch of := approximateFunctions[name]; {
	case name == "count" && call.Distinct:
		out.of, out.exact = "distinct", true
	case exactQuantiles[name] || name == "quantile" && dialect != "clickhouse":
		out.of, out.exact = "quantile", true
	case of != "":
		out.of = of
	}
	if out.of == "quantile" {
		out.at = quantileOf(name, call.Args)
	}
	if out.of == "quantile" && strings.HasPrefix(name, "percentile") && name != "percentile_approx" &&
		name != "percentile" {
		out.argument = "" // it is after WITHIN GROUP
	}
	return out
}

// quantileOf is which quantile a call gives: the only number between 0 and 1 among its arguments, and
// half of all for a median.
func quantileOf(name string, args []sqlparts.Expr) *big.Rat {
	if strings.Contains(name, "median") {
		return big.NewRat(1, 2)
	}
	var at *big.Rat
	for _, a := range args {
		l := literalOf(a)
		if l == nil || l.Kind != sqlparts.Number {
			continue
		}
		if r, ok := new(big.Rat).SetString(l.Text); ok && r.Sign() >= 0 && r.Cmp(big.NewRat(1, 1)) <= 0 && at == nil {
			at = r
		}
	}
	return at
}
