package prompt

// The questions of FLEX.
var (
	FLEXSame        = load("flex", "flex_same", 1, "flex")                                // the results are the same and are not shown
	FLEXDiffer      = load("flex", "flex_differ", 2, "flex")                              // the results differ
	FLEXErrors      = load("flex/errors", "flex_errors", 1, "flex_errors")                // what is wrong with a query that was judged wrong
	FLEXDifferences = load("flex/differences", "flex_differences", 1, "flex_differences") // why a query that was judged right returns something else
)
