package metric

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	cex "github.com/badger-eval/badger/scoring/counterexample"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

func init() {
	register(scoring.Metric{
		Name: "counterexample", Display: "No counterexample found",
		Version: 6, Group: "verdict",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs:   scoring.FieldGoldSQL | scoring.FieldPredSQL,
		Context: scoring.FieldSchema | bothResults,
		Cost:    scoring.CostLarge, OnRequest: true,
		Summary: "Whether a small database is found on which the two queries return different results. It shows results that agree by luck.",
		Range:   "0 or 1",
		Formula: "0 if a database of a few rows is found on which the queries differ; the detail has the database, both results on it, and a sentence. 1 if the search finds none, with " +
			"the number of databases tried and the maximum number of rows of a table: that is not a proof. For pairs of selects that compare columns with each other and with constants, from joined tables, with groups and plain aggregates, " +
			"all databases of up to bound rows a table are also tried if they are few enough. Their values are the constants of the queries, the neighbors of these if an order is asked for, one other value, and NULL. The detail lists them. Databases are made from the queries: their literals, neighboring values, variants of case and blanks, NULL, duplicates, ties, " +
			"empty tables, rows with and without a partner. Keys, NOT NULL, foreign keys and checks of schema_ddl hold. Without schema_ddl the tables are inferred from both queries, and a warning " +
			"reports it. The first quarter of the databases is realistic: it also has the properties that the available data suggest (no NULL in a column that no query asks for it, unless a result shows one; no blanks; a partner for every row that is " +
			"joined with a key; no empty table; the bounds, values and functional dependencies of a result that holds a whole table, or of the warehouse's statistics). Only if the queries agree on all of them, the " +
			"other databases may be any that the schema allows. Detail: realistic, keeps and breaks. The database is shrunk: no row can be left out, and it has only columns that a query or a constraint reads. Both queries run in the embedded engine (DuckDB), written " +
			"so that they mean what they mean in their dialect. Rows are compared as a multiset, columns in any order, numbers up to 2e-6. A column too many in the answer is not a difference. The order of rows is compared only if both queries " +
			"settle it. Rows or values that a query does not determine (ties at a LIMIT, a column neither grouped nor aggregated) are not a difference. Not applicable, with the construct named, if a query " +
			"cannot be carried over, if a query asks for more rows than a small database has, or if neither query returns a row on any of them. Structures and arrays are columns and tables of the small database (t.a has the elements of " +
			"t's array a), arrays are never NULL, geographies are points, and the current date is one day. The same case gets the same answer: the search is seeded by the case and ends after a number of databases, and of rows that joins may make on them. If it takes longer than time_ms all the same, the metric abstains.",
		Source:    "own. SpotIt (arXiv 2510.26840) and VeriEQL search such databases with an SMT solver",
		Gaming:    "It cannot be raised without knowing gold; keep gold from the agent. A query that cannot be carried over is not refuted: read 1 together with tree_match, and not applicable as unknown.",
		Example:   "SELECT d.name, count(*) FROM d LEFT JOIN c ON c.d = d.id GROUP BY d.name against the same with JOIN: 0; d has one row, c none, gold returns it and the agent nothing.",
		Threshold: scoring.At(1),
		Options:   counterexampleDeclared.OptionSet,
		Score:     counterexampleScore,
	})
}

type counterexampleOptions struct {
	Tries  int   `json:"tries"`
	Bound  int   `json:"bound"`
	TimeMS int64 `json:"time_ms"`
}

var counterexampleDeclared = scoring.DeclareOptions(
	counterexampleOptions{Tries: cex.DefaultTries, TimeMS: cex.DefaultTime.Milliseconds(), Bound: cex.DefaultBound}, nil,
	scoring.Option{Name: "tries", Min: scoring.At(1), Max: scoring.At(10_000),
		Doc: "How many databases are tried before the metric says 1."},
	scoring.Option{Name: "bound", Min: scoring.At(0), Max: scoring.At(5), Doc: "How many rows a table has at most in the pass over all databases, for pairs that are simple enough; fewer where these are too many, 0 for no such pass."},
	scoring.Option{Name: "time_ms", Min: scoring.At(1), Max: scoring.At(50_000), Doc: "Milliseconds after which the search is given up without an answer. It guards against slow queries and decides nothing."},
)

