package metric

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/prompt"
)

func init() {
	register(scoring.Metric{
		Name: "rose", Display: "Answers the question (ROSE)",
		Version: 2, Group: "judge",
		Branch: scoring.BranchSQL, FailedQuery: scoring.FailedIsZero,
		Needs: scoring.FieldJudge | scoring.FieldQuestion | scoring.FieldPredSQL | scoring.FieldGoldSQL,
		Reads: circumstance,
		Summary: "Whether the query does what the question asks for, by two judges: the Prover, who sees no reference, must accept it, and the Refuter, who uses the " +
			"reference as evidence against it, must not overturn that. Also tells wrong references (GoldX) and ambiguous questions (AmbQ).",
		Range: "0 or 1",
		Formula: "0 if the results differ and the Prover rejects the answer; else 0 if the Refuter overturns the Prover; " +
			"else 1. Results are the same if they hold the same rows equally often under some order of the columns, as " +
			"in the published runs. Then there is no Prover call, and the Refuter sees neither results nor a Prover's " +
			"reason. Results count as different if one is not given. 1 or 2 calls. Detail: the replies; gold_x, the " +
			"Refuter calls the gold query wrong; amb_q and amb_schema, it finds the question or the schema ambiguous " +
			"(null without a Refuter call); judge, the tag rose_<model>-<yymm> that a reported score must carry; form, whether the prompt of the Refuter " +
			"described how the results differ (own) or did not, as in the paper (paper); criteria, the acceptance criteria that were set by the options criteria and rules.",
		Source:    "ROSE, sections 4.1 to 4.3, appendices B (score), E.1 (tag) and O (the information for the judges)",
		Gaming:    "The Prover may be talked to by comments and names in the agent's query. Everything from the case is set off as material, the Refuter sees gold where the results differ, and a reply that is missing is a failure and never a pass. calibrate measures the judge on labels.",
		Example:   "the results differ, the Prover accepts, the Refuter upholds and calls the reference wrong: 1, gold_x.",
		Threshold: scoring.At(1),
		Options:   roseDeclared.OptionSet,
		Score:     rose,
	})
}

type roseOptions struct {
	Model    string `json:"model"`
	Released string `json:"released"`
	Refuter  bool   `json:"refuter"`
	Form     string `json:"form"`

	Criteria map[string]string `json:"criteria"`
	Rules    []string          `json:"rules"`
}

var roseDeclared = scoring.DeclareOptions(roseOptions{Refuter: true, Form: formOwn}, (*roseOptions).check,
	scoring.Option{Name: "model", Unset: "that of the backend", Doc: "The name of the judge's model, for the tag."},
	scoring.Option{Name: "released", Unset: "that of the backend's model, if known",
		Doc: "The month of the model's release as yymm, for the tag."},
	scoring.Option{Name: "refuter",
		Doc: "Whether the Refuter is asked; false is the Prover alone, which is then asked in every case."},
	formOption,
	scoring.Option{Name: "criteria", Unset: "those of the paper",
		Doc: "Acceptance criteria that replace the paper's, such as {\"duplicates\": \"forbidden\"}. " + criteriaInWords()},
	scoring.Option{Name: "rules", Doc: "Further acceptance criteria, a sentence each."},
)

var yymm = lazyregexp.New(`^[0-9]{2}(0[1-9]|1[0-2])$`)

func (o *roseOptions) check() error {
	if o.Released != "" && !yymm.MatchString(o.Released) {
		return errcode.New(errcode.InvalidArgument,
			"option released is %.20q, expected the month of the model's release as yymm", o.Released)
	}
	for i, rule := range o.Rules {
		if strings.TrimSpace(rule) == "" {
			return errcode.New(errcode.InvalidArgument, "option rules[%d] is empty, expected a sentence", i)
		}
	}
	return checkCriteria(o.Criteria)
}

// proverReply is the Prover's reply. Only Verdict affects the score.
type proverReply struct {
	ExpectedAnswer remark `json:"expected_answer,omitempty"`
	SQLDescription remark `json:"sql_description,omitempty"`
	Reason         remark `json:"reason"`
	Verdict        bool   `json:"verdict"` // true: the query answers the question
	Evidence       remark `json:"evidence,omitempty"`
}

// refuterReply is the Refuter's reply.
type refuterReply struct {
	Judgement   string `json:"judgement"`
	Verdict     bool   `json:"verdict"` // true: the query is overturned
	Ambiguity   string `json:"ambiguity"`
	GoldCorrect bool   `json:"gold_correct"`
}

// roseDetail is the evidence of the metric rose.
type roseDetail struct {
	Judge     string        `json:"judge,omitempty"`
	Form      string        `json:"form"`               // of the prompts: own or paper
	Criteria  string        `json:"criteria,omitempty"` // additional criteria shown to the judges
	Results   relation      `json:"results"`
	Prover    *proverReply  `json:"prover,omitempty"`
	Refuter   *refuterReply `json:"refuter,omitempty"`
	GoldX     *bool         `json:"gold_x"`
	AmbQ      *bool         `json:"amb_q"`
	AmbSchema *bool         `json:"amb_schema"`

	asked          []reliedOn
	counterexample string // shown to the Refuter; "" if none was found
	proverAlone    bool   // an acceptance by the Prover is final, since other evidence supports the answer
}

