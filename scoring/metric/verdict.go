package metric

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	cex "github.com/badger-eval/badger/scoring/counterexample"
	"github.com/badger-eval/badger/scoring/policy"
	relations "github.com/badger-eval/badger/scoring/relation"
	"github.com/badger-eval/badger/scoring/sqlproof"
)

func init() {
	register(scoring.Metric{
		Name: "verdict", Display: "Verdict",
		Version: 14, Group: "verdict",
		Context: scoring.FieldResponse | scoring.FieldBehaviour,
		Branch:  scoring.BranchSQL,
		FailedQuery: scoring.FailedQuery{Status: scoring.StatusOK, Own: true,
			Why: "if the question calls for a refusal or a clarification, the value of refusal"},
		Reads: scoring.FieldQuestion | scoring.FieldGoldSQL | scoring.FieldPredSQL | circumstance | scoring.FieldJudge,
		Summary: "Whether the answer is right, as a gate for teams. The evidence decides if people agree on " +
			"answers that differ from gold in this way. Otherwise a judge decides, if one is configured.",
		Range: "1 right, 0 wrong",
		Formula: "0 if the agent's query failed. 1 by evidence if the relation between the two results (metric relation) " +
			"passes under the policy. The policy answer asks whether the delivered data answers the question. The " +
			"policy logic asks whether the query would remain right if the data changed. It requires a proof that both " +
			"queries are equal, by rules that hold on every database with the schema; results that differ outrank a " +
			"proof. A table made from labelled cases lists the relations that pass (docs/eval/verdict.md). Evidence only " +
			"accepts. The judge decides every other answer: rose (1 or 2 calls) or flex (1 call), by the option judge, " +
			"asked with the options of that metric. The Refuter of rose is not asked where the Prover accepts an answer whose " +
			"relation people accept with a chance of at least prover_alone. " +
			"Without a judge the score is abstained, or with the option without_judge set to guess it is the decision " +
			"that people made more often. If the question calls for a refusal or a clarification, the verdict is that " +
			"of the metric refusal. Detail: policy; decided_by (evidence, judge or guess); relation with its sentence; " +
			"chance that people accept an answer with this relation; confidence from 0 to 1; rests_on, the evidence for the verdict in one line; the judge's replies.",
		Source: "own; evidence before judge: docs/design/0001-evidence-first.md. The judges are ROSE, section 4, and FLEX, section 5. After a " +
			"judge decided, confidence follows from Bayes' rule on chance, for a judge who is right judge_accuracy of " +
			"the time (0.85 by default)",
		Gaming:    "An answer that has an accepted relation to gold by chance passes without a judge, which is likelier the fewer cells carry the proof: SELECT 42 FROM orders LIMIT 1 passes where gold is 42. Relations pass once two labels show them, such as extra_columns: SELECT * with unrequested columns passes. By_chance is a separate relation, and policy logic also judges the query. What a judge decides rests on that judge.",
		Example:   "gold (agency, clients) = (1, 2), (3, 1); agent (1, 2), (2, 0), (3, 1): 1 by evidence, zero_filled. Agent (1, 2), (3, 7): the judge is asked.",
		Threshold: scoring.At(1),
		Options:   verdictDeclared.OptionSet,
		Score:     verdict,
	})
}

type verdictOptions struct {
	Policy        policy.Policy `json:"policy"`
	Judge         string        `json:"judge"`
	WithoutJudge  string        `json:"without_judge"`
	JudgeAccuracy float64       `json:"judge_accuracy"`
	ProverAlone   float64       `json:"prover_alone"`
	Table         string        `json:"table"`

	Counterexample bool `json:"counterexample"`
}

