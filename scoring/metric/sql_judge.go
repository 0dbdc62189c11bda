package metric

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
)

// The labels of sql_judge_issues (BADGER, Table 3).
const (
	noIssue          = "none"
	performanceIssue = "performance_issue"
)

var sqlIssues = []string{
	"filters_missing", "filters_incorrect", "joins_missing", "joins_incorrect", "joins_unnecessary", "aggregation_wrong",
	"aggregation_missing", "columns_missing",
	"columns_wrong", "ordering_wrong", "schema_misunderstanding", "logic_error", performanceIssue, noIssue,
}

func init() {
	const (
		needs = scoring.FieldJudge | scoring.FieldQuestion | scoring.FieldGoldSQL | scoring.FieldPredSQL
		reads = circumstance | scoring.FieldInterpretation
		call  = " There is one call for all sql_judge metrics, and for each accepted query. There is none if the agent's " +
			"query failed or is missing, or if the texts prove the queries equal (documentation of " +
			"scoring/sqlproof) and the results, if both are given, do not differ. The judge sees question, " +
			"interpretation, hint, schema, both queries, the differences that the parser found, and whether the " +
			"results are the same. The prompt tells it to ignore matters of style: layers of common table expressions, " +
			"positions in GROUP BY, double-underscore aliases, qualified names, LEFT or INNER JOIN if the rows are the " +
			"same, and functions that handle NULL. The three metrics share the call only if their options are the " +
			"same. Detail: by, what decided (judge, texts or execution); score, equivalent, issues, analysis."
		source  = "BADGER, section 4.4, Table 2, Table 3 and appendix A.2"
		example = "the agent leaves out WHERE year = 2024; the judge replies {\"score\": 4, \"equivalent\": false, \"issues\": [{\"label\": \"filters_missing\"}]}: "
	)
	register(scoring.Metric{
		Name: "sql_judge_similarity", Display: "Query alike, by a judge",
		Version: 2, Group: "judge",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedQuery{Status: scoring.StatusOK, Own: true},
		Needs: needs, Reads: reads,
		Summary: "How far the agent's query does what the gold query does, graded by a judge. Meaning counts, style does " +
			"not.",
		Range:   "0 to 1",
		Formula: "the judge's grade from 0 to 10, divided by 10; 0 for a query that failed, 1 for queries that are proved equal." + call,
		Source:  source, Gaming: gaming["sql_judge"], Example: example + "0.4.",
		Options: sqlJudgeDeclared.OptionSet, Score: sqlJudged(func(j *sqlJudgement) scoring.Score {
			return scoring.OK(j.Score/10, fmt.Sprintf("the judge grades the query %v of 10", j.Score))
		}, true),
	})
	register(scoring.Metric{
		Name: "sql_judge_equivalent", Display: "Same query, by a judge",
		Version: 2, Group: "judge",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedQuery{Status: scoring.StatusOK, Own: true},
		Needs: needs, Reads: reads,
		Summary: "Whether the agent's query returns the same answer as the gold query on any data, decided by a judge.",
		Range:   "0 or 1",
		Formula: "1 if the judge calls the queries equivalent, else 0; 0 for a query that failed, 1 for queries that are proved equal." + call,
		Source:  source, Gaming: gaming["sql_judge"], Example: example + "0.", Threshold: scoring.At(1),
		Options: sqlJudgeDeclared.OptionSet, Score: sqlJudged(func(j *sqlJudgement) scoring.Score {
			if j.Equivalent {
				return scoring.OK(1, "the judge calls the queries equivalent")
			}
			return scoring.OK(0, "the judge does not call the queries equivalent")
		}, true),
	})
	register(scoring.Metric{
		Name: "sql_judge_issues", Display: "Main fault of the query",
		Version: 2, Group: "judge",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsNotApplicable,
		Needs: needs, Reads: reads, Labels: slices.Clone(sqlIssues), LowerIsBetter: true,
		Summary: "The most serious issue in the agent's query, chosen by a judge from a closed list.",
		Range:   "0 to 12",
		Formula: "the label is the most serious issue that the judge names. The value is the number of kinds of issues, " +
			"without performance_issue. none and 0 for queries that are proved equal. Not applicable if the agent's " +
			"query failed or is missing." + call,
		Source: source, Gaming: gaming["sql_judge"], Example: example + "filters_missing, 1.", Threshold: scoring.At(0),
		Options: sqlJudgeDeclared.OptionSet, Score: sqlJudged(func(j *sqlJudgement) scoring.Score {
			labels := j.labels()
			s := scoring.OK(float64(len(labels)), "the judge finds no issue")
			s.Label = noIssue
			switch {
			case len(labels) > 0:
				s.Label, s.Reason = labels[0], "the judge finds: "+strings.Join(labels, ", ")
			case len(j.Issues) > 0:
				s.Label, s.Reason = performanceIssue, "the judge finds the answer right, at a needless cost"
			}
			return s
		}, false),
	})
}

