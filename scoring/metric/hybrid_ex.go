package metric

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
	"github.com/badger-eval/badger/scoring/cell"
	relations "github.com/badger-eval/badger/scoring/relation"
)

// hybridContext are the additional inputs of hybrid_ex: the question and the queries show which order, units and
// digits are requested, and a judge of stage 1 gets all of them.
const hybridContext = scoring.FieldGoldSQL | scoring.FieldPredSQL | scoring.FieldQuestion | scoring.FieldEvidence |
	scoring.FieldSchema

func init() {
	register(scoring.Metric{
		Name: "hybrid_ex", Display: "Right result",
		Version: 7, Group: "execution",
		Context: hybridContext,
		Branch:  scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs: scoring.FieldGoldResult | scoring.FieldPredResult,
		Summary: "Share of the gold result's cells that the agent's result contains. Column names, order, rounding and " +
			"formats do not matter.",
		Range: "0 to 1",
		Formula: "equal cells / (compared columns × rows). The rows are those of the outer join on the index columns. " +
			"Without an index their number is max(|G|,|P|), and rows are matched so that as many cells as possible are " +
			"equal. 1 if both results are empty, 0 if only one is. The order of rows and columns does not matter. " +
			"Equal rows are matched first. The matching is optimal while the remaining distinct rows have at most " +
			"262,144 pairs of equal cells, or one for every two cells of both results if that is more. Above that, it " +
			"takes the most similar of a bounded number of candidates first. The value is 1, and detail.reshaped says " +
			"why, if every gold cell is present in another shape: columns joined into a single string or split, or rows shown " +
			"as columns or the reverse (relations concatenated, split, long_for_wide and wide_for_long). Stage 1 maps " +
			"the columns by their values, without a call. With the option stage1 set to judge, there is 0 or 1 call. " +
			"The judge proposes a mapping, index columns, units and a tolerance (up to the option max_tolerance, by " +
			"default that of tolerance). It is called only if the value is below 1, the alignment is uncertain " +
			"(confidence below 0.75, or a gold column without a counterpart), and some reply could find more equal " +
			"cells. Parts of the proposal that the tables do not support are rejected (detail.stage1.rejected). The " +
			"other parts are used only if they give more equal cells than the values alone. So the judge cannot lower " +
			"a value. It cannot raise it above the share of cells that are equal under a mapping that the tables " +
			"support.",
		Source: "BADGER, section 5.2 and Algorithm 2, with stage 1 decided by evidence, then by the judge. Unmatched rows " +
			"count in the mean. detail.counts.paper_score is Algorithm 2 as printed, with its row order and its " +
			"tolerance for whole numbers. It is computed up to 131,072 comparisons of cells (above that, " +
			"detail.counts.paper_score_omitted has the reason)",
		Gaming:    "Columns that gold does not have cost nothing: SELECT * contains the column that was asked for. The option extra_columns can penalize them. For verdict they are the relation extra_columns, which passes too. Rows that gold does not have do count. A constant that is right today has 1.",
		Example:   "gold (region, total_revenue) = (north, 1234.56), (south, 99.10); agent (rev, region) = ($1,234.56, North), ($99.10, South): 1. With $98.00 for the south: 3 of 4 cells, or, joined on region, 1 of 2 compared cells: 0.5",
		Threshold: scoring.At(1),
		Options:   hybridDeclared.OptionSet,
		Asks:      asksForAlignment,
		Score: func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
			h, err := hybrid(ctx, in)
			if err != nil {
				return scoring.Score{}, err
			}
			s := scoring.OK(h.value(), h.reason())
			s.Detail = h
			s.Warnings = append(h.warnings(), foreignRules(in, "hybrid_ex")...)
			if h.Order != nil && !h.Order.Kept {
				s.Warnings = append(s.Warnings, h.Order.Why)
			}
			return s, nil
		},
	})
	register(scoring.Metric{
		Name: "result_match_category", Display: "How much of gold is there",
		Version: 7, Group: "execution",
		Context: hybridContext,
		Branch:  scoring.BranchSQL, FailedQuery: scoring.FailedQuery{Status: scoring.StatusOK, Label: "no_match"},
		Needs:   scoring.FieldGoldResult | scoring.FieldPredResult,
		Labels:  []string{"complete", "near_complete", "partial", "overlap", "no_match"},
		Summary: "How much of the gold result the agent's result delivers, in one word.",
		Range:   "1 complete, 0.75 near_complete, 0.5 partial, 0.25 overlap, 0 no_match",
		Formula: "by hybrid_ex h: complete where h = 1, near_complete from 0.9, partial from 0.5, overlap above 0, else no_match",
		Source:  "BADGER, Table 2 and appendix A.3 (matching category), decided from the evidence",
		Gaming:  "As hybrid_ex: columns that gold does not have cost nothing, so that SELECT * is complete. For verdict they are the relation extra_columns, which passes too.",
		Example: "nine of ten rows equal and one missing: near_complete",
		Options: hybridDeclared.OptionSet,
		Asks:    asksForAlignment,
		Score: func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
			h, err := hybrid(ctx, in)
			if err != nil {
				return scoring.Score{}, err
			}
			s := scoring.OK(0, h.reason())
			s.Warnings = append(h.warnings(), foreignRules(in, "result_match_category")...)
			s.Label, s.Value = category(h.value())
			return s, nil
		},
	})
}

