package prompt

// LLMEx asks how much of the gold result the agent's result contains: for a category and a score (BADGER, appendix
// A.3: matching category and judge score).
var LLMEx = load("llm_ex", "llm_ex", 1, "llm_ex")
