package prompt

// LLMEx asks for a category and a grade of how far the agent's result delivers the gold result
// (BADGER, appendix A.3: matching category and judge score).
var LLMEx = load("llm_ex", "llm_ex", 1, "llm_ex")
