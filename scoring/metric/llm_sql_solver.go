package metric

import (
	"context"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
	"github.com/badger-eval/badger/scoring/sqlproof"
)

// The strategies of llm_sql_solver.
const (
	solverSemantic = "semantic"
	solverRelaxed  = "relaxed"
)

func init() {
	register(scoring.Metric{
		Name: "llm_sql_solver", Display: "Same query, by a judge (SQL-Solver)",
		Version: 2, Group: "judge",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedQuery{Status: scoring.StatusOK, Own: true},
		Needs:   scoring.FieldJudge | scoring.FieldGoldSQL | scoring.FieldPredSQL,
		Context: scoring.FieldExecution,
		Reads:   scoring.FieldSchema | bothResults,
		Summary: "Whether both queries are equivalent, decided by a judge who sees only the schema and the queries: " +
			"LLM-SQL-Solver.",
		Range: "0 or 1",
		Formula: "1 if the judge calls the queries equivalent, else 0. The option strategy selects the prompt. With " +
			"semantic (default; miniature and mull) the judge runs both queries on a small database that it invents, and " +
			"changes it in search of a counterexample. With relaxed (explain and compare) it explains both and looks " +
			"for significant differences in logic. One call for each accepted query. There is no call, and the value " +
			"is 1, if the texts prove the queries equal (documentation of scoring/sqlproof) and the results, if " +
			"both are given, do not differ. The option short_cut set to false turns this off, as in the publication. " +
			"There is no call, and the value is 0, if the agent's query failed or is missing. The judge sees neither " +
			"question nor results. Detail: by, what decided (judge, texts or execution); strategy; analysis.",
		Source:    "Zhao et al. 2023, arXiv:2312.10321, the two strategies; used as a baseline in ROSE, section 5.1.3, and in FLEX, section 4.3",
		Gaming:    "The judge may be talked to by comments in the agent's query, and takes likeness for equivalence. What the texts prove needs no judge; the metric does not search for a counterexample. calibrate measures the judge on labels.",
		Example:   "SELECT max(a) FROM t and SELECT a FROM t ORDER BY a DESC LIMIT 1: an empty table is a counterexample for the strategy semantic, 0.",
		Threshold: scoring.At(1),
		Options:   solverDeclared.OptionSet,
		Score:     sqlSolver,
	})
}

type solverOptions struct {
	Strategy string `json:"strategy"`
	ShortCut bool   `json:"short_cut"`
}

var solverDeclared = scoring.DeclareOptions(solverOptions{Strategy: solverSemantic, ShortCut: true}, nil,
	scoring.Option{
		Name: "strategy", Choices: []string{solverSemantic, solverRelaxed},
		Doc: "semantic (miniature and mull): the judge looks for a counterexample on a small database that it makes up; relaxed (explain and compare): it explains both queries and looks for significant differences in logic.",
	},
	scoring.Option{Name: "short_cut",
		Doc: "Whether queries that the texts alone prove equal score 1 without a call. The publication asks in every case: false."},
)

// solverDetail is the evidence of llm_sql_solver.
type solverDetail struct {
	By       string          `json:"by"` // judge, texts or execution
	Strategy string          `json:"strategy"`
	Analysis remark          `json:"analysis,omitempty"`
	Proof    *sqlproof.Proof `json:"proof,omitempty"` // set if By is texts
}

func sqlSolver(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	o, err := solverDeclared.Read(in)
	if err != nil {
		return scoring.Score{}, err
	}
	if s, done := withoutQuery(in); done {
		return s, nil
	}
	proof, warning := soundProof(ctx, in)
	decided := func(value float64, reason string, d solverDetail) (scoring.Score, error) {
		s := scoring.OK(value, reason)
		d.Strategy = o.Strategy
		s.Detail = d
		s.Warnings = unread(in, goldSide, predSide)
		if warning != "" {
			s.Warnings = append(s.Warnings, warning)
		}
		return s, nil
	}
	if !o.ShortCut || proof != nil && proof.Permuted && o.Strategy == solverSemantic {
		proof = nil // the proof does not count: under this strategy the order of columns is part of a result
	}
	switch {
	case in.Pred.Error != "":
		return decided(0, "the agent's query failed when it ran", solverDetail{By: "execution"})
	case proof != nil:
		return decided(1, "the queries are proven to be the same", solverDetail{By: "texts", Proof: proof})
	}
	ask := prompt.SQLSolverSemantic
	if o.Strategy == solverRelaxed {
		ask = prompt.SQLSolverRelaxed
	}
	var reply struct {
		Analysis   remark `json:"analysis"`
		Equivalent bool   `json:"equivalent"`
	}
	if err := in.Ask(ctx,
		ask.Request(
			prompt.Material{Schema: in.Case.Schema, Dialect: in.Case.Dialect, GoldSQL: in.Gold.SQL,
				PredSQL: in.Pred.SQL}), &reply); err != nil {
		return scoring.Score{}, err
	}
	if reply.Equivalent {
		return decided(1, "the judge calls the queries equivalent", solverDetail{By: "judge", Analysis: reply.Analysis})
	}
	return decided(0, "the judge calls the queries different", solverDetail{By: "judge", Analysis: reply.Analysis})
}
