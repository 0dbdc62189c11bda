package metric

import (
	"context"
	"strings"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/align"
	relations "github.com/badger-eval/badger/scoring/relation"
)

func init() {
	register(scoring.Metric{
		Name: "relation", Display: "How the results differ",
		Version: 12, Group: "execution",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedQuery{Status: scoring.StatusOK, Label: relations.QueryFailed},
		Needs:   scoring.FieldGoldResult | scoring.FieldPredResult,
		Reads:   scoring.FieldQuestion | scoring.FieldEvidence | scoring.FieldGoldSQL | scoring.FieldPredSQL,
		Labels:  relationLabels(),
		Summary: "Why the two results differ: the relation that holds between them, proven on their rows and, where they are given, on the queries and the question.",
		Range:   "1 the same data, however shown; 0.5 another reading that people often accept; 0 data that differs from gold's. The relation suggests it; it is not a verdict",
		Formula: "the first relation that holds in the order of docs/reference/relations.md; all that hold are in detail.relations, each with its class, its proof and a sentence. The alignment is that of hybrid_ex. " +
			"A query that failed has the label query_failed",
		Source:  "own; the kinds of differences that experts accept are those of FLEX, section 5 and appendix F, and ROSE, section 5 and appendices I and O",
		Gaming:  "It is not a verdict. In small results many relations hold by chance; by_chance reports that, and verdict lets only those pass that labels support. A constant that is right today is the same, if its query reads a table.",
		Example: "gold (agency, clients) = (1, 2), (3, 1); agent (1, 2), (2, 0), (3, 1): zero_filled, \"Every row of gold is present; 1 row more has nothing (0 or NULL) in …\"",
		Options: relationDeclared.OptionSet,
		Score: func(_ context.Context, in *scoring.Input) (scoring.Score, error) {
			o, err := relationDeclared.Read(in)
			if err != nil {
				return scoring.Score{}, err
			}
			found := relationsBy(in, o.Tolerance)
			s := scoring.OK(classValue(found[0].Class), found[0].Text)
			s.Label, s.Detail = found[0].Name, relationDetail{found}
			return s, nil
		},
	})
}

func relationLabels() []string {
	var labels []string
	for _, k := range relations.Kinds() {
		labels = append(labels, k.Name)
	}
	return append(labels, relations.QueryFailed)
}

// relationDetail is the detail of the metric relation.
type relationDetail struct {
	Relations []relations.Relation `json:"relations"`
}

func classValue(c relations.Class) float64 {
	switch c {
	case relations.Equivalent, relations.Presentational:
		return 1
	case relations.Defensible:
		return 0.5
	case relations.Difference:
	}
	return 0
}

type relationOptions struct {
	Tolerance float64 `json:"tolerance"`
}

var relationDeclared = scoring.DeclareOptions(relationOptions{Tolerance: align.DefaultTolerance}, nil,
	scoring.Option{Name: "tolerance", Min: scoring.At(0), Below: scoring.At(1),
		Doc: "The tolerance of the alignment, as in hybrid_ex."},
)

type relationKey struct{ tolerance float64 }

// relationsOf returns the relations between the two results of a case with the default tolerance, computed once for
// all metrics. The one that explains most comes first. It returns nil if a result is missing.
func relationsOf(in *scoring.Input) []relations.Relation {
	if in.Gold == nil || in.Gold.Result.Table == nil || in.Pred.Result.Table == nil {
		return nil
	}
	return relationsBy(in, align.DefaultTolerance)
}

// relationsBy returns the relations between the two results of a case with a tolerance, for the alignment of
// hybrid_ex.
func relationsBy(in *scoring.Input, tolerance float64) []relations.Relation {
	return scoring.Memo(in, relationKey{tolerance}, func() []relations.Relation {
		o := hybridDeclared.Defaults
		o.Tolerance = tolerance
		h := byEvidence(in, &o)
		about := relationInput(in)
		about.Alignment, about.Counts = &h.Alignment, &h.Counts
		return relations.Find(about)
	})
}

// relationInput returns the input of package relation for a case, without alignment and counts.
func relationInput(in *scoring.Input) relations.Input {
	return relations.Input{
		Gold: in.Gold.Result.Table, Pred: in.Pred.Result.Table,
		GoldSQL: in.Gold.SQL, PredSQL: in.Pred.SQL, Question: in.Case.Question, Evidence: in.Case.Evidence,
		Dialect: in.Case.Dialect, Schema: in.Case.Schema, Texts: in.Texts(), Halt: in.Halt(),
	}
}

// relationText returns the first three relations for a judge, one sentence each. It is empty if a result is missing.
func relationText(in *scoring.Input) string {
	var b strings.Builder
	for k, r := range relationsOf(in) {
		if k == 3 {
			break
		}
		if k > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(r.Text)
	}
	return b.String()
}