func category(h float64) (label string, value float64) {
	switch {
	case h == 1:
		return "complete", 1
	case h >= 0.9:
		return "near_complete", 0.75
	case h >= 0.5:
		return "partial", 0.5
	case h > 0:
		return "overlap", 0.25
	}
	return "no_match", 0
}

// hybridOptions are the options of hybrid_ex and of the metrics that use its comparison.
type hybridOptions struct {
	Numbers      string            `json:"numbers"`
	Tolerance    float64           `json:"tolerance"`
	Columns      map[string]string `json:"columns"`
	ExtraColumns string            `json:"extra_columns"`
	Stage1       string            `json:"stage1"`
	MaxTolerance float64           `json:"max_tolerance"`
}

var hybridDeclared = scoring.DeclareOptions(
	hybridOptions{Tolerance: align.DefaultTolerance, ExtraColumns: "ignore", Stage1: "evidence",
		MaxTolerance: align.PaperTolerance},
	func(o *hybridOptions) error {
		_, err := o.rules()
		return err
	},
	scoring.Option{
		Name: "numbers", Choices: []string{"exact", "rounded", "relative", "absolute"},
		Unset: "rounded, or relative where tolerance is above 0",
		Doc: "When numbers that differ count as equal: exact, never; rounded, where one side shows fewer digits of the same number; relative and absolute, also where they are no " +
			"further apart than tolerance.",
	},
	scoring.Option{
		Name: "tolerance", Min: scoring.At(0),
		Doc: "The largest difference of numbers, where a column agrees under no tighter comparison: as a share of the larger one and less than 1, or of the numbers themselves where numbers is " +
			"absolute. The paper's is 0.01. Identifiers, instants, coordinates, counts and shares near 1 are compared without it.",
	},
	scoring.Option{
		Name: "columns", Unset: "all columns follow numbers and tolerance",
		Doc: "Rules of single columns by the name of the gold column, such as {\"revenue\": \"relative 0.01\", \"delay\": \"absolute 5\", \"price\": \"exact\"}. They hold whatever the column contains.",
	},
	scoring.Option{
		Name: "extra_columns", Choices: []string{"ignore", "penalize"},
		Doc: "Whether columns that gold lacks lower the value: ignore, they do not; penalize, they do unless they are trivial.",
	},
	scoring.Option{
		Name: "stage1", Choices: []string{"evidence", "judge"},
		Doc: "Who pairs the columns: evidence, the values alone; judge, a judge is asked where they leave doubt.",
	},
	scoring.Option{
		Name: "max_tolerance", Min: scoring.At(0), Below: scoring.At(1),
		Doc: "The largest relative tolerance that the judge may recommend.",
	},
)

// asksForAlignment reports whether the options request that a judge aligns the columns.
func asksForAlignment(raw json.RawMessage) bool {
	o := hybridDeclared.Defaults
	return scoring.DecodeOptions(raw, &o) == nil && o.Stage1 == "judge"
}

func (o *hybridOptions) maxTolerance() float64 { return max(o.MaxTolerance, o.Tolerance) }

