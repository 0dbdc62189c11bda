package prompt

// SQLComponents takes one query apart: BADGER, section 4.2 and appendix A.1. Its temperature is 0.
var SQLComponents = extractor(load("sql_components", "sql_components", 1, "sql_components"))
