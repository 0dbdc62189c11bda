package align

import "github.com/badger-eval/badger/scoring"

// readings are all ways to read two columns against each other, the most natural first.
func (a *aligner) readings(g, p *column) []viewPair {
	return append(a.plainReadings(g, p), a.formReadings(g, p)...)
}

// formReadings are the ways to read two columns as the same values in two forms, such as periods of
// the calendar, durations and codes. They take longer to find than others.
func (a *aligner) formReadings(g, p *column) (out []viewPair) {
	if isNumeric(g) && isNumeric(p) {
		return nil
	}
	out = append(out, a.periodReadings(g, p)...)
	out = append(out, a.cutReadings(g, p)...)
	if g.kind == p.kind && g.kind != scoring.KindText {
		return out
	}
	out = append(out, a.serialReadings(g, p)...)
	out = append(out, a.durationReadings(g, p)...)
	out = append(out, a.codeReadings(g, p)...)
	out = append(out, a.textReadings(g, p)...)
	return append(out, a.truthReadings(g, p)...)
}

// withForms returns f, or a better fit of the same values in another form if f does not explain all values.
func (a *aligner) withForms(f fit, g, p *column) fit {
	if f.agreement == 1 {
		return f
	}
	forms := a.formReadings(g, p)
	if len(forms) == 0 {
		return f
	}
	other := a.fitting(g, p, forms)
	f.equal = max(f.equal, other.equal)
	f.better(other)
	return f
}