// Hybrid is the evidence of hybrid_ex: the detail of its score.
type Hybrid struct {
	Alignment   scoring.Alignment `json:"alignment"`
	GoldColumns []string          `json:"gold_columns"`
	PredColumns []string          `json:"pred_columns"`
	Counts      cell.Result       `json:"counts"`
	Order       *RowOrder         `json:"order,omitempty"`  // set if the question asks for an order of rows
	Stage1      *Stage1           `json:"stage1,omitempty"` // if the alignment needed a judge

	// Reshaped is set if the answer contains all of gold's cells in another shape, such as a column for each of several
	// rows. Then the value is 1, regardless of the counts.
	Reshaped *relations.Relation `json:"reshaped,omitempty"`
}

// value returns the score: the share of the cells that agree, or 1 if Reshaped is set.
func (h *Hybrid) value() float64 {
	if h.Reshaped != nil {
		return 1
	}
	return h.Counts.Score
}

// RowOrder reports whether the rows have the order that the question asks for. It does not affect the value, since
// the paper compares rows in any order. So ex_permuted, relation and verdict may reject an answer whose hybrid_ex is
// 1.
type RowOrder struct {
	Kept bool   `json:"kept"`
	Why  string `json:"why,omitempty"` // how the order differs if it is not kept
}

// hybridKey is the memo key of a comparison of the results with these options.
type hybridKey struct {
	tolerance, maxTolerance        float64
	numbers, columns, extraColumns string
}

func (o *hybridOptions) key() hybridKey {
	k := hybridKey{tolerance: o.Tolerance, maxTolerance: o.MaxTolerance, numbers: o.Numbers, extraColumns: o.ExtraColumns}
	if len(o.Columns) > 0 {
		k.columns = fmt.Sprint(o.Columns) // by name
	}
	return k
}

// hybrid aligns and compares the two results of a case, with a judge if the options request one. It computes this
// once for all metrics that use the same options.
func hybrid(ctx context.Context, in *scoring.Input) (*Hybrid, error) {
	o, err := hybridDeclared.Read(in)
	if err != nil {
		return nil, err
	}
	h := byEvidence(in, &o)
	if o.Stage1 == "judge" {
		var err error
		if h, err = h.withJudge(ctx, in, &o); err != nil {
			return nil, err
		}
	}
	if h.Order == nil && h.Counts.GoldRows > 1 && h.Counts.PredRows > 1 {
		h.Order = rowOrder(in, h)
	}
	return h, nil
}

// byEvidence aligns and compares the two results of a case without a judge.
func byEvidence(in *scoring.Input, o *hybridOptions) *Hybrid {
	return scoring.Memo(in, o.key(), func() *Hybrid {
		h := compareResults(in.Gold.Result.Table, in.Pred.Result.Table, o.align(in), o, false)
		if h.Counts.Score < 1 && o.ExtraColumns == "ignore" {
			h.Reshaped = relations.Reshaped(
				relations.Input{Gold: in.Gold.Result.Table, Pred: in.Pred.Result.Table, Alignment: &h.Alignment, Counts: &h.Counts})
		}
		return h
	})
}

// CompareResults aligns and compares two results as hybrid_ex does with its default options. The result includes the
// pairs of matched rows.
func CompareResults(gold, pred *scoring.Table) *Hybrid {
	o := hybridDeclared.Defaults
	return compareResults(gold, pred, o.align(nil), &o, true)
}

// CompareUnder compares two results as hybrid_ex does, with the alignment a of their columns. The result includes the
// pairs of matched rows.
func CompareUnder(gold, pred *scoring.Table, a *scoring.Alignment) *Hybrid {
	return &Hybrid{Alignment: *a, GoldColumns: names(gold), PredColumns: names(pred),
		Counts: countCells(gold, pred, a, cell.Options{Pairs: true}, paperDelta)}
}

func compareResults(gold, pred *scoring.Table, about align.Options, o *hybridOptions, pairs bool) *Hybrid {
	h := &Hybrid{Alignment: align.Align(gold, pred, about), GoldColumns: names(gold), PredColumns: names(pred)}
	compare := o.cell()
	compare.Pairs = pairs
	h.Counts = countCells(gold, pred, &h.Alignment, compare, paperDelta)
	return h
}

// align returns the options of the aligner: from o, and unless in is nil, from the question and the queries of the
// case, which show which units and digits are requested and how columns are computed. o must be valid.
func (o *hybridOptions) align(in *scoring.Input) align.Options {
	a, _ := o.rules()
	if in != nil {
		about := relationInput(in)
		a.Asked = about.Question + " " + about.Evidence
		a.GoldSQL, a.PredSQL, a.Dialect, a.Texts = about.GoldSQL, about.PredSQL, about.Dialect, about.Texts
	}
	return a
}

