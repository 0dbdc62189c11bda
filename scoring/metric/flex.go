package metric

import (
	"context"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
)

func init() {
	register(scoring.Metric{
		Name: "flex", Display: "Answers the question (FLEX)",
		Version: 2, Group: "judge",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs: scoring.FieldJudge | scoring.FieldQuestion | scoring.FieldPredSQL | scoring.FieldGoldSQL,
		Reads: circumstance,
		Summary: "Whether the query answers the question, by a judge who compares it with the reference: looking for coincidence where the results are the same, " +
			"and for acceptable differences where they are not. Then sorts out what is wrong, or why the results differ.",
		Range: "0 or 1",
		Formula: "1 if the judge calls the query correct, else 0. Results are the same if they hold the same set of rows (ex_bird). Then the judge does not see them. " +
			"One call. With the option categories there is a second call in two cases. For a query judged incorrect it names the error: schema linking, filtering, " +
			"nullable column, multiple rows, abused clauses or other. For a query judged correct whose results differ it names the difference: output structure, " +
			"value representation, reference, several answers or other. Detail: results; execution_error, the error that execution accuracy makes on this case " +
			"(false_positive, false_negative or none; null if results are not given); categories, each with an explanation; form, whether the prompt described " +
			"how the results differ (own) or did not, as in the paper (paper). The temperature is 0.",
		Source:    "FLEX, section 5 (criteria), appendices A.2 (temperature), A.3 (tables), B.3 and F (categories of false positives and of false negatives)",
		Gaming:    "The judge may be talked to by comments in the agent's query, or follow its likeness with gold. Everything from the case is set off as material, both results are shown where they differ, and calibrate measures the judge on labels.",
		Example:   "same results by coincidence, the judge says {\"correct\": false}: 0, execution_error false_positive, categories incorrect_filtering_condition.",
		Threshold: scoring.At(1),
		Options:   flexDeclared.OptionSet,
		Score:     flex,
	})
}

type flexOptions struct {
	Categories bool   `json:"categories"`
	Form       string `json:"form"`
}

var flexDeclared = scoring.DeclareOptions(flexOptions{Categories: true, Form: formOwn}, nil,
	scoring.Option{Name: "categories", Doc: "Whether a second call sorts out what is wrong with a query judged incorrect, or why the results of a correct one differ."},
	formOption,
)

type flexReply struct {
	Analysis string `json:"analysis"`
	Correct  bool   `json:"correct"`
}

// flexCategory is one category of error or of difference that the judge reported.
type flexCategory struct {
	Name        string `json:"name"`
	Explanation string `json:"explanation"`
}

// flexDetail is the evidence of the metric flex.
type flexDetail struct {
	Results        relation       `json:"results"`
	Form           string         `json:"form"` // of the prompt: own or paper
	Analysis       string         `json:"analysis,omitempty"`
	ExecutionError *string        `json:"execution_error"`
	Categories     []flexCategory `json:"categories,omitempty"`

	asked          []reliedOn
	counterexample string // shown to the judge; "" if none was found
}

// The categories of errors of incorrect queries, and of differences between the results of correct ones, in the
// paper's order.
var (
	flexErrors = []string{
		"incorrect_schema_linking", "incorrect_filtering_condition", "missing_handling_of_nullable_column",
		"missing_handling_of_multiple_rows",
		"abused_clauses", "other_fatal_issues",
	}
	flexDifferences = []string{
		"different_output_structure", "different_output_value_representation", "incorrect_ground_truth_query",
		"multiple_answers_available",
		"other_minor_issues",
	}
)

func flex(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	o, err := flexDeclared.Read(in)
	if err != nil {
		return scoring.Score{}, err
	}
	d := flexDetail{Results: relationOf(in, false), Form: o.Form}
	value, reason, err := d.ask(ctx, in)
	if err != nil {
		return scoring.Score{}, err
	}
	s := scoring.OK(value, reason)
	if d.Results == resultsUnknown {
		s.Warnings = append(s.Warnings, "a result is not given: the judge went by the queries")
	}
	if o.Categories {
		if err := d.categorize(ctx, in, value == 1); err != nil {
			if ctx.Err() != nil {
				return scoring.Score{}, err
			}
			s.Warnings = append(s.Warnings, "no categories: "+err.Error()) // the verdict remains valid
		}
	}
	s.Detail = d
	return s, nil
}

// ask asks the judge whether the agent's query is correct, and returns the value and the reason of the score.
func (d *flexDetail) ask(ctx context.Context, in *scoring.Input) (value float64, reason string, err error) {
	question, m := prompt.FLEXSame, materialOf(in, d.Results)
	if d.Form == formOwn {
		m.Counterexample = d.counterexample
	}
	if d.Results != resultsSame {
		question, m.Relation = inForm(d.Form, prompt.FLEXDiffer), relationText(in)
	}
	var reply flexReply
	r := question.Request(m)
	resp, err := in.AskOnceResponse(ctx, r, &reply)
	d.asked = append(d.asked, answeredBy(in, r, resp))
	if err != nil {
		return 0, "", err
	}
	d.Analysis, d.ExecutionError = reply.Analysis, executionError(d.Results, reply.Correct)
	if reply.Correct {
		return 1, "the judge calls the query correct", nil
	}
	return 0, "the judge calls the query incorrect", nil
}

// executionError returns the error that execution accuracy makes if the judge is right: false_positive if the results
// are the same but the query is incorrect, false_negative in the opposite case, else none. It returns nil if the
// relation of the results is not known.
func executionError(r relation, correct bool) *string {
	kind := "none"
	switch {
	case r == resultsUnknown:
		return nil
	case r == resultsSame && !correct:
		kind = "false_positive"
	case r == resultsDiffer && correct:
		kind = "false_negative"
	}
	return &kind
}

// categorize asks the judge for the categories of error of an incorrect query, or of the differences between the
// results of a correct one. It makes no call if a correct query's results are not known to differ, or if no judge or
// recorded reply is available for the question.
func (d *flexDetail) categorize(ctx context.Context, in *scoring.Input, correct bool) error {
	ask, names := prompt.FLEXErrors, flexErrors
	if correct {
		ask, names = prompt.FLEXDifferences, flexDifferences
	}
	if correct && d.Results != resultsDiffer || !in.HasJudge(ask.Purpose) {
		return nil
	}
	m := materialOf(in, d.Results)
	m.Opinion = d.Analysis
	var reply map[string]struct {
		Issued      bool   `json:"issued"`
		Explanation string `json:"explanation"`
	}
	if err := in.AskOnce(ctx, ask.Request(m), &reply); err != nil {
		return err
	}
	for _, name := range names {
		if c := reply[name]; c.Issued {
			d.Categories = append(d.Categories, flexCategory{name, c.Explanation})
		}
	}
	return nil
}
