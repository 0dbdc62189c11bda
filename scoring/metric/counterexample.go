package metric

import (
	"context"
	"fmt"

	"github.com/badger-eval/badger/scoring"
	cex "github.com/badger-eval/badger/scoring/counterexample"
)

func init() {
	register(scoring.Metric{
		Name: "counterexample", Version: 1, Group: "verdict",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs:   scoring.FieldGoldSQL | scoring.FieldPredSQL,
		Context: scoring.FieldSchema,
		Cost:    scoring.CostLarge, OnRequest: true,
		Summary: "Whether a small database is found on which the two queries return different results. It shows results that agree by luck.",
		Range:   "0 or 1",
		Formula: "0 if a database of a few rows is found on which the queries differ; the detail has the database, both results on it, and a sentence. 1 if none is found, with " +
			"the number of databases tried: that is no proof. Databases are made from the queries: their literals, values beside them, variants of case and blanks, NULL, duplicates, ties, " +
			"empty tables, rows with and without a partner. Keys, NOT NULL, foreign keys and checks of schema_ddl hold. Without schema_ddl the tables are inferred from both queries, and a warning " +
			"says so. The database is shrunk: no row can be left out, and it has only columns that a query or a constraint reads. Both queries run in the embedded engine (DuckDB), written " +
			"so that they mean what they mean in their dialect. Rows are compared as a multiset, columns in any order, numbers up to 2e-6. The order of rows is compared only if both queries " +
			"settle it. What a query leaves open (ties at a LIMIT, a column neither grouped nor aggregated) is no difference. Not applicable, with the construct named, if a query " +
			"cannot be carried over. The same case gets the same answer: the search is seeded by the case and ends after a number of databases. If it takes longer than time_ms, the metric abstains.",
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
	TimeMS int64 `json:"time_ms"`
}

var counterexampleDeclared = scoring.DeclareOptions(counterexampleOptions{Tries: cex.DefaultTries, TimeMS: cex.DefaultTime.Milliseconds()}, nil,
	scoring.Option{Name: "tries", Min: scoring.At(1), Max: scoring.At(10_000), Doc: "How many databases are tried before the metric says 1."},
	scoring.Option{Name: "time_ms", Min: scoring.At(1), Max: scoring.At(50_000), Doc: "Milliseconds after which the search is given up without an answer. It guards against slow queries and decides nothing."},
)

func counterexampleScore(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	o, err := counterexampleDeclared.Read(in)
	if err != nil {
		return scoring.Score{}, err
	}
	for _, s := range []side{goldSide, predSide} {
		if script(in, s).Final() == nil {
			return scoring.NotApplicable(fmt.Sprintf("the %s holds no query", s)), nil
		}
	}
	finder := in.Counterexamples()
	if finder == nil {
		return scoring.NotApplicable("this program has no embedded engine to run queries on"), nil
	}
	found, err := finder.Find(ctx, &cex.Problem{
		Gold: in.Gold.SQL, Pred: in.Pred.SQL, Dialect: in.Case.Dialect, Schema: in.Case.Schema, Tries: o.Tries, Time: o.TimeMS,
	})
	if err != nil {
		return scoring.Score{}, err
	}
	return counterexampleOf(found), nil
}

// counterexampleOf is the score of a search.
func counterexampleOf(found *cex.Outcome) scoring.Score {
	var s scoring.Score
	switch {
	case found.TimedOut:
		return scoring.Abstain(found.Why)
	case found.Why != "":
		return scoring.NotApplicable(found.Why)
	case found.Found:
		s = scoring.OK(0, found.Sentence)
	case found.Open > 0:
		s = scoring.OK(1, fmt.Sprintf("no difference on %d small databases; on %d of them a query leaves its own result open", found.Tries, found.Open))
	default:
		s = scoring.OK(1, fmt.Sprintf("no difference on %d small databases", found.Tries))
	}
	s.Detail = found
	if found.Inferred {
		s.Warnings = []string{"no schema was given: tables, columns, types and keys were inferred from both queries"}
	}
	return s
}
