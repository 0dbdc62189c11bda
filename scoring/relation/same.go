package relation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/cell"
)

// noise is the largest relative difference that is attributed to the order in which doubles are added.
const noise = 1e-9

// sameKinds are examined if every gold cell has an equal in the answer under the alignment. Those that differ most from
// gold come first.
var sameKinds = []Kind{
	{
		Name: "by_chance", Display: "Equal to gold by chance", Group: OtherValue,
		Class: Difference, find: byChance,
		Meaning: "The values carry no information: gold's are in columns of the answer that neither names nor queries relate to gold's, next to others of the same kind, and are so few and short that any column may hold them; or both results are empty, NULL, 0 or one small number, and the queries ask for different things; or the answer's query reads no table.",
		Example: "(visits) = (3); (branch, n) = (3, 17)",
	},
	{
		Name: "both_empty", Display: "No rows in gold or in the answer", Group: SameData,
		Class: Equivalent, find: bothEmpty,
		Meaning: "Neither result has a row.", Example: "no rows; no rows",
	},
	{
		Name: "permuted_unnamed", Display: "Columns possibly exchanged", Group: Columns,
		Class: Difference, find: permutedUnnamed,
		Meaning: "All rows agree, but two columns of the same kind are exchanged under names that nothing relates to gold's, so that the answer may as well have exchanged their headers.", Example: "(bulls, bears) = (7, 4); (pessimists, optimists) = (4, 7)",
	},
	{
		Name: "flag_unnamed", Display: "Possibly true and false exchanged", Group: Columns,
		Class: Difference, find: flagUnnamed,
		Meaning: "All rows agree, but a column of truth values has a header that nothing relates to gold's, so that it may as well be the opposite flag.", Example: "(boat, watertight) = ('Ida', true); (boat, rusty) = ('Ida', true)",
	},
	{
		Name: "tolerance", Display: "Equal within the tolerance", Group: ShownOtherwise,
		Class: Defensible, find: facts(isTolerance, "All rows agree, %s within a relative difference of %s", 2, toleranceOf),
		Meaning: "All rows agree, a column only within the relative tolerance.", Example: "(1000.0); (1003.2)",
	},
	{
		Name: "rounding_asked", Display: "Fewer decimals than asked", Group: DigitsLost,
		Class: Difference, find: roundingAsked,
		Meaning: "All rows agree once a column is rounded as the other side is, but the question says how to round, and the answer does not show as many digits.", Example: "(66.6667), where the question asks for four decimals; (67)",
	},
	{
		Name: "unrounded", Display: "Equal only after rounding", Group: OtherValue,
		Class: Difference, find: func(e *evidence) *found { return roundedColumns(e, true) },
		Meaning: "All rows agree once a column of the answer is rounded as gold is, but gold's query rounds nothing: its number is another one.", Example: "(66.7) by AVG(x); (66.67)",
	},
	{
		Name: "scaled", Display: "Percent instead of a fraction, or another scale", Group: ShownOtherwise,
		Class: Presentational, find: scaledColumns,
		Meaning: "All rows agree once a column is multiplied by a power of ten: percent for fraction, thousands, cents.",
		Example: "(0.125); (12.5)",
	},
	{
		Name: "rounded", Display: "Rounded differently", Group: ShownOtherwise,
		Class: Presentational, find: func(e *evidence) *found { return roundedColumns(e, false) },
		Meaning: "All rows agree once a column is rounded as the other side is.", Example: "(66.6667); (67)",
	},
	{
		Name: "formatted", Display: "Numbers or dates written differently", Group: ShownOtherwise,
		Class: Presentational, find: formattedColumns,
		Meaning: "All rows agree once text is read as the number, date or truth value that it stands for.",
		Example: "(1234.5); ('$1,234.50')",
	},
	{
		Name: "null_column_asked", Display: "An empty column that was asked for is missing", Group: Columns,
		Class: Difference, find: func(e *evidence) *found { return nullColumn(e, true) },
		Meaning: "All rows agree; a gold column without any value, which the question names, is missing.",
		Example: "(name, phone) = ('a', NULL), where the question asks for the phone; ('a')",
	},
	{
		Name: "null_column_left_out", Display: "Column without values left out", Group: ShownOtherwise,
		Class: Presentational, find: func(e *evidence) *found { return nullColumn(e, false) },
		Meaning: "All rows agree; a gold column without any value, which the question does not name, is missing.",
		Example: "(1, NULL), (2, NULL); (1), (2)",
	},
	{
		Name: "extra_columns", Display: "More columns than asked", Group: ShownOtherwise,
		Class: Presentational, find: extraColumns,
		Meaning: "The answer has all gold columns, row by row, and more columns.", Example: "('north'); ('north', 12)",
	},
	{
		Name: "permuted", Display: "Columns in another order", Group: SameData,
		Class: Equivalent, find: permuted,
		Meaning: "The same rows with the columns in another order.", Example: "('north', 12); (12, 'north')",
	},
	{
		Name: "same", Display: "Same data", Group: SameData,
		Class: Equivalent, find: same,
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
	return p.Tolerance > noise && p.Within == 0 // if it rounds too, the rounding is the explanation
}
func toleranceOf(p *scoring.ColumnPair) float64 { return p.Tolerance }
func withinOf(p *scoring.ColumnPair) float64    { return p.Within }

// pairsThat returns the positions of the aligned pairs for which holds returns true.
func (e *evidence) pairsThat(holds func(*scoring.ColumnPair) bool) []int {
	var out []int
	for k := range e.a.Columns {
		if holds(&e.a.Columns[k]) {
			out = append(out, k)
		}
	}
	return out
}

// facts returns a find function for pairs of columns for which holds is true. say is a format for their names and their
// largest size, which is written with that many digits.
func facts(holds func(*scoring.ColumnPair) bool, say string, digits int,
	size func(*scoring.ColumnPair) float64) func(*evidence) *found {
	return func(e *evidence) *found {
		pairs := e.pairsThat(holds)
		if len(pairs) == 0 || e.gold.Rows() == 0 {
			return nil
		}
		most := 0.0
		for _, k := range pairs {
			most = max(most, size(&e.a.Columns[k]))
		}
		return e.aboutPairs(pairs, fmt.Sprintf(say, named(e.gold, e.goldColumns(pairs)),
			printable.Figure(most, digits))+".")
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

// roundedColumns returns a finding if all rows agree up to rounding; else nil. unrounded selects whether a gold column
// of doubles has fewer digits than the answer's although gold's query does not round.
func roundedColumns(e *evidence, unrounded bool) *found {
	exact := e.queries().gold != nil && !rounds(e.GoldSQL) &&
		slices.ContainsFunc(e.pairsThat(isRounded), func(k int) bool {
			g, p := &e.gold.Columns[e.a.Columns[k].Gold], &e.pred.Columns[e.a.Columns[k].Pred]
			return g.Type == scoring.Float64 && p.Type == scoring.Float64 && fractionDigits(g) < min(2, fractionDigits(p))
		})
	if exact != unrounded {
		return nil
	}
	r := facts(isRounded, "All rows agree, %s up to rounding, by at most %s", 4, withinOf)(e)
	if r != nil && unrounded {
		r.text = strings.TrimSuffix(r.text, ".") + ", but gold's query rounds nothing."
	}
	return r
}

// rounds reports whether a query may round a number, by the name of a function or a type in its text.
func rounds(sql string) bool {
	sql = strings.Join(strings.Fields(strings.ToLower(sql)), " ")
	return slices.ContainsFunc(
		[]string{"round", "trunc", "floor", "ceil", "format", "printf", "to_char", "as int", "as bigint", "as decimal",
			"as numeric", "as number", "::int", "::bigint", "::decimal", "::numeric"},
		func(s string) bool { return strings.Contains(sql, s) })
}

func scaledColumns(e *evidence) *found {
	pairs := e.pairsThat(isScaled)
	if len(pairs) == 0 || e.gold.Rows() == 0 {
		return nil
	}
	factor := cell.Pow10(e.a.Columns[pairs[0]].Scale)
	r := e.aboutPairs(pairs,
		fmt.Sprintf("All rows agree once %s of the answer %s multiplied by %s.", named(e.pred, e.predColumns(pairs)),
			printable.Verb(len(pairs), "is", "are"), printable.Figure(factor, 6)))
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
	r := e.aboutPairs(pairs,
		fmt.Sprintf("All rows agree; %s %s the same values, written in another form on one side: %s.",
			named(e.gold, e.goldColumns(pairs)), printable.Verb(len(pairs), "has", "have"), listed(how)))
	return r
}

func roundingAsked(e *evidence) *found {
	pairs := e.pairsThat(isRounded)
	if len(pairs) == 0 || e.gold.Rows() == 0 || !e.asks().Rounds() {
		return nil
	}
	if digits, ok := e.asks().Digits(); ok {
		pairs = slices.DeleteFunc(pairs, func(k int) bool {
			shown := fractionDigits(&e.pred.Columns[e.a.Columns[k].Pred])
			return shown == digits || shown > digits && e.asks().AtLeast()
		})
	}
	if len(pairs) == 0 {
		return nil
	}
	return e.aboutPairs(pairs,
		fmt.Sprintf("All rows agree but for the rounding of %s, and the question says how to round.",
			named(e.gold, e.goldColumns(pairs))))
}

func nullColumn(e *evidence, asked bool) *found {
	if len(e.a.Missing) == 0 || e.gold.Rows() == 0 ||
		slices.ContainsFunc(e.a.Missing, func(i int) bool { return e.requests(i, e.goldColumns(e.allPairs())) }) != asked {
		return nil
	}
	return &found{
		text: fmt.Sprintf("All rows agree; the answer leaves out %s, which %s no value in gold.", named(e.gold, e.a.Missing),
			printable.Verb(len(e.a.Missing), "has", "have")),
		proof: Proof{GoldColumns: e.a.Missing},
	}
}

func extraColumns(e *evidence) *found {
	if len(e.a.Extra) == 0 || e.gold.Rows() == 0 || byChance(e) != nil {
		return nil
	}
	r := &found{
		text:  fmt.Sprintf("All columns of gold are there, row by row; the answer also shows %s.", named(e.pred, e.a.Extra)),
		proof: Proof{PredColumns: e.a.Extra},
	}
	if len(e.a.Trivial) == len(e.a.Extra) {
		r.proof.Facts = []string{"the columns that it adds say nothing new: a row number, one value throughout, or a copy"}
	}
	return r
}

func permuted(e *evidence) *found {
	if e.gold.Rows() == 0 || crossed(e) != nil {
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
	if e.gold.Rows() == 0 || len(e.a.Missing) > 0 || len(e.a.Extra) > 0 || permuted(e) != nil || crossed(e) != nil ||
		reordered(e) != nil {
		return nil
	}
	differs := func(p *scoring.ColumnPair) bool {
		return isTolerance(p) || isRounded(p) || isScaled(p) || p.GoldFormat != "" || p.PredFormat != ""
	}
	if len(e.pairsThat(differs)) > 0 {
		return nil
	}
	return &found{text: fmt.Sprintf("Both results hold the same %s.", printable.Count(e.gold.Rows(), "row"))}
}
