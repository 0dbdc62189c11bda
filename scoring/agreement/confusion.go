package agreement

import "math"

// Confusion holds the numbers of cases by the verdicts of a metric and of the labels. Positive means that the metric
// passes the case, true that the label agrees.
type Confusion struct {
	TP int `json:"tp"` // both pass
	FP int `json:"fp"` // the metric passes what people fail
	TN int `json:"tn"` // both fail
	FN int `json:"fn"` // the metric fails what people pass
}

// Add counts one case.
func (c *Confusion) Add(label, verdict bool) {
	switch {
	case label && verdict:
		c.TP++
	case verdict:
		c.FP++
	case label:
		c.FN++
	default:
		c.TN++
	}
}

// Plus returns the sums of the counts.
func (c Confusion) Plus(o Confusion) Confusion {
	return Confusion{c.TP + o.TP, c.FP + o.FP, c.TN + o.TN, c.FN + o.FN}
}

// N returns the number of cases.
func (c Confusion) N() int { return c.TP + c.FP + c.TN + c.FN }

// Passes returns the number of cases that the labels pass.
func (c Confusion) Passes() int { return c.TP + c.FN }

// Fails returns the number of cases that the labels fail.
func (c Confusion) Fails() int { return c.TN + c.FP }

// Accuracy returns the share of cases on which the metric and the labels agree.
func (c Confusion) Accuracy() Stat {
	return share(c.TP+c.TN, c.N(), noCases)
}

// Sensitivity returns the share of the cases labeled pass that the metric passes.
func (c Confusion) Sensitivity() Stat { return share(c.TP, c.Passes(), noPasses) }

// Specificity returns the share of the cases labeled fail that the metric fails.
func (c Confusion) Specificity() Stat { return share(c.TN, c.Fails(), noFails) }

// PassRate returns the share of cases that the metric passes. It is what is reported without labels.
func (c Confusion) PassRate() Stat { return share(c.TP+c.FP, c.N(), noCases) }

// LabelRate returns the share of cases that the labels pass.
func (c Confusion) LabelRate() Stat { return share(c.Passes(), c.N(), noCases) }

func share(part, whole int, why string) Stat {
	if whole == 0 {
		return undefined(why)
	}
	return defined(float64(part) / float64(whole))
}

// BalancedAccuracy returns the mean of sensitivity and specificity (Brodersen et al. 2010). It is undefined if all
// labels are the same.
func (c Confusion) BalancedAccuracy() Stat {
	return c.both(func(a, b float64) float64 { return (a + b) / 2 })
}

// Gap returns the absolute difference of sensitivity and specificity, 0 to 1, which shows whether the metric errs
// more in one direction (BADGER, section 6.3). If sensitivity is larger it is permissive, else strict.
func (c Confusion) Gap() Stat { return c.both(func(a, b float64) float64 { return math.Abs(a - b) }) }

func (c Confusion) both(of func(sensitivity, specificity float64) float64) Stat {
	a, b := c.Sensitivity(), c.Specificity()
	switch {
	case c.N() == 0:
		return undefined(noCases)
	case !a.Defined:
		return a
	case !b.Defined:
		return b
	}
	return defined(of(a.Value, b.Value))
}

// F1 returns the harmonic mean of precision and recall of passes, 2TP/(2TP+FP+FN) (ROSE, appendix D). It is undefined
// if neither labels nor verdicts pass any case.
func (c Confusion) F1() Stat {
	switch whole := 2*c.TP + c.FP + c.FN; {
	case c.N() == 0:
		return undefined(noCases)
	case whole == 0:
		return undefined(nothingPasses)
	default:
		return defined(float64(2*c.TP) / float64(whole))
	}
}

// MCC returns the correlation of labels and verdicts, -1 to 1 (Matthews 1975; ROSE, appendix D). If only the labels
// or only the verdicts are constant, the formula is 0/0; by convention the value is 0, and Why states this. If both
// are constant and agree, it is undefined.
func (c Confusion) MCC() Stat {
	if s, done := c.withoutVariation(); done {
		return s
	}
	tp, fp, tn, fn := c.floats()
	r := (tp*tn - fp*fn) / (math.Sqrt((tp+fp)*(tp+fn)) * math.Sqrt((tn+fp)*(tn+fn)))
	return defined(max(-1, min(1, r))) // the roots are rounded
}

// Kappa returns Cohen's kappa of labels and verdicts, at most 1 (Cohen 1960; ROSE, appendix D). If only one of them
// is constant it is 0, and Why states this. If both are constant it is undefined, unless they contradict each other
// in every case.
func (c Confusion) Kappa() Stat {
	if s, done := c.withoutVariation(); done {
		return s
	}
	tp, fp, tn, fn := c.floats()
	return defined(2 * (tp*tn - fp*fn) / ((tp+fp)*(fp+tn) + (tp+fn)*(fn+tn)))
}

// LabelKappa is [Confusion.Kappa] for labels by people, which are given: it is undefined if all are pass or all are
// fail, since no verdicts could then agree with them beyond chance.
func (c Confusion) LabelKappa() Stat {
	switch {
	case c.N() > 0 && c.Fails() == 0:
		return undefined("every label is pass; add answers that fail")
	case c.N() > 0 && c.Passes() == 0:
		return undefined("every label is fail; add answers that pass")
	}
	return c.Kappa()
}

// withoutVariation returns the value of kappa and MCC and true if the labels or the verdicts are all the same, or
// there are none.
func (c Confusion) withoutVariation() (Stat, bool) {
	fixedLabel := c.Passes() == 0 || c.Fails() == 0
	fixedVerdict := c.TP+c.FP == 0 || c.TN+c.FN == 0
	switch {
	case c.N() == 0:
		return undefined(noCases), true
	case fixedLabel && fixedVerdict && c.TP+c.TN > 0:
		return undefined(noVariation), true
	case fixedLabel:
		return Stat{Defined: true, Why: oneLabel}, true
	case fixedVerdict:
		return Stat{Defined: true, Why: oneVerdict}, true
	}
	return Stat{}, false
}

func (c Confusion) floats() (tp, fp, tn, fn float64) {
	return float64(c.TP), float64(c.FP), float64(c.TN), float64(c.FN)
}
