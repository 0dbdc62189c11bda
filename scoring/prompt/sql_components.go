package prompt

import "github.com/badger-eval/badger/scoring"

// SQLComponents asks for the components of one query (BADGER, section 4.2 and appendix A.1). Its temperature is 0.
var SQLComponents = at(scoring.ExtractorTemperature, load("sql_components", "sql_components", 1, "sql_components"))