func rose(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	o, err := roseDeclared.Read(in)
	if err != nil {
		return scoring.Score{}, err
	}
	results, err := relationInAnyOrder(ctx, in)
	if err != nil {
		return scoring.Score{}, err
	}
	d := roseDetail{Results: results}
	value, reason, err := d.cascade(ctx, in, &o)
	if err != nil {
		return scoring.Score{}, err
	}
	s := scoring.OK(value, reason)
	s.Detail = d
	if d.Results == resultsUnknown {
		s.Warnings = append(s.Warnings, "a result is not given: the judges went by the queries")
	}
	return s, nil
}

// cascade asks the Prover if the results differ, and the Refuter if the answer is accepted so far. It returns the
// value and the reason of the score.
func (d *roseDetail) cascade(ctx context.Context, in *scoring.Input, o *roseOptions) (float64, string, error) {
	const proverAsked, refuterAsked = "rose/prover", "rose/refuter"
	d.Form, d.Criteria = o.Form, o.criteria()
	m := materialOf(in, d.Results)
	m.Criteria = d.Criteria
	if d.Form == formOwn {
		m.Counterexample = d.counterexample
	}
	refuter := o.Refuter
	ask := func(p *prompt.Prompt, into any) error {
		r := inForm(o.Form, p).Request(m)
		resp, err := in.AskOnceResponse(ctx, r, into)
		q := answeredBy(in, r, resp)
		d.asked = append(d.asked, q)
		d.Judge = versionTag("rose", o.Model, o.Released, q.model)
		return err
	}
	same := d.Results == resultsSame
	if in.Recorded(proverAsked) {
		same = false // replies of a recorded run, which compared its own results
	} else if in.Recorded(refuterAsked) && d.Results == resultsUnknown {
		same = true
	}
	if !same || !refuter {
		d.Prover = &proverReply{}
		if err := ask(prompt.ROSEProver, d.Prover); err != nil {
			return 0, "", err
		}
		if !d.Prover.Verdict {
			return 0, "the Prover rejects the query", nil
		}
		if !refuter {
			return 1, "the Prover accepts the query; the Refuter is switched off", nil
		}
		if d.proverAlone {
			return 1, "the Prover accepts the query, and people mostly accept answers so related", nil
		}
		m.Opinion = string(d.Prover.Reason)
	}
	question := prompt.ROSERefuterSame
	if !same {
		question, m.Relation = prompt.ROSERefuter, relationText(in)
	}
	d.Refuter = &refuterReply{}
	if err := ask(question, d.Refuter); err != nil {
		return 0, "", err
	}
	d.label()
	why := "the results are the same"
	if d.Results == resultsUnknown {
		why = "the run that was recorded asked no Prover, as of equal results"
	}
	switch {
	case d.Refuter.Verdict && same:
		return 0, why + ", the Refuter rejects the query", nil
	case d.Refuter.Verdict:
		return 0, "the Prover accepts the query, the Refuter overturns that", nil
	case same:
		return 1, why + ", the Refuter finds no fault", nil
	}
	return 1, "the Prover accepts the query, the Refuter upholds that", nil
}

// label sets the diagnostic labels from the Refuter's reply: gold is incorrect, the question is ambiguous, the schema
// is ambiguous.
func (d *roseDetail) label() {
	goldX := !d.Refuter.GoldCorrect
	question := strings.Contains(d.Refuter.Ambiguity, "ambiguous question")
	schema := strings.Contains(d.Refuter.Ambiguity, "ambiguous schema")
	d.GoldX, d.AmbQ, d.AmbSchema = &goldX, &question, &schema
}

// versionTag returns metric_model-yymm (ROSE, appendix E.1). A part that is not configured is taken from the
// backend's model name, which may end with a date.
func versionTag(metric, model, released, backend string) string {
	if month, dated := judgebackend.Released(backend); dated {
		backend = judgebackend.Undated(backend)
		if released == "" && model == "" {
			released = month
		}
	}
	if model == "" {
		model = backend
	}
	switch {
	case model == "":
		return ""
	case released == "":
		return metric + "_" + model
	}
	return metric + "_" + model + "-" + released
}

// Tagged returns the version tag of the judge of a score of rose or verdict, such as rose_o3-2504, and whether the
// tag has a month. The tag is empty if the score has none. The detail of the score may be a Go value or JSON.
func Tagged(s *scoring.Score) (tag string, month bool) {
	switch d := s.Detail.(type) {
	case roseDetail:
		tag = d.Judge
	case verdictDetail:
		if d.ROSE != nil {
			tag = d.ROSE.Judge
		}
	case json.RawMessage:
		if s.Metric != "rose" && s.Metric != "verdict" {
			return "", false
		}
		var stored struct {
			Judge string `json:"judge"`
			ROSE  struct {
				Judge string `json:"judge"`
			} `json:"rose"`
		}
		if json.Unmarshal(d, &stored) == nil {
			tag = cmp.Or(stored.Judge, stored.ROSE.Judge)
		}
	}
	_, month = judgebackend.Released(tag)
	return tag, month
}
