package relation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// noise is the relative difference that the order of adding doubles leaves behind; it is no difference of data.
const noise = 1e-9

// sameKinds are looked at where every gold cell has its equal in the answer under the alignment. The one that departs furthest comes first.
var sameKinds = []Kind{
	{
		Name: "both_empty", Class: Equivalent, find: bothEmpty,
		Meaning: "Neither result has a row.", Example: "no rows; no rows",
	},
	{
		Name: "tolerance", Class: Defensible, find: facts(isTolerance, "All rows agree, %s within a relative difference of %.2g", toleranceOf),
		Meaning: "All rows agree, a column only within the relative tolerance.", Example: "(1000.0); (1003.2)",
	},
	{
		Name: "rounding_asked", Class: Difference, find: roundingAsked,
		Meaning: "All rows agree once a column is rounded as the other side is, but the question says how to round.", Example: "(66.6667), where the question asks for four decimals; (67)",
	},
	{
		Name: "scaled", Class: Presentational, find: scaledColumns,
		Meaning: "All rows agree once a column is multiplied by a power of ten: percent for fraction, thousands, cents.", Example: "(0.125); (12.5)",
	},
	{
		Name: "rounded", Class: Presentational, find: facts(isRounded, "All rows agree, %s up to rounding, by at most %.4g", withinOf),
		Meaning: "All rows agree once a column is rounded as the other side is.", Example: "(66.6667); (67)",
	},
	{
		Name: "formatted", Class: Presentational, find: formattedColumns,
		Meaning: "All rows agree once text is read as the number, date or truth value that it stands for.", Example: "(1234.5); ('$1,234.50')",
	},
	{
		Name: "null_column_left_out", Class: Presentational, find: nullColumn,
		Meaning: "All rows agree; a gold column without any value is not there.", Example: "(1, NULL), (2, NULL); (1), (2)",
	},
	{
		Name: "reordered", Class: Presentational, find: reordered,
		Meaning: "The same rows; the gold query orders them and the answer has them in another order.", Example: "(1), (2) by ORDER BY; (2), (1)",
	},
	{
		Name: "extra_columns", Class: Presentational, find: extraColumns,
		Meaning: "All gold columns are there, row by row, and the answer shows more columns.", Example: "('north'); ('north', 12)",
	},
	{
		Name: "permuted", Class: Equivalent, find: permuted,
		Meaning: "The same rows with the columns in another order.", Example: "('north', 12); (12, 'north')",
	},
	{
		Name: "same", Class: Equivalent, find: same,
		Meaning: "The same rows equally often, whatever the columns are called.", Example: "(1), (2); (2), (1)",
	},
}

func bothEmpty(e *evidence) *found {
	if e.gold.Rows() > 0 || e.pred.Rows() > 0 {
		return nil
	}
	return &found{text: "Both results are empty."}
}

func isScaled(p *scoring.ColumnPair) bool  { return p.Scale != 0 }
func isRounded(p *scoring.ColumnPair) bool { return p.Within > 0 }
func isTolerance(p *scoring.ColumnPair) bool {
	return p.Tolerance > noise && p.Within == 0 // where it rounds too, the rounding says why
}
func toleranceOf(p *scoring.ColumnPair) float64 { return p.Tolerance }
func withinOf(p *scoring.ColumnPair) float64    { return p.Within }

// pairsThat are the positions of the aligned pairs of which something holds.
func (e *evidence) pairsThat(holds func(*scoring.ColumnPair) bool) []int {
	var out []int
	for k := range e.a.Columns {
		if holds(&e.a.Columns[k]) {
			out = append(out, k)
		}
	}
	return out
}

// facts makes a relation of what the alignment found about single columns.
func facts(holds func(*scoring.ColumnPair) bool, say string, size func(*scoring.ColumnPair) float64) func(*evidence) *found {
	return func(e *evidence) *found {
		pairs := e.pairsThat(holds)
		if len(pairs) == 0 || e.gold.Rows() == 0 {
			return nil
		}
		most := 0.0
		for _, k := range pairs {
			most = max(most, size(&e.a.Columns[k]))
		}
		return e.aboutPairs(pairs, fmt.Sprintf(say, named(e.gold, e.goldColumns(pairs)), most)+".")
	}
}

func (e *evidence) aboutPairs(pairs []int, text string) *found {
	r := &found{text: text, proof: Proof{GoldColumns: e.goldColumns(pairs), PredColumns: e.predColumns(pairs)}}
	for _, k := range pairs {
		if f := e.a.Columns[k].Fact; f != "" && !slices.Contains(r.proof.Facts, f) {
			r.proof.Facts = append(r.proof.Facts, f)
		}
	}
	return r
}

