package scoring

// Applies returns how many of the asked questions a metric applies to, given the number of scores that are not
// applicable and of questions without an answer. An unanswered question counts as applicable if the metric applies
// to any answered one, so that missing answers lower the coverage. Otherwise it is ignored.
func Applies(asked, notApplicable, unanswered int) int {
	if notApplicable > 0 && notApplicable+unanswered == asked {
		return 0
	}
	return asked - notApplicable
}
