package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/agreement"
)

// SentinelReply is the verdict of a judge on a case of a sentinel set, in one asking.
type SentinelReply struct {
	Asking string // ID of the asking: one call of badger judge sentinel, or of a run
	At     time.Time
	Metric string
	Judge  string // such as openai:gpt-4o
	scoring.AnswerID
	Prompt   string // version of the prompt
	Question string // hash of all that determines the verdict other than the judge's reply; "" without a reply
	Served   []Served
	Passed   *bool  // nil: the judge gave no verdict
	Label    *bool  // the human label when the judge was asked; nil if the case has none
	Code     string // code of the error without a verdict; may be ""
	Latest   bool   // of the asking that is reported: it is the latest, whatever the times say
}

// Served is what an endpoint reports about the model that gave a reply.
type Served struct {
	Model       string `json:"model"`
	Fingerprint string `json:"fingerprint,omitempty"`
}

// String returns the model with its fingerprint, if any.
func (s Served) String() string {
	if s.Fingerprint == "" {
		return s.Model
	}
	return s.Model + " (" + s.Fingerprint + ")"
}

// Outcomes of a judge's latest asking.
const (
	Changed       = "changed"
	NoChangeShown = "no change shown"
	FirstAsking   = "nothing to compare with" // no earlier reply to the same questions
	Unmeasured    = "not measured"            // no verdict, or on less than half of the cases that were judged before
)

// Drift is the comparison of judges with themselves: their replies to the same questions on several occasions.
type Drift struct {
	Alpha    float64      `json:"alpha"`
	Excluded int          `json:"askings_before_since,omitempty"` // of all judges
	Judges   []JudgeDrift `json:"judges"`
}

// JudgeDrift is the comparison of the latest asking of a metric's judge with its earlier ones.
type JudgeDrift struct {
	Metric  string    `json:"metric"`
	Judge   string    `json:"judge"`
	Prompts []string  `json:"prompt_versions"`
	Asking  string    `json:"asking"`
	At      time.Time `json:"at"`
	Outcome string    `json:"outcome"`

	Look    int       `json:"look"`                 // number of comparisons so far, this one included; 0 if there is none
	Earlier int       `json:"earlier_askings"`      // askings that this one is compared with
	Since   time.Time `json:"since,omitzero"`       // the first of them
	Cases   int       `json:"cases"`                // compared
	New     int       `json:"new"`                  // cases with a verdict, but without an earlier one on the same question
	Silent  int       `json:"without_verdict"`      // replies of this asking without a verdict
	Lost    int       `json:"lost"`                 // cases without a verdict that were judged before
	Code    string    `json:"first_code,omitempty"` // of the first reply without a verdict
	Labeled int       `json:"labeled"`              // compared cases with a label

	ToPass []string `json:"to_pass"` // cases that usually failed and pass now
	ToFail []string `json:"to_fail"`

	PassRate *DriftTest `json:"pass_rate"`          // share of cases that pass; nil if nothing was compared
	Self     *selfTest  `json:"self_disagreement"`  // verdicts that differ from the usual one; nil with one verdict on each side
	Correct  *DriftTest `json:"accuracy,omitempty"` // share of labeled cases with the label's verdict; nil without labels

	Served    []Served `json:"served"`               // models that replied in this asking
	NewServed []Served `json:"new_served,omitempty"` // those that no earlier asking met, if any was recorded
	Findings  []string `json:"findings"`             // sentences, not escaped; none if no change is shown
	// Past are the askings that were compared, the oldest first; the last one is this.
	Past []driftLook `json:"past"`
}

// DriftTest compares a share of now with that of earlier askings, on the same cases.
type DriftTest struct {
	Before   float64    `json:"before"`
	Now      float64    `json:"now"`
	Change   float64    `json:"change"` // mean over the cases
	CI       [2]float64 `json:"ci"`     // 95 %, not adjusted
	P        float64    `json:"p"`
	Adjusted float64    `json:"p_adjusted"` // for the tests of the judge (Holm), and for the looks
}

// selfTest compares the number of verdicts that differ from the usual one with the number that noise explains.
type selfTest struct {
	Verdicts int        `json:"verdicts"`
	Differ   float64    `json:"differ"`
	Expected float64    `json:"expected"` // by the variation between earlier askings
	Rate     float64    `json:"rate"`
	CI       [2]float64 `json:"ci"` // 95 % interval of the rate
	P        float64    `json:"p"`
	Adjusted float64    `json:"p_adjusted"`
}

