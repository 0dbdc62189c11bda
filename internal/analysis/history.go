package analysis

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/badger-eval/badger/internal/gate"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring/agreement"
)

// HistoryBatches is the default maximum number of batches in a history.
const HistoryBatches = 30

// History is the outcome of each question in the latest batches of an agent, by one metric.
type History struct {
	Metric  string        `json:"metric"`
	Batches []Batch       `json:"batches"` // in the order of time
	Cases   []HistoryCase `json:"cases"`   // cases with a score in any of the batches, in natural order

	set     *Set
	columns [][]entry // by batch, then by case number
}

// HistoryCase is the outcome of one question in each batch.
type HistoryCase struct {
	CaseID    string     `json:"case_id"`
	Standings []Standing `json:"standings"` // by batch
}

// MarshalText returns the name of the standing.
func (s Standing) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Right reports whether the answer passed.
func (s Standing) Right() bool { return s == StandPassed }

// Wrong reports whether the answer failed or is missing.
func (s Standing) Wrong() bool { return s == StandFailed || s == StandUnanswered }

// NewHistory reads the scores of one metric for batches, which must be sorted by time and belong to the same agent,
// see [OfAgent].
func NewHistory(ctx context.Context, src Source, set *Set, batches []Batch, metric string) (*History, error) {
	h := &History{Metric: metric, set: set}
	answers := make([]*Answers, len(batches))
	for i, b := range batches {
		answers[i] = set.Answers(b)
	}
	if err := src.LoadEach(ctx, []string{metric}, answers); err != nil {
		return nil, err
	}
	for _, a := range answers {
		h.add(a)
	}
	h.name()
	return h, nil
}

// add appends the scores of a batch.
func (h *History) add(a *Answers) {
	h.Batches = append(h.Batches, a.Batch)
	var column []entry
	if x := a.series[h.Metric]; x != nil {
		column = x.entries
	}
	h.columns = append(h.columns, column)
}

// name sets h.Cases to the cases with a score, by their ids.
func (h *History) name() {
	n := 0
	for _, c := range h.columns {
		n = max(n, len(c))
	}
	for i := range n {
		one := HistoryCase{CaseID: h.set.caseID(i), Standings: make([]Standing, len(h.columns))}
		known := false
		for k := range h.columns {
			m := h.at(k, i).mark
			one.Standings[k] = m.standing()
			known = known || m != absent
		}
		if known {
			h.Cases = append(h.Cases, one)
		}
	}
	slices.SortFunc(h.Cases, func(a, b HistoryCase) int { return printable.CompareNatural(a.CaseID, b.CaseID) })
}

func (h *History) at(batch, question int) entry {
	if c := h.columns[batch]; question < len(c) {
		return c[question]
	}
	return entry{}
}

// Course is the result of tests on a history: a trend, a change of level, and whether the latest batch is unusual.
// All use the same questions, which have a verdict or a missing answer in each batch and whose scores are comparable
// with those of the latest batch.
type Course struct {
	Metric    string           `json:"metric"`
	Batches   []Batch          `json:"batches"`
	Questions int              `json:"questions"`
	Shares    []float64        `json:"shares"` // share of right answers by batch
	Trend     *agreement.Slope `json:"trend,omitempty"`
	Step      *agreement.Step  `json:"change_point,omitempty"`
	Usual     *UsualRange      `json:"usual_range,omitempty"`
	Findings  []Finding        `json:"findings,omitempty"`

	// Outliers are the indexes of batches that differ from the batch before and the one after in the same direction, both
	// more than chance. Trend, Step and Usual leave them out.
	Outliers []int `json:"outliers,omitempty"`

	kept []int // indexes of the other batches
	// before is the trend without the latest batch, if the level changed with it; else it is Trend.
	before *agreement.Slope
	// stepped reports whether a single step fits the shares better than a line, both without a new last level.
	stepped bool
}

// UsualRange is the usual range of shares for the version of the latest batch, computed from its earlier batches.
type UsualRange struct {
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Batches int     `json:"batches"`
}