func scaledColumns(e *evidence) *found {
	pairs := e.pairsThat(isScaled)
	if len(pairs) == 0 || e.gold.Rows() == 0 {
		return nil
	}
	factor := cell.Pow10(e.a.Columns[pairs[0]].Scale)
	r := e.aboutPairs(pairs, fmt.Sprintf("All rows agree once %s of the answer %s multiplied by %g.", named(e.pred, e.predColumns(pairs)), verb(len(pairs), "is", "are"), factor))
	r.proof.Factor = factor
	return r
}

func formattedColumns(e *evidence) *found {
	pairs := e.pairsThat(func(p *scoring.ColumnPair) bool { return p.GoldFormat != "" || p.PredFormat != "" })
	if len(pairs) == 0 || e.gold.Rows() == 0 {
		return nil
	}
	var how []string
	for _, k := range pairs {
		c := &e.a.Columns[k]
		for _, f := range []string{c.GoldFormat, c.PredFormat} {
			if f != "" && !slices.Contains(how, f) {
				how = append(how, f)
			}
		}
	}
	r := e.aboutPairs(pairs, fmt.Sprintf("All rows agree once %s %s read alike on both sides: %s.", named(e.gold, e.goldColumns(pairs)), verb(len(pairs), "is", "are"), listed(how)))
	return r
}

// roundingWords are how a question says to round.
var roundingWords = []string{" decimal ", " decimals ", " round ", " rounded ", " rounding ", " digits ", " decimal places "}

func roundingAsked(e *evidence) *found {
	pairs := e.pairsThat(isRounded)
	asked := plain(e.Question + " " + e.Evidence)
	if len(pairs) == 0 || e.gold.Rows() == 0 || !slices.ContainsFunc(roundingWords, func(w string) bool { return strings.Contains(asked, w) }) {
		return nil
	}
	return e.aboutPairs(pairs, fmt.Sprintf("All rows agree but for the rounding of %s, and the question says how to round.", named(e.gold, e.goldColumns(pairs))))
}

func nullColumn(e *evidence) *found {
	if len(e.a.Missing) == 0 || e.gold.Rows() == 0 {
		return nil
	}
	return &found{
		text:  fmt.Sprintf("All rows agree; the answer leaves out %s, which %s no value in gold.", named(e.gold, e.a.Missing), verb(len(e.a.Missing), "has", "have")),
		proof: Proof{GoldColumns: e.a.Missing},
	}
}

func reordered(e *evidence) *found {
	kept := e.OrderKept
	if e.gold.Rows() < 2 || kept != nil && *kept {
		return nil
	}
	q := e.queries()
	if q.both() && len(q.gold.order) > 0 && slices.Equal(q.gold.order, q.pred.order) {
		return nil // by the same keys: rows that tie changed places
	}
	if kept == nil {
		if q.gold == nil || !q.gold.query.Ordered() {
			return nil
		}
		k := cell.OrderKept(e.gold, e.pred, e.a)
		kept = &k
	}
	if *kept {
		return nil
	}
	return &found{text: "The same rows, in another order than the gold query asks for."}
}

func extraColumns(e *evidence) *found {
	if len(e.a.Extra) == 0 || e.gold.Rows() == 0 {
		return nil
	}
	r := &found{
		text:  fmt.Sprintf("All columns of gold are there, row by row; the answer also shows %s.", named(e.pred, e.a.Extra)),
		proof: Proof{PredColumns: e.a.Extra},
	}
	if len(e.a.Trivial) == len(e.a.Extra) {
		r.proof.Facts = []string{"what it shows besides carries nothing: a row number, one value throughout, or a copy"}
	}
	return r
}

func permuted(e *evidence) *found {
	if e.gold.Rows() == 0 {
		return nil
	}
	preds := e.predColumns(e.allPairs())
	inOrder := slices.Sorted(slices.Values(preds))
	turned := false
	for k, p := range preds { // of columns that are equal row by row, either may be meant
		if q := inOrder[k]; q != p && !slices.Equal(e.naturalKeys(predSide, p), e.naturalKeys(predSide, q)) {
			turned = true
			break
		}
	}
	if !turned {
		return nil
	}
	return e.aboutPairs(e.allPairs(), "The same rows with the columns in another order.")
}

func same(e *evidence) *found {
	if e.gold.Rows() == 0 || len(e.a.Missing) > 0 || len(e.a.Extra) > 0 || permuted(e) != nil || reordered(e) != nil {
		return nil
	}
	differs := func(p *scoring.ColumnPair) bool {
		return isTolerance(p) || isRounded(p) || isScaled(p) || p.GoldFormat != "" || p.PredFormat != ""
	}
	if len(e.pairsThat(differs)) > 0 {
		return nil
	}
	return &found{text: fmt.Sprintf("Both results hold the same %s.", plural(e.gold.Rows(), "row"))}
}