// driftLook is the outcome of one comparison.
type driftLook struct {
	Asking   string    `json:"asking"`
	At       time.Time `json:"at"`
	Outcome  string    `json:"outcome"`
	Cases    int       `json:"cases"`
	Differ   float64   `json:"differ"`
	Expected float64   `json:"expected"`
	Adjusted float64   `json:"p_adjusted"` // the least of its tests
	Served   []Served  `json:"new_served,omitempty"`
}

// NewDrift compares the latest asking of each metric's judge with its earlier ones. Only verdicts on the same question
// are compared: the same prompt, judge, settings and version of the metric. The verdicts of an asking that is found to
// have changed are not a reference for later ones, so that a change that lasts is found each time. Replies before since
// are ignored: it is the day of a change that was accepted, or zero. alpha is the probability that a judge which never
// changes is ever found to have changed. Judges are sorted by metric and name.
func NewDrift(replies []SentinelReply, since time.Time, alpha float64) *Drift {
	d := &Drift{Alpha: cmp.Or(alpha, 0.05), Judges: []JudgeDrift{}}
	type key struct{ metric, judge string }
	of := map[key][]SentinelReply{}
	excluded := map[string]bool{}
	for i := range replies {
		r := &replies[i]
		if r.At.Before(since) && !r.Latest {
			excluded[r.Asking] = true
		} else {
			k := key{r.Metric, r.Judge}
			of[k] = append(of[k], *r)
		}
	}
	d.Excluded = len(excluded)
	for _, k := range slices.SortedFunc(maps.Keys(of), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.metric, b.metric), cmp.Compare(a.judge, b.judge))
	}) {
		d.Judges = append(d.Judges, driftOf(of[k], d.Alpha))
	}
	return d
}

// Changed returns the judges whose latest asking shows a change.
func (d *Drift) Changed() (out []*JudgeDrift) {
	for i := range d.Judges {
		if d.Judges[i].Outcome == Changed {
			out = append(out, &d.Judges[i])
		}
	}
	return out
}

// LatestAsking marks the replies of an asking as the latest, and removes the judges that it did not ask. Without an
// asking, "", it removes the replies that are later than now. later is the number of other askings that are.
func LatestAsking(replies []SentinelReply, asking string, now time.Time) (kept []SentinelReply, later int) {
	type key struct{ metric, judge string }
	asked, after := map[key]bool{}, map[string]bool{}
	for i := range replies {
		r := &replies[i]
		r.Latest = asking != "" && r.Asking == asking
		asked[key{r.Metric, r.Judge}] = asked[key{r.Metric, r.Judge}] || r.Latest
		if r.At.After(now) && !r.Latest {
			after[r.Asking] = true
		}
	}
	for i := range replies {
		r := &replies[i]
		if asking == "" && !after[r.Asking] || asking != "" && asked[key{r.Metric, r.Judge}] {
			kept = append(kept, *r)
		}
	}
	return kept, len(after)
}

// tallied counts the verdicts on a case's question.
type tallied struct{ passed, of int }

// question identifies what verdicts are comparable: a case, and the question that was asked about it.
type question struct {
	scoring.AnswerID
	hash string
}

// reference holds the verdicts that an asking is compared with.
type reference struct {
	of      map[question]tallied
	askings int
	since   time.Time
	served  map[Served]bool
	judged  map[scoring.AnswerID]bool // with a verdict on some question
}

// driftOf compares the askings of one judge, one after the other, and returns the last comparison.
func driftOf(replies []SentinelReply, alpha float64) JudgeDrift {
	slices.SortStableFunc(replies, func(a, b SentinelReply) int {
		switch {
		case a.Latest != b.Latest && a.Latest:
			return 1
		case a.Latest != b.Latest:
			return -1
		}
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Asking, b.Asking))
	})
	var askings [][]SentinelReply // the replies of an asking may have different times
	at := map[string]int{}
	for i := range replies {
		n, is := at[replies[i].Asking]
		if !is {
			n = len(askings)
			at[replies[i].Asking], askings = n, append(askings, nil)
		}
		askings[n] = append(askings[n], replies[i])
	}
	ref := &reference{of: map[question]tallied{}, served: map[Served]bool{}, judged: map[scoring.AnswerID]bool{}}
	looks, past := 0, []driftLook{}
	var last JudgeDrift
	for i, asking := range askings {
		last = compareAsking(asking, ref, looks+1, alpha, i == len(askings)-1)
		looks = max(looks, last.Look)
		if last.Outcome != FirstAsking {
			look := driftLook{Asking: last.Asking, At: last.At, Outcome: last.Outcome, Cases: last.Cases,
				Adjusted: last.least(), Served: last.NewServed}
			if last.Self != nil {
				look.Differ, look.Expected = last.Self.Differ, last.Self.Expected
			}
			past = append(past, look)
		}
		ref.add(asking, last.least() >= alpha)
	}
	last.Past = past
	return last
}

