package prompt

// The two strategies of LLM-SQL-Solver (Zhao et al. 2023, arXiv:2312.10321).
var (
	// Miniature & Mull: search for a database on which the queries differ
	SQLSolverSemantic = load("llm_sql_solver", "llm_sql_solver_semantic", 1, "llm_sql_solver")
	SQLSolverRelaxed  = load("llm_sql_solver", "llm_sql_solver_relaxed", 1, "llm_sql_solver") // Explain & Compare
)
