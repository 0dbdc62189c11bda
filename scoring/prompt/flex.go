package prompt

// flexTemperature is the temperature of the published experiments (FLEX, appendix A.2).
const flexTemperature = 0

// The questions of FLEX.
var (
	// whether the query is correct, if the results are the same; they are not shown
	FLEXSame = at(flexTemperature, load("flex", "flex_same", 1, "flex"))
	// whether the query is correct, if the results differ
	FLEXDiffer = at(flexTemperature, load("flex", "flex_differ", 2, "flex"))
	// the errors of a query that was judged incorrect
	FLEXErrors = at(flexTemperature, load("flex/errors", "flex_errors", 1, "flex_errors"))
	// the reasons why the results of a query that was judged correct differ
	FLEXDifferences = at(flexTemperature, load("flex/differences", "flex_differences", 1, "flex_differences"))
)
