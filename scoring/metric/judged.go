package metric

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
)

// relation is the relation between the two results of a case.
type relation string

const (
	resultsSame    relation = "same"
	resultsDiffer  relation = "differ"
	resultsUnknown relation = "unknown" // one of them is missing
)

// relationOf reports whether the two results are the same: rows in any order, as sets or, if multiset is set, as
// multisets. It returns resultsUnknown if one is missing.
func relationOf(in *scoring.Input, multiset bool) relation {
	gold, pred := in.Gold.Result.Table, in.Pred.Result.Table
	if gold == nil || pred == nil {
		return resultsUnknown
	}
	same := false
	if s, done := withoutRows(gold, pred); done {
		same = s.Value == 1
	} else {
		t := positionalTally(in, rowsOptions{}.reading(gold, pred))
		same = t.onlyGold == 0 && t.onlyPred == 0 && (!multiset || t.missing == 0 && t.extra == 0)
	}
	if same {
		return resultsSame
	}
	return resultsDiffer
}

// relationInAnyOrder is relationOf as multisets, with columns in any order. ROSE's published runs compare results in
// this way.
func relationInAnyOrder(ctx context.Context, in *scoring.Input) (relation, error) {
	r := relationOf(in, true)
	if r != resultsDiffer || in.Gold.Result.Table.Rows() != in.Pred.Result.Table.Rows() {
		return r, nil
	}
	type found struct {
		r   relation
		err error
	}
	type key struct{}
	f := scoring.Memo(in, key{}, func() found { // rose and verdict share the result
		p, err := pairAnyOrder(ctx, in.Gold.Result.Table, in.Pred.Result.Table, asSpelled)
		if err == nil && p.columns != nil {
			return found{resultsSame, nil}
		}
		return found{r, err}
	})
	return f.r, f.err
}

// materialOf returns the parts of a case that a judge is shown, other than the text of relationText. That is computed
// only for the prompts that include it, since it costs as much as comparing the results.
func materialOf(in *scoring.Input, r relation) prompt.Material {
	return prompt.Material{
		Question: in.Case.Question, Earlier: in.Case.Agent.Earlier, Evidence: in.Case.Evidence, Schema: in.Case.Schema,
		Dialect: in.Case.Dialect,
		PredSQL: in.Pred.SQL, GoldSQL: in.Gold.SQL, PredResult: in.Pred.Result.Table, GoldResult: in.Gold.Result.Table,
		ResultsKnown: r != resultsUnknown,
	}
}

// The forms of a judge's prompt.
const (
	formOwn   = "own"   // also includes badger's findings, such as the relation of the two results
	formPaper = "paper" // includes only what the paper's prompt includes
)

var formOption = scoring.Option{
	Name: "form", Choices: []string{formOwn, formPaper},
	Doc: "Whether the prompt for results that differ also describes the differences that badger found (own), or only what the paper shows it (paper).",
}

// reliedOn describes a judge call whose reply a score uses.
type reliedOn struct {
	purpose, prompt string // the purpose of the question, and the prompt with its version
	model           string // the model that gave the reply; empty if it is not known
	file            bool   // the reply was recorded elsewhere, with an unknown prompt
}

func answeredBy(in *scoring.Input, r judgebackend.Request, resp judgebackend.Response) reliedOn {
	model := in.JudgeModel(r.Purpose)
	if _, dated := judgebackend.Released(resp.Model); dated || model == "" {
		model = resp.Model
	}
	return reliedOn{r.Purpose, r.PromptVersion, model, in.Recorded(r.Purpose)}
}

// restsOn describes the judge, the prompts and the models of a verdict in one line. It is the same for a new and a
// cached reply.
func restsOn(judge string, all []reliedOn) string {
	var prompts, recorded, models []string
	for _, q := range all {
		if q.model != "" && !slices.Contains(models, q.model) {
			models = append(models, q.model)
		}
		if q.file {
			recorded = append(recorded, q.purpose)
		} else {
			prompts = append(prompts, q.prompt)
		}
	}
	text := judge + " by " + cmp.Or(strings.Join(models, " and "), "a model that is not named")
	if len(prompts) > 0 {
		text += ", asked " + strings.Join(prompts, " and ")
	}
	if len(recorded) > 0 {
		text += ", from the replies to " + strings.Join(recorded, " and ") +
			" recorded in a file, whose prompts are not known"
	}
	return text
}

// inForm returns the prompt in a form: p, or its paper form.
func inForm(form string, p *prompt.Prompt) *prompt.Prompt {
	if form == formPaper {
		return p.InPaperForm()
	}
	return p
}

// remark is an explanation in a judge's reply. Some judges write an object or a list instead of a string; it is kept
// as JSON text.
type remark string

// UnmarshalJSON accepts any JSON value.
func (r *remark) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil { // also null
		*r = remark(strings.TrimSpace(s))
		return nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, b); err != nil {
		return err
	}
	*r = remark(compact.String())
	return nil
}
