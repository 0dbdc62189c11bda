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
		Name: "approximate", Display: "Approximate aggregate", Group: Counting,
		Class: Defensible, find: approximate, WrittenFrom: "ghevents",
		Meaning: "All other columns agree, and each measure that does not is an approximate aggregate in one query and the exact one in the other, and differs from it by no more than such aggregates usually err.", Example: "APPROX_COUNT_DISTINCT(x) = 34138551; COUNT(DISTINCT x) = 34099240",
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

// exactQuantiles are the functions that compute quantiles exactly; quantile is also one, except in ClickHouse.
var exactQuantiles = wordSet(
	"median percentile_cont percentile_disc percentile quantile_cont quantile_disc quantileexact quantileexactinclusive")

// maxApproximation is the largest relative difference, 5 %, that an approximate aggregate explains. The documented
// standard error of approximate distinct counts is 0.8 % (Redshift), 1 % (BigQuery), 1.6 % (Snowflake), 2.3 % (Trino)
// and 5 % (Spark) by default.
const maxApproximation = 0.05

// weakFacts are relations between two queries that do not rule out an approximate aggregate as the cause: the queries
// aggregate, select or divide differently, or have different limits.
var weakFacts = wordSet("count_distinct aggregate_differs select_differs limits_differ same_query ratio_differs")

// approximate returns a finding if every measure that differs is an approximate aggregate in at least one query and the
// results are within maxApproximation; nil if not, or if the queries also differ in other ways.
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

// approximates reports whether both queries compute the same aggregate of the same argument for a pair of columns, and
// at least one of them approximately.
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

// sameConditions reports whether both queries have the same conditions, ignoring join conditions and table aliases.
// Columns in the same condition must belong to the same tables if both are known.
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

// tablesOf returns the sorted names of the tables whose columns a condition reads, separated by spaces; "" if it reads
// no column, or one that is not certainly a base table's.
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
	at       *big.Rat // which quantile, between 0 and 1; nil if unknown
}

// estimates returns the distinct count or quantile that the expression x is. It returns an estimate with an empty field
// of if x is not one call of such a function, for example if it computes with the result.
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

// quantileOf returns the quantile that a call computes: 1/2 for a median, else the first literal between 0 and 1 among
// its arguments; nil if it has none.
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