func (o *hybridOptions) rules() (align.Options, error) {
	a := align.Options{Numbers: align.Numbers(o.Numbers), Tolerance: o.Tolerance}
	var columns []string
	if len(o.Columns) > 0 {
		columns = slices.Sorted(maps.Keys(o.Columns))
	}
	for _, name := range columns {
		rule, err := align.ParseRule(o.Columns[name])
		if err != nil {
			return a, errcode.New(errcode.InvalidArgument, "option columns.%.60s %w", name, err)
		}
		if a.Columns == nil {
			a.Columns = map[string]align.Rule{}
		}
		a.Columns[name] = rule
	}
	if a.Numbers != align.Absolute && o.Tolerance >= 1 {
		return a, errcode.New(errcode.InvalidArgument,
			"option tolerance is %v, expected less than 1 unless the option numbers is absolute", o.Tolerance)
	}
	return a, nil
}

// paperDelta is the default tolerance of the paper's Algorithm 2 (section 5.2).
const paperDelta = 0.01

// countCells compares two results with an alignment of their columns. It adds the score of the paper's Algorithm 2
// with tolerance delta, or the reason why that was not computed.
func countCells(gold, pred *scoring.Table, a *scoring.Alignment, o cell.Options, delta float64) cell.Result {
	counts := cell.Compare(gold, pred, a, o)
	if paper, omitted := cell.Paper(gold, pred, a, delta); omitted != "" {
		counts.PaperOmitted = omitted
	} else {
		counts.PaperScore = &paper
	}
	return counts
}

func (o *hybridOptions) cell() cell.Options {
	return cell.Options{PenalizeExtra: o.ExtraColumns == "penalize"}
}

// rowOrder returns whether the agent's rows have the order that the question asks for, or nil if it asks for none.
func rowOrder(in *scoring.Input, h *Hybrid) *RowOrder {
	about := relationInput(in)
	about.Alignment, about.Counts = &h.Alignment, &h.Counts
	switch o, kept := relations.CompareOrder(about); {
	case o == nil:
		return nil
	case kept:
		return &RowOrder{Kept: true}
	default:
		return &RowOrder{Why: o.Broken()}
	}
}

func names(t *scoring.Table) []string {
	out := make([]string, len(t.Columns))
	for i := range t.Columns {
		out[i] = t.Columns[i].Name
	}
	return out
}

// Reason describes the outcome of the comparison in one sentence.
func (h *Hybrid) Reason() string { return h.reason() }

func (h *Hybrid) reason() string {
	c := &h.Counts
	var b strings.Builder
	switch {
	case c.Method == cell.MethodTrivial && c.Score == 1:
		return "both results are empty"
	case c.GoldRows == 0:
		return "gold is empty, the agent's result has " + printable.Count(c.PredRows, "row")
	case c.PredRows == 0:
		return "the agent's result is empty, gold has " + printable.Count(c.GoldRows, "row")
	case h.Reshaped != nil:
		return "all cells are there in another shape: " + h.Reshaped.Text
	case c.Score == 1:
		b.WriteString(
			printable.Count(c.GoldRows, "row") + " of " + printable.Count(len(h.GoldColumns), "column") +
				printable.Verb(c.GoldRows, " agrees", " agree"))
	default:
		fmt.Fprintf(&b, "%d of %s %s", c.Equal, printable.Count(max(c.GoldRows, c.Matched+c.Unmatched), "row"),
			printable.Verb(c.Equal, "agrees", "agree"))
	}
	if len(h.Alignment.Missing) > 0 {
		b.WriteString("; nothing answers " + h.list(h.Alignment.Missing))
	}
	if extra := h.penalized(); len(extra) > 0 {
		b.WriteString(
			"; gold lacks " + quotedNames(h.PredColumns, extra) + ", which " +
				printable.Verb(len(extra), "counts as a column that differs", "count as columns that differ"))
	}
	var said []int // gold columns whose comparison is described
	if c.Score < 1 {
		if c.GoldRows != c.PredRows {
			fmt.Fprintf(&b, "; gold has %s, the agent %d", printable.Count(c.GoldRows, "row"), c.PredRows)
		}
		differs := h.differing()
		for k, d := range differs {
			if k == 3 {
				fmt.Fprintf(&b, " and %s", printable.Count(len(differs)-3, "more column"))
				break
			}
			name := printable.Quoted(d.column)
			if d.fact != "" { // next to a number of differing rows, the fact would seem to apply to all rows
				name += " (" + d.fact + ")"
			}
			said = append(said, d.gold)
			fmt.Fprintf(&b, "; %s differs in %s", name, printable.Count(d.rows, "row"))
		}
	}
	var facts []string
	for i := range h.Alignment.Columns {
		p := &h.Alignment.Columns[i]
		if f := fact(p); f != "" && !slices.Contains(said, p.Gold) {
			facts = append(facts, "; "+printable.Quoted(h.GoldColumns[p.Gold])+": "+f)
		}
	}
	slices.Sort(facts)
	b.WriteString(strings.Join(facts, ""))
	if n := len(h.Alignment.Extra); n > 0 && c.Score == 1 {
		b.WriteString("; " + printable.Count(n, "extra column"))
	}
	return b.String()
}