func counterexampleScore(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	for _, s := range []side{goldSide, predSide} {
		if script(in, s).Final() == nil {
			return scoring.NotApplicable(fmt.Sprintf("the %s holds no query", s)), nil
		}
	}
	found, err := searchCounterexample(ctx, in)
	if err != nil {
		return scoring.Score{}, err
	}
	s := counterexampleOf(found)
	if p := proofOf(in); found.Found && p != nil {
		s.Warnings = append(s.Warnings, refutedProof(p))
	}
	return s, nil
}

// searchCounterexample searches for a counterexample to the two queries with the options of the metric
// counterexample. It searches once for a case and accepted answer; later calls return the same outcome.
func searchCounterexample(ctx context.Context, in *scoring.Input) (*cex.Outcome, error) {
	type found struct {
		outcome *cex.Outcome
		err     error
	}
	type key struct{}
	f := scoring.Memo(in, key{}, func() found {
		o, err := counterexampleDeclared.ReadOf(in, "counterexample")
		if err != nil {
			return found{nil, err}
		}
		finder := toolsOf(in).Counterexamples
		if finder == nil {
			return found{&cex.Outcome{Why: "this program has no embedded engine to run queries on"}, nil}
		}
		bound := o.Bound
		if bound == 0 {
			bound = -1
		}
		outcome, err := finder.Find(ctx, &cex.Problem{
			Gold: in.Gold.SQL, Pred: in.Pred.SQL, Dialect: in.Case.Dialect, Schema: in.Case.Schema,
			SchemaFrom: in.Case.SchemaFrom, Facts: in.Case.Facts, Tries: o.Tries, Time: o.TimeMS, Bound: bound,
			Seen: [2]*cex.Seen{seenOf(in.Gold.Result.Table), seenOf(in.Pred.Result.Table)}, Texts: in.Texts(),
		})
		return found{outcome, err}
	})
	return f.outcome, f.err
}

// counterexampleOf returns the score for the outcome of a search.
func counterexampleOf(found *cex.Outcome) scoring.Score {
	var s scoring.Score
	switch {
	case found.TimedOut:
		return scoring.Abstain(found.Why)
	case found.Why != "":
		return scoring.NotApplicable(found.Why)
	case found.Realistic:
		s = scoring.OK(0, found.Sentence)
	case found.Found:
		s = scoring.OK(0, unrealistic(found))
	case found.Open > 0:
		s = scoring.OK(1,
			fmt.Sprintf("no difference on %s; on %d of them a query leaves its own result open", searched(found), found.Open))
	default:
		s = scoring.OK(1, "no difference on "+searched(found))
	}
	if b := found.Bound; b != nil && !found.Found {
		s.Reason += fmt.Sprintf(", nor on any of the %s of up to %s a table over the values that the detail lists",
			printable.Count(b.Databases, "database"), printable.Count(b.Rows, "row"))
	}
	s.Detail = found
	if found.Inferred {
		s.Warnings = []string{"no schema was given: tables, columns, types and keys were inferred from both queries"}
	}
	return s
}

// searched describes the number and size of the databases on which no difference was found.
func searched(found *cex.Outcome) string {
	return fmt.Sprintf("%s of up to %s a table", printable.Count(found.Tries, "small database"),
		printable.Count(found.Rows, "row"))
}

// seenRows is the maximum number of rows of a result that are examined for the values of its columns.
const seenRows = 5_000