var verdictDeclared = scoring.DeclareOptions(
	verdictOptions{Policy: policy.Answer, Judge: "rose", WithoutJudge: "abstain", JudgeAccuracy: 0.85,
		ProverAlone: policy.AcceptFrom},
	func(o *verdictOptions) error {
		_, err := o.policies()
		return err
	},
	scoring.Option{
		Name: "policy", Choices: []string{string(policy.Answer), string(policy.Logic)},
		Doc: "The subject of the verdict: answer, whether the delivered data answers the question; logic, whether the query would stay correct when the data changes.",
	},
	scoring.Option{Name: "judge", Choices: []string{"rose", "flex"}, Doc: "The judge that decides if evidence cannot."},
	scoring.Option{
		Name: "without_judge", Choices: []string{"abstain", "guess"},
		Doc: "What to do without a judge: abstain, or guess the side that people more often took.",
	},
	scoring.Option{Name: "judge_accuracy", Min: scoring.At(0.5), Max: scoring.At(1),
		Doc: "How often the judge is right; the confidence rests on it."},
	scoring.Option{
		Name: "prover_alone", Min: scoring.At(0), Max: scoring.At(1),
		Doc: "The chance that people accept the relation from which ROSE's Prover is believed when it accepts too, without the Refuter's call. At 1 the Refuter is always asked.",
	},
	scoring.Option{Name: "table", Unset: "the delivered table",
		Doc: "The text of a table of policies, as badger policy --out writes it."},
	scoring.Option{
		Name: "counterexample",
		Doc: "Whether to search for a counterexample if the results are the same (the metric counterexample, with its options). Under the policy logic an answer passes by evidence if the search finds none. " +
			"A counterexample that is found is shown to the judge. Under answer it decides nothing.",
	},
)

// policies returns the policy table in the options, or the default table if they have none.
func (o *verdictOptions) policies() (*policy.Table, error) {
	if o.Table == "" {
		return policy.Default(), nil
	}
	if last := lastTable.Load(); last != nil && last.text == o.Table {
		return last.table, nil
	}
	t, err := policy.Parse([]byte(o.Table))
	if err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "option table: %w", err)
	}
	lastTable.Store(&readTable{o.Table, t})
	return t, nil
}

// lastTable is the table that was parsed last. It is reused, since a deployment usually has one table for all cases.
var lastTable atomic.Pointer[readTable]

type readTable struct {
	text  string
	table *policy.Table
}

// verdictDetail is the evidence of the metric verdict.
type verdictDetail struct {
	Policy     policy.Policy   `json:"policy"`
	DecidedBy  string          `json:"decided_by"` // evidence, judge or guess
	Relation   string          `json:"relation,omitempty"`
	Class      relations.Class `json:"class,omitempty"`
	Why        string          `json:"why,omitempty"`    // describes the relation in one sentence
	Chance     *float64        `json:"chance,omitempty"` // probability that people accept an answer with this relation
	Confidence float64         `json:"confidence"`       // probability that this verdict is right
	// both queries are proven to be equivalent, and the given results do not contradict this
	SameQuery bool            `json:"same_query"`
	Proof     *sqlproof.Proof `json:"proof,omitempty"` // how
	RestsOn   string          `json:"rests_on"`        // describes the basis of the verdict in one line
	ROSE      *roseDetail     `json:"rose,omitempty"`
	FLEX      *flexDetail     `json:"flex,omitempty"`

	Counterexample *searchedPair `json:"counterexample,omitempty"` // set if a search was made

	told string // the description of the counterexample for the judge
}

// searchedPair is the result of the search for a counterexample.
type searchedPair struct {
	Found     bool   `json:"found"`
	Realistic bool   `json:"realistic"`
	Tries     int    `json:"tries"`              // number of databases that were tried
	Rows      int    `json:"rows,omitempty"`     // maximum number of rows in a table
	Sentence  string `json:"sentence,omitempty"` // describes the counterexample
	Why       string `json:"why,omitempty"`      // why the search was not made or had no outcome
}

