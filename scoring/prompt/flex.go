package prompt

// flexTemperature is that of the published experiments (FLEX, appendix A.2).
const flexTemperature = 0

// The questions of FLEX.
var (
	FLEXSame        = at(flexTemperature, load("flex", "flex_same", 1, "flex"))                                // the results are the same and are not shown
	FLEXDiffer      = at(flexTemperature, load("flex", "flex_differ", 2, "flex"))                              // the results differ
	FLEXErrors      = at(flexTemperature, load("flex/errors", "flex_errors", 1, "flex_errors"))                // what is wrong with a query that was judged wrong
	FLEXDifferences = at(flexTemperature, load("flex/differences", "flex_differences", 1, "flex_differences")) // why a query that was judged right returns something else
)
