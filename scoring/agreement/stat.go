package agreement

// Stat is a statistic. If the counts do not define it, such as the sensitivity without a case labeled pass, Defined
// is false, Value is 0 and Why is the reason. If it is defined, Why may be a remark: the value is a convention, or of
// little meaning.
type Stat struct {
	Value   float64
	Defined bool
	Why     string
}

// Statistic is a function that computes a statistic of a confusion matrix, such as [Confusion.Kappa].
type Statistic func(Confusion) Stat

func defined(v float64) Stat    { return Stat{Value: v, Defined: true} }
func undefined(why string) Stat { return Stat{Why: why} }

// Interval is a confidence interval. If it is undefined, Why is the reason; otherwise Why may be a remark.
type Interval struct {
	Lo, Hi  float64
	Defined bool
	Why     string
}

// Reasons why statistics are undefined, or mean little.
const (
	noCases        = "there are no cases"
	noPasses       = "no case is labelled a pass"
	noFails        = "no case is labelled a fail"
	nothingPasses  = "neither the labels nor the metric pass any case"
	oneVerdict     = "the metric gives the same verdict on every case"
	oneLabel       = "every case has the same label, so that agreement beyond chance cannot show"
	noVariation    = "labels and verdicts are all the same, so that there is no agreement beyond chance to measure"
	noDisagreement = "no disagreement in the sample: the interval understates the uncertainty"
)
