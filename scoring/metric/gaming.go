package metric

// gaming maps the names of metrics that are registered in loops to the text of [scoring.Metric].Gaming.
var gaming = map[string]string{
	"clause_precision":    "Few clauses are few wrong ones: SELECT 1 has precision 1. Read it with clause_recall. It compares kinds of clauses and not their content.",
	"clause_recall":       "A query with every clause there is has recall 1. Read it with clause_precision. It compares kinds of clauses and not their content.",
	"component_exact":     "Two of its details stand for much: queries that differ in nothing but a value of a condition lose all, and queries that are written in another way and mean the same lose too. It cannot be raised without knowing gold; keep gold from the agent.",
	"component_f1":        "A kind of component that neither query has counts as 1, so that simple queries share most of the mean: SELECT 1 has more than half against a simple gold. detail.stated leaves those kinds out.",
	"component_precision": "Few components are few wrong ones: a query without conditions has precision 1 for them. Read it with recall. A kind that neither query has counts as 1 in the mean.",
	"component_recall":    "A query that names everything has recall 1: further select items, tables and conditions cost nothing. Read it with precision.",
	"component_one":       "It looks at one kind of component: everything else in the query may be wrong. Read it with the others, or component_exact.",
	"geval_coherence":     "Judges like length, headings and confidence. The prompt says that length is not a merit, probabilities soften a single grade, and the text of the response is set off as material. Compare versions with one judge, and calibrate it.",
	"geval_consistency":   "Judges like confident texts, and a response that avoids figures is hardly ever inconsistent. faithfulness looks figures up in the result.",
	"geval_fluency":       "Fluent nonsense has 1: the metric is of language alone. Read it with faithfulness and geval_relevance.",
	"geval_relevance":     "A response that echoes the question looks relevant, true or not. Read it with faithfulness.",
	"sql_judge":           "The judge may be talked to by comments in the agent's query, and takes likeness for equivalence. What the texts prove needs no judge, everything from the case is set off as material, a reply that contradicts itself warns, and calibrate measures the judge on labels.",
}
