package prompt

// MostClaims is how many claims of a response a judge is asked for: with their figures they fit
// into a reply of the usual bound.
const MostClaims = 30

// What is asked of an agent's answer in prose (BADGER, sections 7.2 to 7.5 and appendix A.4).
var (
	Response = load("response", "response", 1, "response") // its claims, the four dimensions of G-Eval and how it resolves what was meant, in one call
	Intent   = load("intent", "intent", 1, "intent")       // whether the interpretation means what the question means
	Refusal  = load("refusal", "refusal", 1, "refusal")    // whether it answers, refuses or asks back
)