// seenOf returns statistics of the columns of t, which show what the warehouse's data is like. It returns nil if t is
// nil.
func seenOf(t *scoring.Table) *cex.Seen {
	if t == nil {
		return nil
	}
	codes := make([][]int, len(t.Columns))
	seen := &cex.Seen{Rows: int64(t.Rows()), Nothing: true, Columns: make([]sqlparts.ColumnFacts, len(t.Columns))}
	for k := range t.Columns {
		c := &t.Columns[k]
		facts := sqlparts.ColumnFacts{Rows: seen.Rows}
		if c.HasNulls() {
			for i := range t.Rows() {
				if c.IsNull(i) {
					facts.Nulls++
				}
			}
		}
		seen.Nothing = seen.Nothing && facts.Nulls == seen.Rows
		if t.Rows() <= seenRows {
			codes[k] = valuesOf(c, &facts)
		}
		seen.Columns[k] = facts
	}
	for a := range min(len(codes), seenColumns) {
		for b := range min(len(codes), seenColumns) {
			if support := fixes(codes[a], codes[b]); a != b && support > 0 {
				seen.Dependencies = append(seen.Dependencies, cex.SeenDependency{Column: a, Fixes: b, Support: support})
			}
		}
	}
	return seen
}

// seenColumns is the maximum number of columns of a result among which functional dependencies are searched for.
const seenColumns = 16

// fixes returns the evidence that each value of column from determines the value of column to: the number of rows
// that would violate this on average if the columns were independent. It is 0 if a row violates it. Equal numbers are
// equal values; NULL is -1, and rows with NULL in from are ignored.
func fixes(from, to []int) float64 {
	one, times := map[int]int{}, map[int]int{}
	repeats, rows := 0, 0
	for i, x := range from {
		if x < 0 {
			continue
		}
		y, again := one[x]
		if again && y != to[i] {
			return 0
		}
		one[x] = to[i]
		times[to[i]]++
		rows++
		if again {
			repeats++
		}
	}
	same := 0.0 // the probability that two random rows have the same value in column to
	for _, n := range times {
		same += float64(n) / float64(rows) * float64(n) / float64(rows)
	}
	return float64(repeats) * (1 - same)
}

// valuesOf sets statistics of a column in f: the number of distinct values, the bounds of a column of numbers or ISO
// 8601 dates, and others. It returns a number for each row, equal for equal values and -1 for NULL.
func valuesOf(c *scoring.Column, f *sqlparts.ColumnFacts) []int {
	values := map[string]int{}
	codes := make([]int, c.Len())
	numbers, dates := true, true
	var low, high float64
	var least, greatest, first, last string
	for i := range c.Len() {
		if c.IsNull(i) {
			codes[i] = -1
			continue
		}
		text := c.Value(i).String()
		if x, err := strconv.ParseFloat(text, 64); err != nil {
			numbers = false
		} else {
			if len(values) == 0 || x < low {
				low, least = x, text
			}
			if len(values) == 0 || x > high {
				high, greatest = x, text
			}
		}
		if text == "" {
			f.Empty++
		} else if text != strings.TrimSpace(text) {
			f.Blank++
		}
		dates = dates && isoDate.MatchString(text)
		if len(values) == 0 {
			first, last = text, text
		}
		first, last = min(first, text), max(last, text)
		if _, ok := values[text]; !ok {
			values[text] = len(values)
		}
		codes[i] = values[text]
	}
	f.Distinct = int64(len(values))
	switch {
	case len(values) == 0:
	case numbers:
		f.Low, f.High = least, greatest
	case dates:
		f.Low, f.High = first, last
	}
	if len(values) <= cex.FewValues {
		f.Values = slices.Sorted(maps.Keys(values))
	}
	return codes
}

var isoDate = lazyregexp.New(`^\d{4}-\d\d-\d\d`)

// unrealistic returns the reason of a score for a counterexample that violates facts known about the data.
func unrealistic(found *cex.Outcome) string {
	return found.Sentence + ". No realistic database that was tried shows a difference: there " +
		strings.Join(found.Breaks, ", and ")
}