func verdict(ctx context.Context, in *scoring.Input) (scoring.Score, error) {
	o, err := verdictDeclared.Read(in)
	if err != nil {
		return scoring.Score{}, err
	}
	table, err := o.policies()
	if err != nil {
		return scoring.Score{}, err
	}
	d := verdictDetail{Policy: o.Policy, DecidedBy: "evidence", Confidence: 1}
	if s, done, err := d.withoutComparison(in); done || err != nil {
		return s, err
	}
	first, warning := d.relate(ctx, in)
	s, err := d.decide(ctx, in, &o, table, first)
	if warning != "" && err == nil {
		s.Warnings = append(s.Warnings, warning)
	}
	return s, err
}

// decide returns the score for the relation first. It passes if the policy table's row does, or under the policy
// logic if no counterexample is found. Otherwise the judge decides, or without one the row's chance (a guess), unless
// the option is to abstain.
func (d *verdictDetail) decide(ctx context.Context, in *scoring.Input, o *verdictOptions, table *policy.Table,
	first relations.Relation) (scoring.Score, error) {
	row := table.Row(o.Policy, first)
	if row.Passes && first.Name != policy.SameQuery {
		first = outOfOrder(in, first)
		row = table.Row(o.Policy, first)
	}
	d.Relation, d.Class, d.Why, d.Chance, d.Confidence = first.Name, row.Class, first.Text, &row.Chance, row.Chance
	none, err := d.search(ctx, in, o, &first)
	if err != nil {
		return scoring.Score{}, err
	}
	if none && o.Policy == policy.Logic && !row.Passes {
		d.Confidence = unrefuted
		d.RestsOn = fmt.Sprintf(
			"evidence: the results are the same (%s), and no counterexample was found on %s; nobody was asked", first.Name,
			searched(&cex.Outcome{Tries: d.Counterexample.Tries, Rows: d.Counterexample.Rows}))
		s := scoring.OK(1, first.Text+" No counterexample was found.")
		s.Detail = *d
		return s, nil
	}
	if row.Passes {
		d.RestsOn = fmt.Sprintf("evidence: the relation %s passes under the policy %s; nobody was asked", first.Name,
			o.Policy)
		s := scoring.OK(1, first.Text)
		s.Detail = *d
		return s, nil
	}
	if question := map[string]string{"rose": "rose/prover", "flex": "flex"}[o.Judge]; in.HasJudge(question) ||
		o.Judge == "rose" && in.HasJudge("rose/refuter") {
		return d.byJudge(ctx, in, o, first.Text)
	}
	d.RestsOn = "nothing: the evidence leaves it open, and nobody was asked"
	if o.WithoutJudge == "abstain" {
		s := scoring.Abstain("the evidence leaves it open, and no judge is configured")
		if in.Gold.Error != "" {
			d.RestsOn = "nothing: the gold query failed when it ran, and no judge was asked"
			s = scoring.Abstain("the gold query failed when it ran, so there is nothing to compare the answer with, and no judge is configured; the gold query is at fault, not the answer")
		}
		s.Detail = *d
		return s, nil
	}
	d.RestsOn = fmt.Sprintf("a guess: people accept %.0f %% of the answers with the relation %s", 100*row.Chance,
		first.Name)
	d.DecidedBy, d.Confidence = "guess", max(row.Chance, 1-row.Chance)
	s := scoring.OK(0, "a guess, for nobody was asked: "+first.Text)
	if row.Chance > 0.5 {
		s.Value = 1
	}
	s.Detail = *d
	return s, nil
}

// unrefuted is the share of answers that annotators accept under the policy logic (docs/eval/verdict.md), among
// answers with the same result as gold for which no counterexample was found.
const unrefuted = 0.88

// search searches for a counterexample if the results are equivalent, unless the queries are proven to be equivalent
// or the option is off. none is true if the search was completed and found none.
func (d *verdictDetail) search(ctx context.Context, in *scoring.Input, o *verdictOptions,
	first *relations.Relation) (none bool, err error) {
	if !o.Counterexample || first.Class != relations.Equivalent || d.SameQuery {
		return false, nil
	}
	if script(in, goldSide).Final() == nil || script(in, predSide).Final() == nil {
		return false, nil
	}
	found, err := searchCounterexample(ctx, in)
	if err != nil {
		return false, err
	}
	d.Counterexample = &searchedPair{Found: found.Found, Realistic: found.Realistic, Tries: found.Tries, Rows: found.Rows,
		Sentence: found.Sentence, Why: found.Why}
	if found.Found {
		d.told = inWords(found)
	}
	return found.Why == "" && !found.Found, nil
}

// inWords returns the sentence of a counterexample and its tables, one line each, for a judge. It omits the facts
// that the counterexample violates, since no judge may see statistics of the warehouse.
func inWords(found *cex.Outcome) string {
	var b strings.Builder
	b.WriteString(found.Sentence)
	if !found.Realistic {
		b.WriteString(". No realistic database that was tried shows a difference")
	}
	for _, t := range found.Tables {
		rows := make([]string, len(t.Rows))
		for i, row := range t.Rows {
			cells := make([]string, len(row))
			for k, v := range row {
				cells[k] = v.SQL()
			}
			rows[i] = "(" + strings.Join(cells, ", ") + ")"
		}
		fmt.Fprintf(&b, "\n%s (%s): %s", t.Name, strings.Join(t.Columns, ", "), cmp.Or(strings.Join(rows, ", "), "no rows"))
	}
	return b.String()
}

// withoutComparison returns the verdict and true if there are not two answers to compare, such as if the agent's
// query failed or the question calls for a refusal.
func (d *verdictDetail) withoutComparison(in *scoring.Input) (s scoring.Score, done bool, err error) {
	held := strings.TrimSpace(in.Pred.SQL) == "" && in.Pred.Result.Absent()
	switch behaviour := in.Case.Expected.Behaviour; {
	case behaviour != "" && behaviour != scoring.BehaviourAnswer:
		if s, err = in.ScoreOf("refusal"); err != nil {
			return s, true, err
		}
		d.Relation, s.Label = s.Label, ""
	case in.Pred.Error != "":
		s = scoring.OK(0, "the agent's query failed when it ran")
		d.Relation = relations.QueryFailed
	case held && in.Case.Agent.Response != "":
		s = scoring.OK(0, "the agent gave neither a query nor a result")
	case held:
		return scoring.NotApplicable(scoring.NoPred), true, nil
	case in.Gold == nil || strings.TrimSpace(in.Gold.SQL) == "" && in.Gold.Result.Absent():
		return scoring.NotApplicable(scoring.NoGold), true, nil
	default:
		return s, false, nil
	}
	d.RestsOn = "evidence: " + s.Reason
	s.Detail = *d
	return s, true, nil
}

// relate returns the relation that determines the verdict: that of the queries if they are proven to be equivalent
// and the policy is logic or a result is missing; else that of the results; without results, a relation of the
// queries. warning reports a refuted proof.
func (d *verdictDetail) relate(ctx context.Context, in *scoring.Input) (first relations.Relation, warning string) {
	found := relationsOf(in)
	if uninformativeGold(in) != "" {
		found = nil // the relation of the results is due to chance
	}
	if strings.TrimSpace(in.Gold.SQL) != "" && strings.TrimSpace(in.Pred.SQL) != "" {
		d.Proof, warning = soundProof(ctx, in)
		d.SameQuery = d.Proof != nil
	}
	switch {
	case d.SameQuery && (d.Policy == policy.Logic || found == nil):
		return relations.Relation{Name: policy.SameQuery, Class: relations.Equivalent,
			Text: "Both queries are proven to be the same."}, ""
	case found == nil:
		return withoutResults(in), warning
	}
	return found[0], warning
}

// outOfOrder returns the relation "reordered" if the results have it: the rows are not in the order that the question
// asks for. Otherwise it returns first.
func outOfOrder(in *scoring.Input, first relations.Relation) relations.Relation {
	for _, r := range relationsOf(in) {
		if r.Name == "reordered" {
			return r
		}
	}
	return first
}

// withoutResults returns the relation if a result is missing: the first known difference of the queries, or that they
// differ in an unknown way.
func withoutResults(in *scoring.Input) relations.Relation {
	differ := relations.Queries(relationInput(in))
	if len(differ) == 0 {
		return relations.Relation{Name: policy.NoResults, Class: relations.Defensible,
			Text: "A result is not given; the queries differ, in no way that has a name."}
	}
	r := differ[0]
	r.Name = policy.NoResults + "/" + r.Name
	r.Text = "A result is not given. " + r.Text
	return r
}

// byJudge returns the judge's verdict. It asks with the options of the metric rose or flex, so that replies are
// shared with that metric. The prompt includes relation, unless the form is the paper's.
func (d *verdictDetail) byJudge(ctx context.Context, in *scoring.Input, o *verdictOptions,
	relation string) (scoring.Score, error) {
	d.DecidedBy = "judge"
	var value float64
	var reason string
	var err error
	if o.Judge == "flex" {
		var flex flexOptions
		if flex, err = flexDeclared.ReadOf(in, "flex"); err == nil {
			d.FLEX = &flexDetail{Results: relationOf(in, false), Form: flex.Form, counterexample: d.told}
			value, reason, err = d.FLEX.ask(ctx, in)
		}
	} else {
		var rose roseOptions
		if rose, err = roseDeclared.ReadOf(in, "rose"); err == nil {
			d.ROSE = &roseDetail{counterexample: d.told}
			if d.ROSE.Results, err = relationInAnyOrder(ctx, in); err == nil {
				d.ROSE.proverAlone = rose.Refuter && d.proverSuffices(in, o)
				value, reason, err = d.ROSE.cascade(ctx, in, &rose)
			}
		}
	}
	if err != nil {
		return scoring.Score{}, err
	}
	// the weights of an acceptance being right and being wrong
	right, wrong := o.JudgeAccuracy**d.Chance, (1-o.JudgeAccuracy)*(1-*d.Chance)
	if value == 0 {
		right, wrong = o.JudgeAccuracy*(1-*d.Chance), (1-o.JudgeAccuracy)**d.Chance
	}
	d.Confidence = right / (right + wrong)
	var asked []reliedOn
	if d.FLEX != nil {
		asked = d.FLEX.asked
	} else {
		asked = d.ROSE.asked
	}
	d.RestsOn = restsOn(o.Judge, asked) +
		fmt.Sprintf("; the evidence (%s, accepted by people with a chance of %.2f) left it open", d.Relation, *d.Chance)
	s := scoring.OK(value, fmt.Sprintf("%s. %s", strings.TrimSuffix(reason, "."), relation))
	s.Detail = *d
	return s, nil
}

// proverSuffices reports whether the Prover's acceptance is final: the results differ, and the chance that people
// accept such an answer is at least the option's value. If that is 1, the Refuter is always asked.
func (d *verdictDetail) proverSuffices(in *scoring.Input, o *verdictOptions) bool {
	// a recorded run has no Prover's reply if it considered the results equal
	asked := in.Recorded("rose/prover") || !in.Recorded("rose/refuter")
	return asked && d.ROSE.Results != resultsSame && o.ProverAlone < 1 && *d.Chance >= o.ProverAlone
}

// ProverAccepts returns the verdict of ROSE's Prover in a score of the metric rose. ok is false if the Prover was not
// asked.
func ProverAccepts(s scoring.Score) (accepts, ok bool) {
	d, ok := s.Detail.(roseDetail)
	if !ok || d.Prover == nil {
		return false, false
	}
	return d.Prover.Verdict, true
}

// DecidingRelation returns the relation that determined a verdict. ok is false if none did, for example because the
// agent's query failed.
func DecidingRelation(s scoring.Score) (r relations.Relation, ok bool) {
	d, ok := s.Detail.(verdictDetail)
	if !ok || d.Class == "" {
		return r, false
	}
	return relations.Relation{Name: d.Relation, Class: d.Class}, true
}