// add adds an asking. Its verdicts are a reference only if they did not change.
func (r *reference) add(asking []SentinelReply, unchanged bool) {
	for i := range asking {
		x := &asking[i]
		for _, s := range x.Served {
			r.served[s] = true
		}
		if x.Passed == nil || !unchanged {
			continue
		}
		r.judged[x.AnswerID] = true
		q := question{x.AnswerID, x.Question}
		t := r.of[q]
		t.of++
		if *x.Passed {
			t.passed++
		}
		r.of[q] = t
	}
	if unchanged {
		if r.askings == 0 {
			r.since = asking[0].At
		}
		r.askings++
	}
}

// compareAsking compares an asking with the reference. look is the number of the comparison if there is one. Intervals
// and the names of cases are computed if whole is set.
func compareAsking(asking []SentinelReply, ref *reference, look int, alpha float64, whole bool) JudgeDrift {
	first := &asking[0]
	j := JudgeDrift{Metric: first.Metric, Judge: first.Judge, Asking: first.Asking, At: first.At, Prompts: []string{},
		ToPass: []string{}, ToFail: []string{}, Served: []Served{}, Findings: []string{}, Earlier: ref.askings,
		Since: ref.since}
	now, labels, order := map[question]tallied{}, map[question]bool{}, []question{}
	lost := map[scoring.AnswerID]bool{}
	for i := range asking {
		x := &asking[i]
		j.addServed(x, ref)
		if x.Prompt != "" && !slices.Contains(j.Prompts, x.Prompt) {
			j.Prompts = append(j.Prompts, x.Prompt)
		}
		if x.Passed == nil {
			j.Silent++
			j.Code = cmp.Or(j.Code, x.Code)
			if ref.judged[x.AnswerID] {
				lost[x.AnswerID] = true
			}
			continue
		}
		q := question{x.AnswerID, x.Question}
		t, is := now[q]
		if !is {
			order = append(order, q)
		}
		t.of++
		if *x.Passed {
			t.passed++
		}
		now[q] = t
		if x.Label != nil {
			labels[q] = *x.Label
		}
	}
	var cases, correct []agreement.Replicated
	for _, q := range order {
		delete(lost, q.AnswerID)
		then, is := ref.of[q]
		if !is {
			j.New++
			continue
		}
		c := agreement.Replicated{Earlier: then.of, EarlierPassed: then.passed, Now: now[q].of, NowPassed: now[q].passed}
		cases = append(cases, c)
		if label, is := labels[q]; is {
			if !label {
				c.EarlierPassed, c.NowPassed = c.Earlier-c.EarlierPassed, c.Now-c.NowPassed
			}
			correct = append(correct, c)
		}
		if whole {
			j.flipped(q.CaseID, then, now[q])
		}
	}
	j.Cases, j.Labeled = len(cases), len(correct)
	j.Lost = len(lost)
	if j.Cases > 0 {
		j.Look = look
		j.test(cases, correct, whole)
	}
	j.conclude(alpha)
	return j
}

// addServed adds the models that gave a reply.
func (j *JudgeDrift) addServed(x *SentinelReply, ref *reference) {
	for _, s := range x.Served {
		if !slices.Contains(j.Served, s) {
			j.Served = append(j.Served, s)
			if len(ref.served) > 0 && !ref.served[s] {
				j.NewServed = append(j.NewServed, s)
			}
		}
	}
}

// flipped adds a case whose majority of verdicts differs from the earlier majority.
func (j *JudgeDrift) flipped(id string, then, now tallied) {
	switch {
	case 2*then.passed < then.of && 2*now.passed > now.of:
		j.ToPass = append(j.ToPass, id)
	case 2*then.passed > then.of && 2*now.passed < now.of:
		j.ToFail = append(j.ToFail, id)
	}
}

// test computes the tests of an asking. The p-values are adjusted among themselves by Holm's method, and then for the
// looks (see [agreement.AfterLooks]).
func (j *JudgeDrift) test(cases, correct []agreement.Replicated, whole bool) {
	rate := shift(cases, whole)
	j.PassRate = &rate
	p, adjusted := []float64{rate.P}, []*float64{&rate.Adjusted}
	if slices.ContainsFunc(cases, func(c agreement.Replicated) bool { return c.Earlier > 1 || c.Now > 1 }) {
		u := agreement.UnsteadyTest(cases)
		j.Self = &selfTest{Verdicts: u.Verdicts, Differ: u.Differ, Expected: u.Expected, P: u.P,
			Rate: u.Differ / float64(u.Verdicts)}
		if whole {
			in := agreement.Wilson(int(u.Differ+0.5), u.Verdicts, agreement.DefaultLevel)
			j.Self.CI = [2]float64{in.Lo, in.Hi}
		}
		p, adjusted = append(p, u.P), append(adjusted, &j.Self.Adjusted)
	}
	if len(correct) > 0 {
		t := shift(correct, whole)
		j.Correct = &t
		p, adjusted = append(p, t.P), append(adjusted, &t.Adjusted)
	}
	for i, among := range agreement.Holm(p) {
		*adjusted[i] = agreement.AfterLooks(among, j.Look)
	}
}

