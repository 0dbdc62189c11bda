package prompt

// flexTemperature is that of the published experiments (FLEX, appendix A.2).
const flexTemperature = 0

// The questions of FLEX.
var (
	// the results are the same and are not shown
	FLEXSame = at(flexTemperature, load("flex", "flex_same", 1, "flex"))
	// The results differ
	FLEXDiffer = at(flexTemperature, load("flex", "flex_differ", 2, "flex"))
	// What is wrong with a query that was judged wrong
	FLEXErrors = at(flexTemperature, load("flex/errors", "flex_errors", 1, "flex_errors"))
	// Why a query that was judged right returns something else
	FLEXDifferences = at(flexTemperature, load("flex/differences", "flex_differences", 1, "flex_differences"))
)