// penalized returns the indexes of the agent's columns that gold does not have and that lower the value: all extra
// columns but the trivial ones, or nil if extra columns are ignored.
func (h *Hybrid) penalized() (out []int) {
	if h.Counts.NullFilled <= len(h.Alignment.Missing) {
		return nil
	}
	for _, j := range h.Alignment.Extra {
		if !slices.Contains(h.Alignment.Trivial, j) {
			out = append(out, j)
		}
	}
	return out
}

// foreignRules returns a warning for each column name in the case's own options of the metric that none of its
// accepted results has, since a misspelled name would have no effect. It does not check the options of a deployment,
// which apply to many cases.
func foreignRules(in *scoring.Input, metric string) (out []string) {
	o := hybridDeclared.Defaults
	if raw := in.Case.Options[metric]; raw == nil || scoring.DecodeOptions(raw, &o) != nil {
		return nil
	}
	var there []string
	for i := range in.Case.Golds {
		if t := in.Case.Golds[i].Result.Table; t != nil {
			there = append(there, names(t)...)
		}
	}
	there = append(there, names(in.Gold.Result.Table)...)
	for _, name := range slices.Sorted(maps.Keys(o.Columns)) {
		if !slices.Contains(there, name) {
			out = append(out,
				fmt.Sprintf("the option columns of %s has a rule for %.60q, a column that gold does not have; it changes nothing%s",
					metric, name, scoring.Suggest(name, slices.Compact(slices.Sorted(slices.Values(there))))))
		}
	}
	return out
}

// columnDifference is a gold column and the number of matched rows in which it differs.
type columnDifference struct {
	column string
	gold   int    // its index in gold
	fact   string // a description of the comparison; "" if there is nothing to describe
	rows   int
}

// fact returns the description of how a column is compared, or "" if its values are simply equal.
func fact(p *scoring.ColumnPair) string {
	if p.Overlap == 1 || !p.Exact() {
		return p.Fact
	}
	return ""
}

// differing returns the gold columns that differ in matched rows, sorted by descending number of such rows.
func (h *Hybrid) differing() []columnDifference {
	var out []columnDifference
	for _, p := range h.Alignment.Columns {
		if n := h.Counts.Matched - h.Counts.ColumnEqual[p.Gold]; n > 0 {
			out = append(out, columnDifference{h.GoldColumns[p.Gold], p.Gold, fact(&p), n})
		}
	}
	slices.SortFunc(out, func(a, b columnDifference) int {
		return cmp.Or(cmp.Compare(b.rows, a.rows), cmp.Compare(a.column, b.column))
	})
	return out
}

// list returns the quoted names of gold columns; see quotedNames.
func (h *Hybrid) list(columns []int) string { return quotedNames(h.GoldColumns, columns) }

// quotedNames returns the quoted names of the columns with these indexes, sorted; of more than four, the first three
// and the number of the others.
func quotedNames(names []string, columns []int) string {
	quoted := make([]string, len(columns))
	for k, i := range columns {
		quoted[k] = printable.Quoted(names[i])
	}
	slices.Sort(quoted)
	if len(quoted) > 4 {
		return strings.Join(quoted[:3], ", ") + fmt.Sprintf(" and %d more", len(columns)-3)
	}
	return strings.Join(quoted, ", ")
}