func shift(cases []agreement.Replicated, whole bool) DriftTest {
	t := DriftTest{P: agreement.ShiftTest(cases)}
	for _, c := range cases {
		t.Before += float64(c.EarlierPassed) / float64(c.Earlier)
		t.Now += float64(c.NowPassed) / float64(c.Now)
	}
	n := float64(len(cases))
	t.Before, t.Now = t.Before/n, t.Now/n
	t.Change = t.Now - t.Before
	if whole {
		in := agreement.ShiftInterval(cases, agreement.DefaultLevel, 1)
		t.CI = [2]float64{in.Lo, in.Hi}
	}
	return t
}

// least returns the lowest adjusted p-value; 1 if nothing was compared.
func (j *JudgeDrift) least() float64 {
	if j.Look == 0 {
		return 1
	}
	p := j.PassRate.Adjusted
	if j.Self != nil {
		p = min(p, j.Self.Adjusted)
	}
	if j.Correct != nil {
		p = min(p, j.Correct.Adjusted)
	}
	return p
}

// conclude sets the outcome and the findings.
func (j *JudgeDrift) conclude(alpha float64) {
	if t := j.PassRate; t != nil && t.Adjusted < alpha {
		word := "stricter"
		if t.Change > 0 {
			word = "more lenient"
		}
		j.Findings = append(j.Findings, fmt.Sprintf("It is %s: it passes %s of the cases, before %s (p %s).", word,
			WholePercent(t.Now), WholePercent(t.Before), PValue(t.Adjusted)))
	}
	if t := j.Self; t != nil && t.Adjusted < alpha {
		j.Findings = append(j.Findings, fmt.Sprintf("It contradicts itself: %s of %s differ from its usual verdict, where its noise explains %.1f (p %s).",
			number(t.Differ), printable.Count(t.Verdicts, "verdict"), t.Expected, PValue(t.Adjusted)))
	}
	if t := j.Correct; t != nil && t.Adjusted < alpha {
		word := "less"
		if t.Change > 0 {
			word = "more"
		}
		j.Findings = append(j.Findings, fmt.Sprintf("It agrees %s often with the labels: on %s of %s, before on %s (p %s).",
			word, WholePercent(t.Now), printable.Count(j.Labeled, "labelled case"), WholePercent(t.Before),
			PValue(t.Adjusted)))
	}
	if len(j.NewServed) > 0 {
		names := make([]string, len(j.NewServed))
		for i, s := range j.NewServed {
			names[i] = s.String()
		}
		j.Findings = append(j.Findings, "The endpoint reports another model: "+strings.Join(names, ", ")+".")
	}
	if j.Lost > 0 {
		j.Findings = append(j.Findings, fmt.Sprintf("It gives no verdict on %s that it judged before%s.",
			printable.Count(j.Lost, "case"), j.because()))
	}
	switch {
	case j.Cases+j.New == 0 || j.Lost > j.Cases+j.New:
		j.Outcome = Unmeasured
	case len(j.Findings) > 0:
		j.Outcome = Changed
	case j.Look == 0:
		j.Outcome = FirstAsking
	default:
		j.Outcome = NoChangeShown
	}
}

// because names the code of the first reply without a verdict, if it is known.
func (j *JudgeDrift) because() string {
	if j.Code == "" {
		return ""
	}
	return ": " + j.Code
}

// Unmeasured returns the judges whose latest asking gave no verdicts, or too few.
func (d *Drift) Unmeasured() (out []*JudgeDrift) {
	for i := range d.Judges {
		if d.Judges[i].Outcome == Unmeasured {
			out = append(out, &d.Judges[i])
		}
	}
	return out
}

// Verdicts describes how many verdicts the asking gave, and the code of the first reply without one.
func (j *JudgeDrift) Verdicts() string {
	if n := j.Cases + j.New; n > 0 {
		return fmt.Sprintf("a verdict on %s, none on %d that it judged before%s", printable.Count(n, "case"), j.Lost, j.because())
	}
	return "no verdict on any case" + j.because()
}

// number formats a number of verdicts; one may count one half.
func number(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }
