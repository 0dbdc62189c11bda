package scoring

import "slices"

// SilentReasons lists the reasons of scores that are not applicable because the answer has no SQL, whether or not the
// question calls for any.
func SilentReasons() []string {
	return []string{NoPredSQL, NoPred, NoAnswer, noSQLFor("refusal"), noSQLFor("clarification")}
}

// PassesSilence reports whether a score with this status and reason counts as passed, with the value 1: the metric
// objects to what SQL would do, and the answer has no SQL.
func (m *Metric) PassesSilence(status Status, reason string) bool {
	return m != nil && m.SilencePasses && status == StatusNotApplicable && slices.Contains(SilentReasons(), reason)
}

// Counted returns s as figures and comparisons count it: passed, if the metric passes an answer without SQL.
func (m *Metric) Counted(s Score) Score {
	if m.PassesSilence(s.Status, s.Reason) {
		passed := true
		s.Status, s.Value, s.Passed = StatusOK, 1, &passed
	}
	return s
}