type sqlJudgeOptions struct {
	ShortCut    bool `json:"short_cut"`
	Differences bool `json:"differences"`
}

var sqlJudgeDeclared = scoring.DeclareOptions(sqlJudgeOptions{ShortCut: true, Differences: true}, nil,
	scoring.Option{Name: "short_cut", Doc: "Whether queries that the texts alone prove equal are scored without a call."},
	scoring.Option{Name: "differences", Doc: "Whether the prompt lists the differences that the front end found."},
)

// sqlIssue is one issue of the agent's query that the judge reports.
type sqlIssue struct {
	Label       string `json:"label"`
	Explanation string `json:"explanation,omitempty"`
}

// sqlJudgement is the judgement of a query, and the evidence of the three metrics.
type sqlJudgement struct {
	By         string     `json:"by"`    // judge, texts or execution
	Score      float64    `json:"score"` // a whole number from 0 to 10
	Equivalent bool       `json:"equivalent"`
	Issues     []sqlIssue `json:"issues"` // most serious first, without duplicates and without the label none
	Analysis   string     `json:"analysis,omitempty"`
}

// labels returns the labels of the issues that can change the answer: all but performance issues.
func (j *sqlJudgement) labels() []string {
	var out []string
	for _, i := range j.Issues {
		if i.Label != performanceIssue {
			out = append(out, i.Label)
		}
	}
	return out
}

// sqlJudged returns the Score function of a metric that is computed from the judgement by score. If the agent's SQL
// is not a query, its value is 0 if zero is set; otherwise it is not applicable.
func sqlJudged(score func(*sqlJudgement) scoring.Score,
	zero bool) func(context.Context, *scoring.Input) (scoring.Score, error) {
	return func(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
		o, err := sqlJudgeDeclared.Read(in)
		if err != nil {
			return scoring.Score{}, err
		}
		if s, done := withoutQuery(in); done {
			if s.Status == scoring.StatusOK && !zero {
				s = scoring.NotApplicable("the SQL of the agent holds no query")
			}
			return s, nil
		}
		if in.Pred.Error != "" {
			s := scoring.OK(0, "the agent's query failed when it ran")
			s.Detail = sqlJudgement{By: "execution", Issues: []sqlIssue{}}
			return s, nil
		}
		j := &sqlJudgement{By: "texts", Score: 10, Equivalent: true, Issues: []sqlIssue{}}
		proof, warning := soundProof(ctx, in)
		if !o.ShortCut || proof == nil {
			j = &sqlJudgement{}
			if err := in.AskOnce(ctx, prompt.SQLJudge.Request(sqlJudgeMaterial(in, o)), j); err != nil {
				return scoring.Score{}, err
			}
			j.By = "judge"
		}
		contradictions := j.settle()
		s := score(j)
		if j.By == "texts" {
			s.Reason = "the queries are proven to be the same"
		}
		s.Detail = j
		s.Warnings = append(contradictions, unread(in, goldSide, predSide)...)
		if warning != "" {
			s.Warnings = append(s.Warnings, warning)
		}
		return s, nil
	}
}

// sqlJudgeMaterial returns the material shown to the judge. It omits the results, since the question is about any
// data, but states whether they are the same.
func sqlJudgeMaterial(in *scoring.Input, o sqlJudgeOptions) prompt.Material {
	r := relationOf(in, true)
	m := materialOf(in, r)
	m.Interpretation, m.PredResult, m.GoldResult = in.Case.Agent.Interpretation, nil, nil
	switch r {
	case resultsSame:
		m.Relation = "On the data at hand both queries returned the same rows. That may be a coincidence."
	case resultsDiffer:
		m.Relation = "On the data at hand the results, compared cell by cell with the columns in the order selected, differ. That alone is no fault."
	}
	if o.Differences {
		m.Differences = differencesOf(in)
	}
	return m
}

// settle sorts the issues, removes duplicates, and returns descriptions of contradictions within the judgement.
func (j *sqlJudgement) settle() (contradictions []string) {
	saidNone := slices.ContainsFunc(j.Issues, func(i sqlIssue) bool { return i.Label == noIssue })
	seen := map[string]bool{noIssue: true}
	j.Issues = slices.DeleteFunc(append([]sqlIssue{}, j.Issues...), func(i sqlIssue) bool {
		drop := seen[i.Label]
		seen[i.Label] = true
		return drop
	})
	grave := len(j.labels())
	switch {
	case j.Equivalent && grave > 0:
		contradictions = append(contradictions, "the judge calls the queries equivalent and yet names issues")
	case j.Equivalent && j.Score < 8:
		contradictions = append(contradictions, "the judge calls the queries equivalent and yet grades them apart")
	case !j.Equivalent && grave == 0:
		contradictions = append(contradictions, "the judge does not call the queries equivalent and names no issue")
	}
	if saidNone && len(j.Issues) > 0 {
		contradictions = append(contradictions, "the judge finds no issue and yet names some")
	}
	return contradictions
}