// Kinds of findings about the latest batch.
const (
	foundDrop    = "drop" // compared with the baseline
	foundTrend   = "trend"
	foundStep    = "change_point"
	foundUnusual = "outside_usual_range"
	foundOutlier = "outlier" // a single batch that differs from its neighbors
)

// Finding is a conclusion about the latest batch, as text.
type Finding struct {
	Kind  string   `json:"kind"`
	Worse bool     `json:"worse"`
	P     *float64 `json:"p"` // null for a range
	Text  string   `json:"text"`
}

// Course tests the history at the level alpha, such as 0.05. It returns nil if fewer than three batches are
// comparable.
func (h *History) Course(alpha float64, seed uint64) *Course {
	from, questions := h.window()
	n := len(h.columns) - from
	if n < 3 || len(questions) == 0 {
		return nil
	}
	c := &Course{Metric: h.Metric, Batches: h.Batches[from:], Questions: len(questions)}
	every := h.counts(from, questions, upTo(n))
	for k := range n {
		c.Shares = append(c.Shares, every.Share(k))
	}
	for k := range n {
		if h.outlier(from+k, from, questions, alpha) {
			c.Outliers = append(c.Outliers, k)
		} else {
			c.kept = append(c.kept, k)
		}
	}
	counts := h.counts(from, questions, c.kept)
	trend, step := counts.Trend(), counts.ChangePoint(seed)
	last, fitted := len(c.kept)-1, c.kept
	c.Trend, c.before = &trend, &trend
	if step.At == last {
		fitted = c.kept[:last]
		earlier := h.counts(from, questions, fitted).Trend()
		c.before = &earlier
	}
	if step.At > 0 {
		step.At = c.kept[step.At]
		c.Step = &step
	}
	c.stepped = stepFits(c.Shares, fitted)
	c.Usual = c.usual()
	c.find(alpha)
	return c
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// outlier reports whether batch k differs from both of its neighbors in the same direction, each more than chance.
func (h *History) outlier(k, from int, questions []int, alpha float64) bool {
	if k <= from || k >= len(h.columns)-1 {
		return false
	}
	off := func(neighbor int) float64 { // above 0 if batch k has more right answers, 0 if the difference could be chance
		more, fewer := 0, 0
		for _, q := range questions {
			switch is, other := h.at(k, q).mark.passed(), h.at(neighbor, q).mark.passed(); {
			case is && !other:
				more++
			case !is && other:
				fewer++
			}
		}
		if agreement.McNemar(more, fewer) >= alpha {
			return 0
		}
		return float64(more - fewer)
	}
	return off(k-1)*off(k+1) > 0
}

// stepFits reports whether a single step explains the shares of the batches at least as well as a straight line, by the
// sum of squares that remains.
func stepFits(shares []float64, batches []int) bool {
	y := make([]float64, len(batches))
	for i, k := range batches {
		y[i] = shares[k]
	}
	left := func(y []float64) (rest float64) { // around the mean
		mean := 0.0
		for _, v := range y {
			mean += v / float64(len(y))
		}
		for _, v := range y {
			rest += (v - mean) * (v - mean)
		}
		return rest
	}
	all, middle, squares, slope := left(y), float64(len(y)-1)/2, 0.0, 0.0
	step := all
	for i, v := range y {
		squares += (float64(i) - middle) * (float64(i) - middle)
		slope += (float64(i) - middle) * v
		if i > 0 {
			step = min(step, left(y[:i])+left(y[i:]))
		}
	}
	return len(y) < 3 || step <= all-slope*slope/squares
}

// counts returns the counts of right answers to the questions in some batches, by their indexes after from.
func (h *History) counts(from int, questions, batches []int) *agreement.Repeated {
	counts, right := agreement.NewRepeated(len(batches)), make([]bool, len(batches))
	for _, q := range questions {
		for i, k := range batches {
			right[i] = h.at(from+k, q).mark.passed()
		}
		counts.Add(right)
	}
	return counts
}

// window returns the index of the first batch of the longest sequence of latest batches that share at least half of
// the rated questions of the latest batch, and the questions that all of them share.
func (h *History) window() (from int, questions []int) {
	last := len(h.columns) - 1
	if last < 0 {
		return 0, nil
	}
	for q, e := range h.columns[last] {
		if s := e.mark.standing(); s.Right() || s.Wrong() {
			questions = append(questions, q)
		}
	}
	least := (len(questions) + 1) / 2
	for from = last; from > 0; from-- {
		var both []int
		for _, q := range questions {
			now, before := h.at(last, q), h.at(from-1, q)
			if s := before.mark.standing(); (s.Right() || s.Wrong()) && h.alike(before, now) {
				both = append(both, q)
			}
		}
		if len(both) < least || len(both) == 0 {
			break
		}
		questions = both
	}
	return from, questions
}

// alike reports whether two scores of a question are comparable.
func (h *History) alike(a, b entry) bool {
	p := h.set.pair(a, b)
	_, unlike := unlikePair(&p)
	return !unlike
}

// usual returns the usual range for the version of the latest batch, from its earlier complete batches; nil if there
// are too few.
func (c *Course) usual() *UsualRange {
	last := len(c.Batches) - 1
	var shares []float64
	for _, k := range c.kept {
		if b := &c.Batches[k]; k < last && b.sameVersion(&c.Batches[last]) && b.Unfinished == "" {
			shares = append(shares, c.Shares[k])
		}
	}
	in := agreement.UsualRange(shares)
	if !in.Defined {
		return nil
	}
	return &UsualRange{Low: max(0, in.Lo), High: min(1, in.Hi), Batches: len(shares)}
}

// find adds a finding for each significant test. One unusual batch at the end is neither a change of level nor a trend:
// a new level needs two batches, and a trend that rests on the latest batch alone is not reported. Nor is a trend that
// a single step explains, and a step or trend that the latest batch does not show, as after a recovery.
func (c *Course) find(alpha float64) {
	last := len(c.Batches) - 1
	stepped := false // a lasting step explains a batch outside of the range of those before the step
	trending := c.Trend.P < alpha && c.before.P < alpha && !c.stepped && c.shows(c.Trend.PerOccasion)
	if s := c.Step; s != nil && s.P < alpha && !trending {
		since := c.since(s.At)
		switch {
		case s.At == last && c.Usual == nil:
			c.add(foundOutlier, s.After < s.Before, &s.P,
				fmt.Sprintf("since %s, %s of %s are right; %s on average before it; one batch is not yet a new level",
					since, WholePercent(s.After), printable.Count(c.Questions, "question"), WholePercent(s.Before)))
		case s.At < last && c.lasts(s):
			stepped = true
			c.add(foundStep, s.After < s.Before, &s.P,
				fmt.Sprintf("since %s, %s of %s are right on average; %s before it: the change is more than chance",
					since, WholePercent(s.After), printable.Count(c.Questions, "question"), WholePercent(s.Before)))
		}
	}
	if t := c.Trend; trending {
		word := "rises"
		if t.PerOccasion < 0 {
			word = "falls"
		}
		c.add(foundTrend, t.PerOccasion < 0, &t.P, fmt.Sprintf("the share of right answers %s over the last "+
			"%d batches, from %s to %s of %s (%.1f points a batch): the trend is more than chance",
			word, len(c.Batches), WholePercent(c.Shares[0]), WholePercent(c.Shares[last]),
			printable.Count(c.Questions, "question"), math.Abs(100*t.PerOccasion)))
	}
	one := 1/float64(c.Questions) + 1e-9 // one question more or less is usual, also after equal batches
	if u := c.Usual; u != nil && !stepped && (c.Shares[last] < u.Low-one || c.Shares[last] > u.High+one) {
		c.add(foundUnusual, c.Shares[last] < u.Low, nil,
			fmt.Sprintf("%s of %s are right; %s to %s is usual for %s (its %s before)",
				WholePercent(c.Shares[last]), printable.Count(c.Questions, "question"), WholePercent(u.Low), WholePercent(u.High),
				c.Batches[last].System(), printable.Count(u.Batches, "batch")))
	}
	const recent = 5
	if n := len(c.Outliers) - 1; n >= 0 && c.Outliers[n] >= last-recent {
		k := c.Outliers[n]
		c.add(foundOutlier, false, nil, fmt.Sprintf("%s was an outlier: %s of %s were right, %s in the batch before and %s in the one after it",
			c.since(k), WholePercent(c.Shares[k]), printable.Count(c.Questions, "question"), WholePercent(c.Shares[k-1]),
			WholePercent(c.Shares[k+1])))
	}
}

// CheckDecline describes whether c, the course of h, passes a gate on declines: no finding is a trend or change point
// for the worse. It passes if there are too few batches, so that c is nil, and fails if the latest batch has no verdict
// of the metric, because nothing was tested.
func (h *History) CheckDecline(c *Course) (said []string, passed bool) {
	switch {
	case h.Metric == "":
		return []string{gate.Line(false, "declines cannot be tested: no metric with scores tells right answers from "+
			"wrong ones; expected scores of a metric such as hybrid_ex")}, false
	case !h.rated():
		return []string{gate.Line(false, fmt.Sprintf("declines cannot be tested: no answer of the newest batch has a "+
			"score of %s that passes or fails; --primary names another metric", h.Metric))}, false
	case c == nil:
		return []string{gate.Line(true, "no decline: fewer than three batches can be compared")}, true
	}
	for _, f := range c.Findings {
		if f.Worse && (f.Kind == foundTrend || f.Kind == foundStep) {
			said = append(said, gate.Line(false, c.Metric+" declines: "+f.Text))
		}
	}
	if said != nil {
		return said, false
	}
	return []string{gate.Line(true, fmt.Sprintf("%s shows no decline over the last %s", c.Metric,
		printable.Count(len(c.Batches), "batch")))}, true
}

// rated reports whether an answer of the latest batch is right, wrong or missing.
func (h *History) rated() bool {
	n := len(h.columns)
	return n > 0 && slices.ContainsFunc(h.columns[n-1], func(e entry) bool {
		s := e.mark.standing()
		return s.Right() || s.Wrong()
	})
}

// shows reports whether the latest batch is on the side of the mean that a trend with this slope leads to.
func (c *Course) shows(slope float64) bool {
	mean := 0.0
	for _, k := range c.kept {
		mean += c.Shares[k] / float64(len(c.kept))
	}
	return (c.Shares[len(c.Shares)-1]-mean)*slope > 0
}

// lasts reports whether both of the latest two batches are nearer to the level after the step than to the one before.
func (c *Course) lasts(s *agreement.Step) bool {
	for _, k := range c.kept[max(0, len(c.kept)-2):] {
		if k < s.At || math.Abs(c.Shares[k]-s.After) >= math.Abs(c.Shares[k]-s.Before) {
			return false
		}
	}
	return true
}

// since names batch k by its date, if it has one, and reports whether it is the first of its version.
func (c *Course) since(k int) string {
	b := &c.Batches[k]
	text := b.Name()
	if !b.At.IsZero() {
		text = Day(b.At) + " (" + b.Name() + ")"
	}
	if k > 0 && !b.sameVersion(&c.Batches[k-1]) {
		text += ", the first batch of " + cmp.Or(b.Version, b.System())
	}
	return text
}

func (c *Course) add(kind string, worse bool, p *float64, text string) {
	c.Findings = append(c.Findings, Finding{kind, worse, p, text})
}

// WholePercent formats a share in whole percent, such as 81%. It returns 100% only for 1, and 0% only for 0.
func WholePercent(share float64) string {
	n := int(math.Round(100 * share))
	switch {
	case n >= 100 && share < 1:
		n = 99
	case n <= 0 && share > 0:
		n = 1
	}
	return fmt.Sprintf("%d%%", n)
}

// OfAgent returns the batches of the same agent as batch i, up to i, in the order of time: at most the latest most of
// them, or all if most is 0.
func OfAgent(batches []Batch, i, most int) []Batch {
	var out []Batch
	for k := range batches[:i+1] {
		if batches[k].Agent == batches[i].Agent {
			out = append(out, batches[k])
		}
	}
	if most > 0 && len(out) > most {
		out = out[len(out)-most:]
	}
	return out
}
