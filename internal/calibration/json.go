package calibration

import (
	"encoding/json"

	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

// MarshalJSON returns the report as one object: n, and the figures of each metric by its key. Shares are fractions,
// and undefined figures are null. Breakdowns, comparisons, the inter-annotator agreement and notes are included if
// they are not empty.
func (r *Report) MarshalJSON() ([]byte, error) {
	out := reportJSON{N: r.N, Metrics: map[string]resultJSON{}, Notes: r.Notes}
	for i := range r.Metrics {
		out.Metrics[r.Metrics[i].Key] = r.Metrics[i].json()
	}
	for _, b := range r.Breakdowns {
		if out.By == nil {
			out.By = map[string][]partJSON{}
		}
		parts := []partJSON{}
		for _, p := range b.Parts {
			part := partJSON{Name: p.Name, N: p.N, Passes: p.Passes, Metrics: map[string]partResultJSON{},
				People: p.People.json()}
			for i := range p.Metrics {
				part.Metrics[p.Metrics[i].Key] = p.Metrics[i].partJSON()
			}
			parts = append(parts, part)
		}
		out.By[b.By] = parts
	}
	for _, c := range r.Comparisons {
		out.Comparisons = append(out.Comparisons, comparisonJSON{
			A: c.A, B: c.B, N: c.N, KappaA: pointer(c.Comparison.A), KappaB: pointer(c.Comparison.B),
			Difference: pointer(c.Difference),
			CI:         ends(c.Interval), P: c.P, Holm: c.Holm, Note: c.Difference.Why,
		})
	}
	out.People = r.People.json()
	if b := r.Backbone; b != nil {
		out.Backbone = &backboneJSON{Current: b.Current, Candidate: b.Candidate, N: b.N, Adopt: b.Adopt,
			AllBetter: b.AllBetter, Why: b.Why, Measures: map[string][2]*float64{}}
		for _, m := range b.Measures {
			out.Backbone.Measures[m.Name] = [2]*float64{pointer(m.Current), pointer(m.Candidate)}
		}
	}
	return json.Marshal(out)
}

type reportJSON struct {
	N           int                   `json:"n"`
	Metrics     map[string]resultJSON `json:"metrics"`
	By          map[string][]partJSON `json:"by,omitempty"`
	Comparisons []comparisonJSON      `json:"comparisons,omitempty"`
	Backbone    *backboneJSON         `json:"backbone,omitempty"`
	People      *peopleJSON           `json:"people,omitempty"`
	Notes       []string              `json:"notes,omitempty"`
}

type partResultJSON struct {
	N int `json:"n"`
	agreement.Confusion
	Kappa            *float64 `json:"kappa"`
	BalancedAccuracy *float64 `json:"balanced_accuracy"`
	PassRate         *float64 `json:"pass_rate"`

	Mean   *float64    `json:"mean"`
	MeanCI *[2]float64 `json:"mean_ci"`
}

type resultJSON struct {
	N int `json:"n"` // cases with a verdict
	agreement.Confusion
	Kappa            *float64    `json:"kappa"`
	KappaCI          *[2]float64 `json:"kappa_ci"`
	Accuracy         *float64    `json:"accuracy"`
	BalancedAccuracy *float64    `json:"balanced_accuracy"`
	MCC              *float64    `json:"mcc"`
	F1               *float64    `json:"f1"`
	Sensitivity      *float64    `json:"sensitivity"`
	Specificity      *float64    `json:"specificity"`
	Threshold        *float64    `json:"threshold"`
	Calls            *float64    `json:"judge_calls_per_case"`

	Of       int      `json:"of"`       // number of labelled cases
	Coverage *float64 `json:"coverage"` // share of cases with a verdict, among those it applies to

	SensitivityCI *[2]float64 `json:"sensitivity_ci"` // 95 % Wilson interval
	SpecificityCI *[2]float64 `json:"specificity_ci"`

	Mean   *float64    `json:"mean"` // of the values on labelled cases
	MeanCI *[2]float64 `json:"mean_ci"`

	Recorded bool                   `json:"recorded_verdicts,omitempty"`
	Chosen   *chosenJSON            `json:"threshold_chosen,omitempty"`
	Without  map[scoring.Status]int `json:"without_verdict,omitempty"`
	Notes    []string               `json:"notes,omitempty"`
}

type chosenJSON struct {
	By         string    `json:"by"`
	Thresholds []float64 `json:"thresholds"`
	Fitted     *float64  `json:"kappa_where_chosen"`
	Before     *float64  `json:"kappa_at_own_threshold"`
}

type partJSON struct {
	Name    string                    `json:"name"`
	N       int                       `json:"n"`
	Passes  int                       `json:"labelled_pass"`
	Metrics map[string]partResultJSON `json:"metrics"`
	People  *peopleJSON               `json:"people,omitempty"`
}

type backboneJSON struct {
	Current   string                 `json:"current"`
	Candidate string                 `json:"candidate"`
	N         int                    `json:"n"`
	Measures  map[string][2]*float64 `json:"measures"` // values for current and candidate, by name
	Adopt     bool                   `json:"adopt"`
	AllBetter bool                   `json:"all_better"`
	Why       string                 `json:"why"`
}

type comparisonJSON struct {
	A          string      `json:"a"`
	B          string      `json:"b"`
	N          int         `json:"n"`
	KappaA     *float64    `json:"kappa_a"`
	KappaB     *float64    `json:"kappa_b"`
	Difference *float64    `json:"difference"`
	CI         *[2]float64 `json:"difference_ci"`
	P          float64     `json:"p"`
	Holm       float64     `json:"p_holm"`
	Note       string      `json:"note,omitempty"`
}

type peopleJSON struct {
	Annotators int      `json:"annotators"`
	Cases      int      `json:"cases"`
	Unanimous  int      `json:"unanimous"`
	Fleiss     *float64 `json:"fleiss_kappa"`
	Alpha      *float64 `json:"krippendorff_alpha"`
}

func (r *Result) json() resultJSON {
	c := r.Confusion
	out := resultJSON{
		N: c.N(), Of: r.Of, Coverage: pointer(r.Coverage), Confusion: c, Kappa: pointer(r.Kappa), KappaCI: ends(r.KappaCI),
		Accuracy:         pointer(c.Accuracy()),
		BalancedAccuracy: pointer(c.BalancedAccuracy()), MCC: pointer(c.MCC()), F1: pointer(c.F1()),
		Sensitivity: pointer(c.Sensitivity()),
		Specificity: pointer(c.Specificity()), Threshold: r.Threshold, Calls: pointer(r.Calls), Recorded: r.Recorded,
		Without: r.Without, Notes: r.Notes,
	}
	out.Mean, out.MeanCI = pointer(r.Mean), ends(r.MeanCI)
	out.SensitivityCI = ends(agreement.Wilson(c.TP, c.Passes(), agreement.DefaultLevel))
	out.SpecificityCI = ends(agreement.Wilson(c.TN, c.Fails(), agreement.DefaultLevel))
	if r.Chosen != nil {
		out.Chosen = &chosenJSON{r.Chosen.How, append([]float64{}, r.Chosen.Thresholds...), pointer(r.Chosen.Fitted),
			pointer(r.Chosen.Before)}
	}
	return out
}

func (r *Result) partJSON() partResultJSON {
	c := r.Confusion
	return partResultJSON{N: c.N(), Confusion: c, Kappa: pointer(r.Kappa), BalancedAccuracy: pointer(c.BalancedAccuracy()),
		PassRate: pointer(c.PassRate()), Mean: pointer(r.Mean), MeanCI: ends(r.MeanCI)}
}

func (p *People) json() *peopleJSON {
	if p == nil {
		return nil
	}
	return &peopleJSON{p.Annotators, p.Cases, p.Unanimous, pointer(p.Fleiss), pointer(p.Alpha)}
}

// pointer returns the value of a statistic, or nil if it is undefined.
func pointer(s agreement.Stat) *float64 {
	if !s.Defined {
		return nil
	}
	return &s.Value
}

func ends(i agreement.Interval) *[2]float64 {
	if !i.Defined {
		return nil
	}
	return &[2]float64{i.Lo, i.Hi}
}
