package prompt

import "github.com/badger-eval/badger/scoring"

// STEF asks for the specification of the question and a comparison of the query with it (STEF, sections 3.2 to 3.5).
// Its temperature is 0 (section 8.2).
var STEF = at(scoring.ExtractorTemperature, load("stef", "stef", 1, "stef"))
