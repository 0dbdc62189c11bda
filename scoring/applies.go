package scoring

// Applies is how many of the questions that were asked a metric applies to, given how many scores say
// that it does not and how many questions have no answer. Of a question without an answer nobody
// knows: it counts where the metric applies to any other, so that missing answers lower the coverage,
// and not where every answered question is one that the metric does not apply to.
func Applies(asked, notApplicable, unanswered int) int {
	if notApplicable > 0 && notApplicable+unanswered == asked {
		return 0
	}
	return asked - notApplicable
}
