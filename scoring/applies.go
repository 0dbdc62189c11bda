package scoring

// Applies returns how many of the asked questions a metric applies to, given the number of scores that are not
// applicable and of questions without an answer. For a question without an answer this is unknown: it counts if the
// metric applies to any other, so that missing answers lower the coverage, and does not count if the metric applies
// to no answered question.
func Applies(asked, notApplicable, unanswered int) int {
	if notApplicable > 0 && notApplicable+unanswered == asked {
		return 0
	}
	return asked - notApplicable
}
