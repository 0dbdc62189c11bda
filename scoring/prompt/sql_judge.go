package prompt

// SQLJudge asks for a grade and the issues of a query, given a reference query (BADGER, section 4.4, Table 3 and
// appendix A.2).
var SQLJudge = load("sql_judge", "sql_judge", 1, "sql_judge")
